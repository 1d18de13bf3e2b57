//! Reductions beside those of iterators.
use std::fmt::Debug;
use warpwise::prelude::*;
use warpwise_algorithms::{Operator, Result, reduce};

/// Compares the reductions of numbers whose sums are exact.
fn check<T: Num + PartialEq + Debug>(number: fn(usize) -> T, add: fn(T, T) -> T) -> Result<()> {
    let device = Device::auto()?;
    for n in [0, 1, 255, 4095, 4096, 4097, 20_001] {
        let x: Vec<T> = (0..n).map(number).collect();
        let on_device = device.upload(&x)?;
        let fold = |operator: Operator, combine: fn(T, T) -> T| {
            x.iter().copied().fold(operator.identity(), combine)
        };
        assert_eq!(reduce(&device, Operator::Sum, &on_device)?, fold(Operator::Sum, add), "{n}");
        for (operator, combine) in
            [(Operator::Min, T::min as fn(T, T) -> T), (Operator::Max, T::max)]
        {
            assert_eq!(reduce(&device, operator, &on_device)?, fold(operator, combine), "{n}");
        }
    }
    Ok(())
}

#[test]
fn numbers_of_every_type_are_reduced() -> Result<()> {
    check::<u32>(|i| (i as u32).wrapping_mul(2_654_435_761), u32::wrapping_add)?;
    check::<u64>(|i| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15), u64::wrapping_add)?;
    check::<i64>(|i| (i as i64).wrapping_mul(-0x61c8_8646_80b5_83eb), i64::wrapping_add)?;
    check::<u8>(|i| (i * 37) as u8, u8::wrapping_add)?;
    check::<i16>(|i| (i * 12_345) as i16, i16::wrapping_add)?;
    check::<f32>(|i| (i % 15) as f32 - 7.0, |a, b| a + b)?;
    check::<f64>(|i| (i * 7919 % 4001) as f64 - 2000.5, |a, b| a + b)
}

#[test]
fn nans_are_left_out_of_extrema_and_zeros_have_an_order() -> Result<()> {
    let device = Device::auto()?;
    let x = device.upload(&[f32::NAN, 0.0, -0.0, f32::NAN])?;
    assert_eq!(reduce(&device, Operator::Min, &x)?.to_bits(), (-0.0f32).to_bits());
    assert_eq!(reduce(&device, Operator::Max, &x)?.to_bits(), 0.0f32.to_bits());
    assert!(reduce(&device, Operator::Sum, &x)?.is_nan());
    let nothing = device.upload(&[f64::NAN; 3])?;
    assert_eq!(reduce(&device, Operator::Min, &nothing)?, f64::INFINITY);
    Ok(())
}

const LENGTHS: [usize; 8] = [0, 1, 3, 255, 4096, 4097, 70_001, 5_000_000];

#[test]
fn integers_are_those_of_iterators() -> Result<()> {
    let device = Device::auto()?;
    for n in LENGTHS {
        let x: Vec<i32> = (0..n as i32).map(|i| i.wrapping_mul(-1_640_531_527)).collect();
        let on_device = device.upload(&x)?;
        let sum = x.iter().fold(0, |a: i32, b| a.wrapping_add(*b));
        assert_eq!(reduce(&device, Operator::Sum, &on_device)?, sum);
        assert_eq!(
            reduce(&device, Operator::Min, &on_device)?,
            x.iter().copied().min().unwrap_or(i32::MAX)
        );
        assert_eq!(
            reduce(&device, Operator::Max, &on_device)?,
            x.iter().copied().max().unwrap_or(i32::MIN)
        );
    }
    Ok(())
}
