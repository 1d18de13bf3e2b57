//! Which functions a body calls that must be `#[device]` functions.
use syn::{Path, PathArguments, visit::Visit};

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

/// Paths called in `item` that must be resolved as device functions: neither intrinsics, nor
/// std's, nor associated functions. Without generic arguments; each [`key`] once, in order.
pub(crate) fn callees(item: &syn::ItemFn) -> Vec<Path> {
    let mut calls = Calls { paths: Vec::new() };
    calls.visit_block(&item.block);
    calls.paths
}

struct Calls {
    paths: Vec<Path>,
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(func) = &*call.func {
            let mut path = func.path.clone();
            for segment in &mut path.segments {
                segment.arguments = PathArguments::None;
            }
            if !self.paths.iter().any(|known| key(known) == key(&path)) {
                self.paths.push(path);
            }
        }
        syn::visit::visit_expr_call(self, call);
    }
}
