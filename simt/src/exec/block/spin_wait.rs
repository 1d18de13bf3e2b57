//! Spinning threads: the state that decides their future, and the loops that they spin in.
use super::Block;
use crate::{
    bytecode::{Address, Instr, Operand},
    exec::strand::Strand,
    outcome::Spinning,
    vector::lanes,
};
use std::hash::{Hash, Hasher};
use warpwise_compiler::{
    id::Id,
    ir::{ParamId, Root, SharedId},
};

impl Block<'_> {
    /// Hashes everything that decides the block's future, but for memory that blocks share.
    pub(crate) fn digest(&self, hasher: &mut impl Hasher) {
        self.number.hash(hasher);
        self.shared().iter().for_each(|memory| memory.hash_words(hasher));
        for group in &self.groups {
            group.registers.hash_lines(hasher);
            group.async_copies.hash(hasher);
        }
        self.named_barriers.hash(hasher);
        self.mbarriers.hash(hasher);
        for (number, strand) in &self.strands {
            (number, self.groups[*number].live).hash(hasher);
            strand.hash(hasher);
        }
    }

    /// Hashes everything that decides a strand's future, if it reads nothing that others write.
    pub(super) fn digest_strand(&self, index: usize, hasher: &mut impl Hasher) {
        let (number, strand) = &self.strands[index];
        self.groups[*number].registers.hash_lines(hasher);
        self.groups[*number].async_copies.hash(hasher);
        strand.hash(hasher);
    }

    /// Returns the loops in which threads spin, lowest threads first.
    pub(crate) fn spinning_loops(&self) -> Vec<Spinning> {
        let spins = |index: &usize| !self.strands[*index].1.waits;
        let mut all: Vec<(usize, Spinning)> = Vec::new();
        for index in (0..self.strands.len()).filter(spins) {
            let Some((first, spinning)) = self.spinning_strand(index) else { continue };
            match all.iter_mut().find(|(_, known)| known.span == spinning.span) {
                Some((lowest, known)) => {
                    known.threads += spinning.threads;
                    if first < *lowest {
                        (*lowest, known.thread) = (first, spinning.thread);
                    }
                }
                None => all.push((first, spinning)),
            }
        }
        all.sort_by_key(|(first, _)| *first);
        all.into_iter().map(|(_, spinning)| spinning).collect()
    }

    /// Returns the loop in which a strand spins, with its lowest thread.
    pub(super) fn spinning_strand(&self, index: usize) -> Option<(usize, Spinning)> {
        let (number, strand) = &self.strands[index];
        let first = self.groups[*number].first_thread + strand.active().lanes().next()?;
        let instrs = &self.code.instrs[..];
        let at = strand.pc as usize;
        let back = |instr: &Instr| match instr {
            Instr::BackEdge { to, .. } | Instr::NextIteration { to, .. } if *to as usize <= at => {
                Some(*to as usize)
            }
            _ => None,
        };
        let (end, head) = instrs
            .iter()
            .enumerate()
            .skip(at)
            .find_map(|(end, instr)| Some((end, back(instr)?)))?;
        let mut reads: Vec<Root> = Vec::new();
        for root in instrs[head..end].iter().filter_map(|instr| self.buffer_read_by(instr, strand))
        {
            if !reads.contains(&root) {
                reads.push(root);
            }
        }
        let (span, threads) = (self.code.spans[end], strand.active().count());
        Some((first, Spinning { span, reads, threads, thread: self.bound.thread_idx(first) }))
    }

    /// Returns the buffer that an instruction reads, where that is known and others may write it.
    fn buffer_read_by(&self, instr: &Instr, strand: &Strand) -> Option<Root> {
        let at = match instr {
            Instr::Load { from, .. } => from.operand(),
            Instr::LoadUniform { from, .. } => from.operand(),
            Instr::LoadAffine { from, .. } => from.operand(),
            Instr::Atomic { access } => self.code.atomics[*access as usize].at,
            _ => return None,
        };
        let buffer = match at {
            Address::Element { buffer, .. } => buffer,
            Address::Pointer { ptr: Operand::Uniform(ptr), .. } => {
                lanes::resolve(ptr.get(&strand.uniforms)).0
            }
            Address::Pointer { ptr: Operand::Lanes(_) | Operand::Affine(_), .. } => return None,
        };
        let (buffer, params) = (usize::from(buffer), self.code.params.len());
        if buffer < params {
            return Some(Root::Param(ParamId::new(buffer)));
        }
        let shared = buffer - params;
        (shared < self.code.shared.len()).then(|| Root::Shared(SharedId::new(shared)))
    }
}
