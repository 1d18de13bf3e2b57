//! Fuzzer of random kernels on a GPU, compared with the interpreter; it runs for as long as you
//! like.
//!
//! ```text
//! cargo run --release -p warpwise-tests --bin fuzz_gpu -- --kernels 100000 --processes 16
//! ```
//!
//! | option | |
//! |---|---|
//! | `--seed S` | the first seed (default: 0) |
//! | `--kernels N` | the number of kernels (default: 10000) |
//! | `--seconds T` | the time after which no batch, or half of one, begins |
//! | `--statements N` | the maximum number of statements of a kernel |
//! | `--batch N` | the number of kernels in a module (default: 64) |
//! | `--generator NAME` | the kind of kernels: `any` (default), `coarse`, for thread coarsening, `cluster`, for GPUs with clusters, or `floats`, for indices made of floats |
//! | `--backend NAME` | the back end that compiles them: `builtin` (default) or `llvm` |
//! | `--processes P` | the number of processes (default: the number of cores); each compiles one kernel at a time |
//!
//! Kernels that are coarsened run twice, as in small launches and as in large ones.
//!
//! A process whose kernel destroys the context, or runs for over a minute, is replaced, and its
//! batch is run again in halves, until the seed is known or the time is over. Every ten seconds the
//! program prints its progress. Without a GPU it prints so, and succeeds.
use std::{
    collections::VecDeque,
    io::Write,
    ops::Range,
    process::ExitCode,
    sync::{Mutex, MutexGuard, mpsc},
    thread,
    time::{Duration, Instant},
};
use warpwise_compiler::back::Backend;
use warpwise_tests::{
    gpu::{BatchError, Gpu, Left, Version, reference},
    random_ir::{
        RandomKernel, cluster_kernel, coarse_kernel, float_index_kernel, random_kernel_within,
    },
    worker::{WORKER, Worker},
};

/// The time limit of a batch, including compilation.
const MAX_BATCH_TIME: Duration = Duration::from_secs(60);
/// The time between two progress lines.
const PROGRESS: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
struct Options {
    seed: u64,
    kernels: u64,
    seconds: u64,
    statements: u32,
    batch: u64,
    processes: u64,
    backend: Backend,
    generator: Generator,
}

/// The generator that makes a random kernel of a seed.
#[derive(Clone, Copy, Debug)]
enum Generator {
    Any,
    Coarse,
    Cluster,
    Floats,
}

impl Generator {
    fn named(name: &str) -> Option<Self> {
        [Self::Any, Self::Coarse, Self::Cluster, Self::Floats]
            .into_iter()
            .find(|generator| generator.name() == name)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Coarse => "coarse",
            Self::Cluster => "cluster",
            Self::Floats => "floats",
        }
    }

    fn kernel(self, seed: u64, statements: u32) -> RandomKernel {
        match self {
            Self::Any => random_kernel_within(seed, statements),
            Self::Coarse => coarse_kernel(seed),
            Self::Cluster => cluster_kernel(seed),
            Self::Floats => float_index_kernel(seed),
        }
    }
}

