//! Contests and contestants: a kernel in both languages, and who compiles it.
use crate::problem::Problem;
use std::path::{Path, PathBuf};
use warpwise::__private::Source;
use warpwise_benches::Scale;

/// A kernel of the race.
pub(crate) struct Contest {
    /// The name of the entry point in both languages, and of the files.
    pub(crate) name: &'static str,
    /// The kernel, as the macro embeds it.
    pub(crate) source: &'static Source,
    /// The CUDA C++.
    pub(crate) cuda: &'static str,
    /// The instruction that counts as one unit of work in the hot loop: `FFMA`, `LDG`.
    pub(crate) unit: &'static str,
    /// Its inputs, launch and expected results.
    pub(crate) problem: fn(Scale) -> Problem,
}

/// Defines `CONTEST` for the kernel of the given name, whose CUDA C++ is in the file beside it and whose
/// `problem` function is in scope.
macro_rules! contest {
    ($name:ident, $unit:literal) => {
        /// The contest.
        pub(crate) const CONTEST: crate::contest::Contest = crate::contest::Contest {
            name: stringify!($name),
            source: $name::__WARPWISE_SOURCE,
            cuda: include_str!(concat!(stringify!($name), ".cu")),
            unit: $unit,
            problem,
        };
    };
}
pub(crate) use contest;

/// A compiler in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contestant {
    /// `nvcc -O3`, the baseline.
    Nvcc,
    /// The built-in back end.
    BuiltIn,
    /// The LLVM back end.
    Llvm,
}

impl Contestant {
    /// All of them, the baseline first.
    pub(crate) const ALL: [Self; 3] = [Self::Nvcc, Self::BuiltIn, Self::Llvm];
    /// Those that compile the Rust.
    pub(crate) const OURS: [Self; 2] = [Self::BuiltIn, Self::Llvm];

    /// Returns its name in tables and file names.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nvcc => "nvcc",
            Self::BuiltIn => "built-in",
            Self::Llvm => "llvm",
        }
    }

    /// Returns the file in `folder` with its code for `contest`: machine code of `nvcc`, PTX of ours.
    pub(crate) fn file(self, folder: &Path, contest: &Contest) -> PathBuf {
        let extension = match self {
            Self::Nvcc => "cubin",
            Self::BuiltIn | Self::Llvm => "ptx",
        };
        folder.join(format!("{}.{}.{extension}", contest.name, self.name()))
    }
}

impl Contest {
    /// Returns the file in `folder` with the CUDA C++.
    pub(crate) fn cuda_file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.cu", self.name))
    }
}
