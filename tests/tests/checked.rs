//! Checked launches, from Rust: clean kernels, and kernels with exactly one race.
use std::sync::atomic::Ordering;
use std::{ops::ControlFlow, process::Command};
use warpwise::{
    Error, Simulator, U32x2,
    check::{Checks, Finding, MaskKind, Missing, Problem, Race, RaceKind, Severity, Use},
    prelude::*,
    stopped::{Spinning, Stopped},
    trace::Watch,
};

/// Sums blocks in a tree, with a barrier only after rounds that add more than `rounds` elements.
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

/// All threads write into a few elements.
#[kernel]
#[allow(gpu_block_races)]
fn wrap(y: &mut [u32]) {
    let i = global_idx_x();
    y[i % 64] = i as u32;
}

/// The last block to arrive sums the values of all blocks.
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

/// Half of a tile is written, all of it is read, and half or all of it is stored.
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

#[device]
struct Slot {
    key: AtomicU32,
    value: u32,
}

/// Each thread uses the atomic of a slot, and writes the field beside it: in its own slot, or also
/// in its neighbour's.
#[kernel(block = 64)]
#[allow(gpu_global_races)]
fn beside_atomics(far: u32, slots: &mut [Slot], out: &mut [u32]) {
    let tile = shared!([Slot; 64]);
    let t = thread_idx_x();
    tile[t].key.store(0, Ordering::Relaxed);
    sync_threads();
    tile[t / 2].key.fetch_add(1, Ordering::Relaxed);
    slots[t / 2].key.fetch_add(1, Ordering::Relaxed);
    slots[t].value = t as u32;
    if (t as u32) < far {
        slots[t + 1].value = 0;
    }
    sync_threads();
    out[t] = tile[t].key.load(Ordering::Relaxed);
}

/// Reads an unwritten field of a slot whose atomic every thread has written.
#[kernel(block = 64)]
#[allow(gpu_uninit_shared_reads)]
fn unwritten_field(out: &mut [u32]) {
    let tile = shared!([Slot; 64]);
    let t = thread_idx_x();
    tile[t].key.store(7, Ordering::Relaxed);
    out[t] = tile[t].key.load(Ordering::Relaxed) + tile[t].value;
}

/// Stores words one by one, and loads them in pairs: those of the same thread, or one of the next.
#[kernel(block = 64)]
#[allow(gpu_missing_barriers, gpu_uninit_shared_reads, gpu_missing_warp_syncs)]
fn pairs_of_words(from: usize, written: usize, y: &mut [u32]) {
    let tile = shared!([u32; 256]);
    let t = thread_idx_x();
    if t < written {
        tile[2 * t] = 1;
        tile[2 * t + 1] = 2;
    }
    y[t] = tile.as_vectors::<U32x2>()[from / 2 + t].sum();
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
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let x = device.upload(&[1u32; 512]).unwrap();
    let mut y = device.zeros::<u32>(4).unwrap();
    sums::launch(&device, LaunchConfig::grid(4), 0, &x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [128; 4]);
    assert_eq!(simulator.take_findings(), []);

    // The last rounds are within one warp: that may work, but is reported.
    sums::launch(&device, LaunchConfig::grid(4), 32, &x, &mut y).unwrap();
    let found = simulator.take_findings();
    assert!(!found.is_empty());
    assert!(found.iter().all(|finding| finding.severity == Severity::Warning), "{found:#?}");
    assert!(races(&found).iter().all(|race| race.missing == Missing::WarpSync));
}

#[test]
fn blocks_race() {
    let simulator = Simulator::new().checks(Checks::RACE);
    let device = simulator.device();
    let mut y = device.zeros::<u32>(64).unwrap();
    let Err(error) = wrap::launch(&device, LaunchConfig::grid(2).block(64), &mut y) else {
        panic!("it races")
    };
    let Error::Findings { kernel: "wrap", findings } = &error else { panic!("{error}") };
    assert_eq!(*findings, simulator.take_findings());
    let [race] = races(findings)[..] else { panic!("{error}") };
    assert_eq!((race.kind, race.missing), (RaceKind::WriteWrite, Missing::Release));
    assert_eq!(race.location.to_string(), "y[0]");
    let [one, other] = &race.accesses;
    assert_eq!((one.block, other.block), ([0; 3], [1, 0, 0]));
    assert_eq!((one.place.line, findings[0].count), (other.place.line, 64));
    // The launch has run to its end, and the device still works.
    assert!(y.to_vec().unwrap().iter().all(|value| *value > 0 || value % 64 == 0));
    // Races are not checked here.
    let device = Simulator::new().checks(Checks::INIT).device();
    let mut y = device.zeros::<u32>(64).unwrap();
    wrap::launch(&device, LaunchConfig::grid(2).block(64), &mut y).unwrap();
}

