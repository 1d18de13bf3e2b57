//! Checked launches, from Rust: kernels that are clean, and kernels with exactly one race.
use warpwise::{
    Error,
    check::{Checks, Finding, Missing, Problem, Race, RaceKind, Severity, Use},
    prelude::*,
};

/// The sums of blocks, in a tree; with a barrier behind those rounds that add up more than so many elements.
#[kernel(block = 128)]
#[allow(gpu_missing_barriers, gpu_missing_warp_syncs)]
fn sums(rounds: usize, x: &[u32], y: &mut [u32]) {
    let tile = shared!([u32; 128]);
    let t = thread_idx_x();
    tile[t] = x[global_idx_x()];
    sync_threads();
    let mut half = 64;
    while half > 0 {
        if t < half {
            tile[t] += tile[t + half];
        }
        if half > rounds {
            sync_threads();
        }
        half /= 2;
    }
    if t == 0 {
        y[block_idx_x()] = tile[0];
    }
}

/// Everybody writes into a few elements.
#[kernel]
#[allow(gpu_block_races)]
fn wrap(y: &mut [u32]) {
    let i = global_idx_x();
    y[i % 64] = i as u32;
}

/// The last block to come adds up what all have written.
#[kernel]
#[allow(gpu_contended_atomics)]
fn last_block(parts: &mut [u32], count: &[AtomicU32], y: &mut [u32]) {
    let b = block_idx_x();
    parts[b] = b as u32 + 1;
    thread_fence();
    if count[0].fetch_add(1, Ordering::Relaxed) == grid_dim_x() as u32 - 1 {
        thread_fence();
        let mut sum = 0;
        for i in 0..grid_dim_x() {
            sum += parts[i];
        }
        y[0] = sum;
    }
}

/// Half of a tile is written, all of it read, and half or all of it stored.
#[kernel(block = 64)]
#[allow(gpu_uninit_shared_reads)]
fn half_written(n: u32, y: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    if t < 32 {
        tile[t] = 1;
    }
    sync_threads();
    let value = tile[t] + 1;
    y[t] = if (t as u32) < n { value } else { 0 };
}

#[kernel]
fn behind_the_end(y: &mut [u32]) {
    y[thread_idx_x() + 1] = 1;
}

fn races(findings: &[Finding]) -> Vec<&Race<warpwise::check::Place>> {
    let races = findings.iter().map(|finding| match &finding.problem {
        Problem::Race(race) => Some(race),
        _ => None,
    });
    races.flatten().collect()
}

#[test]
fn a_kernel_is_clean_or_has_this_race() {
    let device = Device::cpu().checked();
    let x = device.upload(&[1u32; 512]).unwrap();
    let mut y = device.zeros::<u32>(4).unwrap();
    sums::launch(&device, LaunchConfig::grid(4), 0, &x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [128; 4]);
    assert_eq!(device.take_findings(), []);

    // The last rounds are those of one warp: that may work, and is said.
    sums::launch(&device, LaunchConfig::grid(4), 32, &x, &mut y).unwrap();
    let found = device.take_findings();
    assert!(!found.is_empty());
    assert!(found.iter().all(|finding| finding.severity == Severity::Warning), "{found:#?}");
    assert!(races(&found).iter().all(|race| race.missing == Missing::WarpSync));
}

#[test]
fn blocks_race() {
    let device = Device::cpu().with_checks(Checks::RACE);
    let mut y = device.zeros::<u32>(64).unwrap();
    let Err(error) = wrap::launch(&device, LaunchConfig::grid(2).block(64), &mut y) else {
        panic!("it races")
    };
    let Error::Findings { kernel: "wrap", findings } = &error else { panic!("{error}") };
    assert_eq!(*findings, device.take_findings());
    let [race] = races(findings)[..] else { panic!("{error}") };
    assert_eq!((race.kind, race.missing), (RaceKind::WriteWrite, Missing::Release));
    assert_eq!(race.location.to_string(), "y[0]");
    let [one, other] = &race.accesses;
    assert_eq!((one.block, other.block), ([0; 3], [1, 0, 0]));
    assert_eq!((one.place.line, findings[0].count), (other.place.line, 64));
    // It has run to its end, and the device works on.
    assert!(y.to_vec().unwrap().iter().all(|value| *value > 0 || value % 64 == 0));
    // Nobody looks for races here.
    let device = Device::cpu().with_checks(Checks::INIT);
    let mut y = device.zeros::<u32>(64).unwrap();
    wrap::launch(&device, LaunchConfig::grid(2).block(64), &mut y).unwrap();
}

#[test]
fn fences_order_blocks() {
    let device = Device::cpu().checked();
    let mut parts = device.zeros::<u32>(8).unwrap();
    let mut count = device.zeros::<u32>(1).unwrap();
    let mut y = device.zeros::<u32>(1).unwrap();
    let config = LaunchConfig::grid(8).block(1);
    last_block::launch(&device, config, &mut parts, &mut count, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [36]);
    assert_eq!(device.take_findings(), []);
}

#[test]
fn what_nobody_has_written_may_be_read_and_not_stored() {
    let device = Device::cpu().checked();
    let mut y = device.zeros::<u32>(64).unwrap();
    half_written::launch(&device, LaunchConfig::grid(1), 32, &mut y).unwrap();
    assert_eq!(device.take_findings(), []);
    let Err(error) = half_written::launch(&device, LaunchConfig::grid(1), 40, &mut y) else {
        panic!("it stores what nobody has written")
    };
    let found = device.take_findings();
    let Problem::Uninitialized(read) = &found[0].problem else { panic!("{error}") };
    assert_eq!((read.location.to_string(), read.how), ("tile[32]".into(), Use::Output));
    assert_eq!((found.len(), found[0].count), (1, 8));
}

#[test]
fn an_index_out_of_bounds_has_a_buffer() {
    let device = Device::cpu().checked();
    let mut y = device.zeros::<u32>(4).unwrap();
    let config = LaunchConfig::grid(1).block(4);
    let Err(error) = behind_the_end::launch(&device, config, &mut y) else {
        panic!("it is out of bounds")
    };
    let found = device.take_findings();
    let Problem::OutOfBounds(outside) = &found[0].problem else { panic!("{error}") };
    assert_eq!((outside.buffer.as_deref(), outside.index, outside.len), (Some("y"), 4, 4));
    assert!(matches!(device.synchronize(), Err(Error::DevicePanic(_))), "as on every device");
}
