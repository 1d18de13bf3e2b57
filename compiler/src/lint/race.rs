//! Findings about races: grouping by fault, and wording.
//!
//! Two accesses that need a barrier between them share one fault with all others that the same
//! barrier would order. The search therefore starts at the first access and finds the places of
//! missing barriers, each just before the statement that runs too early.
use super::{Finding, wording};
use crate::{
    analysis::{
        Analyses,
        races::{Doubt, Race, RaceKind, ThreadGroup},
        symbolic::{Event, EventKind, Trace},
    },
    id::Facts,
    ir::{InstId, Kernel, ParamKind, Root},
};

/// A race, with its array or buffer.
#[derive(Clone, Copy)]
pub(super) struct RaceAt<'a> {
    pub(super) root: Root,
    pub(super) race: &'a Race,
}

/// Returns every race of a kernel.
pub(super) fn all_races(analyses: &Analyses) -> impl Iterator<Item = RaceAt<'_>> {
    analyses
        .races
        .memory
        .iter()
        .flat_map(|memory| memory.races.iter().map(|race| RaceAt { root: memory.root, race }))
}

/// Returns all doubts about races, with the array or buffer.
pub(super) fn all_doubts(analyses: &Analyses) -> impl Iterator<Item = (Root, &Doubt)> {
    let memory = analyses.races.memory.iter();
    memory.flat_map(|memory| memory.doubts.iter().map(|doubt| (memory.root, doubt)))
}

impl RaceAt<'_> {
    /// Returns true if a single instruction is both writes: no order would make sense of it.
    pub(super) fn is_of_one_store(&self) -> bool {
        let [a, b] = self.race.sides;
        a.inst == b.inst && a.writes
    }
}

/// A place at which threads should wait for each other, and do not.
pub(super) struct MissingWait<'a> {
    /// The race to report.
    pub(super) shown: RaceAt<'a>,
    /// The other races of the same fault.
    pub(super) others: Vec<RaceAt<'a>>,
}

/// Returns the places of missing barriers, from the races that they would order.
pub(super) fn find_gaps<'a>(
    kernel: &Kernel,
    trace: &Trace,
    mut races: Vec<RaceAt<'a>>,
) -> Vec<MissingWait<'a>> {
    if races.is_empty() {
        return Vec::new();
    }
    let parents = kernel.parents();
    races.sort_by_key(|found| (found.race.among != ThreadGroup::Block, found.race.sides[1].event));
    let mut gaps: Vec<MissingWait<'a>> = Vec::new();
    let mut walls: Vec<Vec<usize>> = Vec::new();
    for found in races {
        let [first, second] = found.race.sides.map(|side| side.event);
        let ends = |wall: &usize| first < *wall && *wall <= second;
        match walls.iter().position(|walls| walls.iter().any(ends)) {
            Some(gap) => gaps[gap].others.push(found),
            None => {
                walls.push(possible_barriers(trace, &parents, found.race));
                gaps.push(MissingWait { shown: found, others: Vec::new() });
            }
        }
    }
    gaps
}

/// Returns the events before which a barrier could order the race: it goes before the statement of
/// the second access, in the body that contains both accesses; if the second is an iteration later,
/// at the end of the loop's body.
fn possible_barriers(
    trace: &Trace,
    parents: &Facts<InstId, Option<(InstId, usize)>>,
    race: &Race,
) -> Vec<usize> {
    if race.iteration_of.is_some() {
        return iteration_starts(trace, race);
    }
    let around = |inst: InstId| parents[inst].map(|(parent, _)| parent);
    let up = |inst: InstId| std::iter::successors(Some(inst), |&inst| around(inst));
    let [first, second] = race.sides.map(|side| side.inst);
    let shared = |of: &InstId| up(first).any(|other| other == *of);
    let in_same_body = |of: &InstId| around(*of).is_none_or(|parent| shared(&parent));
    let statement = up(second).find(in_same_body).unwrap_or(second);
    let is_in = |number: usize| up(trace.events[number].inst).any(|of| of == statement);
    let begins = |&number: &usize| is_in(number) && (number == 0 || !is_in(number - 1));
    (0..trace.events.len()).filter(begins).collect()
}

/// Returns the first event of each iteration of the loop in which the second access is an iteration
/// later.
fn iteration_starts(trace: &Trace, race: &Race) -> Vec<usize> {
    let round = |event: &Event| {
        let place = event.loops.iter().position(|&(of, _)| Some(of) == race.iteration_of)?;
        Some(event.iterations[place])
    };
    let begins = |&number: &usize| {
        number > 0 && {
            let [before, here] = [number - 1, number].map(|at| round(&trace.events[at]));
            here.is_some() && before != here
        }
    };
    (0..trace.events.len()).filter(begins).collect()
}