#[test]
fn fences_order_blocks() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let mut parts = device.zeros::<u32>(8).unwrap();
    let mut count = device.zeros::<u32>(1).unwrap();
    let mut y = device.zeros::<u32>(1).unwrap();
    let config = LaunchConfig::grid(8).block(1);
    last_block::launch(&device, config, &mut parts, &mut count, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [36]);
    assert_eq!(simulator.take_findings(), []);
}

#[test]
fn what_nobody_has_written_may_be_read_and_not_stored() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let mut y = device.zeros::<u32>(64).unwrap();
    half_written::launch(&device, LaunchConfig::grid(1), 32, &mut y).unwrap();
    assert_eq!(simulator.take_findings(), []);
    let Err(error) = half_written::launch(&device, LaunchConfig::grid(1), 40, &mut y) else {
        panic!("it stores what nobody has written")
    };
    let found = simulator.take_findings();
    let Problem::Uninitialized(read) = &found[0].problem else { panic!("{error}") };
    assert_eq!((read.location.to_string(), read.how), ("tile[32]".into(), Use::Output));
    assert_eq!((found.len(), found[0].count), (1, 8));
}

#[test]
fn views_race_and_are_written_by_bytes() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let mut y = device.zeros::<u32>(64).unwrap();
    pairs_of_words::launch(&device, LaunchConfig::grid(1), 0, 64, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3; 64]);
    assert_eq!(simulator.take_findings(), []);

    let Err(_) = pairs_of_words::launch(&device, LaunchConfig::grid(1), 0, 63, &mut y) else {
        panic!("it stores what nobody has written")
    };
    let found = simulator.take_findings();
    let Problem::Uninitialized(read) = &found[0].problem else { panic!("{found:#?}") };
    assert_eq!((read.location.to_string(), read.how), ("tile[126]".into(), Use::Output));

    let _ = pairs_of_words::launch(&device, LaunchConfig::grid(1), 2, 64, &mut y);
    let found = simulator.take_findings();
    let places: Vec<String> = races(&found).iter().map(|race| race.location.to_string()).collect();
    assert!(places.contains(&"tile[64]".to_owned()), "{found:#?}");
}

#[test]
fn atomics_in_structs_do_not_race_and_fields_beside_them_do() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let mut slots = device.zeros::<Slot>(65).unwrap();
    let mut out = device.zeros::<u32>(64).unwrap();
    let config = LaunchConfig::grid(1);
    beside_atomics::launch(&device, config, 0, &mut slots, &mut out).unwrap();
    assert_eq!(simulator.take_findings(), []);
    assert_eq!(out.to_vec().unwrap()[31..33], [2, 0]);
    assert_eq!(slots.to_vec().unwrap()[31].key.load(Ordering::Relaxed), 2);
    let Err(error) = beside_atomics::launch(&device, config, 33, &mut slots, &mut out) else {
        panic!("it races")
    };
    let found = simulator.take_findings();
    let races = races(&found);
    assert!(races.iter().all(|race| race.kind == RaceKind::WriteWrite), "{error}");
    assert!(!races.is_empty(), "{error}");
    assert!(races[0].location.to_string().starts_with("slots["), "{error}");
}

#[test]
fn a_field_beside_an_atomic_that_nobody_has_written_is_found() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let mut out = device.zeros::<u32>(64).unwrap();
    let Err(error) = unwritten_field::launch(&device, LaunchConfig::grid(1), &mut out) else {
        panic!("it stores what nobody has written")
    };
    let found = simulator.take_findings();
    let Problem::Uninitialized(read) = &found[0].problem else { panic!("{error}") };
    assert!(read.location.to_string().starts_with("tile[0]"), "{error}");
    assert_eq!((found.len(), found[0].count), (1, 64), "{error}");
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Nothing,
    Key(u8, bool),
    Move { by: [f32; 2] },
}