fn options() -> Option<Options> {
    let processes = thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let (kernels, seconds, statements) = (10_000, u64::MAX, u32::MAX);
    let (backend, generator) = (Backend::Builtin, Generator::Any);
    let mut options =
        Options { seed: 0, kernels, seconds, statements, batch: 64, processes, backend, generator };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next()?;
        if name == "--backend" {
            options.backend = Backend::named(&value)?;
            continue;
        }
        if name == "--generator" {
            options.generator = Generator::named(&value)?;
            continue;
        }
        let value: u64 = value.parse().ok()?;
        match name.as_str() {
            "--seed" => options.seed = value,
            "--kernels" => options.kernels = value,
            "--seconds" => options.seconds = value,
            "--statements" => options.statements = u32::try_from(value).ok()?,
            "--batch" => options.batch = value.max(1),
            "--processes" => options.processes = value.max(1),
            _ => return None,
        }
    }
    Some(options)
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(WORKER) {
        let statements = std::env::args().nth(2).and_then(|text| text.parse().ok());
        let backend = std::env::args().nth(3).and_then(|name| Backend::named(&name));
        let generator = std::env::args().nth(4).and_then(|name| Generator::named(&name));
        return work(
            statements.unwrap_or(u32::MAX),
            backend.unwrap_or(Backend::Builtin),
            generator.unwrap_or(Generator::Any),
        );
    }
    let Some(options) = options() else {
        eprintln!(
            "fuzz_gpu [--seed S] [--kernels N] [--seconds T] [--statements N] [--batch N] \
             [--generator NAME] [--backend NAME] [--processes P]"
        );
        return ExitCode::FAILURE;
    };
    match Gpu::open(options.backend) {
        Err(reason) => {
            println!("no GPU: {reason}");
            return ExitCode::SUCCESS;
        }
        Ok(gpu) => println!("{}", gpu.name()),
    }
    fuzz(&options)
}

// The worker processes.

/// Runs the batches that the standard input names, until the input ends or the context is lost.
fn work(statements: u32, backend: Backend, generator: Generator) -> ExitCode {
    let gpu = match Gpu::open(backend) {
        Ok(gpu) => gpu,
        Err(reason) => {
            println!("lost {reason}");
            return ExitCode::FAILURE;
        }
    };
    for line in std::io::stdin().lines() {
        let Some(seeds) = line.ok().and_then(|line| seeds(&line)) else {
            return ExitCode::FAILURE;
        };
        let batch: Vec<_> = seeds.map(|seed| generator.kernel(seed, statements)).collect();
        let references: Vec<_> = batch.iter().map(reference).collect();
        match differences(&gpu, &batch, &references) {
            Err(error @ BatchError::Lost(_)) => {
                println!("lost {error}");
                return ExitCode::FAILURE;
            }
            Err(error @ BatchError::Refused(_)) => println!("refused {error}"),
            Ok(differences) => {
                for text in differences {
                    println!("differs {text}");
                }
                let faults = references.iter().filter(|left| left.fault.is_some()).count();
                println!("done {faults}");
            }
        }
    }
    ExitCode::SUCCESS
}

/// Runs both versions of the kernels, and returns their differences from the references.
fn differences(
    gpu: &Gpu,
    batch: &[RandomKernel],
    references: &[Left],
) -> Result<Vec<String>, BatchError> {
    let mut differences = Vec::new();
    for version in Version::ALL {
        let left = gpu.run(batch, version)?;
        for ((random, left), reference) in batch.iter().zip(&left).zip(references) {
            if let Some(difference) = left.as_ref().and_then(|left| left.difference(reference)) {
                differences.push(format!("{} {version:?}: {difference}", random.kernel.name));
            }
        }
    }
    Ok(differences)
}

/// Parses a line `from to`.
fn seeds(line: &str) -> Option<Range<u64>> {
    let (from, to) = line.split_once(' ')?;
    Some(from.parse().ok()?..to.parse().ok()?)
}

/// Runs a batch, and returns the number of kernels that ended with a fault, or why there is no
/// result.
fn run(worker: &mut Worker, seeds: &Range<u64>, tally: &Mutex<Tally>) -> Result<u64, Failure> {
    let lost = |text: &str| Failure::Ended(text.to_owned());
    writeln!(worker.input, "{} {}", seeds.start, seeds.end)
        .map_err(|_| lost("the process ended"))?;
    loop {
        let line = worker.lines.recv_timeout(MAX_BATCH_TIME).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => lost("it does not end"),
            mpsc::RecvTimeoutError::Disconnected => lost("the process ended"),
        })?;
        match line.split_once(' ') {
            Some(("done", faults)) => return Ok(faults.parse().unwrap_or(0)),
            Some(("differs", text)) => lock(tally).report(text),
            Some(("refused", text)) => return Err(Failure::Refused(text.to_owned())),
            _ => return Err(lost(&line)),
        }
    }
}

