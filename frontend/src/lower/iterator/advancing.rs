//! Iterators that are advanced one item at a time: those in variables, of which a rest remains, and
//! those zipped with an iterator that leaves items out.
//!
//! The next item is the result of a `next` function of the std library, which updates the iterator
//! in place.
use crate::{
    hir::SpanId,
    infer::program::InstanceArgs,
    lower::{
        Diverged, Flow, Lowerer, Place, Value,
        iterator::{Consumer, IterLoops, iter::Iter},
    },
    resolve::device_set::Callee,
    types::{
        iterator::{Adapter, IterKind},
        mono::{Mono, MonoArg},
    },
};
use warpwise_compiler::ir::{self, Body, Op};

impl Lowerer<'_> {
    /// Returns the iterator that a value represents. One that may have been advanced already is
    /// advanced one item at a time.
    pub(crate) fn iter_from_value(&mut self, value: Value, mono: &Mono, at: SpanId) -> Flow<Iter> {
        let iter = Iter::from_value(&value, mono).ok_or_else(|| self.report_bug(at))?;
        if self.may_have_begun(&iter) {
            let place = self.new_variable(value, mono, "", at)?;
            return Ok(by_reference(place, mono, iter.item));
        }
        let mut settled = iter;
        for (value, mono) in &mut settled.parts {
            if let Mono::Iter(..) = mono {
                let inner = self.iter_from_value(value.clone(), mono, at)?;
                let values = inner.parts.iter().map(|(value, _)| value.clone());
                let types = inner.parts.iter().map(|(_, mono)| mono.clone());
                *value = Value::Parts(values.collect::<Vec<_>>().into());
                *mono = Mono::Iter(inner.chain, [inner.item].into_iter().chain(types).collect());
            }
        }
        Ok(settled)
    }

    fn may_have_begun(&self, iter: &Iter) -> bool {
        let states = match iter.chain {
            IterKind::Array => 1..3,
            IterKind::Adapter(Adapter::Peekable)
            | IterKind::Range
            | IterKind::RangeInclusive
            | IterKind::RangeFrom => 0..0,
            IterKind::Slice | IterKind::Chunks | IterKind::ChunksExact | IterKind::Windows => 0..0,
            // Such an iterator keeps its own state.
            IterKind::UserDefined => 0..0,
            IterKind::Adapter(adapter) => {
                adapter.state_part().map_or(0..0, |state| state..state + 1)
            }
        };
        // Each cycle starts from the iterator's state at the first.
        let repeated =
            iter.inner_iter(0).filter(|_| iter.chain == IterKind::Adapter(Adapter::Cycle));
        if repeated.is_some_and(|inner| self.may_have_begun_inside(&inner)) {
            return true;
        }
        let mut states = iter.parts.get(states).into_iter().flatten();
        states.any(|(value, _)| {
            let state = match value {
                Value::Scalar(state) => *state,
                Value::Variants(variants) => variants.tag,
                _ => return false,
            };
            !matches!(self.build.kernel.insts[state].op, Op::Const(0))
        })
    }

    fn may_have_begun_inside(&self, iter: &Iter) -> bool {
        let mut inner = (0..iter.parts.len()).filter_map(|index| iter.inner_iter(index));
        self.may_have_begun(iter) || inner.any(|inner| self.may_have_begun_inside(&inner))
    }

    /// Runs `consume` for each item that advancing the iterator yields.
    pub(crate) fn for_each_advanced(
        &mut self,
        iter: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (value, mono) = iter.to_value();
        let place = self.new_variable(value, &mono, "", at)?;
        let inst = self.begin_body(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        let next = self.advance(&place, &mono, at);
        let done = next.and_then(|next| {
            self.consume_or_leave(
                next,
                IterLoops { break_to: inst, continue_to: inst },
                at,
                consume,
            )
        });
        self.build.end();
        // An iteration that diverges is as complete as one that reaches its end.
        match done {
            Ok(()) | Err(Diverged) => Ok(()),
        }
    }

    /// Pairs the items of an iterator with those taken from another.
    pub(crate) fn for_each_zipped(
        &mut self,
        iter: &Iter,
        first: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (value, mono) = iter.parts.get(1).cloned().ok_or_else(|| self.report_bug(at))?;
        let place = self.new_variable(value, &mono, "", at)?;
        self.for_each_item(first, at, &mut |this, loops, item| {
            let next = this.advance(&place, &mono, at)?;
            this.consume_or_leave(next, loops, at, &mut |this, loops, theirs| {
                consume(this, loops, Value::Parts([item.clone(), theirs].into()))
            })
        })
    }

    /// Advances an iterator; returns the next item as an option.
    fn advance(&mut self, place: &Place, mono: &Mono, at: SpanId) -> Flow<Value> {
        let Mono::Iter(chain, types) = mono else { return Err(self.report_bug(at)) };
        let (chain, item) = (*chain, types.first().ok_or_else(|| self.report_bug(at))?.clone());
        let name = chain.next_function(false).ok_or_else(|| self.report_bug(at))?;
        let found = self.program.std_function("Iterator", name);
        let (callee, _): (Callee, _) = found.ok_or_else(|| self.report_bug(at))?;
        let option = self.program.std_item("Option").ok_or_else(|| self.report_bug(at))?;
        let given =
            InstanceArgs { args: vec![MonoArg::Type(item.clone())], self_ty: Some(mono.clone()) };
        let result = Mono::Adt(option, vec![MonoArg::Type(item)]);
        let place = Value::Ref(Box::new(place.clone()));
        self.call_instance(callee, given, &result, at, |_| Ok(vec![place]))
    }
}

/// Returns an iterator over the rest of another.
fn by_reference(place: Place, mono: &Mono, item: Mono) -> Iter {
    let reference = Mono::Ref { mutable: true, to: Box::new(mono.clone()) };
    let parts = vec![(Value::Ref(Box::new(place)), reference)];
    Iter { chain: IterKind::Adapter(Adapter::ByRef), item, parts }
}
