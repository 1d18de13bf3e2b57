//! Undefined values: reads of unwritten shared memory and their propagation.
//!
//! A cell of shared memory is undefined until a thread writes it. A read of it is no error yet: the
//! value is tracked through registers, computations and shared memory, until a branch, an address
//! or an output of the block depends on it. As long as no undefined value has been read, nothing
//! needs to be tracked.
use super::{
    LaunchChecks,
    defined::{Defined, RepeatedAccess},
    raw_findings::{UndefinedOrigin, UndefinedSource},
};
use crate::{
    bytecode::{MatrixWord, Operand, WarpInputs, WarpInstr},
    vector::{
        mask::{Mask, bits},
        registers::{Array, Reg, Uniform},
    },
};
use std::{collections::HashMap, ops::Range, sync::Arc};
use warpwise_compiler::ir::VoteOp;

/// The lanes of a group with an undefined value, each with its source.
#[derive(Clone, Debug)]
pub(crate) struct UndefinedLanes {
    pub(crate) lanes: Mask,
    /// Ascending by lane, at least one. There may be entries of other lanes; a lane without an
    /// entry has the source of the first.
    sources: Arc<[(u32, UndefinedSource)]>,
}

impl UndefinedLanes {
    /// Creates the set of these lanes, in ascending order; `None` without any.
    pub(crate) fn from_sources(sources: Vec<(u32, UndefinedSource)>) -> Option<Self> {
        let mut lanes = Mask::EMPTY;
        for (lane, _) in &sources {
            lanes.0[*lane as usize / 32] |= 1 << (lane % 32);
        }
        (!sources.is_empty()).then(|| Self { lanes, sources: sources.into() })
    }

    /// Returns the source of a lane's value.
    pub(crate) fn source(&self, lane: usize) -> UndefinedSource {
        let known = self.sources.binary_search_by_key(&lane, |(lane, _)| *lane as usize);
        self.sources[known.unwrap_or(0)].1
    }

    /// Returns the union of two sets; a lane in both has the source of the first.
    pub(crate) fn union(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (one, other) = match (one, other) {
            (Some(one), Some(other)) => (one, other),
            (one, other) => return one.or(other),
        };
        let lanes = one.lanes | other.lanes;
        if Arc::ptr_eq(&one.sources, &other.sources) || one.lanes == lanes {
            return Some(Self { lanes, ..one });
        }
        let source_of_lane = |lane: usize| {
            let first = one.lanes.contains(lane);
            (lane as u32, if first { one.source(lane) } else { other.source(lane) })
        };
        Self::from_sources(lanes.lanes().map(source_of_lane).collect())
    }

    /// Returns the set with the lanes replaced: they share one undefined value.
    fn with_lanes(self, lanes: Mask) -> Option<Self> {
        (!lanes.is_empty()).then_some(Self { lanes, ..self })
    }

    /// Returns the part of the set that is in `lanes`.
    pub(crate) fn restrict_to(self, lanes: Mask) -> Option<Self> {
        let lanes = self.lanes & lanes;
        (!lanes.is_empty()).then_some(Self { lanes, ..self })
    }
}

/// The maximum number of accesses that are remembered as clean.
const MAX_CLEAN_ACCESSES: usize = 64;

/// The undefined values of a block.
#[derive(Debug, Default)]
pub(crate) struct UndefinedValues {
    /// The defined cells of shared memory.
    pub(crate) defined: Defined,
    /// By cell that holds an undefined value that was written to it, the source of the value.
    written: HashMap<u64, UndefinedSource>,
    /// Accesses that only read defined cells, as long as no undefined value is written.
    clean: Vec<RepeatedAccess>,
    /// By the first thread of a group and register.
    registers: HashMap<(usize, Reg), UndefinedLanes>,
    /// By the first thread of a group and uniform register.
    uniforms: HashMap<(usize, Uniform), UndefinedLanes>,
    /// By the first thread of a group, the place of a thread's own array, and the byte in it.
    arrays: HashMap<(usize, u32, u64), UndefinedLanes>,
}

impl UndefinedValues {
    pub(crate) fn new(launch: &LaunchChecks<'_>) -> Self {
        // Other blocks of a cluster may write what this one reads.
        let cells = if launch.has_clusters { 0 } else { launch.cells as usize };
        Self { defined: Defined::new(cells), ..Self::default() }
    }

    /// Resets the state for a new block, in which all memory is unwritten.
    pub(crate) fn reset(&mut self) {
        self.defined.reset();
        self.written.clear();
        self.clean.clear();
        self.registers.clear();
        self.uniforms.clear();
        self.arrays.clear();
    }

    /// Returns true if a register or array of a thread may be undefined.
    #[inline(always)]
    pub(crate) fn has_private(&self) -> bool {
        !self.registers.is_empty() || !self.uniforms.is_empty() || !self.arrays.is_empty()
    }

