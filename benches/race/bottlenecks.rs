//! `race bottlenecks`: the resource that bounds each launch by the time model, beside the one that
//! Nsight Compute measures.
//!
//! `DIR/ncu.csv` is what `ncu --csv --page raw` prints of `race launch DIR`, with the sections
//! `SpeedOfLight` and `WarpStateStats`. The rule:
//!
//! 1. The use of a resource is the highest of its metrics in percent of the peak ([`UNITS`]).
//! 2. The resource of the highest use bounds the launch if that is at least [`MIN_USE`].
//! 3. Otherwise the most frequent reason of stalled warps decides: that of a full queue names the
//!    memory pipe, that of a busy pipe the pipe of the highest use, and any other one latency.
//! 4. What is used at least [`TIE`] times as much as the highest is a bottleneck, too; so is a
//!    resource of the model that takes at least [`TIE`] times as long as the longest one.
//!
//! Model and hardware agree if they name a common bottleneck, and agree strictly if the first ones
//! are the same.
use crate::{Result, benchmark::Benchmark, counts::CountedLaunch};
use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
};
use warpwise_compiler::hardware::{
    gpu::Gpu,
    time::{BoundBy, Pipe, predict},
};

/// The least use, in percent, of a resource that bounds a launch.
const MIN_USE: f64 = 60.0;

/// The share of the highest use, or of the longest time, from which on two are as good as equal.
const TIE: f64 = 0.9;

/// The metric of a use.
const USE: &str = ".avg.pct_of_peak_sustained_elapsed";

/// The metrics of stalled warps, around the reason.
const STALL: (&str, &str) = ("smsp__average_warps_issue_stalled_", "_per_issue_active.ratio");

/// The beginnings of the metrics of each resource; the first that fits counts. Multiply-adds of
/// integers execute on the heavy half of the pipe for floats.
const UNITS: &[(&str, BoundBy)] = &[
    ("dram__", BoundBy::Memory),
    ("fbpa__", BoundBy::Memory),
    ("lts__d_atomic_input_cycles_active", BoundBy::Atomics),
    ("lts__", BoundBy::L2),
    ("l1tex__m_", BoundBy::L2),
    ("l1tex__", BoundBy::Pipe(Pipe::Memory)),
    ("idc__", BoundBy::Pipe(Pipe::Memory)),
    ("sm__mio", BoundBy::Pipe(Pipe::Memory)),
    ("sm__inst_executed_pipe_lsu", BoundBy::Pipe(Pipe::Memory)),
    ("sm__inst_executed_pipe_tex", BoundBy::Pipe(Pipe::Memory)),
    ("sm__inst_executed_pipe_xu", BoundBy::Pipe(Pipe::Special)),
    ("sm__inst_executed_pipe_fp64", BoundBy::Pipe(Pipe::Double)),
    ("sm__pipe_fp64", BoundBy::Pipe(Pipe::Double)),
    ("sm__inst_executed_pipe_tensor", BoundBy::Pipe(Pipe::Tensor)),
    ("sm__pipe_tensor", BoundBy::Pipe(Pipe::Tensor)),
    ("sm__inst_executed_pipe_adu", BoundBy::Pipe(Pipe::Control)),
    ("sm__inst_executed_pipe_cbu", BoundBy::Pipe(Pipe::Control)),
    ("sm__pipe_alu", BoundBy::Pipe(Pipe::Integer)),
    ("sm__inst_executed_pipe_alu", BoundBy::Pipe(Pipe::Integer)),
    ("sm__pipe_fmaheavy", BoundBy::Pipe(Pipe::Integer)),
    ("sm__pipe_fma", BoundBy::Pipe(Pipe::Single)),
    ("sm__inst_executed.", BoundBy::Issue),
    ("sm__inst_issued.", BoundBy::Issue),
    ("sm__issue_active.", BoundBy::Issue),
];

/// The measurements of a launch, by the names of metrics.
type Metrics = BTreeMap<String, f64>;

