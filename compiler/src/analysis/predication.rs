//! Branches that `ptxas` removes: it runs short arms of an `if` under a predicate.
//!
//! A warp executes such arms without a branch, so its lanes cannot diverge there, whatever the
//! condition is. Counters, lints and `explain` use this one verdict, which holds for the optimized
//! kernel. An `if` keeps its branch if
//!
//! - an arm has more than [`MAX_PREDICATED`] machine instructions besides loads from global memory,
//!   or more than [`MAX_WITH_LOADS`] with them. The first of two arms has one more, its jump over
//!   the second. Where an arm computes an address in shared memory, only the second limit applies,
//!   to both arms together;
//! - an arm has a loop, a `break`, a check that may fail, an atomic update, an operation of the
//!   warp or the block, a fence, or a quotient by anything but a constant power of two;
//! - an arm has an `if` of its own, unless that is its last instruction, has no `else`, and is
//!   predicated itself, and before it nothing is loaded or stored: both conditions become one.
//!
//! ```text
//! if tid % 2 == 0 { x[i] = 1 } else { x[i] = 2 }          @P0 STG, @!P0 STG
//! if tid % 2 == 0 { counter.fetch_add(1) }                BRA
//! ```
//! The limits are those of kernels that `ptxas` 13.0 assembled for `sm_90`; `tests/ptxas/branches`
//! compares the verdicts with machine code.
use crate::{
    id::Facts,
    ir::{BinaryOp, Body, InstId, Kernel, Op, Order, Root, Scalar, Space, Ty, UnaryOp},
};
use std::collections::{BTreeSet, HashSet};

/// The most machine instructions of an arm that runs under a predicate, besides loads from global
/// memory.
const MAX_PREDICATED: u32 = 8;
/// The most machine instructions of an arm that runs under a predicate.
const MAX_WITH_LOADS: u32 = 20;

/// The most instructions of an arm that is weighed; longer ones keep their branch.
const MAX_WEIGHED: usize = 128;

/// Finds the `if`s of an optimized kernel that run under a predicate.
pub fn analyze(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut uses = kernel.insts.facts(0_u32);
    kernel.walk(&mut |id| {
        kernel.insts[id].op.operands().for_each(|operand| uses[operand] += 1);
    });
    let mut walk =
        Walk { kernel, uses, addresses: HashSet::new(), predicated: kernel.insts.facts(false) };
    walk.visit_body(&kernel.body);
    walk.predicated
}

/// An address up to a constant: what it points into, and the variable part of its index.
type AddressBase = (Option<Root>, InstId);

struct Walk<'k> {
    kernel: &'k Kernel,
    /// The number of uses of each instruction.
    uses: Facts<InstId, u32>,
    /// The addresses that are computed before the current instruction.
    addresses: HashSet<AddressBase>,
    predicated: Facts<InstId, bool>,
}

/// The machine instructions of an arm.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// Loads from global memory.
    loads: u32,
    others: u32,
    /// True if it computes an address in shared memory that is not computed before.
    has_shared_address: bool,
}

impl Weight {
    fn total(self) -> u32 {
        self.loads.saturating_add(self.others)
    }

    /// Returns true if an arm runs under a predicate.
    fn is_short(self) -> bool {
        let is_within = self.others <= MAX_PREDICATED || self.has_shared_address;
        is_within && self.total() <= MAX_WITH_LOADS
    }
}

