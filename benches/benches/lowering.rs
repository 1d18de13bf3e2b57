//! The time that `#[kernel]` adds to a build, per kernel.
//!
//! `cargo bench -p warpwise-benches --bench lowering`
//!
//! A crate with many kernels is checked with `cargo check` as cargo does it by default, which
//! builds the macro without optimization, and once more with the attributes taken off. The
//! difference, divided by the number of kernels, is the whole cost of the macro: reading tokens,
//! lowering, linting, optimizing, emitting PTX, and rustc's work on the expansion. On Linux, times
//! are processor times, which other work on the machine disturbs less. The last row is a kernel of
//! 500 lines.
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
    let folder = root.join("target/bench-lowering");
    create(root, &folder);
    let mut total = 0.0;
    for template in TEMPLATES {
        total += measure(&folder, template, KERNELS);
    }
    println!("{:8} {:6.2} ms a kernel", "mean", total / TEMPLATES.len() as f64);
    measure(&folder, &long_kernel(LINES), LONG_KERNELS);
}

/// Measures the crate with `count` copies of a kernel; prints and returns the milliseconds that
/// `#[kernel]` adds per kernel.
fn measure(folder: &Path, template: &str, count: usize) -> f64 {
    let kernels = source(template, count);
    let plain: String = kernels
        .lines()
        .filter(|line| !line.starts_with("#[kernel"))
        .map(|line| format!("{line}\n"))
        .collect();
    check(folder, &kernels, "to build the dependencies");
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        with.push(check(folder, &kernels, &run.to_string()));
        without.push(check(folder, &plain, &run.to_string()));
    }
    let (with, without) = (median(with), median(without));
    let per_kernel = (with.as_secs_f64() - without.as_secs_f64()) * 1e3 / count as f64;
    let name = template.split_once("fn ").and_then(|(_, rest)| rest.split_once("_NUMBER"));
    let name = name.expect("a template has a name").0;
    println!(
        "{name:8} {per_kernel:6.2} ms a kernel ({count} of them: {with:.2?}, as plain functions {without:.2?})"
    );
    per_kernel
}

/// Creates a crate that depends on `warpwise`, outside of the workspace.
fn create(root: &Path, folder: &Path) {
    let runtime = root.join("runtime");
    fs::create_dir_all(folder.join("src")).expect("the target folder is writable");
    let manifest = format!(
        "[package]\nname = \"many-kernels\"\nedition = \"2024\"\n\n\
         [dependencies]\nwarpwise = {{ path = {runtime:?} }}\n\n[workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("the target folder is writable");
    let lock = folder.join("Cargo.lock");
    fs::copy(root.join("Cargo.lock"), lock).expect("the workspace has a lock file");
}

fn source(template: &str, count: usize) -> String {
    let kernels = (0..count).map(|i| template.replace("NUMBER", &i.to_string()));
    let start = "//! Many kernels.\n#![allow(warnings)]\nuse std::sync::atomic::Ordering;\nuse warpwise::prelude::*;\n\n".to_owned();
    start + &kernels.collect::<Vec<_>>().join("\n")
}

/// Runs `cargo check` on this source, and returns its time. `mark` makes the text differ from the
/// one before, so that cargo checks it again.
fn check(folder: &Path, source: &str, mark: &str) -> Duration {
    let file: PathBuf = folder.join("src/lib.rs");
    fs::write(file, format!("{source}\n// {mark}\n")).expect("the target folder is writable");
    let (start, cpu_start) = (Instant::now(), children_cpu_time());
    let done = Command::new(env!("CARGO"))
        .args(["check", "--quiet"])
        .stderr(Stdio::null())
        .current_dir(folder)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .status()
        .expect("cargo runs");
    let took = match (cpu_start, children_cpu_time()) {
        (Some(before), Some(after)) => after - before,
        (None, _) | (_, None) => start.elapsed(),
    };
    assert!(done.success(), "`cargo check` failed in {}", folder.display());
    took
}

/// Returns the processor time of the child processes that have been waited for; `None` without
/// `/proc`.
fn children_cpu_time() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may contain spaces. The first field after it is number 3.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(16 - 3);
    let ticks: [u64; 2] = [fields.next()?.parse().ok()?, fields.next()?.parse().ok()?];
    // A tick is 10 ms everywhere that Linux shows this file.
    Some(Duration::from_millis((ticks[0] + ticks[1]) * 10))
}
