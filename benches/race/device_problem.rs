//! A problem on a GPU: each compiler's code is launched on the same buffers, verified and timed.
use crate::{
    Result,
    benchmark::{Benchmark, Compiler},
    compile::{LaunchContract, OwnLaunches},
    driver::{Driver, Event, Function, Memory},
    problem::{Arg, Buffers, Problem},
    tools,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use warpwise_benches::median_number;
use warpwise_compiler::{fault::FaultRecord, ir::CoarseGrid};

/// The number of turns of each compiler; the median counts.
pub(crate) const ROUNDS: usize = 25;
/// The minimum time of a turn, in milliseconds, if kernels can run in a row.
const MIN_TURN_MS: f64 = 2.0;
/// The maximum number of launches in a turn.
const MAX_LAUNCHES: usize = 100;

/// A compiler's code for a benchmark.
pub(crate) struct LoadedKernel<'d> {
    /// The compiler.
    pub(crate) compiler: Compiler,
    /// The code of all launches.
    plain: Function<'d>,
    /// The code of launches that fulfil a contract, and the contract.
    assumed: Option<(LaunchContract, Function<'d>)>,
    /// The code of large ones of these, and the division of their grid.
    coarsened: Option<(CoarseGrid, Function<'d>)>,
}

impl<'d> LoadedKernel<'d> {
    /// Loads prepared code, and that of launches that run their own; `nvcc` compiles its own where
    /// there is none.
    ///
    /// # Errors
    /// Fails if there is no code, or the driver refuses it.
    pub(crate) fn load(
        driver: &'d Driver,
        folder: &Path,
        benchmark: &Benchmark,
        compiler: Compiler,
        own: &OwnLaunches,
    ) -> Result<Self> {
        let file = compiler.file(folder, benchmark);
        if compiler == Compiler::Nvcc && !file.exists() {
            let source = benchmark.cuda_file(folder);
            tools::nvcc(&source, &file).ok_or("neither machine code nor `nvcc`")??;
        }
        let load = |file: PathBuf| -> Result<Function<'d>> {
            Ok(driver.load(&fs::read(file)?, benchmark.name)?)
        };
        let is_ours = compiler != Compiler::Nvcc;
        let mut kernel = Self { compiler, plain: load(file)?, assumed: None, coarsened: None };
        if let Some(contract) = own.contract.clone().filter(|_| is_ours) {
            kernel.assumed = Some((contract, load(compiler.assumed_file(folder, benchmark))?));
        }
        if let Some(grid) = own.coarse_grid.filter(|_| is_ours) {
            kernel.coarsened = Some((grid, load(compiler.coarsened_file(folder, benchmark))?));
        }
        Ok(kernel)
    }
}

/// A problem in device memory. All compilers' kernels run in the same buffers.
pub(crate) struct DeviceProblem<'d> {
    driver: &'d Driver,
    problem: &'d Problem,
    memories: Vec<Memory<'d>>,
    /// Initial contents of the buffers that every launch must find unchanged.
    originals: Vec<Option<Memory<'d>>>,
    fault_record: Memory<'d>,
    /// The flag of the record, which is never read.
    flag: Memory<'d>,
    start: Event<'d>,
    end: Event<'d>,
}

