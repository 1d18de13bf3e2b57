//! `gpu_unwaited_copies`: data of an asynchronous copy are used before the copy has been waited
//! for.
//!
//! ```text
//! async_copy::copy(&mut tile[t], &x[i]);
//! async_copy::commit();
//! sync_threads();          // waits for threads, not for copies
//! let v = tile[63 - t];
//! ```
//! Fires where
//! - a thread accesses the destination, or writes to the source, of its own copy or, after a
//!   barrier, of another thread's, and no wait in between covers the copy;
//! - the wait is there, and no barrier between it and another thread's access;
//! - a wait never waits, since at most as many groups are closed before it as may be pending;
//! - a kernel waits for no copy at all.
//!
//! Only the first kind of defect that a kernel has is reported, since it may be the cause of
//! others. Early accesses are not reported in kernels with named barriers, which may order them.
//! Silent where the addresses, the threads or the number of groups depend on more than the launch.
//! Without a barrier after the copy, other threads' accesses are races like any others
//! (`gpu_missing_barriers`).
use crate::{
    analysis::{
        Analyses,
        symbolic::{Access, AccessKind, Coverage, Event, EventKind, Split, SymbolicSum, Trace},
    },
    diag::Level,
    ir::{CopyOp, InstId, Kernel, Op, Root, Span},
    lint::{Finding, Lint, LintGroup, race, wording},
};
use std::collections::{BTreeMap, HashMap};

/// Bytes in a word: copies are made of whole ones.
const WORD_BYTES: i64 = 4;
/// The maximum number of compared pairs of a copy and an access.
const MAX_PAIRS: u32 = 2_000;

pub(in crate::lint) const LINT: Lint =
    Lint { name: "gpu_unwaited_copies", group: LintGroup::Correctness, level: Level::Deny, check };

fn check(kernel: &Kernel, analyses: &Analyses) -> Vec<Finding> {
    let copies = |op: &Op| matches!(op, Op::Copy(CopyOp::AsyncCopy { .. }));
    let trace = &analyses.trace;
    if !trace.complete || !kernel.insts.iter().any(|(_, inst)| copies(&inst.op)) {
        return Vec::new();
    }
    let groups = Groups::count(trace);
    let useless = useless_waits(kernel, trace, &groups);
    if !useless.is_empty() {
        return useless;
    }
    let early = early_accesses(kernel, analyses, &groups);
    if !early.is_empty() && !kernel.has_partial_barriers() {
        return early;
    }
    let waits = |op: &Op| matches!(op, Op::Copy(CopyOp::AsyncWait { .. }));
    if kernel.insts.iter().any(|(_, inst)| waits(&inst.op)) {
        return Vec::new();
    }
    let first = trace.events.iter().find(|event| copies(&kernel.insts[event.inst].op));
    first.map(|event| unwaited_copy(kernel, event)).into_iter().collect()
}

/// The closed groups of copies along a trace.
struct Groups {
    /// Per event, the number of groups that are closed before it.
    closed: Vec<usize>,
    /// Per event, the number of these that are closed in a loop with an unknown trip count: in a
    /// run there may be more.
    repeated: Vec<usize>,
}

impl Groups {
    fn count(trace: &Trace) -> Self {
        let (mut closed, mut repeated) = (vec![0], vec![0]);
        let (mut count, mut in_loops) = (0, 0);
        for event in &trace.events {
            if matches!(event.kind, EventKind::AsyncCommit) {
                count += 1;
                in_loops += usize::from(event.loops.iter().any(|(_, symbol)| symbol.is_some()));
            }
            closed.push(count);
            repeated.push(in_loops);
        }
        Self { closed, repeated }
    }

    /// Returns the number of groups that are closed between two events, at most; `None` if it is
    /// unlimited.
    fn closed_between(&self, first: usize, last: usize) -> Option<u64> {
        let known = self.repeated[first] == self.repeated[last];
        known.then(|| (self.closed[last] - self.closed[first]) as u64)
    }
}

