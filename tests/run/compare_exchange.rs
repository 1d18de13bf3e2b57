//! `compare_exchange` and `fetch_update` at every ordering and scope.
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
    looked_at,
    updates,
    updates_all_count,
    updates_return_early,
    updates_that_never_or_always,
    shared_cells: THREADS_MEET,
    every_ordering,
];

/// Exchanges that succeed and that fail, each on a cell of its own, with the previous values.
macro_rules! results {
    ($($case:ident $ty:ident $atomic:ident)*) => {$(
        fn $case(on: &Engine) -> Check {
            #[kernel]
            fn exchange(expected: &[$ty], cells: &[$atomic], ok: &mut [bool], old: &mut [$ty]) {
                let i = global_idx_x();
                if i < expected.len() {
                    let new = expected[i].wrapping_add(1);
                    let cell = &cells[i];
                    match cell.compare_exchange(expected[i], new, Ordering::AcqRel, Ordering::Acquire) {
                        Ok(was) => {
                            ok[i] = true;
                            old[i] = was;
                        }
                        Err(is) => {
                            ok[i] = false;
                            old[i] = is;
                        }
                    }
                }
            }
            let top: $ty = 1 << ($ty::BITS - 1);
            let was: Vec<$ty> = vec![0, 1, $ty::MAX, $ty::MIN, top | 1, top | 1, top, 7];
            let expected: Vec<$ty> = vec![0, 2, $ty::MAX, $ty::MAX, top | 1, 1, 0, 7];
            let hits: Vec<bool> = was.iter().zip(&expected).map(|(was, by)| was == by).collect();
            let (mut cells, mut ok, mut old) = (was.clone(), vec![false; 8], vec![0; 8]);
            let config = LaunchConfig::cover(8);
            launch!(on, exchange(read expected, atomic cells, write ok, write old), config)?;
            same("ok", &ok, &hits)?;
            same("old", &old, &was)?;
            let cell = |i: usize| if hits[i] { was[i].wrapping_add(1) } else { was[i] };
            same("cells", &cells, &(0..8).map(cell).collect::<Vec<_>>())
        }
    )*};
}
results! {
    u32s u32 AtomicU32 i32s i32 AtomicI32 u64s u64 AtomicU64 i64s i64 AtomicI64
    usizes usize AtomicUsize isizes isize AtomicIsize
}

#[device]
fn take(cell: &AtomicU32, expected: u32) -> Result<u32, u32> {
    let was = cell.compare_exchange_weak(expected, 99, Ordering::Relaxed, Ordering::Relaxed)?;
    Ok(was * 2)
}

/// Uses a result in all ways in which one can examine a result. Each cell belongs to one thread, so
/// only the host's copy could see a weak exchange of the current value fail, and there it never
/// fails.
#[kernel]
fn look(cells: &[AtomicU32], out: &mut [u32]) {
    let t = global_idx_x();
    if t < 2 {
        let expected = 5;
        let cell = &cells[t];
        out[t * 8] = take(cell, expected).unwrap_or_else(|is| is + 1000);
        cell.store(5 + t as u32, Ordering::Relaxed);
        let result = cell.compare_exchange(5, 8, Ordering::Relaxed, Ordering::Relaxed);
        out[t * 8 + 1] = result.is_ok() as u32;
        out[t * 8 + 2] = result.unwrap_or(77);
        out[t * 8 + 3] = (result == Ok(5)) as u32 + 2 * (result == Err(6)) as u32;
        out[t * 8 + 4] = result.err().map_or(3, |is| is * 10);
        if let Err(is) = cell.compare_exchange(8, 9, Ordering::SeqCst, Ordering::SeqCst) {
            out[t * 8 + 5] = is;
        }
        let Ok(was) = cell.compare_exchange(9, 10, Ordering::Release, Ordering::Relaxed) else {
            out[t * 8 + 6] = 44;
            return;
        };
        out[t * 8 + 6] = was;
        while let Ok(_) = cell.compare_exchange(10, 11, Ordering::Relaxed, Ordering::Relaxed) {
            out[t * 8 + 7] += 1;
        }
    }
}

fn looked_at(on: &Engine) -> Check {
    let (mut cells, mut out) = (vec![5, 6], vec![0; 16]);
    launch!(on, look(atomic cells, write out), LaunchConfig::grid(1).block(2))?;
    same("cells", &cells, &[11, 6])?;
    same("out", &out, &[10, 1, 5, 1, 3, 0, 9, 1, 1006, 0, 77, 2, 60, 6, 44, 0])
}

