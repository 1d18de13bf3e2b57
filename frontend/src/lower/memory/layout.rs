//! Memory layout of values: that of `repr(C)`, also where Rust specifies none. The host computes
//! the same layouts (`runtime/src/elements/plain/layout.rs`).
use crate::{
    hir::SpanId,
    infer::program::Adt,
    lower::{Flow, Lowerer, call::pointer::FUNCTION_POINTER},
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{Element, Extent, Scalar};

/// Size and alignment of a type in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) size: Extent,
    pub(crate) align: Extent,
}

impl Layout {
    fn of_scalar(scalar: Scalar) -> Self {
        let size = scalar_size(scalar);
        Self { align: size.clone(), size }
    }
}

/// Returns the scalar of a number type; that of an atomic is its value's.
pub(crate) fn scalar_of_mono(mono: &Mono) -> Option<Scalar> {
    match mono {
        Mono::Prim(prim) | Mono::Atomic(prim) => Some(prim.scalar()),
        Mono::Generic(id) => Some(Scalar::Generic(*id)),
        Mono::Pointer(_) => Some(FUNCTION_POINTER),
        Mono::Unit
        | Mono::Never
        | Mono::Ref { .. }
        | Mono::Slice(_)
        | Mono::Array(..)
        | Mono::Tuple(_)
        | Mono::Adt(..)
        | Mono::Closure(_)
        | Mono::Iter(..) => None,
    }
}

