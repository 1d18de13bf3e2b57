//! Undefined values: reads of unwritten shared memory and their propagation.
//!
//! A cell of shared memory is undefined until a thread writes it. A read of it is no error yet: the
//! value is tracked through registers, computations and shared memory, until a branch, an address
//! or an output of the block depends on it. As long as no undefined value has been read, nothing
//! needs to be tracked.
use super::{
    LaunchChecks,
    defined::{Defined, Rounds},
    found::{Origin, Source},
};
use crate::{
    bytecode::{Operand, WarpInputs, WarpOp},
    vector::{
        mask::{Mask, bits},
        registers::{Array, Reg, Uniform},
    },
};
use std::{collections::HashMap, ops::Range, sync::Arc};
use warpwise_compiler::ir::VoteOp;

/// The lanes of a group with an undefined value, each with its source.
#[derive(Clone, Debug)]
pub(crate) struct Undefined {
    pub(crate) lanes: Mask,
    /// Ascending by lane, at least one. There may be entries of other lanes; a lane without an
    /// entry has the source of the first.
    sources: Arc<[(u32, Source)]>,
}

impl Undefined {
    /// Creates the set of these lanes, in ascending order; `None` without any.
    pub(crate) fn of(sources: Vec<(u32, Source)>) -> Option<Self> {
        let mut lanes = Mask::EMPTY;
        for (lane, _) in &sources {
            lanes.0[*lane as usize / 32] |= 1 << (lane % 32);
        }
        (!sources.is_empty()).then(|| Self { lanes, sources: sources.into() })
    }

    /// Returns the source of a lane's value.
    pub(crate) fn source(&self, lane: usize) -> Source {
        let known = self.sources.binary_search_by_key(&lane, |(lane, _)| *lane as usize);
        self.sources[known.unwrap_or(0)].1
    }

    /// Returns the union of two sets; a lane in both has the source of the first.
    pub(crate) fn or(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (one, other) = match (one, other) {
            (Some(one), Some(other)) => (one, other),
            (one, other) => return one.or(other),
        };
        let lanes = one.lanes | other.lanes;
        if Arc::ptr_eq(&one.sources, &other.sources) || one.lanes == lanes {
            return Some(Self { lanes, ..one });
        }
        let of = |lane: usize| {
            let first = one.lanes.0[lane / 32] & (1 << (lane % 32)) != 0;
            (lane as u32, if first { one.source(lane) } else { other.source(lane) })
        };
        Self::of(lanes.lanes().map(of).collect())
    }

    /// Returns the set with the lanes replaced: they share one undefined value.
    fn in_common(self, lanes: Mask) -> Option<Self> {
        (!lanes.is_empty()).then_some(Self { lanes, ..self })
    }

    /// Returns the part of the set that is in `lanes`.
    pub(crate) fn among(self, lanes: Mask) -> Option<Self> {
        let lanes = self.lanes & lanes;
        (!lanes.is_empty()).then_some(Self { lanes, ..self })
    }
}

/// The maximum number of accesses that are remembered as clean.
const CLEAN: usize = 64;

/// The undefined values of a block.
#[derive(Debug, Default)]
pub(crate) struct Undefineds {
    /// The defined cells of shared memory.
    pub(crate) defined: Defined,
    /// By cell that holds an undefined value that was written to it, the source of the value.
    written: HashMap<u64, Source>,
    /// Accesses that only read defined cells, as long as no undefined value is written.
    clean: Vec<Rounds>,
    /// By the first thread of a group and register.
    registers: HashMap<(usize, Reg), Undefined>,
    /// By the first thread of a group and uniform register.
    uniforms: HashMap<(usize, Uniform), Undefined>,
    /// By the first thread of a group, the place of a thread's own array, and the byte in it.
    arrays: HashMap<(usize, u32, u64), Undefined>,
}

