//! A kernel on its way to steps: rewritten, and what of the kernel that was written each of its instructions is.
//!
//! What is counted are the instructions that were written, and what is checked is told as of them. So each instruction knows
//! which one it was, those that were added are none, and where one was taken away that is counted there stays a *place*:
//! a constant that nobody uses. The head of a loop that became a `for` has no place, as there are two: before the first
//! iteration, and behind each ([`Head`]).
use super::{counted_loops::runs_through, uniformity::Uniformity};
use crate::translate::Instrumentation;
use std::cell::OnceCell;
use warpwise_compiler::{
    id::{Facts, Id},
    ir::{Inst, InstId, Kernel, Op, Scalar, Span, Ty},
};

/// A kernel and what was written.
pub(super) struct Rewritten<'k> {
    pub(super) written: &'k Kernel,
    /// Nothing as long as it is the same.
    kernel: Option<Kernel>,
    instrumentation: Instrumentation,
    /// By instruction: the one that was written. Empty as long as it is the same.
    origins: Vec<Option<InstId>>,
    /// By instruction, of a `for` that was a loop.
    heads: Vec<Option<Head>>,
    /// Of what was written.
    uniformity: OnceCell<Uniformity>,
    runs_through: OnceCell<Facts<InstId, bool>>,
}

/// What a loop began with that has become a `for`, as it was written.
#[derive(Clone, Copy)]
pub(super) struct Head {
    /// The branch that decides whether there is another iteration.
    pub(super) branch: InstId,
    /// What leaves the loop there.
    pub(super) leaves: InstId,
}

impl<'k> Rewritten<'k> {
    /// A kernel as it is written.
    pub(super) fn new(written: &'k Kernel, instrumentation: Instrumentation) -> Self {
        let (origins, heads) = (Vec::new(), Vec::new());
        let (uniformity, runs_through) = (OnceCell::new(), OnceCell::new());
        Self { written, kernel: None, instrumentation, origins, heads, uniformity, runs_through }
    }

    /// As it is now.
    pub(super) fn kernel(&self) -> &Kernel {
        self.kernel.as_ref().unwrap_or(self.written)
    }

    /// What it has become, if it is another one.
    pub(super) fn into_kernel(self) -> Option<Kernel> {
        self.kernel
    }

    /// The kernel, to be changed.
    pub(super) fn edit(&mut self) -> &mut Kernel {
        if self.kernel.is_none() {
            self.origins = self.written.insts.ids().map(Some).collect();
            self.heads = vec![None; self.origins.len()];
        }
        self.kernel.get_or_insert_with(|| self.written.clone())
    }

    /// The instruction that was written, if one was.
    pub(super) fn origin(&self, id: InstId) -> Option<InstId> {
        match &self.kernel {
            None => Some(id),
            Some(_) => self.origins.get(id.index()).copied().flatten(),
        }
    }

    /// What a `for` began with when it was a loop.
    pub(super) fn head(&self, id: InstId) -> Option<Head> {
        self.heads.get(id.index()).copied().flatten()
    }

    /// Notes what a `for` began with.
    pub(super) fn set_head(&mut self, id: InstId, head: Option<Head>) {
        self.edit();
        self.heads[id.index()] = head;
    }

    /// Whether lanes must come together and part as they do in what was written.
    pub(super) fn is_observed(&self) -> bool {
        match self.instrumentation {
            Instrumentation::Counters(_) | Instrumentation::Sanitizer => true,
            Instrumentation::None | Instrumentation::Debugger => false,
        }
    }

    /// Whether values are followed to where they came from.
    pub(super) fn is_checked(&self) -> bool {
        self.instrumentation == Instrumentation::Sanitizer
    }

    /// Whether instructions are counted where they were written.
    pub(super) fn keeps_places(&self) -> bool {
        matches!(self.instrumentation, Instrumentation::Counters(_))
    }

    /// What varied as it was written.
    pub(super) fn uniformity(&self) -> &Uniformity {
        self.uniformity.get_or_init(|| Uniformity::of(self.written))
    }

    /// True if no lane in a loop waits for others, as [it was written](runs_through).
    pub(super) fn runs_through(&self, id: InstId) -> bool {
        self.origin(id).is_some_and(|was| self.ran_through(was))
    }

    /// The same of a loop of what was written.
    pub(super) fn ran_through(&self, was: InstId) -> bool {
        self.runs_through.get_or_init(|| runs_through(self.written))[was]
    }

    /// Makes a place of an instruction.
    pub(super) fn leave_place(&mut self, id: InstId) {
        let inst = &mut self.edit().insts[id];
        *inst = place(inst.span);
    }

    /// An instruction moves elsewhere; yields the place where it is counted.
    pub(super) fn new_place(&mut self, id: InstId) -> InstId {
        let kernel = self.edit();
        let new = kernel.insts.push(place(kernel.insts[id].span));
        self.origins.resize(new.index() + 1, None);
        self.origins.swap(new.index(), id.index());
        new
    }

    /// An instruction moves elsewhere, where it is not counted.
    pub(super) fn forget_place(&mut self, id: InstId) {
        self.edit();
        self.origins[id.index()] = None;
    }

    /// Whether it is only a place.
    pub(super) fn is_place(&self, id: InstId) -> bool {
        let is_const = |kernel: &Kernel, id: InstId| matches!(kernel.insts[id].op, Op::Const(_));
        let was = self.origin(id).filter(|_| self.keeps_places());
        was.is_some_and(|was| is_const(self.kernel(), id) && !is_const(self.written, was))
    }

    /// Puts the instructions in order, behind a change.
    pub(super) fn renumber(&mut self) {
        let before = self.edit().renumber();
        let of = |old: &InstId| self.origins.get(old.index()).copied().flatten();
        let origins = before.iter().map(of).collect();
        let of = |old: &InstId| self.heads.get(old.index()).copied().flatten();
        let heads = before.iter().map(of).collect();
        (self.origins, self.heads) = (origins, heads);
    }
}

fn place(span: Span) -> Inst {
    Inst { op: Op::Const(0), ty: Ty::Scalar(Scalar::U32), span }
}
