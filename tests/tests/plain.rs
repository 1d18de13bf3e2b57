//! Buffers of structs and enums: uploaded values come back, with padding or without. The use of
//! such buffers in kernels is tested in `tests/run/plain.rs`.
#![deny(warnings, clippy::pedantic, clippy::nursery)]
#![allow(missing_docs, clippy::float_cmp, clippy::cast_possible_truncation, reason = "a test")]
use std::marker::PhantomData;
use std::sync::atomic::Ordering;
use warpwise::{Error, F32x4, LaunchMistake, Simulator, prelude::*};

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    pub alive: bool,
    pub position: [f64; 3],
    pub(crate) kind: Kind,
    charge: i16,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Light,
    Heavy = 7,
    Strange = -1,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Small {
    A = 3,
    B,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Circle(f32),
    Pair(u8, f64),
    Box { from: [f32; 2], to: [f32; 2], solid: bool },
    Nothing,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Option8<T, const N: usize>
where
    T: Num,
{
    Many([T; N]) = 4,
    One(T),
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair<A, B, const N: usize>(A, [B; N]);

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C, align(64))]
struct Line {
    first: u8,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(transparent)]
struct Meters<T: Copy + 'static> {
    value: f32,
    unit: PhantomData<T>,
}

/// Types for device code that are not plain data: they borrow, are not `Copy`, or contain other
/// types that are not.
#[device]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "only what it is, is looked at")]
struct Borrows<'a> {
    values: &'a [f32],
}
#[device]
#[allow(dead_code, reason = "only what it is, is looked at")]
struct Moves {
    value: f32,
}
#[device]
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "only what it is, is looked at")]
struct Calls {
    pair: (f32, fn(f32) -> f32),
}

/// A type with parts whose layout Rust does not specify.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
struct Wide {
    pair: (u8, Option<f64>),
    flag: Option<bool>,
}

#[track_caller]
fn travels<T: Plain + PartialEq + std::fmt::Debug>(values: &[T]) {
    let device = Device::cpu();
    let mut buffer = device.upload(values).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), values);
    let reversed: Vec<T> = values.iter().rev().copied().collect();
    buffer.copy_from(&reversed).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), reversed);
    assert!(device.upload::<T>(&[]).unwrap().to_vec().unwrap().is_empty());
}

#[test]
fn structs_travel() {
    let particle = |kind, charge| Particle {
        alive: charge > 0,
        position: [1.5, -2.0, f64::from(charge)],
        kind,
        charge,
    };
    travels(&[particle(Kind::Light, 1), particle(Kind::Heavy, -2), particle(Kind::Strange, 3)]);
    travels(&[Pair(1u8, [2.0f64, 3.0]), Pair(4, [5.0, 6.0])]);
    travels(&[Pair(Pair(true, [Kind::Heavy]), [[Small::A, Small::B]])]);
    travels(&[Line { first: 1 }, Line { first: 2 }]);
    travels(&[Meters { value: 1.0, unit: PhantomData::<u64> }]);
}

#[test]
fn enums_travel() {
    travels(&[Kind::Strange, Kind::Light, Kind::Heavy]);
    travels(&[Small::B, Small::A]);
    let solid = Shape::Box { from: [1.0, 2.0], to: [3.0, 4.0], solid: true };
    travels(&[Shape::Circle(1.0), Shape::Pair(9, 2.5), solid, Shape::Nothing]);
    travels(&[Option8::Many([1u16, 2, 3]), Option8::One(7)]);
}

#[test]
fn tuples_and_options_travel() {
    travels(&[(1u8, 2.5f64), (3, 4.5)]);
    travels(&[Wide { pair: (1, Some(2.5)), flag: Some(false) }, Wide::default()]);
    travels(&[Some(Shape::Pair(1, 2.0)), None, Some(Shape::Nothing)]);
    travels(&[Ok([1u16, 2]), Err(Kind::Strange), Err(Kind::Light)]);
    travels(&[[Some((true, Small::B)), None], [None; 2]]);
    travels(&[Pair(Some(1u8), [(2u16, 3.0f32)]), Pair(None, [(4, 5.0)])]);
}

