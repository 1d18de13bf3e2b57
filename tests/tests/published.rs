//! Published tables, reproduced by the counters of the interpreter on kernels written as users write them.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use warpwise::{
    F32x2, F32x4,
    counters::{Counts, LaunchCounters},
    prelude::*,
};

/// What the last launch on the device did.
fn last(device: &Device) -> LaunchCounters {
    device.synchronize().unwrap();
    device.take_counters().pop().unwrap()
}

fn counting() -> Device {
    Device::cpu().with_counters()
}

/// Too long a body to be predicated: that of the kernels that were measured.
#[device]
fn heavy(mut x: f32, by: f32) -> f32 {
    for _ in 0..20 {
        x = (x * by + 1.0).sqrt();
    }
    x
}

#[kernel]
fn by_parity(c: &mut [f32]) {
    let tid = thread_idx_x();
    if tid % 2 == 0 {
        c[tid] = heavy(c[tid], 1.5);
    } else {
        c[tid] = heavy(c[tid], 2.5);
    }
}

#[kernel]
fn by_warp(c: &mut [f32]) {
    let tid = thread_idx_x();
    if (tid / 32) % 2 == 0 {
        c[tid] = heavy(c[tid], 1.5);
    } else {
        c[tid] = heavy(c[tid], 2.5);
    }
}

#[kernel]
fn trips_by_lane(c: &mut [f32]) {
    let tid = thread_idx_x();
    let mut x = c[tid];
    for _ in 0..(tid & 31) {
        x = heavy(x, 1.5);
    }
    c[tid] = x;
}

#[kernel]
fn trips_by_warp(c: &mut [f32]) {
    let tid = thread_idx_x();
    let mut x = c[tid];
    for _ in 0..(tid >> 5) {
        x = heavy(x, 1.5);
    }
    c[tid] = x;
}

#[kernel]
fn nested(c: &mut [f32]) {
    let tid = thread_idx_x();
    if tid & 1 != 0 {
        if tid & 2 != 0 {
            c[tid] = heavy(c[tid], 1.5);
        } else {
            c[tid] = heavy(c[tid], 2.5);
        }
    } else if tid & 4 != 0 {
        c[tid] = heavy(c[tid], 3.5);
    } else {
        c[tid] = heavy(c[tid], 4.5);
    }
}

#[kernel]
fn guarded(n: usize, c: &mut [f32]) {
    let tid = thread_idx_x();
    if tid < n {
        c[tid] = heavy(c[tid], 1.5);
    }
}

#[test]
fn long_bodies_part_as_measured() {
    let device = counting();
    let mut c = device.zeros::<f32>(64).unwrap();
    let config = LaunchConfig::grid(1).block(64);
    let mut divergent = Vec::new();
    by_parity::launch(&device, config, &mut c).unwrap();
    divergent.push(last(&device).total.divergent_branches);
    by_warp::launch(&device, config, &mut c).unwrap();
    divergent.push(last(&device).total.divergent_branches);
    trips_by_lane::launch(&device, config, &mut c).unwrap();
    divergent.push(last(&device).total.divergent_branches);
    trips_by_warp::launch(&device, config, &mut c).unwrap();
    divergent.push(last(&device).total.divergent_branches);
    nested::launch(&device, config, &mut c).unwrap();
    divergent.push(last(&device).total.divergent_branches);
    guarded::launch(&device, config, 40, &mut c).unwrap();
    divergent.push(last(&device).total.divergent_branches);
    assert_eq!(divergent, [2, 0, 62, 0, 6, 0]);
}

#[kernel]
fn math1(c: &mut [f32]) {
    let tid = thread_idx_x();
    let (mut a, mut b) = (0.0, 0.0);
    if tid % 2 == 0 {
        a = 100.0;
    } else {
        b = 200.0;
    }
    c[tid] = a + b;
}

