//! Races, joined where they are the same two places.
use super::{
    finding::{
        Access, Finding, Location, Missing, Problem, Race, RaceKind, Severity, Uninitialized, Use,
    },
    misuse::{Misuses, join_lowest},
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

/// One of two accesses that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Party {
    /// Number of the block.
    pub(crate) block: u64,
    /// Number of the thread in it.
    pub(crate) thread: u32,
    /// Number of the instruction.
    pub(crate) site: u32,
    pub(crate) kind: AccessKind,
    /// What it writes, if that is known.
    pub(crate) value: Option<u64>,
}

/// Two accesses that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    /// What orders the pairs of two places: the lowest is reported.
    pub(crate) block: u64,
    /// Number of the buffer, and the byte in it.
    pub(crate) at: (u16, u64),
    pub(crate) parties: [Party; 2],
    pub(crate) missing: Missing,
}

impl Pair {
    /// Two accesses, of a read and a write the write first.
    pub(crate) fn new(at: (u16, u64), mut parties: [Party; 2], missing: Missing) -> Self {
        if !parties[0].kind.writes() {
            parties.reverse();
        }
        let block = parties[0].block.min(parties[1].block);
        Self { block, at, parties, missing }
    }
}

/// Where a thread got something undefined from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Source {
    /// Number of the block.
    pub(crate) block: u64,
    pub(crate) origin: Origin,
    /// Number of the thread in the block.
    pub(crate) thread: u32,
}

/// What yields something undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// Shared memory that nobody has written.
    Read {
        /// Number of the buffer, and the byte in it.
        at: (u16, u64),
        /// Number of the instruction.
        site: u32,
    },
    /// A shuffle whose source lane takes no part.
    Absent {
        /// Number of the step.
        step: u32,
        /// The source lane.
        lane: u32,
        /// The lanes that the reading thread names.
        mask: u32,
    },
}

impl Origin {
    /// Tells apart the instructions that yield something undefined.
    fn instruction(self) -> (bool, u32) {
        match self {
            Self::Read { site, .. } => (false, site),
            Self::Absent { step, .. } => (true, step),
        }
    }
}

/// The instruction that yields something undefined, the step that uses it, and how it does.
type UseKey = ((bool, u32), u32, Use);

/// Instructions, what is wrong between them and how bad that is, and whether both write the same value.
type Key = ([u32; 2], RaceKind, Severity, bool);

/// The same with places in the source.
type PlaceKey = ([Span; 2], RaceKind, Severity, bool);

/// What was found, in some blocks. [Joining](Self::join) that of all gives the same whatever the order.
#[derive(Debug, Default)]
pub(crate) struct Found {
    races: BTreeMap<Key, (Pair, u64)>,
    undefined: BTreeMap<UseKey, (Source, u64)>,
    /// The access that was counted last, and between which places: several of its bytes count once.
    last: Option<(u64, Key)>,
    /// Of barriers and masks.
    pub(crate) misuses: Misuses,
}

