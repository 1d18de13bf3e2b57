//! Atomic floats, and atomics at another scope.
//!
//! Kernels use std's atomics as they are. Std has none for floats: [`AtomicF32`] and
//! [`AtomicF64`] fill that gap, in kernels and on the host. An atomic is at device scope in global
//! memory and at block scope in shared memory; [`AtomicScope`] gives the same atomic at another.
use crate::{Atomic, MinMax};
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst},
};

macro_rules! atomic_float {
    ($name:ident $float:ident $bits:ident $doc:literal) => {
        #[doc = $doc]
        ///
        /// ```
        /// use std::sync::atomic::Ordering::Relaxed;
        #[doc = concat!("let sum = warpwise::", stringify!($name), "::new(1.5);")]
        /// assert_eq!(sum.fetch_add(2.0, Relaxed), 1.5);
        /// assert_eq!(sum.load(Relaxed), 3.5);
        /// ```
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub struct $name {
            bits: $bits,
        }

        impl $name {
            /// Creates an atomic that holds `value`.
            ///
            /// ```
            #[doc = concat!("let x = warpwise::", stringify!($name), "::new(1.5);")]
            /// assert_eq!(x.into_inner(), 1.5);
            /// ```
            pub const fn new(value: $float) -> Self {
                Self { bits: $bits::new(value.to_bits()) }
            }
            /// Returns the value.
            ///
            /// ```
            #[doc = concat!("let x = warpwise::", stringify!($name), "::new(1.5);")]
            /// assert_eq!(x.into_inner(), 1.5);
            /// ```
            pub const fn into_inner(self) -> $float {
                $float::from_bits(self.bits.into_inner())
            }
            /// Returns the value, to replace it without an atomic operation.
            ///
            /// ```
            #[doc = concat!("let mut x = warpwise::", stringify!($name), "::new(1.5);")]
            /// *x.get_mut() += 1.0;
            /// assert_eq!(x.into_inner(), 2.5);
            /// ```
            pub fn get_mut(&mut self) -> &mut $float {
                bytemuck::cast_mut(self.bits.get_mut())
            }
            /// Returns the value.
            ///
            /// ```
            /// use std::sync::atomic::Ordering::Relaxed;
            ///
            #[doc = concat!("let x = warpwise::", stringify!($name), "::new(1.5);")]
            /// assert_eq!(x.load(Relaxed), 1.5);
            /// ```
            ///
            /// # Panics
            /// If `order` is `Release` or `AcqRel`, as std's atomics do.
            pub fn load(&self, order: Ordering) -> $float {
                $float::from_bits(self.bits.load(order))
            }
            /// Replaces the value.
            ///
            /// ```
            /// use std::sync::atomic::Ordering::Relaxed;
            ///
            #[doc = concat!("let x = warpwise::", stringify!($name), "::new(1.5);")]
            /// x.store(2.0, Relaxed);
            /// assert_eq!(x.into_inner(), 2.0);
            /// ```
            ///
            /// # Panics
            /// If `order` is `Acquire` or `AcqRel`, as std's atomics do.
            pub fn store(&self, value: $float, order: Ordering) {
                self.bits.store(value.to_bits(), order);
            }
            /// Replaces the value; returns what was there.
            ///
            /// ```
            /// use std::sync::atomic::Ordering::Relaxed;
            ///
            #[doc = concat!("let x = warpwise::", stringify!($name), "::new(1.5);")]
            /// assert_eq!(x.swap(2.0, Relaxed), 1.5);
            /// assert_eq!(x.into_inner(), 2.0);
            /// ```
            pub fn swap(&self, value: $float, order: Ordering) -> $float {
                $float::from_bits(self.bits.swap(value.to_bits(), order))
            }
            /// Adds `value`; returns what was there.
            ///
            /// ```
            /// use std::sync::atomic::Ordering::Relaxed;
            ///
            #[doc = concat!("let x = warpwise::", stringify!($name), "::new(1.5);")]
            /// assert_eq!(x.fetch_add(2.0, Relaxed), 1.5);
            /// assert_eq!(x.into_inner(), 3.5);
            /// ```
            pub fn fetch_add(&self, value: $float, order: Ordering) -> $float {
                self.update(order, |old| old + value)
            }
            /// Takes the smaller, ignoring a NaN, -0.0 being below +0.0; returns what was there.
            ///
            /// ```
            /// use std::sync::atomic::Ordering::Relaxed;
            ///
            #[doc = concat!("let x = warpwise::", stringify!($name), "::new(1.5);")]
            /// assert_eq!(x.fetch_min(1.0, Relaxed), 1.5);
            /// assert_eq!(x.into_inner(), 1.0);
            /// ```
            pub fn fetch_min(&self, value: $float, order: Ordering) -> $float {
                self.update(order, |old| MinMax::min(old, value))
            }
            /// Takes the larger, ignoring a NaN, -0.0 being below +0.0; returns what was there.
            ///
            /// ```
            /// use std::sync::atomic::Ordering::Relaxed;
            ///
            #[doc = concat!("let x = warpwise::", stringify!($name), "::new(1.5);")]
            /// assert_eq!(x.fetch_max(2.0, Relaxed), 1.5);
            /// assert_eq!(x.into_inner(), 2.0);
            /// ```
            pub fn fetch_max(&self, value: $float, order: Ordering) -> $float {
                self.update(order, |old| MinMax::max(old, value))
            }

            fn update(&self, order: Ordering, new: impl Fn($float) -> $float) -> $float {
                let new = |bits| Some(new($float::from_bits(bits)).to_bits());
                let old = self.bits.fetch_update(order, load_order(order), new);
                $float::from_bits(old.unwrap_or_else(|bits| bits))
            }
        }

        impl From<$float> for $name {
            fn from(value: $float) -> Self {
                Self::new(value)
            }
        }
    };
}
atomic_float!(AtomicF32 f32 AtomicU32 "An `f32` that threads may update at the same time.");
atomic_float!(AtomicF64 f64 AtomicU64 "An `f64` that threads may update at the same time.");

