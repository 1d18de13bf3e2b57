//! Clusters: blocks that wait for each other and access each other's shared memory.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use warpwise::{Error, LaunchMistake, prelude::*};

cases![
    neighbours: THREADS_MEET, ranks: THREADS_MEET, planes: THREADS_MEET, writes: THREADS_MEET,
    atomics: THREADS_MEET, wide_atomics: THREADS_MEET, narrow_types: THREADS_MEET,
    structs: THREADS_MEET, many_rounds: THREADS_MEET, any_lane_any_block: THREADS_MEET,
    global_memory_is_ordered: THREADS_MEET, blocks_that_return: THREADS_MEET,
    threads_that_fault: THREADS_MEET, wrong_ranks: THREADS_MEET, slices: THREADS_MEET,
    in_device_functions: THREADS_MEET, generics: THREADS_MEET, flags: THREADS_MEET,
    whole_clusters: THREADS_MEET, suggested_grids: THREADS_MEET,
];

/// Each block reads the elements of the next one of its cluster.
#[kernel(block = 64, cluster = 4)]
fn read_neighbours(x: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = x[i];
    cluster::sync();
    let next = (cluster::block_rank() + 1) % cluster::size();
    y[i] = cluster::map_shared_rank(tile, next)[63 - t];
    cluster::sync();
}

