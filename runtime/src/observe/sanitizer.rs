//! The checks that a device or the environment asks for, and the findings of its launches.
use crate::{
    Error,
    check::{Checks, Finding, Severity},
};
use std::{
    collections::HashSet,
    io::Write,
    sync::{LazyLock, Mutex, PoisonError},
};

/// The checks of a device, and its findings since they were last taken.
#[derive(Debug)]
pub(crate) struct Sanitizer {
    /// The checks, or the reason why they are unknown.
    checks: Result<Checks, Error>,
    /// Findings until they are taken; without a reader, those that fail no launch are printed.
    pending: Option<Mutex<Vec<Finding>>>,
}

impl Sanitizer {
    /// Creates the checks that a program asks for.
    pub(crate) fn requested(checks: Checks) -> Self {
        Self { checks: Ok(checks), pending: Some(Mutex::default()) }
    }

    /// Returns the checks.
    ///
    /// # Errors
    /// [`Error::BadChecks`].
    pub(crate) fn checks(&self) -> Result<Checks, Error> {
        self.checks.clone()
    }

    /// Returns the checks that `WARPWISE_CHECK` asks for, as `Checks::from_str` of `warpwise_simt`
    /// reads them.
    pub(crate) fn from_env() -> Option<Self> {
        let value = std::env::var_os("WARPWISE_CHECK").filter(|value| !value.is_empty())?;
        let value = value.to_string_lossy().into_owned();
        let checks = value.parse().map_err(|_| Error::BadChecks { value });
        Some(Self { checks, pending: None })
    }

    /// Records the findings of a launch; returns an error if they fail it.
    pub(crate) fn record(&self, kernel: &'static str, findings: Vec<Finding>) -> Result<(), Error> {
        let fails = findings.iter().any(|finding| self.fails_launch(finding));
        if !self.keep_pending(&findings) && !fails {
            print_once(&findings);
        }
        if fails { Err(Error::Findings { kernel, findings }) } else { Ok(()) }
    }

    /// Records the findings of a launch that did not end; returns those that fail a launch.
    pub(crate) fn record_stopped(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let is_kept = self.keep_pending(&findings);
        let (errors, others): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|finding| self.fails_launch(finding));
        if !is_kept {
            print_once(&others);
        }
        errors
    }

    /// Returns true if a launch with this finding fails.
    fn fails_launch(&self, finding: &Finding) -> bool {
        let denies = self.checks.as_ref().is_ok_and(|checks| checks.contains(Checks::DENY));
        finding.severity >= if denies { Severity::Warning } else { Severity::Error }
    }

    /// Keeps findings until they are taken; returns false if they never are.
    fn keep_pending(&self, findings: &[Finding]) -> bool {
        let Some(pending) = &self.pending else { return false };
        let mut pending = pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.extend(findings.iter().cloned());
        true
    }

    /// Takes the findings since the last call.
    pub(crate) fn take_pending(&self) -> Vec<Finding> {
        let Some(pending) = &self.pending else { return Vec::new() };
        std::mem::take(&mut *pending.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Prints findings that fail no launch, each once a process, on the standard error of the process.
///
/// This does not use `eprintln!`, which libtest captures: the findings of a test that passes would
/// never be shown.
fn print_once(findings: &[Finding]) {
    static PRINTED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    let lines =
        findings.iter().map(|finding| format!("warpwise: `{}`: {finding}\n", finding.kernel));
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let new: String = lines.filter(|line| printed.insert(line.clone())).collect();
    // A closed standard error leaves no way to report the error.
    let _ = std::io::stderr().write_all(new.as_bytes());
}
