//! Findings of lints for launches, compared with the list of launches.
use libtest_mimic::Failed;
use warpwise_compiler::{
    diag::Level,
    ir::Kernel,
    lint::{
        self, Levels, Setting,
        launch::{Gpu, Launch, launched},
    },
    target::Target,
};
use warpwise_corpus::Launched;

/// Returns the lints with a finding for a launch on an H200, sorted by name.
pub(crate) fn said(of: &Launched) -> Vec<&'static str> {
    let kernel: Kernel = of.kernel.ir.parse().expect("the macro has made it");
    let &Launched { grid, block, count, registers, shared, .. } = of;
    let gpu = Gpu { target: Target::new(90), multiprocessors: 132, registers, shared };
    let (grid, block) = ([grid, 1, 1], [block, 1, 1]);
    let launch = Launch { kernel: &kernel, grid, block, count, gpu: Some(gpu) };
    let settings = lint::names().map(|lint| Setting::everywhere(lint, Level::Warn)).collect();
    let mut said: Vec<_> =
        launched(&launch, &Levels { settings }).into_iter().map(|found| found.code).collect();
    said.sort_unstable();
    said
}

/// Checks that the findings are the expected ones.
pub(crate) fn compare(of: &Launched, said: &[&str]) -> Result<(), Failed> {
    let lints = of.lints;
    if said == lints { Ok(()) } else { Err(format!("{said:?} and not {lints:?}: {of:?}").into()) }
}
