//! Values that a kernel requires of its launches: `requires(stride == 32)`,
//! `requires(pitch == 2 * n)`.
//!
//! ```text
//! requires(n == 2)             n is the number 2
//! requires(pitch == 2 * n)     pitch is 2 * (symbol n)
//! requires(n >= 32)            n is a symbol that is at least 32
//! ```
//! Everything that a launch passes gets its value here, so an access at `s[t * stride]` is one at
//! `s[t * 32]` for every analysis. A number comes from
//! [`LaunchRanges`](crate::analysis::launch::LaunchRanges), which has the range of each parameter.
//! An equality is used in one direction: a parameter that is asked for while its own equality is
//! being solved remains a symbol. No requirement wraps, so the values are exact sums and products.
use super::{Executor, SymbolicSum};
use crate::{
    analysis::range,
    ir::{
        BinaryOp, Builtin, CompareOp, Extent, InstId, Kernel, Op, ParamId, ParamKind, Size,
        evaluate,
    },
};

/// An argument that a launch passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// The value of a scalar parameter.
    Scalar(ParamId),
    /// The length of a slice.
    Length(ParamId),
}

impl Argument {
    const fn param(self) -> ParamId {
        match self {
            Self::Scalar(param) | Self::Length(param) => param,
        }
    }
}

/// Returns the equalities among `kernel`'s requirements, each as it is written.
pub(super) fn required_equalities(kernel: &Kernel) -> Vec<&[Size; 2]> {
    let mut found = Vec::new();
    kernel
        .requires
        .iter()
        .for_each(|requirement| collect_equalities(&requirement.cond, &mut found));
    found
}

fn collect_equalities<'k>(cond: &'k Size, found: &mut Vec<&'k [Size; 2]>) {
    match cond {
        Size::Compare(CompareOp::Eq, sides) => found.push(sides),
        Size::Binary(BinaryOp::And, parts) => {
            parts.iter().for_each(|part| collect_equalities(part, found))
        }
        // `&&`.
        Size::Select(parts) => {
            if let [lhs, rhs, Size::Const(_, 0)] = &**parts {
                collect_equalities(lhs, found);
                collect_equalities(rhs, found);
            }
        }
        Size::Const(..)
        | Size::Extent(_)
        | Size::Generic(_)
        | Size::Param(_)
        | Size::Len(_)
        | Size::Builtin(_)
        | Size::Unary(..)
        | Size::Binary(..)
        | Size::Compare(..)
        | Size::Cast(..) => {}
    }
}

impl Executor<'_> {
    /// Returns the value of an argument, an integer; `id` is the instruction that reads it.
    pub(super) fn argument_value(&mut self, id: InstId, passed: Argument) -> SymbolicSum {
        if let Some((_, value)) = self.params.iter().find(|(known, _)| *known == passed) {
            return value.clone();
        }
        let range = self.launch.param(passed.param());
        let is_number = range.min == range.max;
        let solved = if is_number { None } else { self.solve_argument(id, passed) };
        let value = solved.unwrap_or_else(|| self.launch_symbol(id, range));
        self.params.push((passed, value.clone()));
        value
    }

    /// Returns the other side of an equality that has `passed` as a side.
    fn solve_argument(&mut self, id: InstId, passed: Argument) -> Option<SymbolicSum> {
        self.solving_for.push(passed);
        let equalities = std::mem::take(&mut self.equalities);
        let value = equalities.iter().find_map(|[lhs, rhs]| {
            if self.is_argument(lhs, passed) {
                self.size_value(id, rhs)
            } else if self.is_argument(rhs, passed) {
                self.size_value(id, lhs)
            } else {
                None
            }
        });
        self.equalities = equalities;
        self.solving_for.pop();
        value
    }

    /// Returns true if `size` is `passed`, possibly cast to a type that holds it.
    fn is_argument(&self, size: &Size, passed: Argument) -> bool {
        match (size, passed) {
            (Size::Param(param), Argument::Scalar(of))
            | (Size::Len(param), Argument::Length(of)) => *param == of,
            (Size::Cast(to, value), _) => {
                let range = self.launch.param(passed.param());
                range::scalar_limits(*to).is_some_and(|limits| limits.contains(range))
                    && self.is_argument(value, passed)
            }
            _ => false,
        }
    }

    /// Returns a size as a sum of symbols; `None` if it is not a sum or product of known values.
    fn size_value(&mut self, id: InstId, size: &Size) -> Option<SymbolicSum> {
        match size {
            Size::Const(scalar, bits) => {
                let number = evaluate::integer(*scalar, *bits)?;
                i64::try_from(number).ok().map(SymbolicSum::from)
            }
            Size::Extent(extent) => self.extent_value(id, extent),
            Size::Generic(generic) => self.extent_value(id, &Extent::Generic(*generic)),
            Size::Param(param) => {
                let ParamKind::Scalar(scalar) = self.kernel.params[*param].kind else {
                    return None;
                };
                range::scalar_limits(scalar)?;
                self.argument_unless_solving(id, Argument::Scalar(*param))
            }
            Size::Len(param) => self.argument_unless_solving(id, Argument::Length(*param)),
            Size::Builtin(Builtin::BlockDim(axis)) => {
                Some(i64::from(self.shape.dims[*axis as usize]).into())
            }
            Size::Builtin(builtin @ Builtin::GridDim(_)) => Some(self.launch_builtin(id, *builtin)),
            Size::Binary(op, parts) => {
                let [lhs, rhs] = [self.size_value(id, &parts[0])?, self.size_value(id, &parts[1])?];
                match op {
                    BinaryOp::Add => lhs.checked_add(&rhs),
                    BinaryOp::Sub => lhs.checked_sub(&rhs),
                    BinaryOp::Mul => lhs.checked_mul(&rhs),
                    BinaryOp::Div
                    | BinaryOp::Rem
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::MulHigh
                    | BinaryOp::RotateLeft => None,
                }
            }
            Size::Cast(to, value) => {
                let value = self.size_value(id, value)?;
                let limits = range::scalar_limits(*to)?;
                self.sum_range(&value).is_some_and(|range| limits.contains(range)).then_some(value)
            }
            Size::Builtin(_) | Size::Unary(..) | Size::Compare(..) | Size::Select(_) => None,
        }
    }

    /// Returns the value of `passed`, unless an equality is being solved for it.
    fn argument_unless_solving(&mut self, id: InstId, passed: Argument) -> Option<SymbolicSum> {
        let op = match passed {
            Argument::Scalar(param) => Op::Param(param),
            Argument::Length(param) => Op::Len(param),
        };
        // The instruction that reads it, for messages.
        let own = self.kernel.insts.iter().find(|(_, inst)| inst.op == op).map(|(own, _)| own);
        (!self.solving_for.contains(&passed))
            .then(|| self.argument_value(own.unwrap_or(id), passed))
    }
}
