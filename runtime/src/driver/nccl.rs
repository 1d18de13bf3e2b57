//! NCCL: collectives among GPUs, from a library that is loaded at run time.
//!
//! A [`Communicator`] enqueues on one stream. Its calls are work of this stream like launches: they
//! wait for other streams that use the same memory, and are waited for.
//!
//! Names and meanings are NCCL's:
//! <https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html>.
use super::{
    api::{Address, StreamHandle},
    library::{describe_load_error, first_usable},
    memory::Allocation,
    stream::Stream,
};
use crate::{
    Error, Result,
    collective::{Call, DataType, Elements, ReduceOp, Transfer, UniqueId},
};
use libloading::Library;
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ops::Range,
    ptr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// The file names of NCCL. Its wheels have the first one only.
const LIBRARIES: &[&str] =
    if cfg!(target_os = "linux") { &["libnccl.so.2", "libnccl.so"] } else { &[] };

/// NCCL 2.10, the first with means and `bf16`.
const MIN_VERSION: c_int = 21000;

/// `ncclResult_t`
type Status = c_int;

/// `ncclComm_t`
#[derive(Clone, Copy)]
#[repr(transparent)]
struct CommHandle(*mut c_void);
// SAFETY: NCCL takes a communicator from any thread, one at a time, and `Communicator` is not
// `Sync`.
unsafe impl Send for CommHandle {}

/// `ncclUniqueId`
#[derive(Clone, Copy)]
#[repr(C)]
struct RawId(UniqueId);

macro_rules! functions {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        /// NCCL, loaded.
        #[expect(non_snake_case, reason = "named as in NCCL")]
        struct Nccl {
            $($name: unsafe extern "C" fn($($ty),*) -> Status,)*
            ncclGetErrorString: unsafe extern "C" fn(Status) -> *const c_char,
            /// Since NCCL 2.13.
            ncclGetLastError: Option<unsafe extern "C" fn(CommHandle) -> *const c_char>,
            version: c_int,
            /// Keeps the functions where they are.
            _library: Library,
        }

        impl Nccl {
            /// Finds every function, or names the first one that is missing.
            ///
            /// # Safety
            /// The functions that `library` exports under these names must have these types.
            unsafe fn link(library: Library) -> Result<Self, &'static str> {
                // SAFETY: the types are the symbols' by the caller's promise.
                unsafe {
                    Ok(Self {
                        $($name: *library
                            .get(concat!(stringify!($name), "\0"))
                            .map_err(|_| stringify!($name))?,)*
                        ncclGetErrorString: *library
                            .get("ncclGetErrorString\0")
                            .map_err(|_| "ncclGetErrorString")?,
                        ncclGetLastError: library.get("ncclGetLastError\0").ok().map(|found| *found),
                        version: 0,
                        _library: library,
                    })
                }
            }

            $(
                /// NCCL's function of this name.
                ///
                /// # Safety
                /// NCCL's conditions: handles are live, and pointers valid for what is done with
                /// them.
                #[expect(non_snake_case, clippy::allow_attributes, reason = "named as in NCCL")]
                #[allow(clippy::too_many_arguments, reason = "shaped as in NCCL")]
                unsafe fn $name(&self, $($arg: $ty),*) -> Result<()> {
                    // SAFETY: the caller's promise.
                    let status = unsafe { (self.$name)($($arg),*) };
                    self.check(stringify!($name), status)
                }
            )*
        }
    };
}
functions! {
    ncclGetVersion(version: *mut c_int);
    ncclGetUniqueId(id: *mut RawId);
    ncclCommInitAll(comms: *mut CommHandle, devices: c_int, ordinals: *const c_int);
    ncclCommInitRank(comm: *mut CommHandle, ranks: c_int, id: RawId, rank: c_int);
    ncclCommDestroy(comm: CommHandle);
    ncclCommAbort(comm: CommHandle);
    ncclAllReduce(
        from: Address,
        to: Address,
        count: usize,
        ty: c_int,
        op: c_int,
        comm: CommHandle,
        stream: StreamHandle
    );
    ncclAllGather(
        from: Address,
        to: Address,
        count: usize,
        ty: c_int,
        comm: CommHandle,
        stream: StreamHandle
    );
    ncclReduceScatter(
        from: Address,
        to: Address,
        count: usize,
        ty: c_int,
        op: c_int,
        comm: CommHandle,
        stream: StreamHandle
    );
    ncclBroadcast(
        from: Address,
        to: Address,
        count: usize,
        ty: c_int,
        root: c_int,
        comm: CommHandle,
        stream: StreamHandle
    );
    ncclSend(
        from: Address,
        count: usize,
        ty: c_int,
        peer: c_int,
        comm: CommHandle,
        stream: StreamHandle
    );
    ncclRecv(
        to: Address,
        count: usize,
        ty: c_int,
        peer: c_int,
        comm: CommHandle,
        stream: StreamHandle
    );
    ncclGroupStart();
    ncclGroupEnd();
}

