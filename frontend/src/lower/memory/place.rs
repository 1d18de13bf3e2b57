//! Lowering of place expressions, reads of places, and their parts.
use crate::{
    hir::{Expr, ExprKind, SpanId},
    lower::{
        EnumPlaces, Flow, Length, Lowerer, Memory, Place, Pointer, Value,
        memory::{
            layout::scalar_of_mono,
            storage::{place_of_value, tag_type},
        },
    },
    types::{Type, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    id::Id as _,
    ir::{self, Extent, InstId, Op, Root, Scalar, Space},
};

impl Lowerer<'_> {
    /// Lowers an expression to its place; a temporary is a place that is not assigned again.
    pub(crate) fn lower_place(&mut self, expr: &Expr) -> Flow<Place> {
        match &expr.kind {
            ExprKind::Var(var) => {
                let place = self.frame.vars[var.index()].clone();
                place.ok_or_else(|| self.report_missing_variable(expr.at))
            }
            ExprKind::Deref(reference) => match self.lower_value(reference)? {
                Value::Ref(place) => Ok(*place),
                Value::Unit
                | Value::Scalar(_)
                | Value::Parts(_)
                | Value::Variants(_)
                | Value::Array(_)
                | Value::Closure(_) => Err(self.report_bug(expr.at)),
            },
            ExprKind::Index { base, index } => self.lower_index(base, index, expr),
            ExprKind::Slice { base, ends, inclusive } => {
                self.lower_subslice(base, ends, *inclusive, expr.at)
            }
            ExprKind::Field { base, index } => {
                let place = self.lower_place(base)?;
                let mono = self.mono_type(base.ty, base.at)?;
                self.part_place(&place, &mono, *index, expr.at)
            }
            ExprKind::Scoped { atomic, scope } => {
                let Place::Memory(memory) = self.lower_place(atomic)? else {
                    return Err(self.report_bug(expr.at));
                };
                Ok(Place::Memory(Memory { scope: Some(*scope), ..memory }))
            }
            _ => self.lower_value(expr).map(place_of_value),
        }
    }

    /// Returns the place of a field of a tuple or struct of this type.
    pub(crate) fn part_place(
        &mut self,
        place: &Place,
        mono: &Mono,
        index: usize,
        at: SpanId,
    ) -> Flow<Place> {
        let part = match place {
            Place::Value(Value::Parts(parts)) => parts.get(index).cloned().map(place_of_value),
            Place::Parts(parts) => parts.get(index).cloned(),
            Place::Memory(memory) => {
                let Some(parts) = self.part_types(mono, at)? else {
                    return Err(self.report_bug(at));
                };
                let (offsets, _) = self.field_offsets(&parts, at)?;
                offsets
                    .get(index)
                    .map(|offset| Place::Memory(self.offset_memory(memory, offset, at)))
            }
            Place::OneOf(places, chosen) => {
                let parts = places.iter().map(|place| self.part_place(place, mono, index, at));
                let parts = parts.collect::<Flow<_>>()?;
                let types = self.part_types(mono, at)?;
                let Some(ty) = types.as_ref().and_then(|types| types.get(index)) else {
                    return Err(self.report_bug(at));
                };
                Some(self.choose_place(parts, *chosen, ty, at)?)
            }
            Place::Value(_)
            | Place::Param(_)
            | Place::Local(_)
            | Place::Variants(_)
            | Place::Reference(_) => None,
        };
        part.ok_or_else(|| self.report_bug(at))
    }

    /// Returns the places of a variant's fields; `None` if the enum cannot be that variant.
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
                Ok(parts.map(|parts| parts.into_iter().map(place_of_value).collect()))
            }
            Place::Variants(variants) => Ok(variants.parts.get(variant).cloned()),
            Place::Memory(memory) => {
                let adt = self.adt_of(mono, at)?;
                let (Some(tag), Some(fields)) = (adt.tag, adt.variants.get(variant)) else {
                    return Err(self.report_bug(at));
                };
                if fields.is_empty() {
                    return Ok(Some(Vec::new()));
                }
                let (start, _) = self.enum_layout(&adt, tag, at)?;
                let memory = self.offset_memory(memory, &start, at);
                let (offsets, _) = self.field_offsets(fields, at)?;
                let places = offsets.iter().map(|offset| self.offset_memory(&memory, offset, at));
                Ok(Some(places.map(Place::Memory).collect()))
            }
            Place::OneOf(places, chosen) => {
                self.one_of_variant_parts((places, *chosen), mono, variant, at)
            }
            Place::Value(_)
            | Place::Param(_)
            | Place::Local(_)
            | Place::Parts(_)
            | Place::Reference(_) => Err(self.report_bug(at)),
        }
    }

    /// Returns the place of an enum's discriminant.
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
            | Place::Reference(_) => Err(self.report_bug(at)),
        }
    }

    /// Returns the memory at this offset.
    pub(crate) fn offset_memory(&mut self, memory: &Memory, offset: &Extent, at: SpanId) -> Memory {
        if *offset == Extent::Const(0) {
            return Memory { len: None, ..memory.clone() };
        }
        let base = self.pointer_inst(memory.ptr, at);
        let ty = self.build.kernel.insts[base].ty;
        let ptr = self.push_inst(at, Op::Offset { base, offset: offset.clone() }, ty);
        Memory { ptr: Pointer::Inst(ptr), len: None, ..memory.clone() }
    }

    /// Lowers `base[index]`, with its bounds check.
    fn lower_index(&mut self, base: &Expr, index: &Expr, expr: &Expr) -> Flow<Place> {
        let place = self.lower_place(base)?;
        if let Type::Adt(item, _) = self.type_of(base.ty) {
            return self.lower_lane_index(&place, item, index, expr);
        }
        let value = self.lower_scalar(index)?;
        if let Some(pieces) = self.scalarized_elements(&place) {
            return Ok(self.checked_element(pieces, value, index.at));
        }
        let Place::Memory(memory) = place else { return Err(self.report_bug(base.at)) };
        let len = self.memory_length(&memory, base, index.at)?;
        let mono = self.mono_type(expr.ty, expr.at)?;
        let bounds = Op::Bounds { index: value, len };
        let checked = self.push_inst(index.at, bounds, Scalar::U64);
        self.element_at(&memory, checked, &mono, expr.at).map(Place::Memory)
    }

    /// Returns the element at this index, without a bounds check.
    pub(crate) fn element_at(
        &mut self,
        memory: &Memory,
        index: InstId,
        elem: &Mono,
        at: SpanId,
    ) -> Flow<Memory> {
        let stride = self.stride_of(elem, at)?;
        let base = self.pointer_inst(memory.ptr, at);
        let ty = self.build.kernel.insts[base].ty;
        let ptr = self.push_inst(at, Op::Index { base, index, stride }, ty);
        Ok(Memory { cache: memory.cache, ..Memory::new(Pointer::Inst(ptr)) })
    }

    /// Returns the number of elements of a place of slice or array type.
    pub(crate) fn lower_length(&mut self, place: &Expr, at: SpanId) -> Flow<InstId> {
        if let Type::Array(_, len) = self.type_of(place.ty) {
            let extent = self.simplify_len(len, at)?;
            return Ok(self.lower_extent(&extent, Scalar::U64, at));
        }
        let found = self.lower_place(place)?;
        if let Some(pieces) = self.scalarized_elements(&found) {
            return Ok(self.push_bits(pieces.len() as u64, Scalar::U64, at));
        }
        let Place::Memory(memory) = found else { return Err(self.report_bug(at)) };
        self.memory_length(&memory, place, at)
    }

    fn memory_length(&mut self, memory: &Memory, place: &Expr, at: SpanId) -> Flow<InstId> {
        let extent = match (self.type_of(place.ty), &memory.len) {
            (Type::Array(_, len), _) => self.simplify_len(len, at)?,
            (_, Some(Length::Extent(extent))) => extent.clone(),
            (_, Some(Length::Inst(len))) => return Ok(*len),
            (_, Some(Length::Param(param))) => {
                return Ok(self.push_inst(at, Op::Len(*param), Scalar::U64));
            }
            (_, None) => return Err(self.report_bug(at)),
        };
        Ok(self.lower_extent(&extent, Scalar::U64, at))
    }

    pub(crate) fn pointer_inst(&mut self, pointer: Pointer, at: SpanId) -> InstId {
        match pointer {
            Pointer::Param(param) => {
                if self.is_texture(param) {
                    self.report_unknown_texture(at);
                }
                if self.is_tensor_map(param) {
                    self.report_unknown_tensor_map(at);
                }
                let space = self.build.kernel.space_of_root(Root::Param(param));
                self.push_inst(at, Op::Param(param), ir::Ty::Ptr(space))
            }
            Pointer::Shared(id) => self.push_inst(at, Op::Shared(id), ir::Ty::Ptr(Space::Shared)),
            Pointer::Array(id) => self.push_inst(at, Op::Array(id), ir::Ty::Ptr(Space::Local)),
            Pointer::Inst(inst) => inst,
        }
    }

    /// Lowers `&place`. A `&mut` reference to a temporary refers to an unnamed variable.
    pub(crate) fn lower_borrow(&mut self, place: &Expr, expr: &Expr) -> Flow<Value> {
        let mutable = matches!(self.type_of(expr.ty), Type::Ref { mutable: true, .. });
        let mut found = self.lower_place(place)?;
        if mutable {
            let mono = self.mono_type(place.ty, place.at)?;
            found = self.make_changeable(found, &mono, place.at)?;
        }
        Ok(Value::Ref(Box::new(found)))
    }

    /// Returns a place that keeps what is assigned through a `&mut` to it: a new variable for a
    /// value that has no place.
    pub(crate) fn make_changeable(&mut self, place: Place, mono: &Mono, at: SpanId) -> Flow<Place> {
        match place {
            Place::Value(value) => self.new_variable(value, mono, "", at),
            kept => Ok(kept),
        }
    }

    /// Converts a reference to an array into one to a slice, which carries its length.
    pub(crate) fn lower_unsize(&mut self, array: &Expr) -> Flow<Value> {
        let at = array.at;
        let (Value::Ref(place), Type::Ref { to, .. }) =
            (self.lower_value(array)?, self.type_of(array.ty))
        else {
            return Err(self.report_bug(at));
        };
        if self.scalarized_elements(&place).is_some() {
            return Ok(Value::Ref(place));
        }
        let (Place::Memory(memory), Mono::Array(_, len)) = (*place, self.mono_type(to, at)?) else {
            return Err(self.report_bug(at));
        };
        let len = Some(Length::Extent(self.simplify_extent(&len, at)?));
        Ok(Value::Ref(Box::new(Place::Memory(Memory { len, ..memory }))))
    }

    /// Converts a reference to a slice into one to other elements of the same memory: to `len`
    /// elements, or to an array.
    pub(crate) fn lower_reshape(&mut self, slice: &Expr, len: Option<&Expr>) -> Flow<Value> {
        let Value::Ref(place) = self.lower_value(slice)? else {
            return Err(self.report_bug(slice.at));
        };
        let Place::Memory(memory) = *place else { return Err(self.report_bug(slice.at)) };
        let len = len.map(|len| self.lower_scalar(len).map(Length::Inst)).transpose()?;
        Ok(Value::Ref(Box::new(Place::Memory(Memory { len, ..memory }))))
    }

    /// Reads a place of this type.
    pub(crate) fn read_place(&mut self, place: &Place, mono: &Mono, at: SpanId) -> Flow<Value> {
        match place {
            Place::Value(value) => self.copy_captures(value, at),
            Place::Param(param) => {
                let Some(scalar) = scalar_of_mono(mono) else { return Err(self.report_bug(at)) };
                Ok(Value::Scalar(self.push_inst(at, Op::Param(*param), scalar)))
            }
            Place::Local(local) => {
                let ty = self.build.kernel.locals[*local].ty;
                Ok(Value::Scalar(self.push_inst(at, Op::Get(*local), ty)))
            }
            Place::Memory(memory) => self.load(memory, mono, at),
            Place::Parts(parts) => {
                let Some(types) = self.part_types(mono, at)? else {
                    return Err(self.report_bug(at));
                };
                let values =
                    parts.iter().zip(&types).map(|(part, ty)| self.read_place(part, ty, at));
                Ok(Value::Parts(values.collect::<Flow<_>>()?))
            }
            Place::Variants(places) => self.read_enum(places, mono, at),
            Place::OneOf(places, index) => self.read_one_of(places, *index, mono, at),
            Place::Reference(place) => self.read_reference(place, mono, at),
        }
    }

    fn read_enum(&mut self, places: &EnumPlaces, mono: &Mono, at: SpanId) -> Flow<Value> {
        let adt = self.adt_of(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.report_bug(at)) };
        let Value::Scalar(tag) = self.read_place(&places.tag, &tag_type(tag), at)? else {
            return Err(self.report_bug(at));
        };
        let mut parts = Vec::with_capacity(adt.variants.len());
        for (places, types) in places.parts.iter().zip(&adt.variants) {
            let values = places.iter().zip(types).map(|(place, ty)| self.read_place(place, ty, at));
            parts.push(Some(values.collect::<Flow<Vec<_>>>()?));
        }
        Ok(Value::Variants(Rc::new(crate::lower::EnumValue { tag, parts })))
    }
}
