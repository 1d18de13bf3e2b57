//! Loads and stores with a cache operator, such as CUDA's `__ldcs`, and prefetches.
//!
//! ```
//! use warpwise::prelude::*;
//!
//! /// Reads and writes each element once: neither is worth a place in the caches.
//! #[kernel]
//! fn scale(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = global_idx_x();
//!     if i < x.len() {
//!         cache::store_cs(&mut y[i], a * cache::load_cs(&x[i]));
//!     }
//! }
//!
//! # fn main() -> warpwise::Result<()> {
//! let device = Device::auto()?;
//! let x = device.upload(&[1.0f32, 2.0])?;
//! let mut y = device.zeros::<f32>(2)?;
//! scale::launch(&device, LaunchConfig::cover(2), 3.0, &x, &mut y)?;
//! assert_eq!(y.to_vec()?, [3.0, 6.0]);
//! # Ok(())
//! # }
//! ```
//!
//! An operator is a hint: it changes which caches keep a line and for how long, and no value. In
//! particular, [`load_cv`] is no way to wait for another thread; atomics are.
//!
//! References are to buffers of the device, of values of any type that is [`Copy`]: elements,
//! vectors, fields, arrays. Other memory has no such caches and is an error at build time. Indices
//! are checked as always.
//!
//! Two loads or stores of neighbours are one request if their operators are equal; the LLVM back
//! end makes none of them. A load whose value chooses where the kernel accesses memory that it also
//! writes keeps no operator: the value has to be read exactly once.

