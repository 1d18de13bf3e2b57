//! Counts for people to read: sentences about a whole launch, and a table of lines.
use std::{cmp::Reverse, ops::RangeInclusive};
use warpwise_simt::{ActiveThreads, BulkCopies, Counts, MatrixProducts, Trips};

/// A column of the table: its name, and the text of a cell.
type Column = (&'static str, fn(&Counts) -> String);

const INSTRUCTIONS: [Column; 2] = [
    ("instructions", |counts| counts.warp_instructions.to_string()),
    ("threads", |counts| counts.active_threads().map_or(String::new(), |all| format!("{all:.1}"))),
];
const BRANCHES: [Column; 2] = [
    ("branches", |counts| counts.branches.to_string()),
    ("divergent", |counts| counts.divergent_branches.to_string()),
];
const SECTORS: [Column; 3] = [
    ("expected", |counts| counts.global().ideal.to_string()),
    ("sectors", |counts| counts.global().sectors.to_string()),
    ("", |counts| excess(counts.global().sectors, counts.global().ideal)),
];
const WAVEFRONTS: [Column; 3] = [
    ("expected", |counts| counts.shared().ideal.to_string()),
    ("wavefronts", |counts| counts.shared().wavefronts.to_string()),
    ("", |counts| excess(counts.shared().wavefronts, counts.shared().ideal)),
];
const CONSTANTS: [Column; 3] = [
    ("expected", |counts| counts.constant_loads.ideal.to_string()),
    ("constants", |counts| counts.constant_loads.wavefronts.to_string()),
    ("", |counts| excess(counts.constant_loads.wavefronts, counts.constant_loads.ideal)),
];

const BULK_COPIES: [Column; 2] = [
    ("bulk copies", |counts| counts.bulk().copies.to_string()),
    ("bytes", |counts| counts.bulk().bytes.to_string()),
];
const MATRIX_PRODUCTS: [Column; 1] =
    [("multiply-adds", |counts| counts.matrix_products.multiply_adds.to_string())];

/// Formats the ratio of measured to expected, such as `8.00x`.
///
/// ```
/// use warpwise::counters::text;
///
/// assert_eq!(text::times(1024, 128), "8.00x");
/// ```
pub fn times(got: u64, expected: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    let times = got as f64 / expected.max(1) as f64;
    format!("{times:.2}x")
}

/// Returns [`times`] if there was more than expected, or else nothing.
///
/// ```
/// use warpwise::counters::text;
///
/// assert_eq!((text::excess(3, 2), text::excess(2, 2)), ("1.50x".to_owned(), String::new()));
/// ```
pub fn excess(got: u64, expected: u64) -> String {
    if got > expected { times(got, expected) } else { String::new() }
}

/// Returns the sort key of lines or kernels by gain, greatest first: unneeded memory traffic, then
/// divergent branches, then executed instructions.
///
/// ```
/// use warpwise::counters::{Counts, text};
///
/// let (mut tuned, mut divergent) = (Counts::default(), Counts::default());
/// tuned.warp_instructions = 1000;
/// divergent.divergent_branches = 10;
/// let mut kernels = [("tuned", tuned), ("divergent", divergent)];
/// kernels.sort_by_key(|(_, counts)| text::gain(counts));
/// assert_eq!(kernels[0].0, "divergent");
/// ```
pub fn gain(counts: &Counts) -> Reverse<[u64; 3]> {
    let wavefronts = counts.shared().conflicts() + counts.constant_loads.conflicts();
    let excess = counts.global().excess() + wavefronts;
    Reverse([excess, counts.divergent_branches, counts.warp_instructions])
}

/// Returns a sentence for each property of all lines together.
///
/// ```
/// use warpwise::{Simulator, counters::text, prelude::*};
///
/// #[allow(gpu_uncoalesced_accesses)]
/// #[kernel(block = 32)]
/// fn every_other(x: &mut [u32; 64]) {
///     x[2 * thread_idx_x()] += 1;
/// }
///
/// let simulator = Simulator::new().counters();
/// let device = simulator.device();
/// let mut x = device.zeros::<[u32; 64]>(1)?;
/// every_other::launch(&device, LaunchConfig::grid(1), &mut x)?;
/// let sentences = text::summary(&simulator.take_counters()[0].total);
/// let global = "global memory: 2 requests, expected 8 sectors, got 16: 2.00x";
/// assert!(sentences.iter().any(|sentence| sentence == global));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn summary(total: &Counts) -> Vec<String> {
    let percent = 100.0 * total.warp_execution_efficiency().unwrap_or(1.0);
    let threads = total.active_threads().unwrap_or(0.0);
    let mut lines = vec![format!(
        "{} instructions of warps, {threads:.1} of 32 threads active ({percent:.1} %)",
        total.warp_instructions
    )];
    let Counts { branches, divergent_branches, barriers, atomics, floats, .. } = *total;
    let percent = 100.0 * total.branch_efficiency();
    lines.push(match branches {
        0 => format!("branch efficiency {percent:.1} % (no branches)"),
        _ => {
            format!("{branches} branches, {divergent_branches} divergent ({percent:.1} % are not)")
        }
    });
    let (global, shared) = (total.global(), total.shared());
    if global.requests != 0 {
        let (expected, got) = (global.ideal, global.sectors);
        lines.push(format!(
            "global memory: {} requests, expected {expected} sectors, got {got}: {}",
            global.requests,
            times(got, expected)
        ));
    }
    if shared.requests != 0 {
        let (expected, got) = (shared.ideal, shared.wavefronts);
        lines.push(format!(
            "shared memory: {} requests, expected {expected} wavefronts, got {got}: {}",
            shared.requests,
            times(got, expected)
        ));
    }
    let constant = total.constant_loads;
    if constant.requests != 0 {
        let (expected, got) = (constant.ideal, constant.wavefronts);
        lines.push(format!(
            "constant memory: {} requests, expected {expected} wavefronts, got {got}: {}",
            constant.requests,
            times(got, expected)
        ));
    }
    let local = total.local();
    if local.requests != 0 {
        let (expected, got) = (local.ideal, local.sectors);
        lines.push(format!(
            "local memory: {} requests, expected {expected} sectors, got {got}: {}",
            local.requests,
            times(got, expected)
        ));
    }
    let texture = total.texture_reads;
    if texture.requests != 0 {
        let (expected, got) = (texture.ideal, texture.sectors);
        lines.push(format!(
            "textures: {} requests, expected {expected} sectors, got {got}: {}",
            texture.requests,
            times(got, expected)
        ));
    }
    for (direction, BulkCopies { copies, bytes, sectors }) in
        [("to", total.bulk_loads), ("from", total.bulk_stores)]
    {
        if copies != 0 {
            lines.push(format!(
                "bulk copies {direction} shared memory: {copies}, of {bytes} bytes, in {sectors} sectors of global memory"
            ));
        }
    }
    let MatrixProducts { instructions, multiply_adds, shared_bytes } = total.matrix_products;
    if instructions != 0 {
        let read = match shared_bytes {
            0 => String::new(),
            _ => format!(", {shared_bytes} bytes of shared memory"),
        };
        lines.push(format!(
            "tensor cores: {instructions} instructions, {multiply_adds} multiply-adds{read}"
        ));
    }
    if barriers != 0 {
        lines.push(format!("{barriers} barriers of warps"));
    }
    if atomics != 0 {
        lines.push(format!("{atomics} atomic updates of threads"));
    }
    if floats.all() != 0 && global.sectors != 0 {
        #[expect(clippy::cast_precision_loss, reason = "for people to read")]
        let each = floats.all() as f64 / (32 * global.sectors) as f64;
        lines.push(format!(
            "{} operations on floats, {each:.2} for each byte of the sectors",
            floats.all()
        ));
    }
    lines
}