impl Found {
    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.races.is_empty() && self.undefined.is_empty() && self.misuses.is_empty()
    }

    /// Notes that the `access` of this number races.
    pub(crate) fn race(&mut self, access: u64, pair: Pair) {
        let key = key(&pair);
        let again = self.last.replace((access, key)) == Some((access, key));
        self.add(key, pair, u64::from(!again));
    }

    /// Notes that a thread uses in a step what is undefined.
    pub(crate) fn undefined(&mut self, source: Source, step: u32, how: Use) {
        self.add_undefined((source.origin.instruction(), step, how), source, 1);
    }

    fn add_undefined(&mut self, key: UseKey, source: Source, count: u64) {
        let (lowest, counted) = self.undefined.entry(key).or_insert((source, 0));
        *lowest = (*lowest).min(source);
        *counted += count;
    }

    fn add(&mut self, key: Key, pair: Pair, count: u64) {
        let (lowest, counted) = self.races.entry(key).or_insert((pair, 0));
        *lowest = (*lowest).min(pair);
        *counted += count;
    }

    /// How many accesses that race were noted.
    pub(crate) fn count(&self) -> u64 {
        self.races.values().map(|(_, count)| count).sum()
    }

    /// Takes in what was found in other blocks.
    pub(crate) fn join(&mut self, other: Self) {
        for (key, (pair, count)) in other.races {
            self.add(key, pair, count);
        }
        for (key, (source, count)) in other.undefined {
            self.add_undefined(key, source, count);
        }
        self.misuses.join(other.misuses);
    }

    /// What to report: errors first, then by address.
    pub(crate) fn report(self, names: &Names<'_>) -> Vec<Finding> {
        // One instruction of the source may be several: where a loop is unrolled, or a function inlined.
        let mut races = BTreeMap::new();
        for ((sites, kind, severity, is_same), (pair, count)) in self.races {
            let mut places = sites.map(|site| names.span(site));
            places.sort_unstable();
            join_lowest(&mut races, (places, kind, severity, is_same), pair, count);
        }
        let mut all: Vec<_> = races.into_iter().collect();
        // It may be on purpose that several write the same.
        let severity_of = |(_, _, severity, is_same): &PlaceKey| {
            if *is_same && !names.is_strict { Severity::Info } else { *severity }
        };
        all.sort_by_key(|(key, (pair, _))| (Reverse(severity_of(key)), pair.at, *pair));
        let finding = |(key, (pair, count)): (PlaceKey, (Pair, u64))| {
            let (kind, severity) = (key.1, severity_of(&key));
            let race = Race {
                kind,
                location: names.location(pair.at),
                accesses: pair.parties.map(|party| names.access(party)),
                missing: pair.missing,
                same_value: is_same_value(&pair),
            };
            Finding { problem: Problem::Race(race), severity, count }
        };
        let races = all.into_iter().map(finding);
        let mut undefined = BTreeMap::new();
        for ((_, step, how), (source, count)) in self.undefined {
            let origin = match source.origin {
                Origin::Read { site, .. } => (false, names.span(site)),
                Origin::Absent { step, .. } => (true, names.span_of_step(step)),
            };
            join_lowest(&mut undefined, (origin, names.span_of_step(step), how), source, count);
        }
        let undefined = undefined.into_iter().map(|((_, used, how), (source, count))| {
            let Source { block, thread, origin } = source;
            let problem = match origin {
                Origin::Read { at, site } => {
                    let party = Party { block, thread, site, kind: AccessKind::Read, value: None };
                    let (location, read) = (names.location(at), names.access(party));
                    Problem::Uninitialized(Uninitialized { location, read, how, used })
                }
                Origin::Absent { step, lane, mask } => {
                    let launch = names.launch;
                    Problem::Mask(MaskMisuse {
                        kind: MaskKind::SourceAbsent,
                        at: Meeting::Shuffle,
                        place: names.span_of_step(step),
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
        let mut findings: Vec<_> = races.chain(undefined).collect();
        // A lane that is asked for nothing that matters is a note; elsewhere the error says more.
        let used: Vec<Span> = findings.iter().filter_map(place_of_absent).collect();
        let is_said =
            |finding: &Finding| place_of_absent(finding).is_some_and(|place| used.contains(&place));
        let misuses = self.misuses.report(names.launch);
        findings.extend(misuses.into_iter().filter(|finding| !is_said(finding)));
        findings.sort_by_key(|finding| Reverse(finding.severity));
        findings
    }
}

/// What numbers stand for.
pub(crate) struct Names<'a> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) sites: &'a [Site],
    /// Of each step.
    pub(crate) spans: &'a [Span],
    pub(crate) launch: &'a Launch<'a>,
    /// Whether writes of the same value are as bad as others.
    pub(crate) is_strict: bool,
}

impl Names<'_> {
    /// The place of an access.
    fn span(&self, site: u32) -> Span {
        self.sites.get(site as usize).map_or(Span::new(0), |site| site.span)
    }

    fn span_of_step(&self, step: u32) -> Span {
        self.spans.get(step as usize).copied().unwrap_or(Span::new(0))
    }

    fn access(&self, party: Party) -> Access {
        let Party { block, thread, site, kind, value } = party;
        Access {
            kind,
            place: self.span(site),
            block: unflatten(block, self.launch.grid),
            thread: unflatten(thread.into(), self.launch.block),
            value,
        }
    }

    /// A byte of a buffer.
    pub(crate) fn location(&self, (buffer, byte): (u16, u64)) -> Location {
        let (params, buffer) = (self.kernel.params.len(), usize::from(buffer));
        let param = self.kernel.params.iter().nth(buffer).map(|(_, param)| match &param.kind {
            ParamKind::Slice { elem, .. } => (&param.name, elem.size()),
            ParamKind::Scalar(scalar) => (&param.name, Element::Scalar(*scalar).size()),
        });
        let array = || self.kernel.shared.iter().nth(buffer - params);
        let array = || array().map(|(_, array)| (&array.name, array.elem.size()));
        let (name, element) =
            param.or_else(array).map_or(("?", None), |(name, size)| (name.as_str(), size));
        let element = element.filter(|bytes| *bytes > 0).unwrap_or(1);
        Location { buffer: name.into(), index: byte / element, offset: byte % element }
    }
}

/// The place of a shuffle that asks a lane which takes no part, if that is what was found.
fn place_of_absent(finding: &Finding) -> Option<Span> {
    match &finding.problem {
        Problem::Mask(misuse) if misuse.kind == MaskKind::SourceAbsent => Some(misuse.place),
        _ => None,
    }
}

fn kind_of([one, other]: &[Party; 2]) -> RaceKind {
    match (one.kind.is_atomic(), other.kind.is_atomic()) {
        (true, true) => RaceKind::Scope,
        (true, false) | (false, true) => RaceKind::AtomicPlain,
        (false, false) if one.kind.writes() && other.kind.writes() => RaceKind::WriteWrite,
        (false, false) => RaceKind::ReadWrite,
    }
}

fn is_same_value(pair: &Pair) -> bool {
    let [one, other] = &pair.parties;
    kind_of(&pair.parties) == RaceKind::WriteWrite
        && one.value.is_some()
        && one.value == other.value
}

fn key(pair: &Pair) -> Key {
    let severity =
        if pair.missing == Missing::WarpSync { Severity::Warning } else { Severity::Error };
    let mut sites = pair.parties.map(|party| party.site);
    sites.sort_unstable();
    (sites, kind_of(&pair.parties), severity, is_same_value(pair))
}
