//! Tests casts of floats to `u64` in 32 bits.
//!
//! An index is often made of a float: `let k = (x * scale) as usize; if k + 1 < table.len() ..`.
//! The conversion to 64 bits has a quarter of the rate of one to 32, and comparisons and minima of
//! the result take two to four instructions where narrow numbers take one.
//!
//! An *image* of such a cast is a `u32` that compares with every number up to [`MAX_BOUND`] as the
//! cast does. It is the float cast to `u32`, which saturates as the cast to `u64` does, only
//! earlier. Sums of an image and a small constant are images of the same sums of the cast. Where
//! these may wrap, a float from 2^64 on has the largest `u32` as its image, and any other float an
//! image that stays away from it: the cast of the largest float below 2^64 wraps with none of these
//! constants.
//!
//! ```text
//! %2 = cast %0 : u64              %6 = cast %0 : u32
//! %3 = lt %2, %1 : bool           %7 = cast %1 : u32
//! if %3 {                    =>   %3 = lt %6, %7 : bool
//!   %4 = index %5, %2, 4          if %3 {
//! }                                 %8 = cast %6 : u64
//!                                   %4 = index %5, %8, 4
//!                                 }
//! ```
//!
//! Narrows a cast if an image is enough for its uses: comparisons with numbers up to the bound,
//! minima, checks of indices, casts back to the type of the float, and anything where a comparison
//! or a check before it has found the cast, or a sum of it, below such a number. Where a check
//! fails, the index is computed once more, for the report.
//!
//! Why: filtered back-projection, whose pixels interpolate between detectors, takes 371 us by LLVM
//! on an H200 instead of 406, and bilinear interpolation with clamped indices 66 instructions
//! instead of 94.
use super::{
    constant_sum::constant_sum,
    narrow_indices::{NARROW, WIDE},
    replace::Replacements,
};
use crate::{
    analysis::range::{self, Range, Ranges},
    ir::{BinaryOp, Body, CompareOp, Inst, InstId, Kernel, Op, Scalar, Ty, UnaryOp},
};
use std::collections::{HashMap, HashSet};

/// The largest number that an image compares with as its cast does.
const MAX_BOUND: i128 = 1 << 31;

/// The largest constant that is added to a cast or subtracted from it.
const MAX_OFFSET: i128 = 1 << 16;

/// The same for an `f64`, which may be 2^64 - 2048: with a larger constant its sum wraps.
const MAX_F64_OFFSET: i128 = 2047;

/// The most sums of one cast.
const MAX_SUMS: usize = 64;

/// An image of numbers above [`MAX_BOUND`]: no constant brings it there, or makes it wrap.
const LARGE: u64 = 3 << 30;

/// Narrows the casts of `kernel`, whose instructions are numbered in order; they are not
/// afterwards. Wide values that nothing uses stay behind. Returns true if it narrowed any.
pub(super) fn narrow_casts(kernel: &mut Kernel) -> bool {
    let by_id = find_sums(kernel);
    if by_id.is_empty() {
        return false;
    }
    let mut sums = Sums { by_id, ranges: range::analyze(kernel) };
    let mut uses = Uses { kernel, sums: &sums, found: CastUses::default() };
    uses.body(&kernel.body, &mut Vec::new());
    let found = uses.found;
    sums.by_id.retain(|_, sum| !found.wide.contains(&sum.cast));
    if sums.by_id.is_empty() {
        return false;
    }
    let list = std::mem::take(&mut kernel.body);
    let values = Replacements::new(kernel);
    let (sums, images, scopes) = (sums.by_id, HashMap::new(), Vec::new());
    let sums_of = group_by_cast(&sums);
    let mut walk = Walk { kernel, sums, sums_of, found, values, images, scopes };
    let list = walk.body(list);
    kernel.body = list;
    true
}

/// A cast of a float plus a constant.
#[derive(Clone, Copy)]
struct Sum {
    cast: InstId,
    constant: i128,
    /// True for the lower half of the sum, which is of use only where the upper one is 0.
    is_half: bool,
}

/// The casts of floats to `u64`, and their sums with small constants.
struct Sums {
    by_id: HashMap<InstId, Sum>,
    ranges: Ranges,
}

