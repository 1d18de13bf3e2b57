//! Start of worker threads: their number, and the time when they begin.
//!
//! The caller's thread begins alone. Starting a thread takes tens of microseconds, so it calls for
//! help only where the remaining work, at the pace so far, takes longer; it may find that before
//! its first block has ended. Helpers start others in turn, so that many begin nearly at once.
use super::{Grid, Worker};
use crate::exec::state_cycle::HAS_CLOCK;
use std::{
    thread::{Builder, Scope, scope},
    time::{Duration, Instant},
};

/// Time that the caller's thread works before it estimates the remaining work.
const MIN_ELAPSED: Duration = Duration::from_micros(20);

/// Steps of its first block before it reads the clock; doubled each time.
const FIRST_PAUSE_STEPS: i64 = 1 << 10;

/// The least remaining work that is worth help.
const MIN_REMAINING: Duration = Duration::from_micros(80);

impl Grid<'_> {
    /// Runs all blocks.
    pub(super) fn run(&self) {
        scope(|scope| {
            self.register_worker();
            let mut worker = Worker::new(self);
            if HAS_CLOCK && self.workers > 1 && self.blocks > 1 {
                let start = Instant::now();
                worker.pause_after = Some(FIRST_PAUSE_STEPS);
                self.catch_panics(|| {
                    while !self.is_worth_help(start.elapsed(), &worker) && worker.run_turn() {}
                });
                worker.pause_after = None;
                self.start_workers(scope, (self.workers - 1).min(self.tickets.left()));
            }
            self.catch_panics(|| worker.run_all());
            self.join_log(worker.log);
        });
    }

    /// Returns true if the remaining work takes long, estimated from the work of the only worker in
    /// `elapsed`.
    fn is_worth_help(&self, elapsed: Duration, worker: &Worker<'_, '_>) -> bool {
        if elapsed < MIN_ELAPSED {
            return false;
        }
        let left = self.tickets.left().saturating_add(worker.unstarted());
        let done = self.blocks.saturating_sub(left).max(1);
        elapsed.as_secs_f64() * left as f64 >= MIN_REMAINING.as_secs_f64() * done as f64
    }

    /// Starts `count` more workers, each of which starts half of the remaining ones. If the system
    /// gives no more threads, the existing ones do the work.
    fn start_workers<'s>(&'s self, scope: &'s Scope<'s, '_>, count: u64) {
        let mut left = count;
        while left > 0 {
            let others = (left - 1) / 2;
            self.register_worker();
            let work = move || {
                self.start_workers(scope, others);
                let mut worker = Worker::new(self);
                self.catch_panics(|| worker.run_all());
                self.join_log(worker.log);
            };
            if Builder::new().spawn_scoped(scope, work).is_err() {
                return self.unregister_worker();
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
        exec::bound::{Observation, bind, lend_memories},
        translate::{Instrumentation, translate},
        vector::lanes::Isa,
    };
    use std::num::NonZeroUsize;
    use warpwise_compiler::ir::Kernel;

    /// Each thread runs a long loop.
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

    /// Each lane leaves a loop after a number of rounds of its own, while the others may wait for
    /// it, and then runs another loop.
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

    /// Runs a kernel in two blocks of `threads` threads, with a pause of the worker after `pause`
    /// steps; returns the results and the counters.
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
        let args = [Arg::Slice { memory: &out, offset: 0, len: len as u64 }];
        let (grid, block, workers) = ([2, 1, 1], [threads, 1, 1], NonZeroUsize::MIN);
        let launch = Launch { grid, block, args: &args, workers: Some(workers), steps };
        let loans = lend_memories(&code, &launch);
        let bound = bind(&code, &launch, &loans, Vec::new(), &[], Observation::default());
        let grid = Grid::new(&code, &bound, 2, workers, steps);
        grid.register_worker();
        let mut worker = Worker::new(&grid);
        worker.pause_after = pause;
        let mut pauses = 0;
        while pause.is_some() && worker.run_turn() {
            pauses += u32::from(worker.paused.is_some());
        }
        assert!(pause.is_none() || pauses > 3, "{pauses}");
        worker.pause_after = None;
        worker.run_all();
        let mut tally = worker.log.tally;
        tally.finish();
        let counters = Counters::new(&kernel, &code.counted, tally, &launch);
        drop(loans);
        let mut left = vec![0; 4 * len];
        out.read_into(0, &mut left);
        let words = left.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
        (words.collect(), counters)
    }

    #[test]
    fn paused_blocks_continue_at_the_same_instruction() {
        for steps in [None, Some(1 << 20)] {
            let (left, _) = run(LONG, 1, steps, Some(FIRST_PAUSE_STEPS));
            let expected =
                [0_u32, 1].map(|i| (0..10_000).fold(i, |x, j| x.wrapping_mul(10_000) ^ j));
            assert_eq!(left, expected);
        }
    }

    #[test]
    fn results_do_not_depend_on_the_pauses_of_workers() {
        for steps in [None, Some(1 << 30)] {
            let (left, counters) = run(LATE, 32, steps, None);
            for pause in [1 << 3, 1 << 5] {
                assert_eq!(run(LATE, 32, steps, Some(pause)), (left.clone(), counters.clone()));
            }
        }
    }
}
