//! Lookup tables: by key, and of prefixes.
use super::noise;
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![joins, prefix_codes];

#[device]
trait Mixed {
    fn hash(self, seed: u32) -> usize;
}
#[device]
impl Mixed for u32 {
    fn hash(self, seed: u32) -> usize {
        let mut h = self ^ seed;
        h ^= h >> 16;
        h = h.wrapping_mul(0x85eb_ca6b);
        h ^= h >> 13;
        h = h.wrapping_mul(0xc2b2_ae35);
        h ^= h >> 16;
        h as usize
    }
}
#[device]
struct Slot {
    key: AtomicU32,
    row: AtomicU32,
}
#[device]
impl Slot {
    const EMPTY: u32 = u32::MAX;
}
#[device]
struct Table<'a> {
    slots: &'a [Slot],
}
#[device]
impl<'a> Table<'a> {
    fn probe(&self, key: u32) -> impl Iterator<Item = &'a Slot> {
        let (slots, mask) = (self.slots, self.slots.len() - 1);
        let start = key.hash(0);
        (0..slots.len()).map(move |k| &slots[(start + k) & mask])
    }
    fn insert(&self, key: u32, row: u32) -> bool {
        for slot in self.probe(key) {
            if slot
                .key
                .compare_exchange(Slot::EMPTY, key, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
            {
                slot.row.store(row, Ordering::Release);
                return true;
            }
        }
        false
    }
    fn matches(&self, key: u32) -> impl Iterator<Item = u32> {
        self.probe(key)
            .take_while(|slot| slot.key.load(Ordering::Relaxed) != Slot::EMPTY)
            .filter(move |slot| slot.key.load(Ordering::Relaxed) == key)
            .map(|slot| slot.row.load(Ordering::Relaxed))
    }
}
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    left: u32,
    right: u32,
}

#[kernel]
fn build(keys: &[u32], slots: &[Slot]) {
    if let Some(&key) = keys.get(global_idx_x()) {
        assert!(Table { slots }.insert(key, global_idx_x() as u32), "the table is full");
    }
}
#[kernel]
fn join(keys: &[u32], slots: &[Slot], count: &[AtomicU32], pairs: &mut [Pair]) {
    let table = Table { slots };
    if let Some(&key) = keys.get(global_idx_x()) {
        for right in table.matches(key) {
            let at = count[0].fetch_add(1, Ordering::Relaxed) as usize;
            if let Some(pair) = pairs.get_mut(at) {
                *pair = Pair { left: global_idx_x() as u32, right };
            }
        }
    }
}

fn joins(on: &Engine) -> Check {
    let all = noise(300);
    let right: Vec<u32> = all[..100].iter().map(|v| v % 60).collect();
    let left: Vec<u32> = all[100..].iter().map(|v| v % 90).collect();
    let slot = |_| Slot { key: u32::MAX.into(), row: 0.into() };
    let mut slots: Vec<Slot> = (0..256).map(slot).collect();
    let (mut count, mut pairs) = (vec![0u32], vec![Pair::default(); 2000]);
    launch!(on, build(read right, shared slots), LaunchConfig::cover(100))?;
    let config = LaunchConfig::cover(200);
    launch!(on, join(read left, shared slots, atomic count, write pairs), config)?;
    let rows = |(i, key): (usize, &u32)| {
        let same = right.iter().enumerate().filter(move |(_, other)| *other == key);
        same.map(move |(j, _)| Pair { left: i as u32, right: j as u32 }).collect::<Vec<_>>()
    };
    let want: Vec<Pair> = left.iter().enumerate().flat_map(rows).collect();
    let mut got = pairs[..count[0] as usize].to_vec();
    got.sort();
    equal("pairs", &got, &want)
}

