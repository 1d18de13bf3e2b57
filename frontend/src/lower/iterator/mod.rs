//! Loops over iterators: one counted loop, with what adapters do to each item inside.
//!
//! Where items are computed from their number (see [`source`]), the loop is over
//! numbers below the length, so that nothing is left to be checked. Where items are left out, a
//! local of the IR counts those that are not.
mod counting;
mod filtering;
mod item;
mod iter;
mod source;
mod taking;

use crate::{
    hir::{Expr, ForEach, SpanId},
    lower::{
        Emit, Flow, Target, Value,
        control::looping::Counted,
        iterator::{iter::Iter, source::Source},
    },
    types::{
        chain::{Adapter, IterKind},
        mono::Mono,
    },
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Body, CompareOp, Fault, InstId, Op, Scalar},
};

/// What is done with each item: it gets the loops, and the item.
pub(crate) type Consumer<'c, E> = dyn FnMut(&mut E, Rounds, Value) -> Flow<()> + 'c;

/// The loops that an item is of.
#[derive(Clone, Copy)]
pub(crate) struct Rounds {
    /// What is left behind the last item.
    pub(crate) whole: InstId,
    /// What goes on with the next: a loop, or a block that is left first.
    pub(crate) next: InstId,
}

/// Which items of a [`Source`] a loop runs over.
struct Span {
    source: Source,
    start: InstId,
    end: InstId,
    step: Option<InstId>,
}

