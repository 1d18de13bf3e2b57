//! Instructions, with the bodies that they hold.
use super::{
    super::{
        AtomicOp, BarrierOp, BinaryOp, Body, Builtin, CacheLevel, CacheOp, CompareOp, CopyOp,
        Fault, GridDependencyOp, InlinePtx, Inst, InstId, MatchOp, MatrixOp, MessageId, MmaOp,
        MulAddForm, Op, Order, PtxLevel, ReduceOp, Scalar, Scope, ShuffleOp, Span, SyncOp,
        TensorBox, TernaryOp, TextureOp, Ty, UnaryOp, VoteOp, WarpOp, WgmmaOp, names::Named,
    },
    At, Parser, Result,
};
use crate::id::Id;

impl<'t> Parser<'t> {
    /// Parses instructions up to the closing brace, and that brace.
    pub(super) fn parse_rest_of_body(&mut self) -> Result<Body> {
        self.bodies = self.next_depth(self.bodies)?;
        let mut list = Vec::new();
        while !self.eat("}") {
            list.push(self.parse_inst()?);
        }
        self.bodies -= 1;
        Ok(Body(list))
    }

    pub(super) fn parse_inst(&mut self) -> Result<InstId> {
        let (at, id) = self.parse_id::<InstId>("%", "an instruction such as `%3 = ..`, or `}`")?;
        self.expect("=")?;
        let mut inst = self.parse_inst_without_bodies()?;
        for (index, body) in inst.op.bodies_mut().enumerate() {
            if index == 0 || self.eat_keyword("else") {
                self.expect("{")?;
                *body = self.parse_rest_of_body()?;
            }
        }
        self.insts.push((at, id, inst));
        Ok(id)
    }

    /// Parses an instruction without its bodies.
    pub(super) fn parse_inst_without_bodies(&mut self) -> Result<Inst> {
        let (at, word) = self.take_word();
        if word == "const" {
            let (at, literal) = self.take_literal();
            if literal.is_empty() {
                return Err(self.expected_error("a constant"));
            }
            let (ty, span) = self.parse_ty_and_span()?;
            return Ok(Inst { op: Op::Const(self.literal_bits(at, literal, ty)?), ty, span });
        }
        let op = self.parse_op(at, word)?;
        let (ty, span) = self.parse_ty_and_span()?;
        Ok(Inst { op, ty, span })
    }

    pub(super) fn parse_ty_and_span(&mut self) -> Result<(Ty, Span)> {
        let ty = if self.eat(":") { self.parse_ty()? } else { Ty::Unit };
        Ok((ty, self.parse_span()?))
    }

