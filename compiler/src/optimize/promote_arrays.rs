//! Makes locals of the arrays of a thread's own whose every access is at a constant place.
//!
//! An array is promoted if its address goes nowhere but into loads and stores, by constant
//! indices and offsets, and each byte is accessed as one type and from one place. Each such place
//! becomes a local. Arrays that are never named are dropped.
//!
//! Why: `ptxas` keeps an array in registers only if it finds every access constant by itself, and
//! else each access goes to memory. The interpreter and the passes here look through locals, and
//! never through memory: small structs, vectors and tiles in registers are arrays at first.
use crate::{
    id::{Facts, Id, Table},
    ir::{Array, ArrayId, Inst, InstId, Kernel, Local, LocalId, Op, Scalar, Ty},
};
use std::collections::BTreeMap;

/// Promotes arrays of `kernel`, whose instructions are numbered in order. What computed their
/// addresses stays in place.
pub(super) fn promote_arrays(kernel: &mut Kernel) {
    if kernel.arrays.is_empty() {
        return;
    }
    let mut survey = Survey {
        place: kernel.insts.facts(None),
        words: kernel.arrays.cloned_facts(Some(BTreeMap::new())),
    };
    for (id, inst) in kernel.insts.iter() {
        survey.inst(kernel, id, inst);
    }
    let Survey { place, words } = survey;
    let mut locals = kernel.arrays.cloned_facts(None);
    for array in kernel.arrays.ids() {
        if let Some(words) = words[array].as_ref().filter(|words| !overlap(words)) {
            locals[array] = Some(declare(kernel, array, words));
        }
    }
    for inst in kernel.insts.iter_mut() {
        let promoted = |ptr: InstId| {
            let (array, offset) = place[ptr]?;
            locals[array].as_ref()?.get(&offset).copied()
        };
        if let Op::Load { ptr, .. } = inst.op
            && let Some(local) = promoted(ptr)
        {
            inst.op = Op::Get(local);
        } else if let Op::Store { ptr, value, .. } = inst.op
            && let Some(local) = promoted(ptr)
        {
            inst.op = Op::Set { local, value };
        }
    }
}

/// The scalar at each accessed offset.
type Words = BTreeMap<u64, Scalar>;

struct Survey {
    /// The place of an array that a pointer points to, if that is constant.
    place: Facts<InstId, Option<(ArrayId, u64)>>,
    /// The accesses of an array, while it can be promoted.
    words: Facts<ArrayId, Option<Words>>,
}

impl Survey {
    fn inst(&mut self, kernel: &Kernel, id: InstId, inst: &Inst) {
        if let Op::Array(array) = &inst.op {
            self.place[id] = Some((*array, 0));
        } else if let Op::Offset { base, offset } = &inst.op {
            self.derive(id, *base, offset.known());
        } else if let Op::Index { base, index, stride } = &inst.op {
            let index =
                if let Op::Const(bits) = kernel.insts[*index].op { Some(bits) } else { None };
            let bytes = index.zip(stride.known());
            self.derive(id, *base, bytes.and_then(|(index, stride)| index.checked_mul(stride)));
        } else if let Op::Load { ptr, .. } = inst.op {
            self.access(ptr, inst.ty);
        } else if let Op::Store { ptr, value, .. } = inst.op {
            self.access(ptr, kernel.insts[value].ty);
        } else {
            inst.op.operands().for_each(|operand| self.escape(operand));
        }
    }

    /// `id` is the address `bytes` behind `base`, if that is known.
    fn derive(&mut self, id: InstId, base: InstId, bytes: Option<u64>) {
        let Some((array, offset)) = self.place[base] else { return };
        match bytes.and_then(|bytes| offset.checked_add(bytes)) {
            Some(offset) => self.place[id] = Some((array, offset)),
            None => self.words[array] = None,
        }
    }

    fn access(&mut self, ptr: InstId, ty: Ty) {
        let Some((array, offset)) = self.place[ptr] else { return };
        let same = match (ty, &mut self.words[array]) {
            (Ty::Scalar(scalar), Some(words)) => *words.entry(offset).or_insert(scalar) == scalar,
            (Ty::Scalar(_) | Ty::Ptr(_) | Ty::Unit, _) => false,
        };
        if !same {
            self.words[array] = None;
        }
    }

    /// The value is used for something else than an access.
    fn escape(&mut self, value: InstId) {
        if let Some((array, _)) = self.place[value] {
            self.words[array] = None;
        }
    }
}

/// Returns true if two of the words overlap.
fn overlap(words: &Words) -> bool {
    let end = |(offset, scalar): (&u64, &Scalar)| {
        offset.saturating_add(scalar.size().map_or(u64::MAX, u64::from))
    };
    let ends = words.iter().map(end);
    ends.zip(words.keys().skip(1)).any(|(end, next)| end > *next)
}

/// Declares a local for each word of an array.
fn declare(kernel: &mut Kernel, array: ArrayId, words: &Words) -> BTreeMap<u64, LocalId> {
    let Array { name, span, .. } = kernel.arrays[array].clone();
    let local = |(offset, scalar): (&u64, &Scalar)| {
        let ty = Ty::Scalar(*scalar);
        (*offset, kernel.locals.push(Local { name: name.clone(), ty, span }))
    };
    words.iter().map(local).collect()
}

/// Drops the arrays that no instruction names.
pub(super) fn drop_arrays(kernel: &mut Kernel) {
    let mut named = kernel.arrays.facts(false);
    let mut ids = Vec::new();
    kernel.walk(&mut |id| {
        if let Op::Array(array) = kernel.insts[id].op {
            named[array] = true;
            ids.push(id);
        }
    });
    let mut number = kernel.arrays.facts(ArrayId::new(0));
    let mut kept = Table::new();
    for (id, array) in kernel.arrays.iter().filter(|(id, _)| named[*id]) {
        number[id] = kept.push(array.clone());
    }
    kernel.arrays = kept;
    for id in ids {
        if let Op::Array(array) = &mut kernel.insts[id].op {
            *array = number[*array];
        }
    }
}
