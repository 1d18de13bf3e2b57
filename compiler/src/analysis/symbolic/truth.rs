//! `bool`s of the threads of a block, and what conditions make of the active threads.
use super::{Active, Split, Threads, Which};

/// Some threads, and which of them: as in [`Active`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// No others.
    pub(super) threads: Threads,
    /// Which of them.
    pub(super) which: Which,
    /// Whether none is missing but in blocks at an edge. Those of [`Which::Guarded`] are so; others may be as well.
    pub(super) edge: bool,
    /// As in [`Active::cut`].
    pub(super) cut: bool,
}

/// A `bool` in each thread of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// True in exactly these.
    Exact(Threads),
    /// True in some, and false in others.
    Parts {
        /// Where it is true.
        yes: Part,
        /// Where it is false.
        no: Part,
    },
}

impl Which {
    /// Threads that are of two such parts, which do not depend on each other.
    pub(super) const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::One, _) | (_, Self::One) => Self::One,
            (Self::All, which) | (which, Self::All) => which,
            (Self::Warps, Self::Warps) => Self::Warps,
            (Self::Guarded, Self::Guarded) => Self::Guarded,
            (
                Self::Warps | Self::Guarded | Self::Some,
                Self::Warps | Self::Guarded | Self::Some,
            ) => Self::Some,
        }
    }
    /// What both are, for threads that are once this and once that.
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
    /// Threads that are of either part.
    pub(super) const fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::All, Self::All) => Self::All,
            (Self::All | Self::Warps, Self::All | Self::Warps) => Self::Warps,
            (Self::Guarded, Self::Guarded) => Self::Guarded,
            (Self::Guarded | Self::Some | Self::One, _)
            | (_, Self::Guarded | Self::Some | Self::One) => Self::Some,
        }
    }
}

impl Part {
    pub(super) const fn new(threads: Threads, which: Which) -> Self {
        let edge = matches!(which, Which::All | Which::Guarded);
        Self { threads, which, edge, cut: matches!(which, Which::Guarded) }
    }
    pub(super) fn and(&self, other: &Self) -> Self {
        let edge = self.edge && other.edge;
        let which = match self.which.and(other.which) {
            Which::Some if edge => Which::Guarded,
            which => which,
        };
        let cut = self.cut || other.cut;
        Self { threads: self.threads.and(&other.threads), which, edge, cut }
    }
    /// Those of either, in a block of which `all` are the threads.
    pub(super) fn or(&self, other: &Self, all: &Threads) -> Self {
        let which = if self.threads.is_empty() {
            other.which
        } else if other.threads.is_empty() {
            self.which
        } else if self.threads == other.threads {
            self.which.or(other.which)
        } else {
            // One part may be here and the other not.
            match self.which.or(other.which) {
                Which::Guarded => Which::Guarded,
                Which::All | Which::Warps
                    if self.threads.is_of_warps(all) && other.threads.is_of_warps(all) =>
                {
                    Which::Warps
                }
                Which::All | Which::Warps | Which::Some | Which::One => Which::Some,
            }
        };
        let (edge, cut) = (self.edge && other.edge, self.cut || other.cut);
        Self { edge, cut, ..Self::new(self.threads.or(&other.threads), which) }
    }
}

impl Truth {
    /// The same in all threads, and not known; `yes` and `no` say which threads are meant by all.
    pub(super) fn of(threads: &Threads, yes: Which, no: Which) -> Self {
        let part = |which| Part::new(threads.clone(), which);
        Self::Parts { yes: part(yes), no: part(no) }
    }

    /// Where it is true, and where it is false, in a block of which `all` are the threads.
    pub(super) fn parts(&self, all: &Threads) -> (Part, Part) {
        match self {
            Self::Exact(yes) => {
                (Part::new(yes.clone(), Which::All), Part::new(all.without(yes), Which::All))
            }
            Self::Parts { yes, no } => (yes.clone(), no.clone()),
        }
    }

    pub(super) fn not(&self, all: &Threads) -> Self {
        match self {
            Self::Exact(yes) => Self::Exact(all.without(yes)),
            Self::Parts { yes, no } => Self::Parts { yes: no.clone(), no: yes.clone() },
        }
    }

