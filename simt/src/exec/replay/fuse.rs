//! Lets operations and sums take what is loaded where it lies, and operations leave what is stored where it goes.
use super::lane_instrs::{Access, Adding, Asking, LaneInstr, Summand};
use crate::vector::{
    lanes::words::{MapWords, OperandPlace, Words},
    registers::Reg,
};

/// The same operations, in at most so many rounds of so many lanes, with fewer loads and stores between registers and
/// memory. What was loaded or stored without them is not in its register behind a round.
pub(crate) fn fuse<'a>(steps: &[LaneInstr<'a>], lanes: usize, rounds: u64) -> Vec<LaneInstr<'a>> {
    let steps = &without_extensions(without_copies(steps))[..];
    let (gone, instead) = (vec![false; steps.len()], vec![None; steps.len()]);
    let mut fusion = Fusion { steps, lanes, rounds, gone, instead, asked: Vec::new() };
    let mut fused: Vec<_> = (0..steps.len()).map(|at| fusion.step(at)).collect();
    for (at, asking, words) in &fusion.asked {
        fused[*at] = LaneInstr::AskByWords { asking: *asking, words: *words };
    }
    let kept = fused.into_iter().zip(fusion.gone).filter(|(_, gone)| !gone);
    kept.map(|(step, _)| step).collect()
}

/// The same, where what is computed only to be copied is computed there.
fn without_copies<'a>(steps: &[LaneInstr<'a>]) -> Vec<LaneInstr<'a>> {
    let mut left = steps.to_vec();
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

