//! Attention, compared with sums in `f64`.
use warpwise::{Element, prelude::*};
use warpwise_algorithms::{Attention, AttentionElement, Error, Result};

/// Numbers from -1 to 1, in an order without a pattern.
fn numbers(seed: usize, len: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.0 - 1.0).collect()
}

/// Returns attention of one query, in `f64`, to the keys that it sees.
fn reference(q: &[f32], k: &[f32], v: &[f32], scale: f64, seen: usize) -> Vec<f64> {
    let size = q.len();
    let row = |x: &[f32], key: usize| x[key * size..][..size].to_vec();
    let score = |key: usize| -> f64 {
        let products = q.iter().zip(row(k, key)).map(|(a, b)| f64::from(*a) * f64::from(b));
        scale * products.sum::<f64>()
    };
    let scores: Vec<f64> = (0..seen).map(score).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total: f64 = weights.iter().sum();
    let sum = |column: usize| -> f64 {
        weights.iter().enumerate().map(|(key, w)| w * f64::from(v[key * size + column])).sum()
    };
    (0..size).map(|column| if seen == 0 { 0.0 } else { sum(column) / total }).collect()
}

/// The shape of a problem: heads, queries, keys, and numbers of a head.
type Shape = (usize, usize, usize, usize);

fn check<T: AttentionElement + Element<Value = T> + Copy>(
    (heads, queries, keys, size): Shape,
    is_causal: bool,
    round: fn(f32) -> T,
    widen: fn(T) -> f32,
) -> Result<()> {
    let rounded = |seed, len| -> Vec<f32> {
        numbers(seed, len).into_iter().map(|x| widen(round(x))).collect()
    };
    let (q, k, v) = (
        rounded(1, heads * queries * size),
        rounded(2, heads * keys * size),
        rounded(3, heads * keys * size),
    );
    let device = Device::auto()?;
    let upload = |x: &[f32], rows| {
        let values: Vec<T> = x.iter().map(|x| round(*x)).collect();
        device.upload_3d(&values, (heads, rows, size))
    };
    let scale = 3.0 / (size as f32).sqrt();
    let mut out = upload(&vec![9.0; heads * queries * size], queries)?;
    Attention { is_causal, ..Attention::new(scale) }.run(
        &device,
        &upload(&q, queries)?,
        &upload(&k, keys)?,
        &upload(&v, keys)?,
        &mut out,
    )?;
    for (i, found) in out.to_vec()?.chunks_exact(size).enumerate() {
        let (head, query) = (i / queries, i % queries);
        let seen = if is_causal { (query + 1 + keys).saturating_sub(queries) } else { keys };
        let of_head = |x: &[f32]| x[head * keys * size..][..keys * size].to_vec();
        let q = &q[i * size..][..size];
        let expected = reference(q, &of_head(&k), &of_head(&v), f64::from(scale), seen.min(keys));
        for (column, (found, expected)) in found.iter().zip(expected).enumerate() {
            let error = (f64::from(widen(*found)) - expected).abs();
            assert!(
                error < 0.012,
                "head {head}, query {query}, column {column}: {} instead of {expected}",
                widen(*found)
            );
        }
    }
    Ok(())
}

fn check_both(shape: Shape, is_causal: bool) -> Result<()> {
    check(shape, is_causal, bf16::from_f32, bf16::to_f32)?;
    check(shape, is_causal, f16::from_f32, f16::to_f32)
}

#[test]
fn every_query_attends_to_every_key() -> Result<()> {
    [(1, 1, 1, 8), (2, 130, 200, 64), (1, 64, 300, 128), (3, 5, 128, 40), (1, 128, 256, 72)]
        .into_iter()
        .try_for_each(|shape| check_both(shape, false))
}

#[test]
fn causal_queries_attend_to_the_keys_before() -> Result<()> {
    [(1, 200, 200, 64), (2, 10, 300, 128), (1, 150, 20, 16)]
        .into_iter()
        .try_for_each(|shape| check_both(shape, true))
}

#[test]
fn without_keys_the_result_is_zero() -> Result<()> {
    check_both((1, 3, 0, 8), false)
}

#[test]
fn wrong_shapes_are_errors() -> Result<()> {
    let device = Device::cpu();
    let array = |shape| device.zeros_3d::<bf16>(shape);
    let (q, k) = (array((1, 4, 8))?, array((2, 4, 8))?);
    let mut out = array((1, 4, 8))?;
    let attention = Attention::new(1.0);
    let error = attention.run(&device, &q, &k, &k, &mut out).unwrap_err();
    assert!(matches!(
        error,
        Error::Layers { argument: "k", expected: (1, 4, 8), found: (2, 4, 8) }
    ));
    let wide = array((1, 4, 136))?;
    let mut out = array((1, 4, 136))?;
    let error = attention.run(&device, &wide, &wide, &wide, &mut out).unwrap_err();
    assert!(matches!(error, Error::HeadSize { size: 136 }));
    Ok(())
}

#[test]
fn scales_are_finite_and_above_0() -> Result<()> {
    let device = Device::cpu();
    let x = device.zeros_3d::<bf16>((1, 4, 8))?;
    let mut out = device.zeros_3d::<bf16>((1, 4, 8))?;
    for scale in [0.0, -0.5, f32::NAN, f32::INFINITY, f32::MAX] {
        let error = Attention::new(scale).run(&device, &x, &x, &x, &mut out).unwrap_err();
        assert!(matches!(error, Error::Scale { .. }), "{scale}: {error}");
    }
    Ok(())
}
