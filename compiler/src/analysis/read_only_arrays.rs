//! Read-only arrays: arrays of a thread's own that have the same contents in every thread, and the
//! memory in which back ends keep the one copy that all threads read.
//!
//! ```text
//! const TABLE: [f32; 64] = ..;    TABLE[k % 64]         constant memory: a warp reads one element
//!                                 TABLE[thread % 64]    global memory: its lanes read several
//! fn f(taps: [f32; 64], ..)       taps[k]               the parameters, where the launch puts them
//! ```
//! Hardware reads one word of constant memory at a time: a request takes as many turns as its lanes
//! read distinct words. Global memory serves a cached sector of 32 bytes at a time and has no such
//! turns, but takes longer for one word. So a [table](super::tables) is in constant memory if each
//! of its indices is the same in all lanes of a warp ([`uniformity`]), and in
//! global memory if an index varies between lanes, or constant memory is full.
//!
//! Parameters are in constant memory already, and are read there by any index: a copy would take a
//! store of each element in each thread.
use super::{
    tables::{constant_offset, find_tables},
    uniformity::{self, Varying},
};
use crate::{
    id::{Facts, Id},
    ir::{
        Access, ArrayId, Element, Inst, InstId, Kernel, Op, ParamId, ParamKind, Root, Space,
        TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES, Ty,
    },
};
use std::collections::BTreeMap;

/// Bytes of constant memory that a module can declare.
pub const CONSTANT_BYTES: u64 = 64 * 1024;
/// Bytes of these that are left to literals, which back ends put there.
const LITERAL_BYTES: u64 = 1024;

/// The storage of a read-only array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Constants of the module, in constant memory.
    Constant(Vec<u8>),
    /// Constants of the module, in global memory.
    Global(Vec<u8>),
    /// The scalar parameters from this one on, in the order of the array's elements.
    Params(ParamId),
}

/// The read-only arrays of a kernel.
pub type ReadOnlyArrays = BTreeMap<ArrayId, Storage>;

/// Returns the read-only arrays of `kernel`, which is specialized.
pub fn find_read_only_arrays(kernel: &Kernel) -> ReadOnlyArrays {
    if kernel.arrays.is_empty() {
        return ReadOnlyArrays::new();
    }
    let mut arrays = ReadOnlyArrays::new();
    let tables = find_tables(kernel);
    if !tables.is_empty() {
        let varying = arrays_with_varying_indices(kernel, &uniformity::analyze_warps(kernel));
        let mut room = CONSTANT_BYTES.saturating_sub(constant_bytes(kernel) + LITERAL_BYTES);
        for (array, bytes) in tables {
            let taken = (bytes.len() as u64).next_multiple_of(16);
            let storage = match room.checked_sub(taken).filter(|_| !varying[array]) {
                Some(rest) => {
                    room = rest;
                    Storage::Constant(bytes)
                }
                None => Storage::Global(bytes),
            };
            arrays.insert(array, storage);
        }
    }
    for (array, first) in find_passed_arrays(kernel) {
        arrays.insert(array, Storage::Params(first));
    }
    arrays
}

/// Returns the bytes of constant memory that are left to literals.
pub fn literal_room(kernel: &Kernel, arrays: &ReadOnlyArrays) -> u64 {
    let bytes = arrays.values().map(|storage| match storage {
        Storage::Constant(bytes) => (bytes.len() as u64).next_multiple_of(16),
        Storage::Global(_) | Storage::Params(_) => 0,
    });
    CONSTANT_BYTES.saturating_sub(constant_bytes(kernel) + bytes.sum::<u64>())
}

/// Iterates over the parameters whose elements are in constant memory, with the bytes that these
/// take at most.
pub fn constant_params(kernel: &Kernel) -> impl Iterator<Item = (ParamId, &Element, u64)> {
    kernel.params.iter().filter_map(|(id, param)| match &param.kind {
        ParamKind::Slice { elem, access: Access::Constant { max } } => {
            Some((id, elem, elem.size().unwrap_or(0).saturating_mul(u64::from(*max))))
        }
        ParamKind::Slice {
            access:
                Access::Read
                | Access::Write
                | Access::Atomic
                | Access::Texture
                | Access::SurfaceRead(_)
                | Access::SurfaceWrite(_)
                | Access::TensorRead
                | Access::TensorWrite,
            ..
        }
        | ParamKind::Scalar(_) => None,
    })
}

