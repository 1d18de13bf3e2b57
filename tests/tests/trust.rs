//! Guarantees for every shape of a launch and every order of its threads: a launch ends with the
//! right result or an error, and does not affect others.
use std::sync::atomic::{
    AtomicU32,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use warpwise::{Error, Simulator, prelude::*};

/// Returns the interpreter, in the usual order and in random ones.
fn simulators() -> Vec<Simulator> {
    let drawn = (1..4).map(|seed| Simulator::new().schedule(seed));
    std::iter::once(Simulator::new()).chain(drawn).collect()
}

/// Returns a device of each simulator.
fn devices() -> Vec<Device> {
    simulators().iter().map(Simulator::device).collect()
}

/// Rounds with a barrier in each, after some threads have left: all but the last in the block and
/// every seventh.
#[kernel]
#[allow(gpu_barriers_after_divergent_returns)]
fn rounds(out: &mut [u32]) {
    let tile = shared!([u32; 1024]);
    let (t, n) = (thread_idx_x(), block_dim_x());
    tile[t] = t as u32;
    sync_threads();
    if t % 7 == 6 && t + 1 != n {
        return;
    }
    for round in 0..4 {
        let from = tile[(t + round + 1) % n];
        sync_threads();
        tile[t] = from + 1;
        sync_threads();
    }
    out[block_idx_x() * n + t] = tile[t];
}

fn rounds_on_host(n: usize) -> Vec<u32> {
    let left = |t: usize| t % 7 == 6 && t + 1 != n;
    let mut tile: Vec<u32> = (0..n as u32).collect();
    for round in 0..4 {
        let from: Vec<u32> = (0..n).map(|t| tile[(t + round + 1) % n]).collect();
        (0..n).filter(|t| !left(*t)).for_each(|t| tile[t] = from[t] + 1);
    }
    (0..n).map(|t| if left(t) { 0 } else { tile[t] }).collect()
}

#[test]
fn blocks_of_any_size_meet_behind_threads_that_have_left() {
    let sizes =
        [1, 2, 7, 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 511, 513, 777, 992, 1000, 1023, 1024];
    for device in devices() {
        for n in sizes {
            let mut out = device.zeros::<u32>(2 * n).unwrap();
            rounds::launch(&device, LaunchConfig::grid(2).block(n), &mut out).unwrap();
            let out = out.to_vec().unwrap();
            assert_eq!(out[..n], rounds_on_host(n), "{n}");
            assert_eq!(out[n..], out[..n], "{n}");
        }
    }
}

/// Every thread takes a number, and adds it to a sum.
#[kernel]
fn numbers(next: &[AtomicU32], sum: &[AtomicU32], taken: &mut [u32]) {
    let number = next[0].fetch_add(1, Relaxed);
    sum[number as usize % 3].fetch_add(number, Relaxed);
    taken[number as usize] += 1;
}

#[test]
fn atomics_lose_nothing_under_contention() {
    for device in devices() {
        for (grid, block) in
            [((5, 1, 1), (1000, 1, 1)), ((3, 2, 2), (8, 8, 4)), ((1, 7, 1), (1, 33, 3))]
        {
            let threads = grid.0 * grid.1 * grid.2 * block.0 * block.1 * block.2;
            let next = device.zeros::<u32>(1).unwrap().into_atomic();
            let sum = device.zeros::<u32>(3).unwrap().into_atomic();
            let mut taken = device.zeros::<u32>(threads).unwrap();
            let config = LaunchConfig::grid(grid).block(block);
            numbers::launch(&device, config, &next, &sum, &mut taken).unwrap();
            assert_eq!(next.to_vec().unwrap(), [threads as u32]);
            assert_eq!(taken.to_vec().unwrap(), vec![1; threads]);
            let all: u32 = (0..threads as u32).sum();
            assert_eq!(sum.to_vec().unwrap().iter().sum::<u32>(), all);
        }
    }
}

/// Threads take turns with a lock, also those of one warp.
#[kernel]
fn locked(lock: &[AtomicU32], count: &mut [u32]) {
    loop {
        if lock[0].compare_exchange(0, 1, Acquire, Relaxed).is_ok() {
            count[0] += 1;
            lock[0].store(0, Release);
            break;
        }
    }
}

/// Odd lanes wait for values of even lanes.
#[kernel]
fn handed_over(ready: &[AtomicU32], out: &mut [u32]) {
    let i = global_idx_x();
    if i % 2 == 1 {
        while ready[i - 1].load(Acquire) == 0 {}
        out[i] = out[i - 1] + 1;
    } else {
        out[i] = 10 * i as u32;
        ready[i].store(1, Release);
    }
}

/// Each block adds its number to the sum of the blocks before it, which it gets from its
/// predecessor.
#[kernel]
fn look_back(sums: &[AtomicU32], order: &[AtomicU32]) {
    if thread_idx_x() == 0 {
        let block = block_idx_x();
        let mut before = 0;
        if block > 0 {
            loop {
                before = sums[block - 1].load(Acquire);
                if before != 0 {
                    break;
                }
            }
        }
        sums[block].store(before + block as u32 + 1, Release);
        order[0].fetch_add(1, AcqRel);
    }
}

#[test]
fn threads_that_wait_for_others_finish() {
    for simulator in simulators() {
        let device = simulator.step_budget(1 << 28).device();
        for (blocks, threads) in [(1, 32), (3, 40), (2, 300)] {
            let lock = device.zeros::<u32>(1).unwrap().into_atomic();
            let mut count = device.zeros::<u32>(1).unwrap();
            let config = LaunchConfig::grid(blocks).block(threads);
            locked::launch(&device, config, &lock, &mut count).unwrap();
            assert_eq!(count.to_vec().unwrap(), [(blocks * threads) as u32]);
        }
        let ready = device.zeros::<u32>(512).unwrap().into_atomic();
        let mut out = device.zeros::<u32>(512).unwrap();
        handed_over::launch(&device, LaunchConfig::grid(2).block(256), &ready, &mut out).unwrap();
        let expected: Vec<u32> = (0..512).map(|i| 10 * (i / 2 * 2) + i % 2).collect();
        assert_eq!(out.to_vec().unwrap(), expected);
        let sums = device.zeros::<u32>(150).unwrap().into_atomic();
        let order = device.zeros::<u32>(1).unwrap().into_atomic();
        look_back::launch(&device, LaunchConfig::grid(150).block(64), &sums, &order).unwrap();
        let expected: Vec<u32> = (1..=150).map(|n| n * (n + 1) / 2).collect();
        assert_eq!(sums.to_vec().unwrap(), expected);
    }
}

/// Never ends, in one of several ways.
#[kernel]
#[allow(
    clippy::empty_loop,
    reason = "the lanes that do nothing forever must not keep the launch from being stopped"
)]
fn endless(kind: u32, flag: &[AtomicU32], out: &mut [u32]) {
    let i = global_idx_x();
    if kind == 0 {
        loop {
            out[i] += 1;
        }
    }
    if kind == 1 {
        while flag[0].load(Acquire) == 0 {}
    }
    if kind == 2 && i == 0 {
        while flag[0].load(Acquire) == 0 {}
    }
    sync_threads();
    if kind == 3 && i % 32 == 5 {
        loop {}
    }
    sync_threads();
    out[i] = 1;
}

