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
use super::report::{Line, Profiled, Registers, Report, times};
use crate::color::Paint;
use annotate_snippets::renderer::AnsiColor;
use warpwise::counters::Counts;

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
    for line in totals(&kernel.launches.total) {
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

/// What can be said of all lines together.
pub(crate) fn totals(total: &Counts) -> Vec<String> {
    let percent = 100.0 * total.warp_execution_efficiency().unwrap_or(1.0);
    let threads = total.active_threads().unwrap_or(0.0);
    let mut lines = vec![format!(
        "{} instructions of warps, {threads:.1} of 32 threads active ({percent:.1} %)",
        total.warp_instructions
    )];
    let Counts { branches, divergent_branches, barriers, atomics, floats, .. } = *total;
    if branches != 0 {
        let percent = 100.0 * total.branch_efficiency();
        lines.push(format!(
            "{branches} branches, {divergent_branches} divergent ({percent:.1} % are not)"
        ));
    }
    let (global, shared) = (total.global(), total.shared());
    if global.requests != 0 {
        let (expected, got) = (global.ideal, global.sectors);
        lines.push(format!(
            "global memory: {} requests, expected {expected} sectors, got {got}: {}",
            global.requests,
            times(got, expected)
        ));
    }
    if shared.requests != 0 {
        let (expected, got) = (shared.ideal, shared.wavefronts);
        lines.push(format!(
            "shared memory: {} requests, expected {expected} wavefronts, got {got}: {}",
            shared.requests,
            times(got, expected)
        ));
    }
    if barriers != 0 {
        lines.push(format!("{barriers} barriers of warps"));
    }
    if atomics != 0 {
        lines.push(format!("{atomics} atomic updates of threads"));
    }
    if floats.all() != 0 && global.sectors != 0 {
        #[expect(clippy::cast_precision_loss, reason = "for people to read")]
        let each = floats.all() as f64 / (32 * global.sectors) as f64;
        lines.push(format!(
            "{} operations on floats, {each:.2} for each byte of the sectors",
            floats.all()
        ));
    }
    lines
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

/// Columns of the table: what they are called, and what stands there.
type Column = (&'static str, fn(&Counts) -> String);

const INSTRUCTIONS: [Column; 2] = [
    ("instructions", |counts| counts.warp_instructions.to_string()),
    ("threads", |counts| counts.active_threads().map_or(String::new(), |all| format!("{all:.1}"))),
];
const BRANCHES: [Column; 2] = [
    ("branches", |counts| counts.branches.to_string()),
    ("divergent", |counts| counts.divergent_branches.to_string()),
];
const SECTORS: [Column; 3] = [
    ("expected", |counts| counts.global().ideal.to_string()),
    ("sectors", |counts| counts.global().sectors.to_string()),
    ("", |counts| too_many(counts.global().sectors, counts.global().ideal)),
];
const WAVEFRONTS: [Column; 3] = [
    ("expected", |counts| counts.shared().ideal.to_string()),
    ("wavefronts", |counts| counts.shared().wavefronts.to_string()),
    ("", |counts| too_many(counts.shared().wavefronts, counts.shared().ideal)),
];

fn too_many(got: u64, expected: u64) -> String {
    if got > expected { times(got, expected) } else { String::new() }
}

/// Lines with their numbers; what is zero is left out.
fn table(lines: &[Line], total: &Counts, most: usize) -> String {
    let mut columns = INSTRUCTIONS.to_vec();
    if total.branches != 0 {
        columns.extend(BRANCHES);
    }
    if total.global().requests != 0 {
        columns.extend(SECTORS);
    }
    if total.shared().requests != 0 {
        columns.extend(WAVEFRONTS);
    }
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(columns.iter().map(|(name, _)| (*name).to_owned()));
    for line in lines.iter().take(most) {
        let mut row = vec![format!("{}:{}", line.file, line.number)];
        let cells = columns.iter().map(|(_, cell)| cell(&line.counts));
        row.extend(cells.map(|cell| if cell == "0" { String::new() } else { cell }));
        rows.push(row);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..=columns.len()).map(|at| width(at).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        text += &format!("{}\n", line.trim_end());
    }
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