#[device]
fn event_of(t: usize) -> Event {
    match t % 3 {
        0 => Event::Nothing,
        1 => Event::Key(t as u8, t > 20),
        _ => Event::Move { by: [t as f32, 1.0] },
    }
}

/// Each thread stores an event and reads its neighbours'. The bytes that only other variants use
/// are never written.
#[kernel(block = 64)]
fn events(same: &mut [bool], kept: &mut [Event]) {
    let tile = shared!([Event; 64]);
    let t = thread_idx_x();
    tile[t] = event_of(t);
    sync_threads();
    let (event, other) = (tile[t], tile[(t + 7) % 64]);
    same[t] = event == other || event == tile[63 - t];
    kept[t] = other;
    sync_threads();
    if t % 2 == 0 {
        tile.swap(t, t + 1);
    }
    sync_threads();
    if let Event::Key(key, true) = tile[t] {
        kept[t] = Event::Key(key + 1, false);
    }
}

#[test]
fn what_a_variant_has_not_is_not_missed() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let mut same = device.zeros::<bool>(64).unwrap();
    let mut kept = device.zeros::<Event>(64).unwrap();
    events::launch(&device, LaunchConfig::grid(1), &mut same, &mut kept).unwrap();
    assert_eq!(simulator.take_findings(), []);
    let want = (0..64).map(|t| [(t + 7) % 64, 63 - t].map(event_of).contains(&event_of(t)));
    assert_eq!(same.to_vec().unwrap(), want.collect::<Vec<_>>());
    let want = (0..64).map(|t| match event_of(t ^ 1) {
        Event::Key(key, true) => Event::Key(key + 1, false),
        _ => event_of((t + 7) % 64),
    });
    assert_eq!(kept.to_vec().unwrap(), want.collect::<Vec<_>>());
}

/// All threads write events to one place.
#[kernel(block = 64)]
#[allow(gpu_global_races)]
fn one_event(kept: &mut [Event]) {
    kept[0] = event_of(thread_idx_x());
}

#[test]
fn parts_of_variants_race() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let mut kept = device.zeros::<Event>(1).unwrap();
    let Err(error) = one_event::launch(&device, LaunchConfig::grid(1), &mut kept) else {
        panic!("it races")
    };
    let found = simulator.take_findings();
    let races = races(&found);
    assert!(races.iter().all(|race| race.kind == RaceKind::WriteWrite), "{error}");
    assert!(races.iter().any(|race| race.location.to_string() == "kept[0]"), "{error}");
}

#[test]
fn an_index_out_of_bounds_has_a_buffer() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let mut y = device.zeros::<u32>(4).unwrap();
    let config = LaunchConfig::grid(1).block(4);
    let Err(error) = behind_the_end::launch(&device, config, &mut y) else {
        panic!("it is out of bounds")
    };
    let found = simulator.take_findings();
    let Problem::OutOfBounds(outside) = &found[0].problem else { panic!("{error}") };
    assert_eq!((outside.buffer.as_deref(), outside.index, outside.len), (Some("y"), 4, 4));
    assert_eq!(device.synchronize(), Ok(()), "it was told once");
    // Faults that are not findings wait for the next call, as on every device.
    let device = Simulator::new().checks(Checks::RACE).device();
    let mut y = device.zeros::<u32>(4).unwrap();
    behind_the_end::launch(&device, config, &mut y).unwrap();
    assert!(matches!(device.synchronize(), Err(Error::DevicePanic(_))));
}

/// Reads the elements before and after a row of shared memory whose length the launch computes.
#[kernel(block = 8)]
#[allow(gpu_negative_indices, gpu_out_of_bounds_shared, gpu_unguarded_indices)]
fn around(n: usize, y: &mut [u32]) {
    let row = shared_dyn!(u32, n);
    let t = thread_idx_x();
    if t < n {
        row[t] = 1;
    }
    sync_threads();
    if t < 4 {
        y[t] = row[t - 1];
    } else {
        y[t] = row[t + 1];
    }
}

