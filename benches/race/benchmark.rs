//! A kernel in both languages, and the compilers that race on it.
use crate::problem::Problem;
use std::path::{Path, PathBuf};
use warpwise::__private::Source;
use warpwise_benches::Scale;

/// A kernel of the race.
pub(crate) struct Benchmark {
    /// The name of the entry point in both languages, and of the files.
    pub(crate) name: &'static str,
    /// The kernel, as the macro embeds it.
    pub(crate) source: &'static Source,
    /// The CUDA C++; `None` of a [variant](crate::variants), which does not race.
    pub(crate) cuda: Option<&'static str>,
    /// The instruction that counts as one unit of work in the hot loop: `FFMA`, `LDG`.
    pub(crate) unit: &'static str,
    /// Its inputs, launch and expected results.
    pub(crate) problem: fn(Scale) -> Problem,
}

/// Defines `BENCHMARK` for the kernel of the given name, whose CUDA C++ is in the file beside it
/// and whose `problem` function is in scope.
macro_rules! benchmark {
    ($name:ident, $unit:literal) => {
        /// The benchmark.
        pub(crate) const BENCHMARK: crate::benchmark::Benchmark = crate::benchmark::Benchmark {
            name: stringify!($name),
            source: $name::__WARPWISE_SOURCE,
            cuda: Some(include_str!(concat!(stringify!($name), ".cu"))),
            unit: $unit,
            problem,
        };
    };
}
pub(crate) use benchmark;

/// A compiler in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compiler {
    /// `nvcc -O3`, the baseline.
    Nvcc,
    /// The built-in back end.
    BuiltIn,
    /// The LLVM back end.
    Llvm,
}

impl Compiler {
    /// All compilers, the baseline first.
    pub(crate) const ALL: [Self; 3] = [Self::Nvcc, Self::BuiltIn, Self::Llvm];
    /// The compilers of the Rust.
    pub(crate) const OURS: [Self; 2] = [Self::BuiltIn, Self::Llvm];

    /// Returns its name in tables and file names.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nvcc => "nvcc",
            Self::BuiltIn => "built-in",
            Self::Llvm => "llvm",
        }
    }

    /// Returns the file in `folder` with the code that runs in launches of any size: machine code
    /// of `nvcc`, PTX of ours.
    pub(crate) fn file(self, folder: &Path, benchmark: &Benchmark) -> PathBuf {
        match self {
            Self::Nvcc => folder.join(format!("{}.{}.cubin", benchmark.name, self.name())),
            Self::BuiltIn | Self::Llvm => self.ptx_file(folder, benchmark),
        }
    }

    /// Returns the file in `folder` with the code that runs in launches that fulfil the contract, if
    /// there is one.
    pub(crate) fn assumed_file(self, folder: &Path, benchmark: &Benchmark) -> PathBuf {
        folder.join(format!("{}.{}.assumed.ptx", benchmark.name, self.name()))
    }

    /// Returns the file in `folder` with the code that runs in large launches, if there is a code
    /// of its own for them.
    pub(crate) fn coarsened_file(self, folder: &Path, benchmark: &Benchmark) -> PathBuf {
        folder.join(format!("{}.{}.coarsened.ptx", benchmark.name, self.name()))
    }

    /// Returns the file in `folder` with its PTX.
    pub(crate) fn ptx_file(self, folder: &Path, benchmark: &Benchmark) -> PathBuf {
        folder.join(format!("{}.{}.ptx", benchmark.name, self.name()))
    }

    /// Returns the file of large launches that fulfil the contract, or `file` if they run no code of
    /// their own.
    pub(crate) fn or_own_file(
        self,
        file: PathBuf,
        folder: &Path,
        benchmark: &Benchmark,
    ) -> PathBuf {
        let own = [self.coarsened_file(folder, benchmark), self.assumed_file(folder, benchmark)];
        own.into_iter().find(|own| own.exists()).unwrap_or(file)
    }
}

impl Benchmark {
    /// Returns the file in `folder` with the CUDA C++.
    pub(crate) fn cuda_file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.cu", self.name))
    }
}
