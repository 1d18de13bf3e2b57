//! Clips: replayed blocks of which some lanes take no part, as at the border of an image.
//!
//! A condition that lanes decide differently ends a recording, unless each row of lanes, through
//! all rounds, has the lanes where it holds next to each other. With `x > 0 && x + 1 < n`, for
//! example, the first thread of the first block and the last one of the last block take no part.
//! The [recorder](super::record) then continues with the lanes that take part, and lists their
//! conditions. Once the length of a row is known, they are [resolved](Clips::resolve) to a [`Clip`]
//! of compiled rounds. Nothing else runs with one.
//!
//! Bounds of accesses are conditions, too, which must hold in all lanes that take part: the other
//! lanes may be out of bounds.
use super::linear::LinearValues;
use crate::{
    bytecode::{Compare, Term},
    exec::bound::Bound,
    vector::{lanes::compiled::Clip, mask::GROUP, registers::Affine},
};
use std::ops::Range;
use warpwise_compiler::ir::CompareOp;

/// The conditions of a group's recording, in its order.
#[derive(Debug, Default)]
pub(crate) struct Clips {
    conditions: Vec<Condition>,
    /// True to clip rounds rather than limit their number.
    pub(crate) is_early: bool,
    /// The rows of slopes, by the slope, the increment per round and the length of a row.
    known_rows: Vec<((u16, u64, usize), Rows)>,
}

/// The rows of lanes of a group that continue from round to round.
#[derive(Debug)]
struct Rows {
    /// The increment from a lane to the next one.
    increment: u64,
    /// The value of the slope in the first lane of each row.
    firsts: Vec<i64>,
}

/// An affine value in every round: the number of a slope, and the bits of the base in the first
/// round with their increment per round.
#[derive(Clone, Copy, Debug)]
struct AffineLine {
    slope: u16,
    base: u64,
    step: u64,
    /// Its size in bytes.
    size: usize,
}

#[derive(Clone, Copy, Debug)]
enum Condition {
    /// Only the lanes where the comparison with a number is `holds` take part in what follows.
    Compare { line: AffineLine, op: CompareOp, signed: bool, with: u64, holds: bool },
    /// The unsigned value is at most this in all lanes that take part.
    AtMost { line: AffineLine, limit: u64 },
}

/// The values of neighbouring lanes, in an order that is that of unsigned numbers.
#[derive(Clone, Copy, Debug)]
struct Ascending {
    first: u64,
    last: u64,
    increment: u64,
    lanes: usize,
}

impl Ascending {
    /// Returns the number of lanes with a value below a number.
    fn count_below(self, number: u64) -> usize {
        number.checked_sub(1).map_or(0, |greatest| self.count_at_most(greatest))
    }

    /// Returns the number of lanes with a value of at most a number.
    fn count_at_most(self, number: u64) -> usize {
        let Self { first, last, increment, lanes } = self;
        if number < first {
            0
        } else if number >= last {
            lanes
        } else {
            ((number - first) / increment) as usize + 1
        }
    }
}

/// Returns the signed number of `size` bytes with these bits.
fn sign_extend(bits: u64, size: usize) -> i64 {
    let unused = 64 - 8 * size;
    (bits << unused).cast_signed() >> unused
}

/// Maps signed numbers to unsigned ones in the same order, and keeps unsigned ones.
fn order_key(number: i64, signed: bool) -> u64 {
    number.cast_unsigned() ^ u64::from(signed) << 63
}

impl AffineLine {
    fn new(value: Affine, values: &LinearValues) -> Self {
        let (base, step) = values.modular_parts(value.base);
        Self { slope: value.slope, base, step, size: value.base.size() }
    }

    /// Returns the rows of a group, if lanes have the same increment in each row and from one round
    /// to the next, which is not negative.
    fn rows(&self, bound: &Bound<'_>, group: usize, row: usize) -> Option<Rows> {
        let step = u64::try_from(sign_extend(self.step, self.size)).ok()?;
        let increment = step / row as u64;
        let lanes = bound.lanes_in_group(group);
        let own = bound.slope_values(self.slope, group * GROUP, lanes);
        let ascends = |row: &[i64]| {
            let follows = |[one, next]: &[i64; 2]| next.wrapping_sub(*one) as u64 == increment;
            row.array_windows().all(follows)
        };
        let ascend = step.is_multiple_of(row as u64) && own.chunks(row).all(ascends);
        let firsts = own.iter().step_by(row).copied();
        ascend.then(|| Rows { increment, firsts: firsts.collect() })
    }

    /// Returns the values of some neighbouring lanes, if none wraps; `own` is that of the slope in
    /// the row's first lane.
    #[inline(always)]
    fn among(
        &self,
        (own, increment): (i64, u64),
        lanes: &Range<usize>,
        signed: bool,
    ) -> Option<Ascending> {
        let own = own.wrapping_add_unsigned(increment.wrapping_mul(lanes.start as u64));
        let far = increment.checked_mul(lanes.len() as u64 - 1)?;
        let first = if self.size == 8 {
            // The sum may wrap, as addresses do.
            order_key(self.base.cast_signed().wrapping_add(own), signed)
        } else {
            // A sum that wraps would have other addresses.
            let bits = 8 * self.size;
            let base =
                if signed { sign_extend(self.base, self.size) } else { self.base.cast_signed() };
            let (least, end) =
                if signed { (-1 << (bits - 1), 1 << (bits - 1)) } else { (0, 1_i64 << bits) };
            let first = base.checked_add(own)?;
            let last = first.checked_add_unsigned(far)?;
            (least <= first && last < end).then_some(order_key(first, signed))?
        };
        let last = first.checked_add(far)?;
        Some(Ascending { first, last, increment, lanes: lanes.len() })
    }
}

