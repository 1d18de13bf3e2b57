//! Functions of the prelude that return an iterator, where they are called for types that are not known yet: `iter::once(3)`,
//! `x.array_windows()`. What such a function returns depends on its types, and so its body is inferred among the caller's types, as a block
//! in the place of the call: what becomes known later becomes known of it, too.
use super::{
    super::{
        program::Callee,
        span::SpanRange,
        tree::{Call, Expr, Kind, Stmt, StmtKind},
    },
    Infer,
    scope::Env,
};
use syn::FnArg;

impl Infer<'_> {
    /// Whether the function is one of the prelude and the types that it is called for are not known yet.
    pub(super) fn is_early(&self, call: &Call) -> bool {
        let mut args = call.generics.iter();
        self.program().is_prelude(call.callee.item)
            && (args.any(|arg| self.types.mono_arg(*arg).is_none())
                || call.this.is_some_and(|this| self.types.mono(this).is_none()))
    }

    /// What the function that is called does, as a block.
    pub(super) fn in_place(&mut self, call: Call, env: Env, at: SpanRange) -> Expr {
        let Call { callee, args, .. } = call;
        let Some(written) = self.program().written(callee) else {
            return self.no_block(callee, at);
        };
        let home = std::mem::replace(&mut self.env, env);
        let names = std::mem::take(&mut self.names);
        let scope = std::mem::take(&mut self.scope);
        let targets = std::mem::take(&mut self.targets);
        let place = self.place.replace(at);
        let mut stmts = Vec::with_capacity(args.len());
        for (input, value) in written.sig.inputs.iter().zip(args) {
            let pattern = match input {
                FnArg::Receiver(receiver) => self.receiver(receiver),
                FnArg::Typed(input) => self.pattern(&input.pat, value.ty),
            };
            let kind = StmtKind::Let { pattern, init: Some(value), other: None };
            stmts.push(Stmt { kind, levels: Vec::new() });
        }
        let (mut block, ty) = self.block(written.block, None);
        self.returned_items(written.sig, ty);
        block.stmts.splice(..0, stmts);
        let block = self.make(Kind::Block { label: None, block }, ty, at);
        self.place = place;
        self.targets = targets;
        self.scope = scope;
        self.names = names;
        self.env = home;
        block
    }

    fn no_block(&mut self, callee: Callee, at: SpanRange) -> Expr {
        let name = self.program().names[callee.item].clone();
        let reported = self.errors.report(at, format_args!("kernel code cannot call `{name}`"));
        self.reported(reported, at)
    }
}
