//! Proved effects of conditions on the lanes of warps.
use crate::{
    analysis::{
        Analyses,
        symbolic::{ActiveThreads, Coverage, EventKind, Shape, Split, ThreadSet},
    },
    ir::{Builtin, CompareOp, InstId, Kernel, Op},
};
use std::ops::RangeInclusive;

/// Lanes per warp.
pub(super) const LANES: u32 = 32;

/// The effect of a condition on the warps that evaluate it, summed over all evaluations.
#[derive(Debug, Default)]
pub(super) struct WarpDivergence {
    /// The number of warps.
    pub(super) warps: usize,
    /// The number of warps whose lanes disagree.
    pub(super) diverging: usize,
    /// Per disagreeing warp, the active lanes and the lanes for which the condition is true.
    pub(super) lanes: Vec<(u32, u32)>,
    /// The threads for which it is true, if they are known and always the same.
    pub(super) true_threads: Option<ThreadSet>,
    /// True if it holds for different threads at different times.
    pub(super) changes: bool,
    /// True if the threads for which it is true ever occupy more warps than they would fill.
    pub(super) is_spread: bool,
}

impl WarpDivergence {
    /// Returns the proved effect of the `if` or loop `id`, with the condition `cond`.
    pub(super) fn for_condition(
        kernel: &Kernel,
        analyses: &Analyses,
        id: InstId,
        cond: InstId,
    ) -> Self {
        let mut found = Self::default();
        for event in analyses.trace.events_of(id) {
            if let EventKind::Branch(split) = &event.kind {
                found.add_event(kernel, &analyses.trace.shape, cond, &event.active, split);
            }
        }
        found
    }

    fn add_event(
        &mut self,
        kernel: &Kernel,
        shape: &Shape,
        cond: InstId,
        active: &ActiveThreads,
        split: &Split,
    ) {
        let come =
            (0..active.threads.warp_count()).map(|warp| (warp, active.threads.lanes_of_warp(warp)));
        let come: Vec<_> = come.filter(|(_, lanes)| *lanes != 0).collect();
        self.warps += come.len();
        if !are_certain(active) {
            return;
        }
        match split {
            Split::Known(yes) => {
                let (mut count, mut warps) = (0, 0);
                for (warp, lanes) in come {
                    let taken = yes.lanes_of_warp(warp) & lanes;
                    count += taken.count_ones();
                    warps += u32::from(taken != 0);
                    if taken != 0 && taken != lanes {
                        self.diverging += 1;
                        self.lanes.push((lanes.count_ones(), taken.count_ones()));
                    }
                }
                self.is_spread |= warps > count.div_ceil(LANES);
                let same = self.true_threads.as_ref().is_none_or(|known| known == yes);
                self.changes |= !same;
                self.true_threads = Some(yes.clone());
            }
            Split::OnePerWarp | Split::Unknown => {
                let Some(cycle) = RemainderTest::from_condition(kernel, shape, cond) else {
                    return;
                };
                let whole = come.iter().filter(|(_, lanes)| *lanes == u32::MAX).count();
                let (least, most) = cycle.lanes_true().into_inner();
                if 0 < least && most < LANES {
                    self.diverging += whole;
                    let both = [(LANES, least), (LANES, most)];
                    self.lanes.extend(both.into_iter().cycle().take(2 * whole));
                }
            }
            Split::Uniform | Split::UniformInWarps | Split::Guard | Split::AtMostOne => {}
        }
    }

    /// Returns true if most of the warps diverge.
    pub(super) fn affects_most_warps(&self) -> bool {
        2 * self.diverging > self.warps
    }

    /// Returns the smallest and the largest number of lanes of a diverging warp for which the
    /// condition is true.
    pub(super) fn lanes_true(&self) -> RangeInclusive<u32> {
        let yes = || self.lanes.iter().map(|&(_, yes)| yes);
        yes().min().unwrap_or(0)..=yes().max().unwrap_or(0)
    }

    /// Returns the smallest and the largest number of lanes for which it is false.
    pub(super) fn lanes_false(&self) -> RangeInclusive<u32> {
        let no = || self.lanes.iter().map(|&(lanes, yes)| lanes - yes);
        no().min().unwrap_or(0)..=no().max().unwrap_or(0)
    }