/// Halves even numbers, and keeps others.
#[kernel]
fn halve(cells: &[AtomicI64], out: &mut [i64]) {
    let i = global_idx_x();
    if i < cells.len() {
        let mut calls = 0;
        let halved = cells[i].fetch_update(Ordering::AcqRel, Ordering::Acquire, |value| {
            calls += 1;
            if value % 2 == 0 { Some(value / 2) } else { None }
        });
        out[i] = match halved {
            Ok(was) => was * 10,
            Err(is) => -is,
        } + calls;
    }
}

fn updates(on: &Engine) -> Check {
    let was: Vec<i64> = vec![4, 7, 0, -6, i64::MIN, i64::MAX, 1 << 40];
    let (mut cells, mut out) = (was.clone(), vec![0; 7]);
    launch!(on, halve(atomic cells, write out), LaunchConfig::cover(7))?;
    let want: Vec<i64> = was.iter().map(|x| if x % 2 == 0 { x / 2 } else { *x }).collect();
    same("cells", &cells, &want)?;
    let value = |x: &i64| if x % 2 == 0 { x.wrapping_mul(10) } else { x.wrapping_neg() };
    same("out", &out, &was.iter().map(|x| value(x).wrapping_add(1)).collect::<Vec<_>>())
}

/// Many threads at one cell: one thread for each power of three.
#[kernel]
fn triple(cell: &[AtomicU64], seen: &mut [u64]) {
    let i = global_idx_x();
    if i < seen.len() {
        let most = 3u64.pow(30);
        let step = |value: u64| if value < most { Some(value * 3) } else { None };
        seen[i] = match cell[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, step) {
            Ok(was) => was,
            Err(_) => 0,
        };
    }
}

fn updates_all_count(on: &Engine) -> Check {
    let (mut cell, mut seen) = (vec![1u64], vec![0; 500]);
    launch!(on, triple(atomic cell, write seen), LaunchConfig::cover(500))?;
    same("cell", &cell, &[3u64.pow(30)])?;
    seen.sort_unstable();
    let powers = (0..30).map(|n| 3u64.pow(n));
    let want: Vec<u64> = std::iter::repeat_n(0, 470).chain(powers).collect();
    same("seen", &seen, &want)
}

/// `return` and `?` in the closure leave the closure.
#[kernel]
fn early(cells: &[AtomicUsize], limit: usize, out: &mut [usize]) {
    let i = global_idx_x();
    if i < cells.len() {
        let result = cells[i].block().fetch_update(Ordering::SeqCst, Ordering::SeqCst, |value| {
            if value == 3 {
                return Some(33);
            }
            let less = value.checked_sub(limit)?;
            Some(less + 1)
        });
        out[i] = result.unwrap_or_else(|is| is + 500);
    }
}

fn updates_return_early(on: &Engine) -> Check {
    let (mut cells, limit, mut out) = (vec![3, 9, 10, 11, usize::MAX], 10usize, vec![0; 5]);
    launch!(on, early(atomic cells, value limit, write out), LaunchConfig::cover(5))?;
    same("cells", &cells, &[33, 9, 1, 2, usize::MAX - 9])?;
    same("out", &out, &[3, 509, 10, 11, usize::MAX])
}

#[kernel]
fn never_or_always(cells: &[AtomicI32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < cells.len() {
        let never = cells[i].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |_| None);
        let always =
            cells[i].fetch_update(Ordering::Release, Ordering::Relaxed, |value| Some(value - 1));
        out[i] = never.is_err() as i32
            + 2 * always.is_ok() as i32
            + 4 * (never.err() == always.ok()) as i32;
    }
}

fn updates_that_never_or_always(on: &Engine) -> Check {
    let (mut cells, mut out) = (vec![0, i32::MIN, 12], vec![0; 3]);
    launch!(on, never_or_always(atomic cells, write out), LaunchConfig::cover(3))?;
    same("cells", &cells, &[-1, i32::MAX, 11])?;
    same("out", &out, &[7; 3])
}

