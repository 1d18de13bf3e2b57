//! Fusion of lane instructions with loads and stores: operations and sums take loaded operands from
//! memory, and leave stored results there.
use super::lane_instrs::{Access, AtomicSum, LaneInstr, LaneRequest, Summand};
use crate::vector::{
    lanes::words::{MapWords, OperandPlace, Words},
    registers::Reg,
};

/// Fuses the lane instructions of at most `rounds` rounds of `lanes` lanes, so that they move less
/// between registers and memory. Fused operands and results are not in their registers after a
/// round.
pub(crate) fn fuse<'a>(instrs: &[LaneInstr<'a>], lanes: usize, rounds: u64) -> Vec<LaneInstr<'a>> {
    let instrs = &without_extensions(without_copies(instrs))[..];
    let (removed, replacements) = (vec![false; instrs.len()], vec![None; instrs.len()]);
    let mut fusion =
        Fusion { instrs, lanes, rounds, removed, replacements, counted_requests: Vec::new() };
    let mut fused: Vec<_> = (0..instrs.len()).map(|at| fusion.fuse_instr(at)).collect();
    for (at, request, words) in &fusion.counted_requests {
        fused[*at] = LaneInstr::CountRequestByWords { request: *request, words: *words };
    }
    let kept = fused.into_iter().zip(fusion.removed).filter(|(_, removed)| !removed);
    kept.map(|(instr, _)| instr).collect()
}

/// Removes copies: an operation whose result is only copied writes to the copy's target.
fn without_copies<'a>(instrs: &[LaneInstr<'a>]) -> Vec<LaneInstr<'a>> {
    let mut left = instrs.to_vec();
    let mut at = 0;
    while at + 1 < left.len() {
        if let [LaneInstr::Map { regs: [d, operands @ ..], .. }, LaneInstr::Copy { to, from }] =
            left[at..at + 2]
            && d == from
            && to.size() == d.size()
            && operands.iter().all(|operand| *operand == to || !operand.overlaps(to))
            && is_dead(&left, d, at + 1)
            && let LaneInstr::Map { regs, .. } = &mut left[at]
        {
            regs[0] = to;
            left.remove(at + 1);
        }
        at += 1;
    }
    left
}

