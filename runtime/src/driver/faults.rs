//! What kernels of one stream report: a record for each launch since the last wait.
//!
//! Launch n since then gets record n. A wait takes a *snapshot*: in stream order behind the
//! launches, the records are copied to the host and emptied, and launches after that start again
//! at record 0. Once the stream has come that far the snapshot is read. So a fault is reported with
//! its kernel, the first launch's first, and exactly once, and launching never waits, but for
//! every [`RECORDS`]th launch without a wait.
use super::{
    context::Context,
    memory::Pinned,
    table::{Address, Driver, StreamHandle},
};
use crate::{
    Result,
    error::DevicePanic,
    kernel::{FaultDetails, Source},
    launch::Geometry,
};
use std::sync::Arc;
use warpwise_compiler::{fault::FaultRecord, ir::Fault};

/// How many launches can be on their way.
pub(super) const RECORDS: usize = 512;
/// Bytes of a record.
const SIZE: usize = size_of::<FaultRecord>();

/// The records of one stream. Whoever holds this may launch and take snapshots.
pub(super) struct Faults {
    /// The records on the device, and behind them as many empty ones to copy from.
    records: Address,
    /// The launches since the last snapshot, in order.
    launched: Vec<(&'static Source, Geometry)>,
    /// Host memory for snapshots, while none uses it.
    staging: Vec<Pinned>,
    /// The first fault that was seen and not reported yet.
    pub(super) seen: Option<Box<DevicePanic>>,
}

/// Bytes of device memory that a stream's records take.
pub(super) const BYTES: usize = 2 * RECORDS * SIZE;

impl Faults {
    /// Fills `records`, [`BYTES`] of device memory that outlive this, with empty records.
    pub(super) fn new(driver: &Driver, records: Address, stream: StreamHandle) -> Result<Self> {
        let empty = vec![FaultRecord::EMPTY; 2 * RECORDS];
        // SAFETY: `empty` has BYTES bytes, as has the device memory; `empty` lives until the
        // stream has come to this copy. A context is current.
        unsafe {
            driver.cuMemcpyHtoDAsync_v2(records, empty.as_ptr().cast(), BYTES, stream)?;
            driver.cuStreamSynchronize(stream)?;
        }
        Ok(Self { records, launched: Vec::with_capacity(RECORDS), staging: Vec::new(), seen: None })
    }

    /// True if the next launch needs a snapshot to be taken, waited for and read first.
    pub(super) fn is_full(&self) -> bool {
        self.launched.len() == RECORDS
    }

    /// Where the next launch's record is.
    pub(super) fn next(&self) -> Address {
        self.records + (self.launched.len() * SIZE) as Address
    }

    /// Notes that `source` was launched with the next record.
    pub(super) fn launched(&mut self, source: &'static Source, geometry: Geometry) {
        self.launched.push((source, geometry));
    }

    /// Copies the records to the host and empties them, behind what the stream has to do.
    /// `None` if nothing was launched.
    pub(super) fn snapshot(
        &mut self,
        context: &Arc<Context>,
        driver: &Driver,
        stream: StreamHandle,
    ) -> Result<Option<Snapshot>> {
        if self.launched.is_empty() {
            return Ok(None);
        }
        let copy = match self.staging.pop() {
            Some(copy) => copy,
            None => Pinned::new(context, RECORDS * SIZE)?,
        };
        let bytes = self.launched.len() * SIZE;
        let empty = self.records + (RECORDS * SIZE) as Address;
        // SAFETY: `bytes` are inside the records, inside the empty ones and inside `copy`, which
        // is pinned and kept by the snapshot. A context is current.
        let started = unsafe {
            driver
                .cuMemcpyDtoHAsync_v2(copy.as_ptr(), self.records, bytes, stream)
                .and_then(|()| driver.cuMemcpyDtoDAsync_v2(self.records, empty, bytes, stream))
        };
        let snapshot = Snapshot { launched: self.launched.drain(..).collect(), copy };
        match started {
            Ok(()) => Ok(Some(snapshot)),
            Err(error) => {
                snapshot.abandon();
                Err(error)
            }
        }
    }

    /// Reads a snapshot whose copy has arrived, and keeps its first fault if none was seen before.
    ///
    /// # Safety
    /// The stream was waited for after the snapshot was taken.
    pub(super) unsafe fn read(&mut self, snapshot: Snapshot) {
        let Snapshot { launched, copy } = snapshot;
        let first = launched.iter().enumerate().find_map(|(i, (source, geometry))| {
            // SAFETY: record i is inside the copy, which is aligned for any scalar, and no one
            // writes there any more by the caller's promise.
            let record = unsafe { copy.as_ptr().cast::<FaultRecord>().add(i).read() };
            panic_of(source, *geometry, &record)
        });
        self.seen = self.seen.take().or(first.map(Box::new));
        self.staging.push(copy);
    }
}

/// Records on their way to the host.
pub(super) struct Snapshot {
    launched: Vec<(&'static Source, Geometry)>,
    copy: Pinned,
}

impl Snapshot {
    /// Leaves the memory to a copy that may still arrive: nobody can tell after an error.
    pub(super) fn abandon(self) {
        std::mem::forget(self.copy);
    }
}

/// What a record tells the user; `None` if no thread faulted.
fn panic_of(source: &Source, geometry: Geometry, record: &FaultRecord) -> Option<DevicePanic> {
    let details = record.details(geometry.grid, geometry.block)?;
    Some(source.panic(FaultDetails {
        fault: Fault::ALL.get(details.fault as usize).copied(),
        span: details.span as usize,
        index: details.index,
        len: details.len,
        block: details.block,
        thread: details.thread,
        count: record.count,
    }))
}
