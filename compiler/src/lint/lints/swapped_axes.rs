//! `gpu_swapped_axes`: a two-dimensional block whose x axis walks from row to row of an array, and
//! whose y axis walks along rows.
//!
//! ```text
//! y[global_idx_x() * pitch + global_idx_y()] = v;    // lanes are `pitch` elements apart
//! ```
//! Lanes of a warp are neighbours along x. Fires at twice the necessary sectors, like
//! `gpu_uncoalesced_accesses`, and in its place. If the pitch is unknown, a row is assumed to have
//! at least as many elements as the block has threads along y: rows would overlap otherwise.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{
        Finding, Lint, LintGroup, access,
        coalescing::{self, WasteReason, WastefulAccess},
    },
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_swapped_axes", group: LintGroup::Performance, level: Level::Warn, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    let wasteful = coalescing::find_wasteful(kernel, analyses);
    for one in &wasteful {
        if let WasteReason::Axes(elements) = one.reason {
            found.push((one.weight(), finding(kernel, analyses, one, elements)));
        }
    }
    access::keep_weightiest(found)
}

fn finding(
    kernel: &Kernel,
    analyses: &Analyses,
    one: &WastefulAccess<'_>,
    elements: Option<u64>,
) -> Finding {
    let array = access::quoted_root(kernel, one.request.root);
    let distance = match elements {
        Some(elements) => format!("{elements} elements"),
        None => "a row".to_owned(),
    };
    let note =
        format!("neighbouring lanes differ in x, which makes {distance} of {array}; y makes one");
    let mut notes = vec![note];
    notes.extend(access::assumed_shape_note(&analyses.trace.shape));
    // With the axes swapped, those accesses would be like this one.
    let (what, help) = if coalescing::walks_rows(analyses) {
        let help = format!(
            "go through a tile in shared memory, so that x walks along the rows of {array} here, too: swapped axes would \
             do the same to the accesses that walk along rows now"
        );
        ("x walks down the columns", help)
    } else {
        let help = format!("let x walk along the rows of {array}, and y from row to row");
        ("the axes are swapped", help)
    };
    Finding {
        message: format!("{what}: {}", one.message()),
        span: access::request_span(kernel, one.request),
        labels: access::address_labels(kernel, analyses, one.request),
        notes,
        help,
    }
}
