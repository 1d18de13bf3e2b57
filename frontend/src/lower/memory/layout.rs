//! How values lie in memory: as `repr(C)` says, also where Rust leaves it open.
use crate::{
    hir::SpanId,
    infer::program::Adt,
    lower::{Emit, Flow, call::pointer::POINTER},
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{Element, Extent, Scalar};

/// Size and alignment of a type, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) size: Extent,
    pub(crate) align: Extent,
}

impl Layout {
    fn scalar(scalar: Scalar) -> Self {
        let size = size_of(scalar);
        Self { align: size.clone(), size }
    }
}

/// The scalar that a type is; an atomic is that of its value.
pub(crate) fn scalar(mono: &Mono) -> Option<Scalar> {
    match mono {
        Mono::Prim(prim) | Mono::Atomic(prim) => Some(prim.scalar()),
        Mono::Generic(id) => Some(Scalar::Generic(*id)),
        Mono::Pointer(_) => Some(POINTER),
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

impl Emit<'_> {
    /// What a struct or enum declares, with its generic arguments.
    pub(crate) fn adt(&mut self, mono: &Mono, at: SpanId) -> Flow<Rc<Adt>> {
        let found = match mono {
            Mono::Adt(item, args) => {
                let generics = self.frame.function.types.generics.clone();
                self.program.adt_definition(*item, args, &generics, self.errors)
            }
            _ => None,
        };
        found.ok_or_else(|| self.bug(at))
    }

    /// Types of the parts of a tuple or struct, or of an array with references in it; `None` for another type.
    pub(crate) fn parts_of(&mut self, mono: &Mono, at: SpanId) -> Flow<Option<Vec<Mono>>> {
        match mono {
            Mono::Tuple(args) => Ok(Some(crate::types::mono::type_args(args))),
            Mono::Iter(_, types) => Ok(types.get(1..).map(<[Mono]>::to_vec)),
            Mono::Array(..) => self.apart(mono, at),
            Mono::Adt(..) => {
                let adt = self.adt(mono, at)?;
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

    /// Types of all that lies in a value: of elements, and of the fields of every variant.
    pub(crate) fn inner(&mut self, mono: &Mono, at: SpanId) -> Flow<Vec<Mono>> {
        match mono {
            Mono::Array(elem, _) => Ok(vec![(**elem).clone()]),
            Mono::Tuple(args) => Ok(crate::types::mono::type_args(args)),
            Mono::Adt(..) => Ok(self.adt(mono, at)?.variants.concat()),
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

    pub(crate) fn layout(&mut self, mono: &Mono, at: SpanId) -> Flow<Layout> {
        if let Some(scalar) = scalar(mono) {
            return Ok(Layout::scalar(scalar));
        }
        match mono {
            Mono::Unit => Ok(Layout { size: 0.into(), align: 1.into() }),
            Mono::Array(elem, len) => {
                let elem = self.layout(elem, at)?;
                let len = self.extent(len, at)?;
                Ok(Layout { size: self.product(elem.size, len, at)?, align: elem.align })
            }
            Mono::Tuple(args) => {
                let (_, layout) = self.fields(&crate::types::mono::type_args(args), at)?;
                Ok(layout)
            }
            Mono::Adt(..) => {
                let adt = self.adt(mono, at)?;
                let layout = match adt.tag {
                    None => self.fields(adt.variants.first().map_or(&[], Vec::as_slice), at)?.1,
                    Some(tag) => self.enum_layout(&adt, tag, at)?.1,
                };
                let align = max(layout.align, adt.align.into());
                Ok(Layout { size: self.rounded(layout.size, &align, at)?, align })
            }
            Mono::Never
            | Mono::Prim(_)
            | Mono::Generic(_)
            | Mono::Ref { .. }
            | Mono::Slice(_)
            | Mono::Atomic(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => Err(self.bug(at)),
        }
    }

    /// Where each field of a struct begins, and the whole.
    pub(crate) fn fields(&mut self, fields: &[Mono], at: SpanId) -> Flow<(Vec<Extent>, Layout)> {
        let mut offsets = Vec::with_capacity(fields.len());
        let (mut size, mut align) = (Extent::Const(0), Extent::Const(1));
        for field in fields {
            let layout = self.layout(field, at)?;
            let offset = self.rounded(size, &layout.align, at)?;
            size = self.sum(offset.clone(), layout.size, at)?;
            align = max(align, layout.align);
            offsets.push(offset);
        }
        let size = self.rounded(size, &align, at)?;
        Ok((offsets, Layout { size, align }))
    }

    /// Where the fields of all variants begin, behind the discriminant, and the whole.
    pub(crate) fn enum_layout(
        &mut self,
        adt: &Adt,
        tag: Scalar,
        at: SpanId,
    ) -> Flow<(Extent, Layout)> {
        let (mut size, mut align) = (Extent::Const(0), Extent::Const(1));
        for variant in &adt.variants {
            let (_, layout) = self.fields(variant, at)?;
            size = max(size, layout.size);
            align = max(align, layout.align);
        }
        let start = self.rounded(size_of(tag), &align, at)?;
        let size = self.rounded(size, &align, at)?;
        let all = max(align, size_of(tag));
        let size = self.sum(start.clone(), size, at)?;
        Ok((start, Layout { size: self.rounded(size, &all, at)?, align: all }))
    }

    /// Bytes from one value of this type to the next.
    pub(crate) fn size(&mut self, mono: &Mono, at: SpanId) -> Flow<Extent> {
        self.layout(mono, at).map(|layout| layout.size)
    }

    /// What an array of this type holds, nested arrays taken as one, and how many.
    pub(crate) fn elements(&mut self, mono: &Mono, at: SpanId) -> Flow<(Element, Extent)> {
        let (mut elem, mut len) = (mono, Extent::Const(1));
        while let Mono::Array(inner, each) = elem {
            let each = self.extent(each, at)?;
            len = if len == Extent::Const(1) { each } else { self.product(len, each, at)? };
            elem = inner;
        }
        if let Some(scalar) = scalar(elem) {
            return Ok((scalar.into(), len));
        }
        Ok((self.plain(elem, at)?, len))
    }

    /// What a slice of this type has for elements.
    pub(crate) fn slice_element(&mut self, mono: &Mono, at: SpanId) -> Flow<Element> {
        scalar(mono).map_or_else(|| self.plain(mono, at), |scalar| Ok(scalar.into()))
    }

    fn plain(&mut self, mono: &Mono, at: SpanId) -> Flow<Element> {
        let Layout { size, align } = self.layout(mono, at)?;
        if size == Extent::Const(0) {
            self.errors.advise(
                self.range(at),
                "kernel code cannot have arrays of what has no size",
                "count instead",
            );
            return Err(crate::lower::Left);
        }
        Ok(Element::Plain { size, align })
    }

    fn sum(&mut self, a: Extent, b: Extent, at: SpanId) -> Flow<Extent> {
        self.computed(Extent::Add(Box::new(a), Box::new(b)), at)
    }

    /// The next multiple of `align`.
    fn rounded(&mut self, size: Extent, align: &Extent, at: SpanId) -> Flow<Extent> {
        if *align == Extent::Const(1) || size == Extent::Const(0) {
            return Ok(size);
        }
        let before = Extent::Sub(Box::new(align.clone()), Box::new(1.into()));
        let sum = Extent::Add(Box::new(size), Box::new(before));
        let whole = Extent::Div(Box::new(sum), Box::new(align.clone()));
        self.computed(Extent::Mul(Box::new(whole), Box::new(align.clone())), at)
    }

    fn computed(&mut self, extent: Extent, at: SpanId) -> Flow<Extent> {
        extent.simplified().ok_or_else(|| {
            self.errors.report(self.range(at), "this type is too large");
            crate::lower::Left
        })
    }
}

fn size_of(scalar: Scalar) -> Extent {
    scalar.size().map_or(Extent::SizeOf(scalar), |size| u64::from(size).into())
}

fn max(a: Extent, b: Extent) -> Extent {
    if a == b {
        return a;
    }
    let max = Extent::Max(Box::new(a), Box::new(b));
    max.simplified().unwrap_or(max)
}