/// The same, where sums whose old values nobody takes go by indices as they are before they are extended.
fn without_extensions(mut left: Vec<LaneInstr<'_>>) -> Vec<LaneInstr<'_>> {
    let mut at = 0;
    while at < left.len() {
        if let LaneInstr::Add { to, adding } = left[at]
            && let Summand::One { .. } = adding.by
            && is_dead(&left, to, at)
            && is_dead(&left, adding.index, at)
            && let Some((is_zero_extension, narrow)) = extension(&left[..at], adding.index)
            && adding.holds_all(narrow)
        {
            for step in &mut left[is_zero_extension..at] {
                if let LaneInstr::Ask { asking } = step {
                    asking.index = narrow;
                }
            }
            left[at] = LaneInstr::AddInside { adding: Adding { index: narrow, ..adding } };
            left.remove(is_zero_extension);
            at -= 1;
        }
        at += 1;
    }
    left
}

/// The step that zero-extends 1 or 2 bytes to an index, and their register, if both hold the same behind
/// all `steps` and only requests take the index.
fn extension(steps: &[LaneInstr<'_>], index: Reg) -> Option<(usize, Reg)> {
    let at = steps.iter().rposition(|step| writes(step).is_some_and(|to| to.overlaps(index)))?;
    let LaneInstr::Map { f, regs: [to, narrow, ..] } = steps[at] else { return None };
    let keeps = |step: &LaneInstr<'_>| match step {
        LaneInstr::Ask { asking } => asking.index == index || !asking.index.overlaps(index),
        step => !reads(step, index) && writes(step).is_none_or(|to| !to.overlaps(narrow)),
    };
    let fits =
        f.is_zero_extension() && to == index && narrow.size() <= 2 && !narrow.overlaps(index);
    (fits && steps[at + 1..].iter().all(keeps)).then_some((at, narrow))
}

struct Fusion<'s, 'a> {
    steps: &'s [LaneInstr<'a>],
    lanes: usize,
    rounds: u64,
    /// Which loads and stores are done by other steps.
    gone: Vec<bool>,
    /// What is done instead of steps, where a step before has become another.
    instead: Vec<Option<LaneInstr<'a>>>,
    /// Requests that are counted by indices in memory.
    asked: Vec<(usize, Asking, Words<'a>)>,
}

impl<'a> Fusion<'_, 'a> {
    /// What becomes of a step.
    fn step(&mut self, at: usize) -> LaneInstr<'a> {
        let step = self.instead[at].unwrap_or(self.steps[at]);
        if let LaneInstr::AddInside { adding } = step
            && let Some((load, words)) = self.load_for(at, adding.index, true)
            && words.is_disjoint_from(adding.cells)
        {
            self.gone[load] = true;
            for (between, step) in self.steps[..at].iter().enumerate().skip(load) {
                if let LaneInstr::Ask { asking } = step
                    && asking.index == adding.index
                {
                    self.asked.push((between, *asking, words));
                }
            }
            return LaneInstr::AddByWords { adding, words };
        }
        let LaneInstr::Map { f, regs } = step else { return step };
        let Some(in_memory) = f.in_memory() else { return step };
        let mut loads = [None; 4];
        for (load, reg) in loads[1..].iter_mut().zip(&regs[1..]) {
            *load = self.load_for(at, *reg, false);
        }
        let store = self.store_of(at, regs[0]);
        // If all of it does not go together, some may.
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
                for (gone, _) in loads.into_iter().chain([store]).flatten() {
                    self.gone[gone] = true;
                }
                if let (true, Some(alone)) = (is_noted, alone) {
                    // What is stored is noted before it is.
                    self.instead[at + 1] = Some(LaneInstr::MapWords(words));
                    return LaneInstr::CommonOf { value: regs[0], words: alone };
                }
                return LaneInstr::MapWords(words);
            }
        }
        step
    }

    fn words(&self, Access { cells, at, step, walk, .. }: Access<'a>) -> Option<Words<'a>> {
        Words::new((cells, at), step, walk, self.rounds)
    }

    /// Returns the load that yields an operand of the operation `at`, if nobody else takes it and nothing is stored between
    /// them. Requests that could take it from memory may do so if it `is_asked`.
    fn load_for(&self, at: usize, reg: Reg, is_asked: bool) -> Option<(usize, Words<'a>)> {
        for before in (0..at).rev() {
            match self.steps[before] {
                LaneInstr::Load { to, access } if to == reg => {
                    let takes_over = writes(&self.steps[at]) == Some(reg);
                    let dead = takes_over || is_dead(self.steps, reg, at);
                    return dead.then(|| self.words(access))?.map(|words| (before, words));
                }
                LaneInstr::Ask { asking }
                    if is_asked && asking.index == reg && asking.is_batched(self.lanes) => {}
                LaneInstr::Store { .. } | LaneInstr::Add { .. } | LaneInstr::AddInside { .. } => {
                    return None;
                }
                step if reads(&step, reg) || writes(&step).is_some_and(|to| to.overlaps(reg)) => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// The store of what the operation `at` yields, if it comes right behind, or behind a note of the value, and nobody
    /// else takes that.
    fn store_of(&self, at: usize, reg: Reg) -> Option<(usize, Words<'a>)> {
        let at = match self.steps.get(at + 1)? {
            LaneInstr::Common { value } if *value == reg => at + 2,
            _ => at + 1,
        };
        let Some(LaneInstr::Store { value, access }) = self.steps.get(at) else { return None };
        let dead = *value == reg && is_dead(self.steps, reg, at);
        dead.then(|| self.words(*access))?.map(|words| (at, words))
    }
}

/// Whether nobody takes what is in a register behind a step before it is set again, in the next round at the latest.
fn is_dead(steps: &[LaneInstr<'_>], reg: Reg, at: usize) -> bool {
    let all = steps.len();
    for behind in at + 1..at + all + 1 {
        let step = &steps[behind % all];
        if reads(step, reg) {
            return false;
        }
        // Room of a register goes to another value only once nobody takes the one in it.
        if writes(step).is_some_and(|to| to.overlaps(reg)) {
            return true;
        }
    }
    true
}

/// Whether a step takes what is in a register.
fn reads(step: &LaneInstr<'_>, reg: Reg) -> bool {
    match step {
        LaneInstr::Map { regs: [_, operands @ ..], .. }
        | LaneInstr::MapWithOne { regs: [_, operands @ ..], .. }
        | LaneInstr::MapWithLoaded { regs: [_, operands @ ..], .. } => {
            operands.iter().any(|operand| operand.overlaps(reg))
        }
        LaneInstr::Copy { from, .. } => from.overlaps(reg),
        LaneInstr::Spread { slope, .. } => slope.overlaps(reg),
        LaneInstr::Store { value, .. } | LaneInstr::Common { value } => value.overlaps(reg),
        LaneInstr::Add { adding, .. } | LaneInstr::AddInside { adding } => {
            let by = match adding.by {
                Summand::Lanes(by) => by.overlaps(reg),
                Summand::One { .. } => false,
            };
            by || adding.index.overlaps(reg)
        }
        LaneInstr::Ask { asking } => asking.index.overlaps(reg),
        LaneInstr::Splat { .. }
        | LaneInstr::SplatLoaded { .. }
        | LaneInstr::LoadOnce { .. }
        | LaneInstr::Load { .. } => false,
        // There are none before all is fused.
        LaneInstr::MapWords(_)
        | LaneInstr::CommonOf { .. }
        | LaneInstr::AddByWords { .. }
        | LaneInstr::AskByWords { .. } => true,
    }
}

/// The register that a step sets.
fn writes(step: &LaneInstr<'_>) -> Option<Reg> {
    match step {
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
        | LaneInstr::Common { .. }
        | LaneInstr::MapWords(_)
        | LaneInstr::CommonOf { .. }
        | LaneInstr::AddInside { .. }
        | LaneInstr::AddByWords { .. }
        | LaneInstr::Ask { .. }
        | LaneInstr::AskByWords { .. } => None,
    }
}
