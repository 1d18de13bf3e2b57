//! Failed checks: the thread ends, the others continue, the launch returns an error with the place,
//! and the device still works.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use warpwise::prelude::*;

cases![
    read_past_the_end: FAULTS, write_past_the_end: FAULTS, shared_past_the_end: FAULTS,
    dividing: FAULTS, stepping_by_zero: FAULTS, in_a_device_function: FAULTS,
    overflow_checks: FAULTS, no_overflow: FAULTS, lowest_thread: FAULTS,
    barrier_without_the_faulting: THREADS_MEET, device_lives_on: FAULTS,
    reported_once: FAULTS, huge_index: FAULTS,
];

/// Checks a fault's message, line (the line that ends with `marker` in this file), thread and
/// count.
macro_rules! expect_fault {
    ($result:expr, $marker:literal, $message:expr, $block:expr, $thread:expr, $count:expr) => {{
        let panic = fault($result)?;
        let line = line_of($marker);
        let what = (panic.line, panic.message.as_str(), panic.block, panic.thread, panic.count);
        let want = (line, $message, $block, $thread, $count);
        if what != want || !panic.file.ends_with("faults.rs") {
            return Err(format!("expected {want:?}, got {what:?}: {panic}").into());
        }
        panic
    }};
}

fn line_of(marker: &str) -> u32 {
    let at = include_str!("faults.rs").lines().position(|line| line.ends_with(marker));
    at.unwrap() as u32 + 1
}

#[kernel]
fn reads(x: &[f32], shift: usize, out: &mut [f32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = 1.0;
        let v = x[i + shift]; // read
        out[i] = v;
    }
}

fn read_past_the_end(on: &Engine) -> Check {
    let x = vec![5.0; 100];
    let mut out = vec![0.0; 100];
    let shift = 97;
    let result = launch!(on, reads(read x, value shift, write out), LaunchConfig::cover(100));
    let message = "index out of bounds: the len is 100 but the index is 100";
    let panic = expect_fault!(result, "// read", message, [0; 3], [3, 0, 0], 97);
    if (panic.kernel, panic.index, panic.len) != ("reads", Some(100), Some(100)) {
        return Err(format!("{panic:?}").into());
    }
    let want: Vec<f32> = (0..100).map(|i| if i < 3 { 5.0 } else { 1.0 }).collect();
    same("out", &out, &want)
}

#[kernel]
fn writes(out: &mut [u64]) {
    let i = global_idx_x();
    out[i] = i as u64; // write
}

fn write_past_the_end(on: &Engine) -> Check {
    let mut out = vec![0; 70];
    let result = launch!(on, writes(write out), LaunchConfig::grid(3).block(32));
    let message = "index out of bounds: the len is 70 but the index is 70";
    expect_fault!(result, "// write", message, [2, 0, 0], [6, 0, 0], 26);
    let want: Vec<u64> = (0..70).collect();
    same("out", &out, &want)
}

#[kernel(block = 64, allow(gpu_out_of_bounds_shared))]
fn shared_bounds(row: usize, out: &mut [i32]) {
    let tile = shared!([[i32; 8]; 8]);
    let t = thread_idx_x();
    tile[t / 8][t % 8] = t as i32;
    sync_threads();
    out[t] = tile[row][t % 16]; // tile
}

fn shared_past_the_end(on: &Engine) -> Check {
    let mut out = vec![-1; 64];
    let row = 2;
    let result = launch!(on, shared_bounds(value row, write out), LaunchConfig::grid(1));
    let message = "index out of bounds: the len is 8 but the index is 8";
    expect_fault!(result, "// tile", message, [0; 3], [8, 0, 0], 32);
    let want: Vec<i32> = (0..64).map(|t| if t % 16 < 8 { 16 + t % 16 } else { -1 }).collect();
    same("out", &out, &want)?;

    let row = 8;
    let result = launch!(on, shared_bounds(value row, write out), LaunchConfig::grid(1));
    expect_fault!(result, "// tile", message, [0; 3], [0; 3], 64);
    Ok(())
}