impl Lowerer<'_> {
    /// Returns the definition of a struct or enum, with its generic arguments.
    pub(crate) fn adt_of(&mut self, mono: &Mono, at: SpanId) -> Flow<Rc<Adt>> {
        let found = match mono {
            Mono::Adt(item, args) => {
                let generics = self.frame.function.types.generics.clone();
                self.program.adt_definition(*item, args, &generics, self.errors)
            }
            _ => None,
        };
        found.ok_or_else(|| self.report_bug(at))
    }

    /// Returns the types of the parts of a tuple, a struct or an array of references; `None` for
    /// other types.
    pub(crate) fn part_types(&mut self, mono: &Mono, at: SpanId) -> Flow<Option<Vec<Mono>>> {
        match mono {
            Mono::Tuple(args) => Ok(Some(crate::types::mono::type_args(args))),
            Mono::Iter(_, types) => Ok(types.get(1..).map(<[Mono]>::to_vec)),
            Mono::Array(..) => self.scalarized_types(mono, at),
            Mono::Adt(..) => {
                let adt = self.adt_of(mono, at)?;
                Ok(if adt.tag.is_some() { None } else { adt.variants.first().cloned() })
            }
            Mono::Unit
            | Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Ref { .. }
            | Mono::Slice(_)
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_) => Ok(None),
        }
    }

    /// Returns the types of everything in a value: elements, and the fields of every variant.
    pub(crate) fn contained_types(&mut self, mono: &Mono, at: SpanId) -> Flow<Vec<Mono>> {
        match mono {
            Mono::Array(elem, _) => Ok(vec![(**elem).clone()]),
            Mono::Tuple(args) => Ok(crate::types::mono::type_args(args)),
            Mono::Adt(..) => Ok(self.adt_of(mono, at)?.variants.concat()),
            Mono::Unit
            | Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Ref { .. }
            | Mono::Slice(_)
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => Ok(Vec::new()),
        }
    }

    /// Returns true if a type or a part of it is a sought one.
    pub(crate) fn contains(
        &mut self,
        mono: &Mono,
        is_sought: fn(&Mono) -> bool,
        at: SpanId,
    ) -> Flow<bool> {
        if is_sought(mono) {
            return Ok(true);
        }
        for part in self.contained_types(mono, at)? {
            if self.contains(&part, is_sought, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the layout of a type.
    pub(crate) fn layout_of(&mut self, mono: &Mono, at: SpanId) -> Flow<Layout> {
        if let Some(scalar) = scalar_of_mono(mono) {
            return Ok(Layout::of_scalar(scalar));
        }
        match mono {
            Mono::Unit => Ok(Layout { size: 0.into(), align: 1.into() }),
            Mono::Array(elem, len) => {
                let elem = self.layout_of(elem, at)?;
                let len = self.simplify_extent(len, at)?;
                Ok(Layout { size: self.extent_product(elem.size, len, at)?, align: elem.align })
            }
            Mono::Tuple(args) => {
                let (_, layout) = self.field_offsets(&crate::types::mono::type_args(args), at)?;
                Ok(layout)
            }
            Mono::Adt(..) => {
                let adt = self.adt_of(mono, at)?;
                let layout = match adt.tag {
                    None => {
                        self.field_offsets(adt.variants.first().map_or(&[], Vec::as_slice), at)?.1
                    }
                    Some(tag) => self.enum_layout(&adt, tag, at)?.1,
                };
                let align = max_extent(layout.align, adt.align.into());
                Ok(Layout { size: self.round_up(layout.size, &align, at)?, align })
            }
            Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Ref { .. }
            | Mono::Slice(_)
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => Err(self.report_bug(at)),
        }
    }

    /// Returns the offsets of a struct's fields, and its layout.
    pub(crate) fn field_offsets(
        &mut self,
        fields: &[Mono],
        at: SpanId,
    ) -> Flow<(Vec<Extent>, Layout)> {
        let mut offsets = Vec::with_capacity(fields.len());
        let (mut size, mut align) = (Extent::Const(0), Extent::Const(1));
        for field in fields {
            let layout = self.layout_of(field, at)?;
            let offset = self.round_up(size, &layout.align, at)?;
            size = self.extent_sum(offset.clone(), layout.size, at)?;
            align = max_extent(align, layout.align);
            offsets.push(offset);
        }
        let size = self.round_up(size, &align, at)?;
        Ok((offsets, Layout { size, align }))
    }

    /// Returns the offset of the fields of all variants, after the discriminant, and the layout.
    pub(crate) fn enum_layout(
        &mut self,
        adt: &Adt,
        tag: Scalar,
        at: SpanId,
    ) -> Flow<(Extent, Layout)> {
        let (mut size, mut align) = (Extent::Const(0), Extent::Const(1));
        for variant in &adt.variants {
            let (_, layout) = self.field_offsets(variant, at)?;
            size = max_extent(size, layout.size);
            align = max_extent(align, layout.align);
        }
        // As in `repr(C)`, the fields form a union after the discriminant.
        let start = self.round_up(scalar_size(tag), &align, at)?;
        let size = self.round_up(size, &align, at)?;
        let all = max_extent(align, scalar_size(tag));
        let size = self.extent_sum(start.clone(), size, at)?;
        Ok((start, Layout { size: self.round_up(size, &all, at)?, align: all }))
    }

    /// Returns the stride between values of this type, in bytes.
    pub(crate) fn stride_of(&mut self, mono: &Mono, at: SpanId) -> Flow<Extent> {
        self.layout_of(mono, at).map(|layout| layout.size)
    }

    /// Returns the element type of an array, with nested arrays flattened, and the number of
    /// elements.
    pub(crate) fn array_elements(&mut self, mono: &Mono, at: SpanId) -> Flow<(Element, Extent)> {
        let (mut elem, mut len) = (mono, Extent::Const(1));
        while let Mono::Array(inner, each) = elem {
            let each = self.simplify_extent(each, at)?;
            len = if len == Extent::Const(1) { each } else { self.extent_product(len, each, at)? };
            elem = inner;
        }
        if let Some(scalar) = scalar_of_mono(elem) {
            return Ok((scalar.into(), len));
        }
        Ok((self.plain_element(elem, at)?, len))
    }

    /// Returns the element type of a slice.
    pub(crate) fn slice_element(&mut self, mono: &Mono, at: SpanId) -> Flow<Element> {
        scalar_of_mono(mono)
            .map_or_else(|| self.plain_element(mono, at), |scalar| Ok(scalar.into()))
    }

    fn plain_element(&mut self, mono: &Mono, at: SpanId) -> Flow<Element> {
        let Layout { size, align } = self.layout_of(mono, at)?;
        if size == Extent::Const(0) {
            self.errors.advise(
                self.source_range(at),
                "kernel code cannot have arrays of what has no size",
                "count instead",
            );
            return Err(crate::lower::Diverged);
        }
        Ok(Element::Plain { size, align })
    }

    fn extent_sum(&mut self, a: Extent, b: Extent, at: SpanId) -> Flow<Extent> {
        self.simplify_layout(Extent::Add(Box::new(a), Box::new(b)), at)
    }

    /// Rounds a size up to a multiple of `align`.
    fn round_up(&mut self, size: Extent, align: &Extent, at: SpanId) -> Flow<Extent> {
        if *align == Extent::Const(1) || size == Extent::Const(0) {
            return Ok(size);
        }
        let before = Extent::Sub(Box::new(align.clone()), Box::new(1.into()));
        let sum = Extent::Add(Box::new(size), Box::new(before));
        let whole = Extent::Div(Box::new(sum), Box::new(align.clone()));
        self.simplify_layout(Extent::Mul(Box::new(whole), Box::new(align.clone())), at)
    }

    fn simplify_layout(&mut self, extent: Extent, at: SpanId) -> Flow<Extent> {
        extent.simplified().ok_or_else(|| {
            self.errors.report(self.source_range(at), "this type is too large");
            crate::lower::Diverged
        })
    }
}

fn scalar_size(scalar: Scalar) -> Extent {
    scalar.size().map_or(Extent::SizeOf(scalar), |size| u64::from(size).into())
}

fn max_extent(a: Extent, b: Extent) -> Extent {
    if a == b {
        return a;
    }
    let max = Extent::Max(Box::new(a), Box::new(b));
    max.simplified().unwrap_or(max)
}
