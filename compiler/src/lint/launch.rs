//! Launch lints: faults that show only when a kernel is launched on a device.
//!
//! The runtime calls [`launched`], and writes the diagnostics to the log. The number of threads of
//! a block, the number of blocks, and the device decide whether the device has enough to do. Some
//! of this is known, and reported, when a kernel that declares its block is built.
use super::{
    Finding, Levels, Lint,
    lints::{
        low_occupancy, moderate_occupancy, partial_warps, small_grids, tail_waves, tiny_launches,
    },
};
use crate::{
    analysis::Analyses,
    back::ptx,
    diag::{Diagnostic, Level},
    hardware::occupancy::{Block, Multiprocessor, Occupancy},
    ir::{Kernel, Length, Op, Shared, SyncOp},
    target::Target,
};

/// The barriers of a block.
const MAX_BARRIERS: u32 = 16;

/// The number of launches of one kernel and geometry that counts as many.
pub const MANY_LAUNCHES: u64 = 100;

/// A launch, with its device.
#[derive(Clone, Debug)]
pub struct Launch<'k> {
    /// The launched kernel.
    pub kernel: &'k Kernel,
    /// Blocks along x, y and z; none is 0.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z; none is 0.
    pub block: [u32; 3],
    /// The number of this launch among those of this kernel and geometry, from 1. Not all are
    /// examined: the first, and the one that makes them [`MANY_LAUNCHES`].
    pub count: u64,
    /// The GPU; `None` for the interpreter, for which only block shapes are judged.
    pub gpu: Option<Gpu>,
}

/// A GPU, and the resources that a kernel takes of it.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// Its architecture.
    pub target: Target,
    /// The number of multiprocessors.
    pub multiprocessors: u64,
    /// Registers per thread, as reported by the driver's compiler.
    pub registers: u32,
    /// Bytes of shared memory per block, in total.
    pub shared: u64,
}

/// A lint, and its check of a launch.
type LaunchLint = (Lint, fn(&Launch<'_>) -> Option<Finding>);

const LAUNCH_LINTS: [LaunchLint; 6] = [
    (low_occupancy::LINT, low_occupancy::launched),
    (moderate_occupancy::LINT, moderate_occupancy::launched),
    (partial_warps::LINT, partial_warps::launched),
    (small_grids::LINT, small_grids::launched),
    (tail_waves::LINT, tail_waves::launched),
    (tiny_launches::LINT, tiny_launches::launched),
];

/// Returns the names of the lints that check launches.
pub(super) fn launch_lint_names() -> impl Iterator<Item = &'static str> {
    LAUNCH_LINTS.iter().map(|(lint, _)| lint.name)
}

/// Returns the diagnostics about `launch` of level warning or error.
pub fn launched(launch: &Launch<'_>, levels: &Levels) -> Vec<Diagnostic> {
    let mut said = Vec::new();
    for (lint, check) in LAUNCH_LINTS {
        let Some(Finding { message, span, labels, notes, help }) = check(launch) else { continue };
        let (code, level, help) = (lint.name, levels.level_of(&lint, span), Some(help));
        if level > Level::Allow {
            said.push(Diagnostic { code, level, message, span, labels, notes, help });
        }
    }
    said
}

/// The build-time check of a lint that only examines launches: finds nothing.
pub(super) fn check_nothing(_: &Kernel, _: &Analyses) -> Vec<Finding> {
    Vec::new()
}

impl Launch<'_> {
    /// Returns the number of blocks of the grid.
    pub(super) fn block_count(&self) -> u64 {
        self.grid.iter().map(|&blocks| u64::from(blocks)).product()
    }

    /// Returns the number of threads of a block.
    pub(super) fn threads_per_block(&self) -> u32 {
        self.block.iter().fold(1, |threads, &dim| threads.saturating_mul(dim))
    }

    /// Returns the occupancy of the GPU's multiprocessors; `None` if its architecture is unknown.
    pub(super) fn occupancy(&self, gpu: &Gpu) -> Option<Occupancy> {
        Multiprocessor::of(gpu.target)?.occupancy(&self.block_resources(gpu)).ok()
    }

    /// Returns the resources of a block.
    pub(super) fn block_resources(&self, gpu: &Gpu) -> Block {
        Block {
            threads: self.threads_per_block(),
            registers: Some(gpu.registers),
            shared: gpu.shared,
            barriers: barrier_count(self.kernel),
        }
    }
}