/// Removes extensions of indices: sums whose old values no instruction reads use the narrow
/// indices.
fn without_extensions(mut left: Vec<LaneInstr<'_>>) -> Vec<LaneInstr<'_>> {
    let mut at = 0;
    while at < left.len() {
        if let LaneInstr::Add { to, sum } = left[at]
            && let Summand::One { .. } = sum.by
            && is_dead(&left, to, at)
            && is_dead(&left, sum.index, at)
            && let Some((is_zero_extension, narrow)) = find_extension(&left[..at], sum.index)
            && sum.holds_all(narrow)
        {
            for instr in &mut left[is_zero_extension..at] {
                if let LaneInstr::CountRequest { request } = instr {
                    request.index = narrow;
                }
            }
            left[at] = LaneInstr::AddInBounds { sum: AtomicSum { index: narrow, ..sum } };
            left.remove(is_zero_extension);
            at -= 1;
        }
        at += 1;
    }
    left
}

/// Finds the instruction that zero-extends 1 or 2 bytes to an index, and their register, if both
/// hold the same values after all instructions and only requests read the index.
fn find_extension(instrs: &[LaneInstr<'_>], index: Reg) -> Option<(usize, Reg)> {
    let at = instrs
        .iter()
        .rposition(|instr| written_register(instr).is_some_and(|to| to.overlaps(index)))?;
    let LaneInstr::Map { f, regs: [to, narrow, ..] } = instrs[at] else { return None };
    let keeps = |instr: &LaneInstr<'_>| match instr {
        LaneInstr::CountRequest { request } => {
            request.index == index || !request.index.overlaps(index)
        }
        instr => {
            !reads_register(instr, index)
                && written_register(instr).is_none_or(|to| !to.overlaps(narrow))
        }
    };
    let fits =
        f.is_zero_extension() && to == index && narrow.size() <= 2 && !narrow.overlaps(index);
    (fits && instrs[at + 1..].iter().all(keeps)).then_some((at, narrow))
}

struct Fusion<'s, 'a> {
    instrs: &'s [LaneInstr<'a>],
    lanes: usize,
    rounds: u64,
    /// True for loads and stores that are fused into other instructions.
    removed: Vec<bool>,
    /// The replacements of instructions, where an earlier instruction was fused.
    replacements: Vec<Option<LaneInstr<'a>>>,
    /// Requests that are counted by indices in memory.
    counted_requests: Vec<(usize, LaneRequest, Words<'a>)>,
}

impl<'a> Fusion<'_, 'a> {
    /// Returns the fused form of an instruction.
    fn fuse_instr(&mut self, at: usize) -> LaneInstr<'a> {
        let instr = self.replacements[at].unwrap_or(self.instrs[at]);
        if let LaneInstr::AddInBounds { sum } = instr
            && let Some((load, words)) = self.load_for(at, sum.index, true)
            && words.is_disjoint_from(sum.cells)
        {
            self.removed[load] = true;
            for (between, instr) in self.instrs[..at].iter().enumerate().skip(load) {
                if let LaneInstr::CountRequest { request } = instr
                    && request.index == sum.index
                {
                    self.counted_requests.push((between, *request, words));
                }
            }
            return LaneInstr::AddByWords { sum, words };
        }
        let LaneInstr::Map { f, regs } = instr else { return instr };
        let Some(in_memory) = f.in_memory() else { return instr };
        let mut loads = [None; 4];
        for (load, reg) in loads[1..].iter_mut().zip(&regs[1..]) {
            *load = self.load_for(at, *reg, false);
        }
        let store = self.store_of(at, regs[0]);
        // If the loads and the store cannot all be fused, the loads alone may be, or the store
        // alone.
        for (loads, store) in [(loads, store), (loads, None), ([None; 4], store)] {
            let mut places = regs.map(OperandPlace::Register);
            for (place, load) in places[1..].iter_mut().zip(&loads[1..]) {
                *place = load.map_or(*place, |(_, words)| OperandPlace::Memory(words));
            }
            let alone = MapWords::new(in_memory, places, self.lanes);
            places[0] = store.map_or(places[0], |(_, words)| OperandPlace::Memory(words));
            if let Some(words) = MapWords::new(in_memory, places, self.lanes) {
                let is_noted = store.is_some_and(|(to, _)| to == at + 2);
                if is_noted && alone.is_none() {
                    continue;
                }
                for (removed, _) in loads.into_iter().chain([store]).flatten() {
                    self.removed[removed] = true;
                }
                if let (true, Some(alone)) = (is_noted, alone) {
                    // The value is noted before it is stored.
                    self.replacements[at + 1] = Some(LaneInstr::MapWords(words));
                    return LaneInstr::NoteCommonOf { value: regs[0], words: alone };
                }
                return LaneInstr::MapWords(words);
            }
        }
        instr
    }

    fn contiguous_words(
        &self,
        Access { cells, at, step, walk, .. }: Access<'a>,
    ) -> Option<Words<'a>> {
        Words::new((cells, at), step, walk, self.rounds)
    }

    /// Returns the load that yields an operand of the operation `at`, if no other instruction reads
    /// it and nothing is stored in between. Requests that can use the value in memory do not count
    /// as readers if `is_asked`.
    fn load_for(&self, at: usize, reg: Reg, is_asked: bool) -> Option<(usize, Words<'a>)> {
        for before in (0..at).rev() {
            match self.instrs[before] {
                LaneInstr::Load { to, access } if to == reg => {
                    let takes_over = written_register(&self.instrs[at]) == Some(reg);
                    let dead = takes_over || is_dead(self.instrs, reg, at);
                    return dead
                        .then(|| self.contiguous_words(access))?
                        .map(|words| (before, words));
                }
                LaneInstr::CountRequest { request }
                    if is_asked && request.index == reg && request.is_batched(self.lanes) => {}
                LaneInstr::Store { .. } | LaneInstr::Add { .. } | LaneInstr::AddInBounds { .. } => {
                    return None;
                }
                instr
                    if reads_register(&instr, reg)
                        || written_register(&instr).is_some_and(|to| to.overlaps(reg)) =>
                {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// Returns the store of the result of the operation `at`, if it follows directly, or after a
    /// note of the value, and no other instruction reads the result.
    fn store_of(&self, at: usize, reg: Reg) -> Option<(usize, Words<'a>)> {
        let at = match self.instrs.get(at + 1)? {
            LaneInstr::NoteCommon { value } if *value == reg => at + 2,
            _ => at + 1,
        };
        let Some(LaneInstr::Store { value, access }) = self.instrs.get(at) else { return None };
        let dead = *value == reg && is_dead(self.instrs, reg, at);
        dead.then(|| self.contiguous_words(*access))?.map(|words| (at, words))
    }
}

/// Returns true if no instruction reads a register after `at` before it is set again, in the next
/// round at the latest.
fn is_dead(instrs: &[LaneInstr<'_>], reg: Reg, at: usize) -> bool {
    let all = instrs.len();
    for after in at + 1..at + all + 1 {
        let instr = &instrs[after % all];
        if reads_register(instr, reg) {
            return false;
        }
        // The bytes of a register are only reused after the last read of the old value.
        if written_register(instr).is_some_and(|to| to.overlaps(reg)) {
            return true;
        }
    }
    true
}

/// Returns true if an instruction reads a register.
fn reads_register(instr: &LaneInstr<'_>, reg: Reg) -> bool {
    match instr {
        LaneInstr::Map { regs: [_, operands @ ..], .. }
        | LaneInstr::MapWithOne { regs: [_, operands @ ..], .. }
        | LaneInstr::MapWithLoaded { regs: [_, operands @ ..], .. } => {
            operands.iter().any(|operand| operand.overlaps(reg))
        }
        LaneInstr::Copy { from, .. } => from.overlaps(reg),
        LaneInstr::Spread { slope, .. } => slope.overlaps(reg),
        LaneInstr::Store { value, .. } | LaneInstr::NoteCommon { value } => value.overlaps(reg),
        LaneInstr::Add { sum, .. } | LaneInstr::AddInBounds { sum } => {
            let by = match sum.by {
                Summand::Lanes(by) => by.overlaps(reg),
                Summand::One { .. } => false,
            };
            by || sum.index.overlaps(reg)
        }
        LaneInstr::CountRequest { request } => request.index.overlaps(reg),
        LaneInstr::Splat { .. }
        | LaneInstr::SplatLoaded { .. }
        | LaneInstr::LoadOnce { .. }
        | LaneInstr::Load { .. } => false,
        // These only result from fusion.
        LaneInstr::MapWords(_)
        | LaneInstr::NoteCommonOf { .. }
        | LaneInstr::AddByWords { .. }
        | LaneInstr::CountRequestByWords { .. } => true,
    }
}

/// Returns the register that an instruction sets.
fn written_register(instr: &LaneInstr<'_>) -> Option<Reg> {
    match instr {
        LaneInstr::Map { regs: [to, ..], .. }
        | LaneInstr::MapWithOne { regs: [to, ..], .. }
        | LaneInstr::MapWithLoaded { regs: [to, ..], .. }
        | LaneInstr::SplatLoaded { to, .. }
        | LaneInstr::Copy { to, .. }
        | LaneInstr::Splat { to, .. }
        | LaneInstr::Spread { to, .. }
        | LaneInstr::Load { to, .. }
        | LaneInstr::Add { to, .. } => Some(*to),
        LaneInstr::Store { .. }
        | LaneInstr::LoadOnce { .. }
        | LaneInstr::NoteCommon { .. }
        | LaneInstr::MapWords(_)
        | LaneInstr::NoteCommonOf { .. }
        | LaneInstr::AddInBounds { .. }
        | LaneInstr::AddByWords { .. }
        | LaneInstr::CountRequest { .. }
        | LaneInstr::CountRequestByWords { .. } => None,
    }
}
