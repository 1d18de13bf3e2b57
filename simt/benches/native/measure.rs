//! Times, and the table that they make.
use std::{num::NonZeroUsize, time::Instant};
use warpwise_compiler::{ir::Kernel, optimize::optimize, verify::verify};
use warpwise_simt::{CheckedProgram, Checks, CountingProgram, Launch, Outcome, Program, Requests};

/// How often each is run.
const RUNS: usize = 7;

/// Milliseconds by the clock.
fn clock(run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

/// The least times of some, run in turns, since they are compared.
fn least<const N: usize>(mut runs: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut least = [f64::INFINITY; N];
    for _ in 0..RUNS {
        for (least, run) in least.iter_mut().zip(&mut runs) {
            *least = least.min(clock(*run));
        }
    }
    least
}

/// A kernel as the runtime would launch it.
pub(crate) fn optimized(text: &str) -> Kernel {
    let kernel: Kernel = text.parse().expect("it is well written");
    verify(&kernel).expect("it is well formed");
    optimize(kernel)
}

/// Whether a row is asked for.
pub(crate) fn is_wanted(name: &str) -> bool {
    let mut wanted = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    wanted.next().is_none_or(|wanted| name.contains(&wanted))
}

/// Prints what stands above the rows.
pub(crate) fn head() {
    let columns =
        ["1 thread", "AVX2 Rust", "ratio", "Rust", "ratio", "2 threads", "counting", "checked"];
    let [one, vector, by_vector, scalar, by_scalar, two, counting, checked] = columns;
    println!(
        "{:<24} {one:>10} {vector:>10} {by_vector:>6} {scalar:>10} {by_scalar:>6} {two:>9} {counting:>8} {checked:>8}",
        ""
    );
}

/// Runs a launch with one thread, with two, and with one while it counts or checks, beside plain Rust: loops
/// that become vector code, if there are such, and loops as one writes them.
pub(crate) fn row(
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
    let [one, counted, checked, vector, scalar, two] = least([
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

/// Prints how many times as fast two threads are as one, both in plain Rust: what is to be expected of the interpreter's.
pub(crate) fn plain_threads(name: &str, mut one: impl FnMut(), mut two: impl FnMut()) {
    let [one, two] = least([&mut one, &mut two]);
    println!(
        "{name:<24} {:>10} {one:>7.2} ms {:>6} {:>10} {:>6} {:>8.2}x",
        "",
        "",
        "",
        "",
        one / two
    );
}

/// Prints how long kernels take to be lowered.
pub(crate) fn lowering(kernels: &[(&str, &str)]) {
    println!("\n{:<24} {:>10}", "lowered", "");
    for (name, text) in kernels {
        let kernel = optimized(text);
        let many = 100;
        let mut lower =
            || (0..many).for_each(|_| drop(std::hint::black_box(Program::new(&kernel))));
        let [time] = least([&mut lower]);
        println!("{name:<24} {:>7.1} us", time * 1e3 / f64::from(many));
    }
}
