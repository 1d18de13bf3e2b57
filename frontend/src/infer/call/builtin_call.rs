//! Calls of built-in functions.
use crate::{
    hir::{Expr, ExprKind, GenericArg},
    infer::{Infer, Obligation},
    syntax::span::SpanRange,
    types::{
        Len, Prim, Ty, Type,
        builtin::{self, Async, Builtin, BulkStoreFn, ClusterFn, ResolvedBuiltin},
    },
};
use syn::{ExprCall, GenericArgument};
use warpwise_compiler::ir::{Extent, ReduceOp, ShuffleOp};

impl Infer<'_> {
    pub(crate) fn infer_builtin_call(
        &mut self,
        mut found: ResolvedBuiltin,
        call: &ExprCall,
        path: &syn::Path,
        at: SpanRange,
    ) -> Expr {
        self.notes.record_builtin(path, &found);
        let value = self.unknown();
        if found.takes_width {
            self.resolve_shuffle_width(&mut found, path, at);
        }
        if let Builtin::Async(Async::Wait { pending }) = &mut found.builtin {
            *pending = self.resolve_pending_groups("async_copy::wait", path, at);
        }
        if let Builtin::BulkStore(BulkStoreFn::Wait { pending, .. }) = &mut found.builtin {
            *pending = self.resolve_pending_groups(&found.path, path, at);
        }
        if let Builtin::NamedBarrier { extents, .. } = &mut found.builtin {
            *extents = self.resolve_named_barrier(path, at);
        }
        if let Builtin::Wgmma { extents, .. } = &mut found.builtin {
            *extents = self.resolve_leading_constants(path);
        }
        if let Builtin::WgmmaWait { pending } = &mut found.builtin {
            *pending = self.resolve_leading_constants(path).map(|[pending]| pending);
        }
        let ret = self.builtin_part_type(found.ret, value);
        if !self.check_arg_count(found.params.len(), &call.args, at) {
            return self.make_expr(ExprKind::Reported, ret, at);
        }
        let mut args = Vec::with_capacity(call.args.len());
        for (arg, part) in call.args.iter().zip(&found.params) {
            let ty = self.builtin_part_type(*part, value);
            args.push(self.infer_expr_coerce(arg, ty));
        }
        match found.builtin {
            Builtin::Match { .. } => self.oblige(at, Obligation::Compared(value)),
            Builtin::Reduce { op, .. } => {
                let bitwise = matches!(op, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor);
                self.oblige(at, Obligation::Reduced(value, bitwise));
            }
            Builtin::Shuffle { .. } => self.oblige_shuffled(value, at),
            Builtin::Index(_)
            | Builtin::Barrier(_)
            | Builtin::SyncWarp { .. }
            | Builtin::Fence(_)
            | Builtin::Vote { .. }
            | Builtin::SyncGrid
            | Builtin::Cluster(_)
            | Builtin::ActiveMask
            | Builtin::Mma(_)
            | Builtin::DistributeRows { .. }
            | Builtin::Fast(_)
            | Builtin::Bits(_)
            | Builtin::Directed(..)
            | Builtin::Async(_)
            | Builtin::Texture(_)
            | Builtin::Cache(_)
            | Builtin::NamedBarrier { .. }
            | Builtin::Wgmma { .. }
            | Builtin::WgmmaWait { .. }
            | Builtin::ProxyFence
            | Builtin::GridDependency(_)
            | Builtin::MBarrier(_)
            | Builtin::BulkStore(_)
            | Builtin::Elect { .. } => {}
        }
        let widths = usize::from(found.takes_width);
        let is_generic =
            matches!(found.builtin, Builtin::Cache(_) | Builtin::Cluster(ClusterFn::MapShared))
                || found.params.contains(&builtin::BuiltinPart::Value);
        if is_generic
            && let Some(GenericArgument::Type(ty)) = Self::turbofish(path)
                .and_then(|args| args.args.iter().skip(widths).find(|arg| is_value_type(arg)))
        {
            let ty = self.resolve_type(ty);
            self.unify(at, value, ty);
        }
        self.make_expr(ExprKind::Builtin { builtin: found.builtin, args }, ret, at)
    }

    pub(crate) fn builtin_part_type(&mut self, part: builtin::BuiltinPart, value: Ty) -> Ty {
        match part {
            builtin::BuiltinPart::Prim(prim) => self.prim(prim),
            builtin::BuiltinPart::Value => value,
            builtin::BuiltinPart::Pair(prim) => {
                let part = self.prim(prim);
                self.types.tuple(vec![part, part])
            }
            builtin::BuiltinPart::Array(prim, len) => {
                let elem = self.prim(prim);
                let len = self.types.len(Extent::Const(len));
                self.types.add(Type::Array(elem, len))
            }
            builtin::BuiltinPart::ArrayRef(prim, len) => {
                let elem = self.prim(prim);
                let len = self.types.len(Extent::Const(len));
                let array = self.types.add(Type::Array(elem, len));
                self.types.reference(true, array)
            }
            builtin::BuiltinPart::Ref { mutable } => self.types.reference(mutable, value),
            builtin::BuiltinPart::Any => self.unknown(),
            builtin::BuiltinPart::AnyRef { mutable } => {
                let any = self.unknown();
                self.types.reference(mutable, any)
            }
            builtin::BuiltinPart::AtomicRef(prim) => {
                let atomic = self.types.add(Type::Atomic(prim));
                self.types.reference(false, atomic)
            }
            builtin::BuiltinPart::Slice => {
                let slice = self.types.add(Type::Slice(value));
                self.types.reference(false, slice)
            }
            builtin::BuiltinPart::Unit => self.types.unit(),
        }
    }

    /// Returns the number of groups that may be pending after a wait, its generic argument.
    fn resolve_pending_groups(
        &mut self,
        function: &str,
        path: &syn::Path,
        at: SpanRange,
    ) -> Option<Len> {
        let written = Self::turbofish(path).and_then(|args| args.args.first());
        let Some(written) = written else {
            let (module, _) = function.split_once("::").unwrap_or((function, ""));
            self.errors.advise(
                at,
                format_args!("`{function}` does not say how many groups of copies may be pending"),
                format_args!(
                    "write the number of groups, `{function}::<1>()`, or wait for all of them: \
                     `{module}::wait_all()`"
                ),
            );
            return None;
        };
        let len = self.types.unknown_len();
        let env = self.env.clone();
        self.unify_generic_arg(written, GenericArg::Const(len), Prim::Usize, &env);
        Some(len)
    }

    /// Returns the number of a named barrier and its threads, the generic arguments.
    fn resolve_named_barrier(&mut self, path: &syn::Path, at: SpanRange) -> Option<[Len; 2]> {
        let args = Self::turbofish(path).map(|args| &args.args);
        let [Some(id), Some(threads)] = [0, 1].map(|number| args.and_then(|args| args.get(number)))
        else {
            self.errors.advise(
                at,
                "a named barrier needs its number, 1 to 15, and the number of threads that arrive",
                "write both as constants: `named_barrier::sync::<1, 64>()`",
            );
            return None;
        };
        let lens = [id, threads].map(|written| {
            let len = self.types.unknown_len();
            let env = self.env.clone();
            self.unify_generic_arg(written, GenericArg::Const(len), Prim::Usize, &env);
            len
        });
        Some(lens)
    }

    /// Returns the first generic arguments of a function that only the library calls.
    fn resolve_leading_constants<const COUNT: usize>(
        &mut self,
        path: &syn::Path,
    ) -> Option<[Len; COUNT]> {
        let args = Self::turbofish(path).map(|args| &args.args);
        let mut lens = Vec::new();
        for number in 0..COUNT {
            let written = args.and_then(|args| args.get(number))?;
            let len = self.types.unknown_len();
            let env = self.env.clone();
            self.unify_generic_arg(written, GenericArg::Const(len), Prim::Usize, &env);
            lens.push(len);
        }
        lens.try_into().ok()
    }

    /// Sets the width of a shuffle from its first generic argument.
    fn resolve_shuffle_width(
        &mut self,
        found: &mut ResolvedBuiltin,
        path: &syn::Path,
        at: SpanRange,
    ) {
        let len = self.types.unknown_len();
        if let Some(written) = Self::turbofish(path).and_then(|args| args.args.first()) {
            let env = self.env.clone();
            self.unify_generic_arg(written, GenericArg::Const(len), Prim::Usize, &env);
        }
        if self.types.is_reported_len(len) {
            return;
        }
        // A width that is unknown here, a parameter of the kernel, is checked at launch.
        let extent = self.types.extent(len);
        let known = extent.map(|extent| extent.simplified().and_then(|extent| extent.known()));
        match (&mut found.builtin, known) {
            (Builtin::Shuffle { width, .. }, Some(lanes))
                if lanes.is_none_or(ShuffleOp::is_width) =>
            {
                *width = Some(len);
            }
            _ => {
                self.errors.advise(
                    at,
                    "the width of a shuffle is 2, 4, 8, 16 or 32",
                    "write it as a number: `warp::shfl_xor_width::<8, _>(value, 1)`",
                );
            }
        }
    }
}

/// Returns true if a generic argument of a shuffle is the type of the shuffled value.
fn is_value_type(arg: &GenericArgument) -> bool {
    match arg {
        GenericArgument::Type(syn::Type::Infer(_)) => false,
        GenericArgument::Type(_) => true,
        _ => false,
    }
}
