//! The kernel itself: its signature, then its body.
use crate::{
    attr::{Options, lint_attr::Expectation},
    hir::{Function, GenericKind, Pattern, PatternKind, SpanId},
    infer::program::Program,
    lower::{
        Emit, Flow, Frame, Left, Length, Memory, Place, Pointer, Value, VariantPlaces,
        memory::layout::scalar,
    },
    syntax::{
        error::Errors,
        span::{Origin, SpanRange},
    },
    types::{Ty, Type, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    id::Id as _,
    ir::{
        self, Access, Array, Builder, Element, Extent, Generic, Kernel, MOST_PARAM_BYTES, Param,
        ParamId, ParamKind, Scalar, Span,
    },
    lint::Levels,
};

/// A kernel with where its spans are, and the levels of lints.
pub(crate) struct Emitted {
    pub(crate) kernel: Kernel,
    pub(crate) spans: Vec<SpanRange>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) levels: Levels,
    pub(crate) expectations: Vec<Rc<Expectation>>,
    /// Whether it is another one with debug assertions than without.
    pub(crate) depends_on_debug: bool,
}

/// Emits a kernel, with debug assertions if `debug`; `None` if something was reported.
///
/// A function pointer that is called may point to what only comes behind the call, as in a loop:
/// then all is emitted again, with that known.
pub(crate) fn kernel(
    function: &Rc<Function>,
    program: &Program<'_>,
    options: &Options,
    debug: bool,
    errors: &mut Errors,
) -> Option<Emitted> {
    let mut pointed = Vec::new();
    loop {
        let mut frame = Frame::new(function.clone(), 0, 0);
        frame.contract = options.contract;
        let mut emit = Emit {
            program,
            options,
            debug,
            depends_on_debug: false,
            errors: &mut *errors,
            build: Builder::new(function.name.trim_start_matches("r#")),
            spans: Vec::new(),
            origins: Vec::new(),
            settings: Vec::new(),
            expectations: Vec::new(),
            frame,
            waiting: vec![None],
            calls: 0,
            nesting: 0,
            pointed,
            known_pointed: None,
            pointing: Vec::new(),
        };
        emit.whole(options).ok()?;
        if !emit.errors.is_empty() {
            return None;
        }
        if emit.known_pointed.is_none_or(|known| known == emit.pointed.len()) {
            return Some(Emitted {
                kernel: emit.build.finish(),
                spans: emit.spans,
                origins: emit.origins,
                levels: Levels { settings: emit.settings },
                expectations: emit.expectations,
                depends_on_debug: emit.depends_on_debug,
            });
        }
        pointed = emit.pointed;
    }
}

