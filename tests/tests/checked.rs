//! Checked launches, from Rust: kernels that are clean, and kernels with exactly one race.
use std::{ops::ControlFlow, process::Command};
use warpwise::{
    Error,
    check::{Checks, Finding, Missing, Problem, Race, RaceKind, Severity, Use},
    prelude::*,
    trace::Watch,
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

#[device]
struct Slot {
    key: AtomicU32,
    value: u32,
}

/// Each thread takes a slot by its atomic, and writes beside it: into its own, or into its neighbour's, too.
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

/// Reads a field that nobody has written, of a slot whose atomic everybody has.
#[kernel(block = 64)]
#[allow(gpu_uninit_shared_reads)]
fn unwritten_field(out: &mut [u32]) {
    let tile = shared!([Slot; 64]);
    let t = thread_idx_x();
    tile[t].key.store(7, Ordering::Relaxed);
    out[t] = tile[t].key.load(Ordering::Relaxed) + tile[t].value;
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
fn atomics_in_structs_do_not_race_and_fields_beside_them_do() {
    let device = Device::cpu().checked();
    let mut slots = device.zeros::<Slot>(65).unwrap();
    let mut out = device.zeros::<u32>(64).unwrap();
    let config = LaunchConfig::grid(1);
    beside_atomics::launch(&device, config, 0, &mut slots, &mut out).unwrap();
    assert_eq!(device.take_findings(), []);
    assert_eq!(out.to_vec().unwrap()[31..33], [2, 0]);
    assert_eq!(slots.to_vec().unwrap()[31].key.load(Ordering::Relaxed), 2);
    let Err(error) = beside_atomics::launch(&device, config, 33, &mut slots, &mut out) else {
        panic!("it races")
    };
    let found = device.take_findings();
    let races = races(&found);
    assert!(races.iter().all(|race| race.kind == RaceKind::WriteWrite), "{error}");
    assert!(!races.is_empty(), "{error}");
    assert!(races[0].location.to_string().starts_with("slots["), "{error}");
}

#[test]
fn a_field_beside_an_atomic_that_nobody_has_written_is_found() {
    let device = Device::cpu().checked();
    let mut out = device.zeros::<u32>(64).unwrap();
    let Err(error) = unwritten_field::launch(&device, LaunchConfig::grid(1), &mut out) else {
        panic!("it stores what nobody has written")
    };
    let found = device.take_findings();
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

/// Each thread makes an event and looks at its neighbours'. What the other variants have in those bytes, nobody writes.
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
    let device = Device::cpu().checked();
    let mut same = device.zeros::<bool>(64).unwrap();
    let mut kept = device.zeros::<Event>(64).unwrap();
    events::launch(&device, LaunchConfig::grid(1), &mut same, &mut kept).unwrap();
    assert_eq!(device.take_findings(), []);
    let want = (0..64).map(|t| [(t + 7) % 64, 63 - t].map(event_of).contains(&event_of(t)));
    assert_eq!(same.to_vec().unwrap(), want.collect::<Vec<_>>());
    let want = (0..64).map(|t| match event_of(t ^ 1) {
        Event::Key(key, true) => Event::Key(key + 1, false),
        _ => event_of((t + 7) % 64),
    });
    assert_eq!(kept.to_vec().unwrap(), want.collect::<Vec<_>>());
}

/// Threads write events to one place.
#[kernel(block = 64)]
#[allow(gpu_global_races)]
fn one_event(kept: &mut [Event]) {
    kept[0] = event_of(thread_idx_x());
}

#[test]
fn parts_of_variants_race() {
    let device = Device::cpu().checked();
    let mut kept = device.zeros::<Event>(1).unwrap();
    let Err(error) = one_event::launch(&device, LaunchConfig::grid(1), &mut kept) else {
        panic!("it races")
    };
    let found = device.take_findings();
    let races = races(&found);
    assert!(races.iter().all(|race| race.kind == RaceKind::WriteWrite), "{error}");
    assert!(races.iter().any(|race| race.location.to_string() == "kept[0]"), "{error}");
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

#[test]
fn checks_counters_traces_and_breakpoints_go_together() {
    let count = |device: &Device| {
        let x = device.upload(&[1u32; 512]).unwrap();
        let mut y = device.zeros::<u32>(4).unwrap();
        sums::launch(device, LaunchConfig::grid(4), 32, &x, &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [128; 4]);
    };
    let alone = Device::cpu().with_counters();
    count(&alone);
    let watch = Watch::thread([1, 0, 0], [3, 0, 0]);
    let traced = Device::cpu().with_trace(watch);
    count(&traced);
    let checked = Device::cpu().checked();
    count(&checked);
    let all = Device::cpu().with_counters().with_trace(watch).checked();
    count(&all);
    assert_eq!(all.take_counters(), alone.take_counters());
    assert_eq!(all.take_findings(), checked.take_findings());
    let lines =
        |device: &Device| device.take_traces().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(lines(&all), lines(&traced));
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
    let device = Device::cpu().with_counters().with_checks(Checks::ALL | Checks::ORDER);
    let device = device.with_schedule(1).with_breakpoint(watch, move |_| {
        hits += 1;
        if hits > 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let mut y = device.upload(&[5u32; 64]).unwrap();
    for round in 1..4 {
        more::launch(&device, LaunchConfig::grid(1).block(64), &mut y).unwrap();
        assert_eq!(y.to_vec().unwrap(), [5 + round; 64]);
    }
    assert_eq!(device.take_counters().len(), 3);
    assert_eq!(device.take_findings(), []);
}

/// Waits for what nobody writes, and races before.
#[kernel]
#[allow(gpu_block_races)]
fn stuck(flag: &[AtomicU32], y: &mut [u32]) {
    y[0] = thread_idx_x() as u32;
    while flag[0].load(Ordering::Relaxed) == 0 {}
}

#[test]
fn what_is_found_in_a_launch_that_does_not_end_is_told_with_it() {
    let device = Device::cpu().checked();
    let flag = device.zeros::<u32>(1).unwrap().into_atomic();
    let mut y = device.zeros::<u32>(1).unwrap();
    let config = LaunchConfig::grid(1).block(64);
    let Err(Error::Stopped { reason, .. }) = stuck::launch(&device, config, &flag, &mut y) else {
        panic!("it ends")
    };
    assert!(reason.starts_with("livelock in block (0, 0, 0): 64 threads"), "{reason}");
    assert!(reason.contains("; its checks found:\n  error: write-write race on y[0]"), "{reason}");
    assert_eq!(device.take_findings().len(), 1);
}

#[test]
fn a_livelock_is_told_in_any_order() {
    let reason = |device: Device| {
        let flag = device.zeros::<u32>(1).unwrap().into_atomic();
        let mut y = device.zeros::<u32>(1).unwrap();
        let config = LaunchConfig::grid(3).block(64);
        match stuck::launch(&device, config, &flag, &mut y) {
            Err(Error::Stopped { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    };
    let usual = reason(Device::cpu());
    assert!(usual.starts_with("livelock in block (0, 0, 0) and 2 more: 64 threads"), "{usual}");
    (0..4).for_each(|seed| assert_eq!(reason(Device::cpu().with_schedule(seed)), usual));
}

#[test]
fn what_nobody_writes_is_told_if_that_is_asked_for() {
    let device = Device::cpu().with_checks(Checks::ALL | Checks::UNUSED);
    let mut y = device.zeros::<u32>(100).unwrap();
    more::launch(&device, LaunchConfig::grid(3).block(32), &mut y).unwrap();
    let found = device.take_findings();
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
        Device::cpu_unoptimized().zeros::<u32>(1).map(|_| ()).map_err(said).unwrap_err();
        return;
    }
    let test = std::env::current_exe().expect("a test is a program");
    let mut test = Command::new(test);
    test.args(["--exact", "a_misspelled_variable_is_refused", "--nocapture"]);
    let output = test.env(ASKED, "1").env("WARPWISE_CHECK", "rases").output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = "said: `WARPWISE_CHECK=rases` names no checks: it takes `all`, `race`, `memory`, `init`, `sync`, \
                    `strict`, `unused` and `order`, with commas between";
    assert_eq!(
        text.matches(expected).count(),
        4,
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
