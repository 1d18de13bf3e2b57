//! Atomics of every type: totals that do not depend on the order of threads, and previous values.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![
    u32s,
    i32s,
    u64s,
    i64s,
    usizes,
    isizes,
    bools,
    shared_bools: THREADS_MEET,
    f32s,
    f64s,
    tickets,
    swaps,
    exchanges,
    lowest_claims,
    publishing,
    locks,
    float_extremes,
    scopes,
    imported_orderings,
    subnormals: THREADS_MEET,
    in_uniform_loops: THREADS_MEET, names_of_orderings];

mod imported {
    use std::sync::atomic::Ordering::{self, *};
    use warpwise::prelude::*;

    #[kernel]
    pub(super) fn count(x: &[u32], even: &[AtomicU32], order: &[AtomicU32]) {
        if let Some(&x) = x.get(global_idx_x()) {
            even[0].fetch_add(u32::from(x % 2 == 0), Relaxed);
            let _ = order[0].compare_exchange(0, x, AcqRel, Ordering::Acquire);
        }
    }
}

fn imported_orderings(on: &Engine) -> Check {
    use imported::count;
    let x: Vec<u32> = (1..=101).map(|i| 2 * (i / 2) + 2).collect();
    let (mut even, mut order) = (vec![0u32], vec![0u32]);
    launch!(on, count(read x, atomic even, atomic order), LaunchConfig::cover(101))?;
    same("even", &even, &[101])?;
    if order[0] == 0 { Err("nobody came first".into()) } else { Ok(()) }
}

const THREADS: usize = 1000;

/// Every integer operation, each on an element of its own.
macro_rules! integers {
    ($($case:ident $ty:ident $atomic:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn update(x: &[$ty], all: &[$atomic], seen: &mut [$ty]) {
                let i = global_idx_x();
                if i < x.len() {
                    let v = x[i];
                    all[0].fetch_add(v, Ordering::Relaxed);
                    all[1].fetch_sub(v, Ordering::AcqRel);
                    all[2].fetch_and(v | 0x70, Ordering::Relaxed);
                    all[3].fetch_or(v, Ordering::Acquire);
                    all[4].fetch_xor(v, Ordering::Release);
                    all[5].fetch_min(v, Ordering::SeqCst);
                    all[6].fetch_max(v, Ordering::Relaxed);
                    if i == 77 {
                        seen[0] = all[7].fetch_nand(v, Ordering::Relaxed);
                        seen[1] = all[7].load(Ordering::Acquire);
                        all[7].store(v, Ordering::Release);
                        seen[2] = all[7].swap(12, Ordering::AcqRel);
                        seen[3] = all[7].fetch_sub(20, Ordering::Relaxed);
                    }
                }
            }
            let spread = |i: usize| (i as $ty).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as $ty);
            let x: Vec<$ty> = (0..THREADS).map(spread).collect();
            let mut all: Vec<$ty> = vec![5, 5, !0, 0, 99, 40, 41, 0x5555];
            let mut seen = vec![0; 4];
            launch!(on, update(read x, atomic all, write seen), LaunchConfig::cover(THREADS))?;
            let sum = x.iter().fold(0, |sum: $ty, x| sum.wrapping_add(*x));
            let want = [
                sum.wrapping_add(5),
                (5 as $ty).wrapping_sub(sum),
                x.iter().fold(!0, |all, x| all & (x | 0x70)),
                x.iter().fold(0, |all, x| all | x),
                x.iter().fold(99, |all, x| all ^ x),
                x.iter().fold(40, |all, x| all.min(*x)),
                x.iter().fold(41, |all, x| all.max(*x)),
                (12 as $ty).wrapping_sub(20),
            ];
            same("all", &all, &want)?;
            same("seen", &seen, &[0x5555, !(0x5555 & x[77]), x[77], 12])
        }
    )*};
}
integers! {
    u32s u32 AtomicU32 i32s i32 AtomicI32 u64s u64 AtomicU64 i64s i64 AtomicI64
    usizes usize AtomicUsize isizes isize AtomicIsize
}

