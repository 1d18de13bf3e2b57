//! Trip counts: how many iterations of a loop the lanes of each warp run.
//!
//! ```text
//! for k in 0..n                          the same for all lanes
//! for k in (lane..n).step_by(32)         the same, or one fewer
//! for k in 0..thread_idx_x() % 32        0 to 31 in each warp
//! for k in first[row]..first[row + 1]    data
//! ```
//! The events of one iteration do not tell: of `0..thread_idx_x()` at most one lane of a block leaves in each.
use super::{
    symbolic::{Event, Split, Threads, Trace, What, Which},
    uniformity::Uniformity,
};
use crate::ir::{Body, InstId, Kernel, Op};

/// The trip counts of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trips {
    /// The lanes of a warp go the same way each time.
    Same,
    /// Each lane runs as many iterations as the others of its warp, or one fewer.
    OneApart,
    /// The fewest and the most iterations of each warp, each time that it reaches the loop.
    Known(Vec<(u32, u32)>),
    /// No thread reaches the loop.
    Never,
    /// Data decide, or something else that is not followed.
    Unknown,
}

/// Returns the trip counts of `id`, a `for` or the condition of a `while`.
pub fn analyze(kernel: &Kernel, uniformity: &Uniformity, trace: &Trace, id: InstId) -> Trips {
    if uniformity.warp.parting[id].is_uniform() {
        return Trips::Same;
    }
    if !trace.complete {
        return Trips::Unknown;
    }
    let mut splits = Vec::new();
    for event in trace.of(id) {
        let What::Branch(split) = &event.what else { continue };
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
    let found = match splits.iter().all(|(event, _)| is_long(event)) {
        true => long_visits(trace, id),
        false => visits(kernel, trace, id),
    };
    let Some(visits) = found else { return Trips::Unknown };
    let warps: Vec<(u32, u32)> = visits.iter().flat_map(Visit::warps).collect();
    match warps.iter().map(|(least, most)| most - least).max() {
        None | Some(0) => Trips::Same,
        Some(1) => Trips::OneApart,
        Some(_) => Trips::Known(warps),
    }
}

/// One execution of a loop by some threads.
struct Visit {
    threads: Threads,
    /// The iterations of each thread of the block.
    trips: Vec<u32>,
}

impl Visit {
    /// The fewest and the most iterations of each warp.
    fn warps(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.threads.warps()).filter_map(|warp| {
            let trips = self.threads.of_warp(warp).map(|thread| self.trips[thread]);
            Some((trips.clone().min()?, trips.max()?))
        })
    }
}

/// The executions of a `for` of many iterations.
fn long_visits(trace: &Trace, id: InstId) -> Option<Vec<Visit>> {
    let mut visits = Vec::new();
    for (active, trips) in trace.long_visits(id) {
        is_whole(active.which).then_some(())?;
        visits.push(Visit { threads: active.threads.clone(), trips: trips.clone() });
    }
    (!visits.is_empty()).then_some(visits)
}

/// Returns true if none of some threads may be missing, but in blocks at an edge and by whole warps.
const fn is_whole(which: Which) -> bool {
    matches!(which, Which::All | Which::Guarded | Which::Warps)
}

/// The executions of a loop; `None` if it is not known which threads run how many iterations.
fn visits(kernel: &Kernel, trace: &Trace, id: InstId) -> Option<Vec<Visit>> {
    // The condition of a `while` may say who goes on or who leaves.
    let leaves =
        |arm: &Body| matches!(arm.0[..], [only] if matches!(kernel.insts[only].op, Op::Break(_)));
    let says_who_leaves = matches!(&kernel.insts[id].op, Op::If { then, .. } if leaves(then));
    let mut visits: Vec<Visit> = Vec::new();
    for event in trace.of(id) {
        let What::Branch(Split::Known(yes)) = &event.what else { return None };
        if !is_whole(event.active.which) || event.loops.iter().any(|(_, number)| number.is_some()) {
            return None;
        }
        if visits.is_empty() || event.rounds.last() == Some(&0) {
            let trips = vec![0; trace.shape.threads()];
            visits.push(Visit { threads: event.active.threads.clone(), trips });
        }
        if let Some(visit) = visits.last_mut() {
            let active = &event.active.threads;
            let go_on = if says_who_leaves { active.without(yes) } else { yes.and(active) };
            for thread in go_on.iter() {
                visit.trips[thread] += 1;
            }
        }
    }
    Some(visits)
}
