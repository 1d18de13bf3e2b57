//! `size_of` and `align_of` as values.
use crate::{
    hir::{Expr, SpanId, measure::Measure},
    lower::{Emit, Flow, Left, memory::layout::Layout},
    types::{
        Ty,
        mono::{Mono, MonoArg},
    },
};
use warpwise_compiler::ir::InstId;

impl Emit<'_> {
    /// Bytes that a type takes, or what its address is a multiple of.
    pub(crate) fn measure(&mut self, measure: Measure, of: Ty, expr: &Expr) -> Flow<InstId> {
        let at = expr.at;
        let mono = self.mono(of, at)?;
        if !self.is_laid_out(&mono, at)? {
            self.errors.advise(
                self.range(at),
                format_args!("kernel code does not know the `{}` of this type", measure.name()),
                "ask for that of a number, of an array, or of a `#[device]` struct or enum of such; \
                 what depends on a type parameter of the kernel, pass as a parameter",
            );
            return Err(Left);
        }
        let Layout { size, align } = self.layout(&mono, at)?;
        let scalar = self.scalar_of(expr.ty, at)?;
        let extent = match measure {
            Measure::Size => size,
            Measure::Align => align,
        };
        Ok(self.extent_value(&extent, scalar, at))
    }

    /// Whether a type is known here, and Rust says how it lies in memory.
    fn is_laid_out(&mut self, mono: &Mono, at: SpanId) -> Flow<bool> {
        Ok(match mono {
            Mono::Prim(_) | Mono::Atomic(_) | Mono::Unit => true,
            Mono::Array(elem, _) => self.is_laid_out(elem, at)?,
            Mono::Adt(item, args) => {
                let is_std = self.program.is_in_std_lib(*item)
                    && self.frame.function.types.vector(*item).is_none();
                let is_open = args.iter().any(|arg| matches!(arg, MonoArg::Type(Mono::Generic(_))));
                if is_std || is_open {
                    return Ok(false);
                }
                let adt = self.adt(mono, at)?;
                for field in adt.variants.iter().flatten() {
                    if !self.is_laid_out(field, at)? {
                        return Ok(false);
                    }
                }
                true
            }
            Mono::Never
            | Mono::Generic(_)
            | Mono::Ref { .. }
            | Mono::Slice(_)
            | Mono::Tuple(_)
            | Mono::Closure(_)
            | Mono::Pointer(_)
            | Mono::Iter(..) => false,
        })
    }
}
