//! The access pattern of a warp: its lanes, and the banks or sectors that they access.
//!
//! The 32 lanes are at the top. Below them is a column for each bank, with the accessed words of
//! the bank, for each word of constant memory, or for each sector, with its eight words of which
//! the accessed ones are marked.
use super::svg::Svg;
use crate::{
    hardware::{
        Kind, LANES, constant,
        global::SECTOR_BYTES,
        shared::{BANKS, WORD_BYTES},
    },
    ir::Space,
};
use std::collections::{BTreeMap, BTreeSet};

/// A request of a warp, which the interpreter records.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The memory: shared and constant memory take wavefronts, global memory transfers sectors.
    pub space: Space,
    /// The kind of access.
    pub kind: Kind,
    /// Bytes per lane.
    pub bytes: u32,
    /// The active lanes: bit l for lane l.
    pub active: u32,
    /// The wavefronts or sectors that it takes.
    pub taken: u64,
    /// The wavefronts or sectors that it needs at least.
    pub ideal: u64,
    /// By lane, the offset of its first byte; `None` for a lane that accesses nothing.
    pub offsets: &'a [Option<u64>; LANES],
}

/// Width of the drawing.
const WIDTH: f64 = 704.0;
const MARGIN: f64 = 16.0;
/// Distance between the lanes and the columns.
const GAP: f64 = 90.0;
const LANE_TOP: f64 = 22.0;
const LANE_HEIGHT: f64 = 18.0;
const CELL_HEIGHT: f64 = 9.0;
/// Limit on the rows of a column.
const MAX_ROWS: usize = 64;

/// Draws a request. The classes of the elements are `lane`, `idle`, `cell`, `empty`, `busy`, `edge`
/// and those of texts; a style sheet gives them their looks.
pub fn draw_request(request: &Request<'_>) -> String {
    let columns = match request.space {
        Space::Shared | Space::Cluster => bank_columns(request),
        Space::Constant => word_columns(request),
        Space::Global | Space::Local => sector_columns(request),
    };
    let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
    let top = LANE_TOP + LANE_HEIGHT + GAP;
    let mut svg = Svg::new(WIDTH, top + rows as f64 * CELL_HEIGHT + 26.0);
    let unit = match request.space {
        Space::Shared | Space::Cluster => "banks: words of 4 bytes that are wanted of each",
        Space::Constant => "words that are wanted, one after another",
        Space::Global | Space::Local => "sectors of 32 bytes, and which of their words are wanted",
    };
    svg.text("start small", [MARGIN, 12.0], "lanes");
    let step = (WIDTH - 2.0 * MARGIN) / columns.len().max(1) as f64;
    let middle = |index: usize| MARGIN + (index as f64 + 0.5) * step;
    for (index, column) in columns.iter().enumerate() {
        for &lane in &column.lanes {
            let class = if column.is_busy { "edge busy" } else { "edge" };
            svg.line(class, [lane_middle(lane), LANE_TOP + LANE_HEIGHT], [middle(index), top]);
        }
    }
    draw_lanes(&mut svg, request.active);
    let width = (step - 2.0).min(18.0);
    for (index, column) in columns.iter().enumerate() {
        for (row, cell) in column.cells.iter().enumerate() {
            let at = [middle(index) - width / 2.0, top + row as f64 * CELL_HEIGHT];
            svg.rect(cell, at, [width, CELL_HEIGHT - 1.0]);
        }
    }
    svg.text("start small", [MARGIN, top + rows as f64 * CELL_HEIGHT + 16.0], unit);
    svg.finish("pattern", &describe_request(request))
}

fn lane_middle(lane: usize) -> f64 {
    let step = (WIDTH - 2.0 * MARGIN) / 32.0;
    MARGIN + (lane as f64 + 0.5) * step
}

fn draw_lanes(svg: &mut Svg, active: u32) {
    for lane in 0..32 {
        let class = if active >> lane & 1 != 0 { "lane" } else { "lane idle" };
        svg.rect(class, [lane_middle(lane) - 9.0, LANE_TOP], [18.0, LANE_HEIGHT]);
        svg.text("middle lane-number", [lane_middle(lane), LANE_TOP + 13.0], &lane.to_string());
    }
}

/// Bank or sector.
struct Column {
    /// Lanes that access it.
    lanes: BTreeSet<usize>,
    /// CSS classes of its cells, from the top.
    cells: Vec<&'static str>,
    /// True if its accesses prolong the request.
    is_busy: bool,
}

/// Returns the offsets of active lanes.
fn active_offsets(request: &Request<'_>) -> impl Iterator<Item = (usize, u64)> {
    request.offsets.iter().enumerate().filter_map(|(lane, offset)| Some((lane, (*offset)?)))
}

