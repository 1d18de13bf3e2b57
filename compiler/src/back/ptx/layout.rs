//! Where arrays lie: how they are declared, and what a launch has to ask for.
//!
//! Shared arrays are declared one by one, up to 48 KiB together. PTX allows no more; a block can
//! have more, but only of memory that the launch sizes. A kernel that needs it has all its arrays
//! there, one behind the other, from the symbol `$shared` on.
use super::comment;
use crate::{
    id::Id,
    ir::{Element, Extent, Kernel, SharedId},
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

/// Bytes of shared memory that a block of `kernel`, which is specialized, takes; `u64::MAX` if
/// that many do not fit in one.
pub fn block_shared_bytes(kernel: &Kernel) -> u64 {
    total(kernel.shared.iter().map(|(_, shared)| (&shared.elem, &shared.len)))
}

/// How many of these the kernel does not declare, so that each launch has to ask for them.
pub fn dynamic_shared_bytes(kernel: &Kernel) -> u64 {
    let bytes = block_shared_bytes(kernel);
    if bytes > MOST_DECLARED_BYTES { bytes } else { 0 }
}

/// Bytes of all arrays that a thread has of its own.
pub(super) fn local_bytes(kernel: &Kernel) -> u64 {
    total(kernel.arrays.iter().map(|(_, array)| (&array.elem, &array.len)))
}

/// What stands for the address of a shared array.
pub(super) fn shared_symbol(kernel: &Kernel, id: SharedId) -> String {
    if dynamic_shared_bytes(kernel) == 0 {
        return format!("shared{}", id.index());
    }
    let before = kernel.shared.iter().take(id.index());
    let before = total(before.map(|(_, shared)| (&shared.elem, &shared.len)));
    match before.next_multiple_of(align(&kernel.shared[id].elem)) {
        0 => "$shared".into(),
        offset => format!("$shared+{offset}"),
    }
}

/// The declaration of what the launch sizes, if there is such.
pub(super) fn declare_dynamic(kernel: &Kernel, f: &mut impl Write) -> fmt::Result {
    if dynamic_shared_bytes(kernel) == 0 {
        return Ok(());
    }
    let align = kernel.shared.iter().map(|(_, shared)| align(&shared.elem)).max().unwrap_or(ALIGN);
    writeln!(f, ".extern .shared .align {align} .b8 $shared[];\n")
}

/// The declarations of arrays in the body.
pub(super) fn declare(kernel: &Kernel, f: &mut impl Write) -> fmt::Result {
    let declared = dynamic_shared_bytes(kernel) == 0;
    for (id, shared) in kernel.shared.iter().filter(|_| declared) {
        let (align, bytes) = (align(&shared.elem), bytes(&shared.elem, &shared.len));
        let (number, comment) = (id.index(), comment(&shared.name));
        writeln!(f, "\t.shared .align {align} .b8 shared{number}[{bytes}];{comment}")?;
    }
    for (id, array) in kernel.arrays.iter() {
        let (align, bytes) = (align(&array.elem), bytes(&array.elem, &array.len));
        let (number, comment) = (id.index(), comment(&array.name));
        writeln!(f, "\t.local .align {align} .b8 local{number}[{bytes}];{comment}")?;
    }
    Ok(())
}

/// Bytes of arrays, each aligned, one behind the other.
fn total<'k>(arrays: impl Iterator<Item = (&'k Element, &'k Extent)>) -> u64 {
    arrays.fold(0_u64, |sum, (elem, len)| {
        let start = sum.div_ceil(align(elem)).saturating_mul(align(elem));
        start.saturating_add(bytes(elem, len).div_ceil(ALIGN).saturating_mul(ALIGN))
    })
}

/// Bytes of an array; an empty one still has an address.
fn bytes(elem: &Element, len: &Extent) -> u64 {
    let (size, len) = (elem.size(), len.known());
    let (size, len) = size.zip(len).expect("a specialized kernel's extents are numbers");
    len.saturating_mul(size).max(1)
}

/// What an array's address is a multiple of.
fn align(elem: &Element) -> u64 {
    elem.align().expect("a specialized kernel's extents are numbers").max(ALIGN)
}
