//! Checks that a kernel is well formed.
use crate::ir::{InstId, Kernel};
use std::fmt;

/// What is malformed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The instruction at fault; `None` if it is the signature.
    pub inst: Option<InstId>,
    /// What is wrong with it.
    pub message: String,
}

/// Everything wrong with one kernel; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyErrors(pub Vec<VerifyError>);

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for VerifyErrors {}

/// Checks `kernel`, collecting everything wrong with it.
///
/// # Errors
/// If a rule is broken.
pub fn verify(_kernel: &Kernel) -> Result<(), VerifyErrors> {
    Ok(())
}
