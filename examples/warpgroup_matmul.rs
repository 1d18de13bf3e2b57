//! A matrix product by warpgroups, `wgmma`: each block computes 128 x 128 elements of `c`, of which
//! its two warpgroups have 64 rows each. A third warpgroup loads the next tiles meanwhile.
//!
//! ```text
//! cargo run --release --example warpgroup_matmul
//! WARPWISE_DEVICE=cpu cargo run --release --example warpgroup_matmul
//! ```
use warpwise::{MBarrier, U32x4, prelude::*, wgmma};

/// Rows and columns of `c` that a block computes.
#[device]
const TILE: usize = 128;
/// Tiles on their way.
#[device]
const STAGES: usize = 3;

/// `c = a * b`, all of them `n` by `n`. `a` is stored row by row and `b` column by column, in
/// chunks of 8 numbers.
#[kernel(block = 384)]
fn multiply(n: usize, a: &[U32x4], b: &[U32x4], c: &mut [f32]) {
    let full = shared!([MBarrier<128>; STAGES]);
    let empty = shared!([MBarrier<256>; STAGES]);
    let left = shared!([[wgmma::Tile<64>; 2]; STAGES]);
    let right = shared!([wgmma::Tile<128>; STAGES]);
    let (rows, columns) = (block_idx_y() * TILE, block_idx_x() * TILE);
    let (group, thread) = (warp::warp_id() / 4, thread_idx_x() % 128);
    if group == 2 {
        for k in 0..n / 64 {
            let stage = k % STAGES;
            empty[stage].wait_parity(k / STAGES % 2 == 0);
            // Each thread loads a row of both tiles.
            for chunk in 0..8 {
                let from = k * 8 + chunk;
                let (i, j) =
                    ((rows + thread) * (n / 8) + from, (columns + thread) * (n / 8) + from);
                if i < a.len() && j < b.len() {
                    left[stage][thread / 64].set(thread % 64, chunk, a[i]);
                    right[stage].set(thread, chunk, b[j]);
                }
            }
            fence_proxy_async();
            full[stage].arrive();
        }
    } else {
        let mut products = wgmma::Products::<bf16, 128>::zero();
        for k in 0..n / 64 {
            let stage = k % STAGES;
            full[stage].wait_parity(k / STAGES % 2 == 1);
            products.multiply_add(&left[stage][group], &right[stage]);
            // The product before has read its tiles.
            products.wait::<1>();
            if k > 0 {
                empty[(k - 1) % STAGES].arrive();
            }
        }
        let sums = products.finish();
        sums.store(c, (rows + group * 64) * n + columns, n);
    }
}

fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    let n = 256;
    let a: Vec<bf16> = (0..n * n).map(|i| bf16::from_f32((i % 7) as f32 - 3.0)).collect();
    let b: Vec<bf16> = (0..n * n).map(|i| bf16::from_f32((i % 5) as f32 - 2.0)).collect();
    let mut c = device.zeros::<f32>(n * n)?;
    let config = LaunchConfig::grid((n / TILE, n / TILE));
    multiply::launch(
        &device,
        config,
        n,
        &device.upload(&chunks(&a))?,
        &device.upload(&chunks(&b))?,
        &mut c,
    )?;

    let c = c.to_vec()?;
    for (i, got) in c.iter().enumerate().step_by(97) {
        let product = |k: usize| a[i / n * n + k].to_f32() * b[i % n * n + k].to_f32();
        assert_eq!(*got, (0..n).map(product).sum::<f32>());
    }
    println!("{n} x {n} elements on {}", device.name());
    Ok(())
}

/// Packs 8 halves into each chunk.
fn chunks(halves: &[bf16]) -> Vec<U32x4> {
    let word = |pair: &[bf16]| u32::from(pair[0].to_bits()) | u32::from(pair[1].to_bits()) << 16;
    let chunk = |eight: &[bf16]| {
        U32x4::new(word(&eight[..2]), word(&eight[2..4]), word(&eight[4..6]), word(&eight[6..]))
    };
    halves.chunks_exact(8).map(chunk).collect()
}
