//! Selection, histograms and reductions of segments, compared with plain Rust.
mod numbers;

use numbers::scattered;
use warpwise::prelude::*;
use warpwise_algorithms::{
    Error, Operator, Result, bin_count, histogram, segmented_reduce, select,
};

#[test]
fn selected_elements_keep_their_order() -> Result<()> {
    let device = Device::auto()?;
    for n in [0, 1, 33, 8192, 8193, 70_001] {
        let x: Vec<i64> = (0..n).map(|i| i64::from(scattered(i))).collect();
        for modulus in [1, 3, 1000] {
            let flags: Vec<bool> = (0..n).map(|i| scattered(i).is_multiple_of(modulus)).collect();
            let mut out = device.zeros::<i64>(n)?;
            let count = select(&device, &device.upload(&x)?, &device.upload(&flags)?, &mut out)?;
            let expected: Vec<i64> =
                x.iter().zip(&flags).filter(|(_, flag)| **flag).map(|(x, _)| *x).collect();
            assert!(out.slice(..count)?.to_vec()? == expected, "{n} elements, 1 of {modulus}");
        }
    }
    Ok(())
}

#[test]
fn numbers_of_every_size_are_selected() -> Result<()> {
    fn check<T: Num + PartialEq>(number: fn(usize) -> T) -> Result<()> {
        let device = Device::auto()?;
        for n in [16_383, 16_384, 16_385] {
            let x: Vec<T> = (0..n).map(number).collect();
            let flags: Vec<bool> = (0..n).map(|i| i % 5 == 4).collect();
            let mut out = device.zeros::<T>(n / 5)?;
            let count = select(&device, &device.upload(&x)?, &device.upload(&flags)?, &mut out)?;
            assert_eq!(count, n / 5);
            assert!(out.to_vec()?.into_iter().eq(x.iter().copied().skip(4).step_by(5)));
        }
        Ok(())
    }
    check::<u8>(|i| i as u8)?;
    check::<u32>(scattered)?;
    check::<f32>(|i| scattered(i) as f32)?;
    check::<u64>(|i| u64::from(scattered(i)) << 31)?;
    check::<f64>(|i| i as f64 / 3.0)
}

#[test]
fn integers_and_floats_of_eight_bytes_are_counted() -> Result<()> {
    let device = Device::auto()?;
    let x: Vec<i64> =
        (0..5000).map(|i| i % 7 - 1 + if i % 100 == 0 { 1 << 40 } else { 0 }).collect();
    let mut counts = device.zeros::<u32>(6)?;
    bin_count(&device, &device.upload(&x)?, &mut counts)?;
    let count = |value| x.iter().filter(|x| **x == value).count() as u32;
    assert_eq!(counts.to_vec()?, [0, 1, 2, 3, 4, 5].map(count));
    let x: Vec<f64> = x.iter().map(|x| *x as f64 + 0.5).collect();
    histogram(&device, &device.upload(&x)?, 0.0, 6.0, &mut counts)?;
    let count = |value| x.iter().filter(|x| **x == value).count() as u32;
    assert_eq!(counts.to_vec()?, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5].map(count));
    Ok(())
}

#[test]
fn a_flag_is_needed_for_each_element() -> Result<()> {
    let device = Device::auto()?;
    let (x, flags) = (device.zeros::<u8>(3)?, device.zeros::<bool>(2)?);
    let result = select(&device, &x, &flags, &mut device.zeros(3)?);
    assert!(matches!(result, Err(Error::Length { argument: "flags", expected: 3, found: 2 })));
    Ok(())
}

#[test]
fn integers_are_counted_in_any_number_of_bins() -> Result<()> {
    let device = Device::auto()?;
    let x: Vec<i32> = (0..50_000).map(|i| (scattered(i) % 10_000) as i32 - 100).collect();
    let on_device = device.upload(&x)?;
    for bins in [1, 256, 300, 8192, 9900] {
        let mut counts = device.upload(&vec![7u32; bins])?;
        bin_count(&device, &on_device, &mut counts)?;
        let mut expected = vec![0; bins];
        let values = x.iter().filter_map(|x| usize::try_from(*x).ok());
        values.filter(|x| *x < bins).for_each(|x| expected[x] += 1);
        assert!(counts.to_vec()? == expected, "{bins} bins");
    }
    Ok(())
}

#[test]
fn floats_are_counted_between_the_bounds() -> Result<()> {
    let device = Device::auto()?;
    let mut x: Vec<f32> = (0..50_000).map(|i| (scattered(i) % 4096) as f32 / 1024.0).collect();
    x.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0, 3.0]);
    let on_device = device.upload(&x)?;
    for bins in [1, 200, 1000, 10_000] {
        let mut counts = device.zeros::<u32>(bins)?;
        histogram(&device, &on_device, 1.0, 3.0, &mut counts)?;
        let mut expected = vec![0; bins];
        for x in x.iter().filter(|x| (1.0..3.0).contains(*x)) {
            expected[((x - 1.0) * (bins as f32 / 2.0)) as usize] += 1;
        }
        assert!(counts.to_vec()? == expected, "{bins} bins");
    }
    Ok(())
}

#[test]
fn segments_of_all_lengths_are_reduced() -> Result<()> {
    let device = Device::auto()?;
    let lengths = [0, 1, 31, 32, 33, 0, 1000, 5];
    let offsets: Vec<u32> =
        lengths.iter().scan(0, |end, length| Some(std::mem::replace(end, *end + length))).collect();
    let n: u32 = lengths.iter().sum();
    let x: Vec<i32> = (0..n as usize).map(|i| scattered(i) as i32 >> 8).collect();
    let all_offsets: Vec<u32> = offsets.iter().copied().chain([n]).collect();
    let mut out = device.zeros::<i32>(lengths.len())?;
    let (x_on_device, offsets_on_device) = (device.upload(&x)?, device.upload(&all_offsets)?);
    for operator in [Operator::Sum, Operator::Min, Operator::Max] {
        segmented_reduce(&device, operator, &x_on_device, &offsets_on_device, &mut out)?;
        let of_segment = |bounds: &[u32]| {
            let segment = x[bounds[0] as usize..bounds[1] as usize].iter().copied();
            match operator {
                Operator::Sum => segment.sum(),
                Operator::Min => segment.min().unwrap_or(i32::MAX),
                Operator::Max => segment.max().unwrap_or(i32::MIN),
                _ => unreachable!("the test names its operators"),
            }
        };
        assert!(out.to_vec()?.into_iter().eq(all_offsets.windows(2).map(of_segment)));
    }
    let result = segmented_reduce(
        &device,
        Operator::Sum,
        &x_on_device,
        &offsets_on_device,
        &mut device.zeros(3)?,
    );
    assert!(matches!(result, Err(Error::Length { argument: "offsets", expected: 4, found: 9 })));
    Ok(())
}
