//! Affine values and accesses by them: mostly checked and executed once for all lanes.
//!
//! A value that may wrap between two lanes, and an access that leaves its buffer in one of them,
//! fall back to lane-by-lane execution.
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

/// Distance of loads up to which hosts prefetch by themselves, in bytes.
const HOST_PREFETCH_BYTES: i64 = 4096;

/// The most executions per block of a load whose address in the next block is prefetched: for later
/// ones it would be too early.
const MAX_LOADS_AHEAD: u32 = 8;

/// The least active lanes that are stored as a run rather than one by one.
const MIN_STORE_RUN_LANES: usize = 8;

impl<'e> Exec<'e> {
    /// Returns the number of the group in its block.
    #[inline(always)]
    pub(super) fn group_number(&self) -> usize {
        self.position.first_thread / GROUP
    }

    /// Returns the least and the greatest value of the group's lanes, if none wraps.
    #[inline(always)]
    fn lane_range(&self, value: Affine) -> Option<(u64, u64)> {
        let limit = value.base.max_value();
        let base = value.base.get(&self.strand.uniforms);
        self.bound.reach(value.slope, self.group_number()).unsigned_sums(base, limit)
    }

    /// Returns true if every lane of the group has an index below the length, active or not.
    #[inline(always)]
    pub(super) fn is_below(&self, index: Affine, len: Uniform) -> bool {
        let len = len.get(&self.strand.uniforms);
        self.lane_range(index).is_some_and(|(_, greatest)| greatest < len)
    }

    /// Computes a uniform integer from others; returns it.
    #[inline(always)]
    pub(super) fn compute_integer(&mut self, op: IntegerOp, [d, a, b, c]: [Uniform; 4]) -> u64 {
        let uniforms = self.strand.uniforms.as_mut_slice();
        let bits = op.apply(a.get(uniforms), b.get(uniforms), c.get(uniforms));
        d.set(uniforms, bits);
        bits & d.max_value()
    }

    /// Compares in every lane.
    pub(super) fn run_compare(&mut self, compare: &Compare) {
        let Compare { value, with, to, f, lanes: [left, right], .. } = *compare;
        let (base, with) = (value.base.get(&self.strand.uniforms), with.get(&self.strand.uniforms));
        let runs = self.strand.runs();
        if let Some(all) = self.decide_compare(compare) {
            self.registers.splat(to, all.into(), runs);
            return;
        }
        self.registers.spread(left, value.lanes, base, runs);
        self.registers.splat(right, with, runs);
        self.registers.map(f, [to, left, right, right], runs);
    }

    /// Returns the value of a condition if it is the same in every lane; evaluates no single lane.
    #[inline(always)]
    pub(super) fn decide_condition(&self, terms: &[Term]) -> Option<bool> {
        if self.tracks_undefined() {
            return None;
        }
        if let [Term::Compare(compare)] = terms {
            return self.decide_compare(&self.code.compares[*compare as usize]);
        }
        self.decide_terms(terms)
    }

