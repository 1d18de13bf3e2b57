//! Calls that a graph records, and repeats with other elements.
use warpwise::prelude::*;
use warpwise_algorithms::{Operator, RadixSort, Result, bin_count, inclusive_scan, select_into};

#[test]
fn each_launch_of_a_recorded_call_begins_anew() -> Result<()> {
    let device = Device::auto()?;
    let n = 20_000;
    let mut x = device.zeros::<u32>(n)?;
    let flags = device.upload(&vec![true; n])?;
    let (mut sums, mut selected) = (device.zeros::<u32>(n)?, device.zeros::<u32>(n)?);
    let (mut count, mut counts) = (device.zeros::<u32>(1)?, device.zeros::<u32>(8)?);
    let mut keys = device.zeros::<u32>(n)?;
    let mut memory = RadixSort::new(&device, n)?;
    let mut error = Ok(());
    let graph = device.record_graph(|recorder| {
        error = (|| {
            inclusive_scan(recorder, Operator::Sum, &x, &mut sums)?;
            select_into(recorder, &x, &flags, &mut selected, &mut count)?;
            bin_count(recorder, &x, &mut counts)?;
            recorder.copy(&x, &mut keys)?;
            memory.sort(recorder, &mut keys)
        })();
        Ok(())
    })?;
    error?;
    for factor in [1, 3, 5] {
        let values: Vec<u32> = (0..n as u32).map(|i| i * factor % 8).collect();
        x.copy_from(&values)?;
        graph.launch()?;
        assert_eq!(sums.to_vec()?[n - 1], values.iter().sum::<u32>());
        assert!(selected.to_vec()? == values);
        assert_eq!(count.to_vec()?, [n as u32]);
        assert_eq!(counts.to_vec()?, [n as u32 / 8; 8]);
        let mut sorted = values;
        sorted.sort_unstable();
        assert!(keys.to_vec()? == sorted);
    }
    Ok(())
}
