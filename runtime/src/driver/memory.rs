//! Memory of the GPU, in the order of a stream.
use super::{
    api::{Address, Driver, StreamHandle},
    context::Context,
    stream::Stream,
    uses::Uses,
};
use crate::{Error, Result};
use std::{
    any::Any,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use warpwise_compiler::ir::Element;

/// `CUDA_ERROR_OUT_OF_MEMORY`
pub(super) const OUT_OF_MEMORY: u32 = 2;

/// The owner of an object of another library, which it destroys when it is dropped.
pub(crate) type Owner = Box<dyn Any + Send + Sync>;

/// Memory of the GPU; freed, when dropped, after all work with it. Memory of another library is
/// returned to that library, once the work is done.
pub(crate) struct Allocation {
    /// The stream in whose order it is allocated and freed.
    pub(super) stream: Arc<Stream>,
    /// 0 if there are no bytes.
    pub(super) address: Address,
    pub(super) bytes: usize,
    /// False while only its own stream has used it: then its work is ordered by itself, and no use
    /// is recorded. It becomes true while the stream's queue is locked.
    is_shared: AtomicBool,
    uses: Mutex<Uses>,
    /// The owner of memory that another library allocated, and frees when this is dropped.
    pub(super) owner: Option<Owner>,
}

impl Allocation {
    /// Allocates memory in the order of the stream; `None` if there is not enough.
    pub(super) fn new(stream: &Arc<Stream>, bytes: usize, is_zeroed: bool) -> Result<Option<Self>> {
        let mut address = 0;
        if bytes > 0 {
            let allocated = stream.gpu.context.enter(|driver| {
                address = allocate(&stream.gpu.context, driver, stream.handle, bytes)?;
                Ok(())
            });
            match allocated {
                Err(Error::Driver { code: OUT_OF_MEMORY, .. }) => return Ok(None),
                other => other?,
            }
        }
        let memory = Self::without_uses(stream, address, bytes, None);
        if bytes > 0 {
            // Other streams use the memory after its allocation, zeroed or not.
            stream.submit([], |driver, _| {
                if is_zeroed {
                    // SAFETY: all bytes of the allocation, in the order of its stream.
                    unsafe { driver.cuMemsetD8Async(address, 0, bytes, stream.handle) }
                } else {
                    Ok(())
                }
            })?;
        }
        Ok(Some(memory))
    }

    /// Makes an allocation of memory that no work has used yet.
    fn without_uses(
        stream: &Arc<Stream>,
        address: Address,
        bytes: usize,
        owner: Option<Owner>,
    ) -> Self {
        let (is_shared, uses) = (AtomicBool::new(false), Mutex::default());
        Self { stream: Arc::clone(stream), address, bytes, is_shared, uses, owner }
    }

    /// Wraps memory of another library, which lives as long as `owner`.
    ///
    /// # Safety
    /// So many initialized bytes are at the address while `owner` lives, in the context of
    /// `stream`, and only work that the stream waits for uses them besides this.
    pub(crate) unsafe fn foreign(
        stream: &Arc<Stream>,
        address: Address,
        bytes: usize,
        owner: Owner,
    ) -> Result<Self> {
        let memory = Self::without_uses(stream, address, bytes, Some(owner));
        // Other streams use the memory after the work that this one has waited for.
        stream.submit([], |_, _| Ok(()))?;
        Ok(memory)
    }

    /// Returns true if the memory is of the GPU of a stream.
    pub(crate) fn is_on_the_gpu_of(&self, stream: &Stream) -> bool {
        self.stream.is_on_the_gpu_of(stream)
    }

    /// Waits for all work with the memory.
    pub(crate) fn wait(&self) -> Result<()> {
        self.wait_for_all_uses()?;
        self.stream.wait()
    }

    /// Makes the memory's stream wait for its uses by all others.
    pub(super) fn wait_for_all_uses(&self) -> Result<()> {
        let (stream, uses) = (&self.stream, self.uses());
        stream.gpu.context.enter(|driver| {
            uses.others(stream)
                .try_for_each(|other| stream.wait_for_stream(driver, other).map(|_| ()))
        })
    }

    /// Returns true if streams other than its own use it. The answer of the own stream's thread
    /// holds while its queue is locked.
    pub(super) fn is_shared(&self) -> bool {
        self.is_shared.load(Ordering::Acquire)
    }

    /// Records that its stream may have used all of it so far, for `user`, another stream.
    pub(super) fn share_with(&self, user: &Stream) {
        if self.stream.id == user.id || self.is_shared() {
            return;
        }
        self.stream.with_ticket(|ticket| {
            let mut uses = self.uses();
            if !self.is_shared.swap(true, Ordering::AcqRel) {
                uses.add(&self.stream, ticket, 0..self.bytes, true);
            }
        });
    }

    pub(super) fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the address of a byte of the memory.
    pub(crate) fn address_of(&self, offset: usize) -> Address {
        self.address + offset as Address
    }
}

/// Allocates memory, in the order of the stream where the driver and the device can do that. The
/// size is a multiple of 4 bytes, because atomic operations on `bool`s access whole words.
///
/// Its address is a multiple of 256, which kernels rely on ([`Element::MAX_ALIGN`]). The CUDA
/// programming guide guarantees that for all memory that the driver allocates.
pub(super) fn allocate(
    context: &Context,
    driver: &Driver,
    stream: StreamHandle,
    bytes: usize,
) -> Result<Address> {
    let bytes = bytes.div_ceil(4).saturating_mul(4);
    let mut address = 0;
    if context.pools {
        // SAFETY: `address` takes the result.
        let allocated = unsafe { driver.cuMemAllocAsync(&mut address, bytes, stream) };
        if let Some(allocated) = allocated {
            allocated?;
            return check_address(driver, "cuMemAllocAsync", address);
        }
    }
    // SAFETY: `address` takes the result.
    unsafe { driver.cuMemAlloc_v2(&mut address, bytes) }?;
    check_address(driver, "cuMemAlloc", address)
}

/// Does the same as [`allocate`], for a purpose that an error names.
pub(super) fn allocate_for(
    purpose: &'static str,
    context: &Context,
    driver: &Driver,
    stream: StreamHandle,
    bytes: usize,
) -> Result<Address> {
    allocate(context, driver, stream, bytes).map_err(|error| match error {
        Error::Driver { code: OUT_OF_MEMORY, .. } => {
            let free = context.memory_info().ok().map(|memory| memory.free);
            Error::OutOfMemoryFor { place: context.to_string(), purpose, bytes, free }
        }
        error => error,
    })
}

/// Returns the address that `call` returned; an error if it is null or less aligned than kernels
/// rely on.
fn check_address(driver: &Driver, call: &'static str, address: Address) -> Result<Address> {
    let is_usable = address != 0 && address.is_multiple_of(Element::MAX_ALIGN);
    driver.expect_usable(call, is_usable, || format!("memory at address {address:#x}"))?;
    Ok(address)
}

/// Frees what [`allocate`] returned, after the stream's work.
///
/// # Safety
/// It is freed once, and only work that this stream does, or has waited for, uses it.
pub(super) unsafe fn free(
    context: &Context,
    driver: &Driver,
    stream: StreamHandle,
    address: Address,
) -> Result<()> {
    if context.pools {
        // SAFETY: the caller's promise.
        let freed = unsafe { driver.cuMemFreeAsync(address, stream) };
        if let Some(freed) = freed {
            return freed;
        }
    }
    // SAFETY: as above; all work with it is done once the stream was waited for.
    unsafe {
        driver.cuStreamSynchronize(stream)?;
        driver.cuMemFree_v2(address)
    }
}

/// A column of an array whose rows are the elements of a slice: the values that one call can set.
pub(super) struct Column {
    pub(super) to: Address,
    /// Bytes from one row to the next.
    pub(super) pitch: usize,
    pub(super) value: u32,
    /// Bytes of the value: 1, 2 or 4.
    pub(super) unit: u32,
    /// Values in a row.
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Column {
    /// Enqueues the write of the value.
    ///
    /// # Safety
    /// The column is inside of an allocation that lives until the work is done.
    pub(super) unsafe fn set(self, driver: &Driver, stream: StreamHandle) -> Result<()> {
        let Self { to, pitch, value, unit, width, height } = self;
        // SAFETY: the caller's promise. The column is aligned for its unit.
        unsafe {
            match (unit, height) {
                (4, 1) => driver.cuMemsetD32Async(to, value, width, stream),
                (4, _) => driver.cuMemsetD2D32Async(to, pitch, value, width, height, stream),
                (2, 1) => driver.cuMemsetD16Async(to, value as u16, width, stream),
                (2, _) => driver.cuMemsetD2D16Async(to, pitch, value as u16, width, height, stream),
                (_, 1) => driver.cuMemsetD8Async(to, value as u8, width, stream),
                _ => driver.cuMemsetD2D8Async(to, pitch, value as u8, width, height, stream),
            }
        }
    }
}

/// Returns the columns that give all elements of rows at equal distances the same value: one column
/// if the element repeats one unit, and the columns of each row otherwise.
pub(super) fn fill_rows(
    to: Address,
    row_bytes: usize,
    pitch_bytes: usize,
    rows: usize,
    element: &[u8],
) -> Vec<Column> {
    let row_columns = |row: usize| {
        let start = to + (row * pitch_bytes) as Address;
        fill_columns(start, row_bytes, element).collect::<Vec<_>>()
    };
    match <[Column; 1]>::try_from(row_columns(0)) {
        // A whole row at once, and the others are aligned as it is.
        Ok([column]) if pitch_bytes.is_multiple_of(column.unit as usize) => {
            vec![Column { pitch: pitch_bytes, height: rows, ..column }]
        }
        _ => (0..rows).flat_map(row_columns).collect(),
    }
}

/// Returns the columns that give all elements of a slice the same value.
pub(super) fn fill_columns(
    to: Address,
    bytes: usize,
    element: &[u8],
) -> impl Iterator<Item = Column> {
    let size = element.len().max(1);
    let is_unit = |unit: &usize| size.is_multiple_of(*unit) && to.is_multiple_of(*unit as Address);
    let is_repeated = |unit: &usize| element.chunks(*unit).all(|part| *part == element[..*unit]);
    // Elements that repeat one unit are set in one row.
    let row = [4, 2, 1].into_iter().find(|unit| is_unit(unit) && is_repeated(unit));
    let unit = row.or_else(|| [4, 2].into_iter().find(is_unit)).unwrap_or(1);
    let count = bytes / size;
    let columns = if row.is_some() { 1 } else { size / unit };
    let is_empty = count == 0;
    element.chunks(unit).take(if is_empty { 0 } else { columns }).enumerate().map(
        move |(column, part)| {
            let value = part.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            let to = to + (column * unit) as Address;
            let (width, height) = if row.is_some() { (bytes / unit, 1) } else { (1, count) };
            let pitch = if row.is_some() { bytes } else { size };
            Column { to, pitch, value, unit: unit as u32, width, height }
        },
    )
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let Self { stream, address, owner, .. } = self;
        let uses = self.uses.get_mut().unwrap_or_else(PoisonError::into_inner);
        let context = &stream.gpu.context;
        let released = uses.others(stream).try_for_each(|other| {
            let ordered = context.enter(|driver| stream.wait_for_stream(driver, other));
            ordered.map(drop).or_else(|_| other.wait())
        });
        let released = released.and_then(|()| {
            context.enter(|driver| match owner {
                // SAFETY: nobody else has the address, and the stream waits for all work with it.
                None => unsafe { free(context, driver, stream.handle, *address) },
                // SAFETY: the stream lives; its context is current.
                Some(_) => unsafe { driver.cuStreamSynchronize(stream.handle) },
            })
        });
        // The memory of a lost context is lost, too. After other errors, work may still use the
        // memory of an owner, which is therefore leaked.
        if let Err(error) = released
            && !matches!(error, Error::DeviceLost { .. })
        {
            std::mem::forget(owner.take());
        }
    }
}