/// Returns a sentence on the number of active threads, unless all were active throughout.
///
/// ```
/// use warpwise::{Simulator, counters::text, prelude::*};
///
/// #[kernel(block = 32)]
/// fn increment(x: &mut [u32]) {
///     if thread_idx_x() < x.len() {
///         x[thread_idx_x()] += 1;
///     }
/// }
///
/// let simulator = Simulator::new().counters();
/// let device = simulator.device();
/// for len in [32, 4] {
///     let mut x = device.zeros::<u32>(len)?;
///     increment::launch(&device, LaunchConfig::grid(1), &mut x)?;
/// }
/// let launches = simulator.take_counters();
/// assert_eq!(text::spread(&launches[0].active_threads), None);
/// let sentence = text::spread(&launches[1].active_threads).expect("28 threads leave early");
/// assert!(sentence.starts_with("active threads: 1 to 8 in "));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn spread(active: &ActiveThreads) -> Option<String> {
    let all = active.instructions();
    let parts = [1..=8, 9..=16, 17..=24, 25..=31, 32..=32].map(|range: RangeInclusive<u32>| {
        let some: u64 = range.clone().map(|threads| active.get(threads)).sum();
        (some != 0).then(|| {
            #[expect(clippy::cast_precision_loss, reason = "for people to read")]
            let percent = 100.0 * some as f64 / all as f64;
            format!("{} in {percent:.1} %", between(&range))
        })
    });
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (active.get(32) != all).then(|| format!("active threads: {}", parts.join(", ")))
}