    /// Returns true if the effects of an access must be tracked.
    #[inline(always)]
    pub(crate) fn must_track(&self, is_shared: bool) -> bool {
        (is_shared && self.defined.may_lack_cells()) || self.has_private()
    }

    /// Returns true if the access is known to read defined cells only.
    pub(crate) fn is_clean(&self, rounds: &RepeatedAccess) -> bool {
        self.clean.contains(rounds)
    }

    /// Remembers that the access reads defined cells only.
    pub(crate) fn remember_clean(&mut self, rounds: RepeatedAccess) {
        if self.clean.len() < MAX_CLEAN_ACCESSES {
            self.clean.push(rounds);
        }
    }

    /// Returns the source of the value of a cell, if an undefined value was written to it.
    pub(crate) fn written_source(&self, cell: u64) -> Option<UndefinedSource> {
        self.written.get(&cell).copied()
    }

    /// Marks cells as defined by a write.
    pub(crate) fn define(&mut self, cells: Range<u64>) {
        if !self.written.is_empty() {
            for cell in cells.clone() {
                self.written.remove(&cell);
            }
        }
        self.defined.insert(cells);
    }

    /// Marks a cell as undefined by a write of an undefined value.
    pub(crate) fn undefine(&mut self, cell: u64, source: UndefinedSource) {
        if self.defined.remove(cell) {
            self.written.insert(cell, source);
            self.clean.clear();
        }
    }

    pub(crate) fn register(&self, group: usize, reg: Reg) -> Option<UndefinedLanes> {
        self.registers.get(&(group, reg)).cloned()
    }

    /// Replaces the undefined lanes among the `active` lanes of a register.
    pub(crate) fn set_register(
        &mut self,
        group: usize,
        reg: Reg,
        active: Mask,
        to: Option<UndefinedLanes>,
    ) {
        replace_lanes(&mut self.registers, (group, reg), active, to);
    }

    pub(crate) fn uniform(&self, group: usize, uniform: Uniform) -> Option<UndefinedLanes> {
        self.uniforms.get(&(group, uniform)).cloned()
    }

    /// Sets or clears the undefined state of a uniform register for the `active` lanes.
    pub(crate) fn set_uniform(
        &mut self,
        group: usize,
        uniform: Uniform,
        active: Mask,
        to: Option<UndefinedLanes>,
    ) {
        let all = to.and_then(|to| to.with_lanes(active));
        replace_lanes(&mut self.uniforms, (group, uniform), active, all);
    }

    pub(crate) fn operand(&self, group: usize, operand: Operand) -> Option<UndefinedLanes> {
        match operand {
            Operand::Lanes(reg) => self.register(group, reg),
            Operand::Uniform(uniform) => self.uniform(group, uniform),
            Operand::Affine(affine) => self.uniform(group, affine.base),
        }
    }

    /// Returns the source of the first undefined byte among `size` bytes of a lane's array.
    pub(crate) fn array_source(
        &self,
        group: usize,
        (array, first): (Array, u64),
        (size, lane): (usize, usize),
    ) -> Option<UndefinedSource> {
        let mut bytes = first..first.saturating_add(size as u64);
        bytes.find_map(|byte| {
            let undefined = self.arrays.get(&(group, array.place, byte))?;
            let is_it = undefined.lanes.contains(lane);
            is_it.then(|| undefined.source(lane))
        })
    }

    /// Replaces the undefined state of `size` bytes of an array, for the lanes in `lane`.
    pub(crate) fn set_array(
        &mut self,
        group: usize,
        (array, first): (Array, u64),
        (size, lane): (usize, Mask),
        to: Option<&UndefinedLanes>,
    ) {
        for byte in first..first.saturating_add(size as u64) {
            replace_lanes(&mut self.arrays, (group, array.place, byte), lane, to.cloned());
        }
    }

