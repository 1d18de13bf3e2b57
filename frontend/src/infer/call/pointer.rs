//! Function pointers: coercion of closures and functions, and the choice of one of several.
use crate::{
    hir::{Expr, Kind},
    infer::{Infer, call::closure::Callable, items::path::callee},
    types::{List, Ty, Type},
};

impl Infer<'_> {
    /// Returns the call signature of a function pointer.
    pub(crate) fn signature_of(&mut self, list: List) -> Callable {
        let mut params = self.types.parts(list);
        let ret = params.pop().unwrap_or_else(|| self.types.unit());
        Callable { params, ret }
    }

    /// Infers a closure or function name where a function pointer is expected, with the pointer's
    /// parameters.
    pub(crate) fn pointed(&mut self, expr: &syn::Expr, hint: Option<Ty>) -> Option<Expr> {
        let Type::Pointer(list) = self.types.get(hint?) else { return None };
        let is_called = match expr {
            syn::Expr::Closure(_) => true,
            syn::Expr::Path(_) => self.is_function(expr) && !self.names_constant(expr),
            _ => false,
        };
        if !is_called {
            return None;
        }
        let signature = self.signature_of(list);
        Some(self.callable(expr, &signature))
    }

    /// Returns true if a path names a constant, which may be a function pointer itself.
    fn names_constant(&mut self, expr: &syn::Expr) -> bool {
        let Some(path) = callee(expr) else { return false };
        let env = self.env.clone();
        self.local_constant(&path).is_some() || self.constant_item(&path, &env).is_some()
    }

    /// Coerces a closure to the expected function pointer; returns other values unchanged.
    pub(crate) fn as_pointer(&mut self, value: Expr, expected: Ty) -> Expr {
        let Type::Pointer(list) = self.types.get(expected) else { return value };
        let Type::Closure(id) = self.types.get(value.ty) else { return value };
        let signature = self.signature_of(list);
        let range = self.places[value.at];
        if self.types.closure_type(id).params.len() != signature.params.len() {
            self.mismatch(range, value.ty, expected);
            return self.make(Kind::Reported, expected, range);
        }
        self.called_as(&value, &signature);
        self.make(Kind::Pointer(Box::new(value)), expected, range)
    }

    /// Coerces a branch value or array element that is a closure to a function pointer, because
    /// closures and functions each have a type of their own.
    pub(crate) fn chosen(&mut self, value: Expr) -> Expr {
        let Type::Closure(id) = self.types.get(value.ty) else { return value };
        let closure = self.types.closure_type(id);
        let parts = closure.params.iter().copied().chain([closure.ret]).collect();
        let pointer = self.types.pointer(parts);
        self.as_pointer(value, pointer)
    }

    /// Infers an element of an array with elements of this type.
    pub(crate) fn expect_chosen(&mut self, expr: &syn::Expr, expected: Ty) -> Expr {
        let value = self.expr(expr, Some(expected));
        let value = self.chosen(value);
        self.coerce(value, expected)
    }
}
