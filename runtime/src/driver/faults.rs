//! Fault records and printed text of the kernels of one stream.
//!
//! Launch n since the records were last emptied has record n. A thread that fails a check or prints
//! also sets a flag in memory of the host. A wait for the stream therefore reads only the flag: if
//! it is set, the records are copied to the host and emptied. A fault is reported with its kernel,
//! the first launch's first, and exactly once. A launch never waits, except for every [`RECORDS`]th
//! one in a row.
use super::{
    api::{Address, Driver, StreamHandle},
    context::Context,
    memory::OUT_OF_MEMORY,
    pinned::HostMemory,
};
use crate::{
    Error, Result,
    error::{DevicePanic, PAGE_LOCKED},
    launch::{
        bound_kernel::{Bound, FaultDetails},
        config::Geometry,
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use warpwise_compiler::{
    fault::{FaultRecord, Pieces},
    output::{self, Output},
};

/// The most launches between two waits.
pub(super) const RECORDS: usize = 1024;
/// Bytes of a record.
pub(super) const SIZE: usize = size_of::<FaultRecord>();

/// Bytes of device memory that printing takes.
pub(super) const PRINT_BYTES: usize = output::HEADER_BYTES + output::CAPACITY_BYTES;

/// Bytes of device memory in which cooperative launches count their blocks.
pub(super) const BARRIER_BYTES: usize = size_of::<u64>();

/// Bytes of device memory that a stream's records take.
pub(super) const BYTES: usize = RECORDS * SIZE;

/// A word of the host that threads set when there is something to report.
pub(super) struct Flag(HostMemory);

impl Flag {
    pub(super) fn new(context: &Arc<Context>) -> Result<Self> {
        let bytes = size_of::<u64>();
        let memory = HostMemory::new(context, bytes).map_err(|error| match error {
            Error::Driver { code: OUT_OF_MEMORY, .. } => {
                let (place, purpose) = (PAGE_LOCKED.to_owned(), "the flag of a stream's faults");
                Error::OutOfMemoryFor { place, purpose, bytes, free: None }
            }
            error => error,
        })?;
        let flag = Self(memory);
        flag.word().store(0, Ordering::Relaxed);
        Ok(flag)
    }

    /// Returns true if a thread of the work that was waited for has something to report.
    pub(super) fn is_set(&self) -> bool {
        self.word().load(Ordering::Acquire) != 0
    }

    /// Leaves the memory to threads that may still write it.
    pub(super) const fn leak(&mut self) {
        self.0.leak();
    }

    fn clear(&self) {
        self.word().store(0, Ordering::Release);
    }

    fn word(&self) -> &AtomicU32 {
        // SAFETY: the memory lives as long as `self`, is aligned for 64 bits, and whoever writes
        // it, here or on the GPU, writes the whole word at once.
        unsafe { AtomicU32::from_ptr(self.0.host.as_ptr().cast()) }
    }

    fn address(&self) -> Address {
        self.0.host.as_ptr().addr() as Address
    }
}

/// The records of one stream.
pub(super) struct Faults {
    /// The records on the device.
    records: Address,
    /// The launches whose records may not be empty, in order.
    launched: Vec<Launched>,
    /// The graphs whose records may not be empty.
    graphs: Vec<Arc<GraphRecords>>,
    /// The print buffer, allocated at the first launch that prints: [`PRINT_BYTES`] of device
    /// memory.
    prints: Option<Address>,
    /// The block counter of cooperative launches, allocated at the first of them.
    barrier: Option<Address>,
    /// Printed text that was not passed to the handler yet.
    pub(super) text: String,
    /// The first fault that was seen and not reported yet.
    pub(super) seen: Option<Box<DevicePanic>>,
}

/// A launch that reports.
pub(super) struct Launched {
    pub(super) bound: &'static Bound,
    pub(super) geometry: Geometry,
}

/// The records of the launches of a graph, of which each has one.
pub(super) struct GraphRecords {
    /// The records on the device, one for each launch.
    pub(super) address: Address,
    pub(super) launched: Vec<Launched>,
}

impl Faults {
    /// Fills `records`, [`BYTES`] of device memory that outlive this, with empty records.
    pub(super) fn new(
        driver: &Driver,
        records: Address,
        flag: &Flag,
        stream: StreamHandle,
    ) -> Result<Self> {
        let faults = Self {
            records,
            launched: Vec::with_capacity(RECORDS),
            graphs: Vec::new(),
            prints: None,
            barrier: None,
            text: String::new(),
            seen: None,
        };
        empty_records(driver, records, RECORDS, flag, stream)?;
        Ok(faults)
    }

    /// Returns true if the records have to be [read](Self::read) before the next launch.
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

    /// Returns the memory that was allocated for launches.
    pub(super) fn launch_allocations(&self) -> impl Iterator<Item = Address> + use<> {
        self.prints.into_iter().chain(self.barrier)
    }

    /// Notes that `bound` was launched with the next record.
    pub(super) fn launched(&mut self, bound: &'static Bound, geometry: Geometry) {
        self.launched.push(Launched { bound, geometry });
    }

    /// Notes that a graph with these records was launched.
    pub(super) fn launched_graph(&mut self, records: &Arc<GraphRecords>) {
        if !self.graphs.iter().any(|graph| Arc::ptr_eq(graph, records)) {
            self.graphs.push(Arc::clone(records));
        }
    }

    /// Forgets the records of a graph, which are about to be freed.
    pub(super) fn forget_graph(&mut self, records: &Arc<GraphRecords>) {
        self.graphs.retain(|graph| !Arc::ptr_eq(graph, records));
    }

    /// Forgets the launches, all of which are done and have nothing to report.
    pub(super) fn forget(&mut self) {
        self.launched.clear();
        self.graphs.clear();
    }

    /// Waits for the stream and reads what its launches report, if there is anything. Keeps the
    /// first fault, if none was seen before.
    pub(super) fn read(
        &mut self,
        driver: &Driver,
        flag: &Flag,
        stream: StreamHandle,
    ) -> Result<()> {
        // SAFETY: the stream lives; a context is current.
        unsafe { driver.cuStreamSynchronize(stream) }?;
        if !flag.is_set() {
            self.forget();
            return Ok(());
        }
        let mut printed = Vec::new();
        if let Some(prints) = self.prints
            && self.launched.iter().any(|launched| launched.bound.signature.prints)
        {
            printed.resize(PRINT_BYTES, 0u8);
            // SAFETY: as many bytes on both sides, which live until the stream is waited for,
            // unless that fails; then the context is lost. A context is current.
            unsafe {
                let to = printed.as_mut_ptr().cast();
                driver.cuMemcpyDtoHAsync_v2(to, prints, PRINT_BYTES, stream)?;
                driver.cuMemsetD8Async(prints, 0, output::HEADER_BYTES, stream)?;
                driver.cuStreamSynchronize(stream)?;
            }
        }
        // If a call fails, what was read and emptied before it is kept, and the next call reads
        // the rest.
        if !printed.is_empty() {
            self.text += &self.text_of(&self.launched, &printed);
        }
        let Self { records, launched, graphs, seen, .. } = self;
        take_panic(driver, *records, launched, flag, stream, seen)?;
        for graph in graphs {
            take_panic(driver, graph.address, &graph.launched, flag, stream, seen)?;
        }
        flag.clear();
        self.forget();
        Ok(())
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
            kernel(record.launch)
                .map(|kernel| crate::observe::output::format_printed(kernel, &record.printed))
        });
        texts.collect::<String>() + &crate::observe::output::lost_note(lost)
    }
}

