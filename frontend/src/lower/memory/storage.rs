//! Storage of values: allocation of variables, assignment, loads and stores.
use crate::{
    hir::SpanId,
    lower::{
        Diverged, EnumPlaces, EnumValue, Flow, Length, Lowerer, Memory, Place, Pointer, Value,
        memory::layout::scalar_of_mono,
    },
    types::{
        Prim, atomic_name,
        iterator::{Adapter, IterKind},
        mono::Mono,
    },
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, Array, Body, CompareOp, Extent, InstId, Op, Scalar};

/// Limit on the elements of arrays that are copied without a loop.
const MAX_UNROLLED_ELEMENTS: u64 = 8;

/// Returns a value as a place that is not assigned again.
pub(crate) fn place_of_value(value: Value) -> Place {
    match value {
        Value::Array(memory) => Place::Memory(memory),
        value => Place::Value(value),
    }
}

/// Returns true if a reference refers to a closure.
fn refers_to_closure(mono: &Mono) -> bool {
    match mono {
        Mono::Ref { to, .. } => refers_to_closure(to),
        Mono::Closure(_) => true,
        Mono::Unit
        | Mono::Never
        | Mono::Prim(_)
        | Mono::Generic(_)
        | Mono::Slice(_)
        | Mono::Array(..)
        | Mono::Atomic(_)
        | Mono::Tuple(_)
        | Mono::Adt(..)
        | Mono::Pointer(_)
        | Mono::Iter(..) => false,
    }
}

/// Returns true if a value contains a `&mut` reference to a place in registers.
fn refers_to_registers(value: &Value, mono: &Mono) -> bool {
    match (value, mono) {
        (Value::Ref(place), Mono::Ref { mutable: true, .. }) => {
            !matches!(**place, Place::Memory(_))
        }
        (Value::Parts(parts), Mono::Array(elem, _)) => {
            parts.iter().any(|part| refers_to_registers(part, elem))
        }
        (Value::Parts(parts), Mono::Tuple(args)) => {
            let types = crate::types::mono::type_args(args);
            parts.iter().zip(&types).any(|(part, ty)| refers_to_registers(part, ty))
        }
        _ => false,
    }
}

