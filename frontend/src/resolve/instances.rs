//! Instantiation of a kernel: substitutes the types of `instances(..)` for its type parameters.
use crate::{
    attr::{
        Options,
        instances::{Instance, ReplacedBound, remove_type_params},
    },
    resolve::{
        device_set::DeviceSet,
        paths::{path_key, truncate_to_item},
    },
};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    ExprPath, Generics, ItemFn, Path, QSelf, Token, Type, TypePath, WherePredicate,
    visit_mut::{self, VisitMut},
};

impl Instance {
    /// Returns the kernel and its arguments with these types.
    pub(crate) fn instantiate(
        &self,
        item: &ItemFn,
        options: &Options,
        devices: &DeviceSet,
    ) -> (ItemFn, Options) {
        let names = item.sig.generics.type_params().map(|param| param.ident.clone());
        let types = names.zip(self.types.iter().cloned()).collect();
        let bounds = trait_bounds(&item.sig.generics)
            .map(|(of, bound)| (of.cloned(), bound.path.clone()))
            .collect();
        let mut put = TypeSubstitution { types, bounds, devices };
        let (mut item, mut options) = (item.clone(), options.clone());
        remove_type_params(&mut item.sig.generics);
        put.visit_signature_mut(&mut item.sig);
        put.visit_block_mut(&mut item.block);
        for condition in &mut options.requires {
            put.visit_expr_mut(&mut condition.expr);
        }
        options.block.iter_mut().flatten().for_each(|dim| put.visit_expr_mut(dim));
        options.instances.clear();
        options.replaced_bounds = put.replaced_bounds();
        (item, options)
    }

    /// Imports the `#[device]` traits that bound the parameters. A call on a parameter resolves by
    /// its bound, a call on a type only with the trait in scope.
    pub(crate) fn import_bound_traits(item: &ItemFn, devices: &DeviceSet) -> TokenStream {
        let mut found: Vec<Path> = Vec::new();
        for (_, bound) in trait_bounds(&item.sig.generics) {
            let path = truncate_to_item(&bound.path);
            if devices.kernel_paths.contains_key(&path_key(&path)) && !found.contains(&path) {
                found.push(path);
            }
        }
        quote!(#(#[allow(unused_imports, reason = "in scope, perhaps")] use #found as _;)*)
    }
}

/// Returns the trait bounds of type parameters, each with the name of its parameter; `None` for a
/// bound of another type, such as `T::Item: Copy`.
fn trait_bounds(generics: &Generics) -> impl Iterator<Item = (Option<&Ident>, &syn::TraitBound)> {
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let where_bounds = clauses.filter_map(|predicate| match predicate {
        WherePredicate::Type(of) => {
            let name = match &of.bounded_ty {
                Type::Path(ty) if ty.qself.is_none() => ty.path.get_ident(),
                _ => None,
            };
            Some((name, &of.bounds))
        }
        _ => None,
    });
    let own_bounds = generics.type_params().map(|param| (Some(&param.ident), &param.bounds));
    let bounds = own_bounds
        .chain(where_bounds)
        .flat_map(|(name, bounds)| bounds.iter().map(move |bound| (name, bound)));
    bounds.filter_map(|(name, bound)| match bound {
        syn::TypeParamBound::Trait(bound) => Some((name, bound)),
        _ => None,
    })
}

/// Substitutes types for the names of type parameters.
struct TypeSubstitution<'a> {
    types: Vec<(Ident, Type)>,
    /// The trait bounds of the parameters, each with the name of its parameter, if it has one.
    bounds: Vec<(Option<Ident>, Path)>,
    devices: &'a DeviceSet,
}

