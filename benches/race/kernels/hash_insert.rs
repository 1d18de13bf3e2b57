//! Insertion into a hash table with linear probing, by compare-and-swap.
use super::prelude::*;

#[kernel(block = 256)]
fn hash_insert(keys: &[u32], slots: &[AtomicU32], inserted: &[AtomicU32]) {
    let i = global_idx_x();
    if i < keys.len() {
        let key = keys[i];
        let mut slot = key.wrapping_mul(0x9e37_79b1) as usize % slots.len();
        loop {
            let found = slots[slot].compare_exchange(0, key, Ordering::Relaxed, Ordering::Relaxed);
            match found {
                Ok(_) => {
                    inserted[0].fetch_add(1, Ordering::Relaxed);
                    break;
                }
                Err(other) if other == key => break,
                Err(_) => slot = (slot + 1) % slots.len(),
            }
        }
    }
}

fn problem(scale: Scale) -> Problem {
    let n = scale.pick(2000, 1 << 23);
    let size = 2 * n;
    // Zero marks an empty slot; about a third of the keys occurs twice.
    let keys: Vec<u32> =
        inputs::below(n as u32, 1, n).into_iter().map(|key| key + 1).collect();
    let distinct = || {
        let mut distinct = keys.clone();
        distinct.sort_unstable();
        distinct.dedup();
        distinct
    };
    let mut buffers = Buffers::new(scale);
    let keys_id = buffers.input(&keys);
    let slots_id = buffers.output(&vec![0u32; size], Agreement::AnyOrder, || {
        let mut slots = distinct();
        slots.resize(size, 0);
        slots
    });
    let count = || vec![distinct().len() as u32];
    let inserted_id = buffers.output(&[0u32], Agreement::Exact, count);
    buffers.restore(slots_id);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![keys_id, slots_id, inserted_id],
        cuda: args![n as i32, size as u32, keys_id, slots_id, inserted_id],
        buffers,
        work: Work::Items(n),
    }
}

benchmark!(hash_insert, "ATOMG");
