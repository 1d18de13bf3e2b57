//! Iterators: sources, loops over them, and places to keep them.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![
    loops,
    mutable,
    ranges,
    chunks,
    nested,
    in_variables,
    left_to_be_used,
    last_at_once,
    last_items,
    nth_items,
    passed,
    grid_stride,
    shared_memory: THREADS_MEET,
    structs,
];

fn loops(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut n = 0;
        for v in x {
            out[n] = *v;
            n += 1;
        }
        for &v in y.iter() {
            if v < 0 {
                continue;
            }
            if v > 7 {
                break;
            }
            out[12] += v;
        }
        let own = [3, 5, 8];
        for v in own {
            out[13] += v;
        }
        for v in &own {
            out[14] -= *v;
        }
        for (i, v) in own.iter().enumerate() {
            out[15] += *v << i;
        }
        for _ in x.iter() {
            out[16] += 1;
        }
        'all: for a in x {
            for b in y {
                if a == b {
                    out[17] = *a;
                    break 'all;
                }
            }
        }
    });
    Ok(())
}

fn mutable(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for (o, v) in out.iter_mut().zip(x) {
            *o = v * 2;
        }
        for o in out[3..6].iter_mut() {
            *o += 1;
        }
        for o in &mut out[12..] {
            *o = 4;
        }
        let mut own = [1, 2, 3, 4];
        for v in own.iter_mut().rev().take(2) {
            *v *= 10;
        }
        for v in &mut own {
            *v += 1;
        }
        for (o, v) in out.iter_mut().skip(12).zip(own) {
            *o = v;
        }
        for (i, part) in out[16..].chunks_mut(3).enumerate() {
            part.fill(i as i32);
            part[0] = y.len() as i32;
        }
    });
    Ok(())
}

fn ranges(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let all = 0..x.len();
        out[0] = all.contains(&3) as i32;
        out[1] = all.is_empty() as i32;
        out[2] = all.len() as i32;
        for i in all {
            out[3] += x[i];
        }
        let some = 2..=y.len();
        out[4] = some.contains(&2) as i32;
        out[5] = some.is_empty() as i32;
        for i in some.rev() {
            out[6] = out[6] * 3 + i as i32;
        }
        out[7] = (0.5..1.5).contains(&0.5) as i32 + (0.5..1.5).contains(&1.5) as i32;
        out[8] = (-4..3).len() as i32;
        for v in (-4..3).step_by(2) {
            out[9] = out[9] * 3 + v;
        }
        for v in (-4i8..=3).rev().step_by(3) {
            out[10] = out[10] * 3 + v as i32;
        }
        let steps = (1..20).step_by(y.len() + 1);
        for v in steps {
            out[11] = out[11] * 3 + v;
        }
        for (i, v) in (10..x.len() as i32 + 4).enumerate() {
            out[12] += i as i32 * v;
        }
        for (i, v) in (250u8..=255).enumerate().skip(2) {
            out[13] += i as i32 * v as i32;
        }
        for v in (5..2).map(|v| v + y.len() as i32) {
            out[14] += v;
        }
        for v in 3.. {
            if v * v > 50 {
                out[15] = v;
                break;
            }
        }
        out[16] = (3..).take(4).map(|v| v * v).sum::<i32>();
        out[17] = (3..).filter(|v| v % 5 == 0).take(2).sum::<i32>();
        out[18] = (i64::MIN..i64::MAX).skip(5).take(2).map(|v| (v - i64::MIN) as i32).sum::<i32>();
    });
    Ok(())
}

