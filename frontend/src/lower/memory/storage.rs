//! Variables: making room for values, setting them, and values in memory.
use crate::{
    hir::SpanId,
    lower::{
        Emit, Flow, Left, Length, Memory, Place, Pointer, Value, VariantPlaces, Variants,
        memory::layout::scalar,
    },
    types::{
        Prim, atomic_name,
        chain::{Adapter, IterKind},
        mono::Mono,
    },
};
use std::rc::Rc;
use warpwise_compiler::ir::{self, Array, Body, CompareOp, Extent, InstId, Op, Scalar};

/// Arrays of up to so many elements are copied without a loop.
const UNROLLED: u64 = 8;

/// A value as a place that is not set again.
pub(crate) fn placed(value: Value) -> Place {
    match value {
        Value::Array(memory) => Place::Memory(memory),
        value => Place::Value(value),
    }
}

/// Whether a reference refers to a closure.
fn is_of_closure(mono: &Mono) -> bool {
    match mono {
        Mono::Ref { to, .. } => is_of_closure(to),
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

/// Whether there is a `&mut` reference in a value to what is in registers.
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

impl Emit<'_> {
    /// A variable with its first value.
    pub(crate) fn variable(
        &mut self,
        value: Value,
        mono: &Mono,
        name: &str,
        at: SpanId,
    ) -> Flow<Place> {
        match value {
            // Nothing else refers to it: it becomes the variable.
            Value::Array(memory) => {
                self.name(&memory, name);
                Ok(Place::Memory(memory))
            }
            Value::Closure(_) => Ok(Place::Value(value)),
            // There is one closure of each type: it always refers to that.
            Value::Ref(_) if is_of_closure(mono) => Ok(Place::Value(value)),
            // So is what is left of an iterator: in its own variable.
            Value::Ref(_) if matches!(mono, Mono::Ref { to, .. } if matches!(**to, Mono::Iter(..))) => {
                Ok(Place::Value(value))
            }
            Value::Parts(_) if matches!(mono, Mono::Iter(IterKind::Adapter(Adapter::ByRef), _)) => {
                Ok(Place::Value(value))
            }
            // It has no address, and so it cannot be set to refer to anything else.
            Value::Ref(_) if refers_to_registers(&value, mono) => Ok(Place::Value(value)),
            // There may be closures in it.
            Value::Parts(parts) if let Mono::Iter(_, types) = mono => {
                self.parts_apart(&parts, &types[1..], at)
            }
            Value::Parts(ref parts) if refers_to_registers(&value, mono) => {
                let Some(types) = self.parts_of(mono, at)? else { return Err(self.bug(at)) };
                self.parts_apart(parts, &types, at)
            }
            value => {
                let place = self.room(mono, name, at)?;
                self.set(&place, value, mono, at)?;
                Ok(place)
            }
        }
    }

    /// Variables for the parts of a value.
    fn parts_apart(&mut self, parts: &[Value], types: &[Mono], at: SpanId) -> Flow<Place> {
        let parts = parts.iter().zip(types);
        let places = parts.map(|(part, ty)| self.variable(part.clone(), ty, "", at));
        Ok(Place::Parts(places.collect::<Flow<Vec<_>>>()?.into()))
    }

    fn name(&mut self, memory: &Memory, name: &str) {
        if let Pointer::Array(id) = memory.ptr
            && self.build.kernel.arrays[id].name.is_empty()
        {
            name.clone_into(&mut self.build.kernel.arrays[id].name);
        }
    }

    /// Room for a value of this type, with nothing in it yet.
    pub(crate) fn room(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        if let Some(scalar) = scalar(mono) {
            return Ok(Place::Local(self.local(name, scalar, at)));
        }
        match mono {
            Mono::Unit | Mono::Never => Ok(Place::Value(Value::Unit)),
            Mono::Array(..) => match self.apart(mono, at)? {
                Some(parts) => Ok(Place::Parts(self.rooms(&parts, &[], at)?.into())),
                None => self.array(mono, name, at).map(Place::Memory),
            },
            Mono::Tuple(_) | Mono::Adt(..) | Mono::Iter(..) => match self.parts_of(mono, at)? {
                Some(parts) => {
                    let names = self.part_names(mono, 0, name, at)?;
                    Ok(Place::Parts(self.rooms(&parts, &names, at)?.into()))
                }
                None => self.enum_room(mono, name, at),
            },
            Mono::Ref { mutable, to } => self.reference_room(*mutable, to, name, at),
            Mono::Slice(_) => Err(self.no_memory(at)),
            Mono::Closure(_) => {
                self.errors.advise(
                    self.range(at),
                    "kernel code cannot choose between closures at run time",
                    "choose between values, or call a closure in each branch",
                );
                Err(Left)
            }
            Mono::Prim(_) | Mono::Generic(_) | Mono::Atomic(_) | Mono::Pointer(_) => {
                Err(self.bug(at))
            }
        }
    }

    fn rooms(&mut self, types: &[Mono], names: &[String], at: SpanId) -> Flow<Vec<Place>> {
        let names = names.iter().map(String::as_str).chain(std::iter::repeat(""));
        types.iter().zip(names).map(|(ty, name)| self.room(ty, name, at)).collect()
    }

    fn enum_room(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        let adt = self.adt(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.bug(at)) };
        let tag = Place::Local(self.local(name, tag, at));
        let mut parts = Vec::with_capacity(adt.variants.len());
        for (index, types) in adt.variants.iter().enumerate() {
            let names = self.part_names(mono, index, name, at)?;
            parts.push(self.rooms(types, &names, at)?);
        }
        Ok(Place::Variants(Rc::new(VariantPlaces { tag, parts })))
    }

    /// What the parts of a variable are called.
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
                let adt = self.adt(mono, at)?;
                let fields = adt.fields.get(variant).into_iter().flatten();
                fields.map(|field| format!("{name}.{field}")).collect()
            }
            _ => Vec::new(),
        })
    }

    /// An array of the thread's own.
    pub(crate) fn array(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Memory> {
        if !self.lies_in_memory(mono, at)? {
            return Err(self.no_memory(at));
        }
        let (elem, len) = self.elements(mono, at)?;
        let span = self.span(at);
        let name = name.trim_start_matches("r#").to_owned();
        let id = self.build.kernel.arrays.push(Array { name, elem, len, passed: None, span });
        Ok(Memory::at(Pointer::Array(id)))
    }

    /// Puts a value of this type into a place.
    pub(crate) fn set(&mut self, place: &Place, value: Value, mono: &Mono, at: SpanId) -> Flow<()> {
        match (place, value) {
            (Place::Local(local), Value::Scalar(value)) => {
                self.inst(at, Op::Set { local: *local, value }, ir::Ty::Unit);
                Ok(())
            }
            (Place::Memory(memory), value) => self.store(memory, value, mono, at),
            (Place::Parts(places), Value::Parts(values)) => {
                let Some(types) = self.parts_of(mono, at)? else { return Err(self.bug(at)) };
                self.set_parts(places, &values, &types, at)
            }
            (Place::Variants(places), Value::Variants(values)) => {
                let adt = self.adt(mono, at)?;
                if let Some(tag) = adt.tag {
                    let tag = tag_type(tag);
                    self.set(&places.tag, Value::Scalar(values.tag), &tag, at)?;
                }
                for (index, types) in adt.variants.iter().enumerate() {
                    let Some(Some(parts)) = values.parts.get(index) else { continue };
                    let is_guarded = self.reads_references(types, at)?;
                    if is_guarded {
                        let Some(tag) = adt.tag else { return Err(self.bug(at)) };
                        let variant = self.int(adt.discriminants[index], tag, at);
                        let cond = self.compare(CompareOp::Eq, values.tag, variant, at);
                        let op = Op::If { cond, then: Body::default(), other: Body::default() };
                        self.begin(at, op, ir::Ty::Unit)?;
                    }
                    let set = self.set_parts(&places.parts[index], parts, types, at);
                    if is_guarded {
                        self.build.end();
                    }
                    set?;
                }
                Ok(())
            }
            (Place::OneOf(places, index), Value::Scalar(value)) => {
                self.set_one(places, *index, value, mono, at)
            }
            (Place::OneOf(places, index), value) => {
                self.set_chosen(places, *index, &value, mono, at)
            }
            (Place::Reference(place), Value::Ref(to)) => self.set_reference(place, &to, mono, at),
            // `let unit; unit = ();` sets nothing.
            (Place::Value(Value::Unit), Value::Unit) => Ok(()),
            (Place::Value(_), _) if matches!(mono, Mono::Iter(..) | Mono::Ref { .. }) => {
                Err(self.in_registers(at))
            }
            (Place::Value(_), _) => {
                self.errors.advise(
                    self.range(at),
                    "this sets a part of a value that nothing keeps",
                    "give the value a name: `let mut value = ..`",
                );
                Err(Left)
            }
            _ => Err(self.bug(at)),
        }
    }

    fn set_parts(
        &mut self,
        places: &[Place],
        values: &[Value],
        types: &[Mono],
        at: SpanId,
    ) -> Flow<()> {
        for ((place, value), ty) in places.iter().zip(values).zip(types) {
            self.set(place, value.clone(), ty, at)?;
        }
        Ok(())
    }

    /// What is in memory.
    pub(crate) fn load(&mut self, memory: &Memory, mono: &Mono, at: SpanId) -> Flow<Value> {
        if let Mono::Atomic(prim) = mono {
            return Err(self.unmoved(*prim, at));
        }
        if let Some(scalar) = scalar(mono) {
            let ptr = self.pointer(memory.ptr, at);
            return Ok(Value::Scalar(self.inst(at, Op::Load { ptr }, scalar)));
        }
        match mono {
            Mono::Unit => Ok(Value::Unit),
            Mono::Array(elem, len) => {
                let len = self.extent(len, at)?;
                let copy = self.array(mono, "", at)?;
                self.copy(&copy, memory, elem, &len, at)?;
                Ok(Value::Array(copy))
            }
            Mono::Tuple(_) | Mono::Adt(..) => match self.parts_of(mono, at)? {
                Some(parts) => {
                    let (offsets, _) = self.fields(&parts, at)?;
                    let mut values = Vec::with_capacity(parts.len());
                    for (part, offset) in parts.iter().zip(&offsets) {
                        let place = self.behind(memory, offset, at);
                        values.push(self.load(&place, part, at)?);
                    }
                    Ok(Value::Parts(values.into()))
                }
                None => self.load_enum(memory, mono, at),
            },
            // A slice as a whole: nothing can be done with it but to refer to it.
            Mono::Slice(_) => Ok(Value::Ref(Box::new(Place::Memory(memory.clone())))),
            Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Ref { .. }
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => Err(self.bug(at)),
        }
    }

    /// Atomics stay where they are: in buffers and in shared memory.
    pub(crate) fn unmoved(&mut self, prim: Prim, at: SpanId) -> Left {
        self.errors.advise(
            self.range(at),
            format_args!("kernel code cannot make, copy or move an `{}`", atomic_name(prim)),
            "refer to one in a buffer or in shared memory with `&`, take its value with `load`, and give it another with `store`: a struct of them field by field, `slot.count.store(0, Ordering::Relaxed)`",
        );
        Left
    }

    fn load_enum(&mut self, memory: &Memory, mono: &Mono, at: SpanId) -> Flow<Value> {
        let adt = self.adt(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.bug(at)) };
        let ptr = self.pointer(memory.ptr, at);
        let tag = self.inst(at, Op::Load { ptr }, tag);
        let place = Place::Memory(memory.clone());
        let mut all = Vec::with_capacity(adt.variants.len());
        for (index, types) in adt.variants.iter().enumerate() {
            let parts = self.variant_parts(&place, mono, index, at)?.unwrap_or_default();
            let values = parts.iter().zip(types).map(|(part, ty)| self.get(part, ty, at));
            all.push(Some(values.collect::<Flow<Vec<_>>>()?));
        }
        Ok(Value::Variants(Rc::new(Variants { tag, parts: all })))
    }

    fn store(&mut self, memory: &Memory, value: Value, mono: &Mono, at: SpanId) -> Flow<()> {
        match (mono, value) {
            (_, Value::Scalar(value)) => {
                let ptr = self.pointer(memory.ptr, at);
                self.inst(at, Op::Store { ptr, value }, ir::Ty::Unit);
                Ok(())
            }
            (Mono::Array(elem, len), Value::Array(from)) => {
                let len = self.extent(len, at)?;
                self.copy(memory, &from, elem, &len, at)
            }
            (_, Value::Parts(values)) => {
                let Some(parts) = self.parts_of(mono, at)? else { return Err(self.bug(at)) };
                let (offsets, _) = self.fields(&parts, at)?;
                for ((value, ty), offset) in values.iter().zip(&parts).zip(&offsets) {
                    let place = self.behind(memory, offset, at);
                    self.store(&place, value.clone(), ty, at)?;
                }
                Ok(())
            }
            (_, Value::Variants(values)) => self.store_enum(memory, &values, mono, at),
            (_, Value::Unit) => Ok(()),
            (_, Value::Ref(_) | Value::Closure(_) | Value::Array(_)) => Err(self.bug(at)),
        }
    }

    /// The parts of the variants share their bytes: those of the one that it is are stored.
    fn store_enum(
        &mut self,
        memory: &Memory,
        value: &Variants,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let adt = self.adt(mono, at)?;
        let Some(scalar) = adt.tag else { return Err(self.bug(at)) };
        let ptr = self.pointer(memory.ptr, at);
        self.inst(at, Op::Store { ptr, value: value.tag }, ir::Ty::Unit);
        let place = Place::Memory(memory.clone());
        let possible = value.parts.iter().flatten().filter(|parts| !parts.is_empty()).count();
        for (index, types) in adt.variants.iter().enumerate() {
            let Some(Some(parts)) = value.parts.get(index) else { continue };
            if parts.is_empty() {
                continue;
            }
            if possible > 1 {
                let variant = self.int(adt.discriminants[index], scalar, at);
                let cond = self.compare(CompareOp::Eq, value.tag, variant, at);
                let op = Op::If { cond, then: Body::default(), other: Body::default() };
                self.begin(at, op, ir::Ty::Unit)?;
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
        self.set_parts(&places, values, types, at)
    }

    /// Copies so many elements of this type.
    pub(crate) fn copy(
        &mut self,
        to: &Memory,
        from: &Memory,
        elem: &Mono,
        len: &Extent,
        at: SpanId,
    ) -> Flow<()> {
        self.each(len, at, |this, index| {
            let (from, to) = (this.nth(from, index, elem, at)?, this.nth(to, index, elem, at)?);
            if let Mono::Array(inner, len) = elem {
                let len = this.extent(len, at)?;
                return this.copy(&to, &from, inner, &len, at);
            }
            let value = this.load(&from, elem, at)?;
            this.store(&to, value, elem, at)
        })
    }

    /// Puts the same value into so many elements of this type.
    pub(crate) fn fill(
        &mut self,
        to: &Memory,
        value: &Value,
        elem: &Mono,
        len: &Extent,
        at: SpanId,
    ) -> Flow<()> {
        self.each(len, at, |this, index| {
            let place = this.nth(to, index, elem, at)?;
            this.store(&place, value.clone(), elem, at)
        })
    }

    /// Does something for each number below `len`: one after the other if they are few, in a loop
    /// if not.
    pub(crate) fn each(
        &mut self,
        len: &Extent,
        at: SpanId,
        mut each: impl FnMut(&mut Self, InstId) -> Flow<()>,
    ) -> Flow<()> {
        if let Some(len @ ..=UNROLLED) = len.known() {
            for index in 0..len {
                let index = self.bits(index, Scalar::U64, at);
                each(self, index)?;
            }
            return Ok(());
        }
        let start = self.bits(0, Scalar::U64, at);
        let end = self.extent_value(len, Scalar::U64, at);
        let step = self.bits(1, Scalar::U64, at);
        let op = Op::For { start, end, step, inclusive: false, body: Body::default() };
        let index = self.begin(at, op, Scalar::U64)?;
        let done = each(self, index);
        self.build.end();
        done
    }

    /// The number of elements of a part of memory that is a slice.
    pub(crate) fn slice_length(&mut self, memory: &Memory, at: SpanId) -> Flow<InstId> {
        match &memory.len {
            Some(Length::Extent(extent)) => {
                let extent = extent.clone();
                Ok(self.extent_value(&extent, Scalar::U64, at))
            }
            Some(Length::Inst(len)) => Ok(*len),
            Some(Length::Param(param)) => Ok(self.inst(at, Op::Len(*param), Scalar::U64)),
            None => Err(self.bug(at)),
        }
    }
}

/// The type of a discriminant.
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
