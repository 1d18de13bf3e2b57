//! Collisions of accesses in rows of an unknown length: in one row, at one column.
//!
//! `y[row * width + column]`: as sums, two offsets may be equal for some `width`. If both columns
//! are below it, the offsets are equal only if both rows and columns are, and each of these is
//! compared separately.
use super::{
    accesses::SharedAccess,
    overlap::{PairAssumptions, ThreadOffsets, may_collide},
};
use crate::analysis::symbolic::{Rows, ThreadSet};
use std::cell::OnceCell;

/// Maximum number of rows that threads are in; beyond it nothing is proved.
const MAX_ROWS: usize = 64;

/// Returns true unless two threads are provably never in one row at one column; also for accesses
/// that are in no rows, or in rows of two lengths.
pub(super) fn rows_may_collide(
    first: &SharedAccess<'_>,
    second: &SharedAccess<'_>,
    relation: &PairAssumptions<'_>,
) -> bool {
    let (Some(a), Some(b)) = (first.rows, second.rows) else { return true };
    if a.width != b.width {
        return true;
    }
    let [Some(these), Some(those)] =
        [(a, first), (b, second)].map(|(rows, access)| group_by_row(rows, &access.active.threads))
    else {
        return true;
    };
    let any = PairAssumptions { accept: &|_, _| true, ..*relation };
    these.iter().any(|row| {
        those.iter().any(|other| {
            may_collide(&row.row_offsets, &other.row_offsets, &any)
                && may_collide(row.columns(a), other.columns(b), relation)
        })
    })
}

/// The threads in one row.
struct RowThreads {
    /// The key of the row: its number is a sum of symbols with these factors.
    factors: Vec<i64>,
    threads: ThreadSet,
    /// The row number.
    row_offsets: ThreadOffsets,
    /// The columns of the threads, computed on demand.
    columns: OnceCell<ThreadOffsets>,
}

impl RowThreads {
    fn columns(&self, rows: &Rows) -> &ThreadOffsets {
        self.columns.get_or_init(|| ThreadOffsets::new(&rows.column, 1, &self.threads))
    }
}

/// Groups threads by row; `None` if there are too many rows.
fn group_by_row(rows: &Rows, threads: &ThreadSet) -> Option<Vec<RowThreads>> {
    let mut found: Vec<RowThreads> = Vec::new();
    for thread in threads.iter() {
        // Neighbours are mostly in one row.
        let is_here = |row: &RowThreads| {
            rows.row
                .factors()
                .zip(&row.factors)
                .all(|(factors, &of)| factors.number_in(thread) == of)
        };
        match found.iter().rposition(is_here) {
            Some(known) => found[known].threads.insert(thread),
            None if found.len() == MAX_ROWS => return None,
            None => {
                let mut alone = ThreadSet::none(32 * threads.warp_count());
                alone.insert(thread);
                found.push(RowThreads {
                    factors: rows.row.factors().map(|factors| factors.number_in(thread)).collect(),
                    row_offsets: ThreadOffsets::new(&rows.row, 1, &alone),
                    threads: alone,
                    columns: OnceCell::new(),
                });
            }
        }
    }
    Some(found)
}
