//! Expansion of `#[kernel]`: the generated signatures, and the places where the attribute is
//! permitted.
#![deny(warnings)]
use std::sync::atomic::Ordering;
use warpwise::{F16x4, F32x4, U32x2, prelude::*};

#[kernel]
fn no_parameters() {}

#[kernel(block = 32)]
fn declared_block(blocks: &mut [usize]) {
    let i = global_idx_x();
    if i < blocks.len() {
        blocks[i] = block_dim_x() * 1000 + block_idx_x();
    }
}

#[test]
fn a_block_that_the_kernel_declares() {
    let device = Device::cpu();
    no_parameters::launch(&device, LaunchConfig::cover(1)).unwrap();
    let mut blocks = device.zeros::<usize>(70).unwrap();
    declared_block::launch(&device, LaunchConfig::cover(70), &mut blocks).unwrap();
    let expected: Vec<usize> = (0..70).map(|i| 32_000 + i / 32).collect();
    assert_eq!(blocks.to_vec().unwrap(), expected);
}

#[kernel]
fn filled<T, const N: usize>(x: &mut [T], value: T)
where
    T: Num,
{
    let i = global_idx_x();
    if i < N {
        x[i] = value;
    }
}

#[test]
fn generic_parameters_are_inferred_or_written() {
    let device = Device::cpu();
    let mut x = device.zeros::<f64>(3).unwrap();
    filled::<f64, 2>::launch(&device, LaunchConfig::cover(3), &mut x, 1.5).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1.5, 1.5, 0.0]);
    filled::<_, 1>::launch(&device, LaunchConfig::cover(3), &mut x, 2.5).unwrap();
    assert_eq!(x.to_vec().unwrap(), [2.5, 1.5, 0.0]);
    let mut y = device.zeros::<u8>(3).unwrap();
    filled::<u8, 3>::launch(&device, LaunchConfig::cover(3), &mut y, 7).unwrap();
    assert_eq!(y.to_vec().unwrap(), [7, 7, 7]);
}

#[kernel]
fn negated<T: Float>(x: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = -x[i];
    }
}

#[test]
fn what_arguments_mention_is_inferred() {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32, -2.0]).unwrap();
    negated::launch(&device, LaunchConfig::cover(2), &mut x).unwrap();
    assert_eq!(x.to_vec().unwrap(), [-1.0, 2.0]);
}

const TILE: u32 = 3;
mod constants {
    pub(super) const WIDTH: usize = 16;
}

#[kernel(open(TILE, constants::WIDTH), block = constants::WIDTH)]
fn open(x: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() && i < constants::WIDTH {
        x[i] = TILE;
    }
}

#[test]
fn constants_are_bound_at_launch() {
    let device = Device::cpu();
    let mut x = device.zeros::<u32>(20).unwrap();
    open::launch(&device, LaunchConfig::cover(20), &mut x).unwrap();
    assert_eq!(x.to_vec().unwrap(), [[3; 16].as_slice(), &[0; 4]].concat());
}

#[kernel]
fn lifetimes<'a>(x: &'a [u32], y: &'a mut [u32], bins: &'_ [AtomicU32]) {
    let i = global_idx_x();
    if i < y.len() {
        bins[0].fetch_add(1, Ordering::Relaxed);
        y[i] = x[i];
    }
}

#[test]
fn lifetimes_and_atomics() {
    let device = Device::cpu();
    let x = device.upload(&[5u32; 100]).unwrap();
    let mut y = device.zeros::<u32>(100).unwrap();
    let mut bins = device.zeros::<u32>(1).unwrap();
    lifetimes::launch(&device, LaunchConfig::cover(100), &x, &mut y, &mut bins).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5; 100]);
    assert_eq!(bins.to_vec().unwrap(), [100]);
}

#[kernel]
fn r#match(mut r#in: u32, device: u32, config: u32, r#out: &mut [u32]) {
    r#in += device;
    if global_idx_x() == 0 {
        r#out[0] = r#in * config;
    }
}

#[test]
fn raw_names_and_names_that_launch_has_too() {
    let device = Device::cpu();
    let mut out = device.zeros::<u32>(1).unwrap();
    r#match::launch(&device, LaunchConfig::cover(1), 1, 2, 3, &mut out).unwrap();
    assert_eq!(out.to_vec().unwrap(), [9]);
}

macro_rules! kernels {
    ($($name:ident: $ty:ty = $value:expr;)*) => {$(
        #[kernel]
        fn $name(x: &mut [$ty]) {
            let i = global_idx_x();
            if i < x.len() {
                x[i] += $value;
            }
        }
    )*};
}
kernels! {
    add_f32: f32 = 1.0 + 0.5;
    add_i16: i16 = -3;
}

#[test]
fn kernels_that_macro_rules_make() {
    let device = Device::cpu();
    let mut x = device.upload(&[1.0f32, 2.0]).unwrap();
    add_f32::launch(&device, LaunchConfig::cover(2), &mut x).unwrap();
    assert_eq!(x.to_vec().unwrap(), [2.5, 3.5]);
    let mut y = device.upload(&[1i16]).unwrap();
    add_i16::launch(&device, LaunchConfig::cover(1), &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [-2]);
}

#[kernel(coarsen = false)]
fn scale_vectors(factor: f32, x: &[F32x4], y: &mut [F32x4]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] += x[i] * factor;
    }
}

#[device]
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Quad {
    lanes: [f32; 4],
}

#[kernel(coarsen = false)]
fn copy_quads(x: &[Quad], y: &mut [Quad]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i];
    }
}

#[kernel(coarsen = false)]
fn copy_pairs(x: &[U32x2], y: &mut [U32x2], halves: &[F16x4], other: &mut [F16x4]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() && i < halves.len() && i < other.len() {
        y[i] = x[i];
        other[i] = halves[i];
    }
}

#[test]
fn vectors_are_loaded_and_stored_at_once() {
    let kernels = [(scale_vectors::PTX, 3), (copy_quads::PTX, 2), (copy_pairs::PTX, 4)];
    for (ptx, count) in kernels {
        let is_access = |line: &&str| line.contains("ld.global") || line.contains("st.global");
        let accesses: Vec<&str> = ptx.lines().filter(is_access).collect();
        assert_eq!(accesses.len(), count, "{ptx}");
        let is_wide = |access: &&str| [".v2.", ".v4.", ".b64"].iter().any(|of| access.contains(of));
        assert!(accesses.iter().all(is_wide), "{ptx}");
    }
    assert_eq!(scale_vectors::PTX.matches("fma.rn.f32").count(), 4, "{}", scale_vectors::PTX);
}

#[test]
fn a_closed_kernel_shows_its_ptx() {
    assert!(add_f32::PTX.contains(".visible .entry add_f32("), "{}", add_f32::PTX);
}

#[test]
fn a_kernel_is_a_function() {
    let mut x = [1.0f32];
    add_f32(&mut x);
    assert_eq!(x, [2.5]);
}

#[kernel]
fn faulty(x: &mut [u32]) {
    let i = global_idx_x();
    x[i] = 1;
}

#[test]
fn places_are_the_users() {
    let device = Device::cpu();
    let mut x = device.zeros::<u32>(3).unwrap();
    faulty::launch(&device, LaunchConfig::cover(10), &mut x).unwrap();
    let error = device.synchronize().unwrap_err();
    let line =
        include_str!("expansion.rs").lines().position(|it| it == "    x[i] = 1;").unwrap() + 1;
    let text = error.to_string();
    assert!(text.contains(&format!("tests/tests/expansion.rs:{line}:7")), "{text}");
    assert!(text.contains("faulty"), "{text}");
}
