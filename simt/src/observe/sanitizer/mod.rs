//! The sanitizer: what the launches of a [`CheckedProgram`](crate::CheckedProgram) are checked for.
//!
//! Two accesses race if they touch the same byte, come from different threads, one of them at least
//! writes, not both are atomic, and nothing orders them: no barrier that both threads pass between
//! them, no `sync_warp` of both lanes, and no chain of releases and acquires.
//!
//! | | |
//! |---|---|
//! | [`checks`] | which checks there are |
//! | [`access_log`] | what the threads of a block access until the next barrier, in few bytes |
//! | [`happens_before`] | which accesses of a block come after which, and which of other blocks a thread knows of |
//! | [`shadow`] | who has accessed each cell of a memory, as far as later accesses can race with it |
//! | [`global`] | the same of global memory, by pieces of it |
//! | [`contexts`] | the contexts of accesses to it |
//! | [`rounds`] | what blocks and iterations access that run alike |
//! | [`release_acquire`] | what threads know of each other by releases and acquires |
//! | [`launch`] | what the checks know of a launch |
//! | [`undefined`] | values that nobody has written |
//! | [`defined`] | the cells of shared memory that somebody has written |
//! | [`block`] | what is kept of a block: its log, and the shadow of its shared memory |
//! | [`found`] | races, joined where they are the same two places |
//! | [`unused`] | memory that no thread uses |
//! | [`out_of_bounds`] | which buffer an index out of bounds misses |
//! | [`finding`] | how they are reported |
//! | [`misuse`], [`sync_finding`] | barriers and masks that are not what they have to be, and how they are reported |
//! | [`order_dependence`] | whether what is left behind depends on the order of threads |
//!
//! What a block accesses in shared memory between two barriers is only looked at closely if it is not,
//! to the byte, what was looked at before and found to be clean; most intervals are. What is found does
//! not depend on the number of workers.
pub(crate) mod access_log;
pub(crate) mod block;
pub(crate) mod checks;
pub(crate) mod contexts;
pub(crate) mod defined;
pub(crate) mod finding;
pub(crate) mod found;
pub(crate) mod global;
pub(crate) mod happens_before;
pub(crate) mod launch;
pub(crate) mod misuse;
pub(crate) mod order_dependence;
pub(crate) mod out_of_bounds;
pub(crate) mod release_acquire;
pub(crate) mod rounds;
pub(crate) mod shadow;
pub(crate) mod sync_finding;
pub(crate) mod undefined;
pub(crate) mod unused;

pub(crate) use block::BlockChecks;
pub(crate) use launch::LaunchChecks;