/// The reason why a batch has no result.
enum Failure {
    /// The driver refused it.
    Refused(String),
    /// The process can no longer be used.
    Ended(String),
}

// The program that starts the workers.

/// The results so far.
#[derive(Default)]
struct Tally {
    kernels: u64,
    faults: u64,
    findings: u64,
    /// The time at which the progress was last printed.
    printed: Option<Instant>,
}

impl Tally {
    /// Counts a finished batch.
    fn add(&mut self, kernels: u64, faults: u64) {
        self.kernels += kernels;
        self.faults += faults;
        if self.printed.is_none_or(|printed| printed.elapsed() >= PROGRESS) {
            self.printed = Some(Instant::now());
            println!("{} kernels so far; {} ended with a fault", self.kernels, self.faults);
        }
    }

    fn report(&mut self, text: &str) {
        self.findings += 1;
        println!("{text}");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics with it")
}

/// The batches that are still to be run: first the halves of failed ones.
struct Queue {
    halves: VecDeque<Range<u64>>,
    rest: Range<u64>,
    batch: u64,
    end: Option<Instant>,
}

impl Queue {
    fn next(&mut self) -> Option<Range<u64>> {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            return None;
        }
        if let Some(half) = self.halves.pop_front() {
            return Some(half);
        }
        if self.rest.is_empty() {
            return None;
        }
        let start = self.rest.start;
        self.rest.start = self.rest.end.min(start.saturating_add(self.batch));
        Some(start..self.rest.start)
    }
}

fn fuzz(options: &Options) -> ExitCode {
    let start = Instant::now();
    let queue = Mutex::new(Queue {
        halves: VecDeque::new(),
        rest: options.seed..options.seed.saturating_add(options.kernels),
        batch: options.batch,
        end: start.checked_add(Duration::from_secs(options.seconds)),
    });
    let tally = Mutex::new(Tally::default());
    thread::scope(|scope| {
        for _ in 0..options.processes {
            scope.spawn(|| drive(options, &queue, &tally));
        }
    });
    let (mut tally, queue) = (lock(&tally), lock(&queue));
    for seeds in &queue.halves {
        tally.report(&format!("k{} to k{}: one of them fails", seeds.start, seeds.end - 1));
    }
    let next = queue.rest.start;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} kernels in {seconds:.0} s, {:.0} a second; {} ended with a fault; {} findings; the next seed is {next}",
        tally.kernels,
        tally.kernels as f64 / seconds,
        tally.faults,
        tally.findings,
    );
    if tally.findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Keeps one process busy until nothing is left.
fn drive(options: &Options, queue: &Mutex<Queue>, tally: &Mutex<Tally>) {
    let mut worker = None;
    loop {
        let next = lock(queue).next();
        let Some(seeds) = next else { return };
        let current = match worker.take() {
            Some(worker) => Ok(worker),
            None => {
                let statements = options.statements.to_string();
                let [backend, generator] = [options.backend.name(), options.generator.name()];
                Worker::start([statements.as_str(), backend, generator])
            }
        };
        let mut current = match current {
            Ok(worker) => worker,
            Err(error) => return lock(tally).report(&format!("no process: {error}")),
        };
        let text = match run(&mut current, &seeds, tally) {
            Ok(faults) => {
                let mut tally = lock(tally);
                tally.add(seeds.end - seeds.start, faults);
                worker = Some(current);
                continue;
            }
            Err(Failure::Refused(text)) => {
                worker = Some(current);
                text
            }
            Err(Failure::Ended(text)) => text,
        };
        let middle = seeds.start.midpoint(seeds.end);
        if middle == seeds.start {
            let mut tally = lock(tally);
            tally.kernels += 1;
            tally.report(&format!("k{middle} {text}"));
        } else {
            // Printed at once, so that the seeds are known even if this program is ended early.
            println!("k{} to k{}: {text}; run in halves", seeds.start, seeds.end - 1);
            lock(queue).halves.extend([seeds.start..middle, middle..seeds.end]);
        }
    }
}
