//! Launch requirements: they remove checks, and launches that violate one are refused.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::{Error, LaunchMistake, prelude::*};

cases![
    other_length, picture, square: THREADS_MEET, chunked, strided, whole_grid, generic, parts,
    refused, undefined, conditions,
];

#[kernel(requires(x.len() >= y.len()), deny_checks)]
fn scaled(a: i32, x: &[i32], y: &mut [i32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

fn other_length(on: &Engine) -> Check {
    for (from, to) in [(1000, 1000), (300, 299), (5, 0)] {
        let a = 3;
        let x: Vec<i32> = (0..from).collect();
        let mut y = vec![1; to];
        launch!(on, scaled(value a, read x, write y), LaunchConfig::cover(1000))?;
        same("y", &y, &(0..to as i32).map(|i| 1 + 3 * i).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[kernel(requires(width as usize * height as usize <= image.len()), deny_checks)]
fn inverted(width: u32, height: u32, image: &mut [u8]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x < width as usize && y < height as usize {
        let at = y * width as usize + x;
        image[at] = 255 - image[at];
    }
}

fn picture(on: &Engine) -> Check {
    let (width, height) = (37u32, 23u32);
    let before: Vec<u8> = (0..width * height + 5).map(|i| i as u8).collect();
    let mut image = before.clone();
    let config = LaunchConfig::cover((64, 32));
    launch!(on, inverted(value width, value height, write image), config)?;
    let inside = (width * height) as usize;
    let of = |(i, pixel): (usize, &u8)| if i < inside { 255 - pixel } else { *pixel };
    same("image", &image, &before.iter().enumerate().map(of).collect::<Vec<_>>())
}

#[kernel(
    block = (8, 8),
    requires(n * n <= a.len(), n * n <= b.len(), n * n <= c.len()),
    deny_checks,
)]
fn product(n: usize, a: &[i32], b: &[i32], c: &mut [i32]) {
    let (left, right) = (shared!([[i32; 8]; 8]), shared!([[i32; 8]; 8]));
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let (col, row) = (global_idx_x(), global_idx_y());
    let mut sum = 0;
    for tile in 0..n.div_ceil(8) {
        let (x, y) = (tile * 8 + tx, tile * 8 + ty);
        left[ty][tx] = if row < n && x < n { a[row * n + x] } else { 0 };
        right[ty][tx] = if y < n && col < n { b[y * n + col] } else { 0 };
        sync_threads();
        for k in 0..8 {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    if row < n && col < n {
        c[row * n + col] = sum;
    }
}

fn square(on: &Engine) -> Check {
    let n = 21usize;
    let a: Vec<i32> = (0..441).map(|i| i % 13 - 6).collect();
    let b: Vec<i32> = (0..450).map(|i| i % 7).collect();
    let mut c = vec![0; 441];
    launch!(on, product(value n, read a, read b, write c), LaunchConfig::cover((24, 24)))?;
    let of = |i: usize| (0..n).map(|k| a[i / n * n + k] * b[k * n + i % n]).sum::<i32>();
    same("c", &c, &(0..n * n).map(of).collect::<Vec<_>>())
}

#[kernel(requires(n > 0, sums.len() == x.len() / n), deny_checks)]
fn sums_of(n: usize, x: &[i32], sums: &mut [i32]) {
    let i = global_idx_x();
    if i < sums.len() {
        let mut sum = 0;
        for k in 0..n {
            sum += x[i * n + k];
        }
        sums[i] = sum;
    }
}

fn chunked(on: &Engine) -> Check {
    for n in [1usize, 4, 7] {
        let x: Vec<i32> = (0..100).collect();
        let mut sums = vec![0; 100 / n];
        launch!(on, sums_of(value n, read x, write sums), LaunchConfig::cover(128))?;
        same("sums", &sums, &x.chunks_exact(n).map(|c| c.iter().sum()).collect::<Vec<i32>>())?;
    }
    Ok(())
}

#[kernel(requires(n % 4 == 0 && n <= x.len(), out.len() >= 1), deny_checks)]
fn by_four(n: usize, x: &[i32], out: &mut [i32]) {
    if global_idx_x() == 0 {
        for i in (0..n).step_by(4) {
            out[0] += x[i] * x[i + 1] - x[i + 2] * x[i + 3];
        }
    }
}

fn strided(on: &Engine) -> Check {
    let (n, x) = (16usize, (0..19).collect::<Vec<i32>>());
    let mut out = vec![0];
    launch!(on, by_four(value n, read x, write out), LaunchConfig::cover(1))?;
    let of = |c: &[i32]| c[0] * c[1] - c[2] * c[3];
    same("out", &out, &[x[..16].chunks(4).map(of).sum()])
}

#[kernel(requires(grid_dim_x() * block_dim_x() <= out.len()), deny_checks)]
fn numbered(out: &mut [usize]) {
    out[global_idx_x()] = 1;
    out[block_idx_x() * block_dim_x() + thread_idx_x()] += thread_idx_x();
}

fn whole_grid(on: &Engine) -> Check {
    let mut out = vec![0; 200];
    launch!(on, numbered(write out), LaunchConfig::grid(3).block(64))?;
    let of = |i: usize| if i < 192 { 1 + i % 64 } else { 0 };
    same("out", &out, &(0..200).map(of).collect::<Vec<_>>())
}

#[device]
const LANES: usize = 3;

#[kernel(requires(x.len() == N * LANES, N >= 1), deny_checks)]
fn rotated<T: Num, const N: usize>(x: &[T], out: &mut [T]) {
    let i = global_idx_x();
    if i < N && i < out.len() {
        out[i] = x[i * LANES] + x[i * LANES + (LANES - 1)];
    }
}

fn generic(on: &Engine) -> Check {
    let x: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let mut out = vec![0.0f32; 4];
    launch!(on, rotated::<f32, 4>(read x, write out), LaunchConfig::cover(32))?;
    same("out", &out, &[2.0, 8.0, 14.0, 20.0])
}

#[kernel(requires(4 * grid_dim_x() * block_dim_x() <= x.len()), deny_checks)]
fn four_each(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = x[4 * i..4 * i + 4].iter().sum();
    }
}

fn parts(on: &Engine) -> Check {
    let x: Vec<i32> = (0..256).collect();
    let mut out = vec![0; 64];
    launch!(on, four_each(read x, write out), LaunchConfig::grid(2).block(32))?;
    same("out", &out, &x.chunks(4).map(|c| c.iter().sum()).collect::<Vec<i32>>())
}

/// Returns the reason for refusing a launch. On the host, where a kernel is a function, a refusal
/// is a panic.
fn refusal(result: warpwise::Result<()>) -> Result<(String, String), Box<dyn std::error::Error>> {
    match result {
        Err(Error::Launch {
            mistake: LaunchMistake::Requirement { condition, problem, place },
            ..
        }) if place.contains("launch_requirements.rs") => Ok((condition, problem)),
        other => Err(format!("expected a requirement that is not fulfilled: {other:?}").into()),
    }
}

fn refused(on: &Engine) -> Check {
    let Engine::Device { .. } = on else { return Ok(()) };
    let (a, x, mut y) = (3, vec![0; 10], vec![1; 12]);
    let launched = launch!(on, scaled(value a, read x, write y), LaunchConfig::cover(12));
    let text = launched.as_ref().map_err(ToString::to_string).unwrap_err().clone();
    if !text.starts_with("cannot launch `scaled`: `x.len() >= y.len()` is required (at ") {
        return Err(text.into());
    }
    let expected = ("x.len() >= y.len()", "x.len() is 10, y.len() is 12");
    let (condition, problem) = refusal(launched)?;
    if (condition.as_str(), problem.as_str()) != expected {
        return Err(format!("{condition}: {problem}").into());
    }
    // The kernel has not run.
    same("y", &y, &[1; 12])?;
    let (width, height, mut image) = (5, 4, vec![0u8; 19]);
    let config = LaunchConfig::cover((5, 4));
    let launched = launch!(on, inverted(value width, value height, write image), config);
    let problem = refusal(launched)?.1;
    let expected =
        "width as usize * height as usize is 20, image.len() is 19, width is 5, height is 4";
    if problem != expected {
        return Err(problem.into());
    }
    Ok(())
}

#[kernel(requires(x.len() - 1 >= n, 100 / n > 1))]
fn last(n: usize, x: &mut [i32]) {
    x[n] = 1;
}

fn undefined(on: &Engine) -> Check {
    let Engine::Device { .. } = on else { return Ok(()) };
    for (len, n, expected) in [
        (0, 0usize, "it overflows"),
        (3, 0, "it divides by zero"),
        (3, 99, "x.len() - 1 is 2, n is 99, x.len() is 3"),
    ] {
        let mut x = vec![0; len];
        let problem =
            refusal(launch!(on, last(value n, write x), LaunchConfig::grid(1).block(1)))?.1;
        if problem != expected {
            return Err(format!("expected `{expected}`: {problem}").into());
        }
    }
    Ok(())
}

/// A condition that may overflow is not evaluated where it is irrelevant.
#[kernel(requires(n == 0 || x.len() / n >= 2, !(flip && n == 1), (k as i64) < 0 || k % 2 == 0))]
fn chosen(n: usize, k: i32, flip: bool, x: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = if flip { 1 } else { n as i32 + k };
    }
}

fn conditions(on: &Engine) -> Check {
    for (n, k, flip, good) in [
        (0usize, -3i32, true, true),
        (2, 4, false, true),
        (3, 4, false, false),
        (1, 0, true, false),
    ] {
        let mut x = vec![0; 4];
        if good {
            launch!(on, chosen(value n, value k, value flip, write x), LaunchConfig::cover(4))?;
            same("x", &x, &[if flip { 1 } else { n as i32 + k }; 4])?;
        } else if let Engine::Device { .. } = on {
            let config = LaunchConfig::cover(4);
            refusal(launch!(on, chosen(value n, value k, value flip, write x), config))?;
        }
    }
    Ok(())
}
