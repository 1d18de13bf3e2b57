//! Removal of the invisible groups that `macro_rules!` puts around its arguments.
//!
//! `$f:path` and `$x:expr` arrive as one group each, so that precedence survives. Once parsed, the
//! syntax tree carries the precedence, and a path in a group must look like a path.
use proc_macro2::TokenStream;
use syn::{
    Expr, Item, ItemFn, Type,
    visit_mut::{self, VisitMut},
};

/// Returns `item` without invisible groups.
pub(crate) fn without_invisible_groups<T: Ungroup>(mut item: T) -> T {
    item.ungroup();
    item
}

/// Items that may contain invisible groups.
pub(crate) trait Ungroup {
    /// Removes the invisible groups in place.
    fn ungroup(&mut self);
}

impl Ungroup for ItemFn {
    fn ungroup(&mut self) {
        GroupRemover.visit_item_fn_mut(self);
    }
}

impl Ungroup for Item {
    fn ungroup(&mut self) {
        GroupRemover.visit_item_mut(self);
    }
}

/// Returns `ty` without parentheses and invisible groups of macros.
pub(crate) fn peel(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            _ => return ty,
        };
    }
}

struct GroupRemover;

impl VisitMut for GroupRemover {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        while let Expr::Group(group) = expr {
            *expr = std::mem::replace(&mut *group.expr, Expr::PLACEHOLDER);
        }
        visit_mut::visit_expr_mut(self, expr);
    }
    fn visit_type_mut(&mut self, ty: &mut Type) {
        while let Type::Group(group) = ty {
            let nothing = Type::Verbatim(TokenStream::new());
            *ty = std::mem::replace(&mut *group.elem, nothing);
        }
        visit_mut::visit_type_mut(self, ty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::{Delimiter, Group};
    use quote::{ToTokens, quote};

    #[test]
    fn precedence_survives() {
        let group = |tokens: TokenStream| Group::new(Delimiter::None, tokens);
        let (ty, path, sum) = (group(quote!(f32)), group(quote!(m::f)), group(quote!(a + b)));
        let item: ItemFn = syn::parse_quote!(
            fn f(x: &[#ty]) {
                #path(#sum * 2)
            }
        );
        let expected = quote!(
            fn f(x: &[f32]) {
                m::f((a + b) * 2)
            }
        );
        assert_eq!(
            without_invisible_groups(item).to_token_stream().to_string(),
            expected.to_string()
        );
    }
}
