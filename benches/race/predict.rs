//! `race predict`: predictions of the time model beside measured times.
//!
//! Half of the first [`SEEN`] kernels, those with an even number in the table of the race, and the
//! one that gives the rate of atomic updates calibrate the model; the errors of the others are
//! reported separately.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    compile::OwnLaunches,
    counts::CountedLaunch,
    device_problem::{DeviceProblem, LoadedKernel},
    driver::Driver,
    kernels,
    variants::GROUPS,
};
use std::{collections::HashMap, fs, path::Path};
use warpwise_benches::Scale;
use warpwise_compiler::hardware::{
    gpu::Gpu,
    time::{Prediction, predict},
};

/// The file with times that another machine measured: a name and microseconds per line.
const TIMES: &str = "times.txt";

/// The kernel that gives the rate of atomic updates.
const ATOMICS: &str = "global_histogram";

/// The number of kernels whose times were in view when the model was made.
const SEEN: usize = 59;
/// The number of kernels whose times were in view when its rules changed last. The later ones test
/// it blindly.
const LATER: usize = 83;

/// The part of a kernel in the making of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// It calibrates the model.
    Fitted,
    /// Its time was in view.
    Seen,
    /// Its time was in view when later rules came.
    Later,
    /// It was added after them.
    Blind,
    /// It is a variant, of which the order matters.
    Variant,
}

impl Set {
    fn of(benchmark: &Benchmark) -> Self {
        match kernels::position(benchmark.name) {
            None => Self::Variant,
            Some(at) if at >= LATER => Self::Blind,
            Some(at) if at >= SEEN => Self::Later,
            Some(at) if at.is_multiple_of(2) || benchmark.name == ATOMICS => Self::Fitted,
            Some(_) => Self::Seen,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Fitted => "fit",
            Self::Seen => "",
            Self::Later => "later",
            Self::Blind => "blind",
            Self::Variant => "variant",
        }
    }
}

/// A row of the table.
struct Row {
    name: &'static str,
    prediction: Prediction,
    measured: Option<f64>,
    set: Set,
}

impl Row {
    /// Returns the predicted time divided by the measured one.
    fn ratio(&self) -> Option<f64> {
        Some(self.prediction.seconds * 1e6 / self.measured?)
    }
}

/// Predicts every launch that `counts` counted, measures it if there is a GPU, and prints the
/// Markdown table of both. Without a GPU, measured times are those in the folder's `times.txt`, if
/// there is one; with a GPU, they are written there.
///
/// # Errors
/// Fails if counts are missing, or a GPU refuses a launch.
pub(crate) fn run(folder: &Path, benchmarks: &[&Benchmark], scale: Scale, gpu: &Gpu) -> Result<()> {
    let times = match Driver::open() {
        Ok(driver) => {
            println!("{}, driver for CUDA {}", driver.name, driver.version);
            let times = measure(&driver, folder, benchmarks, scale)?;
            let lines = times.iter().map(|(name, time)| format!("{name} {time}\n"));
            fs::write(folder.join(TIMES), lines.collect::<String>())?;
            times
        }
        Err(error) => {
            println!("no GPU ({error}); times of {TIMES}");
            read_times(&folder.join(TIMES))
        }
    };
    let mut rows = Vec::new();
    for benchmark in benchmarks {
        let CountedLaunch { work, grid } = CountedLaunch::read(folder, benchmark)?;
        let prediction = predict(&work, grid, gpu)?;
        let measured = times.get(benchmark.name).copied();
        rows.push(Row { name: benchmark.name, prediction, measured, set: Set::of(benchmark) });
    }
    print(&rows, gpu);
    Ok(())
}

fn read_times(file: &Path) -> HashMap<String, f64> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let entry = |line: &str| {
        let (name, time) = line.split_once(' ')?;
        Some((name.to_owned(), time.trim().parse().ok()?))
    };
    text.lines().filter_map(entry).collect()
}