/// Returns the ordering of the load in an update of this ordering.
fn load_order(order: Ordering) -> Ordering {
    match order {
        Release => Relaxed,
        AcqRel => Acquire,
        other => other,
    }
}

/// The same atomic at another scope. On the host every scope is the whole machine.
pub trait AtomicScope: Atomic {
    /// Holds among the threads of a block.
    ///
    /// ```
    /// use std::sync::atomic::Ordering;
    /// use warpwise::prelude::*;
    ///
    /// /// The number of even elements of each block.
    /// #[kernel(block = 64)]
    /// fn count_even(x: &[u32], counts: &[AtomicU32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() && x[i] % 2 == 0 {
    ///         // No other block adds to this counter.
    ///         counts[block_idx_x()].block().fetch_add(1, Ordering::Relaxed);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let x = device.upload(&(0..96).collect::<Vec<u32>>())?;
    /// let mut counts = device.zeros::<u32>(2)?;
    /// count_even::launch(&device, LaunchConfig::cover(96), &x, &mut counts)?;
    /// assert_eq!(counts.to_vec()?, [32, 16]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn block(&self) -> &Self {
        self
    }
    /// Holds among all threads of the machine, the host's included.
    ///
    /// ```
    /// use std::sync::atomic::Ordering;
    /// use warpwise::prelude::*;
    ///
    /// /// Counts the blocks that are done, for a host thread that watches the counter.
    /// #[kernel(block = 64)]
    /// fn report(done: &[AtomicU32]) {
    ///     if thread_idx_x() == 0 {
    ///         done[0].system().fetch_add(1, Ordering::Release);
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut done = device.zeros::<u32>(1)?;
    /// report::launch(&device, LaunchConfig::grid(3), &mut done)?;
    /// assert_eq!(done.to_vec()?, [3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    fn system(&self) -> &Self {
        self
    }
}
impl AtomicScope for AtomicU32 {}
impl AtomicScope for AtomicI32 {}
impl AtomicScope for AtomicU64 {}
impl AtomicScope for AtomicI64 {}
impl AtomicScope for AtomicUsize {}
impl AtomicScope for AtomicIsize {}
impl AtomicScope for AtomicBool {}
impl AtomicScope for AtomicF32 {}
impl AtomicScope for AtomicF64 {}

/// Orders this thread's accesses to memory, as seen by the device's threads.
///
/// ```
/// use std::sync::atomic::Ordering;
/// use warpwise::prelude::*;
///
/// /// One block publishes a value, and the others read it.
/// #[kernel(block = 32)]
/// fn publish(data: &[AtomicU32], ready: &[AtomicU32], out: &mut [u32]) {
///     if thread_idx_x() == 0 && block_idx_x() == 0 {
///         data[0].store(7, Ordering::Relaxed);
///         thread_fence();
///         ready[0].store(1, Ordering::Relaxed);
///     }
///     if thread_idx_x() == 0 && block_idx_x() > 0 && ready[0].load(Ordering::Relaxed) == 1 {
///         thread_fence();
///         out[block_idx_x()] = data[0].load(Ordering::Relaxed);
///     }
/// }
/// ```
pub fn thread_fence() {
    std::sync::atomic::fence(SeqCst);
}