fn neighbours(on: &Engine) -> Check {
    for clusters in [1, 3, 40] {
        let n = clusters * 256;
        let x: Vec<u32> = (0..n as u32).map(|i| i * 7 + 1).collect();
        let mut y = vec![0; n];
        launch!(on, read_neighbours(read x, write y), LaunchConfig::grid(4 * clusters))?;
        let expected = (0..n).map(|i| {
            let (cluster, block, t) = (i / 256, i / 64 % 4, i % 64);
            x[cluster * 256 + (block + 1) % 4 * 64 + 63 - t]
        });
        same("y", &y, &expected.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// The place of each block in a cluster and in the grid.
#[kernel(block = (4, 2), cluster = (2, 2, 2))]
fn places(out: &mut [u64]) {
    let block = (block_idx_z() * grid_dim_y() + block_idx_y()) * grid_dim_x() + block_idx_x();
    let ranks = shared!([u64; 1]);
    if block::thread_rank() == 0 {
        ranks[0] = block as u64;
    }
    cluster::sync();
    if block::thread_rank() == 0 {
        let own = 14 * block;
        out[own] = cluster::block_rank() as u64;
        out[own + 1] = cluster::size() as u64;
        out[own + 2] = (cluster::idx_x() + 10 * cluster::idx_y() + 100 * cluster::idx_z()) as u64;
        out[own + 3] = (cluster::dim_x() + 10 * cluster::dim_y() + 100 * cluster::dim_z()) as u64;
        out[own + 4] = (cluster::block_idx_x()
            + 10 * cluster::block_idx_y()
            + 100 * cluster::block_idx_z()) as u64;
        out[own + 5] = (cluster::grid_dim_x()
            + 10 * cluster::grid_dim_y()
            + 100 * cluster::grid_dim_z()) as u64;
        for rank in 0..8 {
            out[own + 6 + rank] = cluster::map_shared_rank(ranks, rank)[0];
        }
    }
    cluster::sync();
}

fn ranks(on: &Engine) -> Check {
    let grid = [4, 6, 2];
    let blocks = grid.iter().product::<usize>();
    let mut out = vec![0; 14 * blocks];
    launch!(on, places(write out), LaunchConfig::grid((4, 6, 2)))?;
    let number = |[x, y, z]: [usize; 3]| (z * grid[1] + y) * grid[0] + x;
    let mut expected = Vec::new();
    for block in 0..blocks {
        let idx = [block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1]];
        let (inner, cluster) = (idx.map(|i| i % 2), idx.map(|i| i / 2));
        let digits = |[x, y, z]: [usize; 3]| (x + 10 * y + 100 * z) as u64;
        let rank = inner[0] + 2 * inner[1] + 4 * inner[2];
        expected.extend([rank as u64, 8, digits(cluster), 222, digits(inner), digits([2, 3, 1])]);
        expected.extend((0..8).map(|rank| {
            let of = [rank % 2, rank / 2 % 2, rank / 4];
            number([0, 1, 2].map(|axis| 2 * cluster[axis] + of[axis])) as u64
        }));
    }
    same("out", &out, &expected)
}

/// The transpose of the blocks of a cluster.
#[kernel(block = (8, 8), cluster = (2, 2))]
fn transpose(n: u32, x: &[f32], y: &mut [f32]) {
    let tile = shared!([[f32; 8]; 8]);
    let n = n as usize;
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    tile[ty][tx] = x[global_idx_y() * n + global_idx_x()];
    cluster::sync();
    let other = cluster::block_idx_x() * 2 + cluster::block_idx_y();
    let theirs = cluster::map_shared_rank(tile, other);
    y[global_idx_y() * n + global_idx_x()] = theirs[tx][ty];
    cluster::sync();
}

fn planes(on: &Engine) -> Check {
    let n = 64usize;
    let x: Vec<f32> = (0..n * n).map(|i| i as f32 * 0.5).collect();
    let (mut y, size) = (vec![0.0f32; n * n], n as u32);
    launch!(on, transpose(value size, read x, write y), LaunchConfig::grid((8, 8)))?;
    let expected = (0..n * n).map(|i| {
        let (row, column) = (i / n, i % n);
        let (r, c) = (row / 16 * 16 + column % 16, column / 16 * 16 + row % 16);
        x[r * n + c]
    });
    same("y", &y, &expected.collect::<Vec<_>>())
}

/// Every block writes a part of the memory of each block.
#[kernel(block = 32, cluster = 8)]
fn scatter(x: &[u16], y: &mut [u16]) {
    let tile = shared!([u16; 256]);
    let (t, rank) = (thread_idx_x(), cluster::block_rank());
    // No block may write before the others have begun.
    cluster::sync();
    for to in 0..8 {
        let theirs = cluster::map_shared_rank_mut(tile, to);
        theirs[rank * 32 + t] = x[global_idx_x()] + to as u16;
    }
    cluster::sync();
    for part in 0..8 {
        y[(block_idx_x() * 8 + part) * 32 + t] = tile[part * 32 + t];
    }
}

fn writes(on: &Engine) -> Check {
    let blocks = 24;
    let x: Vec<u16> = (0..blocks * 32).map(|i| i as u16 * 3).collect();
    let mut y = vec![0u16; blocks * 256];
    launch!(on, scatter(read x, write y), LaunchConfig::grid(blocks))?;
    let expected = (0..blocks * 256).map(|i| {
        let (block, part, t) = (i / 256, i / 32 % 8, i % 32);
        x[(block / 8 * 8 + part) * 32 + t] + (block % 8) as u16
    });
    same("y", &y, &expected.collect::<Vec<_>>())
}

/// A histogram whose bins are distributed over the blocks of a cluster.
#[kernel(block = 128, cluster = 4)]
fn count(x: &[u32], counts: &[AtomicU32], last: &mut [u32]) {
    let bins = shared!([AtomicU32; 16]);
    let t = thread_idx_x();
    if t < 16 {
        bins[t].store(0, Ordering::Relaxed);
    }
    cluster::sync();
    let i = global_idx_x();
    if i < x.len() {
        let bin = x[i] as usize % 64;
        let theirs = &cluster::map_shared_rank(bins, bin / 16)[bin % 16];
        let before = theirs.fetch_add(1, Ordering::Relaxed);
        last[i] = (before < 4096) as u32;
        theirs.fetch_max(1, Ordering::Relaxed);
    }
    cluster::sync();
    if t < 16 {
        let found = bins[t].load(Ordering::Relaxed);
        counts[cluster::block_rank() * 16 + t].fetch_add(found, Ordering::Relaxed);
    }
}

fn atomics(on: &Engine) -> Check {
    let n = 9000;
    let x: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let (mut counts, mut last) = (vec![0u32; 64], vec![0u32; n]);
    launch!(on, count(read x, atomic counts, write last), LaunchConfig::cover(n))?;
    let mut expected = vec![0; 64];
    x.iter().for_each(|x| expected[*x as usize % 64] += 1);
    same("counts", &counts, &expected)?;
    same("last", &last, &vec![1; n])
}

/// Atomics that shared memory has no instructions for, and compare-and-swap.
#[kernel(block = 64, cluster = 2)]
fn add_wide(sums: &mut [u64], floats: &mut [f32], first: &mut [u32]) {
    let wide = shared!([AtomicU64; 2]);
    let float = shared!([AtomicF32; 1]);
    let owner = shared!([AtomicU32; 1]);
    let flag = shared!([std::sync::atomic::AtomicBool; 3]);
    let t = thread_idx_x();
    if t == 0 {
        wide[0].store(0, Ordering::Relaxed);
        wide[1].store(u64::MAX, Ordering::Relaxed);
        float[0].store(0.0, Ordering::Relaxed);
        owner[0].store(0, Ordering::Relaxed);
        flag[1].store(false, Ordering::Relaxed);
    }
    cluster::sync();
    let other = 1 - cluster::block_rank();
    let theirs = cluster::map_shared_rank(wide, other);
    theirs[0].fetch_add(t as u64 + (1 << 40), Ordering::Relaxed);
    theirs[1].fetch_min(1000 - t as u64, Ordering::Relaxed);
    cluster::map_shared_rank(float, other)[0].fetch_add(0.5, Ordering::Relaxed);
    let place = &cluster::map_shared_rank(owner, 0)[0];
    let me = cluster::block_rank() as u32 + 1;
    let won = place.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    cluster::map_shared_rank(flag, other)[1].fetch_or(won, Ordering::Relaxed);
    cluster::sync();
    if t == 0 {
        let b = block_idx_x();
        sums[2 * b] = wide[0].load(Ordering::Relaxed);
        sums[2 * b + 1] = wide[1].load(Ordering::Relaxed);
        floats[b] = float[0].load(Ordering::Relaxed);
        first[b] = flag[1].load(Ordering::Relaxed) as u32;
    }
}

fn wide_atomics(on: &Engine) -> Check {
    let blocks = 6;
    let (mut sums, mut floats) = (vec![0u64; 2 * blocks], vec![0.0f32; blocks]);
    let mut first = vec![0u32; blocks];
    let config = LaunchConfig::grid(blocks);
    launch!(on, add_wide(write sums, write floats, write first), config)?;
    let all = 64 * (1 << 40) + (0..64).sum::<u64>();
    same("sums", &sums, &[all, 1000 - 63].repeat(blocks))?;
    same("floats", &floats, &vec![32.0; blocks])?;
    let winners: Vec<u32> = first.chunks(2).map(|pair| pair.iter().sum()).collect();
    same("winners", &winners, &vec![1; blocks / 2])
}

/// Types of every size.
#[kernel(block = 32, cluster = 2)]
fn narrow(
    a: &mut [i8],
    b: &mut [bool],
    c: &mut [i16],
    d: &mut [f16],
    e: &mut [f64],
    f: &mut [bf16],
) {
    let (bytes, flags) = (shared!([i8; 32]), shared!([bool; 32]));
    let (words, halves) = (shared!([i16; 32]), shared!([f16; 32]));
    let (doubles, brains) = (shared!([f64; 32]), shared!([bf16; 32]));
    let (t, i) = (thread_idx_x(), global_idx_x());
    let other = 1 - cluster::block_rank();
    cluster::sync();
    cluster::map_shared_rank_mut(bytes, other)[t] = a[i];
    cluster::map_shared_rank_mut(flags, other)[t] = b[i];
    cluster::map_shared_rank_mut(words, other)[t] = c[i];
    halves[t] = d[i];
    doubles[t] = e[i];
    brains[t] = f[i];
    cluster::sync();
    a[i] = bytes[31 - t];
    b[i] = flags[31 - t];
    c[i] = words[31 - t];
    d[i] = cluster::map_shared_rank(halves, other)[31 - t];
    e[i] = cluster::map_shared_rank(doubles, other)[31 - t];
    f[i] = cluster::map_shared_rank(brains, other)[31 - t];
    cluster::sync();
}

fn narrow_types(on: &Engine) -> Check {
    let n = 128;
    let a: Vec<i8> = (0..n).map(|i| (i * 5 - 100) as i8).collect();
    let b: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
    let c: Vec<i16> = (0..n).map(|i| (i * 500 - 30_000) as i16).collect();
    let d: Vec<f16> = (0..n).map(|i| f16::from_f32(i as f32 * 0.25)).collect();
    let e: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.1).collect();
    let f: Vec<bf16> = (0..n).map(|i| bf16::from_f32(i as f32 - 64.0)).collect();
    let (mut a1, mut b1, mut c1) = (a.clone(), b.clone(), c.clone());
    let (mut d1, mut e1, mut f1) = (d.clone(), e.clone(), f.clone());
    let config = LaunchConfig::grid(4);
    launch!(on, narrow(write a1, write b1, write c1, write d1, write e1, write f1), config)?;
    // The same place of the other block, in reverse: reversed over the 64 elements of a cluster.
    fn turned<T: Copy>(x: &[T]) -> Vec<T> {
        x.chunks(64).flat_map(|cluster| cluster.iter().rev().copied()).collect()
    }
    same("a", &a1, &turned(&a))?;
    same("b", &b1, &turned(&b))?;
    same("c", &c1, &turned(&c))?;
    same("d", &d1, &turned(&d))?;
    same("e", &e1, &turned(&e))?;
    same("f", &f1, &turned(&f))
}

/// A sum, and the number of its summands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[device]
struct Part {
    sum: f64,
    count: u32,
    bounds: (i16, i16),
}

#[kernel(block = 32, cluster = 4)]
fn gather_parts(x: &[i16], parts: &mut [Part]) {
    let own = shared!([Part; 2]);
    let value = x[global_idx_x()];
    let sum = block::reduce_add(value as i32) as f64;
    let bounds = (block::reduce_min(value), block::reduce_max(value));
    if thread_idx_x() == 0 {
        own[1] = Part { sum, count: 32, bounds };
    }
    cluster::sync();
    if thread_idx_x() == 0 {
        let mut all = cluster::map_shared_rank(&own[1], 0);
        let mut part = *all;
        for rank in 1..4 {
            all = cluster::map_shared_rank(&own[1], rank);
            part.sum += all.sum;
            part.count += all.count;
            part.bounds.0 = part.bounds.0.min(all.bounds.0);
            part.bounds.1 = part.bounds.1.max(all.bounds.1);
        }
        parts[block_idx_x()] = part;
    }
    cluster::sync();
}

fn structs(on: &Engine) -> Check {
    let x: Vec<i16> = (0..256).map(|i| ((i * 7919) % 1009 - 500) as i16).collect();
    let mut parts = vec![Part::default(); 8];
    launch!(on, gather_parts(read x, write parts), LaunchConfig::grid(8))?;
    let expected = (0..8).map(|block| {
        let x = &x[block / 4 * 128..][..128];
        let sum = x.iter().map(|x| f64::from(*x)).sum();
        let bounds = (*x.iter().min().unwrap(), *x.iter().max().unwrap());
        Part { sum, count: 128, bounds }
    });
    let expected: Vec<_> = expected.collect();
    if parts == expected { Ok(()) } else { Err(format!("{parts:?}, not {expected:?}").into()) }
}

/// A value moves around the cluster, one block per round.
#[kernel(block = 96, cluster = 3)]
fn go_round(rounds: u32, x: &mut [u32]) {
    let tile = shared!([u32; 96]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    let next = (cluster::block_rank() + 1) % 3;
    tile[t] = x[i];
    cluster::sync();
    for _ in 0..rounds {
        let theirs = cluster::map_shared_rank(tile, next)[(t + 1) % 96];
        cluster::sync();
        tile[t] = theirs;
        cluster::sync();
    }
    x[i] = tile[t];
}

fn many_rounds(on: &Engine) -> Check {
    for rounds in [0u32, 1, 2, 100] {
        let before: Vec<u32> = (0..6 * 96).collect();
        let mut x = before.clone();
        launch!(on, go_round(value rounds, write x), LaunchConfig::grid(6))?;
        let from = |i: usize| {
            let (cluster, block, t) = (i / 288, i / 96 % 3, i % 96);
            let rounds = rounds as usize;
            cluster * 288 + (block + rounds) % 3 * 96 + (t + rounds) % 96
        };
        same("x", &x, &(0..x.len()).map(|i| before[from(i)]).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Lanes of one warp read from different blocks, and some do not read.
#[kernel(block = 64, cluster = 4)]
fn pick(of: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = i as u32 * 10;
    cluster::sync();
    if of[i] < 4 {
        y[i] = cluster::map_shared_rank(tile, of[i] as usize)[t ^ 1] + 1;
    }
    cluster::sync();
}

fn any_lane_any_block(on: &Engine) -> Check {
    let n = 512;
    let of: Vec<u32> = (0..n).map(|i| (i * i + i / 3) % 5).collect();
    let mut y = vec![7; n as usize];
    launch!(on, pick(read of, write y), LaunchConfig::grid(8))?;
    let expected = of.iter().zip(0..).map(|(of, i)| match of {
        4 => 7,
        of => (i / 256 * 256 + of * 64 + (i % 64 ^ 1)) * 10 + 1,
    });
    same("y", &y, &expected.collect::<Vec<u32>>())
}

/// Blocks of a cluster exchange data through global memory.
#[kernel(block = 32, cluster = 2)]
fn exchange(x: &mut [u32], y: &mut [u32]) {
    let i = global_idx_x();
    x[i] = i as u32 + 1;
    cluster::sync();
    y[i] = x[i ^ 32];
}

fn global_memory_is_ordered(on: &Engine) -> Check {
    let n = 1024;
    let (mut x, mut y) = (vec![0u32; n], vec![0u32; n]);
    launch!(on, exchange(write x, write y), LaunchConfig::grid(n / 32))?;
    same("y", &y, &(0..n as u32).map(|i| (i ^ 32) + 1).collect::<Vec<_>>())
}

/// A block without work ends at once, and so do some threads of others.
#[kernel(block = 64, cluster = 4, allow(gpu_barriers_after_divergent_returns))]
fn some_return(x: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let (t, rank) = (thread_idx_x(), cluster::block_rank());
    if rank == 2 || t >= 50 {
        return;
    }
    tile[t] = (rank * 100 + t) as u32;
    cluster::sync();
    let other = [1, 3, 0, 0][rank];
    x[global_idx_x()] = cluster::map_shared_rank(tile, other)[49 - t];
    cluster::sync();
}

fn blocks_that_return(on: &Engine) -> Check {
    let mut x = vec![9; 512];
    launch!(on, some_return(write x), LaunchConfig::grid(8))?;
    let expected = (0..512).map(|i| match (i / 64 % 4, i % 64) {
        (2, _) | (_, 50..) => 9,
        (rank, t) => ([1, 3, 0, 0][rank] * 100 + 49 - t) as u32,
    });
    same("x", &x, &expected.collect::<Vec<_>>())
}

/// Some threads fail a check before the barrier, and the others meet without them.
#[kernel(block = 64, cluster = 2)]
fn some_fault(x: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = 5;
    tile[t] = x[i];
    cluster::sync();
    y[i] = cluster::map_shared_rank(tile, 1 - cluster::block_rank())[t];
    cluster::sync();
}

fn threads_that_fault(on: &Engine) -> Check {
    let x: Vec<u32> = (10..130).collect();
    let mut y = vec![0; 128];
    let panic = fault(launch!(on, some_fault(read x, write y), LaunchConfig::grid(2)))?;
    if (panic.index, panic.block, panic.count) != (Some(120), [1, 0, 0], 8) {
        return Err(format!("{panic:?}").into());
    }
    let expected = (0..128).map(|i| match i {
        0..56 => x[i + 64],
        56..64 => 5,
        64..120 => x[i - 64],
        _ => 0,
    });
    same("y", &y, &expected.collect::<Vec<u32>>())
}

/// Reads a rank that no block has.
#[kernel(block = 32, cluster = 2)]
fn read_rank(of: &[u64], y: &mut [u32]) {
    let tile = shared!([u32; 32]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = i as u32;
    cluster::sync();
    y[i] = cluster::map_shared_rank(tile, of[i] as usize)[t];
    cluster::sync();
}

fn wrong_ranks(on: &Engine) -> Check {
    for wrong in [2, 8, 1 << 32, u64::MAX] {
        let mut of: Vec<u64> = (0..128).map(|i| i % 2).collect();
        of[70] = wrong;
        let mut y = vec![1000; 128];
        let panic = fault(launch!(on, read_rank(read of, write y), LaunchConfig::grid(4)))?;
        if (panic.index, panic.block, panic.thread) != (Some(wrong), [2, 0, 0], [6, 0, 0]) {
            return Err(format!("{panic:?}").into());
        }
        let expected = (0..128u32).map(|i| match i {
            70 => 1000,
            i => i / 64 * 64 + i % 2 * 32 + i % 32,
        });
        same("y", &y, &expected.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Memory with a length that the launch computes, as a slice.
#[kernel(block = 32, cluster = 2)]
fn sized(n: u32, y: &mut [f64]) {
    let pad = shared_dyn!(u8, n as usize % 7);
    let tile = shared_dyn!(f64, n as usize);
    if pad.len() > 0 && thread_idx_x() == 0 {
        pad[0] = 1;
    }
    for at in (thread_idx_x()..tile.len()).step_by(32) {
        tile[at] = (block_idx_x() * 1000 + at) as f64;
    }
    cluster::sync();
    let theirs = cluster::map_shared_rank(tile, 1 - cluster::block_rank());
    let part = &theirs[theirs.len() / 2..];
    let mut sum = 0.0;
    for value in part {
        sum += *value;
    }
    y[global_idx_x()] = sum + theirs.len() as f64;
    cluster::sync();
}

fn slices(on: &Engine) -> Check {
    for n in [1u32, 50, 333] {
        let mut y = vec![0.0; 128];
        launch!(on, sized(value n, write y), LaunchConfig::grid(4))?;
        let expected = (0..128).map(|i| {
            let (block, n) = ((i / 32) ^ 1, n as usize);
            (n / 2..n).map(|at| (block * 1000 + at) as f64).sum::<f64>() + n as f64
        });
        same("y", &y, &expected.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Sums the values of the blocks of a cluster; every thread of the first warp gets the sum.
#[device]
fn cluster_sum(own: u64) -> u64 {
    let part = shared!([u64; 1]);
    let sum = block::reduce_add(own);
    if block::thread_rank() == 0 {
        part[0] = sum;
    }
    cluster::sync();
    let mut all = 0;
    if warp::warp_id() == 0 {
        for rank in 0..cluster::size() {
            all += cluster::map_shared_rank(part, rank)[0];
        }
    }
    cluster::sync();
    all
}

#[kernel(block = (16, 4), cluster = (1, 4))]
fn sum_twice(x: &[u64], y: &mut [u64]) {
    let i = grid::thread_rank();
    let first = cluster_sum(x[i]);
    let second = cluster_sum(x[i] * x[i]);
    if block::thread_rank() == 0 {
        let block = i / block::size();
        y[2 * block] = first;
        y[2 * block + 1] = second;
    }
}

fn in_device_functions(on: &Engine) -> Check {
    let grid = (2, 8);
    let n = 16 * 64;
    let x: Vec<u64> = (0..n as u64).map(|i| i * 31 % 257).collect();
    let mut y = vec![0; 32];
    launch!(on, sum_twice(read x, write y), LaunchConfig::grid(grid))?;
    let cluster_of = |block: usize| (block % 2, block / 2 / 4);
    let expected = (0..16).flat_map(|block| {
        let parts = (0..16).filter(|other| cluster_of(*other) == cluster_of(block));
        let values: Vec<u64> = parts.flat_map(|of| x[of * 64..][..64].to_vec()).collect();
        [values.iter().sum(), values.iter().map(|x| x * x).sum()]
    });
    same("y", &y, &expected.collect::<Vec<_>>())
}

/// Swaps values between blocks in generic code.
#[kernel(block = N, cluster = 2)]
fn swapped<T: Num, const N: usize>(x: &[T], y: &mut [T]) {
    let tile = shared!([T; N]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = x[i] + x[i];
    cluster::sync();
    y[i] = cluster::map_shared_rank(tile, 1 - cluster::block_rank())[t] * x[i];
    cluster::sync();
}

fn generics(on: &Engine) -> Check {
    let x: Vec<u8> = (0..128).map(|i| i as u8 % 11).collect();
    let mut y = vec![0; 128];
    launch!(on, swapped::<u8, 32>(read x, write y), LaunchConfig::grid(4))?;
    let expected: Vec<u8> = (0..128).map(|i| 2 * x[i ^ 32] * x[i]).collect();
    same("y", &y, &expected)?;
    let x: Vec<f64> = (0..128).map(f64::from).collect();
    let mut y = vec![0.0; 128];
    launch!(on, swapped::<f64, 64>(read x, write y), LaunchConfig::grid(2))?;
    let expected: Vec<f64> = (0..128).map(|i| 2.0 * x[i ^ 64] * x[i]).collect();
    same("y", &y, &expected)
}

/// Blocks pass a number from one to the next, with a flag in the memory of the next.
#[kernel(block = 32, cluster = 4)]
fn pass_on(y: &mut [u32]) {
    let value = shared!([u32; 1]);
    let ready = shared!([AtomicU32; 1]);
    let (t, rank) = (thread_idx_x(), cluster::block_rank());
    if t == 0 {
        ready[0].store(0, Ordering::Relaxed);
    }
    cluster::sync();
    if t == 0 {
        let mut sum = block_idx_x() as u32;
        if rank > 0 {
            while ready[0].load(Ordering::Acquire) == 0 {}
            sum += value[0];
        }
        if rank + 1 < cluster::size() {
            cluster::map_shared_rank_mut(value, rank + 1)[0] = sum;
            cluster::map_shared_rank(ready, rank + 1)[0].store(1, Ordering::Release);
        }
        y[block_idx_x()] = sum;
    }
    cluster::sync();
}

fn flags(on: &Engine) -> Check {
    let mut y = vec![0; 12];
    launch!(on, pass_on(write y), LaunchConfig::grid(12))?;
    let expected = (0..12u32).map(|block| (block / 4 * 4..=block).sum());
    same("y", &y, &expected.collect::<Vec<_>>())
}

/// A grid that does not consist of clusters is refused, and `cover` makes one that does.
fn whole_clusters(on: &Engine) -> Check {
    let (x, mut y) = (vec![0u32; 1024], vec![0u32; 1024]);
    for blocks in [1, 3, 6] {
        match launch!(on, read_neighbours(read x, write y), LaunchConfig::grid(blocks)) {
            Err(Error::Launch {
                mistake: LaunchMistake::SplitCluster { grid, cluster }, ..
            }) if grid == [blocks as u64, 1, 1] && cluster == [4, 1, 1] => {}
            other => return Err(format!("expected a refusal, got {other:?}").into()),
        }
    }
    let x: Vec<u32> = (0..300).collect();
    let (mut counts, mut last) = (vec![0u32; 64], vec![0u32; 300]);
    launch!(on, count(read x, atomic counts, write last), LaunchConfig::cover(300))?;
    same("last", &last, &vec![1; 300])
}

/// The suggested number of blocks makes whole clusters.
fn suggested_grids(on: &Engine) -> Check {
    let Engine::Device { device, .. } = on else { return Err("the host has no clusters".into()) };
    let suggested = read_neighbours::suggest_block(device, 0)?;
    if suggested.blocks == 0 || suggested.blocks % 4 != 0 {
        return Err(format!("{suggested:?}").into());
    }
    let config = LaunchConfig::grid(suggested.blocks).block(suggested.block);
    let x = device.upload(&vec![3u32; suggested.blocks * 64])?;
    let mut y = device.zeros::<u32>(suggested.blocks * 64)?;
    read_neighbours::launch(device, config, &x, &mut y)?;
    same("y", &y.to_vec()?, &vec![3; suggested.blocks * 64])
}
