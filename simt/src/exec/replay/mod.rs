//! Rounds that are alike: neighbouring blocks, or iterations of a loop, that take the same steps.
//!
//! In most kernels the values held once are in proportion to the number of the round: the index of a block times how
//! many threads it has, the counter of a loop, and what is computed from these by sums and products with what stays the
//! same. So they are followed as [numbers](linear): what a value is in the first round, and how much more in each that follows.
//! The steps of the first round are [gone through](record) once. Each comparison, each index and each access then says
//! for how many rounds it comes out the same: for as long as a number that grows or falls in equal steps stays on
//! its side of a limit. What is left of a round are the operations on lanes, as a [list](lane_instrs): in each of those rounds
//! they are done one after the other, without looking at the steps between them. Where the machine has AVX-512, the list is
//! [compiled](compile()) if all of it can be, so that lanes stay in vector registers from operation to operation. Elsewhere some
//! operations [take](fuse()) their operands from memory, or leave their result there. What is counted and checked is the same in each round, too, but that what is accessed
//! [goes on](effects) by as many bytes; so it is [counted](count) at once, and noted round by round.
//!
//! Nothing is done before it is known for how many rounds all of that holds. What does not hold for a single one (lanes
//! that part, an access outside, addresses that only lanes have) is left to [`crate::exec::step`].
mod compile;
mod count;
mod effects;
mod fuse;
mod lane_instrs;
mod linear;
mod record;

pub(crate) use compile::compile;
pub(crate) use count::Counts;
pub(crate) use effects::Noted;
pub(crate) use fuse::fuse;
pub(crate) use linear::Numbers;

pub(crate) use lane_instrs::{LaneInstr, run};
pub(crate) use record::{Fails, Trace};

/// Whether to try how many rounds are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tries {
    /// After so many rounds; if it is in vain, after so many more.
    After {
        left: u32,
        more: u32,
    },
    Never,
}

impl Default for Tries {
    fn default() -> Self {
        Self::After { left: 0, more: 1 }
    }
}

impl Tries {
    /// Whether it is time to, in a round.
    #[inline(always)]
    pub(crate) fn is_time(&mut self) -> bool {
        match self {
            Self::After { left: 0, .. } => true,
            Self::After { left, .. } => {
                *left -= 1;
                false
            }
            Self::Never => false,
        }
    }

    /// When to try again, at the latest after so many rounds.
    pub(crate) fn after<T>(self, tried: &Result<T, Fails>, latest: u32) -> Self {
        match (tried, self) {
            (Err(Fails::Ever), _) | (_, Self::Never) => Self::Never,
            (Ok(_), Self::After { .. }) => Self::default(),
            (Err(Fails::Here), Self::After { more, .. }) => {
                Self::After { left: more, more: (2 * more).min(latest) }
            }
        }
    }
}
