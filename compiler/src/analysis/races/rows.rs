//! Whether two accesses in rows of unknown length can be at one place: in one row, and at one column.
//!
//! `y[row * width + column]`: the difference of two places may be 0 for some `width`, as far as sums go. Where both
//! columns are below it, the places are the same only if rows and columns both are, and each of these is looked at for itself.
use super::{
    accesses::Access,
    overlap::{Places, Relation, may_meet},
};
use crate::analysis::trace::{Rows, Threads, Value};

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
    let at = |of: &Value, threads: &Threads| Places::new(of, 1, threads);
    these.iter().any(|threads| {
        those.iter().any(|others| {
            may_meet(&at(&a.row, &one(threads)), &at(&b.row, &one(others)), &any)
                && may_meet(&at(&a.column, threads), &at(&b.column, others), relation)
        })
    })
}

/// The threads of each row.
fn together(rows: &Rows, threads: &Threads) -> Option<Vec<Threads>> {
    let mut left = threads.clone();
    let mut found = Vec::new();
    loop {
        let first = left.iter().next();
        let Some(first) = first else { return Some(found) };
        if found.len() == MOST_ROWS {
            return None;
        }
        let is_same = |thread: usize| {
            let mut terms = rows.row.terms().iter();
            left.has(thread) && terms.all(|term| term.factors.at(thread) == term.factors.at(first))
        };
        let row = Threads::where_true(32 * left.warps(), is_same);
        left = left.without(&row);
        found.push(row);
    }
}

/// One of some threads.
fn one(threads: &Threads) -> Threads {
    let first = threads.iter().next();
    Threads::where_true(32 * threads.warps(), |thread| Some(thread) == first)
}
