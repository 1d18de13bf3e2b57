//! Wording about memory accesses that several lints share.
use super::{Finding, wording};
use crate::{
    analysis::{
        Analyses,
        accesses::{Cost, Lanes, Request, Verdict, memory_operands},
        symbolic::Shape,
    },
    hardware::Kind,
    ir::{CopyOp, InstId, Kernel, Op, Root, Scalar, Space, Span},
};

/// Returns the requests with a known cost.
pub(super) fn requests_with_cost(analyses: &Analyses) -> impl Iterator<Item = (&Request, &Cost)> {
    analyses.accesses.requests.iter().filter_map(|request| match &request.verdict {
        Verdict::Known(cost) => Some((request, cost.as_ref())),
        Verdict::Unknown(_) => None,
    })
}

/// Returns the request that `request` is at run time, with its cost, if it is known.
pub(super) fn runtime_request<'a>(
    kernel: &Kernel,
    analyses: &'a Analyses,
    request: &'a Request,
) -> Option<(&'a Request, &'a Cost)> {
    let run = analyses.at_run_time(kernel, request);
    if let Verdict::Known(cost) = &run.verdict { Some((run, cost)) } else { None }
}

/// Returns the address of a request's first member.
pub(super) fn first_address(kernel: &Kernel, request: &Request) -> Option<InstId> {
    let first = *request.members.first()?;
    if let Op::Copy(CopyOp::AsyncCopy { to, from, .. }) = kernel.insts[first].op {
        return Some(if request.space == Space::Shared { to } else { from });
    }
    memory_operands(kernel, first).map(|(ptr, ..)| ptr)
}

/// Returns the span of the access in the user's code: for a store, that of its target.
pub(super) fn request_span(kernel: &Kernel, request: &Request) -> Span {
    let first = request.members[0];
    match (request.kind, first_address(kernel, request)) {
        (Kind::Store, Some(ptr)) => kernel.insts[ptr].span,
        (Kind::Store | Kind::Load | Kind::Atomic, _) => kernel.insts[first].span,
    }
}

/// Returns the name of `root` in quotes; "the array" if it is not known or has none.
pub(super) fn quoted_root(kernel: &Kernel, root: Option<Root>) -> String {
    match root.map(|root| kernel.root_name(root)) {
        None | Some("") => "the array".to_owned(),
        Some(name) => format!("`{name}`"),
    }
}

/// Returns the verb for the access of a lane.
pub(super) fn access_verb(kind: Kind) -> &'static str {
    match kind {
        Kind::Load => "read",
        Kind::Store => "write",
        Kind::Atomic => "update",
    }
}

/// Returns the noun for the access of a lane.
pub(super) fn access_noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Load => "load",
        Kind::Store => "store",
        Kind::Atomic => "update",
    }
}

/// Returns `n` and the noun, in the plural unless `n` is 1.
pub(super) fn count_of(n: u64, what: &str) -> String {
    if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") }
}

/// Returns the distance of neighbouring lanes in words.
pub(super) fn lane_distance(request: &Request, lanes: &Lanes) -> Option<String> {
    let bytes = u64::from(request.bytes.max(1));
    let stride = lanes.stride()?.unsigned_abs();
    let times = (stride > bytes && stride.is_multiple_of(bytes))
        .then(|| format!(", {} times what each accesses", stride / bytes));
    let times = times.unwrap_or_default();
    let least = if lanes.clusters.is_empty() { "" } else { "at least " };
    Some(format!("neighbouring lanes are {least}{} apart{times}", count_of(stride, "byte")))
}

/// Returns labels for the instruction at which the addresses of a request start to differ between
/// lanes, and its causes.
pub(super) fn address_labels(
    kernel: &Kernel,
    analyses: &Analyses,
    request: &Request,
) -> Vec<(Span, String)> {
    let mut labels = Vec::new();
    let (mut at, mut cause) = (first_address(kernel, request), None);
    while let Some(ptr) = at {
        at = None;
        if let Op::Index { base, index, stride } = &kernel.insts[ptr].op {
            at = Some(*base);
            let fact = analyses.uniformity.warp.value[*index];
            if let (true, Some(stride)) = (fact.varies(), stride.known()) {
                let text = format!(
                    "this differs from lane to lane, and each step of it is {}",
                    count_of(stride, "byte")
                );
                labels.push((kernel.insts[*index].span, text));
                cause = cause.or(Some(fact));
            }
        } else if let Op::Offset { base, .. } = &kernel.insts[ptr].op {
            at = Some(*base);
        }
    }
    let source =
        cause.and_then(|fact| wording::cause_labels(kernel, &analyses.uniformity.warp, fact).pop());
    labels.extend(source);
    labels.dedup();
    labels
}

/// Returns the Rust name of a scalar type; `None` for a type parameter.
pub(super) fn scalar_name(scalar: Scalar) -> Option<&'static str> {
    Some(match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "i8",
        Scalar::I16 => "i16",
        Scalar::I32 => "i32",
        Scalar::I64 => "i64",
        Scalar::U8 => "u8",
        Scalar::U16 => "u16",
        Scalar::U32 => "u32",
        Scalar::U64 => "u64",
        Scalar::F16 => "f16",
        Scalar::BF16 => "bf16",
        Scalar::F32 => "f32",
        Scalar::F64 => "f64",
        Scalar::Generic(_) => return None,
    })
}

/// Returns the Rust name of the atomic over a scalar.
pub(super) fn atomic_name(scalar: &str) -> String {
    let (first, rest) = scalar.split_at(1);
    format!("Atomic{}{rest}", first.to_uppercase())
}

/// Returns the note of a finding that rests on an assumed block.
pub(super) fn assumed_shape_note(shape: &Shape) -> Option<String> {
    wording::assumption_notes(shape).pop()
}

/// Keeps the weightiest finding at each place.
pub(super) fn keep_weightiest(mut found: Vec<(u64, Finding)>) -> Vec<Finding> {
    let mut kept: Vec<(u64, Finding)> = Vec::new();
    for (weight, finding) in found.drain(..) {
        match kept.iter_mut().find(|(_, kept)| kept.span == finding.span) {
            Some(kept) if kept.0 < weight => *kept = (weight, finding),
            Some(_) => {}
            None => kept.push((weight, finding)),
        }
    }
    kept.into_iter().map(|(_, finding)| finding).collect()
}
