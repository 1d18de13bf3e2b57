//! The report for people, on a terminal.
//!
//! ```text
//! kernel `chunks`: 1 launch of 1 x 1 x 1 blocks of 256 x 1 x 1 threads
//! 12376 instructions of warps, 32.0 of 32 threads active (100.0 %)
//!
//! src/main.rs:10 | sum += x[i];
//!                = global memory: expected 8192 sectors, got 65536: 8.00x
//!                = gpu_uncoalesced_accesses: a warp takes 32 sectors where 4 would do
//! ```
use super::{
    read::Launches,
    report::{Line, Profiled, Registers, Report},
};
use crate::color::Paint;
use annotate_snippets::renderer::AnsiColor;
use warpwise::counters::{Counts, text};

/// Lines of a kernel that are shown unless all are wanted.
const LINES: usize = 10;

/// The whole report.
pub(crate) fn render(report: &Report, all: bool, paint: Paint) -> String {
    let mut text = String::new();
    for kernel in &report.kernels {
        text += &section(report, kernel, all, paint);
        text += "\n";
    }
    for (kernel, reason) in &report.stopped {
        text += &format!("a launch of `{kernel}` was given up, and is not counted: {reason}\n");
    }
    text + &summary(report)
}

fn section(report: &Report, kernel: &Profiled, all: bool, paint: Paint) -> String {
    let title = format!("kernel `{}`", kernel.name());
    let mut text = format!("{}: {}\n", paint.bold(AnsiColor::BrightBlue, &title), kernel.shape());
    for line in said(kernel) {
        text += &format!("{line}\n");
    }
    text += &format!("{}\n", occupancy(report, kernel));
    let worst: Vec<&Line> = kernel.lines.iter().filter(|line| !line.excesses.is_empty()).collect();
    let shown = if all { worst.len() } else { LINES };
    for line in worst.iter().take(shown) {
        text += &explained(line, paint);
    }
    if worst.len() > shown {
        let more = worst.len() - shown;
        text += &format!("\n.. and {more} more lines that could do less: `--all` shows them\n");
    }
    text + "\n"
        + &table(&kernel.lines, &kernel.launches.total, if all { usize::MAX } else { LINES })
        + &loops(kernel)
}

/// What can be said of all lines of a kernel together, a sentence each.
pub(crate) fn said(kernel: &Profiled) -> impl Iterator<Item = String> {
    let Launches { total, active_threads, .. } = &kernel.launches;
    text::summary(total).into_iter().chain(text::spread(active_threads))
}

/// The loops, if there are some.
fn loops(kernel: &Profiled) -> String {
    let loops = kernel.launches.loops.iter();
    let table = text::loops(loops.map(|of| (format!("{}:{}", of.file, of.line), &of.trips)));
    if table.is_empty() { table } else { format!("\n{table}") }
}

/// A line, with what it does too often and why.
fn explained(line: &Line, paint: Paint) -> String {
    let spot = format!("{}:{}", line.file, line.number);
    let indent = " ".repeat(spot.chars().count());
    let mut text = format!("\n{} | {}\n", paint.bold(AnsiColor::BrightCyan, &spot), line.source);
    for excess in &line.excesses {
        let fact = excess.text(line.counts.branches);
        text += &format!("{indent} = {}\n", paint.bold(AnsiColor::Yellow, &fact));
        text += &format!("{indent} = {}: {}\n", excess.why.lint, excess.why.reason);
    }
    text
}

/// How many blocks run at the same time, and what limits it.
pub(crate) fn occupancy(report: &Report, kernel: &Profiled) -> String {
    let target = report.multiprocessor.target;
    let found = match kernel.occupancy(report.multiprocessor) {
        Ok(found) => found,
        Err(refused) => return format!("occupancy on {target}: no block runs: {refused}"),
    };
    let (most, said) = match kernel.registers {
        None => {
            ("at most ", "; registers are not known (`--registers N`, or install `ptxas`)".into())
        }
        Some(Registers { number, assembled: true }) => {
            ("", format!("; ptxas gives it {number} registers"))
        }
        Some(Registers { number, assembled: false }) => {
            ("", format!("; {number} registers, as given"))
        }
    };
    let blocks = if found.blocks == 1 { "block" } else { "blocks" };
    format!(
        "occupancy on {target}: {most}{} of {} warps of a multiprocessor ({:.1} %), in {} {blocks}, limited by {}{said}",
        found.warps,
        found.most_warps,
        100.0 * found.ratio(),
        found.blocks,
        found.limited_by(),
    )
}

/// Lines with their numbers, at most so many.
fn table(lines: &[Line], total: &Counts, most: usize) -> String {
    let shown = lines.iter().take(most);
    let shown = shown.map(|line| (format!("{}:{}", line.file, line.number), &line.counts));
    let mut text = text::table(shown, total);
    if lines.len() > most {
        text += &format!(".. and {} more lines: `--all` shows them\n", lines.len() - most);
    }
    text
}

fn summary(report: &Report) -> String {
    let launches: u64 = report.kernels.iter().map(|kernel| kernel.launches.count).sum();
    let one = if launches == 1 { "launch" } else { "launches" };
    let mut text = format!("warpwise: {launches} {one} counted");
    if report.on_gpu != 0 {
        text += &format!(", {} on a GPU not counted", report.on_gpu);
    }
    if !report.stopped.is_empty() {
        text += &format!(", {} given up", report.stopped.len());
    }
    if let Some(status) = &report.failed {
        text += &format!("; then the program failed ({status})");
    }
    text + "\n"
}
