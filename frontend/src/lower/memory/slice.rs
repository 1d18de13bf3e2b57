//! Parts of slices: `x[a..b]` and `x.get(i)`.
use crate::{
    hir::{self, Expr, SpanId},
    lower::{Emit, Flow, Length, Memory, Place, Value, Variants},
    types::{Prim, mono::Mono},
};
use std::rc::Rc;
use warpwise_compiler::{
    ir::{self, BinaryOp, Body, CompareOp, InstId, Message, Op, Scalar},
    message::SLICE_TEXTS,
};

/// The ends of a part, as numbers of elements.
struct Ends {
    start: Option<InstId>,
    /// As it is written.
    end: Option<InstId>,
    inclusive: bool,
}

impl Emit<'_> {
    /// The memory of a place of slice or array type.
    fn sequence(&mut self, base: &Expr) -> Flow<(Memory, Mono)> {
        let place = self.place(base)?;
        self.memory_of_sequence(place, base)
    }

    fn memory_of_sequence(&mut self, place: Place, base: &Expr) -> Flow<(Memory, Mono)> {
        if self.pieces_of(&place).is_some() {
            return Err(self.no_memory(base.at));
        }
        let Place::Memory(memory) = place else { return Err(self.bug(base.at)) };
        Ok((memory, self.mono(base.ty, base.at)?))
    }

    /// `base[start..end]`, with its checks.
    pub(crate) fn part_of_slice(
        &mut self,
        base: &Expr,
        ends: &hir::SliceBounds,
        inclusive: bool,
        at: SpanId,
    ) -> Flow<Place> {
        let (memory, mono) = self.sequence(base)?;
        let (Mono::Slice(elem) | Mono::Array(elem, _)) = &mono else {
            return Err(self.bug(base.at));
        };
        let [start, end] = self.ends(ends)?;
        let len = self.length_of(&memory, &mono, at)?;
        let ends = Ends { start, end, inclusive };
        let past = self.check_part(&ends, len, at)?;
        let Some(start) = start else {
            let len = Some(Length::Inst(past));
            return Ok(Place::Memory(Memory { len, ..memory }));
        };
        let first = self.nth(&memory, start, elem, at)?;
        let len = self.binary_op(BinaryOp::Sub, past, start, Scalar::U64, at);
        Ok(Place::Memory(Memory { len: Some(Length::Inst(len)), ..first }))
    }

    /// Where a part starts and ends, as far as that is said.
    fn ends(&mut self, ends: &hir::SliceBounds) -> Flow<[Option<InstId>; 2]> {
        match ends {
            hir::SliceBounds::Written { start, end } => {
                let start = start.as_ref().map(|start| self.scalar(start)).transpose()?;
                Ok([start, end.as_ref().map(|end| self.scalar(end)).transpose()?])
            }
            hir::SliceBounds::Range { value, count } => {
                let (range, mono) = (self.place(value)?, self.mono(value.ty, value.at)?);
                let mut ends = [None; 2];
                for (index, end) in ends.iter_mut().enumerate().take(*count) {
                    let place = self.part(&range, &mono, index, value.at)?;
                    let found = self.get(&place, &Mono::Prim(Prim::Usize), value.at)?;
                    *end = Some(self.as_scalar(&found, value.at)?);
                }
                Ok(ends)
            }
        }
    }

    /// Ends the thread, as Rust does, if a part is not within the slice or ends before its start;
    /// yields the index behind its last element.
    fn check_part(&mut self, ends: &Ends, len: InstId, at: SpanId) -> Flow<InstId> {
        const START: &str = SLICE_TEXTS[0];
        const END: &str = SLICE_TEXTS[1];
        const ORDER: &str = SLICE_TEXTS[2];
        let past = match ends.end {
            Some(last) if ends.inclusive => {
                let one = self.int(1, Scalar::U64, at);
                self.binary_op(BinaryOp::Add, last, one, Scalar::U64, at)
            }
            Some(end) => end,
            None => len,
        };
        let within = ends.end.map(|end| {
            let op = if ends.inclusive { CompareOp::Lt } else { CompareOp::Le };
            (self.compare(op, end, len, at), (END, [end, len]))
        });
        let Some(start) = ends.start else {
            if let Some((within, message)) = within {
                self.require(within, &[(within, message)], at)?;
            }
            return Ok(past);
        };
        let starts = self.compare(CompareOp::Le, start, len, at);
        let starts = (starts, (START, [start, len]));
        let Some(within) = within else {
            self.require(starts.0, &[starts], at)?;
            return Ok(past);
        };
        let ordered = self.compare(CompareOp::Le, start, past, at);
        let good = self.binary_op(BinaryOp::And, within.0, ordered, Scalar::Bool, at);
        self.require(good, &[starts, within, (ordered, (ORDER, [start, past]))], at)?;
        Ok(past)
    }

    /// Ends the thread where `good` is false, with the first message whose condition is.
    fn require(
        &mut self,
        good: InstId,
        messages: &[(InstId, (&str, [InstId; 2]))],
        at: SpanId,
    ) -> Flow<()> {
        let op = Op::If { cond: good, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        self.build.otherwise();
        let result = self.messages(messages, at);
        self.build.end();
        result
    }

    fn messages(&mut self, messages: &[(InstId, (&str, [InstId; 2]))], at: SpanId) -> Flow<()> {
        match messages {
            [] => Ok(()),
            [(_, (text, args))] => {
                self.panic(text, args, at);
                Ok(())
            }
            [(holds, message), rest @ ..] => {
                let op = Op::If { cond: *holds, then: Body::default(), other: Body::default() };
                self.begin(at, op, ir::Ty::Unit)?;
                let result = self.messages(rest, at);
                self.build.otherwise();
                self.panic(message.0, &message.1, at);
                self.build.end();
                result
            }
        }
    }

    /// Ends the thread with a message about numbers of type `usize`.
    fn panic(&mut self, text: &str, args: &[InstId], at: SpanId) {
        let message =
            Message { text: text.to_owned(), args: args.iter().map(|_| Scalar::U64).collect() };
        let messages = &self.build.kernel.messages;
        let known = messages.iter().find(|(_, known)| **known == message).map(|(id, _)| id);
        let message = known.unwrap_or_else(|| self.build.kernel.messages.push(message));
        self.inst(at, Op::Panic { message, args: args.to_vec() }, ir::Ty::Unit);
    }

    /// Ends the thread with a message where `good` is false.
    pub(crate) fn require_that(&mut self, good: InstId, text: &str, at: SpanId) -> Flow<()> {
        if self.known(good) == Some(true) {
            return Ok(());
        }
        let op = Op::If { cond: good, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        self.build.otherwise();
        self.panic(text, &[], at);
        self.build.end();
        Ok(())
    }

    /// `base.get(index)`: the address is computed whether or not there is something.
    pub(crate) fn get_element(&mut self, base: &Expr, index: &Expr, at: SpanId) -> Flow<Value> {
        let place = self.place(base)?;
        let (tag, element) = if let Some(pieces) = self.pieces_of(&place) {
            let index = self.scalar(index)?;
            let len = self.bits(pieces.len() as u64, Scalar::U64, at);
            let tag = self.compare(CompareOp::Lt, index, len, at);
            (tag, self.piece_of(pieces, index))
        } else {
            let (memory, mono) = self.memory_of_sequence(place, base)?;
            let (Mono::Slice(elem) | Mono::Array(elem, _)) = &mono else {
                return Err(self.bug(base.at));
            };
            let index = self.scalar(index)?;
            let len = self.length_of(&memory, &mono, at)?;
            let tag = self.compare(CompareOp::Lt, index, len, at);
            (tag, Place::Memory(self.nth(&memory, index, elem, at)?))
        };
        let element = Value::Ref(Box::new(element));
        let parts = vec![Some(Vec::new()), Some(vec![element])];
        Ok(Value::Variants(Rc::new(Variants { tag, parts })))
    }
}
