//! Paths: variables, constant parameters and constants.
use super::{
    super::{
        constant::{self, Constant},
        paths::key,
        span::SpanRange,
        tree::{Expr, GenericArg, GenericKind, Kind},
        types::Ty,
    },
    Infer, scope, signature,
};
use std::borrow::Cow;
use warpwise_compiler::id::Id;

/// The path that a call names, if it names one: through what a macro puts around it, and with the
/// type of `<f32>::max` as its first segment.
pub(in crate::lower) fn callee(func: &syn::Expr) -> Option<Cow<'_, syn::Path>> {
    match func {
        syn::Expr::Group(group) => callee(&group.expr),
        syn::Expr::Path(path) => plain_path(path),
        _ => None,
    }
}

/// The path of an expression, with the type of `<f32>::MAX` as its first segment; `None` for
/// `<T as Trait>::MAX`.
pub(super) fn plain_path(expr: &syn::ExprPath) -> Option<Cow<'_, syn::Path>> {
    let Some(qself) = &expr.qself else { return Some(Cow::Borrowed(&expr.path)) };
    let syn::Type::Path(of) = signature::peel(&qself.ty) else { return None };
    if qself.position > 0 || of.qself.is_some() {
        return None;
    }
    let mut path = of.path.clone();
    path.segments.extend(expr.path.segments.iter().cloned());
    Some(Cow::Owned(path))
}

impl Infer<'_> {
    /// A path that is no call: a variable, a constant parameter or a constant.
    pub(super) fn path(&mut self, expr: &syn::ExprPath) -> Expr {
        let Some(path) = plain_path(expr) else {
            let at = SpanRange::tokens(expr);
            let reported = self.errors.advise(
                at,
                "kernel code cannot use constants of traits yet",
                "`Num` has `ZERO` and `ONE`: write `T::ZERO`",
            );
            return self.reported(reported, at);
        };
        let at = match expr.qself {
            None => SpanRange::path(&expr.path),
            Some(_) => SpanRange::tokens(expr),
        };
        if let Some(ident) = path.get_ident()
            && let Some(var) = self.scope.find(ident)
        {
            let ty = self.vars[var].ty;
            return self.make(Kind::Var(var), ty, at);
        }
        let name = key(&path);
        let Some((index, GenericArg::Const(_))) = scope::generic(&self.names.args, &name) else {
            return self.constant(&path, &name, at);
        };
        let ty = match self.names.generics[index].kind {
            GenericKind::Const(prim) => self.prim(prim),
            GenericKind::Open(ty) => {
                self.names.open_uses.push((name, at));
                ty
            }
            GenericKind::Type(_) => self.unknown(),
        };
        self.make(Kind::Generic(Id::new(index)), ty, at)
    }

    /// A constant by its path: `f32::MAX`, `T::ZERO`, `std::f32::consts::PI`.
    pub(super) fn constant(&mut self, path: &syn::Path, name: &str, at: SpanRange) -> Expr {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if let [ty, constant] = names.as_slice()
            && let Some((_, GenericArg::Type(ty))) = scope::generic(&self.names.args, ty)
        {
            return self.constant_of(ty, constant, name, at);
        }
        if let Some((found, prim)) = constant::find(&names) {
            let ty = self.prim(prim);
            return self.make(Kind::Constant(found), ty, at);
        }
        let is_variable =
            matches!(names.as_slice(), [name] if name.starts_with(char::is_lowercase));
        let reported = if is_variable {
            self.errors.mistyped(at, format_args!("cannot find value `{name}` in this scope"))
        } else {
            self.errors.advise(
                at,
                format_args!("kernel code does not know the constant `{name}`"),
                format_args!(
                    "name it in `#[kernel(open({name}))]`, or make it a constant parameter"
                ),
            )
        };
        self.reported(reported, at)
    }

    /// A constant of a type parameter.
    fn constant_of(&mut self, ty: Ty, constant: &str, name: &str, at: SpanRange) -> Expr {
        let found = match constant {
            "ZERO" => Constant::Zero,
            "ONE" => Constant::One,
            _ => {
                let fact = format!("kernel code does not know the constant `{name}`");
                let reported = self.errors.advise(at, fact, "`Num` has `ZERO` and `ONE`");
                return self.reported(reported, at);
            }
        };
        self.make(Kind::Constant(found), ty, at)
    }
}
