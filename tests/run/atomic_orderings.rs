//! Atomic orderings as values: of variables, parameters, fields and constants.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::sync::atomic;
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![passed, kept];

#[device]
const STRONGEST: Ordering = Ordering::SeqCst;

#[device]
fn taken(from: &AtomicU32, count: u32, order: Ordering) -> u32 {
    let before = from.fetch_sub(count, order);
    let read = if before > 1000 { 1 } else { 0 };
    read + from.load(Ordering::Relaxed)
}

#[device]
fn replaced(at: &AtomicU32, set: atomic::Ordering, load: atomic::Ordering) -> bool {
    at.compare_exchange(7, 9, set, load).is_ok()
        && at.fetch_update(set, load, |v| v.checked_add(1)).is_ok()
}

#[kernel(allow(gpu_global_races))]
fn with_parameters(counts: &[AtomicU32], out: &mut [u32]) {
    if global_idx_x() == 0 {
        out[0] = taken(&counts[0], 2, Ordering::Relaxed);
        out[1] = taken(&counts[0], 3, STRONGEST);
        let (set, load) = (Ordering::AcqRel, Ordering::Acquire);
        out[2] = replaced(&counts[1], set, load) as u32;
        let added = |by: u32, order: Ordering| counts[2].fetch_add(by, order) + by;
        out[3] = added(5, Ordering::Release) * added(6, load);
    }
}

fn passed(on: &Engine) -> Check {
    let (mut counts, mut out) = (vec![20u32, 7, 1], vec![0; 4]);
    launch!(on, with_parameters(atomic counts, write out), LaunchConfig::grid(1))?;
    same("counts", &counts, &[15, 10, 12])?;
    same("out", &out, &[18, 15, 1, 72])
}

#[device]
#[derive(Clone, Copy)]
struct Counter<'a> {
    count: &'a AtomicU32,
    order: Ordering,
}

#[device]
impl<'a> Counter<'a> {
    fn new(count: &'a AtomicU32) -> Self {
        Self { count, order: Ordering::Relaxed }
    }
    fn ordered(self, order: Ordering) -> Self {
        Self { order, ..self }
    }
    fn next(&self) -> u32 {
        self.count.fetch_add(1, self.order)
    }
}

#[kernel]
fn with_fields(counts: &[AtomicU32], out: &mut [u32]) {
    if global_idx_x() == 0 {
        let counter = Counter::new(&counts[0]);
        out[0] = counter.next() + counter.ordered(Ordering::AcqRel).next() * 10;
        let (first, _) = (Ordering::Relaxed, Ordering::SeqCst);
        out[1] = counts[0].load(first);
    }
}

fn kept(on: &Engine) -> Check {
    let (mut counts, mut out) = (vec![4u32], vec![0; 2]);
    launch!(on, with_fields(atomic counts, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[54, 6])
}
