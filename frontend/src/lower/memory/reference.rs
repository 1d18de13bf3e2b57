//! References that are chosen or reassigned at run time: addresses.
//!
//! A reference with a single referent is the referent's [`Place`]. A reference that results from
//! several branches, or is in a `mut` variable, is a local of the IR with an address, and for
//! slices another local with the length. Its possible referents are in memory:
//!
//! - A `&T` to a number is a copy of the number: while a `&T` exists, the value does not change.
//!   The same holds for a `&T` to a value that contains references, since such a value is never in
//!   memory.
//! - For another value in registers, a `&T` holds the address of a copy in thread-private memory.
//! - An IR address names its space. In a loop, the space may become known only after the first use:
//!   [`Lowerer::resolve_spaces`] decides it at the end.
//!
//! An address does not suffice for referents in two spaces, and for a `&mut` to values in
//! registers. Whether a reference has such referents is known after its use, so that the kernel is
//! lowered again then, with another [`ReferenceForm`] for the references of that source location:
//! a `&T` is a copy, and a `&mut` is the number of its referent.
use crate::{
    hir::{Expr, SpanId},
    infer::program::InstanceArgs,
    lower::{
        Diverged, EnumValue, Flow, Length, Lowerer, Memory, Place, Pointer, Value,
        memory::storage::place_of_value,
    },
    resolve::device_set::Callee,
    types::{Prim, mono::Mono},
};
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use warpwise_compiler::{
    id::{Facts, Id as _},
    ir::{self, Array, Extent, InstId, Kernel, Local, LocalId, Op, Scalar, Space, Span},
};

/// Place of a reference.
#[derive(Clone, Debug)]
pub(crate) enum ReferencePlace {
    /// The address, and the length of a slice; with the number of the reference in
    /// [`References::addresses`].
    Address { ptr: LocalId, len: Option<LocalId>, number: usize },
    /// A copy of the referent.
    Copy(Rc<Place>),
    /// The number of one of the referents so far.
    Chosen(Rc<ChosenReferent>),
}

/// Form of a reference for which an address does not suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReferenceForm {
    Copy,
    Chosen,
}

/// Source location that allocates references: a function instance, `None` for the kernel, and a
/// place in it. All calls of the function share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReferenceSite {
    function: Option<(Callee, InstanceArgs)>,
    at: SpanId,
}

/// Reference whose form is an address.
#[derive(Debug)]
struct AddressReference {
    site: ReferenceSite,
    ptr: LocalId,
    /// True if it can have another form.
    has_other_form: bool,
}

/// References of a kernel that are chosen or reassigned.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// The sites whose references have another form than an address, as earlier attempts to lower
    /// the kernel have found.
    pub(crate) other_forms: Vec<ReferenceSite>,
    addresses: Vec<AddressReference>,
    /// More such sites: this attempt is void.
    pub(crate) demanded: Vec<ReferenceSite>,
}

impl References {
    /// Returns the references of a new attempt, with the sites that earlier ones have found.
    pub(crate) fn with_other_forms(other_forms: Vec<ReferenceSite>) -> Self {
        Self { other_forms, ..Self::default() }
    }

    /// Demands another form of a reference, if it can have one: the kernel is lowered again.
    fn demand_other_form(&mut self, number: usize) -> bool {
        let AddressReference { site, has_other_form, .. } = &self.addresses[number];
        if *has_other_form && !self.demanded.contains(site) {
            self.demanded.push(site.clone());
        }
        *has_other_form
    }
}

/// Referent of a `&mut` reference, chosen among places.
#[derive(Debug)]
pub(crate) struct ChosenReferent {
    /// The number of the referent.
    chosen: LocalId,
    referents: RefCell<Vec<Referent>>,
    /// True once it was read: a place that is assigned later, as in a loop, is not among those that
    /// were read.
    was_read: Cell<bool>,
}