    fn decide_terms(&self, terms: &[Term]) -> Option<bool> {
        let mut known = [None; MAX_CONDITION_TERMS];
        let mut at = 0;
        while at < terms.len() {
            known[at] = match terms[at] {
                Term::Compare(compare) => {
                    self.decide_compare(&self.code.compares[compare as usize])
                }
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

    /// Returns the result of a comparison if it is the same in every lane.
    #[inline(always)]
    fn decide_compare(&self, Compare { op, signed, value, with, .. }: &Compare) -> Option<bool> {
        let reach = self.bound.reach(value.slope, self.group_number());
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
        same_outcome(*op, least, greatest)
    }

    /// Returns the bytes that a run of lanes accesses, and the offset where its walk begins.
    #[inline(always)]
    pub(super) fn access_window(&self, address: Address<Affine>) -> Option<(Cells<'e>, i64)> {
        let (cells, at) = match address {
            Address::Element { buffer, index, stride, offset } => {
                if index.base.size() < 8 {
                    self.lane_range(index)?;
                }
                let base = index.base.get(&self.strand.uniforms);
                let (at, wraps) = base.overflowing_mul(stride);
                let (at, wraps_too) = at.overflowing_add(offset);
                if wraps || wraps_too {
                    return None;
                }
                (self.buffer_cells(buffer)?, at)
            }
            Address::Pointer { ptr, offset } => {
                let (buffer, at) = resolve(ptr.base.get(&self.strand.uniforms));
                (self.buffer_cells(buffer)?, at.checked_add(offset)?)
            }
        };
        if at > i64::MAX as u64 { None } else { Some((cells, at as i64)) }
    }

    /// Returns the memory of a factor.
    pub(super) fn load_factor(&self, loaded: &AffineLoad) -> Option<Factor<'e>> {
        let (cells, at) = self.access_window(loaded.from)?;
        Some(Factor { cells, at, step: 0, walk: self.bound.walk(loaded.walk, self.group_number()) })
    }

    /// Loads two factors, and adds their product to a register.
    pub(super) fn fma_of_loads(&mut self, product: &Product) -> Next {
        let Product { to, c, factors: [a, b], f } = product;
        // Where this crate is not optimized, separate instructions are faster.
        if !cfg!(unoptimized)
            && let [run] = self.strand.runs()
            && run.full
            && let (Some(left), Some(right)) = (self.load_factor(a), self.load_factor(b))
            && let Some(products) = Products::new(&[left, right], 1, (run.first, run.len))
        {
            self.registers.add_products([*to, *c], &products, *run);
            return Next::Continue;
        }
        for loaded in [a, b] {
            let next = self.load_affine(loaded.to, loaded.from, loaded.walk, loaded.copy);
            let Next::Continue = next else { return next };
        }
        self.registers.map(*f, [*to, a.to, b.to, *c], self.strand.runs());
        Next::Continue
    }

    pub(super) fn load_affine(
        &mut self,
        to: Reg,
        from: Address<Affine>,
        walk: u16,
        copy: CopyWords,
    ) -> Next {
        let walk = self.bound.walk(walk, self.group_number());
        let window = self.access_window(from);
        if let Some((cells, at)) = &window {
            self.prefetch(cells, *at, walk);
        }
        for index in 0..self.strand.runs().len() {
            let run: Run = self.strand.runs()[index];
            // Inactive lanes may load, too: their results are not read.
            if let Some(window) = &window
                && self.registers.load_affine(copy, to, window, walk, walk.among(run))
            {
                continue;
            }
            let next = with_word!(to.size(), self.load_lanes(to, from.operand(), run));
            let Next::Continue = next else { return next };
        }
        Next::Continue
    }

    /// Prefetches for a load with a constant stride too large for the host to predict, as where
    /// threads stride over the grid. For distant rows, too many for the host to follow, it
    /// prefetches the next block's load.
    #[inline(always)]
    fn prefetch(&mut self, cells: &Cells<'_>, at: i64, walk: &LaneOffsets) {
        let last_load = &mut self.last_loads[self.strand.pc as usize - 1];
        let step = at.wrapping_sub(last_load.last);
        last_load.last = at;
        last_load.times += 1;
        if last_load.block != self.position.block {
            let is_soon = last_load.times <= MAX_LOADS_AHEAD;
            last_load.ahead = if is_soon { at.wrapping_sub(last_load.first) } else { 0 };
            (last_load.block, last_load.first, last_load.times) = (self.position.block, at, 0);
        }
        let ahead = last_load.ahead;
        if walk.is_near() {
            if step >= HOST_PREFETCH_BYTES
                && let Some(bytes) = walk.bytes(at.wrapping_add(step))
            {
                cells.prefetch(bytes);
            }
        } else if (1..HOST_PREFETCH_BYTES).contains(&ahead) {
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
        let walk = self.bound.walk(walk, self.group_number());
        let window = self.access_window(to);
        for index in 0..self.strand.runs().len() {
            let run: Run = self.strand.runs()[index];
            if run.full
                && let Some(window) = &window
                && self.registers.store_affine(copy, value, window, walk, run)
            {
                continue;
            }
            for part in active_parts(run, self.strand.active()) {
                if part.len >= MIN_STORE_RUN_LANES
                    && let Some(window) = &window
                    && self.registers.store_affine(copy, value, window, walk, part)
                {
                    continue;
                }
                let next = with_word!(value.size(), self.store_lanes(value, to.operand(), part));
                let Next::Continue = next else { return next };
            }
        }
        Next::Continue
    }
}

/// Splits a run into full runs of its active lanes.
fn active_parts(run: Run, active: Mask) -> impl Iterator<Item = Run> {
    let end = run.first + run.len;
    let mut first = run.first;
    std::iter::from_fn(move || {
        if run.full {
            let all = Run { first, len: end - first, ..run };
            first = end;
            return (all.len > 0).then_some(all);
        }
        // A run that is not full consists of whole warps.
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

/// Returns the result of a comparison if it is the same for all values between two.
fn same_outcome(op: CompareOp, least: Ordering, greatest: Ordering) -> Option<bool> {
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