    /// Takes the longest text that may be a literal.
    pub(super) fn take_literal(&mut self) -> (At, &'t str) {
        self.skip_blanks();
        let mut last = ' ';
        let mut hex = false;
        let rest = self.rest();
        let end = rest.char_indices().find(|&(index, c)| {
            hex |= index == 1 && c == 'x';
            let sign =
                matches!(c, '-' | '+') && (index == 0 || (!hex && matches!(last, 'e' | 'E')));
            last = c;
            !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || sign)
        });
        let literal = &rest[..end.map_or(rest.len(), |(index, _)| index)];
        let at = self.at;
        self.at += literal.len();
        (at, literal)
    }

    /// Returns the bits of a literal of type `ty`.
    pub(super) fn literal_bits(&self, at: At, literal: &str, ty: Ty) -> Result<u64> {
        let bits = if let Some(hex) = literal.strip_prefix("0x") {
            u64::from_str_radix(hex, 16).ok()
        } else if let Ty::Scalar(scalar) = ty {
            decimal_bits(literal, scalar)
        } else {
            None
        };
        bits.ok_or_else(|| self.error_at(at, format!("`{literal}` is no constant of type `{ty}`")))
    }

    /// Parses the operands of the operation that `word` names. Its bodies are left empty.
    pub(super) fn parse_op(&mut self, at: At, word: &str) -> Result<Op> {
        if let Some(op) = UnaryOp::from_name(word) {
            return Ok(Op::Unary { op, value: self.parse_inst_id()? });
        }
        if let Some(op) = BinaryOp::from_name(word) {
            let [lhs, rhs] = self.parse_operands()?;
            return Ok(Op::Binary { op, lhs, rhs });
        }
        if let Some(op) = TernaryOp::from_name(word) {
            let [a, b, c] = self.parse_operands()?;
            return Ok(Op::Ternary { op, a, b, c });
        }
        if let Some(op) = CompareOp::from_name(word) {
            let [lhs, rhs] = self.parse_operands()?;
            return Ok(Op::Compare { op, lhs, rhs });
        }
        let (head, suffix) = word.split_once('.').unwrap_or((word, ""));
        let suffix_at = at + word.len() - suffix.len();
        match head {
            "load" | "store" | "prefetch" | "named_barrier" | "mul_add" | "barrier" | "fence"
            | "tensor_copy" | "tensor_store" | "bulk_wait" | "shuffle" | "vote" | "match"
            | "reduce" | "mma" | "wgmma" | "ptx" | "distribute_rows" | "texture"
            | "atomic_load" | "atomic_store" | "atomic" | "compare_exchange" => {
                self.parse_suffixed_op(head, suffix_at, suffix)
            }
            _ => self.parse_plain_op(at, word),
        }
    }

    /// Parses an operation whose name has no suffix.
    pub(super) fn parse_plain_op(&mut self, at: At, word: &str) -> Result<Op> {
        Ok(match word {
            "generic" => Op::Generic(self.parse_generic_id()?),
            "param" => Op::Param(self.parse_param_id()?),
            "len" => Op::Len(self.parse_param_id()?),
            "shared" => Op::Shared(self.parse_shared_id()?),
            "array" => Op::Array(self.parse_array_id()?),
            "builtin" => {
                Op::Builtin(self.parse_named::<Builtin>("a builtin such as `thread_idx.x`")?)
            }
            "cast" => Op::Cast { value: self.parse_inst_id()? },
            "bitcast" => Op::Bitcast { value: self.parse_inst_id()? },
            "select" => {
                let [cond, then, other] = self.parse_operands()?;
                Op::Select { cond, then, other }
            }
            "fma" => {
                let [a, b, c] = self.parse_operands()?;
                Op::Fma { a, b, c }
            }
            "index" => {
                let [base, index] = self.parse_operands()?;
                self.expect(",")?;
                Op::Index { base, index, stride: self.parse_extent()? }
            }
            "offset" => {
                let base = self.parse_inst_id()?;
                self.expect(",")?;
                Op::Offset { base, offset: self.parse_extent()? }
            }
            "map_shared" => {
                let [ptr, rank] = self.parse_operands()?;
                Op::MapShared { ptr, rank }
            }
            "bounds" => {
                let [index, len] = self.parse_operands()?;
                Op::Bounds { index, len }
            }
            "check" => {
                let cond = self.parse_inst_id()?;
                self.expect(",")?;
                Op::Check {
                    cond,
                    fault: self.parse_named::<Fault>("a fault such as `divide_by_zero`")?,
                }
            }
            "get" => Op::Get(self.parse_local_id()?),
            "set" => {
                let local = self.parse_local_id()?;
                self.expect(",")?;
                Op::Set { local, value: self.parse_inst_id()? }
            }
            "async_copy" => {
                let [to, from] = self.parse_operands()?;
                self.expect(",")?;
                Op::Copy(CopyOp::AsyncCopy { to, from, bytes: self.parse_extent()? })
            }
            "bulk_copy" => {
                let [to, from] = self.parse_operands()?;
                self.expect(",")?;
                let bytes = self.parse_extent()?;
                self.expect(",")?;
                Op::Copy(CopyOp::BulkCopy { to, from, bytes, barrier: self.parse_inst_id()? })
            }
            "bulk_store" => {
                let [to, from] = self.parse_operands()?;
                self.expect(",")?;
                Op::Copy(CopyOp::BulkStore { to, from, bytes: self.parse_extent()? })
            }
            "bulk_commit" => Op::Copy(CopyOp::BulkCommit),
            "async_commit" => Op::Copy(CopyOp::AsyncCommit),
            "async_wait" => Op::Copy(CopyOp::AsyncWait { pending: self.parse_extent()? }),
            "sync_warp" => {
                self.skip_blanks();
                let masked = self.rest().starts_with('%') && !self.is_at_definition();
                Op::Sync(SyncOp::SyncWarp {
                    mask: if masked { Some(self.parse_inst_id()?) } else { None },
                })
            }
            "mbarrier_arrive" => {
                let barrier = self.parse_inst_id()?;
                Op::Sync(SyncOp::MBarrierArrive {
                    barrier,
                    bytes: self.parse_optional_operand("bytes")?,
                })
            }
            "mbarrier_wait" => {
                let [barrier, phase] = self.parse_operands()?;
                Op::Sync(SyncOp::MBarrierWait { barrier, phase })
            }
            "wgmma_wait" => {
                let sums = self.parse_inst_id()?;
                self.expect(",")?;
                Op::Matrix(MatrixOp::WgmmaWait { sums, pending: self.parse_extent()? })
            }
            "proxy_fence" => Op::Sync(SyncOp::ProxyFence),
            "wait_for_dependencies" => Op::Sync(SyncOp::GridDependency(GridDependencyOp::Wait)),
            "launch_dependents" => {
                Op::Sync(SyncOp::GridDependency(GridDependencyOp::LaunchDependents))
            }
            "ptx_output" => {
                let of = self.parse_inst_id()?;
                self.expect(",")?;
                Op::PtxOutput { of, output: self.parse_number()? }
            }
            "interpreted" => Op::Interpreted,
            "sync_grid" => Op::Sync(SyncOp::SyncGrid),
            "sync_cluster" => Op::Sync(SyncOp::SyncCluster),
            "active_mask" => Op::Warp(WarpOp::ActiveMask),
            "if" => Op::If {
                cond: self.parse_inst_id()?,
                then: Body::default(),
                other: Body::default(),
            },
            "for" => self.parse_for()?,
            "loop" => Op::Loop { body: Body::default() },
            "block" => Op::Block { body: Body::default() },
            "break" => Op::Break(self.parse_inst_id()?),
            "continue" => Op::Continue(self.parse_inst_id()?),
            "return" => Op::Return,
            "panic" => {
                let (message, args) = self.parse_message_args()?;
                Op::Panic { message, args }
            }
            "print" => {
                let (message, args) = self.parse_message_args()?;
                Op::Print { message, args }
            }
            _ => {
                self.at = at;
                return Err(self.expected_error("an operation"));
            }
        })
    }

    /// Parses the cache operator of a load or store, if it has one.
    fn parse_cache_op(&mut self, at: At, suffix: &str) -> Result<Option<CacheOp>> {
        if suffix.is_empty() {
            return Ok(None);
        }
        self.find_named::<CacheOp>(at, suffix, "a cache operator such as `cs`").map(Some)
    }

    /// Parses an operation whose name may have suffixes: `load.cs`, `fence.device`.
    pub(super) fn parse_suffixed_op(&mut self, head: &str, at: At, suffix: &str) -> Result<Op> {
        Ok(match head {
            "load" => {
                let cache = self.parse_cache_op(at, suffix)?;
                Op::Load { ptr: self.parse_inst_id()?, cache }
            }
            "store" => {
                let cache = self.parse_cache_op(at, suffix)?;
                let [ptr, value] = self.parse_operands()?;
                Op::Store { ptr, value, cache }
            }
            "prefetch" => {
                let level = self.find_named::<CacheLevel>(at, suffix, "`l1` or `l2`")?;
                Op::Prefetch { ptr: self.parse_inst_id()?, level }
            }
            "mul_add" => {
                let form =
                    self.find_named::<MulAddForm>(at, suffix, "`add`, `sub`, `from` or `neg`")?;
                let [a, b, c] = self.parse_operands()?;
                Op::MulAdd { form, a, b, c }
            }
            "barrier" if suffix.is_empty() => Op::Sync(SyncOp::Barrier { reduce: None }),
            "barrier" => {
                let op = self.find_named::<BarrierOp>(at, suffix, "`count`, `and` or `or`")?;
                Op::Sync(SyncOp::Barrier { reduce: Some((op, self.parse_inst_id()?)) })
            }
            "named_barrier" => {
                let waits = match suffix {
                    "sync" => true,
                    "arrive" => false,
                    _ => {
                        self.at = at;
                        return Err(self.expected_error("`sync` or `arrive`"));
                    }
                };
                let id = self.parse_extent()?;
                self.expect(",")?;
                Op::Sync(SyncOp::NamedBarrier { waits, id, threads: self.parse_extent()? })
            }
            "fence" => Op::Sync(SyncOp::Fence { scope: self.parse_scope(at, suffix)? }),
            "shuffle" => {
                let op =
                    self.find_named::<ShuffleOp>(at, suffix, "`index`, `up`, `down` or `xor`")?;
                let [value, lane] = self.parse_operands()?;
                self.expect(",")?;
                self.expect_keyword("width")?;
                Op::Warp(WarpOp::Shuffle {
                    op,
                    value,
                    lane,
                    width: self.parse_extent()?,
                    mask: self.parse_mask()?,
                })
            }
            "vote" => {
                let op = self.find_named::<VoteOp>(at, suffix, "`all`, `any` or `ballot`")?;
                Op::Warp(WarpOp::Vote {
                    op,
                    value: self.parse_inst_id()?,
                    mask: self.parse_mask()?,
                })
            }
            "match" => {
                let op = self.find_named::<MatchOp>(at, suffix, "`any` or `all`")?;
                Op::Warp(WarpOp::Match {
                    op,
                    value: self.parse_inst_id()?,
                    mask: self.parse_mask()?,
                })
            }
            "reduce" => {
                let op = self.find_named::<ReduceOp>(at, suffix, "a reduction such as `add`")?;
                Op::Warp(WarpOp::Reduce {
                    op,
                    value: self.parse_inst_id()?,
                    mask: self.parse_mask()?,
                })
            }
            "mma" => {
                let Some(op) = MmaOp::from_name(suffix) else {
                    self.at = at;
                    return Err(self.expected_error("a product such as `m16n8k16.f32.f16.f16`"));
                };
                let (args, word) = self.parse_word_operands()?;
                Op::Matrix(MatrixOp::Mma { op, args, word })
            }
            "wgmma" => {
                let Some(op) = WgmmaOp::from_name(suffix) else {
                    self.at = at;
                    return Err(self.expected_error("a product such as `bf16.k.mn`"));
                };
                let columns = self.parse_extent()?;
                let mut args = Vec::new();
                while self.eat(",") {
                    args.push(self.parse_inst_id()?);
                }
                Op::Matrix(MatrixOp::Wgmma { op, columns, args })
            }
            "distribute_rows" => {
                let transposed = match suffix {
                    "" => false,
                    "transposed" => true,
                    _ => {
                        self.at = at;
                        return Err(self.expected_error("`transposed`"));
                    }
                };
                let (args, word) = self.parse_word_operands()?;
                Op::Matrix(MatrixOp::DistributeRows { transposed, args, word })
            }
            "texture" => {
                let Some(op) = TextureOp::from_name(suffix) else {
                    self.at = at;
                    return Err(self.expected_error("a read such as `2d.sample.f32`"));
                };
                let texture = self.parse_param_id()?;
                self.expect(",")?;
                let (args, word) = self.parse_word_operands()?;
                Op::Texture { op, texture, args, word }
            }
            "ptx" => {
                let is_pure = match suffix {
                    "" => false,
                    "pure" => true,
                    _ => {
                        self.at = at;
                        return Err(self.expected_error("`pure`"));
                    }
                };
                self.parse_inline_ptx(is_pure)?
            }
            "tensor_copy" => {
                let dims = self.parse_tensor_dims(at, suffix)?;
                let to = self.parse_inst_id()?;
                self.expect(",")?;
                let map = self.parse_param_id()?;
                self.expect(",")?;
                let barrier = self.parse_inst_id()?;
                let (at, shape) = self.parse_tensor_box(dims)?;
                let blocks = self.parse_optional_operand("blocks")?;
                Op::Copy(CopyOp::TensorCopy {
                    to,
                    map,
                    shape: Box::new(shape),
                    at,
                    barrier,
                    blocks,
                })
            }
            "tensor_store" => {
                let dims = self.parse_tensor_dims(at, suffix)?;
                let map = self.parse_param_id()?;
                self.expect(",")?;
                let from = self.parse_inst_id()?;
                let (at, shape) = self.parse_tensor_box(dims)?;
                Op::Copy(CopyOp::TensorStore { map, from, shape: Box::new(shape), at })
            }
            "bulk_wait" => {
                let reads = match suffix {
                    "" => false,
                    "read" => true,
                    _ => {
                        self.at = at;
                        return Err(self.expected_error("`read`"));
                    }
                };
                Op::Copy(CopyOp::BulkWait { pending: self.parse_extent()?, reads })
            }
            _ => self.parse_atomic_op(head, at, suffix)?,
        })
    }

    /// Parses the text, the outputs, the inputs and the level of inline PTX:
    /// `"mov.u32 {0}, {1};", (u32), (%1), sm_75, ptx63, fallback`.
    fn parse_inline_ptx(&mut self, is_pure: bool) -> Result<Op> {
        self.skip_blanks();
        if !self.rest().starts_with('"') {
            return Err(self.expected_error("a text in quotes"));
        }
        let text = self.parse_quoted()?;
        self.expect(",")?;
        let outputs = self.parse_scalars()?;
        self.expect(",")?;
        self.expect("(")?;
        let mut args = Vec::new();
        while !self.eat(")") {
            if !args.is_empty() {
                self.expect(",")?;
            }
            args.push(self.parse_inst_id()?);
        }
        let mut level = PtxLevel::OLDEST;
        for example in ["a target such as `sm_75`", "a version such as `ptx63`"] {
            self.expect(",")?;
            let (at, name) = self.take_word();
            level = level.requiring(name).ok_or_else(|| {
                self.at = at;
                self.expected_error(example)
            })?;
        }
        let has_fallback = self.eat(",");
        if has_fallback {
            self.expect_keyword("fallback")?;
        }
        let ptx = Box::new(InlinePtx { text, outputs, has_fallback, level });
        Ok(Op::Ptx { is_pure, ptx, args })
    }

    /// Returns the number of dimensions of a copy of a tensor: `2d`, `3d`.
    fn parse_tensor_dims(&mut self, at: At, suffix: &str) -> Result<usize> {
        match suffix {
            "2d" => Ok(2),
            "3d" => Ok(3),
            _ => {
                self.at = at;
                Err(self.expected_error("`2d` or `3d`"))
            }
        }
    }

    /// Parses an operand after a comma and its name, if there is a comma.
    fn parse_optional_operand(&mut self, name: &str) -> Result<Option<InstId>> {
        self.skip_blanks();
        if !self.rest().starts_with(',') {
            return Ok(None);
        }
        self.expect(",")?;
        self.expect_keyword(name)?;
        self.parse_inst_id().map(Some)
    }

    /// Parses the coordinates and the box of a copy of a tensor: `, %1, %2, box 8, 32,
    /// swizzle 0, bytes 1024`.
    fn parse_tensor_box(&mut self, dims: usize) -> Result<(Vec<InstId>, TensorBox)> {
        let mut at = Vec::with_capacity(dims);
        for _ in 0..dims {
            self.expect(",")?;
            at.push(self.parse_inst_id()?);
        }
        self.expect(",")?;
        self.expect_keyword("box")?;
        let mut extents = Vec::with_capacity(dims);
        for _ in 0..dims {
            extents.push(self.parse_extent()?);
            self.expect(",")?;
        }
        self.expect_keyword("swizzle")?;
        let swizzle = self.parse_extent()?;
        self.expect(",")?;
        self.expect_keyword("bytes")?;
        Ok((at, TensorBox { extents, swizzle, bytes: self.parse_extent()? }))
    }

    /// Parses an atomic operation: `atomic.add.relaxed.device`, `atomic_load.acquire.block`.
    pub(super) fn parse_atomic_op(&mut self, head: &str, at: At, suffix: &str) -> Result<Op> {
        let (op, at, suffix) = if head == "atomic" {
            let (op, rest) = suffix.split_once('.').unwrap_or((suffix, ""));
            let op = self.find_named::<AtomicOp>(at, op, "an update such as `add`")?;
            (op, at + suffix.len() - rest.len(), rest)
        } else {
            (AtomicOp::Swap, at, suffix)
        };
        let (order, scope) = suffix.split_once('.').unwrap_or((suffix, ""));
        let scope_at = at + suffix.len() - scope.len();
        let order = self.find_named::<Order>(at, order, "an ordering such as `relaxed`")?;
        let scope = self.parse_scope(scope_at, scope)?;
        Ok(match head {
            "atomic_load" => Op::AtomicLoad { ptr: self.parse_inst_id()?, order, scope },
            "atomic_store" => {
                let [ptr, value] = self.parse_operands()?;
                Op::AtomicStore { ptr, value, order, scope }
            }
            "atomic" => {
                let [ptr, value] = self.parse_operands()?;
                Op::Atomic { op, ptr, value, order, scope }
            }
            _ => {
                let [ptr, expected, value] = self.parse_operands()?;
                Op::CompareExchange { ptr, expected, value, order, scope }
            }
        })
    }

    pub(super) fn parse_scope(&mut self, at: At, word: &str) -> Result<Scope> {
        self.find_named(at, word, "`block`, `device` or `system`")
    }

    /// Parses the rest of a `for`: `%a, %b, step %c`.
    pub(super) fn parse_for(&mut self) -> Result<Op> {
        let inclusive = self.eat_keyword("inclusive");
        let [start, end] = self.parse_operands()?;
        self.expect(",")?;
        self.expect_keyword("step")?;
        Ok(Op::For { start, end, step: self.parse_inst_id()?, inclusive, body: Body::default() })
    }

    pub(super) fn parse_mask(&mut self) -> Result<Option<InstId>> {
        if !self.eat(",") {
            return Ok(None);
        }
        self.expect_keyword("mask")?;
        self.parse_inst_id().map(Some)
    }

    /// Parses `N` operands, separated by commas.
    pub(super) fn parse_operands<const N: usize>(&mut self) -> Result<[InstId; N]> {
        let mut values = [InstId::new(0); N];
        for (index, value) in values.iter_mut().enumerate() {
            if index > 0 {
                self.expect(",")?;
            }
            *value = self.parse_inst_id()?;
        }
        Ok(values)
    }

    /// Parses operands and the number of a word: `%1, %2, word 3`.
    pub(super) fn parse_word_operands(&mut self) -> Result<(Vec<InstId>, u8)> {
        let mut args = Vec::new();
        while !self.eat_keyword("word") {
            args.push(self.parse_inst_id()?);
            self.expect(",")?;
        }
        Ok((args, self.parse_number()?))
    }

    /// Parses a message and its arguments: `msg0, %1, %2`.
    pub(super) fn parse_message_args(&mut self) -> Result<(MessageId, Vec<InstId>)> {
        let message = self.parse_message_id()?;
        let mut args = Vec::new();
        while self.eat(",") {
            args.push(self.parse_inst_id()?);
        }
        Ok((message, args))
    }

    /// Returns true before the definition of an instruction: `%3 =`.
    pub(super) fn is_at_definition(&mut self) -> bool {
        let start = self.at;
        self.eat("%");
        self.take_while(|c| c.is_ascii_digit());
        let definition = self.eat("=");
        self.at = start;
        definition
    }
}

