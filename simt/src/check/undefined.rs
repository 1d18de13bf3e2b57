//! Values that nobody has written: where they are, and where they came from.
//!
//! A cell of shared memory is undefined until somebody writes it. Reading it is no fault yet: the value is followed through
//! registers and computations, and into shared memory again, until a branch, an address or what leaves the block depends on
//! it. As long as nothing undefined was read, there is nothing to follow.
use super::{BoundChecks, found::Source};
use crate::{
    mask::Mask,
    registers::{Reg, Uniform},
};
use std::{collections::HashMap, ops::Range};

/// Lanes whose value is undefined, and where one of these comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Undefined {
    pub(crate) lanes: Mask,
    pub(crate) source: Source,
}

impl Undefined {
    /// Both together, if there are such.
    pub(crate) fn or(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(Self { lanes: one.lanes | other.lanes, ..one }),
            (one, other) => one.or(other),
        }
    }

    /// What is left of it among `lanes`.
    pub(crate) fn among(self, lanes: Mask) -> Option<Self> {
        let lanes = self.lanes & lanes;
        (!lanes.is_empty()).then_some(Self { lanes, ..self })
    }
}

/// What is undefined in a block.
#[derive(Debug, Default)]
pub(crate) struct Undefineds {
    /// Of each cell of shared memory, whether it is defined.
    defined: Vec<bool>,
    /// How many are not.
    missing: usize,
    /// Of groups, by the number of their first thread, and registers.
    registers: HashMap<(usize, Reg), Undefined>,
    /// The same of values held once.
    uniforms: HashMap<(usize, Uniform), Undefined>,
}

impl Undefineds {
    pub(crate) fn new(bound: &BoundChecks) -> Self {
        Self { defined: vec![false; bound.cells as usize], ..Self::default() }
    }

    /// As a new block, in which nothing is written.
    pub(crate) fn reset(&mut self) {
        self.defined.fill(false);
        self.missing = self.defined.len();
        self.registers.clear();
        self.uniforms.clear();
    }

    /// Whether some register may be undefined.
    #[inline(always)]
    pub(crate) fn are_there(&self) -> bool {
        !self.registers.is_empty() || !self.uniforms.is_empty()
    }

    /// Whether it matters what an access does.
    #[inline(always)]
    pub(crate) fn may_matter(&self, is_shared: bool) -> bool {
        (is_shared && self.missing > 0) || self.are_there()
    }

    pub(crate) fn is_defined(&self, cell: u64) -> bool {
        self.defined.get(cell as usize).copied().unwrap_or(true)
    }

    /// Whether all of some cells are.
    pub(crate) fn are_defined(&self, cells: Range<u64>) -> bool {
        let cells = self.defined.get(cells.start as usize..cells.end as usize);
        cells.is_none_or(|cells| cells.iter().all(|defined| *defined))
    }

    /// Notes that some cells are written, with what is defined or is not.
    pub(crate) fn write(&mut self, cells: Range<u64>, is_defined: bool) {
        let cells = self.defined.get_mut(cells.start as usize..cells.end as usize);
        let Some(cells) = cells else { return };
        let were = cells.iter().filter(|defined| **defined).count();
        cells.fill(is_defined);
        let are = if is_defined { cells.len() } else { 0 };
        self.missing = self.missing + were - are;
    }

    pub(crate) fn lanes(&self, group: usize, reg: Reg) -> Option<Undefined> {
        self.registers.get(&(group, reg)).copied()
    }

    /// Sets what is undefined of the `active` lanes of a register.
    pub(crate) fn set_lanes(
        &mut self,
        group: usize,
        reg: Reg,
        active: Mask,
        to: Option<Undefined>,
    ) {
        let rest = self.lanes(group, reg).and_then(|old| old.among(!active));
        let to = to.and_then(|to| to.among(active));
        match Undefined::or(to, rest) {
            Some(undefined) => self.registers.insert((group, reg), undefined),
            None => self.registers.remove(&(group, reg)),
        };
    }

    pub(crate) fn uniform(&self, group: usize, uniform: Uniform) -> Option<Undefined> {
        self.uniforms.get(&(group, uniform)).copied()
    }

    pub(crate) fn set_uniform(&mut self, group: usize, uniform: Uniform, to: Option<Undefined>) {
        match to {
            Some(undefined) => self.uniforms.insert((group, uniform), undefined),
            None => self.uniforms.remove(&(group, uniform)),
        };
    }
}