fn chunks(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for (i, part) in x.chunks(5).enumerate() {
            out[i] = part.iter().sum::<i32>() + part.len() as i32;
        }
        for part in x.chunks_exact(3) {
            out[3] = out[3] * 3 + part[0] - part[2];
        }
        for pair in x.windows(2) {
            out[4] += (pair[0] - pair[1]).abs();
        }
        for part in x.chunks(4).rev().skip(1) {
            out[5] = out[5] * 3 + part[part.len() - 1];
        }
        for (a, b) in x.chunks(3).zip(y.chunks_exact(2)) {
            out[6] = out[6] * 3 + a[0] - b[1];
        }
        out[7] = x.windows(20).count() as i32;
        out[8] = (x.chunks(5).len() + x.chunks_exact(5).len() + x.windows(5).len()) as i32;
        for part in out[9..].chunks_mut(4) {
            let len = part.len() as i32;
            for (i, v) in part.iter_mut().enumerate() {
                *v = len * i as i32;
            }
        }
        for part in out[9..].chunks_exact_mut(6) {
            part.reverse();
        }
    });
    Ok(())
}

fn in_variables(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut it = x.iter();
        while let Some(v) = it.next() {
            if *v == 3 {
                it.next();
            }
            out[0] = out[0] * 3 + *v;
        }
        let mut it = x.iter().copied().enumerate();
        if let Some((i, v)) = it.next() {
            out[1] = i as i32 + v;
        }
        for (i, v) in it {
            out[2] = out[2] * 3 + v * i as i32;
        }
        let mut it = 0..x.len();
        while let Some(i) = it.next() {
            if let Some(j) = it.next_back() {
                out[3] = out[3] * 5 + x[i] - x[j];
            }
        }
        let mut it = x.iter().map(|v| v * 2).zip(y.iter().filter(|v| **v > 0));
        while let Some((a, b)) = it.next() {
            out[4] = out[4] * 3 + a - b;
        }
        let mut it = x.chunks(3);
        let first = it.next().map_or(-5, |c| c.iter().sum());
        out[5] = first;
        out[6] = it.map(|c| c.len() as i32).sum();
        let mut it = x.iter().rev();
        out[7] = it.position(|v| *v > 2).map_or(-3, |p| p as i32);
        out[8] = it.next().copied().unwrap_or(-9);
        out[9] = it.len() as i32;
    });
    Ok(())
}

fn nth_items(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let far = x.len() + 3;
        out[0] = x.iter().nth(2).map_or(7, |v| *v) + x.iter().nth(far).map_or(70, |v| *v);
        out[1] = y.chunks(2).nth(1).map_or(7, |part| part.len() as i32);
        let mut it = x.iter();
        out[2] = it.nth(1).map_or(7, |v| *v) + it.nth(0).map_or(7, |v| *v);
        out[3] = it.len() as i32 + it.nth(far).map_or(70, |v| *v);
        out[4] = it.next().map_or(9, |v| *v) + it.len() as i32;
        let mut it = x.iter().copied().enumerate();
        out[5] = it.nth(2).map_or(7, |(i, v)| i as i32 * 100 + v);
        out[6] = it.next().map_or(7, |(i, v)| i as i32 * 100 + v);
        let mut it = 3u8..250;
        out[7] = it.nth(200).map_or(7, i32::from) + it.nth(1000).map_or(70, i32::from);
        out[8] = it.next().map_or(7, i32::from);
        let mut it = x.chunks_exact(2);
        out[9] =
            it.nth(1).map_or(7, |part| part[0]) + it.nth(usize::MAX).map_or(70, |part| part[0]);
        out[10] = it.next().map_or(7, |part| part[1]) + it.remainder().len() as i32;
        let mut it = y.chunks(3);
        out[11] = it.nth(1).map_or(7, |part| part.iter().sum()) + it.len() as i32;
        out[12] = (-5i32..5).nth(7).map_or(7, |v| v) + (0..=4).nth(4).map_or(7, |v| v);
        out[13] = (0..10u32).filter(|v| v % 3 == 1).nth(2).map_or(7, |v| v as i32);
        let mut calls = 0;
        out[14] = x
            .iter()
            .map(|v| {
                calls += 1;
                *v
            })
            .nth(2)
            .map_or(7, |v| v)
            + 100 * calls;
        if let Some(part) = out[16..].chunks_mut(2).nth(1) {
            part[0] = 5;
        }
        let mut parts = out[16..].iter_mut();
        if let Some(v) = parts.nth(1) {
            *v = 8;
        }
    });
    Ok(())
}

