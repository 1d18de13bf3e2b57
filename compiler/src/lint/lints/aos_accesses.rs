//! `gpu_aos_accesses`: access to one field of an array of structs, which moves the other fields for
//! nothing.
//!
//! ```text
//! y[i] = points[i].x;    // 12 bytes from lane to lane: 12 sectors, 4 would do
//! ```
//! Fires at twice the necessary sectors, like `gpu_uncoalesced_accesses`, and in its place. Silent
//! if neighbouring accesses use at least half of the moved bytes.
use crate::{
    analysis::Analyses,
    diag::Level,
    ir::Kernel,
    lint::{
        Finding, Lint, LintGroup, access,
        coalescing::{self, WasteReason},
    },
};

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_aos_accesses", group: LintGroup::Performance, level: Level::Warn, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in coalescing::find_wasteful(kernel, analyses) {
        let WasteReason::Struct(size) = one.reason else { continue };
        let array = access::quoted_root(kernel, one.request.root);
        let used =
            format!("{} of the {size} bytes of an element of {array} are used", one.request.bytes);
        let mut notes = vec![used];
        notes.extend(access::assumed_shape_note(&analyses.trace.shape));
        let finding = Finding {
            message: one.message(),
            span: access::request_span(kernel, one.request),
            labels: access::address_labels(kernel, analyses, one.request),
            notes,
            help: format!(
                "keep the fields of {array} in arrays of their own (a struct of arrays), so that neighbouring lanes \
                 access neighbouring numbers"
            ),
        };
        found.push((one.weight(), finding));
    }
    access::keep_weightiest(found)
}
