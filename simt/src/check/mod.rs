//! The sanitizer: what the launches of a [`CheckedProgram`](crate::CheckedProgram) are checked for.
//!
//! Two accesses race if they touch the same byte, come from different threads, one of them at least
//! writes, not both are atomic, and nothing orders them: no barrier that both threads pass between
//! them, no `sync_warp` of both lanes, and no chain of releases and acquires.
//!
//! | | |
//! |---|---|
//! | [`choice`] | which checks there are |
//! | [`site`] | what lowering notes of each access |
//! | [`log`] | what the threads of a block access until the next barrier, in few bytes |
//! | [`order`] | which accesses of a block come after which, and which of other blocks a thread knows of |
//! | [`shadow`] | who has accessed each cell of a memory, as far as later accesses can race with it |
//! | [`global`] | the same of global memory, by pieces of it |
//! | [`contexts`] | the contexts of accesses to it |
//! | [`alike`] | what blocks and iterations access that run alike |
//! | [`sync`] | what threads know of each other by releases and acquires |
//! | [`bound`] | what the checks know of a launch |
//! | [`undefined`] | values that nobody has written |
//! | [`defined`] | the cells of shared memory that somebody has written |
//! | [`block`] | what is kept of a block: its log, and the shadow of its shared memory |
//! | [`found`] | races, joined where they are the same two places |
//! | [`unused`] | memory that no thread uses |
//! | [`outside`] | which buffer an index out of bounds misses |
//! | [`finding`] | how they are reported |
//! | [`misuse`], [`meeting`] | barriers and masks that are not what they have to be, and how they are reported |
//! | [`orders`] | whether what is left behind depends on the order of threads |
//!
//! What a block accesses in shared memory between two barriers is only looked at closely if it is not,
//! to the byte, what was looked at before and found to be clean; most intervals are. What is found does
//! not depend on the number of workers.
pub(crate) mod alike;
pub(crate) mod block;
pub(crate) mod bound;
pub(crate) mod choice;
pub(crate) mod contexts;
pub(crate) mod defined;
pub(crate) mod finding;
pub(crate) mod found;
pub(crate) mod global;
pub(crate) mod log;
pub(crate) mod meeting;
pub(crate) mod misuse;
pub(crate) mod order;
pub(crate) mod orders;
pub(crate) mod outside;
pub(crate) mod shadow;
pub(crate) mod site;
pub(crate) mod sync;
pub(crate) mod undefined;
pub(crate) mod unused;

pub(crate) use block::BlockChecks;
pub(crate) use bound::BoundChecks;
pub(crate) use site::Site;