/// Returns the casts of floats to `u64`, and their sums with small constants.
fn find_sums(kernel: &Kernel) -> HashMap<InstId, Sum> {
    let mut by_id: HashMap<InstId, Sum> = HashMap::new();
    for (id, inst) in kernel.insts.iter() {
        if let Op::Cast { value } = inst.op {
            if inst.ty == WIDE && is_float(kernel, value) {
                by_id.insert(id, Sum { cast: id, constant: 0, is_half: false });
            } else if let Some(&sum @ Sum { is_half: false, .. }) = by_id.get(&value)
                && inst.ty == NARROW
            {
                by_id.insert(id, Sum { is_half: true, ..sum });
            }
            continue;
        }
        if inst.ty != WIDE {
            continue;
        }
        let Some((value, more)) = constant_sum(kernel, id) else { continue };
        let Some(&Sum { cast, constant, .. }) = by_id.get(&value) else { continue };
        let constant = constant + more;
        let is_f32 = kernel.insts[float_of(kernel, cast)].ty == Ty::Scalar(Scalar::F32);
        let most = if is_f32 { MAX_OFFSET } else { MAX_F64_OFFSET };
        if (-MAX_OFFSET..=most).contains(&constant) {
            by_id.insert(id, Sum { cast, constant, is_half: false });
        }
    }
    let of_casts = group_by_cast(&by_id);
    by_id.retain(|_, sum| of_casts[&sum.cast].len() <= MAX_SUMS);
    by_id
}

/// Returns the sums of each cast, in order.
fn group_by_cast(by_id: &HashMap<InstId, Sum>) -> HashMap<InstId, Vec<InstId>> {
    let mut groups: HashMap<InstId, Vec<InstId>> = HashMap::new();
    for (id, sum) in by_id {
        groups.entry(sum.cast).or_default().push(*id);
    }
    groups.values_mut().for_each(|group| group.sort_unstable());
    groups
}

/// A use of a sum for which its image serves.
#[derive(Clone, Copy)]
enum Use {
    /// A comparison or a minimum with a bound.
    Bound { bound: InstId, is_left: bool },
    /// A check against a length.
    Check { len: InstId },
    /// The number as a float of the type that was cast.
    Float { float: InstId },
}

impl Sums {
    fn is_cast(&self, id: InstId) -> bool {
        self.by_id.get(&id).is_some_and(|sum| sum.cast == id)
    }

    /// Returns the sum that `user` takes, and how, if an image serves for that.
    fn use_by(&self, kernel: &Kernel, user: InstId) -> Option<(InstId, Use)> {
        let is_sum = |id: &InstId| self.by_id.get(id).is_some_and(|sum| !sum.is_half);
        let is_bound = |id: InstId| {
            let range = self.ranges.get(kernel, id);
            !is_sum(&id) && range.is_some_and(|range| Range::new(0, MAX_BOUND).contains(range))
        };
        match kernel.insts[user].op {
            Op::Compare { lhs, rhs, .. } | Op::Binary { op: BinaryOp::Min, lhs, rhs } => {
                let is_left = is_sum(&rhs);
                let (sum, bound) = if is_left { (rhs, lhs) } else { (lhs, rhs) };
                (is_sum(&sum) && is_bound(bound)).then_some((sum, Use::Bound { bound, is_left }))
            }
            Op::Bounds { index, len } => {
                (is_sum(&index) && is_bound(len)).then_some((index, Use::Check { len }))
            }
            Op::Cast { value } => {
                let Sum { cast, constant: 0, is_half: false } = *self.by_id.get(&value)? else {
                    return None;
                };
                let float = float_of(kernel, cast);
                (kernel.insts[user].ty == kernel.insts[float].ty)
                    .then_some((value, Use::Float { float }))
            }
            _ => None,
        }
    }

