//! The items of a [`Source`], by their numbers.
use crate::{
    hir::SpanId,
    lower::{
        Emit, Flow, Length, Memory, Place, Value, control::looping::unsigned,
        iterator::source::Source,
    },
    types::mono::Mono,
};
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar};

impl Emit<'_> {
    /// The item with this number, which is less than how many there are.
    pub(crate) fn item(&mut self, source: &Source, index: InstId, at: SpanId) -> Flow<Value> {
        Ok(match source {
            Source::Count { start, scalar } => {
                let distance = self.convert(index, Scalar::U64, *scalar, at);
                let zero = self.is_zero(*start);
                Value::Scalar(match zero {
                    true => distance,
                    false => self.binary_op(BinaryOp::Add, *start, distance, *scalar, at),
                })
            }
            Source::Elements { memory, elem, copies } => {
                let element = self.nth(memory, index, elem, at)?;
                match copies {
                    true => self.load(&element, elem, at)?,
                    false => Value::Ref(Box::new(Place::Memory(element))),
                }
            }
            Source::Pieces { pieces, elem, copies } => {
                let place = self.piece_of(pieces.clone(), index);
                match copies {
                    true => self.get(&place, elem, at)?,
                    false => Value::Ref(Box::new(place)),
                }
            }
            Source::Chunks { memory, elem, size, total } => {
                let start = self.binary_op(BinaryOp::Mul, index, *size, Scalar::U64, at);
                self.piece(memory, elem, start, [Some(*size), *total], at)?
            }
            Source::Windows { memory, elem, size } => {
                self.piece(memory, elem, index, [Some(*size), None], at)?
            }
            Source::Enumerate(inner, first) => {
                let item = self.item(inner, index, at)?;
                let number = match self.is_zero(*first) {
                    true => index,
                    false => self.binary_op(BinaryOp::Add, *first, index, Scalar::U64, at),
                };
                Value::Parts([Value::Scalar(number), item].into())
            }
            Source::Zip(first, second) => {
                let first = self.item(first, index, at)?;
                let second = self.item(second, index, at)?;
                Value::Parts([first, second].into())
            }
            Source::Chain(both, len, mono) => self.item_of_either(both, *len, mono, index, at)?,
            Source::Rev(inner, last) => {
                let index = self.binary_op(BinaryOp::Sub, *last, index, Scalar::U64, at);
                self.item(inner, index, at)?
            }
            Source::Skip(inner, skipped) => {
                let index = self.binary_op(BinaryOp::Add, index, *skipped, Scalar::U64, at);
                self.item(inner, index, at)?
            }
            Source::StepBy(inner, step) => {
                let index = self.binary_op(BinaryOp::Mul, index, *step, Scalar::U64, at);
                self.item(inner, index, at)?
            }
            Source::Cycle(inner, len) => {
                let index = self.binary_op(BinaryOp::Rem, index, *len, Scalar::U64, at);
                self.item(inner, index, at)?
            }
            Source::Copied(inner, mono) => {
                let reference = self.item(inner, index, at)?;
                self.copied(reference, mono, at)?
            }
            Source::Map(inner, closure, mono) => {
                let item = self.item(inner, index, at)?;
                self.call_value(closure, mono, &[item], at)?
            }
        })
    }

    /// The item of the first of two sources that has `len`, or of the second behind those.
    pub(crate) fn item_of_either(
        &mut self,
        [first, second]: &[Box<Source>; 2],
        len: InstId,
        mono: &Mono,
        index: InstId,
        at: SpanId,
    ) -> Flow<Value> {
        let room = self.room(mono, "", at)?;
        let cond = self.compare(CompareOp::Lt, index, len, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let done = self.item(first, index, at).and_then(|item| self.set(&room, item, mono, at));
        self.build.otherwise();
        let index = self.binary_op(BinaryOp::Sub, index, len, Scalar::U64, at);
        let other = self.item(second, index, at).and_then(|item| self.set(&room, item, mono, at));
        self.build.end();
        done.and(other)?;
        self.take_of(Some(&room), mono, at)
    }

    /// What a reference to a value of this type refers to.
    pub(crate) fn copied(&mut self, reference: Value, mono: &Mono, at: SpanId) -> Flow<Value> {
        match reference {
            Value::Ref(place) => self.get(&place, mono, at),
            _ => Err(self.bug(at)),
        }
    }

    /// A part of `size` elements from `start` on, or of what is left of `total`.
    pub(crate) fn piece(
        &mut self,
        memory: &Memory,
        elem: &Mono,
        start: InstId,
        [size, total]: [Option<InstId>; 2],
        at: SpanId,
    ) -> Flow<Value> {
        let left = total.map(|total| self.binary_op(BinaryOp::Sub, total, start, Scalar::U64, at));
        let len = match (size, left) {
            (Some(size), Some(left)) => self.binary_op(BinaryOp::Min, size, left, Scalar::U64, at),
            (Some(len), None) | (None, Some(len)) => len,
            (None, None) => return Err(self.bug(at)),
        };
        let first = self.nth(memory, start, elem, at)?;
        let part = Memory { len: Some(Length::Inst(len)), ..first };
        Ok(Value::Ref(Box::new(Place::Memory(part))))
    }

    /// How many parts of `size` elements begin at one of `total` elements.
    pub(crate) fn windows(&mut self, total: InstId, size: InstId, at: SpanId) -> InstId {
        let one = self.int(1, Scalar::U64, at);
        let beyond = self.binary_op(BinaryOp::Add, total, one, Scalar::U64, at);
        self.beyond(beyond, size, at)
    }

    /// How many of `len` are left without the first `skipped`.
    pub(crate) fn beyond(&mut self, len: InstId, skipped: InstId, at: SpanId) -> InstId {
        let most = self.binary_op(BinaryOp::Max, len, skipped, Scalar::U64, at);
        self.binary_op(BinaryOp::Sub, most, skipped, Scalar::U64, at)
    }

    /// `a / b`, rounded up.
    pub(crate) fn rounded_up(&mut self, a: InstId, b: InstId, at: SpanId) -> InstId {
        let whole = self.binary_op(BinaryOp::Div, a, b, Scalar::U64, at);
        let rest = self.binary_op(BinaryOp::Rem, a, b, Scalar::U64, at);
        let zero = self.int(0, Scalar::U64, at);
        let more = self.compare(CompareOp::Ne, rest, zero, at);
        let more = self.convert(more, Scalar::Bool, Scalar::U64, at);
        self.binary_op(BinaryOp::Add, whole, more, Scalar::U64, at)
    }

    /// How many numbers a range has.
    pub(crate) fn distance(
        &mut self,
        start: InstId,
        end: InstId,
        inclusive: bool,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        if !inclusive && scalar.is_unsigned() && self.is_zero(start) {
            return self.convert(end, scalar, Scalar::U64, at);
        }
        let end = match inclusive {
            true => end,
            false => self.binary_op(BinaryOp::Max, end, start, scalar, at),
        };
        let distance = self.binary_op(BinaryOp::Sub, end, start, scalar, at);
        let distance = self.convert(distance, scalar, unsigned(scalar), at);
        let distance = self.convert(distance, unsigned(scalar), Scalar::U64, at);
        if !inclusive {
            return distance;
        }
        let one = self.int(1, Scalar::U64, at);
        let then = self.binary_op(BinaryOp::Add, distance, one, Scalar::U64, at);
        let zero = self.int(0, Scalar::U64, at);
        let cond = self.compare(CompareOp::Le, start, end, at);
        self.inst(at, Op::Select { cond, then, other: zero }, Scalar::U64)
    }
}
