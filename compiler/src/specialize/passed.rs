//! Arrays that a kernel takes by value, once their lengths are known.
//!
//! ```text
//! param arg0 = w: f32                          param arg0 = w.0: f32
//! array #0 = w: [f32; T0] passed arg0    ->    param arg1 = w.1: f32
//!                                              array #0 = w: [f32; 2]
//! ```
//! and the kernel begins with a store of each.
use super::SpecializeError;
use crate::{
    id::Id,
    ir::{
        Array, ArrayId, Inst, InstId, Kernel, Length, MOST_PARAM_BYTES, Op, Param, ParamId, Scalar,
        Size, Space, Ty,
    },
};

/// Declares a parameter for each element, and stores these first of all. Other parameters have
/// other numbers then.
///
/// # Errors
/// If an array is larger than what can be passed.
pub(super) fn unpack(kernel: &mut Kernel) -> Result<(), SpecializeError> {
    let arrays: Vec<(ArrayId, ParamId)> =
        kernel.arrays.iter().filter_map(|(id, array)| Some((id, array.passed?))).collect();
    if arrays.is_empty() {
        return Ok(());
    }
    let old = std::mem::take(&mut kernel.params);
    let mut numbers = Vec::with_capacity(old.len());
    let mut stores = Vec::new();
    for (id, param) in old.iter() {
        numbers.push(ParamId::new(kernel.params.len()));
        match arrays.iter().find(|(_, passed)| *passed == id) {
            Some((array, _)) => elements(kernel, *array, param, &mut stores)?,
            None => {
                kernel.params.push(param.clone());
            }
        }
    }
    renumber(kernel, &numbers, stores.len());
    stores.append(&mut kernel.body.0);
    kernel.body.0 = stores;
    Ok(())
}

/// Declares the elements of `array`, which `param` stood for, and makes instructions that store
/// them.
fn elements(
    kernel: &mut Kernel,
    array: ArrayId,
    param: &Param,
    stores: &mut Vec<InstId>,
) -> Result<(), SpecializeError> {
    let Array { elem, len, passed, span, .. } = &mut kernel.arrays[array];
    *passed = None;
    let (Some(scalar), Some(len), span) = (elem.scalar(), len.known(), *span) else {
        return Ok(()); // the verifier lets no such kernel through
    };
    let size = u64::from(scalar.size().unwrap_or(1));
    let bytes = len.saturating_mul(size);
    if bytes > MOST_PARAM_BYTES {
        return Err(SpecializeError::Passed { name: param.name.clone(), bytes });
    }
    for index in 0..len {
        let name = format!("{}.{index}", param.name);
        let passed = kernel.params.push(Param { name, ..param.clone() });
        let mut add = |op, ty| {
            let id = kernel.insts.push(Inst { op, ty, span });
            stores.push(id);
            id
        };
        let value = add(Op::Param(passed), Ty::Scalar(scalar));
        let base = add(Op::Array(array), Ty::Ptr(Space::Local));
        let index = add(Op::Const(index), Ty::Scalar(Scalar::U64));
        let ptr = add(Op::Index { base, index, stride: size.into() }, Ty::Ptr(Space::Local));
        add(Op::store(ptr, value), Ty::Unit);
    }
    Ok(())
}

/// Gives parameters their new numbers wherever they are named, but in the last `new` instructions.
fn renumber(kernel: &mut Kernel, numbers: &[ParamId], new: usize) {
    let old = kernel.insts.len() - new;
    for inst in kernel.insts.iter_mut().take(old) {
        if let Op::Param(id) | Op::Len(id) | Op::Texture { texture: id, .. } = &mut inst.op {
            *id = numbers[id.index()];
        }
    }
    for requirement in &mut kernel.requires {
        renumber_size(&mut requirement.cond, numbers);
    }
    for shared in kernel.shared.iter_mut() {
        if let Length::Launch(size) = &mut shared.len {
            renumber_size(size, numbers);
        }
    }
}

fn renumber_size(size: &mut Size, numbers: &[ParamId]) {
    if let Size::Param(id) | Size::Len(id) = size {
        *id = numbers[id.index()];
    }
    for part in size.parts_mut() {
        renumber_size(part, numbers);
    }
}
