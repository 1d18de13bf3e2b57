//! Properties of a GPU, queried from the driver.
//!
//! A driver refuses attributes that are newer than it is, with `CUDA_ERROR_INVALID_VALUE`. What
//! launches rely on is required, and has been in every driver that [`Driver`] accepts; everything
//! else is `None` if the driver refuses it, whatever the error, so that no property keeps a program
//! from using a GPU.
use super::api::{DeviceNumber, Driver};
use crate::{
    Result,
    properties::{
        ComputeMode, DeviceInfo, Features, Limits, MemorySystem, PciAddress, Textures, Uuid,
    },
};
use std::ffi::{CStr, c_char, c_int};

/// The largest plausible major number of a compute capability.
const MAX_CAPABILITY_MAJOR: u32 = 999;
/// The largest minor number for which `sm_NN` is unambiguous.
const MAX_CAPABILITY_MINOR: u32 = 9;

/// `CUdevice_attribute`: CUDA's names without `CU_DEVICE_ATTRIBUTE_`.
mod attribute {
    use std::ffi::c_int;

    pub(super) const MAX_THREADS_PER_BLOCK: c_int = 1;
    pub(super) const MAX_BLOCK_DIM_X: c_int = 2;
    pub(super) const MAX_BLOCK_DIM_Y: c_int = 3;
    pub(super) const MAX_BLOCK_DIM_Z: c_int = 4;
    pub(super) const MAX_GRID_DIM_X: c_int = 5;
    pub(super) const MAX_GRID_DIM_Y: c_int = 6;
    pub(super) const MAX_GRID_DIM_Z: c_int = 7;
    pub(super) const MAX_SHARED_MEMORY_PER_BLOCK: c_int = 8;
    pub(super) const TOTAL_CONSTANT_MEMORY: c_int = 9;
    pub(super) const WARP_SIZE: c_int = 10;
    pub(super) const MAX_PITCH: c_int = 11;
    pub(super) const MAX_REGISTERS_PER_BLOCK: c_int = 12;
    pub(super) const CLOCK_RATE: c_int = 13;
    pub(super) const TEXTURE_ALIGNMENT: c_int = 14;
    pub(super) const MULTIPROCESSOR_COUNT: c_int = 16;
    pub(super) const KERNEL_EXEC_TIMEOUT: c_int = 17;
    pub(super) const INTEGRATED: c_int = 18;
    pub(super) const CAN_MAP_HOST_MEMORY: c_int = 19;
    pub(super) const COMPUTE_MODE: c_int = 20;
    pub(super) const MAXIMUM_TEXTURE1D_WIDTH: c_int = 21;
    pub(super) const MAXIMUM_TEXTURE2D_WIDTH: c_int = 22;
    pub(super) const MAXIMUM_TEXTURE2D_HEIGHT: c_int = 23;
    pub(super) const MAXIMUM_TEXTURE3D_WIDTH: c_int = 24;
    pub(super) const MAXIMUM_TEXTURE3D_HEIGHT: c_int = 25;
    pub(super) const MAXIMUM_TEXTURE3D_DEPTH: c_int = 26;
    pub(super) const MAXIMUM_TEXTURE2D_LAYERED_WIDTH: c_int = 27;
    pub(super) const MAXIMUM_TEXTURE2D_LAYERED_HEIGHT: c_int = 28;
    pub(super) const MAXIMUM_TEXTURE2D_LAYERED_LAYERS: c_int = 29;
    pub(super) const SURFACE_ALIGNMENT: c_int = 30;
    pub(super) const CONCURRENT_KERNELS: c_int = 31;
    pub(super) const ECC_ENABLED: c_int = 32;
    pub(super) const PCI_BUS_ID: c_int = 33;
    pub(super) const PCI_DEVICE_ID: c_int = 34;
    pub(super) const TCC_DRIVER: c_int = 35;
    pub(super) const MEMORY_CLOCK_RATE: c_int = 36;
    pub(super) const GLOBAL_MEMORY_BUS_WIDTH: c_int = 37;
    pub(super) const L2_CACHE_SIZE: c_int = 38;
    pub(super) const MAX_THREADS_PER_MULTIPROCESSOR: c_int = 39;
    pub(super) const ASYNC_ENGINE_COUNT: c_int = 40;
    pub(super) const UNIFIED_ADDRESSING: c_int = 41;
    pub(super) const MAXIMUM_TEXTURE1D_LAYERED_WIDTH: c_int = 42;
    pub(super) const MAXIMUM_TEXTURE1D_LAYERED_LAYERS: c_int = 43;
    pub(super) const PCI_DOMAIN_ID: c_int = 50;
    pub(super) const TEXTURE_PITCH_ALIGNMENT: c_int = 51;
    pub(super) const COMPUTE_CAPABILITY_MAJOR: c_int = 75;
    pub(super) const COMPUTE_CAPABILITY_MINOR: c_int = 76;
    pub(super) const MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: c_int = 81;
    pub(super) const MAX_REGISTERS_PER_MULTIPROCESSOR: c_int = 82;
    pub(super) const MANAGED_MEMORY: c_int = 83;
    pub(super) const COMPUTE_PREEMPTION_SUPPORTED: c_int = 90;
    pub(super) const COOPERATIVE_LAUNCH: c_int = 95;
    pub(super) const COOPERATIVE_MULTI_DEVICE_LAUNCH: c_int = 96;
    pub(super) const MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_int = 97;
    pub(super) const MAX_BLOCKS_PER_MULTIPROCESSOR: c_int = 106;
    pub(super) const RESERVED_SHARED_MEMORY_PER_BLOCK: c_int = 111;
    pub(super) const MEMORY_POOLS_SUPPORTED: c_int = 115;
}
use attribute::*;

