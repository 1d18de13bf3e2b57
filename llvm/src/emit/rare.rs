//! Code that hardly any launch runs: it should cost what runs no registers.
//!
//! - The second version of a loop, with the checks that a guard before it decides, or with a wide
//!   counter (`optimize/version_loops/mod.rs`, `optimize/narrow_loops.rs`).
//! - The arm for warps of which some lanes are elsewhere.
//! - The loop that runs coarsened threads one by one.
//!
//! LLVM neither unrolls loops in it nor moves anything out of them. Their counters advance in a way
//! that it cannot see through: it would keep a register for each address that a loop around them
//! could advance, up to a fifth of a thread's.
use super::{
    emitter::{Effects, Emitter, line},
    value::{Type, Value},
};
use warpwise_compiler::ir::{
    Body, CompareOp, Effect, ForRange, InstId, Kernel, MatrixOp, Op, Span, VoteOp, WarpOp,
};

/// The metadata node that keeps invariants in a loop.
const KEEPS_INVARIANTS: usize = 2;
/// The metadata node that keeps a loop from being unrolled.
const KEEPS_ROUNDS: usize = 3;
/// The metadata node of the first loop that has one; those of the others follow.
const FIRST_LOOP: usize = 4;

/// A kind of loop that LLVM is told to leave as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeptLoop {
    /// Hardly any launch runs it.
    Rare,
    /// It has products of warpgroups. If a round of it were apart from the others, the sums would
    /// be defined in several places while a product is in progress, and `ptxas` would wait for
    /// each.
    Products,
}

/// True if hardly any launch runs `other`, the second arm of an `if`.
pub(super) fn is_rare_arm(kernel: &Kernel, cond: InstId, then: &Body, other: &Body) -> bool {
    !other.0.is_empty() && (is_second_version(kernel, then, other) || is_whole_warp(kernel, cond))
}

/// True if `other` is a loop of the source that `then` has, too, or all of its rounds, with what
/// computes its bounds and variables: the optimizer puts the version that all launches can run
/// there.
fn is_second_version(kernel: &Kernel, then: &Body, other: &Body) -> bool {
    let insts = &kernel.insts;
    let computes = |id: &InstId| {
        let op = &insts[*id].op;
        matches!(op, Op::Set { .. }) || op.is_leaf() && op.effect() == Effect::None
    };
    let mut others = other.0.iter().filter(|id| !computes(id));
    let (Some(&only), None) = (others.next(), others.next()) else { return false };
    let Op::For { body, .. } = &insts[only].op else { return false };
    let is_in_then = |span: Span| then.0.iter().any(|&id| insts[id].span == span);
    let is_version =
        |&id: &InstId| matches!(insts[id].op, Op::For { .. }) && insts[id].span == insts[only].span;
    let has_effect =
        |id: &&InstId| !matches!(insts[**id].op.effect(), Effect::None | Effect::Fault);
    let mut effects = body.0.iter().filter(has_effect).peekable();
    then.0.iter().any(is_version)
        || (effects.peek().is_some() && effects.all(|&id| is_in_then(insts[id].span)))
}

/// True if `cond` says that all lanes of the warp are here.
fn is_whole_warp(kernel: &Kernel, cond: InstId) -> bool {
    let op = |id: InstId| &kernel.insts[id].op;
    let Op::Compare { op: CompareOp::Eq, lhs, rhs } = *op(cond) else { return false };
    let Op::Warp(WarpOp::Vote { op: VoteOp::Ballot, value, mask: None }) = *op(lhs) else {
        return false;
    };
    matches!(op(value), Op::Const(1)) && *op(rhs) == Op::Const(u64::from(u32::MAX))
}

impl Emitter<'_> {
    /// True for a loop that hardly any launch runs.
    pub(super) fn is_rare_loop(&self, id: InstId) -> bool {
        self.is_rare || self.kernel.coarsening.is_some_and(|coarsening| coarsening.threads == id)
    }

    /// Returns the kind of a loop that LLVM leaves as it is.
    pub(super) fn kept_loop(&self, id: InstId) -> Option<KeptLoop> {
        if self.is_rare_loop(id) {
            return Some(KeptLoop::Rare);
        }
        self.has_products(id).then_some(KeptLoop::Products)
    }

    /// True if an instruction is a product of a warpgroup, or contains one.
    fn has_products(&self, id: InstId) -> bool {
        let op = &self.kernel.insts[id].op;
        let mut inside = op.bodies().flat_map(|body| &body.0);
        matches!(op, Op::Matrix(MatrixOp::Wgmma { .. })) || inside.any(|id| self.has_products(*id))
    }

    /// Returns whether a round of a rare loop follows the one of `current`, and its value.
    pub(super) fn next_rare_round(
        &mut self,
        id: InstId,
        range: &ForRange,
        current: &Value,
    ) -> (Value, Value) {
        match current.ty {
            Type::I32 | Type::I64 => {
                let hidden = self.opaque_copy(current);
                self.next_round(id, range, &hidden)
            }
            _ => self.next_round(id, range, current),
        }
    }

    /// Returns a value of 32 or 64 bits that LLVM does not know to be `value`.
    pub(super) fn opaque_copy(&mut self, value: &Value) -> Value {
        let text = format!("mov.b{} $0, $1;", value.ty.bits());
        self.asm(value.ty, &text, std::slice::from_ref(value), Effects::None)
    }

    /// Ends the block at the end of a loop with `branch`, which leads back to the first.
    pub(super) fn end_kept_loop(&mut self, kind: KeptLoop, branch: &str) {
        line!(self, "{branch}, !llvm.loop !{}", FIRST_LOOP + self.kept_loops.len());
        self.kept_loops.push(kind);
        self.open = false;
    }

    /// The metadata nodes of loops.
    pub(super) fn loop_metadata(&self) -> String {
        if self.kept_loops.is_empty() {
            return String::new();
        }
        let node = |(number, kind): (usize, &KeptLoop)| {
            let id = FIRST_LOOP + number;
            let invariants = match kind {
                KeptLoop::Rare => format!("!{KEEPS_INVARIANTS}, "),
                KeptLoop::Products => String::new(),
            };
            format!("!{id} = distinct !{{!{id}, {invariants}!{KEEPS_ROUNDS}}}\n")
        };
        let loops: String = self.kept_loops.iter().enumerate().map(node).collect();
        format!(
            "!{KEEPS_INVARIANTS} = !{{!\"llvm.licm.disable\"}}\n\
             !{KEEPS_ROUNDS} = !{{!\"llvm.loop.unroll.disable\"}}\n{loops}"
        )
    }
}
