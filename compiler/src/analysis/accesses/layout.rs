//! Layouts of a shared array that free its accesses of bank conflicts.
//!
//! A layout moves bytes: rows become shorter, padding lengthens them, a swizzle permutes the units
//! of a row by the row's number. The search tries the shortest row that has all accesses, paddings
//! in ascending order, then swizzles, and keeps the first one for which the formula of [`shared`]
//! gives every access of the array its ideal number of wavefronts.
use super::{Accesses, Lanes, Verdict};
use crate::{
    analysis::symbolic::{EventKind, Trace},
    hardware::{
        Kind,
        shared::{self, BANKS, WORD_BYTES},
    },
    ir::{Root, SharedId, Space},
};
use std::collections::HashSet;

/// The maximum number of costs to compute for one layout. Arrays with more are left alone.
const MAX_LAYOUT_COSTS: usize = 1024;

/// A mapping of an array's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Rows of `row` bytes, each followed by `by` unused bytes.
    Padded {
        /// Bytes of a row.
        row: u64,
        /// Padding of a row, in bytes.
        by: u64,
    },
    /// Rows of `row` bytes without the last `by`, which nothing accesses.
    Shortened {
        /// Bytes of a row.
        row: u64,
        /// Bytes that a row loses.
        by: u64,
    },
    /// Units of `unit` bytes permuted within rows of `row` bytes: in row r, unit u and unit u ^ (r
    /// % units) change places.
    Swizzled {
        /// Bytes of a row.
        row: u64,
        /// Bytes that stay together; their number in a row is a power of two.
        unit: u64,
    },
}

/// A distinct access of a warp to an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayUse {
    kind: Kind,
    bytes: u32,
    lanes: Lanes,
}

/// Returns the accesses of `array`, each pattern once, as far as rows of `row` bytes tell them
/// apart; and true if they are all the accesses of the kernel to it.
pub fn collect_uses(
    trace: &Trace,
    accesses: &Accesses,
    array: SharedId,
    row: u64,
) -> (Vec<ArrayUse>, bool) {
    let of_array = |root: Option<Root>| root == Some(Root::Shared(array));
    let all = accesses.requests.iter().all(|request| {
        let is_known = matches!(request.verdict, Verdict::Known(_));
        is_known
            || (!of_array(request.root)
                && (request.root.is_some() || request.space != Space::Shared))
    });
    // Rows repeat once both the swizzle and the banks do.
    let window = row.saturating_mul(BANKS);
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for event in &trace.events {
        let (EventKind::Access(access), Some(request)) =
            (&event.kind, accesses.get_of_event(event))
        else {
            continue;
        };
        let is_known = matches!(request.verdict, Verdict::Known(_));
        if !is_known || !of_array(request.root) || request.members.first() != Some(&event.inst) {
            continue;
        }
        let Some(offset) = &access.offset else { continue };
        for warp in (0..event.active.threads.warp_count())
            .filter(|&warp| event.active.threads.lanes_of_warp(warp) != 0)
        {
            let Ok(lanes) = Lanes::exact(offset, warp, event.active.threads.lanes_of_warp(warp))
            else {
                continue;
            };
            let new = ArrayUse {
                kind: request.kind,
                bytes: request.bytes,
                lanes: lanes.normalized(window),
            };
            if known.insert(new.clone()) {
                found.push(new);
            }
            // More uses than prices: the search will not run for them anyway.
            if found.len() > MAX_LAYOUT_COSTS {
                return (found, all);
            }
        }
    }
    (found, all)
}

impl Layout {
    /// Returns the smallest change of rows of `row` bytes that frees all `uses` of conflicts:
    /// shorter rows, if `uses` are all accesses and so may be moved closer together; padding; else
    /// a swizzle.
    pub fn search(uses: &[ArrayUse], row: u64, is_all: bool) -> Option<Self> {
        let unit = uses.iter().map(|of| u64::from(of.bytes)).max()?;
        if row == 0 || !row.is_multiple_of(unit) || cost_count(uses, row) > MAX_LAYOUT_COSTS {
            return None;
        }
        let unused = is_all.then(|| row - used_bytes(uses, row).next_multiple_of(unit));
        // Rows of which most is unused are those of a kernel that is not complete yet.
        let shortened = unused.filter(|by| *by > 0 && 2 * by <= row);
        let shortened = shortened.map(|by| Self::Shortened { row, by });
        let padded = (1..).map(|count| count * unit).take_while(|&by| by <= BANKS * WORD_BYTES);
        let units = row / unit;
        let swizzled =
            (units.is_power_of_two() && units > 1).then_some(Self::Swizzled { row, unit });
        let padded = padded.map(|by| Self::Padded { row, by });
        let mut layouts = shortened.into_iter().chain(padded).chain(swizzled);
        layouts.find(|layout| uses.iter().all(|of| layout.is_conflict_free(of)))
    }

    /// Returns true if `of` has no conflicts in this layout.
    fn is_conflict_free(self, of: &ArrayUse) -> bool {
        bases(of, self.row_bytes()).all(|base| {
            let mut moved = of.lanes.clone();
            for offset in &mut moved.offsets {
                *offset = self.map_offset(offset.saturating_add_unsigned(base));
            }
            let cost =
                shared::count_wavefronts(of.kind, of.bytes, moved.active, &moved.addresses_from(0));
            cost.conflicts() == 0
        })
    }

    fn row_bytes(self) -> u64 {
        match self {
            Self::Padded { row, .. } | Self::Shortened { row, .. } | Self::Swizzled { row, .. } => {
                row
            }
        }
    }

