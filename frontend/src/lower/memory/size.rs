//! Lowering of `size_of` and `align_of`.
use crate::{
    hir::{Expr, SpanId, measure::Measure},
    lower::{Diverged, Flow, Lowerer, memory::layout::Layout},
    types::{Ty, mono::Mono},
};
use warpwise_compiler::ir::InstId;

impl Lowerer<'_> {
    /// Returns the size or the alignment of a type in bytes.
    pub(crate) fn lower_measure(&mut self, measure: Measure, ty: Ty, expr: &Expr) -> Flow<InstId> {
        let at = expr.at;
        let mono = self.mono_type(ty, at)?;
        if !self.has_specified_layout(&mono, at)? {
            self.errors.advise(
                self.source_range(at),
                format_args!("kernel code does not know the `{}` of this type", measure.name()),
                "ask for that of a number, of an array, or of a `#[device]` struct or enum of such",
            );
            return Err(Diverged);
        }
        let Layout { size, align } = self.layout_of(&mono, at)?;
        let scalar = self.expect_scalar_type(expr.ty, at)?;
        let extent = match measure {
            Measure::Size => size,
            Measure::Align => align,
        };
        Ok(self.lower_extent(&extent, scalar, at))
    }

    /// Returns true if a type is known here and Rust specifies its layout.
    fn has_specified_layout(&mut self, mono: &Mono, at: SpanId) -> Flow<bool> {
        Ok(match mono {
            Mono::Prim(_) | Mono::Atomic(_) | Mono::Generic(_) | Mono::Unit => true,
            Mono::Array(elem, _) => self.has_specified_layout(elem, at)?,
            Mono::Adt(item, _) => {
                let is_std = self.program.is_in_std_lib(*item)
                    && self.frame.function.types.vector(*item).is_none();
                if is_std {
                    return Ok(false);
                }
                let adt = self.adt_of(mono, at)?;
                for field in adt.variants.iter().flatten() {
                    if !self.has_specified_layout(field, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Mono::Never
            | Mono::Ref { .. }
            | Mono::Slice(_)
            | Mono::Tuple(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => false,
        })
    }
}
