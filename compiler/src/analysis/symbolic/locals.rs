//! The contents of a kernel's locals at one place of the trace.
//!
//! Control splits and joins at each `if`, and few locals differ between two such places. So the contents are kept in
//! chunks, which places share until one of them sets a local in it: a copy costs nothing, a `set` copies a chunk, and
//! a join passes over chunks that are shared.
use super::known::Known;
use crate::{id::Id as _, ir::LocalId};
use std::{ops::Index, rc::Rc};

/// Locals in a chunk.
const CHUNK: usize = 16;

/// The contents of all locals, in chunks that copies share.
#[derive(Clone, Debug)]
pub(super) struct Locals(Rc<Vec<Rc<Vec<Known>>>>);

impl Locals {
    pub(super) fn new(all: impl Iterator<Item = Known>) -> Self {
        let all: Vec<Known> = all.collect();
        Self(Rc::new(all.chunks(CHUNK).map(|chunk| Rc::new(chunk.to_vec())).collect()))
    }

    /// Sets what `local` holds.
    pub(super) fn set(&mut self, local: LocalId, known: Known) {
        let chunks = Rc::make_mut(&mut self.0);
        Rc::make_mut(&mut chunks[local.index() / CHUNK])[local.index() % CHUNK] = known;
    }

    /// Returns the locals that hold something else in `other`.
    pub(super) fn different(&self, other: &Self) -> Vec<LocalId> {
        let mut different = Vec::new();
        if Rc::ptr_eq(&self.0, &other.0) {
            return different;
        }
        for (number, (chunk, others)) in self.0.iter().zip(&*other.0).enumerate() {
            if !Rc::ptr_eq(chunk, others) {
                let pairs = chunk.iter().zip(&**others).enumerate();
                let found = pairs.filter(|(_, (known, other))| !known.is_same(other));
                different.extend(found.map(|(at, _)| LocalId::new(number * CHUNK + at)));
            }
        }
        different
    }
}

impl Index<LocalId> for Locals {
    type Output = Known;

    fn index(&self, local: LocalId) -> &Known {
        &self.0[local.index() / CHUNK][local.index() % CHUNK]
    }
}
