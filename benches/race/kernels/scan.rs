//! An inclusive scan of each block's elements: shuffles in warps, then the sums of the warps.
use super::prelude::*;

#[kernel(block = 256)]
fn scan(x: &[u32], out: &mut [u32]) {
    let sums = shared!([u32; 8]);
    let (i, lane, warp) = (global_idx_x(), warp::lane_id(), warp::warp_id());
    let mut sum = if i < x.len() { x[i] } else { 0 };
    for step in [1, 2, 4, 8, 16] {
        let below = warp::shfl_up(sum, step);
        if lane >= step {
            sum += below;
        }
    }
    if lane == 31 {
        sums[warp] = sum;
    }
    sync_threads();
    for other in 0..warp {
        sum += sums[other];
    }
    if i < out.len() {
        out[i] = sum;
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(1000, 1 << 26);
    let x = inputs::below(1000, 1, n);
    let expected = || {
        let scan = |block: &[u32]| -> Vec<u32> {
            let next = |sum: &mut u32, x: &u32| {
                *sum += x;
                Some(*sum)
            };
            block.iter().scan(0, next).collect()
        };
        x.chunks(256).flat_map(scan).collect()
    };
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let out_id = buffers.output(&vec![0u32; n], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, out_id],
        cuda: args![n as i32, x_id, out_id],
        buffers,
        work: Work::Bytes(8 * n),
    }
}

benchmark!(scan, "SHFL");
