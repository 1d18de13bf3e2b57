//! Radix sorts of keys, and of pairs of keys and values.
//!
//! One kernel counts every digit of 8 bits of every key. Then there is a pass for each digit, from
//! the lowest: a block sorts a tile by the digit in shared memory, [looks back](crate::look_back)
//! for the number of equal digits in the tiles before it, and moves the tile to its places. A pass
//! reads and writes each key once. After A. Adinets and D. Merrill, *Onesweep: A Faster Least
//! Significant Digit Radix Sort for GPUs*, 2022.
use crate::{
    error::{Error, Result, require_length},
    look_back::take_tile,
};
use std::sync::atomic::Ordering;
use warpwise::{Element, Slice, prelude::*};

/// Values of a digit.
#[device]
const DIGITS: usize = 256;
/// The flag of a state that holds the count of a digit in a tile.
#[device]
const TOTAL: u32 = 1 << 30;
/// The flag of a state that holds the count of a digit up to and including a tile.
#[device]
const PREFIX: u32 = 2 << 30;
/// The count in a state.
#[device]
const COUNT: u32 = TOTAL - 1;

/// States that a thread reads at a time.
#[device]
const WINDOW: usize = 8;

/// A key or a value, as words in shared memory.
#[device]
pub(crate) trait Item: Copy {
    /// Its number of words: 1 or 2.
    const WORDS: usize;
    /// Returns its words, the lower one first.
    fn to_words(self) -> [u32; 2];
    /// Returns the item with these words, of which it may have only the first.
    fn from_words(words: [u32; 2]) -> Self;
}

macro_rules! items {
    ($($ty:ty: $count:literal, $item:ident => $to_words:expr, $words:ident => $from_words:expr;)*) => {$(
        #[device]
        impl Item for $ty {
            const WORDS: usize = $count;
            fn to_words(self) -> [u32; 2] {
                let $item = self;
                $to_words
            }
            fn from_words($words: [u32; 2]) -> Self {
                $from_words
            }
        }
    )*};
}

#[device]
fn split(bits: u64) -> [u32; 2] {
    [bits as u32, (bits >> 32) as u32]
}

#[device]
fn join([low, high]: [u32; 2]) -> u64 {
    (high as u64) << 32 | low as u64
}

items! {
    u32: 1, x => [x, 0], words => words[0];
    i32: 1, x => [x as u32, 0], words => words[0] as i32;
    f32: 1, x => [x.to_bits(), 0], words => f32::from_bits(words[0]);
    u64: 2, x => split(x), words => join(words);
    i64: 2, x => split(x as u64), words => join(words) as i64;
    f64: 2, x => split(x.to_bits()), words => f64::from_bits(join(words));
    Value4: 1, x => [x.0, 0], words => Value4(words[0]);
    Value8: 2, x => split(x.0), words => Value8(join(words));
}

/// A number with digits.
#[device]
pub(crate) trait RadixKey: Item {
    /// The last key in the order, in place of those beyond the end.
    const PADDING: Self;
    /// Returns a digit of 8 bits of an integer whose order is that of the keys.
    fn digit(self, shift: u32) -> usize;
}

#[device]
impl RadixKey for u32 {
    const PADDING: Self = Self::MAX;
    fn digit(self, shift: u32) -> usize {
        (self >> shift & 255) as usize
    }
}

#[device]
impl RadixKey for i32 {
    const PADDING: Self = Self::MAX;
    fn digit(self, shift: u32) -> usize {
        (self as u32 ^ 1 << 31).digit(shift)
    }
}

#[device]
impl RadixKey for f32 {
    const PADDING: Self = Self::from_bits(0x7fff_ffff);
    fn digit(self, shift: u32) -> usize {
        let bits = self.to_bits();
        // All bits of a negative float, or the sign of a positive one.
        let mask = (bits as i32 >> 31) as u32 | 1 << 31;
        (bits ^ mask).digit(shift)
    }
}

#[device]
impl RadixKey for u64 {
    const PADDING: Self = Self::MAX;
    fn digit(self, shift: u32) -> usize {
        (self >> shift & 255) as usize
    }
}

#[device]
impl RadixKey for i64 {
    const PADDING: Self = Self::MAX;
    fn digit(self, shift: u32) -> usize {
        (self as u64 ^ 1 << 63).digit(shift)
    }
}

