//! Declarations of arrays, and the shared memory that a launch has to ask for.
//!
//! Shared arrays of known lengths are declared one by one, up to 48 KiB together. PTX allows no
//! more; a block can have more, but only of memory that the launch sizes. A kernel that needs it
//! has all its arrays there, one behind the other, from the symbol `$shared` on.
//!
//! Arrays whose lengths the launch computes come behind those, in that memory. Where the first of
//! them begins is known here. Where another one does, depends on the lengths before it: the
//! launcher, which has to compute and check them anyway, passes it in a parameter
//! ([`offset_param`]), so that the kernel computes nothing that could come out otherwise.
use super::{grid, name_comment};
use crate::{
    analysis::{
        read_only_arrays::{ReadOnlyArrays, constant_params},
        wgmma::find_sums,
    },
    id::Id,
    ir::{
        Array, ArrayId, Element, Extent, Kernel, Length, ParamId, Passed, Scalar, Shared, SharedId,
        Size, SizeError,
    },
};
use std::fmt::{self, Write};

/// Bytes of shared arrays that a kernel declares at most.
const MOST_DECLARED_BYTES: u64 = 48 * 1024;
/// Bytes of shared memory that a block can have on the GPU that gives most (CUDA programming guide,
/// compute capabilities).
pub(super) const MOST_SHARED_BYTES: u64 = 227 * 1024;
/// Bytes of arrays that a thread can have of its own (there, too).
pub(super) const MOST_LOCAL_BYTES: u64 = 512 * 1024;
/// Arrays are aligned for the widest access.
const ALIGN: u64 = 16;

/// Bytes of shared memory that a block of `kernel`, which is specialized, takes for arrays of known
/// lengths, and for the barrier of the grid; `u64::MAX` if that many do not fit in one.
pub fn block_shared_bytes(kernel: &Kernel) -> u64 {
    array_bytes(kernel).saturating_add(barrier_bytes(kernel))
}

fn array_bytes(kernel: &Kernel) -> u64 {
    total(kernel.shared.iter().filter_map(|(_, shared)| fixed(shared)))
}

const fn barrier_bytes(kernel: &Kernel) -> u64 {
    if kernel.cooperative { grid::SHARED_BYTES } else { 0 }
}

/// Returns the bytes that the kernel does not declare, so that each launch has to ask for them.
fn undeclared_bytes(kernel: &Kernel) -> u64 {
    let most = MOST_DECLARED_BYTES - barrier_bytes(kernel);
    Some(array_bytes(kernel)).filter(|bytes| *bytes > most).unwrap_or(0)
}

/// Returns the bytes that the kernel declares.
pub fn declared_shared_bytes(kernel: &Kernel) -> u64 {
    block_shared_bytes(kernel) - undeclared_bytes(kernel)
}

/// Returns true if launches of `kernel` compute lengths of shared arrays.
pub fn is_sized_at_launch(kernel: &Kernel) -> bool {
    sized(kernel).next().is_some()
}

/// The shared memory of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedMemory {
    /// Bytes that a block takes.
    pub bytes: u64,
    /// The bytes that the launch asks for.
    pub dynamic: u64,
    /// Of each array whose length the launch computes, but for the first: where it begins in these.
    pub offsets: Vec<u64>,
}

/// The shared memory that a launch of `kernel`, which is specialized, takes; bytes that do not fit
/// in a `u64` are that many.
///
/// # Errors
/// The array whose length cannot be computed, and why.
pub fn shared_memory(
    kernel: &Kernel,
    passed: &Passed<'_>,
) -> Result<SharedMemory, (SharedId, SizeError)> {
    let mut end = undeclared_bytes(kernel);
    let mut offsets = Vec::new();
    for (id, shared, size) in sized(kernel) {
        let len = size.evaluate(passed).map_err(|error| (id, error))?;
        let start = next_multiple(end, align(&shared.elem));
        offsets.push(start);
        let bytes = len.saturating_mul(element_bytes(&shared.elem));
        end = start.saturating_add(next_multiple(bytes, ALIGN));
    }
    if !offsets.is_empty() {
        offsets.remove(0);
    }
    let declared = next_multiple(declared_shared_bytes(kernel), alignment(kernel));
    Ok(SharedMemory { bytes: declared.saturating_add(end), dynamic: end, offsets })
}

