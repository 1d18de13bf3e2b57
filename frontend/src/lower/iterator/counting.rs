//! Loops over iterators that count their items, including iterators that leave items out.
use crate::{
    hir::SpanId,
    lower::{
        Diverged, Flow, Lowerer, Value,
        iterator::{Consumer, IterLoops, iter::Iter},
    },
    types::iterator::Adapter,
};
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, LocalId, Op, Scalar};

impl Lowerer<'_> {
    /// Creates a counter with this first value.
    pub(crate) fn new_counter(&mut self, first: i128, at: SpanId) -> LocalId {
        let value = self.push_int(first, Scalar::U64, at);
        self.new_counter_from(value, at)
    }

    pub(crate) fn new_counter_from(&mut self, value: InstId, at: SpanId) -> LocalId {
        let local = self.new_local("", Scalar::U64, at);
        self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        local
    }

    /// Increments a counter; returns its value before that.
    pub(crate) fn increment(&mut self, local: LocalId, at: SpanId) -> InstId {
        let before = self.push_inst(at, Op::Get(local), Scalar::U64);
        let one = self.push_int(1, Scalar::U64, at);
        let value = self.push_binary(BinaryOp::Add, before, one, Scalar::U64, at);
        self.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        before
    }

    /// Runs `consume` for the items of a counting adapter over an iterator that leaves items out.
    pub(crate) fn for_each_counted(
        &mut self,
        adapter: Adapter,
        iter: &Iter,
        inner: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let checked = self.options.overflow_checks;
        match adapter {
            Adapter::Enumerate => {
                let first = iter.scalar_part(1).ok_or_else(|| self.report_bug(at))?;
                let counter = self.new_counter_from(first, at);
                self.for_each_item(inner, at, &mut |this, loops, item| {
                    let index = Value::Scalar(this.increment(counter, at));
                    consume(this, loops, Value::Parts([index, item].into()))
                })
            }
            Adapter::Zip => {
                let other = iter.inner_iter(1).ok_or_else(|| self.report_bug(at))?;
                if other.is_indexed(checked) {
                    return self.for_each_zipped_by_index(inner, &other, false, at, consume);
                }
                if inner.is_indexed(checked) && inner.is_pure(checked) {
                    return if other.is_pure(checked) {
                        self.for_each_zipped_by_index(&other, inner, true, at, consume)
                    } else {
                        self.for_each_zipped_to_length(inner, &other, at, consume)
                    };
                }
                self.for_each_zipped(iter, inner, at, consume)
            }
            Adapter::Take => {
                let most = iter.scalar_part(1).ok_or_else(|| self.report_bug(at))?;
                if inner.is_pure(checked) {
                    return self.for_each_taken(inner, most, at, consume);
                }
                // If no item is taken, not even the first may be computed.
                let zero = self.push_int(0, Scalar::U64, at);
                let some = self.push_compare(CompareOp::Ne, most, zero, at);
                self.where_true(some, at, |this| this.for_each_taken(inner, most, at, consume))
            }
            Adapter::Skip | Adapter::StepBy => {
                let number = iter.scalar_part(1).ok_or_else(|| self.report_bug(at))?;
                let (first, again) = match adapter {
                    Adapter::Skip => (number, None),
                    _ => (self.push_int(0, Scalar::U64, at), Some(number)),
                };
                let counter = self.new_counter_from(first, at);
                self.for_each_item(inner, at, &mut |this, loops, item| {
                    this.skip_while_counting(counter, again, loops, at)?;
                    consume(this, loops, item)
                })
            }
            _ => Err(self.report_bug(at)),
        }
    }

    /// Skips the item while the counter is not zero; then restarts the counter at `again - 1`.
    pub(crate) fn skip_while_counting(
        &mut self,
        counter: LocalId,
        again: Option<InstId>,
        loops: IterLoops,
        at: SpanId,
    ) -> Flow<()> {
        let left = self.push_inst(at, Op::Get(counter), Scalar::U64);
        let (zero, one) = (self.push_int(0, Scalar::U64, at), self.push_int(1, Scalar::U64, at));
        let cond = self.push_compare(CompareOp::Ne, left, zero, at);
        self.where_true(cond, at, |this| {
            let value = this.push_binary(BinaryOp::Sub, left, one, Scalar::U64, at);
            this.push_inst(at, Op::Set { local: counter, value }, ir::Ty::Unit);
            let op = this.continue_op(loops.continue_to);
            this.push_inst(at, op, ir::Ty::Unit);
            Err(Diverged)
        })?;
        if let Some(again) = again {
            let value = self.push_binary(BinaryOp::Sub, again, one, Scalar::U64, at);
            self.push_inst(at, Op::Set { local: counter, value }, ir::Ty::Unit);
        }
        Ok(())
    }

    /// Runs `consume` for the first `most` items; the loop ends after the last one, or before the
    /// next.
    pub(crate) fn for_each_taken(
        &mut self,
        inner: &Iter,
        most: InstId,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        // An impure iterator must not compute the item after the last: `continue` leads to the
        // check, by way of a block.
        let is_impure = !inner.is_pure(self.options.overflow_checks);
        let counter = self.new_counter(0, at);
        self.for_each_item(inner, at, &mut |this, loops, item| {
            let before = this.increment(counter, at);
            let within = this.push_compare(CompareOp::Lt, before, most, at);
            this.leave_unless(within, Op::Break(loops.break_to), at)?;
            if is_impure {
                let next =
                    this.begin_body(at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
                let _ = consume(this, IterLoops { continue_to: next, ..loops }, item);
                this.build.end();
            } else {
                consume(this, loops, item)?;
            }
            let count = this.push_inst(at, Op::Get(counter), Scalar::U64);
            let more = this.push_compare(CompareOp::Lt, count, most, at);
            this.leave_unless(more, Op::Break(loops.break_to), at)
        })
    }

    /// Returns the instruction that continues with the next item: it continues a loop, and leaves a
    /// block.
    pub(crate) fn continue_op(&self, next: InstId) -> Op {
        match self.build.kernel.insts[next].op {
            Op::Block { .. } => Op::Break(next),
            _ => Op::Continue(next),
        }
    }

    /// Pairs the items of `driver` with those of `other`, which are first if `swapped`.
    pub(crate) fn for_each_zipped_by_index(
        &mut self,
        driver: &Iter,
        other: &Iter,
        swapped: bool,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (source, len) = self.lower_source(other, at)?;
        let counter = self.new_counter(0, at);
        self.for_each_item(driver, at, &mut |this, loops, item| {
            let index = this.increment(counter, at);
            let within = this.push_compare(CompareOp::Lt, index, len, at);
            this.leave_unless(within, Op::Break(loops.break_to), at)?;
            let theirs = this.lower_item(&source, index, at)?;
            let both = if swapped { [theirs, item] } else { [item, theirs] };
            consume(this, loops, Value::Parts(both.into()))
        })
    }

    /// Pairs the items of `first`, whose number is known, with those of `other`, of which no more
    /// are computed.
    fn for_each_zipped_to_length(
        &mut self,
        first: &Iter,
        other: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (source, len) = self.lower_source(first, at)?;
        let zero = self.push_int(0, Scalar::U64, at);
        let some = self.push_compare(CompareOp::Ne, len, zero, at);
        self.where_true(some, at, |this| {
            let numbers = this.new_counter(0, at);
            this.for_each_taken(other, len, at, &mut |this, loops, theirs| {
                let index = this.increment(numbers, at);
                let item = this.lower_item(&source, index, at)?;
                consume(this, loops, Value::Parts([item, theirs].into()))
            })
        })
    }
}
