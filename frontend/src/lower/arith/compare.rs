//! Lowering of `==` and `<` on composite values.
use crate::{
    hir::SpanId,
    infer::program::Adt,
    lower::{EnumValue, Flow, Lowerer, Memory, Place, Value},
    types::mono::Mono,
};
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, LocalId, Op, Scalar};

impl Lowerer<'_> {
    /// Compares two values of this type for equality.
    pub(crate) fn lower_eq(
        &mut self,
        a: &Value,
        b: &Value,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<InstId> {
        if let Some(own) = self.find_user_function("PartialEq", "eq", mono) {
            return match self.call_comparison(own, [a, b], at)? {
                Value::Scalar(same) => Ok(same),
                _ => Err(self.report_bug(at)),
            };
        }
        self.require_comparison("PartialEq", mono, at)?;
        match (a, b) {
            (Value::Unit, Value::Unit) => Ok(self.push_bits(1, Scalar::Bool, at)),
            (Value::Scalar(a), Value::Scalar(b)) => {
                Ok(self.push_compare(CompareOp::Eq, *a, *b, at))
            }
            (Value::Parts(a), Value::Parts(b)) => {
                let types = self.part_types(mono, at)?.unwrap_or_default();
                self.lower_eq_parts(a, b, &types, at)
            }
            (Value::Variants(a), Value::Variants(b)) => {
                let adt = self.adt_of(mono, at)?;
                let Some(scalar) = adt.tag else { return Err(self.report_bug(at)) };
                let mut same = self.push_compare(CompareOp::Eq, a.tag, b.tag, at);
                for (tag, types, [mine, theirs]) in common_variants(&adt, a, b) {
                    if types.is_empty() {
                        continue;
                    }
                    let tag = self.push_int(tag, scalar, at);
                    let other = self.push_compare(CompareOp::Ne, a.tag, tag, at);
                    // User code and references must only run or be read if the variant matches;
                    // other fields are compared unconditionally, which needs no branch.
                    let needs_branch = self.any_has_user_impl("PartialEq", types, at)?
                        || self.contain_references(types, at)?;
                    let equal = if needs_branch {
                        let variant = self.push_not(other, at);
                        let both = self.push_binary(BinaryOp::And, same, variant, Scalar::Bool, at);
                        self.lower_eq_if(both, at, |this| {
                            this.lower_eq_parts(mine, theirs, types, at)
                        })?
                    } else {
                        self.lower_eq_parts(mine, theirs, types, at)?
                    };
                    let holds = self.push_binary(BinaryOp::Or, other, equal, Scalar::Bool, at);
                    same = self.push_binary(BinaryOp::And, same, holds, Scalar::Bool, at);
                }
                Ok(same)
            }
            (Value::Array(a), Value::Array(b)) => self.lower_eq_arrays(a, b, mono, at),
            (Value::Ref(a), Value::Ref(b)) => {
                let Mono::Ref { to, .. } = mono else { return Err(self.report_bug(at)) };
                if let Mono::Slice(elem) = &**to {
                    return self.lower_eq_slices(a, b, elem, at);
                }
                let (a, b) = (self.read_place(a, to, at)?, self.read_place(b, to, at)?);
                self.lower_eq(&a, &b, to, at)
            }
            _ => Err(self.report_bug(at)),
        }
    }

    fn lower_eq_parts(
        &mut self,
        a: &[Value],
        b: &[Value],
        types: &[Mono],
        at: SpanId,
    ) -> Flow<InstId> {
        let mut all = None;
        for ((a, b), ty) in a.iter().zip(b).zip(types) {
            all = Some(match all {
                Some(all) if self.has_user_impl("PartialEq", ty, at)? => {
                    self.lower_eq_if(all, at, |this| this.lower_eq(a, b, ty, at))?
                }
                Some(all) => {
                    let same = self.lower_eq(a, b, ty, at)?;
                    self.push_binary(BinaryOp::And, all, same, Scalar::Bool, at)
                }
                None => self.lower_eq(a, b, ty, at)?,
            });
        }
        Ok(all.unwrap_or_else(|| self.push_bits(1, Scalar::Bool, at)))
    }

    fn lower_eq_arrays(&mut self, a: &Memory, b: &Memory, mono: &Mono, at: SpanId) -> Flow<InstId> {
        let Mono::Array(elem, len) = mono else { return Err(self.report_bug(at)) };
        let len = self.simplify_extent(len, at)?;
        let local = self.new_local("", Scalar::Bool, at);
        let value = self.push_bits(1, Scalar::Bool, at);
        self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        self.for_each_index(&len, at, |this, index| {
            this.and_elements_eq(local, [a, b], index, elem, at)
        })?;
        Ok(self.push_inst(at, Op::Get(local), Scalar::Bool))
    }

    /// Compares slices for equality: their elements only if the lengths are equal.
    fn lower_eq_slices(&mut self, a: &Place, b: &Place, elem: &Mono, at: SpanId) -> Flow<InstId> {
        let (Place::Memory(a), Place::Memory(b)) = (a, b) else { return Err(self.report_bug(at)) };
        let (end, other) = (self.slice_length(a, at)?, self.slice_length(b, at)?);
        let value = self.push_compare(CompareOp::Eq, end, other, at);
        let local = self.new_local("", Scalar::Bool, at);
        self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        let (start, step) =
            (self.push_bits(0, Scalar::U64, at), self.push_bits(1, Scalar::U64, at));
        // If the lengths differ, the loop is empty and the result stays false.
        let end = self.push_select(value, end, start, Scalar::U64, at);
        let op = Op::For { start, end, step, inclusive: false, body: Body::default() };
        let index = self.begin_body(at, op, Scalar::U64)?;
        let done = self.and_elements_eq(local, [a, b], index, elem, at);
        self.build.end();
        done?;
        Ok(self.push_inst(at, Op::Get(local), Scalar::Bool))
    }

    /// Conjoins `local` with the equality of the elements at `index`.
    fn and_elements_eq(
        &mut self,
        local: LocalId,
        [a, b]: [&Memory; 2],
        index: InstId,
        elem: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let same = |this: &mut Self| {
            let (a, b) =
                (this.element_at(a, index, elem, at)?, this.element_at(b, index, elem, at)?);
            let (a, b) = (this.load(&a, elem, at)?, this.load(&b, elem, at)?);
            this.lower_eq(&a, &b, elem, at)
        };
        let value = if self.has_user_impl("PartialEq", elem, at)? {
            let before = self.push_inst(at, Op::Get(local), Scalar::Bool);
            self.lower_eq_if(before, at, same)?
        } else {
            let same = same(self)?;
            let before = self.push_inst(at, Op::Get(local), Scalar::Bool);
            self.push_binary(BinaryOp::And, before, same, Scalar::Bool, at)
        };
        self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        Ok(())
    }

    /// Lowers `a < b` and the like: the first parts that differ decide.
    pub(crate) fn lower_ordered(
        &mut self,
        op: CompareOp,
        a: &Value,
        b: &Value,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<InstId> {
        if self.has_user_impl("PartialOrd", mono, at)? {
            let order = self.lower_order(a, b, mono, false, at)?;
            return Ok(self.compare_order(op, order, at));
        }
        let (a, b) = if self.is_reverse(mono) { (b, a) } else { (a, b) };
        match (a, b) {
            (Value::Unit, Value::Unit) => {
                let same = matches!(op, CompareOp::Le | CompareOp::Ge);
                Ok(self.push_bits(u64::from(same), Scalar::Bool, at))
            }
            (Value::Scalar(a), Value::Scalar(b)) => Ok(self.push_compare(op, *a, *b, at)),
            (Value::Parts(a), Value::Parts(b)) => {
                let types = self.part_types(mono, at)?.unwrap_or_default();
                self.lower_ordered_parts(op, a, b, &types, at)
            }
            (Value::Variants(a), Value::Variants(b)) => {
                let adt = self.adt_of(mono, at)?;
                let Some(scalar) = adt.tag else { return Err(self.report_bug(at)) };
                let strict = strict_form(op);
                let mut result = self.push_compare(strict, a.tag, b.tag, at);
                let same = self.push_compare(CompareOp::Eq, a.tag, b.tag, at);
                for (tag, types, [mine, theirs]) in common_variants(&adt, a, b) {
                    let tag = self.push_int(tag, scalar, at);
                    let this = self.push_compare(CompareOp::Eq, a.tag, tag, at);
                    let this = self.push_binary(BinaryOp::And, this, same, Scalar::Bool, at);
                    let holds = if self.contain_references(types, at)? {
                        self.lower_eq_if(this, at, |this| {
                            this.lower_ordered_parts(op, mine, theirs, types, at)
                        })?
                    } else {
                        let inner = self.lower_ordered_parts(op, mine, theirs, types, at)?;
                        self.push_binary(BinaryOp::And, this, inner, Scalar::Bool, at)
                    };
                    result = self.push_binary(BinaryOp::Or, result, holds, Scalar::Bool, at);
                }
                Ok(result)
            }
            (Value::Array(a), Value::Array(b)) => self.lower_ordered_arrays(op, [a, b], mono, at),
            (Value::Ref(a), Value::Ref(b)) => {
                let Mono::Ref { to, .. } = mono else { return Err(self.report_bug(at)) };
                if let Mono::Slice(_) = &**to {
                    self.errors.advise(
                        self.source_range(at),
                        "kernel code cannot order slices that are parts of other values",
                        "compare the slices themselves: `a < b`",
                    );
                    return Err(crate::lower::Diverged);
                }
                let (a, b) = (self.read_place(a, to, at)?, self.read_place(b, to, at)?);
                self.lower_ordered(op, &a, &b, to, at)
            }
            _ => Err(self.report_bug(at)),
        }
    }

    /// Returns true if a type is std's `Reverse`, whose content is compared in the opposite order.
    pub(crate) fn is_reverse(&self, mono: &Mono) -> bool {
        matches!(mono, Mono::Adt(item, _) if self.program.std_item("Reverse") == Some(*item))
    }

    /// Compares arrays from the last element to the first: each element decides, or defers to those
    /// after it.
    fn lower_ordered_arrays(
        &mut self,
        op: CompareOp,
        [a, b]: [&Memory; 2],
        mono: &Mono,
        at: SpanId,
    ) -> Flow<InstId> {
        let Mono::Array(elem, len) = mono else { return Err(self.report_bug(at)) };
        let len = self.simplify_extent(len, at)?;
        let local = self.new_local("", Scalar::Bool, at);
        let value = self.lower_ordered(op, &Value::Unit, &Value::Unit, &Mono::Unit, at)?;
        self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        let one = self.push_bits(1, Scalar::U64, at);
        let count = self.lower_extent(&len, Scalar::U64, at);
        let last = self.push_binary(BinaryOp::Sub, count, one, Scalar::U64, at);
        self.for_each_index(&len, at, |this, index| {
            let index = this.push_binary(BinaryOp::Sub, last, index, Scalar::U64, at);
            let (a, b) =
                (this.element_at(a, index, elem, at)?, this.element_at(b, index, elem, at)?);
            let (a, b) = (this.load(&a, elem, at)?, this.load(&b, elem, at)?);
            let before = this.lower_ordered(strict_form(op), &a, &b, elem, at)?;
            let same = this.lower_eq(&a, &b, elem, at)?;
            let rest = this.push_inst(at, Op::Get(local), Scalar::Bool);
            let then = this.push_binary(BinaryOp::And, same, rest, Scalar::Bool, at);
            let value = this.push_binary(BinaryOp::Or, before, then, Scalar::Bool, at);
            this.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
            Ok(())
        })?;
        Ok(self.push_inst(at, Op::Get(local), Scalar::Bool))
    }

    fn lower_ordered_parts(
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
                None => self.lower_ordered(op, a, b, ty, at)?,
                Some(rest) => {
                    let before = self.lower_ordered(strict_form(op), a, b, ty, at)?;
                    let same = self.lower_eq(a, b, ty, at)?;
                    let then = self.push_binary(BinaryOp::And, same, rest, Scalar::Bool, at);
                    self.push_binary(BinaryOp::Or, before, then, Scalar::Bool, at)
                }
            });
        }
        match rest {
            Some(rest) => Ok(rest),
            None => self.lower_ordered(op, &Value::Unit, &Value::Unit, &Mono::Unit, at),
        }
    }
}

/// Returns the variants that both values may be: the discriminant, the types of the fields, and the
/// fields of both values.
pub(crate) fn common_variants<'v>(
    adt: &'v Adt,
    a: &'v EnumValue,
    b: &'v EnumValue,
) -> impl Iterator<Item = (i128, &'v [Mono], [&'v [Value]; 2])> {
    let variants = adt.discriminants.iter().zip(&adt.variants);
    variants.zip(a.parts.iter().zip(&b.parts)).filter_map(|((discriminant, types), (a, b))| {
        Some((*discriminant, types.as_slice(), [a.as_deref()?, b.as_deref()?]))
    })
}

/// Returns the strict form of a comparison.
const fn strict_form(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Le | CompareOp::Lt => CompareOp::Lt,
        CompareOp::Ge | CompareOp::Gt => CompareOp::Gt,
        CompareOp::Eq | CompareOp::Ne => op,
    }
}
