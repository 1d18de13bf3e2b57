//! Abstract `bool`s, and the active threads that result from them as conditions.
use super::{ActiveThreads, Coverage, Split, ThreadSet};
use crate::ir::InstId;

/// A part of the threads of a block, as in [`ActiveThreads`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PartialThreads {
    /// A superset of the threads.
    pub(super) threads: ThreadSet,
    /// The share of `threads`.
    pub(super) coverage: Coverage,
    /// True if threads are missing only in blocks at an edge. This holds for [`Coverage::Guarded`],
    /// and may hold for others.
    pub(super) full_except_at_edges: bool,
    /// As in [`ActiveThreads::launch_dependent`].
    pub(super) launch_dependent: bool,
}

/// A `bool` in each thread of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AbstractBool {
    /// True in exactly these threads.
    Exact(ThreadSet),
    /// True in some threads, and false in others.
    Parts {
        /// The threads where it is true.
        yes: PartialThreads,
        /// The threads where it is false.
        no: PartialThreads,
    },
}

impl Coverage {
    /// Returns the coverage of the intersection of two independent parts.
    pub(super) const fn intersection(self, other: Self) -> Self {
        match (self, other) {
            (Self::One, _) | (_, Self::One) => Self::One,
            (Self::All, coverage) | (coverage, Self::All) => coverage,
            (Self::Warps, Self::Warps) => Self::Warps,
            (Self::Guarded, Self::Guarded) => Self::Guarded,
            (
                Self::Warps | Self::Guarded | Self::Some,
                Self::Warps | Self::Guarded | Self::Some,
            ) => Self::Some,
        }
    }

    /// Returns the guarantee of both, for threads that have sometimes one coverage and sometimes
    /// the other.
    pub(super) const fn weaker(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, Self::All) => Self::All,
            (Self::All | Self::Warps, Self::All | Self::Warps) => Self::Warps,
            (Self::All | Self::Guarded, Self::All | Self::Guarded) => Self::Guarded,
            (Self::One, Self::One) => Self::One,
            (Self::Warps | Self::Guarded | Self::Some | Self::One, _)
            | (Self::All, Self::Some | Self::One) => Self::Some,
        }
    }

    /// Returns the coverage of the union of two parts.
    pub(super) const fn union(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, Self::All) => Self::All,
            (Self::All | Self::Warps, Self::All | Self::Warps) => Self::Warps,
            (Self::Guarded, Self::Guarded) => Self::Guarded,
            (Self::Guarded | Self::Some | Self::One, _)
            | (_, Self::Guarded | Self::Some | Self::One) => Self::Some,
        }
    }
}

impl PartialThreads {
    pub(super) const fn new(threads: ThreadSet, coverage: Coverage) -> Self {
        Self {
            threads,
            coverage,
            full_except_at_edges: matches!(coverage, Coverage::All | Coverage::Guarded),
            launch_dependent: matches!(coverage, Coverage::Guarded),
        }
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        let full_except_at_edges = self.full_except_at_edges && other.full_except_at_edges;
        let coverage = match self.coverage.intersection(other.coverage) {
            Coverage::Some if full_except_at_edges => Coverage::Guarded,
            coverage => coverage,
        };
        Self {
            threads: self.threads.intersection(&other.threads),
            coverage,
            full_except_at_edges,
            launch_dependent: self.launch_dependent || other.launch_dependent,
        }
    }

    /// Returns the union of two parts, in a block with the threads `all`.
    pub(super) fn union(&self, other: &Self, all: &ThreadSet) -> Self {
        let coverage = if self.threads.is_empty() {
            other.coverage
        } else if other.threads.is_empty() {
            self.coverage
        } else if self.threads == other.threads {
            self.coverage.union(other.coverage)
        } else {
            // One part may be present without the other.
            match self.coverage.union(other.coverage) {
                Coverage::Guarded => Coverage::Guarded,
                Coverage::All | Coverage::Warps
                    if self.threads.is_whole_warps_of(all)
                        && other.threads.is_whole_warps_of(all) =>
                {
                    Coverage::Warps
                }
                Coverage::All | Coverage::Warps | Coverage::Some | Coverage::One => Coverage::Some,
            }
        };
        Self {
            full_except_at_edges: self.full_except_at_edges && other.full_except_at_edges,
            launch_dependent: self.launch_dependent || other.launch_dependent,
            ..Self::new(self.threads.union(&other.threads), coverage)
        }
    }
}

impl AbstractBool {
    /// Returns an unknown `bool` that is true in `yes` of `threads` and false in `no` of them.
    pub(super) fn unknown(threads: &ThreadSet, yes: Coverage, no: Coverage) -> Self {
        let part = |coverage| PartialThreads::new(threads.clone(), coverage);
        Self::Parts { yes: part(yes), no: part(no) }
    }

    /// Returns the part where it is true and the part where it is false, in a block with the
    /// threads `all`.
    pub(super) fn parts(&self, all: &ThreadSet) -> (PartialThreads, PartialThreads) {
        match self {
            Self::Exact(yes) => (
                PartialThreads::new(yes.clone(), Coverage::All),
                PartialThreads::new(all.difference(yes), Coverage::All),
            ),
            Self::Parts { yes, no } => (yes.clone(), no.clone()),
        }
    }

