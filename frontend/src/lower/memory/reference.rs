//! References that are chosen between or set again: addresses at run time.
//!
//! A reference that only ever refers to one thing is that thing's [`Place`]. One that comes out of
//! several ways, or is in a `mut` variable, is a local of the IR with an address, and for slices
//! another with the length. What it may refer to is in memory:
//!
//! - A `&T` to a number is a copy of it: as long as there is a `&T`, the value does not change. So
//!   is one to a value that has references itself, as that is never in memory.
//! - Of another value in registers it gets the address of a copy, in memory of the thread's own. A
//!   `&mut` to one is refused.
//! - All that it may refer to must be in memory of one kind, because an address of the IR says
//!   which. What that is may only be seen behind the first use, in a loop: [`Emit::spaces`] looks
//!   at the end.
use crate::{
    hir::{Expr, SpanId},
    lower::{
        Emit, Flow, Left, Length, Memory, Place, Pointer, Value, Variants, memory::storage::placed,
    },
    types::{Prim, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    id::{Facts, Id as _},
    ir::{self, Array, Extent, InstId, Kernel, Local, LocalId, Op, Scalar, Space, Span},
};

/// Where a reference is.
#[derive(Clone, Debug)]
pub(crate) enum ReferencePlace {
    /// Its address, and the length of a slice.
    Address { ptr: LocalId, len: Option<LocalId> },
    /// A copy of what it refers to.
    Copy(Rc<Place>),
}

impl Emit<'_> {
    /// Room for a reference to a value of type `to`.
    pub(crate) fn reference_room(
        &mut self,
        mutable: bool,
        to: &Mono,
        name: &str,
        at: SpanId,
    ) -> Flow<Place> {
        if !mutable && is_number(to) || !self.lies_in_memory(to, at)? {
            let copy = Rc::new(self.room(to, name, at)?);
            return Ok(Place::Reference(ReferencePlace::Copy(copy)));
        }
        let span = self.span(at);
        // In which space is not known before it is set.
        let ty = ir::Ty::Ptr(Space::Global);
        let ptr = self.build.kernel.locals.push(Local { name: name.into(), ty, span });
        let len = matches!(to, Mono::Slice(_)).then(|| {
            let name = if name.is_empty() { String::new() } else { format!("{name}.len") };
            self.local(&name, Scalar::U64, at)
        });
        Ok(Place::Reference(ReferencePlace::Address { ptr, len }))
    }

    /// Whether values of a type can be in memory: there is no reference in them.
    pub(crate) fn lies_in_memory(&mut self, mono: &Mono, at: SpanId) -> Flow<bool> {
        let parts = match mono {
            Mono::Slice(elem) | Mono::Array(elem, _) => return self.lies_in_memory(elem, at),
            Mono::Tuple(args) => crate::types::mono::type_args(args),
            Mono::Adt(..) => self.adt(mono, at)?.variants.concat(),
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
            if !self.lies_in_memory(&part, at)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether setting values of these types reads what references in them refer to.
    pub(crate) fn reads_references(&mut self, types: &[Mono], at: SpanId) -> Flow<bool> {
        for mono in types {
            let reads = match mono {
                Mono::Ref { mutable: false, to } if is_number(to) => true,
                Mono::Ref { mutable: false, to } if !self.lies_in_memory(to, at)? => {
                    self.reads_references(std::slice::from_ref(to), at)?
                }
                Mono::Array(elem, _) => self.reads_references(std::slice::from_ref(elem), at)?,
                Mono::Tuple(args) => {
                    self.reads_references(&crate::types::mono::type_args(args), at)?
                }
                Mono::Iter(_, parts) => self.reads_references(parts, at)?,
                Mono::Adt(..) => {
                    let variants = self.adt(mono, at)?.variants.concat();
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

    /// Whether there are references in any of these types: what they refer to is there only if they are.
    pub(crate) fn have_references(&mut self, types: &[Mono], at: SpanId) -> Flow<bool> {
        for mono in types {
            if matches!(mono, Mono::Ref { .. }) {
                return Ok(true);
            }
            let parts = self.inner(mono, at)?;
            if self.have_references(&parts, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// An option of a reference to what is in an option.
    pub(crate) fn inside(&mut self, option: &Expr) -> Flow<Value> {
        let at = option.at;
        let (place, mono) = (self.place(option)?, self.mono(option.ty, at)?);
        let tag = self.tag_place(&place, at)?;
        let Value::Scalar(tag) = self.get(&tag, &Mono::Prim(Prim::Bool), at)? else {
            return Err(self.bug(at));
        };
        let parts = self.variant_parts(&place, &mono, 1, at)?;
        let refer = |part| Value::Ref(Box::new(part));
        let some = parts.map(|parts| parts.into_iter().map(refer).collect());
        Ok(Value::Variants(Rc::new(Variants { tag, parts: vec![Some(Vec::new()), some] })))
    }

    /// The reference of this type that is there.
    pub(crate) fn get_reference(
        &mut self,
        place: &ReferencePlace,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        let Mono::Ref { to, .. } = mono else { return Err(self.bug(at)) };
        let referred = match place {
            ReferencePlace::Address { ptr, len } => {
                let ty = self.build.kernel.locals[*ptr].ty;
                let ptr = Pointer::Inst(self.inst(at, Op::Get(*ptr), ty));
                let len = len.map(|len| Length::Inst(self.inst(at, Op::Get(len), Scalar::U64)));
                Place::Memory(Memory { ptr, len, scope: None })
            }
            ReferencePlace::Copy(copy) => placed(self.get(copy, to, at)?),
        };
        Ok(Value::Ref(Box::new(referred)))
    }

    /// Makes it refer to something else.
    pub(crate) fn set_reference(
        &mut self,
        place: &ReferencePlace,
        to: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let Mono::Ref { mutable, to: of } = mono else { return Err(self.bug(at)) };
        match place {
            ReferencePlace::Address { ptr, len } => {
                let memory = self.memory_of(to, *mutable, of, at)?;
                if memory.scope.is_some() {
                    return Err(self.scoped(at));
                }
                let length = len.map(|_| self.slice_length(&memory, at)).transpose()?;
                // Of `&[]`, there is nothing at the address, and so it may be in any memory.
                if !matches!(memory.len, Some(Length::Extent(Extent::Const(0)))) {
                    let value = self.pointer(memory.ptr, at);
                    self.set_address(*ptr, value, at);
                }
                if let (&Some(local), Some(value)) = (len, length) {
                    self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
                }
                Ok(())
            }
            ReferencePlace::Copy(_) if *mutable => Err(self.in_registers(at)),
            ReferencePlace::Copy(copy) => {
                let value = self.get(to, of, at)?;
                self.set(copy, value, of, at)
            }
        }
    }

    fn set_address(&mut self, local: LocalId, value: InstId, at: SpanId) {
        let ty = self.build.kernel.insts[value].ty;
        self.build.kernel.locals[local].ty = ty;
        self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
    }

    /// The memory that a place is, or gets a copy in.
    fn memory_of(&mut self, place: &Place, mutable: bool, of: &Mono, at: SpanId) -> Flow<Memory> {
        if let Place::Memory(memory) = place {
            return Ok(memory.clone());
        }
        if mutable {
            return Err(self.in_registers(at));
        }
        let value = self.get(place, of, at)?;
        let (elem, len) = self.elements(of, at)?;
        let span = self.span(at);
        let (name, passed) = (String::new(), None);
        let id = self.build.kernel.arrays.push(Array { name, elem, len, passed, span });
        let memory = Memory::at(Pointer::Array(id));
        self.set(&Place::Memory(memory.clone()), value, of, at)?;
        Ok(memory)
    }

    pub(crate) fn in_registers(&mut self, at: SpanId) -> Left {
        self.errors.advise(
            self.range(at),
            "kernel code cannot choose at run time between `&mut` references to variables, which \
             have no address",
            "choose between slices or elements, put the variables into an array and choose an \
             index, or write the assignment in each branch",
        );
        Left
    }

    fn scoped(&mut self, at: SpanId) -> Left {
        self.errors.advise(
            self.range(at),
            "kernel code cannot choose between atomics at a scope of their own",
            "choose between the atomics, and call `.block()` or `.system()` on what was chosen",
        );
        Left
    }

    /// Decides in which space each address in a local is, and what is computed from it: that of
    /// what the local is set to. Reports one that is set to addresses in two.
    pub(crate) fn spaces(&mut self) {
        let kernel = &mut self.build.kernel;
        if !kernel.locals.iter().any(|(_, local)| matches!(local.ty, ir::Ty::Ptr(_))) {
            return;
        }
        let mut spaces = Spaces {
            of_local: kernel.locals.facts(None),
            of_inst: kernel.insts.facts(None),
            mixed: Vec::new(),
        };
        while spaces.look(kernel) {}
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
            self.mixed(span, known, found);
        }
    }

    fn mixed(&mut self, span: Span, known: Space, found: Space) {
        let name = |space| match space {
            Space::Global => "the memory of the device",
            Space::Shared => "the shared memory of the block",
            Space::Local => "variables of the thread",
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

/// A number or `bool` that does not change behind a `&T`.
fn is_number(mono: &Mono) -> bool {
    matches!(mono, Mono::Prim(_) | Mono::Generic(_) | Mono::Pointer(_))
}

/// In which space addresses are, as far as it is known.
struct Spaces {
    of_local: Facts<LocalId, Option<Space>>,
    of_inst: Facts<InstId, Option<Space>>,
    /// Where a local is set to an address in another space than the one that is known.
    mixed: Vec<(Span, Space, Space)>,
}

impl Spaces {
    /// Follows each address once; true if something became known of a local.
    fn look(&mut self, kernel: &Kernel) -> bool {
        let mut changed = false;
        self.mixed.clear();
        for (id, inst) in kernel.insts.iter() {
            let op = &inst.op;
            if let Op::Index { base, .. } | Op::Offset { base, .. } = op {
                self.of_inst[id] = self.of_inst[*base];
            } else if let Op::Get(local) = op {
                self.of_inst[id] = self.of_local[*local];
            } else if let Op::Param(_) | Op::Shared(_) | Op::Array(_) = op {
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
