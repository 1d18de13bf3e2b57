//! Lanes of vectors by their number: `v[i]`.
//!
//! A vector in memory is indexed as an array is. One in variables has no address: the lane is
//! selected among all of them, and setting it sets each to what it is or is to be.
use crate::{
    hir::{Expr, SpanId},
    lower::{
        Emit, Flow, Place, Value,
        arith::check::known,
        memory::{layout::scalar, storage::placed},
    },
    types::mono::Mono,
};
use std::rc::Rc;
use warpwise_compiler::ir::{CompareOp, InstId, Op, Scalar};

impl Emit<'_> {
    /// `vector[index]`, with its check, of a vector that is this item.
    pub(crate) fn lane_of(
        &mut self,
        vector: &Place,
        item: usize,
        index: &Expr,
        expr: &Expr,
    ) -> Flow<Place> {
        let Some(lanes) = self.program.vector(item).map(|vector| vector.lanes) else {
            return Err(self.bug(expr.at));
        };
        let constant = known(index).and_then(|index| usize::try_from(index).ok());
        let value = self.scalar(index)?;
        let len = self.bits(lanes as u64, Scalar::U64, index.at);
        let index = self.inst(index.at, Op::Bounds { index: value, len }, Scalar::U64);
        let places: Rc<[Place]> = match vector {
            Place::Memory(memory) => {
                let mono = self.mono(expr.ty, expr.at)?;
                return self.nth(memory, index, &mono, expr.at).map(Place::Memory);
            }
            Place::Parts(places) => places.clone(),
            Place::Value(Value::Parts(values)) => values.iter().cloned().map(placed).collect(),
            Place::Value(_)
            | Place::Param(_)
            | Place::Local(_)
            | Place::Variants(_)
            | Place::OneOf(..)
            | Place::Reference(_) => return Err(self.bug(expr.at)),
        };
        Ok(match constant.and_then(|index| places.get(index)) {
            Some(place) => place.clone(),
            None => Place::OneOf(places, index),
        })
    }

    /// What is in the place with that number.
    pub(crate) fn get_one(
        &mut self,
        places: &[Place],
        index: InstId,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        let Some(scalar) = scalar(mono) else {
            return self.get_chosen(places, index, mono, at);
        };
        let mut found = None;
        for (number, place) in places.iter().enumerate() {
            let value = self.number_in(place, mono, at)?;
            found = Some(match found {
                None => value,
                Some(before) => {
                    let cond = self.is_number(index, number, at);
                    self.select(cond, value, before, scalar, at)
                }
            });
        }
        found.map(Value::Scalar).ok_or_else(|| self.bug(at))
    }

    /// Sets the place with that number.
    pub(crate) fn set_one(
        &mut self,
        places: &[Place],
        index: InstId,
        value: InstId,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        let scalar = self.lane_type(mono, at)?;
        for (number, place) in places.iter().enumerate() {
            let before = self.number_in(place, mono, at)?;
            let cond = self.is_number(index, number, at);
            let value = self.select(cond, value, before, scalar, at);
            self.set(place, Value::Scalar(value), mono, at)?;
        }
        Ok(())
    }

    fn lane_type(&mut self, mono: &Mono, at: SpanId) -> Flow<Scalar> {
        scalar(mono).ok_or_else(|| self.bug(at))
    }

    fn number_in(&mut self, place: &Place, mono: &Mono, at: SpanId) -> Flow<InstId> {
        match self.get(place, mono, at)? {
            Value::Scalar(value) => Ok(value),
            _ => Err(self.bug(at)),
        }
    }

    pub(crate) fn is_number(&mut self, index: InstId, number: usize, at: SpanId) -> InstId {
        let number = self.bits(number as u64, Scalar::U64, at);
        self.compare(CompareOp::Eq, index, number, at)
    }
}
