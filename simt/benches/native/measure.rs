//! The measurements, and the table of their times.
use std::{num::NonZeroUsize, time::Instant};
use warpwise_compiler::{ir::Kernel, optimize::optimize, verify::verify};
use warpwise_simt::{CheckedProgram, Checks, CountingProgram, Launch, Outcome, Program, Requests};

/// The runs of each measurement.
const RUNS: usize = 7;

/// Returns the milliseconds of a run.
fn measure_run(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

/// Returns the least time of each. They run in turns, so that a slow phase of the machine hits all.
fn measure_least<const N: usize>(mut runs: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut least = [f64::INFINITY; N];
    for _ in 0..RUNS {
        for (least, run) in least.iter_mut().zip(&mut runs) {
            *least = least.min(measure_run(*run));
        }
    }
    least
}

/// Returns a kernel as the runtime would launch it.
pub(crate) fn parse_optimized(text: &str) -> Kernel {
    let kernel: Kernel = text.parse().expect("it is well written");
    verify(&kernel).expect("it is well formed");
    optimize(kernel)
}

/// Returns true if the command line selects the row.
pub(crate) fn is_wanted(name: &str) -> bool {
    let mut wanted = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    wanted.next().is_none_or(|wanted| name.contains(&wanted))
}

/// Prints the heads of the columns.
pub(crate) fn print_head() {
    let columns =
        ["1 thread", "AVX2 Rust", "ratio", "Rust", "ratio", "2 threads", "counting", "checked"];
    let [one, vector, by_vector, scalar, by_scalar, two, counting, checked] = columns;
    println!(
        "{:<24} {one:>10} {vector:>10} {by_vector:>6} {scalar:>10} {by_scalar:>6} {two:>9} {counting:>8} {checked:>8}",
        ""
    );
}

/// Runs a launch with one thread, with two, and with one while it counts or checks, and plain Rust:
/// loops that become vector code, if there are such, and straightforward loops.
pub(crate) fn print_row(
    name: &str,
    kernel: &Kernel,
    launch: Launch<'_>,
    mut vector: impl FnMut() -> bool,
    mut scalar: impl FnMut(),
) {
    let program = Program::new(kernel);
    let counting = CountingProgram::new(kernel, Requests::Vectors);
    let run = |workers| {
        let workers = NonZeroUsize::new(workers);
        assert_eq!(program.run(&Launch { workers, ..launch }), Outcome::default());
    };
    let count = || {
        let (outcome, _) = counting.run(&Launch { workers: Some(NonZeroUsize::MIN), ..launch });
        assert_eq!(outcome, Outcome::default());
    };
    let checking = CheckedProgram::new(kernel);
    let check = || {
        let launch = Launch { workers: Some(NonZeroUsize::MIN), ..launch };
        assert_eq!(checking.run(&launch, Checks::ALL), (Outcome::default(), Vec::new()));
    };
    let has_vector = vector();
    let [one, counted, checked, vector, scalar, two] = measure_least([
        &mut || run(1),
        &mut { count },
        &mut { check },
        &mut || _ = vector(),
        &mut scalar,
        &mut || run(2),
    ]);
    let (faster, more, most) = (one / two, counted / one, checked / one);
    let of_vector = if has_vector {
        format!("{vector:>7.2} ms {:>6.2}", one / vector)
    } else {
        format!("{:>10} {:>6}", "-", "-")
    };
    println!(
        "{name:<24} {one:>7.2} ms {of_vector} {scalar:>7.2} ms {:>6.2} {faster:>8.2}x {more:>7.2}x {most:>7.2}x",
        one / scalar
    );
}

/// Prints the speedup of two threads over one, both in plain Rust, for comparison with the
/// interpreter's.
pub(crate) fn print_plain_speedup(name: &str, mut one: impl FnMut(), mut two: impl FnMut()) {
    let [one, two] = measure_least([&mut one, &mut two]);
    println!(
        "{name:<24} {:>10} {one:>7.2} ms {:>6} {:>10} {:>6} {:>8.2}x",
        "",
        "",
        "",
        "",
        one / two
    );
}

/// Prints the time of lowering each kernel.
pub(crate) fn print_lowering(kernels: &[(&str, &str)]) {
    println!("\n{:<24} {:>10}", "lowered", "");
    for (name, text) in kernels {
        let kernel = parse_optimized(text);
        let repeats = 100;
        let mut lower =
            || (0..repeats).for_each(|_| drop(std::hint::black_box(Program::new(&kernel))));
        let [time] = measure_least([&mut lower]);
        println!("{name:<24} {:>7.1} us", time * 1e3 / f64::from(repeats));
    }
}
