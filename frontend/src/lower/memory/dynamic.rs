//! `shared_dyn!`: shared memory whose length the launcher computes.
//!
//! The length is emitted like any value, and the kernel has it from there. What the launcher computes is
//! made of the same instructions, followed back to what a launch knows, so that the two cannot differ.
use crate::{
    hir::Expr,
    lower::{Emit, Flow, Left, Length, Memory, Place, Value},
    types::mono::Mono,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Extent, Inst, InstId, Op, Shared, Size},
};

/// Of how many parts a length may be made.
const MOST_PARTS: usize = 200;

/// What a launch computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The length of shared memory.
    Length,
    /// A condition that the kernel requires.
    Requirement,
}

impl Purpose {
    const fn fact(self) -> &'static str {
        match self {
            Self::Length => "the launcher computes the length of `shared_dyn!`",
            Self::Requirement => "the launcher computes what `requires(..)` says",
        }
    }
}

/// What it may be made of.
const HELP: &str = "make it of constants, scalar parameters, `len()` of slice parameters, \
                    `block_dim_x()`, `grid_dim_x()` and their kin, with arithmetic and casts";

impl Emit<'_> {
    /// One array for each time that a `shared_dyn!` is emitted.
    pub(crate) fn shared_dyn(&mut self, name: &str, len: &Expr, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let Mono::Ref { to, .. } = self.mono(expr.ty, at)? else { return Err(self.bug(at)) };
        let Mono::Slice(of) = &*to else { return Err(self.bug(at)) };
        let (elem, each) = self.elements(of, at)?;
        let count = self.scalar(len)?;
        // What is wrong is reported; so is what is wrong behind it.
        let unknown = Size::Const(ir::Scalar::U64, 0);
        let size = self.known_size(count, Purpose::Length).unwrap_or(unknown);
        let size = match each {
            Extent::Const(1) => size,
            each => Size::Binary(BinaryOp::Mul, Box::new([size, Size::Extent(each)])),
        };
        let (name, span) = (name.trim_start_matches("r#").to_owned(), self.span(at));
        let shared = Shared { name, elem, len: ir::Length::Launch(size), span };
        let ptr = self.shared_at(shared, at);
        let memory = Memory { ptr, len: Some(Length::Inst(count)), scope: None };
        Ok(Value::Ref(Box::new(Place::Memory(memory))))
    }

    /// What a launch makes of an instruction.
    pub(crate) fn known_size(&mut self, id: InstId, purpose: Purpose) -> Flow<Size> {
        self.known_part(id, &mut (purpose, MOST_PARTS))
    }

    /// The same of a part of it; it has at most as many parts as are left.
    fn known_part(&mut self, id: InstId, left: &mut (Purpose, usize)) -> Flow<Size> {
        let purpose = left.0;
        let Some(rest) = left.1.checked_sub(1) else {
            return Err(self.no_size(id, purpose, "and this is too long for it"));
        };
        left.1 = rest;
        let Inst { op, ty, .. } = &self.build.kernel.insts[id];
        let ir::Ty::Scalar(ty) = *ty else {
            return Err(self.no_size(id, purpose, "and cannot know this"));
        };
        if purpose == Purpose::Requirement && self.may_be_float(ty) {
            return Err(self.no_size(
                id,
                purpose,
                "which is about integers, and this may be a float",
            ));
        }
        match *op {
            Op::Const(bits) => Ok(Size::Const(ty, bits)),
            Op::Generic(id) => Ok(Size::Generic(id)),
            Op::Param(id) => Ok(Size::Param(id)),
            Op::Len(id) => Ok(Size::Len(id)),
            Op::Builtin(builtin) if builtin.is_known_at_launch() => match ty {
                ir::Scalar::U64 => Ok(Size::Builtin(builtin)),
                ty => Ok(Size::Cast(ty, Box::new(Size::Builtin(builtin)))),
            },
            Op::Builtin(_) => {
                Err(self.no_size(id, purpose, "and this is different in each thread or block"))
            }
            Op::Unary { op, value } => Ok(Size::Unary(op, Box::new(self.known_part(value, left)?))),
            Op::Cast { value } => Ok(Size::Cast(ty, Box::new(self.known_part(value, left)?))),
            Op::Binary { op, lhs, rhs } => {
                Ok(Size::Binary(op, Box::new([self.known_part(lhs, left)?, self.known_part(rhs, left)?])))
            }
            Op::Compare { op, lhs, rhs } => {
                Ok(Size::Compare(op, Box::new([self.known_part(lhs, left)?, self.known_part(rhs, left)?])))
            }
            Op::Select { cond, then, other } => Ok(Size::Select(Box::new([
                self.known_part(cond, left)?,
                self.known_part(then, left)?,
                self.known_part(other, left)?,
            ]))),
            Op::Load { .. }
            | Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. } => {
                Err(self.no_size(id, purpose, "and cannot know what is in memory"))
            }
            Op::Get(_) => Err(self.no_size(
                id,
                purpose,
                "and cannot know the value of a variable that is set again, or that `if`, `match` or a \
                 loop chooses",
            )),
            Op::Shared(_)
            | Op::Array(_)
            | Op::Bitcast { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. }
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::Barrier { .. }
            | Op::SyncGrid
            | Op::ActiveMask
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::Reduce { .. }
            | Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => Err(self.no_size(id, purpose, "and cannot know this")),
        }
    }

    /// Whether a type is, or may turn out to be, a float.
    fn may_be_float(&self, scalar: ir::Scalar) -> bool {
        match self.bound(scalar) {
            None => scalar.is_float(),
            Some(bound) => bound != ir::Bound::Int,
        }
    }

    /// Reports that a launch does not know an instruction's value.
    fn no_size(&mut self, id: InstId, purpose: Purpose, why: &str) -> Left {
        let at = self.spans[self.build.kernel.insts[id].span.index()];
        let fact = format!("{}, {why}", purpose.fact());
        self.errors.advise(at, fact, HELP);
        Left
    }
}
