//! `==` and `<` of what has parts.
use crate::{
    hir::SpanId,
    infer::program::Adt,
    lower::{Emit, Flow, Memory, Place, Value, Variants},
    types::mono::Mono,
};
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, LocalId, Op, Scalar};

impl Emit<'_> {
    /// Whether two values of this type are the same.
    pub(crate) fn same(&mut self, a: &Value, b: &Value, mono: &Mono, at: SpanId) -> Flow<InstId> {
        if let Some(own) = self.own_comparison("PartialEq", "eq", mono) {
            return match self.compared_by(own, [a, b], at)? {
                Value::Scalar(same) => Ok(same),
                _ => Err(self.bug(at)),
            };
        }
        match (a, b) {
            (Value::Unit, Value::Unit) => Ok(self.bits(1, Scalar::Bool, at)),
            (Value::Scalar(a), Value::Scalar(b)) => Ok(self.compare(CompareOp::Eq, *a, *b, at)),
            (Value::Parts(a), Value::Parts(b)) => {
                let types = self.parts_of(mono, at)?.unwrap_or_default();
                self.all_same(a, b, &types, at)
            }
            (Value::Variants(a), Value::Variants(b)) => {
                let adt = self.adt(mono, at)?;
                let Some(scalar) = adt.tag else { return Err(self.bug(at)) };
                let mut same = self.compare(CompareOp::Eq, a.tag, b.tag, at);
                for (tag, types, [mine, theirs]) in in_common(&adt, a, b) {
                    if types.is_empty() {
                        continue;
                    }
                    let tag = self.int(tag, scalar, at);
                    let other = self.compare(CompareOp::Ne, a.tag, tag, at);
                    let alone = self.has_own_among("PartialEq", types, at)?
                        || self.have_references(types, at)?;
                    let equal = if alone {
                        let variant = self.not(other, at);
                        let both = self.binary_op(BinaryOp::And, same, variant, Scalar::Bool, at);
                        self.same_behind(both, at, |this| this.all_same(mine, theirs, types, at))?
                    } else {
                        self.all_same(mine, theirs, types, at)?
                    };
                    let holds = self.binary_op(BinaryOp::Or, other, equal, Scalar::Bool, at);
                    same = self.binary_op(BinaryOp::And, same, holds, Scalar::Bool, at);
                }
                Ok(same)
            }
            (Value::Array(a), Value::Array(b)) => self.same_arrays(a, b, mono, at),
            (Value::Ref(a), Value::Ref(b)) => {
                let Mono::Ref { to, .. } = mono else { return Err(self.bug(at)) };
                if let Mono::Slice(elem) = &**to {
                    return self.same_slices(a, b, elem, at);
                }
                let (a, b) = (self.get(a, to, at)?, self.get(b, to, at)?);
                self.same(&a, &b, to, at)
            }
            _ => Err(self.bug(at)),
        }
    }

    fn all_same(&mut self, a: &[Value], b: &[Value], types: &[Mono], at: SpanId) -> Flow<InstId> {
        let mut all = None;
        for ((a, b), ty) in a.iter().zip(b).zip(types) {
            all = Some(match all {
                Some(all) if self.has_own("PartialEq", ty, at)? => {
                    self.same_behind(all, at, |this| this.same(a, b, ty, at))?
                }
                Some(all) => {
                    let same = self.same(a, b, ty, at)?;
                    self.binary_op(BinaryOp::And, all, same, Scalar::Bool, at)
                }
                None => self.same(a, b, ty, at)?,
            });
        }
        Ok(all.unwrap_or_else(|| self.bits(1, Scalar::Bool, at)))
    }

    fn same_arrays(&mut self, a: &Memory, b: &Memory, mono: &Mono, at: SpanId) -> Flow<InstId> {
        let Mono::Array(elem, len) = mono else { return Err(self.bug(at)) };
        let len = self.extent(len, at)?;
        let local = self.local("", Scalar::Bool, at);
        let value = self.bits(1, Scalar::Bool, at);
        self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        self.each(&len, at, |this, index| this.same_elements(local, [a, b], index, elem, at))?;
        Ok(self.inst(at, Op::Get(local), Scalar::Bool))
    }

    /// Elements are compared only if the slices are as long as each other.
    fn same_slices(&mut self, a: &Place, b: &Place, elem: &Mono, at: SpanId) -> Flow<InstId> {
        let (Place::Memory(a), Place::Memory(b)) = (a, b) else { return Err(self.bug(at)) };
        let (end, other) = (self.slice_length(a, at)?, self.slice_length(b, at)?);
        let value = self.compare(CompareOp::Eq, end, other, at);
        let local = self.local("", Scalar::Bool, at);
        self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        let (start, step) = (self.bits(0, Scalar::U64, at), self.bits(1, Scalar::U64, at));
        let end = self.select(value, end, start, Scalar::U64, at);
        let op = Op::For { start, end, step, inclusive: false, body: Body::default() };
        let index = self.begin(at, op, Scalar::U64)?;
        let done = self.same_elements(local, [a, b], index, elem, at);
        self.build.end();
        done?;
        Ok(self.inst(at, Op::Get(local), Scalar::Bool))
    }

    /// Keeps in `local` whether the elements at `index` are the same, too.
    fn same_elements(
        &mut self,
        local: LocalId,
        [a, b]: [&Memory; 2],
        index: InstId,
        elem: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let same = |this: &mut Self| {
            let (a, b) = (this.nth(a, index, elem, at)?, this.nth(b, index, elem, at)?);
            let (a, b) = (this.load(&a, elem, at)?, this.load(&b, elem, at)?);
            this.same(&a, &b, elem, at)
        };
        let value = if self.has_own("PartialEq", elem, at)? {
            let before = self.inst(at, Op::Get(local), Scalar::Bool);
            self.same_behind(before, at, same)?
        } else {
            let same = same(self)?;
            let before = self.inst(at, Op::Get(local), Scalar::Bool);
            self.binary_op(BinaryOp::And, before, same, Scalar::Bool, at)
        };
        self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        Ok(())
    }

    /// `a < b` and its kin: the first parts that differ decide.
    pub(crate) fn ordered(
        &mut self,
        op: CompareOp,
        a: &Value,
        b: &Value,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<InstId> {
        if self.has_own("PartialOrd", mono, at)? {
            let order = self.order(a, b, mono, false, at)?;
            return Ok(self.ordered_by(op, order, at));
        }
        let (a, b) = if self.is_reverse(mono) { (b, a) } else { (a, b) };
        match (a, b) {
            (Value::Unit, Value::Unit) => {
                let same = matches!(op, CompareOp::Le | CompareOp::Ge);
                Ok(self.bits(u64::from(same), Scalar::Bool, at))
            }
            (Value::Scalar(a), Value::Scalar(b)) => Ok(self.compare(op, *a, *b, at)),
            (Value::Parts(a), Value::Parts(b)) => {
                let types = self.parts_of(mono, at)?.unwrap_or_default();
                self.ordered_parts_of(op, a, b, &types, at)
            }
            (Value::Variants(a), Value::Variants(b)) => {
                let adt = self.adt(mono, at)?;
                let Some(scalar) = adt.tag else { return Err(self.bug(at)) };
                let strict = strictly(op);
                let mut result = self.compare(strict, a.tag, b.tag, at);
                let same = self.compare(CompareOp::Eq, a.tag, b.tag, at);
                for (tag, types, [mine, theirs]) in in_common(&adt, a, b) {
                    let tag = self.int(tag, scalar, at);
                    let this = self.compare(CompareOp::Eq, a.tag, tag, at);
                    let this = self.binary_op(BinaryOp::And, this, same, Scalar::Bool, at);
                    let holds = if self.have_references(types, at)? {
                        self.same_behind(this, at, |this| {
                            this.ordered_parts_of(op, mine, theirs, types, at)
                        })?
                    } else {
                        let inner = self.ordered_parts_of(op, mine, theirs, types, at)?;
                        self.binary_op(BinaryOp::And, this, inner, Scalar::Bool, at)
                    };
                    result = self.binary_op(BinaryOp::Or, result, holds, Scalar::Bool, at);
                }
                Ok(result)
            }
            (Value::Array(a), Value::Array(b)) => self.ordered_arrays(op, [a, b], mono, at),
            (Value::Ref(a), Value::Ref(b)) => {
                let Mono::Ref { to, .. } = mono else { return Err(self.bug(at)) };
                if let Mono::Slice(_) = &**to {
                    self.errors.advise(
                        self.range(at),
                        "kernel code cannot order slices that are parts of other values",
                        "compare the slices themselves: `a < b`",
                    );
                    return Err(crate::lower::Left);
                }
                let (a, b) = (self.get(a, to, at)?, self.get(b, to, at)?);
                self.ordered(op, &a, &b, to, at)
            }
            _ => Err(self.bug(at)),
        }
    }

    /// Whether a type is std's `Reverse`, whose part is compared the other way round.
    pub(crate) fn is_reverse(&self, mono: &Mono) -> bool {
        matches!(mono, Mono::Adt(item, _) if self.program.std_item("Reverse") == Some(*item))
    }

    /// From the last elements to the first: each decides, or leaves it to those behind it.
    fn ordered_arrays(
        &mut self,
        op: CompareOp,
        [a, b]: [&Memory; 2],
        mono: &Mono,
        at: SpanId,
    ) -> Flow<InstId> {
        let Mono::Array(elem, len) = mono else { return Err(self.bug(at)) };
        let len = self.extent(len, at)?;
        let local = self.local("", Scalar::Bool, at);
        let value = self.ordered(op, &Value::Unit, &Value::Unit, &Mono::Unit, at)?;
        self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        let one = self.bits(1, Scalar::U64, at);
        let count = self.extent_value(&len, Scalar::U64, at);
        let last = self.binary_op(BinaryOp::Sub, count, one, Scalar::U64, at);
        self.each(&len, at, |this, index| {
            let index = this.binary_op(BinaryOp::Sub, last, index, Scalar::U64, at);
            let (a, b) = (this.nth(a, index, elem, at)?, this.nth(b, index, elem, at)?);
            let (a, b) = (this.load(&a, elem, at)?, this.load(&b, elem, at)?);
            let before = this.ordered(strictly(op), &a, &b, elem, at)?;
            let same = this.same(&a, &b, elem, at)?;
            let rest = this.inst(at, Op::Get(local), Scalar::Bool);
            let then = this.binary_op(BinaryOp::And, same, rest, Scalar::Bool, at);
            let value = this.binary_op(BinaryOp::Or, before, then, Scalar::Bool, at);
            this.inst(at, Op::Set { local, value }, ir::Ty::Unit);
            Ok(())
        })?;
        Ok(self.inst(at, Op::Get(local), Scalar::Bool))
    }

    fn ordered_parts_of(
        &mut self,
        op: CompareOp,
        a: &[Value],
        b: &[Value],
        types: &[Mono],
        at: SpanId,
    ) -> Flow<InstId> {
        let mut rest = None;
        for ((a, b), ty) in a.iter().zip(b).zip(types).rev() {
            rest = Some(match rest {
                None => self.ordered(op, a, b, ty, at)?,
                Some(rest) => {
                    let before = self.ordered(strictly(op), a, b, ty, at)?;
                    let same = self.same(a, b, ty, at)?;
                    let then = self.binary_op(BinaryOp::And, same, rest, Scalar::Bool, at);
                    self.binary_op(BinaryOp::Or, before, then, Scalar::Bool, at)
                }
            });
        }
        match rest {
            Some(rest) => Ok(rest),
            None => self.ordered(op, &Value::Unit, &Value::Unit, &Mono::Unit, at),
        }
    }
}

/// The variants that two values may both be: of each its discriminant, the types of its parts, and what both have of them.
pub(crate) fn in_common<'v>(
    adt: &'v Adt,
    a: &'v Variants,
    b: &'v Variants,
) -> impl Iterator<Item = (i128, &'v [Mono], [&'v [Value]; 2])> {
    let variants = adt.discriminants.iter().zip(&adt.variants);
    variants.zip(a.parts.iter().zip(&b.parts)).filter_map(|((discriminant, types), (a, b))| {
        Some((*discriminant, types.as_slice(), [a.as_deref()?, b.as_deref()?]))
    })
}

/// The comparison without equality.
const fn strictly(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Le | CompareOp::Lt => CompareOp::Lt,
        CompareOp::Ge | CompareOp::Gt => CompareOp::Gt,
        CompareOp::Eq | CompareOp::Ne => op,
    }
}
