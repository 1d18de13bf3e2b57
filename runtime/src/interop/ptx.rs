//! Kernels as PTX, launched by other libraries.
use warpwise_compiler::fault::FaultRecord;

/// Returns an empty fault record, which launches of a kernel's `PTX` by another library take as
/// their last argument, in words of 64 bits.
///
/// The constant `PTX` of a kernel, as `saxpy::PTX`, loads with every library that loads PTX. It has
/// one entry of the kernel's name. Its parameters are those of the kernel in order, where a slice
/// is its address and its length, 64 bits each, and after them the address of this record in the
/// memory of the GPU. `flag` is the address of 32 bits there that a failed check sets. After the
/// launch, the first word of the record is the number of threads that failed a check. A launch has
/// fewer than 2^32 threads, unless the kernel has `wide_index`. Kernels that print, are cooperative
/// or size shared memory at launch have further parameters, so that only Warpwise launches them.
///
/// ```
/// use warpwise::{interop, prelude::*};
///
/// #[kernel]
/// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     if let (Some(x), Some(y)) = (x.get(global_idx_x()), y.get_mut(global_idx_x())) {
///         *y += a * x;
///     }
/// }
///
/// // Parameters: `a`, the address and the length of `x`, those of `y`, and that of the record.
/// assert!(saxpy::PTX.contains(".entry saxpy("));
/// let record = interop::empty_fault_record(0x1000);
/// assert_eq!(record[0], 0);
/// ```
pub fn empty_fault_record(flag: u64) -> Vec<u64> {
    let FaultRecord { count, check, values, flag } = FaultRecord { flag, ..FaultRecord::EMPTY };
    let mut words = vec![count];
    words.extend(check);
    words.extend(values.as_flattened());
    words.push(flag);
    words
}
