//! Lowering of the kernel itself: its signature, then its body.
use crate::{
    attr::{Options, constant::ConstantParam, lint_attr::Expectation},
    hir::{Function, GenericKind, Pattern, PatternKind, SpanId},
    infer::program::{ArrayForm, Program},
    lower::{
        Diverged, EnumPlaces, Flow, Frame, Length, Lowerer, MAX_EXECUTED_INSTS, Memory, Place,
        Pointer, Value,
        call::grid_dependency::check_dependent_launch,
        memory::{layout::scalar_of_mono, reference::References},
    },
    syntax::{
        error::Errors,
        span::{Origin, SpanRange},
    },
    types::{Ty, Type, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    analysis::read_only_arrays::{CONSTANT_BYTES, constant_bytes},
    id::Id as _,
    ir::{
        self, Access, Array, Builder, Element, Extent, Generic, Kernel, MOST_PARAM_BYTES, Param,
        ParamId, ParamKind, Scalar, Span,
    },
    lint::Levels,
};

/// Lowered kernel with its spans and lint levels.
pub(crate) struct LoweredKernel {
    pub(crate) kernel: Kernel,
    pub(crate) spans: Vec<SpanRange>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) levels: Levels,
    pub(crate) expectations: Vec<Rc<Expectation>>,
    /// True if debug assertions change the kernel.
    pub(crate) depends_on_debug: bool,
}

/// Lowers a kernel, with debug assertions if `debug`; returns `None` if an error was reported.
///
/// A function pointer may point to a function that the kernel names only after the call, as in a
/// loop. The kernel is then lowered again with all pointees known from the start. The same holds
/// for the form of references, which their referents decide.
pub(crate) fn lower_kernel(
    function: &Rc<Function>,
    program: &Program<'_>,
    options: &Options,
    debug: bool,
    errors: &mut Errors,
) -> Option<LoweredKernel> {
    let (mut pointees, mut other_forms) = (Vec::new(), Vec::new());
    loop {
        let mut found = Errors::default();
        let mut frame = Frame::new(function.clone(), 0, 0);
        frame.contract = options.contract;
        let mut lowerer = Lowerer {
            program,
            options,
            debug,
            depends_on_debug: false,
            errors: &mut found,
            build: Builder::new(function.name.trim_start_matches("r#")),
            spans: Vec::new(),
            origins: Vec::new(),
            settings: Vec::new(),
            expectations: Vec::new(),
            frame,
            callers: vec![None],
            call_count: 0,
            nesting: 0,
            pointees,
            pointees_at_first_call: None,
            active_pointees: Vec::new(),
            references: References::with_other_forms(other_forms),
            execution_budget: MAX_EXECUTED_INSTS,
        };
        let lowered = lowerer.lower_whole(options);
        other_forms = lowerer.references.other_forms;
        if !lowerer.references.demanded.is_empty() {
            other_forms.append(&mut lowerer.references.demanded);
            pointees = lowerer.pointees;
            continue;
        }
        if lowered.is_err() || !lowerer.errors.is_empty() {
            errors.append(found);
            return None;
        }
        // A pointee that was added after the first call is missing from the chain of that call.
        if lowerer.pointees_at_first_call.is_none_or(|known| known == lowerer.pointees.len()) {
            let kernel = lowerer.build.finish();
            check_dependent_launch(&kernel, &lowerer.spans, lowerer.errors);
            if !lowerer.errors.is_empty() {
                errors.append(found);
                return None;
            }
            return Some(LoweredKernel {
                kernel,
                spans: lowerer.spans,
                origins: lowerer.origins,
                levels: Levels { settings: lowerer.settings },
                expectations: lowerer.expectations,
                depends_on_debug: lowerer.depends_on_debug,
            });
        }
        pointees = lowerer.pointees;
    }
}

