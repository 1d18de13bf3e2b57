//! `race run`: every contestant on a GPU, in one process, in turns, on the same stream, inputs and events.
use crate::{
    Result, compare,
    contest::{Contest, Contestant},
    driver::{Driver, Event, Function, Memory},
    problem::{Arg, Buffers, Problem},
    tools,
};
use std::{fs, path::Path};
use warpwise_benches::Scale;
use warpwise_compiler::fault::FaultRecord;

/// Turns of each contestant; the median counts.
const ROUNDS: usize = 25;
/// What a turn takes at least, in milliseconds, if kernels can run in a row.
const MIN_TURN_MS: f64 = 2.0;
/// Launches of a turn at most.
const MAX_LAUNCHES: usize = 100;

/// Runs the contests with the code in `folder` and prints a Markdown table.
///
/// # Errors
/// If there is no GPU or a contestant failed: its code does not load, a check fails, or its result is wrong. It has
/// no time then. If the driver refuses anything else, as after an illegal access, the race ends there.
pub(crate) fn run(folder: &Path, contests: &[&Contest]) -> Result<()> {
    let driver = Driver::open()?;
    println!(
        "{}, driver for CUDA {}.{}; median of {ROUNDS} turns in microseconds, ratio nvcc / ours\n",
        driver.name,
        driver.version / 1000,
        driver.version % 1000 / 10
    );
    println!(
        "| {:24} | {:>10} | {:>18} | {:>10} | {:>6} | {:>10} | {:>6} |",
        "kernel", "nvcc", "rate", "built-in", "ratio", "llvm", "ratio"
    );
    println!("|{0:-<26}|{0:->11}:|{0:->19}:|{0:->11}:|{0:->7}:|{0:->11}:|{0:->7}:|", "");
    let mut medians = Vec::new();
    let mut failures = Vec::new();
    for contest in contests {
        match (Race { driver: &driver, folder, contest }).times(&mut failures) {
            Ok(times) => {
                print_row(contest, &times);
                medians.push(times);
            }
            Err(error) => {
                failures.push(format!("`{}`: {error}; the rest was not run", contest.name));
                break;
            }
        }
    }
    print_means(&medians);
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    if failures.is_empty() { Ok(()) } else { Err("not every contestant finished".into()) }
}

/// Median microseconds of a launch, by contestant, and the rate of the fastest.
struct Times {
    medians: [Option<f64>; Contestant::ALL.len()],
    amount: usize,
    unit: &'static str,
}

impl Times {
    fn ratio(&self, contestant: Contestant) -> Option<f64> {
        let [nvcc, built_in, llvm] = self.medians;
        let ours = match contestant {
            Contestant::Nvcc => nvcc,
            Contestant::BuiltIn => built_in,
            Contestant::Llvm => llvm,
        };
        Some(nvcc? / ours?)
    }

    /// Returns the rate of the fastest contestant.
    fn rate(&self) -> Option<String> {
        let fastest = self.medians.iter().flatten().copied().reduce(f64::min)?;
        Some(format!("{:.1} {}", self.amount as f64 / fastest / 1e3, self.unit))
    }
}

fn print_row(contest: &Contest, times: &Times) {
    let number = |value: Option<f64>, digits| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let [nvcc, built_in, llvm] = times.medians.map(|median| number(median, 1));
    let rate = times.rate().unwrap_or_default();
    let ratios = Contestant::OURS.map(|ours| number(times.ratio(ours), 3));
    println!(
        "| {:24} | {nvcc:>10} | {rate:>18} | {built_in:>10} | {:>6} | {llvm:>10} | {:>6} |",
        contest.name, ratios[0], ratios[1]
    );
}

fn print_means(times: &[Times]) {
    println!();
    for ours in Contestant::OURS {
        let ratios: Vec<f64> = times.iter().filter_map(|times| times.ratio(ours)).collect();
        print_mean(ours.name(), &ratios);
    }
    let best = |times: &Times| {
        Contestant::OURS.iter().filter_map(|ours| times.ratio(*ours)).reduce(f64::max)
    };
    print_mean("the better of both", &times.iter().filter_map(best).collect::<Vec<_>>());
}

