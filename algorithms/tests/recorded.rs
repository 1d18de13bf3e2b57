//! Calls that a graph records, and repeats with other elements.
use warpwise::prelude::*;
use warpwise_algorithms::{
    Gemm, Operator, RadixSort, Result, bin_count, inclusive_scan, select_into,
};

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

/// Products that transpose a factor to memory of their own.
#[test]
fn recorded_products_transpose_the_factors_of_each_launch() -> Result<()> {
    let device = Device::auto()?;
    let (rows, columns, depth) = (128, 512, 16);
    let gemm = Gemm::new(rows, columns, depth);
    let (mut a, mut bytes_a) = (device.zeros::<f32>(rows * depth)?, device.zeros(rows * depth)?);
    let b = device.upload(&vec![1.0f32; depth * columns])?;
    let bytes_b = device.upload(&vec![1i8; depth * columns])?;
    let (mut c, mut sums) = (device.zeros(rows * columns)?, device.zeros(rows * columns)?);
    let mut tf32_c = device.zeros(rows * columns)?;
    let mut error = Ok(());
    let graph = device.record_graph(|recorder| {
        error = gemm
            .run(recorder, &a, &b, &mut c)
            .and_then(|()| gemm.run_integers(recorder, &bytes_a, &bytes_b, &mut sums))
            .and_then(|()| gemm.run_tf32(recorder, &a, &b, &mut tf32_c));
        Ok(())
    })?;
    error?;
    for factor in [1i8, 3] {
        bytes_a.copy_from(&vec![factor; rows * depth])?;
        a.copy_from(&vec![f32::from(factor); rows * depth])?;
        graph.launch()?;
        assert!(c.to_vec()? == vec![16.0 * f32::from(factor); rows * columns]);
        assert!(tf32_c.to_vec()? == vec![16.0 * f32::from(factor); rows * columns]);
        assert!(sums.to_vec()? == vec![16 * i32::from(factor); rows * columns]);
    }
    Ok(())
}
