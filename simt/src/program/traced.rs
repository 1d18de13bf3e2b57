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
/// threads get their turn. A `Program` has neither, so that tracing costs nothing where nobody
/// wants it.
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
    /// accesses to memory. Each of the `looks` is called for its lanes, at each of their
    /// instructions, and stops the launch where it breaks. It must not touch the launch's memory.
    ///
    /// # Panics If one of the `looks` does.
    pub fn run(
        &self,
        launch: &Launch<'_>,
        seed: Option<u64>,
        looks: Vec<(WatchedLanes, Box<WatchFn<'_>>)>,
    ) -> Outcome {
        let watcher = |(watched, look)| Watcher::new(&self.kernel, watched, look);
        let watchers: Vec<_> = looks.into_iter().map(watcher).collect();
        let refs: Vec<&dyn Watch> = watchers.iter().map(|watcher| watcher as &dyn Watch).collect();
        let schedule = seed.map(Schedule::new);
        let observation = Observation { schedule, watchers: &refs, ..Observation::default() };
        let (outcome, _) = run(&self.code, launch, |_| Vec::new(), observation);
        watchers.into_iter().for_each(Watcher::finish);
        outcome
    }
}