impl Nccl {
    /// Returns the library, loaded at the first call.
    ///
    /// # Errors
    /// [`Error::NoNccl`], the same at every call.
    fn get() -> Result<&'static Self> {
        static NCCL: OnceLock<Result<Nccl, Vec<String>>> = OnceLock::new();
        let nccl = NCCL.get_or_init(|| first_usable(LIBRARIES, Self::open)).as_ref();
        nccl.map_err(|tried| Error::NoNccl { tried: tried.clone() })
    }

    fn open(name: &str) -> Result<Self, String> {
        // SAFETY: what carries NCCL's name is trusted to be it; its initializers run.
        let library =
            unsafe { Library::new(name) }.map_err(|error| describe_load_error(name, &error))?;
        // SAFETY: as above, and the types are those of `nccl.h`.
        let mut nccl = unsafe { Self::link(library) }
            .map_err(|missing| format!("`{name}` is old or broken: it lacks `{missing}`"))?;
        let mut version = 0;
        // SAFETY: `version` takes the result.
        unsafe { nccl.ncclGetVersion(&mut version) }
            .map_err(|error| format!("`{name}` is there, but {error}"))?;
        if version < MIN_VERSION {
            return Err(format!("`{name}` is version {version}, and {MIN_VERSION} is needed"));
        }
        nccl.version = version;
        Ok(nccl)
    }

    /// Returns an error with NCCL's text for `status`, unless it is success.
    fn check(&self, call: &'static str, status: Status) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        let say = |text: *const c_char| {
            if text.is_null() {
                return String::new();
            }
            // SAFETY: not null, so one of NCCL's strings, which ends with a zero.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned()
        };
        // SAFETY: takes any number.
        let mut text = say(unsafe { (self.ncclGetErrorString)(status) });
        // SAFETY: takes null, for the last error of the process.
        let last = self.ncclGetLastError.map(|get| unsafe { get(CommHandle(ptr::null_mut())) });
        let last = last.map(say).unwrap_or_default();
        if !last.is_empty() {
            text = format!("{text}: {last}");
        }
        Err(Error::Nccl { call, code: status, text })
    }

    /// Refuses a null communicator from a call that succeeded.
    fn check_handle(&self, call: &'static str, handle: CommHandle) -> Result<()> {
        if handle.0.is_null() {
            return Err(Error::Nccl { call, code: 0, text: "a null communicator".to_owned() });
        }
        Ok(())
    }
}

/// Returns major, minor and patch of NCCL's version.
pub(crate) fn version() -> Result<(u32, u32, u32)> {
    let version = Nccl::get()?.version.unsigned_abs();
    Ok((version / 10_000, version / 100 % 100, version % 100))
}

/// Creates the id of a communicator of several processes, and listens for them.
pub(crate) fn unique_id() -> Result<UniqueId> {
    let mut id = RawId([0; _]);
    // SAFETY: `id` takes the result.
    unsafe { Nccl::get()?.ncclGetUniqueId(&mut id) }?;
    Ok(id.0)
}

/// A GPU among those that compute together.
pub(crate) struct Communicator {
    nccl: &'static Nccl,
    handle: CommHandle,
    /// The stream of all calls.
    stream: Arc<Stream>,
    ranks: usize,
    /// True if a call has failed, after which NCCL only lets it be aborted.
    has_failed: AtomicBool,
}

/// Bytes of an allocation.
type Part<'a> = (&'a Allocation, Range<usize>);

