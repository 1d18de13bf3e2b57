//! Sorts beside those of slices.
use std::{cmp::Ordering, fmt::Debug};
use warpwise::prelude::*;
use warpwise_algorithms::{Error, RadixSort, Result, SortKey, sort, sort_by_key};

const LENGTHS: [usize; 7] = [0, 1, 2, 300, 4096, 4097, 70_001];

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

/// Numbers of which each occurs about three times.
fn scattered(i: usize) -> u64 {
    (i as u64 / 3).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 3)
}

#[test]
fn sorts_are_stable_ones_of_slices() -> Result<()> {
    check::<u32>(|i| scattered(i) as u32, Ord::cmp)?;
    check::<i32>(|i| scattered(i) as i32, Ord::cmp)?;
    check::<f32>(|i| f32::from_bits(scattered(i) as u32), f32::total_cmp)?;
    check::<u64>(scattered, Ord::cmp)?;
    check::<i64>(|i| scattered(i) as i64, Ord::cmp)?;
    check::<f64>(|i| f64::from_bits(scattered(i)), f64::total_cmp)
}

#[test]
fn memory_is_used_again() -> Result<()> {
    let device = Device::auto()?;
    let mut memory = RadixSort::new(&device, 1000)?;
    for n in [1000, 10, 700] {
        let mut keys: Vec<u32> = (0..n).map(|i| scattered(i) as u32).collect();
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
    let result = sort_by_key(&device, &mut device.zeros::<u32>(3)?, &mut device.zeros(2)?);
    assert!(matches!(result, Err(Error::Length { argument: "values", expected: 3, found: 2 })));
    Ok(())
}
