//! Programs for the debugger and for run schedules.
use crate::{
    Launch, Outcome, WatchFn, WatchedLanes,
    bytecode::{Code, Malformed},
    exec::{bound::Observation, schedule::Schedule},
    observe::debugger::{Watch, Watcher},
    program::run,
    translate::{self, Instrumentation},
    vector::lanes::Isa,
};
use warpwise_compiler::ir::Kernel;

/// A [`Program`](crate::Program) with points that report to watchers, and yields at which other
/// threads get their turn. A `Program` has neither: it runs as fast as without the feature.
#[derive(Debug)]
pub struct TracedProgram {
    kernel: Kernel,
    code: Result<Code, Malformed>,
}

impl TracedProgram {
    /// Translates a specialized and verified kernel. The watchers see this kernel: to see the
    /// kernel that the user wrote, pass it as the front end made it.
    pub fn new(kernel: &Kernel) -> Self {
        Self {
            kernel: kernel.clone(),
            code: translate::translate(kernel, Isa::detect(), Instrumentation::Debugger),
        }
    }

    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Runs every thread of `launch` to its end, in one thread of the host, so that everything
    /// happens in the same order each time: the usual order, or a schedule drawn from `seed`, in
    /// which blocks, warps and diverged lanes take turns at the beginnings of bodies and before
    /// accesses to memory. Each of the `watches` is called at each instruction of its lanes, and
    /// may stop the launch. It must not access the launch's memory.
    ///
    /// # Panics
    /// If one of the `watches` panics.
    pub fn run(
        &self,
        launch: &Launch<'_>,
        seed: Option<u64>,
        watches: Vec<(WatchedLanes, Box<WatchFn<'_>>)>,
    ) -> Outcome {
        let watcher = |(watched, watch)| Watcher::new(&self.kernel, watched, watch);
        let watchers: Vec<_> = watches.into_iter().map(watcher).collect();
        let refs: Vec<&dyn Watch> = watchers.iter().map(|watcher| watcher as &dyn Watch).collect();
        let schedule = seed.map(Schedule::new);
        let observation = Observation { schedule, watchers: &refs, ..Observation::default() };
        let (outcome, _) = run(&self.code, launch, |_| Vec::new(), observation);
        watchers.into_iter().for_each(Watcher::finish);
        outcome
    }
}