/// Returns the bits of a literal without `0x`, if it is one of type `scalar`.
fn decimal_bits(literal: &str, scalar: Scalar) -> Option<u64> {
    match scalar {
        Scalar::Bool => literal.parse::<bool>().ok().map(u64::from),
        Scalar::I8 => literal.parse::<i8>().ok().map(|value| u64::from(value as u8)),
        Scalar::I16 => literal.parse::<i16>().ok().map(|value| u64::from(value as u16)),
        Scalar::I32 => literal.parse::<i32>().ok().map(|value| u64::from(value as u32)),
        Scalar::I64 => literal.parse::<i64>().ok().map(|value| value as u64),
        Scalar::U8 => literal.parse::<u8>().ok().map(u64::from),
        Scalar::U16 => literal.parse::<u16>().ok().map(u64::from),
        Scalar::U32 => literal.parse::<u32>().ok().map(u64::from),
        Scalar::U64 => literal.parse::<u64>().ok(),
        Scalar::F16 | Scalar::BF16 => {
            let bits = scalar.half()?.round_f64(literal.parse().ok()?);
            scalar.half()?.to_f32(bits).is_finite().then(|| bits.into())
        }
        Scalar::F32 => {
            let value = literal.parse::<f32>().ok()?;
            value.is_finite().then(|| u64::from(value.to_bits()))
        }
        Scalar::F64 => {
            let value = literal.parse::<f64>().ok()?;
            value.is_finite().then(|| value.to_bits())
        }
        Scalar::Generic(_) => None,
    }
}
