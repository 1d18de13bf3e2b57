//! What is done by affine values: mostly once, for all lanes.
//!
//! A value that may wrap between two lanes, and an access that leaves its buffer in one of them,
//! are left to the steps that look at each lane.
use super::{Exec, access::with_word, control::Next};
use crate::{
    bytecode::{Address, AffineLoad, Compare, IntegerOp, MAX_CONDITION_TERMS, Product, Term},
    vector::{
        lanes::{
            copy::CopyWords,
            lane_offsets::LaneOffsets,
            memory_products::{Factor, Products},
            resolve,
        },
        mask::{GROUP, Mask, Run},
        memory::Cells,
        registers::{Affine, Reg, Uniform},
    },
};
use std::cmp::Ordering;
use warpwise_compiler::ir::CompareOp;

/// Bytes in which hosts foresee loads by themselves.
const PAGE: i64 = 4096;

/// How often a block runs a load at most whose place in the next block is fetched: later it would be too early.
const MAX_LOADS_AHEAD: u32 = 8;

/// Fewer lanes are stored one by one.
const FEW: usize = 8;

impl<'e> Exec<'e> {
    /// The number in its block of the group.
    #[inline(always)]
    pub(super) fn group(&self) -> usize {
        self.place.first_thread / GROUP
    }

    /// The least and the greatest value of the group's lanes, if none wraps.
    #[inline(always)]
    fn span(&self, value: Affine) -> Option<(u64, u64)> {
        let limit = value.base.max_value();
        let base = value.base.get(&self.strand.uniforms);
        self.bound.reach(value.slope, self.group()).unsigned_sums(base, limit)
    }

    /// Whether no lane of the group has an index that is not below the length, active or not.
    #[inline(always)]
    pub(super) fn is_below(&self, index: Affine, len: Uniform) -> bool {
        let len = len.get(&self.strand.uniforms);
        self.span(index).is_some_and(|(_, greatest)| greatest < len)
    }

    /// Computes one uniform integer from others; yields it.
    #[inline(always)]
    pub(super) fn integer(&mut self, op: IntegerOp, [d, a, b, c]: [Uniform; 4]) -> u64 {
        let uniforms = self.strand.uniforms.as_mut_slice();
        let bits = op.of(a.get(uniforms), b.get(uniforms), c.get(uniforms));
        d.set(uniforms, bits);
        bits & d.max_value()
    }

    /// Compares in every lane.
    pub(super) fn compare(&mut self, compare: &Compare) {
        let Compare { value, with, to, f, lanes: [left, right], .. } = *compare;
        let (base, with) = (value.base.get(&self.strand.uniforms), with.get(&self.strand.uniforms));
        let runs = self.strand.runs();
        if let Some(all) = self.verdict(compare) {
            self.registers.splat(to, all.into(), runs);
            return;
        }
        self.registers.spread(left, value.lanes, base, runs);
        self.registers.splat(right, with, runs);
        self.registers.map(f, [to, left, right, right], runs);
    }

    /// What a condition is in every lane, if that is known without looking at any.
    #[inline(always)]
    pub(super) fn decide(&self, terms: &[Term]) -> Option<bool> {
        if self.follows() {
            return None;
        }
        if let [Term::Compare(compare)] = terms {
            return self.verdict(&self.code.compares[*compare as usize]);
        }
        self.decide_by(terms)
    }

