//! Expressions and blocks.
pub(crate) mod aggregate;
mod assign;
mod contract;
mod control;
mod deref;
mod literal;
mod looping;
mod matching;
mod message;
mod operator;
mod overload;
mod place;
pub(crate) mod size;
mod slice;
mod unwrap;

use crate::resolve::paths;
use crate::{
    hir::{Block, Expr, Kind, Pattern, PatternKind, Stmt, StmtKind, lint_levels},
    infer::{Infer, LocalConstant, call::reject},
    resolve::inner_items,
    syntax::span::SpanRange,
    types::{Ty, Type},
};
use std::rc::Rc;
use syn::Lit;

impl Infer<'_> {
    /// Infers an expression. `hint` is the expected type: literals and conversions take it if they
    /// can, and it is not enforced.
    pub(crate) fn expr(&mut self, expr: &syn::Expr, hint: Option<Ty>) -> Expr {
        let before = std::mem::replace(&mut self.diverges, false);
        let naming = self.naming.take();
        let result = match expr {
            syn::Expr::Macro(mac) => self.macro_call(&mac.mac, naming),
            _ => self.expr_kind(expr, hint),
        };
        self.diverges |= before || self.is_never(result.ty);
        result
    }

    fn expr_kind(&mut self, expr: &syn::Expr, hint: Option<Ty>) -> Expr {
        if let Some(pointer) = self.pointed(expr, hint) {
            return pointer;
        }
        match expr {
            syn::Expr::Paren(e) => self.expr(&e.expr, hint),
            syn::Expr::Group(e) => self.expr(&e.expr, hint),
            syn::Expr::Lit(e) => self.literal(&e.lit, hint),
            syn::Expr::Path(e) => self.path(e, hint),
            syn::Expr::Unary(e) => self.unary(e, hint),
            syn::Expr::Binary(e) => self.binary(e),
            syn::Expr::Assign(e) => self.assign(e),
            syn::Expr::Cast(e) => self.cast(e),
            syn::Expr::Index(e) => self.index(e),
            syn::Expr::Reference(e) => self.reference(e, hint),
            syn::Expr::Call(e) => self.call(e, hint),
            syn::Expr::MethodCall(e) => self.method_call(e, hint),
            syn::Expr::Block(e) => self.block_expr(e, hint),
            // A constant evaluated at run time has the same value.
            syn::Expr::Const(e) => self.constant_block(e, hint),
            syn::Expr::If(e) => self.if_expr(e, hint),
            syn::Expr::While(e) => self.while_loop(e),
            syn::Expr::Loop(e) => self.endless_loop(e),
            syn::Expr::ForLoop(e) => self.for_loop(e),
            syn::Expr::Break(e) => self.break_expr(e),
            syn::Expr::Continue(e) => self.continue_expr(e),
            syn::Expr::Return(e) => self.return_expr(e),
            syn::Expr::Tuple(e) if e.elems.is_empty() => {
                let unit = self.types.unit();
                self.make(Kind::Unit, unit, SpanRange::expr(expr))
            }
            syn::Expr::Tuple(e) => self.tuple(e, hint),
            syn::Expr::Array(e) => self.array(e, hint),
            syn::Expr::Repeat(e) => self.repeat(e, hint),
            syn::Expr::Struct(e) => self.struct_expr(e, hint),
            syn::Expr::Field(e) => self.field(e),
            syn::Expr::Closure(e) => self.closure(e, None),
            syn::Expr::Match(e) => self.match_expr(e, hint),
            syn::Expr::Let(e) => self.let_expr(e),
            syn::Expr::Try(e) => self.try_expr(e),
            syn::Expr::Range(e) => self.range(e),
            other => self.rejected(other),
        }
    }

    /// Infers `const { .. }`.
    fn constant_block(&mut self, expr: &syn::ExprConst, hint: Option<Ty>) -> Expr {
        let at = SpanRange::expr(&syn::Expr::Const(expr.clone()));
        let (block, ty) = self.block(&expr.block, hint);
        self.make(Kind::Block { label: None, block }, ty, at)
    }

    /// Reports an unsupported expression, without visiting its parts.
    fn rejected(&mut self, expr: &syn::Expr) -> Expr {
        let (fact, help) = reject::expr(expr);
        let at = SpanRange::expr(expr);
        let reported = self.errors.advise(at, fact, help);
        self.reported(reported, at)
    }

    /// Coerces a value to the expected type, and reports a mismatch.
    ///
    /// `!` coerces to any type, `&mut T` to `&T`, a reference to an array to one to a slice, and a
    /// reference to a reference, or to a type with an `impl` of `Deref`, to one to the inner
    /// target.
    pub(crate) fn coerce(&mut self, expr: Expr, expected: Ty) -> Expr {
        if self.is_never(expr.ty) {
            return expr;
        }
        let range = self.places[expr.at];
        let expr = self.as_pointer(expr, expected);
        let (from, to) = (self.types.get(expr.ty), self.types.get(expected));
        let (Type::Ref { mutable, to: a }, Type::Ref { mutable: wanted, to: b }) = (from, to)
        else {
            self.unify(range, expr.ty, expected);
            return expr;
        };
        if wanted && !mutable {
            self.mismatch(range, expr.ty, expected);
            return expr;
        }
        match (self.types.get(a), self.types.get(b)) {
            (Type::Array(elem, _), Type::Slice(other)) => {
                self.unify(range, elem, other);
                self.make(Kind::Unsize(Box::new(expr)), expected, range)
            }
            (Type::Ref { mutable: inner, to }, target)
                if !matches!(target, Type::Ref { .. } | Type::Unknown(_)) =>
            {
                let place = self.make(Kind::Deref(Box::new(expr)), a, range);
                let place = self.make(Kind::Deref(Box::new(place)), to, range);
                let ty = self.types.reference(wanted && inner, to);
                let shorter = self.make(Kind::Borrow(Box::new(place)), ty, range);
                self.coerce(shorter, expected)
            }
            _ => match self.referred_as(expr, expected) {
                Ok(reference) => self.coerce(reference, expected),
                Err(expr) => {
                    self.unify(range, a, b);
                    expr
                }
            },
        }
    }

    /// Infers an expression and coerces it to `ty`.
    pub(crate) fn expect(&mut self, expr: &syn::Expr, ty: Ty) -> Expr {
        let expr = self.expr(expr, Some(ty));
        self.coerce(expr, ty)
    }

    /// Infers a block, and returns the type of its value.
    pub(crate) fn block(&mut self, block: &syn::Block, hint: Option<Ty>) -> (Block, Ty) {
        let opened = self.scope.open();
        let mut stmts = Vec::with_capacity(block.stmts.len());
        let mut tail = None;
        for (index, stmt) in block.stmts.iter().enumerate() {
            let is_last = index + 1 == block.stmts.len();
            let levels = lint_levels::levels(lint_levels::of_stmt(stmt));
            let outer = self.levels.len();
            self.levels.extend(levels.iter().cloned());
            match stmt {
                syn::Stmt::Macro(mac) if is_last && mac.semi_token.is_none() => {
                    let value = self.macro_call(&mac.mac, None);
                    tail = self.leveled_tail(value, levels, &mut stmts);
                }
                syn::Stmt::Expr(expr, None) if is_last => {
                    let value = self.expr(expr, hint);
                    tail = self.leveled_tail(value, levels, &mut stmts);
                }
                stmt => {
                    let kind = self.stmt(stmt);
                    stmts.extend(kind.map(|kind| Stmt { kind, levels }));
                }
            }
            self.levels.truncate(outer);
        }
        self.scope.close(opened);
        let ty = match &tail {
            Some(tail) => tail.ty,
            None if self.diverges => self.types.never(),
            None => self.types.unit(),
        };
        (Block { stmts, tail }, ty)
    }

    /// Returns the tail expression of a block. With lint levels it is bound by a statement, so that
    /// the levels cover it alone; without a value it stays a statement.
    fn leveled_tail(
        &mut self,
        value: Expr,
        levels: crate::hir::LintLevels,
        stmts: &mut Vec<Stmt>,
    ) -> Option<Box<Expr>> {
        if levels.is_empty() {
            return Some(Box::new(value));
        }
        if self.is_unit(value.ty) || self.is_never(value.ty) {
            stmts.push(Stmt { kind: StmtKind::Expr(value), levels });
            return None;
        }
        let (ty, at, range) = (value.ty, value.at, self.places[value.at]);
        let var = self.vars.push(crate::hir::Variable {
            name: String::new(),
            ty,
            mutable: false,
            settable: false,
            at,
        });
        let kind = PatternKind::Bind { var, by_ref: false, and: None };
        let pattern = Pattern { kind, ty, at };
        stmts
            .push(Stmt { kind: StmtKind::Let { pattern, init: Some(value), other: None }, levels });
        Some(Box::new(self.make(Kind::Var(var), ty, range)))
    }

    fn stmt(&mut self, stmt: &syn::Stmt) -> Option<StmtKind> {
        match stmt {
            syn::Stmt::Local(local) => self.local(local),
            syn::Stmt::Item(syn::Item::Const(item)) => {
                let (ty, value) = ((*item.ty).clone(), (*item.expr).clone());
                let constant = Rc::new(LocalConstant { ty, value });
                self.constants.push((item.ident.to_string(), constant));
                None
            }
            // Inner items are instances of their own: see `resolve::inner_items`.
            syn::Stmt::Item(item) if inner_items::is_seen(item) => None,
            // A `use` was expanded before: see `resolve::imports`.
            syn::Stmt::Item(syn::Item::Use(item)) if !reject::is_glob(&item.tree) => None,
            syn::Stmt::Item(item) => {
                let (fact, help) = reject::item(item);
                self.errors.advise(SpanRange::tokens(item), fact, help);
                None
            }
            syn::Stmt::Expr(expr, semi) => {
                let value = self.expr(expr, None);
                if semi.is_none() {
                    let unit = self.types.unit();
                    return Some(StmtKind::Expr(self.coerce(value, unit)));
                }
                Some(StmtKind::Expr(value))
            }
            syn::Stmt::Macro(mac) => Some(StmtKind::Expr(self.macro_call(&mac.mac, None))),
        }
    }

    /// Infers a macro call: `shared!(..)` and other built-in macros.
    pub(crate) fn macro_call(&mut self, mac: &syn::Macro, name: Option<String>) -> Expr {
        let at = SpanRange::path(&mac.path).to(SpanRange::token(mac.delimiter.span().close()));
        let called = mac.path.segments.last().map(|last| last.ident.to_string());
        let called = called.unwrap_or_default();
        if called == "matches" {
            return self.matches(mac, at);
        }
        if message::says(&called) {
            return self.say(&called, mac, at);
        }
        if called == "shared_dyn" {
            return self.shared_dyn(mac, name, at);
        }
        if called != "shared" {
            let first = mac.path.segments.first().map(|first| first.ident.to_string());
            let is_std = matches!(first.as_deref(), Some("std" | "core" | "alloc"));
            let (fact, help) = reject::macro_call(&called, is_std && mac.path.segments.len() > 1);
            let reported = self.errors.advise(at, fact, help);
            return self.reported(reported, at);
        }
        match mac.parse_body::<syn::Type>() {
            Ok(written) => {
                let ty = self.ty(&written);
                self.oblige(SpanRange::tokens(&written), crate::infer::Obligation::Shared(ty));
                let ty = self.types.reference(true, ty);
                self.make(Kind::Shared { name: name.unwrap_or_else(unnamed) }, ty, at)
            }
            Err(_) => {
                let reported = self.errors.advise(
                    at,
                    "`shared!` takes a type",
                    "write for example `shared!([[f32; 33]; 32])`",
                );
                self.reported(reported, at)
            }
        }
    }

    /// Infers `shared_dyn!(T, len)`.
    fn shared_dyn(&mut self, mac: &syn::Macro, name: Option<String>, at: SpanRange) -> Expr {
        let Ok((elem, len)) = mac.parse_body_with(paths::macros::shared_dyn) else {
            let reported = self.errors.advise(
                at,
                "`shared_dyn!` takes the type of an element and how many there are",
                "write for example `shared_dyn!(f32, 2 * n)`",
            );
            return self.reported(reported, at);
        };
        let ty = self.ty(&elem);
        self.oblige(SpanRange::tokens(&elem), crate::infer::Obligation::Shared(ty));
        let usize = self.prim(crate::infer::Prim::Usize);
        let len = Box::new(self.expect(&len, usize));
        let slice = self.types.add(Type::Slice(ty));
        let ty = self.types.reference(true, slice);
        self.make(Kind::SharedDyn { name: name.unwrap_or_else(unnamed), len }, ty, at)
    }

    /// Infers a literal, or rejects it.
    fn literal(&mut self, lit: &Lit, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(lit.span());
        match lit {
            Lit::Int(int) => self.int_literal(int, lit, hint, at),
            Lit::Float(float) => {
                self.float_literal(float.base10_digits(), float.suffix(), lit, hint, at)
            }
            Lit::Bool(bool) => {
                let ty = self.prim(crate::infer::Prim::Bool);
                self.make(Kind::Bool(bool.value), ty, at)
            }
            Lit::Byte(byte) => {
                let ty = self.prim(crate::infer::Prim::U8);
                self.make(Kind::Int(byte.value().into()), ty, at)
            }
            Lit::ByteStr(bytes) => self.byte_string(&bytes.value(), at),
            other => {
                let (fact, help) = reject::literal(other);
                let reported = self.errors.advise(at, fact, help);
                self.reported(reported, at)
            }
        }
    }
}

/// Returns the name of shared memory without a variable, for messages.
fn unnamed() -> String {
    "shared".to_owned()
}