#[test]
fn each_place_that_is_out_of_bounds_is_reported_with_its_array() {
    let device = Simulator::new().checks(Checks::MEMORY).device();
    let mut y = device.zeros::<u32>(8).unwrap();
    let Err(Error::Findings { findings, .. }) =
        around::launch(&device, LaunchConfig::grid(1), 8, &mut y)
    else {
        panic!("it is out of bounds")
    };
    let texts: Vec<_> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2, "{texts:#?}");
    let before = "error: index -1 (18446744073709551615 as usize) out of bounds of row of length 8: by thread (0,0,0) at ";
    let after = "error: index 8 out of bounds of row of length 8: by thread (7,0,0) at ";
    assert!(texts[0].starts_with(before) && texts[1].starts_with(after), "{texts:#?}");
}

/// Reads two arrays at one index; the second array is too short for the last thread.
#[kernel(block = 8)]
#[allow(gpu_negative_indices, gpu_out_of_bounds_shared, gpu_unguarded_indices)]
fn both(by: usize, y: &mut [u32]) {
    let long = shared!([u32; 9]);
    let short = shared!([u32; 8]);
    let t = thread_idx_x();
    long[t] = 1;
    short[t] = 2;
    sync_threads();
    y[t] = long[t + by] + short[t + by];
}

#[test]
fn the_array_of_a_check_is_told_from_others_that_are_read_beside_it() {
    let simulator = Simulator::new().checks(Checks::MEMORY);
    let device = simulator.device();
    let mut y = device.zeros::<u32>(8).unwrap();
    let Err(error) = both::launch(&device, LaunchConfig::grid(1), 1, &mut y) else {
        panic!("it is out of bounds")
    };
    let found = simulator.take_findings();
    let outside = found.iter().find_map(|found| match &found.problem {
        Problem::OutOfBounds(outside) => outside.buffer.as_deref(),
        _ => None,
    });
    assert_eq!(outside, Some("short"), "{error}");
}

/// Half of each warp computes its sum.
#[kernel(block = 64)]
#[allow(gpu_warp_mask_mismatches)]
fn half_warps(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    if t % 32 < 16 {
        y[t] = warp::reduce_add(x[t]);
    }
}

/// The lanes of the last warp that have elements compute their sum.
#[kernel(block = 64)]
#[allow(gpu_warp_mask_mismatches)]
fn named_lanes(n: usize, x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let here = warp::ballot(t < n);
    if t < n {
        y[t] = warp::reduce_add_mask(here, x[t]);
    }
}

/// Threads without work return before the sum.
#[kernel(block = 64)]
#[allow(gpu_warp_mask_mismatches)]
fn rest_has_returned(n: usize, x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    if t >= n {
        return;
    }
    y[t] = warp::reduce_add(x[t]) + warp::exclusive_sum(x[t]);
}

/// Reductions and scans of blocks that are not a whole number of warps.
#[kernel]
#[allow(gpu_partial_warps)]
fn of_blocks(x: &[u32], y: &mut [u32]) {
    let t = thread_idx_x();
    let sum = warp::reduce(x[t], |a, b| a + b) + warp::reduce_max(x[t]);
    let scan = warp::inclusive_scan(x[t], |a, b| a + b) + warp::exclusive_sum(x[t]);
    y[t] = sum + scan + block::reduce_add(x[t]) + block::inclusive_scan(x[t], |a, b| a + b);
}

#[test]
fn lanes_that_miss_an_operation_are_reported_and_others_are_not() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let x = device.upload(&[1u32; 64]).unwrap();
    let mut y = device.zeros::<u32>(64).unwrap();
    let config = LaunchConfig::grid(1);
    let Err(error) = half_warps::launch(&device, config, &x, &mut y) else { panic!("they miss") };
    let found = simulator.take_findings();
    let Problem::Mask(misuse) = &found[0].problem else { panic!("{error}") };
    assert_eq!((misuse.kind, misuse.lanes), (MaskKind::NotReached, 0xffff_0000), "{error}");
    assert_eq!((found.len(), found[0].severity), (1, Severity::Error), "{error}");
    for n in [1, 20, 32, 45, 64] {
        named_lanes::launch(&device, config, n, &x, &mut y).unwrap();
        rest_has_returned::launch(&device, config, n, &x, &mut y).unwrap();
        of_blocks::launch(&device, config.block(n), &x, &mut y).unwrap();
        assert_eq!(simulator.take_findings(), [], "{n}");
    }
}

