//! Counters of lines and of vectors, and the page's copy of printed tables. Published tables are in
//! `examples`.
use warpwise::{
    F32x2, F32x4, Simulator,
    counters::{Counts, LaunchCounters},
    prelude::*,
};

/// Returns the counters of the last launch on the device.
fn last(simulator: &Simulator) -> LaunchCounters {
    simulator.take_counters().pop().unwrap()
}

/// Creates a simulator that counts, and a device of it.
fn counting() -> (Simulator, Device) {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    (simulator, device)
}

/// Each thread processes its own chunk.
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
    let (simulator, device) = counting();
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
        let Counts { shared_loads, shared_stores, global_loads, .. } = last(&simulator).total;
        assert_eq!(shared_stores.requests, 2);
        // For vectors, and for 32 indices.
        assert_eq!(global_loads.sectors, if wide { 2 * 16 } else { 2 * 8 } + 4);
        (shared_loads.requests, shared_loads.wavefronts, shared_loads.conflicts())
    };
    // Published cases: pairs of lanes that agree let halves merge.
    assert_eq!(shared(&|lane| lane / 2, false), (1, 1, 0));
    assert_eq!(shared(&|lane| lane % 16, false), (1, 2, 0));
    assert_eq!(shared(&|lane| lane, true), (1, 4, 0));
    assert_eq!(shared(&|lane| lane / 4 * 2 + lane % 2, true), (1, 2, 0));
    assert_eq!(shared(&|_| 7, true), (1, 2, 0));
}

#[test]
fn lines_are_told_apart_and_the_worst_is_first() {
    let (simulator, device) = counting();
    let x = device.upload(&vec![1.0f32; 1 << 14]).unwrap();
    let mut out = device.zeros::<f64>(256).unwrap();
    norm1::launch(&device, LaunchConfig::grid(1).block(256), &x, &mut out).unwrap();
    let counters = last(&simulator);
    let sum: u64 = counters.lines.iter().map(|line| line.counts.warp_instructions).sum();
    assert_eq!(sum, counters.total.warp_instructions);
    let worst = counters.lines.iter().max_by_key(|line| line.counts.global().sectors).unwrap();
    assert_eq!(worst.file, file!());
    let text = counters.to_string();
    let first = text.lines().find(|line| line.starts_with(file!())).unwrap();
    assert!(first.starts_with(&format!("{}:{} ", worst.file, worst.line)), "{text}");
    assert!(
        text.contains("global memory: 520 requests, expected 2112 sectors, got 16448: 7.79x"),
        "{text}"
    );
    assert!(simulator.take_counters().is_empty(), "taken is taken");
    assert!(Simulator::new().take_counters().is_empty());
}

/// Each thread sums a chunk of its own.
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

/// Returns the number, from 1, of the first line of `text` that equals `what`.
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

    let (simulator, device) = counting();
    let x = device.upload(&vec![1.0f32; 1 << 16]).unwrap();
    let mut out = device.zeros::<f32>(256).unwrap();
    chunks::launch(&device, LaunchConfig::grid(1), &x, &mut out).unwrap();
    let mut counters = last(&simulator);
    let title = "fn chunks(x: &[f32], out: &mut [f32]) {";
    let moved = |line: u32| line - line_of(here, title) + line_of(program, title);
    for line in &mut counters.lines {
        (line.file, line.line) = ("src/main.rs", moved(line.line));
    }
    for of in &mut counters.loops {
        (of.file, of.line) = ("src/main.rs", moved(of.line));
    }
    let text = counters.to_string();
    assert!(page.contains(&text), "docs/counters.md should show\n{text}");
}
