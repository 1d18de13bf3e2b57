//! What hardware was measured to do: the rows of `tests/hardware`.
use std::{fs, path::Path};
use warpwise_compiler::hardware::{Kind, LANES};

/// One row: an access of a warp, and what the counters read.
#[derive(Clone, Debug)]
pub struct Row {
    /// What the access does.
    pub kind: Kind,
    /// Bytes of a lane.
    pub bytes: u32,
    /// Who does it: bit l for lane l.
    pub active: u32,
    /// The byte where each lane's begins.
    pub addresses: [u64; LANES],
    /// What was counted, column by column.
    pub counted: Vec<u32>,
}

/// The rows of a file of `tests/hardware`.
pub fn rows(file: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hardware").join(file);
    fs::read_to_string(path).unwrap().lines().skip(1).map(row).collect()
}

fn row(line: &str) -> Row {
    // Of atomics no conflicts were counted.
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
        active: u32::from_str_radix(active.trim_start_matches("0x"), 16).unwrap(),
        addresses: addresses.try_into().unwrap(),
        counted: counted.iter().map(|counted| counted.parse().unwrap()).collect(),
    }
}