/// Sums a warp by shuffles down, with a mask and over all lanes.
#[kernel]
#[allow(gpu_inactive_lane_shuffles, gpu_partial_warps)]
fn shuffled_sum(x: &[u32], y: &mut [u32]) {
    let mut sum = x[thread_idx_x()];
    let mut half = 16;
    while half > 0 {
        sum += warp::shfl_down(sum, half);
        half /= 2;
    }
    if warp::lane_id() == 0 {
        y[0] = sum;
    }
}

#[test]
fn a_sum_with_lanes_that_are_not_there_is_an_error() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let x = device.upload(&[1u32; 64]).unwrap();
    let mut y = device.zeros::<u32>(1).unwrap();
    shuffled_sum::launch(&device, LaunchConfig::grid(1).block(32), &x, &mut y).unwrap();
    assert_eq!((y.to_vec().unwrap(), simulator.take_findings()), (vec![32], vec![]));
    let short = LaunchConfig::grid(1).block(24);
    let Err(error) = shuffled_sum::launch(&device, short, &x, &mut y) else {
        panic!("lane 8 reads lane 24, and lane 0 what lane 8 has of it")
    };
    let found = simulator.take_findings();
    let Problem::Mask(misuse) = &found[0].problem else { panic!("{error}") };
    assert_eq!((misuse.kind, misuse.lanes), (MaskKind::SourceAbsent, 1 << 24), "{error}");
    assert!(matches!(misuse.used, Some((Use::Output, _))), "{error}");
}

#[test]
fn warnings_fail_where_they_are_denied_and_are_seen_by_whoever_captures_output() {
    const ASKED: &str = "WARPWISE_TEST_WARNINGS";
    if std::env::var_os(ASKED).is_some() {
        let device = Device::cpu();
        let x = device.upload(&[1u32; 512]).unwrap();
        let mut y = device.zeros::<u32>(4).unwrap();
        for _ in 0..3 {
            sums::launch(&device, LaunchConfig::grid(4), 32, &x, &mut y).unwrap();
        }
        return;
    }
    let run = |checks: &str| {
        let mut test = Command::new(std::env::current_exe().expect("a test is a program"));
        // Without `--nocapture`: as `cargo test` runs it.
        let name = "warnings_fail_where_they_are_denied_and_are_seen_by_whoever_captures_output";
        let output = test.args(["--exact", name]).env(ASKED, "1").env("WARPWISE_CHECK", checks);
        let output = output.output().expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), stderr.matches("warpwise: `sums`: warning: ").count())
    };
    let (passes, warnings) = run("all");
    assert!(passes && warnings > 0);
    // Each is printed once, in however many launches it was found.
    assert_eq!(run("all").1, warnings);
    assert!(warnings < 8, "{warnings}");
    assert_eq!(run("all,deny"), (false, 0));
    assert_eq!(run("deny"), (false, 0));
    assert_eq!(run("init,deny"), (true, 0));
}