fn print_mean(name: &str, ratios: &[f64]) {
    if !ratios.is_empty() {
        let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        println!("geometric mean of {}, {name}: {:.3}", ratios.len(), mean.exp());
    }
}

/// One contest on one GPU.
struct Race<'r> {
    driver: &'r Driver,
    folder: &'r Path,
    contest: &'r Contest,
}

/// A contestant's kernel.
struct Entrant<'d> {
    contestant: Contestant,
    function: Function<'d>,
}

impl<'d> Race<'d> {
    /// Verifies the contestants and times them.
    fn times(&self, failures: &mut Vec<String>) -> Result<Times> {
        let mut entrants = self.entrants(failures);
        let small = (self.contest.problem)(Scale::Small);
        self.retain_correct(&mut entrants, &small, failures)?;
        let large = (self.contest.problem)(Scale::Large);
        self.retain_correct(&mut entrants, &large, failures)?;
        let mut medians = [None; Contestant::ALL.len()];
        if !entrants.is_empty() {
            let arena = Arena::new(self.driver, &large)?;
            for (entrant, median) in entrants.iter().zip(arena.race(&entrants)?) {
                medians[entrant.contestant as usize] = Some(median);
            }
        }
        let (amount, unit) = large.work.amount();
        Ok(Times { medians, amount, unit })
    }

    /// Loads the contestants whose code is there.
    fn entrants(&self, failures: &mut Vec<String>) -> Vec<Entrant<'d>> {
        let mut entrants = Vec::new();
        for contestant in Contestant::ALL {
            match self.load(contestant) {
                Ok(function) => entrants.push(Entrant { contestant, function }),
                Err(error) => failures.push(self.failure(contestant, &error.to_string())),
            }
        }
        entrants
    }

    fn failure(&self, contestant: Contestant, reason: &str) -> String {
        format!("`{}` by {}: {reason}", self.contest.name, contestant.name())
    }

    /// Loads prepared code; `nvcc` compiles its own where there is none.
    fn load(&self, contestant: Contestant) -> Result<Function<'d>> {
        let file = contestant.file(self.folder, self.contest);
        if contestant == Contestant::Nvcc && !file.exists() {
            let source = self.contest.cuda_file(self.folder);
            tools::nvcc(&source, &file).ok_or("neither machine code nor `nvcc`")??;
        }
        Ok(self.driver.load(&fs::read(file)?, self.contest.name)?)
    }

    /// Drops the entrants with wrong results: compared with plain Rust at the small scale and with the first
    /// entrant at the large one.
    fn retain_correct(
        &self,
        entrants: &mut Vec<Entrant<'d>>,
        problem: &Problem,
        failures: &mut Vec<String>,
    ) -> Result<()> {
        let arena = Arena::new(self.driver, problem)?;
        let mut first: Option<Vec<Vec<u8>>> = None;
        let mut correct = Vec::new();
        for entrant in entrants.drain(..) {
            let found = arena.outcome(&entrant)?;
            let has_expected = problem.buffers.iter().any(|buffer| {
                buffer.output.as_ref().is_some_and(|output| output.expected.is_some())
            });
            let agreed = match (&found, &first) {
                (Err(fault), _) => Err(fault.clone()),
                (Ok(found), _) if has_expected => compare::outputs(problem, found, None),
                (Ok(found), Some(first)) => compare::outputs(problem, found, Some(first)),
                (Ok(_), None) => Ok(()),
            };
            match agreed {
                Ok(()) => {
                    first = first.or(found.ok());
                    correct.push(entrant);
                }
                Err(reason) => failures.push(self.failure(entrant.contestant, &reason)),
            }
        }
        *entrants = correct;
        Ok(())
    }
}

/// A problem in device memory, which all entrants share.
struct Arena<'d> {
    driver: &'d Driver,
    problem: &'d Problem,
    memories: Vec<Memory<'d>>,
    /// Initial contents of the buffers that every launch must find so.
    originals: Vec<Option<Memory<'d>>>,
    fault_record: Memory<'d>,
    start: Event<'d>,
    end: Event<'d>,
}

