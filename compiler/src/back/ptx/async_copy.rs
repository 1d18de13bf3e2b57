//! Asynchronous copies: `cp.async`, its groups and waits.
//!
//! Targets before [`HAS_ASYNC_COPIES`] copy at once, by a load and a store, and have nothing to
//! wait for.
use super::{
    Emitter,
    emitter::ptx,
    reg::{Class, Reg},
};
use crate::{ir::InstId, target::Target};

/// The oldest target with `cp.async`.
pub const HAS_ASYNC_COPIES: Target = Target::new(80);
/// The most groups that `ptxas` leaves pending. To wait for more of them is correct.
const MAX_PENDING_GROUPS: u64 = 63;

/// The instruction that copies `bytes` bytes, up to its operands. Copies of 16 bytes bypass the
/// first cache, which would only keep what is in shared memory already; others cannot.
pub const fn copy_instruction(bytes: u64) -> &'static str {
    if bytes == 16 { "cp.async.cg.shared.global" } else { "cp.async.ca.shared.global" }
}

/// The instruction that waits for all groups but the last `pending`.
pub fn wait_instruction(pending: u64) -> String {
    format!("cp.async.wait_group {}", pending.min(MAX_PENDING_GROUPS))
}

impl Emitter<'_> {
    /// Begins to copy `bytes` bytes.
    pub(super) fn async_copy(&mut self, to: InstId, from: InstId, bytes: u64) {
        if self.target < HAS_ASYNC_COPIES {
            return self.copy_at_once(to, from, bytes);
        }
        let (to, from) = (self.address(to), self.address(from));
        ptx!(self, "{} {to}, {from}, {bytes}", copy_instruction(bytes));
    }

    fn copy_at_once(&mut self, to: InstId, from: InstId, bytes: u64) {
        let how = self.how_to_load(from, false, None);
        let (to, from) = (self.address(to), self.address(from));
        let words: Vec<Reg> = (0..bytes / 4).map(|_| self.regs.fresh(Class::B32)).collect();
        let lanes: Vec<String> = words.iter().map(ToString::to_string).collect();
        let (ty, lanes) = match lanes.as_slice() {
            [word] => ("b32".to_owned(), word.clone()),
            _ => (format!("v{}.b32", lanes.len()), format!("{{{}}}", lanes.join(", "))),
        };
        ptx!(self, "{how}.{ty} {lanes}, {from}");
        ptx!(self, "st.shared.{ty} {to}, {lanes}");
    }

    /// Closes the group of copies.
    pub(super) fn async_commit(&mut self) {
        if self.target >= HAS_ASYNC_COPIES {
            ptx!(self, "cp.async.commit_group");
        }
    }

    /// Waits for all groups of copies but the last `pending`.
    pub(super) fn async_wait(&mut self, pending: u64) {
        if self.target >= HAS_ASYNC_COPIES {
            ptx!(self, "{}", wait_instruction(pending));
        }
    }
}
