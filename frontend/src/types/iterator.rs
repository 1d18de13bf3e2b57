//! Iterator types. An iterator exists in the front end alone, scalarized like a tuple; its consumer
//! becomes one loop.

/// The kind of an iterator: a source or an adapter. Its type lists the item type, then the types of
/// its parts, which each variant names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IterKind {
    /// `a..b`: both bounds.
    Range,
    /// `a..=b`: both bounds.
    RangeInclusive,
    /// `a..`: the start.
    RangeFrom,
    /// `x.iter()` and `x.iter_mut()`: the slice.
    Slice,
    /// `array.into_iter()`: the array, and the numbers of elements taken from its start and from
    /// its end.
    Array,
    /// `x.chunks(n)`: the slice and the chunk size.
    Chunks,
    /// `x.chunks_exact(n)`: the slice, the chunk size, and the length of the remainder after the
    /// slice.
    ChunksExact,
    /// `x.windows(n)`: the slice and the window size.
    Windows,
    /// A type with `#[device] impl Iterator`: the value itself.
    UserDefined,
    /// An adapter of other iterators.
    Adapter(Adapter),
}

impl IterKind {
    /// Returns, for a range of numbers, whether it includes its end.
    pub(crate) fn is_range(self) -> Option<bool> {
        match self {
            Self::Range | Self::RangeFrom => Some(false),
            Self::RangeInclusive => Some(true),
            Self::Slice
            | Self::Array
            | Self::Chunks
            | Self::ChunksExact
            | Self::Windows
            | Self::UserDefined
            | Self::Adapter(_) => None,
        }
    }

    /// Returns the library function that takes the next item of an iterator in a variable, or the
    /// last item if `back`, and keeps the rest; `None` if there is none.
    pub(crate) const fn next_function(self, back: bool) -> Option<&'static str> {
        Some(match (self, back) {
            (Self::Range, false) => "next_of_range",
            (Self::Range, true) => "back_of_range",
            (Self::RangeInclusive, false) => "next_of_inclusive",
            (Self::RangeInclusive, true) => "back_of_inclusive",
            (Self::RangeFrom, false) => "next_of_from",
            (Self::Slice, false) => "next_of_slice",
            (Self::Slice, true) => "back_of_slice",
            (Self::Array, false) => "next_of_array",
            (Self::Array, true) => "back_of_array",
            (Self::Chunks, false) => "next_of_chunks",
            (Self::Chunks, true) => "back_of_chunks",
            (Self::ChunksExact, false) => "next_of_exact",
            (Self::ChunksExact, true) => "back_of_exact",
            (Self::Windows, false) => "next_of_windows",
            (Self::Windows, true) => "back_of_windows",
            (Self::UserDefined, false) => "next_of_user_defined",
            (Self::UserDefined, true) => "back_of_written",
            (Self::Adapter(adapter), false) => adapter.next_function(),
            (Self::Adapter(adapter), true) => return adapter.back_function(),
            (Self::RangeFrom, true) => return None,
        })
    }

    /// Returns the library function that takes the n-th item of an iterator in a variable without
    /// taking the items before it; `None` if std takes them one by one, too.
    pub(crate) const fn nth_function(self) -> Option<&'static str> {
        match self {
            Self::Range => Some("nth_of_range"),
            Self::Slice => Some("nth_of_slice"),
            Self::Chunks => Some("nth_of_chunks"),
            Self::ChunksExact => Some("nth_of_exact"),
            Self::Adapter(Adapter::Copied) => Some("nth_of_copied"),
            Self::Adapter(Adapter::Enumerate) => Some("nth_of_enumerate"),
            Self::RangeInclusive
            | Self::RangeFrom
            | Self::Array
            | Self::Windows
            | Self::UserDefined
            | Self::Adapter(_) => None,
        }
    }

    /// Returns the range type with this name in std.
    pub(crate) fn range_from_name(name: &str) -> Option<Self> {
        match name {
            "Range" => Some(Self::Range),
            "RangeInclusive" => Some(Self::RangeInclusive),
            "RangeFrom" => Some(Self::RangeFrom),
            _ => None,
        }
    }
}

/// An iterator adapter. State between two items taken one at a time is a part of its own, the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adapter {
    /// Parts: a reference to an iterator, which keeps the remaining items.
    ByRef,
    /// Parts: an iterator, the peeked item, and whether there is one.
    Peekable,
    /// Parts: an iterator and the number of items before. Items: `(index, item)`.
    Enumerate,
    /// Parts: two iterators. Items: pairs.
    Zip,
    /// Parts: two iterators, and whether the first has ended.
    Chain,
    /// Parts: an iterator.
    Rev,
    /// Parts: an iterator and a count.
    Skip,
    /// Parts: an iterator and a count.
    Take,
    /// Parts: an iterator, the step, and the number of items to skip before the next.
    StepBy,
    /// Parts: an iterator over references. Items: their targets.
    Copied,
    /// Parts: an iterator and a closure.
    Map,
    /// Parts: an iterator and a closure.
    Filter,
    /// Parts: an iterator and a closure.
    FilterMap,
    /// Parts: an iterator and a closure.
    MapWhile,
    /// Parts: an iterator, a closure, and whether it has ended.
    TakeWhile,
    /// Parts: an iterator, a closure, and whether it has begun.
    SkipWhile,
    /// Parts: an iterator and a closure.
    Inspect,
    /// Parts: an iterator, a closure, and the initial state.
    Scan,
    /// Parts: an iterator, and the current inner iterator. Items: those of the items.
    Flatten,
    /// Parts: an iterator over options. Items: their values.
    Options,
    /// Parts: an iterator, and the rest of its current round.
    Cycle,
}