impl<'d> Arena<'d> {
    fn new(driver: &'d Driver, problem: &'d Problem) -> Result<Self> {
        let (mut memories, mut originals) = (Vec::new(), Vec::new());
        for buffer in problem.buffers.iter() {
            memories.push(driver.allocate(buffer.bytes.len())?);
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
        let (start, end) = (driver.event()?, driver.event()?);
        Ok(Self { driver, problem, memories, originals, fault_record, start, end })
    }

    /// Launches an entrant once on the initial contents, and returns all contents after it, or the fault.
    fn outcome(&self, entrant: &Entrant<'_>) -> Result<std::result::Result<Vec<Vec<u8>>, String>> {
        for (memory, buffer) in self.memories.iter().zip(self.problem.buffers.iter()) {
            memory.upload(&buffer.bytes)?;
        }
        // The count is 0, every other word of an empty record is all ones.
        let mut record = [0xff; size_of::<FaultRecord>()];
        record[..8].fill(0);
        self.fault_record.upload(&record)?;
        self.launch(entrant)?;
        self.driver.synchronize()?;
        let record = self.fault_record.download()?;
        if record[..8] != [0; 8] {
            return Ok(Err("a check failed".to_owned()));
        }
        let mut contents = Vec::new();
        for (memory, buffer) in self.memories.iter().zip(self.problem.buffers.iter()) {
            contents.push(match &buffer.output {
                Some(_) => memory.download()?,
                None => Vec::new(),
            });
        }
        Ok(Ok(contents))
    }

    /// Returns the median time of a launch of each entrant, in microseconds.
    fn race(&self, entrants: &[Entrant<'_>]) -> Result<Vec<f64>> {
        let count = self.launches_per_turn(&entrants[0])?;
        let mut times = vec![Vec::with_capacity(ROUNDS); entrants.len()];
        for round in 0..ROUNDS {
            for turn in 0..entrants.len() {
                // Each entrant goes first as often as any other.
                let place = (round + turn) % entrants.len();
                times[place].push(self.turn(&entrants[place], count)?);
            }
        }
        let median = |mut times: Vec<f64>| {
            times.sort_unstable_by(f64::total_cmp);
            times[times.len() / 2]
        };
        Ok(times.into_iter().map(median).collect())
    }

    /// Returns how many launches in a row take long enough to be timed well. Buffers that are restored
    /// before every launch allow one.
    fn launches_per_turn(&self, entrant: &Entrant<'_>) -> Result<usize> {
        if self.originals.iter().any(Option::is_some) {
            return Ok(1);
        }
        self.turn(entrant, 1)?;
        let milliseconds = self.turn(entrant, 1)? / 1e3;
        Ok(((MIN_TURN_MS / milliseconds).ceil() as usize).clamp(1, MAX_LAUNCHES))
    }

    /// Returns the microseconds of a launch, of `count` in a row.
    fn turn(&self, entrant: &Entrant<'_>, count: usize) -> Result<f64> {
        for (memory, original) in self.memories.iter().zip(&self.originals) {
            if let Some(original) = original {
                memory.copy_from(original)?;
            }
        }
        self.start.record()?;
        for _ in 0..count {
            self.launch(entrant)?;
        }
        self.end.record()?;
        let milliseconds = self.end.milliseconds_since(&self.start)?;
        Ok(f64::from(milliseconds) * 1e3 / count as f64)
    }

    #[expect(unsafe_code, reason = "a GPU runs what it is given")]
    fn launch(&self, entrant: &Entrant<'_>) -> Result<()> {
        let mut words = match entrant.contestant {
            Contestant::Nvcc => self.cuda_words(),
            Contestant::BuiltIn | Contestant::Llvm => self.rust_words(),
        };
        let shape = [self.problem.grid, self.problem.block];
        // SAFETY: the words are the parameters of the entrant's side; checks keep Rust kernels to their buffers,
        // and the CUDA C++ kernels are written for these sizes.
        unsafe { entrant.function.launch(shape, &mut words)? };
        Ok(())
    }

    fn cuda_words(&self) -> Vec<u64> {
        let word = |arg: &Arg| match *arg {
            Arg::Bits(bits) => bits,
            Arg::Buffer(id) => self.memories[Buffers::place(id)].address,
        };
        self.problem.cuda.iter().map(word).collect()
    }

    /// Returns the parameters that `warpwise_compiler::back::ptx` lists, of kernels that neither print nor have shared
    /// arrays whose length the launch computes.
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
