//! Loads, stores and atomics.
//!
//! Whole runs of active lanes are moved at once. Lanes are moved one by one, in order, where a run
//! has inactive lanes, or an address is out of bounds.
use super::{Exec, control::Next};
use crate::{
    bytecode::{Address, Atomic, AtomicKind, Operand},
    vector::{
        lanes::{resolve, scan::Transfer},
        mask::{Mask, Run},
        memory::{Cells, Word},
        registers::{Elements, Reg, Uniform},
    },
};

/// Calls a method for the word type of `$size` bytes.
macro_rules! with_word {
    ($size:expr, $self:ident.$method:ident($($argument:expr),*)) => {
        match $size {
            1 => $self.$method::<u8>($($argument),*),
            2 => $self.$method::<u16>($($argument),*),
            4 => $self.$method::<u32>($($argument),*),
            _ => $self.$method::<u64>($($argument),*),
        }
    };
}
pub(crate) use with_word;

/// An atomic update of elements, a different one in each lane.
struct Update<'e> {
    at: Elements<'e>,
    offset: u64,
    ordered: bool,
    to: Reg,
    value: Operand,
}

impl<'e> Exec<'e> {
    /// Returns the active lanes of a run, ascending.
    fn active_in(&self, run: Run) -> impl Iterator<Item = usize> + use<> {
        let active = self.strand.active();
        let lanes = run.first..run.first + run.len;
        lanes.filter(move |lane| run.full || active.contains(*lane))
    }

