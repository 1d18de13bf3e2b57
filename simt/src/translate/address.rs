//! Addresses, taken apart.
//!
//! What an access goes through is a chain of [`Op::Index`] and [`Op::Offset`] from the start of a
//! buffer. Constants in it are added up. If one index at most is left, the access says itself
//! where it goes, and nothing of the chain is computed; if there are more, the address up to the
//! last of them is a value.
use warpwise_compiler::ir::{InstId, Kernel, Op, Root};

/// So many bytes behind something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) base: Base,
    pub(super) offset: u64,
}

/// What an access is relative to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// The first byte of a buffer.
    Start(Root),
    /// `index * stride` bytes behind that.
    Element { of: Root, index: InstId, stride: u64 },
    /// An address that is a value.
    Value(InstId),
}

/// Where `ptr` points.
pub(super) fn place(kernel: &Kernel, ptr: InstId) -> Place {
    let value = Place { base: Base::Value(ptr), offset: 0 };
    let op = &kernel.insts[ptr].op;
    if let Op::Offset { base, offset } = op {
        offset.known().map_or(value, |offset| behind(place(kernel, *base), offset))
    } else if let Op::Index { base, index, stride } = op {
        let Some(stride) = stride.known() else { return value };
        let base = place(kernel, *base);
        match (constant(kernel, *index), base.base) {
            (Some(index), _) => behind(base, index.wrapping_mul(stride)),
            (None, Base::Start(of)) => {
                Place { base: Base::Element { of, index: *index, stride }, ..base }
            }
            (None, Base::Element { .. } | Base::Value(_)) => value,
        }
    } else if matches!(op, Op::Param(_) | Op::Shared(_) | Op::Array(_)) {
        kernel.root(ptr).map_or(value, |root| Place { base: Base::Start(root), offset: 0 })
    } else {
        value
    }
}

fn behind(place: Place, bytes: u64) -> Place {
    Place { offset: place.offset.wrapping_add(bytes), ..place }
}

/// The number that an index is, checked or not.
fn constant(kernel: &Kernel, index: InstId) -> Option<u64> {
    let op = &kernel.insts[index].op;
    if let Op::Bounds { index, .. } = op {
        constant(kernel, *index)
    } else if let Op::Const(bits) = op {
        Some(*bits)
    } else {
        None
    }
}
