//! Kernels with known faults, and as many without, by which the lints are measured.
//!
//! Comments in a kernel state its faults, on the line of the expected finding; a kernel without
//! such a comment must be without findings, at any level:
//!
//! ```text
//! let v = tile[lane][3]; //~ gpu_bank_conflicts "32 wavefronts, 1 needed"
//! ```
//! `//~` stands at the end of the line that it labels; `//~^` labels the line above it, one further
//! up for each further `^`. `//~?` is a fault that no lint proves, but should: it counts as missed.
//! A part of the message may follow the lint's name. rustfmt leaves such lines alone if a statement
//! is long.
//!
//! To add kernels: write them into the module of their lint (or a new one, listed below), and list
//! them in its `corpus![..]`. Write them as a user would: labels state what the hardware does, not
//! what the lints report. Every kernel declares its block, unless the block is the point of it.
//! `cargo test -p warpwise-corpus` compares, and checks `docs/lints/evidence.md` (`BLESS=1`
//! rewrites it).
//!
//! The kernels of [`HELD_OUT`] are different: they were ported from textbooks, samples and
//! articles, and labelled, before anybody looked at what the lints report for them. Their labels
//! state what the hardware does and are never changed to fit the lints. The findings of the lints
//! for them are published in a table of their own, misses and false reports included, so a
//! difference from a label is no failure; a change of the table is. Marks of their own state the
//! outcome of reviewing each difference by hand, and count in the adjudicated figure only:
//!
//! - `//~= lint for label`: reports the same fault as the kernel's label with the lint `label`,
//!   elsewhere or by its cause;
//! - `//~+ lint`: states a fact that has no label;
//! - `//~! lint why`: the label on this line is missed, and why;
//! - `//~- lint why`: the label on this line is wrong, as measurements show.
pub mod run;

use warpwise::__private::Source;

/// An example in a page of `docs/lints`.
#[derive(Debug)]
pub struct Page {
    /// The page's lint.
    pub lint: &'static str,
    /// Its line in the page.
    pub line: usize,
    /// True for the page's bad example, in which the lint must have a finding and no other lint
    /// may. In the others none may.
    pub is_bad: bool,
    /// Its kernels.
    pub kernels: &'static [&'static Source],
}

/// A launch, in one dimension, and the expected findings.
#[derive(Clone, Copy, Debug)]
pub struct Launched {
    /// The launched kernel.
    pub kernel: &'static Source,
    /// Blocks.
    pub grid: u32,
    /// Threads of a block.
    pub block: u32,
    /// The number of the launch in a row of equal ones.
    pub count: u64,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory of a block.
    pub shared: u64,
    /// The names of the lints that must have a finding; no others may.
    pub lints: &'static [&'static str],
}

/// Lists the kernels of a module.
#[macro_export]
#[doc(hidden)]
macro_rules! corpus {
    ($($kernel:ident),* $(,)?) => {
        /// The kernels of this module.
        pub const KERNELS: &[&::warpwise::__private::Source] = &[$($kernel::__WARPWISE_SOURCE),*];
    };
}

/// Kernels about one branch each, which lints are not measured by.
pub mod arms;

pub use launches::{LAUNCHES, UNLAUNCHABLE};

/// Declares the modules of a folder and lists them.
macro_rules! modules {
    ($(#[$doc:meta])* $list:ident in $folder:literal: $($module:ident),* $(,)?) => {
        $(mod $module;)*
        $(#[$doc])*
        pub const $list: &[(&str, &[&::warpwise::__private::Source])] =
            &[$((concat!("src/", $folder, stringify!($module), ".rs"), $module::KERNELS)),*];
    };
}

mod held_out;
pub use held_out::HELD_OUT;

modules![
    /// The modules of the corpus: their files, and their kernels.
    MODULES in "":
    barriers,
    clusters,
    constant_memory,
    contention,
    contracts,
    copies,
    divergence,
    edges,
    indices,
    launches,
    layout,
    long_loops,
    orders,
    paths,
    protocols,
    races,
    reduction,
    resources,
    textbook,
    textures,
    transpose,
    updates,
    vector_loads,
    warps,
];

include!(concat!(env!("OUT_DIR"), "/pages.rs"));