impl Emit<'_> {
    /// `for pattern in iterator`
    pub(crate) fn each_loop(&mut self, each: &ForEach, at: SpanId) -> Flow<Value> {
        let iter = self.iter(&each.iterator)?;
        self.each_item(&iter, at, &mut |this, rounds, item| {
            let target = Target { inst: rounds.whole, next: rounds.next, result: None };
            this.frame.labels[each.label.index()] = Some(target);
            this.bind_value(&each.pattern, item)?;
            this.block(&each.body).map(|_| ())
        })?;
        Ok(Value::Unit)
    }

    pub(crate) fn iter(&mut self, expr: &Expr) -> Flow<Iter> {
        let value = self.value(expr)?;
        let mono = self.mono(expr.ty, expr.at)?;
        self.settled(value, &mono, expr.at)
    }

    /// What Rust checks when an iterator is made.
    pub(crate) fn check_chain(&mut self, chain: IterKind, parts: &[Value], at: SpanId) -> Flow<()> {
        let Some(Value::Scalar(number)) = parts.get(1) else { return Ok(()) };
        let number = *number;
        let message = match chain {
            IterKind::Chunks | IterKind::ChunksExact => Some("chunk size must be non-zero"),
            IterKind::Windows => Some("window size must be non-zero"),
            IterKind::Adapter(Adapter::StepBy) => None,
            _ => return Ok(()),
        };
        if let Op::Const(1..) = self.build.kernel.insts[number].op {
            return Ok(());
        }
        let zero = self.int(0, Scalar::U64, at);
        let cond = self.compare(CompareOp::Ne, number, zero, at);
        match message {
            Some(message) => self.require_that(cond, message, at),
            None => {
                self.check(cond, Fault::StepByZero, at);
                Ok(())
            }
        }
    }

    /// Does something with each item.
    pub(crate) fn each_item(
        &mut self,
        iter: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        if let Some(counted) = self.counted(iter, at)? {
            return self.run_counted(&counted, at, &mut |this, inst, variable| {
                let item = Value::Scalar(variable(this));
                let _ = consume(this, Rounds { whole: inst, next: inst }, item);
                Ok(())
            });
        }
        match iter.chain {
            IterKind::Adapter(adapter) => self.each_adapted(adapter, iter, at, consume),
            IterKind::Range
            | IterKind::RangeInclusive
            | IterKind::RangeFrom
            | IterKind::Slice
            | IterKind::Array
            | IterKind::Chunks
            | IterKind::ChunksExact
            | IterKind::Windows => self.each_indexed(iter, at, consume),
            IterKind::UserDefined => self.each_taken(iter, at, consume),
        }
    }

    /// The range that an iterator is, perhaps backwards, perhaps in steps.
    fn counted(&mut self, iter: &Iter, at: SpanId) -> Flow<Option<Counted>> {
        let (mut found, mut step, mut reverse) = (iter.clone(), None, false);
        loop {
            let inner = match found.chain {
                IterKind::Adapter(Adapter::StepBy) if step.is_none() && !reverse => {
                    step = found.number(1);
                    found.inner(0)
                }
                IterKind::Adapter(Adapter::Rev) => {
                    reverse = !reverse;
                    found.inner(0)
                }
                _ => break,
            };
            found = inner.ok_or_else(|| self.bug(at))?;
        }
        let inclusive = match found.chain {
            IterKind::Range => false,
            IterKind::RangeInclusive | IterKind::RangeFrom => true,
            _ => return Ok(None),
        };
        let scalar =
            crate::lower::memory::layout::scalar(&found.item).ok_or_else(|| self.bug(at))?;
        let start = found.number(0).ok_or_else(|| self.bug(at))?;
        let end = match found.number(1) {
            Some(end) => end,
            None => self.int(crate::lower::arith::check::max(scalar), scalar, at),
        };
        Ok(Some(Counted { start, end, step, inclusive, reverse, scalar }))
    }

    /// A loop over the numbers of items.
    fn each_indexed(
        &mut self,
        iter: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let Span { source, start, end, step } = self.span_of(iter, at)?;
        let step = step.unwrap_or_else(|| self.int(1, Scalar::U64, at));
        let op = Op::For { start, end, step, inclusive: false, body: Body::default() };
        let inst = self.begin(at, op, Scalar::U64)?;
        let item = self.looped_item(&source, inst, at);
        let _ = item.and_then(|item| consume(self, Rounds { whole: inst, next: inst }, item));
        self.build.end();
        Ok(())
    }

    fn looped_item(&mut self, source: &Source, index: InstId, at: SpanId) -> Flow<Value> {
        match source {
            // The loop steps by the size.
            Source::Chunks { memory, elem, size, total } => {
                self.piece(memory, elem, index, [Some(*size), *total], at)
            }
            _ => self.item(source, index, at),
        }
    }

    /// Which items of which source an iterator has: the outermost `skip`, `take` and `step_by` are
    /// where the loop starts, stops and how it steps.
    fn span_of(&mut self, iter: &Iter, at: SpanId) -> Flow<Span> {
        let IterKind::Adapter(adapter @ (Adapter::Skip | Adapter::Take | Adapter::StepBy)) =
            iter.chain
        else {
            let (mut source, mut end) = self.source(iter, at)?;
            let start = self.int(0, Scalar::U64, at);
            let step = match &mut source {
                Source::Chunks { size, .. } => {
                    let (size, (_, _, len)) = (*size, self.sequence_of(iter, at)?);
                    end = match iter.chain {
                        IterKind::ChunksExact => self.windows(len, size, at),
                        _ => len,
                    };
                    Some(size)
                }
                _ => None,
            };
            return Ok(Span { source, start, end, step });
        };
        let inner = iter.inner(0).ok_or_else(|| self.bug(at))?;
        let number = iter.number(1).ok_or_else(|| self.bug(at))?;
        let span = self.span_of(&inner, at)?;
        if span.step.is_some() {
            let (source, end) = self.source(iter, at)?;
            let start = self.int(0, Scalar::U64, at);
            return Ok(Span { source, start, end, step: None });
        }
        let Span { source, start, end, step } = span;
        Ok(match adapter {
            Adapter::StepBy => Span { source, start, end, step: Some(number) },
            Adapter::Take => {
                let left = self.binary_op(BinaryOp::Sub, end, start, Scalar::U64, at);
                let most = self.binary_op(BinaryOp::Min, left, number, Scalar::U64, at);
                let end = self.binary_op(BinaryOp::Add, start, most, Scalar::U64, at);
                Span { source, start, end, step }
            }
            _ => {
                let left = self.binary_op(BinaryOp::Sub, end, start, Scalar::U64, at);
                let most = self.binary_op(BinaryOp::Min, left, number, Scalar::U64, at);
                let start = self.binary_op(BinaryOp::Add, start, most, Scalar::U64, at);
                Span { source, start, end, step }
            }
        })
    }

    fn each_adapted(
        &mut self,
        adapter: Adapter,
        iter: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        if let Adapter::ByRef | Adapter::Peekable = adapter {
            return self.each_taken(iter, at, consume);
        }
        let inner = iter.inner(0).ok_or_else(|| self.bug(at))?;
        match adapter {
            Adapter::Cycle => self.cycled(&inner, at, consume),
            Adapter::Copied => self.each_item(&inner, at, &mut |this, rounds, item| {
                let item = this.copied(item, &iter.item, at)?;
                consume(this, rounds, item)
            }),
            Adapter::Map => {
                let (closure, mono) = self.closure_of(iter, at)?;
                self.each_item(&inner, at, &mut |this, rounds, item| {
                    let item = this.call_value(&closure, &mono, &[item], at)?;
                    consume(this, rounds, item)
                })
            }
            Adapter::Filter
            | Adapter::FilterMap
            | Adapter::MapWhile
            | Adapter::TakeWhile
            | Adapter::SkipWhile
            | Adapter::Inspect => self.each_filtered(adapter, iter, &inner, at, consume),
            _ if iter.is_indexed(self.options.overflow_checks) => {
                self.each_indexed(iter, at, consume)
            }
            Adapter::Rev
                if let IterKind::Adapter(Adapter::Flatten | Adapter::Options) = inner.chain =>
            {
                let outer = inner.inner(0).ok_or_else(|| self.bug(at))?;
                self.flattened(&reverse(&outer), &iter.item, true, at, consume)
            }
            Adapter::Rev => match self.reversed(&inner, at)? {
                Some(iter) => self.each_item(&iter, at, consume),
                None => self.each_taken(iter, at, consume),
            },
            Adapter::Chain => self.each_of_both(iter, &inner, at, consume),
            Adapter::Scan => self.scanned(iter, &inner, at, consume),
            Adapter::Flatten | Adapter::Options => {
                self.flattened(&inner, &iter.item, false, at, consume)
            }
            Adapter::ByRef
            | Adapter::Peekable
            | Adapter::Enumerate
            | Adapter::Zip
            | Adapter::Skip
            | Adapter::Take
            | Adapter::StepBy => self.each_counted(adapter, iter, &inner, at, consume),
        }
    }

    pub(crate) fn closure_of(&mut self, iter: &Iter, at: SpanId) -> Flow<(Value, Mono)> {
        iter.parts.get(1).cloned().ok_or_else(|| self.bug(at))
    }

    /// An iterator from its end, where what is done with each item does not change.
    fn reversed(&mut self, iter: &Iter, at: SpanId) -> Flow<Option<Iter>> {
        let both = match iter.chain {
            IterKind::Adapter(Adapter::Chain) => true,
            IterKind::Adapter(
                Adapter::Map
                | Adapter::Copied
                | Adapter::Filter
                | Adapter::FilterMap
                | Adapter::Inspect,
            ) => false,
            _ => return Ok(None),
        };
        let mut iter = iter.clone();
        let inner = iter.inner(0).ok_or_else(|| self.bug(at))?;
        let parts = iter.parts.iter_mut().take(if both { 2 } else { 1 });
        for (value, mono) in parts {
            *mono =
                Mono::Iter(IterKind::Adapter(Adapter::Rev), vec![inner.item.clone(), mono.clone()]);
            *value = Value::Parts([value.clone()].into());
        }
        if both {
            iter.parts.swap(0, 1);
        }
        Ok(Some(iter))
    }

    /// The items of one iterator, then those of another: a loop behind a loop, in a block that is left
    /// as one loop is. What is done with each item is there twice.
    fn each_of_both(
        &mut self,
        iter: &Iter,
        first: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let second = iter.inner(1).ok_or_else(|| self.bug(at))?;
        let whole = self.begin(at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        let mut within =
            |this: &mut Self, rounds: Rounds, item| consume(this, Rounds { whole, ..rounds }, item);
        let done = self.each_item(first, at, &mut within);
        let done = done.and_then(|()| self.each_item(&second, at, &mut within));
        self.build.end();
        done
    }

    /// The items of the items, of type `yields`: of options, and of what can be iterated over, each from its
    /// end if `back`.
    fn flattened(
        &mut self,
        outer: &Iter,
        yields: &Mono,
        back: bool,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let mono = outer.item.clone();
        self.each_item(outer, at, &mut |this, around, item| {
            if let Value::Variants(_) = item {
                return this.if_some(item, at, &mut |this, item| consume(this, around, item));
            }
            let inner = match mono {
                Mono::Iter(..) => this.settled(item, &mono, at)?,
                Mono::Adt(..) => {
                    let parts = vec![(item, mono.clone())];
                    Iter { chain: IterKind::UserDefined, item: yields.clone(), parts }
                }
                _ => Iter::over(item, &mono).ok_or_else(|| this.bug(at))?,
            };
            let inner = if back { reverse(&inner) } else { inner };
            this.each_item(&inner, at, &mut |this, rounds, item| {
                consume(this, Rounds { whole: around.whole, ..rounds }, item)
            })
        })
    }

    /// The items of an iterator over and over: a loop in a loop, which ends where there are none.
    fn cycled(&mut self, inner: &Iter, at: SpanId, consume: &mut Consumer<'_, Self>) -> Flow<()> {
        let local = self.local("", Scalar::Bool, at);
        let whole = self.begin(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        let set = |this: &mut Self, any: bool| {
            let value = this.bits(any.into(), Scalar::Bool, at);
            this.inst(at, Op::Set { local, value }, ir::Ty::Unit);
        };
        set(self, false);
        let (value, mono) = inner.value();
        let again = self.with_own_closures(&value, at)?;
        let again = Iter::of(&again, &mono).ok_or_else(|| self.bug(at))?;
        let done = self.each_item(&again, at, &mut |this, rounds, item| {
            set(this, true);
            consume(this, Rounds { whole, ..rounds }, item)
        });
        let done = done.and_then(|()| {
            let any = self.inst(at, Op::Get(local), Scalar::Bool);
            self.leave_unless(any, Op::Break(whole), at)
        });
        self.build.end();
        done
    }

    /// Items that a closure makes of others and of a state that it changes.
    fn scanned(
        &mut self,
        iter: &Iter,
        inner: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (closure, mono) = self.closure_of(iter, at)?;
        let (first, ty) = iter.parts.get(2).cloned().ok_or_else(|| self.bug(at))?;
        let state = self.variable(first, &ty, "", at)?;
        self.each_item(inner, at, &mut |this, rounds, item| {
            let seen = Value::Ref(Box::new(state.clone()));
            let found = this.call_value(&closure, &mono, &[seen, item], at)?;
            this.while_some(found, rounds, at, consume)
        })
    }
}

/// An iterator from its end.
fn reverse(iter: &Iter) -> Iter {
    Iter {
        chain: IterKind::Adapter(Adapter::Rev),
        item: iter.item.clone(),
        parts: vec![iter.value()],
    }
}