    pub(super) fn not(&self, all: &ThreadSet) -> Self {
        match self {
            Self::Exact(yes) => Self::Exact(all.difference(yes)),
            Self::Parts { yes, no } => Self::Parts { yes: no.clone(), no: yes.clone() },
        }
    }

    pub(super) fn and(&self, other: &Self, all: &ThreadSet) -> Self {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Self::Exact(a.intersection(b)),
            (Self::Exact(exact), parts @ Self::Parts { yes, no })
            | (parts @ Self::Parts { yes, no }, Self::Exact(exact)) => {
                if exact.is_empty() {
                    return Self::Exact(exact.clone());
                }
                if exact == all {
                    return parts.clone();
                }
                let warps_agree =
                    matches!(yes.coverage.union(no.coverage), Coverage::All | Coverage::Warps)
                        && exact.is_whole_warps_of(all);
                let coverage = if warps_agree { Coverage::Warps } else { Coverage::Some };
                let no = PartialThreads::new(all.difference(exact).union(&no.threads), coverage);
                Self::Parts {
                    yes: PartialThreads { threads: yes.threads.intersection(exact), ..yes.clone() },
                    no,
                }
            }
            (Self::Parts { yes: a, no: c }, Self::Parts { yes: b, no: d }) => {
                Self::Parts { yes: a.intersection(b), no: c.union(d, all) }
            }
        }
    }

    pub(super) fn or(&self, other: &Self, all: &ThreadSet) -> Self {
        self.not(all).and(&other.not(all), all).not(all)
    }

    /// Returns the exclusive or.
    pub(super) fn xor(&self, other: &Self, all: &ThreadSet) -> Self {
        if let (Self::Exact(a), Self::Exact(b)) = (self, other) {
            return Self::Exact(a.union(b).difference(&a.intersection(b)));
        }
        let coverage = match self.spread(all).max(other.spread(all)) {
            Spread::Block => Coverage::All,
            Spread::Warp => Coverage::Warps,
            Spread::Thread => Coverage::Some,
        };
        Self::unknown(all, coverage, coverage)
    }

    /// Returns the spread over the threads of `active`.
    pub(super) fn spread(&self, active: &ThreadSet) -> Spread {
        match self {
            Self::Exact(yes) => {
                if !active.intersects(yes) || active.is_subset(yes) {
                    Spread::Block
                } else if active.intersection(yes).is_whole_warps_of(active) {
                    Spread::Warp
                } else {
                    Spread::Thread
                }
            }
            Self::Parts { yes, no } => {
                let covers = active.is_subset(&yes.threads) && active.is_subset(&no.threads);
                match (yes.coverage, no.coverage) {
                    (Coverage::All, Coverage::All) if covers => Spread::Block,
                    (Coverage::All | Coverage::Warps, Coverage::All | Coverage::Warps) => {
                        Spread::Warp
                    }
                    (
                        Coverage::All
                        | Coverage::Warps
                        | Coverage::Guarded
                        | Coverage::Some
                        | Coverage::One,
                        _,
                    ) => Spread::Thread,
                }
            }
        }
    }

    /// Returns the split of `active` threads at this condition.
    pub(super) fn split(&self, active: &ActiveThreads) -> Split {
        match self {
            Self::Exact(yes) => Split::Known(yes.intersection(&active.threads)),
            Self::Parts { yes, no } => match self.spread(&active.threads) {
                Spread::Block => Split::Uniform,
                Spread::Warp => Split::UniformInWarps,
                Spread::Thread => match (yes.coverage, no.coverage) {
                    (Coverage::One, _) | (_, Coverage::One) => Split::AtMostOne,
                    (Coverage::Guarded, _) | (_, Coverage::Guarded) => Split::Guard,
                    (Coverage::All | Coverage::Warps | Coverage::Some, _) => {
                        let one = |part: &PartialThreads| {
                            active.threads.intersection(&part.threads).is_one_per_warp()
                        };
                        if one(yes) || one(no) { Split::OnePerWarp } else { Split::Unknown }
                    }
                },
            },
        }
    }
}

/// The largest group of threads that have the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spread {
    /// The threads of a block.
    Block,
    /// The threads of each warp.
    Warp,
    /// A single thread: each has its own value.
    Thread,
}

impl ActiveThreads {
    fn new(part: PartialThreads, cause: Option<InstId>) -> Self {
        let PartialThreads { threads, coverage, full_except_at_edges, launch_dependent } = part;
        Self { threads, coverage, cause, full_except_at_edges, launch_dependent }
    }

    /// Returns the threads of `part` among these, as the condition of `cause` selects them.
    pub(super) fn in_part(&self, part: &PartialThreads, cause: InstId) -> Self {
        let inside = self.to_partial().intersection(part);
        let changes = inside.threads != self.threads || inside.coverage != self.coverage;
        Self::new(inside, if changes { Some(cause) } else { self.cause })
    }

    pub(super) fn to_partial(&self) -> PartialThreads {
        let &Self { coverage, full_except_at_edges, launch_dependent, .. } = self;
        let threads = self.threads.clone();
        PartialThreads { threads, coverage, full_except_at_edges, launch_dependent }
    }

    /// Returns the union of threads from two branches.
    pub(super) fn or(&self, other: &Self, all: &ThreadSet) -> Self {
        Self::new(self.to_partial().union(&other.to_partial(), all), self.cause.or(other.cause))
    }
}
