//! `cargo warpwise profile --metrics`: values of the dictionary of metrics, kernel by kernel.
use super::report::{KernelProfile, Report};
use crate::{error::CommandError, listing, pages};
use serde_json::{Map, Value, json};
use std::process::ExitCode;
use warpwise::counters::metrics::{self, Measured, Metric, Reading};

/// A metric, by the name that the user gave.
pub(super) type Named<'n> = (&'n str, &'static Metric);

/// Finds metrics by their names.
pub(super) fn find_all(names: &[String]) -> Result<Vec<Named<'_>>, CommandError> {
    let find = |name: &String| metrics::find(name).ok_or_else(|| pages::unknown_metric(name));
    names.iter().map(|name| Ok((name.trim(), find(&name.trim().to_owned())?))).collect()
}

/// Prints the metrics of each kernel of a report.
pub(super) fn print(
    report: &Report,
    metrics: &[Named<'_>],
    as_json: bool,
) -> Result<ExitCode, CommandError> {
    let render = if as_json { render_json } else { render_text };
    let text: String =
        report.kernels.iter().map(|kernel| render(report, kernel, metrics)).collect();
    listing::print_text(&text)?;
    Ok(if report.failed.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn render_text(report: &Report, kernel: &KernelProfile, metrics: &[Named<'_>]) -> String {
    let width = metrics.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let rows = read_all(report, kernel, metrics);
    let rows = rows.iter().map(|(name, reading)| format!("  {name:width$}  {reading}\n"));
    format!("kernel `{}`: {}\n{}\n", kernel.name(), kernel.shape(), rows.collect::<String>())
}

fn render_json(report: &Report, kernel: &KernelProfile, metrics: &[Named<'_>]) -> String {
    let value = |(name, reading): (&str, Reading)| (name.to_owned(), json!(reading.value));
    let values: Map<String, Value> =
        read_all(report, kernel, metrics).into_iter().map(value).collect();
    let line = json!({
        "schema": 1,
        "kind": "metrics",
        "kernel": kernel.launches.kernel,
        "generics": kernel.launches.generics,
        "launches": kernel.launches.count,
        "metrics": values,
    });
    format!("{line}\n")
}

/// Reads the metrics of a kernel.
fn read_all<'n>(
    report: &Report,
    kernel: &KernelProfile,
    metrics: &[Named<'n>],
) -> Vec<(&'n str, Reading)> {
    let occupancy = kernel.occupancy(report.multiprocessor).ok();
    let mut measured = measure(kernel);
    measured.occupancy = occupancy.as_ref();
    metrics.iter().map(|(name, metric)| (*name, metric.read(&measured))).collect()
}

/// Returns the facts about a kernel that metrics are read from, without its occupancy.
pub(super) fn measure(kernel: &KernelProfile) -> Measured<'_> {
    let launches = &kernel.launches;
    let shape = (launches.grid, launches.block);
    let mut measured =
        Measured::new(&launches.total, launches.count, shape, launches.shared_memory);
    measured.registers = kernel.registers.map(|registers| registers.number);
    measured
}
