//! The errors of this crate: [`Error`].
//!
//! Each variant has the values that a caller needs to react, and prints as one line: lower case, no
//! full stop, code in backticks, both numbers where two do not match.
//! `Debug` prints the same line as `Display`, because `unwrap` and a `main` that returns
//! [`Result`] show errors by `Debug`.
use crate::{
    check::{Finding, Lines, Problem},
    collective::CollectiveMistake,
    launch::axis::Axis,
    stopped::Stopped,
};
use std::fmt;
use warpwise_compiler::fault::Pieces;

/// The place of memory in [`Error::OutOfMemory`] that is the host's and page-locked.
pub(crate) const PAGE_LOCKED: &str = "the host, as page-locked memory";

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error of this crate. `Debug` prints the message that `Display` prints.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no NVIDIA driver on this machine, or it does not work.
    #[error("no usable NVIDIA driver: {}", .tried.join("; "))]
    NoDriver {
        /// The libraries that were tried, with the failure of each.
        tried: Vec<String>,
    },
    /// The driver works, and has no device of this number.
    #[error("there is no device `cuda:{ordinal}`: the driver shows {count} (numbered from 0)")]
    NoDevice {
        /// The number asked for.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },
    /// The GPU is older than what kernels are compiled for.
    #[error("{device} is sm_{sm}, and kernels need sm_{needs} or newer")]
    DeviceTooOld {
        /// The GPU.
        device: String,
        /// Ten times the major plus the minor number of its compute capability.
        sm: u32,
        /// The oldest that works.
        needs: u32,
    },
    /// `WARPWISE_DEVICE` names no device.
    #[error(
        "`WARPWISE_DEVICE={value}` names no device: it takes `auto`, `cpu`, `cuda` or `cuda:N`"
    )]
    BadDeviceName {
        /// The value of the variable.
        value: String,
    },
    /// There is not enough memory for a buffer, or for a copy of one.
    #[error(
        "out of memory on {place}: {elements} elements of {size} bytes do not fit{}",
        .free.map(|free| format!(" in the {free} bytes that are free")).unwrap_or_default()
    )]
    OutOfMemory {
        /// Whose memory: a device, or the host.
        place: String,
        /// Elements asked for.
        elements: usize,
        /// Bytes of an element.
        size: usize,
        /// Bytes free there, if that is known.
        free: Option<u64>,
    },
    /// There is not enough memory for a stream or graph itself: for the reports, output and
    /// counters of its launches.
    #[error(
        "out of memory on {place}: {bytes} bytes for {purpose} do not fit{}",
        .free.map(|free| format!(" in the {free} bytes that are free")).unwrap_or_default()
    )]
    OutOfMemoryFor {
        /// Whose memory: a device, or the host.
        place: String,
        /// The contents of the memory.
        purpose: &'static str,
        /// Bytes asked for.
        bytes: usize,
        /// Bytes free there, if that is known.
        free: Option<u64>,
    },
    /// Values that do not fit in constant memory.
    #[error("{bytes} bytes do not fit in constant memory, which has {limit}")]
    ConstantTooLarge {
        /// Bytes of the values.
        bytes: u64,
        /// Bytes of constant memory.
        limit: u64,
    },
    /// A texture that hardware does not have.
    #[error("there is no such texture: {problem}")]
    BadTexture {
        /// The property or combination that hardware lacks.
        problem: String,
    },
    /// A copy between arrays of different lengths.
    #[error("cannot copy {source_len} elements to {destination_len}")]
    LengthMismatch {
        /// Elements of what is copied.
        source_len: usize,
        /// Elements of the copy's destination.
        destination_len: usize,
    },
    /// A range that is not inside of a slice.
    #[error("elements {start}..{end} are not inside of a slice of {len}")]
    OutOfRange {
        /// The first index.
        start: usize,
        /// The index after the last.
        end: usize,
        /// Elements of the slice.
        len: usize,
    },
    /// A range of rows, columns or layers that is not inside of an array.
    #[error("{axis} {start}..{end} are not inside of an array of {len} {axis}")]
    OutOfArray {
        /// `rows`, `columns` or `layers`.
        axis: &'static str,
        /// The first index.
        start: usize,
        /// The index after the last.
        end: usize,
        /// The extent of the array.
        len: usize,
    },
    /// A copy between arrays of different extents: layers, rows and columns, with one layer for
    /// arrays of two dimensions.
    #[error(
        "cannot copy {} elements to {}",
        shape_text(source_shape),
        shape_text(destination_shape)
    )]
    ShapeMismatch {
        /// The extents of what is copied.
        source_shape: [usize; 3],
        /// The extents of the copy's destination.
        destination_shape: [usize; 3],
    },
    /// A slice was to be rows, and is not a whole number of them.
    #[error("{len} elements are no whole number of rows of {columns} columns")]
    NotRows {
        /// Elements of the slice.
        len: usize,
        /// Elements of a row.
        columns: usize,
    },
    /// A slice was to be one of another type, which does not begin at such bytes.
    #[error(
        "a slice at byte {offset} of its buffer is none of a type that is aligned to {align} bytes"
    )]
    Misaligned {
        /// The first byte of the slice in its buffer.
        offset: usize,
        /// The alignment of the other type.
        align: usize,
    },
    /// Numbers were to be vectors, and the last one would lack lanes.
    #[error("{len} numbers are no whole number of vectors of {lanes} lanes")]
    NotVectors {
        /// The number of numbers.
        len: usize,
        /// The lanes of a vector.
        lanes: usize,
    },
    /// Numbers were to be structs, and the last one would not be whole.
    #[error("{bytes} bytes are no whole number of structs of {size} bytes")]
    NotStructs {
        /// The size of the numbers in bytes.
        bytes: usize,
        /// Bytes of a struct.
        size: usize,
    },
    /// Memory of another library that cannot be a buffer.
    #[error("memory at {address:#x} cannot be {len} elements of {size} bytes: {problem}")]
    ForeignMemory {
        /// The address.
        address: u64,
        /// The number of elements.
        len: usize,
        /// Bytes of an element.
        size: usize,
        /// The reason.
        problem: String,
    },
    /// A DLPack tensor that cannot be a buffer, or a buffer that cannot be such a tensor.
    #[error("a DLPack tensor and a buffer of `{elem}` do not share memory: {problem}")]
    Dlpack {
        /// The type of an element.
        elem: &'static str,
        /// The reason.
        problem: String,
    },
    /// A stream of another library that cannot be a device.
    #[error("a stream of another library cannot be `cuda:{ordinal}`: {problem}")]
    ForeignStream {
        /// The number of the GPU.
        ordinal: usize,
        /// The reason.
        problem: String,
    },
    /// A call that needs a GPU, on the interpreter.
    #[error("{what} need a GPU, and the device is {device}")]
    NeedsGpu {
        /// The objects that need a GPU, in the plural: `raw streams`.
        what: &'static str,
        /// The device.
        device: String,
    },
    /// A slice or a module that the device of the work cannot reach.
    #[error("{what} is on {place}, and the work on {}", second_device(.device, .place))]
    WrongDevice {
        /// `a slice` or `a module`.
        what: &'static str,
        /// Its device.
        place: String,
        /// The device of the work.
        device: String,
    },
    /// A module without the function that was asked for.
    #[error("the module has no function `{name}`")]
    NoFunction {
        /// The name of the function.
        name: String,
    },
    /// A function of a module cannot be launched like that; nothing ran.
    #[error("cannot launch `{function}`: {mistake}")]
    ModuleLaunch {
        /// The name of the function.
        function: String,
        /// The mistake in the launch.
        mistake: LaunchMistake,
    },
    /// There is no NVRTC, which compiles CUDA C, or it does not work.
    #[error("no usable NVRTC to compile CUDA C: {}", .tried.join("; "))]
    NoNvrtc {
        /// The libraries that were tried, with the failure of each.
        tried: Vec<String>,
    },
    /// CUDA C that NVRTC does not compile.
    #[error(
        "cannot compile CUDA C: `{call}` failed with {name}{}",
        .log.as_ref().map(|log| format!("\n{log}")).unwrap_or_default()
    )]
    CompileCuda {
        /// The function of NVRTC.
        call: &'static str,
        /// NVRTC's name of the error.
        name: String,
        /// The messages of the compiler.
        log: Option<String>,
    },
    /// The time between events of which each is on another device.
    #[error("the time between events of two devices is unknown")]
    EventsOfTwoDevices,
    /// An [`Autotuner`](crate::Autotuner) was given nothing to choose from.
    #[error("there are no candidates for `{task}`")]
    NoCandidates {
        /// The task.
        task: String,
    },
    /// A kernel that prints or is cooperative was launched while a graph was recorded.
    #[error("`{kernel}` prints or is cooperative, and cannot be recorded in a graph")]
    NotRecordable {
        /// The kernel.
        kernel: &'static str,
    },
    /// A kernel with `#[constant]` parameters was launched while a graph was recorded.
    #[error(
        "`{kernel}` has parameters in constant memory, and cannot be recorded in a graph: launch it \
         outside, or pass a slice"
    )]
    ConstantsInGraph {
        /// The kernel.
        kernel: &'static str,
    },
    /// Work other than a kernel was given to a device while a graph was recorded.
    #[error("{what} cannot be recorded in a graph")]
    NotInGraphs {
        /// The kind of work, in the plural.
        what: &'static str,
    },
    /// A call that no graph records was made on a device while it recorded one.
    #[error("{call} cannot be recorded in a graph: {help}")]
    NotRecorded {
        /// The call.
        call: &'static str,
        /// The remedy.
        help: &'static str,
    },
    /// Work was given to the device of a [recording](crate::Device::record_graph) that has ended.
    #[error("the recording of the graph has ended")]
    RecordingEnded,
    /// The closure of a [recording](crate::Device::record_graph) gave no work to the recorder, the
    /// device that it is passed.
    #[error(
        "the recording of the graph is empty: launch on the recorder, as in `k::launch(recorder, ..)`"
    )]
    EmptyRecording,
    /// A kernel cannot be launched like that; nothing ran.
    #[error("cannot launch `{kernel}`: {mistake}")]
    Launch {
        /// The kernel.
        kernel: &'static str,
        /// The mistake in the launch.
        mistake: LaunchMistake,
    },
    /// A kernel could not be compiled for the device.
    #[error("cannot compile `{kernel}` for {device}: {message}")]
    Compile {
        /// The kernel.
        kernel: &'static str,
        /// The device.
        device: String,
        /// The message of the compiler.
        message: String,
    },
    /// A thread of an earlier launch failed a check. Its other threads continued, the device
    /// remains usable, and buffers hold what was written.
    #[error(transparent)]
    DevicePanic(Box<DevicePanic>),
    /// The interpreter stopped a launch. Buffers hold what was written.
    #[error(
        "`{kernel}` did not finish: {reason}{}{}",
        .fault.as_ref().map(|fault| format!("; before that, {fault}")).unwrap_or_default(),
        other_findings_text(.findings, .fault.as_deref())
    )]
    Stopped {
        /// The kernel.
        kernel: &'static str,
        /// The reason: a deadlock, a livelock, the step budget, or a breakpoint.
        reason: Box<Stopped>,
        /// The errors that its checks found.
        findings: Vec<Finding>,
        /// The fault of the same launch, which may be the cause.
        fault: Option<Box<DevicePanic>>,
    },
    /// The checks of a launch found mistakes of the kernel. Buffers hold what was written.
    #[error("checks of `{kernel}` found:{}", Lines(.findings))]
    Findings {
        /// The kernel.
        kernel: &'static str,
        /// All findings, errors first.
        findings: Vec<Finding>,
    },
    /// `WARPWISE_CHECK` names an unknown check.
    #[error(
        "`WARPWISE_CHECK={value}` names no checks: it takes `all`, `race`, `memory`, `init`, `sync`, `strict`, `unused` and `order`, with commas between, and `deny` to make warnings fail"
    )]
    BadChecks {
        /// The value of the variable.
        value: String,
    },
    /// The CUDA driver refused a call.
    #[error(
        "`{call}` failed with {name} ({code}): {text}{}",
        .log.as_ref().map(|log| format!("\n{log}")).unwrap_or_default()
    )]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The number it returned.
        code: u32,
        /// CUDA's name of it, as `CUDA_ERROR_INVALID_VALUE`.
        name: String,
        /// CUDA's text about it.
        text: String,
        /// The log of the driver's compiler, if it ran.
        log: Option<String>,
    },
    /// There is no NCCL on this machine, or it does not work, or the crate was built without its
    /// feature.
    #[error("no usable NCCL: {}", .tried.join("; "))]
    NoNccl {
        /// The libraries that were tried, with the failure of each.
        tried: Vec<String>,
    },
    /// NCCL refused a call. The communicators of all ranks have to be dropped.
    #[error("`{call}` failed ({code}): {text}")]
    Nccl {
        /// NCCL's function.
        call: &'static str,
        /// The number it returned.
        code: i32,
        /// NCCL's text about it.
        text: String,
    },
    /// A call of a [`Communicator`](crate::collective::Communicator) that cannot run.
    #[error("cannot run `{call}`: {mistake}")]
    Collective {
        /// The function.
        call: &'static str,
        /// The mistake in the call.
        mistake: CollectiveMistake,
    },
    /// The processes of a program cannot connect.
    #[error("cannot join the other ranks: {problem}")]
    Launcher {
        /// The problem: a variable of the environment, or the network.
        problem: String,
    },
    /// An error after which this process cannot use the device any more; a new process can. After
    /// some errors the device can be opened again once everything on it (buffers, devices, streams)
    /// is dropped; after an illegal address, drivers up to 580 refuse.
    #[error("{device} is lost, and what its buffers held: {cause}")]
    DeviceLost {
        /// The device.
        device: String,
        /// The error that lost it.
        cause: Box<Error>,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Formats the findings of a launch that did not finish, without the one that is its fault.
fn other_findings_text(findings: &[Finding], fault: Option<&DevicePanic>) -> String {
    let is_fault = |finding: &&Finding| match (&finding.problem, fault) {
        (Problem::OutOfBounds(outside), Some(fault)) => {
            (outside.block, outside.thread) == (fault.block, fault.thread)
        }
        _ => false,
    };
    let others: Vec<_> = findings.iter().filter(|finding| !is_fault(finding)).cloned().collect();
    if others.is_empty() { String::new() } else { format!("; its checks found:{}", Lines(&others)) }
}

/// A kernel's thread failed a check: the counterpart of a panic. `Debug` prints the message that
/// `Display` prints.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DevicePanic {
    /// The kernel.
    pub kernel: &'static str,
    /// The message of Rust's panic for this reason.
    pub message: String,
    /// Source file, as `file!()` gives it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The index, of an index out of bounds.
    pub index: Option<u64>,
    /// The length, of an index out of bounds.
    pub len: Option<u64>,
    /// The thread's block in the grid.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
    /// The number of threads of the launch that failed a check; this is the lowest of them, blocks
    /// and threads being numbered x fastest.
    pub count: u64,
}