fn last_items(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.iter().last().map_or(7, |v| *v) + x[..0].iter().last().map_or(70, |v| *v);
        out[1] = y.chunks(3).last().map_or(7, |part| part.len() as i32 * 100 + part[0]);
        out[2] = x.chunks_exact(2).last().map_or(7, |part| part[1]);
        out[3] = x.windows(2).last().map_or(7, |part| part[0] - part[1]);
        out[4] = (3u8..9).last().map_or(7, i32::from) + (4i32..4).last().unwrap_or(70);
        out[5] = (0..=255u8).last().map_or(7, i32::from);
        out[6] = (x.iter().count() + y.chunks(3).count()) as i32;
        out[7] = (x.chunks_exact(2).count() + x.windows(2).count()) as i32;
        let mut it = x.iter();
        out[8] = it.next().map_or(7, |v| *v);
        out[9] = it.clone().last().map_or(7, |v| *v) * 100 + it.count() as i32;
        out[10] = x.iter().map(|v| v + 1).last().unwrap_or(7);
        out[11] = x.iter().filter(|v| **v > 1).count() as i32;
    });
    Ok(())
}

/// `last` returns at once, as in std: a launch of 2^40 steps would not end.
fn last_at_once(on: &Engine) -> Check {
    let mut y = vec![0; 2];
    launch!(on, far_last(write y), LaunchConfig::grid(1).block(1))?;
    same("y", &y, &[(1 << 40) - 1, 1 << 40])
}

#[kernel]
fn far_last(y: &mut [u64]) {
    y[0] = (0..1 << 40u64).last().unwrap_or(0);
    y[1] = (1..=1 << 40u64).last().unwrap_or(0);
}

fn left_to_be_used(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut it = x.iter();
        out[0] = it.any(|v| *v > 0) as i32;
        out[1] = it.all(|v| *v < 5) as i32;
        out[2] = it.find(|v| **v != 1).copied().unwrap_or(77);
        out[3] = it.nth(1).copied().unwrap_or(78);
        out[4] = it.find_map(|v| v.checked_rem(*v - 2)).unwrap_or(79);
        out[5] = it.sum();
        let mut it = 250u8..=255;
        while let Some(v) = it.next() {
            out[6] = out[6] * 3 + v as i32;
            if v % 2 == 0 {
                it.next_back();
            }
        }
        let mut outs = out[8..12].iter_mut();
        let mut ys = y.iter().skip(1).take(3);
        while let (Some(o), Some(v)) = (outs.next(), ys.next()) {
            *o = *v;
        }
        let mut w = x.windows(2);
        while let Some(&[a, b]) = w.next() {
            out[12] = out[12] * 3 + a - b;
        }
        let mut e = x.chunks_exact(2);
        while let Some(p) = e.next() {
            out[13] = out[13] * 3 + p[0] - p[1];
        }
        let mut n = 3..;
        while let Some(k) = n.next() {
            if k * k > 50 {
                break;
            }
            out[14] += k;
        }
        out[15] = x.iter().next_back().copied().unwrap_or(4);
        let mut seen = 0;
        let mut m = x.iter().filter_map(|v| {
            seen += 1;
            (*v > 0).then_some(*v + seen)
        });
        out[16] = m.next().unwrap_or(1);
        out[17] = m.next().unwrap_or(1);
    });
    Ok(())
}

fn nested(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for (i, a) in x.iter().enumerate() {
            for (j, b) in y.iter().enumerate().filter(|(j, _)| *j <= i) {
                out[(i + j) % 24] += a * b;
            }
        }
        let table = [[1, 2, 3], [4, 5, 6]];
        for (row, o) in table.iter().zip(out.iter_mut()) {
            *o += row.iter().sum::<i32>();
        }
        for row in table {
            for v in row {
                out[23] = out[23] * 3 + v;
            }
        }
        out[22] = table.iter().map(|row| row.iter().map(|v| v * v).sum::<i32>()).sum();
    });
    Ok(())
}

