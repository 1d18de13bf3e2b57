//! `shared_dyn!`: shared memory whose length the launcher computes.
//!
//! The length is lowered like any value, and the kernel uses that value. The launcher evaluates the
//! same instructions, traced back to values that a launch knows, so that the two cannot differ.
use crate::{
    hir::Expr,
    lower::{Diverged, Flow, Length, Lowerer, Memory, Place, Value},
    types::mono::Mono,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Extent, Inst, InstId, Op, Shared, Size},
};

/// Limit on the terms of a length or requirement.
const MAX_SIZE_TERMS: usize = 200;

/// Purpose of a value that the launcher computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Length of shared memory.
    Length,
    /// Condition that the kernel requires.
    Requirement,
}

impl Purpose {
    const fn explanation(self) -> &'static str {
        match self {
            Self::Length => "the launcher computes the length of `shared_dyn!`",
            Self::Requirement => "the launcher computes what `requires(..)` says",
        }
    }
}

/// Help that lists the permitted operands.
const OPERANDS_HELP: &str = "make it of constants, scalar parameters, `len()` of slice parameters, \
                    `block_dim_x()`, `grid_dim_x()` and their kin, with arithmetic and casts";

impl Lowerer<'_> {
    /// Lowers `shared_dyn!`: declares one array for each expansion in a call.
    pub(crate) fn lower_shared_dyn(&mut self, name: &str, len: &Expr, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let Mono::Ref { to, .. } = self.mono_type(expr.ty, at)? else {
            return Err(self.report_bug(at));
        };
        let Mono::Slice(elem) = &*to else { return Err(self.report_bug(at)) };
        self.check_no_mbarrier(elem, at)?;
        let (elem, each) = self.array_elements(elem, at)?;
        let count = self.lower_scalar(len)?;
        // The error is reported already; continue to find errors in the code that follows.
        let unknown = Size::Const(ir::Scalar::U64, 0);
        let size = self.launch_size(count, Purpose::Length).unwrap_or(unknown);
        let size = match each {
            Extent::Const(1) => size,
            each => Size::Binary(BinaryOp::Mul, Box::new([size, Size::Extent(each)])),
        };
        let (name, span) = (name.trim_start_matches("r#").to_owned(), self.ir_span(at));
        let len = ir::Length::Launch(size);
        let shared = Shared { name, elem, len, arrivals: None, span };
        let ptr = self.intern_shared(shared, at);
        let memory = Memory { len: Some(Length::Inst(count)), ..Memory::new(ptr) };
        Ok(Value::Ref(Box::new(Place::Memory(memory))))
    }

    /// Converts an instruction to a size that the launcher can compute.
    pub(crate) fn launch_size(&mut self, id: InstId, purpose: Purpose) -> Flow<Size> {
        self.launch_size_term(id, &mut (purpose, MAX_SIZE_TERMS))
    }

    /// Converts a term of a size, of which at most as many are permitted as are left.
    fn launch_size_term(&mut self, id: InstId, left: &mut (Purpose, usize)) -> Flow<Size> {
        let purpose = left.0;
        let Some(rest) = left.1.checked_sub(1) else {
            return Err(self.report_no_launch_size(id, purpose, "and this is too long for it"));
        };
        left.1 = rest;
        let Inst { op, ty, .. } = &self.build.kernel.insts[id];
        let ir::Ty::Scalar(ty) = *ty else {
            return Err(self.report_no_launch_size(id, purpose, "and cannot know this"));
        };
        if purpose == Purpose::Requirement && self.may_be_float(ty) {
            return Err(self.report_no_launch_size(
                id,
                purpose,
                "which is about integers, and this may be a float",
            ));
        }
        // Without a wildcard, so that each new instruction decides if a launch can compute it.
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
                Err(self.report_no_launch_size(id, purpose, "and this is different in each thread or block"))
            }
            Op::Unary { op, value } => Ok(Size::Unary(op, Box::new(self.launch_size_term(value, left)?))),
            Op::Cast { value } => Ok(Size::Cast(ty, Box::new(self.launch_size_term(value, left)?))),
            Op::Binary { op, lhs, rhs } => {
                Ok(Size::Binary(op, Box::new([self.launch_size_term(lhs, left)?, self.launch_size_term(rhs, left)?])))
            }
            Op::Compare { op, lhs, rhs } => {
                Ok(Size::Compare(op, Box::new([self.launch_size_term(lhs, left)?, self.launch_size_term(rhs, left)?])))
            }
            Op::Select { cond, then, other } => Ok(Size::Select(Box::new([
                self.launch_size_term(cond, left)?,
                self.launch_size_term(then, left)?,
                self.launch_size_term(other, left)?,
            ]))),
            Op::Load { .. }
            | Op::AtomicLoad { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. } => {
                Err(self.report_no_launch_size(id, purpose, "and cannot know what is in memory"))
            }
            Op::Get(_) => Err(self.report_no_launch_size(
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
            | Op::MapShared { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::AtomicStore { .. }
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Warp(_)
            | Op::Matrix(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => Err(self.report_no_launch_size(id, purpose, "and cannot know this")),
        }
    }

    /// Returns true if a type is a float, or a type parameter that may be one.
    fn may_be_float(&self, scalar: ir::Scalar) -> bool {
        match self.generic_bound(scalar) {
            None => scalar.is_float(),
            Some(bound) => bound != ir::Bound::Int,
        }
    }

    /// Reports an instruction whose value the launcher does not know.
    fn report_no_launch_size(&mut self, id: InstId, purpose: Purpose, why: &str) -> Diverged {
        let at = self.spans[self.build.kernel.insts[id].span.index()];
        let fact = format!("{}, {why}", purpose.explanation());
        self.errors.advise(at, fact, OPERANDS_HELP);
        Diverged
    }
}
