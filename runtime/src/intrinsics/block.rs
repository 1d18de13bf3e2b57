//! Reductions and scans over the threads of a block, beyond its [barriers](crate::sync_threads).
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// The largest of each block's elements, and how far each is below it.
//! #[kernel(block = 256)]
//! fn below(x: &[f32], y: &mut [f32]) {
//!     let i = global_idx_x();
//!     let own = if i < x.len() { x[i] } else { f32::NEG_INFINITY };
//!     let most = block::reduce_max(own);
//!     if i < y.len() {
//!         y[i] = most - own;
//!     }
//! }
//! # fn main() -> warpwise::Result<()> {
//! # let device = Device::cpu();
//! # let x = device.upload(&[1.0f32, 5.0, 2.0])?;
//! # let mut y = device.zeros::<f32>(3)?;
//! # below::launch(&device, LaunchConfig::cover(3), &x, &mut y)?;
//! # assert_eq!(y.to_vec()?, [4.0, 0.0, 3.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Every thread of the block must reach the call, which is a barrier: threads wait for one another,
//! twice, and accesses to memory before the call are done after it. A block may have any shape and
//! number of threads; their order is that of [`thread_rank`]. If a thread has returned before, the
//! result is unspecified.
//!
//! Values may be numbers, `bool`, and structs, tuples and arrays of them. The closure that combines
//! them must be associative; it need not be commutative, and must not wait for other threads. The
//! values of a warp are combined as a balanced tree, then those of the warps, so that results are
//! the same on every device and in every run.
//!
//! Each call in the source has shared memory of its own, 33 values for a reduction and 64 for a
//! scan: a `#[device]` function that is called several times has it several times.
//!
//! On the host all but [`thread_rank`] and [`size`] panic: see [`host`](crate::host).
use crate::{
    Num, block_dim_x, block_dim_y, block_dim_z,
    host::{only_in_a_kernel, thread_number},
};

/// Returns the number of the thread in its block, x counting fastest: from 0 to [`size`]` - 1`.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = (8, 4))]
/// fn example(out: &mut [usize]) {
///     out[block::thread_rank()] = thread_idx_y();
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<usize>(32)?;
/// # example::launch(&device, LaunchConfig::grid((1, 1)), &mut out)?;
/// assert_eq!(out.to_vec()?[7..9], [0, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn thread_rank() -> usize {
    thread_number()
}

/// Returns the number of threads of a block.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = block::size() as u32 + lane;
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [32, 33, 34, 35]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn size() -> usize {
    block_dim_x() * block_dim_y() * block_dim_z()
}

