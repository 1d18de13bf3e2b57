//! Mistakes in arrays: `shared!` with a length or a type that it does not take, and arrays as long as
//! the block.
use crate::{
    mistakes::{Finder, path_text},
    resolve::paths::macros::parse_shared_dyn,
    syntax::spell::print_tokens,
    types::builtin,
};
use proc_macro2::Ident;
use quote::ToTokens as _;
use std::collections::HashSet;
use syn::{
    Expr, ExprLit, ExprPath, ExprRepeat, Lit, Macro, Type, TypeArray, TypeSlice, visit::Visit,
};

impl Finder {
    /// Returns the message for an argument of `shared!` that is no type of a constant length.
    pub(super) fn wrong_shared_array(&self, mac: &Macro) -> Option<(String, String)> {
        if let Ok(ExprRepeat { expr, len, .. }) = mac.parse_body::<ExprRepeat>()
            && let Expr::Lit(ExprLit { lit, .. }) = &*expr
        {
            let number = match lit {
                Lit::Float(number) if number.suffix().is_empty() => "f32",
                Lit::Float(number) => number.suffix(),
                Lit::Int(number) if number.suffix().is_empty() => "u32",
                Lit::Int(number) => number.suffix(),
                _ => "f32",
            };
            let len = print_tokens(len.to_token_stream());
            return Some((
                "`shared!` takes a type: the threads of a block write the first values".to_owned(),
                format!(
                    "write `shared!([{number}; {len}])`, and then, for example, `tile[thread_idx_x()] = {};`",
                    print_tokens(lit.to_token_stream())
                ),
            ));
        }
        if let Ok(TypeSlice { elem, .. }) = mac.parse_body() {
            let elem = print_tokens(elem.to_token_stream());
            return Some((
                "`shared!` takes an array with its length".to_owned(),
                format!(
                    "write `shared!([{elem}; 256])`, or `shared_dyn!({elem}, n)`, whose length the launch computes"
                ),
            ));
        }
        if mac.parse_body::<Type>().is_err() {
            return Some(wrong_shared_type(mac));
        }
        let TypeArray { elem, len, .. } = mac.parse_body().ok()?;
        let first_of = |known| {
            let mut names = VariablesOf { known, found: None };
            names.visit_expr(&len);
            names.found
        };
        let is_term = !matches!(len, Expr::Path(_) | Expr::Block(_));
        let (elem, shown) =
            (print_tokens(elem.to_token_stream()), print_tokens(len.to_token_stream()));
        if let Some(name) = first_of(&self.const_params).filter(|_| is_term) {
            return Some((
                format!("Rust computes no length from the const parameter `{name}`"),
                format!("write `shared_dyn!({elem}, {shown})`, whose length the launch computes"),
            ));
        }
        let fact = match first_of(&self.variables) {
            Some(name) => format!("`{name}` is a variable"),
            None => format!("`{}()` differs between launches", called_builtin(&len)?),
        };
        let len = shown;
        Some((
            format!("the length of `shared!` is a constant, and {fact}"),
            format!("write `shared_dyn!({elem}, {len})`, whose length the launch computes"),
        ))
    }
}

/// Returns the message for an argument of `shared!` that is no type.
pub(super) fn wrong_shared_type(mac: &Macro) -> (String, String) {
    let help = match mac.parse_body_with(parse_shared_dyn) {
        Ok((ty, len)) => {
            let [ty, len] = [ty.to_token_stream(), len.to_token_stream()].map(print_tokens);
            format!(
                "write `shared!([{ty}; {len}])`, or `shared_dyn!({ty}, {len})` if the launch computes \
                 the length"
            )
        }
        Err(_) => "write for example `shared!([[f32; 33]; 32])`".to_owned(),
    };
    ("`shared!` takes a type".to_owned(), help)
}

/// Returns the message for `shared_dyn!` without an element type and a length.
pub(super) fn wrong_shared_slice(mac: &Macro) -> Option<(String, String)> {
    if mac.parse_body_with(parse_shared_dyn).is_ok() {
        return None;
    }
    let help = match mac.parse_body::<TypeArray>() {
        Ok(TypeArray { elem, len, .. }) => {
            let [elem, len] = [elem.to_token_stream(), len.to_token_stream()].map(print_tokens);
            format!("write `shared_dyn!({elem}, {len})`")
        }
        Err(_) => "write for example `shared_dyn!(f32, 2 * n)`".to_owned(),
    };
    Some(("`shared_dyn!` takes the type of an element and how many there are".to_owned(), help))
}

/// The first variable in an expression.
pub(super) struct VariablesOf<'a> {
    known: &'a HashSet<String>,
    found: Option<String>,
}

impl<'ast> Visit<'ast> for VariablesOf<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let name = path.path.get_ident().map(Ident::to_string);
        let name = name.filter(|name| self.found.is_none() && self.known.contains(name));
        self.found = name.or(self.found.take());
    }
}

/// Returns the mistake of an array whose length is the size of a block, or another number that only
/// the launch knows.
pub(super) fn repeated_by_builtin(repeat: &ExprRepeat) -> Option<(String, String)> {
    let name = called_builtin(&repeat.len)?;
    let element = print_tokens(repeat.expr.to_token_stream());
    Some((
        format!("the length of an array is a constant, and `{name}()` differs between launches"),
        format!(
            "write `[{element}; SIZE]` with `const SIZE: usize = 256;`; the kernel may declare the block by it: `#[kernel(block = SIZE)]`"
        ),
    ))
}

/// Returns the first function of Warpwise that an expression calls.
pub(super) fn called_builtin(expr: &Expr) -> Option<String> {
    struct Calls(Option<String>);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_path(&mut self, path: &'ast ExprPath) {
            let name = path_text(&path.path);
            let is_builtin = builtin::find(std::slice::from_ref(&name)).is_some();
            self.0 = self.0.take().or(is_builtin.then_some(name));
        }
    }
    let mut calls = Calls(None);
    calls.visit_expr(expr);
    calls.0
}