/// Returns the bytes of constant memory that the parameters of `kernel` take.
pub fn constant_bytes(kernel: &Kernel) -> u64 {
    constant_params(kernel).fold(0, |end, (_, elem, bytes)| {
        let align = elem.align().unwrap_or(1).max(16);
        let start = end.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        start.saturating_add(bytes)
    })
}

/// Returns the read-only array that `ptr` points into.
pub fn read_only_array_of<'a>(
    arrays: &'a ReadOnlyArrays,
    kernel: &Kernel,
    ptr: InstId,
) -> Option<&'a Storage> {
    if arrays.is_empty() {
        return None;
    }
    match kernel.root(ptr) {
        Some(Root::Array(array)) => arrays.get(&array),
        Some(Root::Param(_) | Root::Shared(_)) | None => None,
    }
}

/// Returns the offset of each parameter from the first one in bytes, and the end of the last.
/// Parameters lie one after another, each at a multiple of its size. A slice is an address and a
/// length, or a length only if its elements are in constant memory.
pub fn param_offsets(kernel: &Kernel) -> (Facts<ParamId, u64>, u64) {
    let (mut offsets, mut end) = (kernel.params.facts(0), 0_u64);
    for (id, param) in kernel.params.iter() {
        let (align, size) = match param.kind {
            ParamKind::Scalar(scalar) => {
                let size = scalar.size().map_or(1, u64::from);
                (size, size)
            }
            ParamKind::Slice { access: Access::Constant { .. }, .. } => (8, 8),
            ParamKind::Slice {
                access:
                    Access::Read
                    | Access::Write
                    | Access::Atomic
                    | Access::Texture
                    | Access::SurfaceRead(_)
                    | Access::SurfaceWrite(_),
                ..
            } => (8, 16),
            // The map, and the number of elements.
            ParamKind::Slice { access: Access::TensorRead | Access::TensorWrite, .. } => {
                (TENSOR_MAP_ALIGN, TENSOR_MAP_BYTES + 8)
            }
        };
        offsets[id] = end.next_multiple_of(align);
        end = offsets[id] + size;
    }
    (offsets, end)
}

/// Returns for each array whether an index into it differs between the lanes of a warp.
fn arrays_with_varying_indices(kernel: &Kernel, warp: &Varying) -> Facts<ArrayId, bool> {
    let mut varying = kernel.arrays.facts(false);
    for (ptr, inst) in kernel.insts.iter() {
        if let Op::Index { index, .. } = inst.op
            && warp.value[index].varies()
            && let Some(Root::Array(array)) = kernel.root(ptr)
        {
            varying[array] = true;
        }
    }
    varying
}

/// The parameter that each store of an array writes, by its offset in the array in bytes.
type PassedElements = BTreeMap<u64, ParamId>;

/// Returns the arrays in which only parameters are stored, in the order and with the distances that
/// these have where the launch puts them, with the first of the parameters.
fn find_passed_arrays(kernel: &Kernel) -> Vec<(ArrayId, ParamId)> {
    let mut found = kernel.arrays.cloned_facts(Some(PassedElements::new()));
    for (_, inst) in kernel.insts.iter() {
        for operand in inst.op.operands() {
            if kernel.insts[operand].ty == Ty::Ptr(Space::Local)
                && let Some(Root::Array(array)) = kernel.root(operand)
                && let Some(elements) = &mut found[array]
                && !stays_passed(kernel, elements, inst, operand)
            {
                found[array] = None;
            }
        }
    }
    let (place, _) = param_offsets(kernel);
    let arrays = kernel.arrays.ids().filter_map(|array| {
        let elements = found[array].as_ref()?;
        let first = *elements.get(&0)?;
        let are_in_place = elements.iter().zip(first.index()..).all(|((offset, param), number)| {
            param.index() == number && place[*param] - place[first] == *offset
        });
        are_in_place.then_some((array, first))
    });
    arrays.collect()
}

