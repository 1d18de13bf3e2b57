//! Start of a block. Its storage is reused for later blocks, and values that are the same in all of
//! them stay.
use super::{Block, Group, NamedBarriers};
use crate::{
    bytecode::{Code, Preset},
    exec::{
        async_copies::AsyncCopies,
        bound::Bound,
        cluster::Cluster,
        mbarriers::MBarriers,
        replay::{Backoff, Clips, Effects, LinearValues},
        step::{DotProductMemo, LastLoad},
        strand::Strand,
    },
    launch::component,
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
use std::sync::Arc;
use warpwise_compiler::ir::Builtin;

impl<'a> Block<'a> {
    /// Allocates the storage of a block.
    pub(crate) fn new(code: &'a Code, bound: &'a Bound<'a>) -> Self {
        let threads = bound.threads_in_block();
        let group = |first_thread| {
            let len = GROUP.min(threads - first_thread);
            let registers = Registers::new(code.register_bytes, len.div_ceil(32));
            let idx = |thread, axis: usize| bound.thread_idx(first_thread + thread)[axis];
            let threads = std::array::from_fn(|axis| (0..len).map(|t| idx(t, axis)).collect());
            let exist = Mask::first(len);
            let dot_product_memos =
                code.dot_product_loops.iter().map(|_| DotProductMemo::default()).collect();
            let trip_counts = GroupTrips::new(&code.counted);
            Group {
                first_thread,
                exist,
                live: exist,
                threads,
                registers,
                dot_product_memos,
                trip_counts,
                async_copies: AsyncCopies::default(),
                bulk_stores: AsyncCopies::default(),
            }
        };
        let mut block = Self {
            code,
            bound,
            number: 0,
            idx: [0; 3],
            ticket: 0,
            shared: if code.cluster.is_some() {
                Vec::new()
            } else {
                bound.shared.iter().map(|bytes| Memory::zeroed(*bytes as usize)).collect()
            },
            cluster: None,
            groups: (0..threads).step_by(GROUP).map(group).collect(),
            named_barriers: NamedBarriers::default(),
            mbarriers: MBarriers::default(),
            last_loads: vec![LastLoad::default(); code.instrs.len()],
            backoffs: vec![
                if bound.without_replay { Backoff::Never } else { Backoff::default() };
                code.instrs.len()
            ],
            strands: Vec::new(),
            spare_strands: Vec::new(),
            steps_left: 0,
            equal_trips: true,
            checks: bound.checks.as_ref().map(|checks| Box::new(BlockChecks::new(checks))),
            schedule: None,
            round_robin: false,
            changed: false,
            steps_taken: 0,
            last_spun: false,
            paused_pass: None,
            linear: LinearValues::new(&[], 0),
            lane_instrs: (0..threads).step_by(GROUP).map(|_| Vec::new()).collect(),
            effects: (0..threads).step_by(GROUP).map(|_| Effects::default()).collect(),
            clips: (0..threads).step_by(GROUP).map(|_| Clips::default()).collect(),
            replayed: ReplayedAccesses::default(),
        };
        for group in 0..block.groups.len() {
            block.groups[group].fill_presets(code, bound, None);
        }
        block
    }

    /// Initializes every thread of a block.
    pub(crate) fn start(&mut self, number: u64) {
        self.ticket = number;
        self.start_threads(number);
    }

    /// Initializes every thread of the block of a rank in a cluster.
    pub(crate) fn start_in_cluster(&mut self, cluster: &Arc<Cluster>, ticket: u64, rank: usize) {
        (self.ticket, self.cluster) = (ticket, Some((Arc::clone(cluster), rank)));
        self.start_threads(cluster.block(rank));
    }

    fn start_threads(&mut self, number: u64) {
        (self.number, self.idx) = (number, self.bound.block_idx(number));
        (self.equal_trips, self.paused_pass) = (true, None);
        self.named_barriers = NamedBarriers::default();
        self.mbarriers.reset(self.code);
        if let Some(checks) = &mut self.checks {
            let cluster = self.cluster.as_ref();
            checks.start_block(number, cluster.and_then(|(cluster, rank)| cluster.member(*rank)));
        }
        self.start_schedule();
        self.shared.iter_mut().for_each(Memory::fill_with_ones);
        let (code, bound) = (self.code, self.bound);
        self.spare_strands.append(&mut self.strands);
        self.spare_strands.truncate(self.groups.len());
        for (index, group) in self.groups.iter_mut().enumerate() {
            group.live = group.exist;
            group.async_copies.reset(group.exist.count() as usize);
            group.bulk_stores.reset(group.exist.count() as usize);
            let spare = self.spare_strands.pop().map(|(_, strand)| strand);
            let mut strand = spare.unwrap_or_else(|| Box::new(Strand::new(group.exist)));
            strand.reset(group.exist, &bound.uniforms);
            for (uniform, input) in &bound.block_inputs {
                uniform.set(&mut strand.uniforms, input.bits_in_block(bound.block, self.idx));
            }
            if bound.has_block_presets {
                group.fill_presets(code, bound, Some((self.idx, &strand.uniforms)));
            }
            self.strands.push((index, strand));
        }
    }
}

impl Group {
    /// Fills the preset registers: those that are the same for every block, or, given the index of
    /// a block and its uniform values, the others.
    fn fill_presets(&mut self, code: &Code, bound: &Bound<'_>, block: Option<([u32; 3], &[u64])>) {
        let all = [self.all_lanes()];
        let (idx, uniforms) = block.unwrap_or(([0; 3], &bound.uniforms));
        for (reg, preset) in &code.preset {
            match *preset {
                _ if preset.must_reset_per_block() != block.is_some() => {}
                Preset::Splat(from, _) => self.registers.splat(*reg, uniforms[from.slot()], &all),
                Preset::Zero => self.registers.splat(*reg, 0, &all),
                Preset::Builtin(builtin) => self.set_builtin(*reg, builtin, bound, idx),
                Preset::Slope(slope) => {
                    let own = bound.slope_values(slope, self.first_thread, all[0].len);
                    for (lane, own) in own.iter().enumerate() {
                        self.registers.set(*reg, lane, own.cast_unsigned());
                    }
                }
            }
        }
    }

    /// Fills a register with a built-in value.
    fn set_builtin(&mut self, reg: Reg, builtin: Builtin, bound: &Bound<'_>, block_idx: [u32; 3]) {
        let numbers =
            || self.first_thread as u32..(self.first_thread + self.threads[0].len()) as u32;
        let all = |value: u32| vec![value; self.threads[0].len()];
        let dim = |axis| u64::from(component(bound.block, axis));
        match builtin {
            Builtin::ThreadIdx(axis) => {
                let values = component(self.threads.each_ref(), axis);
                self.registers.fill(reg, values, 0);
            }
            Builtin::GlobalIdx(axis) => {
                let first = u64::from(component(block_idx, axis)) * dim(axis);
                let values = component(self.threads.each_ref(), axis);
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
                self.registers.fill(reg, &all(component(block_idx, axis)), 0)
            }
            Builtin::BlockDim(axis) => {
                self.registers.fill(reg, &all(component(bound.block, axis)), 0)
            }
            Builtin::GridDim(axis) => {
                self.registers.fill(reg, &all(component(bound.launched_grid, axis)), 0)
            }
            Builtin::CoarseningFactor => {
                let factor = bound.coarse_grid.map_or(1, |grid| grid.factor);
                self.registers.fill(reg, &all(factor), 0)
            }
        }
    }
}
