//! Lanes of vectors by index: `v[i]`.
//!
//! A vector in memory is indexed like an array. A vector in variables has no address: a read
//! selects among all lanes, and a write assigns each lane its old or its new value.
use crate::{
    hir::{Expr, SpanId},
    lower::{
        Flow, Lowerer, Place, Value, arith::check::literal_value, memory::layout::scalar_of_mono,
    },
    types::mono::Mono,
};
use warpwise_compiler::ir::{CompareOp, InstId, Op, Scalar};

impl Lowerer<'_> {
    /// Lowers `vector[index]`, with its bounds check, for the vector type `item`.
    pub(crate) fn lower_lane_index(
        &mut self,
        vector: &Place,
        item: usize,
        index: &Expr,
        expr: &Expr,
    ) -> Flow<Place> {
        let Some(lanes) = self.program.vector(item).map(|vector| vector.lanes) else {
            return Err(self.report_bug(expr.at));
        };
        let constant = literal_value(index).and_then(|index| usize::try_from(index).ok());
        let value = self.lower_scalar(index)?;
        let len = self.push_bits(lanes as u64, Scalar::U64, index.at);
        let index = self.push_inst(index.at, Op::Bounds { index: value, len }, Scalar::U64);
        let mono = self.mono_type(expr.ty, expr.at)?;
        self.lane_at(vector, (constant, index), &mono, expr.at)
    }

    /// Returns the lane of a vector at an index in bounds, with its number if that is constant.
    fn lane_at(
        &mut self,
        vector: &Place,
        (constant, index): (Option<usize>, InstId),
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Place> {
        if let Place::Memory(memory) = vector {
            return self.element_at(memory, index, mono, at).map(Place::Memory);
        }
        if let Some(lanes) = self.scalarized_elements(vector) {
            return Ok(match constant.and_then(|index| lanes.get(index)) {
                Some(lane) => lane.clone(),
                None => Place::OneOf(lanes, index),
            });
        }
        // Some of the vectors are in memory, and others are not.
        let Place::OneOf(vectors, chosen) = vector else { return Err(self.report_bug(at)) };
        let lanes = vectors.iter().map(|one| self.lane_at(one, (constant, index), mono, at));
        Ok(Place::OneOf(lanes.collect::<Flow<_>>()?, *chosen))
    }

    /// Reads the place at this index.
    pub(crate) fn read_one_of(
        &mut self,
        places: &[Place],
        index: InstId,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        let Some(scalar) = scalar_of_mono(mono).filter(|_| !is_any_in_memory(places)) else {
            return self.read_chosen(places, index, mono, at);
        };
        let mut found = None;
        for (number, place) in places.iter().enumerate() {
            let value = self.read_number(place, mono, at)?;
            found = Some(match found {
                None => value,
                Some(before) => {
                    let cond = self.index_equals(index, number, at);
                    self.push_select(cond, value, before, scalar, at)
                }
            });
        }
        found.map(Value::Scalar).ok_or_else(|| self.report_bug(at))
    }

    /// Writes the place at this index.
    pub(crate) fn write_one_of(
        &mut self,
        places: &[Place],
        index: InstId,
        value: InstId,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<()> {
        if is_any_in_memory(places) {
            return self.write_chosen(places, index, &Value::Scalar(value), mono, at);
        }
        let scalar = self.expect_lane_type(mono, at)?;
        for (number, place) in places.iter().enumerate() {
            let before = self.read_number(place, mono, at)?;
            let cond = self.index_equals(index, number, at);
            let value = self.push_select(cond, value, before, scalar, at);
            self.write_place(place, Value::Scalar(value), mono, at)?;
        }
        Ok(())
    }

    fn expect_lane_type(&mut self, mono: &Mono, at: SpanId) -> Flow<Scalar> {
        scalar_of_mono(mono).ok_or_else(|| self.report_bug(at))
    }

    fn read_number(&mut self, place: &Place, mono: &Mono, at: SpanId) -> Flow<InstId> {
        match self.read_place(place, mono, at)? {
            Value::Scalar(value) => Ok(value),
            _ => Err(self.report_bug(at)),
        }
    }

    pub(crate) fn index_equals(&mut self, index: InstId, number: usize, at: SpanId) -> InstId {
        let number = self.push_bits(number as u64, Scalar::U64, at);
        self.push_compare(CompareOp::Eq, index, number, at)
    }
}

/// Returns true if some of the places are in memory, where only the chosen one may be accessed.
fn is_any_in_memory(places: &[Place]) -> bool {
    places.iter().any(|place| match place {
        Place::Memory(_) => true,
        Place::OneOf(places, _) => is_any_in_memory(places),
        Place::Value(_)
        | Place::Param(_)
        | Place::Local(_)
        | Place::Parts(_)
        | Place::Variants(_)
        | Place::Reference(_) => false,
    })
}