#[test]
fn checks_counters_traces_and_breakpoints_go_together() {
    let count = |device: &Device| {
        let x = device.upload(&[1u32; 512]).unwrap();
        let mut y = device.zeros::<u32>(4).unwrap();
        sums::launch(device, LaunchConfig::grid(4), 32, &x, &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [128; 4]);
    };
    let counting = Simulator::new().counters();
    count(&counting.device());
    let watch = Watch::thread([1, 0, 0], [3, 0, 0]);
    let tracing = Simulator::new().trace(watch);
    count(&tracing.device());
    let checking = Simulator::new().checked();
    count(&checking.device());
    let observing = Simulator::new().counters().trace(watch).checked();
    count(&observing.device());
    assert_eq!(observing.take_counters(), counting.take_counters());
    assert_eq!(observing.take_findings(), checking.take_findings());
    let lines = |simulator: &Simulator| {
        simulator.take_traces().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(lines(&observing), lines(&tracing));
}

/// Each thread adds one to its element.
#[kernel]
fn more(y: &mut [u32]) {
    y[global_idx_x()] += 1;
}

#[test]
fn each_who_looks_on_sees_the_same_memory() {
    let mut hits = 0;
    let watch = Watch::thread([0; 3], [5, 0, 0]);
    let simulator = Simulator::new().counters().checks(Checks::ALL | Checks::ORDER).schedule(1);
    let simulator = simulator.breakpoint(watch, move |_| {
        hits += 1;
        if hits > 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let device = simulator.device();
    let mut y = device.upload(&[5u32; 64]).unwrap();
    for round in 1..4 {
        more::launch(&device, LaunchConfig::grid(1).block(64), &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [5 + round; 64]);
    }
    assert_eq!(simulator.take_counters().len(), 3);
    assert_eq!(simulator.take_findings(), []);
}

/// Waits for a value that is never written, after a race.
#[kernel]
#[allow(gpu_block_races)]
fn stuck(flag: &[AtomicU32], y: &mut [u32]) {
    y[0] = thread_idx_x() as u32;
    while flag[0].load(Ordering::Relaxed) == 0 {}
}

#[test]
fn what_is_found_in_a_launch_that_does_not_end_is_told_with_it() {
    let simulator = Simulator::new().checked();
    let device = simulator.device();
    let flag = device.zeros::<u32>(1).unwrap().into_atomic();
    let mut y = device.zeros::<u32>(1).unwrap();
    let config = LaunchConfig::grid(1).block(64);
    let error = stuck::launch(&device, config, &flag, &mut y).unwrap_err();
    let text = error.to_string();
    let Error::Stopped { reason, findings, .. } = error else { panic!("{text}") };
    let Stopped::Livelock { block: [0, 0, 0], blocks: 1, spinning, .. } = *reason else {
        panic!("{text}")
    };
    let [Spinning { reads, threads: 64, thread: [0, 0, 0], .. }] = &spinning[..] else {
        panic!("{text}")
    };
    assert_eq!(*reads, ["flag"]);
    assert!(text.contains("; its checks found:\n  error: write-write race on y[0]"), "{text}");
    assert_eq!(simulator.take_findings(), findings);
}

#[test]
fn a_livelock_is_told_in_any_order() {
    let reason = |device: Device| {
        let flag = device.zeros::<u32>(1).unwrap().into_atomic();
        let mut y = device.zeros::<u32>(1).unwrap();
        let config = LaunchConfig::grid(3).block(64);
        match stuck::launch(&device, config, &flag, &mut y) {
            Err(Error::Stopped { reason, .. }) => reason.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let usual = reason(Device::cpu());
    assert!(usual.starts_with("livelock in block (0, 0, 0) and 2 more: 64 threads"), "{usual}");
    (0..4).for_each(|seed| assert_eq!(reason(Simulator::new().schedule(seed).device()), usual));
}

#[test]
fn what_nobody_writes_is_told_if_that_is_asked_for() {
    let simulator = Simulator::new().checks(Checks::ALL | Checks::UNUSED);
    let device = simulator.device();
    let mut y = device.zeros::<u32>(100).unwrap();
    more::launch(&device, LaunchConfig::grid(3).block(32), &mut y).unwrap();
    let found = simulator.take_findings();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].to_string(),
        "info: no thread writes 4 of the 100 elements of `y`, y[96] the first"
    );
}

#[test]
fn a_misspelled_variable_is_refused() {
    const ASKED: &str = "WARPWISE_TEST_CHECKS_OF_DEVICES";
    if std::env::var_os(ASKED).is_some() {
        let said = |error: Error| println!("said: {error}");
        Device::auto().map(|_| ()).map_err(said).unwrap_err();
        Device::cuda(0).map(|_| ()).map_err(said).unwrap_err();
        Device::cpu().zeros::<u32>(1).map(|_| ()).map_err(said).unwrap_err();
        Simulator::new()
            .unoptimized()
            .device()
            .zeros::<u32>(1)
            .map(|_| ())
            .map_err(said)
            .unwrap_err();
        return;
    }
    let test = std::env::current_exe().expect("a test is a program");
    let mut test = Command::new(test);
    test.args(["--exact", "a_misspelled_variable_is_refused", "--nocapture"]);
    let output = test.env(ASKED, "1").env("WARPWISE_CHECK", "rases").output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = "said: `WARPWISE_CHECK=rases` names no checks: it takes `all`, `race`, `memory`, `init`, `sync`, \
                    `strict`, `unused` and `order`, with commas between, and `deny` to make warnings fail";
    assert_eq!(
        text.matches(expected).count(),
        4,
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