#[kernel]
fn math2(c: &mut [f32]) {
    let tid = thread_idx_x();
    let (mut a, mut b) = (0.0, 0.0);
    if (tid / 32) % 2 == 0 {
        a = 100.0;
    } else {
        b = 200.0;
    }
    c[tid] = a + b;
}

#[kernel]
fn math3(c: &mut [f32]) {
    let tid = thread_idx_x();
    let (mut a, mut b) = (0.0, 0.0);
    let even = tid % 2 == 0;
    if even {
        a = 100.0;
    }
    if !even {
        b = 200.0;
    }
    c[tid] = a + b;
}

#[kernel]
fn math4(c: &mut [f32]) {
    let tid = thread_idx_x();
    let (mut a, mut b) = (0.0, 0.0);
    let warp = tid >> 5;
    if warp & 1 == 0 {
        a = 100.0;
    } else {
        b = 200.0;
    }
    c[tid] = a + b;
}

/// Divergent branches of the four, two warps each.
fn short_arms(device: &Device) -> [u64; 4] {
    let mut c = device.zeros::<f32>(64).unwrap();
    let config = LaunchConfig::grid(1).block(64);
    math1::launch(device, config, &mut c).unwrap();
    math2::launch(device, config, &mut c).unwrap();
    math3::launch(device, config, &mut c).unwrap();
    math4::launch(device, config, &mut c).unwrap();
    let counted: Vec<_> = device.take_counters();
    let counted: Vec<u64> = counted.iter().map(|launch| launch.total.divergent_branches).collect();
    counted.try_into().unwrap()
}

#[test]
fn short_arms_part_as_written_and_not_at_all_as_selects() {
    assert_eq!(short_arms(&Device::cpu_unoptimized().with_counters()), [2, 0, 4, 0]);
    assert_eq!(short_arms(&counting()), [0; 4]);
}

#[kernel]
fn store_index(out: &mut [u32]) {
    let i = thread_idx_y() * 40 + thread_idx_x();
    out[i] = i as u32;
}

#[test]
fn forty_by_two_threads_are_three_warps_with_sixteen_idle_lanes() {
    let device = counting();
    let mut out = device.zeros::<u32>(80).unwrap();
    store_index::launch(&device, LaunchConfig::grid((1, 1)).block((40, 2)), &mut out).unwrap();
    let total = last(&device).total;
    assert_eq!(total.global_stores.requests, 3);
    assert_eq!(total.warp_instructions % 3, 0);
    assert_eq!(total.thread_instructions, total.warp_instructions / 3 * 80);
    assert_eq!(total.warp_execution_efficiency(), Some(80.0 / 96.0));
}

/// Each thread its own chunk.
#[kernel]
fn norm1(x: &[f32], out: &mut [f64]) {
    let tid = thread_idx_x();
    let chunk = x.len() / block_dim_x();
    let mut sum = 0.0;
    for i in tid * chunk..(tid + 1) * chunk {
        sum += x[i] as f64 * x[i] as f64;
    }
    out[tid] = sum;
}

/// Neighbours neighbouring elements, in one block or many.
#[kernel]
fn norm2(x: &[f32], out: &mut [f64]) {
    let first = global_idx_x();
    let mut sum = 0.0;
    for i in (first..x.len()).step_by(block_dim_x() * grid_dim_x()) {
        sum += x[i] as f64 * x[i] as f64;
    }
    out[first] = sum;
}

/// Partial sums in shared memory, which thread 0 adds up.
#[kernel(block = 256)]
fn norm3(x: &[f32], out: &mut [f64]) {
    let partial = shared!([f64; 256]);
    let tid = thread_idx_x();
    let mut sum = 0.0;
    for i in (global_idx_x()..x.len()).step_by(block_dim_x() * grid_dim_x()) {
        sum += x[i] as f64 * x[i] as f64;
    }
    partial[tid] = sum;
    sync_threads();
    if tid == 0 {
        let mut all = 0.0;
        for i in 0..256 {
            all += partial[i];
        }
        out[block_idx_x()] = all;
    }
}

