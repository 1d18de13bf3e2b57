//! Properties of devices: all that CUDA's sample `deviceQuery` shows.
//!
//! [`Device::info`](crate::Device::info) returns them. Numbers are the driver's. A property is
//! `None` where the interpreter has no such thing, and where the driver does not know it: drivers
//! that are older than a property refuse it.
//!
//! ```
//! use warpwise::Device;
//!
//! let device = Device::cpu();
//! let info = device.info();
//! assert_eq!(info.limits.warp_size, 32);
//! assert_eq!(info.limits.block, [1024, 1024, 64]);
//! assert!(info.features.cooperative_launch);
//! assert_eq!(info.clock_khz, None);
//! ```
use std::fmt;

/// The properties of a [`Device`](crate::Device).
///
/// ```
/// use warpwise::Device;
///
/// let device = Device::cpu();
/// let info = device.info();
/// println!("{}: {} multiprocessors", info.name, info.multiprocessors);
/// if let Some(pci) = info.pci {
///     println!("PCI address {pci}");
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// The GPU's name as the driver gives it, or `SIMT interpreter`.
    pub name: String,
    /// Ten times the major plus the minor number of a GPU's compute capability: 90 for an H200.
    pub sm: Option<u32>,
    /// The newest version of CUDA that a GPU's driver supports: 1000 times the major plus 10 times
    /// the minor number, 13000 for CUDA 13.0.
    pub cuda: Option<u32>,
    /// Streaming multiprocessors of a GPU; cores that the interpreter uses.
    pub multiprocessors: usize,
    /// CUDA cores of a multiprocessor: lanes for operations on `f32`, as NVIDIA documents them for
    /// the compute capability. `None` for architectures that are newer than this crate.
    pub cores_per_multiprocessor: Option<u32>,
    /// Peak clock frequency of the multiprocessors, in kHz.
    pub clock_khz: Option<u32>,
    /// Bytes of a GPU's memory.
    pub memory: Option<u64>,
    /// Most bytes of shared memory that a block can have.
    pub shared_memory_per_block: u64,
    /// Number of copies to and from the host that run at the same time as kernels.
    pub copy_engines: Option<u32>,
    /// Limits of blocks, grids and multiprocessors.
    pub limits: Limits,
    /// Memories and caches.
    pub memory_system: MemorySystem,
    /// Abilities.
    pub features: Features,
    /// Limits of textures.
    pub textures: Option<Textures>,
    /// The programs that may use the GPU.
    pub compute_mode: Option<ComputeMode>,
    /// The GPU's place on the PCI bus.
    pub pci: Option<PciAddress>,
    /// The GPU's identity, since CUDA 11.4.
    pub uuid: Option<Uuid>,
}

/// Limits of blocks, grids and multiprocessors.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Threads of a warp.
    pub warp_size: u32,
    /// Maximum number of threads of a block.
    pub threads_per_block: u32,
    /// Maximum number of threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Maximum number of blocks of a grid along x, y and z.
    pub grid: [u32; 3],
    /// Maximum number of threads that reside on a multiprocessor.
    pub threads_per_multiprocessor: Option<u32>,
    /// Maximum number of blocks that reside on a multiprocessor, since CUDA 11.0.
    pub blocks_per_multiprocessor: Option<u32>,
    /// Maximum number of 32-bit registers of a block.
    pub registers_per_block: Option<u32>,
    /// Number of 32-bit registers of a multiprocessor.
    pub registers_per_multiprocessor: Option<u32>,
}