macro_rules! loads {
    ($($(#[$doc:meta])+ $name:ident,)+) => {$(
        $(#[$doc])+
        ///
        /// On the host, a plain read.
        pub fn $name<T: Copy>(from: &T) -> T {
            *from
        }
    )+};
}

macro_rules! stores {
    ($($(#[$doc:meta])+ $name:ident,)+) => {$(
        $(#[$doc])+
        ///
        /// On the host, a plain write.
        pub fn $name<T: Copy>(to: &mut T, value: T) {
            *to = value;
        }
    )+};
}

loads! {
    /// Loads a value that all caches keep: `ld.ca`, `__ldca`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Looks values up in a small table, which many threads of a multiprocessor read again.
    /// #[kernel]
    /// fn example(table: &[f32], x: &[usize], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = cache::load_ca(&table[x[i]]);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let (table, x) = (device.upload(&[10.0f32, 20.0])?, device.upload(&[1usize, 0, 1])?);
    /// let mut y = device.zeros::<f32>(3)?;
    /// example::launch(&device, LaunchConfig::cover(3), &table, &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [20.0, 10.0, 20.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    load_ca,
    /// Loads a value that the second-level cache keeps, but not the first: `ld.cg`, `__ldcg`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Reverses an array, which no thread of the same multiprocessor reads again soon.
    /// #[kernel]
    /// fn example(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = cache::load_cg(&x[y.len() - 1 - i]);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut y = device.zeros::<f32>(4)?;
    /// example::launch(&device, LaunchConfig::cover(4), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [4.0, 3.0, 2.0, 1.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    load_cg,
    /// Loads a value that is likely used once, and evicted first: `ld.cs`, `__ldcs`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Adds a small array again and again to a large one, which passes by the caches.
    /// #[kernel]
    /// fn example(x: &[f32], offsets: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = cache::load_cs(&x[i]) + offsets[i % offsets.len()];
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let (x, offsets) = (device.upload(&[1.0f32; 4])?, device.upload(&[0.5f32, 1.5])?);
    /// let mut y = device.zeros::<f32>(4)?;
    /// example::launch(&device, LaunchConfig::cover(4), &x, &offsets, &mut y)?;
    /// assert_eq!(y.to_vec()?, [1.5, 2.5, 1.5, 2.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    load_cs,
    /// Loads a value for the last time: `ld.lu`, `__ldlu`; from buffers the same as [`load_cs`].
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Reads intermediate results that nobody needs any more.
    /// #[kernel]
    /// fn example(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = cache::load_lu(&x[i]).sqrt();
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut y = device.zeros::<f32>(4)?;
    /// example::launch(&device, LaunchConfig::cover(4), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?[3], 2.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    load_lu,
    /// Loads a value that is fetched again each time: `ld.cv`, `__ldcv`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Reads words that the host or a device on the bus may have changed before the launch.
    /// #[kernel]
    /// fn example(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         y[i] = cache::load_cv(&x[i]);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut y = device.zeros::<f32>(4)?;
    /// example::launch(&device, LaunchConfig::cover(4), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    load_cv,
}

stores! {
    /// Stores a value that the coherent caches keep: `st.wb`, `__stwb`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Writes results that the next kernel reads: the operator of a plain store.
    /// #[kernel]
    /// fn example(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         cache::store_wb(&mut y[i], 2.0 * x[i]);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut y = device.zeros::<f32>(4)?;
    /// example::launch(&device, LaunchConfig::cover(4), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [2.0, 4.0, 6.0, 8.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    store_wb,
    /// Stores a value that the second-level cache keeps, but not the first: `st.cg`, `__stcg`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Writes results that other multiprocessors read, past the first-level cache.
    /// #[kernel]
    /// fn example(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         let place = y.len() - 1 - i;
    ///         cache::store_cg(&mut y[place], x[i]);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut y = device.zeros::<f32>(4)?;
    /// example::launch(&device, LaunchConfig::cover(4), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [4.0, 3.0, 2.0, 1.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    store_cg,
    /// Stores a value that is likely not used soon, and evicted first: `st.cs`, `__stcs`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Writes a result that is larger than the caches, and keeps the inputs there.
    /// #[kernel]
    /// fn example(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         cache::store_cs(&mut y[i], x[i % x.len()]);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut y = device.zeros::<f32>(6)?;
    /// example::launch(&device, LaunchConfig::cover(6), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [1.0, 2.0, 3.0, 4.0, 1.0, 2.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    store_cs,
    /// Stores a value through the second-level cache to memory: `st.wt`, `__stwt`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// /// Writes results for the host or a device on the bus.
    /// #[kernel]
    /// fn example(x: &[f32], y: &mut [f32]) {
    ///     let i = global_idx_x();
    ///     if i < y.len() {
    ///         cache::store_wt(&mut y[i], x[i] + 1.0);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let mut y = device.zeros::<f32>(4)?;
    /// example::launch(&device, LaunchConfig::cover(4), &x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [2.0, 3.0, 4.0, 5.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    store_wt,
}

/// Fetches the line of an element to the first-level cache, in the background:
/// `prefetch.global.L1`.
///
/// On the host it does nothing.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Adds rows of 64 numbers; the next row is fetched while one is added.
/// #[kernel(block = 64)]
/// fn column_sums(x: &[f32], y: &mut [f32]) {
///     let t = thread_idx_x();
///     let mut sum = 0.0;
///     for row in 0..x.len() / 64 {
///         if let Some(next) = x.get((row + 1) * 64 + t) {
///             cache::prefetch_l1(next);
///         }
///         sum += x[row * 64 + t];
///     }
///     y[t] = sum;
/// }
/// # let device = Device::cpu();
/// # let x = device.upload(&[0.5f32; 640])?;
/// # let mut y = device.zeros::<f32>(64)?;
/// # column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [5.0; 64]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn prefetch_l1<T: Copy>(_from: &T) {}

/// Fetches the line of an element to the second-level cache, in the background:
/// `prefetch.global.L2`.
///
/// On the host it does nothing.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Adds rows of 64 numbers; the next row is fetched while one is added.
/// #[kernel(block = 64)]
/// fn column_sums(x: &[f32], y: &mut [f32]) {
///     let t = thread_idx_x();
///     let mut sum = 0.0;
///     for row in 0..x.len() / 64 {
///         if let Some(next) = x.get((row + 1) * 64 + t) {
///             cache::prefetch_l2(next);
///         }
///         sum += x[row * 64 + t];
///     }
///     y[t] = sum;
/// }
/// # let device = Device::cpu();
/// # let x = device.upload(&[0.5f32; 640])?;
/// # let mut y = device.zeros::<f32>(64)?;
/// # column_sums::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [5.0; 64]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn prefetch_l2<T: Copy>(_from: &T) {}

#[cfg(test)]
mod tests {
    #[test]
    fn the_host_reads_and_writes() {
        let mut to = [0; 2];
        super::store_cs(&mut to[1], super::load_cs(&7));
        super::prefetch_l2(&to[0]);
        assert_eq!(to, [0, 7]);
    }
}