#[test]
fn launches_that_can_never_end_are_stopped_without_a_budget() {
    let run = |kind| {
        let device = Device::cpu();
        let flag = device.zeros::<u32>(1).unwrap().into_atomic();
        let mut out = device.zeros::<u32>(300).unwrap();
        let config = LaunchConfig::grid(3).block(100);
        let error = endless::launch(&device, config, kind, &flag, &mut out).unwrap_err();
        let Error::Stopped { reason, fault: None, .. } = error else { panic!("{error}") };
        reason.to_string()
    };
    let all = run(1);
    let start = "livelock in block (0, 0, 0) and 2 more: 100 threads, (0, 0, 0) the first, go round the loop at ";
    assert!(all.starts_with(start), "{all}");
    assert!(
        all.ends_with("forever, which reads `flag`, and nobody is left who could change that"),
        "{all}"
    );
    let one = run(2);
    assert!(one.starts_with("livelock in block (0, 0, 0): thread (0, 0, 0) goes round"), "{one}");
    assert!(one.contains("lanes 0xfffffffe of warp 0 wait at a block barrier"), "{one}");
    let nothing = run(3);
    assert!(nothing.contains("3 threads, (5, 0, 0) the first, go round the loop at "), "{nothing}");
    assert!(nothing.contains("forever, nothing of which depends on other threads"), "{nothing}");
}