/// Kernels that divide by zero and past the end, for a signed type.
macro_rules! divide {
    ($on:ident $($ty:ident)*) => {{$({
        #[kernel]
        fn quotient(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
            let i = global_idx_x();
            if i < a.len() {
                out[i] = a[i] / b[i];
            }
        }
        #[kernel]
        fn remainder(a: &[$ty], b: &[$ty], out: &mut [$ty]) {
            let i = global_idx_x();
            if i < a.len() {
                out[i] = a[i] % b[i];
            }
        }
        let a = vec![7, 8, $ty::MIN, 9];
        for (b, divide, rest, thread, want_quotient, want_remainder) in [
            (
                vec![2, 0, 3, 0],
                "attempt to divide by zero",
                "attempt to calculate the remainder with a divisor of zero",
                1,
                [3, 99, $ty::MIN / 3, 99],
                [1, 99, $ty::MIN % 3, 99],
            ),
            (
                vec![-1, -1, -1, 0],
                "attempt to divide with overflow",
                "attempt to calculate the remainder with overflow",
                2,
                [-7, -8, 99, 99],
                [0, 0, 99, 99],
            ),
        ] {
            let mut out = vec![99; 4];
            let result = launch!($on, quotient(read a, read b, write out), LaunchConfig::cover(4));
            let panic = fault(result)?;
            if (panic.message.as_str(), panic.thread, panic.count) != (divide, [thread, 0, 0], 2) {
                return Err(panic.into());
            }
            same("quotient", &out, &want_quotient)?;
            let mut out = vec![99; 4];
            let result = launch!($on, remainder(read a, read b, write out), LaunchConfig::cover(4));
            let panic = fault(result)?;
            if (panic.message.as_str(), panic.thread, panic.count) != (rest, [thread, 0, 0], 2) {
                return Err(panic.into());
            }
            same("remainder", &out, &want_remainder)?;
        }
    })*}};
}

fn dividing(on: &Engine) -> Check {
    divide! { on i8 i16 i32 i64 isize }
    Ok(())
}

#[kernel]
fn steps(step: usize, out: &mut [i32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = 1;
        for k in (0..4).step_by(step * i) {
            out[i] += k;
        }
    }
}

fn stepping_by_zero(on: &Engine) -> Check {
    let mut out = vec![0; 5];
    let step = 1;
    let result = launch!(on, steps(value step, write out), LaunchConfig::cover(5));
    let message = "attempt to step a range by zero";
    expect_fault!(result, "step_by(step * i) {", message, [0; 3], [0; 3], 1);
    same("out", &out, &[1, 7, 3, 4, 1])
}

#[device]
fn third(x: &[i32], at: usize) -> i32 {
    x[at * 3] // device
}

#[kernel]
fn calls(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = third(x, i);
    }
}

fn in_a_device_function(on: &Engine) -> Check {
    let x: Vec<i32> = (0..10).collect();
    let mut out = vec![-1; 5];
    let result = launch!(on, calls(read x, write out), LaunchConfig::cover(5));
    let message = "index out of bounds: the len is 10 but the index is 12";
    expect_fault!(result, "// device", message, [0; 3], [4, 0, 0], 1);
    same("out", &out, &[0, 3, 6, 9, -1])
}

#[kernel(overflow_checks)]
fn checked(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i * 4] = x[i] + 1; // add
        out[i * 4 + 1] = x[i] * 1000; // multiply
        out[i * 4 + 2] = -5 - x[i];
        out[i * 4 + 3] = 1 << x[i]; // shift
    }
}

fn overflow_checks(on: &Engine) -> Check {
    let cases = [
        (i32::MAX, "add", "attempt to add with overflow"),
        (i32::MAX / 100, "multiply", "attempt to multiply with overflow"),
        (32, "shift", "attempt to shift left with overflow"),
    ];
    for (value, place, message) in cases {
        let x = vec![5, value];
        let mut out = vec![0; 8];
        let result = launch!(on, checked(read x, write out), LaunchConfig::cover(2));
        let panic = fault(result)?;
        let line = line_of(&format!("// {place}"));
        if (panic.line, panic.message.as_str(), panic.thread) != (line, message, [1, 0, 0]) {
            return Err(panic.into());
        }
        same("out", &out[..4], &[6, 5000, -10, 32])?;
    }
    Ok(())
}

/// Without `overflow_checks` the same kernel wraps.
fn no_overflow(on: &Engine) -> Check {
    #[kernel]
    fn unchecked(x: &[i32], out: &mut [i32]) {
        let i = global_idx_x();
        if i < x.len() {
            out[i * 2] = x[i] + 1;
            out[i * 2 + 1] = 1 << x[i];
        }
    }
    let x = vec![5, i32::MAX, 33];
    let mut out = vec![0; 6];
    launch!(on, unchecked(read x, write out), LaunchConfig::cover(3))?;
    same("out", &out, &[6, 32, i32::MIN, i32::MIN, 34, 2])
}

#[kernel]
fn scattered(x: &[u32], out: &mut [u32]) {
    let at = (global_idx_z() * 8 + global_idx_y()) * 8 + global_idx_x();
    out[at] = 100 / x[at]; // scattered
}

