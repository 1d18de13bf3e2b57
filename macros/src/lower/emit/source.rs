//! Iterators whose items are computed from their number: ranges, slices, and what is made of
//! those without leaving items out.
use super::{Emit, Flow, Left, Length, Memory, Place, Value, looping::unsigned};
use crate::lower::{
    chain::{Adapter, Chain},
    mono::Mono,
    tree::{At, Expr, Kind},
};
use warpwise_compiler::ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar};

/// An iterator as a value: what it is, and its parts with their types.
#[derive(Clone, Debug)]
pub(super) struct Iter {
    pub(super) chain: Chain,
    /// Type of its items.
    pub(super) item: Mono,
    pub(super) parts: Vec<(Value, Mono)>,
}

impl Iter {
    /// The iterator that it is made of, or the other one of `zip`.
    pub(super) fn inner(&self, index: usize) -> Option<Self> {
        let (value, mono) = self.parts.get(index)?;
        Self::of(value, mono)
    }

    /// The value that it is, and its type.
    pub(super) fn value(&self) -> (Value, Mono) {
        let (values, types): (Vec<Value>, Vec<Mono>) = self.parts.iter().cloned().unzip();
        let types = [self.item.clone()].into_iter().chain(types).collect();
        (Value::Parts(values.into()), Mono::Iter(self.chain, types))
    }

    /// The iterator that a value of this type is.
    pub(super) fn of(value: &Value, mono: &Mono) -> Option<Self> {
        let (Value::Parts(values), Mono::Iter(chain, types)) = (value, mono) else { return None };
        let (item, types) = types.split_first()?;
        let parts = values.iter().cloned().zip(types.iter().cloned()).collect();
        Some(Self { chain: *chain, item: item.clone(), parts })
    }

    /// What a value that is iterated over gives.
    ///
    /// The elements of an array are taken from the first on: see [`Chain::Array`].
    pub(super) fn over(value: Value, mono: &Mono) -> Option<Self> {
        let (chain, item) = match mono {
            Mono::Array(elem, _) => (Chain::Array, (**elem).clone()),
            Mono::Ref { mutable, to } => {
                let (Mono::Slice(elem) | Mono::Array(elem, _)) = &**to else { return None };
                (Chain::Slice, Mono::Ref { mutable: *mutable, to: elem.clone() })
            }
            _ => return Self::of(&value, mono),
        };
        Some(Self { chain, item, parts: vec![(value, mono.clone())] })
    }

    /// The number that a part is.
    pub(super) fn number(&self, index: usize) -> Option<InstId> {
        match self.parts.get(index)? {
            (Value::Scalar(inst), _) => Some(*inst),
            _ => None,
        }
    }

    /// Whether each item can be computed from its number, as if those before it had been.
    /// Where overflow is `checked`, arithmetic has effects.
    pub(super) fn is_indexed(&self, checked: bool) -> bool {
        let inner = |index| self.inner(index).is_some_and(|inner| inner.is_indexed(checked));
        let is_pure = |index| self.inner(index).is_some_and(|inner| inner.is_pure(checked));
        match self.chain {
            Chain::Range
            | Chain::RangeInclusive
            | Chain::From
            | Chain::Slice
            | Chain::Array
            | Chain::Chunks
            | Chain::ChunksExact
            | Chain::Windows => true,
            Chain::Of(adapter) => match adapter {
                Adapter::Enumerate
                | Adapter::Rev
                | Adapter::Take
                | Adapter::Copied
                | Adapter::Map => inner(0),
                Adapter::Chain => inner(0) && inner(1),
                // Items that are left out are computed in Rust, which can be told apart.
                Adapter::Skip | Adapter::StepBy => inner(0) && is_pure(0),
                // So is an item more than the second has, unless std looks items up, too.
                Adapter::Zip => inner(0) && inner(1) && (is_pure(0) || self.is_looked_up()),
                Adapter::ByRef
                | Adapter::Peekable
                | Adapter::Filter
                | Adapter::FilterMap
                | Adapter::MapWhile
                | Adapter::TakeWhile
                | Adapter::SkipWhile
                | Adapter::Inspect
                | Adapter::Scan
                | Adapter::Flatten
                | Adapter::Options => false,
            },
        }
    }

