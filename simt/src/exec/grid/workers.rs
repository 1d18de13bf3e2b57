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
        Arg, Counters, Launch, Memory,
        bytecode::Requests,
        exec::bound::{Observation, bind, lend},
        translate::{Instrumentation, translate},
        vector::lanes::Isa,
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

    /// Each lane leaves a loop after rounds of its own, while the others may wait for it, and then goes round another one.
    const LATE: &str = "kernel k {
        param arg0 = out: atomic [u32] !0
        local $0 = x: u32 !0
        local $1 = y: u32 !0
        %0 = param arg0 : ptr global !0
        %1 = builtin global_idx.x : u32 !0
        %2 = builtin lane_id : u32 !0
        %3 = const 0 : u32 !0
        %4 = const 1 : u32 !0
        %5 = const 100 : u32 !0
        %6 = mul %2, %5 : u32 !0
        %7 = index %0, %1, 4 : ptr global !0
        %8 = set $0, %3 !0
        %9 = loop !0 {
            %10 = get $0 : u32 !0
            %11 = eq %10, %6 : bool !0
            %12 = if %11 !0 {
                %13 = break %9 !0
            }
            %14 = atomic.add.relaxed.device %7, %10 : u32 !0
            %15 = add %10, %4 : u32 !0
            %16 = set $0, %15 !0
        }
        %17 = for %3, %5, step %4 : u32 !0 {
            %18 = atomic.add.relaxed.device %7, %17 : u32 !0
        }
    }";

    /// What a kernel leaves in two blocks of so many threads, and its counters; after such pauses, too.
    fn run(
        kernel: &str,
        threads: u32,
        steps: Option<u64>,
        pause: Option<i64>,
    ) -> (Vec<u32>, Counters) {
        let kernel: Kernel = kernel.parse().unwrap();
        let code = translate(&kernel, Isa::detect(), Instrumentation::Counters(Requests::Scalars))
            .unwrap();
        let len = 2 * threads as usize;
        let out = Memory::zeroed(4 * len);
        let args = [Arg::Slice { memory: &out, len: len as u64 }];
        let (grid, block, workers) = ([2, 1, 1], [threads, 1, 1], NonZeroUsize::MIN);
        let launch = Launch { grid, block, args: &args, workers: Some(workers), steps };
        let loans = lend(&code, &launch).unwrap();
        let bound = bind(&code, &launch, &loans, Vec::new(), &[], Observation::default());
        let grid = Grid::new(&code, &bound, 2, workers, steps);
        grid.come();
        let mut worker = Worker::new(&grid);
        worker.pause = pause;
        let mut pauses = 0;
        while pause.is_some() && worker.turn() {
            pauses += u32::from(worker.paused.is_some());
        }
        assert!(pause.is_none() || pauses > 3, "{pauses}");
        worker.pause = None;
        worker.work();
        let mut tally = worker.log.tally;
        tally.finish();
        let counters = Counters::new(&kernel, &code.counted, tally);
        drop(loans);
        let mut left = vec![0; 4 * len];
        out.read_into(0, &mut left);
        let words = left.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        (words.collect(), counters)
    }

    #[test]
    fn a_worker_that_looks_around_leaves_a_block_in_the_middle_and_goes_on_there() {
        for steps in [None, Some(1 << 20)] {
            let (left, _) = run(LONG, 1, steps, Some(STEPS));
            let expected =
                [0_u32, 1].map(|i| (0..10_000).fold(i, |x, j| x.wrapping_mul(10_000) ^ j));
            assert_eq!(left, expected);
        }
    }

    #[test]
    fn who_waits_for_whom_does_not_depend_on_when_a_worker_looks_around() {
        for steps in [None, Some(1 << 30)] {
            let (left, counters) = run(LATE, 32, steps, None);
            for pause in [1 << 3, 1 << 5] {
                assert_eq!(run(LATE, 32, steps, Some(pause)), (left.clone(), counters.clone()));
            }
        }
    }
}
