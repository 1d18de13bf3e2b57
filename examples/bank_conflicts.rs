//! Shared memory has 32 banks of 4 bytes. Lanes of a warp that want different words of one bank wait for each other: the
//! access takes as many *wavefronts* as the busiest bank has words to give. The numbers expected are those of an NVIDIA H200.
use warpwise::{F32x2, F32x4, Simulator, prelude::*};
use warpwise_examples::Table;

/// Lane `l` loads element `l * stride`.
#[kernel(block = 32)]
fn strided(stride: usize, x: &[f32], out: &mut [f32]) {
    let tile = shared!([f32; 1024]);
    let lane = thread_idx_x();
    for i in (lane..1024).step_by(32) {
        tile[i] = x[i];
    }
    sync_threads();
    out[lane] = tile[lane * stride];
}

fn strides() -> warpwise::Result<Table<1>> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let x = device.upload(&[1.0f32; 1024])?;
    let mut out = device.zeros::<f32>(32)?;
    let mut table = Table::new("A load of 4 bytes a lane, by its stride", ["wavefronts"]);
    let expected = [
        ("0, a broadcast", 0, 1),
        ("1", 1, 1),
        ("2", 2, 2),
        ("3, odd", 3, 1),
        ("4", 4, 4),
        ("8", 8, 8),
        ("12", 12, 4),
        ("16", 16, 16),
        ("17, odd", 17, 1),
        ("31, odd", 31, 1),
        ("32", 32, 32),
        ("33, odd", 33, 1),
    ];
    for (what, stride, expected) in expected {
        strided::launch(&device, LaunchConfig::grid(1), stride, &x, &mut out)?;
        for launch in simulator.take_counters() {
            table.row(
                format_args!("stride {what}"),
                [expected],
                [launch.total.shared_loads.wavefronts],
            );
        }
    }
    Ok(table)
}

/// Transposes a tile of 32 x 32 whose rows in shared memory are `WIDTH` long.
#[kernel(block = (32, 32))]
#[expect(gpu_bank_conflicts, reason = "without padding they are what is counted")]
fn transpose<const WIDTH: usize>(x: &[f32], out: &mut [f32]) {
    let tile = shared!([[f32; WIDTH]; 32]);
    let (column, row) = (thread_idx_x(), thread_idx_y());
    tile[row][column] = x[row * 32 + column];
    sync_threads();
    out[row * 32 + column] = tile[column][row];
}

fn padding() -> warpwise::Result<Table<2>> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let x = device.upload(&[1.0f32; 1024])?;
    let mut out = device.zeros::<f32>(1024)?;
    transpose::<32>::launch(&device, LaunchConfig::grid(1), &x, &mut out)?;
    transpose::<33>::launch(&device, LaunchConfig::grid(1), &x, &mut out)?;

    let title = "A tile of 32 x 32, stored by rows and loaded by columns";
    let mut table = Table::new(title, ["wavefronts", "conflicts"]);
    let expected = [("rows of 32", [1024, 992]), ("rows of 33", [32, 0])];
    for ((what, expected), launch) in expected.into_iter().zip(simulator.take_counters()) {
        let loads = launch.total.shared_loads;
        table.row(what, expected, [loads.wavefronts, loads.conflicts()]);
    }
    Ok(table)
}

/// Active lanes load 8 bytes each, where `index` says.
#[kernel(block = 32)]
fn pairs(active: u32, index: &[u32], x: &[F32x2], out: &mut [F32x2]) {
    let tile = shared!([F32x2; 32]);
    let lane = thread_idx_x();
    tile[lane] = x[lane];
    sync_threads();
    if active >> lane & 1 != 0 {
        out[lane] = tile[index[lane] as usize];
    }
}

/// Active lanes load 16 bytes each.
#[kernel(block = 32)]
fn quads(active: u32, index: &[u32], x: &[F32x4], out: &mut [F32x4]) {
    let tile = shared!([F32x4; 32]);
    let lane = thread_idx_x();
    tile[lane] = x[lane];
    sync_threads();
    if active >> lane & 1 != 0 {
        out[lane] = tile[index[lane] as usize];
    }
}

