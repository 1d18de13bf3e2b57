//! `gpu_contended_atomics`: lanes of a warp that all update one address atomically.
//!
//! ```text
//! total[0].fetch_add(x[i], Relaxed);    // 32 updates, one after the other
//! ```
//! Fires where at least half of a warp's lanes, and 8, have the same address, for updates that a
//! warp can combine first. Silent where one lane updates, where the address is data, and about rare
//! updates that data decide: the count of a failure after which the thread ends, and a flag that is
//! set to a constant.
use crate::{
    analysis::{
        Analyses,
        accesses::Lanes,
        symbolic::{AccessKind, Coverage, Event, EventKind, SymbolicSum},
    },
    diag::Level,
    hardware::LANES,
    ir::{AtomicOp, BinaryOp, Body, Builtin, CompareOp, InstId, Kernel, Op},
    lint::{Finding, Lint, LintGroup, access},
};

pub(in crate::lint) const LINT: Lint = Lint {
    name: "gpu_contended_atomics",
    group: LintGroup::Performance,
    level: Level::Warn,
    check,
};

/// The smallest number of lanes at one address that is worth a finding.
const MIN_CONTENDING_LANES: u32 = 8;

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let (elected, failures) = (elected_insts(kernel), failure_insts(kernel));
    let mut found = Vec::new();
    for event in &analyses.trace.events {
        let EventKind::Access(access) = &event.kind else { continue };
        let Op::Atomic { op, .. } = kernel.insts[event.inst].op else { continue };
        let (AccessKind::Atomic, Some(way)) = (&access.kind, combining_operation(op)) else {
            continue;
        };
        if event.active.coverage == Coverage::One || elected.contains(&event.inst) {
            continue;
        }
        if event.active.coverage == Coverage::Some
            && (failures.contains(&event.inst) || is_flag(kernel, event.inst))
        {
            continue;
        }
        let together = contending_lanes(event, access.offset.as_ref());
        if let Some(lanes) = together {
            found.push((u64::from(lanes), finding(kernel, analyses, event, lanes, way)));
        }
    }
    access::keep_weightiest(found)
}

/// Returns the number of lanes of a warp with the same address, if they are the majority.
fn contending_lanes(event: &Event, offset: Option<&SymbolicSum>) -> Option<u32> {
    let offset = offset?;
    let threads = &event.active.threads;
    (0..threads.warp_count())
        .filter_map(|warp| {
            let active = threads.lanes_of_warp(warp);
            let lanes = (active != 0).then(|| Lanes::exact(offset, warp, active).ok())??;
            let most = max_lanes_per_address(&lanes);
            (most >= MIN_CONTENDING_LANES && 2 * most >= lanes.count()).then_some(most)
        })
        .max()
}

/// Returns the largest number of lanes with one address.
fn max_lanes_per_address(lanes: &Lanes) -> u32 {
    let is_active = |lane: usize| lanes.active >> lane & 1 == 1;
    let mut most = 0;
    for lane in 0..LANES {
        let mut same = 0;
        let mut other = 0;
        while is_active(lane) && other < LANES {
            same += u32::from(is_active(other) && lanes.offsets[other] == lanes.offsets[lane]);
            other += 1;
        }
        most = most.max(same);
    }
    most
}

/// Returns the operation that combines the lanes' values, if one exists.
fn combining_operation(op: AtomicOp) -> Option<&'static str> {
    match op {
        AtomicOp::Add | AtomicOp::Sub => Some("reduce_add"),
        AtomicOp::And => Some("reduce_and"),
        AtomicOp::Or => Some("reduce_or"),
        AtomicOp::Xor => Some("reduce_xor"),
        AtomicOp::Min => Some("reduce_min"),
        AtomicOp::Max => Some("reduce_max"),
        AtomicOp::Swap => None,
    }
}

fn finding(kernel: &Kernel, analyses: &Analyses, event: &Event, lanes: u32, way: &str) -> Finding {
    let inst = &kernel.insts[event.inst];
    let is_sure = event.active.coverage != Coverage::Some;
    let who = if is_sure { format!("{lanes} lanes") } else { format!("up to {lanes} lanes") };
    let help = if repeats_in_all_threads(kernel, analyses, event.inst) {
        let (first, count) = if reads_block_index(kernel) {
            ("thread_idx_x()", "block_dim_x()")
        } else {
            ("global_idx_x()", "grid_dim_x() * block_dim_x()")
        };
        format!(
            "every thread makes the same updates: divide the iterations of the loop among the threads, as in \
             `for i in ({first}..n).step_by({count})`"
        )
    } else if is_used(kernel, event.inst) {
        "let one lane update for all that are active: count them with `warp::ballot(..)`, and give each its \
         place by the number of lanes below it"
            .to_owned()
    } else {
        format!(
            "combine the lanes' values first, outside of branches: `let all = warp::{way}(value)`, and update \
             `if warp::lane_id() == 0`"
        )
    };
    Finding {
        message: format!(
            "{who} of a warp update one address, one after the other, where one update would do"
        ),
        span: inst.span,
        labels: Vec::new(),
        notes: access::assumed_shape_note(&analyses.trace.shape).into_iter().collect(),
        help,
    }
}

