//! Whether two accesses in rows of unknown length can be at one place: in one row, and at one column.
//!
//! `y[row * width + column]`: the difference of two places may be 0 for some `width`, as far as sums go. Where both
//! columns are below it, the places are the same only if rows and columns both are, and each of these is looked at for itself.
use super::{
    accesses::Access,
    overlap::{Places, Relation, may_meet},
};
use crate::analysis::symbolic::{Rows, Threads};
use std::cell::OnceCell;

/// Where threads are in more rows, nothing is proved.
const MOST_ROWS: usize = 64;

/// Whether two threads may be in one row at one column, for all that is known; true of accesses that are in no rows, or
/// in rows of two lengths.
pub(super) fn rows_may_meet(
    first: &Access<'_>,
    second: &Access<'_>,
    relation: &Relation<'_>,
) -> bool {
    let (Some(a), Some(b)) = (first.rows, second.rows) else { return true };
    if a.width != b.width {
        return true;
    }
    let [Some(these), Some(those)] =
        [(a, first), (b, second)].map(|(rows, access)| together(rows, &access.active.threads))
    else {
        return true;
    };
    let any = Relation { accept: &|_, _| true, ..*relation };
    these.iter().any(|row| {
        those.iter().any(|other| {
            may_meet(&row.place, &other.place, &any)
                && may_meet(row.columns(a), other.columns(b), relation)
        })
    })
}

/// Threads that are in one row.
struct Row {
    /// By which the row is told from others: its number is a sum of symbols, each with one of these factors.
    factors: Vec<i64>,
    threads: Threads,
    /// Which row it is.
    place: Places,
    /// Where in it they are, once somebody has asked.
    columns: OnceCell<Places>,
}

impl Row {
    fn columns(&self, rows: &Rows) -> &Places {
        self.columns.get_or_init(|| Places::new(&rows.column, 1, &self.threads))
    }
}

/// The rows that some threads are in; `None` if they are too many.
fn together(rows: &Rows, threads: &Threads) -> Option<Vec<Row>> {
    let mut found: Vec<Row> = Vec::new();
    for thread in threads.iter() {
        // Neighbours are mostly in one row.
        let is_here = |row: &Row| {
            rows.row.factors().zip(&row.factors).all(|(factors, &of)| factors.at(thread) == of)
        };
        match found.iter().rposition(is_here) {
            Some(known) => found[known].threads.add(thread),
            None if found.len() == MOST_ROWS => return None,
            None => {
                let mut alone = Threads::none(32 * threads.warps());
                alone.add(thread);
                found.push(Row {
                    factors: rows.row.factors().map(|factors| factors.at(thread)).collect(),
                    place: Places::new(&rows.row, 1, &alone),
                    threads: alone,
                    columns: OnceCell::new(),
                });
            }
        }
    }
    Some(found)
}
