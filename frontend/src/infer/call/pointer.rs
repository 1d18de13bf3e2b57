//! Function pointers: coercion of closures and functions, and the choice of one of several.
use crate::{
    hir::{Expr, ExprKind},
    infer::{Infer, call::closure::CallSignature, items::path::callee_path},
    types::{List, Ty, Type},
};

impl Infer<'_> {
    /// Returns the call signature of a function pointer.
    pub(crate) fn pointer_signature(&mut self, list: List) -> CallSignature {
        let mut params = self.types.parts(list);
        let ret = params.pop().unwrap_or_else(|| self.types.unit());
        CallSignature { params, ret }
    }

    /// Infers a closure or function name where a function pointer is expected, with the pointer's
    /// parameters.
    pub(crate) fn infer_function_pointer(
        &mut self,
        expr: &syn::Expr,
        hint: Option<Ty>,
    ) -> Option<Expr> {
        let Type::Pointer(list) = self.types.get(hint?) else { return None };
        let is_called = match expr {
            syn::Expr::Closure(_) => true,
            syn::Expr::Path(_) => self.names_function(expr) && !self.names_constant(expr),
            _ => false,
        };
        if !is_called {
            return None;
        }
        let signature = self.pointer_signature(list);
        Some(self.infer_callable(expr, &signature))
    }

    /// Returns true if a path names a constant, which may be a function pointer itself.
    fn names_constant(&mut self, expr: &syn::Expr) -> bool {
        let Some(path) = callee_path(expr) else { return false };
        let env = self.env.clone();
        self.find_local_constant(&path, &env).is_some() || self.find_constant(&path, &env).is_some()
    }

    /// Coerces a closure to the expected function pointer; returns other values unchanged.
    pub(crate) fn coerce_to_pointer(&mut self, value: Expr, expected: Ty) -> Expr {
        let Type::Pointer(list) = self.types.get(expected) else { return value };
        let Type::Closure(id) = self.types.get(value.ty) else { return value };
        let signature = self.pointer_signature(list);
        let range = self.spans[value.at];
        if self.types.closure_type(id).params.len() != signature.params.len() {
            self.report_mismatch(range, value.ty, expected);
            return self.make_expr(ExprKind::Reported, expected, range);
        }
        self.unify_signature(&value, &signature);
        self.make_expr(ExprKind::Pointer(Box::new(value)), expected, range)
    }

    /// Coerces a branch value or array element that is a closure to a function pointer, because
    /// closures and functions each have a type of their own.
    pub(crate) fn erase_closure_type(&mut self, value: Expr) -> Expr {
        let Type::Closure(id) = self.types.get(value.ty) else { return value };
        let closure = self.types.closure_type(id);
        let parts = closure.params.iter().copied().chain([closure.ret]).collect();
        let pointer = self.types.pointer(parts);
        self.coerce_to_pointer(value, pointer)
    }

    /// Infers an element of an array with elements of this type.
    pub(crate) fn infer_element(&mut self, expr: &syn::Expr, expected: Ty) -> Expr {
        let value = self.infer_expr(expr, Some(expected));
        let value = self.erase_closure_type(value);
        self.coerce(value, expected)
    }
}