impl Undefineds {
    pub(crate) fn new(launch: &LaunchChecks<'_>) -> Self {
        Self { defined: Defined::new(launch.cells as usize), ..Self::default() }
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
    pub(crate) fn are_there(&self) -> bool {
        !self.registers.is_empty() || !self.uniforms.is_empty() || !self.arrays.is_empty()
    }

    /// Returns true if the effects of an access must be tracked.
    #[inline(always)]
    pub(crate) fn may_matter(&self, is_shared: bool) -> bool {
        (is_shared && self.defined.lacks_some()) || self.are_there()
    }

    /// Returns true if the access is known to read defined cells only.
    pub(crate) fn are_clean(&self, rounds: &Rounds) -> bool {
        self.clean.contains(rounds)
    }

    /// Remembers that the access reads defined cells only.
    pub(crate) fn remember_clean(&mut self, rounds: Rounds) {
        if self.clean.len() < CLEAN {
            self.clean.push(rounds);
        }
    }

    /// Returns the source of the value of a cell, if an undefined value was written to it.
    pub(crate) fn written(&self, cell: u64) -> Option<Source> {
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
    pub(crate) fn undefine(&mut self, cell: u64, source: Source) {
        if self.defined.remove(cell) {
            self.written.insert(cell, source);
            self.clean.clear();
        }
    }

    pub(crate) fn lanes(&self, group: usize, reg: Reg) -> Option<Undefined> {
        self.registers.get(&(group, reg)).cloned()
    }

    /// Replaces the undefined lanes among the `active` lanes of a register.
    pub(crate) fn set_lanes(
        &mut self,
        group: usize,
        reg: Reg,
        active: Mask,
        to: Option<Undefined>,
    ) {
        set(&mut self.registers, (group, reg), active, to);
    }

    pub(crate) fn uniform(&self, group: usize, uniform: Uniform) -> Option<Undefined> {
        self.uniforms.get(&(group, uniform)).cloned()
    }

    /// Sets or clears the undefined state of a uniform register for the `active` lanes.
    pub(crate) fn set_uniform(
        &mut self,
        group: usize,
        uniform: Uniform,
        active: Mask,
        to: Option<Undefined>,
    ) {
        let all = to.and_then(|to| to.in_common(active));
        set(&mut self.uniforms, (group, uniform), active, all);
    }

    pub(crate) fn operand(&self, group: usize, operand: Operand) -> Option<Undefined> {
        match operand {
            Operand::Lanes(reg) => self.lanes(group, reg),
            Operand::Uniform(uniform) => self.uniform(group, uniform),
            Operand::Affine(affine) => self.uniform(group, affine.base),
        }
    }

    /// Returns the source of the first undefined byte among `size` bytes of a lane's array.
    pub(crate) fn in_array(
        &self,
        group: usize,
        (array, first): (Array, u64),
        (size, lane): (usize, usize),
    ) -> Option<Source> {
        let mut bytes = first..first.saturating_add(size as u64);
        bytes.find_map(|byte| {
            let undefined = self.arrays.get(&(group, array.place, byte))?;
            let is_it = undefined.lanes.0[lane / 32] & (1 << (lane % 32)) != 0;
            is_it.then(|| undefined.source(lane))
        })
    }

    /// Replaces the undefined state of `size` bytes of an array, for the lanes in `lane`.
    pub(crate) fn set_in_array(
        &mut self,
        group: usize,
        (array, first): (Array, u64),
        (size, lane): (usize, Mask),
        to: Option<&Undefined>,
    ) {
        for byte in first..first.saturating_add(size as u64) {
            set(&mut self.arrays, (group, array.place, byte), lane, to.cloned());
        }
    }

    /// Propagates undefined values through a warp operation: the result of a lane is undefined if a
    /// lane that determines it has an undefined value or is absent.
    pub(crate) fn exchange(
        &mut self,
        (block, group): (u64, usize),
        (op, step): (WarpOp, usize),
        inputs: &WarpInputs,
        (warp, lanes): (usize, u32),
    ) {
        if !self.are_there() && inputs.is_everybody() {
            return;
        }
        let (to, value) = match op {
            WarpOp::Sync => return,
            WarpOp::Shuffle { to, value, .. }
            | WarpOp::Vote { to, value, .. }
            | WarpOp::Match { to, value, .. }
            | WarpOp::Reduce { to, value, .. } => (to, value),
        };
        let asked = match op {
            WarpOp::Shuffle { lane, .. } => self.operand(group, lane),
            WarpOp::Sync | WarpOp::Vote { .. } | WarpOp::Match { .. } | WarpOp::Reduce { .. } => {
                None
            }
        };
        let brought = self.operand(group, value);
        let of_warp = |of: &Option<Undefined>| of.as_ref().map_or(0, |of| of.lanes.0[warp]);
        let (values, sources) = (of_warp(&brought), of_warp(&asked));
        let source = |lane: usize| {
            let from = sources_of(op, inputs, lane, values) & values;
            if let (Some(brought), Some(from)) = (&brought, bits(from).next()) {
                return Some(brought.source(warp * 32 + from));
            }
            if let Some(asked) = asked.as_ref().filter(|_| sources & (1 << lane) != 0) {
                return Some(asked.source(warp * 32 + lane));
            }
            let from = inputs.absent_source(op, lane)? as u32;
            let origin = Origin::Absent { step: step as u32, mask: inputs.mask(lane), lane: from };
            let thread = (group + warp * 32 + lane) as u32;
            Some(Source { block, thread, origin })
        };
        let of_lane = |lane| Some(((warp * 32 + lane) as u32, source(lane)?));
        let to_lanes = Undefined::of(bits(lanes).filter_map(of_lane).collect());
        self.set_lanes(group, to, Mask::of_warp(warp, lanes), to_lanes);
    }
}

/// Returns the lanes whose values determine the result of `lane`, given the lanes with undefined
/// values.
fn sources_of(op: WarpOp, inputs: &WarpInputs, lane: usize, undefined: u32) -> u32 {
    let group = inputs.group(lane);
    let decides = |truth: bool| {
        let surely = |other: usize| inputs.is_true(other) == truth;
        bits(group & !undefined).any(surely)
    };
    match op {
        WarpOp::Sync => 0,
        WarpOp::Shuffle { .. } => 1 << inputs.source(op, lane),
        // One false lane determines `all`, one true lane determines `any`.
        WarpOp::Vote { op: VoteOp::All, .. } if decides(false) => 0,
        WarpOp::Vote { op: VoteOp::Any, .. } if decides(true) => 0,
        WarpOp::Vote { .. } | WarpOp::Match { .. } | WarpOp::Reduce { .. } => group,
    }
}

/// Replaces the undefined lanes among the `active` lanes of an entry.
fn set<K: Eq + std::hash::Hash>(
    all: &mut HashMap<K, Undefined>,
    key: K,
    active: Mask,
    to: Option<Undefined>,
) {
    let rest = all.get(&key).and_then(|old| old.clone().among(!active));
    let to = to.and_then(|to| to.among(active));
    match Undefined::or(to, rest) {
        Some(undefined) => all.insert(key, undefined),
        None => all.remove(&key),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::sanitizer::access_log::{Access, Where};

    #[test]
    fn what_was_clean_is_until_something_undefined_is_written() {
        let mut undefineds = Undefineds { defined: Defined::new(8), ..Undefineds::default() };
        undefineds.reset();
        let (lanes, places) = (Mask::first(32), Where::Same(0));
        let access = Access { site: 0, first_thread: 0, lanes, places, value: None };
        undefineds.define(0..4);
        undefineds.remember_clean((access, 4, 2));
        undefineds.define(4..8);
        assert!(undefineds.are_clean(&(access, 4, 2)));
        assert!(!undefineds.are_clean(&(access, 4, 3)));
        let origin = Origin::Read { at: (0, 4), site: 0 };
        undefineds.undefine(1, Source { block: 0, thread: 0, origin });
        assert!(!undefineds.are_clean(&(access, 4, 2)));
        undefineds.remember_clean((access, 4, 2));
        undefineds.reset();
        assert!(!undefineds.are_clean(&(access, 4, 2)), "another block has written nothing");
    }
}
