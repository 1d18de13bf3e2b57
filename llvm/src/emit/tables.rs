//! Arrays of a thread's own that are tables: what is stored in them are constants, each at a known place.
//!
//! They become constants of the module, which LLVM folds where an index is known. Otherwise each thread would
//! fill a copy of its own, again in each round of a loop, which would then be too long to unroll.
use std::{collections::BTreeMap, fmt::Write};
use warpwise_compiler::{
    back::ptx::local_placement,
    ir::{Array, ArrayId, Extent, InstId, Kernel, Op, Root, Ty},
};

/// The bytes of the arrays that are tables.
pub(super) type Tables = BTreeMap<ArrayId, Vec<u8>>;

pub(super) fn tables(kernel: &Kernel) -> Tables {
    let empty = |(id, array): (ArrayId, &Array)| {
        let bytes = usize::try_from(local_placement(array).bytes).unwrap_or(0);
        (id, vec![None; bytes])
    };
    let mut found: BTreeMap<ArrayId, Vec<Option<u8>>> = kernel.arrays.iter().map(empty).collect();
    for (_, inst) in kernel.insts.iter() {
        for operand in inst.op.operands() {
            let Some(Root::Array(array)) = kernel.root(operand) else { continue };
            let Some(bytes) = found.get_mut(&array) else { continue };
            let op = &inst.op;
            let stays = if let Op::Store { ptr, value } = op {
                *ptr == operand && store(kernel, bytes, *ptr, *value).is_some()
            } else {
                matches!(op, Op::Index { .. } | Op::Offset { .. } | Op::Load { .. })
            };
            if !stays {
                found.remove(&array);
            }
        }
    }
    found.retain(|_, bytes| bytes.iter().any(Option::is_some));
    // What is never stored is never read.
    let known = |bytes: Vec<Option<u8>>| bytes.into_iter().map(Option::unwrap_or_default).collect();
    found.into_iter().map(|(array, bytes)| (array, known(bytes))).collect()
}

/// Keeps what is stored; `None` if it is no table then.
fn store(kernel: &Kernel, bytes: &mut [Option<u8>], ptr: InstId, value: InstId) -> Option<()> {
    let (Op::Const(bits), Ty::Scalar(scalar)) = (&kernel.insts[value].op, kernel.insts[value].ty)
    else {
        return None;
    };
    let start = usize::try_from(place(kernel, ptr)?).ok()?;
    let size = scalar.size()? as usize;
    let kept = bytes.get_mut(start..start.checked_add(size)?)?;
    for (kept, byte) in kept.iter_mut().zip(bits.to_le_bytes()) {
        if kept.is_some_and(|known| known != byte) {
            return None;
        }
        *kept = Some(byte);
    }
    Some(())
}

/// How many bytes behind the beginning of its array a pointer is, if that is known.
fn place(kernel: &Kernel, ptr: InstId) -> Option<u64> {
    let op = &kernel.insts[ptr].op;
    if let Op::Index { base, index, stride: Extent::Const(stride) } = op {
        let Op::Const(index) = kernel.insts[*index].op else { return None };
        place(kernel, *base)?.checked_add(index.checked_mul(*stride)?)
    } else if let Op::Offset { base, offset: Extent::Const(offset) } = op {
        place(kernel, *base)?.checked_add(*offset)
    } else {
        matches!(op, Op::Array(_)).then_some(0)
    }
}

/// A string of LLVM's with these bytes.
pub(super) fn string(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(3 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "\\{byte:02X}");
    }
    text
}
