//! Arrays of a thread's own that are tables: each place is written once in the text, with a constant.
//!
//! ```text
//! for k in [0, 8, 16, 24] { .. }    // is an array in memory, and its numbers are known
//! ```
//! What is read there is the constant, as nothing is read before it is written. An array that is passed
//! and never written is one of which no number is known.
use crate::{
    analysis::accesses::memory,
    hardware::Kind,
    id::Facts,
    ir::{ArrayId, InstId, Kernel, Op, Root, Space},
};
use std::collections::BTreeMap;

/// The constants of each array that is a table, by how many bytes they are behind its beginning.
pub(super) type Tables = Facts<ArrayId, Option<BTreeMap<i64, u64>>>;

/// The tables of `kernel`.
pub(super) fn tables(kernel: &Kernel) -> Tables {
    let mut tables = kernel.arrays.clones(Some(BTreeMap::new()));
    let is_passed = |array: ArrayId| kernel.arrays[array].passed.is_some();
    for (id, inst) in kernel.insts.iter() {
        let Some((ptr, kind, _)) = memory(kernel, id) else { continue };
        if kind == Kind::Load || kernel.space(ptr) != Some(Space::Local) {
            continue;
        }
        // Who knows where that goes.
        let Some(Root::Array(array)) = kernel.root(ptr) else {
            return kernel.arrays.clones(None);
        };
        let stored =
            if let Op::Store { value, .. } = inst.op { kernel.literal(value) } else { None };
        let entry = offset(kernel, ptr).zip(stored);
        let is_new = |table: &mut BTreeMap<i64, u64>| {
            entry.is_some_and(|(offset, bits)| table.insert(offset, bits).is_none())
        };
        if is_passed(array) || !tables[array].as_mut().is_some_and(is_new) {
            tables[array] = None;
        }
    }
    tables
}

/// How many bytes `ptr` is behind the beginning of its array, if that is a constant.
fn offset(kernel: &Kernel, ptr: InstId) -> Option<i64> {
    let op = &kernel.insts[ptr].op;
    if let Op::Array(_) = op {
        Some(0)
    } else if let Op::Offset { base, offset } = op {
        self::offset(kernel, *base)?.checked_add(i64::try_from(offset.known()?).ok()?)
    } else if let Op::Index { base, index, stride } = op {
        let Op::Const(index) = kernel.insts[*index].op else { return None };
        let behind = i64::try_from(index.checked_mul(stride.known()?)?).ok()?;
        self::offset(kernel, *base)?.checked_add(behind)
    } else {
        None
    }
}