impl fmt::Display for DevicePanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, message, file, line, column, block, thread, count, .. } = self;
        let ([bx, by, bz], [tx, ty, tz]) = (block, thread);
        write!(f, "kernel `{kernel}` panicked at {file}:{line}:{column}: {message} ")?;
        write!(f, "(block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})")?;
        match count {
            0 | 1 => write!(f, ")"),
            _ => write!(f, ", the first of {count} threads that panicked)"),
        }
    }
}

impl fmt::Debug for DevicePanic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for DevicePanic {}

/// A mistake in a launch. `Debug` prints the message that `Display` prints.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchMistake {
    /// A block without threads.
    #[error("a block of {} has no threads", dims_text(.block))]
    EmptyBlock {
        /// Threads along x, y and z.
        block: [u64; 3],
    },
    /// More threads in a block than any GPU runs.
    #[error("a block of {} has {threads} threads, and {limit} is the most", dims_text(.block))]
    BlockTooLarge {
        /// Threads along x, y and z.
        block: [u64; 3],
        /// Their product.
        threads: u64,
        /// The most.
        limit: u64,
    },
    /// A block longer along an axis than any GPU runs.
    #[error("a block of {} is {found} along {axis}, and {limit} is the most", dims_text(.block))]
    BlockTooLong {
        /// Threads along x, y and z.
        block: [u64; 3],
        /// The axis.
        axis: Axis,
        /// Threads along it.
        found: u64,
        /// The most.
        limit: u64,
    },
    /// More blocks along an axis than any GPU runs.
    #[error("the grid is {blocks} blocks along {axis}, and {limit} is the most")]
    GridTooLong {
        /// The axis.
        axis: Axis,
        /// Blocks along it.
        blocks: u64,
        /// The most.
        limit: u64,
    },
    /// Indices that a kernel without `wide_index` does not provide for.
    #[error(
        "{threads} threads along {axis} are more than {limit}: the kernel needs `#[kernel(wide_index)]` for that"
    )]
    IndexTooWide {
        /// The axis.
        axis: Axis,
        /// Threads along it.
        threads: u64,
        /// The most without `wide_index`.
        limit: u64,
    },
    /// More threads than a fault record can number.
    #[error("{threads} threads are more than {limit}, the most of a launch{}", without_wide_index(*.limit))]
    TooManyThreads {
        /// Threads of the grid.
        threads: u128,
        /// The most there may be: fewer if the kernel has no `wide_index`.
        limit: u64,
    },
    /// Another block than the kernel declares.
    #[error(
        "it declares a block of {} and the launch asks for {}; leave `.block(..)` out to get the kernel's",
        dims_text(.declared),
        dims_text(.asked)
    )]
    BlockMismatch {
        /// The kernel's block.
        declared: [u64; 3],
        /// The launch's block.
        asked: [u64; 3],
    },
    /// A grid that does not consist of whole clusters.
    #[error(
        "its blocks run in clusters of {}, and the launch has a grid of {} blocks, which is no multiple \
         along each axis",
        dims_text(.cluster),
        dims_text(.grid)
    )]
    SplitCluster {
        /// Blocks of the launch.
        grid: [u64; 3],
        /// Blocks of a cluster.
        cluster: [u64; 3],
    },
    /// More shared memory than a block can have.
    #[error("a block needs {bytes} bytes of shared memory, and {limit} is the most on {device}")]
    SharedMemory {
        /// The size of the kernel's shared arrays.
        bytes: u64,
        /// The most.
        limit: u64,
        /// The device.
        device: String,
    },
    /// A length of shared memory that the launcher cannot compute.
    #[error("the length of the `shared_dyn!` at {place} {problem} in this launch")]
    SharedLength {
        /// The place in the source.
        place: String,
        /// The problem: an overflow or a division by zero.
        problem: String,
    },
    /// A condition that the kernel requires, and that is false, or has no value.
    #[error("`{condition}` is required (at {place}): {problem}")]
    Requirement {
        /// The condition, as it was written.
        condition: String,
        /// The place in the source.
        place: String,
        /// Both sides in this launch, or an overflow or a division by zero.
        problem: String,
    },
    /// Inline PTX without a fallback, on the interpreter.
    #[error(
        "the inline PTX at {place} has no fallback, and {device} runs none: write `else {{ .. }}` with \
         what it computes"
    )]
    InlinePtx {
        /// The place in the source.
        place: String,
        /// The device.
        device: String,
    },
    /// More blocks of a cooperative kernel than run at the same time.
    #[error(
        "its blocks wait for each other, and the launch has {blocks} of them, of which {limit} run at the same time on {device}"
    )]
    CooperativeGrid {
        /// Blocks of the launch.
        blocks: u64,
        /// The most, with blocks like these; 0 if the device has no cooperative launches.
        limit: u64,
        /// The device.
        device: String,
    },
    /// Blocks that take more of a multiprocessor than it has, so that none of them can run.
    #[error("none of its blocks can run on {device}: {problem}")]
    Unlaunchable {
        /// The exceeded resource.
        problem: String,
        /// The device.
        device: String,
    },
    /// A buffer in memory that the launch's device cannot reach: of another GPU, of the host for a
    /// GPU, or of another device on the host. [Streams](crate::Stream) of a device, and devices on
    /// one GPU, share its memory.
    #[error("`{param}` is a buffer on {buffer}, and the launch is on {}", second_device(.device, .buffer))]
    WrongDevice {
        /// The kernel's parameter.
        param: String,
        /// The device of the buffer.
        buffer: String,
        /// The device of the launch.
        device: String,
    },
    /// A buffer of another length for a reference to one value.
    #[error("`{param}` is one value, which all threads share, and the buffer has {len} elements")]
    NotOneElement {
        /// The kernel's parameter.
        param: String,
        /// Elements of the buffer.
        len: usize,
    },
    /// More elements than a parameter with `#[constant(max = ..)]` takes.
    #[error("`{param}` takes at most {max} elements, and the launch passes {len}")]
    ConstantTooLong {
        /// The kernel's parameter.
        param: String,
        /// Elements that are passed.
        len: usize,
        /// Elements that it takes at most.
        max: u32,
    },
    /// An array or a box of which hardware has no tensor map.
    #[error("there is no tensor map for `{param}`: {problem}")]
    TensorMap {
        /// The kernel's parameter.
        param: String,
        /// The limit of hardware.
        problem: String,
    },
    /// Arguments of wrong types; generated code never passes such.
    #[error("it takes {expected}, and the launch passes {found}")]
    Arguments {
        /// The kernel's parameter.
        expected: String,
        /// The argument.
        found: String,
    },
}

