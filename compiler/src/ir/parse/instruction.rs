//! Instructions, with the bodies that they hold.
use super::{
    super::{
        AtomicOp, BarrierOp, BinaryOp, Body, Builtin, CacheLevel, CacheOp, CompareOp, Fault, Inst,
        InstId, MatchOp, MessageId, MmaOp, MulAddForm, Op, Order, ReduceOp, Scalar, Scope,
        ShuffleOp, Span, TernaryOp, TextureOp, Ty, UnaryOp, VoteOp, names::Named,
    },
    At, Parser, Result,
};
use crate::id::Id;

impl<'t> Parser<'t> {
    /// Instructions up to the closing brace, which it takes.
    pub(super) fn rest_of_body(&mut self) -> Result<Body> {
        self.bodies = self.deeper(self.bodies)?;
        let mut list = Vec::new();
        while !self.eat("}") {
            list.push(self.inst()?);
        }
        self.bodies -= 1;
        Ok(Body(list))
    }

    pub(super) fn inst(&mut self) -> Result<InstId> {
        let (at, id) = self.id::<InstId>("%", "an instruction such as `%3 = ..`, or `}`")?;
        self.expect("=")?;
        let mut inst = self.head()?;
        for (index, body) in inst.op.bodies_mut().enumerate() {
            if index == 0 || self.eat_keyword("else") {
                self.expect("{")?;
                *body = self.rest_of_body()?;
            }
        }
        self.insts.push((at, id, inst));
        Ok(id)
    }

    /// An instruction without the bodies that it holds.
    pub(super) fn head(&mut self) -> Result<Inst> {
        let (at, word) = self.word();
        if word == "const" {
            let (at, literal) = self.literal();
            if literal.is_empty() {
                return Err(self.expected("a constant"));
            }
            let (ty, span) = self.ty_and_span()?;
            return Ok(Inst { op: Op::Const(self.bits(at, literal, ty)?), ty, span });
        }
        let op = self.op(at, word)?;
        let (ty, span) = self.ty_and_span()?;
        Ok(Inst { op, ty, span })
    }

    pub(super) fn ty_and_span(&mut self) -> Result<(Ty, Span)> {
        let ty = if self.eat(":") { self.ty()? } else { Ty::Unit };
        Ok((ty, self.span()?))
    }

