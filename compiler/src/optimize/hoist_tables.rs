//! Reads [tables](crate::analysis::tables) where the index is known, and fills them before loops
//! instead of in every iteration.
//!
//! ```text
//! for .. {                                 store #0[0], 4
//!   store #0[0], 4                         store #0[1], 9
//!   store #0[1], 9                  =>     for .. {
//!   load #0[1]                               const 9
//!   load #0[k]                               load #0[k]
//! }                                        }
//! ```
//!
//! Why: the front end makes an array of a `const` wherever the source names it, in the body of a
//! loop, too. Unrolling would repeat all of its stores.
use crate::{
    analysis::tables::{Tables, constant_offset, find_tables, read_table, table_of_pointer},
    ir::{ArrayId, Body, Inst, InstId, Kernel, Op, Scalar, Space, Ty},
};
use std::collections::BTreeSet;

/// Reads and hoists the tables of `kernel`, whose instructions are not numbered in order
/// afterwards.
pub(super) fn hoist_tables(kernel: &mut Kernel) {
    if kernel.arrays.is_empty() {
        return;
    }
    let tables = find_tables(kernel);
    if tables.is_empty() {
        return;
    }
    for id in kernel.insts.ids() {
        if let (Op::Load { ptr, .. }, Ty::Scalar(scalar)) =
            (&kernel.insts[id].op, kernel.insts[id].ty)
            && let Some(bits) = read_table(&tables, kernel, *ptr, scalar)
        {
            kernel.insts[id].op = Op::Const(bits);
        }
    }
    let list = std::mem::take(&mut kernel.body);
    let list = Walk { kernel, tables }.body(list);
    kernel.body = list;
}

/// The place that a store fills: an array, the bytes from its beginning, and the type.
type Place = (ArrayId, u64, Scalar);

struct Walk<'k> {
    kernel: &'k mut Kernel,
    tables: Tables,
}

impl Walk<'_> {
    /// Returns `list`, which is in no loop, with the stores into tables in its loops copied before
    /// these.
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            if !self.kernel.insts[id].op.is_leaf() {
                // Taken out while its bodies are walked.
                let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
                if let Op::For { body, .. } | Op::Loop { body } = &mut op {
                    let list = std::mem::take(body);
                    *body = self.hoist(list, &mut BTreeSet::new(), &mut kept);
                } else {
                    for inner in op.bodies_mut() {
                        *inner = self.body(std::mem::take(inner));
                    }
                }
                self.kernel.insts[id].op = op;
            }
            kept.push(id);
        }
        Body(kept)
    }

    /// Returns `list` without the stores that fill tables; copies of these are appended to
    /// `before`. `filled` has the places that are filled there already.
    fn hoist(
        &mut self,
        list: Body,
        filled: &mut BTreeSet<Place>,
        before: &mut Vec<InstId>,
    ) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            if let Some((place, value)) = self.filled_by(id) {
                if filled.insert(place) {
                    self.append_store(id, place, value, before);
                }
                continue;
            }
            kept.push(id);
            if !self.kernel.insts[id].op.is_leaf() {
                // Taken out while its bodies are walked.
                let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
                for inner in op.bodies_mut() {
                    *inner = self.hoist(std::mem::take(inner), filled, before);
                }
                self.kernel.insts[id].op = op;
            }
        }
        Body(kept)
    }

    /// Returns the place of a table that `id` fills, and the value.
    fn filled_by(&self, id: InstId) -> Option<(Place, InstId)> {
        let Op::Store { ptr, value, .. } = self.kernel.insts[id].op else { return None };
        let array = table_of_pointer(&self.tables, self.kernel, ptr)?;
        let Ty::Scalar(scalar) = self.kernel.insts[value].ty else { return None };
        Some(((array, constant_offset(self.kernel, ptr)?, scalar), value))
    }

    /// Appends a copy of the store `id` to `before`, with all that it needs.
    fn append_store(&mut self, id: InstId, place: Place, value: InstId, before: &mut Vec<InstId>) {
        let (array, offset, scalar) = place;
        let span = self.kernel.insts[id].span;
        let value = self.kernel.insts[value].op.clone();
        let mut push = |op, ty| {
            let id = self.kernel.insts.push(Inst { op, ty, span });
            before.push(id);
            id
        };
        let local = Ty::Ptr(Space::Local);
        let base = push(Op::Array(array), local);
        let ptr = match offset {
            0 => base,
            _ => push(Op::Offset { base, offset: offset.into() }, local),
        };
        let value = push(value, scalar.into());
        push(Op::store(ptr, value), Ty::Unit);
    }
}
