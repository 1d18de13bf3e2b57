//! Shuffles, votes, reductions and scans over the 32 lanes of a warp.
//!
//! Lanes, distances and widths are `usize`; masks are `u32`, bit l for lane l. An operation without
//! a mask is for every lane of the warp that exists and has not ended, and they must all reach the
//! same call. The `_mask` forms are for the lanes in the mask, of which the caller must be one. The
//! `_width` forms shuffle in groups of `W` lanes (2, 4, 8, 16 or 32), in which lanes are counted:
//! `shfl_xor_width::<8, _>(value, 1)`.
//!
//! [`reduce`], scans and sums consist of shuffles. They combine the values of the existing lanes as
//! a balanced tree by their numbers, pairs first, lower lanes on the left: the closure must be
//! associative, and need not be commutative.
//!
//! On the host, where a kernel's threads run one by one, all but the indices panic: see
//! [`host`](crate::host).
use crate::{
    Element, Int, Num,
    host::{only_in_a_kernel, thread_number},
};

/// Returns the index of the thread in its warp: its number in the block (x fastest) modulo 32.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = warp::lane_id() as u32;
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [0, 1, 2, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn lane_id() -> usize {
    thread_number() % 32
}

/// Returns the index of the warp in its block: the thread's number in the block divided by 32.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 64)]
/// fn example(out: &mut [usize]) {
///     out[thread_idx_x()] = warp::warp_id();
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<usize>(64)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[31..33], [0, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn warp_id() -> usize {
    thread_number() / 32
}

/// Returns the lanes that run the call together: bit l for lane l, the caller among them.
///
/// The hardware decides which other lanes are among them, in divergent flow and out of it. They all
/// reach the next instruction, so the mask suits the `_mask` forms, by which lanes do together what
/// each could do alone:
///
/// ```
/// use std::sync::atomic::Ordering;
/// use warpwise::prelude::*;
///
/// /// The positive elements, in any order: one atomic update for all lanes that add some.
/// #[kernel]
/// fn positive(x: &[i32], count: &[AtomicU32], out: &mut [i32]) {
///     let i = global_idx_x();
///     if i < x.len() && x[i] > 0 {
///         let lanes = warp::active_mask();
///         let mut start = 0;
///         if warp::elect_mask(lanes) {
///             start = count[0].fetch_add(lanes.count_ones(), Ordering::Relaxed);
///         }
///         start = warp::shfl_mask(lanes, start, lanes.trailing_zeros() as usize);
///         let before = warp::exclusive_sum_mask(lanes, 1u32);
///         out[(start + before) as usize] = x[i];
///     }
/// }
/// # fn main() -> warpwise::Result<()> {
/// # let device = Device::cpu();
/// # let host: Vec<i32> = (0..500).map(|i| i * 37 % 91 - 40).collect();
/// # let x = device.upload(&host)?;
/// # let (mut count, mut out) = (device.zeros::<u32>(1)?, device.zeros::<i32>(500)?);
/// # positive::launch(&device, LaunchConfig::cover(500), &x, &mut count, &mut out)?;
/// # let mut out = out.to_vec()?;
/// # out.truncate(count.to_vec()?[0] as usize);
/// # out.sort();
/// # let mut expected: Vec<i32> = host.into_iter().filter(|x| *x > 0).collect();
/// # expected.sort();
/// # assert_eq!(out, expected);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn active_mask() -> u32 {
    only_in_a_kernel("`warp::active_mask`")
}

/// Waits for every lane of the warp and orders their accesses to memory.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// Each warp reverses its 32 elements.
/// #[kernel(block = 64)]
/// fn reverse(x: &mut [u32]) {
///     let tile = shared!([[u32; 32]; 2]);
///     let (lane, row) = (warp::lane_id(), warp::warp_id());
///     tile[row][lane] = x[thread_idx_x()];
///     sync_warp();
///     x[thread_idx_x()] = tile[row][31 - lane];
/// }
/// # let device = Device::cpu();
/// # let mut x = device.upload(&(0..64).collect::<Vec<u32>>())?;
/// # reverse::launch(&device, LaunchConfig::grid(1), &mut x)?;
/// assert_eq!(x.to_vec()?[31..34], [0, 63, 62]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_warp() {
    only_in_a_kernel("`sync_warp`")
}

