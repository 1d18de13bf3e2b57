//! Fault records and printed text of the kernels of one stream.
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
    kernel::{Bound, FaultDetails, Source},
    launch::Geometry,
};
use std::{slice, sync::Arc};
use warpwise_compiler::{
    fault::FaultRecord,
    output::{self, Output},
};

/// The most launches between two waits.
pub(super) const RECORDS: usize = 512;
/// Bytes of a record.
const SIZE: usize = size_of::<FaultRecord>();

/// The records of one stream. Whoever holds this may launch and take snapshots.
pub(super) struct Faults {
    /// The records on the device, and behind them as many empty ones to copy from.
    records: Address,
    /// The flag of all records.
    _flag: Pinned,
    /// The launches since the last snapshot, in order.
    launched: Vec<Launched>,
    /// Host memory for snapshots, while none uses it.
    staging: Vec<Pinned>,
    /// The print buffer, allocated at the first launch that prints: [`PRINT_BYTES`] of device
    /// memory.
    prints: Option<Address>,
    /// The block counter of cooperative launches, allocated at the first of them.
    barrier: Option<Address>,
    /// Printed text that was not handed on yet.
    pub(super) text: String,
    /// The first fault that was seen and not reported yet.
    pub(super) seen: Option<Box<DevicePanic>>,
}

/// A launch that reports.
struct Launched {
    source: &'static Source,
    bound: Arc<Bound>,
    geometry: Geometry,
}

/// Bytes of device memory that printing takes.
pub(super) const PRINT_BYTES: usize = output::HEADER_BYTES + output::CAPACITY_BYTES;

/// Bytes of device memory in which cooperative launches count their blocks.
pub(super) const BARRIER_BYTES: usize = size_of::<u64>();

/// Bytes of device memory that a stream's records take.
pub(super) const BYTES: usize = 2 * RECORDS * SIZE;

impl Faults {
    /// Fills `records`, [`BYTES`] of device memory that outlive this, with empty records.
    pub(super) fn new(
        context: &Arc<Context>,
        driver: &Driver,
        records: Address,
        stream: StreamHandle,
    ) -> Result<Self> {
        let flag = Pinned::new(context, size_of::<u32>())?;
        // With unified addressing, as on all targets, the device has the host's address.
        let address = flag.as_ptr().expose_provenance() as u64;
        let empty = vec![FaultRecord { flag: address, ..FaultRecord::EMPTY }; 2 * RECORDS];
        // SAFETY: `empty` has BYTES bytes, as has the device memory; `empty` lives until the
        // stream has come to this copy. A context is current.
        unsafe {
            driver.cuMemcpyHtoDAsync_v2(records, empty.as_ptr().cast(), BYTES, stream)?;
            driver.cuStreamSynchronize(stream)?;
        }
        Ok(Self {
            records,
            _flag: flag,
            launched: Vec::with_capacity(RECORDS),
            staging: Vec::new(),
            prints: None,
            barrier: None,
            text: String::new(),
            seen: None,
        })
    }

    /// True if the next launch needs a snapshot to be taken, waited for and read first.
    pub(super) fn is_full(&self) -> bool {
        self.launched.len() == RECORDS
    }

    /// Returns the address of the next launch's record.
    pub(super) fn next(&self) -> Address {
        self.records + (self.launched.len() * SIZE) as Address
    }

    /// Returns the print buffer; `allocate` makes it at the first call, [`PRINT_BYTES`] that start
    /// as zeros.
    pub(super) fn prints(&mut self, allocate: impl FnOnce() -> Result<Address>) -> Result<Address> {
        match self.prints {
            Some(prints) => Ok(prints),
            None => Ok(*self.prints.insert(allocate()?)),
        }
    }

    /// Returns the block counter of cooperative launches; `allocate` makes it at the first call,
    /// [`BARRIER_BYTES`] that start as zeros. Each launch leaves it as it found it, but for bits
    /// that [do not matter](warpwise_compiler::back::ptx).
    pub(super) fn barrier(
        &mut self,
        allocate: impl FnOnce() -> Result<Address>,
    ) -> Result<Address> {
        match self.barrier {
            Some(barrier) => Ok(barrier),
            None => Ok(*self.barrier.insert(allocate()?)),
        }
    }