#[test]
fn launches_that_never_end_are_stopped_and_the_device_lives_on() {
    for simulator in simulators() {
        let device = simulator.step_budget(200_000).device();
        for kind in 0..4 {
            let flag = device.zeros::<u32>(1).unwrap().into_atomic();
            let mut out = device.zeros::<u32>(300).unwrap();
            let config = LaunchConfig::grid(3).block(100);
            let error = endless::launch(&device, config, kind, &flag, &mut out).unwrap_err();
            let Error::Stopped { kernel: "endless", reason, fault: None, .. } = error else {
                panic!("{error}")
            };
            let reason = reason.to_string();
            // Loops whose iterations are all the same are detected before.
            assert!(reason.contains("200000 steps") || reason.contains("livelock"), "{reason}");
            assert!(kind != 0 || !reason.contains("livelock"), "it counts: {reason}");
            device.synchronize().unwrap();
            let mut out = device.zeros::<u32>(300).unwrap();
            endless::launch(&device, config, 4, &flag, &mut out).unwrap();
            assert_eq!(out.to_vec().unwrap(), [1; 300]);
        }
    }
}

/// Thread 70 of block 1 reads past the end.
#[kernel]
fn faulty(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    let from = if i == 170 { x.len() } else { i };
    out[i] = x[from] + 1;
}

#[test]
fn a_launch_that_fails_disturbs_no_other() {
    let x = vec![3u32; 300];
    let well = |device: &Device| {
        let x = device.upload(&x).unwrap();
        let mut out = device.zeros::<u32>(64).unwrap();
        faulty::launch(device, LaunchConfig::grid(1).block(64), &x, &mut out).unwrap();
        assert_eq!(out.to_vec().unwrap(), [4; 64]);
    };
    let fails = |device: &Device| {
        let x = device.upload(&x).unwrap();
        let mut out = device.zeros::<u32>(300).unwrap();
        faulty::launch(device, LaunchConfig::grid(3).block(100), &x, &mut out).unwrap();
        let Err(Error::DevicePanic(panic)) = device.synchronize() else { panic!("no fault") };
        assert_eq!((panic.block, panic.thread, panic.count), ([1, 0, 0], [70, 0, 0], 1));
        let out = out.to_vec().unwrap();
        assert!(out.iter().enumerate().all(|(i, v)| *v == if i == 170 { 0 } else { 4 }));
    };
    for simulator in simulators() {
        let device = simulator.device();
        fails(&device);
        well(&device);
        // On one device or on several, and beside launches that never end.
        let hangs = || {
            let device = simulator.clone().step_budget(10_000).device();
            let flag = device.zeros::<u32>(1).unwrap().into_atomic();
            let mut out = device.zeros::<u32>(64).unwrap();
            let config = LaunchConfig::grid(1).block(64);
            let ended = endless::launch(&device, config, 1, &flag, &mut out);
            assert!(matches!(ended, Err(Error::Stopped { fault: None, .. })), "{ended:?}");
        };
        std::thread::scope(|scope| {
            scope.spawn(|| (0..20).for_each(|_| fails(&device)));
            scope.spawn(|| (0..20).for_each(|_| well(&Device::cpu())));
            scope.spawn(|| (0..20).for_each(|_| well(&Simulator::new().checked().device())));
            scope.spawn(|| (0..20).for_each(|_| hangs()));
        });
    }
}

#[test]
fn nothing_runs_on_nothing() {
    for device in devices() {
        let x = device.upload::<u32>(&[]).unwrap();
        let mut out = device.zeros::<u32>(0).unwrap();
        for config in [
            LaunchConfig::cover(0),
            LaunchConfig::grid((3, 0, 2)),
            LaunchConfig::grid(0).block(1024),
        ] {
            faulty::launch(&device, config, &x, &mut out).unwrap();
        }
        device.synchronize().unwrap();
        faulty::launch(&device, LaunchConfig::grid(1).block(1), &x, &mut out).unwrap();
        let Err(Error::DevicePanic(panic)) = device.synchronize() else { panic!("no fault") };
        assert_eq!((panic.index, panic.len, panic.count), (Some(0), Some(0), 1));
        assert!(out.to_vec().unwrap().is_empty());
    }
}

