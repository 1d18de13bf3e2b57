//! References that are chosen or reassigned at run time: addresses.
//!
//! A reference with a single referent is the referent's [`Place`]. A reference that results from
//! several branches, or is in a `mut` variable, is a local of the IR with an address, and for
//! slices another local with the length. Its possible referents are in memory:
//!
//! - A `&T` to a number is a copy of the number: while a `&T` exists, the value does not change.
//!   The same holds for a `&T` to a value that contains references, since such a value is never in
//!   memory.
//! - For another value in registers, the reference holds the address of a copy in thread-private
//!   memory. A `&mut` to such a value is refused.
//! - All possible referents must be in one memory space, because an IR address names its space. In
//!   a loop, the space may become known only after the first use: [`Lowerer::resolve_spaces`]
//!   decides it at the end.
use crate::{
    hir::{Expr, SpanId},
    lower::{
        Diverged, EnumValue, Flow, Length, Lowerer, Memory, Place, Pointer, Value,
        memory::storage::place_of_value,
    },
    types::{Prim, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    id::{Facts, Id as _},
    ir::{self, Array, Extent, InstId, Kernel, Local, LocalId, Op, Scalar, Space, Span},
};

/// Place of a reference.
#[derive(Clone, Debug)]
pub(crate) enum ReferencePlace {
    /// The address, and the length of a slice.
    Address { ptr: LocalId, len: Option<LocalId> },
    /// A copy of the referent.
    Copy(Rc<Place>),
}

impl Lowerer<'_> {
    /// Allocates a place for a reference to a value of type `to`.
    pub(crate) fn allocate_reference(
        &mut self,
        mutable: bool,
        to: &Mono,
        name: &str,
        at: SpanId,
    ) -> Flow<Place> {
        if !mutable && is_immutable_number(to) || !self.is_storable(to, at)? {
            let copy = Rc::new(self.allocate(to, name, at)?);
            return Ok(Place::Reference(ReferencePlace::Copy(copy)));
        }
        let span = self.ir_span(at);
        // The space is unknown until the reference is assigned.
        let ty = ir::Ty::Ptr(Space::Global);
        let ptr = self.build.kernel.locals.push(Local { name: name.into(), ty, span });
        let len = matches!(to, Mono::Slice(_)).then(|| {
            let name = if name.is_empty() { String::new() } else { format!("{name}.len") };
            self.new_local(&name, Scalar::U64, at)
        });
        Ok(Place::Reference(ReferencePlace::Address { ptr, len }))
    }

    /// Returns true if values of a type can be in memory: they contain no references.
    pub(crate) fn is_storable(&mut self, mono: &Mono, at: SpanId) -> Flow<bool> {
        let parts = match mono {
            Mono::Slice(elem) | Mono::Array(elem, _) => return self.is_storable(elem, at),
            Mono::Tuple(args) => crate::types::mono::type_args(args),
            Mono::Adt(..) => self.adt_of(mono, at)?.variants.concat(),
            Mono::Ref { .. } | Mono::Closure(_) | Mono::Iter(..) => {
                return Ok(false);
            }
            Mono::Unit
            | Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Atomic(_)
            | Mono::Pointer(_) => return Ok(true),
        };
        for part in parts {
            if !self.is_storable(&part, at)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if an assignment of values of these types reads referents of their references.
    pub(crate) fn reads_references(&mut self, types: &[Mono], at: SpanId) -> Flow<bool> {
        for mono in types {
            let reads = match mono {
                Mono::Ref { mutable: false, to } if is_immutable_number(to) => true,
                Mono::Ref { mutable: false, to } if !self.is_storable(to, at)? => {
                    self.reads_references(std::slice::from_ref(to), at)?
                }
                Mono::Array(elem, _) => self.reads_references(std::slice::from_ref(elem), at)?,
                Mono::Tuple(args) => {
                    self.reads_references(&crate::types::mono::type_args(args), at)?
                }
                Mono::Iter(_, parts) => self.reads_references(parts, at)?,
                Mono::Adt(..) => {
                    let variants = self.adt_of(mono, at)?.variants.concat();
                    self.reads_references(&variants, at)?
                }
                Mono::Unit
                | Mono::Never
                | Mono::Prim(_)
                | Mono::Generic(_)
                | Mono::Ref { .. }
                | Mono::Slice(_)
                | Mono::Atomic(_)
                | Mono::Closure(_)
                | Mono::Pointer(_) => false,
            };
            if reads {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns true if any of these types contains references: their referents exist only if they
    /// do.
    pub(crate) fn contain_references(&mut self, types: &[Mono], at: SpanId) -> Flow<bool> {
        for mono in types {
            if matches!(mono, Mono::Ref { .. }) {
                return Ok(true);
            }
            let parts = self.contained_types(mono, at)?;
            if self.contain_references(&parts, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Converts an option into an option of a reference to its content.
    pub(crate) fn lower_option_as_mut(&mut self, option: &Expr) -> Flow<Value> {
        let at = option.at;
        let (place, mono) = (self.lower_place(option)?, self.mono_type(option.ty, at)?);
        let place = self.make_changeable(place, &mono, at)?;
        let tag = self.tag_place(&place, at)?;
        let Value::Scalar(tag) = self.read_place(&tag, &Mono::Prim(Prim::Bool), at)? else {
            return Err(self.report_bug(at));
        };
        let parts = self.variant_parts(&place, &mono, 1, at)?;
        let refer = |part| Value::Ref(Box::new(part));
        let some = parts.map(|parts| parts.into_iter().map(refer).collect());
        Ok(Value::Variants(Rc::new(EnumValue { tag, parts: vec![Some(Vec::new()), some] })))
    }

    /// Reads a reference of this type.
    pub(crate) fn read_reference(
        &mut self,
        place: &ReferencePlace,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        let Mono::Ref { to, .. } = mono else { return Err(self.report_bug(at)) };
        let referred = match place {
            ReferencePlace::Address { ptr, len } => {
                let ty = self.build.kernel.locals[*ptr].ty;
                let ptr = Pointer::Inst(self.push_inst(at, Op::Get(*ptr), ty));
                let len =
                    len.map(|len| Length::Inst(self.push_inst(at, Op::Get(len), Scalar::U64)));
                Place::Memory(Memory { len, ..Memory::new(ptr) })
            }
            ReferencePlace::Copy(copy) => place_of_value(self.read_place(copy, to, at)?),
        };
        Ok(Value::Ref(Box::new(referred)))
    }

    /// Makes the reference refer to `to`.
    pub(crate) fn write_reference(
        &mut self,
        place: &ReferencePlace,
        to: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let Mono::Ref { mutable, to: referent } = mono else { return Err(self.report_bug(at)) };
        match place {
            ReferencePlace::Address { ptr, len } => {
                let memory = self.memory_or_copy(to, *mutable, referent, at)?;
                if memory.scope.is_some() {
                    return Err(self.report_scoped_atomic(at));
                }
                let length = len.map(|_| self.slice_length(&memory, at)).transpose()?;
                // There is nothing at the address of `&[]`, so it fits any memory space.
                if !matches!(memory.len, Some(Length::Extent(Extent::Const(0)))) {
                    if self.is_surface(memory.ptr) {
                        self.report_unknown_surface(at);
                        return Err(Diverged);
                    }
                    let value = self.pointer_inst(memory.ptr, at);
                    self.write_address(*ptr, value, at);
                }
                if let (&Some(local), Some(value)) = (len, length) {
                    self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
                }
                Ok(())
            }
            ReferencePlace::Copy(_) if *mutable => Err(self.report_in_registers(at)),
            ReferencePlace::Copy(copy) => {
                let value = self.read_place(to, referent, at)?;
                self.write_place(copy, value, referent, at)
            }
        }
    }

    fn write_address(&mut self, local: LocalId, value: InstId, at: SpanId) {
        let ty = self.build.kernel.insts[value].ty;
        self.build.kernel.locals[local].ty = ty;
        self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
    }

    /// Returns the memory of a place, or of a copy of it.
    fn memory_or_copy(
        &mut self,
        place: &Place,
        mutable: bool,
        referent: &Mono,
        at: SpanId,
    ) -> Flow<Memory> {
        if let Place::Memory(memory) = place {
            return Ok(memory.clone());
        }
        if mutable {
            return Err(self.report_in_registers(at));
        }
        let value = self.read_place(place, referent, at)?;
        let (elem, len) = self.array_elements(referent, at)?;
        let span = self.ir_span(at);
        let (name, passed) = (String::new(), None);
        let id = self.build.kernel.arrays.push(Array { name, elem, len, passed, span });
        let memory = Memory::new(Pointer::Array(id));
        self.write_place(&Place::Memory(memory.clone()), value, referent, at)?;
        Ok(memory)
    }

    pub(crate) fn report_in_registers(&mut self, at: SpanId) -> Diverged {
        self.errors.advise(
            self.source_range(at),
            "kernel code cannot choose at run time between `&mut` references to variables, which \
             have no address",
            "choose between slices or elements, put the variables into an array and choose an \
             index, or write the assignment in each branch",
        );
        Diverged
    }

    fn report_scoped_atomic(&mut self, at: SpanId) -> Diverged {
        self.errors.advise(
            self.source_range(at),
            "kernel code cannot choose between atomics at a scope of their own",
            "choose between the atomics, and call `.block()` or `.system()` on what was chosen",
        );
        Diverged
    }

    /// Infers the memory space of each address in a local, and of addresses computed from it, from
    /// the values that are assigned to the local. Reports a local with addresses of two spaces.
    pub(crate) fn resolve_spaces(&mut self) {
        let kernel = &mut self.build.kernel;
        if !kernel.locals.iter().any(|(_, local)| matches!(local.ty, ir::Ty::Ptr(_))) {
            return;
        }
        let mut spaces = Spaces {
            of_local: kernel.locals.facts(None),
            of_inst: kernel.insts.facts(None),
            mixed: Vec::new(),
        };
        // A loop may assign a local after its use, so that one pass over the instructions is not
        // enough.
        while spaces.propagate(kernel) {}
        for id in kernel.locals.ids() {
            if let (ir::Ty::Ptr(_), Some(space)) = (kernel.locals[id].ty, spaces.of_local[id]) {
                kernel.locals[id].ty = ir::Ty::Ptr(space);
            }
        }
        for id in kernel.insts.ids() {
            if let (ir::Ty::Ptr(_), Some(space)) = (kernel.insts[id].ty, spaces.of_inst[id]) {
                kernel.insts[id].ty = ir::Ty::Ptr(space);
            }
        }
        for (span, known, found) in spaces.mixed {
            self.report_mixed_spaces(span, known, found);
        }
    }

    fn report_mixed_spaces(&mut self, span: Span, known: Space, found: Space) {
        let name = |space| match space {
            Space::Global => "the memory of the device",
            Space::Shared => "the shared memory of the block",
            Space::Cluster => "the shared memory of any block of the cluster",
            Space::Local => "variables of the thread",
            Space::Constant => "constant memory",
        };
        self.errors.advise(
            self.spans[span.index()],
            format_args!(
                "one reference cannot refer to {} here and to {} elsewhere",
                name(found),
                name(known)
            ),
            "choose between values (`let v = if c { x[i] } else { y }`), or repeat what is done \
             with it in each branch",
        );
    }
}

/// Returns true for a number or `bool`, which does not change while a `&T` to it exists.
fn is_immutable_number(mono: &Mono) -> bool {
    matches!(mono, Mono::Prim(_) | Mono::Generic(_) | Mono::Pointer(_))
}

/// Memory spaces of addresses, as far as they are known.
struct Spaces {
    of_local: Facts<LocalId, Option<Space>>,
    of_inst: Facts<InstId, Option<Space>>,
    /// Assignments of an address in another space than the known one.
    mixed: Vec<(Span, Space, Space)>,
}

impl Spaces {
    /// Propagates spaces through all instructions once; returns true if a local's space became
    /// known.
    fn propagate(&mut self, kernel: &Kernel) -> bool {
        let mut changed = false;
        self.mixed.clear();
        for (id, inst) in kernel.insts.iter() {
            let op = &inst.op;
            if let Op::Index { base, .. } | Op::Offset { base, .. } = op {
                self.of_inst[id] = self.of_inst[*base];
            } else if let Op::Get(local) = op {
                self.of_inst[id] = self.of_local[*local];
            } else if let Op::Param(_) | Op::Shared(_) | Op::Array(_) | Op::MapShared { .. } = op {
                self.of_inst[id] = kernel.space(id);
            } else if let Op::Set { local, value } = op
                && let Some(found) = self.of_inst[*value]
            {
                match self.of_local[*local] {
                    Some(known) if known == found => {}
                    Some(known) => self.mixed.push((inst.span, known, found)),
                    None => {
                        self.of_local[*local] = Some(found);
                        changed = true;
                    }
                }
            }
        }
        changed
    }
}
