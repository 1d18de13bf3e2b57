//! Loops over iterators: one counted loop, with the adapters' work on each item in its body.
//!
//! Where items are computed from their index (see [`source`]), the loop runs over the indices below
//! the length, so that no checks remain. Where items are left out, a local of the IR counts the
//! others.
mod advancing;
mod counting;
mod filtering;
mod item;
mod iter;
mod source;

use crate::{
    hir::{Expr, ForEach, SpanId},
    lower::{
        Flow, JumpTarget, Lowerer, Value,
        control::loops::CountedRange,
        iterator::{iter::Iter, source::Source},
    },
    types::{
        iterator::{Adapter, IterKind},
        mono::Mono,
    },
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, BinaryOp, Body, CompareOp, Fault, InstId, Op, Scalar},
};

/// Loop body: takes the loops, and the item.
pub(crate) type Consumer<'c, E> = dyn FnMut(&mut E, IterLoops, Value) -> Flow<()> + 'c;

/// The loops around an item.
#[derive(Clone, Copy)]
pub(crate) struct IterLoops {
    /// The construct to leave after the last item.
    pub(crate) break_to: InstId,
    /// The construct to continue with the next item: a loop, or a block that is left first.
    pub(crate) continue_to: InstId,
}

/// Range of a [`Source`]'s items that a loop runs over.
struct ItemRange {
    source: Source,
    start: InstId,
    end: InstId,
    step: Option<InstId>,
}

