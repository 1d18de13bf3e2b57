//! Execution of bytecode.
//!
//! | | |
//! |---|---|
//! | [`bound`] | a launch bound to its bytecode |
//! | [`grid`] | the blocks of a launch, on the cores of the host |
//! | [`block`] | one block, whose strands take turns |
//! | [`cluster`] | the state that the blocks of a cluster share |
//! | [`strand`] | converged lanes, and the frames in which others wait for them |
//! | [`step`] | the interpreter loop of one strand, with a file for each kind of instruction |
//! | [`async_copies`] | asynchronous copies that are not done yet |
//! | [`mbarriers`] | the mbarriers of a block |
//! | [`replay`] | rounds (neighbouring blocks, or iterations) that are recorded once and replayed |
//! | [`schedule`] | the order of turns, drawn from a seed |
//! | [`state_cycle`] | detection of states that recur, of which livelock detection is made |
pub(crate) mod async_copies;
pub(crate) mod block;
pub(crate) mod bound;
pub(crate) mod cluster;
pub(crate) mod grid;
pub(crate) mod mbarriers;
pub(crate) mod replay;
pub(crate) mod schedule;
pub(crate) mod state_cycle;
pub(crate) mod step;
pub(crate) mod strand;
