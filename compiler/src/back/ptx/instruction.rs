//! Bodies and control flow: one match over the instructions, and where each branch leads.
//!
//! Structured control flow becomes forward branches around bodies and one backward branch per loop,
//! so that `ptxas` finds where paths join. `for` tests at its end, after a test that guards the
//! first round.
use super::{
    Emitter,
    address::Address,
    code::Label,
    emitter::{Targets, Value, ptx},
    facts::greatest,
    reg::{Class, Imm, Operand, Reg, arithmetic},
    tensor::{BULK_COMMIT, bulk_wait_instruction},
};
use crate::ir::{
    Body, Builtin, CopyOp, Extent, ForRange, InstId, LocalId, MatrixOp, Op, Scalar, SyncOp, Ty,
    WarpOp,
};

impl Emitter<'_> {
    /// Everything in `body`, to the first instruction that leaves it.
    pub(super) fn body(&mut self, body: &Body) {
        let around = self.code.set_loc(None);
        for &id in &body.0 {
            self.set_loc(id);
            self.inst(id);
            if self.kernel.insts[id].op.is_exit() {
                break;
            }
        }
        self.code.set_loc(around);
    }

    /// Sets the source line of the instructions that follow to that of `id`.
    pub(super) fn set_loc(&mut self, id: InstId) {
        if let Some(lines) = self.lines {
            self.code.set_loc(lines.loc(self.kernel.insts[id].span));
        }
    }

    /// Ends the thread at the end of the kernel's body.
    pub(super) fn end(&mut self) {
        if !self.ends_elsewhere(&self.kernel.body) {
            self.depart();
            ptx!(self, "ret");
        }
    }

    fn inst(&mut self, id: InstId) {
        let kernel = self.kernel;
        let inst = &kernel.insts[id];
        let value = match &inst.op {
            Op::Const(bits) => self.literal(id, *bits),
            Op::Param(param) => self.param(*param),
            Op::Len(param) => self.len(*param).into(),
            Op::Shared(shared) => self.shared(*shared).into(),
            Op::Builtin(builtin) => self.provided(id, *builtin),
            Op::Unary { op, value } => self.unary(id, *op, *value),
            Op::Binary { op, lhs, rhs } => self.binary(id, *op, *lhs, *rhs),
            Op::Ternary { op, a, b, c } => self.ternary(id, *op, [*a, *b, *c]),
            Op::Compare { op, lhs, rhs } => self.compare(*op, *lhs, *rhs),
            Op::Cast { value } => self.cast(id, *value),
            Op::Bitcast { value } => self.bitcast(id, *value),
            Op::Select { cond, then, other } => self.select(id, *cond, *then, *other),
            Op::Fma { a, b, c } => self.fma(id, *a, *b, *c),
            Op::Array(_) | Op::Index { .. } | Op::Offset { .. } if self.is_of_registers(id) => {
                Value::None
            }
            Op::Index { base, index, stride } => match self.advanced[id] {
                Some(address) => address.into(),
                None => self.index(*base, *index, known(stride)).into(),
            },
            Op::Array(array) => self.array(*array).into(),
            Op::Offset { base, offset } => self.offset(*base, known(offset)).into(),
            Op::MapShared { ptr, rank } => self.map_shared(*ptr, *rank).into(),
            Op::Bounds { index, len } => self.bounds(id, *index, *len),
            Op::Check { cond, fault } => self.unit(|this| this.check(id, *cond, *fault)),
            Op::Get(local) => self.get(id, *local),
            Op::Set { local, value } => self.unit(|this| this.set(*local, *value)),
            Op::Load { .. } if self.matrix_loads.is_absorbed[id] => Value::None,
            Op::Load { ptr, .. } => match (self.sum_register(*ptr), kernel.surface(*ptr)) {
                (Some(sum), _) => self.read_sum(sum),
                (None, Some(surface)) => self.load_surface(id, *ptr, surface),
                (None, None) => self.load_in_vector(id, *ptr),
            },
            Op::Store { ptr, .. } if self.read_only_array(*ptr).is_some() => Value::None,
            Op::Store { ptr, value, .. } => {
                self.unit(|this| match (this.sum_register(*ptr), kernel.surface(*ptr)) {
                    (Some(sum), _) => this.write_sum(sum, *value),
                    (None, Some(surface)) => this.store_surface(id, *ptr, surface),
                    (None, None) => this.store_in_vector(id, *ptr, *value),
                })
            }
            Op::Prefetch { ptr, level } => self.unit(|this| this.prefetch(*ptr, *level)),
            Op::AtomicLoad { ptr, order, scope } => self.atomic_load(id, *ptr, *order, *scope),
            Op::AtomicStore { ptr, value, order, scope } => {
                self.unit(|this| this.atomic_store(*ptr, *value, *order, *scope))
            }
            Op::Atomic { op, ptr, value, order, scope } => {
                self.atomic(id, *op, *ptr, *value, *order, *scope)
            }
            Op::CompareExchange { ptr, expected, value, order, scope } => {
                self.compare_exchange(id, *ptr, [*expected, *value], *order, *scope)
            }
            Op::Copy(CopyOp::AsyncCopy { to, from, bytes }) => {
                self.unit(|this| this.async_copy(*to, *from, known(bytes)))
            }
            Op::Copy(CopyOp::BulkCopy { to, from, bytes, barrier }) => {
                self.unit(|this| this.bulk_copy([*to, *from, *barrier], known(bytes)))
            }
            Op::Copy(CopyOp::TensorCopy { to, map, shape, at, barrier, blocks }) => {
                self.unit(|this| this.tensor_copy([*to, *barrier], (*map, shape, at), *blocks))
            }
            Op::Copy(CopyOp::TensorStore { map, from, shape, at }) => {
                self.unit(|this| this.tensor_store(*map, shape, *from, at))
            }
            Op::Copy(CopyOp::BulkStore { to, from, bytes }) => {
                self.unit(|this| this.bulk_store([*to, *from], known(bytes)))
            }
            Op::Copy(CopyOp::BulkCommit) => self.unit(|this| ptx!(this, "{BULK_COMMIT}")),
            Op::Copy(CopyOp::BulkWait { pending, reads }) => {
                let wait = bulk_wait_instruction(known(pending), *reads);
                self.unit(|this| ptx!(this, "{wait}"))
            }
            Op::Copy(CopyOp::AsyncCommit) => self.unit(Self::async_commit),
            Op::Copy(CopyOp::AsyncWait { pending }) => {
                self.unit(|this| this.async_wait(known(pending)))
            }
            Op::Sync(SyncOp::Barrier { reduce }) => self.barrier(*reduce),
            Op::Sync(SyncOp::SyncGrid) => self.unit(|this| this.sync_grid(id)),
            Op::Sync(SyncOp::SyncCluster) => self.unit(Self::sync_cluster),
            Op::Sync(SyncOp::SyncWarp { mask }) => self.unit(|this| this.sync_warp(*mask)),
            Op::Sync(SyncOp::NamedBarrier { waits, id, threads }) => {
                self.unit(|this| this.named_barrier(*waits, known(id), known(threads)))
            }
            Op::Sync(SyncOp::MBarrierArrive { barrier, bytes }) => {
                self.mbarrier_arrive(*barrier, *bytes).into()
            }
            Op::Sync(SyncOp::MBarrierWait { barrier, phase }) => {
                self.unit(|this| this.mbarrier_wait(id, *barrier, *phase))
            }
            Op::Sync(SyncOp::Fence { scope }) => self.unit(|this| this.fence(*scope)),
            Op::Warp(WarpOp::Shuffle { op, value, lane, width, mask }) => {
                self.shuffle(*op, *value, *lane, known(width) as u32, *mask)
            }
            Op::Warp(WarpOp::Vote { op, value, mask }) => self.vote(*op, *value, *mask),
            Op::Warp(WarpOp::Match { op, value, mask }) => self.match_lanes(*op, *value, *mask),
            Op::Warp(WarpOp::ActiveMask) => self.active_mask(),
            Op::Warp(WarpOp::Reduce { op, value, mask }) => self.reduce(id, *op, *value, *mask),
            Op::Matrix(MatrixOp::Mma { op, args, word }) => self.mma(id, *op, args, *word),
            Op::Matrix(MatrixOp::Wgmma { op, columns, args }) => {
                self.unit(|this| this.wgmma(*op, known(columns), args))
            }
            Op::Matrix(MatrixOp::WgmmaWait { pending, .. }) => {
                self.unit(|this| this.wgmma_wait(known(pending)))
            }
            Op::Sync(SyncOp::ProxyFence) => self.unit(Self::proxy_fence),
            Op::Sync(SyncOp::GridDependency(op)) => self.unit(|this| this.grid_dependency(*op)),
            Op::Texture { op, texture, args, word } => self.texture(id, *op, *texture, args, *word),
            Op::Matrix(MatrixOp::DistributeRows { transposed, word, .. }) => {
                self.load_matrix(id, *transposed, *word)
            }
            Op::Ptx { ptx, args, .. } => self.inline_ptx(id, ptx, args),
            Op::PtxOutput { of, output } => self.products[of][usize::from(*output)].into(),
            Op::Interpreted => Operand::Imm(Imm { bits: 0, scalar: Scalar::Bool }).into(),
            Op::If { cond, then, other } => self.unit(|this| this.branch(id, *cond, then, other)),
            Op::For { start, end, step, inclusive, body } => {
                let range =
                    ForRange { start: *start, end: *end, step: *step, inclusive: *inclusive };
                self.unit(|this| this.count(id, range, body));
                return;
            }
            Op::Loop { body } => self.unit(|this| this.repeat(id, body)),
            Op::Block { body } => self.unit(|this| this.block(id, body)),
            Op::Break(of) => self.unit(|this| this.leave(*of, |targets| targets.end)),
            Op::Continue(of) => self.unit(|this| this.leave(*of, |targets| targets.next)),
            Op::Return => self.unit(|this| this.end_thread(id)),
            Op::Print { message, args } => self.unit(|this| this.print(*message, args)),
            Op::Panic { message, args } => self.unit(|this| this.panic(id, *message, args)),
            Op::Generic(_) | Op::MulAdd { .. } => {
                unreachable!("a specialized kernel has neither")
            }
        };
        self.define(id, value);
    }

    /// For instructions that yield nothing.
    fn unit(&mut self, emit: impl FnOnce(&mut Self)) -> Value {
        emit(self);
        Value::None
    }

    /// Emits a builtin as the `u32` or `u64` that `id` is.
    fn provided(&mut self, id: InstId, builtin: Builtin) -> Value {
        match self.builtin(builtin) {
            Operand::Reg(wide) if wide.class == Class::B64 && self.scalar(id) == Scalar::U32 => {
                let low = self.regs.fresh(Class::B32);
                ptx!(self, "cvt.u32.u64 {low}, {wide}");
                low.into()
            }
            provided => provided.into(),
        }
    }

    fn literal(&mut self, id: InstId, bits: u64) -> Value {
        Operand::Imm(Imm { bits, scalar: self.scalar(id) }).into()
    }

    fn get(&mut self, id: InstId, local: LocalId) -> Value {
        let from = self.local(local);
        let ty = self.kernel.locals[local].ty;
        if matches!(ty, Ty::Scalar(_)) && !self.facts.needs_copy(id) {
            return from.into();
        }
        let to = self.regs.fresh(from.class);
        ptx!(self, "mov.{} {to}, {from}", from.class.ty());
        match ty {
            Ty::Ptr(space) => Address::of(space, to).into(),
            Ty::Scalar(_) => to.into(),
            Ty::Unit => unreachable!("a local is never of type unit"),
        }
    }

    fn set(&mut self, local: LocalId, value: InstId) {
        let to = self.local(local);
        let narrow = to.class == Class::B32 && self.kernel.locals[local].ty == Scalar::U64.into();
        let value = if narrow { self.low(value) } else { self.operand(value) };
        ptx!(self, "mov.{} {to}, {value}", to.class.ty());
    }

    /// A branch over the first body, and over the second from the end of the first. A body
    /// that only goes elsewhere is a branch to there.
    fn branch(&mut self, id: InstId, cond: InstId, then: &Body, other: &Body) {
        let cond = self.reg(cond);
        let (otherwise, end) = (Label::of("else", id), Label::of("end", id));
        if let Some(target) = self.only_jumps(then) {
            self.code.branch(cond, target);
            self.scoped(|this| this.body(other));
        } else if let Some(target) = self.only_jumps(other) {
            self.code.branch(format_args!("!{cond}"), target);
            self.scoped(|this| this.body(then));
        } else if other.0.is_empty() {
            self.code.branch(format_args!("!{cond}"), end);
            self.scoped(|this| this.body(then));
        } else if then.0.is_empty() {
            self.code.branch(cond, end);
            self.scoped(|this| this.body(other));
        } else {
            self.code.branch(format_args!("!{cond}"), otherwise);
            self.scoped(|this| this.body(then));
            if !self.ends_elsewhere(then) {
                self.code.jump(end);
            }
            self.code.label(otherwise);
            self.scoped(|this| this.body(other));
        }
        self.code.label(end);
    }

    /// Returns the target of a `break`, `continue` or `panic` that is all of `body`.
    fn only_jumps(&mut self, body: &Body) -> Option<Label> {
        let (id, kernel) = (*body.0.first()?, self.kernel);
        let op = &kernel.insts[id].op;
        if let Op::Break(of) = op {
            self.targets[*of].map(|targets| targets.end)
        } else if let Op::Continue(of) = op {
            self.targets[*of].map(|targets| targets.next)
        } else if let Op::Panic { message, args } = op
            && !self.facts.meets_later(id)
        {
            Some(self.panic_elsewhere(id, *message, args))
        } else {
            None
        }
    }

    /// True if nothing comes to the end of `body`. To `ptxas`, a `return` or `panic` does whose
    /// exit is [hidden from it](super::fault).
    fn ends_elsewhere(&self, body: &Body) -> bool {
        body.0.last().is_some_and(|last| {
            let op = &self.kernel.insts[*last].op;
            let ends = matches!(op, Op::Return | Op::Panic { .. });
            op.is_exit() && !(ends && self.facts.meets_later(*last))
        })
    }

    fn repeat(&mut self, id: InstId, body: &Body) {
        let (next, end) = (Label::of("loop", id), Label::of("end", id));
        self.targets[id] = Some(Targets { end, next });
        self.code.label(next);
        self.scoped(|this| this.body(body));
        if !self.ends_elsewhere(body) {
            self.code.jump(next);
        }
        self.code.label(end);
    }

    fn block(&mut self, id: InstId, body: &Body) {
        let end = Label::of("end", id);
        self.targets[id] = Some(Targets { end, next: end });
        self.scoped(|this| this.body(body));
        self.code.label(end);
    }

    fn leave(&mut self, of: InstId, to: fn(Targets) -> Label) {
        let targets = self.targets[of].expect("what is left encloses this");
        self.code.jump(to(targets));
    }

    /// A counting loop. It is entered if there is a first value. A round goes on to another
    /// if that is in the range, which is decided before it is computed wherever
    /// it could be past the end of the type.
    fn count(&mut self, id: InstId, range: ForRange, body: &Body) {
        let scalar = self.scalar(id);
        let narrow = scalar == Scalar::U64
            && [range.start, range.end, range.step].into_iter().all(|value| self.facts.fits(value));
        let counted = if narrow { Scalar::U32 } else { scalar };
        let [start, end, step] = [range.start, range.end, range.step]
            .map(|value| if narrow { self.low(value) } else { self.operand(value) });
        let (counter, ty) = (self.regs.fresh(Class::of(counted)), arithmetic(counted));
        let [head, next, behind] = ["loop", "next", "end"].map(|what| Label::of(what, id));
        self.targets[id] = Some(Targets { end: behind, next });
        self.define(id, counter);

        let nothing = self.regs.fresh(Class::Pred);
        let (outside, inside) = if range.inclusive { ("gt", "le") } else { ("ge", "lt") };
        ptx!(self, "setp.{outside}.{ty} {nothing}, {start}, {end}");
        self.code.branch(nothing, behind);
        // What is derived from here on is not there behind a loop that is not entered.
        self.scoped(|this| {
            ptx!(this, "mov.{} {counter}, {start}", counter.class.ty());
            let bounds = [range.start, range.end, range.step];
            let mut induction = this.begin_induction(id, bounds, body);
            this.code.label(head);
            this.point_to_elements(&mut induction);
            this.scoped(|this| this.body(body));
            this.code.label(next);
            this.advance_pointers(&induction);
            let more = this.regs.fresh(Class::Pred);
            if this.cannot_overflow(counted, range) {
                this.advance(counter, step);
                ptx!(this, "setp.{inside}.{ty} {more}, {counter}, {end}");
            } else {
                this.has_more(more, counter, [end, step], range, counted);
                this.advance(counter, step);
            }
            this.code.branch(more, head);
        });
        self.code.label(behind);
    }

    fn advance(&mut self, counter: Reg, step: Operand) {
        let ty = if counter.class == Class::B64 { "s64" } else { "s32" };
        ptx!(self, "add.{ty} {counter}, {counter}, {step}");
    }

    /// Sets `more` where the distance to the end, which is not negative, leaves room for a step.
    fn has_more(
        &mut self,
        more: Reg,
        counter: Reg,
        [end, step]: [Operand; 2],
        range: ForRange,
        scalar: Scalar,
    ) {
        if self.kernel.literal(range.step) == Some(1) {
            // One step from anything below the end is at most the end.
            ptx!(self, "setp.lt.{} {more}, {counter}, {end}", arithmetic(scalar));
            return;
        }
        let (relation, bits) = (
            if range.inclusive { "ge" } else { "gt" },
            if counter.class == Class::B64 { 64 } else { 32 },
        );
        let distance = self.regs.fresh(counter.class);
        ptx!(self, "sub.s{bits} {distance}, {end}, {counter}");
        ptx!(self, "setp.{relation}.u{bits} {more}, {distance}, {step}");
    }

    /// True if a step from any value in the range stays inside registers of `scalar`, and inside
    /// the signed numbers of as many bits: `ptxas` takes greater steps for negative ones and
    /// unrolls the loop as one that counts down.
    fn cannot_overflow(&self, scalar: Scalar, range: ForRange) -> bool {
        if !range.inclusive && self.kernel.literal(range.step) == Some(1) {
            return true;
        }
        let narrow = matches!(scalar, Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16);
        let step = self.facts.max(range.step);
        let furthest = self.facts.max(range.end).checked_add(step);
        let is_positive = greatest(scalar).is_some_and(|greatest| step <= greatest / 2);
        narrow || (is_positive && furthest.is_some_and(|f| Some(f) <= greatest(scalar)))
    }
}

/// The number that a stride, an offset or a width is.
fn known(extent: &Extent) -> u64 {
    extent.known().expect("a specialized kernel's extents are numbers")
}
