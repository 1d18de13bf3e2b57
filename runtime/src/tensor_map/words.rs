//! The copy from shared memory that [`TensorMap2Mut`](crate::TensorMap2Mut) and
//! [`TensorMap3Mut`](crate::TensorMap3Mut) call.
use crate::host::only_in_a_kernel;

/// Begins to copy a box from shared memory to a tensor.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn store<M, T, A>(_map: &M, _from: &T, _at: A) {
    only_in_a_kernel("`TensorMap2Mut::store`")
}
