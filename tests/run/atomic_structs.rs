//! Atomics inside structs and arrays, in global and in shared memory.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![
    tables,
    pixels,
    queues: THREADS_MEET,
    guarded: THREADS_MEET,
    walked,
    beside_plain_fields,
    of_generic_types,
    in_blocks: THREADS_MEET,
    rows_in_blocks: THREADS_MEET,
    scopes,
    flags_beside_bytes: THREADS_MEET,
    in_enums,
    one_value,
    got_mut: THREADS_MEET,
    floats_got_mut: THREADS_MEET,
];

const EMPTY: u32 = u32::MAX;

#[device]
const FREE: u32 = u32::MAX;

/// A slot of a hash table with open addressing.
#[device]
#[derive(Debug, Default)]
struct Slot {
    key: AtomicU32,
    value: AtomicU32,
}

#[device]
impl Slot {
    /// Returns true if the slot has this key, and gives it the key if it has none.
    fn claim(&self, key: u32) -> bool {
        match self.key.compare_exchange(FREE, key, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => true,
            Err(found) => found == key,
        }
    }
}

#[device]
fn add(slot: &Slot, by: u32) -> u32 {
    slot.value.fetch_add(by, Ordering::Relaxed)
}

fn empty(slots: usize) -> Vec<Slot> {
    let slot = |_| Slot { key: AtomicU32::new(EMPTY), value: AtomicU32::new(0) };
    (0..slots).map(slot).collect()
}

fn keys(count: u32) -> Vec<u32> {
    (0..count).map(|i| i.wrapping_mul(2654435761) >> 7 & 0x3f).collect()
}

fn tables(on: &Engine) -> Check {
    #[kernel]
    fn insert(keys: &[u32], table: &[Slot]) {
        let i = global_idx_x();
        if i >= keys.len() {
            return;
        }
        let mut place = keys[i] as usize * 7 % table.len();
        while !table[place].claim(keys[i]) {
            place = (place + 1) % table.len();
        }
        add(&table[place], i as u32);
    }
    #[kernel]
    fn lookup(table: &[Slot], out: &mut [u32]) {
        let i = global_idx_x();
        if i >= out.len() {
            return;
        }
        let mut place = i * 7 % table.len();
        out[i] = loop {
            let slot = &table[place];
            let key = slot.key.load(Ordering::Relaxed);
            if key == i as u32 {
                break slot.value.load(Ordering::Relaxed);
            }
            if key == FREE {
                break FREE;
            }
            place = (place + 1) % table.len();
        };
    }
    let keys = keys(500);
    let mut table = empty(97);
    launch!(on, insert(read keys, shared table), LaunchConfig::cover(500))?;
    let mut out = vec![0u32; 80];
    launch!(on, lookup(shared table, write out), LaunchConfig::cover(80))?;
    let mut sums = HashMap::<u32, u32>::new();
    for (i, key) in keys.iter().enumerate() {
        *sums.entry(*key).or_default() += i as u32;
    }
    let want: Vec<u32> = (0..80).map(|key| sums.get(&key).copied().unwrap_or(EMPTY)).collect();
    same("out", &out, &want)
}