impl<'d> DeviceProblem<'d> {
    /// Allocates the buffers and fills them with their initial contents.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub(crate) fn new(driver: &'d Driver, problem: &'d Problem) -> Result<Self> {
        let (mut memories, mut originals) = (Vec::new(), Vec::new());
        for buffer in problem.buffers.iter() {
            let memory = driver.allocate(buffer.bytes.len())?;
            memory.upload(&buffer.bytes)?;
            memories.push(memory);
            originals.push(match buffer.restored {
                true => {
                    let original = driver.allocate(buffer.bytes.len())?;
                    original.upload(&buffer.bytes)?;
                    Some(original)
                }
                false => None,
            });
        }
        let fault_record = driver.allocate(size_of::<FaultRecord>())?;
        let flag = driver.allocate(size_of::<u32>())?;
        let (start, end) = (driver.event()?, driver.event()?);
        Ok(Self { driver, problem, memories, originals, fault_record, flag, start, end })
    }

    /// Launches a kernel once on the initial contents, and returns the contents of all outputs
    /// after it. `None` if a check failed.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub(crate) fn outputs(&self, kernel: &LoadedKernel<'_>) -> Result<Option<Vec<Vec<u8>>>> {
        for (memory, buffer) in self.memories.iter().zip(self.problem.buffers.iter()) {
            memory.upload(&buffer.bytes)?;
        }
        self.fault_record.upload(&FaultRecord::empty_bytes(self.flag.address))?;
        self.launch(kernel)?;
        self.driver.synchronize()?;
        let record = self.fault_record.download()?;
        // The first word counts the threads that failed a check.
        if record[..size_of::<u64>()] != [0; 8] {
            return Ok(None);
        }
        let mut contents = Vec::new();
        for (memory, buffer) in self.memories.iter().zip(self.problem.buffers.iter()) {
            contents.push(match &buffer.output {
                Some(_) => memory.download()?,
                None => Vec::new(),
            });
        }
        Ok(Some(contents))
    }

    /// Returns the median time of a launch of each kernel, in microseconds.
    ///
    /// # Errors
    /// Returns the driver's errors.
    pub(crate) fn times(&self, kernels: &[LoadedKernel<'_>]) -> Result<Vec<f64>> {
        let Some(first) = kernels.first() else { return Ok(Vec::new()) };
        let count = self.launches_per_turn(first)?;
        let mut times = vec![Vec::with_capacity(ROUNDS); kernels.len()];
        for round in 0..ROUNDS {
            for turn in 0..kernels.len() {
                // Each kernel goes first as often as any other.
                let place = (round + turn) % kernels.len();
                times[place].push(self.turn(&kernels[place], count)?);
            }
        }
        Ok(times.into_iter().map(median_number).collect())
    }

    /// Returns the number of launches in a row that take long enough to be timed well. Buffers that
    /// are restored before every launch allow one.
    fn launches_per_turn(&self, kernel: &LoadedKernel<'_>) -> Result<usize> {
        if self.originals.iter().any(Option::is_some) {
            return Ok(1);
        }
        self.turn(kernel, 1)?;
        let milliseconds = self.turn(kernel, 1)? / 1e3;
        Ok(((MIN_TURN_MS / milliseconds).ceil() as usize).clamp(1, MAX_LAUNCHES))
    }

    /// Returns the microseconds per launch, of `count` in a row.
    fn turn(&self, kernel: &LoadedKernel<'_>, count: usize) -> Result<f64> {
        for (memory, original) in self.memories.iter().zip(&self.originals) {
            if let Some(original) = original {
                memory.copy_from(original)?;
            }
        }
        self.start.record()?;
        for _ in 0..count {
            self.launch(kernel)?;
        }
        self.end.record()?;
        let milliseconds = self.end.milliseconds_since(&self.start)?;
        Ok(f64::from(milliseconds) * 1e3 / count as f64)
    }

    #[expect(unsafe_code, reason = "a GPU runs what it is given")]
    fn launch(&self, kernel: &LoadedKernel<'_>) -> Result<()> {
        let mut words = match kernel.compiler {
            Compiler::Nvcc => self.cuda_words(),
            Compiler::BuiltIn | Compiler::Llvm => self.rust_words(),
        };
        let Problem { mut grid, block, .. } = *self.problem;
        let mut function = &kernel.plain;
        let fulfils =
            kernel.assumed.as_ref().is_none_or(|(contract, _)| contract.holds(self.problem));
        if let Some((_, assumed)) = &kernel.assumed
            && fulfils
        {
            function = assumed;
        }
        if let Some((coarse_grid, coarsened)) = &kernel.coarsened
            && fulfils
            && coarse_grid.suits(grid, block, self.driver.multiprocessors)
        {
            let launched;
            (grid, launched) = coarse_grid.divide(grid);
            words.push(launched.into());
            function = coarsened;
        }
        let shape = [grid, block];
        // SAFETY: the words are the parameters of the kernel, in its language; checks keep Rust
        // kernels to their buffers, and the CUDA C++ kernels are written for these sizes.
        unsafe { function.launch(shape, &mut words)? };
        Ok(())
    }

    fn cuda_words(&self) -> Vec<u64> {
        let word = |arg: &Arg| match *arg {
            Arg::Bits(bits) => bits,
            Arg::Buffer(id) => self.memories[Buffers::place(id)].address,
        };
        self.problem.cuda.iter().map(word).collect()
    }

    /// Returns the parameters that `warpwise_compiler::back::ptx` lists, of kernels that neither
    /// print nor have shared arrays whose length the launch computes.
    fn rust_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        for arg in &self.problem.rust {
            match *arg {
                Arg::Bits(bits) => words.push(bits),
                Arg::Buffer(id) => {
                    let place = Buffers::place(id);
                    words.push(self.memories[place].address);
                    words.extend(
                        self.problem.buffers.iter().nth(place).map(|buffer| buffer.len() as u64),
                    );
                }
            }
        }
        words.push(self.fault_record.address);
        words
    }
}
