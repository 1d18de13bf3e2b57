//! Lowering of tuples, structs, enums and arrays to values.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::{
        EnumValue, Flow, Lowerer, Memory, Place, Pointer, Value, memory::layout::scalar_of_mono,
    },
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{Extent, Length, Scalar, Shared};

impl Lowerer<'_> {
    /// Lowers a tuple, struct or variant; its fields are evaluated in source order.
    pub(crate) fn lower_aggregate(
        &mut self,
        variant: Option<usize>,
        fields: &[(usize, Expr)],
        base: Option<&Expr>,
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let mono = self.mono_type(expr.ty, at)?;
        let mut written = Vec::with_capacity(fields.len());
        for (index, field) in fields {
            written.push((*index, self.lower_value(field)?));
        }
        let base = base.map(|base| self.lower_place(base)).transpose()?;
        match variant {
            None => {
                let Some(types) = self.part_types(&mono, at)? else {
                    return Err(self.report_bug(at));
                };
                let parts = self.order_fields(written, types.len(), base.as_ref(), &mono, at)?;
                if let Mono::Iter(chain, _) = &mono {
                    self.check_chain(*chain, &parts, at)?;
                }
                Ok(Value::Parts(parts.into()))
            }
            Some(variant) => {
                let adt = self.adt_of(&mono, at)?;
                let (Some(tag), Some(types)) = (adt.tag, adt.variants.get(variant)) else {
                    return Err(self.report_bug(at));
                };
                let tag = self.push_int(adt.discriminants[variant], tag, at);
                let values = self.order_fields(written, types.len(), None, &mono, at)?;
                let mut parts: Vec<Option<Vec<Value>>> = vec![None; adt.variants.len()];
                parts[variant] = Some(values);
                Ok(Value::Variants(Rc::new(EnumValue { tag, parts })))
            }
        }
    }

    /// Returns the fields in declaration order; the base supplies those that are not written.
    fn order_fields(
        &mut self,
        written: Vec<(usize, Value)>,
        count: usize,
        base: Option<&Place>,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Vec<Value>> {
        let mut parts: Vec<Option<Value>> = vec![None; count];
        for (index, value) in written {
            parts[index] = Some(value);
        }
        let mut values = Vec::with_capacity(count);
        for (index, part) in parts.into_iter().enumerate() {
            values.push(match (part, base) {
                (Some(value), _) => value,
                (None, Some(base)) => {
                    let place = self.part_place(base, mono, index, at)?;
                    let types = self.part_types(mono, at)?.unwrap_or_default();
                    self.read_place(&place, &types[index], at)?
                }
                (None, None) => return Err(self.report_bug(at)),
            });
        }
        Ok(values)
    }

    /// Returns the default value of a type: zero for numbers, the `#[default]` variant for enums.
    pub(crate) fn default_value(&mut self, mono: &Mono, at: SpanId) -> Flow<Value> {
        if let Mono::Atomic(prim) = mono {
            return Err(self.report_moved_atomic(*prim, at));
        }
        if let Some(scalar) = scalar_of_mono(mono) {
            return Ok(Value::Scalar(self.push_int(0, scalar, at)));
        }
        match mono {
            Mono::Unit => Ok(Value::Unit),
            Mono::Array(elem, len) => {
                let value = self.default_value(elem, at)?;
                let array = self.new_array(mono, "", at)?;
                let len = self.simplify_extent(len, at)?;
                self.fill_elements(&array, &value, elem, &len, at)?;
                Ok(Value::Array(array))
            }
            Mono::Tuple(_) | Mono::Adt(..) => {
                if let Some((callee, given, ret)) =
                    self.find_user_function("Default", "default", mono)
                {
                    return self.call_instance(callee, given, &ret, at, |_| Ok(Vec::new()));
                }
                self.require_derive("Default", mono, at)?;
                if let Some(parts) = self.part_types(mono, at)? {
                    let values = parts.iter().map(|part| self.default_value(part, at));
                    return Ok(Value::Parts(values.collect::<Flow<_>>()?));
                }
                let adt = self.adt_of(mono, at)?;
                let (Some(tag), Some(variant)) = (adt.tag, adt.default) else {
                    return Err(self.report_bug(at));
                };
                let tag = self.push_int(adt.discriminants[variant], tag, at);
                let mut parts: Vec<Option<Vec<Value>>> = vec![None; adt.variants.len()];
                parts[variant] = Some(Vec::new());
                Ok(Value::Variants(Rc::new(EnumValue { tag, parts })))
            }
            Mono::Ref { to, .. } if let Mono::Slice(elem) = &**to => {
                let nothing = Extent::Const(0);
                let array = self.new_array(&Mono::Array(elem.clone(), nothing.clone()), "", at)?;
                let memory = Memory { len: Some(crate::lower::Length::Extent(nothing)), ..array };
                Ok(Value::Ref(Box::new(Place::Memory(memory))))
            }
            Mono::Never
            | Mono::Ref { .. }
            | Mono::Slice(_)
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => Err(self.report_bug(at)),
        }
    }

    /// Lowers `[a, b, c]`.
    pub(crate) fn lower_array(&mut self, values: &[Expr], expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let mono = self.mono_type(expr.ty, at)?;
        let Mono::Array(elem, _) = &mono else { return Err(self.report_bug(at)) };
        let is_row = |value: &Expr| matches!(value.kind, ExprKind::Array(_));
        if values.iter().all(is_row) && self.scalarized_types(&mono, at)?.is_none() {
            let array = self.new_array(&mono, "", at)?;
            self.fill_rows(&array, values, elem, at)?;
            return Ok(Value::Array(array));
        }
        let evaluated =
            values.iter().map(|value| self.lower_value(value)).collect::<Flow<Vec<Value>>>()?;
        if self.scalarized_types(&mono, at)?.is_some() {
            return Ok(Value::Parts(evaluated.into()));
        }
        let array = self.new_array(&mono, "", at)?;
        for (index, value) in evaluated.into_iter().enumerate() {
            let index = self.push_bits(index as u64, Scalar::U64, at);
            let place = self.element_at(&array, index, elem, at)?;
            self.write_place(&Place::Memory(place), value, elem, at)?;
        }
        Ok(Value::Array(array))
    }

    /// Stores the elements of array literals where the rows of `array` are: rows of their own would
    /// be copied, and the optimizer sees no table of constants in what is copied.
    fn fill_rows(&mut self, array: &Memory, values: &[Expr], elem: &Mono, at: SpanId) -> Flow<()> {
        for (index, value) in values.iter().enumerate() {
            let index = self.push_bits(index as u64, Scalar::U64, at);
            let place = self.element_at(array, index, elem, at)?;
            if let (ExprKind::Array(row), Mono::Array(elem, _)) = (&value.kind, elem) {
                self.fill_rows(&place, row, elem, value.at)?;
            } else {
                let value = self.lower_value(value)?;
                self.write_place(&Place::Memory(place), value, elem, at)?;
            }
        }
        Ok(())
    }

    /// Lowers `[value; len]`.
    pub(crate) fn lower_repeat(&mut self, value: &Expr, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let mono = self.mono_type(expr.ty, at)?;
        let Mono::Array(elem, len) = &mono else { return Err(self.report_bug(at)) };
        let value = self.lower_value(value)?;
        if let Some(parts) = self.scalarized_types(&mono, at)? {
            return Ok(Value::Parts(vec![value; parts.len()].into()));
        }
        let array = self.new_array(&mono, "", at)?;
        let len = self.simplify_extent(len, at)?;
        self.fill_elements(&array, &value, elem, &len, at)?;
        Ok(Value::Array(array))
    }

    /// Lowers `shared!`: declares one array for each expansion in a call.
    pub(crate) fn lower_shared(&mut self, name: &str, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let Mono::Ref { to, .. } = self.mono_type(expr.ty, at)? else {
            return Err(self.report_bug(at));
        };
        let arrivals = self.mbarrier_arrivals(&to, at)?;
        let (elem, len) = self.array_elements(&to, at)?;
        let elem = if arrivals.is_some() { Scalar::U64.into() } else { elem };
        let span = self.ir_span(at);
        let name = name.trim_start_matches("r#").to_owned();
        let len = Length::Fixed(strip_unit_factor(len));
        let shared = Shared { name, elem, len, arrivals, span };
        let memory = crate::lower::Memory::new(self.intern_shared(shared, at));
        Ok(Value::Ref(Box::new(Place::Memory(memory))))
    }
}

impl Lowerer<'_> {
    /// Returns the shared array of this location in the current call; declares it on first use.
    pub(crate) fn intern_shared(&mut self, shared: Shared, at: SpanId) -> Pointer {
        let known = self.frame.shared.iter().find(|(known, _)| *known == at).map(|(_, id)| *id);
        Pointer::Shared(known.unwrap_or_else(|| {
            let id = self.build.kernel.shared.push(shared);
            self.frame.shared.push((at, id));
            id
        }))
    }
}

/// Simplifies `1 * n` to `n`.
fn strip_unit_factor(extent: Extent) -> Extent {
    match extent {
        Extent::Mul(a, b) => match (strip_unit_factor(*a), strip_unit_factor(*b)) {
            (Extent::Const(1), other) | (other, Extent::Const(1)) => other,
            (a, b) => Extent::Mul(Box::new(a), Box::new(b)),
        },
        other => other,
    }
}
