//! `gpu_uncoalesced_accesses`: a warp that moves at least twice the sectors of global memory that
//! its lanes' data would fill.
//!
//! ```text
//! y[i] = x[8 * i];    // 32 sectors of 32 bytes for 128 bytes; 4 would do
//! ```
//! Silent where the distance between lanes is unknown, where one lane is active, where lanes
//! permute contiguous data, and where other accesses of the thread use the rest of the sectors.
//! `gpu_swapped_axes` or `gpu_aos_accesses` fires instead if the cause is known more precisely.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{
        Finding, Lint, LintGroup, access,
        coalescing::{self, WasteReason, WastefulAccess},
    },
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_uncoalesced_accesses",
    group: LintGroup::Performance,
    level: Level::Warn,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    for wasteful in coalescing::find_wasteful(kernel, analyses) {
        if let Some(help) = coalescing_help(kernel, analyses, &wasteful) {
            let finding = Finding {
                message: wasteful.message(),
                span: access::request_span(kernel, wasteful.request),
                labels: access::address_labels(kernel, analyses, wasteful.request),
                notes: wasteful.notes(&analyses.trace),
                help,
            };
            found.push((wasteful.weight(), finding));
        }
    }
    access::keep_weightiest(found)
}

/// Returns the remedy; `None` if another lint reports the access.
fn coalescing_help(
    kernel: &Kernel,
    analyses: &Analyses,
    wasteful: &WastefulAccess<'_>,
) -> Option<String> {
    let array = access::quoted_root(kernel, wasteful.request.root);
    match wasteful.reason {
        WasteReason::Axes(_) | WasteReason::Struct(_) => None,
        WasteReason::NarrowBlock { wider } => {
            let block = match wider {
                [x, y, 1] => format!("({x}, {y})"),
                [x, y, z] => format!("({x}, {y}, {z})"),
            };
            Some(format!(
                "make the block wider, as with `block = {block}`, so that each row of threads fills its sectors"
            ))
        }
        WasteReason::Chunks => {
            let shape = analyses.trace.shape;
            let threads = if shape.declared {
                shape.thread_count().to_string()
            } else {
                "block_dim_x()".to_owned()
            };
            Some(format!(
                "let neighbouring threads take neighbouring elements: in round `k` thread `t` of a block takes element \
                 `k * {threads} + t` of what the block has of {array}"
            ))
        }
        WasteReason::Stride => Some(format!(
            "let neighbouring lanes access neighbouring elements of {array}; where the algorithm needs another order, \
             move a contiguous part through shared memory"
        )),
    }
}
