//! How a block starts. Its room is used again for those that follow, and what is the same in all of them stays.
use super::{Block, Group};
use crate::{
    bytecode::{Code, Preset},
    exec::{
        bound::Bound,
        replay::{Noted, Numbers, Tries},
        step::{LastLoad, Looked},
        strand::Strand,
    },
    launch::along_axis,
    observe::{
        counters::tally::GroupTrips,
        sanitizer::{BlockChecks, replayed_accesses::ReplayedAccesses},
    },
    vector::{
        mask::{GROUP, Mask},
        memory::Memory,
        registers::{Reg, Registers},
    },
};
use warpwise_compiler::ir::Builtin;

impl<'a> Block<'a> {
    /// Room for a block.
    pub(crate) fn new(code: &'a Code, bound: &'a Bound<'a>) -> Self {
        let threads = bound.threads();
        let group = |first_thread| {
            let len = GROUP.min(threads - first_thread);
            let registers = Registers::new(code.register_bytes, len.div_ceil(32));
            let idx = |thread, axis: usize| bound.thread_idx(first_thread + thread)[axis];
            let threads = std::array::from_fn(|axis| (0..len).map(|t| idx(t, axis)).collect());
            let exist = Mask::first(len);
            let looked = code.dot_product_loops.iter().map(|_| Looked::default()).collect();
            let gone = GroupTrips::new(&code.counted);
            Group { first_thread, exist, live: exist, threads, registers, looked, gone }
        };
        let mut block = Self {
            code,
            bound,
            number: 0,
            idx: [0; 3],
            shared: bound.shared.iter().map(|bytes| Memory::zeroed(*bytes as usize)).collect(),
            groups: (0..threads).step_by(GROUP).map(group).collect(),
            loaded: vec![LastLoad::default(); code.instrs.len()],
            tries: vec![
                if bound.one_by_one { Tries::Never } else { Tries::default() };
                code.instrs.len()
            ],
            strands: Vec::new(),
            spare: Vec::new(),
            steps: 0,
            in_step: true,
            checks: bound.checks.as_ref().map(|checks| Box::new(BlockChecks::new(checks))),
            order: None,
            evenly: false,
            changes: false,
            taken: 0,
            spins: false,
            paused: None,
            numbers: Numbers::new(&[], 0),
            lane_instrs: (0..threads).step_by(GROUP).map(|_| Vec::new()).collect(),
            noted: (0..threads).step_by(GROUP).map(|_| Noted::default()).collect(),
            did: ReplayedAccesses::default(),
        };
        for group in 0..block.groups.len() {
            block.groups[group].preset(code, bound, None);
        }
        block
    }

    /// Sets every thread of a block before the first step.
    pub(crate) fn start(&mut self, number: u64) {
        (self.number, self.idx) = (number, self.bound.block_idx(number));
        (self.in_step, self.paused) = (true, None);
        if let Some(checks) = &mut self.checks {
            checks.start_block(number);
        }
        self.start_order();
        self.shared.iter_mut().for_each(Memory::fill_with_ones);
        let (code, bound) = (self.code, self.bound);
        self.spare.append(&mut self.strands);
        self.spare.truncate(self.groups.len());
        for (index, group) in self.groups.iter_mut().enumerate() {
            group.live = group.exist;
            let spare = self.spare.pop().map(|(_, strand)| strand);
            let mut strand = spare.unwrap_or_else(|| Box::new(Strand::new(group.exist)));
            strand.begin(group.exist, &bound.uniforms);
            for (uniform, given) in &bound.of_block {
                uniform.set(&mut strand.uniforms, given.in_block(bound.block, self.idx));
            }
            if bound.presets_of_block {
                group.preset(code, bound, Some((self.idx, &strand.uniforms)));
            }
            self.strands.push((index, strand));
        }
    }
}

impl Group {
    /// Fills the registers that stand before the first step: those that are the same for every block, or, with the
    /// index of a block and its uniform values, the others.
    fn preset(&mut self, code: &Code, bound: &Bound<'_>, of: Option<([u32; 3], &[u64])>) {
        let all = [self.all()];
        let (idx, uniforms) = of.unwrap_or(([0; 3], &bound.uniforms));
        for (reg, preset) in &code.preset {
            match *preset {
                _ if preset.is_of_block() != of.is_some() => {}
                Preset::Splat(from, _) => self.registers.splat(*reg, uniforms[from.slot()], &all),
                Preset::Zero => self.registers.splat(*reg, 0, &all),
                Preset::Builtin(builtin) => self.provide(*reg, builtin, bound, idx),
                Preset::Slope(slope) => {
                    let own = bound.own(slope, self.first_thread, all[0].len);
                    for (lane, own) in own.iter().enumerate() {
                        self.registers.set(*reg, lane, own.cast_unsigned());
                    }
                }
            }
        }
    }

    /// Sets a register to what the hardware provides to each thread.
    fn provide(&mut self, reg: Reg, builtin: Builtin, bound: &Bound<'_>, block_idx: [u32; 3]) {
        let numbers =
            || self.first_thread as u32..(self.first_thread + self.threads[0].len()) as u32;
        let all = |value: u32| vec![value; self.threads[0].len()];
        let dim = |axis| u64::from(along_axis(bound.block, axis));
        match builtin {
            Builtin::ThreadIdx(axis) => {
                let values = along_axis(self.threads.each_ref(), axis);
                self.registers.fill(reg, values, 0);
            }
            Builtin::GlobalIdx(axis) => {
                let first = u64::from(along_axis(block_idx, axis)) * dim(axis);
                let values = along_axis(self.threads.each_ref(), axis);
                self.registers.fill(reg, values, first);
            }
            Builtin::LaneId => {
                let lanes: Vec<_> = numbers().map(|number| number % 32).collect();
                self.registers.fill(reg, &lanes, 0);
            }
            Builtin::LaneMask(mask) => {
                let masks: Vec<_> = numbers().map(|number| mask.bits(number % 32)).collect();
                self.registers.fill(reg, &masks, 0);
            }
            Builtin::WarpId => {
                let warps: Vec<_> = numbers().map(|number| number / 32).collect();
                self.registers.fill(reg, &warps, 0);
            }
            Builtin::BlockIdx(axis) => {
                self.registers.fill(reg, &all(along_axis(block_idx, axis)), 0)
            }
            Builtin::BlockDim(axis) => {
                self.registers.fill(reg, &all(along_axis(bound.block, axis)), 0)
            }
            Builtin::GridDim(axis) => {
                self.registers.fill(reg, &all(along_axis(bound.grid, axis)), 0)
            }
            Builtin::CoarseningFactor => self.registers.fill(reg, &all(1), 0),
        }
    }
}
