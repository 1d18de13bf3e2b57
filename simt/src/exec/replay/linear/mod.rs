//! Uniform values as linear functions of the round, and the number of rounds for which the recorded
//! conditions hold.
use crate::{
    bytecode::{Compare, Counter, IntegerOp, MAX_CONDITION_TERMS, Term},
    exec::bound::Bound,
    vector::{
        lanes::{LaneFn, lane_offsets::OffsetBounds},
        registers::{Affine, Uniform, map_uniform},
    },
};
use std::cell::Cell;
use warpwise_compiler::ir::CompareOp;

/// A number in the first round, and its increment per round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) at: i128,
    pub(super) step: i128,
}

impl Linear {
    /// Makes a number that is the same in all rounds.
    fn constant(at: impl Into<i128>) -> Self {
        Self { at: at.into(), step: 0 }
    }

    fn plus(self, more: i64) -> Self {
        Self { at: self.at + i128::from(more), ..self }
    }

    fn minus(self, other: Self) -> Self {
        Self { at: self.at - other.at, step: self.step - other.step }
    }
}

/// The bits of a uniform value, modulo 2^64: its value in the first round, and its increment per
/// round.
#[derive(Clone, Copy)]
struct Bits {
    at: u64,
    step: u64,
}

/// The uniform values, and the number of rounds for which every recorded condition holds.
pub(crate) struct LinearValues {
    bits: Vec<Bits>,
    rounds: u64,
    /// The slots of the values that each round loads.
    loaded: Vec<(usize, LoadState)>,
    /// True if a loaded value was used as if it were linear.
    is_broken: Cell<bool>,
}

/// The state of a value that each round loads once for all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoadState {
    /// Loaded in this round.
    Now,
    /// Not yet loaded: the value is the previous round's.
    Before,
}

/// The most values that a round loads once for all lanes.
pub(crate) const MAX_LOADED: usize = 16;

impl LinearValues {
    /// Starts with values that are the same in all of at most `rounds` rounds.
    pub(crate) fn new(uniforms: &[u64], rounds: u64) -> Self {
        let (loaded, is_broken) = (Vec::new(), Cell::new(false));
        let mut values = Self { bits: Vec::new(), rounds, loaded, is_broken };
        values.restart(uniforms, rounds);
        values
    }

    /// Restarts for another recording of the same round.
    pub(crate) fn restart_recording(&mut self, uniforms: &[u64], rounds: u64) {
        let mut loaded = std::mem::take(&mut self.loaded);
        loaded.iter_mut().for_each(|(_, state)| *state = LoadState::Before);
        self.restart(uniforms, rounds);
        self.loaded = loaded;
    }

    /// Restarts, in the same allocation.
    pub(crate) fn restart(&mut self, uniforms: &[u64], rounds: u64) {
        self.loaded.clear();
        self.is_broken.set(false);
        self.rounds = rounds;
        self.bits.clear();
        self.bits.extend(uniforms.iter().map(|at| Bits { at: *at, step: 0 }));
    }

    /// Marks a value as loaded in this round; returns its number among the loaded values.
    pub(super) fn mark_loaded(&mut self, uniform: Uniform) -> Option<usize> {
        let known = self.loaded.iter().position(|(slot, _)| *slot == uniform.slot());
        let number = known.unwrap_or(self.loaded.len());
        if known.is_none() {
            self.loaded.push((uniform.slot(), LoadState::Now));
        }
        self.loaded[number].1 = LoadState::Now;
        (number < MAX_LOADED).then_some(number)
    }

    /// Returns the number of a value that was loaded in this round.
    pub(super) fn loaded_number(&self, uniform: Uniform) -> Option<usize> {
        self.loaded.iter().position(|loaded| *loaded == (uniform.slot(), LoadState::Now))
    }

