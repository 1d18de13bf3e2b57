//! Items of a [`Source`] by index.
use crate::{
    hir::SpanId,
    lower::{
        Flow, Length, Lowerer, Memory, Place, Value, control::loops::unsigned_of_same_size,
        iterator::source::Source,
    },
    types::mono::Mono,
};
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar};

impl Lowerer<'_> {
    /// Computes the item at this index, which is in bounds.
    pub(crate) fn lower_item(&mut self, source: &Source, index: InstId, at: SpanId) -> Flow<Value> {
        Ok(match source {
            Source::Count { start, scalar } => {
                let distance = self.push_convert(index, Scalar::U64, *scalar, at);
                let zero = self.is_zero(*start);
                Value::Scalar(if zero {
                    distance
                } else {
                    self.push_binary(BinaryOp::Add, *start, distance, *scalar, at)
                })
            }
            Source::Elements { memory, elem, copies } => {
                let element = self.element_at(memory, index, elem, at)?;
                match copies {
                    true => self.load(&element, elem, at)?,
                    false => Value::Ref(Box::new(Place::Memory(element))),
                }
            }
            Source::Scalarized { pieces, elem, copies } => {
                let place = self.element_in_bounds(pieces.clone(), index);
                match copies {
                    true => self.read_place(&place, elem, at)?,
                    false => Value::Ref(Box::new(place)),
                }
            }
            Source::Chunks { memory, elem, size, total } => {
                let start = self.push_binary(BinaryOp::Mul, index, *size, Scalar::U64, at);
                self.subslice_from(memory, elem, start, [Some(*size), *total], at)?
            }
            Source::Windows { memory, elem, size } => {
                self.subslice_from(memory, elem, index, [Some(*size), None], at)?
            }
            Source::Enumerate(inner, first) => {
                let item = self.lower_item(inner, index, at)?;
                let number = if self.is_zero(*first) {
                    index
                } else {
                    self.push_binary(BinaryOp::Add, *first, index, Scalar::U64, at)
                };
                Value::Parts([Value::Scalar(number), item].into())
            }
            Source::Zip(first, second) => {
                let first = self.lower_item(first, index, at)?;
                let second = self.lower_item(second, index, at)?;
                Value::Parts([first, second].into())
            }
            Source::Chain(both, len, mono) => {
                self.lower_chained_item(both, *len, mono, index, at)?
            }
            Source::Rev(inner, last) => {
                let index = self.push_binary(BinaryOp::Sub, *last, index, Scalar::U64, at);
                self.lower_item(inner, index, at)?
            }
            Source::Skip(inner, skipped) => {
                let index = self.push_binary(BinaryOp::Add, index, *skipped, Scalar::U64, at);
                self.lower_item(inner, index, at)?
            }
            Source::StepBy(inner, step) => {
                let index = self.push_binary(BinaryOp::Mul, index, *step, Scalar::U64, at);
                self.lower_item(inner, index, at)?
            }
            Source::Cycle(inner, len) => {
                let index = self.push_binary(BinaryOp::Rem, index, *len, Scalar::U64, at);
                self.lower_item(inner, index, at)?
            }
            Source::Copied(inner, mono) => {
                let reference = self.lower_item(inner, index, at)?;
                self.read_referent(reference, mono, at)?
            }
            Source::Map(inner, closure, mono) => {
                let item = self.lower_item(inner, index, at)?;
                self.call_value(closure, mono, &[item], at)?
            }
        })
    }

    /// Computes an item of two chained sources: of the first, which has `len` items, or of the
    /// second.
    pub(crate) fn lower_chained_item(
        &mut self,
        [first, second]: &[Box<Source>; 2],
        len: InstId,
        mono: &Mono,
        index: InstId,
        at: SpanId,
    ) -> Flow<Value> {
        let room = self.allocate(mono, "", at)?;
        let cond = self.push_compare(CompareOp::Lt, index, len, at);
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        let done = self
            .lower_item(first, index, at)
            .and_then(|item| self.write_place(&room, item, mono, at));
        self.build.otherwise();
        let index = self.push_binary(BinaryOp::Sub, index, len, Scalar::U64, at);
        let other = self
            .lower_item(second, index, at)
            .and_then(|item| self.write_place(&room, item, mono, at));
        self.build.end();
        done.and(other)?;
        self.take_result_of_type(Some(&room), mono, at)
    }

    /// Reads the referent of a reference to a value of this type.
    pub(crate) fn read_referent(
        &mut self,
        reference: Value,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        match reference {
            Value::Ref(place) => self.read_place(&place, mono, at),
            _ => Err(self.report_bug(at)),
        }
    }

    /// Returns a subslice of `size` elements from `start` on, or of the rest of `total`.
    pub(crate) fn subslice_from(
        &mut self,
        memory: &Memory,
        elem: &Mono,
        start: InstId,
        [size, total]: [Option<InstId>; 2],
        at: SpanId,
    ) -> Flow<Value> {
        let left =
            total.map(|total| self.push_binary(BinaryOp::Sub, total, start, Scalar::U64, at));
        let len = match (size, left) {
            (Some(size), Some(left)) => {
                self.push_binary(BinaryOp::Min, size, left, Scalar::U64, at)
            }
            (Some(len), None) | (None, Some(len)) => len,
            (None, None) => return Err(self.report_bug(at)),
        };
        let first = self.element_at(memory, start, elem, at)?;
        let part = Memory { len: Some(Length::Inst(len)), ..first };
        Ok(Value::Ref(Box::new(Place::Memory(part))))
    }

    /// Returns the number of windows of `size` elements in `total` elements.
    pub(crate) fn window_count(&mut self, total: InstId, size: InstId, at: SpanId) -> InstId {
        let one = self.push_int(1, Scalar::U64, at);
        let beyond = self.push_binary(BinaryOp::Add, total, one, Scalar::U64, at);
        self.count_after_skip(beyond, size, at)
    }

    /// Returns the number of the `len` items after the first `skipped`, or 0.
    pub(crate) fn count_after_skip(&mut self, len: InstId, skipped: InstId, at: SpanId) -> InstId {
        let most = self.push_binary(BinaryOp::Max, len, skipped, Scalar::U64, at);
        self.push_binary(BinaryOp::Sub, most, skipped, Scalar::U64, at)
    }

    /// Computes `a / b`, rounded up.
    pub(crate) fn divide_rounding_up(&mut self, a: InstId, b: InstId, at: SpanId) -> InstId {
        let whole = self.push_binary(BinaryOp::Div, a, b, Scalar::U64, at);
        let rest = self.push_binary(BinaryOp::Rem, a, b, Scalar::U64, at);
        let zero = self.push_int(0, Scalar::U64, at);
        let more = self.push_compare(CompareOp::Ne, rest, zero, at);
        let more = self.push_convert(more, Scalar::Bool, Scalar::U64, at);
        self.push_binary(BinaryOp::Add, whole, more, Scalar::U64, at)
    }

    /// Returns the number of items of a range.
    pub(crate) fn range_length(
        &mut self,
        start: InstId,
        end: InstId,
        inclusive: bool,
        scalar: Scalar,
        at: SpanId,
    ) -> InstId {
        // `0..n` is the most common range: its length needs no arithmetic.
        if !inclusive && scalar.is_unsigned() && self.is_zero(start) {
            return self.push_convert(end, scalar, Scalar::U64, at);
        }
        let end =
            if inclusive { end } else { self.push_binary(BinaryOp::Max, end, start, scalar, at) };
        let distance = self.push_binary(BinaryOp::Sub, end, start, scalar, at);
        let distance = self.push_convert(distance, scalar, unsigned_of_same_size(scalar), at);
        let distance = self.push_convert(distance, unsigned_of_same_size(scalar), Scalar::U64, at);
        if !inclusive {
            return distance;
        }
        let one = self.push_int(1, Scalar::U64, at);
        let then = self.push_binary(BinaryOp::Add, distance, one, Scalar::U64, at);
        let zero = self.push_int(0, Scalar::U64, at);
        let cond = self.push_compare(CompareOp::Le, start, end, at);
        self.push_inst(at, Op::Select { cond, then, other: zero }, Scalar::U64)
    }
}
