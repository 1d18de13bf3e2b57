//! Data structures: a hash table that all threads fill, components of a graph by hooking trees to
//! each other, and rays through a tree of boxes, each thread with a stack of its own.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![hash_table, components, tree_of_boxes];

#[device]
#[derive(Clone, Copy)]
struct Entry {
    key: u32,
    value: u32,
}
#[device]
const EMPTY: u32 = u32::MAX;
#[device]
fn hash(mut k: u32) -> u32 {
    k ^= k >> 16;
    k = k.wrapping_mul(0x85eb_ca6b);
    k ^= k >> 13;
    k = k.wrapping_mul(0xc2b2_ae35);
    k ^ (k >> 16)
}
#[kernel]
fn insert(entries: &[Entry], keys: &[AtomicU32], values: &[AtomicU32]) {
    let Some(Entry { key, value }) = entries.get(global_idx_x()).copied() else { return };
    let capacity = keys.len();
    let mut slot = hash(key) as usize & (capacity - 1);
    loop {
        match keys[slot].compare_exchange(EMPTY, key, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => break,
            Err(other) if other == key => break,
            Err(_) => slot = (slot + 1) & (capacity - 1),
        }
    }
    values[slot].fetch_max(value, Ordering::Relaxed);
}
#[kernel]
fn lookup(keys: &[u32], values: &[u32], queries: &[u32], found: &mut [u32]) {
    let i = global_idx_x();
    if i < queries.len() {
        let start = hash(queries[i]) as usize;
        found[i] = (0..keys.len())
            .map(|k| (start + k) & (keys.len() - 1))
            .take_while(|&slot| keys[slot] != EMPTY)
            .find(|&slot| keys[slot] == queries[i])
            .map_or(EMPTY, |slot| values[slot]);
    }
}

fn hash_table(on: &Engine) -> Check {
    let noise = noise(900);
    let pairs = noise.chunks(2);
    let entries: Vec<Entry> =
        pairs.map(|pair| Entry { key: pair[0] % 300, value: pair[1] % 1000 }).collect();
    let (mut keys, mut values) = (vec![EMPTY; 1024], vec![0; 1024]);
    let config = LaunchConfig::cover(entries.len());
    launch!(on, insert(read entries, atomic keys, atomic values), config)?;
    let queries: Vec<u32> = (0..400).collect();
    let mut found = vec![0; 400];
    let config = LaunchConfig::cover(400);
    launch!(on, lookup(read keys, read values, read queries, write found), config)?;
    let mut want = BTreeMap::new();
    for Entry { key, value } in entries {
        let most = want.entry(key).or_insert(value);
        *most = value.max(*most);
    }
    let want: Vec<u32> = queries.iter().map(|key| *want.get(key).unwrap_or(&EMPTY)).collect();
    same("found", &found, &want)
}