/// Returns true for an update in a loop over data, if all threads of a block read the same data in
/// each iteration, and update the same address by the same value.
fn repeats_in_all_threads(kernel: &Kernel, analyses: &Analyses, inst: InstId) -> bool {
    let block = &analyses.uniformity.block;
    let Op::Atomic { ptr, value, .. } = kernel.insts[inst].op else { return false };
    if ![block.value[ptr], block.value[value], block.control[inst]].iter().all(|it| it.is_uniform())
    {
        return false;
    }
    let is_load = |id: &InstId| {
        matches!(kernel.insts[*id].op, Op::Load { .. }) && block.value[*id].is_uniform()
    };
    let mut inner = Vec::new();
    for (_, each) in kernel.insts.iter() {
        let (Op::For { body, .. } | Op::Loop { body }) = &each.op else { continue };
        inner.clear();
        collect_insts(kernel, body, &mut inner);
        if inner.contains(&inst) && inner.iter().any(is_load) {
            return true;
        }
    }
    false
}

fn collect_insts(kernel: &Kernel, body: &Body, found: &mut Vec<InstId>) {
    for &id in &body.0 {
        found.push(id);
        kernel.insts[id].op.bodies().for_each(|inner| collect_insts(kernel, inner, found));
    }
}

/// Returns true if the work of a block depends on its index.
fn reads_block_index(kernel: &Kernel) -> bool {
    let is_index =
        |op: &Op| matches!(op, Op::Builtin(Builtin::BlockIdx(_) | Builtin::GlobalIdx(_)));
    kernel.insts.iter().any(|(_, inst)| is_index(&inst.op))
}

/// Returns true if the result of an instruction is used.
fn is_used(kernel: &Kernel, inst: InstId) -> bool {
    kernel.insts.iter().any(|(_, user)| user.op.operands().any(|operand| operand == inst))
}

/// Returns the instructions of bodies at whose end the thread ends.
fn failure_insts(kernel: &Kernel) -> Vec<InstId> {
    let mut found = Vec::new();
    for (_, inst) in kernel.insts.iter() {
        let Op::If { then, other, .. } = &inst.op else { continue };
        for body in [then, other] {
            let last = body.0.last().map(|&last| &kernel.insts[last].op);
            if let Some(Op::Return | Op::Panic { .. }) = last {
                found.extend(&body.0);
            }
        }
    }
    found
}

/// Returns true if an update sets a flag: an idempotent update whose result is unused.
fn is_flag(kernel: &Kernel, inst: InstId) -> bool {
    let Op::Atomic { op, value, .. } = kernel.insts[inst].op else { return false };
    let stays = match op {
        AtomicOp::And | AtomicOp::Or | AtomicOp::Min | AtomicOp::Max => true,
        AtomicOp::Add | AtomicOp::Sub | AtomicOp::Xor | AtomicOp::Swap => false,
    };
    stays && matches!(kernel.insts[value].op, Op::Const(_)) && !is_used(kernel, inst)
}

/// Returns the instructions under a condition `a == b` without data: it elects a lane. The number
/// of lanes that pass such a condition is unknown.
fn elected_insts(kernel: &Kernel) -> Vec<InstId> {
    fn collect_elected(kernel: &Kernel, body: &Body, inside: bool, found: &mut Vec<InstId>) {
        for &id in &body.0 {
            if inside {
                found.push(id);
            }
            let op = &kernel.insts[id].op;
            if let Op::If { cond, then, other } = op {
                collect_elected(
                    kernel,
                    then,
                    inside || is_election(kernel, *cond, CompareOp::Eq),
                    found,
                );
                collect_elected(
                    kernel,
                    other,
                    inside || is_election(kernel, *cond, CompareOp::Ne),
                    found,
                );
            } else {
                op.bodies().for_each(|inner| collect_elected(kernel, inner, inside, found));
            }
        }
    }
    let mut found = Vec::new();
    collect_elected(kernel, &kernel.body, false, &mut found);
    found
}

/// Returns true if `cond` is a comparison by `by`, or requires one.
fn is_election(kernel: &Kernel, cond: InstId, by: CompareOp) -> bool {
    let op = &kernel.insts[cond].op;
    if let Op::Compare { op, lhs, rhs } = op {
        let is_data = |id: InstId| matches!(kernel.insts[id].op, Op::Load { .. });
        *op == by && !is_data(*lhs) && !is_data(*rhs)
    } else if let Op::Binary { op: BinaryOp::And | BinaryOp::Or, lhs, rhs } = op {
        is_election(kernel, *lhs, by) || is_election(kernel, *rhs, by)
    } else {
        false
    }
}
