//! `size_of` and `align_of`, whose argument is a type.
use crate::{
    hir::{Expr, ExprKind, measure::Measure},
    infer::{Infer, Obligation, items::scope::Env},
    syntax::span::SpanRange,
    types::{Prim, Ty, Type},
};
use syn::{ExprCall, GenericArgument, Path};
use warpwise_compiler::ir::Extent;

impl Infer<'_> {
    /// Infers `size_of::<T>()`.
    pub(crate) fn infer_measure(
        &mut self,
        measure: Measure,
        path: &Path,
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        self.notes.record_measure(path, measure);
        let usize = self.prim(Prim::Usize);
        if !self.check_arg_count(0, &call.args, at) {
            return self.make_expr(ExprKind::Reported, usize, at);
        }
        let env = self.env.clone();
        let Some(of) = self.measured_type(path, &env) else {
            let name = measure.name();
            let reported = self.errors.advise(
                at,
                format_args!("`{name}` is of a type"),
                format_args!("write it: `{name}::<f32>()`"),
            );
            return self.make_reported(reported, at);
        };
        self.oblige(at, Obligation::TypeArg(of));
        self.make_expr(ExprKind::Measure(measure, of), usize, at)
    }

    /// Returns the type between the angle brackets.
    fn measured_type(&mut self, path: &Path, env: &Env) -> Option<Ty> {
        let [GenericArgument::Type(ty)] =
            Self::turbofish(path)?.args.iter().collect::<Vec<_>>().as_slice()
        else {
            return None;
        };
        Some(self.resolve_type_in(ty, env))
    }

    /// Evaluates `size_of` and `align_of` in a constant, for numbers and arrays of them.
    pub(crate) fn extent_of_measure(&mut self, call: &ExprCall, env: &Env) -> Option<Extent> {
        let syn::Expr::Path(func) = &*call.func else { return None };
        let names: Vec<String> =
            func.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let measure = Measure::from_path(&names)?;
        self.notes.record_measure(&func.path, measure);
        let ty = self.measured_type(&func.path, env)?;
        self.extent_of_type(measure, ty)
    }

    fn extent_of_type(&self, measure: Measure, ty: Ty) -> Option<Extent> {
        match (self.types.get(ty), measure) {
            (Type::Prim(prim), _) => Some(u64::from(prim.scalar().size()?).into()),
            (Type::Array(elem, _), Measure::Align) => self.extent_of_type(measure, elem),
            (Type::Array(elem, len), Measure::Size) => {
                let elem = Box::new(self.extent_of_type(measure, elem)?);
                let len = Box::new(self.types.extent(len)?.clone());
                Extent::Mul(elem, len).simplified()
            }
            _ => None,
        }
    }
}
