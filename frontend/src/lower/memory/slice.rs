//! Lowering of subslices and checked access: `x[a..b]` and `x.get(i)`.
use crate::{
    hir::{self, Expr, SpanId},
    lower::{EnumValue, Flow, Length, Lowerer, Memory, Place, Value},
    types::{Prim, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    ir::{self, BinaryOp, Body, CompareOp, InstId, Message, Op, Scalar},
    message::SLICE_TEXTS,
};

/// Bounds of a subslice, as element indices.
struct SubsliceBounds {
    start: Option<InstId>,
    /// The end as written.
    end: Option<InstId>,
    inclusive: bool,
}

impl Lowerer<'_> {
    /// Returns the memory and type of a place of slice or array type.
    fn lower_sequence(&mut self, base: &Expr) -> Flow<(Memory, Mono)> {
        let place = self.lower_place(base)?;
        self.memory_of_sequence(place, base)
    }

    fn memory_of_sequence(&mut self, place: Place, base: &Expr) -> Flow<(Memory, Mono)> {
        if self.scalarized_elements(&place).is_some() {
            return Err(self.report_no_memory(base.at));
        }
        let Place::Memory(memory) = place else { return Err(self.report_bug(base.at)) };
        Ok((memory, self.mono_type(base.ty, base.at)?))
    }

    /// Lowers `base[start..end]`, with its checks.
    pub(crate) fn lower_subslice(
        &mut self,
        base: &Expr,
        ends: &hir::SliceBounds,
        inclusive: bool,
        at: SpanId,
    ) -> Flow<Place> {
        let (memory, mono) = self.lower_sequence(base)?;
        let (Mono::Slice(elem) | Mono::Array(elem, _)) = &mono else {
            return Err(self.report_bug(base.at));
        };
        let [start, end] = self.lower_ends(ends)?;
        let len = self.sequence_length(&memory, &mono, at)?;
        let ends = SubsliceBounds { start, end, inclusive };
        let past = self.check_subslice(&ends, len, at)?;
        let Some(start) = start else {
            let len = Some(Length::Inst(past));
            return Ok(Place::Memory(Memory { len, ..memory }));
        };
        let first = self.element_at(&memory, start, elem, at)?;
        let len = self.push_binary(BinaryOp::Sub, past, start, Scalar::U64, at);
        Ok(Place::Memory(Memory { len: Some(Length::Inst(len)), ..first }))
    }

    /// Lowers the bounds of a subslice, as far as the source has them.
    fn lower_ends(&mut self, ends: &hir::SliceBounds) -> Flow<[Option<InstId>; 2]> {
        match ends {
            hir::SliceBounds::Written { start, end } => {
                let start = start.as_ref().map(|start| self.lower_scalar(start)).transpose()?;
                Ok([start, end.as_ref().map(|end| self.lower_scalar(end)).transpose()?])
            }
            hir::SliceBounds::Range { value, count } => {
                let (range, mono) = (self.lower_place(value)?, self.mono_type(value.ty, value.at)?);
                let mut ends = [None; 2];
                for (index, end) in ends.iter_mut().enumerate().take(*count) {
                    let place = self.part_place(&range, &mono, index, value.at)?;
                    let found = self.read_place(&place, &Mono::Prim(Prim::Usize), value.at)?;
                    *end = Some(self.expect_scalar(&found, value.at)?);
                }
                Ok(ends)
            }
        }
    }

    /// Ends the thread, as Rust does, if a subslice exceeds the slice or ends before its start;
    /// returns the index after its last element.
    fn check_subslice(&mut self, ends: &SubsliceBounds, len: InstId, at: SpanId) -> Flow<InstId> {
        const START: &str = SLICE_TEXTS[0];
        const END: &str = SLICE_TEXTS[1];
        const ORDER: &str = SLICE_TEXTS[2];
        let past = match ends.end {
            Some(last) if ends.inclusive => {
                let one = self.push_int(1, Scalar::U64, at);
                self.push_binary(BinaryOp::Add, last, one, Scalar::U64, at)
            }
            Some(end) => end,
            None => len,
        };
        let within = ends.end.map(|end| {
            let op = if ends.inclusive { CompareOp::Lt } else { CompareOp::Le };
            (self.push_compare(op, end, len, at), (END, [end, len]))
        });
        let Some(start) = ends.start else {
            if let Some((within, message)) = within {
                self.panic_unless_all(within, &[(within, message)], at)?;
            }
            return Ok(past);
        };
        let starts = self.push_compare(CompareOp::Le, start, len, at);
        let starts = (starts, (START, [start, len]));
        let Some(within) = within else {
            self.panic_unless_all(starts.0, &[starts], at)?;
            return Ok(past);
        };
        let ordered = self.push_compare(CompareOp::Le, start, past, at);
        let good = self.push_binary(BinaryOp::And, within.0, ordered, Scalar::Bool, at);
        self.panic_unless_all(good, &[starts, within, (ordered, (ORDER, [start, past]))], at)?;
        Ok(past)
    }

    /// Ends the thread where `good` is false, with the message of the first false condition.
    fn panic_unless_all(
        &mut self,
        good: InstId,
        messages: &[(InstId, (&str, [InstId; 2]))],
        at: SpanId,
    ) -> Flow<()> {
        let op = Op::If { cond: good, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        self.build.otherwise();
        let result = self.panic_with_first(messages, at);
        self.build.end();
        result
    }

    fn panic_with_first(
        &mut self,
        messages: &[(InstId, (&str, [InstId; 2]))],
        at: SpanId,
    ) -> Flow<()> {
        match messages {
            [] => Ok(()),
            [(_, (text, args))] => {
                self.push_panic(text, args, at);
                Ok(())
            }
            [(holds, message), rest @ ..] => {
                let op = Op::If { cond: *holds, then: Body::default(), other: Body::default() };
                self.begin_body(at, op, ir::Ty::Unit)?;
                let result = self.panic_with_first(rest, at);
                self.build.otherwise();
                self.push_panic(message.0, &message.1, at);
                self.build.end();
                result
            }
        }
    }

    /// Ends the thread with a message about `usize` numbers.
    fn push_panic(&mut self, text: &str, args: &[InstId], at: SpanId) {
        let message =
            Message { text: text.to_owned(), args: args.iter().map(|_| Scalar::U64).collect() };
        let messages = &self.build.kernel.messages;
        let known = messages.iter().find(|(_, known)| **known == message).map(|(id, _)| id);
        let message = known.unwrap_or_else(|| self.build.kernel.messages.push(message));
        self.push_inst(at, Op::Panic { message, args: args.to_vec() }, ir::Ty::Unit);
    }

    /// Ends the thread with a message where `good` is false.
    pub(crate) fn panic_unless(&mut self, good: InstId, text: &str, at: SpanId) -> Flow<()> {
        self.panic_unless_with(good, (text, &[]), at)
    }

    /// As [`Self::panic_unless`], with a message about `usize` numbers.
    pub(crate) fn panic_unless_with(
        &mut self,
        good: InstId,
        (text, args): (&str, &[InstId]),
        at: SpanId,
    ) -> Flow<()> {
        if self.constant_condition(good) == Some(true) {
            return Ok(());
        }
        let op = Op::If { cond: good, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        self.build.otherwise();
        self.push_panic(text, args, at);
        self.build.end();
        Ok(())
    }

    /// Lowers `base.get(index)`: the address is computed in any case, and used only in bounds.
    pub(crate) fn lower_get(&mut self, base: &Expr, index: &Expr, at: SpanId) -> Flow<Value> {
        let place = self.lower_place(base)?;
        let (tag, element) = if let Some(pieces) = self.scalarized_elements(&place) {
            let index = self.lower_scalar(index)?;
            let len = self.push_bits(pieces.len() as u64, Scalar::U64, at);
            let tag = self.push_compare(CompareOp::Lt, index, len, at);
            (tag, self.element_in_bounds(pieces, index))
        } else {
            let (memory, mono) = self.memory_of_sequence(place, base)?;
            let (Mono::Slice(elem) | Mono::Array(elem, _)) = &mono else {
                return Err(self.report_bug(base.at));
            };
            let index = self.lower_scalar(index)?;
            let len = self.sequence_length(&memory, &mono, at)?;
            let tag = self.push_compare(CompareOp::Lt, index, len, at);
            (tag, Place::Memory(self.element_at(&memory, index, elem, at)?))
        };
        let element = Value::Ref(Box::new(element));
        let parts = vec![Some(Vec::new()), Some(vec![element])];
        Ok(Value::Variants(Rc::new(EnumValue { tag, parts })))
    }
}
