//! Loops over iterators that leave items out, or that end before their inner iterator.
use crate::{
    hir::SpanId,
    lower::{
        Flow, Lowerer, Value,
        iterator::{Consumer, IterLoops, iter::Iter},
        memory::storage::place_of_value,
    },
    types::{iterator::Adapter, mono::Mono},
};
use warpwise_compiler::ir::{self, Body, CompareOp, InstId, LocalId, Op, Scalar};

impl Lowerer<'_> {
    /// Runs `consume` for the content of an option, and leaves the loop if it is empty.
    pub(crate) fn consume_or_leave(
        &mut self,
        option: Value,
        loops: IterLoops,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let Value::Variants(variants) = &option else { return Err(self.report_bug(at)) };
        if self.constant_condition(variants.tag) != Some(true) {
            self.leave_unless(variants.tag, Op::Break(loops.break_to), at)?;
        }
        match variants.parts.get(1) {
            Some(Some(parts)) => match parts.first() {
                Some(item) => consume(self, loops, item.clone()),
                None => Err(self.report_bug(at)),
            },
            // The option is always empty.
            _ => Ok(()),
        }
    }

    /// Runs `consume` for the items of an adapter that filters or inspects them.
    pub(crate) fn for_each_filtered(
        &mut self,
        adapter: Adapter,
        iter: &Iter,
        inner: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (closure, mono) = self.adapter_closure(iter, at)?;
        let skipping = match adapter {
            Adapter::SkipWhile => Some(self.new_counter(1, at)),
            _ => None,
        };
        self.for_each_item(inner, at, &mut |this, loops, item| match adapter {
            Adapter::FilterMap => {
                let found = this.call_value(&closure, &mono, &[item], at)?;
                this.if_some(found, at, &mut |this, item| consume(this, loops, item))
            }
            Adapter::MapWhile => {
                let found = this.call_value(&closure, &mono, &[item], at)?;
                this.consume_or_leave(found, loops, at, consume)
            }
            Adapter::Inspect => {
                let seen = Value::Ref(Box::new(place_of_value(item.clone())));
                this.call_value(&closure, &mono, &[seen], at)?;
                consume(this, loops, item)
            }
            Adapter::SkipWhile => {
                if let Some(skipping) = skipping {
                    this.skip_while(skipping, [&closure, &item], &mono, loops, at)?;
                }
                consume(this, loops, item)
            }
            _ => {
                let seen = Value::Ref(Box::new(place_of_value(item.clone())));
                let Value::Scalar(cond) = this.call_value(&closure, &mono, &[seen], at)? else {
                    return Err(this.report_bug(at));
                };
                if adapter == Adapter::TakeWhile {
                    this.leave_unless(cond, Op::Break(loops.break_to), at)?;
                    return consume(this, loops, item);
                }
                this.where_true(cond, at, |this| consume(this, loops, item))
            }
        })
    }

    /// Runs `then` where `cond` is true.
    pub(crate) fn where_true(
        &mut self,
        cond: InstId,
        at: SpanId,
        then: impl FnOnce(&mut Self) -> Flow<()>,
    ) -> Flow<()> {
        match self.constant_condition(cond) {
            Some(true) => return then(self),
            Some(false) => return Ok(()),
            None => {}
        }
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        // Control that diverges here does so only where the condition is true.
        let _ = then(self);
        self.build.end();
        Ok(())
    }

    /// Runs `leave` where `cond` is false.
    pub(crate) fn leave_unless(&mut self, cond: InstId, leave: Op, at: SpanId) -> Flow<()> {
        let cond = self.push_not(cond, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        self.push_inst(at, leave, ir::Ty::Unit);
        self.build.end();
        Ok(())
    }

    /// Runs `then` for the content of an option.
    pub(crate) fn if_some(
        &mut self,
        option: Value,
        at: SpanId,
        then: &mut dyn FnMut(&mut Self, Value) -> Flow<()>,
    ) -> Flow<()> {
        let Value::Variants(variants) = option else { return Err(self.report_bug(at)) };
        match variants.parts.get(1) {
            Some(Some(parts)) => match parts.first() {
                Some(item) => self.where_true(variants.tag, at, |this| then(this, item.clone())),
                None => Err(self.report_bug(at)),
            },
            // The option is always empty.
            _ => Ok(()),
        }
    }

    /// Skips items until the closure first returns false.
    pub(crate) fn skip_while(
        &mut self,
        skipping: LocalId,
        [closure, item]: [&Value; 2],
        mono: &Mono,
        loops: IterLoops,
        at: SpanId,
    ) -> Flow<()> {
        let skips = self.push_inst(at, Op::Get(skipping), Scalar::U64);
        let zero = self.push_int(0, Scalar::U64, at);
        let cond = self.push_compare(CompareOp::Ne, skips, zero, at);
        self.where_true(cond, at, |this| {
            let seen = Value::Ref(Box::new(place_of_value(item.clone())));
            let Value::Scalar(cond) = this.call_value(closure, mono, &[seen], at)? else {
                return Err(this.report_bug(at));
            };
            let done = this.push_not(cond, at);
            let op = this.continue_op(loops.continue_to);
            this.leave_unless(done, op, at)?;
            this.push_inst(at, Op::Set { local: skipping, value: zero }, ir::Ty::Unit);
            Ok(())
        })
    }
}
