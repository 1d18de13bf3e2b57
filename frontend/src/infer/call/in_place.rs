//! Functions that return an iterator or a closure, where they are called for types that are not known yet: `iter::once(3)`,
//! `x.array_windows()`. What such a function returns depends on its types, and so its body is inferred among the caller's types, as a block
//! in the place of the call: what becomes known later becomes known of it, too.
use crate::{
    hir::{Call, Expr, Kind, Stmt, StmtKind},
    infer::{Infer, items::scope::Env},
    syntax::span::SpanRange,
    types::{Class, Ty, Type},
};
use syn::FnArg;
use warpwise_compiler::{id::Id as _, ir::GenericId};

impl Infer<'_> {
    /// Whether the types that a function is called for are not known yet.
    pub(crate) fn is_early(&self, call: &Call) -> bool {
        call.generics.iter().any(|arg| self.types.mono_arg(*arg).is_none())
            || call.this.is_some_and(|this| self.types.mono(this).is_none())
    }

    /// What the function that is called does, as a block.
    pub(crate) fn in_place(&mut self, call: Call, env: Env, at: SpanRange) -> Expr {
        let Call { callee, args, .. } = call;
        let Some(written) = self.program().written(callee) else {
            return self.no_block(at);
        };
        if self.in_place.contains(&callee) {
            return self.no_block(at);
        }
        self.in_place.push(callee);
        // Its own witness has what is noted of it.
        let notes = std::mem::take(&mut self.notes);
        let ret = self.unknown();
        let ret = std::mem::replace(&mut self.ret, ret);
        let returns_early = std::mem::replace(&mut self.returns_early, false);
        let home = std::mem::replace(&mut self.env, env);
        let names = std::mem::take(&mut self.names);
        let scope = std::mem::take(&mut self.scope);
        let targets = std::mem::take(&mut self.targets);
        let is_own =
            !self.program().is_prelude(callee.item) && !self.program().is_foreign(callee.item);
        let outside = self.place;
        if !is_own {
            self.place = outside.or(Some(at));
        }
        let mut stmts = Vec::with_capacity(args.len());
        for (input, value) in written.sig.inputs.iter().zip(args) {
            let pattern = match input {
                FnArg::Receiver(receiver) => self.receiver(receiver),
                FnArg::Typed(input) => self.irrefutable(&input.pat, value.ty),
            };
            let kind = StmtKind::Let { pattern, init: Some(value), other: None };
            stmts.push(Stmt { kind, levels: Vec::new() });
        }
        let (mut block, ty) = self.block(written.block, None);
        self.returned_items(written.sig, ty);
        block.stmts.splice(..0, stmts);
        let block = self.make(Kind::Block { label: None, block }, ty, at);
        self.place = outside;
        self.notes = notes;
        self.ret = ret;
        let returned = std::mem::replace(&mut self.returns_early, returns_early);
        self.in_place.pop();
        self.targets = targets;
        self.scope = scope;
        self.names = names;
        self.env = home;
        if returned { self.no_block(at) } else { block }
    }

    /// What has the methods of a number whose type is not known yet: in a function whose type parameter stands for it, those of its bounds.
    pub(crate) fn number_of_bounds(&self, ty: Ty) -> Type {
        match self.types.get(ty) {
            Type::Unknown(class)
                if !self.in_place.is_empty() && (class != Class::Any || self.is_number(ty)) =>
            {
                Type::Generic(GenericId::new(0))
            }
            ty => ty,
        }
    }

    fn no_block(&mut self, at: SpanRange) -> Expr {
        let reported = self.unknown_types(at);
        self.reported(reported, at)
    }
}
