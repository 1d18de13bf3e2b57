//! Kernel-side functions.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::{Emit, Flow, Place, Value, Variants},
    types::{builtin::Builtin, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::ir::{
    self, BarrierOp, BinaryOp, CompareOp, Extent, InstId, MatchOp, Op, Scalar, ShuffleOp, VoteOp,
};

/// Lanes of a warp: a distance of so many is past every edge.
const LANES: u64 = 32;

impl Emit<'_> {
    pub(crate) fn builtin(&mut self, which: Builtin, args: &[Expr], expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let (op, ty): (Op, ir::Ty) = match which {
            Builtin::Index(index @ ir::Builtin::LaneMask(_)) => {
                (Op::Builtin(index), Scalar::U32.into())
            }
            Builtin::Index(index) => (Op::Builtin(index), Scalar::U64.into()),
            Builtin::Fence(scope) => (Op::Fence { scope }, ir::Ty::Unit),
            Builtin::Barrier(None) => (Op::Barrier { reduce: None }, ir::Ty::Unit),
            Builtin::Barrier(Some(op)) => {
                let value = self.argument(args, 0, expr)?;
                let ty = match op {
                    BarrierOp::Count => Scalar::U64,
                    BarrierOp::And | BarrierOp::Or => Scalar::Bool,
                };
                (Op::Barrier { reduce: Some((op, value)) }, ty.into())
            }
            Builtin::SyncGrid => {
                if !self.options.cooperative {
                    self.errors.advise(
                        self.range(at),
                        "`grid::sync` waits for all blocks, and this kernel's need not run at the same time",
                        "write `#[kernel(cooperative)]`",
                    );
                }
                (Op::SyncGrid, ir::Ty::Unit)
            }
            Builtin::SyncWarp { masked } => {
                let mask = self.mask(masked, args, expr)?;
                (Op::SyncWarp { mask }, ir::Ty::Unit)
            }
            Builtin::Vote { op, masked } => {
                let mask = self.mask(masked, args, expr)?;
                let value = self.argument(args, usize::from(masked), expr)?;
                let ty = match op {
                    VoteOp::All | VoteOp::Any => Scalar::Bool,
                    VoteOp::Ballot => Scalar::U32,
                };
                (Op::Vote { op, value, mask }, ty.into())
            }
            Builtin::Match { op, masked } => {
                let mask = self.mask(masked, args, expr)?;
                let value = self.argument(args, usize::from(masked), expr)?;
                let ty = match op {
                    MatchOp::Any => Scalar::U32,
                    MatchOp::All => Scalar::Bool,
                };
                (Op::Match { op, value, mask }, ty.into())
            }
            Builtin::Reduce { op, masked } => {
                let mask = self.mask(masked, args, expr)?;
                let value = self.argument(args, usize::from(masked), expr)?;
                (Op::Reduce { op, value, mask }, self.scalar_of(expr.ty, at)?.into())
            }
            Builtin::ActiveMask => (Op::ActiveMask, Scalar::U32.into()),
            Builtin::Fast(fast) => return self.fast(fast, args, at),
            Builtin::Bits(op) => {
                let [a, b, c] = [0, 1, 2].map(|at| self.argument(args, at, expr));
                let (a, b, c) = (a?, b?, c?);
                (Op::Ternary { op, a, b, c }, self.scalar_of(expr.ty, at)?.into())
            }
            Builtin::Directed(op, direction) => {
                return self.directed(op, direction, args, at).map(Value::Scalar);
            }
            Builtin::Elect { masked } => {
                let mask = self.mask(masked, args, expr)?;
                return Ok(Value::Scalar(self.elect(mask, at)));
            }
            Builtin::Shuffle { op, masked, width } => {
                let mask = self.mask(masked, args, expr)?;
                let Some(value) = args.get(usize::from(masked)) else { return Err(self.bug(at)) };
                let value = self.value(value)?;
                let lane = self.lane(op, args.get(usize::from(masked) + 1), expr)?;
                let mono = self.mono(expr.ty, at)?;
                let width = match width {
                    Some(len) => self.extent_of(len, at)?,
                    None => Extent::Const(LANES),
                };
                let shuffle = |value| Op::Shuffle { op, value, lane, width: width.clone(), mask };
                return self.shuffle(&value, &mono, &shuffle, at);
            }
        };
        let inst = self.inst(at, op, ty);
        Ok(if ty == ir::Ty::Unit { Value::Unit } else { Value::Scalar(inst) })
    }

    /// Whether no lane that takes part has a lower number.
    fn elect(&mut self, mask: Option<InstId>, at: SpanId) -> InstId {
        let value = self.bits(1, Scalar::Bool, at);
        let here = self.inst(at, Op::Vote { op: VoteOp::Ballot, value, mask }, Scalar::U32);
        let lane = self.inst(at, Op::Builtin(ir::Builtin::LaneId), Scalar::U32);
        let one = self.bits(1, Scalar::U32, at);
        let own = self.binary_op(BinaryOp::Shl, one, lane, Scalar::U32, at);
        let below = self.binary_op(BinaryOp::Sub, own, one, Scalar::U32, at);
        let lower = self.binary_op(BinaryOp::And, here, below, Scalar::U32, at);
        let none = self.bits(0, Scalar::U32, at);
        self.compare(CompareOp::Eq, lower, none, at)
    }

    /// Shuffles a value number by number.
    fn shuffle(
        &mut self,
        value: &Value,
        mono: &Mono,
        op: &dyn Fn(InstId) -> Op,
        at: SpanId,
    ) -> Flow<Value> {
        match value {
            Value::Scalar(inst) => {
                let ty = self.build.kernel.insts[*inst].ty;
                Ok(Value::Scalar(self.inst(at, op(*inst), ty)))
            }
            Value::Unit => Ok(Value::Unit),
            Value::Parts(parts) => {
                let types = self.parts_of(mono, at)?.unwrap_or_default();
                let parts = parts.iter().zip(&types);
                let shuffled = parts.map(|(part, ty)| self.shuffle(part, ty, op, at));
                Ok(Value::Parts(shuffled.collect::<Flow<_>>()?))
            }
            Value::Variants(variants) => {
                let adt = self.adt(mono, at)?;
                let Some(scalar) = adt.tag else { return Err(self.bug(at)) };
                let tag = self.inst(at, op(variants.tag), scalar);
                let mut all = Vec::with_capacity(adt.variants.len());
                // Another lane may have another variant: every part travels.
                for (parts, types) in variants.parts.iter().zip(&adt.variants) {
                    let parts = match parts {
                        Some(parts) => parts.clone(),
                        None => types
                            .iter()
                            .map(|ty| self.default_value(ty, at))
                            .collect::<Flow<Vec<_>>>()?,
                    };
                    let parts = parts.iter().zip(types);
                    let shuffled = parts.map(|(part, ty)| self.shuffle(part, ty, op, at));
                    all.push(Some(shuffled.collect::<Flow<Vec<_>>>()?));
                }
                Ok(Value::Variants(Rc::new(Variants { tag, parts: all })))
            }
            Value::Array(memory) => {
                let Mono::Array(elem, len) = mono else { return Err(self.bug(at)) };
                let len = self.extent(len, at)?;
                let to = self.array(mono, "", at)?;
                self.each(&len, at, |this, index| {
                    let from = this.nth(memory, index, elem, at)?;
                    let value = this.load(&from, elem, at)?;
                    let shuffled = this.shuffle(&value, elem, op, at)?;
                    let place = this.nth(&to, index, elem, at)?;
                    this.set(&Place::Memory(place), shuffled, elem, at)
                })?;
                Ok(Value::Array(to))
            }
            Value::Ref(_) | Value::Closure(_) => Err(self.bug(at)),
        }
    }

    fn argument(&mut self, args: &[Expr], index: usize, expr: &Expr) -> Flow<InstId> {
        match args.get(index) {
            Some(arg) => self.scalar(arg),
            None => Err(self.bug(expr.at)),
        }
    }

    fn mask(&mut self, masked: bool, args: &[Expr], expr: &Expr) -> Flow<Option<InstId>> {
        if masked { self.argument(args, 0, expr).map(Some) } else { Ok(None) }
    }

    /// A lane or distance, a `usize`, as a `u32`: lanes are counted modulo the width, of which
    /// cutting takes nothing; a distance that is cut must not become a small one.
    fn lane(&mut self, op: ShuffleOp, lane: Option<&Expr>, expr: &Expr) -> Flow<InstId> {
        let Some(lane) = lane else { return Err(self.bug(expr.at)) };
        let at = lane.at;
        let counts = op == ShuffleOp::Index;
        if let ExprKind::Int(value) = lane.kind {
            let value = if counts { value as u64 % LANES } else { (value as u64).min(LANES) };
            return Ok(self.bits(value, Scalar::U32, at));
        }
        let mut value = self.scalar(lane)?;
        if !counts {
            let most = self.bits(LANES, Scalar::U64, at);
            value = self.binary_op(BinaryOp::Min, value, most, Scalar::U64, at);
        }
        Ok(self.convert(value, Scalar::U64, Scalar::U32, at))
    }
}
