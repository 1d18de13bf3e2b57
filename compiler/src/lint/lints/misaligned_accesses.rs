//! `gpu_misaligned_accesses`: contiguous accesses of a warp that do not start at the beginning of a
//! sector.
//!
//! ```text
//! y[i] = x[i + 1];    // 5 sectors, 4 would do
//! ```
//! Fires where the start of a warp's access is known well enough to prove it. Allowed by default: a
//! stencil cannot avoid it, and its sectors come from the cache.
use crate::{
    analysis::{
        Analyses,
        accesses::{Cost, Request},
    },
    diag::Level,
    hardware::{Kind, global::SECTOR_BYTES},
    ir::{Kernel, Space},
    lint::{Finding, Lint, LintGroup, access},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_misaligned_accesses",
    group: LintGroup::Performance,
    level: Level::Allow,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found = Vec::new();
    for (request, cost) in access::requests_with_cost(analyses) {
        if request.space != Space::Global || !is_misaligned(request, cost) {
            continue;
        }
        let run = access::runtime_request(kernel, analyses, request);
        if let Some((_, cost)) = run.filter(|(run, cost)| is_misaligned(run, cost)) {
            found.push((1, finding(kernel, analyses, request, cost)));
        }
    }
    access::keep_weightiest(found)
}

fn is_misaligned(request: &Request, cost: &Cost) -> bool {
    let (lanes, price) = &cost.worst;
    let is_contiguous = lanes.stride().map(i64::abs) == Some(i64::from(request.bytes));
    request.kind != Kind::Atomic
        && lanes.active == u32::MAX
        && is_contiguous
        && price.taken[0] > price.ideal
        && cost.taken[0] > cost.ideal
}

fn finding(kernel: &Kernel, analyses: &Analyses, request: &Request, cost: &Cost) -> Finding {
    let (lanes, price) = &cost.worst;
    let array = access::quoted_root(kernel, request.root);
    let verb = access::access_verb(request.kind);
    let elements = SECTOR_BYTES / u64::from(request.bytes.max(1));
    let first = lanes.offsets.iter().min().copied().unwrap_or(0);
    let behind = first.rem_euclid(i64::try_from(SECTOR_BYTES).unwrap_or(i64::MAX));
    let is_known = lanes.step == 0 || lanes.step >= SECTOR_BYTES;
    let begin =
        is_known.then(|| format!("it begins {behind} bytes after the beginning of a sector"));
    Finding {
        message: format!(
            "one warp {verb}s {} sectors here, {} would do",
            price.taken[0], price.ideal
        ),
        span: access::request_span(kernel, request),
        labels: Vec::new(),
        notes: begin.into_iter().chain(access::assumed_shape_note(&analyses.trace.shape)).collect(),
        help: format!("let warps begin at a multiple of {elements} elements of {array}"),
    }
}
