//! Patterns of arrays and slices, and their elements from either end.
use crate::{
    hir::{Pattern, SpanId},
    lower::{
        Emit, Flow, Memory, Place,
        control::{matching::Test, pattern_facts::never_fails},
    },
    types::mono::Mono,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, InstId, Scalar};

impl Emit<'_> {
    /// Whether an array or slice has enough elements, and those at its ends match.
    pub(crate) fn slice_test(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        open: bool,
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Test> {
        if let (Some(pieces), Mono::Array(elem, _) | Mono::Slice(elem)) =
            (self.pieces_of(place), mono)
        {
            return self.pieces_test([before, after], open, &pieces, elem, at);
        }
        let Place::Memory(memory) = place else { return Err(self.bug(at)) };
        let count = (before.len() + after.len()) as u64;
        let fits = match mono {
            Mono::Array(..) => Test::Always,
            _ => {
                let len = self.slice_length(memory, at)?;
                let count = self.bits(count, Scalar::U64, at);
                let op = if open { CompareOp::Ge } else { CompareOp::Eq };
                Test::If(self.compare(op, len, count, at))
            }
        };
        if before.iter().chain(after).all(never_fails) {
            return Ok(fits);
        }
        // Elements are only there where the length fits.
        match fits {
            Test::If(cond) => {
                self.only_if(cond, at, |this| this.elements_test([before, after], memory, mono, at))
            }
            _ => self.elements_test([before, after], memory, mono, at),
        }
    }

    pub(crate) fn elements_test(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        memory: &Memory,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Test> {
        let mut test = Test::Always;
        for (index, pattern) in before.iter().enumerate() {
            let (place, elem) = self.element_from_start(memory, mono, index, at)?;
            let one = self.test(pattern, &place, &elem)?;
            test = self.both(test, one, at);
        }
        for (index, pattern) in after.iter().rev().enumerate() {
            let (place, elem) = self.element_from_end(memory, mono, index, at)?;
            let one = self.test(pattern, &place, &elem)?;
            test = self.both(test, one, at);
        }
        Ok(test)
    }

    pub(crate) fn element_from_start(
        &mut self,
        memory: &Memory,
        mono: &Mono,
        index: usize,
        at: SpanId,
    ) -> Flow<(Place, Mono)> {
        let (Mono::Array(elem, _) | Mono::Slice(elem)) = mono else { return Err(self.bug(at)) };
        let index = self.bits(index as u64, Scalar::U64, at);
        Ok((Place::Memory(self.nth(memory, index, elem, at)?), (**elem).clone()))
    }

    pub(crate) fn element_from_end(
        &mut self,
        memory: &Memory,
        mono: &Mono,
        index: usize,
        at: SpanId,
    ) -> Flow<(Place, Mono)> {
        let (Mono::Array(elem, _) | Mono::Slice(elem)) = mono else { return Err(self.bug(at)) };
        let len = self.length_of(memory, mono, at)?;
        let back = self.bits(index as u64 + 1, Scalar::U64, at);
        let index = self.binary_op(BinaryOp::Sub, len, back, Scalar::U64, at);
        Ok((Place::Memory(self.nth(memory, index, elem, at)?), (**elem).clone()))
    }

    /// The number of elements of an array or slice.
    pub(crate) fn length_of(&mut self, memory: &Memory, mono: &Mono, at: SpanId) -> Flow<InstId> {
        match mono {
            Mono::Array(_, len) => {
                let len = self.extent(len, at)?;
                Ok(self.extent_value(&len, Scalar::U64, at))
            }
            _ => self.slice_length(memory, at),
        }
    }
}
