//! Iterator adapters and consumers, and the order in which they call closures.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![
    adapters,
    filters,
    folds,
    floats,
    found,
    order,
    chained,
    one_after_another,
    flattened,
    scanned,
    cycled,
];

fn adapters(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for (i, (a, b)) in x.iter().zip(y.iter()).enumerate() {
            out[i] = a - b;
        }
        for (i, v) in x.iter().rev().enumerate() {
            out[0] += *v * i as i32;
        }
        for (i, v) in x.iter().enumerate().rev() {
            out[1] += *v * i as i32;
        }
        for v in x.iter().skip(2).step_by(3) {
            out[2] = out[2] * 3 + *v;
        }
        for v in x.iter().step_by(2).skip(1).take(3) {
            out[3] = out[3] * 3 + *v;
        }
        for v in x.iter().take(5).rev().skip(1) {
            out[4] = out[4] * 3 + *v;
        }
        for (a, b) in x.iter().rev().zip(y.iter().skip(1)) {
            out[5] = out[5] * 3 + *a - *b;
        }
        for (a, b) in x.iter().zip(5..) {
            out[6] = out[6] * 3 + *a * b;
        }
        for ((a, b), c) in x.iter().copied().zip(y.iter().cloned()).zip((0..100).rev()) {
            out[7] = out[7] * 3 + a - b * c;
        }
        for v in x.iter().map(|v| v + 1).step_by(2).map(|v| v * v) {
            out[8] += v;
        }
        for (a, b) in x.iter().zip(y).rev() {
            out[9] = out[9] * 3 + *a - *b;
        }
        for (i, v) in x.iter().take(usize::MAX).skip(1).enumerate().skip(1) {
            out[10] = out[10] * 3 + *v - i as i32;
        }
        out[11] = (x.iter().len() + x.iter().skip(3).len() + x.iter().zip(y).len()) as i32;
        out[12] = x.iter().step_by(2).len() as i32;
        out[13] = x.iter().enumerate().map(|(i, v)| i as i32 * *v).rev().fold(1, |a, v| a * 3 - v);
    });
    Ok(())
}

fn filters(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in x.iter().filter(|v| **v % 2 == 0) {
            out[0] = out[0] * 3 + *v;
        }
        for (i, v) in x.iter().filter(|v| **v > 0).enumerate() {
            out[1] = out[1] * 3 + *v * i as i32;
        }
        for v in x.iter().take_while(|v| **v != 3) {
            out[2] = out[2] * 3 + *v;
        }
        for v in x.iter().skip_while(|v| **v < 2) {
            out[3] = out[3] * 3 + *v;
        }
        for v in x.iter().filter_map(|v| if *v > 1 { Some(*v - 1) } else { None }) {
            out[4] = out[4] * 3 + v;
        }
        for v in x.iter().filter(|v| **v != 0).take(2) {
            if *v == 1 {
                continue;
            }
            out[5] = out[5] * 3 + *v;
        }
        for v in x.iter().filter(|v| **v != 0).skip(1).step_by(2) {
            out[6] = out[6] * 3 + *v;
        }
        for (a, b) in x.iter().filter(|v| **v > -3).zip(y) {
            out[7] = out[7] * 3 + *a - *b;
        }
        for (a, b) in x.iter().zip(y.iter().filter(|v| **v > 0)) {
            out[8] = out[8] * 3 + *a - *b;
        }
        for v in x.iter().filter(|v| **v > 0).rev() {
            out[9] = out[9] * 3 + *v;
        }
        for v in (0..40).filter(|v| v % 7 == 3).map(|v| v * 2).rev() {
            out[10] = out[10] * 3 + v;
        }
        let mut seen = 0;
        out[11] = x.iter().inspect(|v| seen += **v).filter(|v| **v > 0).count() as i32;
        out[12] = seen;
        for (i, v) in x.iter().enumerate().filter(|(i, v)| *i as i32 > **v) {
            out[13] += *v * i as i32;
        }
    });
    Ok(())
}