impl Emit<'_> {
    fn whole(&mut self, options: &Options) -> Flow<()> {
        let function = self.frame.function.clone();
        self.build.kernel.may_coarsen = options.coarsen;
        self.build.kernel.min_blocks = options.min_blocks;
        self.build.kernel.cooperative = options.cooperative;
        self.build.kernel.wide_index = options.wide_index;
        self.build.kernel.deny_checks = options.deny_checks;
        self.signature()?;
        self.give(&function.levels);
        self.requirements(&options.requires)?;
        // A body that leaves by `return` has left no less than one that ends.
        let _ = self.block(&function.body);
        self.spaces();
        Ok(())
    }

    fn signature(&mut self) -> Flow<()> {
        let function = self.frame.function.clone();
        for generic in &function.generics {
            let kind = match generic.kind {
                GenericKind::Type(bound) => ir::GenericKind::Type(bound),
                GenericKind::Const(prim) => ir::GenericKind::Const(prim.scalar()),
                GenericKind::Open(ty) => self.open(ty, generic.at)?,
            };
            let span = Span::new(self.spans.len());
            self.spans.push(generic.at);
            self.origins.push(Origin::Kernel);
            let name = generic.name.clone();
            self.build.kernel.generics.push(Generic { name, kind, span });
        }
        self.build.kernel.block = function.block.clone();
        let mut places = Vec::with_capacity(function.params.len());
        for pattern in &function.params {
            let mono = self.mono(pattern.ty, pattern.at)?;
            let name = match &pattern.kind {
                PatternKind::Bind { var, .. } => {
                    function.vars[*var].name.trim_start_matches("r#").to_owned()
                }
                _ => "_".into(),
            };
            self.check_passed(&mono, pattern.at)?;
            places.push((pattern, self.param(&mono, &name, pattern.at)?, mono));
        }
        for (pattern, place, mono) in places {
            let place = self.unpacked(place, &mono, pattern.at)?;
            self.bind_param(pattern, place, &mono)?;
        }
        Ok(())
    }

    /// Parameters that are never set again are read where they are used.
    fn bind_param(&mut self, pattern: &Pattern, place: Place, mono: &Mono) -> Flow<()> {
        match &pattern.kind {
            PatternKind::Bind { var, by_ref: false, subpattern: None }
                if !self.frame.function.vars[*var].settable =>
            {
                self.frame.vars[var.index()] = Some(place);
                Ok(())
            }
            _ => self.bind_pattern(pattern, &place, mono),
        }
    }

    fn open(&mut self, ty: Ty, at: SpanRange) -> Flow<ir::GenericKind> {
        match self.ty(ty) {
            Type::Prim(prim) => Ok(ir::GenericKind::Const(prim.scalar())),
            _ => {
                self.errors.report(at, "an open constant is a number or `bool`");
                Err(Left)
            }
        }
    }

    /// Reports a parameter that is too large, before one of the IR is made for each number in it.
    fn check_passed(&mut self, mono: &Mono, at: SpanId) -> Flow<()> {
        let bytes = self.passed_bytes(mono, at)?;
        if bytes > MOST_PARAM_BYTES {
            self.errors.advise(
                self.range(at),
                format_args!(
                    "this parameter takes {bytes} bytes, and all parameters of a kernel take at most \
                     {MOST_PARAM_BYTES}"
                ),
                "pass a buffer: `&[T]`",
            );
            return Err(Left);
        }
        Ok(())
    }

    /// The bytes of the numbers that are passed for a value of this type, as far as they are known.
    fn passed_bytes(&mut self, mono: &Mono, at: SpanId) -> Flow<u64> {
        if let Some(scalar) = scalar(mono) {
            return Ok(scalar.size().map_or(0, u64::from));
        }
        let parts = match mono {
            Mono::Array(elem, len) => {
                let each = self.passed_bytes(elem, at)?;
                let len = self.extent(len, at)?.known().unwrap_or_default();
                return Ok(each.saturating_mul(len));
            }
            Mono::Tuple(_) | Mono::Adt(..) => self.inner(mono, at)?,
            Mono::Unit
            | Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Ref { .. }
            | Mono::Slice(_)
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => return Ok(0),
        };
        let mut bytes = 0u64;
        for part in parts {
            bytes = bytes.saturating_add(self.passed_bytes(&part, at)?);
        }
        Ok(bytes)
    }

    /// A parameter of this type: one of the IR for each number in it.
    fn param(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        if let Some(scalar) = scalar(mono) {
            return Ok(Place::Param(self.declare_param(name, ParamKind::Scalar(scalar), at)));
        }
        match mono {
            Mono::Ref { mutable, to } => self.reference(*mutable, to, name, at),
            Mono::Unit => Ok(Place::Value(Value::Unit)),
            Mono::Tuple(_) | Mono::Adt(..) => match self.parts_of(mono, at)? {
                Some(parts) => {
                    let names = self.part_names(mono, 0, name, at)?;
                    let named = parts.iter().zip(&names);
                    let places = named.map(|(part, name)| self.param(part, name, at));
                    Ok(Place::Parts(places.collect::<Flow<_>>()?))
                }
                None => self.enum_param(mono, name, at),
            },
            Mono::Array(elem, len) => {
                let (elements, all) = self.elements(mono, at)?;
                let Some(len) = self.extent(len, at)?.known().filter(|_| all.known().is_some())
                else {
                    return self.open_array(elements, all, name, at);
                };
                let places = (0..len).map(|index| self.param(elem, &format!("{name}.{index}"), at));
                Ok(Place::Parts(places.collect::<Flow<_>>()?))
            }
            Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Slice(_)
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => Err(self.bug(at)),
        }
    }

    /// An array of so many `elements`, of which only the launch knows how many they are.
    fn open_array(&mut self, elem: Element, len: Extent, name: &str, at: SpanId) -> Flow<Place> {
        let Some(scalar) = elem.scalar() else {
            self.errors.advise(
                self.range(at),
                "an array of structs, tuples or enums that is passed by value must have a length that is a number",
                "pass it as `&[T]`",
            );
            return Err(Left);
        };
        let passed = Some(self.declare_param(name, ParamKind::Scalar(scalar), at));
        let (name, span) = (name.to_owned(), self.span(at));
        let id = self.build.kernel.arrays.push(Array { name, elem, len, passed, span });
        Ok(Place::Memory(Memory::at(Pointer::Array(id))))
    }

    /// The discriminant, and then what each variant has.
    fn enum_param(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        let adt = self.adt(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.bug(at)) };
        let tag = Place::Param(self.declare_param(name, ParamKind::Scalar(tag), at));
        let mut parts = Vec::with_capacity(adt.variants.len());
        for (index, types) in adt.variants.iter().enumerate() {
            let names = self.part_names(mono, index, name, at)?;
            let named = types.iter().zip(&names);
            let places = named.map(|(part, name)| self.param(part, name, at));
            parts.push(places.collect::<Flow<Vec<_>>>()?);
        }
        Ok(Place::Variants(Rc::new(VariantPlaces { tag, parts })))
    }

    fn declare_param(&mut self, name: &str, kind: ParamKind, at: SpanId) -> ParamId {
        let span = self.span(at);
        self.build.kernel.params.push(Param { name: name.to_owned(), kind, span })
    }

    /// `&[T]`, `&mut [T]`; of one value, a slice with one element.
    fn reference(&mut self, mutable: bool, to: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        let (elem, many) = match to {
            Mono::Slice(elem) => (&**elem, true),
            one => (one, false),
        };
        let access = match mutable {
            true => Access::Write,
            false if self.has_atomics(elem, at)? => Access::Atomic,
            false => Access::Read,
        };
        let elem = self.slice_element(elem, at)?;
        let id = self.declare_param(name, ParamKind::Slice { elem, access }, at);
        let len = many.then_some(Length::Param(id));
        let memory = Memory { ptr: Pointer::Param(id), len, scope: None };
        Ok(Place::Value(Value::Ref(Box::new(Place::Memory(memory)))))
    }

    /// Whether a type is an atomic, or has a part that is.
    fn has_atomics(&mut self, mono: &Mono, at: SpanId) -> Flow<bool> {
        if matches!(mono, Mono::Atomic(_)) {
            return Ok(true);
        }
        for part in self.inner(mono, at)? {
            if self.has_atomics(&part, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A parameter that is an array becomes one of the thread's own.
    fn unpacked(&mut self, place: Place, mono: &Mono, at: SpanId) -> Flow<Place> {
        match (mono, place) {
            (Mono::Array(elem, _), Place::Parts(parts)) => {
                let array = self.array(mono, "", at)?;
                for (index, part) in parts.iter().enumerate() {
                    let part = self.unpacked(part.clone(), elem, at)?;
                    let value = self.get(&part, elem, at)?;
                    let index = self.bits(index as u64, Scalar::U64, at);
                    let place = self.nth(&array, index, elem, at)?;
                    self.set(&Place::Memory(place), value, elem, at)?;
                }
                Ok(Place::Memory(array))
            }
            (_, Place::Parts(parts)) => {
                let types = self.parts_of(mono, at)?.unwrap_or_default();
                Ok(Place::Parts(self.all_unpacked(&parts, &types, at)?.into()))
            }
            (_, Place::Variants(places)) => {
                let adt = self.adt(mono, at)?;
                let variants = places.parts.iter().zip(&adt.variants);
                let parts = variants.map(|(parts, types)| self.all_unpacked(parts, types, at));
                let (tag, parts) = (places.tag.clone(), parts.collect::<Flow<_>>()?);
                Ok(Place::Variants(Rc::new(VariantPlaces { tag, parts })))
            }
            (_, place) => Ok(place),
        }
    }

    fn all_unpacked(&mut self, parts: &[Place], types: &[Mono], at: SpanId) -> Flow<Vec<Place>> {
        let parts = parts.iter().zip(types);
        parts.map(|(part, ty)| self.unpacked(part.clone(), ty, at)).collect()
    }
}