/// Sums of small whole numbers, which are exact in any order.
macro_rules! floats {
    ($($case:ident $ty:ident $atomic:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn update(x: &[$ty], all: &[$atomic], seen: &mut [$ty]) {
                let i = global_idx_x();
                if i < x.len() {
                    all[0].fetch_add(x[i], Ordering::Relaxed);
                    all[i % 7 + 1].fetch_add(0.5, Ordering::Relaxed);
                    if i == 9 {
                        seen[0] = all[8].swap(x[i], Ordering::Relaxed);
                        seen[1] = all[8].load(Ordering::Relaxed);
                        all[8].store(-0.25, Ordering::Relaxed);
                        seen[2] = all[8].fetch_add(1.0, Ordering::Relaxed);
                    }
                }
            }
            let x: Vec<$ty> = (0..THREADS).map(|i| (i % 100) as $ty - 30.0).collect();
            let mut all: Vec<$ty> = vec![0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0];
            let mut seen = vec![0.0; 3];
            launch!(on, update(read x, atomic all, write seen), LaunchConfig::cover(THREADS))?;
            let mut want = vec![0.25 + x.iter().sum::<$ty>()];
            want.extend((0..7).map(|k| (k..THREADS).step_by(7).count() as $ty * 0.5));
            want.push(0.75);
            same("all", &all, &want)?;
            same("seen", &seen, &[8.0, x[9], -0.25])
        }
    )*};
}
floats! { f32s f32 AtomicF32 f64s f64 AtomicF64 }

#[kernel]
fn extremes(x: &[f32], y: &[f64], all: &[AtomicF32], wide: &[AtomicF64]) {
    let i = global_idx_x();
    if i < x.len() {
        all[0].fetch_min(x[i], Ordering::Relaxed);
        all[1].fetch_max(x[i], Ordering::Relaxed);
        wide[0].fetch_min(y[i], Ordering::Relaxed);
        wide[1].fetch_max(y[i], Ordering::Relaxed);
    }
}

/// In global memory an atomic addition of `f32` takes subnormals as zeros; in shared memory, and of
/// `f64`, it does not.
#[kernel(block = 32)]
fn add_tiny(x: &[f32], global: &[AtomicF32], shared: &mut [f32], wide: &[AtomicF64]) {
    let sums = shared!([AtomicF32; 4]);
    let t = thread_idx_x();
    if t < 4 {
        sums[t].store(x[t], Ordering::Relaxed);
        sums[t].fetch_add(x[t + 4], Ordering::Relaxed);
        shared[t] = sums[t].load(Ordering::Relaxed);
        global[t].fetch_add(x[t + 4], Ordering::Relaxed);
        wide[t].fetch_add(f64::MIN_POSITIVE / 4.0, Ordering::Relaxed);
    }
}

fn subnormals(on: &Engine) -> Check {
    let (least, most) = (f32::from_bits(1), f32::from_bits(0x007f_ffff));
    let mut global = vec![f32::MIN_POSITIVE, -most, most, f32::MIN_POSITIVE];
    let by = [least, -least, least, -most];
    let exact: Vec<f32> = global.iter().zip(by).map(|(x, by)| x + by).collect();
    let x = [&global[..], &by].concat();
    let mut shared = vec![0.0; 4];
    let mut wide = vec![f64::MIN_POSITIVE / 4.0; 4];
    launch!(
        on,
        add_tiny(read x, atomic global, write shared, atomic wide),
        LaunchConfig::grid(1)
    )?;
    same("shared", &shared, &exact)?;
    same("global", &global, &[f32::MIN_POSITIVE, -0.0, 0.0, f32::MIN_POSITIVE])?;
    same("wide", &wide, &[f64::MIN_POSITIVE / 2.0; 4])
}

/// A 64-bit update of shared memory in a loop whose counter is the same in all lanes, which
/// lanes must not leave one after the other: on a GPU such a kernel once never ended.
#[kernel(block = 33, allow(gpu_partial_warps))]
fn toggle(first: u32, count: u32, out: &mut [u64]) {
    let bits = shared!([AtomicU64; 1]);
    let t = thread_idx_x();
    if t == 0 {
        bits[0].store(0, Ordering::Relaxed);
    }
    sync_threads();
    let mut n = first;
    while first + count - n >= 2 {
        bits[0].fetch_xor(3 << t, Ordering::AcqRel);
        n += 2;
    }
    sync_threads();
    out[t] = bits[0].load(Ordering::Relaxed);
}

fn in_uniform_loops(on: &Engine) -> Check {
    let (first, count) = (7, 7);
    let mut out = vec![0; 33];
    launch!(on, toggle(value first, value count, write out), LaunchConfig::grid(1))?;
    // Three times each: one lane has bits 0 and 33, and two lanes have those between.
    same("out", &out, &[1 | 1 << 33; 33])
}

