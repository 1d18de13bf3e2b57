//! The log of a block's accesses between two barriers, in compact form.
use crate::vector::mask::Mask;
use warpwise_compiler::ir::Scope;

/// The number of recent accesses that are searched for an equal one.
const RECENT_ACCESSES: usize = 8;

/// The addresses of an access, by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneAddresses {
    /// One address for all lanes.
    Same(u64),
    /// The offsets of the site's pattern, relative to this address.
    Pattern(u64),
    /// Individual addresses: those of the group's lanes start here in [`AccessLog::addresses`].
    Each(usize),
}

impl LaneAddresses {
    /// Returns the addresses `bytes` bytes further on, unless they are individual.
    pub(crate) fn advance(self, bytes: u64) -> Option<Self> {
        match self {
            Self::Same(address) => Some(Self::Same(address.wrapping_add(bytes))),
            Self::Pattern(common) => Some(Self::Pattern(common.wrapping_add(bytes))),
            Self::Each(_) => None,
        }
    }
}

/// An access by the lanes of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Number of the access site.
    pub(crate) site: u32,
    /// Number in the block of the group's first thread.
    pub(crate) first_thread: u32,
    pub(crate) lanes: Mask,
    pub(crate) places: LaneAddresses,
    /// The value that all lanes write to global memory, if it is the same.
    pub(crate) value: Option<u64>,
}

impl Access {
    /// Returns the access `bytes` bytes further on, unless its addresses are individual.
    pub(crate) fn advance(self, bytes: u64) -> Option<Self> {
        Some(Self { places: self.places.advance(bytes)?, ..self })
    }
}

/// An event of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogEvent {
    Access(Access),
    /// Rounds of accesses, which start at `first` in [`AccessLog::rounds`].
    Rounds {
        first: usize,
        accesses: usize,
        rounds: u64,
    },
    /// Lanes of a warp waited for each other.
    SyncWarp {
        warp: u32,
        lanes: u32,
    },
    /// Threads of one group executed a fence.
    Fence {
        first_thread: u32,
        lanes: Mask,
        scope: Scope,
    },
    /// All threads of the block waited for each other.
    Barrier,
    /// All threads of the grid waited for each other.
    SyncGrid,
}

/// The start of the values of a group's lanes, and the bytes in each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenValues {
    pub(crate) first: usize,
    pub(crate) size: usize,
}

/// The events of a block, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessLog {
    pub(crate) events: Vec<LogEvent>,
    pub(crate) addresses: Vec<u64>,
    /// By event, the place of the written values in `values`, if it writes.
    pub(crate) written: Vec<Option<WrittenValues>>,
    /// In the layout of registers.
    pub(crate) values: Vec<u8>,
    /// The accesses of rounds: that of the first round, and its advance in bytes per round. None of
    /// them writes.
    rounds: Vec<(Access, u64)>,
    /// The number of events, including those of all rounds.
    len: usize,
}

impl AccessLog {
    pub(crate) fn clear(&mut self) {
        let Self { events, addresses, written, values, rounds, len } = self;
        events.clear();
        addresses.clear();
        written.clear();
        values.clear();
        rounds.clear();
        *len = 0;
    }

    /// Returns the number of events; each access of each round counts as one.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, event: LogEvent, written: Option<WrittenValues>) {
        self.events.push(event);
        self.written.push(written);
        self.len += 1;
    }

    /// Logs `rounds` rounds of accesses without individual addresses, each with its advance in
    /// bytes per round.
    pub(crate) fn push_rounds(&mut self, accesses: &[(Access, u64)], rounds: u64) {
        let first = self.rounds.len();
        self.rounds.extend_from_slice(accesses);
        self.events.push(LogEvent::Rounds { first, accesses: accesses.len(), rounds });
        self.written.push(None);
        self.len += accesses.len() * rounds as usize;
    }

    /// Returns the log with an event for each access of each round, if there are rounds.
    pub(crate) fn unroll(&self) -> Option<Self> {
        if self.rounds.is_empty() {
            return None;
        }
        let (addresses, values) = (self.addresses.clone(), self.values.clone());
        let mut log = Self { addresses, values, ..Self::default() };
        for (event, written) in self.events.iter().zip(&self.written) {
            let LogEvent::Rounds { first, accesses, rounds } = *event else {
                log.push(*event, *written);
                continue;
            };
            for round in 0..rounds {
                for (access, step) in &self.rounds[first..first + accesses] {
                    let access = access.advance(step.wrapping_mul(round));
                    access.into_iter().for_each(|access| log.push(LogEvent::Access(access), None));
                }
            }
        }
        Some(log)
    }

    /// Returns true if the event equals one of the last accesses, with nothing else since.
    pub(crate) fn has_recent(&self, event: &LogEvent) -> bool {
        let LogEvent::Access(access) = event else { return false };
        // Mostly the addresses differ.
        let is_same = |known: &LogEvent| {
            let LogEvent::Access(before) = known else { return false };
            before.places == access.places && before == access
        };
        let since =
            self.events.iter().rev().take_while(|event| matches!(event, LogEvent::Access(_)));
        !matches!(access.places, LaneAddresses::Each(_)) && since.take(RECENT_ACCESSES).any(is_same)
    }

    /// Returns true if the same threads access the same bytes in the same order.
    pub(crate) fn has_same_accesses(&self, other: &Self) -> bool {
        let Self { events, addresses, rounds, .. } = self;
        // glibc compares no bytes at a dangling address in 100 ns, where it has AVX-512.
        let none = addresses.is_empty() && other.addresses.is_empty();
        *events == other.events
            && (none || *addresses == other.addresses)
            && *rounds == other.rounds
    }

    /// Returns the address of a lane.
    pub(crate) fn lane_address(
        &self,
        places: LaneAddresses,
        lane: usize,
        offset: impl Fn() -> u64,
    ) -> u64 {
        match places {
            LaneAddresses::Same(address) => address,
            LaneAddresses::Pattern(common) => common.wrapping_add(offset()),
            LaneAddresses::Each(first) => self.addresses[first + lane],
        }
    }

    /// Returns the value that a thread writes in an event.
    pub(crate) fn written_value(&self, event: u32, thread: u32) -> Option<u64> {
        let event = event as usize;
        let WrittenValues { first, size } = (*self.written.get(event)?)?;
        let LogEvent::Access(access) = &self.events[event] else { return None };
        let mut values = self.values.get(first..)?.chunks_exact(size);
        let bytes = values.nth((thread - access.first_thread) as usize)?;
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}
