//! Page-locked memory of the host, which the GPU copies without the host.
use super::{
    api::Driver,
    context::Context,
    event::{Event, Purpose},
    memory::{Allocation, OUT_OF_MEMORY},
    stream::Stream,
};
use crate::{Error, Result, memory::report_first_fault};
use std::{
    ffi::c_void,
    ops::Range,
    ptr::{self, NonNull},
    slice,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Page-locked memory of the host, with the copies that are under way.
pub(crate) struct Pinned {
    memory: HostMemory,
    bytes: usize,
    copies: Mutex<Copies>,
}

/// The copies of a [`Pinned`] that the host has not waited for.
#[derive(Default)]
struct Copies {
    /// The copies to the memory.
    writing: Vec<Writing>,
    /// The bytes that copies from the memory read.
    reading: Vec<(Range<usize>, CopyEnd)>,
}

/// A copy to bytes of the memory.
struct Writing {
    bytes: Range<usize>,
    end: CopyEnd,
    /// The streams whose launches wrote its source.
    streams: Vec<Arc<Stream>>,
}

impl Copies {
    /// Returns the ends of the copies that write some of these bytes.
    fn writing(&self, bytes: &Range<usize>) -> impl Iterator<Item = &CopyEnd> {
        let writing = self.writing.iter().filter(|writing| overlap(&writing.bytes, bytes));
        writing.map(|writing| &writing.end)
    }

    /// Returns the ends of the copies that read some of these bytes.
    fn reading(&self, bytes: &Range<usize>) -> impl Iterator<Item = &CopyEnd> {
        let reading = self.reading.iter().filter(|(read, _)| overlap(read, bytes));
        reading.map(|(_, end)| end)
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The end of a copy that is under way.
#[derive(Clone)]
enum CopyEnd {
    Event(Arc<Event>),
    /// The end of all work of a stream, for which no event could be recorded. The copy is under
    /// way all the same.
    Stream(Arc<Stream>),
}

impl CopyEnd {
    /// Returns the end of the work that `stream` has; `event` is recorded there.
    fn record(event: Event, stream: &Arc<Stream>) -> Self {
        match event.record(stream.handle) {
            Ok(()) => Self::Event(Arc::new(event)),
            Err(_) => Self::Stream(Arc::clone(stream)),
        }
    }

    fn synchronize(&self) -> Result<()> {
        match self {
            Self::Event(event) => event.synchronize(),
            Self::Stream(stream) => stream.wait(),
        }
    }

    /// Returns true if the copy is known to be done.
    fn is_reached(&self) -> bool {
        match self {
            Self::Event(event) => event.is_reached().unwrap_or(false),
            Self::Stream(_) => false,
        }
    }

    /// Makes later work of `stream` wait for the copy. The stream's context is
    /// current.
    fn delay(&self, driver: &Driver, stream: &Stream) -> Result<()> {
        match self {
            // SAFETY: the stream lives; its context is current.
            Self::Event(event) => unsafe { event.delay(driver, stream.handle) },
            Self::Stream(other) => stream.wait_for_stream(driver, other).map(drop),
        }
    }
}

/// The number of copies from a memory above which those that are done are forgotten.
const MOST_COPIES: usize = 16;

impl Pinned {
    /// Allocates zeroed memory; `None` if there is not enough.
    pub(crate) fn new(stream: &Stream, bytes: usize) -> Result<Option<Self>> {
        let memory = match HostMemory::new(&stream.gpu.context, bytes.max(1)) {
            Err(Error::Driver { code: OUT_OF_MEMORY, .. }) => return Ok(None),
            memory => memory?,
        };
        // SAFETY: as many bytes are there, of which nobody knows yet.
        unsafe { memory.host.as_ptr().write_bytes(0, bytes) };
        Ok(Some(Self { memory, bytes, copies: Mutex::default() }))
    }

    /// Waits for the copies to a part of the memory and returns its bytes.
    pub(crate) fn bytes(&self, part: Range<usize>) -> Result<&[u8]> {
        self.check_part(&part);
        self.wait_for_writing(&part)?;
        // SAFETY: so many initialized bytes, to which no copy is under way; one can begin only with
        // a mutable reference.
        Ok(unsafe { slice::from_raw_parts(self.memory.host.as_ptr().add(part.start), part.len()) })
    }

    /// Waits for all copies of a part of the memory and returns its bytes.
    pub(crate) fn bytes_mut(&mut self, part: Range<usize>) -> Result<&mut [u8]> {
        self.check_part(&part);
        self.wait_for_writing(&part)?;
        let mut copies = self.copies();
        copies.reading(&part).try_for_each(CopyEnd::synchronize)?;
        copies.reading.retain(|(read, _)| !contains(&part, read));
        drop(copies);
        // SAFETY: so many initialized bytes, of which no copy is under way; one can begin only with
        // a reference.
        Ok(unsafe {
            slice::from_raw_parts_mut(self.memory.host.as_ptr().add(part.start), part.len())
        })
    }

    /// Waits for the copies to a part of the memory and reports the first fault of the launches
    /// before them; the next access reports the next one. No further copy to the memory begins
    /// meanwhile, since that takes a mutable reference. Others access other parts.
    fn wait_for_writing(&self, part: &Range<usize>) -> Result<()> {
        let ends: Vec<CopyEnd> = self.copies().writing(part).cloned().collect();
        // If this fails, the copy may still be under way, so it is not forgotten.
        ends.iter().try_for_each(CopyEnd::synchronize)?;
        let is_done = |writing: &mut Writing| overlap(&writing.bytes, part);
        let mut done: Vec<Writing> = self.copies().writing.extract_if(.., is_done).collect();
        let reported =
            report_first_fault(&mut done, |writing| &mut writing.streams, |stream| stream.report());
        self.copies().writing.splice(..0, done);
        reported
    }

    /// Checks that a part is inside of the memory.
    fn check_part(&self, part: &Range<usize>) {
        assert!(part.start <= part.end && part.end <= self.bytes, "a part is inside of its memory");
    }

    fn copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let copies = self.copies.get_mut().unwrap_or_else(PoisonError::into_inner);
        let writing = copies.writing.iter().map(|writing| &writing.end);
        let mut all = writing.chain(copies.reading.iter().map(|(_, end)| end));
        if all.any(|end| end.synchronize().is_err()) {
            // A copy may still use the memory.
            self.memory.leak();
        }
    }
}

impl Stream {
    /// Starts a copy of a part of page-locked memory to bytes of `to`, which is on this stream's
    /// GPU.
    pub(crate) fn copy_from_pinned(
        self: &Arc<Self>,
        (from, part): (&Pinned, Range<usize>),
        to: &Allocation,
        bytes: Range<usize>,
    ) -> Result<()> {
        from.check_part(&part);
        assert_eq!(bytes.len(), part.len(), "a copy has as many bytes on both sides");
        if bytes.is_empty() {
            return Ok(());
        }
        let address = to.address_of(bytes.start);
        let done = Event::new(&self.gpu.context, Purpose::Order)?;
        let mut copies = from.copies();
        self.submit([(to, bytes, true)], |driver, _| {
            copies.writing(&part).try_for_each(|end| end.delay(driver, self))?;
            // SAFETY: the part is inside of the memory.
            let source = unsafe { from.memory.host.as_ptr().add(part.start) }.cast_const().cast();
            // SAFETY: as many bytes on both sides. The host's are not freed, and the host does not
            // write them, before `done` is reached.
            unsafe { driver.cuMemcpyHtoDAsync_v2(address, source, part.len(), self.handle) }
        })?;
        if copies.reading.len() >= MOST_COPIES {
            copies.reading.retain(|(_, end)| !end.is_reached());
        }
        copies.reading.push((part, CopyEnd::record(done, self)));
        Ok(())
    }

    /// Starts a copy of bytes of `from`, which is on this stream's GPU, to a part of page-locked
    /// memory.
    pub(crate) fn copy_to_pinned(
        self: &Arc<Self>,
        from: &Allocation,
        bytes: Range<usize>,
        (to, part): (&mut Pinned, Range<usize>),
    ) -> Result<()> {
        to.check_part(&part);
        assert_eq!(bytes.len(), part.len(), "a copy has as many bytes on both sides");
        if bytes.is_empty() {
            return Ok(());
        }
        let address = from.address_of(bytes.start);
        let done = Event::new(&self.gpu.context, Purpose::Order)?;
        let mut copies = to.copies();
        // The stream of the memory is among its writers only if the memory is shared.
        from.share_with(self);
        let mut streams = from.uses().writers(self, &bytes);
        streams.push(Arc::clone(self));
        self.submit([(from, bytes, false)], |driver, _| {
            let mut before = copies.writing(&part).chain(copies.reading(&part));
            before.try_for_each(|end| end.delay(driver, self))?;
            // SAFETY: the part is inside of the memory.
            let destination = unsafe { to.memory.host.as_ptr().add(part.start) }.cast();
            // SAFETY: as many bytes on both sides. The host's are not freed, and the host does not
            // use them, before `done` is reached.
            unsafe { driver.cuMemcpyDtoHAsync_v2(destination, address, part.len(), self.handle) }
        })?;
        // The copies before it that it waits for are done when it is, but their other bytes are
        // accessible earlier.
        copies.reading.retain(|(read, _)| !contains(&part, read));
        copies.writing.retain(|writing| !contains(&part, &writing.bytes));
        copies.writing.push(Writing { bytes: part, end: CopyEnd::record(done, self), streams });
        Ok(())
    }
}

/// An allocation of page-locked memory. The GPU can write it, at the same address as the host.
pub(super) struct HostMemory {
    context: Arc<Context>,
    pub(super) host: NonNull<u8>,
    is_leaked: bool,
}

// SAFETY: owns its memory, as a `Box` does.
unsafe impl Send for HostMemory {}
// SAFETY: a shared reference gives out no more than a pointer.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self> {
        let mut host: *mut c_void = ptr::null_mut();
        context.enter(|driver| {
            // SAFETY: `host` takes the result.
            unsafe { driver.cuMemAllocHost_v2(&mut host, bytes) }?;
            let is_aligned = host.addr().is_multiple_of(align_of::<u64>());
            let problem = || format!("host memory at address {host:p}");
            driver.expect_usable("cuMemAllocHost", !host.is_null() && is_aligned, problem)
        })?;
        let host = NonNull::new(host.cast()).expect("null was refused");
        Ok(Self { context: Arc::clone(context), host, is_leaked: false })
    }

    /// Leaves the memory to work that may still use it.
    pub(super) const fn leak(&mut self) {
        self.is_leaked = true;
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        if self.is_leaked {
            return;
        }
        let host = self.host.as_ptr().cast();
        // SAFETY: allocated once, freed once; nothing copies there any more, for whoever started a
        // copy waited for it. An error leaves nothing to do.
        let _ = self.context.enter(|driver| unsafe { driver.cuMemFreeHost(host) });
    }
}