impl TypeSubstitution<'_> {
    /// Returns the type for the first segment of a path, with the segment's span.
    fn type_of_first_segment(&self, path: &Path) -> Option<Type> {
        let first = path.segments.first().filter(|_| path.leading_colon.is_none())?;
        let (_, ty) = self.types.iter().find(|(name, _)| *name == first.ident)?;
        Some(relocate_type(ty, first.ident.span()))
    }

    /// Returns the path `<Type>::rest` for a path that begins with a parameter.
    fn qualify(&self, path: &Path) -> Option<(QSelf, Path)> {
        let ty = self.type_of_first_segment(path)?;
        let segments = path.segments.iter().skip(1).cloned().collect();
        let colon = Some(Token![::](path.segments.first()?.ident.span()));
        let qself = QSelf {
            lt_token: Token![<](Span::call_site()),
            ty: Box::new(ty),
            position: 0,
            as_token: None,
            gt_token: Token![>](Span::call_site()),
        };
        Some((qself, Path { leading_colon: colon, segments }))
    }

    /// Returns the bounds of parameters, with their types in this instance.
    fn replaced_bounds(&self) -> Vec<ReplacedBound> {
        let bounds = self.bounds.iter().filter_map(|(of, bound)| {
            let param = of.clone()?;
            let (_, ty) = self.types.iter().find(|(name, _)| *name == param)?;
            let of_trait = without_path_bindings(bound);
            Some(ReplacedBound { ty: ty.clone(), of_trait, param })
        });
        bounds.collect()
    }

    /// Returns the device trait of a bound.
    fn bound_trait(&self, bound: &Path) -> Option<&syn::Item> {
        let index = self.devices.kernel_paths.get(&path_key(&truncate_to_item(bound)))?;
        self.devices.items.get(*index).map(|device| &device.item)
    }

    /// Returns the bound that declares an associated type: implied for a parameter, but to be
    /// written for a concrete type.
    fn trait_declaring_type(&self, name: &Ident) -> Option<&Path> {
        let declares = |bound: &&Path| match self.bound_trait(bound) {
            Some(syn::Item::Trait(defined)) => defined.items.iter().any(
                |member| matches!(member, syn::TraitItem::Type(member) if member.ident == *name),
            ),
            Some(_) => false,
            // An operator trait of std.
            None => name == "Output",
        };
        self.bounds.iter().map(|(_, bound)| bound).find(declares)
    }

    /// Returns the bound of a parameter that declares a function or constant. The concrete type may
    /// have another one of that name, which a path without the trait would mean.
    fn trait_declaring_value(&self, parameter: &Ident, name: &Ident) -> Option<&Path> {
        let declares = |bound: &&Path| match self.bound_trait(bound) {
            Some(syn::Item::Trait(defined)) => defined.items.iter().any(|member| match member {
                syn::TraitItem::Fn(member) => member.sig.ident == *name,
                syn::TraitItem::Const(member) => member.ident == *name,
                _ => false,
            }),
            _ => false,
        };
        let of_parameter = self.bounds.iter().filter(|(of, _)| of.as_ref() == Some(parameter));
        of_parameter.map(|(_, bound)| bound).find(declares)
    }

    /// Returns the path `<Type as Bound>::rest` for a path that begins with a parameter.
    fn qualify_by_bound(&self, path: &Path, bound: &Path) -> Option<(QSelf, Path)> {
        let (mut qself, rest) = self.qualify(path)?;
        (qself.position, qself.as_token) =
            (bound.segments.len(), Some(Token![as](Span::call_site())));
        let of_trait = without_path_bindings(bound).segments.into_iter();
        let segments = of_trait.chain(rest.segments).collect();
        Some((qself, Path { leading_colon: bound.leading_colon, segments }))
    }

    /// Substitutes in the tokens of a macro call.
    fn substitute_tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut found = TokenStream::new();
        let mut follows_punct = false;
        let mut tokens = tokens.into_iter();
        while let Some(token) = tokens.next() {
            let dot = matches!(&token, TokenTree::Punct(punct) if ".:'".contains(punct.as_char()));
            match token {
                TokenTree::Ident(name) if !follows_punct => {
                    let known = self.types.iter().find(|(known, _)| *known == name);
                    let member = known.and_then(|_| member_name(tokens.clone()));
                    let bound =
                        member.and_then(|member| self.trait_declaring_value(&name, &member));
                    match known.map(|(_, ty)| relocate_type(ty, name.span())) {
                        Some(ty) if let Some(bound) = bound => {
                            let of_trait = without_path_bindings(bound);
                            quote!(<#ty as #of_trait>).to_tokens(&mut found);
                        }
                        Some(Type::Path(path)) => path.to_tokens(&mut found),
                        Some(ty) => quote!(<#ty>).to_tokens(&mut found),
                        None => name.to_tokens(&mut found),
                    }
                }
                TokenTree::Group(group) => {
                    let mut inner =
                        Group::new(group.delimiter(), self.substitute_tokens(group.stream()));
                    inner.set_span(group.span());
                    inner.to_tokens(&mut found);
                }
                token => token.to_tokens(&mut found),
            }
            follows_punct = dot;
        }
        found
    }
}

/// Returns `ty` with the location of the parameter's name.
fn relocate_type(ty: &Type, at: Span) -> Type {
    struct Place(Span);
    impl VisitMut for Place {
        fn visit_ident_mut(&mut self, ident: &mut Ident) {
            ident.set_span(ident.span().located_at(self.0));
        }
    }
    let mut ty = ty.clone();
    Place(at).visit_type_mut(&mut ty);
    ty
}