/// Combines values that lanes of a warp exchange: that of the next existing lane, that of the one
/// before, and the number of lanes.
#[kernel]
fn handed_round(out: &mut [u32]) {
    let i = global_idx_x();
    let value = 3 * i as u32 + 1;
    let there = warp::ballot(true).count_ones();
    let next = warp::shfl(value, (warp::lane_id() + 1) % there as usize);
    let before = warp::shfl_up(value, 1);
    out[i] = next ^ (before << 12) ^ (there << 24);
}

#[test]
fn lanes_of_warps_that_are_not_full_hand_each_other_values() {
    let sizes = (1..=64).chain([95, 96, 97, 255, 257, 511, 513, 993, 1000, 1023, 1024]);
    for device in devices() {
        for n in sizes.clone() {
            let mut out = device.zeros::<u32>(2 * n).unwrap();
            handed_round::launch(&device, LaunchConfig::grid(2).block(n), &mut out).unwrap();
            let of = |i: usize| {
                let (block, t) = (i / n * n, i % n);
                let (first, end) = (t / 32 * 32, n.min(t / 32 * 32 + 32));
                let value = |t: usize| 3 * (block + t) as u32 + 1;
                let next = value(first + (t + 1 - first) % (end - first));
                let before = value(if t == first { t } else { t - 1 });
                next ^ (before << 12) ^ (((end - first) as u32) << 24)
            };
            assert_eq!(out.to_vec().unwrap(), (0..2 * n).map(of).collect::<Vec<_>>(), "{n}");
        }
    }
}

/// Each thread stores its position.
#[kernel]
fn places(out: &mut [u32]) {
    let block = (block_idx_z() * grid_dim_y() + block_idx_y()) * grid_dim_x() + block_idx_x();
    let thread = (thread_idx_z() * block_dim_y() + thread_idx_y()) * block_dim_x() + thread_idx_x();
    let threads = block_dim_x() * block_dim_y() * block_dim_z();
    out[block * threads + thread] +=
        (1 << 20 | thread_idx_z() << 15 | thread_idx_y() << 10) as u32 + block as u32;
}

#[test]
fn every_thread_of_one_two_and_three_dimensions_runs_once() {
    for device in devices() {
        for (grid, block) in [
            ((7, 1, 1), (1024, 1, 1)),
            ((1, 5, 1), (1, 1024, 1)),
            ((2, 1, 3), (1, 3, 64)),
            ((3, 2, 2), (8, 8, 16)),
            ((1, 1, 9), (5, 7, 3)),
            ((4, 3, 1), (33, 2, 1)),
            ((1, 1, 1), (1, 1, 1)),
        ] {
            let (threads, blocks) = (block.0 * block.1 * block.2, grid.0 * grid.1 * grid.2);
            let mut out = device.zeros::<u32>(threads * blocks).unwrap();
            places::launch(&device, LaunchConfig::grid(grid).block(block), &mut out).unwrap();
            let of = |i: usize| {
                let (b, t) = (i / threads, i % threads);
                let (y, z) = (t / block.0 % block.1, t / block.0 / block.1);
                (1 << 20 | z << 15 | y << 10) as u32 + b as u32
            };
            assert_eq!(out.to_vec().unwrap(), (0..threads * blocks).map(of).collect::<Vec<_>>());
        }
    }
}

#[kernel]
#[allow(clippy::iter_nth, reason = "this is about `nth`")]
fn nth_items(x: &[u32], at: usize, y: &mut [u32]) {
    y[0] = x.iter().nth(at).copied().unwrap_or(0);
    y[1] = (0..x.len()).nth(at).unwrap_or(0) as u32;
    let mut rest = x.iter();
    y[2] = rest.nth(at).copied().unwrap_or(0);
    if let Some(part) = y[4..].chunks_mut(2).nth(at) {
        part[0] = 1;
    }
}

#[test]
fn nth_takes_as_long_wherever_the_item_is() {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let x = device.upload(&(0..100_000u32).collect::<Vec<_>>()).unwrap();
    let mut y = device.zeros::<u32>(200_004).unwrap();
    let mut instructions = |at: usize| {
        nth_items::launch(&device, LaunchConfig::grid(1).block(1), &x, at, &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap()[..3], [at as u32; 3]);
        simulator.take_counters()[0].total.thread_instructions
    };
    assert_eq!(instructions(90_000), instructions(10));
}