    /// Returns the elements of a run for a transfer at once. All pointers of a run mostly point
    /// into one buffer; for those that do not, the transfer refuses.
    fn run_elements(&self, address: Address<Reg>, run: Run, size: usize) -> Option<Elements<'e>> {
        match address {
            Address::Element { buffer, index, stride, offset } => {
                let cells = self.buffer_cells(buffer)?;
                let cells = if offset == 0 { cells } else { cells.starting_at(offset, size)? };
                Some(Elements { cells, base: 0, stride, index })
            }
            Address::Pointer { ptr, offset } => {
                let first = self.registers.get(ptr, run.first);
                let (buffer, at) = resolve(first);
                let base = (first - at).wrapping_sub(offset);
                Some(Elements { cells: self.buffer_cells(buffer)?, base, stride: 1, index: ptr })
            }
        }
    }

    /// Returns the bytes and the offset that one lane accesses.
    #[inline(always)]
    pub(super) fn lane_address(
        &self,
        address: Address<Operand>,
        lane: usize,
    ) -> Option<(Cells<'e>, u64)> {
        match address {
            Address::Element { buffer, index, stride, offset } => {
                let offset =
                    self.operand_value(index, lane).checked_mul(stride)?.checked_add(offset)?;
                Some((self.buffer_cells(buffer)?, offset))
            }
            Address::Pointer { ptr, offset } => {
                let (buffer, at) = resolve(self.operand_value(ptr, lane));
                Some((self.buffer_cells(buffer)?, at.checked_add(offset)?))
            }
        }
    }

    pub(super) fn load(&mut self, to: Reg, from: Address<Reg>, transfer: Transfer) -> Next {
        for index in 0..self.strand.runs().len() {
            let run = self.strand.runs()[index];
            if run.full && self.load_run(to, from, transfer, run) {
                continue;
            }
            let next = with_word!(to.size(), self.load_lanes(to, from.operand(), run));
            let Next::Continue = next else { return next };
        }
        Next::Continue
    }

    fn load_run(&mut self, to: Reg, from: Address<Reg>, transfer: Transfer, run: Run) -> bool {
        let Some(elements) = self.run_elements(from, run, to.size()) else { return false };
        self.registers.load(transfer, to, elements, run)
    }

    pub(super) fn load_lanes<W: Word>(
        &mut self,
        to: Reg,
        from: Address<Operand>,
        run: Run,
    ) -> Next {
        for lane in self.active_in(run) {
            let place = self.lane_address(from, lane);
            let loaded = place.and_then(|(cells, offset)| cells.load::<W>(offset, false));
            let Some(loaded) = loaded else { return self.out_of_bounds(from, lane) };
            self.registers.set(to, lane, loaded.bits());
        }
        Next::Continue
    }

    pub(super) fn load_uniform(&mut self, to: Uniform, from: Address<Uniform>) -> Next {
        with_word!(to.size(), self.load_once(to, from.operand()))
    }

    fn load_once<W: Word>(&mut self, to: Uniform, from: Address<Operand>) -> Next {
        let place = self.lane_address(from, 0);
        let loaded = place.and_then(|(cells, offset)| cells.load::<W>(offset, false));
        let Some(loaded) = loaded else { return self.out_of_bounds(from, 0) };
        to.set(&mut self.strand.uniforms, loaded.bits());
        Next::Continue
    }

    pub(super) fn store(&mut self, value: Reg, to: Address<Operand>, transfer: Transfer) -> Next {
        for index in 0..self.strand.runs().len() {
            let run = self.strand.runs()[index];
            if run.full && to.lanes().is_some_and(|to| self.store_run(value, to, transfer, run)) {
                continue;
            }
            let next = with_word!(value.size(), self.store_lanes(value, to, run));
            let Next::Continue = next else { return next };
        }
        Next::Continue
    }

    fn store_run(&mut self, value: Reg, to: Address<Reg>, transfer: Transfer, run: Run) -> bool {
        let Some(elements) = self.run_elements(to, run, value.size()) else { return false };
        self.registers.store(transfer, value, elements, run)
    }

    pub(super) fn store_lanes<W: Word>(
        &mut self,
        value: Reg,
        to: Address<Operand>,
        run: Run,
    ) -> Next {
        for lane in self.active_in(run) {
            let bits = W::of_bits(self.registers.get(value, lane));
            let place = self.lane_address(to, lane);
            let stored = place.and_then(|(cells, offset)| cells.store(offset, bits, false));
            let Some(()) = stored else { return self.out_of_bounds(to, lane) };
        }
        Next::Continue
    }

    pub(super) fn run_atomic(&mut self, atomic: &Atomic) -> Next {
        let outside = with_word!(atomic.size, self.atomic_lanes(atomic));
        outside.map_or(Next::Continue, |lane| self.out_of_bounds(atomic.at, lane))
    }

    /// Executes an atomic lane by lane, in order; returns the first lane that is out of bounds.
    fn atomic_lanes<W: Word>(&mut self, atomic: &Atomic) -> Option<usize> {
        if let AtomicKind::Update { to, value, change, adds } = atomic.kind
            && let Address::Element { buffer, index: Operand::Lanes(index), stride, offset } =
                atomic.at
            && let Some(cells) = self.buffer_cells(buffer)
        {
            let at = Elements { cells, base: 0, stride, index };
            let update = Update { at, offset, ordered: atomic.ordered, to, value };
            for index in 0..self.strand.runs().len() {
                let run = self.strand.runs()[index];
                let outside = if adds {
                    self.add_run::<W>(&update, run)
                } else {
                    self.update_lanes::<W>(&update, run, change)
                };
                if outside.is_some() {
                    return outside;
                }
            }
            return None;
        }
        let active: Mask = self.strand.active();
        for (warp, mut lanes) in active.warps() {
            while lanes != 0 {
                let lane = warp * 32 + lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                if self.atomic_lane::<W>(atomic, lane).is_none() {
                    return Some(lane);
                }
            }
        }
        None
    }

    /// Executes sums with elements of one buffer, in the active lanes of a run.
    fn add_run<W: Word>(&mut self, update: &Update<'_>, run: Run) -> Option<usize> {
        let Update { at, offset, ordered, to, value } = *update;
        let size = size_of::<W>();
        let by = match value {
            Operand::Lanes(lanes) => Some(Ok(lanes)),
            Operand::Uniform(uniform) => Some(Err(uniform.get(&self.strand.uniforms))),
            Operand::Affine(_) => None,
        };
        let even = at.stride != 0 && at.stride.is_multiple_of(size as u64);
        let whole = even && run.full && !ordered;
        if let (true, Some(by), Some(cells)) = (whole, by, at.cells.starting_at(offset, size)) {
            let done = self.registers.add_to_elements::<W>(to, Elements { cells, ..at }, by, run);
            return (done < run.len).then_some(run.first + done);
        }
        self.update_lanes::<W>(update, run, u64::wrapping_add)
    }

    /// Executes any updates of elements, in the active lanes of a run.
    #[inline(always)]
    fn update_lanes<W: Word>(
        &mut self,
        update: &Update<'_>,
        run: Run,
        change: impl Fn(u64, u64) -> u64,
    ) -> Option<usize> {
        let Update { at: Elements { cells, stride, index, .. }, offset, ordered, to, value } =
            *update;
        for lane in self.active_in(run) {
            let value = self.operand_value(value, lane);
            let at = self.registers.get(index, lane).checked_mul(stride);
            let at = at.and_then(|at| at.checked_add(offset));
            let change = |old: W| Some(W::of_bits(change(old.bits(), value)));
            let old = at.and_then(|at| cells.update(at, ordered, change));
            let Some(old) = old else { return Some(lane) };
            self.registers.set(to, lane, old.bits());
        }
        None
    }

    #[inline(always)]
    fn atomic_lane<W: Word>(&mut self, atomic: &Atomic, lane: usize) -> Option<()> {
        let Atomic { kind, at, ordered, .. } = *atomic;
        let (cells, offset) = self.lane_address(at, lane)?;
        let (to, old) = match kind {
            AtomicKind::Load { to } => (to, cells.load::<W>(offset, ordered)?),
            AtomicKind::Store { value } => {
                return cells.store(offset, W::of_bits(self.operand_value(value, lane)), ordered);
            }
            AtomicKind::Update { to, value, change, .. } => {
                let value = self.operand_value(value, lane);
                let change = |old: W| Some(W::of_bits(change(old.bits(), value)));
                (to, cells.update(offset, ordered, change)?)
            }
            AtomicKind::CompareExchange { to, expected, value } => {
                let expected = W::of_bits(self.operand_value(expected, lane));
                let value = W::of_bits(self.operand_value(value, lane));
                let change = |old| (old == expected).then_some(value);
                (to, cells.update(offset, ordered, change)?)
            }
        };
        self.registers.set(to, lane, old.bits());
        Some(())
    }

    /// Reports an out-of-bounds access that no check prevented.
    pub(super) fn out_of_bounds(&self, address: Address<Operand>, lane: usize) -> Next {
        Next::OutOfBounds(self.operand_value(address.index(), lane))
    }
}
