//! Copies of boxes of tensors, and stores in bulk.
//!
//! A copy to shared memory takes place when it is waited for, as a bulk copy does. A store takes
//! place at once; the sanitizer reports writes to its source before the wait.
use super::{Exec, access::with_word, control::Next, count::CountedCopy};
use crate::{
    bytecode::{Address, BulkStore, Operand, TensorCopy},
    exec::{async_copies::BegunCopies, mbarriers::CopySource},
    vector::{lanes, memory::Cells},
};
use std::iter;
use warpwise_compiler::ir::TensorBoxShape;

/// A place in a tensor, with the tensor's extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BoxPlace {
    /// The coordinates of the first element: layer, row and column.
    at: [i32; 3],
    /// The layers, rows and columns of the tensor, and the elements from one row to the next.
    extents: [u64; 4],
}

impl BoxPlace {
    /// True if a coordinate is negative: hardware has no such store, and it is left out.
    fn has_negative(&self) -> bool {
        self.at.iter().any(|at| *at < 0)
    }

    /// Returns the number of the element at this distance from the first one of the box; `None`
    /// outside of the tensor.
    fn element(&self, distance: [u64; 3]) -> Option<u64> {
        let [layers, rows, columns, pitch] = self.extents;
        let coordinate = |axis: usize, extent: u64| {
            let at = i64::from(self.at[axis]) + distance[axis] as i64;
            u64::try_from(at).ok().filter(|at| *at < extent)
        };
        let (layer, row) = (coordinate(0, layers)?, coordinate(1, rows)?);
        let column = coordinate(2, columns)?;
        let row = layer.checked_mul(rows)?.checked_add(row)?;
        row.checked_mul(pitch)?.checked_add(column)
    }
}

