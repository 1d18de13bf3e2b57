//! Which functions a body calls that must be `#[device]` functions.
use super::{builtin, infer::callee, types::Prim};
use std::collections::HashSet;
use syn::{
    Expr, ExprCall, Item, ItemFn, PatIdent, Path, PathArguments,
    visit::{self, Visit},
};

/// What identifies a path as written: its names with `::` between them.
pub(crate) fn key(path: &Path) -> String {
    let mut key = String::new();
    if path.leading_colon.is_some() {
        key.push_str("::");
    }
    for (index, segment) in path.segments.iter().enumerate() {
        if index > 0 {
            key.push_str("::");
        }
        key.push_str(&segment.ident.to_string());
    }
    key
}

/// Paths called in `item` that must be resolved as device functions: neither kernel-side
/// functions, nor std's, nor associated functions, nor variables. Without generic arguments; each
/// [`key`] once, in order. What nests too deep for [`lower`](super::lower) is not looked into.
pub(crate) fn paths(item: &ItemFn) -> Vec<Path> {
    let mut calls = Calls { paths: Vec::new(), keys: HashSet::new(), own: own(item), depth: 0 };
    calls.visit_block(&item.block);
    calls.paths
}

/// Names that the function declares: its type parameters and, roughly, its variables.
fn own(item: &ItemFn) -> HashSet<String> {
    let mut own = Own { names: HashSet::new(), depth: 0 };
    own.names.extend(item.sig.generics.type_params().map(|param| param.ident.to_string()));
    for input in &item.sig.inputs {
        own.visit_fn_arg(input);
    }
    own.visit_block(&item.block);
    own.names
}

struct Own {
    names: HashSet<String>,
    depth: usize,
}

impl<'ast> Visit<'ast> for Own {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.names.insert(pat.ident.to_string());
    }
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if self.depth < super::limits::MAX_DEPTH {
            self.depth += 1;
            visit::visit_expr(self, expr);
            self.depth -= 1;
        }
    }
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
}

struct Calls {
    paths: Vec<Path>,
    keys: HashSet<String>,
    own: HashSet<String>,
    depth: usize,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Some(func) = callee(&call.func)
            && self.is_device(&func)
            && self.keys.insert(key(&func))
        {
            let mut path = func.into_owned();
            for segment in &mut path.segments {
                segment.arguments = PathArguments::None;
            }
            self.paths.push(path);
        }
        visit::visit_expr_call(self, call);
    }
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if self.depth < super::limits::MAX_DEPTH {
            self.depth += 1;
            visit::visit_expr(self, expr);
            self.depth -= 1;
        }
    }
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
}

impl Calls {
    fn is_device(&self, path: &Path) -> bool {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if builtin::find(&names).is_some() {
            return false;
        }
        match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            [] | ["std" | "core" | "alloc", ..] => false,
            [name] => !self.own.contains(*name) && !matches!(*name, "Some" | "Ok" | "Err"),
            [of, _] if Prim::named(of).is_some() || self.own.contains(*of) => false,
            [.., of, _] => !is_type_name(of),
        }
    }
}

/// True for what is by convention the name of a type or trait, whose functions are no device
/// functions.
pub(super) fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
