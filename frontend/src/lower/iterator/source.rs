//! Indexed iterators: ranges, slices, and adapters of those that leave no items out.
use crate::{
    hir::{Expr, SpanId},
    lower::{Diverged, Flow, Lowerer, Memory, Place, Value, iterator::iter::Iter},
    types::{
        iterator::{Adapter, IterKind},
        mono::Mono,
    },
};
use std::rc::Rc;
use warpwise_compiler::ir::{BinaryOp, InstId, Op, Scalar};

/// Computation of items from their index.
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
    /// Elements of a scalarized array, or references to them.
    Scalarized {
        pieces: Rc<[Place]>,
        elem: Mono,
        copies: bool,
    },
    /// Chunks of `size` elements; the last may be shorter, if there is a `total`.
    Chunks {
        memory: Memory,
        elem: Mono,
        size: InstId,
        total: Option<InstId>,
    },
    /// Windows of `size` elements, one at each element.
    Windows {
        memory: Memory,
        elem: Mono,
        size: InstId,
    },
    /// With the index of the first item.
    Enumerate(Box<Source>, InstId),
    Zip(Box<Source>, Box<Source>),
    /// With the length of the first source, and the type of the items.
    Chain([Box<Source>; 2], InstId, Mono),
    /// With the index of the last item.
    Rev(Box<Source>, InstId),
    Skip(Box<Source>, InstId),
    StepBy(Box<Source>, InstId),
    /// With the length of one cycle.
    Cycle(Box<Source>, InstId),
    /// With the type of the referents.
    Copied(Box<Source>, Mono),
    /// With the closure and its type.
    Map(Box<Source>, Value, Mono),
}