/// Waits for the lanes of `mask` and orders their accesses to memory.
///
/// ```
/// use warpwise::prelude::*;
///
/// /// The lower half of a warp reverses its numbers.
/// #[kernel(block = 32)]
/// fn reverse_half(x: &mut [u32]) {
///     let tile = shared!([u32; 16]);
///     let lane = warp::lane_id();
///     if lane < 16 {
///         tile[lane] = x[lane];
///         warp::sync_warp_mask(0xffff);
///         x[lane] = tile[15 - lane];
///     }
/// }
/// # let device = Device::cpu();
/// # let mut x = device.upload(&(0..32).collect::<Vec<u32>>())?;
/// # reverse_half::launch(&device, LaunchConfig::grid(1), &mut x)?;
/// assert_eq!(x.to_vec()?[14..17], [1, 0, 16]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_warp_mask(_mask: u32) {
    only_in_a_kernel("`sync_warp_mask`")
}

/// The example of a form with a mask, which half of a warp calls, or of one in groups of 8 lanes.
macro_rules! example {
    ($condition:literal $call:literal $values:literal) => {
        concat!(
            "```\n\
             use warpwise::prelude::*;\n\
             \n\
             #[kernel(block = 32)]\n\
             fn example(out: &mut [u32]) {\n\
             \x20   let lane = warp::lane_id() as u32;\n\
             \x20   if ",
            $condition,
            " {\n\
             \x20       out[thread_idx_x()] = ",
            $call,
            ";\n\
             \x20   }\n\
             }\n\
             # let device = Device::cpu();\n\
             # let mut out = device.zeros::<u32>(32)?;\n\
             # example::launch(&device, LaunchConfig::grid(1), &mut out)?;\n\
             assert_eq!(out.to_vec()?[14..18], ",
            $values,
            ");\n\
             # Ok::<(), warpwise::Error>(())\n\
             ```"
        )
    };
    ($call:literal $values:literal) => {
        concat!(
            "```\n\
             use warpwise::prelude::*;\n\
             \n\
             #[kernel(block = 32)]\n\
             fn example(out: &mut [u32]) {\n\
             \x20   let lane = warp::lane_id() as u32;\n\
             \x20   out[thread_idx_x()] = ",
            $call,
            ";\n\
             }\n\
             # let device = Device::cpu();\n\
             # let mut out = device.zeros::<u32>(32)?;\n\
             # example::launch(&device, LaunchConfig::grid(1), &mut out)?;\n\
             assert_eq!(out.to_vec()?[6..10], ",
            $values,
            ");\n\
             # Ok::<(), warpwise::Error>(())\n\
             ```"
        )
    };
}

