//! `gpu_inactive_lane_shuffles`: a shuffle in which every lane reads a lane that does not take
//! part, or a product of matrices without all lanes of the warp.
//!
//! ```text
//! if warp::lane_id() < 16 { v = warp::shfl_mask(0xffff, v, 20); }    // lane 20 is not there
//! ```
//! The value of such a lane is unspecified. Fires where the mask (or, without one, the set of ended
//! lanes) and the source lane are known, and all lanes of a warp read an absent one. Some lanes do
//! so in every reduction by shuffles, and ignore the result.
use crate::{
    analysis::{
        Analyses,
        symbolic::{Event, EventKind},
    },
    diag::Level,
    ir::{InstId, Kernel, MatrixOp, Op, ShuffleOp, Span, WarpOp},
    lint::{Finding, Lint, LintGroup, lanes::are_certain, wording},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_inactive_lane_shuffles",
    group: LintGroup::Correctness,
    level: Level::Warn,
    check,
};

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (id, inst) in kernel.insts.iter() {
        if let Op::Matrix(
            MatrixOp::Mma { .. } | MatrixOp::Wgmma { .. } | MatrixOp::DistributeRows { .. },
        ) = inst.op
        {
            let is_known = found.iter().any(|found| found.span == inst.span);
            if !is_known && !analyses.uniformity.warp.control[id].varies() {
                let lanes = analyses.trace.events_of(id).find_map(lanes_of_partial_warp);
                found.extend(lanes.map(|lanes| incomplete_product(lanes, inst.span, analyses)));
            }
            continue;
        }
        let Op::Warp(WarpOp::Shuffle { op, ref width, mask, .. }) = inst.op else { continue };
        let Some(width) = width.known() else { continue };
        // Without a mask, where control varies, another lint reports the missing lanes.
        let varies = mask.is_none() && analyses.uniformity.warp.control[id].varies();
        if varies || found.iter().any(|found| found.span == inst.span) {
            continue;
        }
        let read = analyses
            .trace
            .events_of(id)
            .find_map(|event| absent_source_lane(event, op, width as u32, mask));
        let Some((lane, lanes)) = read else { continue };
        found.push(Finding {
            message: format!("lane {lane} is read, and only the lanes {lanes:#010x} take part"),
            span: inst.span,
            labels: Vec::new(),
            notes: wording::assumption_notes(&analyses.trace.shape),
            help: "read a lane that takes part, or let that one come here, too".to_owned(),
        });
    }
    found
}

fn incomplete_product(lanes: u32, span: Span, analyses: &Analyses) -> Finding {
    Finding {
        message: format!(
            "only the lanes {lanes:#010x} take part, and fragments of matrices need all 32"
        ),
        span,
        labels: Vec::new(),
        notes: wording::assumption_notes(&analyses.trace.shape),
        help:
            "let all lanes come here: launch a multiple of 32 threads, and let none return before"
                .to_owned(),
    }
}

/// Returns the lanes of a warp that come without the others.
fn lanes_of_partial_warp(event: &Event) -> Option<u32> {
    let threads = &event.active.threads;
    let lanes = (0..threads.warp_count()).map(|warp| threads.lanes_of_warp(warp));
    let mut partial = lanes.filter(|lanes| *lanes != 0 && *lanes != u32::MAX);
    if are_certain(&event.active) { partial.next() } else { None }
}

/// Returns a lane that is read and does not take part, and the lanes that do, in a warp all of
/// whose lanes read such a lane.
fn absent_source_lane(
    event: &Event,
    op: ShuffleOp,
    width: u32,
    mask: Option<InstId>,
) -> Option<(u32, u32)> {
    let EventKind::WarpCollective { mask: value, lane: Some(lane) } = &event.kind else {
        return None;
    };
    let threads = &event.active.threads;
    if !are_certain(&event.active) {
        return None;
    }
    (0..threads.warp_count()).find_map(|warp| {
        let active = threads.lanes_of_warp(warp);
        let mut inactive = None;
        for thread in threads.iter_warp(warp) {
            let lanes = match (mask, value) {
                (None, _) => active,
                (Some(_), Some(value)) => u32::try_from(value.number_in(thread)?).ok()?,
                (Some(_), None) => return None,
            };
            let own = u32::try_from(thread % 32).ok()?;
            let source = source_lane(op, width, own, u32::try_from(lane.number_in(thread)?).ok()?);
            if lanes >> source & 1 == 1 {
                return None;
            }
            inactive = Some((source, lanes));
        }
        inactive
    })
}

/// Returns the lane that `own` reads.
fn source_lane(op: ShuffleOp, width: u32, own: u32, lane: u32) -> u32 {
    let first = own & !(width - 1);
    let (at, past) = match op {
        ShuffleOp::Index => (first + lane % width, false),
        ShuffleOp::Up => (own.wrapping_sub(lane), own - first < lane),
        ShuffleOp::Down => (own.wrapping_add(lane), own - first + lane.min(width) >= width),
        ShuffleOp::Xor => (own ^ lane, (own ^ lane) & !(width - 1) != first),
    };
    if past { own } else { at % 32 }
}
