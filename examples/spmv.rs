//! `y = a * x` for a sparse matrix in CSR form (compressed rows): a warp for each row, whose lanes
//! take the row's entries in turn and add their sums with shuffles.
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// Every lane gets the sum over the warp.
#[device]
fn warp_sum(value: f32) -> f32 {
    let mut sum = value;
    for step in 0..5 {
        sum += warp::shfl_xor(sum, 16 >> step);
    }
    sum
}

/// The entries of row `r` are `starts[r]..starts[r + 1]`.
#[kernel(block = 128)]
fn multiply(starts: &[u32], columns: &[u32], entries: &[f32], x: &[f32], y: &mut [f32]) {
    let row = global_idx_x() / 32;
    if row >= y.len() {
        return;
    }
    let (start, end) = (starts[row] as usize, starts[row + 1] as usize);
    let mut sum = 0.0;
    for i in (start + warp::lane_id()..end).step_by(32) {
        sum += entries[i] * x[columns[i] as usize];
    }
    sum = warp_sum(sum);
    if warp::lane_id() == 0 {
        y[row] = sum;
    }
}

/// A sparse matrix.
struct Csr {
    starts: Vec<u32>,
    columns: Vec<u32>,
    entries: Vec<f32>,
}

impl Csr {
    /// A square matrix whose rows have from none to 126 entries.
    fn sample(n: usize) -> Self {
        let mut csr = Self { starts: vec![0], columns: Vec::new(), entries: Vec::new() };
        for row in 0..n {
            let count = row * 37 % 127;
            csr.columns.extend((0..count).map(|k| ((row + k * k * 31) % n) as u32));
            csr.entries.extend((0..count).map(|k| (row * 7 + k * 13) as f32 % 101.0 / 101.0 - 0.5));
            csr.starts.push(csr.columns.len() as u32);
        }
        csr
    }

    /// The product with `x`, with additions in the order of the kernel's.
    fn product(&self, x: &[f32]) -> Vec<f32> {
        let row = |bounds: &[u32]| {
            let mut sums = [0.0f32; 32];
            for (k, i) in (bounds[0] as usize..bounds[1] as usize).enumerate() {
                let x = x[self.columns[i] as usize];
                sums[k % 32] = self.entries[i].mul_add(x, sums[k % 32]);
            }
            for distance in [16, 8, 4, 2, 1] {
                sums = std::array::from_fn(|lane| sums[lane] + sums[lane ^ distance]);
            }
            sums[0]
        };
        self.starts.windows(2).map(row).collect()
    }
}

fn main() -> warpwise::Result<()> {
    let n = 30_000;
    let matrix = Csr::sample(n);
    let host: Vec<f32> = (0..n).map(|i| (i * 53 % 97) as f32 / 97.0 - 0.5).collect();

    let device = Device::auto()?;
    let starts = device.upload(&matrix.starts)?;
    let columns = device.upload(&matrix.columns)?;
    let entries = device.upload(&matrix.entries)?;
    let x = device.upload(&host)?;
    let mut y = device.zeros::<f32>(n)?;
    let config = LaunchConfig::cover(32 * n);
    let took = time(&device, || {
        multiply::launch(&device, config, &starts, &columns, &entries, &x, &mut y)
    })?;

    verify(&y.to_vec()?, matrix.product(&host));
    let size = format_args!("{n} x {n}, {} entries", matrix.entries.len());
    report("spmv", size, &device, took);
    Ok(())
}