/// What bounds a launch on hardware.
struct Measured {
    /// The bottlenecks, the first one first.
    bottlenecks: Vec<BoundBy>,
    /// The highest use, in percent, and its resource.
    highest: (BoundBy, f64),
    /// The most frequent reason of stalled warps.
    stall: String,
}

/// Compares every launch that `counts` counted and the profiler measured, and prints a Markdown
/// table.
///
/// # Errors
/// Fails if counts or measurements are missing.
pub(crate) fn print(folder: &Path, benchmarks: &[&Benchmark], gpu: &Gpu) -> Result<()> {
    let file = folder.join("ncu.csv");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let launches = read_launches(&text);
    println!(
        "| {:20} | {:24} | {:24} | {:>5} | {:18} | {:8} |",
        "kernel", "model", "hardware", "use", "stall", "agree"
    );
    println!("|{0:-<22}|{0:-<26}|{0:-<26}|{0:->6}:|{0:-<20}|{0:-<10}|", "");
    let (mut all, mut strict, mut agreed) = (0, 0, 0);
    for benchmark in benchmarks {
        let Some(metrics) = launches.get(benchmark.name) else {
            println!("| {:20} | not measured", benchmark.name);
            continue;
        };
        let CountedLaunch { work, grid } = CountedLaunch::read(folder, benchmark)?;
        let predicted = bottlenecks_of_model(&predict(&work, grid, gpu)?.resources);
        let Some(measured) = Measured::of(metrics) else {
            return Err(format!("`{}`: no metric of a resource", benchmark.name).into());
        };
        let is_strict = predicted.first() == measured.bottlenecks.first();
        let is_common = predicted.iter().any(|bound_by| measured.bottlenecks.contains(bound_by));
        all += 1;
        strict += usize::from(is_strict);
        agreed += usize::from(is_common);
        println!(
            "| {:20} | {:24} | {:24} | {:>5.0} | {:18} | {:8} |",
            benchmark.name,
            spell(&predicted),
            spell(&measured.bottlenecks),
            measured.highest.1,
            measured.stall,
            if is_strict {
                "strictly"
            } else if is_common {
                "yes"
            } else {
                "no"
            },
        );
    }
    println!("\n{agreed} of {all} agree, {strict} of them strictly");
    Ok(())
}

