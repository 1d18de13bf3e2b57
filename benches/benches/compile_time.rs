//! How the compile time of a kernel grows with its length, for each construct.
//!
//! `cargo bench -p warpwise-benches --bench compile_time [-- [--optimized] [NAME]]`
//!
//! For each of [`SHAPES`] whose name contains `NAME`, `cargo check` runs on crates with one kernel of 100 to 1000
//! lines, and once more with our attributes taken off. The table has the difference, in seconds of processor time: all
//! that the macros cost, as a user sees it, for cargo builds macros without optimization. `--optimized` shows the same
//! where the user's `Cargo.toml` has `[profile.dev.build-override] opt-level = 3`.
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use warpwise_benches::shapes::{SHAPES, Shape};

/// Lines of the kernels.
const LINES: [usize; 4] = [100, 200, 500, 1000];
/// The longest that a check may take; it is ended then, and longer kernels are left out.
const LIMIT: Duration = Duration::from_secs(60);

fn main() {
    let mut crate_ = Crate::create();
    let mut filter = String::new();
    // Cargo adds `--bench`.
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        match argument.as_str() {
            "--optimized" => crate_.is_optimized = true,
            _ => filter = argument,
        }
    }
    crate_.check("", LIMIT * 10);
    println!("| lines | {} |", LINES.map(|lines| lines.to_string()).join(" | "));
    println!("|---|{}", "---|".repeat(LINES.len()));
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(&filter)) {
        println!("| {} | {} |", shape.name, row(&crate_, shape).join(" | "));
    }
}

/// The cells of a shape's row.
fn row(crate_: &Crate, shape: &Shape) -> Vec<String> {
    let mut cells = Vec::new();
    for lines in LINES {
        let kernel = (shape.source)(lines);
        let is_ours = |line: &&str| line.starts_with("#[kernel") || line.starts_with("#[device]");
        let plain: String = kernel
            .lines()
            .filter(|line| !is_ours(line))
            .map(|line| line.to_owned() + "\n")
            .collect();
        let (without, is_valid) = crate_.check(&plain, LIMIT).expect("rustc is fast enough");
        assert!(is_valid, "rustc refuses the shape `{}`", shape.name);
        let Some((with, is_compiled)) = crate_.check(&kernel, LIMIT) else {
            cells.push(format!("over {}", LIMIT.as_secs()));
            break;
        };
        let refused = if is_compiled { "" } else { ", an error" };
        cells.push(format!("{:.2}{refused}", with.saturating_sub(without).as_secs_f64()));
    }
    cells.resize(LINES.len(), "-".to_owned());
    cells
}

/// A crate of its own that depends on `warpwise`.
struct Crate {
    place: PathBuf,
    is_optimized: bool,
}

impl Crate {
    fn create() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is above");
        let place = root.join("target/bench-compile-time");
        let runtime = root.join("runtime");
        fs::create_dir_all(place.join("src")).expect("the target folder is writable");
        let manifest = format!(
            "[package]\nname = \"one-kernel\"\nedition = \"2024\"\n\n\
             [dependencies]\nwarpwise = {{ path = {runtime:?} }}\n\n[workspace]\n"
        );
        fs::write(place.join("Cargo.toml"), manifest).expect("the target folder is writable");
        let lock = place.join("Cargo.lock");
        fs::copy(root.join("Cargo.lock"), lock).expect("the workspace has a lock file");
        Self { place, is_optimized: false }
    }

    /// Checks the crate with this source; the processor time that it took, and if it has no errors. `None` if it takes
    /// more than `limit`.
    fn check(&self, source: &str, limit: Duration) -> Option<(Duration, bool)> {
        let file = self.place.join("src/lib.rs");
        let text =
            format!("//! A kernel.\n#![allow(warnings)]\nuse warpwise::prelude::*;\n\n{source}");
        fs::write(file, text).expect("the target folder is writable");
        let start = (Instant::now(), children());
        // It ends rustc with cargo.
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", &limit.as_secs().to_string()]);
        command.args([env!("CARGO"), "check", "--quiet"]);
        if self.is_optimized {
            command.args(["--config", "profile.dev.build-override.opt-level=3"]);
        }
        let status = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir(&self.place)
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_TARGET_DIR", self.place.join("target"))
            .status()
            .expect("`timeout`, of coreutils, runs");
        if matches!(status.code(), None | Some(137)) {
            return None;
        }
        let took = match (start.1, children()) {
            (Some(before), Some(after)) => after - before,
            (None, _) | (_, None) => start.0.elapsed(),
        };
        Some((took, status.success()))
    }
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