macro_rules! combined {
    ($($(#[$doc:meta])* $name:ident($($identity:ident)?);)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name<T: Copy, F: Fn(T, T) -> T>(_value: T, $($identity: T,)? _combine: F) -> T {
            only_in_a_kernel(concat!("`block::", stringify!($name), "`"))
        }
    )*};
}
combined! {
    /// Combines the values of all threads in the order of the threads; every thread gets the
    /// result.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// The place of the largest element of a block of 64: pairs of a value and its index.
    /// #[kernel(block = 64)]
    /// fn argmax(x: &[i32; 64], out: &mut [usize]) {
    ///     let t = thread_idx_x();
    ///     let best = block::reduce((x[t], t), |a, b| if b.0 > a.0 { b } else { a });
    ///     if t == 0 && out.len() > 0 {
    ///         out[0] = best.1;
    ///     }
    /// }
    /// # let device = Device::cpu();
    /// # let x = device.upload(&[std::array::from_fn::<i32, 64, _>(|i| -(i as i32 - 40).pow(2))])?;
    /// # let mut out = device.zeros::<usize>(1)?;
    /// # argmax::launch(&device, LaunchConfig::grid(1), &x, &mut out)?;
    /// assert_eq!(out.to_vec()?, [40]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce();
    /// Combines the values of the threads up to and including this one.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// The largest element so far.
    /// #[kernel(block = 64)]
    /// fn running_max(x: &mut [i32]) {
    ///     let i = global_idx_x();
    ///     let own = if i < x.len() { x[i] } else { i32::MIN };
    ///     let most = block::inclusive_scan(own, |a, b| a.max(b));
    ///     if i < x.len() {
    ///         x[i] = most;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.upload(&[3, 1, 4, 1, 5, 2])?;
    /// running_max::launch(&device, LaunchConfig::cover(6), &mut x)?;
    /// assert_eq!(x.to_vec()?, [3, 3, 4, 4, 5, 5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    inclusive_scan();
    /// Combines the values of the threads before this one; the first thread gets `identity`, which
    /// is not combined with anything.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// The product of the elements before each.
    /// #[kernel(block = 64)]
    /// fn products_before(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     let own = if i < x.len() { x[i] } else { 1 };
    ///     let before = block::exclusive_scan(own, 1, |a, b| a * b);
    ///     if i < x.len() {
    ///         x[i] = before;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.upload(&[2u32, 3, 5, 7])?;
    /// products_before::launch(&device, LaunchConfig::cover(4), &mut x)?;
    /// assert_eq!(x.to_vec()?, [1, 2, 6, 30]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    exclusive_scan(_identity);
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name<T: Num>(_value: T) -> T {
            only_in_a_kernel(concat!("`block::", stringify!($name), "`"))
        }
    )*};
}
numbers! {
    /// Returns the sum of the values of all threads, integers or floats, to each of them.
    /// Integers wrap, and floats are added warp by warp as
    /// [`warp::reduce_add`](crate::warp::reduce_add) does, then the sums of the warps as a balanced
    /// tree, neighbours first.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// The sum of each block's elements.
    /// #[kernel(block = 64)]
    /// fn sums(x: &[u32], y: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     let sum = block::reduce_add(if i < x.len() { x[i] } else { 0 });
    ///     if thread_idx_x() == 0 {
    ///         y[block_idx_x()] = sum;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1u32; 100])?;
    /// let mut y = device.zeros::<u32>(2)?;
    /// sums::launch(&device, LaunchConfig::cover(100), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [64, 36]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_add;
    /// Returns the smallest value of all threads, by `min`, to each of them.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// The distance of each element from the smallest one of its block.
    /// #[kernel(block = 32)]
    /// fn above_least(x: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     let own = if i < x.len() { x[i] } else { f32::INFINITY };
    ///     let least = block::reduce_min(own);
    ///     if i < x.len() {
    ///         x[i] = own - least;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.upload(&[4.0f32, 1.5, 3.0])?;
    /// above_least::launch(&device, LaunchConfig::cover(3), &mut x)?;
    /// assert_eq!(x.to_vec()?, [2.5, 0.0, 1.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_min;
    /// Returns the largest value of all threads, by `max`, to each of them.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Scales each block's elements such that the largest is 1.
    /// #[kernel(block = 32)]
    /// fn normalize(x: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     let own = if i < x.len() { x[i] } else { 0.0 };
    ///     let most = block::reduce_max(own);
    ///     if i < x.len() {
    ///         x[i] = own / most;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.upload(&[1.0f32, 4.0, 2.0])?;
    /// normalize::launch(&device, LaunchConfig::cover(3), &mut x)?;
    /// assert_eq!(x.to_vec()?, [0.25, 1.0, 0.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_max;
    /// Returns the sum of the values of the threads up to this one, its own included. Integers
    /// wrap.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// The end of each part of an array, for the lengths of the parts.
    /// #[kernel(block = 64)]
    /// fn ends(lengths: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     let end = block::inclusive_sum(if i < lengths.len() { lengths[i] } else { 0 });
    ///     if i < lengths.len() {
    ///         lengths[i] = end;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut lengths = device.upload(&[3u32, 0, 2, 4])?;
    /// ends::launch(&device, LaunchConfig::cover(4), &mut lengths)?;
    /// assert_eq!(lengths.to_vec()?, [3, 3, 5, 9]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    inclusive_sum;
    /// Returns the sum of the values of the threads before this one; 0 for the first. Integers
    /// wrap.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Moves the even numbers to the front: each has a place after those of the threads before.
    /// #[kernel(block = 64)]
    /// fn keep_even(x: &[u32], y: &mut [u32]) {
    ///     let i = thread_idx_x();
    ///     let is_kept = i < x.len() && x[i] % 2 == 0;
    ///     let place = block::exclusive_sum(is_kept as u32) as usize;
    ///     if is_kept {
    ///         y[place] = x[i];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1u32, 2, 4, 5, 8])?;
    /// let mut y = device.zeros::<u32>(3)?;
    /// keep_even::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [2, 4, 8]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    exclusive_sum;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LaunchConfig, host::for_each_thread};

    #[test]
    fn threads_are_numbered_in_their_block() {
        let mut seen = Vec::new();
        let config = LaunchConfig::grid(2).block((3, 4, 5));
        for_each_thread(config, || seen.push((thread_rank(), size()))).unwrap();
        let expected: Vec<_> = (0..120).map(|thread| (thread % 60, 60)).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    #[should_panic(expected = "`block::exclusive_scan` needs the other threads of a launch")]
    fn scans_panic_on_the_host() {
        exclusive_scan(1, 0, |a, b| a + b);
    }

    #[test]
    #[should_panic(expected = "`block::reduce_add` needs the other threads of a launch")]
    fn sums_panic_on_the_host() {
        reduce_add(1.5f32);
    }
}
