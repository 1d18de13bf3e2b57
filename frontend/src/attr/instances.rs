//! `#[kernel(instances(Double, Square))]`: the types for which a generic kernel is compiled.
//!
//! ```text
//! #[kernel(instances(Double, Square))]
//! fn map<F: Op>(x: &mut [f32]) { .. F::apply(x[i]) .. }
//! ```
//! The kernel is lowered once per instance, with the types substituted for the parameters, so that
//! all items of these types and their traits are available. An instance of several parameters is a
//! tuple: `instances((f32, Add), (f64, Add))`. Const parameters are bound at launch. The kernel
//! that the host launches stays generic, over the instances' types: for any other type rustc
//! reports an error.
use crate::attr::{Options, combine_errors};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Error, GenericParam, Generics, ItemFn, Path, Type, TypeTuple, WherePredicate};

/// The arguments for a kernel's type parameters, in order.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// The instance as written: a type, or a tuple of several.
    pub(crate) written: Type,
    pub(crate) types: Vec<Type>,
}

/// A bound of a type parameter, of which an instance has only the type.
#[derive(Clone, Debug)]
pub(crate) struct ReplacedBound {
    /// The name of the parameter.
    pub(crate) param: Ident,
    /// The type that replaced it.
    pub(crate) ty: Type,
    pub(crate) of_trait: Path,
}

/// Returns the errors of the instances of `item`, each of which must name a type for every type
/// parameter. Removes the wrong ones.
pub(crate) fn check_instances(item: &ItemFn, options: &mut Options) -> Option<Error> {
    let (name, params) = (&item.sig.ident, item.sig.generics.type_params().count());
    let mut errors = None;
    for Instance { written, types } in &options.instances {
        if params == 0 {
            let text = format!("`{name}` has no type parameters, so there is one of it");
            combine_errors(&mut errors, Error::new_spanned(written, text));
        } else if types.len() != params {
            let text = format!(
                "`{name}` has {params} type parameter{}, and this names {}\n= help: {}",
                if params == 1 { "" } else { "s" },
                types.len(),
                if params == 1 {
                    "name one type for each instance: `instances(f32, f64)`"
                } else {
                    "name the types of an instance in parentheses: `instances((f32, Add), (f64, Add))`"
                },
            );
            combine_errors(&mut errors, Error::new_spanned(written, text));
        }
    }
    options.instances.retain(|instance| params > 0 && instance.types.len() == params);
    errors
}

/// Returns the types of all instances.
pub(crate) fn instance_types(options: &Options) -> impl Iterator<Item = &Type> {
    options.instances.iter().flat_map(|instance| &instance.types)
}

/// Returns true if the kernel is compiled for named instances.
pub(crate) fn has_instances(options: &Options) -> bool {
    !options.instances.is_empty()
}

impl Instance {
    /// Returns the instance of a type, or of the types of a tuple.
    pub(crate) fn new(written: Type) -> Self {
        let types = match &written {
            Type::Tuple(TypeTuple { elems, .. }) => elems.iter().cloned().collect(),
            one => vec![one.clone()],
        };
        Self { written, types }
    }

    /// Returns the type that the host launches: `map<Double, N>`.
    pub(crate) fn launcher_type(&self, name: &Ident, generics: &Generics) -> TokenStream {
        let mut types = self.types.iter();
        let args = generics.params.iter().filter_map(|param| match param {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(_) => Some(types.next()?.to_token_stream()),
            GenericParam::Const(param) => Some(param.ident.to_token_stream()),
        });
        quote!(#name<#(#args),*>)
    }
}

/// Removes type parameters and their bounds; leaves lifetimes and const parameters.
pub(crate) fn remove_type_params(generics: &mut Generics) {
    let params = std::mem::take(&mut generics.params).into_iter();
    generics.params = params.filter(|param| !matches!(param, GenericParam::Type(_))).collect();
    if let Some(clause) = &mut generics.where_clause {
        let predicates = std::mem::take(&mut clause.predicates).into_iter();
        clause.predicates =
            predicates.filter(|predicate| !matches!(predicate, WherePredicate::Type(_))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instances(args: TokenStream) -> Options {
        let (options, error) = crate::attr::parse_arguments(args);
        assert!(error.is_none(), "{error:?}");
        options
    }

    fn function(text: &str) -> ItemFn {
        syn::parse_str(text).unwrap()
    }

    #[test]
    fn every_parameter_has_a_type() {
        let wrong = |args, item: &str| {
            check_instances(&function(item), &mut instances(args)).map(|e| e.to_string())
        };
        assert!(wrong(quote!(instances(A, B)), "fn f<T>() {}").is_none());
        assert!(wrong(quote!(instances((A, B))), "fn f<T, const N: u32, U>() {}").is_none());
        let one = wrong(quote!(instances(A)), "fn f<T, U>() {}").unwrap();
        assert!(one.starts_with("`f` has 2 type parameters, and this names 1\n"), "{one}");
        let none = wrong(quote!(instances(A)), "fn f() {}").unwrap();
        assert!(none.contains("no type parameters"), "{none}");
    }
}