#[device]
fn added(values: impl Iterator<Item = i32>) -> i32 {
    let mut sum = 0;
    for v in values {
        sum += v;
    }
    sum
}

#[device]
fn most<I: Iterator<Item = i32>>(values: I, least: i32) -> i32 {
    values.fold(least, |a, b| a.max(b))
}

fn passed(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = added(x.iter().copied().filter(|v| *v > 0));
        out[1] = added(0..5);
        out[2] = most(x.iter().map(|v| v * 2), -100);
        let evens = y.iter().copied().filter(|v| v % 2 == 0);
        out[3] = most(evens, -7);
    });
    Ok(())
}

#[kernel]
fn strided(x: &[f32], n: usize, out: &mut [f32]) {
    let mut sum = 0.0;
    for i in (thread_idx_x()..n).step_by(block_dim_x()) {
        sum += x[i];
    }
    for v in x.iter().skip(thread_idx_x()).step_by(block_dim_x()) {
        sum += v;
    }
    out[thread_idx_x()] = sum;
}

fn grid_stride(on: &Engine) -> Check {
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let mut out = vec![0.0; 64];
    let n = x.len();
    launch!(on, strided(read x, value n, write out), LaunchConfig::grid(1).block(64))?;
    let want: Vec<f32> = (0..64).map(|t| 2.0 * x.iter().skip(t).step_by(64).sum::<f32>()).collect();
    same("out", &out, &want)
}

#[kernel(block = 32)]
fn tiles(x: &[u32], out: &mut [u32]) {
    let tile = shared!([u32; 32]);
    let rows = shared!([[u32; 8]; 4]);
    let t = thread_idx_x();
    tile[t] = x[t];
    rows[t / 8][t % 8] = x[t] + 1;
    sync_threads();
    out[t] = tile.iter().skip(t).step_by(4).sum();
    out[32 + t] = rows.iter().map(|row| row[t % 8]).sum();
    out[64 + t] = rows[t / 8].iter().zip(tile.chunks(8)).map(|(a, b)| a * b[0]).sum();
}

fn shared_memory(on: &Engine) -> Check {
    let x: Vec<u32> = (0..32).map(|i| i * i % 17).collect();
    let mut out = vec![0; 96];
    launch!(on, tiles(read x, write out), LaunchConfig::grid(1))?;
    let first = (0..32).map(|t| x.iter().skip(t).step_by(4).sum());
    let second = (0..32).map(|t| (0..4).map(|row| x[row * 8 + t % 8] + 1).sum());
    let third = (0..32).map(|t| (0..4).map(|i| (x[t / 8 * 8 + i] + 1) * x[i * 8]).sum());
    let want: Vec<u32> = first.chain(second).chain(third).collect();
    same("out", &out, &want)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f32,
    y: f32,
}

#[kernel]
fn moved(x: &[f32], out: &mut [f32]) {
    if global_idx_x() == 0 {
        let mut points = [Point { x: 1.0, y: 2.0 }; 5];
        for (p, v) in points.iter_mut().zip(x) {
            p.x += *v;
            p.y -= *v;
        }
        out[0] = points.iter().map(|p| p.x).sum();
        for Point { x, y } in points.iter().copied().skip(1) {
            out[1] += x - y;
        }
        for Point { x, .. } in points[2..].iter() {
            out[2] += *x;
        }
        let first = points.iter().copied().find(|p| p.x > 2.0);
        if let Some(Point { x, y }) = first {
            out[3] = x / y;
        }
        for (o, p) in out[4..].iter_mut().zip(points) {
            *o = p.y;
        }
    }
}

fn structs(on: &Engine) -> Check {
    let x = vec![0.5, 1.5, 2.5];
    let mut out = vec![0.0; 9];
    launch!(on, moved(read x, write out), LaunchConfig::grid(1))?;
    let first = 1.5 + 2.5 + 3.5 + 2.0;
    let second = (2.5 - 0.5) + (3.5 + 0.5) - 2.0;
    same("out", &out, &[first, second, 5.5, 5.0, 1.5, 0.5, -0.5, 2.0, 2.0])
}