fn lowest_thread(on: &Engine) -> Check {
    // Blocks of 4 by 2 by 2 threads, 2 by 4 by 2 of them.
    let mut x = vec![1; 8 * 8 * 4];
    for (px, py, pz) in [(7, 7, 3), (4, 3, 3), (6, 3, 3), (5, 2, 3), (3, 6, 2)] {
        x[(pz * 8 + py) * 8 + px] = 0;
    }
    let mut out = vec![0; x.len()];
    let config = LaunchConfig::cover((8, 8, 4)).block((4, 2, 2));
    let result = launch!(on, scattered(read x, write out), config);
    let message = "attempt to divide by zero";
    // Block (1, 1, 1) comes before (0, 3, 1) and (1, 3, 1); in it (1, 0, 1) before (0, 1, 1).
    expect_fault!(result, "// scattered", message, [1, 1, 1], [1, 0, 1], 5);
    let want: Vec<u32> = x.iter().map(|x| 100 * x).collect();
    same("out", &out, &want)
}

#[kernel(block = 128)]
fn some_fault(x: &[u32], out: &mut [u32]) {
    let tile = shared!([u32; 128]);
    let t = thread_idx_x();
    tile[t] = 0;
    sync_threads();
    tile[t] = 128 / x[t]; // before the barrier
    let alive = sync_threads_count(true);
    out[t] = tile[127 - t] + alive as u32 * 1000;
}

fn barrier_without_the_faulting(on: &Engine) -> Check {
    let x: Vec<u32> = (0..128).map(|t| u32::from(t % 3 != 0)).collect();
    let mut out = vec![7; 128];
    let result = launch!(on, some_fault(read x, write out), LaunchConfig::grid(1));
    let message = "attempt to divide by zero";
    expect_fault!(result, "// before the barrier", message, [0; 3], [0; 3], 43);
    let want: Vec<u32> = (0..128u32)
        .map(|t| match (t % 3, (127 - t) % 3) {
            (0, _) => 7,
            (_, 0) => 85_000,
            _ => 85_128,
        })
        .collect();
    same("out", &out, &want)
}

fn device_lives_on(on: &Engine) -> Check {
    let Engine::Device { device, .. } = on else { return Err("needs a device".into()) };
    let before: Vec<u32> = (0..5000).map(|i| i * i).collect();
    let kept = device.upload(&before)?;
    let mut out = device.zeros::<u64>(70)?;
    writes::launch(device, LaunchConfig::grid(3).block(32), &mut out)?;
    // The next call that waits returns the error, and no further one does.
    let panic = fault(out.to_vec().map(|_| ()))?;
    if panic.count != 26 {
        return Err(panic.into());
    }
    let want: Vec<u64> = (0..70).collect();
    same("out", &out.to_vec()?, &want)?;
    same("a buffer of before", &kept.to_vec()?, &before)?;

    let mut next = device.zeros::<u64>(96)?;
    writes::launch(device, LaunchConfig::grid(3).block(32), &mut next)?;
    device.synchronize()?;
    let want: Vec<u64> = (0..96).collect();
    same("a launch of afterwards", &next.to_vec()?, &want)
}

fn reported_once(on: &Engine) -> Check {
    let Engine::Device { device, .. } = on else { return Err("needs a device".into()) };
    let mut small = device.zeros::<u64>(10)?;
    let mut large = device.zeros::<u64>(96)?;
    writes::launch(device, LaunchConfig::grid(1).block(32), &mut small)?;
    writes::launch(device, LaunchConfig::grid(3).block(32), &mut large)?;
    let panic = fault(device.synchronize())?;
    if (panic.len, panic.count) != (Some(10), 22) {
        return Err(panic.into());
    }
    device.synchronize()?;
    let want: Vec<u64> = (0..96).collect();
    same("large", &large.to_vec()?, &want)
}

#[kernel]
fn far(index: &[i64], x: &[u8], out: &mut [u8]) {
    let i = global_idx_x();
    if i < index.len() {
        out[i] = x[index[i] as usize]; // far
    }
}

fn huge_index(on: &Engine) -> Check {
    let x = vec![3u8; 16];
    for bad in [-1, 1 << 32, 1 << 40, i64::MIN, i64::MAX, (1 << 32) + 3] {
        let index = vec![3, bad];
        let mut out = vec![0; 2];
        let result = launch!(on, far(read index, read x, write out), LaunchConfig::cover(2));
        let shown =
            if bad < 0 { format!("{bad} ({} as usize)", bad as u64) } else { bad.to_string() };
        let message = format!("index out of bounds: the len is 16 but the index is {shown}");
        expect_fault!(result, "// far", message.as_str(), [0; 3], [1, 0, 0], 1);
        same("out", &out, &[3, 0])?;
    }
    Ok(())
}
