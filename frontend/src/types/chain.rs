//! Iterators: what they are made of. A chain of iterators is a type of the front end alone, taken
//! apart like a tuple; what consumes it becomes one loop.

/// An iterator: a source, or what is made of one or two others. Its type lists the type of its
/// items, then those of the parts that it is made of, which are said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// `a..b`: both ends.
    Range,
    /// `a..=b`: both ends.
    RangeInclusive,
    /// `a..`: its start.
    From,
    /// `x.iter()` and `x.iter_mut()`: the slice.
    Slice,
    /// `array.into_iter()`: the array, and how many of its elements are taken already, from its start and
    /// from its end.
    Array,
    /// `x.chunks(n)`: the slice and the size.
    Chunks,
    /// `x.chunks_exact(n)`: the slice, the size, and how many elements of what it was made of are behind
    /// the slice.
    ChunksExact,
    /// `x.windows(n)`: the slice and the size.
    Windows,
    /// What has a `#[device] impl Iterator`: the value itself.
    Written,
    /// The others'.
    Of(Adapter),
}

impl Chain {
    /// Whether it has its end, if it is a range of numbers.
    pub(crate) fn is_range(self) -> Option<bool> {
        match self {
            Self::Range | Self::From => Some(false),
            Self::RangeInclusive => Some(true),
            Self::Slice
            | Self::Array
            | Self::Chunks
            | Self::ChunksExact
            | Self::Windows
            | Self::Written
            | Self::Of(_) => None,
        }
    }

    /// The function of the prelude that takes the next item of one in a variable, or the last if
    /// `back`, and leaves the rest there; `None` if there is none.
    pub(crate) const fn pull(self, back: bool) -> Option<&'static str> {
        Some(match (self, back) {
            (Self::Range, false) => "next_of_range",
            (Self::Range, true) => "back_of_range",
            (Self::RangeInclusive, false) => "next_of_inclusive",
            (Self::RangeInclusive, true) => "back_of_inclusive",
            (Self::From, false) => "next_of_from",
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
            (Self::Written, false) => "next_of_written",
            (Self::Written, true) => "back_of_written",
            (Self::Of(adapter), false) => adapter.next(),
            (Self::Of(adapter), true) => return adapter.next_back(),
            (Self::From, true) => return None,
        })
    }

    /// Returns the function of the prelude that takes the n-th item of one in a variable without
    /// taking those before it; `None` where std takes them one by one, too.
    pub(crate) const fn nth(self) -> Option<&'static str> {
        match self {
            Self::Range => Some("nth_of_range"),
            Self::Slice => Some("nth_of_slice"),
            Self::Chunks => Some("nth_of_chunks"),
            Self::ChunksExact => Some("nth_of_exact"),
            Self::Of(Adapter::Copied) => Some("nth_of_copied"),
            Self::Of(Adapter::Enumerate) => Some("nth_of_enumerate"),
            Self::RangeInclusive
            | Self::From
            | Self::Array
            | Self::Windows
            | Self::Written
            | Self::Of(_) => None,
        }
    }

    /// The range of numbers that std calls this.
    pub(crate) fn range_named(name: &str) -> Option<Self> {
        match name {
            "Range" => Some(Self::Range),
            "RangeInclusive" => Some(Self::RangeInclusive),
            "RangeFrom" => Some(Self::From),
            _ => None,
        }
    }
}

/// What an iterator makes of another. What some of them have to remember between two items that are
/// taken one at a time is a part of its own, the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adapter {
    /// Of a reference to one, in which the rest stays.
    ByRef,
    /// Of one, the item that was looked at, and whether one was.
    Peekable,
    /// Of one, and how many items there were before: `(index, item)`.
    Enumerate,
    /// Of two: both items.
    Zip,
    /// Of two, and whether the first has ended: the items of the first, then those of the second.
    Chain,
    /// Of one: from its end.
    Rev,
    /// Of one and how many.
    Skip,
    /// Of one and how many.
    Take,
    /// Of one, the distance, and how many are left out before the next.
    StepBy,
    /// Of one: what its items refer to.
    Copied,
    /// Of one and a closure.
    Map,
    /// Of one and a closure.
    Filter,
    /// Of one and a closure.
    FilterMap,
    /// Of one and a closure.
    MapWhile,
    /// Of one, a closure, and whether it has ended.
    TakeWhile,
    /// Of one, a closure, and whether it has begun.
    SkipWhile,
    /// Of one and a closure.
    Inspect,
    /// Of one, a closure, and the first state that it gets.
    Scan,
    /// Of one, and which of its items is at hand: the items of its items.
    Flatten,
    /// Of one: what is in its items, which are options.
    Options,
    /// Of one, and what is left of it this time.
    Cycle,
}

impl Adapter {
    /// As [`Chain::pull`], from the front.
    const fn next(self) -> &'static str {
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

    /// As [`Chain::pull`], from the back.
    const fn next_back(self) -> Option<&'static str> {
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

    /// The part that says whether items were taken already, for those that are not what they were made
    /// of then.
    pub(crate) const fn state(self) -> Option<usize> {
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

impl Chain {
    /// What it is called in std.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Range => "Range",
            Self::RangeInclusive => "RangeInclusive",
            Self::From => "RangeFrom",
            Self::Slice => "slice::Iter",
            Self::Array => "array::IntoIter",
            Self::Chunks => "Chunks",
            Self::ChunksExact => "ChunksExact",
            Self::Windows => "Windows",
            Self::Written => "Iterator",
            Self::Of(adapter) => match adapter {
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
