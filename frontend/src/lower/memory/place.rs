//! Places: where they are, and the parts of them.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::{
        Emit, Flow, Length, Memory, Place, Pointer, Value, VariantPlaces,
        memory::{
            layout::scalar,
            storage::{placed, tag_type},
        },
    },
    types::{Type, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    id::Id as _,
    ir::{self, Extent, InstId, Op, Scalar, Space},
};

impl Emit<'_> {
    /// What an expression stands for; a value of its own is a place that is not set again.
    pub(crate) fn place(&mut self, expr: &Expr) -> Flow<Place> {
        match &expr.kind {
            ExprKind::Var(var) => {
                let place = self.frame.vars[var.index()].clone();
                place.ok_or_else(|| self.no_variable(expr.at))
            }
            ExprKind::Deref(reference) => match self.value(reference)? {
                Value::Ref(place) => Ok(*place),
                Value::Unit
                | Value::Scalar(_)
                | Value::Parts(_)
                | Value::Variants(_)
                | Value::Array(_)
                | Value::Closure(_) => Err(self.bug(expr.at)),
            },
            ExprKind::Index { base, index } => self.element(base, index, expr),
            ExprKind::Slice { base, ends, inclusive } => {
                self.part_of_slice(base, ends, *inclusive, expr.at)
            }
            ExprKind::Field { base, index } => {
                let place = self.place(base)?;
                let mono = self.mono(base.ty, base.at)?;
                self.part(&place, &mono, *index, expr.at)
            }
            ExprKind::Scoped { atomic, scope } => {
                let Place::Memory(memory) = self.place(atomic)? else {
                    return Err(self.bug(expr.at));
                };
                Ok(Place::Memory(Memory { scope: Some(*scope), ..memory }))
            }
            _ => self.value(expr).map(placed),
        }
    }

    /// A field of a tuple or struct of this type.
    pub(crate) fn part(
        &mut self,
        place: &Place,
        mono: &Mono,
        index: usize,
        at: SpanId,
    ) -> Flow<Place> {
        let part = match place {
            Place::Value(Value::Parts(parts)) => parts.get(index).cloned().map(placed),
            Place::Parts(parts) => parts.get(index).cloned(),
            Place::Memory(memory) => {
                let Some(parts) = self.parts_of(mono, at)? else { return Err(self.bug(at)) };
                let (offsets, _) = self.fields(&parts, at)?;
                offsets.get(index).map(|offset| Place::Memory(self.behind(memory, offset, at)))
            }
            Place::OneOf(places, chosen) => {
                let parts = places.iter().map(|place| self.part(place, mono, index, at));
                Some(Place::OneOf(parts.collect::<Flow<_>>()?, *chosen))
            }
            Place::Value(_)
            | Place::Param(_)
            | Place::Local(_)
            | Place::Variants(_)
            | Place::Reference(_) => None,
        };
        part.ok_or_else(|| self.bug(at))
    }

    /// The parts of a variant of an enum of this type; `None` if it is not that variant.
    pub(crate) fn variant_parts(
        &mut self,
        place: &Place,
        mono: &Mono,
        variant: usize,
        at: SpanId,
    ) -> Flow<Option<Vec<Place>>> {
        match place {
            Place::Value(Value::Variants(variants)) => {
                let parts = variants.parts.get(variant).cloned().flatten();
                Ok(parts.map(|parts| parts.into_iter().map(placed).collect()))
            }
            Place::Variants(variants) => Ok(variants.parts.get(variant).cloned()),
            Place::Memory(memory) => {
                let adt = self.adt(mono, at)?;
                let (Some(tag), Some(fields)) = (adt.tag, adt.variants.get(variant)) else {
                    return Err(self.bug(at));
                };
                if fields.is_empty() {
                    return Ok(Some(Vec::new()));
                }
                let (start, _) = self.enum_layout(&adt, tag, at)?;
                let memory = self.behind(memory, &start, at);
                let (offsets, _) = self.fields(fields, at)?;
                let places = offsets.iter().map(|offset| self.behind(&memory, offset, at));
                Ok(Some(places.map(Place::Memory).collect()))
            }
            Place::OneOf(places, chosen) => self.chosen_parts((places, *chosen), mono, variant, at),
            Place::Value(_)
            | Place::Param(_)
            | Place::Local(_)
            | Place::Parts(_)
            | Place::Reference(_) => Err(self.bug(at)),
        }
    }

    /// Where the discriminant of an enum is.
    pub(crate) fn tag_place(&mut self, place: &Place, at: SpanId) -> Flow<Place> {
        match place {
            Place::Value(Value::Variants(variants)) => {
                Ok(Place::Value(Value::Scalar(variants.tag)))
            }
            Place::Variants(variants) => Ok(variants.tag.clone()),
            Place::Memory(memory) => Ok(Place::Memory(memory.clone())),
            Place::OneOf(places, chosen) => {
                let tags = places.iter().map(|place| self.tag_place(place, at));
                Ok(Place::OneOf(tags.collect::<Flow<_>>()?, *chosen))
            }
            Place::Value(_)
            | Place::Param(_)
            | Place::Local(_)
            | Place::Parts(_)
            | Place::Reference(_) => Err(self.bug(at)),
        }
    }

    /// So many bytes behind.
    pub(crate) fn behind(&mut self, memory: &Memory, offset: &Extent, at: SpanId) -> Memory {
        if *offset == Extent::Const(0) {
            return Memory { len: None, ..memory.clone() };
        }
        let base = self.pointer(memory.ptr, at);
        let ty = self.build.kernel.insts[base].ty;
        let ptr = self.inst(at, Op::Offset { base, offset: offset.clone() }, ty);
        Memory { ptr: Pointer::Inst(ptr), len: None, scope: memory.scope }
    }

    /// `base[index]`, with its check.
    fn element(&mut self, base: &Expr, index: &Expr, expr: &Expr) -> Flow<Place> {
        let place = self.place(base)?;
        if let Type::Adt(item, _) = self.ty(base.ty) {
            return self.lane_of(&place, item, index, expr);
        }
        let value = self.scalar(index)?;
        if let Some(pieces) = self.pieces_of(&place) {
            return Ok(self.piece_at(pieces, value, index.at));
        }
        let Place::Memory(memory) = place else { return Err(self.bug(base.at)) };
        let len = self.memory_length(&memory, base, index.at)?;
        let mono = self.mono(expr.ty, expr.at)?;
        let bounds = Op::Bounds { index: value, len };
        let checked = self.inst(index.at, bounds, Scalar::U64);
        self.nth(&memory, checked, &mono, expr.at).map(Place::Memory)
    }

    /// The element of this type with that number, which is not checked.
    pub(crate) fn nth(
        &mut self,
        memory: &Memory,
        index: InstId,
        elem: &Mono,
        at: SpanId,
    ) -> Flow<Memory> {
        let stride = self.size(elem, at)?;
        let base = self.pointer(memory.ptr, at);
        let ty = self.build.kernel.insts[base].ty;
        let ptr = self.inst(at, Op::Index { base, index, stride }, ty);
        Ok(Memory::at(Pointer::Inst(ptr)))
    }

    /// The number of elements of a place of slice or array type.
    pub(crate) fn length(&mut self, place: &Expr, at: SpanId) -> Flow<InstId> {
        if let Type::Array(_, len) = self.ty(place.ty) {
            let extent = self.extent_of(len, at)?;
            return Ok(self.extent_value(&extent, Scalar::U64, at));
        }
        let found = self.place(place)?;
        if let Some(pieces) = self.pieces_of(&found) {
            return Ok(self.bits(pieces.len() as u64, Scalar::U64, at));
        }
        let Place::Memory(memory) = found else { return Err(self.bug(at)) };
        self.memory_length(&memory, place, at)
    }

    fn memory_length(&mut self, memory: &Memory, place: &Expr, at: SpanId) -> Flow<InstId> {
        let extent = match (self.ty(place.ty), &memory.len) {
            (Type::Array(_, len), _) => self.extent_of(len, at)?,
            (_, Some(Length::Extent(extent))) => extent.clone(),
            (_, Some(Length::Inst(len))) => return Ok(*len),
            (_, Some(Length::Param(param))) => {
                return Ok(self.inst(at, Op::Len(*param), Scalar::U64));
            }
            (_, None) => return Err(self.bug(at)),
        };
        Ok(self.extent_value(&extent, Scalar::U64, at))
    }

    pub(crate) fn pointer(&mut self, pointer: Pointer, at: SpanId) -> InstId {
        match pointer {
            Pointer::Param(param) => self.inst(at, Op::Param(param), ir::Ty::Ptr(Space::Global)),
            Pointer::Shared(id) => self.inst(at, Op::Shared(id), ir::Ty::Ptr(Space::Shared)),
            Pointer::Array(id) => self.inst(at, Op::Array(id), ir::Ty::Ptr(Space::Local)),
            Pointer::Inst(inst) => inst,
        }
    }

    /// `&place`; a reference to a value of its own is one to a variable without a name, if it is
    /// `&mut`.
    pub(crate) fn borrow(&mut self, place: &Expr, expr: &Expr) -> Flow<Value> {
        let mutable = matches!(self.ty(expr.ty), Type::Ref { mutable: true, .. });
        let mut found = self.place(place)?;
        if mutable && let Place::Value(value) = found {
            let mono = self.mono(place.ty, place.at)?;
            found = self.variable(value, &mono, "", place.at)?;
        }
        Ok(Value::Ref(Box::new(found)))
    }

    /// A reference to an array as one to a slice: its length comes along.
    pub(crate) fn unsize(&mut self, array: &Expr) -> Flow<Value> {
        let at = array.at;
        let (Value::Ref(place), Type::Ref { to, .. }) = (self.value(array)?, self.ty(array.ty))
        else {
            return Err(self.bug(at));
        };
        if self.pieces_of(&place).is_some() {
            return Ok(Value::Ref(place));
        }
        let (Place::Memory(memory), Mono::Array(_, len)) = (*place, self.mono(to, at)?) else {
            return Err(self.bug(at));
        };
        let len = Some(Length::Extent(self.extent(&len, at)?));
        Ok(Value::Ref(Box::new(Place::Memory(Memory { len, ..memory }))))
    }

    /// A reference to a slice as one to other elements of the same memory: to so many, or to an array.
    pub(crate) fn reshape(&mut self, slice: &Expr, len: Option<&Expr>) -> Flow<Value> {
        let Value::Ref(place) = self.value(slice)? else { return Err(self.bug(slice.at)) };
        let Place::Memory(memory) = *place else { return Err(self.bug(slice.at)) };
        let len = len.map(|len| self.scalar(len).map(Length::Inst)).transpose()?;
        Ok(Value::Ref(Box::new(Place::Memory(Memory { len, ..memory }))))
    }

    /// What is in a place of this type.
    pub(crate) fn get(&mut self, place: &Place, mono: &Mono, at: SpanId) -> Flow<Value> {
        match place {
            Place::Value(value) => self.with_own_closures(value, at),
            Place::Param(param) => {
                let Some(scalar) = scalar(mono) else { return Err(self.bug(at)) };
                Ok(Value::Scalar(self.inst(at, Op::Param(*param), scalar)))
            }
            Place::Local(local) => {
                let ty = self.build.kernel.locals[*local].ty;
                Ok(Value::Scalar(self.inst(at, Op::Get(*local), ty)))
            }
            Place::Memory(memory) => self.load(memory, mono, at),
            Place::Parts(parts) => {
                let Some(types) = self.parts_of(mono, at)? else { return Err(self.bug(at)) };
                let values = parts.iter().zip(&types).map(|(part, ty)| self.get(part, ty, at));
                Ok(Value::Parts(values.collect::<Flow<_>>()?))
            }
            Place::Variants(places) => self.get_variants(places, mono, at),
            Place::OneOf(places, index) => self.get_one(places, *index, mono, at),
            Place::Reference(place) => self.get_reference(place, mono, at),
        }
    }

    fn get_variants(&mut self, places: &VariantPlaces, mono: &Mono, at: SpanId) -> Flow<Value> {
        let adt = self.adt(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.bug(at)) };
        let Value::Scalar(tag) = self.get(&places.tag, &tag_type(tag), at)? else {
            return Err(self.bug(at));
        };
        let mut parts = Vec::with_capacity(adt.variants.len());
        for (places, types) in places.parts.iter().zip(&adt.variants) {
            let values = places.iter().zip(types).map(|(place, ty)| self.get(place, ty, at));
            parts.push(Some(values.collect::<Flow<Vec<_>>>()?));
        }
        Ok(Value::Variants(Rc::new(crate::lower::Variants { tag, parts })))
    }
}
