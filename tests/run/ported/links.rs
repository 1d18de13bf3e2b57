//! Concurrent linked structures: union-find sets, and the lists of hash tables.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![components, chains];

/// A node of a forest in which every tree is a set.
#[device]
#[derive(Debug, Default)]
struct Node {
    parent: AtomicU32,
    /// The number of members, summed at the roots.
    members: AtomicU32,
    weight: u32,
}

/// Returns the root of a tree; on the way every other node moves closer to it.
#[device]
fn root(nodes: &[Node], of: u32) -> u32 {
    let mut at = of;
    loop {
        let parent = nodes[at as usize].parent.load(Ordering::Relaxed);
        if parent == at {
            return at;
        }
        let above = nodes[parent as usize].parent.load(Ordering::Relaxed);
        nodes[at as usize].parent.fetch_min(above, Ordering::Relaxed);
        at = above;
    }
}

fn components(on: &Engine) -> Check {
    #[kernel]
    fn unite(edges: &[[u32; 2]], nodes: &[Node]) {
        let Some(&[a, b]) = edges.get(global_idx_x()) else { return };
        let (mut a, mut b) = (root(nodes, a), root(nodes, b));
        while a != b {
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            let parent = &nodes[high as usize].parent;
            match parent.compare_exchange(high, low, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(_) => (a, b) = (root(nodes, low), root(nodes, high)),
            }
        }
    }
    #[kernel]
    fn sum(nodes: &[Node]) {
        let i = global_idx_x();
        if let Some(node) = nodes.get(i) {
            let root = root(nodes, i as u32) as usize;
            nodes[root].members.fetch_add(node.weight, Ordering::Relaxed);
        }
    }
    let (count, edges) = (300u32, 210u32);
    let edges: Vec<[u32; 2]> = (0..edges)
        .map(|i| [i.wrapping_mul(2654435761) >> 8, i.wrapping_mul(0x85eb_ca6b) >> 9])
        .map(|edge| edge.map(|it| it % count))
        .collect();
    let node = |i: u32| Node { parent: i.into(), weight: i % 5 + 1, ..Node::default() };
    let mut nodes: Vec<Node> = (0..count).map(node).collect();
    launch!(on, unite(read edges, shared nodes), LaunchConfig::cover(edges.len()))?;
    launch!(on, sum(shared nodes), LaunchConfig::cover(300))?;
    // Names move along the edges until nothing changes: the lowest of each set remains.
    let mut names: Vec<u32> = (0..count).collect();
    loop {
        let before = names.clone();
        for [a, b] in &edges {
            let low = names[*a as usize].min(names[*b as usize]);
            (names[*a as usize], names[*b as usize]) = (low, low);
        }
        if before == names {
            break;
        }
    }
    let mut want = vec![0u32; 300];
    (0..count).for_each(|i| want[names[i as usize] as usize] += i % 5 + 1);
    let members: Vec<u32> = nodes.into_iter().map(|node| node.members.into_inner()).collect();
    same("members", &members, &want)
}

/// The mark that no entry follows.
#[device]
const NONE: u32 = u32::MAX;

#[device]
#[derive(Debug)]
struct Entry {
    key: u32,
    next: AtomicU32,
}

#[device]
#[derive(Debug)]
struct Bucket {
    first: AtomicU32,
    len: AtomicU32,
}

fn chains(on: &Engine) -> Check {
    #[kernel]
    fn push(entries: &[Entry], buckets: &[Bucket]) {
        let i = global_idx_x();
        if i < entries.len() {
            let bucket = &buckets[entries[i].key as usize % buckets.len()];
            let before = bucket.first.swap(i as u32, Ordering::Relaxed);
            entries[i].next.store(before, Ordering::Relaxed);
            bucket.len.fetch_add(1, Ordering::Relaxed);
        }
    }
    #[kernel]
    fn count(entries: &[Entry], buckets: &[Bucket], keys: &[u32], out: &mut [[u32; 2]]) {
        let i = global_idx_x();
        if i < keys.len() {
            let bucket = &buckets[keys[i] as usize % buckets.len()];
            let (mut at, mut found) = (bucket.first.load(Ordering::Relaxed), 0);
            while let Some(entry) = entries.get(at as usize) {
                found += u32::from(entry.key == keys[i]);
                at = entry.next.load(Ordering::Relaxed);
            }
            out[i] = [found, bucket.len.load(Ordering::Relaxed)];
        }
    }
    let all: Vec<u32> = (0..400u32).map(|i| i.wrapping_mul(2654435761) >> 25).collect();
    let mut entries: Vec<Entry> = all.iter().map(|&key| Entry { key, next: NONE.into() }).collect();
    let mut buckets: Vec<Bucket> =
        (0..37).map(|_| Bucket { first: NONE.into(), len: 0.into() }).collect();
    launch!(on, push(shared entries, shared buckets), LaunchConfig::cover(400))?;
    let keys: Vec<u32> = (0..140).collect();
    let mut out = vec![[0u32; 2]; 140];
    let config = LaunchConfig::cover(140);
    launch!(on, count(shared entries, shared buckets, read keys, write out), config)?;
    let of = |such: &dyn Fn(u32) -> bool| all.iter().filter(|key| such(**key)).count() as u32;
    let want: Vec<[u32; 2]> =
        keys.iter().map(|&key| [of(&|it| it == key), of(&|it| it % 37 == key % 37)]).collect();
    same("out", out.as_flattened(), want.as_flattened())
}
