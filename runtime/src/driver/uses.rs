//! Order between streams that use the same memory: [`Uses`].
//!
//! Each allocation keeps the uses that later work may have to wait for: the stream, the number of
//! the work in it, the bytes, and whether they were written. A stream that uses bytes waits for the
//! other streams whose uses conflict, unless it has waited for them before. Nothing is recorded on
//! the GPU until there is such a conflict, and nothing at all while only one stream uses an
//! allocation.
use super::{api::Driver, stream::Stream};
use crate::Result;
use std::{ops::Range, sync::Arc};

/// The number of uses above which those of one stream are merged.
const MOST_USES: usize = 16;

/// The uses of an allocation that later work may have to wait for.
#[derive(Default)]
pub(super) struct Uses(Vec<Use>);

/// A use of some bytes of an allocation.
struct Use {
    stream: Arc<Stream>,
    /// The number of the work in its stream.
    ticket: u64,
    bytes: Range<usize>,
    is_write: bool,
}

/// The work of other streams that a stream has waited for: the number of the last of each.
#[derive(Default)]
pub(super) struct Seen(Vec<(u64, u64)>);

/// The number of streams above which the record of waits is cleared, so that many short-lived
/// streams take no memory. Clearing costs waits that are not needed.
const MOST_SEEN: usize = 64;

impl Seen {
    fn ticket(&self, stream: &Stream) -> u64 {
        let is_stream = |&&(id, _): &&(u64, u64)| id == stream.id;
        self.0.iter().find(is_stream).map_or(0, |&(_, ticket)| ticket)
    }

    fn set(&mut self, stream: &Stream, ticket: u64) {
        if let Some(seen) = self.0.iter_mut().find(|(id, _)| *id == stream.id) {
            seen.1 = ticket;
            return;
        }
        if self.0.len() == MOST_SEEN {
            self.0.clear();
        }
        self.0.push((stream.id, ticket));
    }
}

impl Uses {
    /// Makes `stream` wait for the uses that conflict with one of these bytes.
    pub(super) fn delay(
        &self,
        driver: &Driver,
        stream: &Stream,
        seen: &mut Seen,
        bytes: &Range<usize>,
        is_write: bool,
    ) -> Result<()> {
        for other in &self.0 {
            if other.conflicts(stream, bytes, is_write) && seen.ticket(&other.stream) < other.ticket
            {
                let ticket = stream.wait_for_stream(driver, &other.stream)?;
                seen.set(&other.stream, ticket);
            }
        }
        Ok(())
    }

    /// Adds a use that waits for those that conflict with it.
    pub(super) fn add(
        &mut self,
        stream: &Arc<Stream>,
        ticket: u64,
        bytes: Range<usize>,
        is_write: bool,
    ) {
        if let [.., last] = &mut *self.0
            && last.is_of(stream)
            && (&last.bytes, last.is_write) == (&bytes, is_write)
        {
            last.ticket = ticket;
            return;
        }
        // A wait for this use includes a wait for everything that this use waited for.
        self.0.retain(|other| {
            let is_behind = is_write || (other.is_of(stream) && !other.is_write);
            !(is_behind && covers(&bytes, &other.bytes))
        });
        self.0.push(Use { stream: Arc::clone(stream), ticket, bytes, is_write });
        if self.0.len() > MOST_USES {
            self.merge();
        }
    }

    /// Makes one use of all reads of a stream, and one of all its writes.
    fn merge(&mut self) {
        let mut merged: Vec<Use> = Vec::new();
        for one in self.0.drain(..) {
            let same =
                |other: &&mut Use| other.is_of(&one.stream) && other.is_write == one.is_write;
            match merged.iter_mut().find(same) {
                Some(other) => {
                    other.ticket = other.ticket.max(one.ticket);
                    other.bytes.start = other.bytes.start.min(one.bytes.start);
                    other.bytes.end = other.bytes.end.max(one.bytes.end);
                }
                None => merged.push(one),
            }
        }
        self.0 = merged;
    }

    /// Returns the streams other than `own` that have written some of these bytes.
    pub(super) fn writers(&self, own: &Stream, bytes: &Range<usize>) -> Vec<Arc<Stream>> {
        let writes = self.0.iter().filter(|other| other.conflicts(own, bytes, false));
        writes.map(|other| Arc::clone(&other.stream)).collect()
    }

    /// Returns the streams other than `own` that have used the memory.
    pub(super) fn others<'a>(&'a self, own: &'a Stream) -> impl Iterator<Item = &'a Stream> {
        self.0.iter().filter(|other| other.stream.id != own.id).map(|other| &*other.stream)
    }
}

impl Use {
    fn is_of(&self, stream: &Stream) -> bool {
        self.stream.id == stream.id
    }

    /// Returns true if work of `stream` with these bytes has to wait for this use.
    fn conflicts(&self, stream: &Stream, bytes: &Range<usize>, is_write: bool) -> bool {
        !self.is_of(stream) && conflict((&self.bytes, self.is_write), (bytes, is_write))
    }
}

/// Returns true if two uses of an allocation must not run at the same time, given their bytes and
/// true for a write.
pub(super) fn conflict(
    (bytes, is_write): (&Range<usize>, bool),
    (other, other_writes): (&Range<usize>, bool),
) -> bool {
    (is_write || other_writes) && bytes.start < other.end && other.start < bytes.end
}

/// Returns true if `part` has no bytes but those of `whole`.
pub(super) fn covers(whole: &Range<usize>, part: &Range<usize>) -> bool {
    whole.start <= part.start && part.end <= whole.end
}
