//! Calls of associated functions of number types and of their traits, by path.
use crate::{
    hir::{Expr, ExprKind},
    infer::Infer,
    syntax::span::SpanRange,
    types::{
        Class, Prim, Ty, Type,
        method::{self, Method, MethodSpec},
    },
};
use syn::ExprCall;

impl Infer<'_> {
    /// Infers `f32::from_bits(x)`, `u64::from(x)`, `f32::max(a, b)`, `T::from_i32(3)`, `Num::min(a,
    /// b)`; `None` if the path is none of these. `owner` is the type that the path names, if it is
    /// an item's.
    pub(crate) fn infer_associated_call(
        &mut self,
        names: &[String],
        owner: Option<Ty>,
        call: &ExprCall,
        at: SpanRange,
    ) -> Option<Expr> {
        // The types that a path can name: a trait, whose type the first argument decides; a number
        // or a type parameter, perhaps by an alias; an associated type.
        let (name, owner_path) = names.split_last()?;
        let owner_path: Vec<&str> = owner_path.iter().map(String::as_str).collect();
        let this = match owner_path.as_slice() {
            ["std" | "core", "cmp"] if matches!(name.as_str(), "min" | "max") => None,
            ["Num" | "Int" | "Float" | "Ord"] => None,
            [ty] | ["std" | "core", "primitive", ty] | ["half" | "warpwise", ty] => {
                if let Some(ty) = self.type_parameter(ty) {
                    Some(ty)
                } else if let Some(prim) = Prim::from_name(ty) {
                    Some(self.prim(prim))
                } else {
                    // An alias.
                    Some(owner.filter(|owner| self.types.as_prim(*owner).is_some())?)
                }
            }
            ["Self", _] => Some(owner?),
            [first, _] if self.type_parameter(first).is_some() => Some(owner?),
            _ => return None,
        };
        let Some(this) = this else {
            return Some(self.infer_by_first_argument(name, method::find_method, call, at));
        };
        // The order is that of the language: conversions, functions without a receiver, methods
        // called as functions, comparisons.
        let ty = self.number_method_type(this);
        if let "from" | "try_from" = name.as_str() {
            let from = self.conversion_bound(this, "From");
            return Some(self.infer_from(this, from, name, call, at));
        }
        if let Some(spec) = method::find_associated(name, ty) {
            return Some(self.apply_method(spec, this, None, &call.args, at));
        }
        let Some(spec) = method::find_method(name, ty) else {
            if let Some(compared) = self.infer_comparison_call(this, name, call, at) {
                return Some(compared);
            }
            return Some(self.report_no_method(name, this, &call.args, at));
        };
        Some(self.infer_method_as_function(spec, this, call, at))
    }

    /// Infers a method call in function form: the receiver is the first argument.
    pub(crate) fn infer_method_as_function(
        &mut self,
        spec: MethodSpec,
        this: Ty,
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        let Some(receiver) = call.args.first() else {
            self.report_arg_count(spec.params.len() + 1, 0, at);
            return self.make_expr(ExprKind::Reported, this, at);
        };
        let receiver = self.infer_expr_coerce(receiver, this);
        let rest: Vec<&syn::Expr> = call.args.iter().skip(1).collect();
        if rest.len() != spec.params.len() {
            self.report_arg_count(spec.params.len() + 1, call.args.len(), at);
            return self.make_expr(ExprKind::Reported, this, at);
        }
        self.apply_method_to(spec, this, Some(receiver), &rest, at)
    }

    /// Infers `Num::min(a, b)` or `std::cmp::min(a, b)`: a function of a trait or of the module
    /// `math`, selected by the type of its first argument.
    pub(crate) fn infer_by_first_argument(
        &mut self,
        name: &str,
        find: fn(&str, Type) -> Option<MethodSpec>,
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        let Some(first) = call.args.first() else {
            return self.report_no_function(&[name.to_owned()], at);
        };
        let receiver = self.infer_expr(first, None);
        let receiver = self.autoderef(receiver);
        let this = receiver.ty;
        let spec = match self.types.get(this) {
            // Not decided yet: the binary methods that all numbers share still apply.
            Type::Unknown(Class::Int | Class::Float) => {
                method::find_method(name, Type::Prim(Prim::I32))
                    .filter(|spec| matches!(spec.method, Method::Binary(_)))
            }
            ty => find(name, ty),
        };
        let rest: Vec<&syn::Expr> = call.args.iter().skip(1).collect();
        match spec {
            Some(spec) if spec.params.len() == rest.len() => {
                self.apply_method_to(spec, this, Some(receiver), &rest, at)
            }
            _ => {
                if let Some(compared) =
                    self.infer_comparison_call(self.types.pointee(this), name, call, at)
                {
                    return compared;
                }
                for arg in rest {
                    self.infer_expr(arg, None);
                }
                let fact = format!("kernel code cannot call `{name}` like this");
                let reported = self.errors.advise(at, fact, "call it as a method of a number");
                self.make_reported(reported, at)
            }
        }
    }
}