/// Returns true if a race is between the load and the store of `x[i] += ..`, and the store races
/// with itself, which makes the first finding superfluous.
pub(super) fn is_within_update(analyses: &Analyses, found: &RaceAt<'_>) -> bool {
    let [a, b] = found.race.sides;
    let [(load, true), (store, false)] = [(a, !a.writes), (b, !b.writes)] else { return false };
    let offset = |event: usize| {
        let EventKind::Access(access) = &analyses.trace.events[event].kind else { return None };
        access.offset.as_ref()
    };
    let same_place = offset(load.event).is_some() && offset(load.event) == offset(store.event);
    same_place
        && all_races(analyses).any(|other| {
            other.root == found.root
                && other.is_of_one_store()
                && other.race.sides[0].inst == store.inst
        })
}

/// Returns the help where several threads write one texel of a surface, which has no atomic
/// operations; `None` for other memory.
pub(super) fn surface_help(kernel: &Kernel, root: Root) -> Option<String> {
    kernel.surface_of_root(root)?;
    let help = "give each thread a texel of its own, or add up in a buffer of atomics: \
                `&[AtomicU32]`, `&[AtomicF32]`";
    Some(help.to_owned())
}

/// Creates a finding at the second of two racing accesses, with the first as a label.
pub(super) fn race_finding(
    kernel: &Kernel,
    analyses: &Analyses,
    found: &RaceAt<'_>,
    message: String,
    help: String,
) -> Finding {
    let [first, second] = found.race.sides;
    let mut labels = Vec::new();
    if first.inst != second.inst {
        let does = if first.writes { "writes" } else { "reads" };
        let place = element_text(kernel, found.root, found.race.offset);
        let when = if found.race.iteration_of.is_some() { ", an iteration before" } else { "" };
        let text = format!("{} {does} {place} here{when}", thread_text(first.thread));
        labels.push((kernel.insts[first.inst].span, text));
    }
    let span = kernel.insts[second.inst].span;
    Finding { message, span, labels, notes: wording::assumption_notes(&analyses.trace.shape), help }
}

/// Describes the second of two accesses, and the unfinished first one.
pub(super) fn describe_clash(kernel: &Kernel, found: &RaceAt<'_>) -> String {
    let [first, second] = found.race.sides;
    let name = quoted_name(kernel, found.root);
    let place = element_text(kernel, found.root, found.race.offset);
    let does = |writes: bool| if writes { "writes" } else { "reads" };
    format!(
        "{name} is {} here while another thread may still be {} it: {} {} {place}, {} {} it",
        if second.writes { "written" } else { "read" },
        if first.writes { "writing" } else { "reading" },
        thread_text(second.thread),
        does(second.writes),
        thread_text(first.thread),
        does(first.writes),
    )
}

/// Returns the number of threads that store to the location of a race at once.
pub(super) fn storing_threads(analyses: &Analyses, race: &Race) -> usize {
    let event = &analyses.trace.events[race.sides[0].event];
    let EventKind::Access(access) = &event.kind else { return 2 };
    let shape = analyses.trace.shape;
    let number = |[x, y, z]: [u32; 3]| ((z * shape.dims[1] + y) * shape.dims[0] + x) as usize;
    let first = number(race.sides[0].thread);
    let same = |thread: &usize| {
        access.offset.as_ref().and_then(|offset| offset.difference(*thread, first)) == Some(0)
    };
    event.active.threads.iter().filter(same).count()
}

/// Returns the name of an array or buffer in backticks; an array bound by a pattern has none.
pub(super) fn quoted_name(kernel: &Kernel, root: Root) -> String {
    let name = kernel.root_name(root);
    if name.is_empty() { "a shared array".to_owned() } else { format!("`{name}`") }
}

/// Returns the element at an offset in bytes, or `an element`.
pub(super) fn element_text(kernel: &Kernel, root: Root, at: Option<i64>) -> String {
    let size = match root {
        Root::Param(param) => match &kernel.params[param].kind {
            ParamKind::Slice { elem, .. } => elem.size(),
            ParamKind::Scalar(_) => None,
        },
        Root::Shared(shared) => kernel.shared[shared].elem.size(),
        Root::Array(array) => kernel.arrays[array].elem.size(),
    };
    let size = size.and_then(|size| i64::try_from(size).ok()).filter(|&size| size > 0);
    match at.zip(size) {
        Some((at, size)) => format!("element {}", at / size),
        None => "an element".to_owned(),
    }
}

/// Returns a thread as messages name it.
pub(super) fn thread_text([x, y, z]: [u32; 3]) -> String {
    format!("thread ({x}, {y}, {z})")
}

/// Returns true if a wait in the block would end the race.
pub(super) fn needs_order(found: &RaceAt<'_>) -> bool {
    matches!(found.race.kind, RaceKind::ReadWrite | RaceKind::WriteWrite)
        && found.race.among != ThreadGroup::Grid
        && !found.is_of_one_store()
}