fn folds(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.iter().sum();
        out[1] = x.iter().copied().sum::<i32>();
        out[2] = y.iter().product::<i32>();
        out[3] = x.iter().fold(7, |a, v| a * 3 + v);
        out[4] = x.iter().copied().reduce(|a, b| a * 2 - b).unwrap_or(40);
        out[5] = x.iter().copied().max().unwrap_or(41);
        out[6] = x.iter().copied().min().unwrap_or(42);
        out[7] = x.iter().copied().last().unwrap_or(43);
        out[8] = x.iter().copied().max_by_key(|v| v % 4).unwrap_or(44);
        out[9] = x.iter().copied().min_by_key(|v| v % 4).unwrap_or(45);
        out[10] = x.iter().zip(y).map(|(a, b)| a * b).sum();
        out[11] = x.iter().copied().fold(i32::MIN, i32::max);
        out[12] = x.iter().copied().map(i32::abs).map(twice).sum();
        let mut last = 0;
        x.iter().for_each(|v| last = *v);
        out[13] = last;
        out[14] = (1..=10).product::<i32>();
        out[15] = (0..x.len()).map(|i| x[i] * i as i32).sum();
        let scale = 3;
        let scaled = x.iter().map(move |v| v * scale);
        out[16] = scaled.sum();
        out[17] = [2, 3, 4].iter().rev().fold(0, |a, v| a * 10 + v);
    });
    Ok(())
}

#[device]
fn twice(v: i32) -> i32 {
    2 * v
}

#[kernel]
fn sums(x: &[f32], out: &mut [f32]) {
    if global_idx_x() == 0 {
        out[0] = x.iter().sum();
        out[1] = x.iter().rev().sum();
        out[2] = x[..0].iter().sum();
        out[3] = x[..0].iter().product();
        out[4] = x.iter().copied().product::<f32>();
        out[5] = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        out[6] = x.iter().map(|v| v.abs().sqrt()).sum::<f32>();
        out[7] = x.iter().zip(x.iter().skip(1)).map(|(a, b)| (b - a) * 0.5).sum();
        out[8] = x.windows(3).map(|w| w[0] * w[1] * w[2]).sum();
    }
}

fn floats(on: &Engine) -> Check {
    let x: Vec<f32> = (0..50).map(|i| 1.1 + (i as f32 * 1.7 - 40.0) / 37.0).collect();
    let mut out = vec![0.0; 9];
    launch!(on, sums(read x, write out), LaunchConfig::grid(1))?;
    let want = [
        x.iter().sum(),
        x.iter().rev().sum(),
        -0.0,
        1.0,
        x.iter().copied().product::<f32>(),
        x.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        x.iter().map(|v| v.abs().sqrt()).sum::<f32>(),
        x.iter().zip(x.iter().skip(1)).map(|(a, b)| (b - a) * 0.5).sum(),
        x.windows(3).map(|w| w[0] * w[1] * w[2]).sum(),
    ];
    same("out", &out, &want)
}

fn found(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.iter().any(|v| *v == 3) as i32;
        out[1] = x.iter().all(|v| *v < 6) as i32;
        out[2] = x.iter().position(|v| *v > 2).map_or(60, |i| i as i32);
        out[3] = x.iter().copied().find(|v| v % 3 == 2).unwrap_or(61);
        out[4] = x.iter().find_map(|v| if *v > 3 { Some(v * 5) } else { None }).unwrap_or(62);
        out[5] = x.iter().filter(|v| y.contains(v)).count() as i32;
        out[6] = x.iter().zip(y).position(|(a, b)| a == b).is_some() as i32;
        out[7] = (2..30).any(|n| n * n == 49) as i32;
        out[8] = x.iter().rev().position(|v| *v == 0).map_or(63, |i| i as i32);
        out[9] = (0..5).all(|i| x.get(i).is_some()) as i32;
    });
    Ok(())
}