    /// Whether std computes its items from their number: those of its `TrustedRandomAccess`.
    fn is_looked_up(&self) -> bool {
        let inner = |index| self.inner(index).is_some_and(|inner| inner.is_looked_up());
        match self.chain {
            Chain::Range
            | Chain::Slice
            | Chain::Array
            | Chain::Chunks
            | Chain::ChunksExact
            | Chain::Windows => true,
            Chain::Of(Adapter::Enumerate | Adapter::Copied | Adapter::Map) => inner(0),
            Chain::Of(Adapter::Zip) => inner(0) && inner(1),
            Chain::RangeInclusive
            | Chain::From
            | Chain::Of(
                Adapter::Chain
                | Adapter::Rev
                | Adapter::Skip
                | Adapter::Take
                | Adapter::StepBy
                | Adapter::ByRef
                | Adapter::Peekable
                | Adapter::Filter
                | Adapter::FilterMap
                | Adapter::MapWhile
                | Adapter::TakeWhile
                | Adapter::SkipWhile
                | Adapter::Inspect
                | Adapter::Scan
                | Adapter::Flatten
                | Adapter::Options,
            ) => false,
        }
    }

    /// Whether nobody can tell how often its closures are called.
    pub(super) fn is_pure(&self, checked: bool) -> bool {
        self.parts.iter().all(|(value, mono)| match (value, mono) {
            (Value::Closure(closure), _) => computes(&closure.closure.body, checked),
            // Items are taken away from what others see.
            (Value::Ref(_), Mono::Ref { to, .. }) => !matches!(**to, Mono::Iter(..)),
            _ => Self::of(value, mono).is_none_or(|inner| inner.is_pure(checked)),
        })
    }
}

/// How items are computed from their number.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Numbers from `start` on.
    Count {
        start: InstId,
        scalar: Scalar,
    },
    /// References to elements, or copies of them.
    Elements {
        memory: Memory,
        elem: Mono,
        copies: bool,
    },
    /// Parts of `size` elements; the last may have less, if there is a `total`.
    Chunks {
        memory: Memory,
        elem: Mono,
        size: InstId,
        total: Option<InstId>,
    },
    /// Parts of `size` elements that begin at each element.
    Windows {
        memory: Memory,
        elem: Mono,
        size: InstId,
    },
    /// With the number of the first.
    Enumerate(Box<Source>, InstId),
    Zip(Box<Source>, Box<Source>),
    /// With how many the first has, and the type of the items.
    Chain([Box<Source>; 2], InstId, Mono),
    /// With the number of the last item.
    Rev(Box<Source>, InstId),
    Skip(Box<Source>, InstId),
    StepBy(Box<Source>, InstId),
    /// With the type of what the items refer to.
    Copied(Box<Source>, Mono),
    /// With the closure.
    Map(Box<Source>, Value, Mono),
}