/// Returns the number of GPUs that the driver shows; 0 if there is no driver.
pub(crate) fn device_count() -> Result<usize> {
    Driver::find()?.map_or(Ok(0), count)
}

/// Returns the number of GPUs that the driver shows.
pub(super) fn count(driver: &Driver) -> Result<usize> {
    let mut count = 0;
    // SAFETY: `count` takes the result.
    unsafe { driver.cuDeviceGetCount(&mut count) }?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Returns the properties of the device, and its compute capability.
pub(super) fn describe(driver: &Driver, number: DeviceNumber) -> Result<(DeviceInfo, u32)> {
    let query = Query { driver, number };
    let sm = query.compute_capability()?;
    let default_shared = query.required(MAX_SHARED_MEMORY_PER_BLOCK)?;
    let most_shared = default_shared.max(query.required(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?);
    let info = DeviceInfo {
        name: query.name()?,
        sm: Some(sm),
        cuda: query.cuda()?,
        multiprocessors: query.required(MULTIPROCESSOR_COUNT)? as usize,
        cores_per_multiprocessor: cores_per_multiprocessor(sm),
        clock_khz: query.optional(CLOCK_RATE),
        memory: Some(query.memory()?),
        shared_memory_per_block: most_shared.into(),
        copy_engines: query.optional(ASYNC_ENGINE_COUNT),
        limits: query.limits()?,
        memory_system: query.memory_system(default_shared),
        features: query.features(),
        textures: query.textures(),
        compute_mode: query.compute_mode(),
        pci: query.pci(),
        uuid: query.uuid(),
    };
    Ok((info, sm))
}

/// A device whose attributes are queried.
struct Query<'a> {
    driver: &'a Driver,
    number: DeviceNumber,
}

impl Query<'_> {
    fn attribute(&self, attribute: c_int) -> Result<c_int> {
        let mut value = 0;
        // SAFETY: `value` takes the result.
        unsafe { self.driver.cuDeviceGetAttribute(&mut value, attribute, self.number) }?;
        Ok(value)
    }

    /// Returns an attribute that every driver knows; 0 if the driver returns a negative number.
    fn required(&self, attribute: c_int) -> Result<u32> {
        Ok(u32::try_from(self.attribute(attribute)?).unwrap_or(0))
    }

    /// Returns an attribute, if the driver knows it.
    fn optional(&self, attribute: c_int) -> Option<u32> {
        u32::try_from(self.attribute(attribute).ok()?).ok()
    }

    fn bytes(&self, attribute: c_int) -> Option<u64> {
        self.optional(attribute).map(u64::from)
    }

    /// Returns true if the driver knows the attribute, and the device has the feature.
    fn has(&self, attribute: c_int) -> bool {
        self.optional(attribute) == Some(1)
    }

    /// Returns three attributes, one per axis.
    fn extents<const N: usize>(&self, attributes: [c_int; N]) -> Option<[u32; N]> {
        let mut extents = [0; N];
        for (extent, attribute) in extents.iter_mut().zip(attributes) {
            *extent = self.optional(attribute)?;
        }
        Some(extents)
    }

    fn required_extents(&self, attributes: [c_int; 3]) -> Result<[u32; 3]> {
        let [x, y, z] = attributes;
        Ok([self.required(x)?, self.required(y)?, self.required(z)?])
    }

    fn name(&self) -> Result<String> {
        let mut name = [0 as c_char; 256];
        let len = c_int::try_from(name.len() - 1).expect("255 fits");
        // SAFETY: at most `len` bytes are written; the last one stays 0.
        unsafe { self.driver.cuDeviceGetName(name.as_mut_ptr(), len, self.number) }?;
        // SAFETY: a zero ends the array at the latest.
        Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
    }

    fn cuda(&self) -> Result<Option<u32>> {
        let mut cuda = 0;
        // SAFETY: `cuda` takes the result.
        unsafe { self.driver.cuDriverGetVersion(&mut cuda) }?;
        Ok(u32::try_from(cuda).ok())
    }

    fn memory(&self) -> Result<u64> {
        let mut memory = 0;
        // SAFETY: `memory` takes the result.
        unsafe { self.driver.cuDeviceTotalMem_v2(&mut memory, self.number) }?;
        Ok(memory as u64)
    }

    /// Returns ten times the major plus the minor number.
    fn compute_capability(&self) -> Result<u32> {
        let major = self.required(COMPUTE_CAPABILITY_MAJOR)?;
        let minor = self.required(COMPUTE_CAPABILITY_MINOR)?;
        self.driver.expect_usable(
            "cuDeviceGetAttribute",
            major <= MAX_CAPABILITY_MAJOR && minor <= MAX_CAPABILITY_MINOR,
            || format!("a compute capability of {major}.{minor}"),
        )?;
        Ok(10 * major + minor)
    }

    fn limits(&self) -> Result<Limits> {
        Ok(Limits {
            warp_size: self.required(WARP_SIZE)?,
            threads_per_block: self.required(MAX_THREADS_PER_BLOCK)?,
            block: self.required_extents([MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z])?,
            grid: self.required_extents([MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z])?,
            threads_per_multiprocessor: self.optional(MAX_THREADS_PER_MULTIPROCESSOR),
            blocks_per_multiprocessor: self.optional(MAX_BLOCKS_PER_MULTIPROCESSOR),
            registers_per_block: self.optional(MAX_REGISTERS_PER_BLOCK),
            registers_per_multiprocessor: self.optional(MAX_REGISTERS_PER_MULTIPROCESSOR),
        })
    }

    fn memory_system(&self, default_shared: u32) -> MemorySystem {
        MemorySystem {
            clock_khz: self.optional(MEMORY_CLOCK_RATE),
            bus_bits: self.optional(GLOBAL_MEMORY_BUS_WIDTH),
            l2_bytes: self.bytes(L2_CACHE_SIZE),
            constant_bytes: self.bytes(TOTAL_CONSTANT_MEMORY),
            default_shared_bytes_per_block: Some(default_shared.into()),
            reserved_shared_bytes_per_block: self.bytes(RESERVED_SHARED_MEMORY_PER_BLOCK),
            shared_bytes_per_multiprocessor: self.bytes(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
            max_pitch: self.bytes(MAX_PITCH),
            ecc: self.optional(ECC_ENABLED).map(|enabled| enabled == 1),
        }
    }

    fn features(&self) -> Features {
        Features {
            concurrent_kernels: self.has(CONCURRENT_KERNELS),
            integrated: self.has(INTEGRATED),
            host_memory_mapping: self.has(CAN_MAP_HOST_MEMORY),
            unified_addressing: self.has(UNIFIED_ADDRESSING),
            managed_memory: self.has(MANAGED_MEMORY),
            compute_preemption: self.has(COMPUTE_PREEMPTION_SUPPORTED),
            cooperative_launch: self.has(COOPERATIVE_LAUNCH),
            multi_device_cooperative_launch: self.has(COOPERATIVE_MULTI_DEVICE_LAUNCH),
            memory_pools: self.has(MEMORY_POOLS_SUPPORTED),
            run_time_limit: self.has(KERNEL_EXEC_TIMEOUT),
            tcc: self.has(TCC_DRIVER),
        }
    }

    fn textures(&self) -> Option<Textures> {
        Some(Textures {
            width_1d: self.optional(MAXIMUM_TEXTURE1D_WIDTH)?,
            size_2d: self.extents([MAXIMUM_TEXTURE2D_WIDTH, MAXIMUM_TEXTURE2D_HEIGHT])?,
            size_3d: self.extents([
                MAXIMUM_TEXTURE3D_WIDTH,
                MAXIMUM_TEXTURE3D_HEIGHT,
                MAXIMUM_TEXTURE3D_DEPTH,
            ])?,
            layered_1d: self
                .extents([MAXIMUM_TEXTURE1D_LAYERED_WIDTH, MAXIMUM_TEXTURE1D_LAYERED_LAYERS])?,
            layered_2d: self.extents([
                MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
                MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
                MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
            ])?,
            alignment: self.optional(TEXTURE_ALIGNMENT)?,
            pitch_alignment: self.optional(TEXTURE_PITCH_ALIGNMENT)?,
            surface_alignment: self.optional(SURFACE_ALIGNMENT)?,
        })
    }

    /// Returns the `CUcomputemode`, if it is one that CUDA still has.
    fn compute_mode(&self) -> Option<ComputeMode> {
        match self.optional(COMPUTE_MODE)? {
            0 => Some(ComputeMode::Default),
            2 => Some(ComputeMode::Prohibited),
            3 => Some(ComputeMode::ExclusiveProcess),
            _ => None,
        }
    }

    fn pci(&self) -> Option<PciAddress> {
        let [domain, bus, device] = self.extents([PCI_DOMAIN_ID, PCI_BUS_ID, PCI_DEVICE_ID])?;
        Some(PciAddress { domain, bus, device })
    }

    fn uuid(&self) -> Option<Uuid> {
        let mut bytes = [0; 16];
        // SAFETY: `bytes` takes the 16 bytes of the result.
        unsafe { self.driver.cuDeviceGetUuid_v2(&mut bytes, self.number) }?.ok()?;
        Some(Uuid(bytes))
    }
}

/// Returns the CUDA cores of a multiprocessor, as the table of arithmetic throughput in the CUDA
/// programming guide has them (32-bit floating-point add, results per clock cycle).
fn cores_per_multiprocessor(sm: u32) -> Option<u32> {
    match sm {
        75 | 80 => Some(64),
        86 | 87 | 89 | 90 | 100 | 103 | 110 | 120 | 121 => Some(128),
        _ => None,
    }
}
