//! Decomposition of addresses into a base and a constant offset.
//!
//! An access goes through a chain of [`Op::Index`] and [`Op::Offset`] from the start of a buffer.
//! Constants in the chain are added up. If at most one index remains, the access itself computes
//! the address, and nothing of the chain is computed. If several remain, the address up to the last
//! of them is a value.
use warpwise_compiler::ir::{InstId, Kernel, Op, Root};

/// An address: a base and an offset in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct BaseOffset {
    pub(super) base: Base,
    pub(super) offset: u64,
}

/// The base of an address.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// The first byte of a buffer.
    Start(Root),
    /// `index * stride` bytes after the first byte of a buffer.
    Element { buffer: Root, index: InstId, stride: u64 },
    /// An address that is a value.
    Value(InstId),
}

/// Decomposes the address `ptr`.
pub(super) fn decompose(kernel: &Kernel, ptr: InstId) -> BaseOffset {
    let value = BaseOffset { base: Base::Value(ptr), offset: 0 };
    let op = &kernel.insts[ptr].op;
    if let Op::Offset { base, offset } = op {
        offset.known().map_or(value, |offset| add_offset(decompose(kernel, *base), offset))
    } else if let Op::Index { base, index, stride } = op {
        let Some(stride) = stride.known() else { return value };
        let base = decompose(kernel, *base);
        match (constant_index(kernel, *index), base.base) {
            (Some(index), _) => add_offset(base, index.wrapping_mul(stride)),
            (None, Base::Start(buffer)) => {
                BaseOffset { base: Base::Element { buffer, index: *index, stride }, ..base }
            }
            (None, Base::Element { .. } | Base::Value(_)) => value,
        }
    } else if matches!(op, Op::Param(_) | Op::Shared(_) | Op::Array(_)) {
        kernel.root(ptr).map_or(value, |root| BaseOffset { base: Base::Start(root), offset: 0 })
    } else {
        value
    }
}

fn add_offset(place: BaseOffset, bytes: u64) -> BaseOffset {
    BaseOffset { offset: place.offset.wrapping_add(bytes), ..place }
}

/// Returns the value of a constant index, bounds-checked or not.
fn constant_index(kernel: &Kernel, index: InstId) -> Option<u64> {
    let op = &kernel.insts[index].op;
    if let Op::Bounds { index, .. } = op {
        constant_index(kernel, *index)
    } else if let Op::Const(bits) = op {
        Some(*bits)
    } else {
        None
    }
}
