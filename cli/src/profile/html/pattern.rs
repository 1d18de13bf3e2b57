//! Where the lanes of a warp go: to the banks of shared memory, or to sectors of global memory.
//!
//! On top are the 32 lanes, below what they go to: a column for each bank, with the words that are wanted of it, or for
//! each sector, with those of its eight words that are wanted.
use super::svg::Svg;
use crate::profile::read::{Access, Request, Space};
use std::collections::{BTreeMap, BTreeSet};
use warpwise_compiler::hardware::{
    global::SECTOR_BYTES,
    shared::{BANKS, WORD_BYTES},
};

/// Of the whole drawing.
const WIDTH: f64 = 704.0;
const MARGIN: f64 = 16.0;
/// Between the lanes and what they go to.
const GAP: f64 = 90.0;
const LANE_TOP: f64 = 22.0;
const LANE: f64 = 18.0;
const CELL: f64 = 9.0;
/// Rows of a column that are drawn.
const MOST_ROWS: usize = 64;

/// The drawing of an access's worst request.
pub(super) fn drawing(access: &Access) -> String {
    let columns = match access.space {
        Space::Shared => banks(access),
        Space::Global => sectors(access),
    };
    let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
    let top = LANE_TOP + LANE + GAP;
    let mut svg = Svg::new(WIDTH, top + rows as f64 * CELL + 26.0);
    let unit = match access.space {
        Space::Shared => "banks: words of 4 bytes that are wanted of each",
        Space::Global => "sectors of 32 bytes, and which of their words are wanted",
    };
    svg.text("start small", [MARGIN, 12.0], "lanes");
    let step = (WIDTH - 2.0 * MARGIN) / columns.len().max(1) as f64;
    let middle = |index: usize| MARGIN + (index as f64 + 0.5) * step;
    for (index, column) in columns.iter().enumerate() {
        for &lane in &column.lanes {
            let class = if column.is_busy { "edge busy" } else { "edge" };
            svg.line(class, [lane_middle(lane), LANE_TOP + LANE], [middle(index), top]);
        }
    }
    lanes(&mut svg, access.worst.active);
    let width = (step - 2.0).min(18.0);
    for (index, column) in columns.iter().enumerate() {
        for (row, cell) in column.cells.iter().enumerate() {
            let at = [middle(index) - width / 2.0, top + row as f64 * CELL];
            svg.rect(cell, at, [width, CELL - 1.0]);
        }
    }
    svg.text("start small", [MARGIN, top + rows as f64 * CELL + 16.0], unit);
    svg.end("pattern", &described(access))
}

fn lane_middle(lane: usize) -> f64 {
    let step = (WIDTH - 2.0 * MARGIN) / 32.0;
    MARGIN + (lane as f64 + 0.5) * step
}

fn lanes(svg: &mut Svg, active: u32) {
    for lane in 0..32 {
        let class = if active >> lane & 1 != 0 { "lane" } else { "lane idle" };
        svg.rect(class, [lane_middle(lane) - 9.0, LANE_TOP], [18.0, LANE]);
        svg.text("middle lane-number", [lane_middle(lane), LANE_TOP + 13.0], &lane.to_string());
    }
}

/// What lanes go to.
struct Column {
    /// Who goes there.
    lanes: BTreeSet<usize>,
    /// Classes of what is drawn, from the top.
    cells: Vec<&'static str>,
    /// Whether it takes longer because of what is wanted of it.
    is_busy: bool,
}

/// Offsets of active lanes.
fn offsets(request: &Request) -> impl Iterator<Item = (usize, u64)> {
    request.offsets.iter().enumerate().filter_map(|(lane, offset)| Some((lane, (*offset)?)))
}

/// Of each piece of `size` bytes that is wanted, who wants it.
fn pieces(access: &Access, size: u64) -> BTreeMap<u64, BTreeSet<usize>> {
    let mut found: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
    for (lane, offset) in offsets(&access.worst) {
        let last = offset.saturating_add(u64::from(access.bytes.max(1)) - 1);
        for piece in offset / size..=last / size {
            found.entry(piece).or_default().insert(lane);
        }
    }
    found
}

