//! Values that a kernel requires of its launches: `requires(stride == 32)`, `requires(pitch == 2 * n)`.
//!
//! ```text
//! requires(n == 2)             n is the number 2
//! requires(pitch == 2 * n)     pitch is 2 * (symbol n)
//! requires(n >= 32)            n is a symbol that is at least 32
//! ```
//! All that a launch passes gets its value here, so an access at `s[t * stride]` is one at `s[t * 32]` for every
//! analysis. A number comes from [`Launch`](crate::analysis::launch::Launch), which has the range of each parameter. An
//! equality is used in one direction: what is asked for while its own equality is being solved remains a symbol. No
//! requirement wraps, so values are those of its sums and products.
use super::{Run, Value};
use crate::{
    analysis::range,
    ir::{
        BinaryOp, Builtin, CompareOp, Extent, InstId, Kernel, Op, ParamId, ParamKind, Size,
        evaluate,
    },
};

/// Something that a launch passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passed {
    /// The value of a scalar parameter.
    Scalar(ParamId),
    /// The length of a slice.
    Length(ParamId),
}

impl Passed {
    const fn param(self) -> ParamId {
        match self {
            Self::Scalar(param) | Self::Length(param) => param,
        }
    }
}

/// The equalities of `kernel`'s requirements, each as it is written.
pub(super) fn equalities(kernel: &Kernel) -> Vec<&[Size; 2]> {
    let mut found = Vec::new();
    kernel.requires.iter().for_each(|requirement| collect(&requirement.cond, &mut found));
    found
}

fn collect<'k>(cond: &'k Size, found: &mut Vec<&'k [Size; 2]>) {
    match cond {
        Size::Compare(CompareOp::Eq, sides) => found.push(sides),
        Size::Binary(BinaryOp::And, parts) => parts.iter().for_each(|part| collect(part, found)),
        // `&&`.
        Size::Select(parts) => {
            if let [lhs, rhs, Size::Const(_, 0)] = &**parts {
                collect(lhs, found);
                collect(rhs, found);
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

impl Run<'_> {
    /// The value of what a launch passes, an integer; `id` asks for it.
    pub(super) fn passed(&mut self, id: InstId, passed: Passed) -> Value {
        if let Some((_, value)) = self.params.iter().find(|(known, _)| *known == passed) {
            return value.clone();
        }
        let range = self.launch.param(passed.param());
        let is_number = range.min == range.max;
        let solved = if is_number { None } else { self.solved(id, passed) };
        let value = solved.unwrap_or_else(|| self.of_launch(id, range));
        self.params.push((passed, value.clone()));
        value
    }

    /// The other side of an equality of which `passed` is a side.
    fn solved(&mut self, id: InstId, passed: Passed) -> Option<Value> {
        self.solving.push(passed);
        let equalities = std::mem::take(&mut self.equalities);
        let value = equalities.iter().find_map(|[lhs, rhs]| {
            if self.is(lhs, passed) {
                self.value_of(id, rhs)
            } else if self.is(rhs, passed) {
                self.value_of(id, lhs)
            } else {
                None
            }
        });
        self.equalities = equalities;
        self.solving.pop();
        value
    }

    /// True if `size` is `passed`, cast to a type that holds it or not cast at all.
    fn is(&self, size: &Size, passed: Passed) -> bool {
        match (size, passed) {
            (Size::Param(param), Passed::Scalar(of)) | (Size::Len(param), Passed::Length(of)) => {
                *param == of
            }
            (Size::Cast(to, value), _) => {
                let range = self.launch.param(passed.param());
                range::scalar_limits(*to).is_some_and(|limits| limits.contains(range))
                    && self.is(value, passed)
            }
            _ => false,
        }
    }

    /// A size as a value; `None` if it is no sum or product of what is known otherwise.
    fn value_of(&mut self, id: InstId, size: &Size) -> Option<Value> {
        match size {
            Size::Const(scalar, bits) => {
                let number = evaluate::integer(*scalar, *bits)?;
                i64::try_from(number).ok().map(Value::from)
            }
            Size::Extent(extent) => self.extent(id, extent),
            Size::Generic(generic) => self.extent(id, &Extent::Generic(*generic)),
            Size::Param(param) => {
                let ParamKind::Scalar(scalar) = self.kernel.params[*param].kind else {
                    return None;
                };
                range::scalar_limits(scalar)?;
                self.unsolved(id, Passed::Scalar(*param))
            }
            Size::Len(param) => self.unsolved(id, Passed::Length(*param)),
            Size::Builtin(Builtin::BlockDim(axis)) => {
                Some(i64::from(self.shape.dims[*axis as usize]).into())
            }
            Size::Builtin(builtin @ Builtin::GridDim(_)) => Some(self.launch_builtin(id, *builtin)),
            Size::Binary(op, parts) => {
                let [lhs, rhs] = [self.value_of(id, &parts[0])?, self.value_of(id, &parts[1])?];
                match op {
                    BinaryOp::Add => lhs.plus(&rhs),
                    BinaryOp::Sub => lhs.minus(&rhs),
                    BinaryOp::Mul => lhs.times(&rhs),
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
                let value = self.value_of(id, value)?;
                let limits = range::scalar_limits(*to)?;
                self.range(&value).is_some_and(|range| limits.contains(range)).then_some(value)
            }
            Size::Builtin(_) | Size::Unary(..) | Size::Compare(..) | Size::Select(_) => None,
        }
    }

    /// The value of `passed`, unless an equality is being solved for it.
    fn unsolved(&mut self, id: InstId, passed: Passed) -> Option<Value> {
        let op = match passed {
            Passed::Scalar(param) => Op::Param(param),
            Passed::Length(param) => Op::Len(param),
        };
        // The instruction that asks for it, for messages.
        let own = self.kernel.insts.iter().find(|(_, inst)| inst.op == op).map(|(own, _)| own);
        (!self.solving.contains(&passed)).then(|| self.passed(own.unwrap_or(id), passed))
    }
}
