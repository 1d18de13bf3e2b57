//! A kernel that can be looked at while it runs, in an order drawn from a seed.
use crate::{
    Launch, Look, Outcome, Watched,
    bytecode::{Code, Malformed},
    exec::{bound::Observation, schedule::Order},
    observe::debugger::{Watch, Watcher},
    program::run,
    translate::{self, Instrumentation},
    vector::lanes::Isa,
};
use warpwise_compiler::ir::Kernel;

/// As [`Program`](crate::Program), with steps of its own between the kernel's that tell what threads do and
/// let others have their turn. A `Program` has none, so that tracing costs nothing where nobody wants it.
#[derive(Debug)]
pub struct TracedProgram {
    kernel: Kernel,
    code: Result<Code, Malformed>,
}

impl TracedProgram {
    /// Lowers a specialized and verified kernel. What is told is what this kernel does: for what the user
    /// wrote, pass it as the front end made it.
    pub fn new(kernel: &Kernel) -> Self {
        Self {
            kernel: kernel.clone(),
            code: translate::translate(kernel, Isa::detect(), Instrumentation::Debugger),
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Runs every thread of `launch` to its end, one thread of the host doing it all, so that everything
    /// happens in the same order each time: the usual one, or one drawn from `seed`, in which blocks,
    /// warps and lanes that have parted take turns at the beginnings of bodies and before accesses to
    /// memory. Each of the `looks` is called for the lanes that it is for, at each of their instructions,
    /// and stops the launch where it breaks. It must not touch the launch's memory.
    ///
    /// # Panics
    /// If one of the `looks` does.
    pub fn run(
        &self,
        launch: &Launch<'_>,
        seed: Option<u64>,
        looks: Vec<(Watched, Box<Look<'_>>)>,
    ) -> Outcome {
        let watcher = |(watched, look)| Watcher::new(&self.kernel, watched, look);
        let watchers: Vec<_> = looks.into_iter().map(watcher).collect();
        let refs: Vec<&dyn Watch> = watchers.iter().map(|watcher| watcher as &dyn Watch).collect();
        let order = seed.map(Order::new);
        let observation = Observation { order, watchers: &refs, ..Observation::default() };
        let (outcome, _) = run(&self.code, launch, |_| Vec::new(), observation);
        watchers.into_iter().for_each(Watcher::finish);
        outcome
    }
}