/// Finds waits that never wait: all groups that may be closed before them may be pending.
fn useless_waits(kernel: &Kernel, trace: &Trace, groups: &Groups) -> Vec<Finding> {
    // A function that is called twice is in the kernel twice: one of the calls may wait.
    let mut waits: BTreeMap<Span, Option<(u64, u64)>> = BTreeMap::new();
    for (number, event) in trace.events.iter().enumerate() {
        let EventKind::AsyncWait(pending) = event.kind else { continue };
        let closed = groups.closed_between(0, number);
        let known = pending.zip(closed).filter(|(pending, closed)| closed <= pending);
        let worst = waits.entry(kernel.insts[event.inst].span).or_insert(known);
        *worst = match (*worst, known) {
            (Some(a), Some(b)) => Some(if a.1 >= b.1 { a } else { b }),
            (_, _) => None,
        };
    }
    let useless = waits.into_iter().filter_map(|(span, known)| {
        let (pending, closed) = known?;
        let message = match closed {
            0 => "this waits for no copy: no group of copies is closed before it".to_owned(),
            _ => format!(
                "this waits for no copy: at most {closed} {} closed before it, and {pending} may \
                 be pending",
                if closed == 1 { "group of copies is" } else { "groups of copies are" }
            ),
        };
        let help = match closed {
            0 => "close the group before the wait by `async_copy::commit()`, or wait for all \
                  copies: `async_copy::wait_all()`"
                .to_owned(),
            _ => format!("let fewer groups be pending: `async_copy::wait::<{}>()`", closed - 1),
        };
        Some(Finding { message, span, labels: Vec::new(), notes: Vec::new(), help })
    });
    useless.collect()
}

/// A copy or another access in a trace.
#[derive(Clone, Copy)]
struct Memory<'a> {
    number: usize,
    event: &'a Event,
    access: &'a Access,
    offset: &'a SymbolicSum,
    root: Root,
}

impl<'a> Memory<'a> {
    fn new(number: usize, event: &'a Event) -> Option<Self> {
        let EventKind::Access(access) = &event.kind else { return None };
        let certain = matches!(event.active.coverage, Coverage::All | Coverage::Guarded);
        if !certain || event.active.launch_dependent || access.assumed || access.bytes == 0 {
            return None;
        }
        let (root, offset) = (access.root?, access.offset.as_ref()?);
        Some(Self { number, event, access, offset, root })
    }

    fn writes(&self) -> bool {
        !matches!(self.access.kind, AccessKind::Load)
    }

    /// Returns the words that a thread accesses, relative to the symbolic part of its offset.
    fn words(&self, thread: usize) -> std::ops::RangeInclusive<i64> {
        let first = self.offset.numbers().number_in(thread);
        let last = first + i64::from(self.access.bytes) - 1;
        first.div_euclid(WORD_BYTES)..=last.div_euclid(WORD_BYTES)
    }
}

/// The reason that an access comes too early.
#[derive(Clone, Copy)]
enum Early {
    /// No wait comes before it; there may be one for earlier groups.
    Unwaited { useless: Option<InstId> },
    /// No barrier follows the wait.
    Unordered { wait: InstId },
}

/// Finds accesses to memory with pending copies, one at each place.
fn early_accesses(kernel: &Kernel, analyses: &Analyses, groups: &Groups) -> Vec<Finding> {
    let trace = &analyses.trace;
    let events = trace.events.iter().enumerate();
    let all: Vec<Memory<'_>> =
        events.filter_map(|(number, event)| Memory::new(number, event)).collect();
    let (mut found, mut pairs) = (BTreeMap::new(), 0);
    // The last copy before an access is the one whose wait is missing.
    for (index, copy) in all.iter().enumerate().rev() {
        if !matches!(kernel.insts[copy.event.inst].op, Op::Copy(CopyOp::AsyncCopy { .. })) {
            continue;
        }
        let done = first_covering_wait(trace, groups, copy);
        let pending = all[index + 1..].iter().take_while(|access| {
            done.is_none_or(|(number, interval)| {
                access.number < number || access.event.interval <= interval
            })
        });
        let conflicting = pending.filter(|access| {
            let is_same = access.event.inst == copy.event.inst;
            !is_same && access.root == copy.root && (access.writes() || copy.writes())
        });
        for access in conflicting {
            pairs += 1;
            let place = kernel.insts[access.event.inst].span;
            if pairs > MAX_PAIRS || found.contains_key(&place) {
                continue;
            }
            if let Some((early, threads)) = find_early_access(trace, groups, copy, access) {
                found.insert(place, early_access(kernel, analyses, [copy, access], early, threads));
            }
        }
    }
    found.into_values().collect()
}

