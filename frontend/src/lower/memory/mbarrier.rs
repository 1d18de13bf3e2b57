//! Lowering of mbarriers.
//!
//! A `shared!` of `MBarrier`s is an array of mbarriers, which are initialized when a block starts.
//! No other memory has mbarriers: nothing would initialize them.
use crate::{
    hir::{Expr, SpanId},
    lower::{Diverged, Flow, Lowerer, Place, Value},
    types::{
        builtin::MBarrierFn,
        mono::{Mono, MonoArg},
    },
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, CopyOp, Extent, InstId, Op, Root, Scalar, Space, Span, SyncOp},
};

/// The message for an mbarrier that nothing initializes, and its help.
const NOT_INITIALIZED: [&str; 2] = [
    "an mbarrier is initialized as an element of a `shared!` of mbarriers, and this is not one",
    "declare mbarriers on their own, `shared!([MBarrier<64>; 2])` or `shared!(MBarrier<64>)`",
];

impl Lowerer<'_> {
    /// Returns the arrivals of a phase, if a type of shared memory is an mbarrier or an array of
    /// them; reports a type that contains some besides other values.
    pub(crate) fn mbarrier_arrivals(&mut self, mono: &Mono, at: SpanId) -> Flow<Option<Extent>> {
        let mut elem = mono;
        while let Mono::Array(inner, _) = elem {
            elem = inner;
        }
        if let Mono::Adt(item, args) = elem
            && self.program.is_mbarrier(*item)
        {
            let Some(MonoArg::Const(arrivals)) = args.first() else {
                return Err(self.report_bug(at));
            };
            let arrivals = self.simplify_extent(arrivals, at)?;
            if let Some(count) = arrivals.known().filter(|count| !SyncOp::is_mbarrier_count(*count))
            {
                self.errors.advise(
                    self.source_range(at),
                    format_args!(
                        "an mbarrier is for 1 to 1048575 arrivals, and this is for {count}"
                    ),
                    "count the threads that arrive in a phase: `MBarrier<64>` for two warps",
                );
                return Err(Diverged);
            }
            return Ok(Some(arrivals));
        }
        if self.contains_mbarrier(elem, at)? {
            return Err(self.report_uninitialized_mbarrier(at));
        }
        Ok(None)
    }

    /// Reports mbarriers in shared memory whose length the launch computes.
    pub(crate) fn check_no_mbarrier(&mut self, mono: &Mono, at: SpanId) -> Flow<()> {
        if self.contains_mbarrier(mono, at)? {
            return Err(self.report_uninitialized_mbarrier(at));
        }
        Ok(())
    }

    fn contains_mbarrier(&mut self, mono: &Mono, at: SpanId) -> Flow<bool> {
        if let Mono::Adt(item, _) = mono
            && self.program.is_mbarrier(*item)
        {
            return Ok(true);
        }
        for part in self.contained_types(mono, at)? {
            if self.contains_mbarrier(&part, at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn report_uninitialized_mbarrier(&mut self, at: SpanId) -> Diverged {
        let [fact, help] = NOT_INITIALIZED;
        self.errors.advise(self.source_range(at), fact, help);
        Diverged
    }

    /// Lowers a function of the module `mbarrier::words`.
    pub(crate) fn lower_mbarrier_call(
        &mut self,
        function: MBarrierFn,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let barrier = self.lower_mbarrier(args.first(), at)?;
        match function {
            MBarrierFn::Arrive => {
                let arrive = Op::Sync(SyncOp::MBarrierArrive { barrier, bytes: None });
                Ok(Value::Scalar(self.push_inst(at, arrive, Scalar::U64)))
            }
            MBarrierFn::ArriveExpect => {
                let bytes = Some(self.lower_argument(args, 1, expr)?);
                let arrive = Op::Sync(SyncOp::MBarrierArrive { barrier, bytes });
                Ok(Value::Scalar(self.push_inst(at, arrive, Scalar::U64)))
            }
            MBarrierFn::BulkCopy => self.lower_bulk_copy(barrier, args, expr),
            MBarrierFn::TensorCopy | MBarrierFn::Multicast => {
                self.lower_tensor_copy(barrier, args, expr)
            }
            MBarrierFn::Wait | MBarrierFn::WaitParity => {
                let phase = self.lower_argument(args, 1, expr)?;
                self.push_inst(at, Op::Sync(SyncOp::MBarrierWait { barrier, phase }), ir::Ty::Unit);
                Ok(Value::Unit)
            }
        }
    }

    /// Returns the address of an mbarrier.
    fn lower_mbarrier(&mut self, reference: Option<&Expr>, at: SpanId) -> Flow<InstId> {
        let Some(reference) = reference else { return Err(self.report_bug(at)) };
        let Value::Ref(place) = self.lower_value(reference)? else {
            return Err(self.report_bug(at));
        };
        match *place {
            Place::Memory(memory) => Ok(self.pointer_inst(memory.ptr, at)),
            _ => Err(self.report_uninitialized_mbarrier(at)),
        }
    }

    /// Reports mbarriers in other memory than the shared memory of the block, once the memory of
    /// every address is known.
    pub(crate) fn check_mbarriers(&mut self) {
        let kernel = &self.build.kernel;
        let mut wrong: Vec<Span> = Vec::new();
        for (_, inst) in kernel.insts.iter() {
            let (Op::Sync(
                SyncOp::MBarrierArrive { barrier, .. } | SyncOp::MBarrierWait { barrier, .. },
            )
            | Op::Copy(CopyOp::BulkCopy { barrier, .. } | CopyOp::TensorCopy { barrier, .. })) =
                inst.op
            else {
                continue;
            };
            let is_initialized = match kernel.root(barrier) {
                Some(Root::Shared(shared)) => kernel.shared[shared].arrivals.is_some(),
                Some(Root::Param(_) | Root::Array(_)) => false,
                None => kernel.insts[barrier].ty == ir::Ty::Ptr(Space::Shared),
            };
            if !is_initialized && !wrong.contains(&inst.span) {
                wrong.push(inst.span);
            }
        }
        for span in wrong {
            let [fact, help] = NOT_INITIALIZED;
            self.errors.advise(self.spans[span.index()], fact, help);
        }
    }
}
