//! `cargo warpwise profile`: runs a program's kernels on the interpreter, counts what hardware would do, and says where
//! there is something to gain.
//!
//! ```text
//! cargo run with WARPWISE_PROFILE ─read─► Recorded ─┐
//! cargo check ─check─► Project, with its findings ──┴─Report::of─► text, html | json
//! ```
mod counts;
mod html;
mod json;
mod lints;
mod plausible;
mod program;
mod read;
mod registers;
mod report;
mod text;

use crate::{
    args::{Profile, When},
    check,
    color::Paint,
    fault::Fault,
    listing,
    workspace::Workspace,
};
use program::Ran;
use report::Report;
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};
use warpwise_compiler::hardware::occupancy::{MULTIPROCESSORS, Multiprocessor};

/// Runs the command.
pub(crate) fn run(command: &Profile, color: When) -> Result<ExitCode, Fault> {
    let multiprocessor = multiprocessor(command)?;
    let registers = registers::Sources::of(&command.registers, command.target)?;
    let workspace = Workspace::of(&command.build)?;
    let ran = match &command.read {
        Some(folder) => Ran { recorded: read::folder(folder)?, failed: None },
        None => program::run(command, &workspace)?,
    };
    refuse_nothing(&ran, command)?;
    let launched: BTreeSet<&str> = ran.recorded.kernels.iter().map(|of| &*of.kernel).collect();
    registers.check(&launched.into_iter().collect::<Vec<_>>())?;
    let project = check::project(&command.build)?;
    let find = |kernel: &str, ir: Option<&str>| registers.find(kernel, ir);
    let report = Report::of(ran, &project, &workspace.workspace_root, multiprocessor, find);
    let page = command.html.clone();
    let page = page.or_else(|| (!command.json).then(|| usual_page(&workspace)));
    if let Some(page) = &page {
        write_page(page, &html::render(&report))?;
    }
    let mut text = match command.json {
        true => json::render(&report),
        false => text::render(&report, command.all, Paint::of(color, &io::stdout())),
    };
    if let Some(page) = page.filter(|_| !command.json) {
        text += &format!("warpwise: {} has sources, access patterns and curves\n", page.display());
    }
    listing::print(&text)?;
    Ok(if report.failed.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Where the page is if nobody says.
fn usual_page(workspace: &Workspace) -> PathBuf {
    workspace.target_directory.join("warpwise/profile.html")
}

fn write_page(path: &Path, page: &str) -> Result<(), Fault> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, page))
        .map_err(|error| Fault::new(format!("cannot write {}: {error}", path.display())))
}

fn multiprocessor(command: &Profile) -> Result<&'static Multiprocessor, Fault> {
    Multiprocessor::of(command.target).ok_or_else(|| {
        let known: Vec<String> = MULTIPROCESSORS.iter().map(|row| row.target.to_string()).collect();
        Fault::new(format!("nothing is known of multiprocessors of {}", command.target))
            .help(format!("there are {}", known.join(", ")))
    })
}

/// Says why there is nothing to report.
fn refuse_nothing(ran: &Ran, command: &Profile) -> Result<(), Fault> {
    let recorded = &ran.recorded;
    if !recorded.kernels.is_empty() {
        return Ok(());
    }
    if let Some((kernel, reason)) = recorded.stopped.first() {
        let text =
            format!("every launch was given up, the first, of `{kernel}`, because of: {reason}");
        return Err(Fault::new(text));
    }
    if recorded.on_gpu != 0 {
        let text =
            format!("all {} launches ran on a GPU, where nothing is counted", recorded.on_gpu);
        let help = "open devices by `Device::auto()`, which takes the interpreter here, or by `Device::cpu()`";
        return Err(Fault::new(text).help(help));
    }
    if let Some(folder) = &command.read {
        let text = format!("no launch is recorded in {}", folder.display());
        return Err(Fault::new(text).help("programs write there with `WARPWISE_PROFILE` set to it"));
    }
    match ran.failed {
        Some(status) => {
            Err(Fault::new(format!("the program failed ({status}) before it launched a kernel")))
        }
        None => Err(Fault::new("the program launched no kernel")
            .help("`--bin`, `--example` and `--test` name others; arguments come behind `--`")),
    }
}
