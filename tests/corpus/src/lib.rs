//! Kernels with known faults, and as many without: what the lints are measured by.
//!
//! A kernel says in comments what is wrong with it, on the line where a finding must stand; a kernel
//! without such a comment must be without findings, at any level:
//!
//! ```text
//! let v = tile[lane][3]; //~ gpu_bank_conflicts "32 wavefronts, 1 needed"
//! ```
//! `//~` stands behind what it is about; `//~^` on a line below is about the line above it, one further up for each further `^`.
//! `//~?` is for what no lint proves, and should: it counts as missed. Behind the lint's name may stand a part of the message. Where a statement is long, rustfmt
//! leaves such lines alone.
//!
//! To add kernels: write them into the module of their lint (or a new one, listed below), and
//! list them in its `corpus![..]`. Write them as a user would: labels come from what the hardware does, not from what the lints say.
//! Every kernel declares its block, unless that is what it is about.
//! `cargo test -p warpwise-corpus` compares, and keeps `docs/lints/evidence.md` true (`BLESS=1` rewrites it).
//!
//! The kernels of [`HELD_OUT`] are different: they were ported from textbooks, samples and articles, and labelled,
//! before anybody looked at what the lints report for them. Their labels state what the hardware does and are never
//! changed to fit the lints. What the lints find of them is published in a table of its own, misses and false reports
//! included, so a difference from a label is no failure; a change of the table is. Marks of their own say what came of
//! looking at each difference by hand, and count in the adjudicated figure only:
//!
//! - `//~= lint for label`: reports the same fault as the kernel's label with the lint `label`, elsewhere or by its cause;
//! - `//~+ lint`: states a fact that has no label;
//! - `//~! lint why`: the label on this line is missed, and why;
//! - `//~- lint why`: the label on this line is wrong, as measurements show.
pub mod run;

use warpwise::__private::Source;

/// What a page of `docs/lints` shows.
#[derive(Debug)]
pub struct Page {
    /// The page's lint.
    pub lint: &'static str,
    /// Where in the page.
    pub line: usize,
    /// Whether it is the page's bad example, in which the lint must find something and no
    /// other lint may. In the others none may.
    pub is_bad: bool,
    /// Its kernels.
    pub kernels: &'static [&'static Source],
}

/// A launch, in one dimension, and what the lints must say of it.
#[derive(Clone, Copy, Debug)]
pub struct Launched {
    /// What is launched.
    pub kernel: &'static Source,
    /// Blocks.
    pub grid: u32,
    /// Threads of a block.
    pub block: u32,
    /// Which launch in a row it is.
    pub count: u64,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of shared memory of a block.
    pub shared: u64,
    /// The lints that must speak, by name; no others may.
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