fn pixels(on: &Engine) -> Check {
    #[kernel]
    fn histogram(pixels: &[[u8; 4]], bins: &[[AtomicU32; 4]]) {
        if let Some(pixel) = pixels.get(global_idx_x()) {
            for channel in 0..4 {
                bins[pixel[channel] as usize][channel].fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    let pixels: Vec<[u8; 4]> = (0..777u32)
        .map(|i| (i.wrapping_mul(0x9e37_79b9) >> 3 & 0x0f1f_0707).to_le_bytes())
        .collect();
    let mut bins = vec![[1u32; 4]; 32];
    launch!(on, histogram(read pixels, atomic bins), LaunchConfig::cover(777))?;
    let mut want = vec![[1u32; 4]; 32];
    for pixel in &pixels {
        pixel.iter().enumerate().for_each(|(i, &value)| want[value as usize][i] += 1);
    }
    same("bins", bins.as_flattened(), want.as_flattened())
}

/// A queue of work, which threads empty while some of the items add further ones.
#[device]
#[derive(Debug, Default)]
struct Queue {
    head: AtomicU32,
    tail: AtomicU32,
    pending: AtomicU32,
}

#[device]
impl Queue {
    fn push(&self, items: &[AtomicU32], item: u32) {
        self.pending.fetch_add(1, Ordering::Relaxed);
        let at = self.tail.fetch_add(1, Ordering::Relaxed);
        items[at as usize].store(item, Ordering::Release);
    }
    fn pop(&self, items: &[AtomicU32]) -> Option<u32> {
        let head = self.head.load(Ordering::Relaxed);
        let item = items.get(head as usize)?.load(Ordering::Acquire);
        if item == FREE {
            return None;
        }
        let taken =
            self.head.compare_exchange(head, head + 1, Ordering::Relaxed, Ordering::Relaxed);
        taken.is_ok().then_some(item)
    }
}

fn queues(on: &Engine) -> Check {
    #[kernel]
    fn drain(queue: &Queue, items: &[AtomicU32], done: &[AtomicU32]) {
        while queue.pending.load(Ordering::Acquire) > 0 {
            if let Some(item) = queue.pop(items) {
                if item > 1 {
                    queue.push(items, item / 2);
                    queue.push(items, item - item / 2);
                } else {
                    done[0].fetch_add(1, Ordering::Relaxed);
                }
                queue.pending.fetch_sub(1, Ordering::Release);
            }
        }
    }
    let mut queue = vec![Queue { tail: 1.into(), pending: 1.into(), ..Queue::default() }];
    let mut items = vec![EMPTY; 256];
    items[0] = 90;
    let mut done = vec![0u32];
    let config = LaunchConfig::grid(2).block(32);
    launch!(on, drain(one queue, atomic items, atomic done), config)?;
    same("done", &done, &[90])?;
    let [queue] = queue.try_into().expect("one");
    same("queue", &[queue.head.into_inner(), queue.tail.into_inner()], &[179; 2])
}

#[device]
#[derive(Debug, Default)]
struct Account {
    lock: AtomicU32,
    balance: i64,
    moves: u32,
}

/// Plain fields behind a lock: those of `&mut [Account]`, which all threads share.
fn guarded(on: &Engine) -> Check {
    #[kernel]
    fn deposit(amounts: &[i32], accounts: &mut [Account]) {
        let i = global_idx_x();
        if i >= amounts.len() {
            return;
        }
        let account = i % accounts.len();
        let mut done = false;
        while !done {
            let lock = &accounts[account].lock;
            if lock.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                accounts[account].balance += i64::from(amounts[i]);
                accounts[account].moves += 1;
                accounts[account].lock.store(0, Ordering::Release);
                done = true;
            }
        }
    }
    let amounts: Vec<i32> = (0..300).map(|i| i * 37 % 101 - 30).collect();
    let mut accounts: Vec<Account> = (0..3).map(|_| Account::default()).collect();
    launch!(on, deposit(read amounts, own accounts), LaunchConfig::cover(300).block(64))?;
    let balances: Vec<i64> = accounts.iter().map(|it| it.balance).collect();
    let want: Vec<i64> =
        (0..3).map(|k| amounts.iter().skip(k).step_by(3).map(|it| i64::from(*it)).sum()).collect();
    same("balances", &balances, &want)?;
    same("moves", &accounts.iter().map(|it| it.moves).collect::<Vec<_>>(), &[100; 3])
}

/// Atomics reached by iterators, patterns and references.
fn walked(on: &Engine) -> Check {
    #[kernel]
    fn walk(table: &[Slot], out: &mut [u32]) {
        if global_idx_x() != 0 {
            return;
        }
        for slot in table.iter() {
            slot.value.fetch_add(1, Ordering::Relaxed);
        }
        for slot in table {
            slot.value.fetch_max(3, Ordering::Relaxed);
        }
        for (i, slot) in table.iter().enumerate() {
            slot.key.store(i as u32, Ordering::Relaxed);
        }
        for (i, pair) in table.chunks(2).enumerate() {
            pair[0].value.fetch_add(10 * i as u32, Ordering::Relaxed);
        }
        let Slot { key, value } = &table[1];
        value.swap(key.load(Ordering::Relaxed) + 70, Ordering::Relaxed);
        let first = &table[0];
        let count = &first.value;
        out[1] = count.fetch_add(5, Ordering::Relaxed);
        out[0] = table.iter().map(|slot| slot.value.load(Ordering::Relaxed)).sum::<u32>();
        let changed = table[2]
            .value
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| (old > 3).then_some(old * 2));
        out[2] = changed.unwrap_or(99);
        if let [.., last] = table {
            out[3] = last.key.load(Ordering::Relaxed);
        }
        if let Some(slot) = table.iter().find(|slot| slot.value.load(Ordering::Relaxed) == 71) {
            out[4] = slot.key.load(Ordering::Relaxed);
        }
        let by_key = |at: usize| &table[at].key;
        out[5] = by_key(3).load(Ordering::Relaxed);
        let most = table.iter().max_by_key(|slot| slot.value.load(Ordering::Relaxed));
        out[6] = most.map_or(0, |slot| slot.key.load(Ordering::Relaxed));
        let (left, right) = table.split_at(2);
        out[7] = (left.len() + right.len()) as u32 + add(right.first().unwrap(), 0);
    }
    let mut table = empty(5);
    let mut out = vec![0u32; 8];
    launch!(on, walk(shared table, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[8 + 71 + 13 + 3 + 23, 3, 13, 4, 1, 3, 1, 5 + 26])?;
    let values: Vec<u32> = table.into_iter().map(|slot| slot.value.into_inner()).collect();
    same("values", &values, &[8, 71, 26, 3, 23])
}

#[device]
#[derive(Debug, Default)]
struct Stats {
    count: AtomicU64,
    largest: AtomicF32,
}

/// A struct with padding, fields that are only read, and structs and arrays inside.
#[device]
#[derive(Debug)]
struct Node {
    kind: u8,
    weight: [f32; 2],
    stats: [Stats; 2],
    seen: AtomicBool,
    scale: f64,
}

fn beside_plain_fields(on: &Engine) -> Check {
    #[kernel]
    fn visit(nodes: &[Node], out: &mut [f64]) {
        let i = global_idx_x();
        let node = &nodes[i % nodes.len()];
        let stats = &node.stats[i % 2];
        stats.count.fetch_add(u64::from(node.kind), Ordering::Relaxed);
        stats.largest.fetch_max(node.weight[i % 2] * i as f32, Ordering::Relaxed);
        node.seen.store(true, Ordering::Relaxed);
        if let Some(out) = out.get_mut(i) {
            *out = node.scale;
        }
    }
    let node = |i: u32| Node {
        kind: i as u8 + 1,
        weight: [i as f32, 0.5],
        stats: Default::default(),
        seen: false.into(),
        scale: f64::from(i) - 0.25,
    };
    let mut nodes: Vec<Node> = (0..3).map(node).collect();
    let mut out = vec![0.0; 8];
    launch!(on, visit(shared nodes, write out), LaunchConfig::grid(2).block(50))?;
    let want: Vec<f64> = (0..8).map(|i| f64::from(i % 3) - 0.25).collect();
    same("out", &out, &want)?;
    for (k, node) in nodes.iter().enumerate() {
        let both = [0, 1].map(|half| {
            let threads = (0..100).filter(|i| i % 3 == k && i % 2 == half);
            let largest = threads.clone().map(|i| node.weight[half] * i as f32);
            (threads.count() as u64 * (k as u64 + 1), largest.fold(0.0, f32::max))
        });
        let got = |half: usize| &node.stats[half];
        let counts = [0, 1].map(|half| got(half).count.load(Ordering::Relaxed));
        let largest = [0, 1].map(|half| got(half).largest.load(Ordering::Relaxed));
        same("counts", &counts, &both.map(|it| it.0))?;
        same("largest", &largest, &both.map(|it| it.1))?;
        same("seen", &[node.seen.load(Ordering::Relaxed)], &[true])?;
        same("kind", &[node.kind], &[k as u8 + 1])?;
    }
    Ok(())
}

#[device]
#[derive(Debug)]
struct Row<const N: usize> {
    bins: [AtomicU32; N],
    total: AtomicU32,
}

#[device]
impl<const N: usize> Row<N> {
    fn count(&self, at: usize) {
        self.bins[at % N].fetch_add(1, Ordering::Relaxed);
        self.total.fetch_add(1, Ordering::Relaxed);
    }
}

#[device]
#[derive(Debug, Default)]
struct Counter<A> {
    hits: A,
    step: u32,
}

fn of_generic_types(on: &Engine) -> Check {
    #[kernel]
    fn count<const N: usize>(rows: &[Row<N>], counters: &[Counter<AtomicU64>]) {
        let i = global_idx_x();
        rows[i % rows.len()].count(i);
        let counter = &counters[i % counters.len()];
        counter.hits.fetch_add(u64::from(counter.step), Ordering::Relaxed);
    }
    let row = || Row::<5> { bins: Default::default(), total: 0.into() };
    let mut rows = vec![row(), row()];
    let mut counters: Vec<_> =
        (1..4).map(|step| Counter { hits: AtomicU64::new(0), step }).collect();
    launch!(on, count::<5>(shared rows, shared counters), LaunchConfig::grid(3).block(20))?;
    for row in rows {
        same("bins", &row.bins.map(AtomicU32::into_inner), &[6; 5])?;
        same("total", &[row.total.into_inner()], &[30])?;
    }
    let hits: Vec<u64> = counters.into_iter().map(|it| it.hits.into_inner()).collect();
    same("hits", &hits, &[20, 40, 60])
}

fn in_blocks(on: &Engine) -> Check {
    #[kernel(block = 64)]
    fn distinct(keys: &[u32], out: &mut [u32], sums: &[AtomicU32]) {
        let table = shared!([Slot; 128]);
        for i in (thread_idx_x()..128).step_by(64) {
            table[i].key.store(FREE, Ordering::Relaxed);
            table[i].value.store(0, Ordering::Relaxed);
        }
        sync_threads();
        let i = global_idx_x();
        if i < keys.len() {
            let mut place = keys[i] as usize % table.len();
            while !table[place].claim(keys[i]) {
                place = (place + 1) % 128;
            }
            add(&table[place], 1);
        }
        sync_threads();
        if thread_idx_x() == 0 {
            let used = table.iter().filter(|it| it.key.load(Ordering::Relaxed) != FREE);
            out[block_idx_x()] = used.count() as u32;
            let sum = table.iter().map(|it| it.value.load(Ordering::Relaxed)).sum::<u32>();
            sums[0].fetch_add(sum, Ordering::Relaxed);
        }
    }
    let keys = keys(300);
    let (mut out, mut sums) = (vec![0u32; 5], vec![0u32]);
    launch!(on, distinct(read keys, write out, atomic sums), LaunchConfig::cover(300).block(64))?;
    let count = |keys: &[u32]| keys.iter().collect::<std::collections::HashSet<_>>().len() as u32;
    same("out", &out, &keys.chunks(64).map(count).collect::<Vec<_>>())?;
    same("sums", &sums, &[300])
}

fn rows_in_blocks(on: &Engine) -> Check {
    #[kernel(block = 64)]
    fn channels(x: &[[u8; 4]], bins: &[[AtomicU32; 16]]) {
        let local = shared!([[AtomicU32; 16]; 4]);
        let t = thread_idx_x();
        local[t / 16][t % 16].store(0, Ordering::Relaxed);
        sync_threads();
        if let Some(x) = x.get(global_idx_x()) {
            for (row, x) in local.iter().zip(x) {
                row[*x as usize % 16].fetch_add(1, Ordering::Relaxed);
            }
        }
        sync_threads();
        bins[t / 16][t % 16]
            .fetch_add(local[t / 16][t % 16].load(Ordering::Relaxed), Ordering::Relaxed);
    }
    let x: Vec<[u8; 4]> = (0..500u32).map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    let mut bins = vec![[0u32; 16]; 4];
    launch!(on, channels(read x, atomic bins), LaunchConfig::cover(500).block(64))?;
    let mut want = [[0u32; 16]; 4];
    x.iter().for_each(|x| (0..4).for_each(|i| want[i][x[i] as usize % 16] += 1));
    same("bins", bins.as_flattened(), want.as_flattened())
}

fn scopes(on: &Engine) -> Check {
    #[kernel]
    fn all(table: &[Slot]) {
        let slot = &table[0];
        slot.key.block().load(Ordering::Relaxed);
        slot.key.system().fetch_min(global_idx_x() as u32 + 7, Ordering::AcqRel);
        table[0].value.system().fetch_add(1, Ordering::SeqCst);
    }
    let mut table = empty(1);
    launch!(on, all(shared table), LaunchConfig::grid(2).block(40))?;
    same("key", &[table[0].key.load(Ordering::Relaxed)], &[7])?;
    same("value", &[table[0].value.load(Ordering::Relaxed)], &[80])
}

/// An atomic `bool` is updated through the word that contains it.
#[device]
#[derive(Debug, Default)]
struct Flag {
    before: u8,
    set: AtomicBool,
    after: u8,
}

fn flags_beside_bytes(on: &Engine) -> Check {
    #[kernel(block = 33)]
    fn flags(flags: &mut [Flag], out: &mut [u8]) {
        let local = shared!([Flag; 33]);
        let t = thread_idx_x();
        local[t].before = t as u8;
        local[t].after = t as u8 + 100;
        local[t].set.store(t % 2 == 0, Ordering::Relaxed);
        sync_threads();
        local[32 - t].set.fetch_xor(true, Ordering::Relaxed);
        sync_threads();
        flags[t].before = local[t].before;
        flags[t].set.store(local[t].set.load(Ordering::Relaxed), Ordering::Relaxed);
        flags[t].after = local[t].after;
        out[t] = flags[t].before + u8::from(flags[t].set.load(Ordering::Relaxed));
    }
    let mut all: Vec<Flag> = (0..33).map(|_| Flag::default()).collect();
    let mut out = vec![0u8; 33];
    launch!(on, flags(own all, write out), LaunchConfig::grid(1).block(33))?;
    let bytes = all.iter().map(|it| [it.before, it.set.load(Ordering::Relaxed).into(), it.after]);
    let want = (0..33u8).map(|t| [t, t % 2, t + 100]);
    same(
        "flags",
        bytes.collect::<Vec<_>>().as_flattened(),
        want.collect::<Vec<_>>().as_flattened(),
    )?;
    same("out", &out, &(0..33u8).map(|t| t + t % 2).collect::<Vec<_>>())
}

/// No thread changes the variant.
#[device]
#[derive(Debug)]
enum Cell {
    Wall,
    Open { visits: AtomicU32, cost: u32 },
    Exit(AtomicU64),
}

fn in_enums(on: &Engine) -> Check {
    #[kernel]
    fn visit(cells: &[Cell], walls: &[AtomicU32]) {
        let i = global_idx_x();
        match &cells[i % cells.len()] {
            Cell::Wall => {
                walls[0].fetch_add(1, Ordering::Relaxed);
            }
            Cell::Open { visits, cost } => {
                visits.fetch_add(*cost, Ordering::Relaxed);
            }
            Cell::Exit(left) => {
                left.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
    let mut cells = vec![
        Cell::Wall,
        Cell::Open { visits: 0.into(), cost: 3 },
        Cell::Exit(50.into()),
        Cell::Open { visits: 1.into(), cost: 1 },
    ];
    let mut walls = vec![0u32];
    launch!(on, visit(shared cells, atomic walls), LaunchConfig::grid(2).block(20))?;
    same("walls", &walls, &[10])?;
    let numbers: Vec<u64> = cells
        .into_iter()
        .map(|cell| match cell {
            Cell::Wall => 0,
            Cell::Open { visits, .. } => visits.into_inner().into(),
            Cell::Exit(left) => left.into_inner(),
        })
        .collect();
    same("cells", &numbers, &[0, 30, 40, 11])
}

fn one_value(on: &Engine) -> Check {
    #[kernel]
    fn count(stats: &Stats, both: &[Stats; 2]) {
        stats.count.fetch_add(1, Ordering::Relaxed);
        both[global_idx_x() % 2].largest.fetch_add(0.5, Ordering::Relaxed);
    }
    let mut stats = vec![Stats::default()];
    let mut both = vec![[Stats::default(), Stats::default()]];
    launch!(on, count(one stats, one both), LaunchConfig::grid(1).block(10))?;
    same("count", &[stats[0].count.load(Ordering::Relaxed)], &[10])?;
    let both = both[0].each_ref().map(|it| it.largest.load(Ordering::Relaxed));
    same("both", &both, &[2.5; 2])
}

fn got_mut(on: &Engine) -> Check {
    #[kernel(block = 32)]
    fn set(slots: &mut [Slot], out: &mut [u32]) {
        let local = shared!([Slot; 32]);
        let t = thread_idx_x();
        *local[t].key.get_mut() = t as u32;
        *local[t].value.get_mut() = 0;
        sync_threads();
        local[t / 4].value.fetch_add(local[t].key.load(Ordering::Relaxed), Ordering::Relaxed);
        sync_threads();
        *slots[t].value.get_mut() += *local[t].value.get_mut();
        let key = slots[t].key.get_mut();
        *key = 7;
        out[t] = *key + slots[t].value.load(Ordering::Relaxed);
    }
    let mut slots = empty(32);
    let mut out = vec![0u32; 32];
    launch!(on, set(own slots, write out), LaunchConfig::grid(1).block(32))?;
    let want: Vec<u32> =
        (0..32).map(|t| 7 + if t < 8 { (4 * t..4 * t + 4).sum() } else { 0 }).collect();
    same("out", &out, &want)
}

fn floats_got_mut(on: &Engine) -> Check {
    #[device]
    struct Mean {
        sum: [AtomicF32; 2],
        weight: AtomicF64,
    }
    #[device]
    impl Mean {
        fn clear(&mut self) {
            self.sum.iter_mut().for_each(|sum| *sum.get_mut() = 0.0);
            *self.weight.get_mut() = 0.5;
        }
    }
    #[kernel(block = 32)]
    fn means(sums: &mut [Mean]) {
        let local = shared!([Mean; 2]);
        let t = thread_idx_x();
        if let Some(mean) = local.get_mut(t) {
            mean.clear();
        }
        sync_threads();
        local[t % 2].sum[1].fetch_add(t as f32, Ordering::Relaxed);
        local[t % 2].weight.fetch_add(1.0, Ordering::Relaxed);
        sync_threads();
        if t < 2 {
            *sums[t].sum[0].get_mut() += *local[t].sum[1].get_mut();
            *sums[t].weight.get_mut() *= *local[t].weight.get_mut();
        }
    }
    let mean = |first: f32| Mean { sum: [first.into(), 0.0.into()], weight: 2.0.into() };
    let mut sums = vec![mean(1.0), mean(2.0)];
    launch!(on, means(own sums), LaunchConfig::grid(1))?;
    let got = sums.iter_mut().map(|it| [f64::from(*it.sum[0].get_mut()), *it.weight.get_mut()]);
    same("means", got.collect::<Vec<_>>().as_flattened(), &[241.0, 33.0, 258.0, 33.0])
}
