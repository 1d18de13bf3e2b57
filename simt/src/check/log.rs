//! What the threads of a block access until the next barrier, in few bytes.
use crate::mask::Mask;
use warpwise_compiler::ir::Scope;

/// How far to look back for an access like another.
const LATELY: usize = 8;

/// Where lanes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// All to this address.
    Same(u64),
    /// Each as far behind this address as the pattern of the access says.
    Pattern(u64),
    /// Each to its own: those of the group's lanes stand from there on in [`Log::addresses`].
    Each(usize),
}

/// An access by the lanes of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Number of the instruction.
    pub(crate) site: u32,
    /// Number in the block of the group's first thread.
    pub(crate) first_thread: u32,
    pub(crate) lanes: Mask,
    pub(crate) places: Where,
    /// What all lanes write to global memory, if it is the same.
    pub(crate) value: Option<u64>,
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Access(Access),
    /// Lanes of a warp waited for each other.
    SyncWarp {
        warp: u32,
        lanes: u32,
    },
    /// Threads of one group were at a fence.
    Fence {
        first_thread: u32,
        lanes: Mask,
        scope: Scope,
    },
    /// All threads of the block waited for each other.
    Barrier,
    /// All threads of the grid did.
    SyncGrid,
}

/// What happened, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) events: Vec<Event>,
    pub(crate) addresses: Vec<u64>,
    /// Of each event, where the values that it writes stand in `values`, if it writes.
    pub(crate) written: Vec<Option<usize>>,
    pub(crate) values: Vec<u64>,
}

impl Log {
    pub(crate) fn clear(&mut self) {
        let Self { events, addresses, written, values } = self;
        events.clear();
        addresses.clear();
        written.clear();
        values.clear();
    }

    pub(crate) fn push(&mut self, event: Event, written: Option<usize>) {
        self.events.push(event);
        self.written.push(written);
    }

    /// Whether this is one of the last accesses, with nothing else since.
    pub(crate) fn has_lately(&self, event: &Event) -> bool {
        let Event::Access(access) = event else { return false };
        let since = self.events.iter().rev().take_while(|event| matches!(event, Event::Access(_)));
        !matches!(access.places, Where::Each(_)) && since.take(LATELY).any(|known| known == event)
    }

    /// Whether the same bytes are accessed by the same threads in the same order.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.events == other.events && self.addresses == other.addresses
    }

    /// The address of a lane.
    pub(crate) fn address(&self, places: Where, lane: usize, offset: impl Fn() -> u64) -> u64 {
        match places {
            Where::Same(address) => address,
            Where::Pattern(common) => common.wrapping_add(offset()),
            Where::Each(first) => self.addresses[first + lane],
        }
    }

    /// The value that a thread writes in an event.
    pub(crate) fn value(&self, event: u32, thread: u32) -> Option<u64> {
        let event = event as usize;
        let first = (*self.written.get(event)?)?;
        let Event::Access(access) = self.events[event] else { return None };
        self.values.get(first + (thread - access.first_thread) as usize).copied()
    }
}