/// The order and the number of calls of closures, also where items are omitted.
fn order(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut calls = 0;
        let seen = x.iter().map(|v| {
            calls = calls * 2 + v;
            *v
        });
        out[0] = seen.skip(2).step_by(2).fold(0, |a, v| a * 3 + v);
        out[1] = calls;
        let mut calls = 0;
        for (a, b) in x
            .iter()
            .map(|v| {
                calls += 1;
                *v
            })
            .zip(y.iter())
        {
            out[2] = out[2] * 3 + a - *b;
        }
        out[3] = calls;
        let mut calls = 0;
        for v in x
            .iter()
            .map(|v| {
                calls += 1;
                *v
            })
            .rev()
            .take(3)
        {
            out[4] = out[4] * 3 + v;
        }
        out[5] = calls;
        let mut calls = 0;
        out[6] = x
            .iter()
            .map(|v| {
                calls += 1;
                *v
            })
            .any(|v| v > 2) as i32;
        out[7] = calls;
        let mut calls = 0;
        for (a, b) in x.iter().zip(y.iter().map(|v| {
            calls += 1;
            *v
        })) {
            out[8] = out[8] * 3 + a - b;
        }
        out[9] = calls;
    });
    Ok(())
}

fn chained(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for (i, v) in x.iter().chain(y).enumerate() {
            out[i] = *v;
        }
        let mut weighted = 0;
        for (i, v) in y.iter().chain(x).rev().enumerate() {
            if *v == 7 {
                continue;
            }
            weighted += i as i32 * v;
        }
        out[0] += weighted;
        out[1] += (0..3).chain(10..13).map(|n| n * n).sum::<i32>();
        out[2] += x.iter().chain(y).chain(&[5, 9]).copied().max().unwrap_or(-1);
        out[3] += x.iter().chain(y).skip(2).step_by(3).sum::<i32>();
        out[4] += x.iter().map_while(|v| if *v < 6 { Some(v * 2) } else { None }).sum::<i32>();
        out[5] += x.iter().nth(1).copied().unwrap_or(77);
        out[6] += y.iter().next().map_or(78, |v| *v);
        out[7] += x.iter().rev().filter(|v| **v > 0).nth(1).copied().unwrap_or_default();
        let table = [3, 1, 2].map(|v| v * 10);
        let squares: [i32; 5] = std::array::from_fn(|i| (i * i) as i32);
        out[8] += table.iter().zip(&squares).map(|(a, b)| a * b).sum::<i32>();
        let pairs = squares.map(|v| (v, v as f32 * 0.5));
        out[9] += pairs.iter().map(|(a, b)| a + *b as i32).sum::<i32>();
    });
    Ok(())
}

fn one_after_another(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in x.iter().filter(|v| **v > 0).chain(y.iter().filter(|v| **v < 3)) {
            if *v == 5 {
                continue;
            }
            if *v == 9 {
                break;
            }
            out[0] = out[0] * 3 + *v;
        }
        for (i, v) in x.iter().filter(|v| **v > 0).chain(y).enumerate().skip(1).step_by(2) {
            out[1] = out[1] * 3 + *v * i as i32;
        }
        for v in x.iter().filter(|v| **v > 0).chain(y.iter().filter(|v| **v < 5)).rev().skip(1) {
            out[2] += *v;
        }
        out[3] = x
            .iter()
            .chain(y.iter().filter(|v| **v % 2 == 0))
            .take_while(|v| **v < 6)
            .map(|v| v * 2)
            .sum();
        out[4] =
            x.iter().skip_while(|v| **v < 0).chain(y.iter().skip_while(|v| **v < 0)).count() as i32;
        for v in x.iter().filter(|v| **v != 1).chain(y.iter().filter(|v| **v != 2)).rev() {
            out[5] = out[5] * 3 + *v;
        }
        out[6] =
            x.iter().filter(|v| **v > 2).chain(y).position(|v| *v == 3).map_or(-1, |i| i as i32);
        out[7] = x.iter().filter(|v| **v > 2).chain(y.iter()).max().copied().unwrap_or(-7);
    });
    Ok(())
}

