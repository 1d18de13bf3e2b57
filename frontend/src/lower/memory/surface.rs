//! Lowering of surfaces: parameters, and the requirements that make the checks of their slices
//! provable.
//!
//! A surface is a slice with extents and pitches, as the arrays of several dimensions are, and its
//! texels are elements of the slice. On a GPU there are no addresses of texels, so that a back end
//! has to know the parameter of each pointer: no pointer to a surface is ever in a variable.
use crate::{
    hir::SpanId,
    infer::program::ArrayForm,
    lower::{Lowerer, Pointer},
    types::mono::Mono,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{
        Access, BinaryOp, CompareOp, ParamId, ParamKind, Requirement, Root, Size, TextureShape,
        surface::MAX_TEXEL_BYTES,
    },
};

impl Lowerer<'_> {
    /// Makes a surface of the slice parameter that was declared for its texels, and requires of a
    /// launch that the slice has all of them.
    pub(crate) fn make_surface(
        &mut self,
        shape: TextureShape,
        texels: ParamId,
        name: &str,
        at: SpanId,
    ) {
        let mut texel_bytes = None;
        if let ParamKind::Slice { elem, access } = &mut self.build.kernel.params[texels].kind {
            texel_bytes = elem.size();
            *access = match access {
                Access::Write => Access::SurfaceWrite(shape),
                _ => Access::SurfaceRead(shape),
            };
        }
        let is_texel = |bytes: u64| bytes.is_power_of_two() && bytes <= MAX_TEXEL_BYTES;
        if texel_bytes.is_some_and(|bytes| !is_texel(bytes)) {
            self.errors.advise(
                self.source_range(at),
                "a surface has no texels of this type",
                "texels are numbers of up to 32 bits, and vectors of two and four of them",
            );
        }
        let field = |index: usize| Size::Param(ParamId::new(texels.index() + index));
        let binary = |op, lhs: Size, rhs: Size| Size::Binary(op, Box::new([lhs, rhs]));
        let at_most = |lhs: Size, rhs: Size| Size::Compare(CompareOp::Le, Box::new([lhs, rhs]));
        let len = Size::Len(texels);
        // The order of the fields is that of `ArrayForm::fields`.
        let (rows, columns, pitch, mut conditions) = match shape {
            TextureShape::D1 => return self.require_texels(vec![at_most(field(1), len)], name, at),
            TextureShape::D2 | TextureShape::D1Layered => (field(1), field(2), field(3), vec![]),
            TextureShape::D3 | TextureShape::D2Layered => (
                binary(BinaryOp::Mul, field(1), field(4)),
                field(3),
                field(5),
                vec![at_most(field(2), field(4))],
            ),
        };
        // Stated as sums, as for arrays of several dimensions.
        let pitched_rows = binary(BinaryOp::Mul, rows, pitch.clone());
        let needed = binary(BinaryOp::Add, pitched_rows, columns.clone());
        conditions.push(at_most(columns, pitch.clone()));
        conditions.push(at_most(needed, binary(BinaryOp::Add, len, pitch)));
        self.require_texels(conditions, name, at);
    }

    fn require_texels(&mut self, conditions: Vec<Size>, name: &str, at: SpanId) {
        let span = self.ir_span(at);
        for cond in conditions {
            let text = format!("the surface `{name}` has all of its texels");
            self.build.kernel.requires.push(Requirement { text, cond, span });
        }
    }

    /// Returns true for the type of a surface.
    pub(crate) fn is_surface_type(&self, mono: &Mono) -> bool {
        let Mono::Adt(item, _) = mono else { return false };
        matches!(self.program.array_form(*item), Some(ArrayForm::Surface(_)))
    }

    /// Returns true for a pointer into a surface.
    pub(crate) fn is_surface(&self, pointer: Pointer) -> bool {
        let kernel = &self.build.kernel;
        let root = match pointer {
            Pointer::Param(param) => Some(Root::Param(param)),
            Pointer::Inst(inst) => kernel.root(inst),
            Pointer::Shared(_) | Pointer::Array(_) => None,
        };
        root.is_some_and(|root| kernel.surface_of_root(root).is_some())
    }

    /// Reports a surface that the compiler cannot tell from others.
    pub(crate) fn report_unknown_surface(&mut self, at: SpanId) {
        self.errors.advise(
            self.source_range(at),
            "kernel code cannot choose between surfaces while it runs",
            "branch, and access a surface in each arm: `if c { a.read(x, y) } else { b.read(x, y) }`",
        );
    }
}
