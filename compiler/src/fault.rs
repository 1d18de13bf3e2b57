//! What a faulting thread leaves behind on a GPU.
//!
//! The launcher passes every kernel, as its last parameter, the address of one
//! [`FaultRecord`] in device memory, filled with [`FaultRecord::EMPTY`]. A thread
//! whose check fails counts itself, and where no thread with a lower key has
//! faulted writes its details; then it exits. Nothing traps, so the context lives on.

/// The record, as it lies in device memory (64 bytes, little-endian).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    /// The lowest `block number * threads in a block + thread number in the block` of all
    /// faulting threads (x fastest in both); `u64::MAX` if none faulted.
    pub key: u64,
    /// How many threads faulted.
    pub count: u32,
    /// Held (1) by the thread that is writing the details.
    pub lock: u32,
    /// The failed check's [`Span`](crate::ir::Span), as a number.
    pub span: u32,
    /// The [`Fault`](crate::ir::Fault), as a number.
    pub fault: u32,
    /// The index, for an index out of bounds.
    pub index: u64,
    /// The length, for an index out of bounds.
    pub len: u64,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index.
    pub thread: [u32; 3],
}

impl FaultRecord {
    /// No thread has faulted.
    pub const EMPTY: Self = Self {
        key: u64::MAX,
        count: 0,
        lock: 0,
        span: 0,
        fault: 0,
        index: 0,
        len: 0,
        block: [0; 3],
        thread: [0; 3],
    };
}