#[device]
impl RadixKey for f64 {
    const PADDING: Self = Self::from_bits(0x7fff_ffff_ffff_ffff);
    fn digit(self, shift: u32) -> usize {
        let bits = self.to_bits();
        let mask = (bits as i64 >> 63) as u64 | 1 << 63;
        (bits ^ mask).digit(shift)
    }
}

/// A value that moves as its key.
#[device]
pub(crate) trait RadixValue: Item {
    const ZERO: Self;
}

/// A value of four bytes.
#[device]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value4(u32);

#[device]
impl RadixValue for Value4 {
    const ZERO: Self = Self(0);
}

/// A value of eight bytes.
#[device]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value8(u64);

#[device]
impl RadixValue for Value8 {
    const ZERO: Self = Self(0);
}

/// Threads of a block that sorts a tile. The first have a digit each.
#[device]
const THREADS: usize = 512;
#[device]
const WARPS: usize = 16;

/// Keys that a block counts at a time, eight of each thread.
#[device]
const COUNTED: usize = 2048;

/// Counts the digits of a key.
#[device]
fn count_key<K: RadixKey, const PASSES: usize>(key: K, bins: &[[AtomicU32; DIGITS]; PASSES]) {
    for pass in 0..PASSES {
        bins[pass][key.digit(pass as u32 * 8)].fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts the digits of all keys: `counts[pass * 256 + digit]`.
#[kernel(block = 256, instances(u32, i32, f32, u64, i64, f64))]
fn count_digits<K: RadixKey, const PASSES: usize>(keys: &[K], counts: &[AtomicU32]) {
    let bins = shared!([[AtomicU32; DIGITS]; PASSES]);
    let t = thread_idx_x();
    for pass in 0..PASSES {
        bins[pass][t].store(0, Ordering::Relaxed);
    }
    sync_threads();
    let tiles = keys.len() / COUNTED;
    for tile in (block_idx_x()..tiles).step_by(grid_dim_x()) {
        let first = tile * COUNTED + t;
        let mut own = [keys[first]; 8];
        for k in 1..8 {
            own[k] = keys[first + k * 256];
        }
        for k in 0..8 {
            count_key::<K, PASSES>(own[k], bins);
        }
    }
    for i in (tiles * COUNTED + global_idx_x()..keys.len()).step_by(grid_dim_x() * 256) {
        count_key::<K, PASSES>(keys[i], bins);
    }
    sync_threads();
    for pass in 0..PASSES {
        counts[pass * DIGITS + t]
            .fetch_add(bins[pass][t].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Replaces the counts of a pass by the place of the first key with each digit.
#[kernel(block = 256)]
fn scan_counts(counts: &mut [u32]) {
    let i = global_idx_x();
    counts[i] = block::exclusive_sum(counts[i]);
}

/// Waits until a tile has published its count of this thread's digit, and returns the state.
#[device]
fn wait_for_state(states: &[AtomicU32], tile: usize) -> u32 {
    let mut state = 0;
    while state == 0 {
        state = states[tile * DIGITS + thread_idx_x()].load(Ordering::Relaxed);
    }
    state
}

/// Returns the number of keys with this thread's digit in the tiles before `tile`, and publishes it
/// with `count`, the number in this tile.
///
/// Eight states are on their way at a time: one after the other, they would take longer than the
/// rest of a pass.
#[device]
fn count_before(states: &[AtomicU32], tile: usize, count: u32) -> u32 {
    let digit = thread_idx_x();
    let mut before = 0;
    let mut end = tile;
    let mut is_done = tile == 0;
    while !is_done {
        if end >= WINDOW {
            let recent = &states[(end - WINDOW) * DIGITS..end * DIGITS];
            let mut window = [0; WINDOW];
            for i in 0..WINDOW {
                window[i] = recent[(WINDOW - 1 - i) * DIGITS + digit].load(Ordering::Relaxed);
            }
            let (mut all, mut any, mut sum) = (u32::MAX, 0, 0u32);
            for i in 0..WINDOW {
                all &= window[i];
                any |= window[i];
                sum = sum.wrapping_add(window[i]);
            }
            if all & TOTAL != 0 && any & PREFIX == 0 {
                // Eight times the flag is 2^33.
                before += sum;
            } else {
                for i in 0..WINDOW {
                    if window[i] == 0 && !is_done {
                        window[i] = wait_for_state(states, end - 1 - i);
                    }
                    before += if is_done { 0 } else { window[i] & COUNT };
                    is_done |= window[i] & PREFIX != 0;
                }
            }
            end -= WINDOW;
        } else {
            let state = wait_for_state(states, end - 1);
            before += state & COUNT;
            is_done = state & PREFIX != 0;
            end -= 1;
        }
    }
    states[tile * DIGITS + digit].store(PREFIX | (before + count), Ordering::Relaxed);
    before
}

/// Stores an item in a tile in shared memory, which has room for the words of either type of items.
#[device]
fn put<T: Item, const TILE: usize, const WORDS: usize>(
    item: T,
    place: usize,
    tile: &mut [[u32; TILE]; WORDS],
) {
    let words = item.to_words();
    for word in 0..T::WORDS {
        tile[word][place] = words[word];
    }
}

/// Loads an item of a tile in shared memory.
#[device]
fn take<T: Item, const TILE: usize, const WORDS: usize>(
    place: usize,
    tile: &[[u32; TILE]; WORDS],
) -> T {
    let mut words = [0; 2];
    for word in 0..T::WORDS {
        words[word] = tile[word][place];
    }
    T::from_words(words)
}

/// Stores a thread's items of a sorted tile of `len` at their places.
#[device]
fn store_items<T: Copy, const ITEMS: usize>(
    items: [T; ITEMS],
    to: [u32; ITEMS],
    len: usize,
    out: &mut [T],
) {
    if len == ITEMS * THREADS {
        for item in 0..ITEMS {
            out[to[item] as usize] = items[item];
        }
    } else {
        for item in 0..ITEMS {
            if item * THREADS + thread_idx_x() < len {
                out[to[item] as usize] = items[item];
            }
        }
    }
}

/// Moves the keys to their places by one digit. A tile has `TILE` keys, `ITEMS` of each thread.
#[kernel(block = 512, min_blocks = 2, instances(u32, i32, f32, u64, i64, f64))]
fn sort_keys_by_digit<K: RadixKey, const ITEMS: usize, const TILE: usize, const WORDS: usize>(
    shift: u32,
    starts: &[u32],
    keys: &[K],
    next_tile: &[AtomicU32],
    states: &[AtomicU32],
    to_keys: &mut [K],
) {
    sort_tile::<K, Value4, false, ITEMS, TILE, WORDS>(
        shift,
        starts,
        keys,
        &[],
        next_tile,
        states,
        to_keys,
        &mut [],
    );
}

/// Moves the keys and the values to their places by one digit of the keys.
#[kernel(
    block = 512,
    instances((u32, Value4), (i32, Value4), (f32, Value4), (u64, Value4), (i64, Value4), (f64, Value4), (u32, Value8), (i32, Value8), (f32, Value8), (u64, Value8), (i64, Value8), (f64, Value8))
)]
fn sort_pairs_by_digit<
    K: RadixKey,
    V: RadixValue,
    const ITEMS: usize,
    const TILE: usize,
    const WORDS: usize,
>(
    shift: u32,
    starts: &[u32],
    keys: &[K],
    values: &[V],
    next_tile: &[AtomicU32],
    states: &[AtomicU32],
    to_keys: &mut [K],
    to_values: &mut [V],
) {
    sort_tile::<K, V, true, ITEMS, TILE, WORDS>(
        shift, starts, keys, values, next_tile, states, to_keys, to_values,
    );
}

/// Takes a tile, sorts it by a digit, and moves its keys, and if `PAIRS` its values, to their
/// places.
#[device]
fn sort_tile<
    K: RadixKey,
    V: RadixValue,
    const PAIRS: bool,
    const ITEMS: usize,
    const TILE: usize,
    const WORDS: usize,
>(
    shift: u32,
    starts: &[u32],
    keys: &[K],
    values: &[V],
    next_tile: &[AtomicU32],
    states: &[AtomicU32],
    to_keys: &mut [K],
    to_values: &mut [V],
) {
    let counts = shared!([[u32; DIGITS]; WARPS]);
    let lanes_with = shared!([[AtomicU32; DIGITS]; WARPS]);
    // The keys, and afterwards the values.
    let items = shared!([[u32; TILE]; WORDS]);
    let places = shared!([u32; DIGITS]);
    let t = thread_idx_x();
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    for row in (t / DIGITS..WARPS).step_by(THREADS / DIGITS) {
        counts[row][t % DIGITS] = 0;
        lanes_with[row][t % DIGITS].store(0, Ordering::Relaxed);
    }
    // Its barrier follows the zeros.
    let tile = take_tile(next_tile);
    let first = tile * TILE;
    let len = (keys.len() - first).min(TILE);

    // The keys of a warp follow each other, so that equal digits keep their order.
    let index_of = |item: usize| (warp * ITEMS + item) * 32 + lane;
    let is_whole = first + TILE <= keys.len();
    let mut own_keys = [K::PADDING; ITEMS];
    // The digit, and below it the rank among the keys with this digit, of the warp first.
    let mut ranks = [0; ITEMS];
    if is_whole {
        for item in 0..ITEMS {
            own_keys[item] = keys[first + index_of(item)];
        }
    } else {
        for item in 0..ITEMS {
            own_keys[item] = keys.get(first + index_of(item)).copied().unwrap_or(K::PADDING);
        }
    }
    // The rank of a key among the warp's keys with its digit: `counts` has the earlier rows, and
    // the bits of `lanes_with` show the earlier lanes of this row.
    // Keys beyond the end rank last, and no tile looks back to their counts.
    for item in 0..ITEMS {
        let digit = own_keys[item].digit(shift);
        lanes_with[warp][digit].fetch_or(1 << lane, Ordering::Relaxed);
        sync_warp();
        let lanes = lanes_with[warp][digit].load(Ordering::Relaxed);
        let earlier = (lanes & warp::lanemask_lt()).count_ones();
        let before = counts[warp][digit];
        ranks[item] = ((digit as u32) << 16) | (before + earlier);
        sync_warp();
        if earlier == 0 {
            counts[warp][digit] = before + lanes.count_ones();
            lanes_with[warp][digit].store(0, Ordering::Relaxed);
        }
        sync_warp();
    }
    sync_threads();

    // The first threads have a digit each until the keys are in their order.
    let has_digit = t < DIGITS;
    let mut befores = [0; WARPS];
    let mut count = 0;
    if has_digit {
        for row in 0..WARPS {
            befores[row] = count;
            count += counts[row][t];
        }
        if tile > 0 {
            states[tile * DIGITS + t].store(TOTAL | count, Ordering::Relaxed);
        }
    }
    let start = block::exclusive_sum(count);
    if has_digit {
        for row in 0..WARPS {
            counts[row][t] = start + befores[row];
        }
    }
    sync_threads();

    for item in 0..ITEMS {
        // The remainders are the numbers themselves, and show that they are in the arrays.
        let digit = (ranks[item] >> 16) as usize % DIGITS;
        ranks[item] = (ranks[item] & 0xffff) + counts[warp][digit];
        put(own_keys[item], ranks[item] as usize % TILE, items);
    }
    let mut own_values = [V::ZERO; ITEMS];
    if PAIRS {
        for item in 0..ITEMS {
            let i = first + index_of(item);
            if i < values.len() {
                own_values[item] = values[i];
            }
        }
    }
    // The other tiles have had the time to publish their counts.
    if has_digit {
        places[t] = starts[t] + count_before(states, tile, count) - start;
    }
    sync_threads();
    let mut to = [0; ITEMS];
    for item in 0..ITEMS {
        let i = item * THREADS + t;
        own_keys[item] = take(i, items);
        to[item] = places[own_keys[item].digit(shift)] + i as u32;
    }
    store_items::<K, ITEMS>(own_keys, to, len, to_keys);
    if PAIRS {
        // All keys are in registers.
        sync_threads();
        for item in 0..ITEMS {
            put(own_values[item], ranks[item] as usize % TILE, items);
        }
        sync_threads();
        for item in 0..ITEMS {
            own_values[item] = take(item * THREADS + t, items);
        }
        store_items::<V, ITEMS>(own_values, to, len, to_values);
    }
}

/// A type of keys: `u32`, `i32`, `f32`, `u64`, `i64` and `f64`.
///
/// Floats are in the order of [`f32::total_cmp`]: -0.0 is less than +0.0, and NaNs come first or
/// last by their signs.
pub trait SortKey: Element + sealed::Launches {}

/// A type of values that move as their keys: numbers of four and eight bytes.
pub trait SortValue: Element + sealed::IsValue {}

macro_rules! sort_values {
    ($($ty:ty),*) => {$(
        impl SortValue for $ty {}
        impl sealed::IsValue for $ty {}
    )*};
}
sort_values!(u32, i32, f32, u64, i64, f64, usize, isize);

mod sealed {
    use super::*;

    pub trait IsValue {}

    /// The launches of the kernels for a type of keys.
    pub trait Launches: Sized + 'static {
        fn count_digits(device: &Device, keys: &Slice<Self>, counts: &mut Slice<u32>) -> Result<()>
        where
            Self: Element;

        fn sort_keys_by_digit<V: SortValue>(device: &Device, pass: Pass<'_, Self, V>) -> Result<()>
        where
            Self: Element;

        fn sort_pairs_by_digit<V: SortValue>(
            device: &Device,
            pass: Pass<'_, Self, V>,
        ) -> Result<()>
        where
            Self: Element;
    }
}

/// The arguments of a pass over all keys.
#[derive(Debug)]
pub struct Pass<'a, K: Element, V: Element> {
    shift: u32,
    starts: &'a Slice<u32>,
    keys: &'a Slice<K>,
    values: &'a Slice<V>,
    next_tile: &'a mut Slice<u32>,
    states: &'a mut Slice<u32>,
    to_keys: &'a mut Slice<K>,
    to_values: &'a mut Slice<V>,
}

/// Keys of a thread in each tile: of four bytes, without values and with values of four bytes, and
/// where keys or values have eight. Larger tiles wait less for each other; of smaller ones, several
/// run beside each other. All fit into the 99 KiB of shared memory that most GPUs have.
const KEYS_OF_4: usize = 22;
const PAIRS_OF_4: usize = 24;
const ITEMS_OF_8: usize = 8;

macro_rules! sort_keys {
    ($($ty:ty: $passes:literal passes, $words:literal words, $keys:expr, $pairs:expr;)*) => {$(
        impl SortKey for $ty {}

        impl sealed::Launches for $ty {
            fn count_digits(
                device: &Device,
                keys: &Slice<Self>,
                counts: &mut Slice<u32>,
            ) -> Result<()> {
                let blocks = keys.len().div_ceil(256 * 16).min(MAX_COUNTING_BLOCKS);
                count_digits::<Self, $passes>::launch(device, LaunchConfig::grid(blocks), keys, counts)?;
                Ok(())
            }

            fn sort_keys_by_digit<V: SortValue>(
                device: &Device,
                pass: Pass<'_, Self, V>,
            ) -> Result<()> {
                let config = LaunchConfig::grid(pass.keys.len().div_ceil(THREADS * $keys));
                let Pass { shift, starts, keys, next_tile, states, to_keys, .. } = pass;
                sort_keys_by_digit::<Self, { $keys }, { THREADS * $keys }, $words>::launch(
                    device, config, shift, starts, keys, next_tile, states, to_keys,
                )?;
                Ok(())
            }

            fn sort_pairs_by_digit<V: SortValue>(
                device: &Device,
                pass: Pass<'_, Self, V>,
            ) -> Result<()> {
                let Pass { shift, starts, keys, values, next_tile, states, to_keys, to_values } = pass;
                macro_rules! launch {
                    ($value:ty, $number:expr, $most_words:literal) => {
                        sort_pairs_by_digit::<
                            Self, $value, { $number }, { THREADS * $number }, $most_words,
                        >::launch(
                            device,
                            LaunchConfig::grid(keys.len().div_ceil(THREADS * $number)),
                            shift,
                            starts,
                            keys,
                            &values.as_structs()?,
                            next_tile,
                            states,
                            to_keys,
                            &mut to_values.as_structs_mut()?,
                        )
                    };
                }
                match size_of::<V>() {
                    4 => launch!(Value4, $pairs, $words),
                    _ => launch!(Value8, ITEMS_OF_8, 2),
                }?;
                Ok(())
            }
        }
    )*};
}
sort_keys! {
    u32: 4 passes, 1 words, KEYS_OF_4, PAIRS_OF_4;
    i32: 4 passes, 1 words, KEYS_OF_4, PAIRS_OF_4;
    f32: 4 passes, 1 words, KEYS_OF_4, PAIRS_OF_4;
    u64: 8 passes, 2 words, ITEMS_OF_8, ITEMS_OF_8;
    i64: 8 passes, 2 words, ITEMS_OF_8, ITEMS_OF_8;
    f64: 8 passes, 2 words, ITEMS_OF_8, ITEMS_OF_8;
}

/// Blocks that count digits.
const MAX_COUNTING_BLOCKS: usize = 1024;

/// The memory of radix sorts of keys `K`, with values `V`, to be used again for the next one.
///
/// It has the size of the keys and values, and up to two bytes more for each key.
///
/// ```
/// use warpwise::prelude::*;
/// use warpwise_algorithms::RadixSort;
///
/// let device = Device::cpu();
/// let mut sort = RadixSort::with_values(&device, 4)?;
/// let mut keys = device.upload(&[0.5f32, -2.0, 8.0, 0.25])?;
/// let mut values = device.upload(&[0, 1, 2, 3])?;
/// sort.sort_by_key(&device, &mut keys, &mut values)?;
/// assert_eq!(keys.to_vec()?, [-2.0, 0.25, 0.5, 8.0]);
/// assert_eq!(values.to_vec()?, [1, 3, 0, 2]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
#[derive(Debug)]
pub struct RadixSort<K: SortKey, V: SortValue = u32> {
    keys: Buffer<K>,
    values: Buffer<V>,
    /// For each pass the counts of all digits, and later the place of the first key with each.
    counts: Buffer<u32>,
    /// For each pass the number of the next tile, and after them all states.
    states: Buffer<u32>,
}

impl<K: SortKey> RadixSort<K> {
    /// Allocates the memory for sorts of at most `max_len` keys.
    ///
    /// # Errors
    /// [`Error::TooLong`] for 2^30 keys or more, and those of allocations.
    ///
    /// ```
    /// use warpwise::prelude::*;
    /// use warpwise_algorithms::RadixSort;
    ///
    /// let device = Device::cpu();
    /// let mut sort = RadixSort::new(&device, 3)?;
    /// for mut keys in [device.upload(&[3u64, 1])?, device.upload(&[9, 7, 8])?] {
    ///     sort.sort(&device, &mut keys)?;
    ///     assert!(keys.to_vec()?.is_sorted());
    /// }
    /// assert!(sort.sort(&device, &mut device.zeros(4)?).is_err());
    /// # Ok::<(), warpwise_algorithms::Error>(())
    /// ```
    pub fn new(device: &Device, max_len: usize) -> Result<Self> {
        Self::allocate(device, max_len, 0)
    }
}

impl<K: SortKey, V: SortValue> RadixSort<K, V> {
    /// Passes over the keys.
    const PASSES: usize = size_of::<K>();

    /// Allocates the memory for sorts of at most `max_len` pairs.
    ///
    /// # Errors
    /// [`Error::TooLong`] for 2^30 pairs or more, and those of allocations.
    ///
    /// The documentation of [`RadixSort`] has an example.
    pub fn with_values(device: &Device, max_len: usize) -> Result<Self> {
        Self::allocate(device, max_len, max_len)
    }

    fn allocate(device: &Device, max_len: usize, max_values: usize) -> Result<Self> {
        if max_len > COUNT as usize {
            return Err(Error::TooLong { found: max_len, most: COUNT as usize });
        }
        let tiles = max_len.div_ceil(Self::smallest_tile(max_values));
        Ok(Self {
            keys: device.zeros(max_len)?,
            values: device.zeros(max_values)?,
            counts: device.zeros(Self::PASSES * DIGITS)?,
            states: device.zeros(Self::PASSES * (1 + tiles * DIGITS))?,
        })
    }

    /// Returns the keys of a tile: the smaller number, if there may be values.
    const fn smallest_tile(max_values: usize) -> usize {
        let are_short = size_of::<K>() == 4 && (max_values == 0 || size_of::<V>() == 4);
        THREADS * if are_short { KEYS_OF_4 } else { ITEMS_OF_8 }
    }

    /// Sorts `keys` in ascending order, without waiting for the result.
    ///
    /// # Errors
    /// [`Error::TooLong`] for more keys than there is memory for, and those of launches.
    ///
    /// The documentation of [`Self::new`] has an example.
    pub fn sort(&mut self, device: &Device, keys: &mut Slice<K>) -> Result<()> {
        let mut none = device.zeros(0)?;
        self.sort_pairs::<false>(device, keys, &mut none)
    }

    /// Sorts `keys` in ascending order, and moves each value as its key, without waiting for the
    /// result. Equal keys keep their order.
    ///
    /// # Errors
    /// [`Error::Length`] unless there is a value for each key, [`Error::TooLong`] for more pairs
    /// than there is memory for, and those of launches.
    ///
    /// The documentation of [`RadixSort`] has an example.
    pub fn sort_by_key(
        &mut self,
        device: &Device,
        keys: &mut Slice<K>,
        values: &mut Slice<V>,
    ) -> Result<()> {
        require_length("values", values.len(), keys.len())?;
        if values.len() > self.values.len() {
            return Err(Error::TooLong { found: values.len(), most: self.values.len() });
        }
        self.sort_pairs::<true>(device, keys, values)
    }

    fn sort_pairs<const PAIRS: bool>(
        &mut self,
        device: &Device,
        keys: &mut Slice<K>,
        values: &mut Slice<V>,
    ) -> Result<()> {
        if keys.len() > self.keys.len() {
            return Err(Error::TooLong { found: keys.len(), most: self.keys.len() });
        }
        if keys.len() < 2 {
            return Ok(());
        }
        device.fill(&mut self.counts, 0)?;
        K::count_digits(device, keys, &mut self.counts)?;
        scan_counts::launch(device, LaunchConfig::grid(Self::PASSES), &mut self.counts)?;
        device.fill(&mut self.states, 0)?;
        let (mut next_tiles, mut states) = self.states.split_at_mut(Self::PASSES)?;
        let mut other_keys = self.keys.slice_mut(..keys.len())?;
        let mut other_values = self.values.slice_mut(..values.len())?;
        let (mut from, mut to) = ((keys, values), (&mut *other_keys, &mut *other_values));
        let states_of_pass = states.len() / Self::PASSES;
        for pass in 0..Self::PASSES {
            let first_state = pass * states_of_pass;
            let pass = Pass {
                shift: pass as u32 * 8,
                starts: &self.counts.slice(pass * DIGITS..(pass + 1) * DIGITS)?,
                keys: from.0,
                values: from.1,
                next_tile: &mut next_tiles.slice_mut(pass..pass + 1)?,
                states: &mut states.slice_mut(first_state..first_state + states_of_pass)?,
                to_keys: to.0,
                to_values: to.1,
            };
            if PAIRS {
                K::sort_pairs_by_digit(device, pass)
            } else {
                K::sort_keys_by_digit(device, pass)
            }?;
            std::mem::swap(&mut from, &mut to);
        }
        // The number of passes is even, so the keys are where they were.
        Ok(())
    }
}

/// Sorts `keys` in ascending order, without waiting for the result.
///
/// # Errors
/// [`Error::TooLong`] for 2^30 keys or more, and those of allocations and launches.
///
/// ```
/// use warpwise::prelude::*;
///
/// let device = Device::cpu();
/// let mut keys = device.upload(&[3, -9, 4])?;
/// warpwise_algorithms::sort(&device, &mut keys)?;
/// assert_eq!(keys.to_vec()?, [-9, 3, 4]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn sort<K: SortKey>(device: &Device, keys: &mut Slice<K>) -> Result<()> {
    RadixSort::new(device, keys.len())?.sort(device, keys)
}

/// Sorts `keys` in ascending order, and moves each value as its key, without waiting for the
/// result. Equal keys keep their order.
///
/// # Errors
/// [`Error::Length`] unless there is a value for each key, [`Error::TooLong`] for 2^30 pairs or
/// more, and those of allocations and launches.
///
/// ```
/// use warpwise::prelude::*;
///
/// let device = Device::cpu();
/// let mut keys = device.upload(&[3, -9, 4])?;
/// let mut values = device.upload(&[0, 1, 2])?;
/// warpwise_algorithms::sort_by_key(&device, &mut keys, &mut values)?;
/// assert_eq!(values.to_vec()?, [1, 0, 2]);
/// # Ok::<(), warpwise_algorithms::Error>(())
/// ```
pub fn sort_by_key<K: SortKey, V: SortValue>(
    device: &Device,
    keys: &mut Slice<K>,
    values: &mut Slice<V>,
) -> Result<()> {
    RadixSort::with_values(device, keys.len())?.sort_by_key(device, keys, values)
}
