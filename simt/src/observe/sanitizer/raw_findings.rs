//! The findings of the sanitizer by number, before they get names: races, undefined uses and
//! misuses, merged by place.
use super::{
    cluster::LateRecord,
    finding::{
        Access, EarlyAccess, Finding, LateAccess, Location, Missing, Problem, Race, RaceKind,
        Severity, Uninitialized, UnwaitedCopy, Use,
    },
    misuse::{Misuses, join_lowest},
    pending_copies::{EarlyRecord, UnwaitedRecord},
    sync_finding::{MaskKind, MaskMisuse},
};
use crate::{
    Launch,
    bytecode::{AccessKind, Site},
    launch::unflatten,
    outcome::Meeting,
};
use std::{cmp::Reverse, collections::BTreeMap};
use warpwise_compiler::{
    id::Id,
    ir::{Element, Kernel, ParamKind, Span},
};

/// One of two racing accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RacingAccess {
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the thread in it.
    pub(crate) thread: u32,
    /// Number of the access site.
    pub(crate) site: u32,
    pub(crate) kind: AccessKind,
    /// The written value, if it is known.
    pub(crate) value: Option<u64>,
}

/// Two racing accesses. Of several between two places, the lowest pair is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RacingPair {
    /// The lower block of the two: pairs compare by it first.
    pub(crate) block: u64,
    /// Number of the buffer, and the byte in it.
    pub(crate) at: (u16, u64),
    pub(crate) accesses: [RacingAccess; 2],
    pub(crate) missing: Missing,
}

impl RacingPair {
    /// Creates a pair; of a read and a write, the write comes first.
    pub(crate) fn new(at: (u16, u64), mut accesses: [RacingAccess; 2], missing: Missing) -> Self {
        if !accesses[0].kind.writes() {
            accesses.reverse();
        }
        let block = accesses[0].block.min(accesses[1].block);
        Self { block, at, accesses, missing }
    }
}

/// The source of an undefined value of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UndefinedSource {
    /// Number of the block.
    pub(crate) block: u64,
    pub(crate) origin: UndefinedOrigin,
    /// Number of the thread in the block.
    pub(crate) thread: u32,
}

/// The instruction that yields an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UndefinedOrigin {
    /// A read of unwritten shared memory.
    Read {
        /// Number of the buffer, and the byte in it.
        at: (u16, u64),
        /// Number of the access site.
        site: u32,
    },
    /// A shuffle whose source lane takes no part.
    AbsentLane {
        /// Number of the instruction.
        step: u32,
        /// The source lane.
        lane: u32,
        /// The lanes that the reading thread names.
        mask: u32,
    },
}

impl UndefinedOrigin {
    /// Returns a key that identifies the instruction.
    fn instruction(self) -> (bool, u32) {
        match self {
            Self::Read { site, .. } => (false, site),
            Self::AbsentLane { step, .. } => (true, step),
        }
    }
}

/// The instruction that yields an undefined value, the instruction that uses it, and the use.
type UseKey = ((bool, u32), u32, Use);

/// The sites of a race, its kind and severity, and true if both accesses write the same value.
type RaceKey = ([u32; 2], RaceKind, Severity, bool);

/// A [`RaceKey`] with places in the source instead of sites.
type RacePlaceKey = ([Span; 2], RaceKind, Severity, bool);

/// The findings in some blocks. [Joining](Self::join) those of all blocks gives the same result in
/// any order.
#[derive(Debug, Default)]
pub(crate) struct RawFindings {
    races: BTreeMap<RaceKey, (RacingPair, u64)>,
    undefined: BTreeMap<UseKey, (UndefinedSource, u64)>,
    /// By the sites of the access and the copy.
    early: BTreeMap<[u32; 2], (EarlyRecord, u64)>,
    /// By the site of the destination.
    unwaited: BTreeMap<u32, (UnwaitedRecord, u64)>,
    /// By the site of the access.
    late: BTreeMap<u32, (LateRecord, u64)>,
    /// The last access counted and its key: several racing bytes of one access count once.
    last: Option<(u64, RaceKey)>,
    /// Misuses of barriers and masks.
    pub(crate) misuses: Misuses,
}

