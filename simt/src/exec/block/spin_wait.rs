//! Threads of a block that go round loops: in which state they are, and what they wait for.
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
    /// All that decides what the block does next, but for the memory that blocks share.
    pub(crate) fn digest(&self, hasher: &mut impl Hasher) {
        self.number.hash(hasher);
        self.shared.iter().for_each(|memory| memory.hash_words(hasher));
        self.groups.iter().for_each(|group| group.registers.hash_lines(hasher));
        for (number, strand) in &self.strands {
            (number, self.groups[*number].live).hash(hasher);
            strand.hash(hasher);
        }
    }

    /// All that decides what a strand does next, if it reads nothing that others write.
    pub(super) fn digest_strand(&self, index: usize, hasher: &mut impl Hasher) {
        let (number, strand) = &self.strands[index];
        self.groups[*number].registers.hash_lines(hasher);
        strand.hash(hasher);
    }

    /// The loops that threads go round, lowest threads first.
    pub(crate) fn spinning(&self) -> Vec<Spinning> {
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

    /// The loop that a strand goes round, with the number of its first thread.
    pub(super) fn spinning_strand(&self, index: usize) -> Option<(usize, Spinning)> {
        let (number, strand) = &self.strands[index];
        let first = self.groups[*number].first_thread + strand.active().lanes().next()?;
        let steps = &self.code.instrs[..];
        let at = strand.at as usize;
        let back = |step: &Instr| match step {
            Instr::BackEdge { to, .. } | Instr::NextIteration { to, .. } if *to as usize <= at => {
                Some(*to as usize)
            }
            _ => None,
        };
        let (end, head) =
            steps.iter().enumerate().skip(at).find_map(|(end, step)| Some((end, back(step)?)))?;
        let mut reads: Vec<Root> = Vec::new();
        for root in steps[head..end].iter().filter_map(|step| self.read_by(step, strand)) {
            if !reads.contains(&root) {
                reads.push(root);
            }
        }
        let (span, threads) = (self.code.spans[end], strand.active().count());
        Some((first, Spinning { span, reads, threads, thread: self.bound.thread_idx(first) }))
    }

    /// What a step reads that others may write, where that is known.
    fn read_by(&self, step: &Instr, strand: &Strand) -> Option<Root> {
        let at = match step {
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
