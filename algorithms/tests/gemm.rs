//! Products of matrices, compared with plain Rust.
use warpwise::{
    Autotuner, Slice,
    mma::{E4M3, E5M2, round_to_tf32},
    prelude::*,
};
use warpwise_algorithms::{Activation, Error, Gemm, GemmTile, IntegerElement, Result};

/// Rows, columns and depth: whole tiles, parts of them, and rows that are no whole vectors.
const SHAPES: [(usize, usize, usize); 6] =
    [(128, 256, 64), (16, 8, 8), (130, 264, 40), (1, 1, 1), (37, 29, 51), (3, 300, 0)];

const TILES: [GemmTile; 3] = [GemmTile::Large, GemmTile::Medium, GemmTile::Small];

fn numbers(count: usize, factor: usize) -> Vec<f32> {
    (0..count).map(|i| (i * factor % 17) as f32 - 8.0).collect()
}

/// Returns random words.
fn random_words(count: usize, seed: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |i| (i as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Returns the batch, row and column of element `i` of a product.
fn place(gemm: Gemm, i: usize) -> (usize, usize, usize) {
    let Gemm { rows, columns, .. } = gemm;
    (i / (rows * columns), i / columns % rows, i % columns)
}

fn product(gemm: Gemm, a: &[f32], b: &[f32], c: &[f32]) -> Vec<f32> {
    let Gemm { columns, rows, depth, .. } = gemm;
    let element = |i: usize| {
        let (batch, row, column) = place(gemm, i);
        let a = &a[(batch * rows + row) * depth..][..depth];
        let b = |k: usize| b[(batch * depth + k) * columns + column];
        let sum: f32 = a.iter().enumerate().map(|(k, a)| a * b(k)).sum();
        let result = gemm.alpha as f32 * sum + gemm.beta as f32 * c[i];
        match gemm.activation {
            Activation::Relu => result.max(0.0),
            _ => result,
        }
    };
    (0..c.len()).map(element).collect()
}

fn check(
    gemm: Gemm,
    run: impl Fn(&Device, &[f32], &[f32], &mut Slice<f32>) -> Result<()>,
) -> Result<()> {
    let device = Device::auto()?;
    let (a, b, before) = (
        numbers(gemm.batches * gemm.rows * gemm.depth, 5),
        numbers(gemm.batches * gemm.depth * gemm.columns, 7),
        numbers(gemm.batches * gemm.rows * gemm.columns, 11),
    );
    let mut c = device.upload(&before)?;
    run(&device, &a, &b, &mut c)?;
    assert!(c.to_vec()? == product(gemm, &a, &b, &before), "{gemm:?}");
    Ok(())
}

fn check_floats(gemm: Gemm) -> Result<()> {
    check(gemm, |device, a, b, c| gemm.run(device, &device.upload(a)?, &device.upload(b)?, c))
}

fn check_halves(gemm: Gemm) -> Result<()> {
    check(gemm, |device, a, b, c| {
        let [a, b] = [a, b].map(|x| x.iter().map(|x| bf16::from_f32(*x)).collect::<Vec<_>>());
        gemm.run_halves(device, &device.upload(&a)?, &device.upload(&b)?, c)
    })?;
    check(gemm, |device, a, b, c| {
        let [a, b] = [a, b].map(|x| x.iter().map(|x| f16::from_f32(*x)).collect::<Vec<_>>());
        gemm.run_halves(device, &device.upload(&a)?, &device.upload(&b)?, c)
    })
}

fn check_floats_of_8_bits(gemm: Gemm) -> Result<()> {
    check(gemm, |device, a, b, c| {
        let [a, b] = [a, b].map(|x| x.iter().map(|x| E4M3::from_f32(*x)).collect::<Vec<_>>());
        gemm.run_float8(device, &device.upload(&a)?, &device.upload(&b)?, c)
    })?;
    check(gemm, |device, a, b, c| {
        let [a, b] = [a, b].map(|x| x.iter().map(|x| E5M2::from_f32(*x)).collect::<Vec<_>>());
        gemm.run_float8(device, &device.upload(&a)?, &device.upload(&b)?, c)
    })
}

fn check_tf32(gemm: Gemm) -> Result<()> {
    check(gemm, |device, a, b, c| gemm.run_tf32(device, &device.upload(a)?, &device.upload(b)?, c))
}

#[test]
fn floats_have_products_of_every_shape() -> Result<()> {
    for (rows, columns, depth) in SHAPES {
        check_floats(Gemm::new(rows, columns, depth))?;
    }
    Ok(())
}

#[test]
fn every_tile_computes_the_same_product() -> Result<()> {
    let device = Device::auto()?;
    for (rows, columns, depth) in SHAPES {
        let random = |count, seed| -> Vec<f32> {
            let number = |word| (word >> 40) as f32 / (1 << 23) as f32 - 1.0;
            random_words(count, seed).map(number).collect()
        };
        let a = device.upload(&random(2 * rows * depth, 1))?;
        let b = device.upload(&random(2 * depth * columns, 1 << 30))?;
        let products = TILES.map(|tile| {
            let mut c = device.upload(&vec![1.0f32; 2 * rows * columns])?;
            let gemm = Gemm { tile, batches: 2, beta: 0.5, ..Gemm::new(rows, columns, depth) };
            gemm.run(&device, &a, &b, &mut c)?;
            Ok::<_, Error>(c.to_vec()?)
        });
        let [large, medium, small] = products;
        let large = large?;
        assert!(medium? == large && small? == large, "{rows} x {columns} x {depth}");
    }
    for tile in TILES {
        check_floats(Gemm { tile, activation: Activation::Relu, ..Gemm::new(70, 140, 20) })?;
    }
    Ok(())
}

#[test]
fn a_tuned_product_is_the_same_with_a_tile_that_runs() -> Result<()> {
    let device = Device::cpu();
    let tuner = Autotuner::new();
    let gemm = Gemm { alpha: 2.0, ..Gemm::new(5, 6, 7) };
    let (a, b) = (device.zeros::<f32>(35)?, device.zeros::<f32>(42)?);
    for _ in 0..2 {
        assert_eq!(gemm.tune(&tuner, &device, &a, &b)?, gemm);
    }
    let result = gemm.tune(&tuner, &device, &b, &b);
    assert!(matches!(result, Err(Error::Length { argument: "a", expected: 35, found: 42 })));
    let result = Gemm::new(100, 6, 7).tune(&tuner, &device, &a, &b);
    assert!(matches!(result, Err(Error::Length { argument: "a", expected: 700, found: 35 })));
    Ok(())
}

#[test]
fn halves_have_products_of_every_shape() -> Result<()> {
    for (rows, columns, depth) in SHAPES {
        check_halves(Gemm::new(rows, columns, depth))?;
    }
    Ok(())
}

#[test]
fn floats_of_8_bits_have_products_of_every_shape() -> Result<()> {
    for (rows, columns, depth) in SHAPES {
        check_floats_of_8_bits(Gemm::new(rows, columns, depth))?;
    }
    Ok(())
}

#[test]
fn tf32_have_products_of_every_shape() -> Result<()> {
    for (rows, columns, depth) in SHAPES {
        check_tf32(Gemm::new(rows, columns, depth))?;
    }
    Ok(())
}

/// One row is left to warps, 128 are not.
#[test]
fn floats_are_rounded_to_the_nearest_tf32() -> Result<()> {
    let device = Device::auto()?;
    let number = |i: usize| 1.0 + (i * 37 % 101) as f32 / 8192.0;
    for rows in [1, 128] {
        // Each row and each column has one number.
        let on_diagonal = |i: usize| if i % 4 == i / 4 % 4 { number(i) } else { 0.0 };
        let a: Vec<f32> = (0..rows * 4).map(on_diagonal).collect();
        let b: Vec<f32> = (0..4 * 4).map(number).collect();
        let mut c = device.zeros(rows * 4)?;
        let gemm = Gemm::new(rows, 4, 4);
        gemm.run_tf32(&device, &device.upload(&a)?, &device.upload(&b)?, &mut c)?;
        let expected = (0..rows * 4).map(|i| {
            let (row, column) = (i / 4, i % 4);
            round_to_tf32(a[row * 4 + row % 4]) * round_to_tf32(b[row % 4 * 4 + column])
        });
        assert!(c.to_vec()?.into_iter().eq(expected), "{rows} rows");
    }
    Ok(())
}

/// Each 128 columns have a sum of their own, which warpgroups need.
#[test]
fn sums_of_floats_of_8_bits_keep_small_ones() -> Result<()> {
    let device = Device::auto()?;
    for rows in [1, 128] {
        let number = |k: usize| E4M3::from_f32(if k < 128 { 448.0 } else { 1.0 });
        let a: Vec<E4M3> = (0..rows * 256).map(|i| number(i % 256)).collect();
        let b: Vec<E4M3> = (0..256 * 2).map(|i| number(i / 2)).collect();
        let mut c = device.zeros(rows * 2)?;
        let gemm = Gemm::new(rows, 2, 256);
        gemm.run_float8(&device, &device.upload(&a)?, &device.upload(&b)?, &mut c)?;
        assert_eq!(c.to_vec()?, vec![128.0 * 448.0 * 448.0 + 128.0; rows * 2]);
    }
    Ok(())
}

#[test]
fn a_product_is_scaled_added_and_activated() -> Result<()> {
    let gemm = Gemm {
        alpha: 0.5,
        beta: -2.0,
        batches: 3,
        activation: Activation::Relu,
        ..Gemm::new(20, 24, 16)
    };
    check_floats(gemm)?;
    check_halves(gemm)?;
    check_floats_of_8_bits(gemm)?;
    check_tf32(gemm)
}

#[test]
fn doubles_are_sums_of_fused_multiply_adds_in_order() -> Result<()> {
    let device = Device::auto()?;
    let random = |count, seed| -> Vec<f64> {
        let number = |word| (word >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        random_words(count, seed).map(number).collect()
    };
    let shapes =
        SHAPES.into_iter().chain([(63, 65, 16), (64, 64, 17), (2, 129, 100), (130, 66, 144)]);
    for ((rows, columns, depth), batches) in shapes.zip([1, 2].into_iter().cycle()) {
        for activation in [Activation::Identity, Activation::Relu] {
            let new = Gemm::new(rows, columns, depth);
            let gemm = Gemm { batches, alpha: 0.1, beta: -0.3, activation, ..new };
            let a = random(batches * rows * depth, 1);
            let b = random(batches * depth * columns, 1 << 40);
            let before = random(batches * rows * columns, 1 << 50);
            let element = |i: usize| {
                let (batch, row, column) = place(gemm, i);
                let a = |k: usize| a[(batch * rows + row) * depth + k];
                let b = |k: usize| b[(batch * depth + k) * columns + column];
                let sum = (0..depth).fold(0.0, |sum, k| a(k).mul_add(b(k), sum));
                let result = gemm.beta.mul_add(before[i], gemm.alpha * sum);
                if activation == Activation::Relu { result.max(0.0) } else { result }
            };
            let mut c = device.upload(&before)?;
            gemm.run_doubles(&device, &device.upload(&a)?, &device.upload(&b)?, &mut c)?;
            assert!(c.to_vec()?.into_iter().eq((0..before.len()).map(element)), "{gemm:?}");
        }
    }
    Ok(())
}

fn check_integers<T: IntegerElement + Into<i32>>(number: fn(u64) -> T) -> Result<()> {
    let device = Device::auto()?;
    let random = |count, seed| -> Vec<T> { random_words(count, seed).map(number).collect() };
    let shapes =
        SHAPES.into_iter().chain([(64, 64, 64), (65, 68, 132), (2, 130, 63), (20, 8, 300)]);
    for ((rows, columns, depth), batches) in shapes.zip([1, 2].into_iter().cycle()) {
        let (a, b) =
            (random(batches * rows * depth, 1), random(batches * depth * columns, 1 << 20));
        let before: Vec<i32> = (0..batches * rows * columns).map(|i| i as i32 * 7 - 100).collect();
        let gemm = Gemm { batches, ..Gemm::new(rows, columns, depth) };
        let sum = |i: usize| -> i32 {
            let (batch, row, column) = place(gemm, i);
            let a = |k: usize| -> i32 { a[(batch * rows + row) * depth + k].into() };
            let b = |k: usize| -> i32 { b[(batch * depth + k) * columns + column].into() };
            (0..depth).map(|k| a(k) * b(k)).sum()
        };
        let (on_a, on_b) = (device.upload(&a)?, device.upload(&b)?);
        let mut c = device.upload(&before)?;
        gemm.run_integers(&device, &on_a, &on_b, &mut c)?;
        assert!(c.to_vec()?.into_iter().eq((0..before.len()).map(sum)), "{gemm:?}");

        let gemm = Gemm { alpha: 0.5, beta: -2.0, activation: Activation::Relu, ..gemm };
        c.copy_from(&before)?;
        gemm.run_integers(&device, &on_a, &on_b, &mut c)?;
        let element = |i: usize| {
            let result = 0.5 * f64::from(sum(i)) - 2.0 * f64::from(before[i]);
            result.max(0.0) as i32
        };
        assert!(c.to_vec()?.into_iter().eq((0..before.len()).map(element)), "{gemm:?}");
    }
    Ok(())
}

#[test]
fn integers_have_exact_products_of_every_shape() -> Result<()> {
    check_integers(|word| (word >> 56) as i8)?;
    check_integers(|word| (word >> 56) as u8)
}

#[test]
fn factors_that_begin_between_words_are_multiplied() -> Result<()> {
    let device = Device::auto()?;
    let x = device.upload(&(0..40).map(|i| i as i8 - 20).collect::<Vec<_>>())?;
    let (a, b) = (x.slice(1..17)?, x.slice(2..18)?);
    let mut c = device.zeros::<i32>(16)?;
    Gemm::new(4, 4, 4).run_integers(&device, &a, &b, &mut c)?;
    let (a, b) = (a.to_vec()?, b.to_vec()?);
    let product = |i: usize, k: usize| i32::from(a[i / 4 * 4 + k]) * i32::from(b[k * 4 + i % 4]);
    let expected = (0..16).map(|i| (0..4).map(|k| product(i, k)).sum::<i32>());
    assert!(c.to_vec()?.into_iter().eq(expected));
    Ok(())
}

#[test]
fn gelu_of_doubles_has_their_precision() -> Result<()> {
    let device = Device::auto()?;
    let gemm = Gemm { activation: Activation::Gelu, ..Gemm::new(1, 3, 1) };
    let (a, b) = (device.upload(&[0.5f64])?, device.upload(&[-2.0f64, 0.0, 2.0])?);
    let mut c = device.zeros::<f64>(3)?;
    gemm.run_doubles(&device, &a, &b, &mut c)?;
    let want = [-0.158_655_253_931_457_05, 0.0, 0.841_344_746_068_542_9];
    assert!(c.to_vec()?.iter().zip(want).all(|(c, want)| (c - want).abs() < 1e-15));
    Ok(())
}

#[test]
fn gelu_is_that_of_floats() -> Result<()> {
    let device = Device::auto()?;
    let gemm = Gemm { activation: Activation::Gelu, ..Gemm::new(1, 4, 1) };
    let (a, b) = (device.upload(&[0.5f32])?, device.upload(&[-2.0f32, 0.0, 2.0, 6.0])?);
    let mut c = device.zeros::<f32>(4)?;
    gemm.run(&device, &a, &b, &mut c)?;
    let want = [-0.158_655_25, 0.0, 0.841_344_8, 2.995_950_3];
    assert!(c.to_vec()?.iter().zip(want).all(|(c, want)| (c - want).abs() < 1e-6));
    Ok(())
}

#[test]
fn matrices_of_other_lengths_are_an_error() -> Result<()> {
    let device = Device::auto()?;
    let (a, b) = (device.zeros::<f32>(6)?, device.zeros::<f32>(6)?);
    let result = Gemm::new(2, 2, 3).run(&device, &a, &b, &mut device.zeros(5)?);
    assert!(matches!(result, Err(Error::Length { argument: "c", expected: 4, found: 5 })));
    Ok(())
}

#[test]
fn numbers_of_elements_that_overflow_are_an_error() -> Result<()> {
    let device = Device::auto()?;
    let (none, tuner) = (device.zeros::<f32>(0)?, Autotuner::new());
    for (rows, columns) in [(usize::MAX, 2), (1 << 32, 1 << 32)] {
        let product = Gemm::new(rows, columns, 0);
        let result = product.run(&device, &none, &none, &mut device.zeros(0)?);
        let expected = usize::MAX;
        assert_eq!(result, Err(Error::Length { argument: "c", expected, found: 0 }));
        assert!(product.tune(&tuner, &device, &none, &none).is_err());
    }
    let none_of_many = Gemm { batches: 0, ..Gemm::new(2, 2, usize::MAX) };
    assert_eq!(none_of_many.tune(&tuner, &device, &none, &none), Ok(none_of_many));
    Ok(())
}