impl RawFindings {
    /// Returns true if there is no finding.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { races, undefined, early, unwaited, late, misuses, .. } = self;
        let has_copies = !early.is_empty() || !unwaited.is_empty();
        let has_accesses = !races.is_empty() || !late.is_empty();
        !has_accesses && undefined.is_empty() && !has_copies && misuses.is_empty()
    }

    /// Adds a race of the access with this number.
    pub(crate) fn add_race(&mut self, access: u64, pair: RacingPair) {
        let key = race_key(&pair);
        let again = self.last.replace((access, key)) == Some((access, key));
        self.merge_race(key, pair, u64::from(!again));
    }

    /// Adds a use of an undefined value by an instruction.
    pub(crate) fn add_undefined(&mut self, source: UndefinedSource, step: u32, how: Use) {
        self.merge_undefined((source.origin.instruction(), step, how), source, 1);
    }

    /// Adds an access that comes before a copy is waited for.
    pub(crate) fn add_early(&mut self, record: EarlyRecord) {
        join_lowest(&mut self.early, [record.access.site, record.copy.site], record, 1);
    }

    /// Adds a copy that nothing waits for.
    pub(crate) fn add_unwaited(&mut self, record: UnwaitedRecord) {
        join_lowest(&mut self.unwaited, record.copy.site, record, 1);
    }

    /// Adds an access to the shared memory of a block that may have ended.
    pub(crate) fn add_late(&mut self, record: LateRecord) {
        join_lowest(&mut self.late, record.access.site, record, 1);
    }

    fn merge_undefined(&mut self, key: UseKey, source: UndefinedSource, count: u64) {
        let (lowest, counted) = self.undefined.entry(key).or_insert((source, 0));
        *lowest = (*lowest).min(source);
        *counted += count;
    }

    fn merge_race(&mut self, key: RaceKey, pair: RacingPair, count: u64) {
        let (lowest, counted) = self.races.entry(key).or_insert((pair, 0));
        *lowest = (*lowest).min(pair);
        *counted += count;
    }

    /// Returns the number of racing accesses.
    pub(crate) fn race_count(&self) -> u64 {
        self.races.values().map(|(_, count)| count).sum()
    }

    /// Adds the findings of other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        for (key, (pair, count)) in other.races {
            self.merge_race(key, pair, count);
        }
        for (key, (source, count)) in other.undefined {
            self.merge_undefined(key, source, count);
        }
        for (key, (record, count)) in other.early {
            join_lowest(&mut self.early, key, record, count);
        }
        for (key, (record, count)) in other.unwaited {
            join_lowest(&mut self.unwaited, key, record, count);
        }
        for (key, (record, count)) in other.late {
            join_lowest(&mut self.late, key, record, count);
        }
        self.misuses.join(other.misuses);
    }

    /// Returns the findings: errors first, then by address.
    pub(crate) fn report(self, names: &LaunchNames<'_>) -> Vec<Finding> {
        // Several sites may have one place in the source: where a loop is unrolled or a function
        // inlined.
        let mut races = BTreeMap::new();
        for ((sites, kind, severity, is_same), (pair, count)) in self.races {
            let mut places = sites.map(|site| names.site_span(site));
            places.sort_unstable();
            join_lowest(&mut races, (places, kind, severity, is_same), pair, count);
        }
        let mut all: Vec<_> = races.into_iter().collect();
        // Several threads may write the same value on purpose.
        let severity_of = |(_, _, severity, is_same): &RacePlaceKey| {
            if *is_same && !names.is_strict { Severity::Info } else { *severity }
        };
        all.sort_by_key(|(key, (pair, _))| (Reverse(severity_of(key)), pair.at, *pair));
        let finding = |(key, (pair, count)): (RacePlaceKey, (RacingPair, u64))| {
            let (kind, severity) = (key.1, severity_of(&key));
            let race = Race {
                kind,
                location: names.location(pair.at),
                accesses: pair.accesses.map(|access| names.access(access)),
                missing: pair.missing,
                same_value: is_same_value(&pair),
            };
            Finding { problem: Problem::Race(race), severity, count }
        };
        let races = all.into_iter().map(finding);
        let mut undefined = BTreeMap::new();
        for ((_, step, how), (source, count)) in self.undefined {
            let origin = match source.origin {
                UndefinedOrigin::Read { site, .. } => (false, names.site_span(site)),
                UndefinedOrigin::AbsentLane { step, .. } => (true, names.instr_span(step)),
            };
            join_lowest(&mut undefined, (origin, names.instr_span(step), how), source, count);
        }
        let undefined = undefined.into_iter().map(|((_, used, how), (source, count))| {
            let UndefinedSource { block, thread, origin } = source;
            let problem = match origin {
                UndefinedOrigin::Read { at, site } => {
                    let access =
                        RacingAccess { block, thread, site, kind: AccessKind::Read, value: None };
                    let (location, read) = (names.location(at), names.access(access));
                    Problem::Uninitialized(Uninitialized { location, read, how, used })
                }
                UndefinedOrigin::AbsentLane { step, lane, mask } => {
                    let launch = names.launch;
                    Problem::Mask(MaskMisuse {
                        kind: MaskKind::SourceAbsent,
                        at: Meeting::Shuffle,
                        place: names.instr_span(step),
                        block: unflatten(block, launch.grid),
                        thread: unflatten(thread.into(), launch.block),
                        mask,
                        lanes: 1 << lane,
                        used: Some((how, used)),
                    })
                }
            };
            Finding { problem, severity: Severity::Error, count }
        });
        let copies = report_copies(self.early, self.unwaited, names);
        let late = report_late_accesses(self.late, names);
        let mut findings: Vec<_> = races.chain(late).chain(copies).chain(undefined).collect();
        // An absent source lane is a note only. Where its value is used, the error replaces the
        // note.
        let used: Vec<Span> = findings.iter().filter_map(absent_lane_place).collect();
        let is_said = |finding: &Finding| {
            absent_lane_place(finding).is_some_and(|place| used.contains(&place))
        };
        let misuses = self.misuses.report(names.launch);
        findings.extend(misuses.into_iter().filter(|finding| !is_said(finding)));
        findings.sort_by_key(|finding| Reverse(finding.severity));
        findings
    }
}