/// Returns the accessed pieces of `size` bytes, each with the lanes that access it.
fn lanes_by_piece(request: &Request<'_>, size: u64) -> BTreeMap<u64, BTreeSet<usize>> {
    let mut found: BTreeMap<u64, BTreeSet<usize>> = BTreeMap::new();
    for (lane, offset) in active_offsets(request) {
        let last = offset.saturating_add(u64::from(request.bytes.max(1)) - 1);
        for piece in offset / size..=last / size {
            found.entry(piece).or_default().insert(lane);
        }
    }
    found
}

/// Returns a column for each bank. A bank that serves more words than the others makes the access
/// slow.
fn bank_columns(request: &Request<'_>) -> Vec<Column> {
    let words = lanes_by_piece(request, WORD_BYTES);
    let column_of_bank = |bank: u64| {
        let wanted = || words.iter().filter(move |(word, _)| **word % BANKS == bank);
        let lanes = wanted().flat_map(|(_, lanes)| lanes).copied().collect();
        // Lanes that update the same word atomically take turns.
        let turns = match request.kind {
            Kind::Atomic => wanted().map(|(_, lanes)| lanes.len()).sum(),
            Kind::Load | Kind::Store => wanted().count(),
        };
        // Lanes that access 8 or 16 bytes are served in as many groups as a lane has words.
        let fair = (request.bytes / 4).max(1) as usize;
        let cell = |row| if row < fair { "cell" } else { "cell busy" };
        let cells = match turns {
            0 => vec!["cell empty"],
            _ => (0..turns.min(MAX_ROWS)).map(cell).collect(),
        };
        Column { lanes, cells, is_busy: turns > fair }
    };
    (0..BANKS).map(column_of_bank).collect()
}

/// Returns a column for each accessed word of constant memory. All but one prolong the request.
fn word_columns(request: &Request<'_>) -> Vec<Column> {
    let words = lanes_by_piece(request, u64::from(request.bytes).max(constant::WORD_BYTES));
    let is_busy = words.len() > 1;
    let column = |lanes| Column { lanes, cells: vec!["cell"], is_busy };
    words.into_values().map(column).collect()
}

/// Returns a column for each accessed sector.
fn sector_columns(request: &Request<'_>) -> Vec<Column> {
    let words = lanes_by_piece(request, WORD_BYTES);
    let touched = lanes_by_piece(request, SECTOR_BYTES);
    let is_worse = request.taken > request.ideal;
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

/// Describes the drawing.
fn describe_request(request: &Request<'_>) -> String {
    let Request { space, active, taken, ideal, .. } = *request;
    let unit = match space {
        Space::Shared | Space::Cluster | Space::Constant => "wavefronts",
        Space::Global | Space::Local => "sectors",
    };
    format!("{} lanes take {taken} {unit}, and {ideal} would do", active.count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(stride: u64) -> [Option<u64>; LANES] {
        std::array::from_fn(|lane| Some(lane as u64 * stride))
    }

    fn request(space: Space, bytes: u32, offsets: &[Option<u64>; LANES]) -> Request<'_> {
        let (kind, active) = (Kind::Load, u32::MAX);
        Request { space, kind, bytes, active, taken: 32, ideal: 4, offsets }
    }

    #[test]
    fn lanes_go_to_the_banks_of_their_words() {
        let columns = bank_columns(&request(Space::Shared, 4, &offsets(4)));
        assert!(columns.iter().all(|column| column.cells == ["cell"] && !column.is_busy));
        let columns = bank_columns(&request(Space::Shared, 4, &offsets(128)));
        assert_eq!((columns[0].lanes.len(), columns[0].cells.len()), (32, 32));
        assert!(columns[0].is_busy && columns[1].lanes.is_empty());
        let columns = bank_columns(&request(Space::Shared, 8, &offsets(8)));
        assert!(columns.iter().all(|column| column.cells.len() == 2 && !column.is_busy));
    }

    #[test]
    fn words_of_constant_memory_are_columns() {
        let columns = word_columns(&request(Space::Constant, 4, &offsets(4)));
        assert!(columns.len() == 32 && columns.iter().all(|column| column.is_busy));
        let columns = word_columns(&request(Space::Constant, 4, &offsets(0)));
        assert_eq!((columns.len(), columns[0].lanes.len(), columns[0].is_busy), (1, 32, false));
    }

    #[test]
    fn sectors_show_their_requested_bytes() {
        let columns = sector_columns(&request(Space::Global, 4, &offsets(4)));
        assert_eq!(columns.len(), 4);
        assert!(columns.iter().all(|column| column.lanes.len() == 8 && !column.is_busy));
        let columns = sector_columns(&request(Space::Global, 4, &offsets(256)));
        assert_eq!(columns.len(), 32);
        let wanted = |column: &Column| column.cells.iter().filter(|cell| **cell == "cell").count();
        assert!(columns.iter().all(|column| wanted(column) == 1 && column.is_busy));
        assert!(
            draw_request(&request(Space::Global, 4, &offsets(256)))
                .contains("32 lanes take 32 sectors")
        );
    }
}
