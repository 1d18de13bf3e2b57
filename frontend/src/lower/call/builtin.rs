//! Lowering of kernel-side functions: indices, barriers, votes, shuffles.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::{EnumValue, Flow, Lowerer, Place, Value},
    types::{
        builtin::{Async, Builtin, BulkStoreFn},
        mono::Mono,
    },
};
use std::rc::Rc;
use warpwise_compiler::ir::{
    self, BarrierOp, BinaryOp, CompareOp, CopyOp, Extent, InlinePtx, InstId, MAX_SUM_WORDS,
    MatchOp, MatrixOp, MmaOp, Op, Scalar, ShuffleOp, SyncOp, VoteOp, WarpOp,
};

/// Number of lanes in a warp: a shuffle distance this large passes every edge.
const WARP_LANES: u64 = 32;

impl Lowerer<'_> {
    pub(crate) fn lower_builtin(
        &mut self,
        which: Builtin,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        // Arguments are lowered in source order, in which a mask comes first.
        let (op, ty): (Op, ir::Ty) = match which {
            Builtin::Index(index @ ir::Builtin::LaneMask(_)) => {
                (Op::Builtin(index), Scalar::U32.into())
            }
            Builtin::Index(index) => (Op::Builtin(index), Scalar::U64.into()),
            Builtin::Fence(scope) => (Op::Sync(SyncOp::Fence { scope }), ir::Ty::Unit),
            Builtin::Barrier(None) => (Op::Sync(SyncOp::Barrier { reduce: None }), ir::Ty::Unit),
            Builtin::Barrier(Some(op)) => {
                let value = self.lower_argument(args, 0, expr)?;
                let ty = match op {
                    BarrierOp::Count => Scalar::U64,
                    BarrierOp::And | BarrierOp::Or => Scalar::Bool,
                };
                (Op::Sync(SyncOp::Barrier { reduce: Some((op, value)) }), ty.into())
            }
            Builtin::SyncGrid => {
                if !self.options.cooperative {
                    self.errors.advise(
                        self.source_range(at),
                        "`grid::sync` waits for all blocks, and this kernel's need not run at the same time",
                        "write `#[kernel(cooperative)]`",
                    );
                }
                (Op::Sync(SyncOp::SyncGrid), ir::Ty::Unit)
            }
            Builtin::Cluster(function) => return self.lower_cluster(function, args, expr),
            Builtin::SyncWarp { masked } => {
                let mask = self.lower_mask(masked, args, expr)?;
                (Op::Sync(SyncOp::SyncWarp { mask }), ir::Ty::Unit)
            }
            Builtin::Vote { op, masked } => {
                let mask = self.lower_mask(masked, args, expr)?;
                let value = self.lower_argument(args, usize::from(masked), expr)?;
                let ty = match op {
                    VoteOp::All | VoteOp::Any => Scalar::Bool,
                    VoteOp::Ballot => Scalar::U32,
                };
                (Op::Warp(WarpOp::Vote { op, value, mask }), ty.into())
            }
            Builtin::Match { op, masked } => {
                let mask = self.lower_mask(masked, args, expr)?;
                let value = self.lower_argument(args, usize::from(masked), expr)?;
                let ty = match op {
                    MatchOp::Any => Scalar::U32,
                    MatchOp::All => Scalar::Bool,
                };
                (Op::Warp(WarpOp::Match { op, value, mask }), ty.into())
            }
            Builtin::Reduce { op, masked } => {
                let mask = self.lower_mask(masked, args, expr)?;
                let value = self.lower_argument(args, usize::from(masked), expr)?;
                (
                    Op::Warp(WarpOp::Reduce { op, value, mask }),
                    self.expect_scalar_type(expr.ty, at)?.into(),
                )
            }
            Builtin::Mma(op) => return self.lower_mma(op, args, expr),
            Builtin::DistributeRows { transposed } => {
                return self.lower_distributed_rows(transposed, args, expr);
            }
            Builtin::ActiveMask => (Op::Warp(WarpOp::ActiveMask), Scalar::U32.into()),
            Builtin::Fast(fast) => return self.lower_fast(fast, args, at),
            Builtin::Bits(op) => {
                let [a, b, c] = [0, 1, 2].map(|at| self.lower_argument(args, at, expr));
                let (a, b, c) = (a?, b?, c?);
                (Op::Ternary { op, a, b, c }, self.expect_scalar_type(expr.ty, at)?.into())
            }
            Builtin::Directed(op, direction) => {
                return self.lower_directed(op, direction, args, at).map(Value::Scalar);
            }
            Builtin::Cache(which) => return self.lower_cache_call(which, args, expr),
            Builtin::Async(Async::Copy) => return self.lower_async_copy(args, expr),
            Builtin::Async(Async::Commit) => (Op::Copy(CopyOp::AsyncCommit), ir::Ty::Unit),
            Builtin::Async(Async::Wait { pending }) => {
                let Some(pending) = pending else { return Err(self.report_bug(at)) };
                (
                    Op::Copy(CopyOp::AsyncWait { pending: self.simplify_len(pending, at)? }),
                    ir::Ty::Unit,
                )
            }
            Builtin::Async(Async::WaitAll) => {
                self.push_inst(at, Op::Copy(CopyOp::AsyncCommit), ir::Ty::Unit);
                (Op::Copy(CopyOp::AsyncWait { pending: Extent::Const(0) }), ir::Ty::Unit)
            }
            Builtin::Texture(op) => return self.lower_texture_read(op, args, expr),
            Builtin::NamedBarrier { waits, extents } => {
                let Some(extents) = extents else { return Err(self.report_bug(at)) };
                return self.lower_named_barrier(waits, extents, at);
            }
            Builtin::Wgmma { op, extents } => {
                let Some(extents) = extents else { return Err(self.report_bug(at)) };
                return self.lower_wgmma(op, extents, args, expr);
            }
            Builtin::WgmmaWait { pending } => {
                let Some(pending) = pending else { return Err(self.report_bug(at)) };
                return self.lower_wgmma_wait(pending, args, expr);
            }
            Builtin::ProxyFence => (Op::Sync(SyncOp::ProxyFence), ir::Ty::Unit),
            Builtin::GridDependency(op) => {
                (self.lower_grid_dependency(op, self.source_range(at)), ir::Ty::Unit)
            }
            Builtin::BulkStore(BulkStoreFn::Store) => return self.lower_bulk_store(args, expr),
            Builtin::BulkStore(BulkStoreFn::Tensor) => return self.lower_tensor_store(args, expr),
            Builtin::BulkStore(BulkStoreFn::Commit) => (Op::Copy(CopyOp::BulkCommit), ir::Ty::Unit),
            Builtin::BulkStore(BulkStoreFn::Wait { reads, pending }) => {
                let Some(pending) = pending else { return Err(self.report_bug(at)) };
                let pending = self.simplify_len(pending, at)?;
                (Op::Copy(CopyOp::BulkWait { pending, reads }), ir::Ty::Unit)
            }
            Builtin::BulkStore(BulkStoreFn::WaitAll) => {
                self.push_inst(at, Op::Copy(CopyOp::BulkCommit), ir::Ty::Unit);
                (
                    Op::Copy(CopyOp::BulkWait { pending: Extent::Const(0), reads: false }),
                    ir::Ty::Unit,
                )
            }
            Builtin::MBarrier(function) => return self.lower_mbarrier_call(function, args, expr),
            Builtin::Elect { masked } => {
                let mask = self.lower_mask(masked, args, expr)?;
                return Ok(Value::Scalar(self.lower_elect(mask, at)));
            }
            Builtin::Shuffle { op, masked, width } => {
                let mask = self.lower_mask(masked, args, expr)?;
                let Some(value) = args.get(usize::from(masked)) else {
                    return Err(self.report_bug(at));
                };
                let value = self.lower_value(value)?;
                let lane = self.lower_shuffle_lane(op, args.get(usize::from(masked) + 1), expr)?;
                let mono = self.mono_type(expr.ty, at)?;
                let width = match width {
                    Some(len) => self.simplify_len(len, at)?,
                    None => Extent::Const(WARP_LANES),
                };
                let shuffle = |value| {
                    Op::Warp(WarpOp::Shuffle { op, value, lane, width: width.clone(), mask })
                };
                return self.lower_shuffle(&value, &mono, &shuffle, at);
            }
        };
        let inst = self.push_inst(at, op, ty);
        Ok(if ty == ir::Ty::Unit { Value::Unit } else { Value::Scalar(inst) })
    }

    /// Lowers inline PTX to its output, or to a tuple of them.
    pub(crate) fn lower_inline_ptx(
        &mut self,
        is_pure: bool,
        ptx: &InlinePtx,
        args: &[Expr],
        at: SpanId,
    ) -> Flow<Value> {
        let args = args.iter().map(|arg| self.lower_scalar(arg)).collect::<Flow<Vec<_>>>()?;
        let ty = ptx.outputs.first().map_or(ir::Ty::Unit, |first| (*first).into());
        let first = self.push_inst(at, Op::Ptx { is_pure, ptx: ptx.clone().into(), args }, ty);
        let rest = ptx.outputs.iter().zip(0..).skip(1);
        let rest = rest.map(|(scalar, output)| {
            let op = Op::PtxOutput { of: first, output };
            Value::Scalar(self.push_inst(at, op, *scalar))
        });
        let rest: Vec<Value> = rest.collect();
        Ok(match ptx.outputs.len() {
            0 => Value::Unit,
            1 => Value::Scalar(first),
            _ => Value::Parts([Value::Scalar(first)].into_iter().chain(rest).collect()),
        })
    }

    /// Multiplies matrices whose words are in arrays. The last words of the sum, which smaller
    /// matrices do not have, are those of the summand.
    fn lower_mma(&mut self, op: MmaOp, args: &[Expr], expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let [a, b, c] = args else { return Err(self.report_bug(at)) };
        let mut words = self.lower_words(a, op.a_words())?;
        words.extend(self.lower_words(b, op.b_words())?);
        let mut sums = self.lower_words(c, MAX_SUM_WORDS)?;
        words.extend(&sums[..op.sum_words()]);
        for (word, sum) in sums.iter_mut().take(op.sum_words()).enumerate() {
            let product = Op::Matrix(MatrixOp::Mma { op, args: words.clone(), word: word as u8 });
            *sum = self.push_inst(at, product, op.sum_word());
        }
        self.lower_array_of_words(sums, expr)
    }

    /// Distributes the rows of matrices whose words are in an array.
    fn lower_distributed_rows(
        &mut self,
        transposed: bool,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let [row] = args else { return Err(self.report_bug(expr.at)) };
        let row = self.lower_words(row, 4)?;
        let words = (0..4).map(|word| {
            let op = Op::Matrix(MatrixOp::DistributeRows { transposed, args: row.clone(), word });
            self.push_inst(expr.at, op, Scalar::U32)
        });
        let words = words.collect();
        self.lower_array_of_words(words, expr)
    }

    /// Makes an array of numbers.
    pub(crate) fn lower_array_of_words(&mut self, words: Vec<InstId>, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let mono = self.mono_type(expr.ty, at)?;
        let Mono::Array(elem, _) = &mono else { return Err(self.report_bug(at)) };
        let array = self.new_array(&mono, "", at)?;
        for (index, word) in words.into_iter().enumerate() {
            let index = self.push_bits(index as u64, Scalar::U64, at);
            let place = self.element_at(&array, index, elem, at)?;
            self.write_place(&Place::Memory(place), Value::Scalar(word), elem, at)?;
        }
        Ok(Value::Array(array))
    }

    /// Returns the first elements of an array of numbers.
    pub(crate) fn lower_words(&mut self, array: &Expr, count: usize) -> Flow<Vec<InstId>> {
        let at = array.at;
        let mono = self.mono_type(array.ty, at)?;
        let Mono::Array(elem, _) = &mono else { return Err(self.report_bug(at)) };
        let Value::Array(memory) = self.lower_value(array)? else {
            return Err(self.report_bug(at));
        };
        let word = |this: &mut Self, index: usize| {
            let index = this.push_bits(index as u64, Scalar::U64, at);
            let place = this.element_at(&memory, index, elem, at)?;
            match this.load(&place, elem, at)? {
                Value::Scalar(word) => Ok(word),
                _ => Err(this.report_bug(at)),
            }
        };
        (0..count).map(|index| word(self, index)).collect()
    }

    /// Returns true in the participating lane with the lowest number.
    fn lower_elect(&mut self, mask: Option<InstId>, at: SpanId) -> InstId {
        let value = self.push_bits(1, Scalar::Bool, at);
        let here = self.push_inst(
            at,
            Op::Warp(WarpOp::Vote { op: VoteOp::Ballot, value, mask }),
            Scalar::U32,
        );
        let lane = self.push_inst(at, Op::Builtin(ir::Builtin::LaneId), Scalar::U32);
        let one = self.push_bits(1, Scalar::U32, at);
        // The bits below `1 << lane` are the lanes with lower numbers.
        let own = self.push_binary(BinaryOp::Shl, one, lane, Scalar::U32, at);
        let below = self.push_binary(BinaryOp::Sub, own, one, Scalar::U32, at);
        let lower = self.push_binary(BinaryOp::And, here, below, Scalar::U32, at);
        let none = self.push_bits(0, Scalar::U32, at);
        self.push_compare(CompareOp::Eq, lower, none, at)
    }

    /// Shuffles a value number by number.
    fn lower_shuffle(
        &mut self,
        value: &Value,
        mono: &Mono,
        op: &dyn Fn(InstId) -> Op,
        at: SpanId,
    ) -> Flow<Value> {
        match value {
            Value::Scalar(inst) => {
                let ty = self.build.kernel.insts[*inst].ty;
                Ok(Value::Scalar(self.push_inst(at, op(*inst), ty)))
            }
            Value::Unit => Ok(Value::Unit),
            Value::Parts(parts) => {
                let types = self.part_types(mono, at)?.unwrap_or_default();
                let parts = parts.iter().zip(&types);
                let shuffled = parts.map(|(part, ty)| self.lower_shuffle(part, ty, op, at));
                Ok(Value::Parts(shuffled.collect::<Flow<_>>()?))
            }
            Value::Variants(variants) => {
                let adt = self.adt_of(mono, at)?;
                let Some(scalar) = adt.tag else { return Err(self.report_bug(at)) };
                let tag = self.push_inst(at, op(variants.tag), scalar);
                let mut all = Vec::with_capacity(adt.variants.len());
                // Another lane may hold another variant, so every field is shuffled.
                for (parts, types) in variants.parts.iter().zip(&adt.variants) {
                    let parts = match parts {
                        Some(parts) => parts.clone(),
                        None => types
                            .iter()
                            .map(|ty| self.default_value(ty, at))
                            .collect::<Flow<Vec<_>>>()?,
                    };
                    let parts = parts.iter().zip(types);
                    let shuffled = parts.map(|(part, ty)| self.lower_shuffle(part, ty, op, at));
                    all.push(Some(shuffled.collect::<Flow<Vec<_>>>()?));
                }
                Ok(Value::Variants(Rc::new(EnumValue { tag, parts: all })))
            }
            Value::Array(memory) => {
                let Mono::Array(elem, len) = mono else { return Err(self.report_bug(at)) };
                let len = self.simplify_extent(len, at)?;
                let to = self.new_array(mono, "", at)?;
                self.for_each_index(&len, at, |this, index| {
                    let from = this.element_at(memory, index, elem, at)?;
                    let value = this.load(&from, elem, at)?;
                    let shuffled = this.lower_shuffle(&value, elem, op, at)?;
                    let place = this.element_at(&to, index, elem, at)?;
                    this.write_place(&Place::Memory(place), shuffled, elem, at)
                })?;
                Ok(Value::Array(to))
            }
            Value::Ref(_) | Value::Closure(_) => Err(self.report_bug(at)),
        }
    }

    pub(crate) fn lower_argument(
        &mut self,
        args: &[Expr],
        index: usize,
        expr: &Expr,
    ) -> Flow<InstId> {
        match args.get(index) {
            Some(arg) => self.lower_scalar(arg),
            None => Err(self.report_bug(expr.at)),
        }
    }

    fn lower_mask(&mut self, masked: bool, args: &[Expr], expr: &Expr) -> Flow<Option<InstId>> {
        if masked { self.lower_argument(args, 0, expr).map(Some) } else { Ok(None) }
    }

    /// Lowers a shuffle's lane or distance from `usize` to `u32`. Lane numbers are counted modulo
    /// the width, so truncation is harmless; a distance is clamped first, so that truncation cannot
    /// make a large one small.
    fn lower_shuffle_lane(
        &mut self,
        op: ShuffleOp,
        lane: Option<&Expr>,
        expr: &Expr,
    ) -> Flow<InstId> {
        let Some(lane) = lane else { return Err(self.report_bug(expr.at)) };
        let at = lane.at;
        let counts = op == ShuffleOp::Index;
        if let ExprKind::Int(value) = lane.kind {
            let value =
                if counts { value as u64 % WARP_LANES } else { (value as u64).min(WARP_LANES) };
            return Ok(self.push_bits(value, Scalar::U32, at));
        }
        let mut value = self.lower_scalar(lane)?;
        if !counts {
            let most = self.push_bits(WARP_LANES, Scalar::U64, at);
            value = self.push_binary(BinaryOp::Min, value, most, Scalar::U64, at);
        }
        Ok(self.push_convert(value, Scalar::U64, Scalar::U32, at))
    }
}
