//! Calls of associated functions of number types and of their traits, by path.
use crate::{
    hir::{Expr, Kind},
    infer::Infer,
    syntax::span::SpanRange,
    types::{
        Class, Prim, Ty, Type,
        method::{self, Method, Spec},
    },
};
use syn::ExprCall;

impl Infer<'_> {
    /// Infers `f32::from_bits(x)`, `u64::from(x)`, `f32::max(a, b)`, `T::from_i32(3)`, `Num::min(a,
    /// b)`; `None` if the path is none of these. `owner` is the type that the path names, if it is
    /// an item's.
    pub(crate) fn associated_call(
        &mut self,
        names: &[String],
        owner: Option<Ty>,
        call: &ExprCall,
        at: SpanRange,
    ) -> Option<Expr> {
        // The types that a path can name: a trait, whose type the first argument decides; a number
        // or a type parameter, perhaps by an alias; an associated type.
        let (name, of) = names.split_last()?;
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        let this = match of.as_slice() {
            ["std" | "core", "cmp"] if matches!(name.as_str(), "min" | "max") => None,
            ["Num" | "Int" | "Float" | "Ord"] => None,
            [ty] | ["std" | "core", "primitive", ty] | ["half" | "warpwise", ty] => {
                if let Some(ty) = self.stands_for(ty) {
                    Some(ty)
                } else if let Some(prim) = Prim::named(ty) {
                    Some(self.prim(prim))
                } else {
                    // An alias.
                    Some(owner.filter(|owner| self.types.as_prim(*owner).is_some())?)
                }
            }
            ["Self", _] => Some(owner?),
            [first, _] if self.stands_for(first).is_some() => Some(owner?),
            _ => return None,
        };
        let Some(this) = this else { return Some(self.trait_call(name, method::method, call, at)) };
        // The order is that of the language: conversions, functions without a receiver, methods
        // called as functions, comparisons.
        let ty = self.number_of_bounds(this);
        if let "from" | "try_from" = name.as_str() {
            let from = self.made_by_bound(this, "From");
            return Some(self.converted_from(this, from, name, call, at));
        }
        if let Some(spec) = method::associated(name, ty) {
            return Some(self.apply(spec, this, None, &call.args, at));
        }
        let Some(spec) = method::method(name, ty) else {
            if let Some(compared) = self.comparison_call(this, name, call, at) {
                return Some(compared);
            }
            return Some(self.no_method(name, this, &call.args, at));
        };
        Some(self.written_out(spec, this, call, at))
    }

    /// Infers a method call in function form: the receiver is the first argument.
    pub(crate) fn written_out(
        &mut self,
        spec: Spec,
        this: Ty,
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        let Some(receiver) = call.args.first() else {
            self.wrong_count(spec.params.len() + 1, 0, at);
            return self.make(Kind::Reported, this, at);
        };
        let receiver = self.expect(receiver, this);
        let rest: Vec<&syn::Expr> = call.args.iter().skip(1).collect();
        if rest.len() != spec.params.len() {
            self.wrong_count(spec.params.len() + 1, call.args.len(), at);
            return self.make(Kind::Reported, this, at);
        }
        self.apply_to(spec, this, Some(receiver), &rest, at)
    }

    /// Infers `Num::min(a, b)` or `std::cmp::min(a, b)`: a function of a trait or of the module
    /// `math`, selected by the type of its first argument.
    pub(crate) fn trait_call(
        &mut self,
        name: &str,
        find: fn(&str, Type) -> Option<Spec>,
        call: &ExprCall,
        at: SpanRange,
    ) -> Expr {
        let Some(first) = call.args.first() else {
            return self.no_function(&[name.to_owned()], at);
        };
        let receiver = self.expr(first, None);
        let receiver = self.autoderef(receiver);
        let this = receiver.ty;
        let spec = match self.types.get(this) {
            // Not decided yet: the binary methods that all numbers share still apply.
            Type::Unknown(Class::Int | Class::Float) => method::method(name, Type::Prim(Prim::I32))
                .filter(|spec| matches!(spec.which, Method::Binary(_))),
            ty => find(name, ty),
        };
        let rest: Vec<&syn::Expr> = call.args.iter().skip(1).collect();
        match spec {
            Some(spec) if spec.params.len() == rest.len() => {
                self.apply_to(spec, this, Some(receiver), &rest, at)
            }
            _ => {
                if let Some(compared) =
                    self.comparison_call(self.types.pointee(this), name, call, at)
                {
                    return compared;
                }
                for arg in rest {
                    self.expr(arg, None);
                }
                let fact = format!("kernel code cannot call `{name}` like this");
                let reported = self.errors.advise(at, fact, "call it as a method of a number");
                self.reported(reported, at)
            }
        }
    }
}