/// Orders this thread's accesses to shared memory before it against those of the products of
/// [`wgmma`](crate::wgmma) and of bulk copies after it, which access memory by the asynchronous
/// proxy: `fence.proxy.async`.
///
/// Threads that have written a tile make the call, and then synchronize with those that begin the
/// product. A launch on a GPU before compute capability 9.0 is an error.
///
/// ```
/// use warpwise::{U32x4, prelude::*, wgmma};
///
/// /// The product of two matrices of ones, with 64 rows and columns.
/// #[kernel(block = 128)]
/// fn multiply(c: &mut [f32]) {
///     let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
///     for i in (thread_idx_x()..512).step_by(128) {
///         left.set(i / 8, i % 8, U32x4::splat(0x3f80_3f80));
///         right.set(i / 8, i % 8, U32x4::splat(0x3f80_3f80));
///     }
///     // First each thread orders its own stores, then the barrier orders the threads.
///     fence_proxy_async();
///     sync_threads();
///     let mut products = wgmma::Products::<bf16, 64>::zero();
///     products.multiply_add(left, right);
///     products.finish().store(c, 0, 64);
/// }
///
/// let device = Device::cpu();
/// let mut c = device.zeros::<f32>(64 * 64)?;
/// multiply::launch(&device, LaunchConfig::grid(1), &mut c)?;
/// assert_eq!(c.to_vec()?, [64.0; 64 * 64]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn fence_proxy_async() {
    std::sync::atomic::fence(SeqCst);
}

/// Orders this thread's accesses to memory, as seen by the block's threads.
///
/// ```
/// use std::sync::atomic::Ordering;
/// use warpwise::prelude::*;
///
/// #[kernel(block = 64)]
/// fn publish(data: &[AtomicU32], ready: &[AtomicU32]) {
///     if thread_idx_x() == 0 {
///         data[0].store(7, Ordering::Relaxed);
///         thread_fence_block();
///         ready[0].store(1, Ordering::Relaxed);
///     }
/// }
/// # let device = Device::cpu();
/// # let (mut data, mut ready) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
/// # publish::launch(&device, LaunchConfig::grid(1), &mut data, &mut ready)?;
/// assert_eq!((data.to_vec()?, ready.to_vec()?), (vec![7], vec![1]));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn thread_fence_block() {
    std::sync::atomic::fence(SeqCst);
}

/// Orders this thread's accesses to memory, as seen by the whole machine.
///
/// ```
/// use std::sync::atomic::Ordering;
/// use warpwise::prelude::*;
///
/// #[kernel(block = 64)]
/// fn publish(data: &[AtomicU32], ready: &[AtomicU32]) {
///     if thread_idx_x() == 0 {
///         data[0].store(7, Ordering::Relaxed);
///         thread_fence_system();
///         ready[0].store(1, Ordering::Relaxed);
///     }
/// }
/// # let device = Device::cpu();
/// # let (mut data, mut ready) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
/// # publish::launch(&device, LaunchConfig::grid(1), &mut data, &mut ready)?;
/// assert_eq!((data.to_vec()?, ready.to_vec()?), (vec![7], vec![1]));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn thread_fence_system() {
    std::sync::atomic::fence(SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_adds_all_count() {
        let sum = AtomicF32::new(0.0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| _ = sum.fetch_add(1.0, Relaxed)));
            }
        });
        assert_eq!(sum.into_inner(), 4000.0);
    }

    #[test]
    fn min_and_max_ignore_nan_and_order_zeros() {
        let value = AtomicF64::new(f64::NAN);
        value.fetch_min(0.0, AcqRel);
        assert_eq!(value.load(Relaxed).to_bits(), 0.0f64.to_bits());
        value.fetch_min(-0.0, SeqCst);
        assert_eq!(value.load(Acquire).to_bits(), (-0.0f64).to_bits());
        value.fetch_max(0.0, Release);
        assert_eq!(value.load(Relaxed).to_bits(), 0.0f64.to_bits());
        assert_eq!(value.swap(f64::NAN, Relaxed), 0.0);
        value.fetch_max(7.0, Relaxed);
        assert_eq!(value.load(Relaxed), 7.0);
        value.store(1.0, Relaxed);
        assert_eq!(value.block().load(Relaxed), 1.0);
    }
}
