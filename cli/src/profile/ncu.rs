//! Nsight Compute: runs the program under `ncu` and reads its numbers of each kernel.
//!
//! The metrics are those of the dictionary (`docs/metrics.md`) that `ncu` measures in few passes.
//! `ncu --csv --page raw` prints a row for each launch, below a row of names and one of units.
use super::{
    metrics::measure,
    report::{KernelProfile, Report},
    verdict::format_time,
};
use crate::{error::CommandError, tools};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use warpwise::counters::metrics::{self, Metric, Reading, Unit};

/// Package with `ncu`.
const PACKAGE: &str = "nvidia-nsight-compute";

/// Metric of a launch's time.
pub(crate) const TIME: &str = "gpu__time_duration.sum";

/// Metrics that `ncu` is asked for, by its names, in the order of the table.
pub(crate) const METRICS: &[&str] = &[
    TIME,
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    "smsp__sass_branch_targets.sum",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "smsp__sass_thread_inst_executed_ops_hadd_hmul_hfma_pred_on.sum",
    "smsp__sass_thread_inst_executed_ops_fadd_fmul_ffma_pred_on.sum",
    "smsp__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum",
    "launch__registers_per_thread",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
];

/// Launch that `ncu` measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NcuLaunch {
    kernel: String,
    grid: Option<[u32; 3]>,
    block: Option<[u32; 3]>,
    /// Values in events, bytes, percent and seconds.
    values: BTreeMap<&'static str, f64>,
}

/// Value of a metric in Nsight Compute beside the one that was counted.
pub(crate) struct MetricPair {
    pub(crate) metric: &'static Metric,
    /// Name in Nsight Compute.
    pub(crate) name: &'static str,
    pub(crate) counted: Reading,
    pub(crate) measured: Reading,
}

impl MetricPair {
    /// Formats its name in the dictionary, the counted and the measured value.
    pub(crate) fn cells(&self) -> [String; 3] {
        let text = |reading: &Reading| match (reading.value, reading.unit) {
            (Some(seconds), Unit::Seconds) => format_time(seconds),
            (Some(_), _) => Reading { note: None, ..*reading }.to_string(),
            (None, _) => String::new(),
        };
        let name = self.metric.names.first().copied().unwrap_or(self.name);
        [name.to_owned(), text(&self.counted), text(&self.measured)]
    }
}

/// Finds `ncu`.
pub(crate) fn find() -> Result<PathBuf, CommandError> {
    tools::find_program("ncu").ok_or_else(|| {
        CommandError::new("there is no `ncu` here").with_help(format!(
            "Nsight Compute has it, which is part of CUDA toolkits and of NVIDIA's package \
             `{PACKAGE}`; it is looked for on the PATH, in $CUDA_HOME/bin, and where $NCU says"
        ))
    })
}

/// Returns the options of `ncu` before the program, with its report in `log`.
pub(crate) fn options(log: &Path) -> Vec<String> {
    let metrics = METRICS.join(",");
    let log = log.display().to_string();
    let words = ["--csv", "--page", "raw", "--print-units", "base", "--target-processes", "all"];
    let words = words.into_iter().map(str::to_owned);
    words.chain(["--log-file".to_owned(), log, "--metrics".to_owned(), metrics]).collect()
}

/// Reads the report of `ncu`.
pub(crate) fn read_log(log: &Path) -> Result<Vec<NcuLaunch>, CommandError> {
    let text = fs::read_to_string(log).map_err(|error| {
        CommandError::new(format!("cannot read the report of ncu, {}: {error}", log.display()))
    })?;
    let launches = parse(&text);
    if !launches.is_empty() {
        return Ok(launches);
    }
    let messages = text.lines().filter(|line| line.starts_with("==")).take(4);
    let messages: Vec<&str> = messages.collect();
    Err(CommandError::new(
        format!("ncu measured no kernel\n{}", messages.join("\n")).trim_end().to_owned(),
    )
    .with_help(
        "`ERR_NVGPUCTRPERM` means that the driver lets only administrators count: \
             https://developer.nvidia.com/ERR_NVGPUCTRPERM",
    ))
}

/// Parses CSV with `==PROF==` lines before it.
fn parse(text: &str) -> Vec<NcuLaunch> {
    let mut rows = text.lines().filter(|line| line.starts_with('"')).map(parse_row);
    let (Some(names), Some(units)) = (rows.next(), rows.next()) else { return Vec::new() };
    let column = |name: &str| names.iter().position(|known| known == name);
    let [kernel, grid, block] = ["Kernel Name", "Grid Size", "Block Size"].map(column);
    let columns: Vec<(&str, usize)> =
        METRICS.iter().filter_map(|name| Some((*name, column(name)?))).collect();
    let launches = rows.filter_map(|row| {
        let cell = |column: Option<usize>| row.get(column?).map(String::as_str);
        let value = |&(name, column): &(&'static str, usize)| {
            let unit = units.get(column).map_or("", String::as_str);
            let value = row.get(column)?.replace(',', "").parse::<f64>().ok()?;
            Some((name, value * unit_factor(unit)))
        };
        Some(NcuLaunch {
            kernel: base_name(cell(kernel)?).to_owned(),
            grid: cell(grid).and_then(parse_size),
            block: cell(block).and_then(parse_size),
            values: columns.iter().filter_map(value).collect(),
        })
    });
    launches.collect()
}

