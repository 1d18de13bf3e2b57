//! Copies from shared to global memory in bulk.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::{U32x4, prelude::*};

cases![
    whole_arrays: THREADS_MEET, stages: THREADS_MEET, many_threads: THREADS_MEET,
    generic_sizes: THREADS_MEET, seen_after_the_wait: THREADS_MEET,
];

/// Returns the numbers of vectors.
fn numbers(vectors: &[U32x4]) -> Vec<u32> {
    vectors.iter().flat_map(|four| [four.x, four.y, four.z, four.w]).collect()
}

/// A block writes an array to shared memory, and one thread stores it.
#[kernel(block = 64)]
fn one_array(y: &mut [[U32x4; 64]]) {
    let tile = shared!([U32x4; 64]);
    let (t, block) = (thread_idx_x(), block_idx_x());
    tile[63 - t] = U32x4::new(t as u32, block as u32, 7, (t * block) as u32);
    sync_threads();
    if t == 5 && block < y.len() {
        bulk_store::store(&mut y[block], tile);
        bulk_store::wait_all();
    }
}

fn whole_arrays(on: &Engine) -> Check {
    let mut y = vec![[U32x4::splat(9); 64]; 40];
    launch!(on, one_array(write y), LaunchConfig::grid(41))?;
    let four = |i: usize| {
        let (block, t) = (i / 64, 63 - i % 64);
        [t as u32, block as u32, 7, (t * block) as u32]
    };
    let want: Vec<u32> = (0..40 * 64).flat_map(four).collect();
    same("y", &numbers(y.as_flattened()), &want)
}

/// Two stages, one of which is stored while the other is written.
#[kernel(block = 32)]
fn two_stages(x: &[[U32x4; 32]], y: &mut [[U32x4; 32]]) {
    let stages = shared!([[U32x4; 32]; 2]);
    let t = thread_idx_x();
    for i in 0..x.len() {
        if t == 0 {
            bulk_store::wait_read::<1>();
        }
        sync_threads();
        stages[i % 2][t] = x[i][31 - t] + U32x4::splat(i as u32);
        sync_threads();
        if t == 0 {
            if i < y.len() {
                bulk_store::store(&mut y[i], &stages[i % 2]);
            }
            bulk_store::commit();
        }
    }
    if t == 0 {
        bulk_store::wait::<0>();
    }
}

fn stages(on: &Engine) -> Check {
    let four = |i: usize| U32x4::new(i as u32, 2 * i as u32, 3 * i as u32, 5);
    for count in [0, 1, 2, 3, 20] {
        let x: Vec<[U32x4; 32]> =
            (0..count).map(|row| std::array::from_fn(|i| four(row * 32 + i))).collect();
        let mut y = vec![[U32x4::splat(0); 32]; count];
        launch!(on, two_stages(read x, write y), LaunchConfig::grid(1))?;
        let want = |i: usize| {
            let from = x[i / 32][31 - i % 32];
            [from.x, from.y, from.z, from.w].map(|part| part + (i / 32) as u32)
        };
        let want: Vec<u32> = (0..count * 32).flat_map(want).collect();
        same("y", &numbers(y.as_flattened()), &want)?;
    }
    Ok(())
}

/// Each thread stores a row of its own, in groups of its own.
#[kernel(block = 32)]
fn own_rows(y: &mut [[U32x4; 2]]) {
    let rows = shared!([[U32x4; 2]; 64]);
    let t = thread_idx_x();
    for half in 0..2 {
        let row = 32 * half + t;
        rows[row] = [U32x4::splat(row as u32), U32x4::splat(1000 + row as u32)];
        if row < y.len() {
            bulk_store::store(&mut y[row], &rows[row]);
        }
        bulk_store::commit();
    }
    bulk_store::wait::<1>();
    bulk_store::wait::<0>();
}

fn many_threads(on: &Engine) -> Check {
    let mut y = vec![[U32x4::splat(0); 2]; 50];
    launch!(on, own_rows(write y), LaunchConfig::grid(1))?;
    let want: Vec<u32> = (0..50).flat_map(|row| [[row; 4], [1000 + row; 4]].concat()).collect();
    same("y", &numbers(y.as_flattened()), &want)
}

/// The size is a parameter of the kernel.
#[kernel(block = 32)]
fn sized<const N: usize>(y: &mut [[U32x4; N]]) {
    let tile = shared!([U32x4; N]);
    let t = thread_idx_x();
    for i in (t..N).step_by(32) {
        tile[i] = U32x4::splat(3 * i as u32);
    }
    sync_threads();
    if t == 0 && y.len() > 1 {
        bulk_store::store(&mut y[1], tile);
        bulk_store::wait_all();
    }
}

fn generic_sizes(on: &Engine) -> Check {
    let mut one = vec![[U32x4::splat(7); 1]; 2];
    let mut many = vec![[U32x4::splat(7); 1000]; 2];
    launch!(on, sized::<1>(write one), LaunchConfig::grid(1))?;
    launch!(on, sized::<1000>(write many), LaunchConfig::grid(1))?;
    same("one", &numbers(one.as_flattened()), &[7, 7, 7, 7, 0, 0, 0, 0])?;
    let want: Vec<u32> =
        (0..1000).map(|_| 7).chain((0..1000).map(|i| 3 * i)).flat_map(|i| [i; 4]).collect();
    same("many", &numbers(many.as_flattened()), &want)
}

/// The thread reads the elements that it has stored.
#[kernel(block = 32)]
fn read_back(y: &mut [[U32x4; 32]], z: &mut [u32]) {
    let tile = shared!([U32x4; 32]);
    let t = thread_idx_x();
    tile[t] = U32x4::splat(10 + t as u32);
    sync_threads();
    if t == 0 && y.len() > 0 {
        bulk_store::store(&mut y[0], tile);
        bulk_store::wait_all();
        let mut sum = 0;
        for i in 0..32 {
            sum += y[0][i].z;
        }
        if z.len() > 0 {
            z[0] = sum;
        }
    }
}

fn seen_after_the_wait(on: &Engine) -> Check {
    let (mut y, mut z) = (vec![[U32x4::splat(0); 32]; 1], vec![0u32; 1]);
    launch!(on, read_back(write y, write z), LaunchConfig::grid(1))?;
    same("z", &z, &[(10..42).sum()])
}
