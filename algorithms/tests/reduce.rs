//! Reductions beside those of iterators.
use warpwise::prelude::*;
use warpwise_algorithms::{Operator, Result, reduce};

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