fn spell(bottlenecks: &[BoundBy]) -> String {
    bottlenecks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns the resources that take about as long as the longest one. A profiler measures launches
/// without their overhead.
fn bottlenecks_of_model(resources: &[(BoundBy, f64)]) -> Vec<BoundBy> {
    let without_launch = resources.iter().filter(|(bound_by, _)| *bound_by != BoundBy::Launch);
    about_the_highest(without_launch.copied())
}

/// Returns the resources whose number is about the highest one, in descending order.
fn about_the_highest(resources: impl Iterator<Item = (BoundBy, f64)>) -> Vec<BoundBy> {
    let mut resources: Vec<_> = resources.collect();
    resources.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let highest = resources.first().map_or(0.0, |(_, highest)| *highest);
    resources.retain(|(_, number)| *number >= TIE * highest);
    resources.into_iter().map(|(bound_by, _)| bound_by).collect()
}

impl Measured {
    /// Returns the bottlenecks of a launch; `None` without a metric of a resource or of stalls.
    fn of(metrics: &Metrics) -> Option<Self> {
        let mut uses: Vec<(BoundBy, f64)> = Vec::new();
        for (name, value) in metrics {
            let Some(bound_by) = resource_of(name) else { continue };
            match uses.iter_mut().find(|(known, _)| *known == bound_by) {
                Some((_, highest)) => *highest = highest.max(*value),
                None => uses.push((bound_by, *value)),
            }
        }
        let highest = uses.iter().copied().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let stall = most_frequent_stall(metrics)?;
        let is_pipe = |bound_by: &BoundBy| matches!(bound_by, BoundBy::Pipe(_) | BoundBy::Issue);
        let bottlenecks = match &*stall {
            _ if highest.1 >= MIN_USE => about_the_highest(uses.into_iter()),
            "lg_throttle" | "mio_throttle" | "tex_throttle" => vec![BoundBy::Pipe(Pipe::Memory)],
            "math_pipe_throttle" => {
                about_the_highest(uses.into_iter().filter(|(bound_by, _)| is_pipe(bound_by)))
            }
            _ => vec![BoundBy::Latency],
        };
        Some(Self { bottlenecks, highest, stall })
    }
}

/// Returns the resource whose use a metric measures.
fn resource_of(metric: &str) -> Option<BoundBy> {
    let name = metric.strip_suffix(USE)?;
    // The highest of several resources.
    if name.ends_with("throughput") {
        return None;
    }
    UNITS.iter().find(|(start, _)| metric.starts_with(start)).map(|(_, bound_by)| *bound_by)
}

/// Returns the reason that stalls most warps; `selected` warps are not stalled, and those that are
/// `not_selected` could issue.
fn most_frequent_stall(metrics: &Metrics) -> Option<String> {
    let reasons = metrics.iter().filter_map(|(name, value)| {
        let reason = name.strip_prefix(STALL.0)?.strip_suffix(STALL.1)?;
        (!matches!(reason, "selected" | "not_selected")).then_some((reason, *value))
    });
    let most = reasons.max_by(|(_, a), (_, b)| a.total_cmp(b));
    most.map(|(reason, _)| reason.to_owned())
}

/// Reads the metrics of each kernel's last launch from rows below a row with their names, in
/// quotes. Other lines are messages.
fn read_launches(text: &str) -> HashMap<String, Metrics> {
    let (mut launches, mut names) = (HashMap::new(), Vec::new());
    for line in text.lines().filter(|line| line.starts_with('"')) {
        let fields: Vec<&str> = line.trim().trim_matches('"').split("\",\"").collect();
        if fields.first() == Some(&"ID") {
            names = fields;
            continue;
        }
        let mut row = names.iter().zip(&fields);
        let Some((_, kernel)) = row.clone().find(|(name, _)| **name == "Kernel Name") else {
            continue;
        };
        // Below the names is a row of units, which has no kernel.
        if kernel.is_empty() {
            continue;
        }
        let number = |(name, field): (&&str, &&str)| {
            Some(((*name).to_owned(), field.replace(',', "").parse().ok()?))
        };
        launches.insert((*kernel).to_owned(), row.by_ref().filter_map(number).collect());
    }
    launches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(dram: &str, alu: &str, stall: &str) -> Vec<BoundBy> {
        let text = format!(
            "==PROF== Profiling\n\
             \"ID\",\"Kernel Name\",\"dram__cycles_active{USE}\",\"sm__pipe_alu_cycles_active{USE}\",\"{}{stall}{}\"\n\
             \"\",\"\",\"%\",\"%\",\"inst\"\n\
             \"0\",\"copy\",\"{dram}\",\"{alu}\",\"1,234.5\"\n",
            STALL.0, STALL.1
        );
        let launches = read_launches(&text);
        Measured::of(&launches["copy"]).map_or_else(Vec::new, |measured| measured.bottlenecks)
    }

    #[test]
    fn the_highest_use_bounds_a_launch() {
        assert_eq!(measured("92.5", "10", "long_scoreboard"), [BoundBy::Memory]);
        let integer = BoundBy::Pipe(Pipe::Integer);
        assert_eq!(measured("70", "72", "wait"), [integer, BoundBy::Memory]);
    }

    #[test]
    fn stalls_decide_where_nothing_is_used_much() {
        assert_eq!(measured("40", "30", "long_scoreboard"), [BoundBy::Latency]);
        assert_eq!(measured("40", "30", "mio_throttle"), [BoundBy::Pipe(Pipe::Memory)]);
        let integer = BoundBy::Pipe(Pipe::Integer);
        assert_eq!(measured("40", "30", "math_pipe_throttle"), [integer]);
    }
}
