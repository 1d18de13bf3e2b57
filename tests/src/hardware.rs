//! Measurements of hardware: the rows of `tests/hardware`.
use std::{fs, path::Path};
use warpwise_compiler::hardware::{Kind, LANES};

/// One row: an access of a warp, and the counters' values.
#[derive(Clone, Debug)]
pub struct Row {
    /// The kind of the access.
    pub kind: Kind,
    /// Bytes of a lane.
    pub bytes: u32,
    /// The lanes that access memory: bit l for lane l.
    pub active: u32,
    /// The address of each lane.
    pub addresses: [u64; LANES],
    /// The counted values, column by column.
    pub counted: Vec<u32>,
}

/// One row of `h200_texture_access.csv`: a read of a warp.
#[derive(Clone, Debug)]
pub struct TextureRow {
    /// The dimensions of the texture.
    pub dims: usize,
    /// True if its filter is linear.
    pub is_linear: bool,
    /// Bytes of a texel.
    pub bytes: u32,
    /// The lanes that read: bit l for lane l.
    pub active: u32,
    /// The coordinates of each lane.
    pub coordinates: [[f32; 3]; LANES],
    /// The counted requests and sectors.
    pub counted: [u32; 2],
}

/// Returns the rows of `tests/hardware/h200_texture_access.csv`.
pub fn texture_rows() -> Vec<TextureRow> {
    read("h200_texture_access.csv").lines().skip(1).map(texture_row).collect()
}

fn texture_row(line: &str) -> TextureRow {
    let columns: Vec<&str> = line.split(',').collect();
    let [dims, filter, bytes, active, coordinates, requests, sectors] = columns[..] else {
        panic!("{line}")
    };
    let lane = |lane: &str| {
        let mut all = [0.0; 3];
        all.iter_mut().zip(lane.split(' ')).for_each(|(to, from)| *to = from.parse().unwrap());
        all
    };
    let coordinates: Vec<_> = coordinates.split(';').map(lane).collect();
    TextureRow {
        dims: dims.parse().unwrap(),
        is_linear: filter == "linear",
        bytes: bytes.parse().unwrap(),
        active: mask(active),
        coordinates: coordinates.try_into().unwrap(),
        counted: [requests, sectors].map(|count| count.parse().unwrap()),
    }
}

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hardware").join(file);
    fs::read_to_string(path).unwrap()
}

fn mask(active: &str) -> u32 {
    u32::from_str_radix(active.trim_start_matches("0x"), 16).unwrap()
}

/// Returns the rows of a file of `tests/hardware`.
pub fn rows(file: &str) -> Vec<Row> {
    read(file).lines().skip(1).map(row).collect()
}

fn row(line: &str) -> Row {
    // No bank conflicts were counted for atomics.
    let columns: Vec<&str> = line.trim_end_matches(',').split(',').collect();
    let [kind, bytes, active, elements, counted @ ..] = columns.as_slice() else {
        panic!("{line}")
    };
    let kind = match *kind {
        "load" => Kind::Load,
        "store" => Kind::Store,
        "atomic_add" | "reduce_add" => Kind::Atomic,
        other => panic!("{other}"),
    };
    let bytes: u32 = bytes.parse().unwrap();
    let element = |element: &str| element.parse::<u64>().unwrap() * u64::from(bytes);
    let addresses: Vec<u64> = elements.split(' ').map(element).collect();
    Row {
        kind,
        bytes,
        active: mask(active),
        addresses: addresses.try_into().unwrap(),
        counted: counted.iter().map(|counted| counted.parse().unwrap()).collect(),
    }
}