    /// All that was made for launches.
    pub(super) fn made(&self) -> impl Iterator<Item = Address> + use<> {
        self.prints.into_iter().chain(self.barrier)
    }

    /// Notes that `source` was launched with the next record.
    pub(super) fn launched(
        &mut self,
        source: &'static Source,
        bound: &Arc<Bound>,
        geometry: Geometry,
    ) {
        self.launched.push(Launched { source, bound: Arc::clone(bound), geometry });
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
        let prints = self.prints.filter(|_| self.launched.iter().any(|l| l.bound.kernel.prints()));
        let printed = match prints {
            Some(prints) => Some((prints, Pinned::new(context, PRINT_BYTES)?)),
            None => None,
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
        let started = started.and_then(|()| match &printed {
            None => Ok(()),
            // SAFETY: as many bytes as the buffer has, to memory that is pinned and kept by the
            // snapshot; then the header is inside the buffer. A context is current.
            Some((prints, to)) => unsafe {
                driver.cuMemcpyDtoHAsync_v2(to.as_ptr(), *prints, PRINT_BYTES, stream)?;
                driver.cuMemsetD8Async(*prints, 0, output::HEADER_BYTES, stream)
            },
        });
        let printed = printed.map(|(_, to)| to);
        let snapshot = Snapshot { launched: self.launched.drain(..).collect(), copy, printed };
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
        let Snapshot { launched, copy, printed } = snapshot;
        let first = launched.iter().enumerate().find_map(|(i, launched)| {
            // SAFETY: record i is inside the copy, which is aligned for any scalar, and no one
            // writes there any more by the caller's promise.
            let record = unsafe { copy.as_ptr().cast::<FaultRecord>().add(i).read() };
            panic_of(launched, &record)
        });
        self.seen = self.seen.take().or(first.map(Box::new));
        self.staging.push(copy);
        if let Some(printed) = printed {
            // SAFETY: the copy has so many bytes, and no one writes there any more by the caller's
            // promise.
            let bytes = unsafe { slice::from_raw_parts(printed.as_ptr().cast(), PRINT_BYTES) };
            self.text += &self.text_of(&launched, bytes);
        }
    }

    /// Formats the text that `launched` printed into `buffer`.
    fn text_of(&self, launched: &[Launched], buffer: &[u8]) -> String {
        let kernel = |record: Address| {
            let launch = record.checked_sub(self.records)? as usize / SIZE;
            launched.get(launch).map(|launched| &launched.bound.kernel)
        };
        let values = |launch, message| Some(kernel(launch)?.messages.get(message)?.args.len());
        let Output { records, lost } = output::decode(buffer, values);
        let texts = records.iter().filter_map(|record| {
            kernel(record.launch).map(|kernel| crate::output::printed(kernel, &record.printed))
        });
        texts.collect::<String>() + &crate::output::lost(lost)
    }
}

/// Records on their way to the host.
pub(super) struct Snapshot {
    launched: Vec<Launched>,
    copy: Pinned,
    /// The copy of the print buffer.
    printed: Option<Pinned>,
}

impl Snapshot {
    /// Leaves the memory to a copy that may still arrive: nobody can tell after an error.
    pub(super) fn abandon(self) {
        std::mem::forget((self.copy, self.printed));
    }
}

/// Converts a record to a panic; `None` if no thread faulted.
fn panic_of(launched: &Launched, record: &FaultRecord) -> Option<DevicePanic> {
    let Launched { source, bound, geometry } = launched;
    let details = record.details(geometry.grid, geometry.block)?;
    Some(source.panic(
        &bound.kernel,
        FaultDetails {
            reason: details.reason,
            span: details.span as usize,
            values: details.values,
            block: details.block,
            thread: details.thread,
            count: record.count,
        },
    ))
}
