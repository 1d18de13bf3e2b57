//! Functions of std traits by path, `Add::add(a, b)`, `Clone::clone(&a)`, `<f32 as
//! From<u8>>::from(a)`, and operators as methods, `a.add(b)`.
//!
//! A product that is an argument or a result of such a call is not fused with a sum, as with any
//! call.
use crate::{
    hir::{Block, Expr, ExprKind},
    infer::{Infer, Obligation, call::method_call::Args},
    syntax::span::SpanRange,
    types::{Ty, Type},
};
use syn::{ExprCall, ExprMethodCall, GenericArgument, PathArguments, PathSegment};
use warpwise_compiler::ir::{BinaryOp, UnaryOp};

/// The operation that a function of `std::ops` performs on numbers.
#[derive(Clone, Copy)]
enum Operation {
    Binary(BinaryOp),
    Update(BinaryOp),
    Unary(UnaryOp),
}

/// Returns the trait of an operator's function, and its operation.
fn trait_operation(name: &str) -> Option<(&'static str, Operation)> {
    use Operation::{Binary, Unary, Update};
    Some(match name {
        "add" => ("Add", Binary(BinaryOp::Add)),
        "sub" => ("Sub", Binary(BinaryOp::Sub)),
        "mul" => ("Mul", Binary(BinaryOp::Mul)),
        "div" => ("Div", Binary(BinaryOp::Div)),
        "rem" => ("Rem", Binary(BinaryOp::Rem)),
        "bitand" => ("BitAnd", Binary(BinaryOp::And)),
        "bitor" => ("BitOr", Binary(BinaryOp::Or)),
        "bitxor" => ("BitXor", Binary(BinaryOp::Xor)),
        "shl" => ("Shl", Binary(BinaryOp::Shl)),
        "shr" => ("Shr", Binary(BinaryOp::Shr)),
        "add_assign" => ("AddAssign", Update(BinaryOp::Add)),
        "sub_assign" => ("SubAssign", Update(BinaryOp::Sub)),
        "mul_assign" => ("MulAssign", Update(BinaryOp::Mul)),
        "div_assign" => ("DivAssign", Update(BinaryOp::Div)),
        "rem_assign" => ("RemAssign", Update(BinaryOp::Rem)),
        "bitand_assign" => ("BitAndAssign", Update(BinaryOp::And)),
        "bitor_assign" => ("BitOrAssign", Update(BinaryOp::Or)),
        "bitxor_assign" => ("BitXorAssign", Update(BinaryOp::Xor)),
        "shl_assign" => ("ShlAssign", Update(BinaryOp::Shl)),
        "shr_assign" => ("ShrAssign", Update(BinaryOp::Shr)),
        "neg" => ("Neg", Unary(UnaryOp::Neg)),
        "not" => ("Not", Unary(UnaryOp::Not)),
        _ => return None,
    })
}

/// Returns true for a std trait whose functions are methods in kernel code.
fn is_method_trait(of_trait: &str) -> bool {
    matches!(
        of_trait,
        "Clone"
            | "PartialEq"
            | "PartialOrd"
            | "Ord"
            | "From"
            | "Into"
            | "TryFrom"
            | "TryInto"
            | "Iterator"
            | "DoubleEndedIterator"
            | "ExactSizeIterator"
            | "IntoIterator"
    )
}

/// Rewrites a call by path as a method call on its first argument.
fn call_as_method(function: &PathSegment, name: &str, call: &ExprCall) -> Option<ExprMethodCall> {
    let mut args = call.args.iter().cloned();
    let receiver = Box::new(args.next()?);
    let turbofish = match &function.arguments {
        PathArguments::AngleBracketed(args) => Some(syn::AngleBracketedGenericArguments {
            colon2_token: Some(args.colon2_token.unwrap_or_default()),
            ..args.clone()
        }),
        PathArguments::None | PathArguments::Parenthesized(_) => None,
    };
    Some(ExprMethodCall {
        attrs: Vec::new(),
        receiver,
        dot_token: syn::Token![.](function.ident.span()),
        method: syn::Ident::new(name, function.ident.span()),
        turbofish,
        paren_token: call.paren_token,
        args: args.collect(),
    })
}