/// A `compare_exchange` in shared memory: the maximum over the threads of a block, and its thread.
#[kernel(block = 64)]
fn leaders(x: &[u32], out: &mut [u64]) {
    let best = shared!(AtomicUsize);
    let t = thread_idx_x();
    if t == 0 {
        best.store(0, Ordering::Relaxed);
    }
    sync_threads();
    let own = (x[global_idx_x()] as usize) << 8 | t;
    let mut seen = best.load(Ordering::Relaxed);
    while seen < own {
        match best.compare_exchange_weak(seen, own, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => break,
            Err(now) => seen = now,
        }
    }
    sync_threads();
    if t == 0 {
        out[block_idx_x()] = best.load(Ordering::Acquire) as u64;
    }
}

fn shared_cells(on: &Engine) -> Check {
    let x: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 8).collect();
    let mut out = vec![0; 4];
    launch!(on, leaders(read x, write out), LaunchConfig::grid(4))?;
    let want: Vec<u64> = x
        .chunks(64)
        .map(|block| (0..64).map(|t| u64::from(block[t]) << 8 | t as u64).max().unwrap())
        .collect();
    same("out", &out, &want)
}

/// Every ordering that an operation can have, on cells that no other thread accesses.
#[kernel]
fn orderings(cells: &[AtomicU32], wide: &[AtomicI64], floats: &[AtomicF32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        let (a, b, f) = (&cells[i], &wide[i], &floats[i]);
        a.store(1, Ordering::Relaxed);
        a.store(a.load(Ordering::Relaxed) + 1, Ordering::Release);
        a.store(a.load(Ordering::Acquire) + 1, Ordering::SeqCst);
        let mut sum = a.load(Ordering::SeqCst);
        sum += a.swap(4, Ordering::Relaxed) + a.swap(5, Ordering::Acquire);
        sum += a.swap(6, Ordering::Release) + a.swap(7, Ordering::AcqRel);
        sum += a.swap(8, Ordering::SeqCst);
        sum += a.fetch_add(1, Ordering::Relaxed) + a.fetch_sub(1, Ordering::Acquire);
        sum += a.fetch_or(3, Ordering::Release) + a.fetch_and(9, Ordering::AcqRel);
        sum += a.fetch_xor(1, Ordering::SeqCst) + a.fetch_nand(8, Ordering::AcqRel) % 100;
        sum += a.fetch_min(50, Ordering::Acquire) % 100 + a.fetch_max(60, Ordering::Release);
        b.fetch_max(5, Ordering::SeqCst);
        b.fetch_min(-5, Ordering::Relaxed);
        sum += b.compare_exchange(-5, 1, Ordering::Relaxed, Ordering::Relaxed).is_ok() as u32;
        sum += b.compare_exchange(1, 2, Ordering::Acquire, Ordering::Relaxed).is_ok() as u32;
        sum += b.compare_exchange(2, 3, Ordering::Release, Ordering::Acquire).is_ok() as u32;
        sum += b.compare_exchange(3, 4, Ordering::AcqRel, Ordering::SeqCst).is_ok() as u32;
        sum += b.compare_exchange(4, 5, Ordering::SeqCst, Ordering::Acquire).is_ok() as u32;
        sum += b.compare_exchange(0, 6, Ordering::SeqCst, Ordering::SeqCst).is_ok() as u32;
        f.store(0.5, Ordering::SeqCst);
        f.fetch_add(0.5, Ordering::Relaxed);
        f.fetch_add(f.swap(2.0, Ordering::Acquire), Ordering::Acquire);
        f.fetch_min(f.load(Ordering::SeqCst) + f.load(Ordering::Acquire), Ordering::Release);
        f.fetch_max(f.swap(-1.0, Ordering::AcqRel), Ordering::AcqRel);
        f.fetch_add(f.fetch_min(7.0, Ordering::SeqCst), Ordering::SeqCst);
        out[i] = sum;
    }
}

fn every_ordering(on: &Engine) -> Check {
    let (mut cells, mut wide, mut floats) = (vec![0; 40], vec![0; 40], vec![0.0; 40]);
    let mut out = vec![0; 40];
    launch!(
        on,
        orderings(atomic cells, atomic wide, atomic floats, write out),
        LaunchConfig::cover(40)
    )?;
    // 3; swaps bring 3 4 5 6 7; then 8 9 8 11 9 8, of which `!(8 & 8)` is made; 50 and 50.
    let nand = !8u32;
    let sum = 3 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 8 + 11 + 9 + 8 + nand % 100 + 50 + 5;
    same("out", &out, &[sum; 40])?;
    same("cells", &cells, &[60; 40])?;
    same("wide", &wide, &[5; 40])?;
    same("floats", &floats, &[6.0; 40])
}