/// Records the effect of `inst` through `operand`, an address in the array. Returns false if
/// anything but one parameter may be stored somewhere.
fn stays_passed(
    kernel: &Kernel,
    elements: &mut PassedElements,
    inst: &Inst,
    operand: InstId,
) -> bool {
    let Op::Store { ptr, value, .. } = inst.op else {
        return matches!(inst.op, Op::Index { .. } | Op::Offset { .. } | Op::Load { .. });
    };
    if let Op::Param(param) = kernel.insts[value].op
        && ptr == operand
        && let ParamKind::Scalar(_) = kernel.params[param].kind
        && let Some(offset) = constant_offset(kernel, ptr)
    {
        return *elements.entry(offset).or_insert(param) == param;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn storages(text: &str) -> Vec<Storage> {
        let kernel: Kernel = text.parse().expect("the text is a kernel");
        find_read_only_arrays(&kernel).into_values().collect()
    }

    /// A kernel with an array of two elements of 4 bytes at `index`.
    fn table(index: &str) -> String {
        format!(
            "kernel k {{ array #0 = t: [u32; 2] !0
                %0 = array #0 : ptr local !0
                %1 = const 7 : u32 !0
                %2 = store %0, %1 !0
                %3 = offset %0, 4 : ptr local !0
                %4 = store %3, %1 !0
                %5 = {index} : u32 !0
                %6 = const 1 : u32 !0
                %7 = and %5, %6 : u32 !0
                %8 = index %0, %7, 4 : ptr local !0
                %9 = load %8 : u32 !0 }}"
        )
    }

    #[test]
    fn tables_are_in_constant_memory_unless_lanes_read_different_elements() {
        let bytes = vec![7, 0, 0, 0, 7, 0, 0, 0];
        let constant = storages(&table("builtin block_idx.x"));
        assert_eq!(constant, [Storage::Constant(bytes.clone())]);
        assert_eq!(storages(&table("builtin thread_idx.x")), [Storage::Global(bytes)]);
    }

    /// A kernel that stores `stored` in this order.
    fn passed(params: [&str; 3], stored: [usize; 2]) -> String {
        let [a, b, c] = params;
        let [first, second] = stored;
        format!(
            "kernel k {{ param arg0 = a: {a} !0
                param arg1 = b: {b} !0
                param arg2 = c: {c} !0
                array #0 = t: [u32; 2] !0
                %0 = array #0 : ptr local !0
                %1 = param arg{first} : u32 !0
                %2 = store %0, %1 !0
                %3 = offset %0, 4 : ptr local !0
                %4 = param arg{second} : u32 !0
                %5 = store %3, %4 !0
                %6 = builtin block_idx.x : u32 !0
                %7 = index %0, %6, 4 : ptr local !0
                %8 = load %7 : u32 !0 }}"
        )
    }

    #[test]
    fn arrays_of_neighbouring_parameters_need_no_copy() {
        let first = |number| [Storage::Params(ParamId::new(number))];
        assert_eq!(storages(&passed(["u32"; 3], [0, 1])), first(0));
        assert_eq!(storages(&passed(["u64", "u32", "u32"], [1, 2])), first(1));
        assert_eq!(storages(&passed(["u32"; 3], [0, 2])), []);
        assert_eq!(storages(&passed(["u32"; 3], [1, 0])), []);
    }

    #[test]
    fn parameters_lie_at_multiples_of_their_sizes() {
        let text = "kernel k { param arg0 = a: bool !0
            param arg1 = x: read [f32] !0
            param arg2 = b: u16 !0
            param arg3 = c: f64 !0 }";
        let kernel: Kernel = text.parse().expect("the text is a kernel");
        let (offsets, end) = param_offsets(&kernel);
        let offsets: Vec<u64> = kernel.params.ids().map(|id| offsets[id]).collect();
        assert_eq!((&*offsets, end), (&[0, 8, 24, 32][..], 40));
    }
}