fn float_extremes(on: &Engine) -> Check {
    let x: Vec<f32> = (0..THREADS).map(|i| ((i * 37) % 1000) as f32 - 700.0).collect();
    let y: Vec<f64> =
        x.iter().map(|x| if *x < -500.0 { f64::NAN } else { f64::from(*x) }).collect();
    let mut all = vec![f32::NAN, -1e9];
    let mut wide = vec![1e9, f64::NAN];
    launch!(
        on,
        extremes(read x, read y, atomic all, atomic wide),
        LaunchConfig::cover(THREADS)
    )?;
    same("all", &all, &[-700.0, 299.0])?;
    same("wide", &wide, &[-500.0, 299.0])
}

/// The results of `fetch_add` are all numbers, each once.
#[kernel]
fn take(next: &[AtomicU32], tickets: &mut [u32]) {
    let i = global_idx_x();
    if i < tickets.len() {
        tickets[i] = next[0].fetch_add(1, Ordering::Relaxed);
    }
}

fn tickets(on: &Engine) -> Check {
    let mut next = vec![10];
    let mut tickets = vec![0; 3000];
    launch!(on, take(atomic next, write tickets), LaunchConfig::cover(3000))?;
    tickets.sort_unstable();
    let want: Vec<u32> = (10..3010).collect();
    same("tickets", &tickets, &want)?;
    same("next", &next, &[3010])
}

/// Every value but the one that stays is swapped in and out once.
#[kernel]
fn pass_on(held: &[AtomicU64], out: &mut [u64]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = held[0].swap(i as u64 + 1, Ordering::AcqRel);
    }
}

fn swaps(on: &Engine) -> Check {
    let mut held = vec![0];
    let mut out = vec![0; 2000];
    launch!(on, pass_on(atomic held, write out), LaunchConfig::cover(2000))?;
    out.extend(held);
    out.sort_unstable();
    let want: Vec<u64> = (0..=2000).collect();
    same("out", &out, &want)
}

/// Doubles and adds one, a hundred times in any order, by `compare_exchange`.
#[kernel]
fn double_plus_one(cells: &[AtomicI32], tries: &[AtomicU32]) {
    let i = global_idx_x();
    if i < 640 {
        let cell = i % 64;
        loop {
            tries[0].fetch_add(1, Ordering::Relaxed);
            let old = cells[cell].load(Ordering::Relaxed);
            let new = old * 2 + 1;
            if cells[cell].compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                break;
            }
        }
    }
}

fn exchanges(on: &Engine) -> Check {
    let mut cells: Vec<i32> = (0..64).collect();
    let mut tries = vec![0];
    launch!(on, double_plus_one(atomic cells, atomic tries), LaunchConfig::cover(640))?;
    let want: Vec<i32> = (0..64).map(|cell| (0..10).fold(cell, |value, _| value * 2 + 1)).collect();
    same("cells", &cells, &want)?;
    if tries[0] < 640 { Err(format!("only {} tries", tries[0]).into()) } else { Ok(()) }
}

/// The lowest index that holds each key.
#[kernel]
fn claim(keys: &[u8], owner: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        owner[keys[i] as usize].fetch_min(i as u32, Ordering::Relaxed);
    }
}

fn lowest_claims(on: &Engine) -> Check {
    let keys: Vec<u8> = (0..4000u32).map(|i| (i.wrapping_mul(40_503) >> 7) as u8).collect();
    let mut owner = vec![u32::MAX; 256];
    launch!(on, claim(read keys, atomic owner), LaunchConfig::cover(keys.len()))?;
    let want: Vec<u32> = (0..=255u8)
        .map(|key| keys.iter().position(|k| *k == key).map_or(u32::MAX, |i| i as u32))
        .collect();
    same("owner", &owner, &want)
}

/// The last block to finish sees what all the others wrote.
#[kernel]
fn last_block_sums(parts: &mut [u32], done: &[AtomicU32], total: &mut [u32]) {
    if thread_idx_x() == 0 {
        parts[block_idx_x()] = block_idx_x() as u32 * 3;
        thread_fence();
        let before = done[0].fetch_add(1, Ordering::AcqRel);
        if before as usize == grid_dim_x() - 1 {
            thread_fence();
            let mut sum = 0;
            for block in 0..grid_dim_x() {
                sum += parts[block];
            }
            total[0] = sum;
        }
    }
}

