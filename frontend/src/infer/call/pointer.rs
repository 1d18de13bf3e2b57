//! Function pointers: closures and functions where one is needed, or where one of several is chosen.
use crate::{
    hir::{Expr, Kind},
    infer::{Infer, call::closure::Callable, items::path::callee},
    types::{List, Ty, Type},
};

impl Infer<'_> {
    /// How a function pointer is called.
    pub(crate) fn signature_of(&mut self, list: List) -> Callable {
        let mut params = self.types.parts(list);
        let ret = params.pop().unwrap_or_else(|| self.types.unit());
        Callable { params, ret }
    }

    /// A closure, or the name of a function, where a function pointer is expected: its parameters are those
    /// of the pointer.
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

    /// Whether a path is that of a constant, which may be a function pointer itself.
    fn names_constant(&mut self, expr: &syn::Expr) -> bool {
        let Some(path) = callee(expr) else { return false };
        let env = self.env.clone();
        self.local_constant(&path).is_some() || self.constant_item(&path, &env).is_some()
    }

    /// A closure as the function pointer that is expected; other values as they are.
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

    /// A value that one of several ways gives, or that an array has: of closures and functions, which all have types of
    /// their own, it is a function pointer.
    pub(crate) fn chosen(&mut self, value: Expr) -> Expr {
        let Type::Closure(id) = self.types.get(value.ty) else { return value };
        let closure = self.types.closure_type(id);
        let parts = closure.params.iter().copied().chain([closure.ret]).collect();
        let pointer = self.types.pointer(parts);
        self.as_pointer(value, pointer)
    }

    /// An element of an array, whose elements are of this type.
    pub(crate) fn expect_chosen(&mut self, expr: &syn::Expr, expected: Ty) -> Expr {
        let value = self.expr(expr, Some(expected));
        let value = self.chosen(value);
        self.coerce(value, expected)
    }
}
