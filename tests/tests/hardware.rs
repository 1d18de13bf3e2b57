//! The formulas of `compiler/src/hardware`, compared with measurements: every row of
//! `tests/hardware`.
use warpwise_compiler::{
    hardware::{
        global::{self, Sectors},
        shared::{self, Wavefronts},
        texture,
    },
    ir::{TextureOp, TextureRead, TextureShape, TextureWord},
    texture::{AddressMode, ChannelType, Descriptor, Filter, ReadOperands},
};
use warpwise_tests::hardware::{Row, TextureRow, rows, texture_rows};

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

/// The textures of the measurement have 128 texels along each dimension.
#[test]
fn textures_take_the_requests_and_sectors_that_were_measured() {
    let rows = texture_rows();
    assert_eq!(rows.len(), 648);
    let mut differ = Vec::new();
    for (n, row) in rows.iter().enumerate() {
        let TextureRow { dims, is_linear, bytes, active, coordinates, counted } = row;
        let (channel, channels) = match bytes {
            1 => (ChannelType::U8, 1),
            2 => (ChannelType::U16, 1),
            _ => (ChannelType::F32, bytes / 4),
        };
        let mut extents = [1; 3];
        extents[..*dims].fill(128);
        let descriptor = Descriptor {
            extents,
            levels: 1,
            channel,
            channels,
            reads_normalized: false,
            filter: if *is_linear { Filter::Linear } else { Filter::Point },
            mipmap_filter: Filter::Point,
            address: [AddressMode::Clamp; 3],
            normalized: false,
        };
        let shape = [TextureShape::D1, TextureShape::D2, TextureShape::D3][dims - 1];
        let op = TextureOp { shape, read: TextureRead::Sample, word: TextureWord::F32 };
        let mut lanes = coordinates.map(|at| Some(ReadOperands::at(at)));
        (0..32).filter(|lane| active >> lane & 1 == 0).for_each(|lane| lanes[lane] = None);
        let cost = texture::count_sectors(&descriptor, op, &lanes);
        if [cost.requests, cost.sectors] != *counted {
            differ.push((n, cost.sectors, counted[1]));
        }
        assert!(cost.requests <= cost.ideal && cost.ideal <= cost.sectors, "row {n}");
    }
    assert!(matches!(differ[..], [(_, 31, 28)]), "{differ:?}");
}