impl Walk<'_> {
    fn visit_body(&mut self, body: &Body) {
        // Addresses that are computed in a body are not there after it.
        let mut computed = Vec::new();
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            op.bodies().for_each(|inner| self.visit_body(inner));
            self.predicated[id] = self.is_predicated(id);
            if let Some(base) = self.address_base(id).filter(|base| self.addresses.insert(*base)) {
                computed.push(base);
            }
        }
        for base in computed {
            self.addresses.remove(&base);
        }
    }

    /// Returns true if `id` is an `if` that runs under a predicate; the verdicts on those inside it
    /// are known.
    fn is_predicated(&self, id: InstId) -> bool {
        let Op::If { then, other, .. } = &self.kernel.insts[id].op else { return false };
        if then.0.is_empty() || other.0.is_empty() {
            let arm = if then.0.is_empty() { other } else { then };
            return self.is_nested_condition(arm)
                || self.weigh(&arm.0).is_some_and(Weight::is_short);
        }
        let (Some(mut first), Some(second)) = (self.weigh(&then.0), self.weigh(&other.0)) else {
            return false;
        };
        // The jump over the second arm.
        first.others += 1;
        if first.has_shared_address || second.has_shared_address {
            return first.total() + second.total() <= MAX_WITH_LOADS;
        }
        first.is_short() && second.is_short()
    }

    /// Returns true if `arm`, the only one of an `if`, only decides if a predicated `if` runs, so
    /// that both conditions become one.
    fn is_nested_condition(&self, arm: &Body) -> bool {
        let Some((&last, before)) = arm.0.split_last() else { return false };
        let Op::If { then, other, .. } = &self.kernel.insts[last].op else { return false };
        let is_arithmetic = |&id: &InstId| {
            !matches!(
                self.kernel.insts[id].op,
                Op::Load { .. } | Op::Store { .. } | Op::AtomicLoad { .. } | Op::AtomicStore { .. }
            )
        };
        then.0.is_empty() != other.0.is_empty()
            && self.predicated[last]
            && before.iter().all(is_arithmetic)
            && self.weigh(before).is_some_and(Weight::is_short)
    }

    /// Returns the machine instructions of an arm; `None` if one of them keeps the branch around
    /// it.
    fn weigh(&self, arm: &[InstId]) -> Option<Weight> {
        let mut weight = Weight::default();
        let mut addresses = HashSet::new();
        // Instructions that are part of the one that uses them.
        let mut merged = BTreeSet::new();
        if arm.len() > MAX_WEIGHED {
            return None;
        }
        // A thread that has no more to do leaves by a predicated exit.
        let arm = if let Some((last, rest)) = arm.split_last()
            && let Op::Return = self.kernel.insts[*last].op
        {
            weight.others += 1;
            rest
        } else {
            arm
        };
        let overwritten = self.overwritten_sets(arm);
        for &id in arm.iter().rev() {
            merged.extend(self.merged_operands(id, &merged, &overwritten));
        }
        merged.extend(overwritten);
        for &id in arm.iter().filter(|id| !merged.contains(id)) {
            let op = &self.kernel.insts[id].op;
            if let Op::Load { ptr, .. } = op
                && self.kernel.space(*ptr) == Some(Space::Global)
            {
                weight.loads += 1;
            } else if let Op::Index { .. } = op {
                let is_new = self
                    .address_base(id)
                    .is_some_and(|base| !self.addresses.contains(&base) && addresses.insert(base));
                if is_new {
                    let is_shared = self.kernel.space(id) == Some(Space::Shared);
                    weight.has_shared_address |= is_shared;
                    weight.others += if is_shared { 1 } else { 2 };
                }
            } else {
                weight.others = weight.others.saturating_add(self.inst_weight(id)?);
            }
        }
        Some(weight)
    }

    /// Returns the assignments of an arm that a later one of the same arm replaces.
    fn overwritten_sets(&self, arm: &[InstId]) -> BTreeSet<InstId> {
        let mut later = BTreeSet::new();
        let mut is_later = |local| !later.insert(local);
        let is_overwritten = |id: &InstId| {
            let op = &self.kernel.insts[*id].op;
            matches!(op, Op::Set { local, .. } if is_later(*local))
        };
        arm.iter().rev().copied().filter(is_overwritten).collect()
    }

    /// Returns the operands that machine code computes in the instruction `id`: the product of a
    /// sum, the inner of two sums, and the constant that is added to an index.
    fn merged_operands(
        &self,
        id: InstId,
        merged: &BTreeSet<InstId>,
        overwritten: &BTreeSet<InstId>,
    ) -> Vec<InstId> {
        let inst = &self.kernel.insts[id];
        let sets = |value: InstId| {
            let sets_it = |id: &&InstId| {
                let op = &self.kernel.insts[**id].op;
                matches!(op, Op::Set { value: set, .. } if *set == value)
            };
            overwritten.iter().filter(sets_it).count() as u32
        };
        let is_single = |operand: &InstId| self.uses[*operand] == 1 + sets(*operand);
        if let Op::Index { index, .. } = inst.op {
            let sum = strip_bounds(self.kernel, index);
            return if is_single(&sum) && split_constant(self.kernel, sum) != sum {
                vec![sum]
            } else {
                Vec::new()
            };
        }
        let is_sum = |id: InstId| {
            matches!(self.kernel.insts[id].op, Op::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. })
        };
        let is_product =
            |id: InstId| matches!(self.kernel.insts[id].op, Op::Binary { op: BinaryOp::Mul, .. });
        let is_word = matches!(inst.ty, Ty::Scalar(Scalar::U32 | Scalar::I32));
        if !is_sum(id) || !is_word || merged.contains(&id) {
            return Vec::new();
        }
        let mut operands = inst.op.operands().filter(is_single);
        operands.find(|&operand| is_product(operand) || is_sum(operand)).into_iter().collect()
    }

    /// Returns the address of an `Op::Index` up to a constant; `None` if its index is a constant.
    fn address_base(&self, id: InstId) -> Option<AddressBase> {
        let Op::Index { index, .. } = self.kernel.insts[id].op else { return None };
        let variable = split_constant(self.kernel, strip_bounds(self.kernel, index));
        let is_constant = matches!(self.kernel.insts[variable].op, Op::Const(_));
        (!is_constant).then(|| (self.kernel.root(id), variable))
    }

    /// Returns the machine instructions that `id` becomes; `None` if it keeps a branch around it.
    fn inst_weight(&self, id: InstId) -> Option<u32> {
        let kernel = self.kernel;
        let inst = &kernel.insts[id];
        Some(match &inst.op {
            // Constants, parts of addresses, and names of values.
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Bitcast { .. }
            | Op::Get(_) => 0,
            Op::Set { value, .. } => self.move_weight(*value),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { order: Order::Relaxed, .. }
            | Op::AtomicStore { order: Order::Relaxed, .. } => 1,
            Op::Unary { op: UnaryOp::Sqrt | UnaryOp::Rsqrt, .. } => return None,
            Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, rhs, .. } => {
                is_shift(kernel, id, *rhs).then_some(1)?
            }
            Op::Binary { op: BinaryOp::Mul | BinaryOp::MulHigh, .. } if is_wide(inst.ty) => 4,
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. } => 1,
            Op::Block { body } => self.weigh(&body.0)?.total(),
            Op::MapShared { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Prefetch { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Copy(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::Sync(_)
            | Op::Matrix(_)
            | Op::Warp(_)
            | Op::Print { .. }
            | Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Panic { .. } => return None,
        })
    }

    /// Returns the machine instructions that give a variable its value: none if the one that
    /// computes it does, except for the two halves of a wide integer.
    fn move_weight(&self, value: InstId) -> u32 {
        let inst = &self.kernel.insts[value];
        if matches!(inst.op, Op::Const(_) | Op::Get(_)) {
            1
        } else if is_wide(inst.ty) {
            2
        } else {
            0
        }
    }
}