fn flattened(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for v in (0..4).flat_map(|i| (0..i).map(move |j| i * 10 + j)) {
            if v == 21 {
                continue;
            }
            if v == 31 {
                break;
            }
            out[0] = out[0] * 3 + v;
        }
        for (i, v) in x.iter().flat_map(|v| [*v, *v + 1]).enumerate() {
            if i == 5 {
                break;
            }
            out[1] = out[1] * 3 + v * i as i32;
        }
        out[2] = x.chunks(3).flatten().zip(y).map(|(a, b)| a * b).sum();
        out[3] = x.iter().map(|v| v.checked_sub(i32::MIN + 4)).flatten().sum();
        out[4] = x.iter().flat_map(|a| y.iter().map(move |b| a * b)).take_while(|v| *v != 6).count()
            as i32;
        out[5] = x
            .iter()
            .flat_map(|a| y.iter().filter(move |b| *b > a))
            .skip(2)
            .step_by(2)
            .fold(1, |a, v| a * 3 - v);
        out[6] = [[1, 2], [3, 4]].into_iter().flatten().sum();
        out[7] = [[1, 2], [3, 4]].iter().flatten().skip(1).sum();
        for part in out[8..12].chunks_mut(2).flatten() {
            *part += 3;
        }
        out[13] = [Some(1), None, Some(4)].into_iter().flatten().sum();
        out[16] = x
            .iter()
            .flat_map(|a| (0..3).map(move |k| a + k))
            .filter(|v| v % 2 == 0)
            .chain(y.iter().copied())
            .count() as i32;
        'o: for (a, b) in x.iter().flat_map(|v| [*v, 7]).zip(y) {
            for k in 0..3 {
                if a + k == *b {
                    continue 'o;
                }
                if a + k == 9 {
                    break 'o;
                }
                out[17] = out[17] * 3 + a + k;
            }
        }
    });
    Ok(())
}

fn scanned(on: &Engine) -> Check {
    like_rust!(on, |x, _y, out| {
        out[14] = x
            .iter()
            .scan(1, |state, v| {
                *state = *state * 3 + *v;
                if *state > 500 { None } else { Some(*state) }
            })
            .fold(0, |a, b| a * 5 + b);
        out[15] = x
            .iter()
            .scan((0, 1), |s, v| {
                s.0 += *v;
                s.1 *= 2;
                Some(s.0 * s.1)
            })
            .enumerate()
            .map(|(i, v)| i as i32 * v)
            .sum();
    });
    Ok(())
}

fn cycled(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for (o, (i, v)) in out.iter_mut().zip(x.iter().cycle().enumerate()) {
            *o = *v * i as i32;
        }
        for (a, b) in x.iter().zip([1, 2, 5].into_iter().cycle()) {
            out[1] += a * b;
        }
        // Closures start with their original captures each time.
        let mut count = 0;
        let counted = (0..3).map(move |v| {
            count += 1;
            v * 10 + count
        });
        for v in counted.cycle().skip(1).step_by(2).take(5) {
            out[2] = out[2].wrapping_mul(3) + v;
        }
        let mut rest = y.iter().cycle();
        for _ in 0..7 {
            out[3] = out[3].wrapping_mul(5) + rest.next().copied().unwrap_or(9);
        }
        out[4] = rest.take(4).fold(0, |sum, v| sum * 7 + v);
        let mut begun = [7, 8, 9].into_iter();
        begun.next();
        out[5] = begun.cycle().take(5).fold(0, |sum, v| sum * 11 + v);
        out[6] = std::iter::once(4).chain(5..7).cycle().take(8).fold(0, |sum, v| sum * 3 + v);
        out[7] = y.iter().filter(|v| **v > 0).cycle().take(4).sum();
        // An endless iterator after one that ends.
        let padded = x.iter().copied().chain(std::iter::repeat(9)).take(5);
        out[8] = padded.fold(0, |sum, v| sum * 7 + v);
        out[9] = x.iter().chain(y.iter().cycle()).take(6).fold(0, |sum, v| sum * 7 + v);
    });
    Ok(())
}
