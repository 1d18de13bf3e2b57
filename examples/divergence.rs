//! When the threads of a warp take different ways: divergent branches, counted and measured.
//!
//! A warp executes one instruction for all of its 32 threads. Where they disagree on a branch it
//! goes both ways, one after the other. The numbers expected are those of an NVIDIA H200.
use warpwise::{Simulator, prelude::*};
use warpwise_examples::Table;

/// Work enough that no compiler turns an `if` around it into a select.
#[device]
fn heavy(mut x: f32, by: f32) -> f32 {
    for _ in 0..20 {
        x = (x * by + 1.0).sqrt();
    }
    x
}

#[kernel]
#[expect(gpu_divergent_branches, reason = "that is what is counted")]
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
#[expect(gpu_divergent_loops, reason = "that is what is counted")]
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
#[expect(gpu_divergent_branches, reason = "that is what is counted")]
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

fn long_arms() -> warpwise::Result<Table<1>> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let mut c = device.zeros::<f32>(64)?;
    let two_warps = LaunchConfig::grid(1).block(64);
    by_parity::launch(&device, two_warps, &mut c)?;
    by_warp::launch(&device, two_warps, &mut c)?;
    trips_by_lane::launch(&device, two_warps, &mut c)?;
    trips_by_warp::launch(&device, two_warps, &mut c)?;
    nested::launch(&device, two_warps, &mut c)?;
    guarded::launch(&device, two_warps, 40, &mut c)?;

    let expected = [
        ("if tid % 2 == 0 { heavy } else { heavy }", 2),
        ("if (tid / 32) % 2 == 0 { heavy } else { heavy }", 0),
        ("for _ in 0..(tid & 31) { heavy }", 62),
        ("for _ in 0..(tid >> 5) { heavy }", 0),
        ("if tid & 1 { if tid & 2 .. } else { if tid & 4 .. }", 6),
        ("if tid < 40 { heavy }", 0),
    ];
    let mut table = Table::new("Two warps, long arms", ["divergent branches"]);
    for ((what, expected), launch) in expected.into_iter().zip(simulator.take_counters()) {
        table.row(what, [expected], [launch.total.divergent_branches]);
    }
    Ok(table)
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

/// The fourth kernel as textbooks print it: in C, `itid & 0x01 == 0` is `itid & (0x01 == 0)`, which
/// is always false.
#[kernel]
fn math4_published(c: &mut [f32]) {
    let tid = thread_idx_x();
    let (mut a, mut b) = (0.0, 0.0);
    let warp = tid >> 5;
    if warp & (1 == 0) as usize != 0 {
        a = 100.0;
    } else {
        b = 200.0;
    }
    c[tid] = a + b;
}

/// Counts short arms on a simulator that runs kernels as they are written, or as a GPU does.
fn short_arms(
    title: &'static str,
    simulator: &Simulator,
    expected: [[u64; 2]; 5],
) -> warpwise::Result<Table<2>> {
    let device = &simulator.device();
    let mut c = device.zeros::<f32>(64)?;
    let two_warps = LaunchConfig::grid(1).block(64);
    math1::launch(device, two_warps, &mut c)?;
    math2::launch(device, two_warps, &mut c)?;
    math3::launch(device, two_warps, &mut c)?;
    math4::launch(device, two_warps, &mut c)?;
    math4_published::launch(device, two_warps, &mut c)?;
    assert_eq!(c.to_vec()?, [200.0; 64]);

    let kernels = [
        "math1: if tid % 2 == 0, else",
        "math2: if (tid / 32) % 2 == 0, else",
        "math3: if even, if !even",
        "math4: if (tid >> 5) & 1 == 0, else",
        "math4 as published: if (tid >> 5) & (1 == 0)",
    ];
    let mut table = Table::new(title, ["divergent branches", "efficiency, %"]);
    for ((what, expected), launch) in
        kernels.into_iter().zip(expected).zip(simulator.take_counters())
    {
        let efficiency = (100.0 * launch.total.branch_efficiency()) as u64;
        table.row(what, expected, [launch.total.divergent_branches, efficiency]);
    }
    Ok(table)
}

/// Everything that this example prints.
pub(crate) fn tables() -> warpwise::Result<String> {
    let long = long_arms()?;
    let written = Simulator::new().unoptimized().counters();
    let written = short_arms(
        "Two warps, short arms, as written",
        &written,
        [[2, 0], [0, 100], [4, 0], [0, 100], [0, 100]],
    )?;
    let selects = Simulator::new().counters();
    let selects = short_arms("Two warps, short arms, as selects", &selects, [[0, 100]; 5])?;
    Ok(format!("{long}\n{written}\n{selects}"))
}

fn main() -> warpwise::Result<()> {
    print!("{}", tables()?);
    Ok(())
}
