//! How many threads of the host run a launch, and when they begin.
//!
//! The caller's thread begins alone. To start a thread takes tens of microseconds, so it asks for help only where what is
//! left, at the pace so far, takes longer, which may be so long before its first block has ended. Those that come start
//! others in turn, so that many begin nearly at once.
use super::{Grid, Worker};
use std::{
    thread::{Builder, Scope, scope},
    time::{Duration, Instant},
};

/// How long the caller's thread runs blocks before it asks how much is left.
const SOON: Duration = Duration::from_micros(20);

/// After how many steps of its first block it looks at the clock, and then each time after twice as many.
const STEPS: i64 = 1 << 10;

/// What is worth help.
const WORTH: Duration = Duration::from_micros(80);

impl Grid<'_> {
    /// Runs all blocks.
    pub(super) fn run(&self) {
        scope(|scope| {
            self.come();
            let mut worker = Worker::new(self);
            if self.workers > 1 && self.blocks > 1 {
                let start = Instant::now();
                worker.pause = Some(STEPS);
                self.guard(
                    || {
                        while !self.is_worth_help(start.elapsed(), &worker) && worker.turn() {}
                    },
                );
                worker.pause = None;
                self.call(scope, (self.workers - 1).min(self.tickets.left()));
            }
            self.guard(|| worker.work());
            self.join(worker.log);
        });
    }

    /// Whether what is left takes long, after what was done in so much time by the only worker.
    fn is_worth_help(&self, elapsed: Duration, worker: &Worker<'_, '_>) -> bool {
        if elapsed < SOON {
            return false;
        }
        let left = self.tickets.left().saturating_add(worker.untouched());
        let done = self.blocks.saturating_sub(left).max(1);
        elapsed.as_secs_f64() * left as f64 >= WORTH.as_secs_f64() * done as f64
    }

    /// Starts so many more workers, each of which starts half of those that are left. Where the system gives no more threads,
    /// those that there are do the work.
    fn call<'s>(&'s self, scope: &'s Scope<'s, '_>, count: u64) {
        let mut left = count;
        while left > 0 {
            let others = (left - 1) / 2;
            self.come();
            let work = move || {
                self.call(scope, others);
                let mut worker = Worker::new(self);
                self.guard(|| worker.work());
                self.join(worker.log);
            };
            if Builder::new().spawn_scoped(scope, work).is_err() {
                return self.go();
            }
            left -= 1 + others;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Arg, Launch, Memory,
        bound::{bind, lend},
        lanes::Isa,
        lower::{Added, lower},
        traced::Observation,
    };
    use std::num::NonZeroUsize;
    use warpwise_compiler::ir::Kernel;

    /// Each thread goes round a loop often.
    const LONG: &str = "kernel k {
        param arg0 = out: write [u32] !0
        local $0 = x: u32 !0
        %0 = param arg0 : ptr global !0
        %1 = builtin global_idx.x : u32 !0
        %2 = index %0, %1, 4 : ptr global !0
        %3 = const 0 : u32 !0
        %4 = const 1 : u32 !0
        %5 = const 10000 : u32 !0
        %6 = set $0, %1 !0
        %7 = for %3, %5, step %4 : u32 !0 {
            %8 = get $0 : u32 !0
            %9 = mul %8, %5 : u32 !0
            %10 = xor %9, %7 : u32 !0
            %11 = set $0, %10 !0
        }
        %12 = get $0 : u32 !0
        %13 = store %2, %12 !0
    }";

    #[test]
    fn a_worker_that_looks_around_leaves_a_block_in_the_middle_and_goes_on_there() {
        let kernel: Kernel = LONG.parse().unwrap();
        let code = lower(&kernel, Isa::detect(), Added::Nothing).unwrap();
        let out = Memory::zeroed(2 * 4);
        let args = [Arg::Slice { memory: &out, len: 2 }];
        for steps in [None, Some(1 << 20)] {
            let (grid, block, workers) = ([2, 1, 1], [1, 1, 1], NonZeroUsize::MIN);
            let launch = Launch { grid, block, args: &args, workers: Some(workers), steps };
            let loans = lend(&code, &launch).unwrap();
            let bound = bind(&code, &launch, &loans, Vec::new(), &[], Observation::default());
            let grid = Grid::new(&code, &bound, 2, workers, steps);
            grid.come();
            let mut worker = Worker::new(&grid);
            worker.pause = Some(STEPS);
            let mut pauses = 0;
            while grid.tickets.left() == 1 || pauses == 0 {
                assert!(worker.turn());
                pauses += u32::from(worker.paused.is_some());
            }
            assert!(pauses > 3, "{pauses}");
            worker.pause = None;
            worker.work();
            drop(loans);
            let mut left = [0; 8];
            out.read_into(0, &mut left);
            let expected =
                [0_u32, 1].map(|i| (0..10_000).fold(i, |x, j| x.wrapping_mul(10_000) ^ j));
            assert_eq!(left, expected.map(u32::to_le_bytes).concat()[..]);
        }
    }
}
