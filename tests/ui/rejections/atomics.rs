//! What atomics do not have, and orderings that an access cannot have.
#![allow(unused)]
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

#[kernel]
fn orderings(x: &[AtomicU32]) {
    x[0].store(1, Ordering::Acquire);
    let value = x[0].load(Ordering::Release);
    x[1].store(value, Ordering::Relaxed);
    let failed = x[1].compare_exchange(0, 1, Ordering::AcqRel, Ordering::Release).is_err();
    let updated = x[1].fetch_update(Ordering::AcqRel, Ordering::AcqRel, |it| Some(it + 1));
}

#[kernel]
fn chosen(x: &[AtomicU32], order: u32) {
    let chosen = if order == 0 { Ordering::Relaxed } else { Ordering::SeqCst };
    x[1].store(1, chosen);
}

#[device]
fn stored(at: &AtomicU32, order: Ordering) {
    at.store(1, order);
}

#[kernel]
fn passed(x: &[AtomicU32]) {
    stored(&x[0], Ordering::Acquire);
}

#[kernel]
fn methods(x: &[AtomicU32], y: &[AtomicF32]) {
    let old = y[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| Some(it + 1.0));
    y[0].fetch_sub(1.0, Ordering::Relaxed);
    x[0].try_update(Ordering::Relaxed, Ordering::Relaxed, |it| Some(it + 1));
    let sum = x[0].fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| it + 1);
}

#[kernel]
fn booleans(x: &[AtomicBool]) {
    x[0].fetch_not(Ordering::Relaxed);
}

fn main() {}