impl Lowerer<'_> {
    /// Lowers `for pattern in iterator`.
    pub(crate) fn lower_for_each(&mut self, each: &ForEach, at: SpanId) -> Flow<Value> {
        let iter = self.lower_iter(&each.iterator)?;
        self.for_each_item(&iter, at, &mut |this, loops, item| {
            let target =
                JumpTarget { inst: loops.break_to, continue_to: loops.continue_to, result: None };
            this.frame.labels[each.label.index()] = Some(target);
            this.bind_value(&each.pattern, item)?;
            this.lower_block(&each.body).map(|_| ())
        })?;
        Ok(Value::Unit)
    }

    pub(crate) fn lower_iter(&mut self, expr: &Expr) -> Flow<Iter> {
        let value = self.lower_value(expr)?;
        let mono = self.mono_type(expr.ty, expr.at)?;
        self.iter_from_value(value, &mono, expr.at)
    }

    /// Applies the checks of Rust's constructors of iterators.
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
        let zero = self.push_int(0, Scalar::U64, at);
        let cond = self.push_compare(CompareOp::Ne, number, zero, at);
        match message {
            Some(message) => self.panic_unless(cond, message, at),
            None => {
                self.push_check(cond, Fault::StepByZero, at);
                Ok(())
            }
        }
    }

    /// Runs `consume` for each item.
    pub(crate) fn for_each_item(
        &mut self,
        iter: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        if let Some(counted) = self.as_counted_range(iter, at)? {
            return self.lower_counted_loop(&counted, at, &mut |this, inst, variable| {
                let item = Value::Scalar(variable(this));
                let _ = consume(this, IterLoops { break_to: inst, continue_to: inst }, item);
                Ok(())
            });
        }
        match iter.chain {
            IterKind::Adapter(adapter) => self.for_each_adapted(adapter, iter, at, consume),
            IterKind::Range
            | IterKind::RangeInclusive
            | IterKind::RangeFrom
            | IterKind::Slice
            | IterKind::Array
            | IterKind::Chunks
            | IterKind::ChunksExact
            | IterKind::Windows => self.for_each_indexed(iter, at, consume),
            IterKind::UserDefined => self.for_each_advanced(iter, at, consume),
        }
    }

    /// Returns the range behind an iterator that only reverses it or steps through it.
    fn as_counted_range(&mut self, iter: &Iter, at: SpanId) -> Flow<Option<CountedRange>> {
        let (mut found, mut step, mut reverse) = (iter.clone(), None, false);
        loop {
            let inner = match found.chain {
                IterKind::Adapter(Adapter::StepBy) if step.is_none() && !reverse => {
                    step = found.scalar_part(1);
                    found.inner_iter(0)
                }
                IterKind::Adapter(Adapter::Rev) => {
                    reverse = !reverse;
                    found.inner_iter(0)
                }
                _ => break,
            };
            found = inner.ok_or_else(|| self.report_bug(at))?;
        }
        let inclusive = match found.chain {
            IterKind::Range => false,
            IterKind::RangeInclusive | IterKind::RangeFrom => true,
            _ => return Ok(None),
        };
        let scalar = crate::lower::memory::layout::scalar_of_mono(&found.item)
            .ok_or_else(|| self.report_bug(at))?;
        let start = found.scalar_part(0).ok_or_else(|| self.report_bug(at))?;
        let end = match found.scalar_part(1) {
            Some(end) => end,
            None => self.push_int(crate::lower::arith::check::max_value(scalar), scalar, at),
        };
        Ok(Some(CountedRange { start, end, step, inclusive, reverse, scalar }))
    }

    /// Runs a loop over the indices of the items.
    fn for_each_indexed(
        &mut self,
        iter: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let ItemRange { source, start, end, step } = self.item_range(iter, at)?;
        let step = step.unwrap_or_else(|| self.push_int(1, Scalar::U64, at));
        let op = Op::For { start, end, step, inclusive: false, body: Body::default() };
        let inst = self.begin_body(at, op, Scalar::U64)?;
        let item = self.lower_looped_item(&source, inst, at);
        let _ = item
            .and_then(|item| consume(self, IterLoops { break_to: inst, continue_to: inst }, item));
        self.build.end();
        Ok(())
    }

    fn lower_looped_item(&mut self, source: &Source, index: InstId, at: SpanId) -> Flow<Value> {
        match source {
            // The loop steps by the chunk size, so that the index is the start of the chunk.
            Source::Chunks { memory, elem, size, total } => {
                self.subslice_from(memory, elem, index, [Some(*size), *total], at)
            }
            _ => self.lower_item(source, index, at),
        }
    }

    /// Returns the source of an iterator and the range of its items: the outermost `skip`, `take`
    /// and `step_by` become the loop's start, end and step.
    fn item_range(&mut self, iter: &Iter, at: SpanId) -> Flow<ItemRange> {
        let IterKind::Adapter(adapter @ (Adapter::Skip | Adapter::Take | Adapter::StepBy)) =
            iter.chain
        else {
            let (mut source, mut end) = self.lower_source(iter, at)?;
            let start = self.push_int(0, Scalar::U64, at);
            let step = match &mut source {
                Source::Chunks { size, .. } => {
                    let (size, (_, _, len)) = (*size, self.memory_and_length(iter, at)?);
                    end = match iter.chain {
                        IterKind::ChunksExact => self.window_count(len, size, at),
                        _ => len,
                    };
                    Some(size)
                }
                _ => None,
            };
            return Ok(ItemRange { source, start, end, step });
        };
        let inner = iter.inner_iter(0).ok_or_else(|| self.report_bug(at))?;
        let number = iter.scalar_part(1).ok_or_else(|| self.report_bug(at))?;
        let span = self.item_range(&inner, at)?;
        if span.step.is_some() {
            let (source, end) = self.lower_source(iter, at)?;
            let start = self.push_int(0, Scalar::U64, at);
            return Ok(ItemRange { source, start, end, step: None });
        }
        let ItemRange { source, start, end, step } = span;
        Ok(match adapter {
            Adapter::StepBy => ItemRange { source, start, end, step: Some(number) },
            Adapter::Take => {
                let left = self.push_binary(BinaryOp::Sub, end, start, Scalar::U64, at);
                let most = self.push_binary(BinaryOp::Min, left, number, Scalar::U64, at);
                let end = self.push_binary(BinaryOp::Add, start, most, Scalar::U64, at);
                ItemRange { source, start, end, step }
            }
            _ => {
                let left = self.push_binary(BinaryOp::Sub, end, start, Scalar::U64, at);
                let most = self.push_binary(BinaryOp::Min, left, number, Scalar::U64, at);
                let start = self.push_binary(BinaryOp::Add, start, most, Scalar::U64, at);
                ItemRange { source, start, end, step }
            }
        })
    }

    fn for_each_adapted(
        &mut self,
        adapter: Adapter,
        iter: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        // The order of the cases matters: kept iterators and filters first, since they are never
        // indexed; then all that can be indexed; then the loops that need a special form.
        if let Adapter::ByRef | Adapter::Peekable = adapter {
            return self.for_each_advanced(iter, at, consume);
        }
        let inner = iter.inner_iter(0).ok_or_else(|| self.report_bug(at))?;
        match adapter {
            Adapter::Cycle => self.for_each_cycled(&inner, at, consume),
            Adapter::Copied => self.for_each_item(&inner, at, &mut |this, loops, item| {
                let item = this.read_referent(item, &iter.item, at)?;
                consume(this, loops, item)
            }),
            Adapter::Map => {
                let (closure, mono) = self.adapter_closure(iter, at)?;
                self.for_each_item(&inner, at, &mut |this, loops, item| {
                    let item = this.call_value(&closure, &mono, &[item], at)?;
                    consume(this, loops, item)
                })
            }
            Adapter::Filter
            | Adapter::FilterMap
            | Adapter::MapWhile
            | Adapter::TakeWhile
            | Adapter::SkipWhile
            | Adapter::Inspect => self.for_each_filtered(adapter, iter, &inner, at, consume),
            _ if iter.is_indexed(self.options.overflow_checks) => {
                self.for_each_indexed(iter, at, consume)
            }
            Adapter::Rev
                if let IterKind::Adapter(Adapter::Flatten | Adapter::Options) = inner.chain =>
            {
                let outer = inner.inner_iter(0).ok_or_else(|| self.report_bug(at))?;
                self.for_each_flattened(&reversed(&outer), &iter.item, true, at, consume)
            }
            Adapter::Rev => match self.push_reverse_inward(&inner, at)? {
                Some(iter) => self.for_each_item(&iter, at, consume),
                None => self.for_each_advanced(iter, at, consume),
            },
            Adapter::Chain => self.for_each_chained(iter, &inner, at, consume),
            Adapter::Scan => self.for_each_scanned(iter, &inner, at, consume),
            Adapter::Flatten | Adapter::Options => {
                self.for_each_flattened(&inner, &iter.item, false, at, consume)
            }
            Adapter::ByRef
            | Adapter::Peekable
            | Adapter::Enumerate
            | Adapter::Zip
            | Adapter::Skip
            | Adapter::Take
            | Adapter::StepBy => self.for_each_counted(adapter, iter, &inner, at, consume),
        }
    }

    pub(crate) fn adapter_closure(&mut self, iter: &Iter, at: SpanId) -> Flow<(Value, Mono)> {
        iter.parts.get(1).cloned().ok_or_else(|| self.report_bug(at))
    }

    /// Returns the iterator from its end, if its adapters do the same work in that order.
    fn push_reverse_inward(&mut self, iter: &Iter, at: SpanId) -> Flow<Option<Iter>> {
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
        let inner = iter.inner_iter(0).ok_or_else(|| self.report_bug(at))?;
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

    /// Runs `consume` for the items of one iterator, then for those of another: two loops in a
    /// block, which is left as one loop would be. The loop body is lowered twice.
    fn for_each_chained(
        &mut self,
        iter: &Iter,
        first: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let second = iter.inner_iter(1).ok_or_else(|| self.report_bug(at))?;
        let whole = self.begin_body(at, Op::Block { body: Body::default() }, ir::Ty::Unit)?;
        let mut within = |this: &mut Self, loops: IterLoops, item| {
            consume(this, IterLoops { break_to: whole, ..loops }, item)
        };
        let done = self.for_each_item(first, at, &mut within);
        let done = done.and_then(|()| self.for_each_item(&second, at, &mut within));
        self.build.end();
        done
    }

    /// Runs `consume` for the items of the items, of type `yields`: of options and of iterable
    /// values, each from its end if `back`.
    fn for_each_flattened(
        &mut self,
        outer: &Iter,
        yields: &Mono,
        back: bool,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let mono = outer.item.clone();
        self.for_each_item(outer, at, &mut |this, outer_loops, item| {
            if let Value::Variants(_) = item {
                return this.if_some(item, at, &mut |this, item| consume(this, outer_loops, item));
            }
            let inner = match mono {
                Mono::Iter(..) => this.iter_from_value(item, &mono, at)?,
                Mono::Adt(..) => {
                    let parts = vec![(item, mono.clone())];
                    Iter { chain: IterKind::UserDefined, item: yields.clone(), parts }
                }
                _ => Iter::over_value(item, &mono).ok_or_else(|| this.report_bug(at))?,
            };
            let inner = if back { reversed(&inner) } else { inner };
            this.for_each_item(&inner, at, &mut |this, loops, item| {
                consume(this, IterLoops { break_to: outer_loops.break_to, ..loops }, item)
            })
        })
    }

    /// Repeats the items of an iterator in an outer loop, which ends if there are none.
    fn for_each_cycled(
        &mut self,
        inner: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let local = self.new_local("", Scalar::Bool, at);
        let whole = self.begin_body(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        let set = |this: &mut Self, any: bool| {
            let value = this.push_bits(any.into(), Scalar::Bool, at);
            this.push_inst(at, Op::Set { local, value }, ir::Ty::Unit);
        };
        set(self, false);
        let (value, mono) = inner.to_value();
        let again = self.copy_captures(&value, at)?;
        let again = Iter::from_value(&again, &mono).ok_or_else(|| self.report_bug(at))?;
        let done = self.for_each_item(&again, at, &mut |this, loops, item| {
            set(this, true);
            consume(this, IterLoops { break_to: whole, ..loops }, item)
        });
        let done = done.and_then(|()| {
            let any = self.push_inst(at, Op::Get(local), Scalar::Bool);
            self.leave_unless(any, Op::Break(whole), at)
        });
        self.build.end();
        done
    }

    /// Runs `consume` for the results of a closure that updates a state.
    fn for_each_scanned(
        &mut self,
        iter: &Iter,
        inner: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (closure, mono) = self.adapter_closure(iter, at)?;
        let (first, ty) = iter.parts.get(2).cloned().ok_or_else(|| self.report_bug(at))?;
        let state = self.new_variable(first, &ty, "", at)?;
        self.for_each_item(inner, at, &mut |this, loops, item| {
            let seen = Value::Ref(Box::new(state.clone()));
            let found = this.call_value(&closure, &mono, &[seen, item], at)?;
            this.consume_or_leave(found, loops, at, consume)
        })
    }
}

/// Returns the iterator from its end.
fn reversed(iter: &Iter) -> Iter {
    Iter {
        chain: IterKind::Adapter(Adapter::Rev),
        item: iter.item.clone(),
        parts: vec![iter.to_value()],
    }
}