fn publishing(on: &Engine) -> Check {
    let (mut parts, mut done, mut total) = (vec![0; 500], vec![0], vec![0]);
    launch!(
        on,
        last_block_sums(write parts, atomic done, write total),
        LaunchConfig::grid(500).block(32)
    )?;
    same("total", &total, &[3 * 500 * 499 / 2])
}

/// A lock that one thread of each block takes.
#[kernel]
fn locked(lock: &[AtomicU32], counter: &mut [u64]) {
    if thread_idx_x() == 0 {
        loop {
            if lock[0].swap(1, Ordering::Acquire) == 0 {
                break;
            }
        }
        counter[0] = counter[0] * 3 + 1;
        counter[0] %= 1_000_003;
        lock[0].store(0, Ordering::Release);
    }
}

fn locks(on: &Engine) -> Check {
    let (mut lock, mut counter) = (vec![0], vec![7u64]);
    launch!(on, locked(atomic lock, write counter), LaunchConfig::grid(200).block(64))?;
    let want = (0..200).fold(7, |value, _| (value * 3 + 1) % 1_000_003);
    same("counter", &counter, &[want])?;
    same("lock", &lock, &[0])
}

/// The same atomics among the threads of a block, and of the whole machine.
#[kernel(block = 128)]
fn at_scopes(per_block: &[AtomicU32], all: &[AtomicI64], fences: &[AtomicU32]) {
    per_block[block_idx_x()].block().fetch_add(1, Ordering::Relaxed);
    all[0].system().fetch_sub(2, Ordering::AcqRel);
    thread_fence_block();
    thread_fence_system();
    fences[0].fetch_max(all[0].system().load(Ordering::Acquire) as u32, Ordering::Relaxed);
}

fn scopes(on: &Engine) -> Check {
    let (mut per_block, mut all, mut fences) = (vec![5; 9], vec![10_000], vec![0]);
    let blocks = LaunchConfig::grid(9).block(128);
    launch!(on, at_scopes(atomic per_block, atomic all, atomic fences), blocks)?;
    same("per_block", &per_block, &[133; 9])?;
    same("all", &all, &[10_000 - 2 * 9 * 128])?;
    if (7696..10_000).contains(&fences[0]) { Ok(()) } else { Err(format!("{fences:?}").into()) }
}

/// Every operation on `bool`s, with neighbours in a word at the same time: thread `i` of a thousand
/// updates an element of its own and elements that all update.
#[kernel]
fn update_bools(x: &[bool], own: &[AtomicBool], all: &[AtomicBool], seen: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let (v, mut bits) = (x[i], 0);
        bits |= u32::from(own[i].load(Ordering::Relaxed));
        bits |= u32::from(own[i].swap(v, Ordering::AcqRel)) << 1;
        bits |= u32::from(own[i].fetch_xor(true, Ordering::Relaxed)) << 2;
        bits |= u32::from(own[i].fetch_nand(v, Ordering::SeqCst)) << 3;
        bits |= u32::from(own[i].fetch_and(i % 3 > 0, Ordering::Acquire)) << 4;
        bits |= u32::from(own[i].fetch_or(i % 5 == 0, Ordering::Release)) << 5;
        let tried = own[i].compare_exchange(v, i % 2 == 0, Ordering::SeqCst, Ordering::Relaxed);
        bits |= u32::from(tried.is_ok()) << 6 | u32::from(own[i].load(Ordering::Acquire)) << 7;
        let toggled = own[i].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| {
            if i % 7 > 0 { Some(!old) } else { None }
        });
        bits |= u32::from(toggled.is_err()) << 8 | u32::from(own[i].load(Ordering::SeqCst)) << 9;
        if i % 11 == 0 {
            own[i].store(v, Ordering::Release);
        }
        seen[i] = bits;
        all[0].fetch_or(i == 777, Ordering::Relaxed);
        all[1].fetch_and(i != 778, Ordering::Relaxed);
        all[2].fetch_xor(v, Ordering::Relaxed);
        all[3].fetch_and(true, Ordering::Relaxed);
        if all[4].compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            all[5].fetch_xor(true, Ordering::Relaxed);
        }
        if !all[6].swap(true, Ordering::Relaxed) {
            all[5].fetch_xor(true, Ordering::Relaxed);
        }
    }
}

