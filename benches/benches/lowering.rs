//! What `#[kernel]` adds to a build, for each kernel.
//!
//! `cargo bench -p warpwise-benches --bench lowering`
//!
//! A crate with many kernels is checked with `cargo check` as cargo does it by default, which
//! builds the macro without optimization, and once more with the attributes taken off. The
//! difference, divided by the number of kernels, is all that the macro costs: reading tokens,
//! lowering, linting, optimizing, emitting PTX, and rustc's work on what it expands to.
//! On Linux it is processor time, which other work on the machine disturbs less. A kernel of 500 lines comes last.
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use warpwise_benches::{long_kernel::long_kernel, median};

/// Kernels in the crate.
const KERNELS: usize = 90;
/// Kernels of [`LINES`] lines in the crate.
const LONG_KERNELS: usize = 9;
const LINES: usize = 500;
/// Times that each variant is checked.
const RUNS: usize = 3;

/// Typical kernels: one line, shared memory in loops, and shuffles with atomics.
const TEMPLATES: [&str; 3] = [
    "#[kernel]
pub fn saxpy_NUMBER(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}
",
    "#[kernel(block = (16, 16))]
pub fn matmul_NUMBER(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    let tile_a = shared!([[f32; 16]; 16]);
    let tile_b = shared!([[f32; 16]; 16]);
    let tx = thread_idx_x();
    let ty = thread_idx_y();
    let column = global_idx_x();
    let row = global_idx_y();
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(16) {
        let across = tile * 16 + tx;
        let down = tile * 16 + ty;
        tile_a[ty][tx] = if row < n && across < n { a[row * n + across] } else { 0.0 };
        tile_b[ty][tx] = if down < n && column < n { b[down * n + column] } else { 0.0 };
        sync_threads();
        for k in 0..16 {
            sum += tile_a[ty][k] * tile_b[k][tx];
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}
",
    "#[kernel(block = 256)]
pub fn reduce_NUMBER(values: &[f32], total: &[AtomicF32]) {
    let partial = shared!([f32; 8]);
    let stride = grid_dim_x() * block_dim_x();
    let mut sum = 0.0;
    let mut i = global_idx_x();
    while i < values.len() {
        sum += values[i];
        i += stride;
    }
    let mut distance = 16;
    while distance > 0 {
        sum += warp::shfl_down(sum, distance);
        distance /= 2;
    }
    let lane = warp::lane_id();
    if lane == 0 {
        partial[warp::warp_id()] = sum;
    }
    sync_threads();
    if warp::warp_id() == 0 {
        let mut sum = if lane < 8 { partial[lane] } else { 0.0 };
        let mut distance = 4;
        while distance > 0 {
            sum += warp::shfl_down(sum, distance);
            distance /= 2;
        }
        if lane == 0 {
            total[0].fetch_add(sum, Ordering::Relaxed);
        }
    }
}
",
];

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is above");
    let place = root.join("target/bench-lowering");
    create(root, &place);
    let mut all = 0.0;
    for template in TEMPLATES {
        all += measure(&place, template, KERNELS);
    }
    println!("{:8} {:6.2} ms a kernel", "mean", all / TEMPLATES.len() as f64);
    measure(&place, &long_kernel(LINES), LONG_KERNELS);
}

/// Says what a kernel costs of which `count` are in the crate: milliseconds.
fn measure(place: &Path, template: &str, count: usize) -> f64 {
    let kernels = source(template, count);
    let plain: String = kernels
        .lines()
        .filter(|line| !line.starts_with("#[kernel"))
        .map(|line| format!("{line}\n"))
        .collect();
    check(place, &kernels, "to build what it depends on");
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        with.push(check(place, &kernels, &run.to_string()));
        without.push(check(place, &plain, &run.to_string()));
    }
    let (with, without) = (median(with), median(without));
    let each = (with.as_secs_f64() - without.as_secs_f64()) * 1e3 / count as f64;
    let name = template.split_once("fn ").and_then(|(_, rest)| rest.split_once("_NUMBER"));
    let name = name.expect("a template has a name").0;
    println!(
        "{name:8} {each:6.2} ms a kernel ({count} of them: {with:.2?}, as plain functions {without:.2?})"
    );
    each
}

/// A crate of its own that depends on `warpwise`.
fn create(root: &Path, place: &Path) {
    let runtime = root.join("runtime");
    fs::create_dir_all(place.join("src")).expect("the target folder is writable");
    let manifest = format!(
        "[package]\nname = \"many-kernels\"\nedition = \"2024\"\n\n\
         [dependencies]\nwarpwise = {{ path = {runtime:?} }}\n\n[workspace]\n"
    );
    fs::write(place.join("Cargo.toml"), manifest).expect("the target folder is writable");
    let lock = place.join("Cargo.lock");
    fs::copy(root.join("Cargo.lock"), lock).expect("the workspace has a lock file");
}

fn source(template: &str, count: usize) -> String {
    let kernels = (0..count).map(|i| template.replace("NUMBER", &i.to_string()));
    let start = "//! Many kernels.\n#![allow(warnings)]\nuse std::sync::atomic::Ordering;\nuse warpwise::prelude::*;\n\n".to_owned();
    start + &kernels.collect::<Vec<_>>().join("\n")
}

/// Checks the crate with this source, and how long that took; `mark` makes it a new one.
fn check(place: &Path, source: &str, mark: &str) -> Duration {
    let file: PathBuf = place.join("src/lib.rs");
    fs::write(file, format!("{source}\n// {mark}\n")).expect("the target folder is writable");
    let start = (Instant::now(), children());
    let done = Command::new(env!("CARGO"))
        .args(["check", "--quiet"])
        .stderr(Stdio::null())
        .current_dir(place)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TARGET_DIR", place.join("target"))
        .status()
        .expect("cargo runs");
    let took = match (start.1, children()) {
        (Some(before), Some(after)) => after - before,
        (None, _) | (_, None) => start.0.elapsed(),
    };
    assert!(done.success(), "`cargo check` failed in {}", place.display());
    took
}

/// Processor time of the processes that this one has waited for, where `/proc` tells.
fn children() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold spaces; behind it, field 3 comes first.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(16 - 3);
    let ticks: [u64; 2] = [fields.next()?.parse().ok()?, fields.next()?.parse().ok()?];
    // A tick is 10 ms everywhere that Linux shows this file.
    Some(Duration::from_millis((ticks[0] + ticks[1]) * 10))
}