    /// Returns the number of active lanes.
    pub(super) fn lanes_active(&self) -> u32 {
        self.lanes.iter().map(|&(lanes, _)| lanes).max().unwrap_or(0)
    }

    /// Returns `every warp`, or `5 of 8 warps`.
    pub(super) fn warps_text(&self) -> String {
        if self.diverging == self.warps {
            "every warp".to_owned()
        } else {
            format!("{} of {} warps", self.diverging, self.warps)
        }
    }
}

/// Returns true if the active threads are certain, and not only some of their set.
pub(super) const fn are_certain(active: &ActiveThreads) -> bool {
    match active.coverage {
        Coverage::All | Coverage::Guarded | Coverage::Warps => true,
        Coverage::Some | Coverage::One => false,
    }
}

/// Returns `5`, or `1 to 16`.
pub(super) fn range_text(range: &RangeInclusive<u32>) -> String {
    if range.start() == range.end() {
        range.start().to_string()
    } else {
        format!("{} to {}", range.start(), range.end())
    }
}

/// A comparison of a remainder with a constant, such as `i % 3 == 1`, for an index that grows by
/// one from lane to lane: it is true in every third lane, wherever the warp begins.
pub(super) struct RemainderTest {
    /// The remainder.
    pub(super) remainder: InstId,
    modulus: u64,
    op: CompareOp,
    with: u64,
}

impl RemainderTest {
    /// Returns `cond` as such a comparison, if it is one.
    pub(super) fn from_condition(kernel: &Kernel, shape: &Shape, cond: InstId) -> Option<Self> {
        let Op::Compare { op, lhs, rhs } = kernel.insts[cond].op else { return None };
        let (with, modulus) = (const_value(kernel, rhs)?, remainder_divisor(kernel, shape, lhs)?);
        Some(Self { remainder: lhs, modulus, op, with })
    }

    /// Returns true if the comparison holds in `lane`, if lane 0 has the remainder `first`.
    pub(super) fn is_true(&self, first: u64, lane: u64) -> bool {
        let rest = (first + lane) % self.modulus;
        match self.op {
            CompareOp::Eq => rest == self.with,
            CompareOp::Ne => rest != self.with,
            CompareOp::Lt => rest < self.with,
            CompareOp::Le => rest <= self.with,
            CompareOp::Gt => rest > self.with,
            CompareOp::Ge => rest >= self.with,
        }
    }

    /// Returns the remainders that lane 0 may have.
    pub(super) fn first_remainders(&self) -> std::ops::Range<u64> {
        0..self.modulus
    }

    /// Returns the number of lanes of a whole warp in which it holds.
    fn lanes_true(&self) -> RangeInclusive<u32> {
        let lanes = |first| (0..u64::from(LANES)).filter(|&lane| self.is_true(first, lane)).count();
        let counts =
            || self.first_remainders().map(|first| u32::try_from(lanes(first)).unwrap_or(LANES));
        counts().min().unwrap_or(0)..=counts().max().unwrap_or(0)
    }
}

/// Returns the divisor if `rest` is the remainder of an index that grows by one from lane to lane.
fn remainder_divisor(kernel: &Kernel, shape: &Shape, rest: InstId) -> Option<u64> {
    let Op::Binary { op: crate::ir::BinaryOp::Rem, lhs, rhs } = kernel.insts[rest].op else {
        return None;
    };
    let modulus =
        const_value(kernel, rhs).filter(|&modulus| (2..=u64::from(LANES)).contains(&modulus))?;
    let [x, y, z] = shape.dims;
    let in_rows = x % LANES == 0 || y * z == 1;
    let mut index = lhs;
    while let Op::Cast { value } = kernel.insts[index].op {
        index = value;
    }
    let counts = matches!(
        kernel.insts[index].op,
        Op::Builtin(
            Builtin::GlobalIdx(crate::ir::Axis::X) | Builtin::ThreadIdx(crate::ir::Axis::X)
        )
    );
    (counts && in_rows).then_some(modulus)
}

/// Returns the value of a constant.
pub(super) fn const_value(kernel: &Kernel, id: InstId) -> Option<u64> {
    if let Op::Const(bits) = kernel.insts[id].op { Some(bits) } else { None }
}