/// Returns a range as `2 to 3`, or `1` if that is all.
///
/// ```
/// use warpwise::counters::text;
///
/// assert_eq!((text::between(&(2..=3)), text::between(&(2..=2))), ("2 to 3".into(), "2".into()));
/// ```
pub fn between<T: PartialEq + std::fmt::Display>(range: &RangeInclusive<T>) -> String {
    let (start, end) = (range.start(), range.end());
    if start == end { start.to_string() } else { format!("{start} to {end}") }
}

/// Returns a table of the loops that warps reached, each with the text before its row; nothing if
/// there is none.
///
/// ```
/// use warpwise::{Simulator, counters::{LoopCounters, text}, prelude::*};
///
/// /// Warp `i` goes round `i + 1` times.
/// #[kernel(block = 64)]
/// fn rounds(x: &[u32; 64], y: &mut [u32; 64]) {
///     let mut sum = 0;
///     for i in 0..=warp::warp_id() {
///         sum += x[i];
///     }
///     y[thread_idx_x()] = sum;
/// }
///
/// let simulator = Simulator::new().counters();
/// let device = simulator.device();
/// let (x, mut y) = (device.zeros::<[u32; 64]>(1)?, device.zeros::<[u32; 64]>(1)?);
/// rounds::launch(&device, LaunchConfig::grid(1), &x, &mut y)?;
/// let launches = simulator.take_counters();
/// let row = |at: &LoopCounters| format!("line {}", at.line);
/// let loops = launches[0].loops.iter().map(|at| (row(at), &at.trips));
/// println!("{}", text::loops(loops));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn loops<'a>(loops: impl IntoIterator<Item = (String, &'a Trips)>) -> String {
    let loops = loops.into_iter().filter(|(_, trips)| trips.visits() != 0);
    let rows: Vec<_> = loops
        .map(|(place, trips)| {
            let iterations = trips.iter();
            let iterations = iterations
                .map(|(range, visits)| format!("{}: {visits}", between(&range)))
                .collect::<Vec<_>>();
            vec![place, trips.visits().to_string(), iterations.join(", ")]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = ["loop", "visits of warps", "iterations: visits"].map(str::to_owned).to_vec();
    align_columns(&[vec![head], rows].concat())
}

/// Returns a table of lines, each with the text before its row. Columns in which `total`, the sum
/// of all lines, has nothing are left out, and a cell that is zero is left empty.
///
/// ```
/// use warpwise::counters::{Counts, text};
///
/// let mut counts = Counts::default();
/// counts.warp_instructions = 12;
/// counts.branches = 4;
/// let table = text::table([("saxpy.rs:7".to_owned(), &counts)], &counts);
/// let (head, row) = table.split_once('\n').expect("a line for the names of the columns");
/// assert!(head.contains("instructions") && head.contains("branches"));
/// // Nothing has accessed memory.
/// assert!(!head.contains("sectors"));
/// assert!(row.starts_with("saxpy.rs:7"));
/// ```
pub fn table<'a>(lines: impl IntoIterator<Item = (String, &'a Counts)>, total: &Counts) -> String {
    let columns = used_columns(total);
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(columns.iter().map(|(name, _)| (*name).to_owned()));
    for (place, counts) in lines {
        let mut row = vec![place];
        let cells = columns.iter().map(|(_, cell)| cell(counts));
        row.extend(cells.map(|cell| if cell == "0" { String::new() } else { cell }));
        rows.push(row);
    }
    align_columns(&rows)
}

/// Returns the columns in which `total` has something.
fn used_columns(total: &Counts) -> Vec<Column> {
    let mut columns = INSTRUCTIONS.to_vec();
    if total.branches != 0 {
        columns.extend(BRANCHES);
    }
    if total.global().requests != 0 {
        columns.extend(SECTORS);
    }
    if total.shared().requests != 0 {
        columns.extend(WAVEFRONTS);
    }
    if total.constant_loads.requests != 0 {
        columns.extend(CONSTANTS);
    }
    if total.bulk().copies != 0 {
        columns.extend(BULK_COPIES);
    }
    if total.matrix_products.instructions != 0 {
        columns.extend(MATRIX_PRODUCTS);
    }
    columns
}

/// Aligns rows of equally many cells: the first column to the left, the others to the right.
fn align_columns(rows: &[Vec<String>]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        text += line.trim_end();
        text += "\n";
    }
    text
}
