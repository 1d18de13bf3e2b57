//! Expressions and blocks.
pub(crate) mod aggregate;
mod assign;
mod contraction;
mod control;
mod deref;
mod inline_ptx;
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

use crate::{
    hir::{Block, Expr, ExprKind, Pattern, PatternKind, Stmt, StmtKind, lint_levels},
    infer::{Infer, LocalConstant, call::reject},
    resolve::{inner_items, paths, source_map},
    syntax::{item::is_std_macro, span::SpanRange},
    types::{Ty, Type},
};
use std::rc::Rc;
use syn::Lit;

impl Infer<'_> {
    /// Infers an expression. `hint` is the expected type: literals and conversions take it if they
    /// can, and it is not enforced.
    pub(crate) fn infer_expr(&mut self, expr: &syn::Expr, hint: Option<Ty>) -> Expr {
        let before = std::mem::replace(&mut self.diverges, false);
        let naming = self.let_name.take();
        let result = match expr {
            syn::Expr::Macro(mac) => self.infer_macro_call(&mac.mac, naming),
            _ => self.infer_expr_kind(expr, hint),
        };
        self.diverges |= before || self.is_never(result.ty);
        result
    }

    fn infer_expr_kind(&mut self, expr: &syn::Expr, hint: Option<Ty>) -> Expr {
        if let Some(pointer) = self.infer_function_pointer(expr, hint) {
            return pointer;
        }
        match expr {
            syn::Expr::Paren(e) => self.infer_expr(&e.expr, hint),
            syn::Expr::Group(e) => self.infer_expr(&e.expr, hint),
            syn::Expr::Lit(e) => self.infer_literal(&e.lit, hint),
            syn::Expr::Path(e) => self.infer_path(e, hint),
            syn::Expr::Unary(e) => self.infer_unary(e, hint),
            syn::Expr::Binary(e) => self.infer_binary(e),
            syn::Expr::Assign(e) => self.infer_assign(e),
            syn::Expr::Cast(e) => self.infer_cast(e),
            syn::Expr::Index(e) => self.infer_index(e),
            syn::Expr::Reference(e) => self.infer_reference(e, hint),
            syn::Expr::Call(e) => self.infer_call(e, hint),
            syn::Expr::MethodCall(e) => self.infer_method_call(e, hint),
            syn::Expr::Block(e) => self.infer_block_expr(e, hint),
            // A constant evaluated at run time has the same value.
            syn::Expr::Const(e) => self.infer_const_block(e, hint),
            syn::Expr::Unsafe(e) => self.infer_unsafe(e, hint),
            syn::Expr::If(e) => self.infer_if(e, hint),
            syn::Expr::While(e) => self.infer_while(e),
            syn::Expr::Loop(e) => self.infer_loop(e),
            syn::Expr::ForLoop(e) => self.infer_for(e),
            syn::Expr::Break(e) => self.infer_break(e),
            syn::Expr::Continue(e) => self.infer_continue(e),
            syn::Expr::Return(e) => self.infer_return(e),
            syn::Expr::Tuple(e) if e.elems.is_empty() => {
                let unit = self.types.unit();
                self.make_expr(ExprKind::Unit, unit, SpanRange::expr(expr))
            }
            syn::Expr::Tuple(e) => self.infer_tuple(e, hint),
            syn::Expr::Array(e) => self.infer_array(e, hint),
            syn::Expr::Repeat(e) => self.infer_repeat(e, hint),
            syn::Expr::Struct(e) => self.infer_struct(e, hint),
            syn::Expr::Field(e) => self.infer_field(e),
            syn::Expr::Closure(e) => {
                let pointed = match hint.map(|hint| self.types.get(hint)) {
                    Some(Type::Pointer(list)) => Some(self.pointer_signature(list)),
                    _ => None,
                };
                self.infer_closure(e, pointed.as_ref())
            }
            syn::Expr::Match(e) => self.infer_match(e, hint),
            syn::Expr::Let(e) => self.infer_let_condition(e),
            syn::Expr::Try(e) => self.infer_try(e),
            syn::Expr::Range(e) => self.infer_range(e),
            other => self.report_unsupported(other),
        }
    }

    /// Infers `const { .. }`.
    fn infer_const_block(&mut self, expr: &syn::ExprConst, hint: Option<Ty>) -> Expr {
        let at = SpanRange::expr(&syn::Expr::Const(expr.clone()));
        let (block, ty) = self.infer_block(&expr.block, hint);
        self.make_expr(ExprKind::Block { label: None, block }, ty, at)
    }

    /// Reports an unsupported expression, without visiting its parts.
    fn report_unsupported(&mut self, expr: &syn::Expr) -> Expr {
        let (fact, help) = reject::expr(expr);
        let at = SpanRange::expr(expr);
        let reported = match expr {
            syn::Expr::Await(_) => self.errors.mistyped(at, fact),
            _ => self.errors.advise(at, fact, help),
        };
        self.make_reported(reported, at)
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
        let range = self.spans[expr.at];
        // Before the types are read: a coerced closure has the pointer's type.
        let expr = self.coerce_to_pointer(expr, expected);
        let (from, to) = (self.types.get(expr.ty), self.types.get(expected));
        let (Type::Ref { mutable, to: a }, Type::Ref { mutable: wanted, to: b }) = (from, to)
        else {
            self.unify(range, expr.ty, expected);
            return expr;
        };
        if wanted && !mutable {
            self.report_mismatch(range, expr.ty, expected);
            return expr;
        }
        // Unsizing, then dereferencing of nested references, then the user's `Deref`. If none
        // applies, the targets must be equal.
        match (self.types.get(a), self.types.get(b)) {
            (Type::Array(elem, _), Type::Slice(other)) => {
                self.unify(range, elem, other);
                self.make_expr(ExprKind::Unsize(Box::new(expr)), expected, range)
            }
            (Type::Ref { mutable: inner, to }, target)
                if !matches!(target, Type::Ref { .. } | Type::Unknown(_)) =>
            {
                let place = self.make_expr(ExprKind::Deref(Box::new(expr)), a, range);
                let place = self.make_expr(ExprKind::Deref(Box::new(place)), to, range);
                let ty = self.types.reference(wanted && inner, to);
                let shorter = self.make_expr(ExprKind::Borrow(Box::new(place)), ty, range);
                self.coerce(shorter, expected)
            }
            _ => match self.try_deref_coercion(expr, expected) {
                Ok(reference) => self.coerce(reference, expected),
                Err(expr) => {
                    self.unify(range, a, b);
                    expr
                }
            },
        }
    }

    /// Infers an expression and coerces it to `ty`.
    pub(crate) fn infer_expr_coerce(&mut self, expr: &syn::Expr, ty: Ty) -> Expr {
        let expr = self.infer_expr(expr, Some(ty));
        self.coerce(expr, ty)
    }

    /// Infers a block, and returns the type of its value.
    pub(crate) fn infer_block(&mut self, block: &syn::Block, hint: Option<Ty>) -> (Block, Ty) {
        let opened = self.scope.open();
        let outer_constants = self.declare_constants(block);
        let mut stmts = Vec::with_capacity(block.stmts.len());
        let mut tail = None;
        for (index, stmt) in block.stmts.iter().enumerate() {
            let is_last = index + 1 == block.stmts.len();
            let levels = lint_levels::read_levels(lint_levels::stmt_attrs(stmt));
            let outer = self.levels.len();
            self.levels.extend(levels.iter().cloned());
            match stmt {
                syn::Stmt::Macro(mac) if is_last && mac.semi_token.is_none() => {
                    let value = self.infer_macro_call(&mac.mac, None);
                    tail = self.bind_leveled_tail(value, levels, &mut stmts);
                }
                syn::Stmt::Expr(expr, None) if is_last => {
                    let value = self.infer_expr(expr, hint);
                    tail = self.bind_leveled_tail(value, levels, &mut stmts);
                }
                stmt => {
                    let kind = self.infer_stmt(stmt);
                    stmts.extend(kind.map(|kind| Stmt { kind, levels }));
                }
            }
            self.levels.truncate(outer);
        }
        self.scope.close(opened);
        self.constants.declared.truncate(outer_constants);
        let ty = match &tail {
            Some(tail) => tail.ty,
            None if self.diverges => self.types.never(),
            None => self.types.unit(),
        };
        (Block { stmts, tail }, ty)
    }

    /// Declares the constants of a block, which are in scope in all of it. Returns the number of
    /// those around it.
    fn declare_constants(&mut self, block: &syn::Block) -> usize {
        let declared = |stmt: &syn::Stmt| match stmt {
            syn::Stmt::Item(syn::Item::Const(item)) => Some(item.clone()),
            _ => None,
        };
        let constants: Vec<_> = block.stmts.iter().filter_map(declared).collect();
        let outer = self.constants.declared.len();
        let scope = outer + constants.len();
        self.constants.declared.extend(constants.into_iter().map(
            |syn::ItemConst { ident, ty, expr, .. }| {
                (ident.to_string(), Rc::new(LocalConstant { ty: *ty, value: *expr, scope }))
            },
        ));
        outer
    }

    /// Returns the tail expression of a block. With lint levels it is bound by a statement, so that
    /// the levels cover it alone; without a value it stays a statement.
    fn bind_leveled_tail(
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
        let (ty, at, range) = (value.ty, value.at, self.spans[value.at]);
        let var = self.vars.push(crate::hir::Variable {
            name: String::new(),
            ty,
            mutable: false,
            settable: false,
            at,
        });
        let kind = PatternKind::Bind { var, by_ref: false, subpattern: None };
        let pattern = Pattern { kind, ty, at };
        stmts.push(Stmt {
            kind: StmtKind::Let { pattern, init: Some(value), else_block: None },
            levels,
        });
        Some(Box::new(self.make_expr(ExprKind::Var(var), ty, range)))
    }

    fn infer_stmt(&mut self, stmt: &syn::Stmt) -> Option<StmtKind> {
        match stmt {
            syn::Stmt::Local(local) => self.infer_let(local),
            // Constants are declared at the start of the block. Inner items are instances of their
            // own: see `resolve::inner_items`.
            syn::Stmt::Item(item) if inner_items::is_supported_inner_item(item) => None,
            // A `use` was expanded before: see `resolve::imports`.
            syn::Stmt::Item(syn::Item::Use(item)) if !reject::is_glob(&item.tree) => None,
            syn::Stmt::Item(item) => {
                let (fact, help) = reject::item(item);
                self.errors.advise(SpanRange::tokens(item), fact, help);
                None
            }
            syn::Stmt::Expr(expr, semi) => {
                let value = self.infer_expr(expr, None);
                if semi.is_none() {
                    let unit = self.types.unit();
                    return Some(StmtKind::Expr(self.coerce(value, unit)));
                }
                Some(StmtKind::Expr(value))
            }
            syn::Stmt::Macro(mac) => Some(StmtKind::Expr(self.infer_macro_call(&mac.mac, None))),
        }
    }

    /// Infers a macro call: `shared!(..)` and other built-in macros.
    pub(crate) fn infer_macro_call(&mut self, mac: &syn::Macro, name: Option<String>) -> Expr {
        let at = SpanRange::path(&mac.path).to(SpanRange::token(mac.delimiter.span().close()));
        if let Some(ptx) = self.infer_inline_ptx(mac, at) {
            return ptx;
        }
        let called = mac.path.segments.last().map(|last| last.ident.to_string());
        let called = called.unwrap_or_default();
        if called == "matches" {
            return self.infer_matches(mac, at);
        }
        if message::is_message_macro(&called) {
            return self.infer_message_macro(&called, mac, at);
        }
        if called == "shared_dyn" {
            return self.infer_shared_dyn(mac, name, at);
        }
        if called != "shared" {
            let first = mac.path.segments.first().map(|first| first.ident.to_string());
            let is_std = matches!(first.as_deref(), Some("std" | "core" | "alloc"));
            let (fact, help) = reject::macro_call(&called, is_std && mac.path.segments.len() > 1);
            let is_unknown = !is_std
                && mac.path.get_ident().is_some_and(|name| {
                    !is_std_macro(name)
                        && (!source_map::may_have_macro(name)
                            || source_map::is_macro_declared_later(name))
                });
            let reported = if is_unknown {
                self.errors.advise_unless_rustc(at, fact, help)
            } else {
                self.errors.advise(at, fact, help)
            };
            return self.make_reported(reported, at);
        }
        match mac.parse_body::<syn::Type>() {
            Ok(written) => {
                let ty = self.resolve_type(&written);
                self.oblige(SpanRange::tokens(&written), crate::infer::Obligation::Shared(ty));
                let ty = self.types.reference(true, ty);
                self.make_expr(
                    ExprKind::Shared { name: name.unwrap_or_else(default_shared_name) },
                    ty,
                    at,
                )
            }
            Err(_) => {
                let reported = self.errors.advise(
                    at,
                    "`shared!` takes a type",
                    "write for example `shared!([[f32; 33]; 32])`",
                );
                self.make_reported(reported, at)
            }
        }
    }

    /// Infers `shared_dyn!(T, len)`.
    fn infer_shared_dyn(&mut self, mac: &syn::Macro, name: Option<String>, at: SpanRange) -> Expr {
        let Ok((elem, len)) = mac.parse_body_with(paths::macros::parse_shared_dyn) else {
            let reported = self.errors.advise(
                at,
                "`shared_dyn!` takes the type of an element and how many there are",
                "write for example `shared_dyn!(f32, 2 * n)`",
            );
            return self.make_reported(reported, at);
        };
        let ty = self.resolve_type(&elem);
        self.oblige(SpanRange::tokens(&elem), crate::infer::Obligation::Shared(ty));
        let usize = self.prim(crate::infer::Prim::Usize);
        let len = Box::new(self.infer_expr_coerce(&len, usize));
        let slice = self.types.add(Type::Slice(ty));
        let ty = self.types.reference(true, slice);
        self.make_expr(
            ExprKind::SharedDyn { name: name.unwrap_or_else(default_shared_name), len },
            ty,
            at,
        )
    }

    /// Infers a literal, or rejects it.
    fn infer_literal(&mut self, lit: &Lit, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(lit.span());
        match lit {
            Lit::Int(int) => self.infer_int_literal(int, lit, hint, at),
            Lit::Float(float) => {
                self.infer_float_literal(float.base10_digits(), float.suffix(), lit, hint, at)
            }
            Lit::Bool(bool) => {
                let ty = self.prim(crate::infer::Prim::Bool);
                self.make_expr(ExprKind::Bool(bool.value), ty, at)
            }
            Lit::Byte(byte) => {
                let ty = self.prim(crate::infer::Prim::U8);
                self.make_expr(ExprKind::Int(byte.value().into()), ty, at)
            }
            Lit::ByteStr(bytes) => self.infer_byte_string(&bytes.value(), at),
            other => {
                let (fact, help) = reject::literal(other);
                let reported = self.errors.advise(at, fact, help);
                self.make_reported(reported, at)
            }
        }
    }
}

/// Returns the name of shared memory without a variable, for messages.
fn default_shared_name() -> String {
    "shared".to_owned()
}
