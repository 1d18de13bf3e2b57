//! A kernel that can be run.
use crate::{
    Launch, Outcome,
    code::{Code, Malformed},
    grid,
    lanes::Isa,
    lower,
    outcome::Stopped,
};
use warpwise_compiler::ir::Kernel;

/// A kernel, lowered for execution; runs any number of times, also at once.
#[derive(Debug)]
pub struct Program {
    code: Result<Code, Malformed>,
}

impl Program {
    /// Lowers a specialized and verified kernel, optimized or not.
    pub fn new(kernel: &Kernel) -> Self {
        Self::for_isa(kernel, Isa::detect())
    }

    /// As [`new`](Self::new), with the host's instructions that `isa` names.
    pub(crate) fn for_isa(kernel: &Kernel, isa: Isa) -> Self {
        Self { code: lower::lower(kernel, isa) }
    }

    /// Runs every thread of `launch` to its end.
    ///
    /// Blocks start in the order of their numbers, x fastest, and each makes progress
    /// whatever the others wait for, with one worker too. Without data races the
    /// result is the same every time; floats that blocks add up atomically are added
    /// in the order in which the blocks come, which varies with more than one worker.
    pub fn run(&self, launch: &Launch<'_>) -> Outcome {
        match &self.code {
            Ok(code) => grid::run(code, launch),
            Err(Malformed { message, span }) => Outcome {
                stopped: Some(Stopped::Malformed { message: message.clone(), span: Some(*span) }),
                ..Outcome::default()
            },
        }
    }
}
