//! Sorts, compared with those of slices.
use std::{cmp::Ordering, fmt::Debug};
use warpwise::prelude::*;
use warpwise_algorithms::{Error, RadixSort, Result, SortKey, SortValue, sort, sort_by_key};

/// Lengths of no keys, of parts of tiles, and of whole tiles, which have 4096 or 8192 keys.
const LENGTHS: [usize; 10] = [0, 1, 2, 300, 4095, 4096, 4097, 8192, 8193, 70_001];

fn check<K: SortKey + Debug>(key: fn(usize) -> K, order: fn(&K, &K) -> Ordering) -> Result<()> {
    let device = Device::auto()?;
    for n in LENGTHS {
        let host_keys: Vec<K> = (0..n).map(key).collect();
        let mut pairs: Vec<(K, u32)> = host_keys.iter().copied().zip(0..).collect();
        pairs.sort_by(|a, b| order(&a.0, &b.0));

        let mut keys = device.upload(&host_keys)?;
        sort(&device, &mut keys)?;
        let found = keys.to_vec()?;
        let is_equal = |(found, (key, _)): (&K, &(K, u32))| order(found, key).is_eq();
        assert!(found.iter().zip(&pairs).all(is_equal), "{n} keys");

        keys.copy_from(&host_keys)?;
        let mut values = device.upload_iter(0..n as u32)?;
        sort_by_key(&device, &mut keys, &mut values)?;
        assert!(values.to_vec()?.iter().eq(pairs.iter().map(|(_, value)| value)), "{n} pairs");
        assert!(keys.to_vec()?.iter().zip(&pairs).all(is_equal), "keys of {n} pairs");
    }
    Ok(())
}

/// Returns a key of which each occurs about three times.
fn repeated_key(i: usize) -> u64 {
    (i as u64 / 3).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 3)
}

#[test]
fn sorts_are_stable_ones_of_slices() -> Result<()> {
    check::<u32>(|i| repeated_key(i) as u32, Ord::cmp)?;
    check::<i32>(|i| repeated_key(i) as i32, Ord::cmp)?;
    check::<f32>(|i| f32::from_bits(repeated_key(i) as u32), f32::total_cmp)?;
    check::<u64>(repeated_key, Ord::cmp)?;
    check::<i64>(|i| repeated_key(i) as i64, Ord::cmp)?;
    check::<f64>(|i| f64::from_bits(repeated_key(i)), f64::total_cmp)
}

/// Sorts pairs of these keys and values, and compares them with a stable sort of slices.
fn check_values<K: SortKey + Ord, V: SortValue + PartialEq>(
    key: fn(usize) -> K,
    value: fn(usize) -> V,
) -> Result<()> {
    let device = Device::auto()?;
    for n in [0, 1, 4095, 4096, 8193, 20_000] {
        let mut pairs: Vec<(K, V)> = (0..n).map(|i| (key(i), value(i))).collect();
        let (keys, values): (Vec<K>, Vec<V>) = pairs.iter().copied().unzip();
        pairs.sort_by_key(|(key, _)| *key);
        let (mut keys, mut values) = (device.upload(&keys)?, device.upload(&values)?);
        sort_by_key(&device, &mut keys, &mut values)?;
        let found = keys.to_vec()?.into_iter().zip(values.to_vec()?);
        assert!(found.eq(pairs), "{n} pairs");
    }
    Ok(())
}

#[test]
fn values_of_four_and_eight_bytes_move_as_their_keys() -> Result<()> {
    let short = |i| repeated_key(i) as u32;
    check_values(short, |i| i as i32 - 5000)?;
    check_values(short, |i| i as f32)?;
    check_values(short, |i| (i as u64) << 40 | 7)?;
    check_values(short, |i| i as f64 / 3.0)?;
    check_values(|i| repeated_key(i) as i32, |i| i as i64 - (1 << 35))?;
    check_values(short, |i| usize::MAX - i)?;
    check_values(repeated_key, |i| i as f32)?;
    check_values(repeated_key, |i| i as u64 * 0x1_0000_0001)?;
    check_values(|i| repeated_key(i) as i64, |i| -(i as isize))
}

#[test]
fn floats_are_in_the_order_of_total_cmp() -> Result<()> {
    let device = Device::auto()?;
    let special = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-45, -1e-45];
    let mut floats: Vec<f32> = special.iter().cycle().take(600).copied().collect();
    let mut doubles: Vec<f64> = floats.iter().map(|x| f64::from(*x)).collect();
    let (mut sorted, mut sorted_doubles) = (device.upload(&floats)?, device.upload(&doubles)?);
    sort(&device, &mut sorted)?;
    sort(&device, &mut sorted_doubles)?;
    floats.sort_by(f32::total_cmp);
    doubles.sort_by(f64::total_cmp);
    assert!(sorted.to_vec()?.iter().map(|x| x.to_bits()).eq(floats.iter().map(|x| x.to_bits())));
    let bits = sorted_doubles.to_vec()?.into_iter().map(f64::to_bits);
    assert!(bits.eq(doubles.iter().map(|x| x.to_bits())));
    Ok(())
}

#[test]
fn memory_for_long_values_is_used_again() -> Result<()> {
    let device = Device::auto()?;
    let mut memory = RadixSort::with_values(&device, 9000)?;
    for n in [9000, 10, 4097] {
        let keys: Vec<i32> = (0..n).map(|i| repeated_key(i) as i32).collect();
        let mut pairs: Vec<(i32, u64)> = keys.iter().copied().zip(1 << 40..).collect();
        let (mut on_device, mut values) =
            (device.upload(&keys)?, device.upload_iter((0..n as u64).map(|i| (1 << 40) + i))?);
        memory.sort_by_key(&device, &mut on_device, &mut values)?;
        pairs.sort_by_key(|(key, _)| *key);
        assert!(values.to_vec()?.into_iter().eq(pairs.iter().map(|(_, value)| *value)));
        memory.sort(&device, &mut on_device)?;
        assert!(on_device.to_vec()?.into_iter().eq(pairs.iter().map(|(key, _)| *key)));
    }
    Ok(())
}

#[test]
fn memory_is_used_again() -> Result<()> {
    let device = Device::auto()?;
    let mut memory = RadixSort::new(&device, 1000)?;
    for n in [1000, 10, 700] {
        let mut keys: Vec<u32> = (0..n).map(|i| repeated_key(i) as u32).collect();
        let mut on_device = device.upload(&keys)?;
        memory.sort(&device, &mut on_device)?;
        keys.sort_unstable();
        assert!(on_device.to_vec()? == keys);
    }
    let result = memory.sort(&device, &mut device.zeros(1001)?);
    assert!(matches!(result, Err(Error::TooLong { found: 1001, most: 1000 })));
    let result = memory.sort_by_key(&device, &mut device.zeros(2)?, &mut device.zeros(2)?);
    assert!(matches!(result, Err(Error::TooLong { found: 2, most: 0 })));
    Ok(())
}

#[test]
fn a_value_is_needed_for_each_key() -> Result<()> {
    let device = Device::auto()?;
    let mut values = device.zeros::<f64>(2)?;
    let result = sort_by_key(&device, &mut device.zeros::<u32>(3)?, &mut values);
    assert!(matches!(result, Err(Error::Length { argument: "values", expected: 3, found: 2 })));
    Ok(())
}
