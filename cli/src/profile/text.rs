//! The report as text for the terminal.
use super::{
    ncu::MetricPair,
    read::LaunchGroup,
    report::{KernelProfile, LineProfile, Registers, Report},
    verdict,
};
use crate::{color::Paint, sass::ThreadResources};
use annotate_snippets::renderer::AnsiColor;
use warpwise::counters::{Counts, text};
use warpwise_compiler::diag::Diagnostic;

/// Limit on the lines of a kernel that are shown without `--all`.
const MAX_SHOWN_LINES: usize = 10;

/// Renders the whole report.
pub(crate) fn render(report: &Report, all: bool, paint: Paint) -> String {
    let mut text =
        report.comparison.as_ref().map_or_else(String::new, |found| found.to_text(all, paint));
    for kernel in &report.kernels {
        text += &render_kernel(report, kernel, all, paint);
        text += "\n";
    }
    for (kernel, reason) in &report.stopped {
        text += &format!("a launch of `{kernel}` was given up, and is not counted: {reason}\n");
    }
    text + &render_summary(report)
}

fn render_kernel(report: &Report, kernel: &KernelProfile, all: bool, paint: Paint) -> String {
    let title = format!("kernel `{}`", kernel.name());
    let mut text = format!("{}: {}\n", paint.bold(AnsiColor::BrightBlue, &title), kernel.shape());
    for line in describe_launch(report, kernel) {
        text += &format!("{line}\n");
    }
    for line in kernel_facts(kernel) {
        text += &format!("{line}\n");
    }
    text += &format!("{}\n", describe_occupancy(report, kernel));
    let worst: Vec<&LineProfile> =
        kernel.lines.iter().filter(|line| !line.excesses.is_empty()).collect();
    let shown = if all { worst.len() } else { MAX_SHOWN_LINES };
    for line in worst.iter().take(shown) {
        text += &render_line(line, paint);
    }
    if worst.len() > shown {
        let more = worst.len() - shown;
        text += &format!("\n.. and {more} more lines that could do less: `--all` shows them\n");
    }
    text + "\n"
        + &render_table(
            &kernel.lines,
            &kernel.launches.total,
            if all { usize::MAX } else { MAX_SHOWN_LINES },
        )
        + &render_loops(kernel)
        + &render_ncu(report, kernel)
}

/// Returns the verdict on a kernel, and the findings about the size of its launch.
pub(crate) fn describe_launch(report: &Report, kernel: &KernelProfile) -> Vec<String> {
    let mut lines: Vec<String> = describe_measured(report, kernel).into_iter().collect();
    lines.extend(report.gpu.iter().flat_map(|gpu| verdict::describe(kernel, gpu)));
    for Diagnostic { code, message, help, .. } in &kernel.launch_lints {
        lines.push(format!("{code}: {message}"));
        lines.extend(help.iter().map(|help| format!("= help: {help}")));
    }
    lines
}

/// Describes the measured time of a launch, beside the predicted one.
fn describe_measured(report: &Report, kernel: &KernelProfile) -> Option<String> {
    let seconds = kernel.measured_seconds()?;
    let by = if kernel.ncu.is_empty() { "the GPU's events" } else { "Nsight Compute" };
    let predicted = report.predicted_seconds(kernel).map(|predicted| {
        format!(
            "; the prediction is {:.2} times as long",
            predicted / seconds.max(f64::MIN_POSITIVE)
        )
    });
    Some(format!(
        "measured by {by}: {} a launch{}",
        verdict::format_time(seconds),
        predicted.unwrap_or_default()
    ))
}

/// Renders Nsight Compute's numbers beside the counted ones, if there are any.
fn render_ncu(report: &Report, kernel: &KernelProfile) -> String {
    let pairs = kernel.metric_pairs(report);
    if pairs.is_empty() {
        return String::new();
    }
    let mut rows = vec![["metric".to_owned(), "here".to_owned(), "Nsight Compute".to_owned()]];
    rows.extend(pairs.iter().map(MetricPair::cells));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let [name_width, here_width, ncu_width] = [0, 1, 2].map(|column| width(column).unwrap_or(0));
    let lines = rows.iter().map(|[name, here, measured]| {
        format!("{name:<name_width$}  {here:>here_width$}  {measured:>ncu_width$}\n")
    });
    format!("\n{}", lines.collect::<String>())
}