    /// Returns the new offset of the byte at `offset`.
    fn map_offset(self, offset: i64) -> i64 {
        let whole = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
        match self {
            Self::Padded { row, by } => offset + offset.div_euclid(whole(row)) * whole(by),
            Self::Shortened { row, by } => offset - offset.div_euclid(whole(row)) * whole(by),
            Self::Swizzled { row, unit } => {
                let (number, behind) =
                    (offset.div_euclid(whole(row)), offset.rem_euclid(whole(row)));
                let units = whole(row / unit);
                let unit = whole(unit);
                let moved = (behind / unit) ^ number.rem_euclid(units);
                number * whole(row) + moved * unit + behind % unit
            }
        }
    }
}

/// Returns the possible bases of a use, as far as they make a difference.
fn bases(of: &ArrayUse, row: u64) -> impl Iterator<Item = u64> + '_ {
    of.lanes.possible_bases(row.saturating_mul(BANKS), u64::from(of.bytes))
}

/// Returns the number of bytes of a row up to the last one that is accessed.
fn used_bytes(uses: &[ArrayUse], row: u64) -> u64 {
    let last = |of: &ArrayUse| {
        let offsets = (0..of.lanes.offsets.len()).filter(|lane| of.lanes.active >> lane & 1 == 1);
        let starts = bases(of, row).flat_map(|base| {
            offsets.clone().map(move |lane| of.lanes.offsets[lane].saturating_add_unsigned(base))
        });
        let in_row = starts.map(|start| start.rem_euclid(i64::try_from(row).unwrap_or(i64::MAX)));
        in_row.max().map_or(0, i64::unsigned_abs) + u64::from(of.bytes)
    };
    uses.iter().map(last).max().unwrap_or(0).min(row)
}

fn cost_count(uses: &[ArrayUse], row: u64) -> usize {
    uses.iter().map(|of| bases(of, row).take(MAX_LAYOUT_COSTS + 1).count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::LANES;

    fn of(kind: Kind, bytes: u32, step: u64, at: impl Fn(i64) -> i64) -> ArrayUse {
        let offsets = std::array::from_fn(|lane| at(lane as i64) * i64::from(bytes));
        ArrayUse {
            kind,
            bytes,
            lanes: Lanes { active: u32::MAX, offsets, step, clusters: Vec::new() },
        }
    }

    #[test]
    fn a_column_is_freed_by_one_more_element() {
        assert_eq!(LANES, 32);
        let row = of(Kind::Store, 4, 128, |lane| lane);
        let column = of(Kind::Load, 4, 0, |lane| lane * 32);
        let padded = Some(Layout::Padded { row: 128, by: 4 });
        assert_eq!(Layout::search(&[row, column.clone()], 128, false), padded);
        // Whatever the column.
        let any = of(Kind::Load, 4, 4, |lane| lane * 32);
        assert_eq!(Layout::search(&[any], 128, true), padded);
        assert_eq!(Layout::search(&[column], 96 * 1024, false), None);
    }

    #[test]
    fn a_row_that_is_too_long_becomes_shorter() {
        let rows = of(Kind::Store, 4, 0, |lane| lane / 16 * 17 + lane % 16);
        let broadcast = of(Kind::Load, 4, 0, |lane| lane / 16 * 17);
        let uses = [rows, broadcast];
        let shortened = Some(Layout::Shortened { row: 68, by: 4 });
        assert_eq!(Layout::search(&uses, 68, true), shortened);
        // What other accesses need is not known.
        assert_eq!(Layout::search(&uses, 68, false), Some(Layout::Padded { row: 68, by: 124 }));
    }

    #[test]
    fn two_rows_of_sixteen_need_a_swizzle() {
        let rows = of(Kind::Store, 4, 0, |lane| lane);
        let columns = of(Kind::Load, 4, 0, |lane| lane % 16 * 16 + lane / 16);
        let found = Layout::search(&[rows, columns], 64, true);
        assert_eq!(found, Some(Layout::Swizzled { row: 64, unit: 4 }));
    }

    #[test]
    fn vectors_stay_aligned() {
        let column = of(Kind::Load, 16, 0, |lane| lane * 8);
        assert_eq!(
            Layout::search(&[column], 128, false),
            Some(Layout::Padded { row: 128, by: 16 })
        );
    }

    #[test]
    fn no_more_uses_are_collected_than_are_priced() {
        use std::fmt::Write as _;
        let mut text = "kernel many { block 32, 1, 1
            shared @0 = s: [f32; 8192] !0
            %0 = builtin thread_idx.x : u64 !0
            %1 = shared @0 : ptr shared !0\n"
            .to_owned();
        for access in 0..MAX_LAYOUT_COSTS + 100 {
            let id = 2 + 5 * access;
            writeln!(text, "%{id} = const {} : u64 !0", access + 1).unwrap();
            writeln!(text, "%{} = mul %0, %{id} : u64 !0", id + 1).unwrap();
            writeln!(text, "%{} = index %1, %{}, 4 : ptr shared !0", id + 2, id + 1).unwrap();
            writeln!(text, "%{} = load %{} : f32 !0", id + 3, id + 2).unwrap();
            writeln!(text, "%{} = const 0 : u64 !0", id + 4).unwrap();
        }
        let kernel: crate::ir::Kernel = (text + "}").parse().unwrap();
        let analyses = crate::analysis::Analyses::for_kernel(&kernel);
        let array = kernel.shared.ids().next().unwrap();
        let (uses, _) = collect_uses(&analyses.trace, &analyses.accesses, array, 4 * 8192);
        assert_eq!(uses.len(), MAX_LAYOUT_COSTS + 1);
        assert_eq!(Layout::search(&uses, 4 * 8192, false), None);
    }

    #[test]
    fn what_no_layout_frees_is_left() {
        let same_bank = of(Kind::Atomic, 4, 0, |_| 0);
        assert_eq!(Layout::search(&[same_bank], 128, false), None);
    }
}
