//! The formulas of `compiler/src/hardware` against what was measured: every row of `tests/hardware`.
use std::{fs, path::Path};
use warpwise_compiler::hardware::{
    Kind, LANES,
    global::{self, Sectors},
    shared::{self, Wavefronts},
};

/// One row: an access of a warp, and what the counters read.
struct Row {
    kind: Kind,
    bytes: u32,
    active: u32,
    addresses: [u64; LANES],
    counted: Vec<u32>,
}

#[test]
fn shared_memory_takes_the_wavefronts_that_were_measured() {
    let rows = rows("h200_shared_access.csv");
    assert_eq!(rows.len(), 615);
    for (n, row) in rows.iter().enumerate() {
        let Row { kind, bytes, active, addresses, counted } = row;
        let cost: Wavefronts = shared::wavefronts(*kind, *bytes, *active, addresses);
        assert_eq!(cost.taken, counted[0], "row {n}");
        if let Some(&conflicts) = counted.get(1) {
            assert_eq!(cost.conflicts(), conflicts, "row {n}");
        }
        let busiest = shared::busiest(*kind, *bytes, *active, addresses).unwrap();
        assert!(cost.taken.div_ceil(cost.ideal) <= busiest.words, "row {n}");
        assert!(busiest.words <= cost.taken && busiest.lanes <= active.count_ones(), "row {n}");
    }
}

#[test]
fn global_memory_moves_the_sectors_that_were_measured() {
    let rows = rows("h200_global_access.csv");
    assert_eq!(rows.len(), 436);
    for (n, row) in rows.iter().enumerate() {
        let Row { kind, bytes, active, addresses, counted } = row;
        let cost: Sectors = global::sectors(*kind, *bytes, *active, addresses);
        assert_eq!(cost.taken, counted[0], "row {n}");
        assert!(cost.ideal <= cost.taken && cost.lines <= cost.taken, "row {n}");
    }
}

fn rows(file: &str) -> Vec<Row> {
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
