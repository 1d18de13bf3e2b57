//! Loops over iterators that keep count of items, of which some may be left out.
use crate::{
    hir::SpanId,
    lower::{
        Emit, Flow, Left, Value,
        iterator::{Consumer, Rounds, iter::Iter},
    },
    types::chain::Adapter,
};
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, LocalId, Op, Scalar};

impl Emit<'_> {
    /// A local that counts.
    pub(crate) fn counter(&mut self, first: i128, at: SpanId) -> LocalId {
        let value = self.int(first, Scalar::U64, at);
        self.counter_from(value, at)
    }

    pub(crate) fn counter_from(&mut self, value: InstId, at: SpanId) -> LocalId {
        let local = self.local("", Scalar::U64, at);
        self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        local
    }

    /// What a counter says, before one is added to it.
    pub(crate) fn counted_up(&mut self, local: LocalId, at: SpanId) -> InstId {
        let before = self.inst(at, Op::Get(local), Scalar::U64);
        let one = self.int(1, Scalar::U64, at);
        let value = self.binary_op(BinaryOp::Add, before, one, Scalar::U64, at);
        self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        before
    }

    /// Adapters that count, of an iterator that leaves items out.
    pub(crate) fn each_counted(
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
                let first = iter.number(1).ok_or_else(|| self.bug(at))?;
                let counter = self.counter_from(first, at);
                self.each_item(inner, at, &mut |this, rounds, item| {
                    let index = Value::Scalar(this.counted_up(counter, at));
                    consume(this, rounds, Value::Parts([index, item].into()))
                })
            }
            Adapter::Zip => {
                let other = iter.inner(1).ok_or_else(|| self.bug(at))?;
                if other.is_indexed(checked) {
                    return self.zipped(inner, &other, false, at, consume);
                }
                if inner.is_indexed(checked) && inner.is_pure(checked) {
                    return match other.is_pure(checked) {
                        true => self.zipped(&other, inner, true, at, consume),
                        false => self.zipped_to_length(inner, &other, at, consume),
                    };
                }
                self.each_zipped(iter, inner, at, consume)
            }
            Adapter::Take => {
                let most = iter.number(1).ok_or_else(|| self.bug(at))?;
                if inner.is_pure(checked) {
                    return self.taken(inner, most, at, consume);
                }
                // Not even the first is computed if there is to be none.
                let zero = self.int(0, Scalar::U64, at);
                let some = self.compare(CompareOp::Ne, most, zero, at);
                self.where_true(some, at, |this| this.taken(inner, most, at, consume))
            }
            Adapter::Skip | Adapter::StepBy => {
                let number = iter.number(1).ok_or_else(|| self.bug(at))?;
                let (first, again) = match adapter {
                    Adapter::Skip => (number, None),
                    _ => (self.int(0, Scalar::U64, at), Some(number)),
                };
                let counter = self.counter_from(first, at);
                self.each_item(inner, at, &mut |this, rounds, item| {
                    this.count_down(counter, again, rounds, at)?;
                    consume(this, rounds, item)
                })
            }
            _ => Err(self.bug(at)),
        }
    }

    /// Goes on with the next item while the counter is not zero; begins again one below `again`.
    pub(crate) fn count_down(
        &mut self,
        counter: LocalId,
        again: Option<InstId>,
        rounds: Rounds,
        at: SpanId,
    ) -> Flow<()> {
        let left = self.inst(at, Op::Get(counter), Scalar::U64);
        let (zero, one) = (self.int(0, Scalar::U64, at), self.int(1, Scalar::U64, at));
        let cond = self.compare(CompareOp::Ne, left, zero, at);
        self.where_true(cond, at, |this| {
            let value = this.binary_op(BinaryOp::Sub, left, one, Scalar::U64, at);
            this.inst(at, Op::Set { local: counter, value }, ir::Ty::Unit);
            let op = this.next_item(rounds.next);
            this.inst(at, op, ir::Ty::Unit);
            Err(Left)
        })?;
        if let Some(again) = again {
            let value = self.binary_op(BinaryOp::Sub, again, one, Scalar::U64, at);
            self.inst(at, Op::Set { local: counter, value }, ir::Ty::Unit);
        }
        Ok(())
    }

    /// Items until there were `most`; the loop is left with the last, or in front of the next.
    pub(crate) fn taken(
        &mut self,
        inner: &Iter,
        most: InstId,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        // What a `continue` goes on with is whether there is to be another one, if one can tell.
        let looks_again = !inner.is_pure(self.options.overflow_checks);
        let counter = self.counter(0, at);
        self.each_item(inner, at, &mut |this, rounds, item| {
            let before = this.counted_up(counter, at);
            let within = this.compare(CompareOp::Lt, before, most, at);
            this.leave_unless(within, Op::Break(rounds.whole), at)?;
            if looks_again {
                let next = this.begin(at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
                let _ = consume(this, Rounds { next, ..rounds }, item);
                this.build.end();
            } else {
                consume(this, rounds, item)?;
            }
            let count = this.inst(at, Op::Get(counter), Scalar::U64);
            let more = this.compare(CompareOp::Lt, count, most, at);
            this.leave_unless(more, Op::Break(rounds.whole), at)
        })
    }

    /// What goes on with the next item: a loop goes on, and a block is left.
    pub(crate) fn next_item(&self, next: InstId) -> Op {
        match self.build.kernel.insts[next].op {
            Op::Block { .. } => Op::Break(next),
            _ => Op::Continue(next),
        }
    }

    /// Items of `driver`, each with one of `other`, which is first if `swapped`.
    pub(crate) fn zipped(
        &mut self,
        driver: &Iter,
        other: &Iter,
        swapped: bool,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (source, len) = self.source(other, at)?;
        let counter = self.counter(0, at);
        self.each_item(driver, at, &mut |this, rounds, item| {
            let index = this.counted_up(counter, at);
            let within = this.compare(CompareOp::Lt, index, len, at);
            this.leave_unless(within, Op::Break(rounds.whole), at)?;
            let theirs = this.item(&source, index, at)?;
            let both = if swapped { [theirs, item] } else { [item, theirs] };
            consume(this, rounds, Value::Parts(both.into()))
        })
    }

    /// Items of `first`, of which one knows how many there are, each with one of `other`, of which no more than
    /// those are computed.
    fn zipped_to_length(
        &mut self,
        first: &Iter,
        other: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (source, len) = self.source(first, at)?;
        let zero = self.int(0, Scalar::U64, at);
        let some = self.compare(CompareOp::Ne, len, zero, at);
        self.where_true(some, at, |this| {
            let numbers = this.counter(0, at);
            this.taken(other, len, at, &mut |this, rounds, theirs| {
                let index = this.counted_up(numbers, at);
                let item = this.item(&source, index, at)?;
                consume(this, rounds, Value::Parts([item, theirs].into()))
            })
        })
    }
}
