//! The programs: kernels translated to bytecode, with or without an observer.
pub(crate) mod compare_orders;
pub(crate) mod traced;

use crate::{
    Counters, Launch, Outcome,
    bytecode::{Code, Counted, Malformed, Pattern, Requests},
    exec::{bound::Observation, grid},
    observe::{
        caches::CacheModel,
        log::LaunchLog,
        sanitizer::{checks::Checks, finding::Finding, out_of_bounds, raw_findings::LaunchNames},
    },
    outcome::Stopped,
    translate::{self, Instrumentation, patterns},
    vector::lanes::Isa,
};
use warpwise_compiler::{hardware::time::CacheCounts, ir::Kernel};

/// A kernel, translated to bytecode; runs any number of times, also at once.
#[derive(Debug)]
pub struct Program {
    code: Result<Code, Malformed>,
}

impl Program {
    /// Translates a specialized and verified kernel, optimized or not.
    pub fn new(kernel: &Kernel) -> Self {
        Self::for_isa(kernel, Isa::detect())
    }

    /// Translates a kernel for the host's instruction set `isa`.
    pub(crate) fn for_isa(kernel: &Kernel, isa: Isa) -> Self {
        Self { code: translate::translate(kernel, isa, Instrumentation::None) }
    }

    /// Runs every thread of `launch` to its end.
    ///
    /// Blocks start in the order of their numbers, x fastest. Each makes progress while others
    /// wait, also with one worker. Without data races the result is the same every time, except for
    /// sums of floats that blocks add atomically: with more than one worker, the order of the
    /// additions varies.
    pub fn run(&self, launch: &Launch<'_>) -> Outcome {
        run(&self.code, launch, |_| Vec::new(), Observation::default()).0
    }
}

/// A [`Program`] with counters. The counters are instructions of their own, which a `Program` does
/// not have: it runs as fast as without the feature.
#[derive(Debug)]
pub struct CountingProgram {
    kernel: Kernel,
    code: Result<Code, Malformed>,
}

impl CountingProgram {
    /// Translates a specialized and verified kernel. The counters are those of this kernel: for the
    /// numbers of a GPU, pass it [optimized](warpwise_compiler::optimize). A kernel with
    /// [coarsened](warpwise_compiler::ir::Coarsening) threads runs on the divided grid, as on a
    /// GPU.
    pub fn new(kernel: &Kernel, requests: Requests) -> Self {
        Self::for_isa(kernel, requests, Isa::detect())
    }

    /// Translates a kernel for the host's instruction set `isa`.
    pub(crate) fn for_isa(kernel: &Kernel, requests: Requests, isa: Isa) -> Self {
        let code = translate::translate(kernel, isa, Instrumentation::Counters(requests));
        Self { kernel: kernel.clone(), code }
    }

    /// Translates a kernel without rewriting it, as a reference for tests.
    #[doc(hidden)]
    pub fn as_written(kernel: &Kernel, requests: Requests) -> Self {
        let code = translate::translate_as_written(
            kernel,
            Isa::detect(),
            Instrumentation::Counters(requests),
        );
        Self { kernel: kernel.clone(), code }
    }

    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Runs every thread of `launch` to its end, as [`Program::run`] does, and counts. The counters
    /// are the same for any number of workers, unless threads spin while they wait for other
    /// blocks.
    pub fn run(&self, launch: &Launch<'_>) -> (Outcome, Counters) {
        let patterns = |code: &Code| find_patterns(code, &self.kernel, launch);
        self.run_with(launch, patterns, Observation::default())
    }

    /// Runs a launch without address patterns and without replay, as a reference for tests.
    #[doc(hidden)]
    pub fn run_without_patterns(&self, launch: &Launch<'_>) -> (Outcome, Counters) {
        let observation = Observation { without_replay: true, ..Observation::default() };
        self.run_with(launch, |_| Vec::new(), observation)
    }

    /// Runs a launch with simulated caches, one block after the other and request by request, which
    /// takes much longer than [`run`](Self::run). A step budget of the launch limits the simulation
    /// to its first blocks.
    pub fn run_caches(&self, launch: &Launch<'_>, model: CacheModel) -> (Outcome, CacheCounts) {
        let observation =
            Observation { without_replay: true, caches: Some(model), ..Observation::default() };
        let (outcome, log) = run(&self.code, launch, |_| Vec::new(), observation);
        (outcome, log.caches.map_or_else(CacheCounts::default, |caches| caches.finish()))
    }