impl Exec<'_> {
    /// Begins the copy with this index in the active lanes.
    pub(super) fn begin_tensor_copy(&mut self, number: u32, barrier: Address<Operand>) -> Next {
        let copy = self.code.tensor_copies[number as usize];
        for lane in self.strand.active().lanes() {
            let to = self.byte_address(copy.shared.at, lane);
            if let Some(blocks) = copy.blocks {
                let all = (1 << self.code.cluster_blocks()) - 1;
                let ranks = self.operand_value(blocks, lane) as u32 & all;
                let place = self.box_place(&copy, lane);
                self.count_box(&copy, &place, (true, ranks.count_ones()));
                let from = CopySource::Tensor(place);
                self.send_multicast(barrier, lane, (number, to, from), ranks);
                continue;
            }
            if let (Some(launch), Some(checks), Some(site)) =
                (&self.bound.checks, &mut self.checks, copy.shared.site)
                && launch.checks_races
            {
                let thread = (self.position.first_thread + lane) as u32;
                checks.pending_copies.insert(launch, thread, ((to, site), None), copy.shared.bytes);
            }
            let place = self.box_place(&copy, lane);
            self.count_box(&copy, &place, (true, 1));
            let from = CopySource::Tensor(place);
            if let Err(next) = self.expect_copy(barrier, lane, (number, to, from)) {
                return next;
            }
        }
        Next::Continue
    }

    /// Returns the place of the box that a lane copies.
    fn box_place(&self, copy: &TensorCopy, lane: usize) -> BoxPlace {
        let extents = copy.extents.map(|extent| extent.get(&self.strand.uniforms));
        let [layer, row, column] = copy.at.map(|at| self.operand_value(at, lane) as u32 as i32);
        let at = [layer, row, column & copy.shape.column_mask()];
        BoxPlace { at, extents }
    }

    /// Counts a copy of a box between global memory and so many blocks, if copies are counted.
    fn count_box(&mut self, copy: &TensorCopy, place: &BoxPlace, (is_load, blocks): (bool, u32)) {
        let Some(counter) = copy.shared.counter.filter(|_| blocks > 0) else { return };
        let (shape, base) = (copy.shape, lanes::address(copy.tensor));
        let [layers, rows, columns] = shape.extents;
        let inside = (0..layers)
            .flat_map(|layer| (0..rows).map(move |row| [layer, row]))
            .filter_map(|[layer, row]| {
                let inside = |column| place.element([layer, row, column]);
                let first = (0..columns).find_map(inside)?;
                let last = (0..columns).rev().find_map(inside)?;
                Some(base + first * shape.elem_bytes..base + (last + 1) * shape.elem_bytes)
            });
        let counted = CountedCopy { counter, is_load, bytes: shape.bytes() * u64::from(blocks) };
        self.count_bulk_copy(&counted, inside);
    }

    /// Performs a copy to shared memory; `None` if it is out of bounds there.
    pub(super) fn load_box(&self, copy: &TensorCopy, place: &BoxPlace, to: u64) -> Option<()> {
        let (tensor, bytes) = (self.buffer_cells(copy.tensor)?, copy.shape.elem_bytes);
        let word = word_bytes(tensor, bytes) as usize;
        Self::for_each_chunk(copy, to, |chunk, elements| {
            let mut value = 0;
            for (index, distance) in elements.enumerate() {
                if let Some(element) = place.element(distance) {
                    let first = element.checked_mul(bytes)?;
                    let bits = with_word!(word, self.read_words(tensor, first, bytes))?;
                    value |= bits << (index as u64 * 8 * bytes);
                }
            }
            self.write_bytes(chunk, (TensorBoxShape::CHUNK_BYTES, value))
        })
    }

    /// Performs a copy from shared memory; `None` if it is out of bounds there.
    fn store_box(&self, copy: &TensorCopy, place: &BoxPlace, from: u64) -> Option<()> {
        let (tensor, bytes) = (self.buffer_cells(copy.tensor)?, copy.shape.elem_bytes);
        let word = word_bytes(tensor, bytes) as usize;
        Self::for_each_chunk(copy, from, |chunk, elements| {
            let value = self.read_bytes(chunk, TensorBoxShape::CHUNK_BYTES)?;
            for (index, distance) in elements.enumerate() {
                if let Some(element) = place.element(distance) {
                    let (first, bits) =
                        (element.checked_mul(bytes)?, value >> (index as u64 * 8 * bytes));
                    with_word!(word, self.write_words(tensor, first, (bytes, bits)))?;
                }
            }
            Some(())
        })
    }

    /// Calls `each` with the address of each chunk of a box in shared memory, and the distances of
    /// its elements from the first one of the box.
    fn for_each_chunk(
        copy: &TensorCopy,
        shared: u64,
        mut each: impl FnMut(u64, &mut dyn Iterator<Item = [u64; 3]>) -> Option<()>,
    ) -> Option<()> {
        let shape = &copy.shape;
        let [layers, rows, columns] = shape.extents;
        let elements = TensorBoxShape::CHUNK_BYTES / shape.elem_bytes;
        let mut offset = 0;
        for (layer, row) in (0..layers).flat_map(|layer| (0..rows).map(move |row| (layer, row))) {
            for first in (0..columns).step_by(elements as usize) {
                let at = shared.checked_add(shape.swizzled(offset))?;
                each(at, &mut (first..first + elements).map(|column| [layer, row, column]))?;
                offset += TensorBoxShape::CHUNK_BYTES;
            }
        }
        Some(())
    }

    /// Performs the store with this index in the active lanes.
    pub(super) fn begin_bulk_store(&mut self, number: u32) -> Next {
        let store = self.code.bulk_stores[number as usize];
        let source = store.source();
        let mut begun = Vec::new();
        for lane in self.strand.active().lanes() {
            let from = self.byte_address(source.at, lane);
            let done = match &store {
                BulkStore::Bytes { to, .. } => {
                    let (to, bytes) = (self.byte_address(*to, lane), u64::from(source.bytes));
                    if let Some(counter) = source.counter {
                        let counted = CountedCopy { counter, is_load: false, bytes };
                        self.count_bulk_copy(&counted, iter::once(to..to + bytes));
                    }
                    self.copy_bytes([to, from], bytes)
                }
                BulkStore::Tensor(copy) => {
                    let place = self.box_place(copy, lane);
                    if place.has_negative() {
                        Some(())
                    } else {
                        self.count_box(copy, &place, (false, 1));
                        self.store_box(copy, &place, from)
                    }
                }
            };
            if done.is_none() {
                return Next::OutOfBounds(from);
            }
            if let (Some(launch), Some(checks), Some(site)) =
                (&self.bound.checks, &mut self.checks, source.site)
                && launch.checks_races
            {
                let thread = (self.position.first_thread + lane) as u32;
                checks.pending_copies.insert_store(launch, thread, (from, site), source.bytes);
                begun.push((lane, [from, from]));
            }
        }
        if !begun.is_empty() {
            let oldest = self.bulk_stores.begin(number, begun.into_iter());
            self.end_bulk_stores(oldest.as_slice());
        }
        Next::Continue
    }

    /// Ends the stores of the active lanes' closed groups, but for the last `pending`.
    pub(super) fn wait_for_bulk_stores(&mut self, pending: u32) -> Next {
        let done = self.bulk_stores.take_closed(self.strand.active(), pending.into());
        self.end_bulk_stores(&done);
        Next::Continue
    }

    fn end_bulk_stores(&mut self, stores: &[BegunCopies]) {
        let (Some(launch), Some(checks)) = (&self.bound.checks, &mut self.checks) else { return };
        for BegunCopies { copy, lanes } in stores {
            let source = self.code.bulk_stores[*copy as usize].source();
            for lane in lanes {
                checks.pending_copies.remove_store(launch, lane.from, source.bytes);
            }
        }
    }
}

/// Returns the size of the words by which all copies of a tensor access its elements.
fn word_bytes(cells: Cells<'_>, elem_bytes: u64) -> u64 {
    let fits = |bytes: &u64| *bytes <= elem_bytes && cells.allows(*bytes as usize);
    [8, 4, 2].into_iter().find(fits).unwrap_or(1)
}