/// Returns statements on all lines of a kernel together.
pub(crate) fn kernel_facts(kernel: &KernelProfile) -> impl Iterator<Item = String> {
    let LaunchGroup { total, active_threads, .. } = &kernel.launches;
    text::summary(total).into_iter().chain(text::spread(active_threads))
}

/// Renders the loops, if there are any.
fn render_loops(kernel: &KernelProfile) -> String {
    let loops = kernel.launches.loops.iter();
    let table = text::loops(
        loops.map(|counts| (format!("{}:{}", counts.file, counts.line), &counts.trips)),
    );
    if table.is_empty() { table } else { format!("\n{table}") }
}

/// Renders a line with its excess work and the explanations.
fn render_line(line: &LineProfile, paint: Paint) -> String {
    let spot = format!("{}:{}", line.file, line.number);
    let indent = " ".repeat(spot.chars().count());
    let mut text = format!("\n{} | {}\n", paint.bold(AnsiColor::BrightCyan, &spot), line.source);
    for excess in &line.excesses {
        let fact = excess.to_text(line.counts.branches);
        text += &format!("{indent} = {}\n", paint.bold(AnsiColor::Yellow, &fact));
        text += &format!("{indent} = {}: {}\n", excess.explanation.lint, excess.explanation.reason);
    }
    text
}

/// Describes the occupancy, and its limiters.
pub(crate) fn describe_occupancy(report: &Report, kernel: &KernelProfile) -> String {
    let target = if report.multiprocessor.is_supported() {
        report.multiprocessor.target.to_string()
    } else {
        format!("{} (too old for kernels)", report.multiprocessor.target)
    };
    let found = match kernel.occupancy(report.multiprocessor) {
        Ok(found) => found,
        Err(refused) => return format!("occupancy on {target}: no block runs: {refused}"),
    };
    let (most, said) = match kernel.registers {
        None => {
            ("at most ", "; registers are not known (`--registers N`, or install `ptxas`)".into())
        }
        Some(Registers { assembled: Some(found), .. }) => ("", describe_resources(found)),
        Some(Registers { number, assembled: None }) => {
            ("", format!("; {number} registers, as given"))
        }
    };
    let blocks = if found.blocks == 1 { "block" } else { "blocks" };
    format!(
        "occupancy on {target}, of a multiprocessor with enough blocks: {most}{} of {} warps ({:.1} %), in {} {blocks}, limited by {}{said}",
        found.warps,
        found.most_warps,
        100.0 * found.ratio(),
        found.blocks,
        found.limited_by(),
    )
}

/// Describes the registers and the memory that `ptxas` gives a thread.
fn describe_resources(found: ThreadResources) -> String {
    let ThreadResources { registers, stack, spill_stores, spill_loads, constant } = found;
    let mut text = format!("; ptxas gives it {registers} registers");
    if stack != 0 {
        text += &format!(", a stack of {stack} bytes");
    }
    if spill_stores != 0 || spill_loads != 0 {
        text += &format!(", spills {spill_stores} bytes and reloads {spill_loads}");
    }
    text + &format!(", and {constant} bytes of constant memory")
}

/// Renders a table of at most `most` lines.
fn render_table(lines: &[LineProfile], total: &Counts, most: usize) -> String {
    let shown = lines.iter().take(most);
    let shown = shown.map(|line| (format!("{}:{}", line.file, line.number), &line.counts));
    let mut text = text::table(shown, total);
    if lines.len() > most {
        text += &format!(".. and {} more lines: `--all` shows them\n", lines.len() - most);
    }
    text
}

fn render_summary(report: &Report) -> String {
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