macro_rules! shuffles {
    ($(
        $(#[$doc:meta])* $name:ident $mask:ident $width:ident $mask_width:ident
        [$($on_mask:literal)+] [$($in_groups:literal)+] [$($on_mask_in_groups:literal)+];
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name<T: Copy>(_value: T, _lane: usize) -> T {
            only_in_a_kernel(concat!("`warp::", stringify!($name), "`"))
        }
        #[doc = concat!("[`", stringify!($name), "`] among the lanes of `mask`.")]
        ///
        #[doc = example!($($on_mask)+)]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $mask<T: Copy>(_mask: u32, _value: T, _lane: usize) -> T {
            only_in_a_kernel(concat!("`warp::", stringify!($mask), "`"))
        }
        #[doc = concat!("[`", stringify!($name), "`] in groups of `W` lanes.")]
        ///
        #[doc = example!($($in_groups)+)]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $width<const W: usize, T: Copy>(_value: T, _lane: usize) -> T {
            only_in_a_kernel(concat!("`warp::", stringify!($width), "`"))
        }
        #[doc = concat!("[`", stringify!($name), "`] in groups of `W` lanes, among the lanes of `mask`.")]
        ///
        #[doc = example!($($on_mask_in_groups)+)]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $mask_width<const W: usize, T: Copy>(_mask: u32, _value: T, _lane: usize) -> T {
            only_in_a_kernel(concat!("`warp::", stringify!($mask_width), "`"))
        }
    )*};
}
shuffles! {
    /// Returns the value of lane `lane`, counted modulo the width.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::shfl(10 * lane, 3);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [30, 30, 30, 30]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    shfl shfl_mask shfl_width shfl_mask_width
        ["lane < 16" "warp::shfl_mask(0xffff, 10 * lane, 3)" "[30, 30, 0, 0]"]
        ["warp::shfl_width::<8, _>(lane, 3)" "[3, 3, 11, 11]"]
        ["lane < 16" "warp::shfl_mask_width::<8, _>(0xffff, lane, 3)" "[11, 11, 0, 0]"];
    /// Returns the value of the lane that is `lane` below; past the edge, the lane's own.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::shfl_up(lane, 1);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [0, 0, 1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    shfl_up shfl_up_mask shfl_up_width shfl_up_mask_width
        ["lane < 16" "warp::shfl_up_mask(0xffff, lane, 1)" "[13, 14, 0, 0]"]
        ["warp::shfl_up_width::<8, _>(lane, 1)" "[5, 6, 8, 8]"]
        ["lane < 16" "warp::shfl_up_mask_width::<8, _>(0xffff, lane, 1)" "[13, 14, 0, 0]"];
    /// Returns the value of the lane that is `lane` above; past the edge, the lane's own.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::shfl_down(lane, 1);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [1, 2, 3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    shfl_down shfl_down_mask shfl_down_width shfl_down_mask_width
        ["lane >= 16" "warp::shfl_down_mask(0xffff_0000, lane, 1)" "[0, 0, 17, 18]"]
        ["warp::shfl_down_width::<8, _>(lane, 1)" "[7, 7, 9, 10]"]
        ["lane < 16" "warp::shfl_down_mask_width::<8, _>(0xffff, lane, 1)" "[15, 15, 0, 0]"];
    /// Returns the value of the lane whose number differs in these bits; past the edge, the lane's
    /// own.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::shfl_xor(lane, 1);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [1, 0, 3, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    shfl_xor shfl_xor_mask shfl_xor_width shfl_xor_mask_width
        ["lane < 16" "warp::shfl_xor_mask(0xffff, lane, 1)" "[15, 14, 0, 0]"]
        ["warp::shfl_xor_width::<8, _>(lane, 1)" "[7, 6, 9, 8]"]
        ["lane < 16" "warp::shfl_xor_mask_width::<8, _>(0xffff, lane, 1)" "[15, 14, 0, 0]"];
}