    /// Returns the sums that are below a bound if `cond` is `truth`.
    fn below(&self, kernel: &Kernel, cond: InstId, truth: bool, found: &mut Vec<InstId>) {
        match kernel.insts[cond].op {
            Op::Binary { op: BinaryOp::And, lhs, rhs } if truth => {
                self.below(kernel, lhs, truth, found);
                self.below(kernel, rhs, truth, found);
            }
            Op::Binary { op: BinaryOp::Or, lhs, rhs } if !truth => {
                self.below(kernel, lhs, truth, found);
                self.below(kernel, rhs, truth, found);
            }
            Op::Unary { op: UnaryOp::Not, value } => self.below(kernel, value, !truth, found),
            Op::Compare { op, .. } => {
                let Some((sum, Use::Bound { is_left, .. })) = self.use_by(kernel, cond) else {
                    return;
                };
                let is_below = match (op, is_left) {
                    (CompareOp::Lt | CompareOp::Le, false)
                    | (CompareOp::Gt | CompareOp::Ge, true)
                    | (CompareOp::Eq, _) => truth,
                    (CompareOp::Ge | CompareOp::Gt, false)
                    | (CompareOp::Lt | CompareOp::Le, true)
                    | (CompareOp::Ne, _) => !truth,
                };
                if is_below {
                    found.push(sum);
                }
            }
            _ => {}
        }
    }
}

/// Returns true if casts of `id` are narrowed.
fn is_float(kernel: &Kernel, id: InstId) -> bool {
    matches!(kernel.insts[id].ty, Ty::Scalar(Scalar::F32 | Scalar::F64))
}

/// Returns the float that `cast` converts.
fn float_of(kernel: &Kernel, cast: InstId) -> InstId {
    let Op::Cast { value } = kernel.insts[cast].op else { unreachable!("a sum is of a cast") };
    value
}

/// Returns true for a branch that runs where a check has failed, to report it.
fn is_failure(kernel: &Kernel, then: &Body, other: &Body) -> bool {
    let is_check = |id: &InstId| matches!(kernel.insts[*id].op, Op::Bounds { .. });
    let ends = |last: &InstId| matches!(kernel.insts[*last].op, Op::Return);
    let is_leaf = |id: &InstId| kernel.insts[*id].op.is_leaf();
    then.0.is_empty()
        && other.0.last().is_some_and(ends)
        && other.0.iter().any(is_check)
        && other.0.iter().all(is_leaf)
}

/// The uses of sums, and the casts that they leave wide.
#[derive(Default)]
struct CastUses {
    /// Casts with a use for which an image does not serve.
    wide: HashSet<InstId>,
    /// Casts with a use of the image of a sum that may wrap.
    wraps: HashSet<InstId>,
    /// The sums, and their uses, of the instructions for which an image serves.
    uses: HashMap<InstId, (InstId, Use)>,
    /// The sums that are below a bound in the two bodies of an `if`.
    guards: HashMap<InstId, [Vec<InstId>; 2]>,
}

/// The search for uses.
struct Uses<'k> {
    kernel: &'k Kernel,
    sums: &'k Sums,
    found: CastUses,
}

impl Uses<'_> {
    /// Looks at the uses in `list`, where the casts in `exact` are known to be below a bound.
    fn body(&mut self, list: &Body, exact: &mut Vec<InstId>) {
        let before = exact.len();
        let cast_of = |sum: &InstId| self.sums.by_id[sum].cast;
        for &id in &list.0 {
            self.operands(id, exact);
            let op = &self.kernel.insts[id].op;
            if let Some((sum, Use::Check { .. })) = self.found.uses.get(&id) {
                exact.push(cast_of(sum));
            }
            let Op::If { cond, then, other } = op else {
                op.bodies().for_each(|inner| self.body(inner, exact));
                continue;
            };
            let guards = [true, false].map(|truth| {
                let mut found = Vec::new();
                self.sums.below(self.kernel, *cond, truth, &mut found);
                found
            });
            let fails = is_failure(self.kernel, then, other);
            if fails {
                // Casts that only the report computes stay wide.
                let casts = other.0.iter().filter(|id| self.sums.is_cast(**id));
                self.found.wide.extend(casts);
            }
            // The first body of such a branch is empty.
            let bodies = [then, other].into_iter().zip(&guards);
            for (inner, guard) in bodies.filter(|_| !fails) {
                let outside = exact.len();
                exact.extend(guard.iter().map(cast_of));
                self.body(inner, exact);
                exact.truncate(outside);
            }
            for (inner, guard) in [other, then].into_iter().zip(&guards) {
                if !self.kernel.falls_through(inner) {
                    exact.extend(guard.iter().map(cast_of));
                }
            }
            self.found.guards.insert(id, guards);
        }
        exact.truncate(before);
    }

    /// Looks at the operands of `id`.
    fn operands(&mut self, id: InstId, exact: &[InstId]) {
        if let Some((sum, used)) = self.sums.use_by(self.kernel, id) {
            let Sum { cast, constant, .. } = self.sums.by_id[&sum];
            if constant > 0 && !matches!(used, Use::Float { .. }) {
                self.found.wraps.insert(cast);
            }
            self.found.uses.insert(id, (sum, used));
            return;
        }
        if self.sums.by_id.contains_key(&id) {
            return;
        }
        for operand in self.kernel.insts[id].op.operands() {
            let Some(&Sum { cast, .. }) = self.sums.by_id.get(&operand) else { continue };
            if !exact.contains(&cast) {
                self.found.wide.insert(cast);
            }
        }
    }
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    /// The sums of the casts that are narrowed.
    sums: HashMap<InstId, Sum>,
    /// The same, by their casts.
    sums_of: HashMap<InstId, Vec<InstId>>,
    found: CastUses,
    values: Replacements,
    /// The images of sums.
    images: HashMap<InstId, InstId>,
    /// The sums that are below a bound, in each enclosing part of a body.
    scopes: Vec<HashMap<InstId, Exact>>,
}

