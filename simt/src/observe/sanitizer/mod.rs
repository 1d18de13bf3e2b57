//! The sanitizer: the checks of a launch of a [`CheckedProgram`](crate::CheckedProgram).
//!
//! Two accesses race if they touch the same byte, come from different threads, at least one of them
//! writes, at least one is not atomic, and nothing orders them: no barrier that both threads pass
//! between them, no `sync_warp` of both lanes, and no chain of releases and acquires.
//!
//! | | |
//! |---|---|
//! | [`checks`] | the set of checks that a launch requests |
//! | [`access_log`] | the log of a block's accesses between two barriers, in compact form |
//! | [`happens_before`] | the happens-before order of accesses |
//! | [`release_acquire`] | its part by releases and acquires, as vector clocks |
//! | [`shadow`] | the accesses of each cell of a memory that later accesses can race with |
//! | [`global`] | the shadow of global memory, by pieces of it |
//! | [`contexts`] | the contexts of accesses to global memory |
//! | [`replayed_accesses`] | the accesses of replayed blocks and iterations |
//! | [`launch`] | the state that the checks of all blocks share |
//! | [`undefined`] | undefined values, and their propagation |
//! | [`defined`] | the defined cells of shared memory |
//! | [`block`] | the analysis of one block: its log, and the shadow of its shared memory |
//! | [`cluster`] | the analysis of the shared memory of a cluster |
//! | [`raw_findings`] | races and other findings by number, merged by place |
//! | [`unused`] | detection of unused memory |
//! | [`pending_copies`] | accesses that come before an asynchronous copy is waited for |
//! | [`tile_reads`] | the reads of products of warpgroups |
//! | [`out_of_bounds`] | the buffer that an index out of bounds misses |
//! | [`finding`] | the findings that users see, as data and as text |
//! | [`misuse`], [`sync_finding`] | barrier divergence and mask misuse: detection and findings |
//! | [`order_dependence`] | findings of results that depend on the order of threads |
//!
//! The accesses to shared memory between two barriers are an interval. An interval with exactly the
//! accesses of an earlier one without findings, to the byte, is not analysed again; most are of
//! this kind. Findings do not depend on the number of workers.
pub(crate) mod access_log;
pub(crate) mod block;
pub(crate) mod checks;
pub(crate) mod cluster;
pub(crate) mod contexts;
pub(crate) mod defined;
pub(crate) mod finding;
pub(crate) mod global;
pub(crate) mod happens_before;
pub(crate) mod launch;
pub(crate) mod misuse;
pub(crate) mod order_dependence;
pub(crate) mod out_of_bounds;
pub(crate) mod pending_copies;
pub(crate) mod raw_findings;
pub(crate) mod release_acquire;
pub(crate) mod replayed_accesses;
pub(crate) mod shadow;
pub(crate) mod sync_finding;
pub(crate) mod tile_reads;
pub(crate) mod undefined;
pub(crate) mod unused;

pub(crate) use block::BlockChecks;
pub(crate) use launch::LaunchChecks;
