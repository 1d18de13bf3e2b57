//! Values held once, as what they are in the first of some rounds and how much more in each that follows; and for how
//! many rounds what is said of them is true.
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

/// A number in the first round, and how much more it is in each that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) at: i128,
    pub(super) step: i128,
}

impl Line {
    /// The same in all rounds.
    fn flat(at: impl Into<i128>) -> Self {
        Self { at: at.into(), step: 0 }
    }

    fn plus(self, more: i64) -> Self {
        Self { at: self.at + i128::from(more), ..self }
    }

    fn minus(self, other: Self) -> Self {
        Self { at: self.at - other.at, step: self.step - other.step }
    }
}

/// The bits of a value held once: modulo 2^64, so many in the first round, and so many more in each that follows.
#[derive(Clone, Copy)]
struct Bits {
    at: u64,
    step: u64,
}

/// All values held once, and for how many rounds what was asked about them is so.
pub(crate) struct Numbers {
    bits: Vec<Bits>,
    rounds: u64,
    /// The values that each round loads: where they are held.
    loaded: Vec<(usize, Loaded)>,
    /// Whether one of these was asked for as if it were in proportion to the round.
    is_broken: Cell<bool>,
}

/// A value that each round loads once for all lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loaded {
    /// It has been loaded in the round.
    Now,
    /// It has not been: it is that of the round before.
    Before,
}

/// Most values that a round loads once for all lanes.
pub(crate) const MAX_LOADED: usize = 16;

impl Numbers {
    /// Values that are the same in all of at most so many rounds.
    pub(crate) fn new(uniforms: &[u64], rounds: u64) -> Self {
        let (loaded, is_broken) = (Vec::new(), Cell::new(false));
        let mut numbers = Self { bits: Vec::new(), rounds, loaded, is_broken };
        numbers.set(uniforms, rounds);
        numbers
    }

    /// The same again, in the same room, for another round of the same steps.
    pub(crate) fn set_again(&mut self, uniforms: &[u64], rounds: u64) {
        let mut loaded = std::mem::take(&mut self.loaded);
        loaded.iter_mut().for_each(|(_, state)| *state = Loaded::Before);
        self.set(uniforms, rounds);
        self.loaded = loaded;
    }

    /// The same again, in the same room.
    pub(crate) fn set(&mut self, uniforms: &[u64], rounds: u64) {
        self.loaded.clear();
        self.is_broken.set(false);
        self.rounds = rounds;
        self.bits.clear();
        self.bits.extend(uniforms.iter().map(|at| Bits { at: *at, step: 0 }));
    }

    /// Makes a value one that is loaded here; returns its number among those.
    pub(super) fn load(&mut self, uniform: Uniform) -> Option<usize> {
        let known = self.loaded.iter().position(|(slot, _)| *slot == uniform.slot());
        let number = known.unwrap_or(self.loaded.len());
        if known.is_none() {
            self.loaded.push((uniform.slot(), Loaded::Now));
        }
        self.loaded[number].1 = Loaded::Now;
        (number < MAX_LOADED).then_some(number)
    }

    /// Returns the number of a value that was loaded in the round.
    pub(super) fn loaded(&self, uniform: Uniform) -> Option<usize> {
        self.loaded.iter().position(|loaded| *loaded == (uniform.slot(), Loaded::Now))
    }

