//! IR to PTX text.
use crate::{ir::Kernel, target::Target};
use std::fmt;

/// What the target cannot do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What the kernel uses.
    pub feature: &'static str,
    /// The oldest target that has it.
    pub needs: Target,
    /// The target asked for.
    pub target: Target,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} needs {} or newer, and this is {}", self.feature, self.needs, self.target)
    }
}

impl std::error::Error for Unsupported {}

/// The PTX of `kernel`, which is specialized and verified.
///
/// # Errors
/// If `target` lacks something that the kernel uses.
pub fn emit(_kernel: &Kernel, _target: Target) -> Result<String, Unsupported> {
    Ok(String::new())
}
