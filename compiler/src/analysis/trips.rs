//! Trip counts of loops, for the lanes of each warp.
//!
//! ```text
//! for k in 0..n                          the same for all lanes
//! for k in (lane..n).step_by(32)         the same, or one fewer
//! for k in 0..thread_idx_x() % 32        0 to 31 in each warp
//! for k in first[row]..first[row + 1]    data
//! ```
//! The events of a single iteration are not enough: in `0..thread_idx_x()`, at most one lane of a
//! block leaves per iteration.
use super::{
    symbolic::{Coverage, Event, EventKind, Split, ThreadSet, Trace},
    uniformity::Uniformity,
};
use crate::ir::{Body, InstId, Kernel, Op};

/// The trip counts of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trips {
    /// The lanes of a warp agree in each iteration.
    Same,
    /// The trip counts of a warp's lanes differ by at most one.
    OneApart,
    /// The smallest and the largest trip count of each warp, for each visit to the loop.
    Known(Vec<(u32, u32)>),
    /// No thread reaches the loop.
    Never,
    /// Dependent on data, or on values that the analysis does not follow.
    Unknown,
}

/// Computes the trip counts of `id`, a `for` or the condition of a `while`.
pub fn analyze(kernel: &Kernel, uniformity: &Uniformity, trace: &Trace, id: InstId) -> Trips {
    if uniformity.warp.divergence[id].is_uniform() {
        return Trips::Same;
    }
    if !trace.complete {
        return Trips::Unknown;
    }
    let mut splits = Vec::new();
    for event in trace.events_of(id) {
        let EventKind::Branch(split) = &event.kind else { continue };
        splits.push((event, split));
    }
    let is_same = |split: &Split| matches!(split, Split::Uniform | Split::UniformInWarps);
    if splits.is_empty() {
        return Trips::Never;
    }
    if splits.iter().all(|(_, split)| is_same(split)) {
        return Trips::Same;
    }
    if trace.is_strided(id) {
        return Trips::OneApart;
    }
    let is_long = |event: &Event| {
        event.loops.last().is_some_and(|(of, number)| *of == id && number.is_some())
    };
    let found = if splits.iter().all(|(event, _)| is_long(event)) {
        long_visits(trace, id)
    } else {
        visits(kernel, trace, id)
    };
    let Some(visits) = found else { return Trips::Unknown };
    let warps: Vec<(u32, u32)> = visits.iter().flat_map(LoopVisit::warp_extremes).collect();
    match warps.iter().map(|(least, most)| most - least).max() {
        None | Some(0) => Trips::Same,
        Some(1) => Trips::OneApart,
        Some(_) => Trips::Known(warps),
    }
}

/// One execution of a loop by some threads.
struct LoopVisit {
    threads: ThreadSet,
    /// The trip count of each thread of the block.
    trips: Vec<u32>,
}

impl LoopVisit {
    /// Returns the smallest and the largest trip count of each warp.
    fn warp_extremes(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.threads.warp_count()).filter_map(|warp| {
            let trips = self.threads.iter_warp(warp).map(|thread| self.trips[thread]);
            Some((trips.clone().min()?, trips.max()?))
        })
    }
}

/// Returns the executions of a `for` of many iterations.
fn long_visits(trace: &Trace, id: InstId) -> Option<Vec<LoopVisit>> {
    let mut visits = Vec::new();
    for (active, trips) in trace.long_visits(id) {
        is_whole(active.coverage).then_some(())?;
        visits.push(LoopVisit { threads: active.threads.clone(), trips: trips.clone() });
    }
    (!visits.is_empty()).then_some(visits)
}

/// Returns true if threads are missing only in blocks at an edge or by whole warps.
const fn is_whole(which: Coverage) -> bool {
    matches!(which, Coverage::All | Coverage::Guarded | Coverage::Warps)
}

/// Returns the executions of a loop; `None` if the trip count of some thread is unknown.
fn visits(kernel: &Kernel, trace: &Trace, id: InstId) -> Option<Vec<LoopVisit>> {
    // The condition of a `while` may select the threads that go on or those that leave.
    let leaves =
        |arm: &Body| matches!(arm.0[..], [only] if matches!(kernel.insts[only].op, Op::Break(_)));
    let says_who_leaves = matches!(&kernel.insts[id].op, Op::If { then, .. } if leaves(then));
    let mut visits: Vec<LoopVisit> = Vec::new();
    for event in trace.events_of(id) {
        let EventKind::Branch(Split::Known(yes)) = &event.kind else { return None };
        if !is_whole(event.active.coverage)
            || event.loops.iter().any(|(_, number)| number.is_some())
        {
            return None;
        }
        if visits.is_empty() || event.iterations.last() == Some(&0) {
            let trips = vec![0; trace.shape.thread_count()];
            visits.push(LoopVisit { threads: event.active.threads.clone(), trips });
        }
        if let Some(visit) = visits.last_mut() {
            let active = &event.active.threads;
            let go_on =
                if says_who_leaves { active.difference(yes) } else { yes.intersection(active) };
            for thread in go_on.iter() {
                visit.trips[thread] += 1;
            }
        }
    }
    Some(visits)
}
