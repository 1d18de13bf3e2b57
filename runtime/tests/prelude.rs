//! The prelude beside std's: no name of ours takes one from plain Rust.
use std::{
    cmp::*,
    sync::{Arc, Mutex},
};
use warpwise::{AtomicBuffer, prelude::*};

#[kernel]
fn signs(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = match x[i].cmp(&0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        };
    }
}

#[test]
fn ordering_is_the_one_that_a_file_imports() {
    let device = Device::cpu();
    let x = device.upload(&[-7, 0, 9]).unwrap();
    let mut out = device.zeros::<i32>(3).unwrap();
    signs::launch(&device, LaunchConfig::cover(3), &x, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [-1, 0, 1]);
    assert_eq!(1.cmp(&2), Ordering::Less);
}

fn clamp<T: Num>(value: T, low: T, high: T) -> T {
    value.max(low).min(high)
}

fn lower<T: Int>(a: T, b: T) -> T {
    if a <= b { a.min(b) } else { b }
}

#[test]
fn min_and_max_are_there_for_generic_code_and_unambiguous_elsewhere() {
    assert_eq!(clamp(7, 1, 5), 5);
    assert_eq!(clamp(-0.5f64, 0.0, 1.0), 0.0);
    let (a, b) = (lower(3u8, 4), lower(9u8, 8));
    assert_eq!((a.min(b), a.max(b)), (3, 8));
    assert_eq!(2.5f32.max(1.0), 2.5);
    assert_eq!((-3i32).abs(), 3);
}

#[test]
fn buffers_of_plain_elements_and_of_atomics() {
    fn takes(_: impl AtomicBuffer<AtomicU32>) {}
    let device = Device::cpu();
    let mut plain: Buffer<u32> = device.zeros(4).unwrap();
    takes(&mut plain);
    let atomic: Buffer<AtomicU32> = device.zeros(4).unwrap();
    takes(&atomic);
    takes(&plain.into_atomic());
    takes(&mut Mutex::new(device.zeros::<u32>(4).unwrap()).lock().unwrap());
    takes(&Arc::new(device.zeros::<AtomicU32>(4).unwrap()));
    takes(&atomic.slice(1..).unwrap());
    fn takes_sizes(_: impl AtomicBuffer<AtomicUsize>) {}
    let mut sizes: Buffer<usize> = device.upload(&[usize::MAX]).unwrap();
    takes_sizes(&mut sizes);
    let sizes: Buffer<AtomicUsize> = sizes.into_atomic();
    takes_sizes(&sizes);
    assert_eq!(sizes.into_plain().to_vec().unwrap(), [usize::MAX]);
    assert_eq!(atomic.into_plain().to_vec().unwrap(), [0u32; 4]);
}