    pub(super) fn and(&self, other: &Self, all: &Threads) -> Self {
        match (self, other) {
            (Self::Exact(a), Self::Exact(b)) => Self::Exact(a.and(b)),
            (Self::Exact(exact), parts @ Self::Parts { yes, no })
            | (parts @ Self::Parts { yes, no }, Self::Exact(exact)) => {
                if exact.is_empty() {
                    return Self::Exact(exact.clone());
                }
                if exact == all {
                    return parts.clone();
                }
                let which = if yes.which.or(no.which) == Which::Warps && exact.is_of_warps(all)
                    || yes.which.or(no.which) == Which::All && exact.is_of_warps(all)
                {
                    Which::Warps
                } else {
                    Which::Some
                };
                let no = Part::new(all.without(exact).or(&no.threads), which);
                Self::Parts { yes: Part { threads: yes.threads.and(exact), ..yes.clone() }, no }
            }
            (Self::Parts { yes: a, no: c }, Self::Parts { yes: b, no: d }) => {
                Self::Parts { yes: a.and(b), no: c.or(d, all) }
            }
        }
    }

    pub(super) fn or(&self, other: &Self, all: &Threads) -> Self {
        self.not(all).and(&other.not(all), all).not(all)
    }

    /// True where one of them is and the other is not.
    pub(super) fn xor(&self, other: &Self, all: &Threads) -> Self {
        if let (Self::Exact(a), Self::Exact(b)) = (self, other) {
            return Self::Exact(a.or(b).without(&a.and(b)));
        }
        let which = match self.spread(all).max(other.spread(all)) {
            Spread::Block => Which::All,
            Spread::Warp => Which::Warps,
            Spread::Thread => Which::Some,
        };
        Self::of(all, which, which)
    }

    /// How far it is the same, in the threads of `active`.
    pub(super) fn spread(&self, active: &Threads) -> Spread {
        match self {
            Self::Exact(yes) => {
                if !active.meets(yes) || active.is_in(yes) {
                    Spread::Block
                } else if active.and(yes).is_of_warps(active) {
                    Spread::Warp
                } else {
                    Spread::Thread
                }
            }
            Self::Parts { yes, no } => {
                let covers = active.is_in(&yes.threads) && active.is_in(&no.threads);
                match (yes.which, no.which) {
                    (Which::All, Which::All) if covers => Spread::Block,
                    (Which::All | Which::Warps, Which::All | Which::Warps) => Spread::Warp,
                    (Which::All | Which::Warps | Which::Guarded | Which::Some | Which::One, _) => {
                        Spread::Thread
                    }
                }
            }
        }
    }

    /// What it does to `active` threads as a condition.
    pub(super) fn split(&self, active: &Active) -> Split {
        match self {
            Self::Exact(yes) => Split::Known(yes.and(&active.threads)),
            Self::Parts { yes, no } => match self.spread(&active.threads) {
                Spread::Block => Split::Uniform,
                Spread::Warp => Split::UniformInWarps,
                Spread::Thread => match (yes.which, no.which) {
                    (Which::One, _) | (_, Which::One) => Split::AtMostOne,
                    (Which::Guarded, _) | (_, Which::Guarded) => Split::Guard,
                    (Which::All | Which::Warps | Which::Some, _) => {
                        let one = |part: &Part| active.threads.and(&part.threads).is_one_per_warp();
                        if one(yes) || one(no) { Split::OnePerWarp } else { Split::Unknown }
                    }
                },
            },
        }
    }
}

/// Which threads have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spread {
    /// Those of a block.
    Block,
    /// Those of each warp.
    Warp,
    /// Each has its own.
    Thread,
}

impl Active {
    fn new(part: Part, because: Option<crate::ir::InstId>) -> Self {
        let Part { threads, which, edge, cut } = part;
        Self { threads, which, because, edge, cut }
    }
    /// Those in which `part` holds as well, which the condition of `because` decides.
    pub(super) fn in_part(&self, part: &Part, because: crate::ir::InstId) -> Self {
        let inside = self.part().and(part);
        let changes = inside.threads != self.threads || inside.which != self.which;
        Self::new(inside, if changes { Some(because) } else { self.because })
    }
    pub(super) fn part(&self) -> Part {
        let &Self { which, edge, cut, .. } = self;
        Part { threads: self.threads.clone(), which, edge, cut }
    }
    /// Those who come from here, and those who come from there.
    pub(super) fn or(&self, other: &Self, all: &Threads) -> Self {
        Self::new(self.part().or(&other.part(), all), self.because.or(other.because))
    }
}