macro_rules! votes {
    ($($(#[$doc:meta])* $name:ident $mask:ident $out:ident [$($on_mask:literal)+];)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name(_predicate: bool) -> $out {
            only_in_a_kernel(concat!("`warp::", stringify!($name), "`"))
        }
        #[doc = concat!("[`", stringify!($name), "`] among the lanes of `mask`.")]
        ///
        #[doc = example!($($on_mask)+)]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $mask(_mask: u32, _predicate: bool) -> $out {
            only_in_a_kernel(concat!("`warp::", stringify!($mask), "`"))
        }
    )*};
}
votes! {
    /// Returns true if every lane passes `true`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::all(lane < 16) as u32;
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [0, 0, 0, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    all all_mask bool
        ["lane < 16" "warp::all_mask(0xffff, lane < 16) as u32" "[1, 1, 0, 0]"];
    /// Returns true if any lane passes `true`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::any(lane == 31) as u32;
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [1, 1, 1, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    any any_mask bool
        ["lane < 16" "warp::any_mask(0xffff, lane == 3) as u32" "[1, 1, 0, 0]"];
    /// Returns the mask of the lanes that pass `true`: bit l is lane l's.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::ballot(lane < 4);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [0b1111; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ballot ballot_mask u32
        ["lane < 16" "warp::ballot_mask(0xffff, lane % 2 == 1)" "[0xaaaa, 0xaaaa, 0, 0]"];
}

macro_rules! agreements {
    ($(
        $(#[$doc:meta])* $name:ident $mask:ident<$T:ident: $bound:ident> -> $out:ty,
        [$($on_mask:literal)+];
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name<$T: $bound>(_value: $T) -> $out {
            only_in_a_kernel(concat!("`warp::", stringify!($name), "`"))
        }
        #[doc = concat!("[`", stringify!($name), "`] among the lanes of `mask`.")]
        ///
        #[doc = example!($($on_mask)+)]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $mask<$T: $bound>(_mask: u32, _value: $T) -> $out {
            only_in_a_kernel(concat!("`warp::", stringify!($mask), "`"))
        }
    )*};
}
agreements! {
    /// Returns the mask of the lanes that pass the same value, bit for bit: bit l is lane l's.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::match_any(lane / 2);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [0b11, 0b11, 0b1100, 0b1100]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    match_any match_any_mask<T: Element> -> u32,
        ["lane < 16" "warp::match_any_mask(0xffff, lane / 8)" "[0xff00, 0xff00, 0, 0]"];
    /// Returns true if all lanes pass the same value, bit for bit.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::match_all(lane / 32) as u32;
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [1, 1, 1, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    match_all match_all_mask<T: Element> -> bool,
        ["lane < 16" "warp::match_all_mask(0xffff, lane / 16) as u32" "[1, 1, 0, 0]"];
    /// Returns the lanes, bit l for lane l, if all of them pass the same value, bit for bit; 0 if
    /// they do not.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::match_all_lanes(lane / 32);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [u32::MAX; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    match_all_lanes match_all_lanes_mask<T: Element> -> u32,
        ["lane < 16" "warp::match_all_lanes_mask(0xffff, lane / 16)" "[0xffff, 0xffff, 0, 0]"];
    /// Returns the sum of the values of the lanes. Integers wrap. Floats are added in the order of
    /// a butterfly, lanes whose numbers differ by 16 first, then by 8, 4, 2 and 1.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::reduce_add(lane);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [496; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_add reduce_add_mask<T: Num> -> T,
        ["lane < 16" "warp::reduce_add_mask(0xffff, lane)" "[120, 120, 0, 0]"];
    /// Returns the smallest value of the lanes, by `min`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::reduce_min(lane + 5);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [5; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_min reduce_min_mask<T: Num> -> T,
        ["lane < 16" "warp::reduce_min_mask(0xffff, lane + 5)" "[5, 5, 0, 0]"];
    /// Returns the largest value of the lanes, by `max`.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::reduce_max(lane);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [31; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_max reduce_max_mask<T: Num> -> T,
        ["lane < 16" "warp::reduce_max_mask(0xffff, lane)" "[15, 15, 0, 0]"];
    /// Returns the bitwise and of the values of the lanes.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::reduce_and(lane | 4);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [4; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_and reduce_and_mask<T: Int> -> T,
        ["lane < 16" "warp::reduce_and_mask(0xffff, lane | 4)" "[4, 4, 0, 0]"];
    /// Returns the bitwise or of the values of the lanes.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::reduce_or(lane);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [31; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_or reduce_or_mask<T: Int> -> T,
        ["lane < 16" "warp::reduce_or_mask(0xffff, lane)" "[15, 15, 0, 0]"];
    /// Returns the bitwise exclusive or of the values of the lanes.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::reduce_xor(lane + 1);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [32; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce_xor reduce_xor_mask<T: Int> -> T,
        ["lane < 16" "warp::reduce_xor_mask(0xffff, lane + 1)" "[16, 16, 0, 0]"];
}

macro_rules! combined {
    ($(
        $(#[$doc:meta])* $name:ident $mask:ident ($($identity:ident)?) [$($on_mask:literal)+];
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name<T: Copy, F: Fn(T, T) -> T>(_value: T, $($identity: T,)? _combine: F) -> T {
            only_in_a_kernel(concat!("`warp::", stringify!($name), "`"))
        }
        #[doc = concat!("[`", stringify!($name), "`] among the lanes of `mask`.")]
        ///
        #[doc = example!($($on_mask)+)]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $mask<T: Copy, F: Fn(T, T) -> T>(
            _mask: u32,
            _value: T,
            $($identity: T,)?
            _combine: F,
        ) -> T {
            only_in_a_kernel(concat!("`warp::", stringify!($mask), "`"))
        }
    )*};
}
combined! {
    /// Combines the values of all lanes in the order of the lanes; every lane gets the result.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::reduce(lane, |a, b| a.max(b));
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [31; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    reduce reduce_mask()
        ["lane < 16" "warp::reduce_mask(0xffff, lane, |a, b| a.max(b))" "[15, 15, 0, 0]"];
    /// Combines the values of the lanes up to and including this one.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::inclusive_scan(lane, |a, b| a + b);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [0, 1, 3, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    inclusive_scan inclusive_scan_mask()
        ["lane < 16" "warp::inclusive_scan_mask(0xffff, lane, |a, b| a + b)" "[105, 120, 0, 0]"];
    /// Combines the values of the lanes before this one; the first lane gets `identity`, which is
    /// not combined with anything.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::exclusive_scan(lane, 100, |a, b| a + b);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [100, 0, 1, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    exclusive_scan exclusive_scan_mask(_identity)
        ["lane < 16" "warp::exclusive_scan_mask(0xffff, lane, 100, |a, b| a + b)"
            "[91, 105, 0, 0]"];
}

agreements! {
    /// Returns the sum of the values of the lanes up to this one, its own included. Integers wrap.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::inclusive_sum(lane);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [0, 1, 3, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    inclusive_sum inclusive_sum_mask<T: Num> -> T,
        ["lane < 16" "warp::inclusive_sum_mask(0xffff, lane)" "[105, 120, 0, 0]"];
    /// Returns the sum of the values of the lanes before this one; 0 for the first. Integers wrap.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [u32]) {
    ///     let lane = warp::lane_id() as u32;
    ///     out[thread_idx_x()] = warp::exclusive_sum(lane);
    /// }
    /// # let device = Device::cpu();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
    /// assert_eq!(out.to_vec()?[..4], [0, 0, 1, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    exclusive_sum exclusive_sum_mask<T: Num> -> T,
        ["lane < 16" "warp::exclusive_sum_mask(0xffff, lane)" "[91, 105, 0, 0]"];
}

/// Returns true in the lowest of the lanes, and false in the others.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = warp::elect() as u32;
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [1, 0, 0, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn elect() -> bool {
    only_in_a_kernel("`warp::elect`")
}

/// Does the same as [`elect`], among the lanes of `mask`.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id();
///     if lane >= 8 {
///         out[lane] = warp::elect_mask(0xffff_ff00) as u32;
///     }
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[7..10], [0, 1, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn elect_mask(_mask: u32) -> bool {
    only_in_a_kernel("`warp::elect_mask`")
}

/// Returns the lowest of the lanes, the one for which [`elect`] is true, in all of them.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = warp::leader() as u32;
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [0, 0, 0, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn leader() -> usize {
    only_in_a_kernel("`warp::leader`")
}

/// Does the same as [`leader`], among the lanes of `mask`.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id();
///     if lane >= 8 {
///         out[lane] = warp::leader_mask(0xffff_ff00) as u32;
///     }
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[7..10], [0, 8, 8]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// # Panics
/// On the host.
#[track_caller]
pub fn leader_mask(_mask: u32) -> usize {
    only_in_a_kernel("`warp::leader_mask`")
}

/// Returns the lanes whose numbers are below this one's: bit l for lane l.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = warp::lanemask_lt();
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [0, 0b1, 0b11, 0b111]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn lanemask_lt() -> u32 {
    lanemask_eq() - 1
}

/// Returns the lanes whose numbers are at most this one's: bit l for lane l.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = warp::lanemask_le();
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [0b1, 0b11, 0b111, 0b1111]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn lanemask_le() -> u32 {
    !lanemask_gt()
}

/// Returns the bit of this lane.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = warp::lanemask_eq();
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [1, 2, 4, 8]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn lanemask_eq() -> u32 {
    1 << lane_id()
}

/// Returns the lanes whose numbers are at least this one's: bit l for lane l.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = warp::lanemask_ge().count_zeros();
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [0, 1, 2, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn lanemask_ge() -> u32 {
    !lanemask_lt()
}

/// Returns the lanes whose numbers are above this one's: bit l for lane l.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel(block = 32)]
/// fn example(out: &mut [u32]) {
///     let lane = warp::lane_id() as u32;
///     out[thread_idx_x()] = warp::lanemask_gt().count_zeros();
/// }
/// # let device = Device::cpu();
/// # let mut out = device.zeros::<u32>(32)?;
/// # example::launch(&device, LaunchConfig::grid(1), &mut out)?;
/// assert_eq!(out.to_vec()?[..4], [1, 2, 3, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn lanemask_gt() -> u32 {
    u32::MAX << lane_id() << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LaunchConfig, host::for_each_thread};

    #[test]
    fn lanes_and_warps_count_threads_of_the_block() {
        let mut seen = Vec::new();
        for_each_thread(LaunchConfig::grid(1).block((16, 3)), || seen.push((warp_id(), lane_id())))
            .unwrap();
        let expected: Vec<_> = (0..48).map(|thread| (thread / 32, thread % 32)).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn lane_masks_are_of_lanes_in_order() {
        for_each_thread(LaunchConfig::grid(1).block(40), || {
            let mask_of = |is_meant: &dyn Fn(usize, usize) -> bool| {
                let lanes = (0..32).filter(|lane| is_meant(*lane, lane_id()));
                lanes.fold(0, |mask, lane| mask | 1 << lane)
            };
            assert_eq!(lanemask_lt(), mask_of(&|lane, own| lane < own));
            assert_eq!(lanemask_le(), mask_of(&|lane, own| lane <= own));
            assert_eq!(lanemask_eq(), mask_of(&|lane, own| lane == own));
            assert_eq!(lanemask_ge(), mask_of(&|lane, own| lane >= own));
            assert_eq!(lanemask_gt(), mask_of(&|lane, own| lane > own));
        })
        .unwrap();
    }

    #[test]
    #[should_panic(expected = "`warp::shfl_xor_width` needs the other threads of a launch")]
    fn shuffles_panic_on_the_host() {
        shfl_xor_width::<8, _>(1.0f32, 1);
    }

    #[test]
    #[should_panic(expected = "`warp::active_mask` needs the other threads of a launch")]
    fn masks_panic_on_the_host() {
        active_mask();
    }

    #[test]
    #[should_panic(expected = "`warp::exclusive_scan_mask` needs the other threads of a launch")]
    fn scans_panic_on_the_host() {
        exclusive_scan_mask(1, 2.0, 0.0, |a, b| a + b);
    }

    #[test]
    #[should_panic(expected = "`warp::ballot_mask` needs the other threads of a launch")]
    fn votes_panic_on_the_host() {
        ballot_mask(1, true);
    }
}
