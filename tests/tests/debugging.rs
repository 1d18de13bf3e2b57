//! Traces, breakpoints and seeded schedules, as `docs/debugging.md` shows them.
use std::sync::atomic::Ordering;
use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};
use warpwise::{
    Error, Simulator,
    check::{Checks, Difference, Problem},
    prelude::*,
    trace::{Hit, Trace, Value, Watch},
};

const PAGE: &str = include_str!("../../docs/debugging.md");
const HERE: &str = include_str!("debugging.rs");

/// Each thread sums a row.
#[kernel]
fn rows(width: usize, x: &[f32], sums: &mut [f32]) {
    let row = global_idx_x();
    if row < sums.len() {
        let mut sum = 0.0;
        for column in 0..width {
            sum += x[row * width + column];
        }
        sums[row] = sum;
    }
}

/// Newton's method for square roots.
#[kernel]
fn roots(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut root = x[i];
        for _ in 0..4 {
            root = 0.5 * (root + x[i] / root);
        }
        out[i] = root;
    }
}

/// Returns the distance of a line of this file from the same line of the page's program, whose
/// kernel has this title.
fn distance(title: &str) -> u32 {
    let line = |text: &str| text.lines().position(|line| line == title).unwrap() as u32;
    let program = PAGE.split("```rust\n").find(|part| part.contains(title)).unwrap();
    let kernel = |text: &str| {
        let rest = &text[text.find(title).unwrap()..];
        rest[..rest.find("\n}\n").unwrap()].to_owned()
    };
    assert_eq!(kernel(HERE), kernel(program), "this is not the kernel of the page");
    line(HERE) - line(program)
}

/// Returns the trace with the lines of the page's program.
fn of_page(mut trace: Trace, title: &str) -> String {
    for event in &mut trace.events {
        event.file = "src/main.rs";
        event.line -= distance(title);
    }
    trace.to_string()
}

fn trace_rows(simulator: &Simulator) -> Vec<Trace> {
    let device = simulator.device();
    let x = device.upload(&[0.5f32, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]).unwrap();
    let mut sums = device.zeros::<f32>(4).unwrap();
    rows::launch(&device, LaunchConfig::cover(4), 2, &x, &mut sums).unwrap();
    assert_eq!(sums.to_vec().unwrap(), [1.5, 3.5, 5.5, 7.5]);
    simulator.take_traces()
}

const ROWS: &str = "fn rows(width: usize, x: &[f32], sums: &mut [f32]) {";

#[test]
fn the_page_shows_what_a_thread_does() {
    let simulator = Simulator::new().trace(Watch::thread([0, 0, 0], [3, 0, 0]));
    let traces = trace_rows(&simulator);
    assert_eq!(traces.len(), 1);
    let text = of_page(traces[0].clone(), ROWS);
    assert!(PAGE.contains(&text), "docs/debugging.md should show\n{text}");
    assert!(simulator.take_traces().is_empty(), "taken is taken");
    assert!(Simulator::new().take_traces().is_empty());
}

#[test]
fn values_are_data_too() {
    let simulator = Simulator::new().trace(Watch::thread([0; 3], [2, 0, 0]));
    let trace = trace_rows(&simulator).remove(0);
    let adds: Vec<_> = trace
        .events
        .iter()
        .filter(|event| {
            event.text.starts_with("add")
                && matches!(event.result.as_deref(), Some([Value::F32(_)]))
        })
        .collect();
    let values: Vec<_> =
        adds.iter().map(|event| (event.operands.clone(), event.result.clone())).collect();
    let one = |value| vec![Value::F32(value)];
    assert_eq!(
        values,
        [(vec![one(0.0), one(2.5)], Some(one(2.5))), (vec![one(2.5), one(3.0)], Some(one(5.5))),]
    );
    let store = trace.events.iter().find(|event| event.text.starts_with("store")).unwrap();
    let place = Value::Place { array: "sums".into(), index: 2, byte: 0 };
    assert_eq!(store.operands, [vec![place], one(5.5)]);
    assert_eq!((store.lanes, store.line), (1 << 2, adds[0].line + 2));
}