/// Parses a row of quoted cells.
fn parse_row(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
    }
    cells.push(cell);
    cells
}

/// Returns the seconds of a unit of time, or 1 for units that metrics have.
fn unit_factor(unit: &str) -> f64 {
    match unit {
        "ns" | "nsecond" => 1e-9,
        "us" | "usecond" => 1e-6,
        "ms" | "msecond" => 1e-3,
        "Kbyte" => 1e3,
        "Mbyte" => 1e6,
        "Gbyte" => 1e9,
        _ => 1.0,
    }
}

/// Parses `(16, 1, 1)` or `16, 1, 1`.
fn parse_size(text: &str) -> Option<[u32; 3]> {
    let numbers: Vec<u32> = text
        .trim_matches(['(', ')', ' '])
        .split(',')
        .map(|number| number.trim().parse().ok())
        .collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// Returns the name of a kernel without the parameters that `ncu` may show.
fn base_name(name: &str) -> &str {
    name.split('(').next().unwrap_or(name).trim()
}

impl KernelProfile {
    /// Adds what `ncu` measured of the kernel. Launches of its grid and block are taken, or, since
    /// a GPU runs large launches with fewer blocks, launches of its block.
    pub(crate) fn add_ncu(&mut self, launches: &[NcuLaunch]) {
        let named = || launches.iter().filter(|launch| launch.kernel == self.launches.kernel);
        let (grid, block) = (Some(self.launches.grid), Some(self.launches.block));
        let mut found: Vec<&NcuLaunch> =
            named().filter(|launch| launch.grid == grid && launch.block == block).collect();
        if found.is_empty() {
            found = named().filter(|launch| launch.block == block).collect();
        }
        self.ncu = found.into_iter().cloned().collect();
    }

    /// Returns the metrics that `ncu` measured beside the counted ones.
    pub(crate) fn metric_pairs(&self, report: &Report) -> Vec<MetricPair> {
        let measured = measure(self);
        let pairs = METRICS.iter().filter_map(|name| {
            let metric = metrics::find(name)?;
            let value = self.ncu_value(name)?;
            let mut counted = metric.read(&measured);
            // A time is that of one launch.
            if counted.unit == Unit::Seconds {
                counted.value = report.predicted_seconds(self);
                counted.note = counted.value.is_some().then_some("predicted");
            }
            let measured = Reading { unit: counted.unit, value: Some(value), note: None };
            Some(MetricPair { metric, name, counted, measured })
        });
        pairs.collect()
    }

    /// Returns the value of a metric: the sum over all counted launches of events and bytes, and
    /// the average of everything else.
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    pub(crate) fn ncu_value(&self, name: &str) -> Option<f64> {
        let values: Vec<f64> =
            self.ncu.iter().filter_map(|launch| launch.values.get(name).copied()).collect();
        if values.is_empty() {
            return None;
        }
        let average = values.iter().sum::<f64>() / values.len() as f64;
        let is_sum = matches!(metrics::find(name)?.unit, Unit::Count | Unit::Bytes)
            && name.ends_with(".sum");
        Some(if is_sum { average * self.launches.count as f64 } else { average })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_in_the_dictionary_and_documented() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/profiler.md");
        let page = fs::read_to_string(path).unwrap();
        for name in METRICS {
            assert!(metrics::find(name).is_some(), "{name}");
            assert!(page.contains(&format!("`{name}`")), "docs/profiler.md lacks {name}");
        }
    }

    #[test]
    fn reports_of_ncu_are_read() {
        let text = "==PROF== Connected to process 7\n==PROF== Profiling \"chunks\": 1 pass\n\
            \"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"gpu__time_duration.sum\",\"smsp__inst_executed.sum\"\n\
            \"\",\"\",\"\",\"\",\"\",\"nsecond\",\"inst\"\n\
            \"0\",\"7\",\"chunks(float, \"\"x\"\")\",\"(256, 1, 1)\",\"(2, 1, 1)\",\"4,160\",\"1234\"\n";
        let expected = NcuLaunch {
            kernel: "chunks".into(),
            grid: Some([2, 1, 1]),
            block: Some([256, 1, 1]),
            values: BTreeMap::from([(TIME, 4160.0 * 1e-9), ("smsp__inst_executed.sum", 1234.0)]),
        };
        assert_eq!(parse(text), [expected]);
        assert_eq!(parse("==ERROR== ERR_NVGPUCTRPERM\n"), []);
    }
}
