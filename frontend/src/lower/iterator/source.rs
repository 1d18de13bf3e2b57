//! Iterators whose items are computed from their number: ranges, slices, and what is made of
//! those without leaving items out.
use crate::{
    hir::{Expr, SpanId},
    lower::{Emit, Flow, Left, Memory, Place, Value, iterator::iter::Iter},
    types::{
        chain::{Adapter, IterKind},
        mono::Mono,
    },
};
use std::rc::Rc;
use warpwise_compiler::ir::{BinaryOp, InstId, Op, Scalar};

/// How items are computed from their number.
#[derive(Clone, Debug)]
pub(crate) enum Source {
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
    /// Elements of an array that is in no memory, of this type, or references to them.
    Pieces {
        pieces: Rc<[Place]>,
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
    /// With how many there are until it begins again.
    Cycle(Box<Source>, InstId),
    /// With the type of what the items refer to.
    Copied(Box<Source>, Mono),
    /// With the closure.
    Map(Box<Source>, Value, Mono),
}

impl Emit<'_> {
    /// How the items of an iterator that [is indexed](Iter::is_indexed) are computed, and how many
    /// there are.
    pub(crate) fn source(&mut self, iter: &Iter, at: SpanId) -> Flow<(Source, InstId)> {
        match iter.chain {
            IterKind::Range | IterKind::RangeInclusive => {
                let (Some(start), Some(end)) = (iter.number(0), iter.number(1)) else {
                    return Err(self.bug(at));
                };
                let scalar =
                    crate::lower::memory::layout::scalar(&iter.item).ok_or_else(|| self.bug(at))?;
                let inclusive = iter.chain == IterKind::RangeInclusive;
                let len = self.distance(start, end, inclusive, scalar, at);
                Ok((Source::Count { start, scalar }, len))
            }
            IterKind::RangeFrom => {
                let start = iter.number(0).ok_or_else(|| self.bug(at))?;
                let scalar =
                    crate::lower::memory::layout::scalar(&iter.item).ok_or_else(|| self.bug(at))?;
                Ok((Source::Count { start, scalar }, self.bits(u64::MAX, Scalar::U64, at)))
            }
            IterKind::Slice | IterKind::Array
                if let Some((pieces, elem)) = self.pieces_in(iter) =>
            {
                let len = self.bits(pieces.len() as u64, Scalar::U64, at);
                let copies = iter.chain == IterKind::Array;
                Ok((Source::Pieces { pieces, elem, copies }, len))
            }
            IterKind::Slice | IterKind::Array => {
                let (memory, elem, len) = self.sequence_of(iter, at)?;
                let copies = iter.chain == IterKind::Array;
                Ok((Source::Elements { memory, elem, copies }, len))
            }
            IterKind::Chunks | IterKind::ChunksExact | IterKind::Windows => self.pieces(iter, at),
            IterKind::Adapter(adapter) => self.adapted(adapter, iter, at),
            IterKind::UserDefined => Err(self.bug(at)),
        }
    }

    /// The elements of an array that is in no memory, if an iterator runs over one, and their type.
    fn pieces_in(&self, iter: &Iter) -> Option<(Rc<[Place]>, Mono)> {
        let (value, mono) = iter.parts.first()?;
        let (pieces, mono) = match (value, mono) {
            (Value::Ref(place), Mono::Ref { to, .. }) => (self.pieces_of(place)?, &**to),
            (Value::Parts(_), mono) => (self.pieces_of(&Place::Value(value.clone()))?, mono),
            _ => return None,
        };
        match mono {
            Mono::Array(elem, _) | Mono::Slice(elem) => Some((pieces, (**elem).clone())),
            _ => None,
        }
    }

    /// What a slice or array iterator runs over.
    pub(crate) fn sequence_of(&mut self, iter: &Iter, at: SpanId) -> Flow<(Memory, Mono, InstId)> {
        if self.pieces_in(iter).is_some() {
            return Err(self.no_memory(at));
        }
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

    fn pieces(&mut self, iter: &Iter, at: SpanId) -> Flow<(Source, InstId)> {
        let (memory, elem, total) = self.sequence_of(iter, at)?;
        let size = iter.number(1).ok_or_else(|| self.bug(at))?;
        Ok(match iter.chain {
            IterKind::Windows => {
                let count = self.windows(total, size, at);
                (Source::Windows { memory, elem, size }, count)
            }
            IterKind::ChunksExact => {
                let count = self.binary_op(BinaryOp::Div, total, size, Scalar::U64, at);
                (Source::Chunks { memory, elem, size, total: None }, count)
            }
            _ => {
                let count = self.rounded_up(total, size, at);
                (Source::Chunks { memory, elem, size, total: Some(total) }, count)
            }
        })
    }

    fn adapted(&mut self, adapter: Adapter, iter: &Iter, at: SpanId) -> Flow<(Source, InstId)> {
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
                    (IterKind::RangeFrom, _) => theirs,
                    (_, IterKind::RangeFrom) => len,
                    _ => self.binary_op(BinaryOp::Min, len, theirs, Scalar::U64, at),
                };
                (Source::Zip(source, Box::new(second)), len)
            }
            Adapter::Chain => {
                let other = iter.inner(1).ok_or_else(|| self.bug(at))?;
                let (second, theirs) = self.source(&other, at)?;
                let theirs = match inner.is_endless() || other.is_endless() {
                    true => {
                        let most = self.bits(u64::MAX, Scalar::U64, at);
                        let left = self.binary_op(BinaryOp::Sub, most, len, Scalar::U64, at);
                        self.binary_op(BinaryOp::Min, theirs, left, Scalar::U64, at)
                    }
                    false => theirs,
                };
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
            Adapter::Cycle => {
                // None, or as many as there can be.
                let (zero, one) = (self.int(0, Scalar::U64, at), self.int(1, Scalar::U64, at));
                let any = self.binary_op(BinaryOp::Min, len, one, Scalar::U64, at);
                let all = self.binary_op(BinaryOp::Sub, zero, any, Scalar::U64, at);
                (Source::Cycle(source, len), all)
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

    pub(crate) fn is_zero(&self, value: InstId) -> bool {
        matches!(self.build.kernel.insts[value].op, Op::Const(0))
    }

    /// `iter.len()`
    pub(crate) fn remaining(&mut self, iter: &Expr, at: SpanId) -> Flow<InstId> {
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