impl Lowerer<'_> {
    /// Creates a variable with its first value.
    pub(crate) fn new_variable(
        &mut self,
        value: Value,
        mono: &Mono,
        name: &str,
        at: SpanId,
    ) -> Flow<Place> {
        // The values that need no storage of their own come first; all others are copied into it.
        match value {
            // Nothing else refers to the array: it becomes the variable.
            Value::Array(memory) => {
                self.name_array(&memory, name);
                Ok(Place::Memory(memory))
            }
            Value::Closure(_) => Ok(Place::Value(value)),
            // Each closure has a type of its own, so that the reference never changes.
            Value::Ref(_) if refers_to_closure(mono) => Ok(Place::Value(value)),
            // The same holds for the rest of an iterator, which is in a variable of its own.
            Value::Ref(_) if matches!(mono, Mono::Ref { to, .. } if matches!(**to, Mono::Iter(..))) => {
                Ok(Place::Value(value))
            }
            Value::Parts(_) if matches!(mono, Mono::Iter(IterKind::Adapter(Adapter::ByRef), _)) => {
                Ok(Place::Value(value))
            }
            // A texel has no address that a variable could hold, so that a surface cannot be
            // reassigned.
            Value::Parts(_) if self.is_surface_type(mono) => Ok(Place::Value(value)),
            Value::Ref(ref to) if refers_to_registers(&value, mono) => {
                let place = self.new_reference_to_registers(to, mono, name, at)?;
                Ok(place.unwrap_or(Place::Value(value)))
            }
            // The iterator may contain closures, which are not storable as a whole.
            Value::Parts(parts) if let Mono::Iter(_, types) = mono => {
                self.new_part_variables(&parts, &types[1..], at)
            }
            // Neither closures nor such references are storable; the parts beside them are.
            Value::Parts(ref parts)
                if refers_to_registers(&value, mono)
                    || self.contains(mono, |part| matches!(part, Mono::Closure(_)), at)? =>
            {
                let Some(types) = self.part_types(mono, at)? else {
                    return Err(self.report_bug(at));
                };
                self.new_part_variables(parts, &types, at)
            }
            value => {
                let place = self.allocate(mono, name, at)?;
                self.write_place(&place, value, mono, at)?;
                Ok(place)
            }
        }
    }

    /// Creates variables for the parts of a value.
    fn new_part_variables(&mut self, parts: &[Value], types: &[Mono], at: SpanId) -> Flow<Place> {
        let parts = parts.iter().zip(types);
        let places = parts.map(|(part, ty)| self.new_variable(part.clone(), ty, "", at));
        Ok(Place::Parts(places.collect::<Flow<Vec<_>>>()?.into()))
    }

    fn name_array(&mut self, memory: &Memory, name: &str) {
        if let Pointer::Array(id) = memory.ptr
            && self.build.kernel.arrays[id].name.is_empty()
        {
            name.clone_into(&mut self.build.kernel.arrays[id].name);
        }
    }

    /// Allocates an uninitialized place for a value of this type.
    pub(crate) fn allocate(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        if let Some(scalar) = scalar_of_mono(mono) {
            return Ok(Place::Local(self.new_local(name, scalar, at)));
        }
        match mono {
            Mono::Unit | Mono::Never => Ok(Place::Value(Value::Unit)),
            Mono::Array(..) => match self.scalarized_types(mono, at)? {
                Some(parts) => Ok(Place::Parts(self.allocate_all(&parts, &[], at)?.into())),
                None => self.new_array(mono, name, at).map(Place::Memory),
            },
            Mono::Tuple(_) | Mono::Adt(..) | Mono::Iter(..) => match self.part_types(mono, at)? {
                Some(parts) => {
                    let names = self.part_names(mono, 0, name, at)?;
                    Ok(Place::Parts(self.allocate_all(&parts, &names, at)?.into()))
                }
                None => self.allocate_enum(mono, name, at),
            },
            Mono::Ref { mutable, to } => self.allocate_reference(*mutable, to, name, at),
            Mono::Slice(_) => Err(self.report_no_memory(at)),
            Mono::Closure(_) => {
                self.errors.advise(
                    self.source_range(at),
                    "kernel code cannot choose between closures at run time",
                    "choose between values, or call a closure in each branch",
                );
                Err(Diverged)
            }
            Mono::Prim(_) | Mono::Generic(_) | Mono::Atomic(_) | Mono::Pointer(_) => {
                Err(self.report_bug(at))
            }
        }
    }

    fn allocate_all(&mut self, types: &[Mono], names: &[String], at: SpanId) -> Flow<Vec<Place>> {
        let names = names.iter().map(String::as_str).chain(std::iter::repeat(""));
        types.iter().zip(names).map(|(ty, name)| self.allocate(ty, name, at)).collect()
    }

    fn allocate_enum(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        let adt = self.adt_of(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.report_bug(at)) };
        let tag = Place::Local(self.new_local(name, tag, at));
        let mut parts = Vec::with_capacity(adt.variants.len());
        for (index, types) in adt.variants.iter().enumerate() {
            let names = self.part_names(mono, index, name, at)?;
            parts.push(self.allocate_all(types, &names, at)?);
        }
        Ok(Place::Variants(Rc::new(EnumPlaces { tag, parts })))
    }

    /// Returns the names of a variable's parts.
    pub(crate) fn part_names(
        &mut self,
        mono: &Mono,
        variant: usize,
        name: &str,
        at: SpanId,
    ) -> Flow<Vec<String>> {
        if name.is_empty() {
            return Ok(Vec::new());
        }
        Ok(match mono {
            Mono::Tuple(parts) => (0..parts.len()).map(|index| format!("{name}.{index}")).collect(),
            Mono::Adt(..) => {
                let adt = self.adt_of(mono, at)?;
                let fields = adt.fields.get(variant).into_iter().flatten();
                fields.map(|field| format!("{name}.{field}")).collect()
            }
            _ => Vec::new(),
        })
    }

    /// Declares a thread-private array.
    pub(crate) fn new_array(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Memory> {
        if !self.is_storable(mono, at)? {
            return Err(self.report_no_memory(at));
        }
        let (elem, len) = self.array_elements(mono, at)?;
        let span = self.ir_span(at);
        let name = name.trim_start_matches("r#").to_owned();
        let id = self.build.kernel.arrays.push(Array { name, elem, len, passed: None, span });
        Ok(Memory::new(Pointer::Array(id)))
    }

    /// Writes a value of this type to a place.
    pub(crate) fn write_place(
        &mut self,
        place: &Place,
        value: Value,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        match (place, value) {
            (Place::Local(local), Value::Scalar(value)) => {
                self.push_inst(at, Op::Set { local: *local, value }, ir::Ty::Unit);
                Ok(())
            }
            (Place::Memory(memory), value) => self.store(memory, value, mono, at),
            (Place::Parts(places), Value::Parts(values)) => {
                let Some(types) = self.part_types(mono, at)? else {
                    return Err(self.report_bug(at));
                };
                self.write_parts(places, &values, &types, at)
            }
            (Place::Variants(places), Value::Variants(values)) => {
                let adt = self.adt_of(mono, at)?;
                if let Some(tag) = adt.tag {
                    let tag = tag_type(tag);
                    self.write_place(&places.tag, Value::Scalar(values.tag), &tag, at)?;
                }
                for (index, types) in adt.variants.iter().enumerate() {
                    let Some(Some(parts)) = values.parts.get(index) else { continue };
                    // Reading the referents is valid only if the enum is this variant.
                    let is_guarded = self.reads_references(types, at)?;
                    if is_guarded {
                        let Some(tag) = adt.tag else { return Err(self.report_bug(at)) };
                        let variant = self.push_int(adt.discriminants[index], tag, at);
                        let cond = self.push_compare(CompareOp::Eq, values.tag, variant, at);
                        let op = Op::If { cond, then: Body::default(), other: Body::default() };
                        self.begin_body(at, op, ir::Ty::Unit)?;
                    }
                    let set = self.write_parts(&places.parts[index], parts, types, at);
                    if is_guarded {
                        self.build.end();
                    }
                    set?;
                }
                Ok(())
            }
            (Place::OneOf(places, index), Value::Scalar(value)) => {
                self.write_one_of(places, *index, value, mono, at)
            }
            (Place::OneOf(places, index), value) => {
                self.write_chosen(places, *index, &value, mono, at)
            }
            (Place::Reference(place), Value::Ref(to)) => self.write_reference(place, &to, mono, at),
            // `let unit; unit = ();` assigns nothing.
            (Place::Value(Value::Unit), Value::Unit) => Ok(()),
            (Place::Value(_), _) if matches!(mono, Mono::Iter(..) | Mono::Ref { .. }) => {
                Err(self.report_in_registers(at))
            }
            (Place::Value(_), _) if self.is_surface_type(mono) => {
                self.report_unknown_surface(at);
                Err(Diverged)
            }
            (Place::Value(_), _) => {
                self.errors.advise(
                    self.source_range(at),
                    "this sets a part of a value that nothing keeps",
                    "give the value a name: `let mut value = ..`",
                );
                Err(Diverged)
            }
            _ => Err(self.report_bug(at)),
        }
    }

    fn write_parts(
        &mut self,
        places: &[Place],
        values: &[Value],
        types: &[Mono],
        at: SpanId,
    ) -> Flow<()> {
        for ((place, value), ty) in places.iter().zip(values).zip(types) {
            self.write_place(place, value.clone(), ty, at)?;
        }
        Ok(())
    }

    /// Loads a value of this type from memory.
    pub(crate) fn load(&mut self, memory: &Memory, mono: &Mono, at: SpanId) -> Flow<Value> {
        if let Mono::Atomic(prim) = mono {
            return Err(self.report_moved_atomic(*prim, at));
        }
        if let Some(scalar) = scalar_of_mono(mono) {
            let ptr = self.pointer_inst(memory.ptr, at);
            return Ok(Value::Scalar(self.push_inst(
                at,
                Op::Load { ptr, cache: memory.cache },
                scalar,
            )));
        }
        match mono {
            Mono::Unit => Ok(Value::Unit),
            Mono::Array(elem, len) => {
                let len = self.simplify_extent(len, at)?;
                let copy = self.new_array(mono, "", at)?;
                self.copy_elements(&copy, memory, elem, &len, at)?;
                Ok(Value::Array(copy))
            }
            Mono::Tuple(_) | Mono::Adt(..) => match self.part_types(mono, at)? {
                Some(parts) => {
                    let (offsets, _) = self.field_offsets(&parts, at)?;
                    let mut values = Vec::with_capacity(parts.len());
                    for (part, offset) in parts.iter().zip(&offsets) {
                        let place = self.offset_memory(memory, offset, at);
                        values.push(self.load(&place, part, at)?);
                    }
                    Ok(Value::Parts(values.into()))
                }
                None => self.load_enum(memory, mono, at),
            },
            // An unsized slice can only be referred to.
            Mono::Slice(_) => Ok(Value::Ref(Box::new(Place::Memory(memory.clone())))),
            Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Ref { .. }
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => Err(self.report_bug(at)),
        }
    }

    /// Reports a copy or move of an atomic: atomics stay in buffers and in shared memory.
    pub(crate) fn report_moved_atomic(&mut self, prim: Prim, at: SpanId) -> Diverged {
        self.errors.advise(
            self.source_range(at),
            format_args!("kernel code cannot make, copy or move an `{}`", atomic_name(prim)),
            "refer to one in a buffer or in shared memory with `&`, take its value with `load`, and give it another with `store`: a struct of them field by field, `slot.count.store(0, Ordering::Relaxed)`",
        );
        Diverged
    }

    fn load_enum(&mut self, memory: &Memory, mono: &Mono, at: SpanId) -> Flow<Value> {
        let adt = self.adt_of(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.report_bug(at)) };
        let ptr = self.pointer_inst(memory.ptr, at);
        let tag = self.push_inst(at, Op::Load { ptr, cache: memory.cache }, tag);
        let place = Place::Memory(memory.clone());
        let mut all = Vec::with_capacity(adt.variants.len());
        for (index, types) in adt.variants.iter().enumerate() {
            let parts = self.variant_parts(&place, mono, index, at)?.unwrap_or_default();
            let values = parts.iter().zip(types).map(|(part, ty)| self.read_place(part, ty, at));
            all.push(Some(values.collect::<Flow<Vec<_>>>()?));
        }
        Ok(Value::Variants(Rc::new(EnumValue { tag, parts: all })))
    }

    fn store(&mut self, memory: &Memory, value: Value, mono: &Mono, at: SpanId) -> Flow<()> {
        match (mono, value) {
            (_, Value::Scalar(value)) => {
                let ptr = self.pointer_inst(memory.ptr, at);
                self.push_inst(at, Op::Store { ptr, value, cache: memory.cache }, ir::Ty::Unit);
                Ok(())
            }
            (Mono::Array(elem, len), Value::Array(from)) => {
                let len = self.simplify_extent(len, at)?;
                self.copy_elements(memory, &from, elem, &len, at)
            }
            (_, Value::Parts(values)) => {
                let Some(parts) = self.part_types(mono, at)? else {
                    return Err(self.report_bug(at));
                };
                let (offsets, _) = self.field_offsets(&parts, at)?;
                for ((value, ty), offset) in values.iter().zip(&parts).zip(&offsets) {
                    let place = self.offset_memory(memory, offset, at);
                    self.store(&place, value.clone(), ty, at)?;
                }
                Ok(())
            }
            (_, Value::Variants(values)) => self.store_enum(memory, &values, mono, at),
            (_, Value::Unit) => Ok(()),
            (_, Value::Ref(_) | Value::Closure(_) | Value::Array(_)) => Err(self.report_bug(at)),
        }
    }

    /// Stores an enum. The variants' fields share their bytes, so that only those of the actual
    /// variant are stored.
    fn store_enum(
        &mut self,
        memory: &Memory,
        value: &EnumValue,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let adt = self.adt_of(mono, at)?;
        let Some(scalar) = adt.tag else { return Err(self.report_bug(at)) };
        let ptr = self.pointer_inst(memory.ptr, at);
        self.push_inst(at, Op::Store { ptr, value: value.tag, cache: memory.cache }, ir::Ty::Unit);
        let place = Place::Memory(memory.clone());
        let possible = value.parts.iter().flatten().filter(|parts| !parts.is_empty()).count();
        for (index, types) in adt.variants.iter().enumerate() {
            let Some(Some(parts)) = value.parts.get(index) else { continue };
            if parts.is_empty() {
                continue;
            }
            if possible > 1 {
                let variant = self.push_int(adt.discriminants[index], scalar, at);
                let cond = self.push_compare(CompareOp::Eq, value.tag, variant, at);
                let op = Op::If { cond, then: Body::default(), other: Body::default() };
                self.begin_body(at, op, ir::Ty::Unit)?;
            }
            let stored = self.store_variant(&place, index, parts, types, mono, at);
            if possible > 1 {
                self.build.end();
            }
            stored?;
        }
        Ok(())
    }

    fn store_variant(
        &mut self,
        place: &Place,
        index: usize,
        values: &[Value],
        types: &[Mono],
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let places = self.variant_parts(place, mono, index, at)?.unwrap_or_default();
        self.write_parts(&places, values, types, at)
    }

    /// Copies `len` elements of this type.
    pub(crate) fn copy_elements(
        &mut self,
        to: &Memory,
        from: &Memory,
        elem: &Mono,
        len: &Extent,
        at: SpanId,
    ) -> Flow<()> {
        self.for_each_index(len, at, |this, index| {
            let (from, to) =
                (this.element_at(from, index, elem, at)?, this.element_at(to, index, elem, at)?);
            if let Mono::Array(inner, len) = elem {
                let len = this.simplify_extent(len, at)?;
                return this.copy_elements(&to, &from, inner, &len, at);
            }
            let value = this.load(&from, elem, at)?;
            this.store(&to, value, elem, at)
        })
    }

    /// Stores the same value into `len` elements of this type.
    pub(crate) fn fill_elements(
        &mut self,
        to: &Memory,
        value: &Value,
        elem: &Mono,
        len: &Extent,
        at: SpanId,
    ) -> Flow<()> {
        self.for_each_index(len, at, |this, index| {
            let place = this.element_at(to, index, elem, at)?;
            this.store(&place, value.clone(), elem, at)
        })
    }

    /// Runs `each` for every index below `len`: unrolled if there are few, in a loop otherwise.
    pub(crate) fn for_each_index(
        &mut self,
        len: &Extent,
        at: SpanId,
        mut each: impl FnMut(&mut Self, InstId) -> Flow<()>,
    ) -> Flow<()> {
        if let Some(len @ ..=MAX_UNROLLED_ELEMENTS) = len.known() {
            for index in 0..len {
                let index = self.push_bits(index, Scalar::U64, at);
                each(self, index)?;
            }
            return Ok(());
        }
        let start = self.push_bits(0, Scalar::U64, at);
        let end = self.lower_extent(len, Scalar::U64, at);
        let step = self.push_bits(1, Scalar::U64, at);
        let op = Op::For { start, end, step, inclusive: false, body: Body::default() };
        let index = self.begin_body(at, op, Scalar::U64)?;
        let done = each(self, index);
        self.build.end();
        done
    }

    /// Returns the number of elements of a slice in memory.
    pub(crate) fn slice_length(&mut self, memory: &Memory, at: SpanId) -> Flow<InstId> {
        match &memory.len {
            Some(Length::Extent(extent)) => {
                let extent = extent.clone();
                Ok(self.lower_extent(&extent, Scalar::U64, at))
            }
            Some(Length::Inst(len)) => Ok(*len),
            Some(Length::Param(param)) => Ok(self.push_inst(at, Op::Len(*param), Scalar::U64)),
            None => Err(self.report_bug(at)),
        }
    }
}

/// Returns the type of a discriminant.
pub(crate) fn tag_type(tag: Scalar) -> Mono {
    Mono::Prim(match tag {
        Scalar::Bool => Prim::Bool,
        Scalar::I8 => Prim::I8,
        Scalar::I16 | Scalar::F16 | Scalar::BF16 => Prim::I16,
        Scalar::I32 | Scalar::F32 | Scalar::Generic(_) => Prim::I32,
        Scalar::I64 | Scalar::F64 => Prim::I64,
        Scalar::U8 => Prim::U8,
        Scalar::U16 => Prim::U16,
        Scalar::U32 => Prim::U32,
        Scalar::U64 => Prim::U64,
    })
}