#[device]
fn root(parents: &[AtomicU32], mut v: u32) -> u32 {
    loop {
        let p = parents[v as usize].load(Ordering::Relaxed);
        if p == v {
            return v;
        }
        let up = parents[p as usize].load(Ordering::Relaxed);
        if up != p {
            let _ = parents[v as usize].compare_exchange_weak(
                p,
                up,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
        }
        v = p;
    }
}
#[kernel]
fn hook(edges: &[[u32; 2]], parents: &[AtomicU32]) {
    let Some(&[a, b]) = edges.get(global_idx_x()) else { return };
    let (mut a, mut b) = (root(parents, a), root(parents, b));
    while a != b {
        if a < b {
            std::mem::swap(&mut a, &mut b);
        }
        match parents[a as usize].compare_exchange(a, b, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => {
                a = root(parents, now);
                b = root(parents, b);
            }
        }
    }
}
#[kernel]
fn labelled(parents: &[AtomicU32], labels: &mut [u32]) {
    let i = global_idx_x();
    if i < labels.len() {
        labels[i] = root(parents, i as u32);
    }
}

fn components(on: &Engine) -> Check {
    let count = 500;
    let edges: Vec<[u32; 2]> =
        noise(800).chunks(2).map(|pair| [pair[0] % count, pair[1] % count]).collect();
    let mut parents: Vec<u32> = (0..count).collect();
    let config = LaunchConfig::cover(edges.len());
    launch!(on, hook(read edges, atomic parents), config)?;
    let mut labels = vec![0; count as usize];
    let config = LaunchConfig::cover(labels.len());
    launch!(on, labelled(atomic parents, write labels), config)?;
    // Each vertex takes the least number among its neighbours until nothing changes.
    let mut want: Vec<u32> = (0..count).collect();
    loop {
        let before = want.clone();
        for [a, b] in &edges {
            let least = want[*a as usize].min(want[*b as usize]);
            (want[*a as usize], want[*b as usize]) = (least, least);
        }
        if want == before {
            return same("labels", &labels, &want);
        }
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Aabb {
    min: [f32; 3],
    max: [f32; 3],
}
#[device]
impl Aabb {
    fn hit(&self, origin: [f32; 3], inverse: [f32; 3], nearest: f32) -> bool {
        let (mut enter, mut leave) = (0.0f32, nearest);
        for axis in 0..3 {
            let a = (self.min[axis] - origin[axis]) * inverse[axis];
            let b = (self.max[axis] - origin[axis]) * inverse[axis];
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter <= leave
    }
}
#[device]
#[derive(Clone, Copy)]
enum Node {
    Leaf { first: u32, count: u32 },
    Inner { bounds: [Aabb; 2], children: [u32; 2] },
}
#[device]
fn sphere(center: [f32; 3], radius: f32, origin: [f32; 3], direction: [f32; 3]) -> Option<f32> {
    let to: [f32; 3] = std::array::from_fn(|k| center[k] - origin[k]);
    let dot = |a: &[f32; 3], b: &[f32; 3]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let along = dot(&to, &direction);
    let off = dot(&to, &to) - along * along;
    let inside = radius * radius - off;
    if inside < 0.0 {
        return None;
    }
    let t = along - inside.sqrt();
    (t > 0.0).then_some(t)
}
#[kernel]
fn trace(
    nodes: &[Node],
    spheres: &[[f32; 4]],
    origins: &[[f32; 3]],
    directions: &[[f32; 3]],
    hits: &mut [f32],
    who: &mut [u32],
) {
    let i = global_idx_x();
    if i >= hits.len() {
        return;
    }
    let (origin, direction) = (origins[i], directions[i]);
    let inverse = direction.map(|d| 1.0 / d);
    let mut stack = [0u32; 32];
    let mut top = 1;
    let mut nearest: Option<(f32, u32)> = None;
    while top > 0 {
        top -= 1;
        match nodes[stack[top] as usize] {
            Node::Leaf { first, count } => {
                for k in first..first + count {
                    let [x, y, z, r] = spheres[k as usize];
                    if let Some(t) = sphere([x, y, z], r, origin, direction)
                        && nearest.is_none_or(|(best, _)| t < best)
                    {
                        nearest = Some((t, k));
                    }
                }
            }
            Node::Inner { bounds, children } => {
                let limit = nearest.map_or(f32::INFINITY, |(t, _)| t);
                for (bound, child) in bounds.iter().zip(children) {
                    if bound.hit(origin, inverse, limit) {
                        stack[top] = child;
                        top += 1;
                    }
                }
            }
        }
    }
    let (t, k) = nearest.unwrap_or((-1.0, u32::MAX));
    hits[i] = t;
    who[i] = k;
}

/// Returns the box around spheres.
fn around(spheres: &[[f32; 4]]) -> Aabb {
    let end = |sign: f32, axis: usize| {
        let ends = spheres.iter().map(|s| s[axis] + sign * s[3]);
        if sign < 0.0 {
            ends.fold(f32::INFINITY, f32::min)
        } else {
            ends.fold(f32::NEG_INFINITY, f32::max)
        }
    };
    let corner = |sign: f32| [0, 1, 2].map(|axis| end(sign, axis));
    Aabb { min: corner(-1.0), max: corner(1.0) }
}

/// Builds a tree over the spheres from `first` on, and returns its root.
fn tree(spheres: &[[f32; 4]], first: usize, nodes: &mut Vec<Node>) -> u32 {
    let place = nodes.len();
    nodes.push(Node::Leaf { first: first as u32, count: spheres.len() as u32 });
    if spheres.len() > 2 {
        let halves = spheres.split_at(spheres.len() / 2);
        let bounds = [around(halves.0), around(halves.1)];
        let left = tree(halves.0, first, nodes);
        let right = tree(halves.1, first + halves.0.len(), nodes);
        nodes[place] = Node::Inner { bounds, children: [left, right] };
    }
    place as u32
}

fn tree_of_boxes(on: &Engine) -> Check {
    let mut spheres: Vec<[f32; 4]> = noise(160)
        .chunks(4)
        .map(|n| {
            [0, 1, 2, 3].map(|k| (n[k] % 1000) as f32 * if k == 3 { 1e-3 } else { 1e-2 } + 0.1)
        })
        .collect();
    spheres.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut nodes = Vec::new();
    tree(&spheres, 0, &mut nodes);
    let origins: Vec<[f32; 3]> = (0..256)
        .map(|i| [(i % 16) as f32 * 0.7 + 0.01, (i / 16) as f32 * 0.7 + 0.02, -3.0])
        .collect();
    let directions = vec![[0.08f32, 0.06, 0.995]; 256];
    let (mut hits, mut who) = (vec![0.0; 256], vec![0; 256]);
    let config = LaunchConfig::cover(256);
    launch!(on, trace(read nodes, read spheres, read origins, read directions, write hits, write who), config)?;
    let mut want = Vec::new();
    for (origin, direction) in origins.iter().zip(&directions) {
        let hits = spheres.iter().filter_map(|s| {
            let to: Vec<f64> = (0..3).map(|k| f64::from(s[k]) - f64::from(origin[k])).collect();
            let dot = |b: &dyn Fn(usize) -> f64| (0..3).map(|k| to[k] * b(k)).sum::<f64>();
            let along = dot(&|k| f64::from(direction[k]));
            let inside = f64::from(s[3]).powi(2) - (dot(&|k| to[k]) - along * along);
            (inside >= 0.0).then(|| along - inside.sqrt())
        });
        want.push(hits.fold(f64::INFINITY, f64::min));
    }
    let want: Vec<f64> = want.into_iter().map(|t| if t.is_finite() { t } else { -1.0 }).collect();
    if who.iter().all(|who| *who == u32::MAX) || who.iter().all(|who| *who != u32::MAX) {
        return Err("some rays hit, and some do not".into());
    }
    close("hits", &hits, &want, 1e-3)
}
