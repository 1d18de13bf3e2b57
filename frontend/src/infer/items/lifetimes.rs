//! Lifetimes that a signature or a field needs and does not have.
//!
//! rustc reports them, and would do so again in generated copies, so there are no copies of such
//! code.
use crate::{syntax::span::SpanRange, types::Prim};
use syn::{
    BoundLifetimes, FnArg, Generics, Lifetime, ParenthesizedGenericArguments, ReturnType,
    Signature, Type, TypeFnPtr, TypeImplTrait, TypePath, TypeReference,
    visit::{self, Visit},
};

/// Returns the place of a lifetime that nothing declares, or that the return type needs and the
/// parameters do not tell. `outer` are the parameters of the block around the function.
pub(crate) fn find_missing_lifetime(
    sig: &Signature,
    outer: Option<&Generics>,
) -> Option<SpanRange> {
    let declared = [outer, Some(&sig.generics)].into_iter().flatten();
    let declared = declared.flat_map(Generics::lifetimes).map(|param| param.lifetime.clone());
    let mut inputs = Lifetimes { declared: declared.collect(), ..Lifetimes::default() };
    sig.inputs.iter().for_each(|input| inputs.visit_fn_arg(input));
    let mut output = Lifetimes { declared: inputs.declared.clone(), ..Lifetimes::default() };
    if let ReturnType::Type(_, ty) = &sig.output {
        output.visit_type(ty);
    }
    let is_told = inputs.places == 1
        || inputs.has_unknown
        || matches!(sig.inputs.first(), Some(FnArg::Receiver(_)));
    let untold = output.elided.filter(|_| !is_told && !output.has_unknown);
    inputs.undeclared.or(output.undeclared).or(untold)
}

/// Returns true if a field's type has a reference without a lifetime.
pub(crate) fn lacks_lifetime(field: &Type) -> bool {
    let mut lifetimes = Lifetimes::default();
    lifetimes.visit_type(field);
    lifetimes.elided.is_some()
}

/// The lifetimes in types.
#[derive(Default)]
struct Lifetimes {
    declared: Vec<Lifetime>,
    /// The first name that is not declared.
    undeclared: Option<SpanRange>,
    /// The first reference without a lifetime.
    elided: Option<SpanRange>,
    /// The number of lifetimes, written or not.
    places: usize,
    /// True if a type may have lifetimes that are not seen.
    has_unknown: bool,
}

impl<'ast> Visit<'ast> for Lifetimes {
    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        self.places += 1;
        let is_known = ["_", "static"].iter().any(|known| lifetime.ident == known)
            || self.declared.contains(lifetime);
        if !is_known {
            self.undeclared.get_or_insert(SpanRange::token(lifetime.span()));
        }
    }

    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        if reference.lifetime.is_none() {
            self.places += 1;
            self.elided.get_or_insert(SpanRange::token(reference.and_token.span));
        }
        visit::visit_type_reference(self, reference);
    }

    fn visit_type_path(&mut self, path: &'ast TypePath) {
        let name = path.path.get_ident().map(ToString::to_string);
        self.has_unknown |= name.is_none_or(|name| Prim::from_name(&name).is_none());
        visit::visit_type_path(self, path);
    }

    fn visit_type_impl_trait(&mut self, ty: &'ast TypeImplTrait) {
        self.has_unknown = true;
        visit::visit_type_impl_trait(self, ty);
    }

    fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {
        self.has_unknown = true;
    }

    // `Fn(&f32) -> &f32`
    fn visit_parenthesized_generic_arguments(&mut self, _: &'ast ParenthesizedGenericArguments) {
        self.has_unknown = true;
    }

    // `for<'a> Fn(&'a f32)`
    fn visit_bound_lifetimes(&mut self, bound: &'ast BoundLifetimes) {
        let names = bound.lifetimes.iter().filter_map(|param| match param {
            syn::GenericParam::Lifetime(param) => Some(param.lifetime.clone()),
            _ => None,
        });
        self.declared.extend(names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_certain_mistakes_are_found() {
        for (sig, is_wrong) in [
            ("fn f(x: &[f32], y: &[f32]) -> &f32", true),
            ("fn f() -> &f32", true),
            ("fn f(x: &'a f32)", true),
            ("fn f() -> &'a f32", true),
            ("fn f(x: &[f32], n: usize) -> &f32", false),
            ("fn f<'a>(x: &'a [f32], y: &f32) -> &'a f32", false),
            ("fn f(x: View) -> &f32", false),
            ("fn f(x: &[f32], y: View) -> &f32", false),
            ("fn f(&self, x: &f32) -> &f32", false),
            ("fn f(x: &'static f32, f: impl for<'b> Fn(&'b f32) -> &'b f32)", false),
            ("fn f(x: &'o f32, y: &'_ f32) -> &'o f32", false),
        ] {
            let outer: Generics = syn::parse_str("<'o>").unwrap();
            let found = find_missing_lifetime(&syn::parse_str(sig).unwrap(), Some(&outer));
            assert_eq!(found.is_some(), is_wrong, "{sig}");
        }
        assert!(lacks_lifetime(&syn::parse_str("&[f32]").unwrap()));
        for field in ["&'a [f32]", "fn(&f32) -> &f32"] {
            assert!(!lacks_lifetime(&syn::parse_str(field).unwrap()), "{field}");
        }
    }
}
