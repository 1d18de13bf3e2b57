//! Sorting: the steps of `mergeSort` and `sortingNetworks`, merging by the merge path, and the
//! largest elements of each row.
use super::noise;
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use warpwise::prelude::*;

cases![merge_sort, odd_even_merge: THREADS_MEET, merge_path, largest: THREADS_MEET];

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Record {
    key: u32,
    value: u32,
}

/// Returns the number of records of a sorted run before a key, with those of the same key on
/// request.
#[device]
fn rank(run: &[Record], key: u32, with_equal: bool) -> usize {
    let (mut low, mut high) = (0, run.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let before = if with_equal { run[middle].key <= key } else { run[middle].key < key };
        if before {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Merges pairs of sorted runs: each record finds its place by its rank in the other run.
#[kernel]
fn merge_runs(run: usize, from: &[Record], to: &mut [Record]) {
    let i = global_idx_x();
    if i >= from.len() {
        return;
    }
    let record = from[i];
    let start = i / (2 * run) * (2 * run);
    let middle = (start + run).min(from.len());
    let end = (start + 2 * run).min(from.len());
    let place = if i < middle {
        i + rank(&from[middle..end], record.key, false)
    } else {
        i - run + rank(&from[start..middle], record.key, true)
    };
    to[place] = record;
}

fn merge_sort(on: &Engine) -> Check {
    let keys = noise(1500);
    let mut from: Vec<Record> =
        (0..).zip(&keys).map(|(value, key)| Record { key: key % 300, value }).collect();
    let mut want = from.clone();
    want.sort_by_key(|record| record.key);
    let mut to = from.clone();
    let mut run = 1;
    while run < from.len() {
        let config = LaunchConfig::cover(from.len());
        launch!(on, merge_runs(value run, read from, write to), config)?;
        std::mem::swap(&mut from, &mut to);
        run *= 2;
    }
    equal("records", &from, &want)
}

/// Puts a pair in order.
#[device]
fn compare_exchange<T: Num>(a: &mut T, b: &mut T, ascending: bool) {
    if (*a > *b) == ascending {
        std::mem::swap(a, b);
    }
}

/// Batcher's network, in shared memory: 256 elements a block.
#[kernel(block = 128)]
fn odd_even<T: Num>(ascending: bool, x: &mut [T]) {
    let keys = shared!([T; 256]);
    let (t, half) = (thread_idx_x(), block_dim_x());
    let first = block_idx_x() * 256;
    keys[t] = x[first + t];
    keys[t + half] = x[first + t + half];
    let mut size = 2;
    while size <= 256 {
        let mut stride = size / 2;
        let offset = t & (stride - 1);
        sync_threads();
        let place = 2 * t - (t & (stride - 1));
        let (low, high) = keys.split_at_mut(place + stride);
        compare_exchange(&mut low[place], &mut high[0], ascending);
        stride /= 2;
        while stride > 0 {
            sync_threads();
            let place = 2 * t - (t & (stride - 1));
            if offset >= stride {
                let (low, high) = keys.split_at_mut(place);
                compare_exchange(&mut low[place - stride], &mut high[0], ascending);
            }
            stride /= 2;
        }
        size *= 2;
    }
    sync_threads();
    x[first + t] = keys[t];
    x[first + t + half] = keys[t + half];
}

fn odd_even_merge(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident $ascending:literal)*) => {$({
            let mut x: Vec<$ty> = noise(1024).iter().map(|v| *v as i32 as $ty).collect();
            let mut want = x.clone();
            let ascending = $ascending;
            launch!(on, odd_even::<$ty>(value ascending, write x), LaunchConfig::grid(4))?;
            for block in want.chunks_mut(256) {
                block.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
                if !ascending {
                    block.reverse();
                }
            }
            same(stringify!($ty), &x, &want)?;
        })*};
    }
    each! { i32 true f32 false u64 true i16 false }
    Ok(())
}