#[device]
struct Bits<'a> {
    bytes: &'a [u8],
    buffer: u64,
    filled: u32,
    at: usize,
}
#[device]
impl<'a> Bits<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, buffer: 0, filled: 0, at: 0 }
    }
    fn refill(&mut self) {
        while self.filled <= 56 {
            let byte = self.bytes.get(self.at).copied().unwrap_or_default();
            self.buffer |= u64::from(byte) << (56 - self.filled);
            self.filled += 8;
            self.at += 1;
        }
    }
    fn peek(&self, n: u32) -> usize {
        (self.buffer >> (64 - n)) as usize
    }
    fn skip(&mut self, n: u32) {
        self.buffer <<= n;
        self.filled -= n;
    }
}
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Code {
    Symbol {
        value: u8,
        length: u8,
    },
    Long {
        table: u16,
    },
    #[default]
    Invalid,
}
#[device]
const ROOT: u32 = 4;

#[device]
fn decode_one(bits: &mut Bits, tables: &[[Code; 16]]) -> Result<u8, usize> {
    let mut table = 0;
    bits.refill();
    loop {
        match tables[table][bits.peek(ROOT)] {
            Code::Symbol { value, length } => {
                bits.skip(length.into());
                break Ok(value);
            }
            Code::Long { table: next } => {
                bits.skip(ROOT);
                table = next.into();
            }
            Code::Invalid => break Err(bits.at),
        }
    }
}
#[kernel]
fn decode(
    streams: &[u8],
    starts: &[u32],
    tables: &[[Code; 16]],
    each: usize,
    out: &mut [u8],
    errors: &[AtomicU32],
) {
    let i = global_idx_x();
    let Some(&[from, to]) = starts.windows(2).map(|w| w.first_chunk::<2>()).nth(i).flatten() else {
        return;
    };
    let mut bits = Bits::new(&streams[from as usize..to as usize]);
    for out in &mut out[i * each..][..each] {
        match decode_one(&mut bits, tables) {
            Ok(byte) => *out = byte,
            Err(_) => {
                errors[0].fetch_add(1, Ordering::Relaxed);
                return;
            }
        }
    }
}

/// The lengths of codes, in order.
const LENGTHS: [u32; 16] = [2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8, 8];

fn codes() -> Vec<(u32, u32)> {
    let (mut code, mut before) = (0, 0);
    let next = |length| {
        code <<= length - before;
        before = length;
        code += 1;
        (code - 1, length)
    };
    LENGTHS.into_iter().map(next).collect()
}

fn tables_of(codes: &[(u32, u32)]) -> Vec<[Code; 16]> {
    let mut tables = vec![[Code::Invalid; 16]];
    for (value, &(code, length)) in codes.iter().enumerate() {
        let (mut table, mut length) = (0, length);
        while length > 4 {
            length -= 4;
            let at = (code >> length & 15) as usize;
            table = match tables[table][at] {
                Code::Long { table } => usize::from(table),
                _ => {
                    tables[table][at] = Code::Long { table: tables.len() as u16 };
                    tables.push([Code::Invalid; 16]);
                    tables.len() - 1
                }
            };
        }
        let first = ((code & ((1 << length) - 1)) << (4 - length)) as usize;
        let symbol = Code::Symbol { value: value as u8, length: length as u8 };
        tables[table][first..][..1 << (4 - length)].fill(symbol);
    }
    tables
}

fn prefix_codes(on: &Engine) -> Check {
    let codes = codes();
    let tables = tables_of(&codes);
    let symbol = |v: u32| (v.trailing_zeros() * 2 + (v >> 31)).min(15) as u8;
    let text: Vec<u8> = noise(2000).into_iter().map(symbol).collect();
    let (mut streams, mut starts) = (Vec::new(), vec![0u32]);
    for part in text.chunks(50) {
        let bits = |symbol: &u8| {
            let (code, length) = codes[usize::from(*symbol)];
            (0..length).rev().map(move |k| (code >> k & 1) as u8)
        };
        let bits: Vec<u8> = part.iter().flat_map(bits).collect();
        let byte = |bits: &[u8]| (0..8).fold(0, |byte, k| byte << 1 | bits.get(k).unwrap_or(&0));
        streams.extend(bits.chunks(8).map(byte));
        starts.push(streams.len() as u32);
    }
    let (each, mut out, mut errors) = (50, vec![0u8; 2000], vec![0u32]);
    launch!(
        on,
        decode(read streams, read starts, read tables, value each, write out, atomic errors),
        LaunchConfig::cover(40).block(32)
    )?;
    same("errors", &errors, &[0])?;
    same("text", &out, &text)
}
