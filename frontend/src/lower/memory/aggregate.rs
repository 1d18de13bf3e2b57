//! Tuples, structs, enums and arrays as values.
use crate::{
    hir::{Expr, SpanId},
    lower::{Emit, Flow, Memory, Place, Pointer, Value, Variants, memory::layout::scalar},
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{Extent, Length, Scalar, Shared};

impl Emit<'_> {
    /// A tuple, struct or variant, its fields evaluated in the order in which they are written.
    pub(crate) fn aggregate(
        &mut self,
        variant: Option<usize>,
        fields: &[(usize, Expr)],
        base: Option<&Expr>,
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let mono = self.mono(expr.ty, at)?;
        let mut written = Vec::with_capacity(fields.len());
        for (index, field) in fields {
            written.push((*index, self.value(field)?));
        }
        let base = base.map(|base| self.place(base)).transpose()?;
        match variant {
            None => {
                let Some(types) = self.parts_of(&mono, at)? else { return Err(self.bug(at)) };
                let parts = self.ordered_parts(written, types.len(), base.as_ref(), &mono, at)?;
                if let Mono::Iter(chain, _) = &mono {
                    self.check_chain(*chain, &parts, at)?;
                }
                Ok(Value::Parts(parts.into()))
            }
            Some(variant) => {
                let adt = self.adt(&mono, at)?;
                let (Some(tag), Some(types)) = (adt.tag, adt.variants.get(variant)) else {
                    return Err(self.bug(at));
                };
                let tag = self.int(adt.discriminants[variant], tag, at);
                let values = self.ordered_parts(written, types.len(), None, &mono, at)?;
                let mut parts: Vec<Option<Vec<Value>>> = vec![None; adt.variants.len()];
                parts[variant] = Some(values);
                Ok(Value::Variants(Rc::new(Variants { tag, parts })))
            }
        }
    }

    /// Fields in the order of their declaration; those that are not written are the base's.
    fn ordered_parts(
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
                    let place = self.part(base, mono, index, at)?;
                    let types = self.parts_of(mono, at)?.unwrap_or_default();
                    self.get(&place, &types[index], at)?
                }
                (None, None) => return Err(self.bug(at)),
            });
        }
        Ok(values)
    }

    /// The default value of a type: zero of numbers, of an enum the variant that says so.
    pub(crate) fn default_value(&mut self, mono: &Mono, at: SpanId) -> Flow<Value> {
        if let Mono::Atomic(prim) = mono {
            return Err(self.unmoved(*prim, at));
        }
        if let Some(scalar) = scalar(mono) {
            return Ok(Value::Scalar(self.int(0, scalar, at)));
        }
        match mono {
            Mono::Unit => Ok(Value::Unit),
            Mono::Array(elem, len) => {
                let value = self.default_value(elem, at)?;
                let array = self.array(mono, "", at)?;
                let len = self.extent(len, at)?;
                self.fill(&array, &value, elem, &len, at)?;
                Ok(Value::Array(array))
            }
            Mono::Tuple(_) | Mono::Adt(..) => {
                if let Some(parts) = self.parts_of(mono, at)? {
                    let values = parts.iter().map(|part| self.default_value(part, at));
                    return Ok(Value::Parts(values.collect::<Flow<_>>()?));
                }
                let adt = self.adt(mono, at)?;
                let (Some(tag), Some(variant)) = (adt.tag, adt.default) else {
                    return Err(self.bug(at));
                };
                let tag = self.int(adt.discriminants[variant], tag, at);
                let mut parts: Vec<Option<Vec<Value>>> = vec![None; adt.variants.len()];
                parts[variant] = Some(Vec::new());
                Ok(Value::Variants(Rc::new(Variants { tag, parts })))
            }
            Mono::Ref { to, .. } if let Mono::Slice(elem) = &**to => {
                let nothing = Extent::Const(0);
                let array = self.array(&Mono::Array(elem.clone(), nothing.clone()), "", at)?;
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
            | Mono::Iter(..) => Err(self.bug(at)),
        }
    }

    /// `[a, b, c]`
    pub(crate) fn array_of(&mut self, values: &[Expr], expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let mono = self.mono(expr.ty, at)?;
        let Mono::Array(elem, _) = &mono else { return Err(self.bug(at)) };
        let evaluated =
            values.iter().map(|value| self.value(value)).collect::<Flow<Vec<Value>>>()?;
        if self.apart(&mono, at)?.is_some() {
            return Ok(Value::Parts(evaluated.into()));
        }
        let array = self.array(&mono, "", at)?;
        for (index, value) in evaluated.into_iter().enumerate() {
            let index = self.bits(index as u64, Scalar::U64, at);
            let place = self.nth(&array, index, elem, at)?;
            self.set(&Place::Memory(place), value, elem, at)?;
        }
        Ok(Value::Array(array))
    }

    /// `[value; len]`
    pub(crate) fn repeated(&mut self, value: &Expr, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let mono = self.mono(expr.ty, at)?;
        let Mono::Array(elem, len) = &mono else { return Err(self.bug(at)) };
        let value = self.value(value)?;
        if let Some(parts) = self.apart(&mono, at)? {
            return Ok(Value::Parts(vec![value; parts.len()].into()));
        }
        let array = self.array(&mono, "", at)?;
        let len = self.extent(len, at)?;
        self.fill(&array, &value, elem, &len, at)?;
        Ok(Value::Array(array))
    }

    /// One array for each time that a `shared!` is emitted.
    pub(crate) fn shared(&mut self, name: &str, expr: &Expr) -> Flow<Value> {
        let at = expr.at;
        let Mono::Ref { to, .. } = self.mono(expr.ty, at)? else { return Err(self.bug(at)) };
        let (elem, len) = self.elements(&to, at)?;
        let span = self.span(at);
        let name = name.trim_start_matches("r#").to_owned();
        let shared = Shared { name, elem, len: Length::Fixed(tidy(len)), span };
        let memory = crate::lower::Memory::at(self.shared_at(shared, at));
        Ok(Value::Ref(Box::new(Place::Memory(memory))))
    }
}

impl Emit<'_> {
    /// The shared memory of this place in the call at hand.
    pub(crate) fn shared_at(&mut self, shared: Shared, at: SpanId) -> Pointer {
        let known = self.frame.shared.iter().find(|(known, _)| *known == at).map(|(_, id)| *id);
        Pointer::Shared(known.unwrap_or_else(|| {
            let id = self.build.kernel.shared.push(shared);
            self.frame.shared.push((at, id));
            id
        }))
    }
}

/// `1 * n` as `n`.
fn tidy(extent: Extent) -> Extent {
    match extent {
        Extent::Mul(a, b) => match (tidy(*a), tidy(*b)) {
            (Extent::Const(1), other) | (other, Extent::Const(1)) => other,
            (a, b) => Extent::Mul(Box::new(a), Box::new(b)),
        },
        other => other,
    }
}