/// A tree in shared memory, one atomic a block.
#[kernel(block = 256)]
fn norm4(x: &[u32], total: &[AtomicU32]) {
    let partial = shared!([u32; 256]);
    let tid = thread_idx_x();
    let i = global_idx_x();
    partial[tid] = if i < x.len() { x[i] } else { 0 };
    sync_threads();
    let mut half = 128;
    while half > 0 {
        if tid < half {
            partial[tid] += partial[tid + half];
        }
        sync_threads();
        half /= 2;
    }
    if tid == 0 {
        total[0].fetch_add(partial[0], Relaxed);
    }
}

/// A warp adds up by shuffles, and its lane 0 atomically.
#[kernel(block = 256)]
fn norm5(x: &[u32], total: &[AtomicU32]) {
    let i = global_idx_x();
    let mut sum = if i < x.len() { x[i] } else { 0 };
    sum = warp::reduce_add(sum);
    if warp::lane_id() == 0 {
        total[0].fetch_add(sum, Relaxed);
    }
}

#[test]
fn norms_move_the_published_sectors() {
    const N: usize = 1 << 21;
    let device = counting();
    let x = device.upload(&vec![1.0f32; N]).unwrap();
    let ones = device.upload(&vec![1u32; N]).unwrap();
    let mut out = device.zeros::<f64>(N).unwrap();
    let mut total = device.zeros::<u32>(1).unwrap();
    let loads = |counters: LaunchCounters| {
        let loads = counters.total.global_loads;
        (loads.sectors, loads.requests, loads.ideal)
    };
    let coalesced = (262_144, 65_536, 262_144);

    norm1::launch(&device, LaunchConfig::grid(1).block(256), &x, &mut out).unwrap();
    assert_eq!(loads(last(&device)), (2_097_152, 65_536, 262_144));
    norm2::launch(&device, LaunchConfig::grid(1).block(256), &x, &mut out).unwrap();
    assert_eq!(loads(last(&device)), coalesced);
    for blocks in [64, 8192] {
        norm3::launch(&device, LaunchConfig::grid(blocks), &x, &mut out).unwrap();
        assert_eq!(loads(last(&device)), coalesced);
    }
    norm4::launch(&device, LaunchConfig::cover(N), &ones, &mut total).unwrap();
    let counters = last(&device);
    assert_eq!(counters.total.global_reductions.sectors, 8192);
    assert_eq!(counters.total.shared().conflicts(), 0);
    assert_eq!(loads(counters), coalesced);
    norm5::launch(&device, LaunchConfig::cover(N), &ones, &mut total).unwrap();
    let counters = last(&device);
    assert_eq!(counters.total.global_reductions.sectors, 65_536);
    assert_eq!(loads(counters), coalesced);
    assert_eq!(total.to_vec().unwrap(), [2 * N as u32]);
}

#[kernel(block = 32)]
fn pairs(x: &[F32x2], index: &[u32], out: &mut [f32]) {
    let tile = shared!([F32x2; 64]);
    let lane = thread_idx_x();
    tile[lane] = x[lane];
    tile[lane + 32] = x[lane + 32];
    sync_warp();
    let got = tile[index[lane] as usize];
    out[lane] = got.x + got.y;
}

#[kernel(block = 32)]
fn quads(x: &[F32x4], index: &[u32], out: &mut [f32]) {
    let tile = shared!([F32x4; 64]);
    let lane = thread_idx_x();
    tile[lane] = x[lane];
    tile[lane + 32] = x[lane + 32];
    sync_warp();
    let got = tile[index[lane] as usize];
    out[lane] = got.x + got.y + got.z + got.w;
}

