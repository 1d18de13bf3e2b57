//! Inlining of functions that return an iterator or a closure, where the types of the call are not
//! known yet: `iter::once(3)`, `x.array_windows()`.
//!
//! The type of such a result depends on the argument types. The body is therefore inferred among
//! the caller's types, as a block in place of the call: types decided later apply to it, too.
use crate::{
    hir::{Call, Expr, ExprKind, Stmt, StmtKind},
    infer::{Infer, LocalConstants, items::scope::Env},
    syntax::span::SpanRange,
    types::{Class, Ty, Type},
};
use syn::FnArg;
use warpwise_compiler::{id::Id as _, ir::GenericId};

impl Infer<'_> {
    /// Returns true if the instance of a call has types that are not known yet.
    pub(crate) fn has_unknown_types(&self, call: &Call) -> bool {
        call.generics.iter().any(|arg| self.types.arg_to_mono(*arg).is_none())
            || call.self_ty.is_some_and(|this| self.types.to_mono(this).is_none())
    }

    /// Infers the body of a called function as a block.
    pub(crate) fn inline_call(&mut self, call: Call, env: Env, at: SpanRange) -> Expr {
        let Call { callee, args, .. } = call;
        let Some(written) = self.program().function_syntax(callee) else {
            return self.report_not_inlinable(at);
        };
        // A recursive call would never end.
        if self.inlined_callees.contains(&callee) {
            return self.report_not_inlinable(at);
        }
        self.inlined_callees.push(callee);
        // Notes of the callee belong to its own witness.
        let notes = std::mem::take(&mut self.notes);
        // The callee's body has a context of its own, which is restored below.
        let ret = self.unknown();
        let ret = std::mem::replace(&mut self.ret, ret);
        let returns_early = std::mem::replace(&mut self.returns_early, false);
        let home = std::mem::replace(&mut self.env, env);
        let names = std::mem::take(&mut self.names);
        let scope = std::mem::take(&mut self.scope);
        let own = LocalConstants { home: self.env.home, declared: Vec::new() };
        let constants = std::mem::replace(&mut self.constants, own);
        let targets = std::mem::take(&mut self.targets);
        let is_own =
            !self.program().is_in_std_lib(callee.item) && !self.program().is_foreign(callee.item);
        // Nodes of foreign code get the span of the call, since their own are of other files.
        let outside = self.fixed_span;
        if !is_own {
            self.fixed_span = outside.or(Some(at));
        }
        let mut stmts = Vec::with_capacity(args.len());
        for (input, value) in written.sig.inputs.iter().zip(args) {
            let pattern = match input {
                FnArg::Receiver(receiver) => self.declare_receiver(receiver),
                FnArg::Typed(input) => self.infer_irrefutable(&input.pat, value.ty),
            };
            let kind = StmtKind::Let { pattern, init: Some(value), else_block: None };
            stmts.push(Stmt { kind, levels: Vec::new() });
        }
        let (mut block, ty) = self.infer_block(written.block, None);
        self.unify_returned_items(written.sig, ty);
        block.stmts.splice(..0, stmts);
        let block = self.make_expr(ExprKind::Block { label: None, block }, ty, at);
        self.fixed_span = outside;
        self.notes = notes;
        self.ret = ret;
        let returned = std::mem::replace(&mut self.returns_early, returns_early);
        self.inlined_callees.pop();
        self.targets = targets;
        self.scope = scope;
        self.constants = constants;
        self.names = names;
        self.env = home;
        // A `return` would leave the caller instead of the block.
        if returned { self.report_not_inlinable(at) } else { block }
    }

    /// Returns the type that selects the methods of a number of unknown type: inside an inlined
    /// generic function, a type parameter with its bounds.
    pub(crate) fn number_method_type(&self, ty: Ty) -> Type {
        match self.types.get(ty) {
            Type::Unknown(class)
                if !self.inlined_callees.is_empty()
                    && (class != Class::Any || self.is_bound_to_numbers(ty)) =>
            {
                Type::Generic(GenericId::new(0))
            }
            ty => ty,
        }
    }

    fn report_not_inlinable(&mut self, at: SpanRange) -> Expr {
        let reported = self.report_unknown_types(at);
        self.make_reported(reported, at)
    }
}