impl Condition {
    fn line(&self) -> &AffineLine {
        match self {
            Self::Compare { line, .. } | Self::AtMost { line, .. } => line,
        }
    }

    /// Returns the lanes that take part, of those that did before.
    fn narrow(&self, row: (i64, u64), lanes: Range<usize>) -> Option<Range<usize>> {
        match *self {
            Self::AtMost { line, limit } => {
                let values = line.among(row, &lanes, false)?;
                (values.last <= limit).then_some(lanes)
            }
            Self::Compare { line, op, signed, with, holds } => {
                let values = line.among(row, &lanes, signed)?;
                let with = order_key(with.cast_signed(), signed);
                let from = lanes.start + values.count_below(with);
                let to = lanes.start + values.count_at_most(with);
                match (op, holds) {
                    (CompareOp::Lt, true) | (CompareOp::Ge, false) => Some(lanes.start..from),
                    (CompareOp::Ge, true) | (CompareOp::Lt, false) => Some(from..lanes.end),
                    (CompareOp::Le, true) | (CompareOp::Gt, false) => Some(lanes.start..to),
                    (CompareOp::Gt, true) | (CompareOp::Le, false) => Some(to..lanes.end),
                    (CompareOp::Eq, true) | (CompareOp::Ne, false) => Some(from..to),
                    (CompareOp::Ne, true) | (CompareOp::Eq, false) => {
                        if from == to {
                            Some(lanes)
                        } else if from == lanes.start {
                            Some(to..lanes.end)
                        } else {
                            (to == lanes.end).then_some(lanes.start..from)
                        }
                    }
                }
            }
        }
    }
}

impl Clips {
    pub(super) fn clear(&mut self) {
        self.conditions.clear();
    }

    /// Returns true if all lanes take part.
    pub(crate) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Adds that only the lanes where the last of some terms is `holds` take part; `None` if these
    /// are not the lanes where several comparisons have known outcomes.
    pub(super) fn add_condition(
        &mut self,
        terms: (&[Term], &[Compare]),
        holds: bool,
        values: &LinearValues,
    ) -> Option<()> {
        let before = self.conditions.len();
        let added = self.add_terms(terms, holds, values);
        if added.is_none() {
            self.conditions.truncate(before);
        }
        added
    }

    fn add_terms(
        &mut self,
        (terms, compares): (&[Term], &[Compare]),
        holds: bool,
        values: &LinearValues,
    ) -> Option<()> {
        let term = *terms.last()?;
        let up_to = |term: u8| &terms[..=usize::from(term)];
        match term {
            Term::Compare(compare) => {
                let Compare { op, signed, value, with, .. } = compares[compare as usize];
                let bits = values.constant_bits(with)?;
                let with =
                    if signed { sign_extend(bits, with.size()).cast_unsigned() } else { bits };
                let line = AffineLine::new(value, values);
                self.conditions.push(Condition::Compare { line, op, signed, with, holds });
                Some(())
            }
            Term::Not(a) => self.add_terms((up_to(a), compares), !holds, values),
            Term::Both(a, b) if holds => {
                self.add_terms((up_to(a), compares), true, values)?;
                self.add_terms((up_to(b), compares), true, values)
            }
            Term::Either(a, b) if !holds => {
                self.add_terms((up_to(a), compares), false, values)?;
                self.add_terms((up_to(b), compares), false, values)
            }
            Term::Both(..) | Term::Either(..) => None,
        }
    }

    /// Adds that a value is at most a number in all lanes that take part; returns its bits in the
    /// first round and their increment per round.
    pub(super) fn add_limit(
        &mut self,
        value: Affine,
        limit: u64,
        values: &LinearValues,
    ) -> (u64, u64) {
        let line = AffineLine::new(value, values);
        self.conditions.push(Condition::AtMost { line, limit });
        (line.base, line.step)
    }

    /// Returns the lanes of a group that take part; `None` if those of a row are not next to each
    /// other.
    pub(super) fn resolve(
        &mut self,
        (bound, group): (&Bound<'_>, usize),
        row: usize,
        rounds: u64,
    ) -> Option<Clip> {
        let rows = bound.lanes_in_group(group).div_ceil(row);
        let mut active = vec![0..usize::try_from(rounds).ok()?.checked_mul(row)?; rows];
        for condition in &self.conditions {
            let line = condition.line();
            let key = (line.slope, line.step, row);
            let known = self.known_rows.iter().position(|(known, _)| *known == key);
            let known = known.unwrap_or(self.known_rows.len());
            if known == self.known_rows.len() {
                self.known_rows.push((key, line.rows(bound, group, row)?));
            }
            let Rows { increment, firsts } = &self.known_rows[known].1;
            for (lanes, own) in active.iter_mut().zip(firsts) {
                if !Range::is_empty(lanes) {
                    *lanes = condition.narrow((*own, *increment), lanes.clone())?;
                }
            }
        }
        Some(Clip::new(row, active))
    }
}