/// Returns the bytes of shared memory per block in arrays of known lengths; `None` if one of them
/// depends on a generic parameter.
pub(super) fn shared_bytes(kernel: &Kernel) -> Option<u64> {
    let known = |shared: &Shared| match &shared.len {
        Length::Fixed(len) => len.known().is_some() && shared.elem.size().is_some(),
        Length::Launch(_) => true,
    };
    let all = kernel.shared.iter().all(|(_, shared)| known(shared));
    all.then(|| ptx::block_shared_bytes(kernel))
}

/// Returns true if blocks of `kernel` wait at barriers.
pub fn has_barriers(kernel: &Kernel) -> bool {
    // The first thread initializes mbarriers, which the others wait for.
    kernel.shared.iter().any(|(_, shared)| shared.arrivals.is_some())
        || kernel.insts.iter().any(|(_, inst)| {
            matches!(
                inst.op,
                Op::Sync(SyncOp::Barrier { .. } | SyncOp::SyncGrid | SyncOp::SyncCluster)
            )
        })
}

/// Returns the number of barriers that a block of `kernel` takes: up to the highest that it names.
pub fn barrier_count(kernel: &Kernel) -> u32 {
    let named = kernel.insts.iter().filter_map(|(_, inst)| {
        let Op::Sync(SyncOp::NamedBarrier { id, .. }) = &inst.op else { return None };
        let number = id.known().and_then(|id| u32::try_from(id).ok());
        Some(number.map_or(MAX_BARRIERS, |id| (id + 1).min(MAX_BARRIERS)))
    });
    named.max().unwrap_or(0).max(has_barriers(kernel).into())
}