impl Lowerer<'_> {
    /// Returns the source of an iterator that [is indexed](Iter::is_indexed), and its length.
    pub(crate) fn lower_source(&mut self, iter: &Iter, at: SpanId) -> Flow<(Source, InstId)> {
        match iter.chain {
            IterKind::Range | IterKind::RangeInclusive => {
                let (Some(start), Some(end)) = (iter.scalar_part(0), iter.scalar_part(1)) else {
                    return Err(self.report_bug(at));
                };
                let scalar = crate::lower::memory::layout::scalar_of_mono(&iter.item)
                    .ok_or_else(|| self.report_bug(at))?;
                let inclusive = iter.chain == IterKind::RangeInclusive;
                let len = self.range_length(start, end, inclusive, scalar, at);
                Ok((Source::Count { start, scalar }, len))
            }
            IterKind::RangeFrom => {
                let start = iter.scalar_part(0).ok_or_else(|| self.report_bug(at))?;
                let scalar = crate::lower::memory::layout::scalar_of_mono(&iter.item)
                    .ok_or_else(|| self.report_bug(at))?;
                Ok((Source::Count { start, scalar }, self.push_bits(u64::MAX, Scalar::U64, at)))
            }
            IterKind::Slice | IterKind::Array
                if let Some((pieces, elem)) = self.scalarized_items(iter) =>
            {
                let len = self.push_bits(pieces.len() as u64, Scalar::U64, at);
                let copies = iter.chain == IterKind::Array;
                Ok((Source::Scalarized { pieces, elem, copies }, len))
            }
            IterKind::Slice | IterKind::Array => {
                let (memory, elem, len) = self.memory_and_length(iter, at)?;
                let copies = iter.chain == IterKind::Array;
                Ok((Source::Elements { memory, elem, copies }, len))
            }
            IterKind::Chunks | IterKind::ChunksExact | IterKind::Windows => {
                self.chunk_source(iter, at)
            }
            IterKind::Adapter(adapter) => self.adapter_source(adapter, iter, at),
            IterKind::UserDefined => Err(self.report_bug(at)),
        }
    }

    /// Returns the elements of a scalarized array that an iterator runs over, and their type.
    fn scalarized_items(&self, iter: &Iter) -> Option<(Rc<[Place]>, Mono)> {
        let (value, mono) = iter.parts.first()?;
        let (pieces, mono) = match (value, mono) {
            (Value::Ref(place), Mono::Ref { to, .. }) => (self.scalarized_elements(place)?, &**to),
            (Value::Parts(_), mono) => {
                (self.scalarized_elements(&Place::Value(value.clone()))?, mono)
            }
            _ => return None,
        };
        match mono {
            Mono::Array(elem, _) | Mono::Slice(elem) => Some((pieces, (**elem).clone())),
            _ => None,
        }
    }

    /// Returns the memory, element type and length of a slice or array iterator.
    pub(crate) fn memory_and_length(
        &mut self,
        iter: &Iter,
        at: SpanId,
    ) -> Flow<(Memory, Mono, InstId)> {
        if self.scalarized_items(iter).is_some() {
            return Err(self.report_no_memory(at));
        }
        let (memory, mono) = match iter.parts.first() {
            Some((Value::Ref(place), Mono::Ref { to, .. })) => match &**place {
                Place::Memory(memory) => (memory.clone(), (**to).clone()),
                _ => return Err(self.report_bug(at)),
            },
            Some((Value::Array(memory), mono)) => (memory.clone(), mono.clone()),
            _ => return Err(self.report_bug(at)),
        };
        let (Mono::Slice(elem) | Mono::Array(elem, _)) = &mono else {
            return Err(self.report_bug(at));
        };
        let len = self.sequence_length(&memory, &mono, at)?;
        Ok((memory, (**elem).clone(), len))
    }

    fn chunk_source(&mut self, iter: &Iter, at: SpanId) -> Flow<(Source, InstId)> {
        let (memory, elem, total) = self.memory_and_length(iter, at)?;
        let size = iter.scalar_part(1).ok_or_else(|| self.report_bug(at))?;
        Ok(match iter.chain {
            IterKind::Windows => {
                let count = self.window_count(total, size, at);
                (Source::Windows { memory, elem, size }, count)
            }
            IterKind::ChunksExact => {
                let count = self.push_binary(BinaryOp::Div, total, size, Scalar::U64, at);
                (Source::Chunks { memory, elem, size, total: None }, count)
            }
            _ => {
                let count = self.divide_rounding_up(total, size, at);
                (Source::Chunks { memory, elem, size, total: Some(total) }, count)
            }
        })
    }

    fn adapter_source(
        &mut self,
        adapter: Adapter,
        iter: &Iter,
        at: SpanId,
    ) -> Flow<(Source, InstId)> {
        let inner = iter.inner_iter(0).ok_or_else(|| self.report_bug(at))?;
        let (source, len) = self.lower_source(&inner, at)?;
        let source = Box::new(source);
        let number = iter.scalar_part(1);
        let of_number = |this: &mut Self| number.ok_or_else(|| this.report_bug(at));
        Ok(match adapter {
            Adapter::Enumerate => (Source::Enumerate(source, of_number(self)?), len),
            Adapter::Zip => {
                let other = iter.inner_iter(1).ok_or_else(|| self.report_bug(at))?;
                let (second, theirs) = self.lower_source(&other, at)?;
                let len = match (inner.chain, other.chain) {
                    (IterKind::RangeFrom, _) => theirs,
                    (_, IterKind::RangeFrom) => len,
                    _ => self.push_binary(BinaryOp::Min, len, theirs, Scalar::U64, at),
                };
                (Source::Zip(source, Box::new(second)), len)
            }
            Adapter::Chain => {
                let other = iter.inner_iter(1).ok_or_else(|| self.report_bug(at))?;
                let (second, theirs) = self.lower_source(&other, at)?;
                // The length of endless chains saturates instead of wrapping.
                let theirs = if inner.is_endless() || other.is_endless() {
                    let most = self.push_bits(u64::MAX, Scalar::U64, at);
                    let left = self.push_binary(BinaryOp::Sub, most, len, Scalar::U64, at);
                    self.push_binary(BinaryOp::Min, theirs, left, Scalar::U64, at)
                } else {
                    theirs
                };
                let sum = self.push_binary(BinaryOp::Add, len, theirs, Scalar::U64, at);
                (Source::Chain([source, Box::new(second)], len, iter.item.clone()), sum)
            }
            Adapter::Rev => {
                let one = self.push_int(1, Scalar::U64, at);
                let last = self.push_binary(BinaryOp::Sub, len, one, Scalar::U64, at);
                (Source::Rev(source, last), len)
            }
            Adapter::Skip => {
                let skipped = of_number(self)?;
                (Source::Skip(source, skipped), self.count_after_skip(len, skipped, at))
            }
            Adapter::Take => {
                let most = of_number(self)?;
                (*source, self.push_binary(BinaryOp::Min, len, most, Scalar::U64, at))
            }
            Adapter::StepBy => {
                let step = of_number(self)?;
                (Source::StepBy(source, step), self.divide_rounding_up(len, step, at))
            }
            Adapter::Cycle => {
                // No items, or the largest possible number: `0 - 1` wraps.
                let (zero, one) =
                    (self.push_int(0, Scalar::U64, at), self.push_int(1, Scalar::U64, at));
                let any = self.push_binary(BinaryOp::Min, len, one, Scalar::U64, at);
                let all = self.push_binary(BinaryOp::Sub, zero, any, Scalar::U64, at);
                (Source::Cycle(source, len), all)
            }
            Adapter::Copied => (Source::Copied(source, iter.item.clone()), len),
            Adapter::Map => {
                let (closure, mono) =
                    iter.parts.get(1).cloned().ok_or_else(|| self.report_bug(at))?;
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
            | Adapter::Options => return Err(self.report_bug(at)),
        })
    }

    pub(crate) fn is_zero(&self, value: InstId) -> bool {
        matches!(self.build.kernel.insts[value].op, Op::Const(0))
    }

    /// Lowers `iter.len()`.
    pub(crate) fn lower_iter_len(&mut self, iter: &Expr, at: SpanId) -> Flow<InstId> {
        let iter = self.lower_iter(iter)?;
        if iter.is_indexed(self.options.overflow_checks) {
            return self.lower_source(&iter, at).map(|(_, len)| len);
        }
        self.errors.advise(
            self.source_range(at),
            "kernel code cannot tell the length of this iterator",
            "use `count`",
        );
        Err(Diverged)
    }
}
