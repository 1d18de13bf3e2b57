//! Patterns of arrays and slices, and elements counted from either end.
use crate::{
    hir::{Pattern, SpanId},
    lower::{
        Flow, Lowerer, Memory, Place,
        control::{matching::PatternTest, pattern_facts::is_irrefutable},
    },
    types::mono::Mono,
};
use warpwise_compiler::ir::{BinaryOp, CompareOp, InstId, Scalar};

impl Lowerer<'_> {
    /// Tests if an array or slice has enough elements, and if those at its ends match.
    pub(crate) fn test_slice(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        open: bool,
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<PatternTest> {
        if let (Some(pieces), Mono::Array(elem, _) | Mono::Slice(elem)) =
            (self.scalarized_elements(place), mono)
        {
            return self.test_scalarized([before, after], open, &pieces, elem, at);
        }
        let Place::Memory(memory) = place else { return Err(self.report_bug(at)) };
        let count = (before.len() + after.len()) as u64;
        let fits = match mono {
            Mono::Array(..) => PatternTest::Always,
            _ => {
                let len = self.slice_length(memory, at)?;
                let count = self.push_bits(count, Scalar::U64, at);
                let op = if open { CompareOp::Ge } else { CompareOp::Eq };
                PatternTest::If(self.push_compare(op, len, count, at))
            }
        };
        if before.iter().chain(after).all(is_irrefutable) {
            return Ok(fits);
        }
        // Elements exist only where the length fits.
        match fits {
            PatternTest::If(cond) => self.test_only_if(cond, at, |this| {
                this.test_elements([before, after], memory, mono, at)
            }),
            _ => self.test_elements([before, after], memory, mono, at),
        }
    }

    pub(crate) fn test_elements(
        &mut self,
        [before, after]: [&[Pattern]; 2],
        memory: &Memory,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<PatternTest> {
        let mut test = PatternTest::Always;
        for (index, pattern) in before.iter().enumerate() {
            let (place, elem) = self.element_from_start(memory, mono, index, at)?;
            let one = self.test_pattern(pattern, &place, &elem)?;
            test = self.and_tests(test, one, at);
        }
        for (index, pattern) in after.iter().rev().enumerate() {
            let (place, elem) = self.element_from_end(memory, mono, index, at)?;
            let one = self.test_pattern(pattern, &place, &elem)?;
            test = self.and_tests(test, one, at);
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
        let (Mono::Array(elem, _) | Mono::Slice(elem)) = mono else {
            return Err(self.report_bug(at));
        };
        let index = self.push_bits(index as u64, Scalar::U64, at);
        Ok((Place::Memory(self.element_at(memory, index, elem, at)?), (**elem).clone()))
    }

    pub(crate) fn element_from_end(
        &mut self,
        memory: &Memory,
        mono: &Mono,
        index: usize,
        at: SpanId,
    ) -> Flow<(Place, Mono)> {
        let (Mono::Array(elem, _) | Mono::Slice(elem)) = mono else {
            return Err(self.report_bug(at));
        };
        let len = self.sequence_length(memory, mono, at)?;
        let back = self.push_bits(index as u64 + 1, Scalar::U64, at);
        let index = self.push_binary(BinaryOp::Sub, len, back, Scalar::U64, at);
        Ok((Place::Memory(self.element_at(memory, index, elem, at)?), (**elem).clone()))
    }

    /// Returns the number of elements of an array or slice.
    pub(crate) fn sequence_length(
        &mut self,
        memory: &Memory,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<InstId> {
        match mono {
            Mono::Array(_, len) => {
                let len = self.simplify_extent(len, at)?;
                Ok(self.lower_extent(&len, Scalar::U64, at))
            }
            _ => self.slice_length(memory, at),
        }
    }
}