/// Returns the point where the diagonal `d` of the grid of `a` by `b` crosses the path of their
/// merge.
#[device]
fn crossing(a: &[i32], b: &[i32], d: usize) -> (usize, usize) {
    let mut low = d.saturating_sub(b.len());
    let mut high = d.min(a.len());
    while low < high {
        let i = (low + high) / 2;
        if a[i] <= b[d - 1 - i] {
            low = i + 1;
        } else {
            high = i;
        }
    }
    (low, d - low)
}

/// Each thread merges `PART` elements of the result.
#[kernel]
fn merge<const PART: usize>(a: &[i32], b: &[i32], out: &mut [i32]) {
    let start = global_idx_x() * PART;
    if start >= out.len() {
        return;
    }
    let (mut i, mut j) = crossing(a, b, start);
    let end = (start + PART).min(out.len());
    for place in &mut out[start..end] {
        let take_a = j >= b.len() || i < a.len() && a[i] <= b[j];
        *place = if take_a { a[i] } else { b[j] };
        if take_a {
            i += 1;
        } else {
            j += 1;
        }
    }
}

fn merge_path(on: &Engine) -> Check {
    let sorted = |count: usize, seed: usize| {
        let mut x: Vec<i32> = noise(count + seed)[seed..].iter().map(|v| *v as i32 % 500).collect();
        x.sort_unstable();
        x
    };
    let (a, b) = (sorted(700, 0), sorted(333, 50));
    let mut out = vec![0; 1033];
    launch!(on, merge::<8>(read a, read b, write out), LaunchConfig::cover(130))?;
    let mut want = [a, b].concat();
    want.sort_unstable();
    same("out", &out, &want)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Scored {
    score: f32,
    index: u32,
}
#[device]
#[derive(Clone, Copy)]
struct TopK<const K: usize>([Scored; K]);
#[device]
impl<const K: usize> TopK<K> {
    const NONE: Scored = Scored { score: f32::NEG_INFINITY, index: u32::MAX };
    const EMPTY: Self = Self([Self::NONE; K]);
    fn insert(&mut self, item: Scored) {
        if let Some(at) = self.0.iter().position(|kept| item.score > kept.score) {
            self.0[at..].rotate_right(1);
            self.0[at] = item;
        }
    }
    fn merged(mut self, other: Self) -> Self {
        for item in other.0 {
            self.insert(item);
        }
        self
    }
}
#[device]
impl<const K: usize> FromIterator<Scored> for TopK<K> {
    fn from_iter<I: IntoIterator<Item = Scored>>(items: I) -> Self {
        let mut top = Self::EMPTY;
        items.into_iter().for_each(|item| top.insert(item));
        top
    }
}
#[kernel(block = 32)]
fn top_k_rows<const K: usize>(width: usize, x: &[f32], out: &mut [u32]) {
    let row = &x[block_idx_x() * width..][..width];
    let lane = warp::lane_id();
    let mut top: TopK<K> =
        (lane..width).step_by(32).map(|i| Scored { score: row[i], index: i as u32 }).collect();
    for distance in [16, 8, 4, 2, 1] {
        let other = TopK(top.0.map(|Scored { score, index }| Scored {
            score: warp::shfl_xor(score, distance),
            index: warp::shfl_xor(index, distance),
        }));
        top = top.merged(other);
    }
    if warp::elect() {
        for (to, Scored { index, .. }) in out[block_idx_x() * K..].iter_mut().zip(top.0) {
            *to = index;
        }
    }
}

fn largest(on: &Engine) -> Check {
    let (width, rows) = (100, 4);
    let x: Vec<f32> = noise(width * rows).into_iter().map(|v| (v >> 8) as f32).collect();
    let mut out = vec![0; rows * 5];
    launch!(on, top_k_rows::<5>(value width, read x, write out), LaunchConfig::grid(rows))?;
    let of_row = |row: &[f32]| {
        let mut order: Vec<u32> = (0..width as u32).collect();
        order.sort_by(|a, b| row[*b as usize].total_cmp(&row[*a as usize]));
        order.truncate(5);
        order
    };
    let want: Vec<u32> = x.chunks(width).flat_map(of_row).collect();
    same("out", &out, &want)
}