/// The value of a sum that is below a bound.
#[derive(Clone, Copy)]
struct Exact {
    /// Of the type of the sum.
    value: InstId,
    /// In 64 bits.
    wide: InstId,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut out = Vec::with_capacity(list.0.len());
        self.rewrite_list(list, &mut out);
        Body(out)
    }

    /// Appends the rewritten instructions of `list` to `out`.
    fn rewrite_list(&mut self, list: Body, out: &mut Vec<InstId>) {
        let outside = self.scopes.len();
        for id in list.0 {
            self.values.apply(&mut self.kernel.insts[id].op);
            self.rewrite_inst(id, out);
        }
        self.scopes.truncate(outside);
    }

    fn rewrite_inst(&mut self, id: InstId, out: &mut Vec<InstId>) {
        if let Some(&sum) = self.sums.get(&id) {
            self.take_exact(id);
            out.push(id);
            if !sum.is_half {
                let image = self.image(id, sum, out);
                self.images.insert(id, image);
            }
            return;
        }
        if let Some(&(sum, used)) = self.found.uses.get(&id)
            && self.sums.contains_key(&sum)
        {
            self.narrow(id, sum, used, out);
            return;
        }
        self.take_exact(id);
        let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        if let Op::If { then, other, .. } = &mut op {
            self.bodies_of_if(id, then, other);
            self.kernel.insts[id].op = op;
            out.push(id);
            self.open_scopes_after(id, out);
            return;
        }
        for inner in op.bodies_mut() {
            *inner = self.body(std::mem::take(inner));
        }
        self.kernel.insts[id].op = op;
        out.push(id);
    }

    /// Lets `id` take the exact values of sums that are below a bound here.
    fn take_exact(&mut self, id: InstId) {
        let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
        // Addresses of neighbours have an index and constants in common, which is plain in 64 bits.
        let is_index = matches!(op, Op::Index { .. });
        for operand in op.operands_mut() {
            if let Some(Exact { value, wide }) = self.exact_value(*operand) {
                *operand = if is_index { wide } else { value };
            }
        }
        self.kernel.insts[id].op = op;
    }

    fn bodies_of_if(&mut self, id: InstId, then: &mut Body, other: &mut Body) {
        let fails = is_failure(self.kernel, then, other);
        for (at, inner) in [then, other].into_iter().enumerate() {
            let outside = self.scopes.len();
            let mut out = Vec::new();
            if at == 1 && fails {
                self.open_failure_scopes(&inner.0, &mut out);
            }
            for sum in self.guards(id)[at].clone() {
                self.open_scope(id, sum, &mut out);
            }
            self.rewrite_list(std::mem::take(inner), &mut out);
            inner.0 = out;
            self.scopes.truncate(outside);
        }
    }

    /// Opens the scopes of sums that are below a bound after the `if` that is `id`, because one of
    /// its bodies leaves.
    fn open_scopes_after(&mut self, id: InstId, out: &mut Vec<InstId>) {
        let Op::If { then, other, .. } = &self.kernel.insts[id].op else { return };
        let leaves = [other, then].map(|inner| !self.kernel.falls_through(inner));
        for (guard, leaves) in self.guards(id).into_iter().zip(leaves) {
            for sum in guard.into_iter().filter(|_| leaves) {
                self.open_scope(id, sum, out);
            }
        }
    }

    /// Returns the sums that are below a bound in the bodies of the `if` that is `id`.
    fn guards(&self, id: InstId) -> [Vec<InstId>; 2] {
        self.found.guards.get(&id).cloned().unwrap_or_default()
    }

    /// Opens a scope in which `below` is less than a bound, so that its image is its value.
    fn open_scope(&mut self, of: InstId, below: InstId, out: &mut Vec<InstId>) {
        let Some(&Sum { cast, constant, .. }) = self.sums.get(&below) else { return };
        let value = self.push(of, Op::Cast { value: self.images[&below] }, WIDE, out);
        self.open_sums(of, cast, (value, constant), out);
    }

    /// Opens a scope in which `value` is the cast plus `constant`.
    fn open_sums(
        &mut self,
        of: InstId,
        cast: InstId,
        (value, constant): (InstId, i128),
        out: &mut Vec<InstId>,
    ) {
        let mut scope = HashMap::new();
        for id in self.sums_of[&cast].clone() {
            let sum = self.sums[&id];
            let wide = match sum.constant - constant {
                0 => value,
                more => self.plus(of, value, more, WIDE, out),
            };
            let value = if sum.is_half {
                self.push(of, Op::Cast { value: wide }, NARROW, out)
            } else {
                wide
            };
            scope.insert(id, Exact { value, wide });
        }
        self.scopes.push(scope);
    }

    /// Opens scopes for the sums that the checks of a failure are about, with new casts.
    fn open_failure_scopes(&mut self, list: &[InstId], out: &mut Vec<InstId>) {
        let mut casts: Vec<InstId> = Vec::new();
        for &id in list {
            let op = &self.kernel.insts[id].op;
            casts.extend(op.operands().filter_map(|id| Some(self.sums.get(&id)?.cast)));
        }
        casts.sort_unstable();
        casts.dedup();
        for cast in casts {
            let value = self.copy(cast, out);
            self.open_sums(cast, cast, (value, 0), out);
        }
    }

    /// Appends the wide cast once more.
    fn copy(&mut self, cast: InstId, out: &mut Vec<InstId>) -> InstId {
        self.push(cast, Op::Cast { value: float_of(self.kernel, cast) }, WIDE, out)
    }

    /// Returns the value of `sum` where it is below a bound.
    fn exact_value(&self, sum: InstId) -> Option<Exact> {
        self.sums.get(&sum)?;
        self.scopes.iter().rev().find_map(|scope| scope.get(&sum).copied())
    }

    /// Appends the image of the sum `id`.
    fn image(&mut self, id: InstId, sum: Sum, out: &mut Vec<InstId>) -> InstId {
        let Sum { cast, constant, .. } = sum;
        if id != cast {
            let image = self.images[&cast];
            return if constant == 0 { image } else { self.plus(id, image, constant, NARROW, out) };
        }
        let float = float_of(self.kernel, cast);
        let narrow = self.push(id, Op::Cast { value: float }, NARROW, out);
        if !self.found.wraps.contains(&cast) {
            return narrow;
        }
        let large = self.push(id, Op::Const(LARGE), NARROW, out);
        let limited = Op::Binary { op: BinaryOp::Min, lhs: narrow, rhs: large };
        let other = self.push(id, limited, NARROW, out);
        let limit = self.two_to_64(id, float, out);
        let saturates = Op::Compare { op: CompareOp::Ge, lhs: float, rhs: limit };
        let cond = self.push(id, saturates, Scalar::Bool.into(), out);
        let then = self.push(id, Op::Const(u32::MAX.into()), NARROW, out);
        self.push(id, Op::Select { cond, then, other }, NARROW, out)
    }

    /// Appends 2^64 as a number of the type of `float`.
    fn two_to_64(&mut self, of: InstId, float: InstId, out: &mut Vec<InstId>) -> InstId {
        let ty = self.kernel.insts[float].ty;
        let limit = 2f32.powi(64);
        let bits = match ty {
            Ty::Scalar(Scalar::F32) => limit.to_bits().into(),
            _ => f64::from(limit).to_bits(),
        };
        self.push(of, Op::Const(bits), ty, out)
    }

    /// Lets `user` take the image of `sum`.
    fn narrow(&mut self, user: InstId, sum: InstId, used: Use, out: &mut Vec<InstId>) {
        match used {
            Use::Bound { bound, is_left } => {
                let image = self.images[&sum];
                let bound = self.narrow_bound(user, bound, out);
                let sides = if is_left { [bound, image] } else { [image, bound] };
                let mut op = std::mem::replace(&mut self.kernel.insts[user].op, Op::Return);
                op.operands_mut().zip(sides).for_each(|(operand, side)| *operand = side);
                if let Op::Binary { .. } = op {
                    op = Op::Cast { value: self.push(user, op, NARROW, out) };
                }
                self.kernel.insts[user].op = op;
                out.push(user);
            }
            Use::Check { len } => self.branch_instead_of_check(user, sum, len, out),
            Use::Float { float } => {
                self.kernel.insts[user].op = self.rounded(user, float, out);
                out.push(user);
            }
        }
    }

    /// Appends a branch that stands for the check of `sum`. Behind it, `sum` is below its length.
    fn branch_instead_of_check(
        &mut self,
        check: InstId,
        sum: InstId,
        len: InstId,
        out: &mut Vec<InstId>,
    ) {
        let Sum { cast, constant, .. } = self.sums[&sum];
        let (lhs, rhs) = (self.images[&sum], self.narrow_bound(check, len, out));
        let passes = Op::Compare { op: CompareOp::Lt, lhs, rhs };
        let cond = self.push(check, passes, Scalar::Bool.into(), out);
        let mut fails = Vec::new();
        let value = self.copy(cast, &mut fails);
        let index = match constant {
            0 => value,
            _ => self.plus(check, value, constant, WIDE, &mut fails),
        };
        let len = self.values.resolve(len);
        self.kernel.insts[check].op = Op::Bounds { index, len };
        fails.push(check);
        self.push(check, Op::Return, Ty::Unit, &mut fails);
        let branch = Op::If { cond, then: Body::default(), other: Body(fails) };
        self.push(check, branch, Ty::Unit, out);
        self.open_scope(check, sum, out);
        let exact = self.exact_value(sum).expect("its scope is open");
        self.values.replace(check, exact.wide);
    }

    /// Returns the cast of `float` to `u64` as a float again: what a cast to an integer saturates
    /// at are floats, and so is what is left of a float without its fraction.
    fn rounded(&mut self, of: InstId, float: InstId, out: &mut Vec<InstId>) -> Op {
        let ty = self.kernel.insts[float].ty;
        let is_whole = matches!(
            self.kernel.insts[float].op,
            Op::Unary {
                op: UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::RoundTiesEven,
                ..
            }
        );
        let whole = if is_whole {
            float
        } else {
            self.push(of, Op::Unary { op: UnaryOp::Trunc, value: float }, ty, out)
        };
        let zero = self.push(of, Op::Const(0), ty, out);
        let positive = Op::Binary { op: BinaryOp::Max, lhs: whole, rhs: zero };
        let lhs = self.push(of, positive, ty, out);
        let rhs = self.two_to_64(of, float, out);
        Op::Binary { op: BinaryOp::Min, lhs, rhs }
    }

    /// Appends `bound` in 32 bits.
    fn narrow_bound(&mut self, of: InstId, bound: InstId, out: &mut Vec<InstId>) -> InstId {
        // A check that is the bound may be a branch now.
        let value = self.values.resolve(bound);
        let op = match self.kernel.literal(value) {
            Some(bits) => Op::Const(bits),
            None => Op::Cast { value },
        };
        self.push(of, op, NARROW, out)
    }

    /// Appends `value` plus `constant`, which wraps as integers of type `ty` do.
    fn plus(
        &mut self,
        of: InstId,
        value: InstId,
        constant: i128,
        ty: Ty,
        out: &mut Vec<InstId>,
    ) -> InstId {
        let bits = if ty == NARROW { u64::from(constant as u32) } else { constant as u64 };
        let rhs = self.push(of, Op::Const(bits), ty, out);
        self.push(of, Op::Binary { op: BinaryOp::Add, lhs: value, rhs }, ty, out)
    }

    /// Appends a new instruction that stands for the source of `of`.
    fn push(&mut self, of: InstId, op: Op, ty: Ty, out: &mut Vec<InstId>) -> InstId {
        let span = self.kernel.insts[of].span;
        let id = self.kernel.insts.push(Inst { op, ty, span });
        out.push(id);
        id
    }
}