/// The arrays whose lengths the launch computes.
fn sized(kernel: &Kernel) -> impl Iterator<Item = (SharedId, &Shared, &Size)> {
    kernel.shared.iter().filter_map(|(id, shared)| match &shared.len {
        Length::Fixed(_) => None,
        Length::Launch(size) => Some((id, shared, size)),
    })
}

/// Element and length of an array of known length.
fn fixed(shared: &Shared) -> Option<(&Element, &Extent)> {
    match &shared.len {
        Length::Fixed(len) => Some((&shared.elem, len)),
        Length::Launch(_) => None,
    }
}

/// The arrays whose places the launcher passes, in the order of their parameters.
pub fn offset_params(kernel: &Kernel) -> impl Iterator<Item = SharedId> {
    sized(kernel).skip(1).map(|(id, ..)| id)
}

/// The name of the parameter with the place of an array.
pub(super) fn offset_param(id: SharedId) -> String {
    format!("shared{}_offset", id.index())
}

/// The beginning of a shared array.
pub enum SharedPlace {
    /// At a symbol of its own.
    Declared,
    /// So many bytes behind `$shared`.
    Dynamic(u64),
    /// As far behind `$shared` as the array's [`offset_params`] says.
    Passed,
}

/// An array's alignment and size, as back ends declare it.
pub struct Placement {
    /// The alignment of its address, in bytes.
    pub align: u64,
    /// Bytes that it takes.
    pub bytes: u64,
}

/// The shared arrays that a kernel declares one by one.
pub fn declared_shared_arrays(kernel: &Kernel) -> impl Iterator<Item = (SharedId, Placement)> {
    let declared = undeclared_bytes(kernel) == 0;
    kernel.shared.iter().filter(move |_| declared).filter_map(|(id, shared)| {
        let (elem, len) = fixed(shared)?;
        Some((id, Placement { align: align(elem), bytes: declared_bytes(elem, len) }))
    })
}

/// The placement of an array that each thread has of its own.
pub fn local_placement(array: &Array) -> Placement {
    // Addresses of a thread's own memory go nowhere that needs more.
    let align = align(&array.elem).min(Element::MAX_ALIGN);
    Placement { align, bytes: bytes(&array.elem, &array.len) }
}

/// The alignment of the memory that the launch sizes; `None` if there is none.
pub fn dynamic_shared_align(kernel: &Kernel) -> Option<u64> {
    let sized = undeclared_bytes(kernel) > 0 || is_sized_at_launch(kernel);
    sized.then(|| alignment(kernel))
}

/// Bytes of all arrays that a thread has of its own.
pub(super) fn local_bytes(kernel: &Kernel) -> u64 {
    total(kernel.arrays.iter().map(|(_, array)| (&array.elem, &array.len)))
}

/// Returns the beginning of a shared array.
pub fn shared_place(kernel: &Kernel, id: SharedId) -> SharedPlace {
    let shared = &kernel.shared[id];
    let undeclared = undeclared_bytes(kernel);
    let before = match &shared.len {
        Length::Fixed(_) if undeclared == 0 => {
            return SharedPlace::Declared;
        }
        Length::Fixed(_) => {
            total(kernel.shared.iter().take(id.index()).filter_map(|(_, shared)| fixed(shared)))
        }
        Length::Launch(_) if offset_params(kernel).any(|passed| passed == id) => {
            return SharedPlace::Passed;
        }
        Length::Launch(_) => undeclared,
    };
    SharedPlace::Dynamic(next_multiple(before, align(&shared.elem)))
}