    /// Returns true if the recording is invalid, because it used a loaded value as if it were
    /// linear.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.get()
    }

    /// Returns the slots of the loaded values, by their numbers.
    pub(crate) fn loaded_slots(&self) -> impl Iterator<Item = usize> {
        self.loaded.iter().map(|(slot, _)| *slot)
    }

    /// Returns the bits of a value that is not loaded.
    fn linear_bits(&self, uniform: Uniform) -> Bits {
        if self.loaded.iter().any(|(slot, _)| *slot == uniform.slot()) {
            self.is_broken.set(true);
        }
        self.bits[uniform.slot()]
    }

    /// Sets a value to a linear one.
    fn set_linear(&mut self, uniform: Uniform, bits: Bits) {
        if self.loaded.iter().any(|(slot, _)| *slot == uniform.slot()) {
            self.is_broken.set(true);
        }
        self.bits[uniform.slot()] = bits;
    }

    /// Restores the number of rounds, after conditions that are not required.
    pub(super) fn restore_rounds(&mut self, rounds: u64) {
        self.rounds = rounds;
    }

    /// Returns the number of rounds for which every recorded condition holds.
    pub(crate) fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Makes a value advance by `step` in each round, modulo 2^64.
    pub(crate) fn advance(&mut self, uniform: Uniform, at: u64, step: u64) {
        self.bits[uniform.slot()] = Bits { at, step };
    }

    /// Makes all values advance.
    pub(crate) fn advance_all(&mut self, more: &[u64]) {
        for (bits, more) in self.bits.iter_mut().zip(more) {
            bits.step = *more;
        }
    }

    /// Returns true if the values after each round are those before the next one, given those
    /// before the first.
    pub(crate) fn continues(&self, before: &[u64], more: &[u64]) -> bool {
        let mut values = self.bits.iter().zip(before).zip(more);
        values.all(|((bits, before), more)| {
            bits.at == before.wrapping_add(*more) && bits.step == *more
        })
    }

    /// Advances to the next iteration of a `for`, for as many rounds as there are iterations.
    pub(super) fn next_iteration(
        &mut self,
        Counter { counter, end, step, inclusive }: Counter,
    ) -> Option<()> {
        let left = self.unsigned(end).minus(self.unsigned(counter)).minus(self.unsigned(step));
        self.require_non_negative(if inclusive { left } else { left.plus(-1) })?;
        self.compute_integer(IntegerOp::Add, [counter, counter, step, step])
    }

    /// Requires a number not to be negative; `None` if it is in the first round, otherwise it
    /// limits the rounds.
    fn require_non_negative(&mut self, Linear { at, step }: Linear) -> Option<()> {
        if at < 0 {
            return None;
        }
        if step < 0 {
            let more = u64::try_from(at / -step).unwrap_or(u64::MAX);
            self.rounds = self.rounds.min(more.saturating_add(1));
        }
        Some(())
    }

    /// Requires a number to be between 0 and a limit.
    fn require_within(&mut self, line: Linear, limit: impl Into<i128>) -> Option<()> {
        self.require_non_negative(line)?;
        self.require_non_negative(Linear::constant(limit).minus(line))
    }

    /// Returns a value, unsigned, for as many rounds as it does not wrap.
    pub(super) fn unsigned(&mut self, uniform: Uniform) -> Linear {
        let unused = 64 - 8 * uniform.size();
        let Bits { at, step } = self.linear_bits(uniform);
        let step = (step << unused).cast_signed() >> unused;
        let limit = u64::MAX >> unused;
        let line = Linear { at: (at & limit).into(), step: step.into() };
        if step != 0 {
            // It fits in the first round.
            let _ = self.require_within(line, limit);
        }
        line
    }

    /// Returns a value that is the same in all rounds.
    pub(super) fn constant_bits(&self, uniform: Uniform) -> Option<u64> {
        let Bits { at, step } = self.linear_bits(uniform);
        let limit = uniform.max_value();
        (step & limit == 0).then_some(at & limit)
    }

    /// Returns a value that may wrap: its bits in the first round, and its increment.
    pub(super) fn modular_parts(&self, uniform: Uniform) -> (u64, u64) {
        let Bits { at, step } = self.linear_bits(uniform);
        (at & uniform.max_value(), step & uniform.max_value())
    }

    /// Returns a value modulo 2^64: its bits in the first round, and its increment.
    pub(super) fn linear_parts(&mut self, uniform: Uniform) -> (u64, u64) {
        let Linear { at, step } = self.unsigned(uniform);
        (at as u64, step as u64)
    }

    /// Computes a value from others that are the same in all rounds.
    pub(super) fn compute_constant(
        &mut self,
        f: LaneFn,
        [to, a, b, c]: [Uniform; 4],
    ) -> Option<()> {
        let mut values =
            [0, self.constant_bits(a)?, self.constant_bits(b)?, self.constant_bits(c)?];
        let slot = |number, of: Uniform| Uniform::new(number, of.size());
        map_uniform(f, &mut values, [slot(0, to), slot(1, a), slot(2, b), slot(3, c)]);
        self.set_linear(to, Bits { at: values[0], step: 0 });
        Some(())
    }

    /// Computes a value from others; `None` if it is not linear.
    pub(super) fn compute_integer(
        &mut self,
        op: IntegerOp,
        [to, a, b, c]: [Uniform; 4],
    ) -> Option<()> {
        let (a, b) = (self.linear_parts(a), self.linear_parts(b));
        let product = |(a, more_a): (u64, u64), (b, more_b): (u64, u64)| {
            let step = match (more_a, more_b) {
                (more, 0) => more.wrapping_mul(b),
                (0, more) => more.wrapping_mul(a),
                (_, _) => return None,
            };
            Some((a.wrapping_mul(b), step))
        };
        let (at, step) = match op {
            IntegerOp::Add => (a.0.wrapping_add(b.0), a.1.wrapping_add(b.1)),
            IntegerOp::Sub => (a.0.wrapping_sub(b.0), a.1.wrapping_sub(b.1)),
            IntegerOp::Mul => product(a, b)?,
            IntegerOp::Common => {
                let (at, step) = product(b, self.linear_parts(c))?;
                (a.0.wrapping_add(at), a.1.wrapping_add(step))
            }
            // Addresses that advance are only supported as elements of buffers.
            IntegerOp::Offset => return None,
        };
        self.set_linear(to, Bits { at, step });
        Some(())
    }

    /// Returns the least and the greatest value of the lanes of a group, if none wraps.
    pub(super) fn lane_range(
        &mut self,
        value: Affine,
        reach: OffsetBounds,
    ) -> Option<(Linear, Linear)> {
        let base = self.unsigned(value.base);
        let (least, greatest) = (base.plus(reach.min), base.plus(reach.max));
        self.require_non_negative(least)?;
        self.require_within(greatest, value.base.max_value())?;
        Some((least, greatest))
    }

    /// Requires an index to be below a length, in all lanes.
    pub(super) fn is_below(&mut self, greatest: Linear, len: Uniform) -> Option<()> {
        let len = self.unsigned(len);
        self.require_non_negative(len.minus(greatest).plus(-1))
    }

    /// Requires words at multiples of their size, over the lanes' range, to be within `len` bytes.
    pub(super) fn is_inside(
        &mut self,
        at: Linear,
        reach: OffsetBounds,
        word: usize,
        len: u64,
    ) -> Option<()> {
        let word = word as i128;
        let aligned = at.at % word == 0 && at.step % word == 0;
        aligned.then_some(())?;
        self.require_non_negative(at.plus(reach.min))?;
        self.require_within(at.plus(reach.max), i128::from(len) - word)
    }

    /// Returns the value of a condition if it is the same in every lane; evaluates no single lane.
    pub(super) fn decide_condition(
        &mut self,
        terms: &[Term],
        compares: &[Compare],
        bound: &Bound<'_>,
        group: usize,
    ) -> Option<bool> {
        let mut known = [None; MAX_CONDITION_TERMS];
        for (at, term) in terms.iter().enumerate() {
            known[at] = match *term {
                Term::Compare(compare) => {
                    let compare = &compares[compare as usize];
                    self.decide_compare(compare, bound.reach(compare.value.slope, group))
                }
                Term::Both(a, b) => match (known[usize::from(a)], known[usize::from(b)]) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), other) | (other, Some(true)) => other,
                    (None, None) => None,
                },
                Term::Either(a, b) => match (known[usize::from(a)], known[usize::from(b)]) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), other) | (other, Some(false)) => other,
                    (None, None) => None,
                },
                Term::Not(a) => known[usize::from(a)].map(|known: bool| !known),
            };
        }
        known[terms.len() - 1]
    }

    /// Returns the result of a comparison if it is the same in every lane.
    pub(super) fn decide_compare(
        &mut self,
        compare: &Compare,
        reach: OffsetBounds,
    ) -> Option<bool> {
        let Compare { op, signed, value, with, .. } = compare;
        let (least, greatest, with) = if *signed {
            let base = self.signed(value.base);
            let half = i128::from(u64::MAX >> (65 - 8 * value.base.size()));
            let (least, greatest) = (base.plus(reach.min), base.plus(reach.max));
            self.require_non_negative(Linear { at: least.at + half + 1, ..least })?;
            self.require_non_negative(Linear::constant(half).minus(greatest))?;
            (least, greatest, self.signed(*with))
        } else {
            let (least, greatest) = self.lane_range(*value, reach)?;
            (least, greatest, self.unsigned(*with))
        };
        let (below, above) = (with.minus(greatest), least.minus(with));
        let apart = if below.at > 0 { below.plus(-1) } else { above.plus(-1) };
        let never = Linear::constant(-1);
        match op {
            CompareOp::Lt => self.decide_either(below.plus(-1), above),
            CompareOp::Ge => self.decide_either(above, below.plus(-1)),
            CompareOp::Le => self.decide_either(below, above.plus(-1)),
            CompareOp::Gt => self.decide_either(above.plus(-1), below),
            CompareOp::Eq => self.decide_either(never, apart),
            CompareOp::Ne => self.decide_either(apart, never),
        }
    }

    /// Returns true if the first number is not negative, false if the second one is not; limits the
    /// rounds accordingly.
    fn decide_either(&mut self, so: Linear, otherwise: Linear) -> Option<bool> {
        if self.require_non_negative(so).is_some() {
            return Some(true);
        }
        self.require_non_negative(otherwise).map(|()| false)
    }

    /// Returns a value, signed, for as many rounds as it does not wrap.
    fn signed(&mut self, uniform: Uniform) -> Linear {
        let line = self.unsigned(uniform);
        let half = 1_i128 << (8 * uniform.size() - 1);
        // In the first round it is on one of the sides; it must stay there.
        if line.at < half {
            let _ = self.require_non_negative(Linear::constant(half - 1).minus(line));
            return line;
        }
        let _ = self.require_non_negative(Linear { at: line.at - half, ..line });
        Linear { at: line.at - 2 * half, ..line }
    }

    /// Returns the bits of all values in a round.
    pub(crate) fn bits_in_round(&self, round: u64) -> impl Iterator<Item = u64> {
        self.bits.iter().map(move |bits| bits.at.wrapping_add(bits.step.wrapping_mul(round)))
    }
}

#[cfg(test)]
mod tests;