impl Lowerer<'_> {
    fn lower_whole(&mut self, options: &Options) -> Flow<()> {
        let function = self.frame.function.clone();
        self.build.kernel.may_coarsen = options.coarsen;
        self.build.kernel.min_blocks = options.min_blocks;
        self.build.kernel.cooperative = options.cooperative;
        self.build.kernel.dependent_launch = options.dependent_launch;
        self.build.kernel.cluster = options.cluster.map(|cluster| cluster.dims);
        self.build.kernel.wide_index = options.wide_index;
        self.build.kernel.deny_checks = options.deny_checks;
        self.lower_signature(options)?;
        self.push_lint_levels(&function.levels);
        self.lower_requirements(&options.requires)?;
        // A body that leaves by `return` is as complete as one that reaches its end.
        let _ = self.lower_block(&function.body);
        self.resolve_spaces();
        self.check_async_copies();
        self.check_mbarriers();
        self.check_mapped_references();
        self.check_cached_accesses();
        self.check_named_barriers();
        self.check_warpgroup_products();
        Ok(())
    }

    fn lower_signature(&mut self, options: &Options) -> Flow<()> {
        // Generic parameters come first: the parameters' types name them.
        let function = self.frame.function.clone();
        for generic in &function.generics {
            let kind = match generic.kind {
                GenericKind::Type(bound) => ir::GenericKind::Type(bound),
                GenericKind::Const(prim) => ir::GenericKind::Const(prim.scalar()),
                GenericKind::Open(ty) => self.open_const_kind(ty, generic.at)?,
            };
            let span = Span::new(self.spans.len());
            self.spans.push(generic.at);
            self.origins.push(Origin::Kernel);
            let name = generic.name.clone();
            self.build.kernel.generics.push(Generic { name, kind, span });
        }
        self.build.kernel.block = function.block.clone();
        let mut places = Vec::with_capacity(function.params.len());
        for (index, pattern) in function.params.iter().enumerate() {
            let mono = self.mono_type(pattern.ty, pattern.at)?;
            let name = match &pattern.kind {
                PatternKind::Bind { var, .. } => {
                    function.vars[*var].name.trim_start_matches("r#").to_owned()
                }
                _ => "_".into(),
            };
            self.check_param_size(&mono, pattern.at)?;
            let place = match options.constants.get(index) {
                Some(Some(constant)) => {
                    self.declare_constant_param(constant, &mono, &name, pattern.at)?
                }
                Some(None) | None => self.declare_params(&mono, &name, pattern.at)?,
            };
            places.push((pattern, place, mono));
        }
        self.check_constant_memory(options)?;
        // Patterns are bound after all parameters are declared, since that may append instructions.
        for (pattern, place, mono) in places {
            let place = self.copy_array_params(place, &mono, pattern.at)?;
            self.bind_param(pattern, place, &mono)?;
        }
        Ok(())
    }

    /// Binds a parameter. One that is never assigned again is read at its uses.
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

    fn open_const_kind(&mut self, ty: Ty, at: SpanRange) -> Flow<ir::GenericKind> {
        match self.type_of(ty) {
            Type::Prim(prim) => Ok(ir::GenericKind::Const(prim.scalar())),
            _ => {
                self.errors.report(at, "an open constant is a number or `bool`");
                Err(Diverged)
            }
        }
    }

    /// Reports a parameter that is too large, before each of its numbers becomes an IR parameter.
    fn check_param_size(&mut self, mono: &Mono, at: SpanId) -> Flow<()> {
        let bytes = self.param_bytes(mono, at)?;
        if bytes > MOST_PARAM_BYTES {
            self.errors.advise(
                self.source_range(at),
                format_args!(
                    "this parameter takes {bytes} bytes, and all parameters of a kernel take at most \
                     {MOST_PARAM_BYTES}"
                ),
                "pass a buffer: `&[T]`",
            );
            return Err(Diverged);
        }
        Ok(())
    }

    /// Returns the known size in bytes of the numbers that are passed for a value of this type.
    fn param_bytes(&mut self, mono: &Mono, at: SpanId) -> Flow<u64> {
        if let Some(scalar) = scalar_of_mono(mono) {
            return Ok(scalar.size().map_or(0, u64::from));
        }
        let parts = match mono {
            Mono::Array(elem, len) => {
                let each = self.param_bytes(elem, at)?;
                let len = self.simplify_extent(len, at)?.known().unwrap_or_default();
                return Ok(each.saturating_mul(len));
            }
            Mono::Tuple(_) | Mono::Adt(..) => self.contained_types(mono, at)?,
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
            bytes = bytes.saturating_add(self.param_bytes(&part, at)?);
        }
        Ok(bytes)
    }

    /// Declares a parameter of this type: one IR parameter for each number in it.
    fn declare_params(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        if let Some(scalar) = scalar_of_mono(mono) {
            return Ok(Place::Param(self.declare_param(name, ParamKind::Scalar(scalar), at)));
        }
        match mono {
            Mono::Ref { mutable, to } => self.declare_reference_param(*mutable, to, name, at),
            Mono::Unit => Ok(Place::Value(Value::Unit)),
            Mono::Tuple(_) | Mono::Adt(..) => match self.part_types(mono, at)? {
                Some(parts) => {
                    let mut names = self.part_names(mono, 0, name, at)?;
                    let form = match mono {
                        Mono::Adt(item, _) => self.program.array_form(*item),
                        _ => None,
                    };
                    // Lints and messages speak of the array, not of the slice in it.
                    if form.is_some() {
                        name.clone_into(&mut names[0]);
                    }
                    let first = ParamId::new(self.build.kernel.params.len());
                    let named = parts.iter().zip(&names);
                    let places = named.map(|(part, name)| self.declare_params(part, name, at));
                    let places = places.collect::<Flow<_>>()?;
                    match form {
                        Some(ArrayForm::Texture) => self.make_texture(first),
                        Some(ArrayForm::Surface(shape)) => {
                            self.make_surface(shape, first, name, at);
                        }
                        Some(ArrayForm::TensorRows | ArrayForm::TensorLayers) => {
                            self.make_tensor_map(first);
                        }
                        Some(form) => self.require_array(form, first, name, at),
                        None => {}
                    }
                    Ok(Place::Parts(places))
                }
                None => self.declare_enum_param(mono, name, at),
            },
            Mono::Array(elem, len) => {
                let (elements, all) = self.array_elements(mono, at)?;
                let Some(len) =
                    self.simplify_extent(len, at)?.known().filter(|_| all.known().is_some())
                else {
                    return self.declare_open_array(elements, all, name, at);
                };
                let places =
                    (0..len).map(|index| self.declare_params(elem, &format!("{name}.{index}"), at));
                Ok(Place::Parts(places.collect::<Flow<_>>()?))
            }
            Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Slice(_)
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => Err(self.report_bug(at)),
        }
    }

    /// Declares an array of `len` elements, of which only the launch knows the number.
    fn declare_open_array(
        &mut self,
        elem: Element,
        len: Extent,
        name: &str,
        at: SpanId,
    ) -> Flow<Place> {
        let Some(scalar) = elem.scalar() else {
            self.errors.advise(
                self.source_range(at),
                "an array of structs, tuples or enums that is passed by value must have a length that is a number",
                "pass it as `&[T]`",
            );
            return Err(Diverged);
        };
        let passed = Some(self.declare_param(name, ParamKind::Scalar(scalar), at));
        let (name, span) = (name.to_owned(), self.ir_span(at));
        let id = self.build.kernel.arrays.push(Array { name, elem, len, passed, span });
        Ok(Place::Memory(Memory::new(Pointer::Array(id))))
    }

    /// Declares the parameters of an enum: its discriminant, then the fields of each variant.
    fn declare_enum_param(&mut self, mono: &Mono, name: &str, at: SpanId) -> Flow<Place> {
        let adt = self.adt_of(mono, at)?;
        let Some(tag) = adt.tag else { return Err(self.report_bug(at)) };
        let tag = Place::Param(self.declare_param(name, ParamKind::Scalar(tag), at));
        let mut parts = Vec::with_capacity(adt.variants.len());
        for (index, types) in adt.variants.iter().enumerate() {
            let names = self.part_names(mono, index, name, at)?;
            let named = types.iter().zip(&names);
            let places = named.map(|(part, name)| self.declare_params(part, name, at));
            parts.push(places.collect::<Flow<Vec<_>>>()?);
        }
        Ok(Place::Variants(Rc::new(EnumPlaces { tag, parts })))
    }

    fn declare_param(&mut self, name: &str, kind: ParamKind, at: SpanId) -> ParamId {
        let span = self.ir_span(at);
        self.build.kernel.params.push(Param { name: name.to_owned(), kind, span })
    }

    /// Declares `#[constant] &[T]`; a reference to one value is a slice with one element.
    fn declare_constant_param(
        &mut self,
        constant: &ConstantParam,
        mono: &Mono,
        name: &str,
        at: SpanId,
    ) -> Flow<Place> {
        let Mono::Ref { mutable: false, to } = mono else { return Err(self.report_bug(at)) };
        let (elem, is_slice) = match &**to {
            Mono::Slice(elem) => (&**elem, true),
            one => (one, false),
        };
        if self.has_atomics(elem, at)? {
            self.errors.advise(
                constant.at,
                "constant memory has no atomics, which are written",
                "remove `#[constant]`",
            );
            return Err(Diverged);
        }
        let (elem, access) =
            (self.slice_element(elem, at)?, Access::Constant { max: constant.max });
        let id = self.declare_param(name, ParamKind::Slice { elem, access }, at);
        let len = is_slice.then_some(Length::Param(id));
        let memory = Memory { len, ..Memory::new(Pointer::Param(id)) };
        Ok(Place::Value(Value::Ref(Box::new(Place::Memory(memory)))))
    }

    /// Reports parameters that take more constant memory than there is, as far as their sizes are
    /// known.
    fn check_constant_memory(&mut self, options: &Options) -> Flow<()> {
        let bytes = constant_bytes(&self.build.kernel);
        let Some(last) = options.constants.iter().flatten().last() else { return Ok(()) };
        if bytes > CONSTANT_BYTES {
            self.errors.advise(
                last.at,
                format_args!(
                    "the constant parameters take {bytes} bytes, and a kernel has {CONSTANT_BYTES} \
                     bytes of constant memory"
                ),
                "declare fewer elements, or remove `#[constant]`",
            );
            return Err(Diverged);
        }
        Ok(())
    }

    /// Declares `&[T]` or `&mut [T]`; a reference to one value is a slice with one element.
    fn declare_reference_param(
        &mut self,
        mutable: bool,
        to: &Mono,
        name: &str,
        at: SpanId,
    ) -> Flow<Place> {
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
        let memory = Memory { len, ..Memory::new(Pointer::Param(id)) };
        Ok(Place::Value(Value::Ref(Box::new(Place::Memory(memory)))))
    }

    /// Returns true if a type is an atomic or contains one.
    fn has_atomics(&mut self, mono: &Mono, at: SpanId) -> Flow<bool> {
        if matches!(mono, Mono::Atomic(_)) {
            return Ok(true);
        }
        for part in self.contained_types(mono, at)? {
            if self.has_atomics(&part, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Copies array parameters into thread-private arrays.
    fn copy_array_params(&mut self, place: Place, mono: &Mono, at: SpanId) -> Flow<Place> {
        match (mono, place) {
            (Mono::Array(elem, _), Place::Parts(parts)) => {
                let array = self.new_array(mono, "", at)?;
                for (index, part) in parts.iter().enumerate() {
                    let part = self.copy_array_params(part.clone(), elem, at)?;
                    let value = self.read_place(&part, elem, at)?;
                    let index = self.push_bits(index as u64, Scalar::U64, at);
                    let place = self.element_at(&array, index, elem, at)?;
                    self.write_place(&Place::Memory(place), value, elem, at)?;
                }
                Ok(Place::Memory(array))
            }
            (_, Place::Parts(parts)) => {
                let types = self.part_types(mono, at)?.unwrap_or_default();
                Ok(Place::Parts(self.copy_all_array_params(&parts, &types, at)?.into()))
            }
            (_, Place::Variants(places)) => {
                let adt = self.adt_of(mono, at)?;
                let variants = places.parts.iter().zip(&adt.variants);
                let parts =
                    variants.map(|(parts, types)| self.copy_all_array_params(parts, types, at));
                let (tag, parts) = (places.tag.clone(), parts.collect::<Flow<_>>()?);
                Ok(Place::Variants(Rc::new(EnumPlaces { tag, parts })))
            }
            (_, place) => Ok(place),
        }
    }

    fn copy_all_array_params(
        &mut self,
        parts: &[Place],
        types: &[Mono],
        at: SpanId,
    ) -> Flow<Vec<Place>> {
        let parts = parts.iter().zip(types);
        parts.map(|(part, ty)| self.copy_array_params(part.clone(), ty, at)).collect()
    }
}