/// Place that a reference may refer to, as locals, which are valid in every body.
#[derive(Clone, Debug)]
enum Referent {
    /// A place without computed addresses.
    Place(Place),
    /// Memory at the address in a local.
    Address(LocalId),
    /// The place whose number is in a local.
    OneOf(Vec<Referent>, LocalId),
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
        let other = self.other_form(mutable, to, at)?;
        let site = ReferenceSite { function: self.frame.callee.clone(), at };
        match other.filter(|_| self.references.other_forms.contains(&site)) {
            Some(ReferenceForm::Copy) => {
                let copy = Rc::new(self.allocate(to, name, at)?);
                return Ok(Place::Reference(ReferencePlace::Copy(copy)));
            }
            Some(ReferenceForm::Chosen) => {
                let chosen = Rc::new(self.new_chosen_referent(name, at));
                return Ok(Place::Reference(ReferencePlace::Chosen(chosen)));
            }
            None => {}
        }
        let ptr = self.new_address(name, at);
        let number = self.references.addresses.len();
        let has_other_form = other.is_some();
        self.references.addresses.push(AddressReference { site, ptr, has_other_form });
        let len = matches!(to, Mono::Slice(_)).then(|| {
            let name = if name.is_empty() { String::new() } else { format!("{name}.len") };
            self.new_local(&name, Scalar::U64, at)
        });
        Ok(Place::Reference(ReferencePlace::Address { ptr, len, number }))
    }

    /// Returns the place of a variable whose first value is a `&mut` to registers; `None` if it
    /// cannot be reassigned, since its referent is known only here.
    pub(crate) fn new_reference_to_registers(
        &mut self,
        to: &Place,
        mono: &Mono,
        name: &str,
        at: SpanId,
    ) -> Flow<Option<Place>> {
        let Mono::Ref { to: referent, .. } = mono else { return Err(self.report_bug(at)) };
        if !self.is_storable(referent, at)? {
            return Ok(None);
        }
        let chosen = self.new_chosen_referent(name, at);
        let is_kept = self.choose_referent(&chosen, to, at);
        Ok(is_kept.then(|| Place::Reference(ReferencePlace::Chosen(Rc::new(chosen)))))
    }

    fn new_chosen_referent(&mut self, name: &str, at: SpanId) -> ChosenReferent {
        let chosen = self.new_local(name, Scalar::U64, at);
        ChosenReferent { chosen, referents: RefCell::default(), was_read: Cell::new(false) }
    }

    /// Adds a referent to those that are chosen among, and chooses it; returns false if it is a
    /// temporary value.
    fn choose_referent(&mut self, of: &ChosenReferent, to: &Place, at: SpanId) -> bool {
        let Some(referent) = self.new_referent(to, at) else { return false };
        let number = of.referents.borrow().len();
        of.referents.borrow_mut().push(referent);
        let value = self.push_bits(number as u64, Scalar::U64, at);
        self.push_inst(at, Op::Set { local: of.chosen, value }, ir::Ty::Unit);
        true
    }

    /// Declares a local for an address, whose space is unknown until it is assigned.
    fn new_address(&mut self, name: &str, at: SpanId) -> LocalId {
        let (ty, span) = (ir::Ty::Ptr(Space::Global), self.ir_span(at));
        self.build.kernel.locals.push(Local { name: name.into(), ty, span })
    }

    /// Returns the form of a reference that needs no single address. There is none for slices and
    /// atomics, and none for a `&mut` to an array, whose elements are at addresses.
    fn other_form(&mut self, mutable: bool, to: &Mono, at: SpanId) -> Flow<Option<ReferenceForm>> {
        let form = match (mutable, to) {
            (_, Mono::Slice(_)) | (true, Mono::Array(..)) => None,
            (true, _) => Some(ReferenceForm::Chosen),
            (false, _) => Some(ReferenceForm::Copy),
        };
        let is_atomic = |part: &Mono| matches!(part, Mono::Atomic(_));
        Ok(if self.contains(to, is_atomic, at)? { None } else { form })
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
            if self.contains(mono, |part| matches!(part, Mono::Ref { .. }), at)? {
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
            ReferencePlace::Address { ptr, len, .. } => {
                let ty = self.build.kernel.locals[*ptr].ty;
                let ptr = Pointer::Inst(self.push_inst(at, Op::Get(*ptr), ty));
                let len =
                    len.map(|len| Length::Inst(self.push_inst(at, Op::Get(len), Scalar::U64)));
                Place::Memory(Memory { len, ..Memory::new(ptr) })
            }
            ReferencePlace::Copy(copy) => place_of_value(self.read_place(copy, to, at)?),
            ReferencePlace::Chosen(of) => {
                of.was_read.set(true);
                let referents = of.referents.borrow().clone();
                if referents.is_empty() {
                    // It has no value, as in an option that is `None`: any place stands for it.
                    self.allocate(to, "", at)?
                } else {
                    self.place_of_referents(&referents, of.chosen, at)
                }
            }
        };
        Ok(Value::Ref(Box::new(referred)))
    }

    fn place_of_referents(&mut self, all: &[Referent], chosen: LocalId, at: SpanId) -> Place {
        let places = all.iter().map(|referent| match referent {
            Referent::Place(place) => place.clone(),
            Referent::Address(ptr) => {
                let ty = self.build.kernel.locals[*ptr].ty;
                let ptr = self.push_inst(at, Op::Get(*ptr), ty);
                Place::Memory(Memory::new(Pointer::Inst(ptr)))
            }
            Referent::OneOf(all, chosen) => self.place_of_referents(all, *chosen, at),
        });
        let places: Vec<Place> = places.collect();
        match <[Place; 1]>::try_from(places) {
            Ok([place]) => place,
            Err(places) => {
                let chosen = self.push_inst(at, Op::Get(chosen), Scalar::U64);
                Place::OneOf(places.into(), chosen)
            }
        }
    }

    /// Returns a place as locals, which it assigns; `None` for the place of a temporary value.
    fn new_referent(&mut self, place: &Place, at: SpanId) -> Option<Referent> {
        match place {
            Place::Memory(memory) if memory.scope.is_some() || memory.cache.is_some() => None,
            Place::Memory(Memory { ptr: Pointer::Inst(address), .. }) => {
                let ptr = self.new_address("", at);
                self.write_address(ptr, *address, at);
                Some(Referent::Address(ptr))
            }
            Place::OneOf(places, chosen) => {
                let all = places.iter().map(|place| self.new_referent(place, at));
                let all = all.collect::<Option<Vec<_>>>()?;
                let local = self.new_local("", Scalar::U64, at);
                self.push_inst(at, Op::Set { local, value: *chosen }, ir::Ty::Unit);
                Some(Referent::OneOf(all, local))
            }
            place => is_computed_by_nothing(place).then(|| Referent::Place(place.clone())),
        }
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
            ReferencePlace::Address { ptr, len, number } => {
                if *mutable
                    && !matches!(to, Place::Memory(_))
                    && self.references.demand_other_form(*number)
                {
                    return Ok(());
                }
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
            ReferencePlace::Chosen(of) => {
                if of.was_read.get() || !self.choose_referent(of, to, at) {
                    return Err(self.report_in_registers(at));
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
            "kernel code cannot reassign a `&mut` reference to a variable after its use, or choose \
             between such references to values without a variable",
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
        for Mixed { local, span, known, found } in spaces.mixed {
            let mut addresses = self.references.addresses.iter();
            let number = addresses.position(|reference| reference.ptr == local);
            if !number.is_some_and(|number| self.references.demand_other_form(number)) {
                self.report_mixed_spaces(span, known, found);
            }
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

/// Returns true for a place that is known without instructions, and so is the same in every body.
fn is_computed_by_nothing(place: &Place) -> bool {
    match place {
        Place::Param(_) | Place::Local(_) | Place::Reference(_) => true,
        Place::Memory(memory) => !matches!(memory.ptr, Pointer::Inst(_)),
        Place::Parts(places) => places.iter().all(is_computed_by_nothing),
        Place::Variants(of) => {
            is_computed_by_nothing(&of.tag) && of.parts.iter().flatten().all(is_computed_by_nothing)
        }
        Place::Value(value) => matches!(value, Value::Unit),
        Place::OneOf(..) => false,
    }
}

/// Memory spaces of addresses, as far as they are known.
struct Spaces {
    of_local: Facts<LocalId, Option<Space>>,
    of_inst: Facts<InstId, Option<Space>>,
    mixed: Vec<Mixed>,
}

/// Assignment of an address in another space than the known one.
struct Mixed {
    local: LocalId,
    span: Span,
    known: Space,
    found: Space,
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
                    Some(known) => {
                        let (local, span) = (*local, inst.span);
                        self.mixed.push(Mixed { local, span, known, found });
                    }
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
