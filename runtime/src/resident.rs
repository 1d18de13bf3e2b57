//! The functions behind `occupancy(..)` and `max_cooperative_blocks(..)` of a kernel: see
//! [`crate::occupancy`].
use crate::{
    Device, Dims, Error, LaunchConfig, Result,
    error::LaunchMistake,
    kernel::{Bound, Source},
    launch::Geometry,
    occupancy::{Block, Multiprocessor, Occupancy},
};
use warpwise_compiler::specialize::Binding;

/// A kernel on a device in blocks of so many threads, with so much shared memory that its launch
/// asks for.
struct Asked {
    bound: &'static Bound,
    geometry: Geometry,
    /// Bytes of shared memory that a launch asks for, beyond what the kernel declares.
    dynamic: u64,
}

impl Asked {
    fn new(
        source: &'static Source,
        bindings: &[Binding],
        device: &Device,
        block: Dims,
        dynamic_shared: usize,
    ) -> Result<Self> {
        let bound = Bound::get(source, bindings, device)?;
        let refused = |mistake| Error::Launch { kernel: source.name, mistake };
        let signature = &bound.signature;
        let config = LaunchConfig::grid(1).block(block);
        let geometry = config.geometry(signature.block, signature.wide_index).map_err(refused)?;
        let fixed = signature.shared - signature.declared_shared;
        let dynamic = fixed.saturating_add(dynamic_shared as u64);
        let bytes = signature.declared_shared.saturating_add(dynamic);
        let limit = device.info().shared_memory_per_block;
        if bytes > limit {
            let device = device.to_string();
            return Err(refused(LaunchMistake::SharedMemory { bytes, limit, device }));
        }
        Ok(Self { bound, geometry, dynamic })
    }
}

/// Returns the number of blocks of a kernel that run on a multiprocessor of `device` at the same
/// time; `None` for the interpreter, which has none, and a GPU that is newer than this crate. The
/// `block` is the kernel's own, where it declares one.
///
/// # Errors
/// As of a launch, of which none runs; [`LaunchMistake::Unlaunchable`] if the kernel takes more
/// registers than there are for such a block.
pub fn occupancy(
    source: &'static Source,
    bindings: &[Binding],
    device: &Device,
    block: impl Into<Dims>,
    dynamic_shared: usize,
) -> Result<Option<Occupancy>> {
    let asked = Asked::new(source, bindings, device, block.into(), dynamic_shared)?;
    let shared = asked.bound.signature.declared_shared + asked.dynamic;
    let Some(gpu) = device.gpu(asked.bound, shared)? else { return Ok(None) };
    let Some(multiprocessor) = Multiprocessor::of(gpu.target) else { return Ok(None) };
    let block = Block {
        threads: asked.geometry.threads(),
        registers: Some(gpu.registers),
        shared,
        barriers: asked.bound.signature.barriers,
    };
    multiprocessor.occupancy(&block).map(Some).map_err(|why| {
        let device = device.to_string();
        let mistake = LaunchMistake::Unlaunchable { problem: why.to_string(), device };
        Error::Launch { kernel: source.name, mistake }
    })
}

/// Returns the most blocks that a launch of a cooperative kernel on `device` may have.
///
/// # Errors
/// As of [`occupancy`].
pub fn max_cooperative_blocks(
    source: &'static Source,
    bindings: &[Binding],
    device: &Device,
    block: impl Into<Dims>,
    dynamic_shared: usize,
) -> Result<usize> {
    let Asked { bound, geometry, dynamic } =
        Asked::new(source, bindings, device, block.into(), dynamic_shared)?;
    let limit = device.cooperative_limit(bound, geometry.threads(), dynamic)?;
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}
