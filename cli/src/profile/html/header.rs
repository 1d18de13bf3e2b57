//! Header of the page: the run that it shows.
use crate::{args::Profile, profile::report::Report};
use std::{
    path::Path,
    process::{Command, Stdio},
    time::{SystemTime, UNIX_EPOCH},
};
use warpwise_compiler::drawing::svg::escape;

/// The run that a page shows, as far as no record has it.
#[derive(Default)]
pub(in crate::profile) struct PageHeader {
    /// Arguments of the program.
    arguments: Vec<String>,
    /// Revision of the sources, if they are in a git repository.
    revision: Option<String>,
    /// Date and time in UTC.
    date: Option<String>,
}

impl PageHeader {
    /// Collects the facts about a run in the workspace at `root`.
    pub(in crate::profile) fn new(command: &Profile, root: &Path) -> Self {
        let arguments = command.arguments.iter();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
        Self {
            arguments: arguments.map(|word| word.to_string_lossy().into_owned()).collect(),
            revision: find_revision(root),
            date: since.map(|since| format_date(since.as_secs())),
        }
    }

    /// Renders the facts as a list.
    pub(super) fn render(&self, report: &Report) -> String {
        let target = report.multiprocessor.target;
        let target =
            report.gpu.map_or(target.to_string(), |gpu| format!("{} ({target})", gpu.name));
        let arguments = self.arguments.join(" ");
        let facts = [
            ("program", report.program.clone()),
            ("arguments", Some(arguments).filter(|words| !words.is_empty())),
            ("revision", self.revision.clone()),
            ("date", self.date.clone()),
            ("target", Some(target)),
        ];
        let facts = facts.into_iter().filter_map(|(name, fact)| {
            Some(format!("<div><dt>{name}</dt><dd>{}</dd></div>", escape(&fact?)))
        });
        format!("<dl class=\"run\">{}</dl>\n", facts.collect::<String>())
    }
}

/// Returns the revision that git describes, with a mark of local changes.
fn find_revision(root: &Path) -> Option<String> {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty", "--abbrev=10"]).current_dir(root);
    let output = git.stderr(Stdio::null()).output().ok()?;
    let revision = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !revision.is_empty()).then_some(revision)
}

/// Formats seconds since 1970 as `2026-03-01 12:30 UTC`.
fn format_date(seconds: u64) -> String {
    let (minutes, mut days) = (seconds / 60 % (24 * 60), seconds / (24 * 60 * 60));
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (month, day) = (month + 1, days + 1);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(format_date(0), "1970-01-01 00:00 UTC");
        assert_eq!(format_date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(format_date(1_772_368_245), "2026-03-01 12:30 UTC");
    }
}
