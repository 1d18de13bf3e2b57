//! Expansion of nested alternatives: `(A(x) | B(x), 1 | 2)` becomes `(A(x), 1)`, `(A(x), 2)`,
//! `(B(x), 1)` and `(B(x), 2)`, in the order in which Rust tries them.
use std::borrow::Cow;
use syn::Pat;

/// Returns the patterns without alternatives that a pattern expands to.
pub(crate) fn expand_alternatives(pat: &Pat) -> Vec<Cow<'_, Pat>> {
    if has_alternatives(pat) {
        expand(pat).into_iter().map(Cow::Owned).collect()
    } else {
        vec![Cow::Borrowed(pat)]
    }
}

fn has_alternatives(pat: &Pat) -> bool {
    struct Found(bool);
    impl<'p> syn::visit::Visit<'p> for Found {
        fn visit_pat_or(&mut self, _: &'p syn::PatOr) {
            self.0 = true;
        }
    }
    let mut found = Found(false);
    syn::visit::Visit::visit_pat(&mut found, pat);
    found.0
}

fn expand(pat: &Pat) -> Vec<Pat> {
    match pat {
        Pat::Or(or) => or.cases.iter().flat_map(expand).collect(),
        Pat::Paren(paren) => expand(&paren.pat),
        Pat::Reference(of) => {
            let with = |pat| Pat::Reference(syn::PatReference { pat: Box::new(pat), ..of.clone() });
            expand(&of.pat).into_iter().map(with).collect()
        }
        Pat::Ident(of) => match &of.subpat {
            Some((at, inner)) => {
                let with = |pat| {
                    Pat::Ident(syn::PatIdent { subpat: Some((*at, Box::new(pat))), ..of.clone() })
                };
                expand(inner).into_iter().map(with).collect()
            }
            None => vec![pat.clone()],
        },
        Pat::Tuple(of) => {
            let with = |elems| Pat::Tuple(syn::PatTuple { elems, ..of.clone() });
            expand_adjacent(of.elems.iter()).map(with).collect()
        }
        Pat::TupleStruct(of) => {
            let with = |elems| Pat::TupleStruct(syn::PatTupleStruct { elems, ..of.clone() });
            expand_adjacent(of.elems.iter()).map(with).collect()
        }
        Pat::Slice(of) => {
            let with = |elems| Pat::Slice(syn::PatSlice { elems, ..of.clone() });
            expand_adjacent(of.elems.iter()).map(with).collect()
        }
        Pat::Struct(of) => {
            let pats: Vec<Vec<Pat>> =
                cartesian_product(of.fields.iter().map(|field| expand(&field.pat)));
            let with = |pats: Vec<Pat>| {
                let fields = of.fields.iter().zip(pats);
                let fields = fields
                    .map(|(field, pat)| syn::FieldPat { pat: Box::new(pat), ..field.clone() });
                Pat::Struct(syn::PatStruct { fields: fields.collect(), ..of.clone() })
            };
            pats.into_iter().map(with).collect()
        }
        pat => vec![pat.clone()],
    }
}

/// Expands adjacent patterns.
fn expand_adjacent<'p>(
    pats: impl Iterator<Item = &'p Pat>,
) -> impl Iterator<Item = syn::punctuated::Punctuated<Pat, syn::Token![,]>> {
    cartesian_product(pats.map(expand)).into_iter().map(|pats| pats.into_iter().collect())
}

/// Returns the Cartesian product, in which the last factors vary fastest.
fn cartesian_product(lists: impl Iterator<Item = Vec<Pat>>) -> Vec<Vec<Pat>> {
    lists.fold(vec![Vec::new()], |found, pats| {
        let with = |before: &Vec<Pat>, pat| [before.as_slice(), std::slice::from_ref(pat)].concat();
        found.iter().flat_map(|before| pats.iter().map(move |pat| with(before, pat))).collect()
    })
}
