//! `cargo warpwise profile`: runs a program's kernels on the interpreter, counts the work of the
//! hardware, and reports possible gains.
//!
//! ```text
//! cargo run with WARPWISE_PROFILE ─read─► Recording ┐
//! cargo check ─check─► Project, with its findings ──┴─Report::new─► text, html | json
//! ```
mod code;
mod compare;
mod counts;
mod html;
mod json;
mod lints;
mod metrics;
mod ncu;
mod plausible;
mod program;
mod read;
mod registers;
mod report;
mod text;
mod timeline;
mod verdict;
mod watch;

use crate::{
    args::{Build, Profile, When},
    color::Paint,
    error::CommandError,
    listing,
    progress::Progress,
    project::{self, Project, Scope},
    workspace::Workspace,
};
use compare::Comparison;
use html::PageHeader;
use program::ProgramRun;
use report::{Report, ReportTarget};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};
use warpwise::model::{GPUS, Gpu};
use warpwise_compiler::{
    hardware::occupancy::{MULTIPROCESSORS, Multiprocessor, OLDER_MULTIPROCESSORS},
    target::Target,
};

/// Runs the command.
pub(crate) fn run(command: &Profile, color: When) -> Result<ExitCode, CommandError> {
    let gpu = find_gpu(command)?;
    let target = command.gpu.as_ref().and(gpu).map_or(command.target, |gpu| gpu.target);
    let multiprocessor = find_multiprocessor(target)?;
    let metrics = metrics::find_all(&command.metrics)?;
    let registers = registers::RegisterSources::new(&command.registers, target)?;
    let workspace = Workspace::load(&command.build)?;
    let ran = match &command.read {
        Some(folder) => ProgramRun::recorded_in(folder)?,
        None => program::run(command, &workspace, gpu)?,
    };
    check_has_launches(&ran, command)?;
    let old = command.compare.as_ref().map(|folder| read_old_run(folder)).transpose()?;
    let launched: BTreeSet<&str> =
        ran.recorded.kernels.iter().map(|group| &*group.kernel).collect();
    registers.check_overrides(&launched.iter().copied().collect::<Vec<_>>())?;
    // Check only now: a run without launches is reported at once.
    let project = check_kernels(&command.build, &launched)?;
    let find = |kernel: &str, ir: Option<&str>| registers.registers_of(kernel, ir);
    let on = ReportTarget { multiprocessor, gpu };
    let root = &workspace.workspace_root;
    let progress = Progress::start(|| "compiling kernels for their registers".to_owned());
    let mut report = Report::new(ran, &project, root, on, find);
    if let (Some(old), Some(folder)) = (old, &command.compare) {
        let old = Report::new(old, &project, root, on, find);
        report.comparison = Some(Comparison::new(&old, &report, folder.display().to_string()));
    }
    drop(progress);
    if !metrics.is_empty() {
        return metrics::print(&report, &metrics, command.json);
    }
    let page = command.html.clone();
    let page = page.or_else(|| (!command.json).then(|| default_page(&workspace)));
    if let Some(page) = &page {
        report.compile_code(&project);
        let run = PageHeader::new(command, &workspace.workspace_root);
        write_page(page, &html::render(&report, &run))?;
    }
    let mut text = if command.json {
        json::render(&report)
    } else {
        text::render(&report, command.all, Paint::for_stream(color, &io::stdout()))
    };
    if let Some(page) = page.filter(|_| !command.json) {
        text += &format!("warpwise: {} has sources, access patterns and curves\n", page.display());
    }
    listing::print_text(&text)?;
    Ok(if report.failed.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Reads the run of `--compare`.
fn read_old_run(folder: &Path) -> Result<ProgramRun, CommandError> {
    let ran = ProgramRun::recorded_in(folder)?;
    if ran.recorded.kernels.is_empty() {
        let text = format!("no launch is recorded in {}", folder.display());
        return Err(CommandError::new(text).with_help("`--save` keeps a run in a folder"));
    }
    Ok(ran)
}

/// Checks the project, with its dependencies if only they can have some of the launched kernels.
fn check_kernels(build: &Build, launched: &BTreeSet<&str>) -> Result<Project, CommandError> {
    let project = project::check_project(build, Scope::Workspace)?;
    let is_known = |name: &&str| project.kernels.iter().any(|kernel| kernel.name == **name);
    if !project.built || launched.iter().all(is_known) {
        return Ok(project);
    }
    project::check_project(build, Scope::Dependencies)
}

/// Returns the default path of the page.
fn default_page(workspace: &Workspace) -> PathBuf {
    workspace.target_directory.join("warpwise/profile.html")
}

fn write_page(path: &Path, page: &str) -> Result<(), CommandError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, page))
        .map_err(|error| CommandError::new(format!("cannot write {}: {error}", path.display())))
}

fn find_multiprocessor(target: Target) -> Result<&'static Multiprocessor, CommandError> {
    Multiprocessor::of(target).ok_or_else(|| {
        let rows = OLDER_MULTIPROCESSORS.iter().chain(MULTIPROCESSORS);
        let known: Vec<String> = rows.map(|row| row.target.to_string()).collect();
        CommandError::new(format!("nothing is known of multiprocessors of {target}"))
            .with_help(format!("there are {}", known.join(", ")))
    })
}

/// Returns the GPU of the predictions: the one of `--gpu`, or the one that represents the target,
/// if there is one.
fn find_gpu(command: &Profile) -> Result<Option<&'static Gpu>, CommandError> {
    let Some(name) = &command.gpu else { return Ok(Gpu::of(command.target)) };
    let known = || GPUS.iter().map(|gpu| gpu.name).collect::<Vec<_>>().join(", ");
    let gpu = Gpu::named(name).ok_or_else(|| {
        CommandError::new(format!("nothing is known of the GPU `{name}`"))
            .with_help(format!("there are {}", known()))
    })?;
    Ok(Some(gpu))
}

/// Returns an error if there is nothing to report.
fn check_has_launches(ran: &ProgramRun, command: &Profile) -> Result<(), CommandError> {
    let recorded = &ran.recorded;
    if !recorded.kernels.is_empty() {
        return Ok(());
    }
    if let Some((kernel, reason)) = recorded.stopped.first() {
        let text =
            format!("every launch was given up, the first, of `{kernel}`, because of: {reason}");
        return Err(CommandError::new(text));
    }
    let on_gpu = recorded.uncounted_launches();
    if on_gpu != 0 {
        let text = format!("all {on_gpu} launches ran on a GPU, where nothing is counted");
        let help = "open devices by `Device::auto()`, which takes the interpreter here, or by `Device::cpu()`";
        return Err(CommandError::new(text).with_help(help));
    }
    if let Some(folder) = &command.read {
        let text = format!("no launch is recorded in {}", folder.display());
        return Err(CommandError::new(text)
            .with_help("programs write there with `WARPWISE_PROFILE` set to it"));
    }
    match ran.failed {
        Some(status) => Err(CommandError::new(format!(
            "the program failed ({status}) before it launched a kernel"
        ))),
        None => Err(CommandError::new("the program launched no kernel")
            .with_help("`--bin`, `--example` and `--test` name others; arguments come after `--`")),
    }
}
