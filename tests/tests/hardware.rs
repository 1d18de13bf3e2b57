//! The formulas of `compiler/src/hardware` against what was measured: every row of `tests/hardware`.
use warpwise_compiler::hardware::{
    global::{self, Sectors},
    shared::{self, Wavefronts},
};
use warpwise_tests::hardware::{Row, rows};

#[test]
fn shared_memory_takes_the_wavefronts_that_were_measured() {
    let rows = rows("h200_shared_access.csv");
    assert_eq!(rows.len(), 615);
    for (n, row) in rows.iter().enumerate() {
        let Row { kind, bytes, active, addresses, counted } = row;
        let cost: Wavefronts = shared::count_wavefronts(*kind, *bytes, *active, addresses);
        assert_eq!(cost.taken, counted[0], "row {n}");
        if let Some(&conflicts) = counted.get(1) {
            assert_eq!(cost.conflicts(), conflicts, "row {n}");
        }
        let busiest = shared::busiest_bank(*kind, *bytes, *active, addresses).unwrap();
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
        let cost: Sectors = global::count_sectors(*kind, *bytes, *active, addresses);
        assert_eq!(cost.taken, counted[0], "row {n}");
        assert!(cost.ideal <= cost.taken && cost.lines <= cost.taken, "row {n}");
    }
}