impl Communicator {
    /// Connects streams of this process, each on another GPU.
    pub(crate) fn all(streams: &[&Arc<Stream>]) -> Result<Vec<Self>> {
        let nccl = Nccl::get()?;
        let ordinal = |stream: &&Arc<Stream>| to_c_int(stream.gpu.context.ordinal);
        let ordinals: Vec<_> = streams.iter().map(ordinal).collect();
        let Some(first) = streams.first() else { return Ok(Vec::new()) };
        let mut handles = vec![CommHandle(ptr::null_mut()); streams.len()];
        // The context is entered so that it is the same afterwards: NCCL selects one GPU after the
        // other. What a call that fails has created is lost, as NCCL does not say what that is.
        first.gpu.context.enter(|_| {
            // SAFETY: there is room for as many handles as there are GPUs.
            unsafe {
                nccl.ncclCommInitAll(
                    handles.as_mut_ptr(),
                    to_c_int(streams.len()),
                    ordinals.as_ptr(),
                )
            }
        })?;
        let connected = streams.iter().zip(handles).map(|(stream, handle)| {
            nccl.check_handle("ncclCommInitAll", handle)?;
            Ok(Self::connected(nccl, handle, stream, streams.len()))
        });
        connected.collect()
    }

    /// Connects a stream with those of other processes, of which one created `id`. Waits for them.
    pub(crate) fn new(
        stream: &Arc<Stream>,
        ranks: usize,
        id: &UniqueId,
        rank: usize,
    ) -> Result<Self> {
        let nccl = Nccl::get()?;
        let mut handle = CommHandle(ptr::null_mut());
        // SAFETY: `handle` takes the result; the GPU is that of the context, which is current.
        stream.gpu.context.enter(|_| unsafe {
            nccl.ncclCommInitRank(&mut handle, to_c_int(ranks), RawId(*id), to_c_int(rank))
        })?;
        nccl.check_handle("ncclCommInitRank", handle)?;
        Ok(Self::connected(nccl, handle, stream, ranks))
    }

    fn connected(
        nccl: &'static Nccl,
        handle: CommHandle,
        stream: &Arc<Stream>,
        ranks: usize,
    ) -> Self {
        let (stream, has_failed) = (Arc::clone(stream), AtomicBool::new(false));
        Self { nccl, handle, stream, ranks, has_failed }
    }

    /// Enqueues a call that reads `from` and writes `to`; without one of them, in place.
    pub(crate) fn run(
        &self,
        call: &Call,
        from: Option<Part<'_>>,
        to: Option<Part<'_>>,
    ) -> Result<()> {
        self.check_operands(call, from.as_ref(), to.as_ref());
        let address = |part: &Part<'_>| part.0.address_of(part.1.start);
        let (source, destination) = (from.as_ref().map(address), to.as_ref().map(address));
        let reads = from.map(|(allocation, bytes)| (allocation, bytes, false));
        let writes = to.map(|(allocation, bytes)| (allocation, bytes, true));
        let ended = self.stream.submit([reads, writes].into_iter().flatten(), |_, _| {
            let source = source.or(destination).unwrap_or_default();
            // SAFETY: the operands have the lengths of the call, are memory of the stream's GPU,
            // and are freed after this work. That other ranks make the same call is checked where
            // they are in this process; those of other processes write no memory but NCCL's own.
            unsafe { self.enqueue(call, source, destination.unwrap_or(source)) }
        });
        if matches!(ended, Err(Error::Nccl { .. })) {
            self.has_failed.store(true, Ordering::Relaxed);
        }
        ended
    }

    /// Enqueues a call on the stream of the communicator.
    ///
    /// # Safety
    /// There are as many elements at the addresses as the call has.
    unsafe fn enqueue(&self, call: &Call, from: Address, to: Address) -> Result<()> {
        let (nccl, comm, stream) = (self.nccl, self.handle, self.stream.handle);
        let Elements { ty, len } = call.elements();
        let ty = type_number(ty);
        // SAFETY: the caller's promise; the communicator and the stream live.
        unsafe {
            match *call {
                // Nothing is transferred, and there may be no addresses.
                Call::AllReduce { .. }
                | Call::AllGather { .. }
                | Call::ReduceScatter { .. }
                | Call::Broadcast { .. }
                    if len == 0 =>
                {
                    Ok(())
                }
                Call::AllReduce { op, .. } => {
                    nccl.ncclAllReduce(from, to, len, ty, op_number(op), comm, stream)
                }
                Call::AllGather { .. } => nccl.ncclAllGather(from, to, len, ty, comm, stream),
                Call::ReduceScatter { op, .. } => {
                    nccl.ncclReduceScatter(from, to, len, ty, op_number(op), comm, stream)
                }
                Call::Broadcast { root, .. } => {
                    nccl.ncclBroadcast(from, to, len, ty, to_c_int(root), comm, stream)
                }
                Call::Exchange { send, receive } => self.enqueue_exchange(send, receive, from, to),
            }
        }
    }