    fn run_with(
        &self,
        launch: &Launch<'_>,
        patterns: impl FnOnce(&Code) -> Vec<Option<Pattern>>,
        observation: Observation<'_>,
    ) -> (Outcome, Counters) {
        let (outcome, log) = run(&self.code, launch, patterns, observation);
        let none = Counted::default();
        let counted = self.code.as_ref().map_or(&none, |code| &code.counted);
        let grid = self.code.as_ref().map_or(launch.grid, |code| code.divide_grid(launch.grid));
        (outcome, Counters::new(&self.kernel, counted, log.tally, &Launch { grid, ..*launch }))
    }
}

/// A [`Program`] with the sanitizer, which has instructions of its own in the bytecode.
#[derive(Debug)]
pub struct CheckedProgram {
    kernel: Kernel,
    code: Result<Code, Malformed>,
}

impl CheckedProgram {
    /// Translates a specialized and verified kernel, optimized or not.
    pub fn new(kernel: &Kernel) -> Self {
        Self::for_isa(kernel, Isa::detect())
    }

    /// Translates a kernel for the host's instruction set `isa`.
    pub(crate) fn for_isa(kernel: &Kernel, isa: Isa) -> Self {
        let code = translate::translate(kernel, isa, Instrumentation::Sanitizer);
        Self { kernel: kernel.clone(), code }
    }

    /// Translates a kernel without rewriting it, as a reference for tests.
    #[doc(hidden)]
    pub fn as_written(kernel: &Kernel) -> Self {
        let code =
            translate::translate_as_written(kernel, Isa::detect(), Instrumentation::Sanitizer);
        Self { kernel: kernel.clone(), code }
    }

    /// Returns the kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Runs every thread of `launch` to its end, as [`Program::run`] does, and checks it. The
    /// checks do not change the results of the launch. Their findings are the same for any number
    /// of workers.
    pub fn run(&self, launch: &Launch<'_>, checks: Checks) -> (Outcome, Vec<Finding>) {
        self.run_with(launch, checks, false)
    }

    /// Runs a launch without replay, as a reference for tests.
    #[doc(hidden)]
    pub fn run_one_by_one(&self, launch: &Launch<'_>, checks: Checks) -> (Outcome, Vec<Finding>) {
        self.run_with(launch, checks, true)
    }

    fn run_with(
        &self,
        launch: &Launch<'_>,
        checks: Checks,
        without_replay: bool,
    ) -> (Outcome, Vec<Finding>) {
        let patterns = |code: &Code| find_patterns(code, &self.kernel, launch);
        let observation =
            Observation { checks: Some(checks), without_replay, ..Observation::default() };
        let (outcome, log) = run(&self.code, launch, patterns, observation);
        let Ok(Code { sites, spans, .. }) = &self.code else { return (outcome, Vec::new()) };
        let is_strict = checks.contains(Checks::STRICT);
        let names = LaunchNames { kernel: &self.kernel, sites, spans, launch, is_strict };
        let faults =
            if checks.contains(Checks::MEMORY) { log.faults.lowest_by_place() } else { Vec::new() };
        let outside =
            faults.into_iter().filter_map(|fault| out_of_bounds::report_fault(&self.kernel, fault));
        let outside: Vec<_> = outside.collect();
        let unused = log.unused.as_ref().filter(|_| outcome.stopped.is_none());
        let unused = unused.map_or_else(Vec::new, |used| used.report(&names));
        let found = outside.into_iter().chain(log.found.report(&names)).chain(unused).collect();
        (outcome, found)
    }
}

/// Returns the address patterns of the requests of a kernel, where they have one.
fn find_patterns(code: &Code, written: &Kernel, launch: &Launch<'_>) -> Vec<Option<Pattern>> {
    let kernel = code.rewritten.as_ref().unwrap_or(written);
    patterns::find_patterns(kernel, &code.counted.requests, launch)
}

/// Runs bytecode, unless its translation failed.
pub(crate) fn run(
    code: &Result<Code, Malformed>,
    launch: &Launch<'_>,
    patterns: impl FnOnce(&Code) -> Vec<Option<Pattern>>,
    observation: Observation<'_>,
) -> (Outcome, LaunchLog) {
    match code {
        Ok(code) => grid::run(code, launch, &patterns(code), observation),
        Err(Malformed { message, span }) => {
            let stopped = Stopped::Malformed { message: message.clone(), span: Some(*span) };
            (Outcome { stopped: Some(stopped), ..Outcome::default() }, LaunchLog::default())
        }
    }
}