#[test]
fn a_warp_shows_who_parts() {
    let simulator = Simulator::new().trace(Watch::warp([0; 3], 0));
    let text = trace_rows(&simulator).remove(0).to_string();
    for line in [
        "ffffffff  builtin global_idx.x = [0, 1, .. 31]",
        "0000000f  store [sums[0], sums[1], .. sums[3]], [1.5, 3.5, 5.5, 7.5]",
        "0000000f  iteration = 1",
    ] {
        assert!(text.lines().any(|found| found.ends_with(line)), "{line}\n{text}");
    }
}

#[test]
fn threads_that_are_not_there_do_nothing() {
    for watch in [
        Watch::thread([1, 0, 0], [0; 3]),
        Watch::thread([0; 3], [0, 1, 0]),
        Watch::thread([0; 3], [256, 0, 0]),
        Watch::warp([0; 3], 8),
    ] {
        let trace = trace_rows(&Simulator::new().trace(watch)).remove(0);
        assert_eq!(trace.events, []);
        assert!(trace.to_string().ends_with("did not come here\n"));
    }
}

#[test]
fn traces_keep_to_a_line() {
    let whole = trace_rows(&Simulator::new().trace(Watch::thread([0; 3], [1, 0, 0]))).remove(0);
    let line = whole.events.last().unwrap().line;
    for watch in [
        Watch::thread([0; 3], [1, 0, 0]).at_line(line),
        Watch::thread([0; 3], [1, 0, 0]).at("debugging.rs", line),
    ] {
        let trace = trace_rows(&Simulator::new().trace(watch)).remove(0);
        assert!(trace.events.iter().all(|event| event.line == line));
        assert!(!trace.events.is_empty() && trace.events.len() < whole.events.len());
    }
    let elsewhere = Watch::thread([0; 3], [1, 0, 0]).at("other.rs", line);
    assert_eq!(trace_rows(&Simulator::new().trace(elsewhere)).remove(0).events, []);
}

/// Runs `roots` with a breakpoint, and returns the result of the launch.
fn roots_with(
    watch: Watch,
    handler: impl FnMut(&Hit) -> ControlFlow<()> + Send + 'static,
) -> Result<Vec<f32>, Error> {
    let device = Simulator::new().breakpoint(watch, handler).device();
    let x = device.upload(&[4.0f32, 2.0, 0.0]).unwrap();
    let mut out = device.zeros::<f32>(3).unwrap();
    roots::launch(&device, LaunchConfig::cover(3), &x, &mut out)?;
    out.to_vec()
}

#[test]
fn the_page_shows_where_a_breakpoint_is_hit() {
    let hits = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&hits);
    let watch = Watch::thread([0; 3], [2, 0, 0]);
    let error = roots_with(watch, move |hit| match hit.variable("root") {
        Some(Value::F32(root)) if root.is_nan() => {
            seen.lock().unwrap().push(hit.clone());
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
    .unwrap_err();
    let Error::Stopped { kernel: "roots", reason, fault: None, .. } = &error else {
        panic!("{error}")
    };
    let reason = reason.to_string();
    let mut hit = hits.lock().unwrap().remove(0);
    let there = format!("{}:{}", hit.event.file, hit.event.line);
    assert!(reason.contains(&there), "{reason}");
    hit.event.file = "src/main.rs";
    hit.event.line -= distance("fn roots(x: &[f32], out: &mut [f32]) {");
    let here = format!("{}:{}", hit.event.file, hit.event.line);
    let text = format!("{hit}\n{}\n", error.to_string().replace(&there, &here));
    assert!(PAGE.contains(&text), "docs/debugging.md should show\n{text}");
}

#[test]
fn a_breakpoint_on_a_line_is_hit_each_time() {
    let title = "fn roots(x: &[f32], out: &mut [f32]) {";
    let line = 1 + HERE.lines().position(|line| line == title).unwrap() as u32 + 5;
    let hits = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&hits);
    let out = roots_with(Watch::warp([0; 3], 0).at_line(line), move |hit| {
        let variables: Vec<_> =
            hit.variables.iter().map(|v| (v.name.clone(), v.values.len())).collect();
        seen.lock().unwrap().push((hit.event.line, hit.event.lanes, variables));
        ControlFlow::Continue(())
    });
    assert_eq!(out.unwrap()[0], 2.0);
    assert_eq!(*hits.lock().unwrap(), vec![(line, 7, vec![("root".into(), 3)]); 4]);
}

#[test]
fn a_breakpoint_may_panic() {
    let launch = || roots_with(Watch::warp([0; 3], 0), |_| panic!("mine"));
    let panic = std::panic::catch_unwind(launch).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"mine"));
}

