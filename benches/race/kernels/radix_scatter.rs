//! The last pass of a radix sort: each pair of a key and a value moves to its place, in the order
//! of its block.
use super::prelude::*;

/// Returns the lanes of the warp whose digit is this lane's.
#[device]
fn lanes_with(digit: usize) -> u32 {
    let mut lanes = u32::MAX;
    for bit in 0..4 {
        let set = digit >> bit & 1 == 1;
        let voters = warp::ballot(set);
        lanes &= if set { voters } else { !voters };
    }
    lanes
}

#[kernel(block = 256)]
fn radix_scatter(
    shift: u32,
    keys: &[u32],
    values: &[u32],
    places: &[u32],
    to_keys: &mut [u32],
    to_values: &mut [u32],
) {
    let counts = shared!([[u32; 16]; 8]);
    let (warp, lane) = (warp::warp_id(), warp::lane_id());
    let i = global_idx_x();
    let key = keys[i];
    let digit = (key >> shift) as usize % 16;
    if lane < 16 {
        counts[warp][lane] = 0;
    }
    sync_threads();
    let lanes = lanes_with(digit);
    let in_warp = (lanes & ((1 << lane) - 1)).count_ones();
    if in_warp == 0 {
        counts[warp][digit] = lanes.count_ones();
    }
    sync_threads();
    let mut place = places[digit * grid_dim_x() + block_idx_x()] + in_warp;
    for other in 0..warp {
        place += counts[other][digit];
    }
    to_keys[place as usize] = key;
    to_values[place as usize] = values[i];
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(2048, 1 << 25);
    let (blocks, shift) = (n / 256, 8u32);
    let (keys, values) = (inputs::words(1, n), inputs::words(2, n));
    let digit = |key: u32| (key >> shift) as usize % 16;
    let mut places = vec![0u32; 16 * blocks];
    for (i, key) in keys.iter().enumerate() {
        places[digit(*key) * blocks + i / 256] += 1;
    }
    let mut before = 0;
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    let sorted = |what: &[u32]| -> Vec<u32> {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|i| digit(keys[*i]));
        order.into_iter().map(|i| what[i]).collect()
    };
    let mut buffers = Buffers::new(scale);
    let (keys_id, values_id) = (buffers.input(&keys), buffers.input(&values));
    let places_id = buffers.input(&places);
    let zeros = vec![0u32; n];
    let to_keys = buffers.output(&zeros, Agreement::Exact, || sorted(&keys));
    let to_values = buffers.output(&zeros, Agreement::Exact, || sorted(&values));
    Problem {
        grid: [blocks as u32, 1, 1],
        block: [256, 1, 1],
        rust: args![shift, keys_id, values_id, places_id, to_keys, to_values],
        cuda: args![shift, keys_id, values_id, places_id, to_keys, to_values],
        buffers,
        work: Work::Bytes(16 * n),
    }
}

benchmark!(radix_scatter, "VOTE");
