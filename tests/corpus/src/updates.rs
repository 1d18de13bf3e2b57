//! Elements that are read, changed and stored again, at indices that come from memory.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel(block = 256)]
fn a_histogram(keys: &[u32], bins: &mut [u32]) {
    let i = global_idx_x();
    if i < keys.len() {
        bins[keys[i] as usize] += 1; //~ gpu_nonatomic_updates "all but one lose"
    }
}

#[kernel(block = 256)]
fn by_way_of_a_local(keys: &[u32], bins: &mut [u32]) {
    let i = global_idx_x();
    if i < keys.len() {
        let k = keys[i] as usize % 64;
        if k < bins.len() {
            let mut count = bins[k];
            count += 1;
            bins[k] = count; //~ gpu_nonatomic_updates
        }
    }
}

#[kernel(block = 256)]
fn written_out(keys: &[u8], weights: &[f32], bins: &mut [f32]) {
    let i = global_idx_x();
    if i < keys.len() && i < weights.len() {
        bins[keys[i] as usize] = bins[keys[i] as usize] + weights[i]; //~ gpu_nonatomic_updates
    }
}

#[kernel(block = 256)]
fn in_shared_memory(keys: &[u8], total: &[AtomicU32]) {
    let (t, i) = (thread_idx_x(), global_idx_x());
    let bins = shared!([u32; 256]);
    bins[t] = 0;
    sync_threads();
    if i < keys.len() {
        bins[keys[i] as usize] += 1; //~ gpu_nonatomic_updates "`bins` is updated"
    }
    sync_threads();
    if t < total.len() {
        total[t].fetch_add(bins[t], Ordering::Relaxed);
    }
}

/// A row of its own for every block, which all threads of the block share.
#[kernel(block = 256)]
fn a_row_for_each_block(keys: &[u8], rows: &mut [u32]) {
    let i = global_idx_x();
    if i < keys.len() {
        rows[block_idx_x() * 256 + keys[i] as usize] += 1; //~ gpu_nonatomic_updates
    }
}

#[kernel(block = 256)]
fn the_sums_of_clusters(label: &[u32], x: &[f32], sum: &mut [f32], count: &mut [u32]) {
    let i = global_idx_x();
    if i < label.len() && i < x.len() {
        let k = label[i] as usize;
        sum[k] += x[i]; //~ gpu_nonatomic_updates
        count[k] += 1; //~ gpu_nonatomic_updates
    }
}

#[kernel(block = 256)]
fn a_largest_value(key: &[u32], x: &[f32], largest: &mut [f32]) {
    let i = global_idx_x();
    if i < key.len() && i < x.len() {
        let k = key[i] as usize;
        largest[k] = largest[k].max(x[i]); //~ gpu_nonatomic_updates
    }
}

#[kernel(block = 256)]
fn a_scatter(place: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < place.len() && i < x.len() {
        y[place[i] as usize] = x[i];
    }
}

#[kernel(block = 256)]
fn a_permutation_of_itself(place: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < place.len() && i < x.len() && i < y.len() {
        y[place[i] as usize] = y[i] + x[i]; //~? gpu_global_races
    }
}

#[kernel(block = 256)]
fn with_atomics(keys: &[u32], bins: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        bins[keys[i] as usize].fetch_add(1, Ordering::Relaxed);
    }
}

#[kernel(block = 64)]
fn a_row_for_each_thread(keys: &[u8], rows: &mut [u32], n: usize) {
    let i = global_idx_x();
    for q in 0..n {
        rows[keys[q] as usize * 16_384 + i] += 1;
    }
}

#[kernel(block = 256)]
fn a_gather(place: &[u32], x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < place.len() && i < y.len() {
        y[i] += x[place[i] as usize];
    }
}

/// One thread counts for its block.
#[kernel(block = 256)]
fn one_thread_counts(keys: &[u8], y: &mut [u32]) {
    let (t, b) = (thread_idx_x(), block_idx_x());
    let bins = shared!([u32; 256]);
    bins[t] = 0;
    sync_threads();
    if t == 0 { //~ gpu_serial_sections
        for q in 0..64 {
            bins[keys[b * 64 + q] as usize] += 1;
        }
    }
    sync_threads();
    y[b * 256 + t] = bins[t];
}

/// Particles that are alive: each is in the list once.
#[kernel(block = 256)]
fn listed_particles(alive: &[u32], x: &mut [f32], v: &[f32], step: f32) {
    let i = global_idx_x();
    if i < alive.len() {
        let p = alive[i] as usize;
        x[p] += v[p] * step;
    }
}

/// The elements of a row, from where it begins to where the next one does.
#[kernel(block = 256)]
fn the_elements_of_a_row(begin: &[u32], x: &mut [f32], scale: f32) {
    let row = global_idx_x();
    if row + 1 < begin.len() {
        for e in begin[row]..begin[row + 1] { //~ gpu_divergent_loops
            //~^ gpu_misaligned_accesses
            x[e as usize] *= scale;
        }
    }
}

/// A slot that an atomic counter has given to this thread alone.
#[kernel(block = 256)]
fn a_slot_of_its_own(x: &[f32], next: &[AtomicU32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && x[i] > 0.0 {
        let slot = next[i / 64].fetch_add(1, Ordering::Relaxed) as usize; //~ gpu_contended_atomics
        y[slot] += x[i];
    }
}

/// The first of the lanes with one key adds for them all.
#[kernel(block = 32)]
fn a_leader_for_each_key(keys: &[u32], y: &mut [u32]) {
    let (t, b) = (thread_idx_x(), block_idx_x());
    let bins = shared!([u32; 32]);
    bins[t] = 0;
    sync_warp();
    let key = keys[b * 32 + t] % 32;
    let peers = warp::match_any(key);
    if peers.trailing_zeros() as usize == t {
        bins[key as usize] += peers.count_ones();
    }
    sync_warp();
    y[b * 32 + t] = bins[t];
}

crate::corpus![
    a_histogram,
    by_way_of_a_local,
    written_out,
    in_shared_memory,
    a_row_for_each_block,
    the_sums_of_clusters,
    a_largest_value,
    a_scatter,
    a_permutation_of_itself,
    with_atomics,
    a_row_for_each_thread,
    a_gather,
    one_thread_counts,
    listed_particles,
    the_elements_of_a_row,
    a_slot_of_its_own,
    a_leader_for_each_key,
];
