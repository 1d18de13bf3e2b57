//! Reduces a random kernel that a back end compiles wrongly for a GPU.
//!
//! ```text
//! reduce_gpu --seed 27002523 --statements 25 --backend llvm
//! ```
//!
//! Prints the IR of the reduced kernel, and its failure. A kernel counts as wrong if the sanitizer
//! reports nothing, the code of the other back end agrees with the interpreter, and the code of the
//! back end that `--backend` names (`llvm` by default) disagrees or runs longer than [`MAX_TIME`].
//! Kernels run in worker processes, which are replaced when a kernel does not end.
use std::{
    io::{BufRead, Read, Write},
    process::ExitCode,
    time::Duration,
};
use warpwise_compiler::{back::Backend, ir::Kernel};
use warpwise_tests::{
    gpu::{Gpu, Version, checked_reference},
    random_ir::{RandomKernel, random_kernel_within},
    reduce::reduce,
    worker::{WORKER, Worker},
};

/// The time limit of a kernel, including compilation.
const MAX_TIME: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug)]
struct Options {
    seed: u64,
    statements: u32,
    backend: Backend,
}

impl Options {
    fn parse(args: impl Iterator<Item = String>) -> Option<Self> {
        let mut options = Self { seed: 0, statements: u32::MAX, backend: Backend::Llvm };
        let mut args = args;
        while let Some(name) = args.next() {
            let value = args.next()?;
            match name.as_str() {
                "--seed" => options.seed = value.parse().ok()?,
                "--statements" => options.statements = value.parse().ok()?,
                "--backend" => options.backend = Backend::named(&value)?,
                _ => return None,
            }
        }
        Some(options)
    }

    fn args(self) -> [String; 6] {
        let Self { seed, statements, backend } = self;
        let name = |name: &str| name.to_owned();
        let (seed, statements) = (seed.to_string(), statements.to_string());
        let backend_name = name(backend.name());
        [name("--seed"), seed, name("--statements"), statements, name("--backend"), backend_name]
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).peekable();
    let is_worker = args.next_if(|arg| arg == WORKER).is_some();
    let Some(options) = Options::parse(args) else {
        eprintln!("reduce_gpu --seed S [--statements N] [--backend NAME]");
        return ExitCode::FAILURE;
    };
    if is_worker {
        return work(options);
    }
    if let Err(reason) = Gpu::open(options.backend) {
        println!("no GPU: {reason}");
        return ExitCode::FAILURE;
    }
    run(options)
}

/// Reduces the kernel of the options.
fn run(options: Options) -> ExitCode {
    let random = random_kernel_within(options.seed, options.statements);
    let other = match options.backend {
        Backend::Builtin => Backend::Llvm,
        Backend::Llvm => Backend::Builtin,
    };
    let mut judged = Runner { options, worker: None };
    let mut trusted = Runner { options: Options { backend: other, ..options }, worker: None };
    let found = judged.run(&random.kernel);
    println!("{} instructions: {found}", random.kernel.insts.len());
    if found == SAME {
        return ExitCode::FAILURE;
    }
    let reduced = reduce(&random.kernel, |kernel| {
        let candidate = RandomKernel { kernel: kernel.clone(), ..random.clone() };
        checked_reference(&candidate).is_some()
            && judged.run(kernel) != SAME
            && trusted.run(kernel) == SAME
    });
    println!("{}\n{reduced}\n{:?}", judged.run(&reduced), random.shape);
    ExitCode::SUCCESS
}

/// The answer of a worker if the GPU's result equals the interpreter's.
const SAME: &str = "same";

/// A back end, whose kernels run in a process that is replaced when a kernel ends it.
struct Runner {
    options: Options,
    worker: Option<Worker>,
}

impl Runner {
    /// Returns how the kernel's result differs from the interpreter's, in words, or [`SAME`].
    fn run(&mut self, kernel: &Kernel) -> String {
        match self.try_run(kernel) {
            Ok(line) => line,
            Err(error) => {
                self.worker = None;
                error.to_string()
            }
        }
    }

    fn try_run(&mut self, kernel: &Kernel) -> Result<String, Box<dyn std::error::Error>> {
        if self.worker.is_none() {
            self.worker = Some(Worker::start(self.options.args())?);
        }
        let worker = self.worker.as_mut().ok_or("no process")?;
        let text = kernel.to_string();
        write!(worker.input, "{}\n{text}", text.len())?;
        worker.input.flush()?;
        Ok(worker.lines.recv_timeout(MAX_TIME).map_err(|_| "it does not end")?)
    }
}

/// Runs the kernels on the standard input, each of which follows a line with its length.
fn work(options: Options) -> ExitCode {
    let gpu = match Gpu::open(options.backend) {
        Ok(gpu) => gpu,
        Err(reason) => {
            println!("{reason}");
            return ExitCode::FAILURE;
        }
    };
    let random = random_kernel_within(options.seed, options.statements);
    let mut input = std::io::stdin().lock();
    loop {
        let mut length = String::new();
        let Ok(1..) = input.read_line(&mut length) else { return ExitCode::SUCCESS };
        let mut text = vec![0; length.trim().parse().expect("a length comes first")];
        input.read_exact(&mut text).expect("the text follows its length");
        let text = String::from_utf8(text).expect("the text of a kernel is UTF-8");
        let kernel = text.parse().expect("what is printed parses");
        let candidate = RandomKernel { kernel, ..random.clone() };
        let reference = checked_reference(&candidate);
        let run = |version| gpu.run(std::slice::from_ref(&candidate), version);
        let left = Version::ALL.into_iter().map(run).collect::<Result<Vec<_>, _>>();
        let answer = match (left, reference) {
            (Ok(left), Some(reference)) => {
                let mut left = left.iter().flatten().flatten();
                left.find_map(|left| left.difference(&reference)).unwrap_or_else(|| SAME.to_owned())
            }
            (Ok(_), None) => "the kernel means nothing".to_owned(),
            (Err(error), _) => {
                println!("{}", error.to_string().replace('\n', " "));
                return ExitCode::FAILURE;
            }
        };
        println!("{}", answer.replace('\n', " "));
    }
}
