//! Packs loads: neighbouring narrow elements that a word is put together from are loaded as that
//! word.
//!
//! ```text
//! %4 = load %3 : f16                              %4 = load %3 : u32
//! %6 = load %5 : f16        ; 2 bytes after %3
//! %7 = bitcast %4 : u16
//! %8 = cast %7 : u32
//! %9 = bitcast %6 : u16                      =>
//! %10 = cast %9 : u32
//! %12 = shl %10, %11 : u32  ; by 16
//! %13 = or %8, %12 : u32                          ; %4 instead
//! ```
//!
//! The loads are [neighbours](crate::analysis::vectors) that may be one request, the first one in
//! the text has the lowest address, a multiple of 4, and nothing else uses them. So the words are
//! two halves or four bytes.
//!
//! Why: fragments of matrices are words of two or four elements. Back ends load neighbours as a
//! vector and then put the word together from its parts, in two to six instructions.
use super::replace::Replacements;
use crate::{
    analysis::vectors::{self, Vectors},
    id::Facts,
    ir::{BinaryOp, InstId, Kernel, Op, Scalar, Space, Ty},
};

const WORD: Ty = Ty::Scalar(Scalar::U32);

/// Packs the loads of `kernel`, whose instructions are numbered in order. What put words together
/// is left without uses, and not well-formed.
pub(super) fn pack_loads(kernel: &mut Kernel) {
    let is_narrow =
        |ty: Ty| matches!(ty, Ty::Scalar(scalar) if scalar.size().is_some_and(|size| size < 4));
    let has_words = kernel.insts.iter().any(|(_, inst)| is_or(&inst.op) && inst.ty == WORD);
    let has_loads = kernel
        .insts
        .iter()
        .any(|(_, inst)| matches!(inst.op, Op::Load { .. }) && is_narrow(inst.ty));
    if !has_words || !has_loads {
        return;
    }
    let mut uses = kernel.insts.facts(0_u32);
    for (_, inst) in kernel.insts.iter() {
        inst.op.operands().for_each(|operand| uses[operand] += 1);
    }
    let packer = Packer { kernel, vectors: vectors::analyze(kernel), uses };
    let words: Vec<(InstId, InstId)> =
        kernel.insts.ids().filter_map(|id| Some((id, packer.packed_load(id)?))).collect();
    let mut replacements = Replacements::new(kernel);
    for (word, load) in words {
        kernel.insts[load].ty = WORD;
        replacements.replace(word, load);
    }
    for inst in kernel.insts.iter_mut() {
        replacements.apply(&mut inst.op);
    }
}

fn is_or(op: &Op) -> bool {
    matches!(op, Op::Binary { op: BinaryOp::Or, .. })
}

struct Packer<'k> {
    kernel: &'k Kernel,
    vectors: Vectors,
    uses: Facts<InstId, u32>,
}

/// A narrow load whose value is in a word, from bit `shift` on.
struct Part {
    shift: u64,
    load: InstId,
}

impl Packer<'_> {
    /// Returns the load that can load the whole word `id`.
    fn packed_load(&self, id: InstId) -> Option<InstId> {
        if !is_or(&self.kernel.insts[id].op) || self.kernel.insts[id].ty != WORD {
            return None;
        }
        let mut parts = Vec::new();
        self.collect_parts(id, &mut parts)?;
        parts.sort_unstable_by_key(|part| part.shift);
        let first = parts.first()?.load;
        let size = self.size(first)?;
        let Op::Load { ptr, .. } = self.kernel.insts[first].op else { return None };
        // Arrays of a thread are registers or constants, accessed by elements.
        if self.kernel.space(ptr) == Some(Space::Local) {
            return None;
        }
        let vector = self.vectors.get(first)?;
        let lane = vector.members.iter().position(|member| *member == first)?;
        let members = vector.members.get(lane..lane + parts.len())?;
        let fits = parts.len() as u64 * size == 4 && (lane as u64 * size).is_multiple_of(4);
        let is_place = |(number, part): (usize, &Part)| {
            // An element of another size would have another distance.
            part.shift == number as u64 * 8 * size
                && part.load == members[number]
                && part.load >= first
                && self.size(part.load) == Some(size)
        };
        (fits && parts.iter().enumerate().all(is_place)).then_some(first)
    }

    /// Adds the parts that `or` joins; `None` if there is anything else.
    fn collect_parts(&self, id: InstId, parts: &mut Vec<Part>) -> Option<()> {
        let Op::Binary { op: BinaryOp::Or, lhs, rhs } = self.kernel.insts[id].op else {
            return self.add_part(id, parts);
        };
        for side in [lhs, rhs] {
            if parts.len() >= 4 || self.uses[side] != 1 {
                return None;
            }
            self.collect_parts(side, parts)?;
        }
        Some(())
    }

    /// Adds a part: an unsigned value, shifted up.
    fn add_part(&self, id: InstId, parts: &mut Vec<Part>) -> Option<()> {
        let (value, shift) = match self.kernel.insts[id].op {
            Op::Binary { op: BinaryOp::Shl, lhs, rhs } => (lhs, self.kernel.literal(rhs)?),
            _ => (id, 0),
        };
        let Op::Cast { value: narrow } = self.kernel.insts[value].op else { return None };
        let is_unsigned =
            [Scalar::U8, Scalar::U16].map(Ty::Scalar).contains(&self.kernel.insts[narrow].ty);
        let load = match self.kernel.insts[narrow].op {
            Op::Bitcast { value } => value,
            // The same bits of a signed integer.
            Op::Cast { value } if self.is_int(value) && self.size(value) == self.size(narrow) => {
                value
            }
            _ => narrow,
        };
        let is_load = matches!(self.kernel.insts[load].op, Op::Load { .. });
        let is_only_use = [value, narrow, load].iter().all(|id| self.uses[*id] == 1);
        (is_unsigned && is_load && is_only_use).then(|| parts.push(Part { shift, load }))
    }

    fn is_int(&self, id: InstId) -> bool {
        matches!(self.kernel.insts[id].ty, Ty::Scalar(scalar) if scalar.is_int())
    }

    /// The size of a value in bytes.
    fn size(&self, id: InstId) -> Option<u64> {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => scalar.size().map(u64::from),
            Ty::Ptr(_) | Ty::Unit => None,
        }
    }
}
