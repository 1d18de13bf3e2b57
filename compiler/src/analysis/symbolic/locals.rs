//! Contents of a kernel's locals at one point of the trace.
//!
//! Control flow splits and joins at each `if`, and few locals differ between two such points. The
//! contents are therefore kept in chunks that points share until one of them sets a local of the
//! chunk: a copy costs nothing, a `set` copies one chunk, and a join skips shared chunks.
use super::abstract_value::AbstractValue;
use crate::{id::Id as _, ir::LocalId};
use std::{ops::Index, rc::Rc};

/// Locals per chunk.
const LOCALS_PER_CHUNK: usize = 16;

/// The contents of all locals, in chunks that copies share.
#[derive(Clone, Debug)]
pub(super) struct Locals(Rc<Vec<Rc<Vec<AbstractValue>>>>);

impl Locals {
    pub(super) fn new(all: impl Iterator<Item = AbstractValue>) -> Self {
        let all: Vec<AbstractValue> = all.collect();
        Self(Rc::new(all.chunks(LOCALS_PER_CHUNK).map(|chunk| Rc::new(chunk.to_vec())).collect()))
    }

    /// Sets the content of `local`.
    pub(super) fn set(&mut self, local: LocalId, known: AbstractValue) {
        let chunks = Rc::make_mut(&mut self.0);
        Rc::make_mut(&mut chunks[local.index() / LOCALS_PER_CHUNK])
            [local.index() % LOCALS_PER_CHUNK] = known;
    }

    /// Returns the locals with another content in `other`.
    pub(super) fn diff(&self, other: &Self) -> Vec<LocalId> {
        let mut different = Vec::new();
        if Rc::ptr_eq(&self.0, &other.0) {
            return different;
        }
        for (number, (chunk, others)) in self.0.iter().zip(&*other.0).enumerate() {
            if !Rc::ptr_eq(chunk, others) {
                let pairs = chunk.iter().zip(&**others).enumerate();
                let found = pairs.filter(|(_, (known, other))| !known.is_same_value(other));
                different.extend(found.map(|(at, _)| LocalId::new(number * LOCALS_PER_CHUNK + at)));
            }
        }
        different
    }
}

impl Index<LocalId> for Locals {
    type Output = AbstractValue;

    fn index(&self, local: LocalId) -> &AbstractValue {
        &self.0[local.index() / LOCALS_PER_CHUNK][local.index() % LOCALS_PER_CHUNK]
    }
}