    /// Returns true if what was found out is not so, as it took a value that is loaded for one that is
    /// in proportion to the round.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.get()
    }

    /// Returns where the values are held that are loaded, by their numbers.
    pub(crate) fn loaded_slots(&self) -> impl Iterator<Item = usize> {
        self.loaded.iter().map(|(slot, _)| *slot)
    }

    /// The bits of a value that is not loaded.
    fn bits_of(&self, uniform: Uniform) -> Bits {
        if self.loaded.iter().any(|(slot, _)| *slot == uniform.slot()) {
            self.is_broken.set(true);
        }
        self.bits[uniform.slot()]
    }

    /// Sets a value to one that is in proportion to the round.
    fn put(&mut self, uniform: Uniform, bits: Bits) {
        if self.loaded.iter().any(|(slot, _)| *slot == uniform.slot()) {
            self.is_broken.set(true);
        }
        self.bits[uniform.slot()] = bits;
    }

    /// For how many rounds all that was found out is so.
    pub(crate) fn rounds(&self) -> u64 {
        self.rounds
    }

    /// A value that is so much more in each round, modulo 2^64.
    pub(crate) fn advance(&mut self, uniform: Uniform, at: u64, step: u64) {
        self.bits[uniform.slot()] = Bits { at, step };
    }

    /// Values that are so much more in each round.
    pub(crate) fn advance_all(&mut self, more: &[u64]) {
        for (bits, more) in self.bits.iter_mut().zip(more) {
            bits.step = *more;
        }
    }

    /// Whether what values are behind each round is what they are before the next, where those before the first are given.
    pub(crate) fn go_on(&self, before: &[u64], more: &[u64]) -> bool {
        let mut values = self.bits.iter().zip(before).zip(more);
        values.all(|((bits, before), more)| {
            bits.at == before.wrapping_add(*more) && bits.step == *more
        })
    }

    /// The next round of a `for`, for as long as there is one.
    pub(super) fn next(
        &mut self,
        Counter { counter, end, step, inclusive }: Counter,
    ) -> Option<()> {
        let left = self.get(end).minus(self.get(counter)).minus(self.get(step));
        self.holds(if inclusive { left } else { left.plus(-1) })?;
        self.integer(IntegerOp::Add, [counter, counter, step, step])
    }

    /// Whether a number is not negative; if it is not in the first round, for as long as it stays so.
    fn holds(&mut self, Line { at, step }: Line) -> Option<()> {
        if at < 0 {
            return None;
        }
        if step < 0 {
            let more = u64::try_from(at / -step).unwrap_or(u64::MAX);
            self.rounds = self.rounds.min(more.saturating_add(1));
        }
        Some(())
    }

    /// Whether a number is between 0 and a limit.
    fn fits(&mut self, line: Line, limit: impl Into<i128>) -> Option<()> {
        self.holds(line)?;
        self.holds(Line::flat(limit).minus(line))
    }

    /// A value, unsigned, for as long as it does not wrap.
    pub(super) fn get(&mut self, uniform: Uniform) -> Line {
        let unused = 64 - 8 * uniform.size();
        let Bits { at, step } = self.bits_of(uniform);
        let step = (step << unused).cast_signed() >> unused;
        let limit = u64::MAX >> unused;
        let line = Line { at: (at & limit).into(), step: step.into() };
        if step != 0 {
            // It fits in the first round.
            let _ = self.fits(line, limit);
        }
        line
    }

    /// A value that is the same in all rounds.
    pub(super) fn same(&self, uniform: Uniform) -> Option<u64> {
        let Bits { at, step } = self.bits_of(uniform);
        let limit = uniform.max_value();
        (step & limit == 0).then_some(at & limit)
    }

    /// What a value is in each round: modulo 2^64, so many at first, and so many more each time.
    pub(super) fn steps(&mut self, uniform: Uniform) -> (u64, u64) {
        let Line { at, step } = self.get(uniform);
        (at as u64, step as u64)
    }

    /// Computes a value from others that are the same in all rounds.
    pub(super) fn compute(&mut self, f: LaneFn, [to, a, b, c]: [Uniform; 4]) -> Option<()> {
        let mut values = [0, self.same(a)?, self.same(b)?, self.same(c)?];
        let slot = |number, of: Uniform| Uniform::new(number, of.size());
        map_uniform(f, &mut values, [slot(0, to), slot(1, a), slot(2, b), slot(3, c)]);
        self.put(to, Bits { at: values[0], step: 0 });
        Some(())
    }

    /// Computes a value from others; `None` if it is not in proportion to the round.
    pub(super) fn integer(&mut self, op: IntegerOp, [to, a, b, c]: [Uniform; 4]) -> Option<()> {
        let (a, b) = (self.steps(a), self.steps(b));
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
                let (at, step) = product(b, self.steps(c))?;
                (a.0.wrapping_add(at), a.1.wrapping_add(step))
            }
            // Addresses in steps are followed as elements of buffers only.
            IntegerOp::Offset => return None,
        };
        self.put(to, Bits { at, step });
        Some(())
    }

    /// Between what the lanes of a group are, if none wraps.
    pub(super) fn span(&mut self, value: Affine, reach: OffsetBounds) -> Option<(Line, Line)> {
        let base = self.get(value.base);
        let (least, greatest) = (base.plus(reach.min), base.plus(reach.max));
        self.holds(least)?;
        self.fits(greatest, value.base.max_value())?;
        Some((least, greatest))
    }

    /// Whether an index is below a length, which is for all lanes.
    pub(super) fn is_below(&mut self, greatest: Line, len: Uniform) -> Option<()> {
        let len = self.get(len);
        self.holds(len.minus(greatest).plus(-1))
    }

    /// Whether words at multiples of their size, from `first` to `last`, are inside so many bytes.
    pub(super) fn is_inside(
        &mut self,
        at: Line,
        reach: OffsetBounds,
        word: usize,
        len: u64,
    ) -> Option<()> {
        let word = word as i128;
        let aligned = at.at % word == 0 && at.step % word == 0;
        aligned.then_some(())?;
        self.holds(at.plus(reach.min))?;
        self.fits(at.plus(reach.max), i128::from(len) - word)
    }

    /// What a condition is in every lane, if that is known without looking at any.
    pub(super) fn decide(
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
                    self.verdict(compare, bound.reach(compare.value.slope, group))
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

    /// What comes out of a comparison in every lane, if it is the same.
    pub(super) fn verdict(&mut self, compare: &Compare, reach: OffsetBounds) -> Option<bool> {
        let Compare { op, signed, value, with, .. } = compare;
        let (least, greatest, with) = if *signed {
            let base = self.signed(value.base);
            let half = i128::from(u64::MAX >> (65 - 8 * value.base.size()));
            let (least, greatest) = (base.plus(reach.min), base.plus(reach.max));
            self.holds(Line { at: least.at + half + 1, ..least })?;
            self.holds(Line::flat(half).minus(greatest))?;
            (least, greatest, self.signed(*with))
        } else {
            let (least, greatest) = self.span(*value, reach)?;
            (least, greatest, self.get(*with))
        };
        let (below, above) = (with.minus(greatest), least.minus(with));
        let apart = if below.at > 0 { below.plus(-1) } else { above.plus(-1) };
        let never = Line::flat(-1);
        match op {
            CompareOp::Lt => self.either(below.plus(-1), above),
            CompareOp::Ge => self.either(above, below.plus(-1)),
            CompareOp::Le => self.either(below, above.plus(-1)),
            CompareOp::Gt => self.either(above.plus(-1), below),
            CompareOp::Eq => self.either(never, apart),
            CompareOp::Ne => self.either(apart, never),
        }
    }

    /// True if the first number is not negative, false if the second one is not.
    fn either(&mut self, so: Line, otherwise: Line) -> Option<bool> {
        if self.holds(so).is_some() {
            return Some(true);
        }
        self.holds(otherwise).map(|()| false)
    }

    /// A value, signed, for as long as it does not wrap.
    fn signed(&mut self, uniform: Uniform) -> Line {
        let line = self.get(uniform);
        let half = 1_i128 << (8 * uniform.size() - 1);
        // It is on one of the sides in the first round.
        if line.at < half {
            let _ = self.holds(Line::flat(half - 1).minus(line));
            return line;
        }
        let _ = self.holds(Line { at: line.at - half, ..line });
        Line { at: line.at - 2 * half, ..line }
    }

    /// The bits that values have in a round.
    pub(crate) fn in_round(&self, round: u64) -> impl Iterator<Item = u64> {
        self.bits.iter().map(move |bits| bits.at.wrapping_add(bits.step.wrapping_mul(round)))
    }
}

#[cfg(test)]
mod tests;
