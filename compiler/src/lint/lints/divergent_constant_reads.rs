//! `gpu_divergent_constant_reads`: lanes of a warp read different words of constant memory.
//!
//! ```text
//! y[i] = x[i] * taps[i % 64];    // taps is `#[constant]`: 32 words, one after another
//! ```
//! Fires if a warp needs at least [`MIN_WAVEFRONTS`] times the wavefronts of a read of one word.
//! Silent where an index is data, and where a distance between lanes is unknown.
use crate::{
    analysis::{
        Analyses,
        accesses::{Cost, Request},
    },
    diag::Level,
    ir::{Kernel, Space},
    lint::{Finding, Lint, LintGroup, access},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_divergent_constant_reads",
    group: LintGroup::Performance,
    level: Level::Warn,
    check,
};

/// The smallest number of wavefronts of a warp that is worth a finding: global memory takes longer
/// for fewer words.
const MIN_WAVEFRONTS: u64 = 4;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    for (request, cost) in access::requests_with_cost(analyses) {
        if request.space != Space::Constant || !is_slow(cost) {
            continue;
        }
        let Some((run, cost)) = access::runtime_request(kernel, analyses, request) else {
            continue;
        };
        if is_slow(cost) {
            let weight = u64::from(cost.worst.1.taken[0]);
            found.push((weight, finding(kernel, analyses, (request, run), cost)));
        }
    }
    access::keep_weightiest(found)
}

/// Returns true if the warps together take as many wavefronts, or each warp that may come here
/// does.
fn is_slow(cost: &Cost) -> bool {
    let worst = u64::from(cost.worst.1.taken[0]);
    cost.taken[0] >= MIN_WAVEFRONTS * cost.ideal
        && worst >= MIN_WAVEFRONTS
        && (!cost.some_warps || cost.each_is_bad)
}

/// Creates the finding about a request, as it is in the source and at run time.
fn finding(
    kernel: &Kernel,
    analyses: &Analyses,
    (request, run): (&Request, &Request),
    cost: &Cost,
) -> Finding {
    let (lanes, price) = &cost.worst;
    let up_to = if cost.is_even { "" } else { "up to " };
    let (taken, ideal) = (price.taken[0], price.ideal);
    let array = access::quoted_root(kernel, request.root);
    let mut notes: Vec<String> = access::lane_distance(run, lanes).into_iter().collect();
    notes.extend(access::assumed_shape_note(&analyses.trace.shape));
    Finding {
        message: format!(
            "the {} lanes of a warp read {up_to}{taken} different words of constant memory, one after \
             another ({taken} wavefronts, {ideal} needed)",
            lanes.count()
        ),
        span: access::request_span(kernel, request),
        labels: access::address_labels(kernel, analyses, request),
        notes,
        help: format!(
            "remove `#[constant]` from {array}: global memory serves neighbouring words together"
        ),
    }
}