impl Emit<'_> {
    /// How the items of an iterator that [is indexed](Iter::is_indexed) are computed, and how many
    /// there are.
    pub(super) fn source(&mut self, iter: &Iter, at: At) -> Flow<(Source, InstId)> {
        match iter.chain {
            Chain::Range | Chain::RangeInclusive => {
                let (Some(start), Some(end)) = (iter.number(0), iter.number(1)) else {
                    return Err(self.bug(at));
                };
                let scalar = super::layout::scalar(&iter.item).ok_or_else(|| self.bug(at))?;
                let inclusive = iter.chain == Chain::RangeInclusive;
                let len = self.distance(start, end, inclusive, scalar, at);
                Ok((Source::Count { start, scalar }, len))
            }
            Chain::From => {
                let start = iter.number(0).ok_or_else(|| self.bug(at))?;
                let scalar = super::layout::scalar(&iter.item).ok_or_else(|| self.bug(at))?;
                Ok((Source::Count { start, scalar }, self.bits(u64::MAX, Scalar::U64, at)))
            }
            Chain::Slice | Chain::Array => {
                let (memory, elem, len) = self.sequence_of(iter, at)?;
                let copies = iter.chain == Chain::Array;
                Ok((Source::Elements { memory, elem, copies }, len))
            }
            Chain::Chunks | Chain::ChunksExact | Chain::Windows => self.pieces(iter, at),
            Chain::Of(adapter) => self.adapted(adapter, iter, at),
        }
    }

    /// What a slice or array iterator runs over.
    pub(super) fn sequence_of(&mut self, iter: &Iter, at: At) -> Flow<(Memory, Mono, InstId)> {
        let (memory, mono) = match iter.parts.first() {
            Some((Value::Ref(place), Mono::Ref { to, .. })) => match &**place {
                Place::Memory(memory) => (memory.clone(), (**to).clone()),
                _ => return Err(self.bug(at)),
            },
            Some((Value::Array(memory), mono)) => (memory.clone(), mono.clone()),
            _ => return Err(self.bug(at)),
        };
        let (Mono::Slice(elem) | Mono::Array(elem, _)) = &mono else { return Err(self.bug(at)) };
        let len = self.length_of(&memory, &mono, at)?;
        Ok((memory, (**elem).clone(), len))
    }

    fn pieces(&mut self, iter: &Iter, at: At) -> Flow<(Source, InstId)> {
        let (memory, elem, total) = self.sequence_of(iter, at)?;
        let size = iter.number(1).ok_or_else(|| self.bug(at))?;
        Ok(match iter.chain {
            Chain::Windows => {
                let count = self.windows(total, size, at);
                (Source::Windows { memory, elem, size }, count)
            }
            Chain::ChunksExact => {
                let count = self.binary_op(BinaryOp::Div, total, size, Scalar::U64, at);
                (Source::Chunks { memory, elem, size, total: None }, count)
            }
            _ => {
                let count = self.rounded_up(total, size, at);
                (Source::Chunks { memory, elem, size, total: Some(total) }, count)
            }
        })
    }

    fn adapted(&mut self, adapter: Adapter, iter: &Iter, at: At) -> Flow<(Source, InstId)> {
        let inner = iter.inner(0).ok_or_else(|| self.bug(at))?;
        let (source, len) = self.source(&inner, at)?;
        let source = Box::new(source);
        let number = iter.number(1);
        let of_number = |this: &mut Self| number.ok_or_else(|| this.bug(at));
        Ok(match adapter {
            Adapter::Enumerate => (Source::Enumerate(source, of_number(self)?), len),
            Adapter::Zip => {
                let other = iter.inner(1).ok_or_else(|| self.bug(at))?;
                let (second, theirs) = self.source(&other, at)?;
                let len = match (inner.chain, other.chain) {
                    (Chain::From, _) => theirs,
                    (_, Chain::From) => len,
                    _ => self.binary_op(BinaryOp::Min, len, theirs, Scalar::U64, at),
                };
                (Source::Zip(source, Box::new(second)), len)
            }
            Adapter::Chain => {
                let other = iter.inner(1).ok_or_else(|| self.bug(at))?;
                let (second, theirs) = self.source(&other, at)?;
                let sum = self.binary_op(BinaryOp::Add, len, theirs, Scalar::U64, at);
                (Source::Chain([source, Box::new(second)], len, iter.item.clone()), sum)
            }
            Adapter::Rev => {
                let one = self.int(1, Scalar::U64, at);
                let last = self.binary_op(BinaryOp::Sub, len, one, Scalar::U64, at);
                (Source::Rev(source, last), len)
            }
            Adapter::Skip => {
                let skipped = of_number(self)?;
                (Source::Skip(source, skipped), self.beyond(len, skipped, at))
            }
            Adapter::Take => {
                let most = of_number(self)?;
                (*source, self.binary_op(BinaryOp::Min, len, most, Scalar::U64, at))
            }
            Adapter::StepBy => {
                let step = of_number(self)?;
                (Source::StepBy(source, step), self.rounded_up(len, step, at))
            }
            Adapter::Copied => (Source::Copied(source, iter.item.clone()), len),
            Adapter::Map => {
                let (closure, mono) = iter.parts.get(1).cloned().ok_or_else(|| self.bug(at))?;
                (Source::Map(source, closure, mono), len)
            }
            Adapter::Filter
            | Adapter::FilterMap
            | Adapter::MapWhile
            | Adapter::TakeWhile
            | Adapter::SkipWhile
            | Adapter::Inspect
            | Adapter::ByRef
            | Adapter::Peekable
            | Adapter::Scan
            | Adapter::Flatten
            | Adapter::Options => return Err(self.bug(at)),
        })
    }

    /// The item with this number, which is less than how many there are.
    pub(super) fn item(&mut self, source: &Source, index: InstId, at: At) -> Flow<Value> {
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
    fn item_of_either(
        &mut self,
        [first, second]: &[Box<Source>; 2],
        len: InstId,
        mono: &Mono,
        index: InstId,
        at: At,
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
    pub(super) fn copied(&mut self, reference: Value, mono: &Mono, at: At) -> Flow<Value> {
        match reference {
            Value::Ref(place) => self.get(&place, mono, at),
            _ => Err(self.bug(at)),
        }
    }

    /// A part of `size` elements from `start` on, or of what is left of `total`.
    pub(super) fn piece(
        &mut self,
        memory: &Memory,
        elem: &Mono,
        start: InstId,
        [size, total]: [Option<InstId>; 2],
        at: At,
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
    pub(super) fn windows(&mut self, total: InstId, size: InstId, at: At) -> InstId {
        let one = self.int(1, Scalar::U64, at);
        let beyond = self.binary_op(BinaryOp::Add, total, one, Scalar::U64, at);
        self.beyond(beyond, size, at)
    }

    /// How many of `len` are left without the first `skipped`.
    fn beyond(&mut self, len: InstId, skipped: InstId, at: At) -> InstId {
        let most = self.binary_op(BinaryOp::Max, len, skipped, Scalar::U64, at);
        self.binary_op(BinaryOp::Sub, most, skipped, Scalar::U64, at)
    }

    /// `a / b`, rounded up.
    fn rounded_up(&mut self, a: InstId, b: InstId, at: At) -> InstId {
        let whole = self.binary_op(BinaryOp::Div, a, b, Scalar::U64, at);
        let rest = self.binary_op(BinaryOp::Rem, a, b, Scalar::U64, at);
        let zero = self.int(0, Scalar::U64, at);
        let more = self.compare(CompareOp::Ne, rest, zero, at);
        let more = self.convert(more, Scalar::Bool, Scalar::U64, at);
        self.binary_op(BinaryOp::Add, whole, more, Scalar::U64, at)
    }

    /// How many numbers a range has.
    fn distance(
        &mut self,
        start: InstId,
        end: InstId,
        inclusive: bool,
        scalar: Scalar,
        at: At,
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

    fn is_zero(&self, value: InstId) -> bool {
        matches!(self.build.kernel.insts[value].op, Op::Const(0))
    }

    /// `iter.len()`
    pub(super) fn remaining(&mut self, iter: &Expr, at: At) -> Flow<InstId> {
        let iter = self.iter(iter)?;
        if iter.is_indexed(self.options.overflow_checks) {
            return self.source(&iter, at).map(|(_, len)| len);
        }
        self.errors.advise(
            self.range(at),
            "kernel code cannot tell the length of this iterator",
            "use `count`",
        );
        Err(Left)
    }
}

/// Whether an expression does nothing but compute a value, and always succeeds.
fn computes(expr: &Expr, checked: bool) -> bool {
    let all = |exprs: &[&Expr]| exprs.iter().all(|expr| computes(expr, checked));
    match &expr.kind {
        Kind::Unit
        | Kind::Int(_)
        | Kind::Float(_)
        | Kind::Bool(_)
        | Kind::Constant(_)
        | Kind::Param(_)
        | Kind::Var(_) => true,
        Kind::Deref(value)
        | Kind::Borrow(value)
        | Kind::Cast(value)
        | Kind::Field { base: value, .. }
        | Kind::Length(value) => all(&[value]),
        Kind::Unary { value, .. } => !checked && all(&[value]),
        Kind::Binary { op: BinaryOp::Div | BinaryOp::Rem, lhs, rhs } => {
            matches!(rhs.kind, Kind::Int(1..) | Kind::Float(_)) && all(&[lhs])
        }
        Kind::Binary { lhs, rhs, .. } => !checked && all(&[lhs, rhs]),
        Kind::Compare { lhs, rhs, .. } | Kind::Lazy { lhs, rhs, .. } => all(&[lhs, rhs]),
        Kind::Block { label: None, block } if block.stmts.is_empty() => {
            block.tail.as_ref().is_none_or(|tail| computes(tail, checked))
        }
        Kind::Aggregate { fields, base: None, .. } => {
            fields.iter().all(|(_, field)| computes(field, checked))
        }
        _ => false,
    }
}