/// Returns `1 block`, `2 blocks`.
pub(super) fn count_of(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::Setting;

    const MEETING: &str = "kernel meeting { %0 = barrier }";
    const EMPTY: &str = "kernel empty { }";

    /// Returns the diagnostics for `grid` blocks of `threads` threads of 32 registers, with this
    /// much shared memory, on 132 multiprocessors of sm_90.
    fn on_h200(text: &str, grid: u32, threads: u32, shared: u64) -> Vec<(&'static str, String)> {
        let gpu = Gpu { target: Target::new(90), multiprocessors: 132, registers: 32, shared };
        of(text, grid, threads, Some(gpu), 1)
    }

    fn of(
        text: &str,
        grid: u32,
        threads: u32,
        gpu: Option<Gpu>,
        count: u64,
    ) -> Vec<(&'static str, String)> {
        let kernel = text.parse().unwrap();
        let (grid, block) = ([grid, 1, 1], [threads, 1, 1]);
        let launch = Launch { kernel: &kernel, grid, block, count, gpu };
        let said = launched(&launch, &Levels::default());
        said.into_iter().map(|said| (said.code, said.message)).collect()
    }

    fn one(found: &[(&'static str, String)], code: &str, message: &str) {
        assert_eq!(found, [(code, message.to_owned())]);
    }

    #[test]
    fn partial_warps_are_reported_on_any_device() {
        let message = "blocks of 100 threads leave 28 lanes of their last warp idle";
        one(&of(EMPTY, 1 << 20, 100, None, 1), "gpu_partial_warps", message);
        one(&on_h200(EMPTY, 1 << 20, 100, 0), "gpu_partial_warps", message);
        let message = "blocks of 31 threads leave 1 lane of their last warp idle";
        one(&of(EMPTY, 1, 31, None, 1), "gpu_partial_warps", message);
        assert_eq!(of(EMPTY, 1, 64, None, 1), []);
        let declared = "kernel declared { block 100, 1, 1 }";
        assert_eq!(of(declared, 1 << 20, 100, None, 1), [], "it was said when it was built");
    }

    #[test]
    fn small_grids_are_smaller_than_the_device() {
        let message = "a grid of 131 blocks leaves 1 of 132 multiprocessors idle";
        one(&on_h200(EMPTY, 131, 256, 0), "gpu_small_grids", message);
        assert_eq!(on_h200(EMPTY, 132, 256, 0), []);
        let message = "132 of 132 multiprocessors have one block of this grid of 132, and nothing to \
                       do while it waits at a barrier";
        one(&on_h200(MEETING, 132, 256, 0), "gpu_small_grids", message);
        let message = "1 of 132 multiprocessors has one block of this grid of 263, and nothing to do \
                       while it waits at a barrier";
        one(&on_h200(MEETING, 263, 256, 0), "gpu_small_grids", message);
        assert_eq!(on_h200(MEETING, 264, 256, 0), []);
        // Where only one fits, more blocks would not run beside it.
        assert_eq!(on_h200(MEETING, 132, 1024, 120 << 10), []);
    }

    #[test]
    fn tail_waves_are_those_that_cost_a_fifth() {
        // 8 blocks of 256 on each of 132.
        let wave = 1056;
        for silent in [wave - 1, wave, 2 * wave, 2 * wave - 1, 5 * wave + 1, 1690] {
            assert_eq!(on_h200(EMPTY, silent, 256, 0), [], "{silent}");
        }
        let message = "a grid of 1057 blocks is 1.00 waves of 1056 (132 multiprocessors with 8 blocks \
                       each): the last wave leaves 99 % of the device idle";
        one(&on_h200(EMPTY, wave + 1, 256, 0), "gpu_tail_waves", message);
        let message = "a grid of 1689 blocks is 1.59 waves of 1056 (132 multiprocessors with 8 blocks \
                       each): the last wave leaves 40 % of the device idle";
        one(&on_h200(EMPTY, 1689, 256, 0), "gpu_tail_waves", message);
        assert_eq!(on_h200(EMPTY, 4 * wave + 1, 256, 0).len(), 0, "4 of 5 waves are full");
        assert_eq!(on_h200(EMPTY, 3 * wave + 1, 256, 0).len(), 1);
    }

    #[test]
    fn low_occupancy_says_what_limits_it() {
        let message = "2 blocks of 64 threads run on a multiprocessor of sm_90 at the same time: 4 of \
                       its 64 warps (6 %), limited by shared memory";
        one(&on_h200(EMPTY, 1 << 20, 64, 100 << 10), "gpu_low_occupancy", message);
        assert_eq!(on_h200(EMPTY, 1 << 20, 512, 100 << 10), [], "50 % is no warning");
        let settings = vec![Setting::everywhere("gpu_moderate_occupancy", Level::Warn)];
        let levels = Levels { settings };
        let kernel = EMPTY.parse().unwrap();
        let gpu = Gpu { target: Target::new(90), multiprocessors: 132, registers: 72, shared: 0 };
        let (grid, block) = ([1 << 20, 1, 1], [256, 1, 1]);
        let launch = Launch { kernel: &kernel, grid, block, count: 1, gpu: Some(gpu) };
        let said = launched(&launch, &levels);
        assert_eq!(said.len(), 1);
        let message = "3 blocks of 256 threads run on a multiprocessor of sm_90 at the same time: 24 \
                       of its 64 warps (37 %), limited by registers";
        assert_eq!((said[0].code, said[0].message.as_str()), ("gpu_moderate_occupancy", message));
        let help = "with 40 registers a thread or fewer, 6 blocks would run: keep fewer values at a time, \
                    or smaller arrays";
        assert_eq!(said[0].help.as_deref(), Some(help));
    }

    #[test]
    fn tiny_launches_are_reported_when_there_are_many() {
        let gpu = || {
            Some(Gpu { target: Target::new(90), multiprocessors: 132, registers: 32, shared: 0 })
        };
        let tiny = |grid, count| {
            let found = of(EMPTY, grid, 32, gpu(), count);
            found.into_iter().filter(|(code, _)| *code == "gpu_tiny_launches").collect::<Vec<_>>()
        };
        let message = "100 launches of 527 warps each, on a device with 528 warp schedulers";
        one(&tiny(527, 100), "gpu_tiny_launches", message);
        assert_eq!(tiny(527, 99), []);
        assert_eq!(tiny(527, 101), []);
        assert_eq!(tiny(528, 100), []);
    }

    #[test]
    fn barriers_count_up_to_the_highest_number() {
        let count = |body: &str| {
            let kernel: Kernel = format!("kernel k {{ {body} }}").parse().expect("it is a kernel");
            barrier_count(&kernel)
        };
        assert_eq!(count(""), 0);
        assert_eq!(count("%0 = barrier !0 %1 = barrier !0"), 1);
        assert_eq!(
            count("%0 = named_barrier.sync 3, 32 !0 %1 = named_barrier.arrive 9, 64 !0"),
            10
        );
        assert_eq!(count("generic T0 = N: const u64 %0 = named_barrier.sync T0, 32 !0"), 16);
    }
}