/// A case: what it is, which lanes are active, which vector a lane loads, and the wavefronts and conflicts expected.
type Case = (&'static str, u32, fn(u32) -> u32, [u64; 2]);

/// Where 16 lanes meet in fours, and no pair of them differs.
const fn in_fours(lane: u32) -> u32 {
    lane / 8 * 2 + lane / 2 % 2
}

/// Each half of the warp is served at once, and both together if neighbours (lane ^ 1, or lane ^ 2) agree in all of it.
const PAIRS: [Case; 5] = [
    ("lanes 0 to 15, each its own", 0x0000_ffff, |lane| lane, [1, 0]),
    ("lanes 0 to 14, and 16", 0x0001_7fff, |lane| lane.min(15), [2, 0]),
    ("pairs agree", !0, |lane| lane / 2, [1, 0]),
    (
        "pairs agree below, every other one above",
        !0,
        |lane| if lane < 16 { lane / 2 } else { lane / 4 * 4 + lane % 2 },
        [2, 0],
    ),
    ("halves agree", !0, |lane| lane % 16, [2, 0]),
];

/// Each quarter is, and two together by the same rule.
const QUADS: [Case; 6] = [
    ("lanes 15 and 16, the same", 0x0001_8000, |_| 4, [2, 0]),
    ("lanes 0 and 15, the same", 0x0000_8001, |_| 4, [1, 0]),
    ("pairs agree", !0, in_fours, [2, 0]),
    (
        "pairs agree below, every other one above",
        !0,
        |lane| if lane < 16 { in_fours(lane) } else { lane / 8 * 2 + lane % 2 },
        [4, 0],
    ),
    (
        "fours agree, in the same banks",
        !0,
        |lane| lane / 4 % 2 * 8 + lane / 8 % 2 + lane / 16 * 4,
        [4, 2],
    ),
    (
        "even ones only, pairs agree below",
        !0,
        |lane| {
            let even = if lane < 16 { lane / 2 % 2 } else { lane % 2 };
            lane / 8 % 2 * 8 + lane / 16 * 4 + even * 2
        },
        [4, 0],
    ),
];

fn vectors(
    title: &'static str,
    cases: &[Case],
    launch: impl Fn(&Device, u32, &Buffer<u32>) -> warpwise::Result<()>,
) -> warpwise::Result<Table<2>> {
    let simulator = Simulator::new().counters();
    let device = simulator.device();
    let mut table = Table::new(title, ["wavefronts", "conflicts"]);
    for (what, active, index, expected) in cases {
        let index: Vec<u32> = (0..32).map(index).collect();
        launch(&device, *active, &device.upload(&index)?)?;
        for launch in simulator.take_counters() {
            let loads = launch.total.shared_loads;
            table.row(what, *expected, [loads.wavefronts, loads.conflicts()]);
        }
    }
    Ok(table)
}

/// Everything that this example prints.
pub(crate) fn tables() -> warpwise::Result<String> {
    let (strides, padding) = (strides()?, padding()?);
    let one = LaunchConfig::grid(1);
    let pairs = vectors("Loads of 8 bytes a lane", &PAIRS, |device, active, index| {
        let x = device.upload(&[F32x2::splat(1.0); 32])?;
        pairs::launch(device, one, active, index, &x, &mut device.zeros(32)?)
    })?;
    let quads = vectors("Loads of 16 bytes a lane", &QUADS, |device, active, index| {
        let x = device.upload(&[F32x4::splat(1.0); 32])?;
        quads::launch(device, one, active, index, &x, &mut device.zeros(32)?)
    })?;
    Ok(format!("{strides}\n{padding}\n{pairs}\n{quads}"))
}

fn main() -> warpwise::Result<()> {
    print!("{}", tables()?);
    Ok(())
}
