//! `gpu_unlaunchable_kernels`: a kernel that no GPU launches.
//!
//! ```text
//! let tile = shared!([[f32; 256]; 256]);       // 256 KiB: no GPU gives a block as much
//! ```
//! Its declared block has more threads, or its arrays take more shared memory, than a block has on
//! any architecture. Silent about sizes that a launch decides: an array that it sizes, and a block
//! that it chooses.
use crate::{
    analysis::Analyses,
    diag::Level,
    hardware::occupancy::{MAX_BLOCK_THREADS, MULTIPROCESSORS},
    ir::{Extent, Kernel, Length, Span},
    lint::{Finding, Lint, LintGroup, launch::shared_bytes},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_unlaunchable_kernels",
    group: LintGroup::Correctness,
    level: Level::Deny,
    check,
};

/// The maximum number of threads of a block along each axis.
const MAX_THREADS_PER_AXIS: [(&str, u64); 3] = [("x", 1024), ("y", 1024), ("z", 64)];

fn check(kernel: &Kernel, _: &Analyses) -> Vec<Finding> {
    check_threads(kernel).into_iter().chain(check_shared_memory(kernel)).collect()
}

fn check_threads(kernel: &Kernel) -> Option<Finding> {
    let dims: Vec<u64> = kernel.block.as_ref()?.iter().map_while(Extent::known).collect();
    let [x, y, z] = dims[..] else { return None };
    let too_long =
        [x, y, z].into_iter().zip(MAX_THREADS_PER_AXIS).find(|&(dim, (_, most))| dim > most);
    let threads = x.saturating_mul(y).saturating_mul(z);
    let message = if let Some((dim, (axis, most))) = too_long {
        format!("a block has {dim} threads along {axis}, and {most} is the most on every GPU")
    } else if threads > MAX_BLOCK_THREADS.into() {
        format!(
            "a block has {x} x {y} x {z} = {threads} threads, and {MAX_BLOCK_THREADS} is the most on every GPU"
        )
    } else if threads == 0 {
        "a block has no threads".to_owned()
    } else {
        return None;
    };
    let help = "declare a smaller block, and let each thread do more or the grid have more blocks";
    Some(finding(message, Span::KERNEL, help.to_owned()))
}

fn check_shared_memory(kernel: &Kernel) -> Option<Finding> {
    let most = MULTIPROCESSORS.iter().max_by_key(|row| row.block_shared)?;
    let limit = most.block_shared;
    let bytes = shared_bytes(kernel).filter(|&bytes| bytes > limit)?;
    let arrays = kernel.shared.iter().filter_map(|(_, shared)| match &shared.len {
        Length::Fixed(len) => Some((len.known()?.saturating_mul(shared.elem.size()?), shared)),
        Length::Launch(_) => None,
    });
    let (largest, array) = arrays.max_by_key(|&(bytes, _)| bytes)?;
    let message = format!(
        "a block takes {bytes} bytes of shared memory, and {limit} is the most on every GPU"
    );
    let help = if array.name.is_empty() {
        "work on smaller tiles, one after the other".to_owned()
    } else {
        format!(
            "work on smaller tiles, one after the other: `{}` takes {largest} bytes",
            array.name
        )
    };
    Some(finding(message, array.span, help))
}

fn finding(message: String, span: Span, help: String) -> Finding {
    Finding { message, span, labels: Vec::new(), notes: Vec::new(), help }
}
