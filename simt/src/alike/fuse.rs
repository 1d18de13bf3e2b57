//! Lets operations take what is loaded where it lies, and leave what is stored where it goes.
use super::run::{Access, LaneStep};
use crate::{
    lanes::words::{At, MapWords, Words},
    registers::Reg,
};

/// The same operations, in at most so many rounds of so many lanes, with fewer loads and stores between registers and
/// memory. What was loaded or stored without them is not in its register behind a round.
pub(crate) fn fuse<'a>(steps: &[LaneStep<'a>], lanes: usize, rounds: u64) -> Vec<LaneStep<'a>> {
    let steps = &without_copies(steps)[..];
    let mut fusion = Fusion { steps, lanes, rounds, gone: vec![false; steps.len()] };
    let fused: Vec<_> = (0..steps.len()).map(|at| fusion.step(at)).collect();
    let kept = fused.into_iter().zip(fusion.gone).filter(|(_, gone)| !gone);
    kept.map(|(step, _)| step).collect()
}

/// The same, where what is computed only to be copied is computed there.
fn without_copies<'a>(steps: &[LaneStep<'a>]) -> Vec<LaneStep<'a>> {
    let mut left = steps.to_vec();
    let mut at = 0;
    while at + 1 < left.len() {
        if let [LaneStep::Map { regs: [d, operands @ ..], .. }, LaneStep::Copy { to, from }] =
            left[at..at + 2]
            && d == from
            && to.size() == d.size()
            && operands.iter().all(|operand| *operand == to || !operand.overlaps(to))
            && is_dead(&left, d, at + 1)
            && let LaneStep::Map { regs, .. } = &mut left[at]
        {
            regs[0] = to;
            left.remove(at + 1);
        }
        at += 1;
    }
    left
}

struct Fusion<'s, 'a> {
    steps: &'s [LaneStep<'a>],
    lanes: usize,
    rounds: u64,
    /// Which loads and stores are done by other steps.
    gone: Vec<bool>,
}

impl<'a> Fusion<'_, 'a> {
    /// What becomes of a step.
    fn step(&mut self, at: usize) -> LaneStep<'a> {
        let step = self.steps[at];
        let LaneStep::Map { f, regs } = step else { return step };
        let Some(in_memory) = f.in_memory() else { return step };
        let mut loads = [None; 4];
        for (load, reg) in loads[1..].iter_mut().zip(&regs[1..]) {
            *load = self.load_for(at, *reg);
        }
        let store = self.store_of(at, regs[0]);
        // If all of it does not go together, some may.
        for (loads, store) in [(loads, store), (loads, None), ([None; 4], store)] {
            let mut places = regs.map(At::Register);
            for (place, load) in places[1..].iter_mut().zip(&loads[1..]) {
                *place = load.map_or(*place, |(_, words)| At::Memory(words));
            }
            places[0] = store.map_or(places[0], |(_, words)| At::Memory(words));
            if let Some(words) = MapWords::new(in_memory, places, self.lanes) {
                for (gone, _) in loads.into_iter().chain([store]).flatten() {
                    self.gone[gone] = true;
                }
                return LaneStep::MapWords(words);
            }
        }
        step
    }

    fn words(&self, Access { cells, at, step, walk, .. }: Access<'a>) -> Option<Words<'a>> {
        Words::new((cells, at), step, walk, self.rounds)
    }

    /// The load that yields an operand of the operation `at`, if nobody else takes it and nothing is stored between them.
    fn load_for(&self, at: usize, reg: Reg) -> Option<(usize, Words<'a>)> {
        for before in (0..at).rev() {
            match self.steps[before] {
                LaneStep::Load { to, access } if to == reg => {
                    let takes_over = writes(&self.steps[at]) == Some(reg);
                    let dead = takes_over || is_dead(self.steps, reg, at);
                    return dead.then(|| self.words(access))?.map(|words| (before, words));
                }
                LaneStep::Store { .. } => return None,
                step if reads(&step, reg) || writes(&step).is_some_and(|to| to.overlaps(reg)) => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// The store of what the operation `at` yields, if it comes right behind and nobody else takes that.
    fn store_of(&self, at: usize, reg: Reg) -> Option<(usize, Words<'a>)> {
        let Some(LaneStep::Store { value, access }) = self.steps.get(at + 1) else { return None };
        let dead = *value == reg && is_dead(self.steps, reg, at + 1);
        dead.then(|| self.words(*access))?.map(|words| (at + 1, words))
    }
}

/// Whether nobody takes what is in a register behind a step before it is set again, in the next round at the latest.
fn is_dead(steps: &[LaneStep<'_>], reg: Reg, at: usize) -> bool {
    let all = steps.len();
    for behind in at + 1..at + all + 1 {
        let step = &steps[behind % all];
        if reads(step, reg) {
            return false;
        }
        if writes(step) == Some(reg) {
            return true;
        }
    }
    true
}

/// Whether a step takes what is in a register.
fn reads(step: &LaneStep<'_>, reg: Reg) -> bool {
    match step {
        LaneStep::Map { regs: [_, operands @ ..], .. }
        | LaneStep::MapWithOne { regs: [_, operands @ ..], .. } => {
            operands.iter().any(|operand| operand.overlaps(reg))
        }
        LaneStep::Copy { from, .. } => from.overlaps(reg),
        LaneStep::Spread { slope, .. } => slope.overlaps(reg),
        LaneStep::Store { value, .. } | LaneStep::Common { value } => value.overlaps(reg),
        LaneStep::Splat { .. } | LaneStep::Load { .. } => false,
        // There are none before all is fused.
        LaneStep::MapWords(_) => true,
    }
}

/// The register that a step sets.
fn writes(step: &LaneStep<'_>) -> Option<Reg> {
    match step {
        LaneStep::Map { regs: [to, ..], .. }
        | LaneStep::MapWithOne { regs: [to, ..], .. }
        | LaneStep::Copy { to, .. }
        | LaneStep::Splat { to, .. }
        | LaneStep::Spread { to, .. }
        | LaneStep::Load { to, .. } => Some(*to),
        LaneStep::Store { .. } | LaneStep::Common { .. } | LaneStep::MapWords(_) => None,
    }
}
