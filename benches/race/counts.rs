//! `race counts`: the work of each launch, counted on the interpreter, for `race predict`.
//!
//! A file `NAME.work` has a name and a number per line.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    compile::{self, LaunchedCode},
    interpret, tools,
};
use std::{fmt::Write as _, fs, path::Path};
use warpwise_benches::Scale;
use warpwise_compiler::{
    back::ptx::declared_shared_bytes,
    hardware::{
        gpu::Gpu,
        occupancy::{Block, Multiprocessor},
        time::{Grid, Work},
    },
    lint::launch::barrier_count,
    optimize::unroll_as_back_ends_do,
};
use warpwise_simt::{CacheModel, CountingProgram, Launch, Requests};

/// The number of interpreter steps after which caches are no longer simulated.
const CACHE_STEPS: u64 = 1 << 20;

/// A launch, as the time model sees it.
pub(crate) struct CountedLaunch {
    pub(crate) work: Work,
    pub(crate) grid: Grid,
}

/// Counts the launches of the given scale and writes their work.
///
/// # Errors
/// Fails if a kernel does not compile or run, or a file cannot be written.
pub(crate) fn write(
    folder: &Path,
    benchmarks: &[&Benchmark],
    scale: Scale,
    gpu: &Gpu,
) -> Result<()> {
    fs::create_dir_all(folder)?;
    for benchmark in benchmarks {
        let counted = count(folder, benchmark, scale, gpu)
            .map_err(|error| format!("`{}`: {error}", benchmark.name))?;
        fs::write(folder.join(format!("{}.work", benchmark.name)), counted.to_text())?;
        println!("{}", benchmark.name);
    }
    Ok(())
}

fn count(folder: &Path, benchmark: &Benchmark, scale: Scale, gpu: &Gpu) -> Result<CountedLaunch> {
    let codes = compile::kernels(benchmark)?;
    let problem = (benchmark.problem)(scale);
    let LaunchedCode { kernel, grid, file } =
        compile::select_code(&codes, &problem, gpu.multiprocessors.into());
    let counted = unroll_as_back_ends_do(kernel.clone());
    let program = CountingProgram::new(&counted, Requests::Vectors);
    let mut work = interpret::launch(&problem, |launch, _| {
        let (outcome, counters) = program.run(launch);
        interpret::check(&outcome).map(|()| counters.work())
    })?;
    let shared = declared_shared_bytes(kernel);
    let threads = problem.block.iter().product();
    // Unknown if the code is not prepared, or `ptxas` is not found.
    let registers = tools::registers(&file(Compiler::Llvm, folder, benchmark)).ok();
    let block = Block { threads, registers, shared, barriers: barrier_count(kernel) };
    let model = CacheModel::new(gpu, shared * blocks_per_multiprocessor(&block, gpu));
    work.caches = Some(interpret::launch(&problem, |launch, _| {
        program.run_caches(&Launch { steps: Some(CACHE_STEPS), ..*launch }, model).1
    }));
    let blocks = grid.iter().map(|dim| u64::from(*dim)).product();
    Ok(CountedLaunch { work, grid: Grid { blocks, block } })
}

fn blocks_per_multiprocessor(block: &Block, gpu: &Gpu) -> u64 {
    let multiprocessor = Multiprocessor::of(gpu.target);
    let occupancy = multiprocessor.and_then(|on| on.occupancy(block).ok());
    occupancy.map_or(1, |occupancy| occupancy.blocks.into())
}

impl CountedLaunch {
    fn to_text(&self) -> String {
        let Self { work, grid } = self;
        let mut text = String::new();
        let mut line = |name: &str, value: u64| {
            writeln!(text, "{name} {value}").expect("strings take all");
        };
        line("blocks", grid.blocks);
        line("threads", grid.block.threads.into());
        line("shared", grid.block.shared);
        line("barriers", grid.block.barriers.into());
        line("registers", grid.block.registers.unwrap_or(0).into());
        for (name, count) in work.fields() {
            line(&name, count);
        }
        text
    }

    /// Reads the file that `counts` wrote for a benchmark.
    ///
    /// # Errors
    /// Fails if the file is missing, or lacks a number.
    pub(crate) fn read(folder: &Path, benchmark: &Benchmark) -> Result<Self> {
        let file = folder.join(format!("{}.work", benchmark.name));
        let text = fs::read_to_string(&file)
            .map_err(|error| format!("{}: {error}; run `race counts`", file.display()))?;
        let get = |name: &str| -> Result<u64> {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            Ok(line.ok_or_else(|| format!("{} has no `{name}`", file.display()))?.parse()?)
        };
        let work = Work::from_fields(|name| get(name).ok());
        let work = work.ok_or_else(|| format!("{} lacks counts", file.display()))?;
        let number = |name| -> Result<u32> { Ok(u32::try_from(get(name)?)?) };
        let block = Block {
            threads: number("threads")?,
            registers: Some(number("registers")?).filter(|registers| *registers != 0),
            shared: get("shared")?,
            barriers: number("barriers")?,
        };
        Ok(Self { work, grid: Grid { blocks: get("blocks")?, block } })
    }
}