/// Returns the findings about asynchronous copies, merged by place in the source.
fn report_copies(
    early: BTreeMap<[u32; 2], (EarlyRecord, u64)>,
    unwaited: BTreeMap<u32, (UnwaitedRecord, u64)>,
    names: &LaunchNames<'_>,
) -> Vec<Finding> {
    let (mut early_by_place, mut unwaited_by_place) = (BTreeMap::new(), BTreeMap::new());
    for (sites, (record, count)) in early {
        let places = sites.map(|site| names.site_span(site));
        join_lowest(&mut early_by_place, places, record, count);
    }
    for (site, (record, count)) in unwaited {
        join_lowest(&mut unwaited_by_place, names.site_span(site), record, count);
    }
    let early = early_by_place.into_values().map(|(record, count)| {
        let [access, copy] = [record.access, record.copy].map(|access| names.access(access));
        let location = names.location(record.at);
        let problem = Problem::EarlyAccess(EarlyAccess { location, access, copy });
        Finding { problem, severity: Severity::Error, count }
    });
    let unwaited = unwaited_by_place.into_values().map(|(record, count)| {
        let (location, copy) = (names.location(record.at), names.access(record.copy));
        let problem = Problem::UnwaitedCopy(UnwaitedCopy { location, copy });
        Finding { problem, severity: Severity::Warning, count }
    });
    early.chain(unwaited).collect()
}