/// Returns the result that thread `i` sees, and the new value of its element, which was `old`.
fn updated(i: usize, v: bool, old: bool) -> (u32, bool) {
    let first = v;
    let second = !first;
    let third = !(second && v);
    let fourth = third && i % 3 > 0;
    let fifth = fourth || i.is_multiple_of(5);
    let exchanged = fifth == v;
    let sixth = if exchanged { i.is_multiple_of(2) } else { fifth };
    let refused = i.is_multiple_of(7);
    let last = sixth != !refused;
    let seen = [old, old, first, second, third, fourth, exchanged, sixth, refused, last];
    let bits = seen.iter().enumerate().map(|(bit, seen)| u32::from(*seen) << bit).sum();
    (bits, if i.is_multiple_of(11) { v } else { last })
}

fn bools(on: &Engine) -> Check {
    let x: Vec<bool> = (0..THREADS).map(|i| (i * i / 3) % 2 == 0).collect();
    let before: Vec<bool> = (0..THREADS).map(|i| i % 4 < 2).collect();
    let (mut own, mut seen) = (before.clone(), vec![0; THREADS]);
    let mut all = vec![false, true, false, true, false, false, false];
    let config = LaunchConfig::cover(THREADS);
    launch!(on, update_bools(read x, atomic own, atomic all, write seen), config)?;
    let want = (0..THREADS).map(|i| updated(i, x[i], before[i]));
    let (want_seen, want_own): (Vec<u32>, Vec<bool>) = want.unzip();
    same("seen", &seen, &want_seen)?;
    same("own", &own, &want_own)?;
    let odd = x.iter().filter(|x| **x).count() % 2 == 1;
    same("all", &all, &[true, false, odd, true, true, false, true])
}

/// A word of shared memory that is not full.
#[kernel(block = 64)]
fn mark(x: &[u32], out: &mut [bool]) {
    let found = shared!([AtomicBool; 7]);
    let t = thread_idx_x();
    if t < found.len() {
        found[t].store(false, Ordering::Relaxed);
    }
    sync_threads();
    found[x[global_idx_x()] as usize].store(true, Ordering::Relaxed);
    found[6].fetch_xor(true, Ordering::Relaxed);
    sync_threads();
    if t < found.len() {
        out[block_idx_x() * found.len() + t] = found[t].load(Ordering::Relaxed);
    }
}

fn shared_bools(on: &Engine) -> Check {
    let x: Vec<u32> = (0..192).map(|i| (i * i + i / 64) % 5).collect();
    let mut out = vec![true; 21];
    launch!(on, mark(read x, write out), LaunchConfig::grid(3).block(64))?;
    let blocks = x.chunks(64);
    let want: Vec<bool> = blocks.flat_map(|x| (0..7).map(|k| x.contains(&k))).collect();
    same("out", &out, &want)
}

#[device]
const COUNTING: Ordering = Ordering::Relaxed;

#[device]
mod locks {
    use std::sync::atomic::Ordering;
    use warpwise::prelude::*;

    pub(super) const TAKE: Ordering = Ordering::AcqRel;

    pub(super) fn raise(a: &AtomicU32) -> u32 {
        let order = TAKE;
        a.fetch_add(2, order)
    }
}

/// An enum with the names of orderings.
#[device]
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Relaxed,
    Strict,
}

#[kernel(allow(gpu_contended_atomics))]
fn named_orderings(a: &[AtomicU32]) {
    if global_idx_x() > 0 {
        return;
    }
    let relaxed = Ordering::Relaxed;
    let acquire: Ordering = Ordering::Acquire;
    const RELEASE: Ordering = Ordering::Release;
    let again = relaxed;
    a[0].fetch_add(1, relaxed);
    a[1].fetch_add(1, COUNTING);
    a[2].store(7, RELEASE);
    a[3].fetch_add(a[2].load(acquire) + 1, std::sync::atomic::Ordering::SeqCst);
    let _ = a[4].compare_exchange(0, 9, locks::TAKE, again);
    let _ = a[5].fetch_update(again, relaxed, |v| Some(v + 4));
    let before = locks::raise(&a[6]);
    let mode = if before == 0 { Mode::Relaxed } else { Mode::Strict };
    let relaxed = Mode::Relaxed;
    if mode == relaxed {
        a[7].store(1, again);
    }
}

fn names_of_orderings(on: &Engine) -> Check {
    let mut a = vec![0u32; 8];
    launch!(on, named_orderings(atomic a), LaunchConfig::grid(1).block(32))?;
    same("a", &a, &[1, 1, 7, 8, 9, 4, 2, 1])
}