/// All banks. A bank that has to yield more words than others do makes the access slow.
fn banks(access: &Access) -> Vec<Column> {
    let words = pieces(access, WORD_BYTES);
    let of = |bank: u64| {
        let wanted = || words.iter().filter(move |(word, _)| **word % BANKS == bank);
        let lanes = wanted().flat_map(|(_, lanes)| lanes).copied().collect();
        // An atomic update of a word takes its turn for each lane.
        let turns = match access.access {
            super::Verb::Atomic => wanted().map(|(_, lanes)| lanes.len()).sum(),
            super::Verb::Load | super::Verb::Store => wanted().count(),
        };
        // Of 8 and 16 bytes a lane, that many groups are served one after the other.
        let fair = (access.bytes / 4).max(1) as usize;
        let cell = |row| if row < fair { "cell" } else { "cell busy" };
        let cells = match turns {
            0 => vec!["cell empty"],
            _ => (0..turns.min(MOST_ROWS)).map(cell).collect(),
        };
        Column { lanes, cells, is_busy: turns > fair }
    };
    (0..BANKS).map(of).collect()
}

/// The sectors that are touched.
fn sectors(access: &Access) -> Vec<Column> {
    let words = pieces(access, WORD_BYTES);
    let touched = pieces(access, SECTOR_BYTES);
    let is_worse = access.worst.taken > access.worst.ideal;
    let column = |(sector, lanes): (u64, BTreeSet<usize>)| {
        let first = sector * (SECTOR_BYTES / WORD_BYTES);
        let is_wanted = |word: u64| words.contains_key(&(first + word));
        let full = (0..SECTOR_BYTES / WORD_BYTES).all(is_wanted);
        let cell = |word| if is_wanted(word) { "cell" } else { "cell empty" };
        let cells = (0..SECTOR_BYTES / WORD_BYTES).map(cell).collect();
        Column { lanes, cells, is_busy: is_worse && !full }
    };
    touched.into_iter().map(column).collect()
}

/// What is drawn, in words.
fn described(access: &Access) -> String {
    let Request { active, taken, ideal, .. } = access.worst;
    let unit = match access.space {
        Space::Shared => "wavefronts",
        Space::Global => "sectors",
    };
    format!("{} lanes take {taken} {unit}, and {ideal} would do", active.count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::read::Verb;

    fn access(space: Space, bytes: u32, stride: u64) -> Access {
        let offsets = std::array::from_fn(|lane| Some(lane as u64 * stride));
        let worst = Request { block: 0, warp: 0, active: u32::MAX, taken: 32, ideal: 4, offsets };
        let (file, memory) = ("src/main.rs".to_owned(), "x".to_owned());
        let (line, column, access) = (1, 1, Verb::Load);
        let (requests, taken, ideal) = (1, 32, 4);
        Access { file, line, column, memory, space, access, bytes, requests, taken, ideal, worst }
    }

    #[test]
    fn lanes_go_to_the_banks_of_their_words() {
        let columns = banks(&access(Space::Shared, 4, 4));
        assert!(columns.iter().all(|column| column.cells == ["cell"] && !column.is_busy));
        let columns = banks(&access(Space::Shared, 4, 128));
        assert_eq!((columns[0].lanes.len(), columns[0].cells.len()), (32, 32));
        assert!(columns[0].is_busy && columns[1].lanes.is_empty());
        let columns = banks(&access(Space::Shared, 8, 8));
        assert!(columns.iter().all(|column| column.cells.len() == 2 && !column.is_busy));
    }

    #[test]
    fn sectors_show_what_is_wanted_of_them() {
        let columns = sectors(&access(Space::Global, 4, 4));
        assert_eq!(columns.len(), 4);
        assert!(columns.iter().all(|column| column.lanes.len() == 8 && !column.is_busy));
        let columns = sectors(&access(Space::Global, 4, 256));
        assert_eq!(columns.len(), 32);
        let wanted = |column: &Column| column.cells.iter().filter(|cell| **cell == "cell").count();
        assert!(columns.iter().all(|column| wanted(column) == 1 && column.is_busy));
        assert!(drawing(&access(Space::Global, 4, 256)).contains("32 lanes take 32 sectors"));
    }
}
