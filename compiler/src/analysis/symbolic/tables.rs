//! Local arrays that are tables: each element is written at one point of the text, with a constant.
//!
//! ```text
//! for k in [0, 8, 16, 24] { .. }    // is an array in memory, and its numbers are known
//! ```
//! A load yields the constant, as nothing is read before it is written. The numbers of an array
//! that is passed and never written are unknown.
use crate::{
    analysis::accesses::memory_operands,
    hardware::Kind,
    id::Facts,
    ir::{ArrayId, InstId, Kernel, Op, Root, Space},
};
use std::collections::BTreeMap;

/// Per table, its constants by their offset in bytes.
pub(super) type ConstTables = Facts<ArrayId, Option<BTreeMap<i64, u64>>>;

/// Returns the tables of `kernel`.
pub(super) fn find_const_tables(kernel: &Kernel) -> ConstTables {
    let mut tables = kernel.arrays.cloned_facts(Some(BTreeMap::new()));
    let is_passed = |array: ArrayId| kernel.arrays[array].passed.is_some();
    for (id, inst) in kernel.insts.iter() {
        let Some((ptr, kind, _)) = memory_operands(kernel, id) else { continue };
        if kind == Kind::Load || kernel.space(ptr) != Some(Space::Local) {
            continue;
        }
        // The pointer escapes.
        let Some(Root::Array(array)) = kernel.root(ptr) else {
            return kernel.arrays.cloned_facts(None);
        };
        let stored =
            if let Op::Store { value, .. } = inst.op { kernel.literal(value) } else { None };
        let entry = const_offset(kernel, ptr).zip(stored);
        let is_new = |table: &mut BTreeMap<i64, u64>| {
            entry.is_some_and(|(offset, bits)| table.insert(offset, bits).is_none())
        };
        if is_passed(array) || !tables[array].as_mut().is_some_and(is_new) {
            tables[array] = None;
        }
    }
    tables
}

/// Returns the offset of `ptr` in its array in bytes, if it is a constant.
fn const_offset(kernel: &Kernel, ptr: InstId) -> Option<i64> {
    let op = &kernel.insts[ptr].op;
    if let Op::Array(_) = op {
        Some(0)
    } else if let Op::Offset { base, offset } = op {
        self::const_offset(kernel, *base)?.checked_add(i64::try_from(offset.known()?).ok()?)
    } else if let Op::Index { base, index, stride } = op {
        let Op::Const(index) = kernel.insts[*index].op else { return None };
        let behind = i64::try_from(index.checked_mul(stride.known()?)?).ok()?;
        self::const_offset(kernel, *base)?.checked_add(behind)
    } else {
        None
    }
}
