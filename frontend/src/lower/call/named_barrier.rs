//! Lowering of named barriers.
use crate::{
    hir::SpanId,
    lower::{Flow, Lowerer, Value},
    types::Len,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{
        self, Axis, BinaryOp, Builtin, CompareOp, Extent, Op, Requirement, Scalar, Size, Span,
        SyncOp,
    },
};

/// Number of lanes in a warp.
const WARP_LANES: u64 = 32;

impl Lowerer<'_> {
    /// Lowers `named_barrier::sync` and `arrive`; reports numbers that no barrier has. Those that
    /// depend on parameters of the kernel are checked when these are bound.
    pub(crate) fn lower_named_barrier(
        &mut self,
        waits: bool,
        [id, threads]: [Len; 2],
        at: SpanId,
    ) -> Flow<Value> {
        let (id, threads) = (self.simplify_len(id, at)?, self.simplify_len(threads, at)?);
        let wrong_id = id.known().filter(|id| !SyncOp::is_named_barrier_id(*id));
        let wrong_size = threads.known().filter(|threads| !SyncOp::is_named_barrier_size(*threads));
        if let Some(id) = wrong_id {
            self.errors.advise(
                self.source_range(at),
                format_args!("a block has the named barriers 1 to 15, and this is {id}"),
                "number them from 1: barrier 0 is that of `sync_threads`",
            );
        }
        if let Some(threads) = wrong_size {
            self.errors.advise(
                self.source_range(at),
                format_args!(
                    "whole warps arrive at a named barrier, and this is for {threads} threads"
                ),
                "write a multiple of 32, up to 1024: 32 for each warp that arrives, waiting or not",
            );
        }
        if wrong_id.is_none() && wrong_size.is_none() {
            self.push_inst(at, Op::Sync(SyncOp::NamedBarrier { waits, id, threads }), ir::Ty::Unit);
        }
        Ok(Value::Unit)
    }

    /// Reports named barriers that are for different numbers of threads at different places, and
    /// those that the block has not the threads for; where only a launch knows the block, it is
    /// required to have them.
    pub(crate) fn check_named_barriers(&mut self) {
        let mut sizes: Vec<(Extent, Extent, Span)> = Vec::new();
        let mut wrong: Vec<(Span, u64, [u64; 2])> = Vec::new();
        for (_, inst) in self.build.kernel.insts.iter() {
            let Op::Sync(SyncOp::NamedBarrier { id, threads, .. }) = &inst.op else { continue };
            let Some((_, one, _)) = sizes.iter().find(|(known, ..)| known == id) else {
                sizes.push((id.clone(), threads.clone(), inst.span));
                continue;
            };
            if let (Some(id), Some(threads), Some(one)) = (id.known(), threads.known(), one.known())
                && threads != one
                && !wrong.iter().any(|(span, ..)| *span == inst.span)
            {
                wrong.push((inst.span, id, [threads, one]));
            }
        }
        for (span, id, [here, before]) in wrong {
            self.errors.advise(
                self.spans[span.index()],
                format_args!(
                    "named barrier {id} is for {here} threads here, and for {before} at another place"
                ),
                "count all warps that arrive, waiting or not, in the same way wherever the barrier is \
                 named, or use another barrier",
            );
        }
        let block = self.build.kernel.block.clone();
        let known = block.as_ref().and_then(|block| {
            block.iter().try_fold(1_u64, |all, extent| all.checked_mul(extent.known()?))
        });
        for (_, threads, span) in sizes {
            match (known.map(|all| all.next_multiple_of(WARP_LANES)), threads.known()) {
                (Some(all), Some(threads)) if threads > all => {
                    self.report_small_block([threads, known.unwrap_or(all)], span)
                }
                (Some(_), Some(_)) => {}
                (..) => self.require_threads(&threads, span),
            }
        }
    }

    fn report_small_block(&mut self, [threads, all]: [u64; 2], span: Span) {
        self.errors.advise(
            self.spans[span.index()],
            format_args!(
                "a named barrier for {threads} threads is never complete: the block has {all}"
            ),
            "count the warps that arrive, or make the block larger",
        );
    }

    /// Requires that a block has `threads` threads, up to the last lanes of its last warp.
    fn require_threads(&mut self, threads: &Extent, span: Span) {
        let dim = |axis| Size::Builtin(Builtin::BlockDim(axis));
        let binary = |op, a, b| Size::Binary(op, Box::new([a, b]));
        let layer = binary(BinaryOp::Mul, dim(Axis::X), dim(Axis::Y));
        let all = binary(BinaryOp::Mul, layer, dim(Axis::Z));
        let whole = binary(BinaryOp::Add, all, Size::Const(Scalar::U64, WARP_LANES - 1));
        let text = match threads.known() {
            Some(threads) => format!("the block has the {threads} threads of a named barrier"),
            None => "the block has the threads of its named barriers".to_owned(),
        };
        let cond = Size::Compare(CompareOp::Ge, Box::new([whole, Size::Extent(threads.clone())]));
        let requirement = Requirement { text, cond, span };
        if !self.build.kernel.requires.iter().any(|known| known.cond == requirement.cond) {
            self.build.kernel.requires.push(requirement);
        }
    }
}
