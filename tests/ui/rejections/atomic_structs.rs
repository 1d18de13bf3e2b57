//! Atomics inside of structs: what cannot be copied, moved or made.
#![allow(unused)]
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[device]
#[derive(Default)]
struct Slot {
    key: AtomicU32,
    value: AtomicU32,
    weight: f32,
}

#[kernel]
fn by_value(slot: Slot) {}

#[kernel]
fn by_value_array(slots: [AtomicU32; 4]) {}

#[kernel]
fn written(bins: &mut [[AtomicU32; 4]]) {}

#[kernel]
fn swapped(slots: &mut [Slot]) {
    slots.swap(0, 1);
}

#[kernel]
fn swapped_in_blocks() {
    let bins = shared!([AtomicU32; 4]);
    std::mem::swap(&mut bins[0], &mut shared!([AtomicU32; 4])[1]);
}

#[kernel]
fn made(slots: &mut [Slot]) {
    slots[0] = Slot { key: AtomicU32::new(1), value: AtomicU32::new(2), weight: 0.5 };
}

#[kernel]
fn made_by_default(slots: &mut [Slot]) {
    let slot = Slot::default();
}

#[kernel]
fn local(out: &mut [u32]) {
    let count = AtomicU32::new(0);
    count.fetch_add(1, Ordering::Relaxed);
    out[0] = count.into_inner();
}

#[kernel]
fn taken(slots: &[Slot], out: &mut [u32]) {
    *slots[0].key.get_mut() = 1;
}

#[kernel]
fn moved(slots: &[Slot]) {
    let slot = slots[0];
}

#[kernel]
fn plain_field(slots: &[Slot]) {
    slots[0].weight = 1.0;
}

#[kernel]
fn compared(slots: &[Slot]) {
    if slots[0] == slots[1] {}
}

#[kernel]
fn printed(slots: &[Slot]) {
    println!("{:?}", slots[0].key);
}

fn main() {}
