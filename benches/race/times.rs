//! Times of the compilers' code, and their Markdown table.
use crate::{
    benchmark::{Benchmark, Compiler},
    problem::Work,
};

/// Median microseconds of a launch, by compiler.
pub(crate) struct Times {
    /// Medians in the order of [`Compiler::ALL`].
    pub(crate) medians: [Option<f64>; Compiler::ALL.len()],
    /// The work of a launch.
    pub(crate) work: Work,
}

impl Times {
    /// Returns `nvcc`'s time divided by that of `compiler`.
    fn ratio(&self, compiler: Compiler) -> Option<f64> {
        Some(self.median(Compiler::Nvcc)? / self.median(compiler)?)
    }

    const fn median(&self, compiler: Compiler) -> Option<f64> {
        self.medians[compiler as usize]
    }

    /// Returns the rate of the fastest.
    fn rate(&self) -> Option<String> {
        let fastest = self.medians.iter().flatten().copied().reduce(f64::min)?;
        let (amount, unit) = self.work.amount();
        Some(format!("{:.1} {unit}", amount as f64 / fastest / 1e3))
    }
}

/// Prints the first lines of the table.
pub(crate) fn print_header() {
    println!(
        "| {:18} | {:>10} | {:>15} | {:>10} | {:>6} | {:>10} | {:>6} |",
        "kernel", "nvcc", "rate", "built-in", "ratio", "llvm", "ratio"
    );
    println!("|{0:-<20}|{0:->11}:|{0:->16}:|{0:->11}:|{0:->7}:|{0:->11}:|{0:->7}:|", "");
}

/// Prints the line of a benchmark.
pub(crate) fn print_row(benchmark: &Benchmark, times: &Times) {
    let number = |value: Option<f64>, digits| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let [nvcc, built_in, llvm] = Compiler::ALL.map(|compiler| number(times.median(compiler), 1));
    let [built_in_ratio, llvm_ratio] = Compiler::OURS.map(|ours| number(times.ratio(ours), 3));
    let rate = times.rate().unwrap_or_default();
    println!(
        "| {:18} | {nvcc:>10} | {rate:>15} | {built_in:>10} | {built_in_ratio:>6} | {llvm:>10} | {llvm_ratio:>6} |",
        benchmark.name
    );
}

/// Prints the geometric means of the ratios.
pub(crate) fn print_means(times: &[Times]) {
    println!();
    for ours in Compiler::OURS {
        let ratios: Vec<f64> = times.iter().filter_map(|times| times.ratio(ours)).collect();
        print_mean(ours.name(), &ratios);
    }
    let best = |times: &Times| {
        Compiler::OURS.iter().filter_map(|ours| times.ratio(*ours)).reduce(f64::max)
    };
    print_mean("the better of both", &times.iter().filter_map(best).collect::<Vec<_>>());
}

/// Prints the geometric mean of `ratios`, if there are any.
pub(crate) fn print_mean(name: &str, ratios: &[f64]) {
    if !ratios.is_empty() {
        let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        println!("geometric mean of {}, {name}: {:.3}", ratios.len(), mean.exp());
    }
}
