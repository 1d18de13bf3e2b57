//! Back ends: verified IR in, artifact out.
mod abs_diff;
mod packed_halves;
pub mod ptx;
mod rows;

pub use abs_diff::{AbsDiff, find_abs_diff};
pub use packed_halves::find_packed_halves;
pub use rows::expand_rows;
use std::fmt;

/// A generator of PTX. Both make code with the same bits of the same kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// [`ptx`], which is always there.
    Builtin,
    /// LLVM, by the crate `warpwise-llvm`, where there is one.
    Llvm,
}

impl Backend {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Builtin, Self::Llvm];

    /// The name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Llvm => "llvm",
        }
    }

    /// The back end of that [name](Self::name).
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|backend| backend.name() == name)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