    /// The longest text that may be a literal.
    pub(super) fn literal(&mut self) -> (At, &'t str) {
        self.skip();
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
    pub(super) fn bits(&self, at: At, literal: &str, ty: Ty) -> Result<u64> {
        let bits = if let Some(hex) = literal.strip_prefix("0x") {
            u64::from_str_radix(hex, 16).ok()
        } else if let Ty::Scalar(scalar) = ty {
            decimal(literal, scalar)
        } else {
            None
        };
        bits.ok_or_else(|| self.error(at, format!("`{literal}` is no constant of type `{ty}`")))
    }

    /// The operation that `word` names, with its operands and empty bodies.
    pub(super) fn op(&mut self, at: At, word: &str) -> Result<Op> {
        if let Some(op) = UnaryOp::from_name(word) {
            return Ok(Op::Unary { op, value: self.inst_id()? });
        }
        if let Some(op) = BinaryOp::from_name(word) {
            let [lhs, rhs] = self.values()?;
            return Ok(Op::Binary { op, lhs, rhs });
        }
        if let Some(op) = TernaryOp::from_name(word) {
            let [a, b, c] = self.values()?;
            return Ok(Op::Ternary { op, a, b, c });
        }
        if let Some(op) = CompareOp::from_name(word) {
            let [lhs, rhs] = self.values()?;
            return Ok(Op::Compare { op, lhs, rhs });
        }
        let (head, suffix) = word.split_once('.').unwrap_or((word, ""));
        let suffix_at = at + word.len() - suffix.len();
        match head {
            "load" | "store" | "prefetch" | "named_barrier" | "mul_add" | "barrier" | "fence"
            | "shuffle" | "vote" | "match" | "reduce" | "mma" | "distribute_rows" | "texture"
            | "atomic_load" | "atomic_store" | "atomic" | "compare_exchange" => {
                self.suffixed(head, suffix_at, suffix)
            }
            _ => self.plain(at, word),
        }
    }

    /// An operation whose name has no variants.
    pub(super) fn plain(&mut self, at: At, word: &str) -> Result<Op> {
        Ok(match word {
            "generic" => Op::Generic(self.generic_id()?),
            "param" => Op::Param(self.param_id()?),
            "len" => Op::Len(self.param_id()?),
            "shared" => Op::Shared(self.shared_id()?),
            "array" => Op::Array(self.array_id()?),
            "builtin" => Op::Builtin(self.named::<Builtin>("a builtin such as `thread_idx.x`")?),
            "cast" => Op::Cast { value: self.inst_id()? },
            "bitcast" => Op::Bitcast { value: self.inst_id()? },
            "select" => {
                let [cond, then, other] = self.values()?;
                Op::Select { cond, then, other }
            }
            "fma" => {
                let [a, b, c] = self.values()?;
                Op::Fma { a, b, c }
            }
            "index" => {
                let [base, index] = self.values()?;
                self.expect(",")?;
                Op::Index { base, index, stride: self.extent()? }
            }
            "offset" => {
                let base = self.inst_id()?;
                self.expect(",")?;
                Op::Offset { base, offset: self.extent()? }
            }
            "map_shared" => {
                let [ptr, rank] = self.values()?;
                Op::MapShared { ptr, rank }
            }
            "bounds" => {
                let [index, len] = self.values()?;
                Op::Bounds { index, len }
            }
            "check" => {
                let cond = self.inst_id()?;
                self.expect(",")?;
                Op::Check { cond, fault: self.named::<Fault>("a fault such as `divide_by_zero`")? }
            }
            "get" => Op::Get(self.local_id()?),
            "set" => {
                let local = self.local_id()?;
                self.expect(",")?;
                Op::Set { local, value: self.inst_id()? }
            }
            "async_copy" => {
                let [to, from] = self.values()?;
                self.expect(",")?;
                Op::AsyncCopy { to, from, bytes: self.extent()? }
            }
            "bulk_copy" => {
                let [to, from] = self.values()?;
                self.expect(",")?;
                let bytes = self.extent()?;
                self.expect(",")?;
                Op::BulkCopy { to, from, bytes, barrier: self.inst_id()? }
            }
            "async_commit" => Op::AsyncCommit,
            "async_wait" => Op::AsyncWait { pending: self.extent()? },
            "sync_warp" => {
                self.skip();
                let masked = self.rest().starts_with('%') && !self.at_definition();
                Op::SyncWarp { mask: if masked { Some(self.inst_id()?) } else { None } }
            }
            "mbarrier_arrive" => Op::MBarrierArrive { barrier: self.inst_id()? },
            "mbarrier_wait" => {
                let [barrier, phase] = self.values()?;
                Op::MBarrierWait { barrier, phase }
            }
            "sync_grid" => Op::SyncGrid,
            "sync_cluster" => Op::SyncCluster,
            "active_mask" => Op::ActiveMask,
            "if" => Op::If { cond: self.inst_id()?, then: Body::default(), other: Body::default() },
            "for" => self.range()?,
            "loop" => Op::Loop { body: Body::default() },
            "block" => Op::Block { body: Body::default() },
            "break" => Op::Break(self.inst_id()?),
            "continue" => Op::Continue(self.inst_id()?),
            "return" => Op::Return,
            "panic" => {
                let (message, args) = self.said()?;
                Op::Panic { message, args }
            }
            "print" => {
                let (message, args) = self.said()?;
                Op::Print { message, args }
            }
            _ => {
                self.at = at;
                return Err(self.expected("an operation"));
            }
        })
    }

    /// The cache operator of a load or store, if it has one.
    fn cache_op(&mut self, at: At, suffix: &str) -> Result<Option<CacheOp>> {
        if suffix.is_empty() {
            return Ok(None);
        }
        self.named_in::<CacheOp>(at, suffix, "a cache operator such as `cs`").map(Some)
    }

    /// An operation whose name is followed by dots and variants.
    pub(super) fn suffixed(&mut self, head: &str, at: At, suffix: &str) -> Result<Op> {
        Ok(match head {
            "load" => {
                let cache = self.cache_op(at, suffix)?;
                Op::Load { ptr: self.inst_id()?, cache }
            }
            "store" => {
                let cache = self.cache_op(at, suffix)?;
                let [ptr, value] = self.values()?;
                Op::Store { ptr, value, cache }
            }
            "prefetch" => {
                let level = self.named_in::<CacheLevel>(at, suffix, "`l1` or `l2`")?;
                Op::Prefetch { ptr: self.inst_id()?, level }
            }
            "mul_add" => {
                let form =
                    self.named_in::<MulAddForm>(at, suffix, "`add`, `sub`, `from` or `neg`")?;
                let [a, b, c] = self.values()?;
                Op::MulAdd { form, a, b, c }
            }
            "barrier" if suffix.is_empty() => Op::Barrier { reduce: None },
            "barrier" => {
                let op = self.named_in::<BarrierOp>(at, suffix, "`count`, `and` or `or`")?;
                Op::Barrier { reduce: Some((op, self.inst_id()?)) }
            }
            "named_barrier" => {
                let waits = match suffix {
                    "sync" => true,
                    "arrive" => false,
                    _ => {
                        self.at = at;
                        return Err(self.expected("`sync` or `arrive`"));
                    }
                };
                let id = self.extent()?;
                self.expect(",")?;
                Op::NamedBarrier { waits, id, threads: self.extent()? }
            }
            "fence" => Op::Fence { scope: self.scope(at, suffix)? },
            "shuffle" => {
                let op =
                    self.named_in::<ShuffleOp>(at, suffix, "`index`, `up`, `down` or `xor`")?;
                let [value, lane] = self.values()?;
                self.expect(",")?;
                self.keyword("width")?;
                Op::Shuffle { op, value, lane, width: self.extent()?, mask: self.mask()? }
            }
            "vote" => {
                let op = self.named_in::<VoteOp>(at, suffix, "`all`, `any` or `ballot`")?;
                Op::Vote { op, value: self.inst_id()?, mask: self.mask()? }
            }
            "match" => {
                let op = self.named_in::<MatchOp>(at, suffix, "`any` or `all`")?;
                Op::Match { op, value: self.inst_id()?, mask: self.mask()? }
            }
            "reduce" => {
                let op = self.named_in::<ReduceOp>(at, suffix, "a reduction such as `add`")?;
                Op::Reduce { op, value: self.inst_id()?, mask: self.mask()? }
            }
            "mma" => {
                let Some(op) = MmaOp::from_name(suffix) else {
                    self.at = at;
                    return Err(self.expected("a product such as `m16n8k16.f32.f16.f16`"));
                };
                let (args, word) = self.words()?;
                Op::Mma { op, args, word }
            }
            "distribute_rows" => {
                let transposed = match suffix {
                    "" => false,
                    "transposed" => true,
                    _ => {
                        self.at = at;
                        return Err(self.expected("`transposed`"));
                    }
                };
                let (args, word) = self.words()?;
                Op::DistributeRows { transposed, args, word }
            }
            "texture" => {
                let Some(op) = TextureOp::from_name(suffix) else {
                    self.at = at;
                    return Err(self.expected("a read such as `2d.sample.f32`"));
                };
                let texture = self.param_id()?;
                self.expect(",")?;
                let (args, word) = self.words()?;
                Op::Texture { op, texture, args, word }
            }
            _ => self.atomic(head, at, suffix)?,
        })
    }

    /// An atomic operation: `atomic.add.relaxed.device` and the like.
    pub(super) fn atomic(&mut self, head: &str, at: At, suffix: &str) -> Result<Op> {
        let (op, at, suffix) = if head == "atomic" {
            let (op, rest) = suffix.split_once('.').unwrap_or((suffix, ""));
            let op = self.named_in::<AtomicOp>(at, op, "an update such as `add`")?;
            (op, at + suffix.len() - rest.len(), rest)
        } else {
            (AtomicOp::Swap, at, suffix)
        };
        let (order, scope) = suffix.split_once('.').unwrap_or((suffix, ""));
        let scope_at = at + suffix.len() - scope.len();
        let order = self.named_in::<Order>(at, order, "an ordering such as `relaxed`")?;
        let scope = self.scope(scope_at, scope)?;
        Ok(match head {
            "atomic_load" => Op::AtomicLoad { ptr: self.inst_id()?, order, scope },
            "atomic_store" => {
                let [ptr, value] = self.values()?;
                Op::AtomicStore { ptr, value, order, scope }
            }
            "atomic" => {
                let [ptr, value] = self.values()?;
                Op::Atomic { op, ptr, value, order, scope }
            }
            _ => {
                let [ptr, expected, value] = self.values()?;
                Op::CompareExchange { ptr, expected, value, order, scope }
            }
        })
    }

    pub(super) fn scope(&mut self, at: At, word: &str) -> Result<Scope> {
        self.named_in(at, word, "`block`, `device` or `system`")
    }

    /// `%a, %b, step %c`, behind `for`.
    pub(super) fn range(&mut self) -> Result<Op> {
        let inclusive = self.eat_keyword("inclusive");
        let [start, end] = self.values()?;
        self.expect(",")?;
        self.keyword("step")?;
        Ok(Op::For { start, end, step: self.inst_id()?, inclusive, body: Body::default() })
    }

    pub(super) fn mask(&mut self) -> Result<Option<InstId>> {
        if !self.eat(",") {
            return Ok(None);
        }
        self.keyword("mask")?;
        self.inst_id().map(Some)
    }

    /// Operands, separated by commas.
    pub(super) fn values<const N: usize>(&mut self) -> Result<[InstId; N]> {
        let mut values = [InstId::new(0); N];
        for (index, value) in values.iter_mut().enumerate() {
            if index > 0 {
                self.expect(",")?;
            }
            *value = self.inst_id()?;
        }
        Ok(values)
    }

    /// `%1, %2, word 3`
    pub(super) fn words(&mut self) -> Result<(Vec<InstId>, u8)> {
        let mut args = Vec::new();
        while !self.eat_keyword("word") {
            args.push(self.inst_id()?);
            self.expect(",")?;
        }
        Ok((args, self.number()?))
    }

    /// `msg0, %1, %2`
    pub(super) fn said(&mut self) -> Result<(MessageId, Vec<InstId>)> {
        let message = self.message_id()?;
        let mut args = Vec::new();
        while self.eat(",") {
            args.push(self.inst_id()?);
        }
        Ok((message, args))
    }

    /// True before `%3 =`.
    pub(super) fn at_definition(&mut self) -> bool {
        let start = self.at;
        self.eat("%");
        self.take(|c| c.is_ascii_digit());
        let definition = self.eat("=");
        self.at = start;
        definition
    }
}

/// The bits of a literal without `0x`, if it is one of type `scalar`.
fn decimal(literal: &str, scalar: Scalar) -> Option<u64> {
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
