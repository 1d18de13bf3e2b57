//! Shared memory has 32 banks of 4 bytes. Lanes of a warp that want different words of one bank
//! wait for each other: the access takes as many *wavefronts* as the busiest bank has words to
//! give. The numbers expected are those of an NVIDIA H200.
use warpwise::{Simulator, U32x2, U32x4, prelude::*};
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

/// Stores a number to every word.
#[device]
fn fill(smem: &mut [u32; 128]) {
    let tid = thread_idx_x();
    for i in 0..4 {
        smem[i * 32 + tid] = tid as u32;
    }
    sync_threads();
}

// Loads of 8 bytes a lane. Each half of the warp is served at once, and both together if neighbours
// (lane ^ 1, or lane ^ 2) agree in all of it.

#[kernel(block = 32)]
fn pairs1(a: &mut [U32x2]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    if tid < 16 {
        a[tid] = smem.as_vectors::<U32x2>()[tid];
    }
}

#[kernel(block = 32)]
fn pairs2(a: &mut [U32x2]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    if tid < 15 || tid == 16 {
        a[tid] = smem.as_vectors::<U32x2>()[if tid == 16 { 15 } else { tid }];
    }
}

#[kernel(block = 32)]
fn pairs3(a: &mut [U32x2]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    a[tid] = smem.as_vectors::<U32x2>()[tid / 2];
}

#[kernel(block = 32)]
fn pairs4(a: &mut [U32x2]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    let addr = if tid < 16 { tid / 2 } else { (tid / 4) * 4 + (tid % 4) % 2 };
    a[tid] = smem.as_vectors::<U32x2>()[addr];
}

#[kernel(block = 32)]
fn pairs5(a: &mut [U32x2]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    a[tid] = smem.as_vectors::<U32x2>()[tid % 16];
}

// Loads of 16 bytes a lane: each quarter of the warp is served at once, and two together by the
// same rule.

#[kernel(block = 32)]
fn quads1(a: &mut [U32x4]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    if tid == 15 || tid == 16 {
        a[tid] = smem.as_vectors::<U32x4>()[4];
    }
}

#[kernel(block = 32)]
fn quads2(a: &mut [U32x4]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    if tid == 0 || tid == 15 {
        a[tid] = smem.as_vectors::<U32x4>()[4];
    }
}

#[kernel(block = 32)]
fn quads3(a: &mut [U32x4]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    a[tid] = smem.as_vectors::<U32x4>()[(tid / 8) * 2 + ((tid % 8) / 2) % 2];
}

#[kernel(block = 32)]
fn quads4(a: &mut [U32x4]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    let addr = if tid < 16 {
        (tid / 8) * 2 + ((tid % 8) / 2) % 2
    } else {
        (tid / 8) * 2 + ((tid % 8) % 2)
    };
    a[tid] = smem.as_vectors::<U32x4>()[addr];
}

#[kernel(block = 32)]
#[expect(gpu_vector_bank_conflicts, reason = "that is what is counted")]
fn quads5(a: &mut [U32x4]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    a[tid] = smem.as_vectors::<U32x4>()[(tid / 16) * 4 + (tid % 16) / 8 + (tid % 8) / 4 * 8];
}

#[kernel(block = 32)]
fn quads6(a: &mut [U32x4]) {
    let (tid, smem) = (thread_idx_x(), shared!([u32; 128]));
    fill(smem);
    let mut addr = (tid / 16) * 4 + (tid % 16 / 8) * 8;
    if tid < 16 {
        addr += (tid % 4 / 2) * 2;
    } else {
        addr += (tid % 4 % 2) * 2;
    }
    a[tid] = smem.as_vectors::<U32x4>()[addr];
}

/// Launches a kernel for each case, and compares the wavefronts and conflicts of its loads.
macro_rules! vectors {
    ($title:literal, $vector:ident, [$($what:literal, $kernel:ident: $expected:expr;)*]) => {{
        let simulator = Simulator::new().counters();
        let device = simulator.device();
        let mut a = device.zeros::<$vector>(32)?;
        let mut table = Table::new($title, ["wavefronts", "conflicts"]);
        $(
            $kernel::launch(&device, LaunchConfig::grid(1), &mut a)?;
            for launch in simulator.take_counters() {
                let loads = launch.total.shared_loads;
                table.row($what, $expected, [loads.wavefronts, loads.conflicts()]);
            }
        )*
        table
    }};
}

/// Everything that this example prints.
pub(crate) fn tables() -> warpwise::Result<String> {
    let (strides, padding) = (strides()?, padding()?);
    let pairs = vectors!("Loads of 8 bytes a lane", U32x2, [
        "lanes 0 to 15, each its own", pairs1: [1, 0];
        "lanes 0 to 14, and 16", pairs2: [2, 0];
        "pairs agree", pairs3: [1, 0];
        "pairs agree below, every other one above", pairs4: [2, 0];
        "halves agree", pairs5: [2, 0];
    ]);
    let quads = vectors!("Loads of 16 bytes a lane", U32x4, [
        "lanes 15 and 16, the same", quads1: [2, 0];
        "lanes 0 and 15, the same", quads2: [1, 0];
        "pairs agree", quads3: [2, 0];
        "pairs agree below, every other one above", quads4: [4, 0];
        "fours agree, in the same banks", quads5: [4, 2];
        "even ones only, pairs agree below", quads6: [4, 0];
    ]);
    Ok(format!("{strides}\n{padding}\n{pairs}\n{quads}"))
}

fn main() -> warpwise::Result<()> {
    print!("{}", tables()?);
    Ok(())
}
