//! Constant tables: arrays of a thread's own in which only constants are stored, each at a known
//! offset.
//!
//! ```text
//! const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];
//! for k in 0..n { .. WEIGHTS[k % 3] .. }     // an array that the kernel fills each time it reads it
//! ```
//! Every thread has the same numbers in a table, so back ends may keep one copy of it for all
//! threads. An element that is stored twice gets the same bytes each time. Bytes that no store
//! covers are never read, and are 0 here.
use crate::ir::{ArrayId, Extent, Inst, InstId, Kernel, Op, Root, Scalar, Space, Ty};
use std::collections::BTreeMap;

/// The contents of table arrays.
pub type Tables = BTreeMap<ArrayId, Vec<u8>>;

/// Returns the tables of `kernel`, which is specialized.
pub fn find_tables(kernel: &Kernel) -> Tables {
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

/// Records in `bytes` the effect of `inst` through `operand`, an address in the array. Returns
/// false if the array is no table.
fn stays_table(kernel: &Kernel, bytes: &mut [Option<u8>], inst: &Inst, operand: InstId) -> bool {
    if let Op::Store { ptr, value, .. } = inst.op {
        return ptr == operand && record_store(kernel, bytes, ptr, value).is_some();
    }
    matches!(inst.op, Op::Index { .. } | Op::Offset { .. } | Op::Load { .. })
}

/// Records the bytes of a store of `value`; `None` if they are unknown, or differ from another
/// store's.
fn record_store(
    kernel: &Kernel,
    bytes: &mut [Option<u8>],
    ptr: InstId,
    value: InstId,
) -> Option<()> {
    let (Op::Const(bits), Ty::Scalar(scalar)) = (&kernel.insts[value].op, kernel.insts[value].ty)
    else {
        return None;
    };
    let start = usize::try_from(constant_offset(kernel, ptr)?).ok()?;
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
pub fn table_of_pointer(tables: &Tables, kernel: &Kernel, ptr: InstId) -> Option<ArrayId> {
    if tables.is_empty() {
        return None;
    }
    match kernel.root(ptr) {
        Some(Root::Array(array)) => tables.contains_key(&array).then_some(array),
        Some(Root::Param(_) | Root::Shared(_)) | None => None,
    }
}

/// Returns the offset of `ptr` in its array in bytes, if it is known.
pub fn constant_offset(kernel: &Kernel, ptr: InstId) -> Option<u64> {
    let op = &kernel.insts[ptr].op;
    if let Op::Index { base, index, stride: Extent::Const(stride) } = op {
        let Op::Const(index) = kernel.insts[*index].op else { return None };
        constant_offset(kernel, *base)?.checked_add(index.checked_mul(*stride)?)
    } else if let Op::Offset { base, offset: Extent::Const(offset) } = op {
        constant_offset(kernel, *base)?.checked_add(*offset)
    } else {
        matches!(op, Op::Array(_)).then_some(0)
    }
}

/// Returns the bits that a load of `scalar` from `ptr` yields, if `ptr` is a known offset in a
/// table.
pub fn read_table(tables: &Tables, kernel: &Kernel, ptr: InstId, scalar: Scalar) -> Option<u64> {
    let array = table_of_pointer(tables, kernel, ptr)?;
    let start = usize::try_from(constant_offset(kernel, ptr)?).ok()?;
    let bytes = tables.get(&array)?.get(start..)?.get(..scalar.size()? as usize)?;
    Some(bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
}