/// Returns true for the name of an operator's function.
pub(crate) fn is_operator_function(name: &str) -> bool {
    trait_operation(name).is_some()
}

impl Infer<'_> {
    /// Infers a call of a function of a std trait: `Trait::function(..)`, or `Type::function(..)`
    /// with the type `this`. Returns `None` if kernel code does not have the function.
    pub(crate) fn infer_trait_call(
        &mut self,
        path: &syn::Path,
        this: Option<Ty>,
        call: &ExprCall,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Option<Expr> {
        let (function, of) = (path.segments.last()?, path.segments.iter().rev().nth(1)?);
        let (name, of_trait) = (function.ident.to_string(), of.ident.to_string());
        if let Some((needed, operation)) = trait_operation(&name)
            && (needed == of_trait || this.is_some())
        {
            let args = self.infer_operands(&call.args, this);
            return self.make_operation(&name, operation, args, at);
        }
        let is_clone = name == "clone" && this.is_some();
        if !is_clone && !is_method_trait(&of_trait) {
            return None;
        }
        let (name, hint) = match name.as_str() {
            "from" => ("into", this.or(hint)),
            "try_from" if this.is_none() => ("try_into", hint),
            "into" => ("into", self.first_type_arg(of).or(hint)),
            "try_into" => {
                let result = self.first_type_arg(of).map(|ty| self.result_type(ty));
                ("try_into", result.or(hint))
            }
            name => (name, hint),
        };
        let method = call_as_method(function, name, call)?;
        Some(self.infer_method_call(&method, hint))
    }

    /// Infers `<T as Trait>::function(..)` and `<[f32; 4]>::function(..)`.
    pub(crate) fn infer_qualified_trait_call(
        &mut self,
        func: &syn::Expr,
        call: &ExprCall,
        at: SpanRange,
    ) -> Option<Expr> {
        let syn::Expr::Path(path) = func else { return None };
        let this = self.resolve_type(&path.qself.as_ref()?.ty);
        let name = path.path.segments.last()?.ident.to_string();
        let of_trait = self.qualifying_trait(path);
        match (of_trait.as_deref(), name.as_str()) {
            (None | Some("From"), "from") | (None | Some("TryFrom"), "try_from") => {
                let of_trait = path.path.segments.iter().rev().nth(1);
                let from = of_trait.and_then(|of_trait| self.first_type_arg(of_trait));
                Some(self.infer_from(this, from, &name, call, at))
            }
            (None | Some("Default"), "default") if call.args.is_empty() => {
                Some(self.make_expr(ExprKind::Default, this, at))
            }
            (Some(of_trait), _)
                if is_method_trait(of_trait) || trait_operation(&name).is_some() =>
            {
                self.infer_trait_call(&path.path, Some(this), call, None, at)
            }
            (None, _) => {
                let method = call_as_method(path.path.segments.last()?, &name, call)?;
                let receiver = self.infer_expr(&method.receiver, None);
                self.unify_receiver(&receiver, this);
                Some(self.infer_method_on(receiver, &method, None, at))
            }
            _ => None,
        }
    }

    /// Unifies a receiver with the type in `<T>::method`: the value, a reference to it, or an array
    /// for a slice type.
    fn unify_receiver(&mut self, receiver: &Expr, this: Ty) {
        let at = self.spans[receiver.at];
        let (found, expected) = (self.types.pointee(receiver.ty), self.types.pointee(this));
        match (self.types.get(found), self.types.get(expected)) {
            (Type::Array(found, _), Type::Slice(expected)) => self.unify(at, found, expected),
            _ => self.unify(at, found, expected),
        }
    }

    /// Returns the type written after the trait: `Into::<f32>`.
    fn first_type_arg(&mut self, of_trait: &PathSegment) -> Option<Ty> {
        let PathArguments::AngleBracketed(written) = &of_trait.arguments else { return None };
        match written.args.first()? {
            GenericArgument::Type(ty) => Some(self.resolve_type(ty)),
            _ => None,
        }
    }

    fn infer_operands(&mut self, args: &Args, this: Option<Ty>) -> Vec<Expr> {
        let hints = [this].into_iter().chain(std::iter::repeat(None));
        args.iter().zip(hints).map(|(arg, hint)| self.infer_expr(arg, hint)).collect()
    }

    /// Infers an operator as a method of a number, or returns the receiver.
    pub(crate) fn try_operator_method(
        &mut self,
        receiver: Expr,
        name: &str,
        args: &Args,
        at: SpanRange,
    ) -> Result<Expr, Expr> {
        let is_number = matches!(self.types.get(receiver.ty), Type::Prim(_) | Type::Generic(_));
        let Some((_, operation)) = trait_operation(name) else { return Err(receiver) };
        if !is_number || args.len() != usize::from(!matches!(operation, Operation::Unary(_))) {
            return Err(receiver);
        }
        let mut all = vec![receiver];
        all.extend(self.infer_operands(args, None));
        self.make_operation(name, operation, all, at).ok_or_else(|| {
            let ty = self.types.unit();
            self.make_expr(ExprKind::Reported, ty, at)
        })
    }

    /// Makes an operation on these values; `None` if their number is wrong.
    fn make_operation(
        &mut self,
        name: &str,
        operation: Operation,
        args: Vec<Expr>,
        at: SpanRange,
    ) -> Option<Expr> {
        let mut args = args.into_iter();
        let (first, second) = (args.next()?, args.next());
        if args.next().is_some() || second.is_some() == matches!(operation, Operation::Unary(_)) {
            return None;
        }
        if self.is_overloaded(first.ty) {
            let of_trait = self::trait_operation(name)?.0;
            let rhs = second.as_ref().map(|second| second.ty);
            let member = self.find_operator_impl(of_trait, name, first.ty, rhs)?;
            return Some(self.make_operator_call(member, first, second, at));
        }
        let [first, second] = [Some(first), second].map(|arg| {
            let arg = self.deref_once(arg?);
            // A place stays open, because the operation may update it.
            Some(if arg.is_place() { arg } else { self.wrap_in_block(arg, at) })
        });
        let first = first?;
        let ty = first.ty;
        let result = match (operation, second) {
            (Operation::Unary(op), _) => {
                self.oblige(
                    at,
                    match op {
                        UnaryOp::Neg => Obligation::Negated(ty),
                        _ => Obligation::Inverted(ty),
                    },
                );
                self.make_expr(ExprKind::Unary { op, value: Box::new(first) }, ty, at)
            }
            (Operation::Binary(op), second) => {
                let second = second?;
                self.unify_operands(op, &first, &second, at);
                let (lhs, rhs) = (Box::new(first), Box::new(second));
                self.make_expr(ExprKind::Binary { op, lhs, rhs }, ty, at)
            }
            (Operation::Update(op), second) => {
                let second = second?;
                self.require_settable(&first);
                self.unify_operands(op, &first, &second, at);
                let (place, value) = (Box::new(first), Box::new(second));
                let unit = self.types.unit();
                return Some(self.make_expr(
                    ExprKind::Update { op, place, value, overloaded: true },
                    unit,
                    at,
                ));
            }
        };
        Some(self.wrap_in_block(result, at))
    }

    /// Wraps a value in a block, `{ value }`, which keeps products from being fused.
    fn wrap_in_block(&mut self, value: Expr, at: SpanRange) -> Expr {
        let ty = value.ty;
        let block = Block { stmts: Vec::new(), tail: Some(Box::new(value)) };
        self.make_expr(ExprKind::Block { label: None, block }, ty, at)
    }
}