/// Returns true for a quotient or remainder of an integer by a constant power of two.
fn is_shift(kernel: &Kernel, id: InstId, divisor: InstId) -> bool {
    let is_int = matches!(kernel.insts[id].ty, Ty::Scalar(scalar) if scalar.is_int());
    is_int && matches!(kernel.insts[divisor].op, Op::Const(bits) if bits.is_power_of_two())
}

fn is_wide(ty: Ty) -> bool {
    matches!(ty, Ty::Scalar(Scalar::U64 | Scalar::I64))
}

/// Returns the index that `Op::Bounds` yields.
fn strip_bounds(kernel: &Kernel, index: InstId) -> InstId {
    if let Op::Bounds { index, .. } = kernel.insts[index].op { index } else { index }
}

/// Returns the term of a sum with a constant that is not the constant.
fn split_constant(kernel: &Kernel, sum: InstId) -> InstId {
    let Op::Binary { op: BinaryOp::Add, lhs, rhs } = kernel.insts[sum].op else { return sum };
    let is_const = |id: InstId| matches!(kernel.insts[id].op, Op::Const(_));
    match (is_const(lhs), is_const(rhs)) {
        (_, true) => lhs,
        (true, false) => rhs,
        (false, false) => sum,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the verdicts on the `if`s of a kernel, in the order of the text.
    fn verdicts(body: &str) -> Vec<bool> {
        let text = format!(
            "kernel k {{
               block 64, 1, 1
               param arg0 = x: write [u32] !0
               %0 = builtin lane_id : u32 !0
               %1 = const 2 : u32 !0
               %2 = lt %0, %1 : bool !0
               %3 = param arg0 : ptr global !0
               {body}
             }}"
        );
        let kernel: Kernel = text.parse().unwrap();
        let predicated = analyze(&kernel);
        let mut found = Vec::new();
        kernel.walk(&mut |id| {
            if let Op::If { .. } = kernel.insts[id].op {
                found.push(predicated[id]);
            }
        });
        found
    }

    /// Returns `count` stores, numbered from `first`.
    fn stores(count: usize, first: usize) -> String {
        (0..count).map(|n| format!("%{} = store %3, %1 !0\n", first + n)).collect()
    }

    #[test]
    fn eight_instructions_are_the_most() {
        let one_arm = |count| verdicts(&format!("%4 = if %2 !0 {{ {} }}", stores(count, 5)));
        assert_eq!(one_arm(8), [true]);
        assert_eq!(one_arm(9), [false]);
        let both = |first, second| {
            let (then, other) = (stores(first, 5), stores(second, 5 + first));
            verdicts(&format!("%4 = if %2 !0 {{ {then} }} else {{ {other} }}"))
        };
        assert_eq!(both(7, 8), [true]);
        assert_eq!(both(8, 1), [false]);
        assert_eq!(both(1, 9), [false]);
    }

    #[test]
    fn a_nested_condition_becomes_part_of_the_outer_one() {
        let inner = stores(2, 6);
        assert_eq!(
            verdicts(&format!("%4 = if %2 !0 {{ %5 = if %2 !0 {{ {inner} }} }}")),
            [true, true]
        );
        let with_else =
            format!("%4 = if %2 !0 {{ %5 = if %2 !0 {{ {inner} }} else {{ {} }} }}", stores(1, 8));
        assert_eq!(verdicts(&with_else), [false, true]);
        let after_a_store =
            format!("%4 = if %2 !0 {{ {} %6 = if %2 !0 {{ {} }} }}", stores(1, 5), stores(1, 7));
        assert_eq!(verdicts(&after_a_store), [false, true]);
    }

    #[test]
    fn operations_of_the_warp_keep_their_branch() {
        assert_eq!(verdicts("%4 = if %2 !0 { %5 = sync_warp !0 }"), [false]);
        assert_eq!(verdicts("%4 = if %2 !0 { %5 = fence.block !0 }"), [false]);
    }
}