/// Returns the first wait after which all threads are done with a copy, with its interval between
/// barriers: nothing after the next barrier comes too early.
fn first_covering_wait(trace: &Trace, groups: &Groups, copy: &Memory<'_>) -> Option<(usize, u32)> {
    let after = trace.events.iter().enumerate().skip(copy.number + 1);
    after.into_iter().find_map(|(number, event)| {
        let EventKind::AsyncWait(pending) = event.kind else { return None };
        let closed = groups.closed_between(copy.number, number);
        let covers = pending.zip(closed).is_none_or(|(pending, closed)| closed > pending);
        let all = copy.event.active.threads.is_subset(&event.active.threads);
        (covers && all).then_some((number, event.interval))
    })
}

/// Returns the reason for which an access comes too early after a copy, and the threads of the copy
/// and the access, if there are such threads in every run in which both happen.
fn find_early_access(
    trace: &Trace,
    groups: &Groups,
    copy: &Memory<'_>,
    access: &Memory<'_>,
) -> Option<(Early, [usize; 2])> {
    let [of_copy, of_access] = [copy, access].map(|of| decided_arms(trace, of.event));
    let is_part = |a: &[(InstId, bool)], b: &[(InstId, bool)]| a.iter().all(|arm| b.contains(arm));
    if !is_part(&of_copy, &of_access) && !is_part(&of_access, &of_copy) {
        return None;
    }
    // The symbols cancel, and their factors are the same in all threads.
    let distance = access.offset.checked_sub(copy.offset)?;
    distance.as_numbers()?;
    let is_uniform = copy
        .offset
        .terms()
        .iter()
        .all(|term| !term.monomial.is_per_warp() && term.factors.as_uniform().is_some());
    let mut copied: HashMap<i64, usize> = HashMap::new();
    if is_uniform {
        for thread in copy.event.active.threads.iter() {
            copied.extend(copy.words(thread).map(|word| (word, thread)));
        }
    }
    for thread in access.event.active.threads.iter() {
        let own = copy.event.active.threads.contains(thread)
            && access.words(thread).any(|word| copy.words(thread).contains(&word));
        if own && let Some(early) = unwaited_access(trace, groups, [copy, access], thread) {
            return Some((early, [thread; 2]));
        }
        // Without a barrier after the copy it is a race.
        if own || access.event.unordered_since <= copy.event.interval {
            continue;
        }
        let other = access.words(thread).find_map(|word| copied.get(&word).copied());
        let Some(other) = other else { continue };
        if let Some(early) = unwaited_access(trace, groups, [copy, access], other)
            .or_else(|| unordered_access(trace, groups, [copy, access], other))
        {
            return Some((early, [other, thread]));
        }
    }
    None
}

/// Returns the arms around an event that some blocks may not take. All threads pass the guards
/// around it, except in blocks at an edge.
fn decided_arms(trace: &Trace, event: &Event) -> Vec<(InstId, bool)> {
    let is_guard = |branch: InstId| trace.worst_split(branch) == Some(&Split::Guard);
    event.arms.iter().copied().filter(|&(branch, arm)| !arm || !is_guard(branch)).collect()
}

/// Returns the waits of a thread between a copy and an access, each with true if it may cover the
/// copy.
fn waits_between<'a>(
    trace: &'a Trace,
    groups: &'a Groups,
    [copy, access]: [&Memory<'_>; 2],
    thread: usize,
) -> impl Iterator<Item = (&'a Event, bool)> {
    let (first, last) = (copy.number, access.number);
    (first..last).filter_map(move |number| {
        let event = &trace.events[number];
        let EventKind::AsyncWait(pending) = event.kind else { return None };
        let closed = groups.closed_between(first, number);
        let covers = pending.zip(closed).is_none_or(|(pending, closed)| closed > pending);
        event.active.threads.contains(thread).then_some((event, covers))
    })
}

