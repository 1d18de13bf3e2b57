//! Scans beside those of iterators.
mod numbers;

use numbers::scattered;
use std::fmt::Debug;
use warpwise::prelude::*;
use warpwise_algorithms::{Error, Operator, Result, exclusive_scan, inclusive_scan};

const LENGTHS: [usize; 8] = [0, 1, 5, 511, 4096, 4097, 70_001, 300_000];
const OPERATORS: [Operator; 3] = [Operator::Sum, Operator::Min, Operator::Max];

fn combine<T: Num>(operator: Operator, a: T, b: T, add: fn(T, T) -> T) -> T {
    match operator {
        Operator::Sum => add(a, b),
        Operator::Min => a.min(b),
        Operator::Max => a.max(b),
        _ => unreachable!("the test names its operators"),
    }
}

fn check<T: Num + PartialEq + Debug>(value: fn(usize) -> T, add: fn(T, T) -> T) -> Result<()> {
    let device = Device::auto()?;
    for (n, operator) in LENGTHS.into_iter().flat_map(|n| OPERATORS.map(|op| (n, op))) {
        let x: Vec<T> = (0..n).map(value).collect();
        let on_device = device.upload(&x)?;
        let mut out = device.zeros::<T>(n)?;
        let mut before = operator.identity();
        let mut prefixes = vec![before];
        for x in x {
            before = combine(operator, before, x, add);
            prefixes.push(before);
        }
        inclusive_scan(&device, operator, &on_device, &mut out)?;
        assert!(out.to_vec()? == prefixes[1..], "{operator:?} of {n}");
        exclusive_scan(&device, operator, &on_device, &mut out)?;
        assert!(out.to_vec()? == prefixes[..n], "{operator:?} of {n}");
    }
    Ok(())
}

#[test]
fn scans_are_those_of_iterators() -> Result<()> {
    check::<u32>(scattered, u32::wrapping_add)?;
    check::<i32>(|i| scattered(i) as i32, i32::wrapping_add)?;
    check::<i16>(|i| scattered(i) as i16, i16::wrapping_add)?;
    check::<u8>(|i| scattered(i) as u8, u8::wrapping_add)?;
    check::<i64>(|i| i64::from(scattered(i)) << 20, i64::wrapping_add)?;
    // Sums of these are exact in any order.
    check::<f32>(|i| (scattered(i) % 8) as f32 - 3.5, |a, b| a + b)?;
    check::<f64>(|i| f64::from(scattered(i) as i32), |a, b| a + b)
}

#[test]
fn a_result_of_another_length_is_an_error() -> Result<()> {
    let device = Device::auto()?;
    let x = device.zeros::<u32>(3)?;
    let result = inclusive_scan(&device, Operator::Sum, &x, &mut device.zeros(4)?);
    assert!(matches!(result, Err(Error::Length { argument: "out", expected: 3, found: 4 })));
    Ok(())
}