impl VisitMut for TypeSubstitution<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(TypePath { qself: None, path, attrs }) = ty
            && let Some(found) = self.type_of_first_segment(path)
        {
            if path.segments.len() == 1 {
                *ty = found;
                return;
            }
            let name = path.segments.iter().nth(1);
            let qualified = match name.and_then(|name| self.trait_declaring_type(&name.ident)) {
                Some(bound) => self.qualify_by_bound(path, bound),
                None => self.qualify(path),
            };
            if let Some((qself, rest)) = qualified {
                let attrs = std::mem::take(attrs);
                *ty = Type::Path(TypePath { attrs, qself: Some(qself), path: rest });
            }
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        if path.qself.is_none()
            && path.path.segments.len() > 1
            && let Some(found) = self.type_of_first_segment(&path.path)
        {
            let [parameter, name] = [0, 1].map(|at| &path.path.segments[at].ident);
            let by_bound = (path.path.segments.len() == 2)
                .then(|| self.trait_declaring_value(parameter, name))
                .flatten()
                .and_then(|bound| self.qualify_by_bound(&path.path, bound));
            match found {
                _ if let Some((qself, rest)) = by_bound => {
                    (path.qself, path.path) = (Some(qself), rest);
                }
                // A plain path, which resolves like one that the user wrote.
                Type::Path(TypePath { qself: None, path: of, .. }) if has_no_arguments(&of) => {
                    let rest = path.path.segments.iter().skip(1).cloned();
                    let colon = of.leading_colon;
                    let segments = of.segments.iter().cloned().chain(rest).collect();
                    path.path = Path { leading_colon: colon, segments };
                }
                _ => {
                    if let Some((qself, rest)) = self.qualify(&path.path) {
                        (path.qself, path.path) = (Some(qself), rest);
                    }
                }
            }
        }
        visit_mut::visit_expr_path_mut(self, path);
    }

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        call.tokens = self.substitute_tokens(std::mem::take(&mut call.tokens));
    }

    /// Inner items cannot use the parameters.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Returns `name` of the tokens `::name ..`.
fn member_name(mut tokens: impl Iterator<Item = TokenTree>) -> Option<Ident> {
    let mut is_colon =
        || matches!(tokens.next(), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    if !is_colon() || !is_colon() {
        return None;
    }
    match tokens.next()? {
        TokenTree::Ident(name) => Some(name),
        _ => None,
    }
}

/// Returns the path of a bound without associated-type bindings.
fn without_path_bindings(bound: &Path) -> Path {
    let segments = bound.segments.iter().cloned().map(without_bindings).collect();
    Path { leading_colon: bound.leading_colon, segments }
}

/// Returns a segment of a bound without associated-type bindings: `Add` for `Add<Output = f32>`.
fn without_bindings(mut segment: syn::PathSegment) -> syn::PathSegment {
    if let syn::PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
        let args = std::mem::take(&mut arguments.args).into_iter();
        arguments.args =
            args.filter(|arg| !matches!(arg, syn::GenericArgument::AssocType(_))).collect();
        if arguments.args.is_empty() {
            segment.arguments = syn::PathArguments::None;
        }
    }
    segment
}

/// Returns true if a path has no generic arguments.
fn has_no_arguments(path: &Path) -> bool {
    path.segments.iter().all(|segment| segment.arguments.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_function(text: &str) -> ItemFn {
        syn::parse_str(text).unwrap()
    }

    #[test]
    fn types_stand_wherever_the_parameter_does() {
        let (options, _) = crate::attr::parse_arguments(quote!(instances((ops::Twice, [f32; 2]))));
        let item = parse_function(
            "fn map<'a, F: Op, T, const N: usize>(x: &'a [T]) where T: Copy {
                let y: T = F::apply(x[0]).F;
                let z = T::LEN + <F as Op>::LEN;
                assert!(F::apply(y) == shared!([T; N]), \"F\");
                fn inner<F>(f: F) {}
            }",
        );
        let devices = DeviceSet::default();
        let (found, _) = options.instances[0].instantiate(&item, &options, &devices);
        let expected = parse_function(
            "fn map<'a, const N: usize>(x: &'a [[f32; 2]]) where {
                let y: [f32; 2] = ops::Twice::apply(x[0]).F;
                let z = <[f32; 2]>::LEN + <ops::Twice as Op>::LEN;
                assert!(ops::Twice::apply(y) == shared!([<[f32; 2]>; N]), \"F\");
                fn inner<F>(f: F) {}
            }",
        );
        let text = |item: &ItemFn| item.to_token_stream().to_string().replace(' ', "");
        assert_eq!(text(&found), text(&expected));
    }
}
