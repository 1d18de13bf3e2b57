//! The GPU architectures that PTX is emitted for.
use std::fmt;

/// A compute capability, e.g. 7.5 as `Target::new(75)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    sm: u32,
}

impl Target {
    /// The oldest supported: Turing.
    pub const OLDEST: Self = Self { sm: 75 };

    /// `sm` is ten times the major plus the minor number of the compute capability.
    pub const fn new(sm: u32) -> Self {
        Self { sm }
    }
    /// Ten times the major plus the minor number of the compute capability.
    pub const fn sm(self) -> u32 {
        self.sm
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.sm)
    }
}
