//! Replay: rounds with the same control flow are recorded once and replayed many times. Rounds are
//! neighbouring blocks, or iterations of a loop.
//!
//! In most kernels the uniform values are linear in the number of the round: the index of a block
//! times the number of its threads, the counter of a loop, and sums and products of these with
//! constants. So they are represented as [linear functions](linear): a value in the first round and
//! its increment per round. The [recorder](record) executes the first round once. Each comparison,
//! each index and each access then limits the number of rounds with the same outcome: as long as a
//! linear function stays on its side of a limit. The result is a list of [lane
//! instructions](lane_instrs), which all these rounds execute without control flow. Where the
//! machine has AVX-512, the list is [compiled](compile()) if all of it can be, so that lanes stay
//! in vector registers between operations. Elsewhere some operations are [fused](fuse()) with loads
//! and stores. The [`effects`] to count and to check are the same in each round, too, but
//! for addresses, which advance by a constant; so they are [counted](count) at once, and checked
//! round by round.
//!
//! Lanes of a block may decide a condition differently, if compiled code can [clip] the rounds to
//! the lanes where it holds.
//!
//! Nothing happens before the number of rounds is known. A round that cannot be recorded (lanes
//! diverge, an access is out of bounds, addresses are in lanes) runs in [`crate::exec::step`].
mod clip;
mod compile;
mod count;
mod effects;
mod fuse;
mod lane_instrs;
mod linear;
mod record;

pub(crate) use clip::Clips;
pub(crate) use compile::{CompiledRounds, compile, compile_clipped};
pub(crate) use count::ReplayCounter;
pub(crate) use effects::Effects;
pub(crate) use fuse::fuse;
pub(crate) use linear::LinearValues;

pub(crate) use lane_instrs::{LaneInstr, run_lane_instrs};
pub(crate) use record::{Failure, Recorder};

/// The backoff of attempts to replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backoff {
    /// The next attempt is in `left` rounds; if it fails, the one after that in `more`.
    After {
        left: u32,
        more: u32,
    },
    Never,
}

impl Default for Backoff {
    fn default() -> Self {
        Self::After { left: 0, more: 1 }
    }
}

impl Backoff {
    /// Returns true if an attempt is due in this round.
    #[inline(always)]
    pub(crate) fn is_due(&mut self) -> bool {
        match self {
            Self::After { left: 0, .. } => true,
            Self::After { left, .. } => {
                *left -= 1;
                false
            }
            Self::Never => false,
        }
    }

    /// Returns the backoff after an attempt, at most `latest` rounds.
    pub(crate) fn after_attempt<T>(self, tried: &Result<T, Failure>, latest: u32) -> Self {
        match (tried, self) {
            (Err(Failure::Always), _) | (_, Self::Never) => Self::Never,
            (Ok(_), Self::After { .. }) => Self::default(),
            (Err(Failure::ThisRound), Self::After { more, .. }) => {
                Self::After { left: more, more: (2 * more).min(latest) }
            }
        }
    }
}
