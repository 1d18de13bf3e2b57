//! What there is to say, before it is said in any format.
use crate::{
    check::{Finding, Kernel, Project},
    records::Level,
    sources::{Place, Sources},
};
use std::collections::{BTreeMap, BTreeSet};

/// Which warnings are errors.
#[derive(Debug, Default)]
pub(crate) struct Denied {
    /// All of them.
    pub(crate) all: bool,
    /// Those of these lints.
    pub(crate) lints: Vec<&'static str>,
}

/// Every finding, in the order of the sources.
#[derive(Debug)]
pub(crate) struct Report<'p> {
    /// What the findings are in.
    pub(crate) sources: &'p Sources,
    /// What was found, each once.
    pub(crate) found: Vec<Found<'p>>,
    /// How many kernels were looked at.
    pub(crate) kernels: usize,
    /// The packages that were looked at.
    pub(crate) packages: Vec<&'p str>,
}

/// A finding, and where it was found.
#[derive(Debug)]
pub(crate) struct Found<'p> {
    /// The finding.
    pub(crate) finding: &'p Finding,
    /// How serious it is, all things considered.
    pub(crate) level: Level,
    /// The kernels, several if it is in a function that they call: crate and name.
    pub(crate) kernels: BTreeSet<(&'p str, &'p str)>,
}

impl Denied {
    fn level(&self, finding: &Finding) -> Level {
        let denied = self.all || self.lints.contains(&finding.code.as_str());
        match finding.level {
            Level::Warn if denied => Level::Deny,
            level @ (Level::Allow | Level::Warn | Level::Deny) => level,
        }
    }
}

impl<'p> Report<'p> {
    /// Of the packages that are meant, and with `deps` of what they depend on. What several
    /// compilations of a crate find, or several kernels in a function that they call, is one finding, if it
    /// has the same causes.
    pub(crate) fn of(project: &'p Project, denied: &Denied, deps: bool) -> Self {
        let kernels = || project.kernels.iter().filter(|kernel| deps || kernel.selected);
        let mut found = BTreeMap::new();
        let each = kernels()
            .flat_map(|kernel| kernel.findings.iter().map(move |finding| (kernel, finding)));
        for (kernel, finding) in each {
            let level = denied.level(finding);
            let Finding { code, message, at, labels, .. } = finding;
            let entry = found.entry((at, code, message, labels, level));
            let new = || Found { finding, level, kernels: BTreeSet::new() };
            let entry: &mut Found<'p> = entry.or_insert_with(new);
            entry.kernels.insert((&kernel.krate, &kernel.name));
        }
        let mut found: Vec<_> = found.into_values().collect();
        let sources = &project.sources;
        found.sort_by_cached_key(|found| {
            let (file, start, end) = sources.order(found.finding.at);
            let finding = found.finding;
            (file.to_owned(), start, end, finding.code.clone(), finding.message.clone())
        });
        let places: BTreeSet<(Place, &str)> =
            kernels().map(|kernel: &Kernel| (kernel.at, kernel.name.as_str())).collect();
        let mut packages: BTreeSet<&str> = project.packages.iter().map(String::as_str).collect();
        packages.extend(kernels().map(|kernel| kernel.package.as_str()));
        Self { sources, found, kernels: places.len(), packages: packages.into_iter().collect() }
    }

    /// What is to be shown: with `all`, what is at level `allow`, too.
    pub(crate) fn shown(&self, all: bool) -> impl Iterator<Item = &Found<'p>> {
        self.found.iter().filter(move |found| all || found.level > Level::Allow)
    }

    fn count(&self, level: Level) -> usize {
        self.found.iter().filter(|found| found.level == level).count()
    }

    /// How many findings are errors.
    pub(crate) fn errors(&self) -> usize {
        self.count(Level::Deny)
    }

    /// How many are warnings.
    pub(crate) fn warnings(&self) -> usize {
        self.count(Level::Warn)
    }

    /// How many are at level `allow`.
    pub(crate) fn allowed(&self) -> usize {
        self.count(Level::Allow)
    }
}
