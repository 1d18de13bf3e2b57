//! Iterators whose items are taken one at a time: those in variables, of which a rest stays, and those
//! beside another that leaves items out.
//!
//! The next item is what a function of the prelude gives, which changes the iterator where it is.
use crate::{
    hir::SpanId,
    infer::program::InstanceArgs,
    lower::{
        Emit, Flow, Left, Place, Value,
        iterator::{Consumer, Rounds, iter::Iter},
    },
    resolve::device_set::Callee,
    types::{
        chain::{Adapter, IterKind},
        mono::{Mono, MonoArg},
    },
};
use warpwise_compiler::ir::{self, Body, Op};

impl Emit<'_> {
    /// The iterator that a value is. One that items were taken of already, as far as one can tell, is one
    /// that they are taken of one at a time.
    pub(crate) fn settled(&mut self, value: Value, mono: &Mono, at: SpanId) -> Flow<Iter> {
        let iter = Iter::of(&value, mono).ok_or_else(|| self.bug(at))?;
        if self.may_have_begun(&iter) {
            let place = self.variable(value, mono, "", at)?;
            return Ok(by_reference(place, mono, iter.item));
        }
        let mut settled = iter;
        for (value, mono) in &mut settled.parts {
            if let Mono::Iter(..) = mono {
                let inner = self.settled(value.clone(), mono, at)?;
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
            // It remembers that itself.
            IterKind::UserDefined => 0..0,
            IterKind::Adapter(adapter) => {
                adapter.state_part().map_or(0..0, |state| state..state + 1)
            }
        };
        // Each time begins where the first did.
        let of = iter.inner(0).filter(|_| iter.chain == IterKind::Adapter(Adapter::Cycle));
        if of.is_some_and(|of| self.has_begun_parts(&of)) {
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

    fn has_begun_parts(&self, iter: &Iter) -> bool {
        let mut inner = (0..iter.parts.len()).filter_map(|index| iter.inner(index));
        self.may_have_begun(iter) || inner.any(|inner| self.has_begun_parts(&inner))
    }

    /// Does something with each item that is taken.
    pub(crate) fn each_taken(
        &mut self,
        iter: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (value, mono) = iter.value();
        let place = self.variable(value, &mono, "", at)?;
        let inst = self.begin(at, Op::Loop { body: Body::default() }, ir::Ty::Unit)?;
        let next = self.next_of(&place, &mono, at);
        let done = next.and_then(|next| {
            self.while_some(next, Rounds { whole: inst, next: inst }, at, consume)
        });
        self.build.end();
        // A round that leaves has left no less than one that ends.
        match done {
            Ok(()) | Err(Left) => Ok(()),
        }
    }

    /// Items of an iterator, each with one that is taken of another.
    pub(crate) fn each_zipped(
        &mut self,
        iter: &Iter,
        first: &Iter,
        at: SpanId,
        consume: &mut Consumer<'_, Self>,
    ) -> Flow<()> {
        let (value, mono) = iter.parts.get(1).cloned().ok_or_else(|| self.bug(at))?;
        let place = self.variable(value, &mono, "", at)?;
        self.each_item(first, at, &mut |this, rounds, item| {
            let next = this.next_of(&place, &mono, at)?;
            this.while_some(next, rounds, at, &mut |this, rounds, theirs| {
                consume(this, rounds, Value::Parts([item.clone(), theirs].into()))
            })
        })
    }

    /// The next item, as an option.
    fn next_of(&mut self, place: &Place, mono: &Mono, at: SpanId) -> Flow<Value> {
        let Mono::Iter(chain, types) = mono else { return Err(self.bug(at)) };
        let (chain, item) = (*chain, types.first().ok_or_else(|| self.bug(at))?.clone());
        let name = chain.next_function(false).ok_or_else(|| self.bug(at))?;
        let found = self.program.std_function("Iterator", name);
        let (callee, _): (Callee, _) = found.ok_or_else(|| self.bug(at))?;
        let option = self.program.std_item("Option").ok_or_else(|| self.bug(at))?;
        let given =
            InstanceArgs { args: vec![MonoArg::Type(item.clone())], self_ty: Some(mono.clone()) };
        let result = Mono::Adt(option, vec![MonoArg::Type(item)]);
        let place = Value::Ref(Box::new(place.clone()));
        self.call_made(callee, given, &result, at, |_| Ok(vec![place]))
    }
}

/// An iterator of what is left of another.
fn by_reference(place: Place, mono: &Mono, item: Mono) -> Iter {
    let reference = Mono::Ref { mutable: true, to: Box::new(mono.clone()) };
    let parts = vec![(Value::Ref(Box::new(place)), reference)];
    Iter { chain: IterKind::Adapter(Adapter::ByRef), item, parts }
}
