//! The implementation of a kernel's `occupancy(..)`, `suggest_block(..)` and
//! `max_cooperative_blocks(..)`: see [`crate::occupancy`].
use crate::{
    Device, Dims, Error, IntoDims, LaunchConfig, Result,
    error::LaunchMistake,
    launch::{bound_kernel::Bound, config::Geometry, source::Source},
    occupancy::{Block, Multiprocessor, Occupancy, SuggestedBlock},
};
use warpwise_compiler::{hardware::occupancy::WARP_THREADS, specialize::Binding};

/// A query about a kernel on a device: the blocks, and the shared memory that a launch asks for.
struct Asked<'a> {
    device: &'a Device,
    bound: &'static Bound,
    geometry: Geometry,
    /// Bytes of shared memory that a launch asks for, beyond what the kernel declares.
    dynamic: u64,
}

impl<'a> Asked<'a> {
    /// Does the checks of a launch. Without a block, blocks are the kernel's own, or else of 256
    /// threads.
    fn new(
        source: &'static Source,
        bindings: &[Binding],
        device: &'a Device,
        block: Option<Dims>,
        dynamic_shared: usize,
    ) -> Result<Self> {
        let bound = Bound::get(source, bindings, device)?;
        let refused = |mistake| Error::Launch { kernel: source.name, mistake };
        let signature = &bound.signature;
        let one = LaunchConfig::grid(1);
        let config = block.map_or(one, |block| one.block(block));
        let geometry = config.geometry(signature.block, signature.wide_index).map_err(refused)?;
        let fixed = signature.shared - signature.declared_shared;
        let dynamic = fixed.saturating_add(dynamic_shared as u64);
        let bytes = signature.declared_shared.saturating_add(dynamic);
        let limit = device.info().shared_memory_per_block;
        if bytes > limit {
            let device = device.to_string();
            return Err(refused(LaunchMistake::SharedMemory { bytes, limit, device }));
        }
        Ok(Self { device, bound, geometry, dynamic })
    }

    /// Returns the number of blocks on a multiprocessor: by the crate's formulas, which name the
    /// limits, where they know the GPU, or else by its driver.
    fn occupancy(&self) -> Result<Option<Occupancy>> {
        let shared = self.bound.signature.declared_shared + self.dynamic;
        let Some(gpu) = self.device.gpu_of_kernel(self.bound, shared)? else { return Ok(None) };
        let Some(multiprocessor) = Multiprocessor::of(gpu.target) else {
            return self.occupancy_by_driver();
        };
        let block = Block {
            threads: self.geometry.threads(),
            registers: Some(gpu.registers),
            shared,
            barriers: self.bound.signature.barriers,
        };
        let occupancy = multiprocessor.occupancy(&block);
        occupancy.map(Some).map_err(|why| self.unlaunchable(why.to_string()))
    }

    fn occupancy_by_driver(&self) -> Result<Option<Occupancy>> {
        let limits = &self.device.info().limits;
        let most_warps = limits.threads_per_multiprocessor.map(|threads| threads / WARP_THREADS);
        let threads = self.geometry.threads();
        let blocks = self.device.resident_blocks(self.bound, threads, self.dynamic)?;
        let (Some(most_warps), Some(blocks)) = (most_warps, blocks) else { return Ok(None) };
        if blocks == 0 {
            let problem = format!("a multiprocessor has no room for one of {threads} threads");
            return Err(self.unlaunchable(problem));
        }
        let warps = blocks.saturating_mul(threads.div_ceil(WARP_THREADS));
        let limiters = Vec::new();
        Ok(Some(Occupancy { blocks, warps, most_warps, limiters, registers_known: true }))
    }

    fn unlaunchable(&self, problem: String) -> Error {
        let device = self.device.to_string();
        let mistake = LaunchMistake::Unlaunchable { problem, device };
        Error::Launch { kernel: self.bound.source.name, mistake }
    }
}

/// Returns the number of blocks of a kernel that run on a multiprocessor of `device` at the same
/// time; `None` for the interpreter, which has none. The `block` is the kernel's own, where it
/// declares one.
///
/// # Errors
/// Those of a launch, although none runs; [`LaunchMistake::Unlaunchable`] if the kernel takes more
/// registers than there are for such a block.
pub fn occupancy(
    source: &'static Source,
    bindings: &[Binding],
    device: &Device,
    block: impl IntoDims,
    dynamic_shared: usize,
) -> Result<Option<Occupancy>> {
    Asked::new(source, bindings, device, Some(block.into_dims()), dynamic_shared)?.occupancy()
}

/// Returns the block with which most threads of a kernel reside on `device`: the kernel's own,
/// where it declares one; for the interpreter, to which all sizes are equal, that of launches
/// without one.
///
/// # Errors
/// As of [`occupancy`].
pub fn suggest_block(
    source: &'static Source,
    bindings: &[Binding],
    device: &Device,
    dynamic_shared: usize,
) -> Result<SuggestedBlock> {
    let asked = Asked::new(source, bindings, device, None, dynamic_shared)?;
    let Asked { bound, geometry, dynamic, .. } = asked;
    if bound.signature.block.is_none()
        && let Some((threads, blocks)) = device.suggest_block(bound, dynamic)?
    {
        if threads == 0 || blocks == 0 {
            return Err(asked.unlaunchable("a multiprocessor has no room for any".into()));
        }
        let blocks = in_whole_clusters(blocks as usize, bound);
        return Ok(SuggestedBlock { block: (threads as usize, 1, 1), blocks });
    }
    let each = asked.occupancy()?.map_or(1, |occupancy| occupancy.blocks as usize);
    let [x, y, z] = geometry.block.map(|extent| extent as usize);
    let blocks = in_whole_clusters(each.saturating_mul(device.info().multiprocessors), bound);
    Ok(SuggestedBlock { block: (x, y, z), blocks })
}

/// Rounds a number of blocks to whole clusters, of which a grid consists: down, but to one at
/// least.
fn in_whole_clusters(blocks: usize, bound: &Bound) -> usize {
    let cluster = bound.signature.cluster.map_or(1, |dims| dims.iter().product::<u32>() as usize);
    (blocks / cluster).max(1) * cluster
}

/// Returns the most blocks that a launch of a cooperative kernel on `device` may have.
///
/// # Errors
/// As of [`occupancy`].
pub fn max_cooperative_blocks(
    source: &'static Source,
    bindings: &[Binding],
    device: &Device,
    block: impl IntoDims,
    dynamic_shared: usize,
) -> Result<usize> {
    let Asked { bound, geometry, dynamic, .. } =
        Asked::new(source, bindings, device, Some(block.into_dims()), dynamic_shared)?;
    let limit = device.cooperative_limit(bound, geometry.threads(), dynamic)?;
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}
