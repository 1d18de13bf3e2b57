//! Cache operators of loads and stores, and prefetches.
use super::{Emitter, emitter::ptx};
use crate::ir::{CacheLevel, CacheOp, InstId};

/// Returns the beginning of a load from global memory, up to its type: `ld.global.cs.nc`. The
/// read-only path (`.nc`) has fewer operators; a load with another one takes the usual path.
pub fn cached_load(cache: Option<CacheOp>, read_only: bool) -> String {
    let keeps_path = match cache {
        None | Some(CacheOp::All | CacheOp::Global | CacheOp::Streaming) => true,
        Some(CacheOp::LastUse | CacheOp::Volatile | CacheOp::WriteBack | CacheOp::WriteThrough) => {
            false
        }
    };
    let path = if read_only && keeps_path { ".nc" } else { "" };
    format!("ld.global{}{path}", cache_suffix(cache))
}

/// Returns the suffix of a load or store: `.cs`.
pub fn cache_suffix(cache: Option<CacheOp>) -> String {
    cache.map_or_else(String::new, |cache| format!(".{}", cache.name()))
}

/// Returns the instruction that fetches a line of global memory.
pub const fn prefetch_instruction(level: CacheLevel) -> &'static str {
    match level {
        CacheLevel::L1 => "prefetch.global.L1",
        CacheLevel::L2 => "prefetch.global.L2",
    }
}

impl Emitter<'_> {
    /// Fetches a cache line.
    pub(super) fn prefetch(&mut self, ptr: InstId, level: CacheLevel) {
        let address = self.address(ptr);
        ptx!(self, "{} {address}", prefetch_instruction(level));
    }
}
