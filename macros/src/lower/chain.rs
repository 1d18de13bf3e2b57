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
    /// `array.into_iter()`: the array.
    Array,
    /// `x.chunks(n)`: the slice and the size.
    Chunks,
    /// `x.chunks_exact(n)`: the slice and the size.
    ChunksExact,
    /// `x.windows(n)`: the slice and the size.
    Windows,
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
            (Self::Chunks, false) => "next_of_chunks",
            (Self::ChunksExact, false) => "next_of_exact",
            (Self::Windows, false) => "next_of_windows",
            (Self::Of(Adapter::Copied), false) => "next_of_copied",
            (Self::Of(Adapter::Copied), true) => "back_of_copied",
            (Self::Of(Adapter::Map), false) => "next_of_map",
            (Self::Of(Adapter::Map), true) => "back_of_map",
            (Self::Of(Adapter::Filter), false) => "next_of_filter",
            (Self::Of(Adapter::FilterMap), false) => "next_of_filter_map",
            (Self::Of(Adapter::Enumerate), false) => "next_of_enumerate",
            (Self::Of(Adapter::Zip), false) => "next_of_zip",
            (Self::Of(Adapter::Take), false) => "next_of_take",
            (Self::Of(Adapter::Skip), false) => "next_of_skip",
            (Self::Of(Adapter::Rev), false) => "next_of_rev",
            _ => return None,
        })
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

/// What an iterator makes of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adapter {
    /// Of one, and how many items there were before: `(index, item)`.
    Enumerate,
    /// Of two: both items.
    Zip,
    /// Of two: the items of the first, then those of the second.
    Chain,
    /// Of one: from its end.
    Rev,
    /// Of one and how many.
    Skip,
    /// Of one and how many.
    Take,
    /// Of one and the distance.
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
    /// Of one and a closure.
    TakeWhile,
    /// Of one and a closure.
    SkipWhile,
    /// Of one and a closure.
    Inspect,
    /// Of one, a closure, and the first state that it gets.
    Scan,
    /// Of one: the items of its items.
    Flatten,
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
            Self::Of(adapter) => match adapter {
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
                Adapter::Flatten => "Flatten",
            },
        }
    }
}
