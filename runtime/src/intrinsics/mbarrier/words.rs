//! Mbarriers as words of shared memory: the functions that [`MBarrier`](crate::MBarrier) calls.
use crate::host::only_in_a_kernel;
use std::sync::atomic::AtomicU64;

/// Arrives, and returns a token of the current phase.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn arrive(_word: &AtomicU64) -> u64 {
    only_in_a_kernel("`MBarrier::arrive`")
}

/// Waits until the phase of a token is complete.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn wait(_word: &AtomicU64, _token: u64) {
    only_in_a_kernel("`MBarrier::wait`")
}

/// Waits until the phase of a parity is complete.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn wait_parity(_word: &AtomicU64, _parity: u32) {
    only_in_a_kernel("`MBarrier::wait_parity`")
}

/// Begins to copy a box of a tensor to shared memory.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn tensor_copy<T, M, A>(_word: &AtomicU64, _to: &mut T, _map: &M, _at: A) {
    only_in_a_kernel("`MBarrier::tensor_copy`")
}

/// Begins to copy a box of a tensor to the shared memory of several blocks of the cluster.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn tensor_copy_multicast<T, M, A>(
    _word: &AtomicU64,
    _to: &mut T,
    _map: &M,
    _at: A,
    _blocks: u32,
) {
    only_in_a_kernel("`MBarrier::tensor_copy_multicast`")
}

/// Arrives, lets the phase expect bytes, and returns a token of the current phase.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn arrive_expect_tx(_word: &AtomicU64, _bytes: u32) -> u64 {
    only_in_a_kernel("`MBarrier::arrive_expect_tx`")
}

/// Begins to copy a value from a buffer to shared memory.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn bulk_copy<T>(_word: &AtomicU64, _to: &mut T, _from: &T) {
    only_in_a_kernel("`MBarrier::bulk_copy`")
}