/// The declaration of what the launch sizes, if there is such.
pub(super) fn declare_dynamic(kernel: &Kernel, f: &mut impl Write) -> fmt::Result {
    let Some(align) = dynamic_shared_align(kernel) else { return Ok(()) };
    writeln!(f, ".extern .shared .align {align} .b8 $shared[];\n")
}

/// Returns the alignment of the memory that the launch sizes.
fn alignment(kernel: &Kernel) -> u64 {
    kernel.shared.iter().map(|(_, shared)| align(&shared.elem)).max().unwrap_or(ALIGN)
}

/// Returns the name of the array in constant memory with the elements of a parameter.
pub fn constant_symbol(param: ParamId) -> String {
    format!("$constant{}", param.index())
}

/// Iterates over the parameters whose elements are in constant memory.
pub fn constant_arrays(kernel: &Kernel) -> impl Iterator<Item = (ParamId, Placement)> {
    constant_params(kernel)
        .map(|(id, elem, bytes)| (id, Placement { align: align(elem), bytes: bytes.max(1) }))
}

/// The declarations of the constant memory that launches fill.
pub(super) fn declare_constants(kernel: &Kernel, f: &mut impl Write) -> fmt::Result {
    for (id, Placement { align, bytes }) in constant_arrays(kernel) {
        let (symbol, comment) = (constant_symbol(id), name_comment(&kernel.params[id].name));
        writeln!(f, ".visible .const .align {align} .b8 {symbol}[{bytes}];{comment}\n")?;
    }
    Ok(())
}

/// The declarations of arrays in the body; those that are read-only are elsewhere.
pub(super) fn declare(
    kernel: &Kernel,
    read_only: &ReadOnlyArrays,
    f: &mut impl Write,
) -> fmt::Result {
    for (id, Placement { align, bytes }) in declared_shared_arrays(kernel) {
        let (number, comment) = (id.index(), name_comment(&kernel.shared[id].name));
        writeln!(f, "\t.shared .align {align} .b8 shared{number}[{bytes}];{comment}")?;
    }
    let sums = find_sums(kernel);
    let is_in_memory = |id: ArrayId| {
        !read_only.contains_key(&id) && sums[id].is_none_or(|sums| !sums.in_registers)
    };
    for (id, array) in kernel.arrays.iter().filter(|(id, _)| is_in_memory(*id)) {
        let Placement { align, bytes } = local_placement(array);
        let (number, comment) = (id.index(), name_comment(&array.name));
        writeln!(f, "\t.local .align {align} .b8 local{number}[{bytes}];{comment}")?;
    }
    grid::declare(kernel, f)
}

/// Bytes of arrays, each aligned, one behind the other.
fn total<'k>(arrays: impl Iterator<Item = (&'k Element, &'k Extent)>) -> u64 {
    arrays.fold(0_u64, |sum, (elem, len)| {
        let start = next_multiple(sum, align(elem));
        start.saturating_add(next_multiple(bytes(elem, len), ALIGN))
    })
}

/// The next multiple of `align`, or `u64::MAX`.
fn next_multiple(bytes: u64, align: u64) -> u64 {
    bytes.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

/// Bytes of an array; an empty one still has an address.
fn bytes(elem: &Element, len: &Extent) -> u64 {
    let len = len.known().expect("a specialized kernel's extents are numbers");
    len.saturating_mul(element_bytes(elem)).max(1)
}

/// Bytes of a shared array as it is declared: where there may be `bool`s whole words, by which
/// atomic operations access them.
fn declared_bytes(elem: &Element, len: &Extent) -> u64 {
    match elem {
        Element::Scalar(Scalar::Bool) | Element::Plain { .. } => next_multiple(bytes(elem, len), 4),
        Element::Scalar(_) => bytes(elem, len),
    }
}

fn element_bytes(elem: &Element) -> u64 {
    elem.size().expect("a specialized kernel's extents are numbers")
}

/// Returns the alignment of an array.
fn align(elem: &Element) -> u64 {
    elem.align().expect("a specialized kernel's extents are numbers").max(ALIGN)
}