/// Returns a reason if no wait of the copying thread covers a copy before an access.
fn unwaited_access(
    trace: &Trace,
    groups: &Groups,
    ends: [&Memory<'_>; 2],
    thread: usize,
) -> Option<Early> {
    let mut useless = None;
    for (wait, covers) in waits_between(trace, groups, ends, thread) {
        if covers {
            return None;
        }
        useless = Some(wait.inst);
    }
    Some(Early::Unwaited { useless })
}

/// Returns a reason if no barrier follows the first wait that covers a copy before another thread's
/// access.
fn unordered_access(
    trace: &Trace,
    groups: &Groups,
    ends @ [_, access]: [&Memory<'_>; 2],
    thread: usize,
) -> Option<Early> {
    let mut waits = waits_between(trace, groups, ends, thread).filter(|(_, covers)| *covers);
    let (wait, _) = waits.next()?;
    // Later waits have even fewer barriers after them.
    (access.event.interval == wait.interval).then_some(Early::Unordered { wait: wait.inst })
}

fn early_access(
    kernel: &Kernel,
    analyses: &Analyses,
    [copy, access]: [&Memory<'_>; 2],
    early: Early,
    threads: [usize; 2],
) -> Finding {
    let trace = &analyses.trace;
    let name = race::quoted_name(kernel, copy.root);
    let [copying, accessing] = threads.map(|thread| {
        let index = trace.shape.thread_index(thread);
        race::thread_text(index)
    });
    let at = copy.offset.number_in(threads[0]);
    let place = race::element_text(kernel, copy.root, at);
    let (is, does) = if access.writes() { ("written", "writes") } else { ("read", "reads") };
    let role = if copy.writes() { "to" } else { "from" };
    let whose =
        if threads[0] == threads[1] { String::new() } else { format!(", which {copying} copies") };
    let (reason, help) = match early {
        Early::Unwaited { .. } => (
            format!("before the copy {role} it has been waited for"),
            if threads[0] == threads[1] {
                "wait for the group of the copy before: `async_copy::wait::<N>()`, where at most \
                 `N` later groups are closed, or `async_copy::wait_all()`"
            } else {
                "let each thread wait for its copies before `sync_threads()`: \
                 `async_copy::wait::<N>()`, where at most `N` later groups are closed, or \
                 `async_copy::wait_all()`"
            },
        ),
        Early::Unordered { .. } => (
            format!("without a barrier after the wait for the copy {role} it"),
            "add `sync_threads()` after the wait",
        ),
    };
    let label = format!("{copying} begins to copy {role} {place} here");
    let mut labels = vec![(kernel.insts[copy.event.inst].span, label)];
    match early {
        Early::Unwaited { useless: Some(wait) } => labels.push((
            kernel.insts[wait].span,
            "this leaves the group of the copy pending".to_owned(),
        )),
        Early::Unwaited { useless: None } => {}
        Early::Unordered { wait } => labels
            .push((kernel.insts[wait].span, format!("{copying} waits for its own copies here"))),
    }
    Finding {
        message: format!("{name} is {is} here {reason}: {accessing} {does} {place}{whose}"),
        span: kernel.insts[access.event.inst].span,
        labels,
        notes: wording::assumption_notes(&trace.shape),
        help: help.to_owned(),
    }
}

fn unwaited_copy(kernel: &Kernel, copy: &Event) -> Finding {
    Finding {
        message: "nothing in this kernel waits for its asynchronous copies".to_owned(),
        span: kernel.insts[copy.inst].span,
        labels: Vec::new(),
        notes: Vec::new(),
        help: "call `async_copy::wait_all()` before the data are used, or `async_copy::commit()` \
               and `async_copy::wait::<0>()`"
            .to_owned(),
    }
}