/// Empties `count` records and waits for that.
pub(super) fn empty_records(
    driver: &Driver,
    records: Address,
    count: usize,
    flag: &Flag,
    stream: StreamHandle,
) -> Result<()> {
    let _empty = enqueue_empty_records(driver, records, count, flag, stream)?;
    // SAFETY: the stream lives; a context is current.
    unsafe { driver.cuStreamSynchronize(stream) }
}

/// Enqueues a copy that empties `count` records; returns the copied memory, which the caller keeps
/// until the stream was waited for.
fn enqueue_empty_records(
    driver: &Driver,
    records: Address,
    count: usize,
    flag: &Flag,
    stream: StreamHandle,
) -> Result<Vec<FaultRecord>> {
    let empty = vec![FaultRecord { flag: flag.address(), ..FaultRecord::EMPTY }; count];
    let from = empty.as_ptr().cast();
    // SAFETY: as many bytes on both sides. A context is current.
    unsafe { driver.cuMemcpyHtoDAsync_v2(records, from, count * SIZE, stream) }?;
    Ok(empty)
}

/// Reads the records of launches that are done, and empties them; keeps the fault of the first in
/// `seen`, if there is none.
fn take_panic(
    driver: &Driver,
    address: Address,
    launched: &[Launched],
    flag: &Flag,
    stream: StreamHandle,
    seen: &mut Option<Box<DevicePanic>>,
) -> Result<()> {
    if launched.is_empty() {
        return Ok(());
    }
    let mut records = vec![FaultRecord::EMPTY; launched.len()];
    let to = records.as_mut_ptr().cast();
    // SAFETY: as many bytes on both sides, which live until the stream is waited for, unless that
    // fails; then the context is lost. A context is current.
    unsafe { driver.cuMemcpyDtoHAsync_v2(to, address, launched.len() * SIZE, stream) }?;
    let empty = enqueue_empty_records(driver, address, launched.len(), flag, stream)?;
    // SAFETY: the stream lives; a context is current.
    let waited = unsafe { driver.cuStreamSynchronize(stream) };
    drop(empty);
    // Even if the wait failed, the records are emptied, because the fault cannot be read later.
    // Memory that is not page-locked has been copied when the call returns.
    if seen.is_none() {
        let mut panics = launched.iter().zip(&records);
        *seen = panics.find_map(|(launched, record)| panic_of(launched, record)).map(Box::new);
    }
    waited
}

/// Converts a record to a panic; `None` if no thread faulted.
fn panic_of(launched: &Launched, record: &FaultRecord) -> Option<DevicePanic> {
    let Launched { bound, geometry } = launched;
    let pieces = Pieces::of_kernels(bound.signature.wide_index);
    let details = record.details(pieces, geometry.grid, geometry.block)?;
    Some(bound.panic(FaultDetails {
        reason: details.reason,
        span: details.span as usize,
        values: details.values,
        block: details.block,
        thread: details.thread,
        count: record.count,
    }))
}
