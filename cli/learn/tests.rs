//! The tests of the exercises, each on the interpreter with its sanitizer and its counters.
use std::fmt::Debug;
use warpwise::{Error, Simulator, counters::Counts, prelude::*};
use warpwise_exercises::*;

/// Runs an exercise and compares its result; returns the counters of its launch.
#[track_caller]
fn solve<T: Debug + PartialEq>(
    file: &str,
    expected: &[T],
    run: impl FnOnce(&Device) -> warpwise::Result<Vec<T>>,
) -> Counts {
    let simulator = Simulator::new().checked().counters();
    let result = match run(&simulator.device()) {
        Ok(result) => result,
        Err(error) => fail(file, &error),
    };
    assert_eq!(
        result.len(),
        expected.len(),
        "{file}: the length of the result"
    );
    for (i, (value, wanted)) in result.iter().zip(expected).enumerate() {
        assert!(
            value == wanted,
            "{file}: element {i} is {value:?}, and should be {wanted:?}"
        );
    }
    simulator.take_counters()[0].total
}

/// Reports an error of a launch.
#[track_caller]
fn fail(file: &str, error: &Error) -> ! {
    let text = error.to_string();
    assert!(
        !text.contains("not yet implemented"),
        "{file} is not solved yet: replace its `todo!()`"
    );
    panic!("{file}: {text}");
}

/// Returns `count` floats from 0 on.
fn floats(count: usize) -> Vec<f32> {
    (0..count).map(|i| i as f32).collect()
}

#[test]
fn e01_map_adds_10() {
    let expected: Vec<f32> = floats(32).iter().map(|x| x + 10.0).collect();
    solve("src/e01_map.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&floats(32))?, device.zeros(32)?);
        e01_map::map::launch(device, LaunchConfig::grid(1), &x, &mut y)?;
        y.to_vec()
    });
}

#[test]
fn e02_zip_adds_elements() {
    let expected: Vec<f32> = floats(32).iter().map(|x| 3.0 * x).collect();
    solve("src/e02_zip.rs", &expected, |device| {
        let twice: Vec<f32> = floats(32).iter().map(|x| 2.0 * x).collect();
        let (x, y, mut z) = (
            device.upload(&floats(32))?,
            device.upload(&twice)?,
            device.zeros(32)?,
        );
        e02_zip::zip::launch(device, LaunchConfig::grid(1), &x, &y, &mut z)?;
        z.to_vec()
    });
}

#[test]
fn e03_guard_skips_threads_without_an_element() {
    let expected: Vec<f32> = floats(20).iter().map(|x| x + 10.0).collect();
    solve("src/e03_guard.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&floats(20))?, device.zeros(20)?);
        e03_guard::guard::launch(device, LaunchConfig::grid(1), &x, &mut y)?;
        y.to_vec()
    });
}

#[test]
fn e04_map_2d_adds_10() {
    let (width, height) = (5, 6);
    let expected: Vec<f32> = floats(30).iter().map(|x| x + 10.0).collect();
    solve("src/e04_map_2d.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&floats(30))?, device.zeros(30)?);
        e04_map_2d::map_2d::launch(device, LaunchConfig::grid(1), width, height, &x, &mut y)?;
        y.to_vec()
    });
}

#[test]
fn e05_broadcast_adds_each_pair() {
    let rows = (0..4).map(|row| 100.0 * row as f32);
    let expected: Vec<f32> = rows
        .clone()
        .flat_map(|b| floats(7).into_iter().map(move |a| a + b))
        .collect();
    solve("src/e05_broadcast.rs", &expected, |device| {
        let b: Vec<f32> = rows.collect();
        let (a, b, mut sums) = (
            device.upload(&floats(7))?,
            device.upload(&b)?,
            device.zeros(28)?,
        );
        e05_broadcast::broadcast::launch(device, LaunchConfig::grid(1), &a, &b, &mut sums)?;
        sums.to_vec()
    });
}

#[test]
fn e06_blocks_cover_the_array() {
    let expected: Vec<f32> = floats(200).iter().map(|x| x + 10.0).collect();
    solve("src/e06_blocks.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&floats(200))?, device.zeros(200)?);
        e06_blocks::blocks::launch(device, LaunchConfig::cover(200), &x, &mut y)?;
        y.to_vec()
    });
}

#[test]
fn e07_shared_reverses_each_block() {
    let expected: Vec<f32> = floats(128)
        .chunks(64)
        .flat_map(|block| block.iter().rev().copied())
        .collect();
    solve("src/e07_shared.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&floats(128))?, device.zeros(128)?);
        e07_shared::reverse::launch(device, LaunchConfig::grid(2), &x, &mut y)?;
        y.to_vec()
    });
}

#[test]
fn e08_pooling_adds_three_elements() {
    let x = floats(64);
    let expected: Vec<f32> = (0..64)
        .map(|i: usize| x[i.saturating_sub(2)..=i].iter().sum())
        .collect();
    let counts = solve("src/e08_pooling.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&x)?, device.zeros(64)?);
        e08_pooling::pooling::launch(device, LaunchConfig::grid(1), &x, &mut y)?;
        y.to_vec()
    });
    let requests = counts.global_loads.requests;
    assert!(
        requests <= 2,
        "the result is right, but the two warps load {requests} times and not once each"
    );
}

#[test]
fn e09_dot_product_adds_products() {
    solve("src/e09_dot_product.rs", &[512.0], |device| {
        let (x, y, mut out) = (
            device.upload(&[2.0f32; 256])?,
            device.upload(&[1.0f32; 256])?,
            device.zeros(1)?,
        );
        e09_dot_product::dot_product::launch(device, LaunchConfig::grid(1), &x, &y, &mut out)?;
        out.to_vec()
    });
}

