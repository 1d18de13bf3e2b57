//! Loops over iterators that leave items out, or end before what they are made of does.
use crate::{
    hir::SpanId,
    lower::{
        Emit, Flow, Value,
        iterator::{Consumer, Rounds, iter::Iter},
        memory::storage::placed,
    },
    types::{chain::Adapter, mono::Mono},
};
use warpwise_compiler::ir::{self, Body, CompareOp, InstId, LocalId, Op, Scalar};

impl Emit<'_> {
    /// Does something with what is in an option, and leaves the loop where nothing is.
    pub(crate) fn while_some(
        &mut self,
        option: Value,
        rounds: Rounds,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let Value::Variants(variants) = &option else { return Err(self.bug(at)) };
        if self.known(variants.tag) != Some(true) {
            self.leave_unless(variants.tag, Op::Break(rounds.whole), at)?;
        }
        match variants.parts.get(1) {
            Some(Some(parts)) => match parts.first() {
                Some(item) => consume(self, rounds, item.clone()),
                None => Err(self.bug(at)),
            },
            // It never has anything in it.
            _ => Ok(()),
        }
    }

    /// Adapters that leave items out, or look at each.
    pub(crate) fn each_filtered(
        &mut self,
        adapter: Adapter,
        iter: &Iter,
        inner: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (closure, mono) = self.closure_of(iter, at)?;
        let skipping = match adapter {
            Adapter::SkipWhile => Some(self.counter(1, at)),
            _ => None,
        };
        self.each_item(inner, at, &mut |this, rounds, item| match adapter {
            Adapter::FilterMap => {
                let found = this.call_value(&closure, &mono, &[item], at)?;
                this.if_some(found, at, &mut |this, item| consume(this, rounds, item))
            }
            Adapter::MapWhile => {
                let found = this.call_value(&closure, &mono, &[item], at)?;
                this.while_some(found, rounds, at, consume)
            }
            Adapter::Inspect => {
                let seen = Value::Ref(Box::new(placed(item.clone())));
                this.call_value(&closure, &mono, &[seen], at)?;
                consume(this, rounds, item)
            }
            Adapter::SkipWhile => {
                if let Some(skipping) = skipping {
                    this.skip_while(skipping, [&closure, &item], &mono, rounds, at)?;
                }
                consume(this, rounds, item)
            }
            _ => {
                let seen = Value::Ref(Box::new(placed(item.clone())));
                let Value::Scalar(cond) = this.call_value(&closure, &mono, &[seen], at)? else {
                    return Err(this.bug(at));
                };
                if adapter == Adapter::TakeWhile {
                    this.leave_unless(cond, Op::Break(rounds.whole), at)?;
                    return consume(this, rounds, item);
                }
                this.where_true(cond, at, |this| consume(this, rounds, item))
            }
        })
    }

    /// Does something where `cond` is true.
    pub(crate) fn where_true(
        &mut self,
        cond: InstId,
        at: SpanId,
        then: impl FnOnce(&mut Self) -> Flow<()>,
    ) -> Flow<()> {
        match self.known(cond) {
            Some(true) => return then(self),
            Some(false) => return Ok(()),
            None => {}
        }
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let _ = then(self);
        self.build.end();
        Ok(())
    }

    /// Does `leave` where `cond` is false.
    pub(crate) fn leave_unless(&mut self, cond: InstId, leave: Op, at: SpanId) -> Flow<()> {
        let cond = self.not(cond, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        self.inst(at, leave, ir::Ty::Unit);
        self.build.end();
        Ok(())
    }

    /// Does something with what is in an option.
    pub(crate) fn if_some(
        &mut self,
        option: Value,
        at: SpanId,
        then: &mut dyn FnMut(&mut Self, Value) -> Flow<()>,
    ) -> Flow<()> {
        let Value::Variants(variants) = option else { return Err(self.bug(at)) };
        match variants.parts.get(1) {
            Some(Some(parts)) => match parts.first() {
                Some(item) => self.where_true(variants.tag, at, |this| then(this, item.clone())),
                None => Err(self.bug(at)),
            },
            // It never has anything in it.
            _ => Ok(()),
        }
    }

    /// Goes on with the next item while the closure says so and has not said otherwise before.
    pub(crate) fn skip_while(
        &mut self,
        skipping: LocalId,
        [closure, item]: [&Value; 2],
        mono: &Mono,
        rounds: Rounds,
        at: SpanId,
    ) -> Flow<()> {
        let skips = self.inst(at, Op::Get(skipping), Scalar::U64);
        let zero = self.int(0, Scalar::U64, at);
        let cond = self.compare(CompareOp::Ne, skips, zero, at);
        self.where_true(cond, at, |this| {
            let seen = Value::Ref(Box::new(placed(item.clone())));
            let Value::Scalar(cond) = this.call_value(closure, mono, &[seen], at)? else {
                return Err(this.bug(at));
            };
            let done = this.not(cond, at);
            let op = this.next_item(rounds.next);
            this.leave_unless(done, op, at)?;
            this.inst(at, Op::Set { local: skipping, value: zero }, ir::Ty::Unit);
            Ok(())
        })
    }
}