/// Memories and caches of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemorySystem {
    /// Peak clock frequency of the memory, in kHz.
    pub clock_khz: Option<u32>,
    /// Width of the memory's bus, in bits.
    pub bus_bits: Option<u32>,
    /// Bytes of the L2 cache.
    pub l2_bytes: Option<u64>,
    /// Bytes of constant memory.
    pub constant_bytes: Option<u64>,
    /// Most bytes of shared memory of a block that does not ask for more. Warpwise asks for what
    /// kernels take, so the limit is [`DeviceInfo::shared_memory_per_block`].
    pub default_shared_bytes_per_block: Option<u64>,
    /// Bytes of shared memory that the system takes for each block, since CUDA 11.1.
    pub reserved_shared_bytes_per_block: Option<u64>,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_bytes_per_multiprocessor: Option<u64>,
    /// Maximum pitch of copies of rows, in bytes.
    pub max_pitch: Option<u64>,
    /// True if errors in the memory are detected and corrected.
    pub ecc: Option<bool>,
}

/// Abilities of a device; false, too, where the driver does not know the ability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Features {
    /// Kernels of different streams can run at the same time.
    pub concurrent_kernels: bool,
    /// The device's memory is the host's.
    pub integrated: bool,
    /// Kernels can access page-locked memory of the host.
    pub host_memory_mapping: bool,
    /// The device and the host share one address space.
    pub unified_addressing: bool,
    /// Memory can move between device and host when it is accessed.
    pub managed_memory: bool,
    /// A running kernel can be interrupted for another one.
    pub compute_preemption: bool,
    /// [Cooperative kernels](crate::grid::sync) run.
    pub cooperative_launch: bool,
    /// Cooperative kernels can run on several devices, which CUDA calls deprecated.
    pub multi_device_cooperative_launch: bool,
    /// Buffers are allocated and freed in the order of a stream.
    pub memory_pools: bool,
    /// The system stops kernels that run for too long, as it does on GPUs with a display.
    pub run_time_limit: bool,
    /// The driver runs without a display, in the TCC mode of Windows.
    pub tcc: bool,
}

/// Limits of textures, in elements, and of their alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Textures {
    /// Maximum width of a texture of one dimension.
    pub width_1d: u32,
    /// Maximum width and height of a texture of two dimensions.
    pub size_2d: [u32; 2],
    /// Maximum width, height and depth of a texture of three dimensions.
    pub size_3d: [u32; 3],
    /// Maximum width and number of layers of one dimension.
    pub layered_1d: [u32; 2],
    /// Maximum width, height and number of layers of two dimensions.
    pub layered_2d: [u32; 3],
    /// Alignment of textures, in bytes.
    pub alignment: u32,
    /// Alignment of the pitch of textures, in bytes.
    pub pitch_alignment: u32,
    /// Alignment of surfaces, in bytes.
    pub surface_alignment: u32,
}

/// The programs that may use a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ComputeMode {
    /// Any number of programs.
    Default,
    /// No program.
    Prohibited,
    /// One program at a time.
    ExclusiveProcess,
}

impl fmt::Display for ComputeMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Default => "default",
            Self::Prohibited => "prohibited",
            Self::ExclusiveProcess => "exclusive process",
        })
    }
}

/// A place on the PCI bus. `Display` prints `0000:65:00`, the beginning of what `lspci -D` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "self-describing")]
pub struct PciAddress {
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}", self.domain, self.bus, self.device)
    }
}

/// The identity of a GPU, the same in all programs and after restarts. `Display` prints it in
/// groups, as `nvidia-smi -L` does after `GPU-` or `MIG-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uuid(pub [u8; 16]);

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, byte) in self.0.iter().enumerate() {
            let separator = if matches!(i, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{separator}{byte:02x}")?;
        }
        Ok(())
    }
}

/// Bytes of a GPU's memory, from [`Device::memory_info`](crate::Device::memory_info).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Bytes that no program uses. The driver may keep those of dropped buffers until the next
    /// [`Device::synchronize`](crate::Device::synchronize).
    pub free: u64,
    /// Bytes that programs can use.
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_print_as_in_other_tools() {
        let pci = PciAddress { domain: 0, bus: 0x65, device: 0 };
        assert_eq!(pci.to_string(), "0000:65:00");
        let uuid = Uuid(std::array::from_fn(|i| 0x11 * i as u8));
        assert_eq!(uuid.to_string(), "00112233-4455-6677-8899-aabbccddeeff");
    }
}