#[test]
fn e10_convolution_weighs_elements() {
    let (x, weights) = (floats(300), [1.0f32, 2.0, 0.0, 4.0]);
    let sum = |i: usize| {
        x[i..]
            .iter()
            .zip(weights)
            .map(|(x, weight)| x * weight)
            .sum()
    };
    let expected: Vec<f32> = (0..300).map(sum).collect();
    solve("src/e10_convolution.rs", &expected, |device| {
        let (x, weights, mut y) = (
            device.upload(&x)?,
            device.upload(&weights)?,
            device.zeros(300)?,
        );
        e10_convolution::convolution::launch(
            device,
            LaunchConfig::cover(300),
            &x,
            &weights,
            &mut y,
        )?;
        y.to_vec()
    });
}

#[test]
fn e11_prefix_sum_adds_all_before() {
    let x: Vec<u32> = (0..64).collect();
    let expected: Vec<u32> = (0..64).map(|i| i * (i + 1) / 2).collect();
    solve("src/e11_prefix_sum.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&x)?, device.zeros(64)?);
        e11_prefix_sum::prefix_sum::launch(device, LaunchConfig::grid(1), &x, &mut y)?;
        y.to_vec()
    });
}

#[test]
fn e12_axis_sum_adds_rows() {
    let (rows, columns) = (4, 200);
    let x = floats(rows * columns);
    let expected: Vec<f32> = x.chunks(columns).map(|row| row.iter().sum()).collect();
    solve("src/e12_axis_sum.rs", &expected, |device| {
        let (x, mut sums) = (device.upload(&x)?, device.zeros(rows)?);
        e12_axis_sum::axis_sum::launch(device, LaunchConfig::grid(rows), columns, &x, &mut sums)?;
        sums.to_vec()
    });
}

#[test]
fn e13_matrix_product_uses_tiles() {
    let n = 64;
    let numbers = |step: usize| {
        (0..n * n)
            .map(|i| (i * step % 5) as f32)
            .collect::<Vec<f32>>()
    };
    let (a, b) = (numbers(3), numbers(7));
    let element = |i: usize| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum();
    let expected: Vec<f32> = (0..n * n).map(element).collect();
    let counts = solve("src/e13_matrix_product.rs", &expected, |device| {
        let (a, b, mut c) = (device.upload(&a)?, device.upload(&b)?, device.zeros(n * n)?);
        e13_matrix_product::matrix_product::launch(
            device,
            LaunchConfig::cover((n, n)),
            n,
            &a,
            &b,
            &mut c,
        )?;
        c.to_vec()
    });
    let sectors = counts.global_loads.sectors;
    assert!(
        sectors <= 4096,
        "the result is right, but {sectors} sectors are loaded where tiles need 4096"
    );
}

#[test]
fn e14_coalescing_moves_no_needless_sectors() {
    let expected: Vec<f32> = floats(8192).iter().map(|x| 2.0 * x).collect();
    let counts = solve("src/e14_coalescing.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&floats(8192))?, device.zeros(8192)?);
        e14_coalescing::double::launch(device, LaunchConfig::grid(4), &x, &mut y)?;
        y.to_vec()
    });
    let (sectors, ideal) = (counts.global().sectors, counts.global().ideal);
    assert!(
        sectors <= ideal,
        "the result is right, but {sectors} sectors move where {ideal} would do: `cargo warpwise lint` shows the line"
    );
}

#[test]
fn e15_bank_conflicts_are_gone() {
    let expected: Vec<f32> = (0..1024).map(|i| (i % 32 * 32 + i / 32) as f32).collect();
    let counts = solve("src/e15_bank_conflicts.rs", &expected, |device| {
        let (x, mut y) = (device.upload(&floats(1024))?, device.zeros(1024)?);
        e15_bank_conflicts::transpose::launch(device, LaunchConfig::grid(1), &x, &mut y)?;
        y.to_vec()
    });
    let (wavefronts, ideal) = (counts.shared().wavefronts, counts.shared().ideal);
    assert!(
        wavefronts <= ideal,
        "the result is right, but shared memory takes {wavefronts} wavefronts where {ideal} would do: \
         `cargo warpwise lint` shows the line"
    );
}

#[test]
fn e16_race_is_gone() {
    let expected: Vec<u32> = (0..64).map(|i| i + (i + 1) % 64).collect();
    solve("src/e16_race.rs", &expected, |device| {
        let mut x = device.upload(&(0..64).collect::<Vec<u32>>())?;
        e16_race::add_next::launch(device, LaunchConfig::grid(1), &mut x)?;
        x.to_vec()
    });
}

#[test]
fn e17_shuffle_adds_up_warps() {
    let x: Vec<u32> = (0..128).collect();
    let expected: Vec<u32> = x.chunks(32).map(|warp| warp.iter().sum()).collect();
    let counts = solve("src/e17_shuffle.rs", &expected, |device| {
        let (x, mut sums) = (device.upload(&x)?, device.zeros(4)?);
        e17_shuffle::warp_sums::launch(device, LaunchConfig::grid(2), &x, &mut sums)?;
        sums.to_vec()
    });
    let (shared, barriers) = (counts.shared().requests, counts.barriers);
    assert!(
        shared == 0 && barriers == 0,
        "the result is right, but the warps access shared memory {shared} times and wait at {barriers} barriers"
    );
}