    fn decide_by(&self, terms: &[Term]) -> Option<bool> {
        let mut known = [None; MAX_CONDITION_TERMS];
        let mut at = 0;
        while at < terms.len() {
            known[at] = match terms[at] {
                Term::Compare(compare) => self.verdict(&self.code.compares[compare as usize]),
                Term::Both(a, b) => match (known[a as usize], known[b as usize]) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), other) | (other, Some(true)) => other,
                    (None, None) => None,
                },
                Term::Either(a, b) => match (known[a as usize], known[b as usize]) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), other) | (other, Some(false)) => other,
                    (None, None) => None,
                },
                Term::Not(a) => known[a as usize].map(|known| !known),
            };
            at += 1;
        }
        known[terms.len() - 1]
    }

    /// What comes out in every lane, if it is the same.
    #[inline(always)]
    fn verdict(&self, Compare { op, signed, value, with, .. }: &Compare) -> Option<bool> {
        let reach = self.bound.reach(value.slope, self.group());
        let (base, with) = (value.base.get(&self.strand.uniforms), with.get(&self.strand.uniforms));
        let beyond = 64 - 8 * value.base.size();
        let (least, greatest) = if *signed {
            let signed = |bits: u64| (bits << beyond).cast_signed() >> beyond;
            let (min, max) = reach.signed_sums(signed(base), i64::MAX >> beyond)?;
            (min.cmp(&signed(with)), max.cmp(&signed(with)))
        } else {
            let (min, max) = reach.unsigned_sums(base, u64::MAX >> beyond)?;
            (min.cmp(&with), max.cmp(&with))
        };
        same(*op, least, greatest)
    }

    /// The bytes that a run of lanes accesses, and where in them the walk begins.
    #[inline(always)]
    pub(super) fn window(&self, address: Address<Affine>) -> Option<(Cells<'e>, i64)> {
        let (cells, at) = match address {
            Address::Element { buffer, index, stride, offset } => {
                if index.base.size() < 8 {
                    self.span(index)?;
                }
                let base = index.base.get(&self.strand.uniforms);
                let (at, wraps) = base.overflowing_mul(stride);
                let (at, wraps_too) = at.overflowing_add(offset);
                if wraps || wraps_too {
                    return None;
                }
                (self.cells(buffer)?, at)
            }
            Address::Pointer { ptr, offset } => {
                let (buffer, at) = resolve(ptr.base.get(&self.strand.uniforms));
                (self.cells(buffer)?, at.checked_add(offset)?)
            }
        };
        if at > i64::MAX as u64 { None } else { Some((cells, at as i64)) }
    }

    /// Where a factor comes from.
    pub(super) fn factor(&self, loaded: &AffineLoad) -> Option<Factor<'e>> {
        let (cells, at) = self.window(loaded.from)?;
        Some(Factor { cells, at, step: 0, walk: self.bound.walk(loaded.walk, self.group()) })
    }

    /// Loads two factors, and adds their product to something.
    pub(super) fn fma_loaded(&mut self, product: &Product) -> Next {
        let Product { to, c, factors: [a, b], f } = product;
        // Where this crate is not optimized, single steps are faster.
        if !cfg!(unoptimized)
            && let [run] = self.strand.runs()
            && run.full
            && let (Some(left), Some(right)) = (self.factor(a), self.factor(b))
            && let Some(products) = Products::new(&[left, right], 1, (run.first, run.len))
        {
            self.registers.add_products([*to, *c], &products, *run);
            return Next::On;
        }
        for loaded in [a, b] {
            let next = self.load_affine(loaded.to, loaded.from, loaded.walk, loaded.copy);
            let Next::On = next else { return next };
        }
        self.registers.map(*f, [*to, a.to, b.to, *c], self.strand.runs());
        Next::On
    }

    pub(super) fn load_affine(
        &mut self,
        to: Reg,
        from: Address<Affine>,
        walk: u16,
        copy: CopyWords,
    ) -> Next {
        let walk = self.bound.walk(walk, self.group());
        let window = self.window(from);
        if let Some((cells, at)) = &window {
            self.foresee(cells, *at, walk);
        }
        for index in 0..self.strand.runs().len() {
            let run: Run = self.strand.runs()[index];
            // What lanes load that are not active is never looked at.
            if let Some(window) = &window
                && self.registers.load_affine(copy, to, window, walk, walk.among(run))
            {
                continue;
            }
            let next = with_word!(to.size(), self.load_lanes(to, from.operand(), run));
            let Next::On = next else { return next };
        }
        Next::On
    }

    /// A load that goes on in equal steps, too large for the host to foresee them, as where threads stride over the
    /// grid: fetches what comes next. Of rows that are far apart, too many for the host to follow, it fetches what the next block
    /// loads.
    #[inline(always)]
    fn foresee(&mut self, cells: &Cells<'_>, at: i64, walk: &LaneOffsets) {
        let loaded = &mut self.loaded[self.strand.at as usize - 1];
        let step = at.wrapping_sub(loaded.last);
        loaded.last = at;
        loaded.times += 1;
        if loaded.block != self.place.block {
            let is_soon = loaded.times <= MAX_LOADS_AHEAD;
            loaded.ahead = if is_soon { at.wrapping_sub(loaded.first) } else { 0 };
            (loaded.block, loaded.first, loaded.times) = (self.place.block, at, 0);
        }
        let ahead = loaded.ahead;
        if walk.is_near() {
            if step >= PAGE
                && let Some(bytes) = walk.bytes(at.wrapping_add(step))
            {
                cells.prefetch(bytes);
            }
        } else if (1..PAGE).contains(&ahead) {
            walk.rows(at.wrapping_add(ahead)).for_each(|bytes| cells.prefetch(bytes));
        }
    }

    pub(super) fn store_affine(
        &mut self,
        value: Reg,
        to: Address<Affine>,
        walk: u16,
        copy: CopyWords,
    ) -> Next {
        let walk = self.bound.walk(walk, self.group());
        let window = self.window(to);
        for index in 0..self.strand.runs().len() {
            let run: Run = self.strand.runs()[index];
            if run.full
                && let Some(window) = &window
                && self.registers.store_affine(copy, value, window, walk, run)
            {
                continue;
            }
            for part in parts(run, self.strand.active()) {
                if part.len >= FEW
                    && let Some(window) = &window
                    && self.registers.store_affine(copy, value, window, walk, part)
                {
                    continue;
                }
                let next = with_word!(value.size(), self.store_lanes(value, to.operand(), part));
                let Next::On = next else { return next };
            }
        }
        Next::On
    }
}

/// The active lanes of a run, as those of full ones.
fn parts(run: Run, active: Mask) -> impl Iterator<Item = Run> {
    let end = run.first + run.len;
    let mut first = run.first;
    std::iter::from_fn(move || {
        if run.full {
            let all = Run { first, len: end - first, ..run };
            first = end;
            return (all.len > 0).then_some(all);
        }
        // A run that is not full is of whole warps.
        while first < end {
            let left = active.0[first / 32] >> (first % 32);
            if left & 1 != 0 {
                let len = left.trailing_ones() as usize;
                first += len;
                return Some(Run { first: first - len, len, full: true });
            }
            first += (left.trailing_zeros() as usize).min(32 - first % 32);
        }
        None
    })
}

/// What a comparison yields of all values between two, if that is the same.
fn same(op: CompareOp, least: Ordering, greatest: Ordering) -> Option<bool> {
    let apart = least.is_gt() || greatest.is_lt();
    match op {
        CompareOp::Eq if apart => Some(false),
        CompareOp::Ne if apart => Some(true),
        CompareOp::Eq | CompareOp::Ne => None,
        CompareOp::Lt => (least.is_lt() == greatest.is_lt()).then_some(least.is_lt()),
        CompareOp::Le => (least.is_le() == greatest.is_le()).then_some(least.is_le()),
        CompareOp::Gt => (least.is_gt() == greatest.is_gt()).then_some(least.is_gt()),
        CompareOp::Ge => (least.is_ge() == greatest.is_ge()).then_some(least.is_ge()),
    }
}
