//! A kernel under rewriting, with the written instruction that each of its instructions came from.
//!
//! Counters count the instructions that were written, and checks report them. So each instruction
//! knows its origin, added instructions have none, and where a counted instruction was removed, a
//! *placeholder* remains: a constant without uses. The head of a loop that became a `for` has no
//! placeholder, because it would need two: before the first iteration, and after each ([`Head`]).
use super::{counted_loops::runs_to_completion, uniformity::Uniformity};
use crate::translate::Instrumentation;
use std::cell::OnceCell;
use warpwise_compiler::{
    id::{Facts, Id},
    ir::{Inst, InstId, Kernel, Op, Scalar, Span, Ty},
};

/// A kernel and its rewritten form.
pub(super) struct Rewritten<'k> {
    pub(super) written: &'k Kernel,
    /// The rewritten kernel; `None` while it is unchanged.
    kernel: Option<Kernel>,
    instrumentation: Instrumentation,
    /// Per instruction, its origin. Empty while the kernel is unchanged.
    origins: Vec<Option<InstId>>,
    /// Per instruction, the head of a `for` that was a loop.
    heads: Vec<Option<Head>>,
    /// Of the kernel as it was written.
    uniformity: OnceCell<Uniformity>,
    runs_to_completion: OnceCell<Facts<InstId, bool>>,
}

/// The head of a loop that has become a `for`, as it was written.
#[derive(Clone, Copy)]
pub(super) struct Head {
    /// The branch that decides on another iteration.
    pub(super) branch: InstId,
    /// The instruction that leaves the loop.
    pub(super) leaves: InstId,
}

impl<'k> Rewritten<'k> {
    /// Creates the state before the first rewrite: the kernel as it is written.
    pub(super) fn new(written: &'k Kernel, instrumentation: Instrumentation) -> Self {
        let (origins, heads) = (Vec::new(), Vec::new());
        let (uniformity, runs_to_completion) = (OnceCell::new(), OnceCell::new());
        Self {
            written,
            kernel: None,
            instrumentation,
            origins,
            heads,
            uniformity,
            runs_to_completion,
        }
    }

    /// Returns the kernel in its current form.
    pub(super) fn kernel(&self) -> &Kernel {
        self.kernel.as_ref().unwrap_or(self.written)
    }

    /// Returns the rewritten kernel, if it was changed.
    pub(super) fn into_kernel(self) -> Option<Kernel> {
        self.kernel
    }

    /// Returns the kernel for changes.
    pub(super) fn kernel_mut(&mut self) -> &mut Kernel {
        if self.kernel.is_none() {
            self.origins = self.written.insts.ids().map(Some).collect();
            self.heads = vec![None; self.origins.len()];
        }
        self.kernel.get_or_insert_with(|| self.written.clone())
    }

    /// Returns the written instruction that an instruction came from.
    pub(super) fn origin(&self, id: InstId) -> Option<InstId> {
        match &self.kernel {
            None => Some(id),
            Some(_) => self.origins.get(id.index()).copied().flatten(),
        }
    }

    /// Returns the head of a `for` that was a loop.
    pub(super) fn head(&self, id: InstId) -> Option<Head> {
        self.heads.get(id.index()).copied().flatten()
    }

    /// Sets the head of a `for`.
    pub(super) fn set_head(&mut self, id: InstId, head: Option<Head>) {
        self.kernel_mut();
        self.heads[id.index()] = head;
    }

    /// Returns true if lanes must diverge and converge as in the kernel that was written.
    pub(super) fn is_observed(&self) -> bool {
        match self.instrumentation {
            Instrumentation::Counters(_) | Instrumentation::Sanitizer => true,
            Instrumentation::None | Instrumentation::Debugger => false,
        }
    }

    /// Returns true if undefined values are tracked.
    pub(super) fn is_checked(&self) -> bool {
        self.instrumentation == Instrumentation::Sanitizer
    }

    /// Returns true if instructions are counted where they were written.
    pub(super) fn keeps_placeholders(&self) -> bool {
        matches!(self.instrumentation, Instrumentation::Counters(_))
    }

    /// Returns the uniformity of the kernel as it was written.
    pub(super) fn uniformity(&self) -> &Uniformity {
        self.uniformity.get_or_init(|| Uniformity::analyze(self.written))
    }

    /// Returns true if no lane in a loop [waits for others](runs_to_completion).
    pub(super) fn runs_to_completion(&self, id: InstId) -> bool {
        self.origin(id).is_some_and(|was| self.written_runs_to_completion(was))
    }

    /// Returns the same for a loop of the kernel as it was written.
    pub(super) fn written_runs_to_completion(&self, was: InstId) -> bool {
        self.runs_to_completion.get_or_init(|| runs_to_completion(self.written))[was]
    }

    /// Replaces an instruction by a placeholder.
    pub(super) fn leave_placeholder(&mut self, id: InstId) {
        let inst = &mut self.kernel_mut().insts[id];
        *inst = placeholder(inst.span);
    }

    /// Returns a placeholder that takes over the origin of an instruction that moves elsewhere.
    pub(super) fn move_leaving_placeholder(&mut self, id: InstId) -> InstId {
        let kernel = self.kernel_mut();
        let new = kernel.insts.push(placeholder(kernel.insts[id].span));
        self.origins.resize(new.index() + 1, None);
        self.origins.swap(new.index(), id.index());
        new
    }

    /// Removes the origin of an instruction that moves to where it is not counted.
    pub(super) fn drop_origin(&mut self, id: InstId) {
        self.kernel_mut();
        self.origins[id.index()] = None;
    }

    /// Returns true for a placeholder.
    pub(super) fn is_placeholder(&self, id: InstId) -> bool {
        let is_const = |kernel: &Kernel, id: InstId| matches!(kernel.insts[id].op, Op::Const(_));
        let was = self.origin(id).filter(|_| self.keeps_placeholders());
        was.is_some_and(|was| is_const(self.kernel(), id) && !is_const(self.written, was))
    }

    /// Renumbers the instructions in the order of the text, after a change.
    pub(super) fn renumber(&mut self) {
        let before = self.kernel_mut().renumber();
        let origin_of = |old: &InstId| self.origins.get(old.index()).copied().flatten();
        let origins = before.iter().map(origin_of).collect();
        let head_of = |old: &InstId| self.heads.get(old.index()).copied().flatten();
        let heads = before.iter().map(head_of).collect();
        (self.origins, self.heads) = (origins, heads);
    }
}

fn placeholder(span: Span) -> Inst {
    Inst { op: Op::Const(0), ty: Ty::Scalar(Scalar::U32), span }
}