#[kernel]
fn raised(by: Wide, x: &[Wide], y: &mut [Wide]) {
    let i = global_idx_x();
    if i < x.len() {
        y[i] = x[i];
        y[i].pair.0 += by.pair.0;
        if let (Some(value), Some(by)) = (&mut y[i].pair.1, by.pair.1) {
            *value += by;
        }
    }
}

#[test]
fn alignment_is_that_of_the_attribute() {
    let device = Simulator::new().checked().device();
    let wide = |small, large| Wide { pair: (small, large), flag: Some(true) };
    let x = [wide(1, Some(2.0)), wide(3, None), wide(4, Some(5.0))];
    let (x, mut y) = (device.upload(&x).unwrap(), device.zeros(3).unwrap());
    let by = wide(10, Some(0.5));
    raised::launch(&device, LaunchConfig::cover(3), by, &x, &mut y).unwrap();
    let want = [wide(11, Some(2.5)), wide(13, None), wide(14, Some(5.5))];
    assert_eq!(y.to_vec().unwrap(), want);
}

#[kernel]
fn doubled(x: &[F32x4], y: &mut [F32x4]) {
    let i = global_idx_x();
    if i < x.len() && i < y.len() {
        y[i] = x[i] * 2.0;
    }
}

#[test]
fn numbers_are_passed_as_vectors() {
    let device = Device::cpu();
    let x = device.upload(&[1.5f32; 8]).unwrap();
    let mut y = device.zeros::<f32>(8).unwrap().into_vectors().unwrap();
    doubled::launch(&device, LaunchConfig::cover(2), &x.as_vectors::<F32x4>().unwrap(), &mut y)
        .unwrap();
    assert_eq!(y.into_lanes().to_vec().unwrap(), [3.0; 8]);
    assert_eq!(x.to_vec().unwrap(), [1.5; 8]);
}

#[test]
fn zeros_are_values() {
    let device = Device::cpu();
    let zeros = device.zeros::<Particle>(2).unwrap().to_vec().unwrap();
    let zero = Particle { alive: false, position: [0.0; 3], kind: Kind::Light, charge: 0 };
    assert_eq!(zeros, [zero; 2]);
    assert_eq!(device.zeros::<Wide>(2).unwrap().to_vec().unwrap(), [Wide::default(); 2]);
    assert_eq!(device.zeros::<(u8, Option<Kind>)>(1).unwrap().to_vec().unwrap(), [(0, None)]);
    assert_eq!(device.zeros::<Shape>(1).unwrap().to_vec().unwrap(), [Shape::Circle(0.0)]);
}

#[test]
fn layouts_are_those_of_c() {
    assert_eq!((size_of::<Particle>(), align_of::<Particle>()), (40, 8));
    assert_eq!((size_of::<Kind>(), size_of::<Small>()), (4, 1));
    assert_eq!((size_of::<Shape>(), align_of::<Shape>()), (32, 8));
    assert_eq!((size_of::<Option8<u16, 3>>(), size_of::<Line>()), (8, 64));
}

#[kernel]
fn singles(by: &Particle, count: &AtomicU32, table: &[f32; 2], last: &mut f32) {
    let i = global_idx_x();
    if i < 40 {
        count.fetch_add(1, Ordering::Relaxed);
    }
    if i == 39 {
        *last = by.position[0] as f32 + table[1];
    }
}

#[test]
fn references_to_one_value() {
    let device = Device::cpu();
    let particle =
        Particle { alive: true, position: [7.0, 1.0, 2.0], kind: Kind::Heavy, charge: 4 };
    let by = device.upload(&[particle]).unwrap();
    let mut count = device.zeros::<u32>(1).unwrap();
    let table = device.upload(&[[1.0f32, 2.0]]).unwrap();
    let mut last = device.zeros::<f32>(1).unwrap();
    let config = LaunchConfig::cover(40);
    singles::launch(&device, config, &by, &mut count, &table, &mut last).unwrap();
    assert_eq!((count.to_vec().unwrap(), last.to_vec().unwrap()), (vec![40], vec![9.0]));

    for len in [0, 2] {
        let mut wrong = device.zeros::<f32>(len).unwrap();
        let refused =
            singles::launch(&device, config, &by, &mut count, &table, &mut wrong).unwrap_err();
        let mistake = LaunchMistake::NotOneElement { param: "last".into(), len };
        assert_eq!(refused, Error::Launch { kernel: "singles", mistake });
    }
}