#[test]
fn vectors_are_loaded_as_vectors() {
    let device = counting();
    let mut out = device.zeros::<f32>(32).unwrap();
    let two = device.upload(&vec![F32x2::new(1.0, 2.0); 64]).unwrap();
    let four = device.upload(&vec![F32x4::new(1.0, 2.0, 3.0, 4.0); 64]).unwrap();
    let mut shared = |index: &dyn Fn(u32) -> u32, wide: bool| {
        let index = device.upload(&(0..32).map(index).collect::<Vec<_>>()).unwrap();
        let config = LaunchConfig::grid(1);
        if wide {
            quads::launch(&device, config, &four, &index, &mut out).unwrap();
        } else {
            pairs::launch(&device, config, &two, &index, &mut out).unwrap();
        }
        let Counts { shared_loads, shared_stores, global_loads, .. } = last(&device).total;
        assert_eq!(shared_stores.requests, 2);
        // Of vectors, and of 32 indices.
        assert_eq!(global_loads.sectors, if wide { 2 * 16 } else { 2 * 8 } + 4);
        (shared_loads.requests, shared_loads.wavefronts, shared_loads.conflicts())
    };
    // Cases that were published: pairs of lanes that agree let halves merge.
    assert_eq!(shared(&|lane| lane / 2, false), (1, 1, 0));
    assert_eq!(shared(&|lane| lane % 16, false), (1, 2, 0));
    assert_eq!(shared(&|lane| lane, true), (1, 4, 0));
    assert_eq!(shared(&|lane| lane / 4 * 2 + lane % 2, true), (1, 2, 0));
    assert_eq!(shared(&|_| 7, true), (1, 2, 0));
}

#[test]
fn lines_are_told_apart_and_the_worst_is_first() {
    let device = counting();
    let x = device.upload(&vec![1.0f32; 1 << 14]).unwrap();
    let mut out = device.zeros::<f64>(256).unwrap();
    norm1::launch(&device, LaunchConfig::grid(1).block(256), &x, &mut out).unwrap();
    let counters = last(&device);
    let sum: u64 = counters.lines.iter().map(|line| line.counts.warp_instructions).sum();
    assert_eq!(sum, counters.total.warp_instructions);
    let worst = counters.lines.iter().max_by_key(|line| line.counts.global().sectors).unwrap();
    assert_eq!(worst.file, file!());
    let text = counters.to_string();
    let first = text.lines().find(|line| line.starts_with(file!())).unwrap();
    assert!(first.starts_with(&format!("{}:{} ", worst.file, worst.line)), "{text}");
    assert!(
        text.contains("global memory: 520 requests, 16448 sectors, 2112 needed: 7.79x"),
        "{text}"
    );
    assert!(device.take_counters().is_empty(), "taken is taken");
    assert!(Device::cpu().take_counters().is_empty());
}

/// Each thread adds up a chunk of its own.
#[kernel(block = 256)]
fn chunks(x: &[f32], out: &mut [f32]) {
    let chunk = x.len() / 256;
    let first = thread_idx_x() * chunk;
    let mut sum = 0.0;
    for i in first..first + chunk {
        sum += x[i];
    }
    out[thread_idx_x()] = sum;
}

/// The number of the first line of `text` with this in it, from 1.
fn line_of(text: &str, what: &str) -> u32 {
    1 + text.lines().position(|line| line == what).unwrap() as u32
}

#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../docs/counters.md");
    let program = page.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    let (start, end) = (program.find("#[kernel").unwrap(), program.find("\n}\n").unwrap());
    let (here, kernel) = (include_str!("published.rs"), &program[start..end]);
    assert!(here.contains(kernel), "this is not the kernel of the page");

    let device = counting();
    let x = device.upload(&vec![1.0f32; 1 << 16]).unwrap();
    let mut out = device.zeros::<f32>(256).unwrap();
    chunks::launch(&device, LaunchConfig::grid(1), &x, &mut out).unwrap();
    let mut counters = last(&device);
    let title = "fn chunks(x: &[f32], out: &mut [f32]) {";
    for line in &mut counters.lines {
        line.file = "src/main.rs";
        line.line = line.line - line_of(here, title) + line_of(program, title);
    }
    let text = counters.to_string();
    assert!(page.contains(&text), "docs/counters.md should show\n{text}");
}