/// Measures LLVM's code, in microseconds.
fn measure(
    driver: &Driver,
    folder: &Path,
    benchmarks: &[&Benchmark],
    scale: Scale,
) -> Result<HashMap<String, f64>> {
    let mut times = HashMap::new();
    for benchmark in benchmarks {
        let own = OwnLaunches::of(benchmark)?;
        let kernel = LoadedKernel::load(driver, folder, benchmark, Compiler::Llvm, &own)?;
        let problem = (benchmark.problem)(scale);
        let on_device = DeviceProblem::new(driver, &problem)?;
        if on_device.outputs(&kernel)?.is_none() {
            return Err(format!("`{}`: a check failed", benchmark.name).into());
        }
        if let Some(time) = on_device.times(&[kernel])?.first() {
            times.insert(benchmark.name.to_owned(), *time);
        }
    }
    Ok(times)
}

fn print(rows: &[Row], gpu: &Gpu) {
    println!("predictions for {}, times in microseconds\n", gpu.name);
    println!(
        "| {:20} | {:>9} | {:>9} | {:>5} | {:24} | {:>5} | {:>8} | {:7} |",
        "kernel", "predicted", "measured", "ratio", "bound by", "waves", "achieved", "set"
    );
    println!("|{0:-<22}|{0:->10}:|{0:->10}:|{0:->6}:|{0:-<26}|{0:->6}:|{0:->9}:|{0:-<9}|", "");
    for row in rows {
        let Prediction { seconds, waves, achieved_occupancy, bound_by, .. } = &row.prediction;
        let text = |value: Option<f64>, digits| {
            value.map_or_else(String::new, |value| format!("{value:.digits$}"))
        };
        println!(
            "| {:20} | {:>9.1} | {:>9} | {:>5} | {:24} | {waves:>5.1} | {:>6.1} % | {:7} |",
            row.name,
            seconds * 1e6,
            text(row.measured, 1),
            text(row.ratio(), 2),
            bound_by.to_string(),
            100.0 * achieved_occupancy,
            row.set.name(),
        );
    }
    println!();
    let of = |set| rows.iter().filter(move |row| row.set == set);
    print_errors("all of the race", rows.iter().filter(|row| row.set != Set::Variant));
    print_errors("fitted", of(Set::Fitted));
    print_errors("seen", of(Set::Seen));
    print_errors("later", of(Set::Later));
    print_errors("blind", of(Set::Blind));
    print_errors("variants", of(Set::Variant));
    print_order(rows);
}

/// Prints the median error, and the factor within which four of five predictions lie.
fn print_errors<'r>(name: &str, rows: impl Iterator<Item = &'r Row>) {
    let ratios: Vec<f64> = rows.filter_map(Row::ratio).collect();
    if ratios.is_empty() {
        return;
    }
    let mut errors: Vec<f64> = ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
    errors.sort_by(f64::total_cmp);
    let mut factors: Vec<f64> = ratios.iter().map(|ratio| ratio.max(1.0 / ratio)).collect();
    factors.sort_by(f64::total_cmp);
    let bias = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    println!(
        "{name}: {} kernels, median error {:.1} %, four of five within a factor of {:.2}, geometric mean of the ratios {:.2}",
        ratios.len(),
        100.0 * errors[errors.len() / 2],
        factors[(factors.len() * 4 / 5).min(factors.len() - 1)],
        bias.exp(),
    );
}

/// Prints the number of pairs of variants that are predicted in their measured order. Pairs whose
/// measured times differ by less than 3 % do not count.
fn print_order(rows: &[Row]) {
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    let (mut right, mut all) = (0, 0);
    for group in GROUPS {
        let variants: Vec<_> = group.names().collect();
        for (index, first) in variants.iter().enumerate() {
            for second in &variants[index + 1..] {
                let (Some(a), Some(b)) = (find(first), find(second)) else { continue };
                let (Some(time_a), Some(time_b)) = (a.measured, b.measured) else { continue };
                if (time_a / time_b).max(time_b / time_a) < 1.03 {
                    continue;
                }
                all += 1;
                let predicted = a.prediction.seconds.total_cmp(&b.prediction.seconds);
                if predicted == time_a.total_cmp(&time_b) {
                    right += 1;
                } else {
                    println!("wrong order: `{first}` and `{second}`");
                }
            }
        }
    }
    println!("order of variants: {right} of {all} pairs");
}