/// Returns the findings about accesses to blocks that may have ended, merged by place in the
/// source.
fn report_late_accesses(
    late: BTreeMap<u32, (LateRecord, u64)>,
    names: &LaunchNames<'_>,
) -> Vec<Finding> {
    let mut by_place = BTreeMap::new();
    for (site, (record, count)) in late {
        join_lowest(&mut by_place, names.site_span(site), record, count);
    }
    let finding = |(record, count): (LateRecord, u64)| {
        let (location, access) = (names.location(record.at), names.access(record.access));
        let problem = Problem::LateAccess(LateAccess { location, access });
        Finding { problem, severity: Severity::Error, count }
    };
    by_place.into_values().map(finding).collect()
}

/// The tables that translate numbers to names, places and indices.
pub(crate) struct LaunchNames<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) sites: &'a [Site],
    /// By instruction.
    pub(crate) spans: &'a [Span],
    pub(crate) launch: &'a Launch<'a>,
    /// True if racing writes of the same value are errors, too.
    pub(crate) is_strict: bool,
}

impl LaunchNames<'_> {
    /// Returns the place of an access site.
    fn site_span(&self, site: u32) -> Span {
        self.sites.get(site as usize).map_or(Span::new(0), |site| site.span)
    }

    fn instr_span(&self, step: u32) -> Span {
        self.spans.get(step as usize).copied().unwrap_or(Span::new(0))
    }

    fn access(&self, access: RacingAccess) -> Access {
        let RacingAccess { block, thread, site, kind, value } = access;
        Access {
            kind,
            place: self.site_span(site),
            block: unflatten(block, self.launch.grid),
            thread: unflatten(thread.into(), self.launch.block),
            value,
        }
    }

    /// Returns the element that holds a byte of a buffer. The buffers after the shared arrays are
    /// those of the blocks of a cluster, by rank.
    pub(crate) fn location(&self, (buffer, byte): (u16, u64)) -> Location {
        let (params, shared) = (self.kernel.params.len(), self.kernel.shared.len());
        let mut buffer = usize::from(buffer);
        let mapped = buffer.checked_sub(params + shared);
        let rank = mapped.and_then(|mapped| mapped.checked_div(shared));
        if let Some(rank) = rank {
            buffer -= shared * (1 + rank);
        }
        let rank = rank.map(|rank| rank as u32);
        let param = self.kernel.params.iter().nth(buffer).map(|(_, param)| match &param.kind {
            ParamKind::Slice { elem, .. } => (&param.name, elem.size()),
            ParamKind::Scalar(scalar) => (&param.name, Element::Scalar(*scalar).size()),
        });
        let array = || self.kernel.shared.iter().nth(buffer - params);
        let array = || array().map(|(_, array)| (&array.name, array.elem.size()));
        let (name, element) =
            param.or_else(array).map_or(("?", None), |(name, size)| (name.as_str(), size));
        let element = element.filter(|bytes| *bytes > 0).unwrap_or(1);
        let (index, offset) = (byte / element, byte % element);
        Location { buffer: name.into(), rank, index, offset }
    }
}

/// Returns the place of a shuffle with an absent source lane, if the finding is one.
fn absent_lane_place(finding: &Finding) -> Option<Span> {
    match &finding.problem {
        Problem::Mask(misuse) if misuse.kind == MaskKind::SourceAbsent => Some(misuse.place),
        _ => None,
    }
}

fn race_kind([one, other]: &[RacingAccess; 2]) -> RaceKind {
    match (one.kind.is_atomic(), other.kind.is_atomic()) {
        (true, true) => RaceKind::Scope,
        (true, false) | (false, true) => RaceKind::AtomicPlain,
        (false, false) if one.kind.writes() && other.kind.writes() => RaceKind::WriteWrite,
        (false, false) => RaceKind::ReadWrite,
    }
}

fn is_same_value(pair: &RacingPair) -> bool {
    let [one, other] = &pair.accesses;
    race_kind(&pair.accesses) == RaceKind::WriteWrite
        && one.value.is_some()
        && one.value == other.value
}

fn race_key(pair: &RacingPair) -> RaceKey {
    let severity =
        if pair.missing == Missing::WarpSync { Severity::Warning } else { Severity::Error };
    let mut sites = pair.accesses.map(|access| access.site);
    sites.sort_unstable();
    (sites, race_kind(&pair.accesses), severity, is_same_value(pair))
}