    /// Propagates undefined values through a warp operation: the result of a lane is undefined if a
    /// lane that determines it has an undefined value or is absent.
    pub(crate) fn propagate_collective(
        &mut self,
        matrix_words: &[MatrixWord],
        (block, group): (u64, usize),
        (op, step): (WarpInstr, usize),
        (inputs, warp, lanes): (&WarpInputs, usize, u32),
    ) {
        // Without undefined operands, only an absent lane can make a result undefined.
        if !self.has_private() && inputs.is_full_warp() {
            return;
        }
        let absent = |lane: usize| {
            let from = inputs.absent_source(op, lane)? as u32;
            let origin = UndefinedOrigin::AbsentLane {
                step: step as u32,
                mask: inputs.mask(lane),
                lane: from,
            };
            let thread = (group + warp * 32 + lane) as u32;
            Some(UndefinedSource { block, thread, origin })
        };
        let (to, value) = match op {
            WarpInstr::Sync => return,
            WarpInstr::Matrix { word, to, .. } => {
                let word = &matrix_words[word as usize];
                let args = word.args.iter().map(|arg| self.operand(group, *arg));
                let args: Vec<_> = args.collect();
                let source = |lane: usize| {
                    let brought = args.iter().enumerate().find_map(|(arg, undefined)| {
                        let undefined = undefined.as_ref()?;
                        let needed = word.needed_lanes(lane, arg);
                        let from = bits(needed & undefined.lanes.0[warp]).next()?;
                        Some(undefined.source(warp * 32 + from))
                    });
                    brought.or_else(|| absent(lane))
                };
                let of_lane = |lane| Some(((warp * 32 + lane) as u32, source(lane)?));
                let sources = bits(lanes).filter_map(of_lane).collect();
                let to_lanes = UndefinedLanes::from_sources(sources);
                self.set_register(group, to, Mask::of_warp(warp, lanes), to_lanes);
                return;
            }
            WarpInstr::Shuffle { to, value, .. }
            | WarpInstr::Vote { to, value, .. }
            | WarpInstr::Match { to, value, .. }
            | WarpInstr::Reduce { to, value, .. } => (to, value),
        };
        let asked = match op {
            WarpInstr::Shuffle { lane, .. } => self.operand(group, lane),
            WarpInstr::Sync
            | WarpInstr::Vote { .. }
            | WarpInstr::Match { .. }
            | WarpInstr::Reduce { .. }
            | WarpInstr::Matrix { .. } => None,
        };
        let brought = self.operand(group, value);
        let of_warp = |of: &Option<UndefinedLanes>| of.as_ref().map_or(0, |of| of.lanes.0[warp]);
        let (values, sources) = (of_warp(&brought), of_warp(&asked));
        // A value is the better origin to report than the index of its lane, and that than absence.
        let source = |lane: usize| {
            let from = determining_lanes(op, inputs, lane, values) & values;
            if let (Some(brought), Some(from)) = (&brought, bits(from).next()) {
                return Some(brought.source(warp * 32 + from));
            }
            if let Some(asked) = asked.as_ref().filter(|_| sources & (1 << lane) != 0) {
                return Some(asked.source(warp * 32 + lane));
            }
            absent(lane)
        };
        let of_lane = |lane| Some(((warp * 32 + lane) as u32, source(lane)?));
        let to_lanes = UndefinedLanes::from_sources(bits(lanes).filter_map(of_lane).collect());
        self.set_register(group, to, Mask::of_warp(warp, lanes), to_lanes);
    }
}

/// Returns the lanes whose values determine the result of `lane`, given the lanes with undefined
/// values.
fn determining_lanes(op: WarpInstr, inputs: &WarpInputs, lane: usize, undefined: u32) -> u32 {
    let group = inputs.group(lane);
    let decides = |truth: bool| {
        let surely = |other: usize| inputs.is_true(other) == truth;
        bits(group & !undefined).any(surely)
    };
    match op {
        WarpInstr::Sync | WarpInstr::Matrix { .. } => 0,
        WarpInstr::Shuffle { .. } => 1 << inputs.source(op, lane),
        // One false lane determines `all`, one true lane determines `any`.
        WarpInstr::Vote { op: VoteOp::All, .. } if decides(false) => 0,
        WarpInstr::Vote { op: VoteOp::Any, .. } if decides(true) => 0,
        WarpInstr::Vote { .. } | WarpInstr::Match { .. } | WarpInstr::Reduce { .. } => group,
    }
}

/// Replaces the undefined lanes among the `active` lanes of an entry.
fn replace_lanes<K: Eq + std::hash::Hash>(
    all: &mut HashMap<K, UndefinedLanes>,
    key: K,
    active: Mask,
    to: Option<UndefinedLanes>,
) {
    let rest = all.get(&key).and_then(|old| old.clone().restrict_to(!active));
    let to = to.and_then(|to| to.restrict_to(active));
    match UndefinedLanes::union(to, rest) {
        Some(undefined) => all.insert(key, undefined),
        None => all.remove(&key),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::sanitizer::access_log::{Access, LaneAddresses};

    #[test]
    fn clean_accesses_are_forgotten_after_an_undefined_write() {
        let mut undefineds =
            UndefinedValues { defined: Defined::new(8), ..UndefinedValues::default() };
        undefineds.reset();
        let (lanes, places) = (Mask::first(32), LaneAddresses::Same(0));
        let access = Access { site: 0, first_thread: 0, lanes, places, value: None };
        undefineds.define(0..4);
        undefineds.remember_clean((access, 4, 2));
        undefineds.define(4..8);
        assert!(undefineds.is_clean(&(access, 4, 2)));
        assert!(!undefineds.is_clean(&(access, 4, 3)));
        let origin = UndefinedOrigin::Read { at: (0, 4), site: 0 };
        undefineds.undefine(1, UndefinedSource { block: 0, thread: 0, origin });
        assert!(!undefineds.is_clean(&(access, 4, 2)));
        undefineds.remember_clean((access, 4, 2));
        undefineds.reset();
        assert!(!undefineds.is_clean(&(access, 4, 2)), "another block has written nothing");
    }
}
