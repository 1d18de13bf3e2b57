//! Tables: arrays of a thread's own in which only constants are stored, each at a known place.
//!
//! ```text
//! const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
//! for k in 0..n { .. WEIGHTS[k % 3] .. }     // an array that the kernel fills each time it reads it
//! ```
//! Every thread has the same numbers in a table, so back ends may keep one copy of it for all threads. A place that is
//! stored twice holds the same bytes each time. What no store covers is never read, and is 0 here.
use crate::ir::{ArrayId, Extent, Inst, InstId, Kernel, Op, Root, Scalar, Space, Ty};
use std::collections::BTreeMap;

/// The bytes of the arrays that are tables.
pub type Tables = BTreeMap<ArrayId, Vec<u8>>;

/// Returns the tables of `kernel`, which is specialized.
pub fn tables(kernel: &Kernel) -> Tables {
    let mut found: BTreeMap<ArrayId, Vec<Option<u8>>> = BTreeMap::new();
    for (id, array) in kernel.arrays.iter() {
        let bytes = array.elem.size().zip(array.len.known());
        let bytes = bytes.and_then(|(size, len)| size.checked_mul(len));
        if let Some(bytes) = bytes.and_then(|bytes| usize::try_from(bytes).ok()) {
            found.insert(id, vec![None; bytes]);
        }
    }
    if found.is_empty() {
        return Tables::new();
    }
    for (_, inst) in kernel.insts.iter() {
        for operand in inst.op.operands() {
            if kernel.insts[operand].ty == Ty::Ptr(Space::Local)
                && let Some(Root::Array(array)) = kernel.root(operand)
                && let Some(bytes) = found.get_mut(&array)
                && !stays_table(kernel, bytes, inst, operand)
            {
                found.remove(&array);
            }
        }
    }
    found.retain(|_, bytes| bytes.iter().any(Option::is_some));
    let known = |bytes: Vec<Option<u8>>| bytes.into_iter().map(Option::unwrap_or_default).collect();
    found.into_iter().map(|(array, bytes)| (array, known(bytes))).collect()
}

/// Notes in `bytes` what `inst` does by `operand`, an address in the array. Returns false if the array is no table then.
fn stays_table(kernel: &Kernel, bytes: &mut [Option<u8>], inst: &Inst, operand: InstId) -> bool {
    if let Op::Store { ptr, value } = inst.op {
        return ptr == operand && store(kernel, bytes, ptr, value).is_some();
    }
    matches!(inst.op, Op::Index { .. } | Op::Offset { .. } | Op::Load { .. })
}

/// Notes what a store of `value` leaves in `bytes`; `None` if that is not known, or changes what another store leaves.
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

/// Returns the table that `ptr` points into.
pub fn table(tables: &Tables, kernel: &Kernel, ptr: InstId) -> Option<ArrayId> {
    if tables.is_empty() {
        return None;
    }
    match kernel.root(ptr) {
        Some(Root::Array(array)) => tables.contains_key(&array).then_some(array),
        Some(Root::Param(_) | Root::Shared(_)) | None => None,
    }
}

/// Returns how many bytes `ptr` is behind the beginning of its array, if that is known.
pub fn place(kernel: &Kernel, ptr: InstId) -> Option<u64> {
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

/// Returns the bits that a load of `scalar` from `ptr` yields, if that is a known place of a table.
pub fn read(tables: &Tables, kernel: &Kernel, ptr: InstId, scalar: Scalar) -> Option<u64> {
    let array = table(tables, kernel, ptr)?;
    let start = usize::try_from(place(kernel, ptr)?).ok()?;
    let bytes = tables.get(&array)?.get(start..)?.get(..scalar.size()? as usize)?;
    Some(bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
}