impl fmt::Debug for LaunchMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the name of a device that differs from `first`, which may have the same name.
fn second_device(device: &str, first: &str) -> String {
    if device == first { format!("another device, {device}") } else { device.to_owned() }
}

/// Returns rows and columns, after the layers if there are several: `4 x 3` or `2 x 4 x 3`.
fn shape_text(extents: &[usize; 3]) -> String {
    match extents {
        [1, rows, columns] => format!("{rows} x {columns}"),
        [layers, rows, columns] => format!("{layers} x {rows} x {columns}"),
    }
}

/// Returns dimensions as Rust takes them: `32`, `(16, 16)` or `(8, 8, 4)`.
fn dims_text(dims: &[u64; 3]) -> String {
    match dims {
        [x, 1, 1] => format!("{x}"),
        [x, y, 1] => format!("({x}, {y})"),
        [x, y, z] => format!("({x}, {y}, {z})"),
    }
}

/// Returns the end of the message about a limit of threads that `wide_index` raises.
fn without_wide_index(limit: u64) -> &'static str {
    if limit == Pieces::of_kernels(false).max_threads() {
        " without `#[kernel(wide_index)]`"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_panic_reads_like_a_panic() {
        let mut panic = DevicePanic {
            kernel: "saxpy",
            message: "index out of bounds: the len is 3 but the index is 4".into(),
            file: "src/main.rs",
            line: 7,
            column: 9,
            index: Some(4),
            len: Some(3),
            block: [0, 0, 0],
            thread: [4, 0, 0],
            count: 1,
        };
        assert_eq!(
            panic.to_string(),
            "kernel `saxpy` panicked at src/main.rs:7:9: index out of bounds: the len is 3 but \
             the index is 4 (block (0, 0, 0), thread (4, 0, 0))"
        );
        panic.count = 12;
        assert!(
            panic.to_string().ends_with("thread (4, 0, 0), the first of 12 threads that panicked)")
        );
    }

    #[test]
    fn unwrap_shows_the_message() {
        let mistake = LaunchMistake::EmptyBlock { block: [0, 1, 1] };
        assert_eq!(format!("{mistake:?}"), mistake.to_string());
        let error = Error::Launch { kernel: "k", mistake };
        assert_eq!(format!("{error:?}"), "cannot launch `k`: a block of 0 has no threads");
        assert_eq!(format!("{error:#?}"), error.to_string());
        let lost = Error::DeviceLost { device: "cuda:0".into(), cause: Box::new(error) };
        assert_eq!(format!("{lost:?}"), lost.to_string());
    }

    #[test]
    fn messages_carry_both_sides() {
        let mistake = LaunchMistake::BlockMismatch { declared: [256, 1, 1], asked: [16, 16, 1] };
        let error = Error::Launch { kernel: "k", mistake };
        assert_eq!(
            error.to_string(),
            "cannot launch `k`: it declares a block of 256 and the launch asks for (16, 16); \
             leave `.block(..)` out to get the kernel's"
        );
        let error =
            Error::OutOfMemory { place: "cuda:0".into(), elements: 10, size: 4, free: Some(8) };
        assert_eq!(
            error.to_string(),
            "out of memory on cuda:0: 10 elements of 4 bytes do not fit in the 8 bytes that are free"
        );
    }
}