impl Adapter {
    /// As [`IterKind::next_function`], from the front.
    const fn next_function(self) -> &'static str {
        match self {
            Self::ByRef => "next_of_by_ref",
            Self::Peekable => "next_of_peekable",
            Self::Enumerate => "next_of_enumerate",
            Self::Zip => "next_of_zip",
            Self::Chain => "next_of_chain",
            Self::Rev => "next_of_rev",
            Self::Skip => "next_of_skip",
            Self::Take => "next_of_take",
            Self::StepBy => "next_of_step_by",
            Self::Copied => "next_of_copied",
            Self::Map => "next_of_map",
            Self::Filter => "next_of_filter",
            Self::FilterMap => "next_of_filter_map",
            Self::MapWhile => "next_of_map_while",
            Self::TakeWhile => "next_of_take_while",
            Self::SkipWhile => "next_of_skip_while",
            Self::Inspect => "next_of_inspect",
            Self::Scan => "next_of_scan",
            Self::Flatten => "next_of_flatten",
            Self::Options => "next_of_options",
            Self::Cycle => "next_of_cycle",
        }
    }

    /// As [`IterKind::next_function`], from the back.
    const fn back_function(self) -> Option<&'static str> {
        Some(match self {
            Self::ByRef => "back_of_by_ref",
            Self::Enumerate => "back_of_enumerate",
            Self::Zip => "back_of_zip",
            Self::Chain => "back_of_chain",
            Self::Rev => "back_of_rev",
            Self::Skip => "back_of_skip",
            Self::Take => "back_of_take",
            Self::StepBy => "back_of_step_by",
            Self::Copied => "back_of_copied",
            Self::Map => "back_of_map",
            Self::Filter => "back_of_filter",
            Self::FilterMap => "back_of_filter_map",
            Self::Inspect => "back_of_inspect",
            Self::Options => "back_of_options",
            Self::Peekable
            | Self::MapWhile
            | Self::TakeWhile
            | Self::SkipWhile
            | Self::Scan
            | Self::Flatten
            | Self::Cycle => return None,
        })
    }

    /// Returns the index of the part with the state, for adapters whose other parts do not show
    /// that items were taken.
    pub(crate) const fn state_part(self) -> Option<usize> {
        match self {
            Self::Peekable | Self::Chain | Self::StepBy | Self::TakeWhile | Self::SkipWhile => {
                Some(2)
            }
            Self::Flatten | Self::Cycle => Some(1),
            Self::ByRef
            | Self::Enumerate
            | Self::Zip
            | Self::Rev
            | Self::Skip
            | Self::Take
            | Self::Copied
            | Self::Map
            | Self::Filter
            | Self::FilterMap
            | Self::MapWhile
            | Self::Inspect
            | Self::Scan
            | Self::Options => None,
        }
    }
}

impl IterKind {
    /// Returns the name in std.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Range => "Range",
            Self::RangeInclusive => "RangeInclusive",
            Self::RangeFrom => "RangeFrom",
            Self::Slice => "slice::Iter",
            Self::Array => "array::IntoIter",
            Self::Chunks => "Chunks",
            Self::ChunksExact => "ChunksExact",
            Self::Windows => "Windows",
            Self::UserDefined => "Iterator",
            Self::Adapter(adapter) => match adapter {
                Adapter::ByRef => "ByRef",
                Adapter::Peekable => "Peekable",
                Adapter::Enumerate => "Enumerate",
                Adapter::Zip => "Zip",
                Adapter::Chain => "Chain",
                Adapter::Rev => "Rev",
                Adapter::Skip => "Skip",
                Adapter::Take => "Take",
                Adapter::StepBy => "StepBy",
                Adapter::Copied => "Copied",
                Adapter::Map => "Map",
                Adapter::Filter => "Filter",
                Adapter::FilterMap => "FilterMap",
                Adapter::MapWhile => "MapWhile",
                Adapter::TakeWhile => "TakeWhile",
                Adapter::SkipWhile => "SkipWhile",
                Adapter::Inspect => "Inspect",
                Adapter::Scan => "Scan",
                Adapter::Flatten | Adapter::Options => "Flatten",
                Adapter::Cycle => "Cycle",
            },
        }
    }
}