    /// Enqueues transfers as a group, so that they run at the same time.
    ///
    /// # Safety
    /// There are as many elements at the addresses as the transfers have.
    unsafe fn enqueue_exchange(
        &self,
        send: Option<Transfer>,
        receive: Option<Transfer>,
        from: Address,
        to: Address,
    ) -> Result<()> {
        let (nccl, comm, stream) = (self.nccl, self.handle, self.stream.handle);
        let is_some = |transfer: &Transfer| transfer.elements.len > 0;
        let operands = |transfer: Transfer| {
            let Transfer { peer, elements: Elements { ty, len } } = transfer;
            (len, type_number(ty), to_c_int(peer))
        };
        // SAFETY: the caller's promise; the communicator and the stream live. A group that has
        // begun is ended, whatever its calls return.
        unsafe {
            nccl.ncclGroupStart()?;
            let sent = send.filter(is_some).map_or(Ok(()), |transfer| {
                let (len, ty, peer) = operands(transfer);
                nccl.ncclSend(from, len, ty, peer, comm, stream)
            });
            let received = receive.filter(is_some).map_or(Ok(()), |transfer| {
                let (len, ty, peer) = operands(transfer);
                nccl.ncclRecv(to, len, ty, peer, comm, stream)
            });
            let ended = nccl.ncclGroupEnd();
            sent.and(received).and(ended)
        }
    }

    /// Panics if an operand has not the length of the call: the caller has checked that.
    fn check_operands(&self, call: &Call, from: Option<&Part<'_>>, to: Option<&Part<'_>>) {
        let bytes = |elements: Elements| elements.len * elements.ty.size();
        let whole = bytes(call.elements());
        let (sent, received) = match *call {
            Call::AllReduce { .. } | Call::Broadcast { .. } => (whole, whole),
            Call::AllGather { .. } => (whole, whole * self.ranks),
            Call::ReduceScatter { .. } => (whole * self.ranks, whole),
            Call::Exchange { send, receive } => {
                let bytes =
                    |transfer: Option<Transfer>| transfer.map_or(0, |it| bytes(it.elements));
                (bytes(send), bytes(receive))
            }
        };
        let has_len =
            |part: Option<&Part<'_>>, bytes| part.is_none_or(|part| part.1.len() == bytes);
        assert!(has_len(from, sent) && has_len(to, received), "operands of another length");
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        let (nccl, comm) = (self.nccl, self.handle);
        let is_usable = !*self.has_failed.get_mut() && !thread::panicking();
        // NCCL's memory is in use until the work is done, or aborted. An error leaves nothing to
        // do.
        let _ = self.stream.gpu.context.enter(|driver| {
            // SAFETY: the communicator was created once, and is destroyed or aborted once.
            unsafe {
                if is_usable && driver.cuStreamSynchronize(self.stream.handle).is_ok() {
                    nccl.ncclCommDestroy(comm)
                } else {
                    nccl.ncclCommAbort(comm)
                }
            }
        });
    }
}

/// Returns a number as NCCL takes it; -1, which NCCL refuses, if it is too large.
fn to_c_int(number: usize) -> c_int {
    c_int::try_from(number).unwrap_or(-1)
}

/// Returns the `ncclDataType_t` of an element type.
fn type_number(ty: DataType) -> c_int {
    match ty {
        DataType::I8 => 0,
        DataType::U8 => 1,
        DataType::I32 => 2,
        DataType::U32 => 3,
        DataType::I64 => 4,
        DataType::U64 => 5,
        DataType::F16 => 6,
        DataType::F32 => 7,
        DataType::F64 => 8,
        DataType::Bf16 => 9,
    }
}

/// Returns the `ncclRedOp_t` of an operation.
fn op_number(op: ReduceOp) -> c_int {
    match op {
        ReduceOp::Sum => 0,
        ReduceOp::Product => 1,
        ReduceOp::Max => 2,
        ReduceOp::Min => 3,
        ReduceOp::Mean => 4,
    }
}
