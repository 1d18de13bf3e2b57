//! Findings of a project, independent of the output format.
use crate::{
    project::{Finding, Kernel, Project},
    records::Level,
    sources::{Place, Sources},
};
use std::collections::{BTreeMap, BTreeSet};

/// Warnings that count as errors.
#[derive(Debug, Default)]
pub(crate) struct DeniedWarnings {
    /// All warnings.
    pub(crate) all: bool,
    /// Warnings of these lints.
    pub(crate) lints: Vec<&'static str>,
}

/// Findings in source order.
#[derive(Debug)]
pub(crate) struct Report<'p> {
    /// Source files of the findings.
    pub(crate) sources: &'p Sources,
    /// Findings without duplicates.
    pub(crate) findings: Vec<ReportedFinding<'p>>,
    /// Number of kernels examined.
    pub(crate) kernels: usize,
    /// Packages examined.
    pub(crate) packages: Vec<&'p str>,
}

/// Finding with the kernels that have it.
#[derive(Debug)]
pub(crate) struct ReportedFinding<'p> {
    /// Finding.
    pub(crate) finding: &'p Finding,
    /// Severity, including `--deny`.
    pub(crate) level: Level,
    /// The first of its kernels.
    pub(crate) kernel: &'p Kernel,
    /// Kernels, as crate and name; several if the finding is in a function that they call.
    pub(crate) kernels: BTreeSet<(&'p str, &'p str)>,
}

impl DeniedWarnings {
    fn effective_level(&self, finding: &Finding) -> Level {
        let denied = self.all || self.lints.contains(&finding.code.as_str());
        match finding.level {
            Level::Warn if denied => Level::Deny,
            level @ (Level::Allow | Level::Warn | Level::Deny) => level,
        }
    }
}

impl<'p> Report<'p> {
    /// Collects the findings in the selected packages and, with `deps`, in their dependencies.
    /// Findings of several compilations of a crate, or of several kernels in a common function, are
    /// one finding if they have the same causes.
    pub(crate) fn new(project: &'p Project, denied: &DeniedWarnings, deps: bool) -> Self {
        let kernels = || project.kernels.iter().filter(|kernel| deps || kernel.selected);
        let mut found = BTreeMap::new();
        let each = kernels()
            .flat_map(|kernel| kernel.findings.iter().map(move |finding| (kernel, finding)));
        for (kernel, finding) in each {
            let level = denied.effective_level(finding);
            let Finding { code, message, place, labels, .. } = finding;
            // The key has the causes, so that findings that differ in anything else coincide.
            let entry = found.entry((place, code, message, labels, level));
            let new = || ReportedFinding { finding, level, kernel, kernels: BTreeSet::new() };
            let entry: &mut ReportedFinding<'p> = entry.or_insert_with(new);
            entry.kernels.insert((&kernel.krate, &kernel.name));
        }
        let mut found: Vec<_> = found.into_values().collect();
        let sources = &project.sources;
        found.sort_by_cached_key(|found| {
            let (file, start, end) = sources.sort_key(found.finding.place);
            let finding = found.finding;
            (file.to_owned(), start, end, finding.code.clone(), finding.message.clone())
        });
        let places: BTreeSet<(Place, &str)> =
            kernels().map(|kernel: &Kernel| (kernel.name_place, kernel.name.as_str())).collect();
        let mut packages: BTreeSet<&str> = project.packages.iter().map(String::as_str).collect();
        packages.extend(kernels().map(|kernel| kernel.package.as_str()));
        Self {
            sources,
            findings: found,
            kernels: places.len(),
            packages: packages.into_iter().collect(),
        }
    }

    /// Returns the findings to show; `all` includes those at level `allow`.
    pub(crate) fn visible_findings(&self, all: bool) -> impl Iterator<Item = &ReportedFinding<'p>> {
        self.findings.iter().filter(move |found| all || found.level > Level::Allow)
    }

    fn count_at_level(&self, level: Level) -> usize {
        self.findings.iter().filter(|found| found.level == level).count()
    }

    /// Returns the number of errors.
    pub(crate) fn error_count(&self) -> usize {
        self.count_at_level(Level::Deny)
    }

    /// Returns the number of warnings.
    pub(crate) fn warning_count(&self) -> usize {
        self.count_at_level(Level::Warn)
    }

    /// Returns the number of findings at level `allow`.
    pub(crate) fn allowed_count(&self) -> usize {
        self.count_at_level(Level::Allow)
    }
}