/// Collects the indices of positive elements.
#[kernel]
fn positive(x: &[f32], count: &[AtomicU32], found: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && x[i] > 0.0 {
        let at = count[0].fetch_add(1, Relaxed);
        found[at as usize] = i as u32;
    }
}

#[test]
fn a_seed_is_an_order() {
    let run = |device: &Device| {
        let x: Vec<f32> = (0..1000).map(|i| (i as f32).sin()).collect();
        let x = device.upload(&x).unwrap();
        let count = device.zeros::<u32>(1).unwrap().into_atomic();
        let mut found = device.zeros::<u32>(1000).unwrap();
        positive::launch(device, LaunchConfig::cover(1000), &x, &count, &mut found).unwrap();
        found.to_vec().unwrap()
    };
    let orders: Vec<_> =
        (0..8).map(|seed| run(&Simulator::new().schedule(seed).device())).collect();
    for (seed, order) in (0..).zip(&orders) {
        let traced = Simulator::new().schedule(seed).trace(Watch::warp([1, 0, 0], 3)).device();
        assert_eq!(run(&traced), *order, "looking on changes nothing");
        let sorted = |order: &[u32]| {
            let mut sorted = order.to_vec();
            sorted.sort_unstable();
            sorted
        };
        assert_eq!(sorted(order), sorted(&orders[0]));
    }
    assert!((1..8).all(|seed| orders[seed] != orders[seed - 1]));
}

/// Sums all elements.
#[kernel]
fn total(x: &[f32], sum: &[AtomicF32]) {
    let i = global_idx_x();
    if i < x.len() {
        sum[0].fetch_add(x[i], Ordering::Relaxed);
    }
}

#[test]
fn the_page_shows_what_depends_on_the_order() {
    distance("fn total(x: &[f32], sum: &[AtomicF32]) {");
    let run = |simulator: &Simulator, x: &[f32]| {
        let device = simulator.device();
        let x = device.upload(x).unwrap();
        let sum = device.upload(&[1.0f32]).unwrap().into_atomic();
        total::launch(&device, LaunchConfig::cover(1000), &x, &sum).unwrap();
        (sum.to_vec().unwrap()[0], simulator.take_findings())
    };
    let simulator = Simulator::new().checks(Checks::ORDER);
    let device = simulator.device();
    let (_, clean) = run(&simulator, &[1.0; 1000]);
    assert_eq!(clean, []);
    let x: Vec<f32> = (1..=1000).map(|i| 1.0 / i as f32).collect();
    let (sum, found) = run(&simulator, &x);
    assert_eq!(found.len(), 1);
    let Problem::Order(order) = &found[0].problem else { panic!("{}", found[0]) };
    let Difference::Elements { values: Some([usual, other]), count: 1, .. } = &order.difference
    else {
        panic!("{}", found[0])
    };
    assert!((sum - usual.parse::<f32>().unwrap()).abs() < 1e-4 && usual != other);
    let (again, _) = run(&Simulator::new().schedule(order.seed), &x);
    assert_eq!(again.to_string(), *other, "the seed is an order that can be run again");
    // The sum in the page starts at 0.
    let x = device.upload(&x).unwrap();
    let sum = device.zeros::<f32>(1).unwrap().into_atomic();
    total::launch(&device, LaunchConfig::cover(1000), &x, &sum).unwrap();
    let text = format!("{}\n", simulator.take_findings()[0]);
    assert!(PAGE.contains(&text), "docs/debugging.md should show\n{text}");
}
