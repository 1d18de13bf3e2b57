//! Slices: subslices, their methods, and faults of subslices out of range.
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use warpwise::prelude::*;

cases![
    parts, ends, getting, changing, splitting, searching, arrays, shared_parts: THREADS_MEET,
    structs, exchanging, missing_elements, ranges_as_values, ranges_of_calls,
    moving, moved_within, sorting, getting_parts, part_faults: FAULTS, method_faults: FAULTS,
];

/// Runs code as a kernel of one thread and as plain Rust, on slices of several lengths.
macro_rules! like_rust {
    ($on:ident, |$x:ident, $out:ident| $body:block) => {{
        #[kernel]
        fn code($x: &[i32], $out: &mut [i32]) {
            if global_idx_x() == 0 $body
        }
        fn plain($x: &[i32], $out: &mut [i32]) $body
        for len in [0, 1, 2, 3, 7, 12] {
            let x: Vec<i32> = (0..len).map(|i| i * 37 % 11 - 4).collect();
            let (mut out, mut want) = (vec![-1; 12], vec![-1; 12]);
            launch!($on, code(read x, write out), LaunchConfig::grid(1))?;
            plain(&x, &mut want);
            same(concat!("line ", line!()), &out, &want)?;
        }
    }};
}

fn parts(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let middle = x.len() / 2;
        let (low, high) = (&x[..middle], &x[middle..]);
        out[0] = low.len() as i32;
        out[1] = high.len() as i32;
        let inner = &high[..high.len() / 2];
        for i in 0..inner.len() {
            out[2 + i] = inner[i];
        }
        let all = &x[..];
        out[11] = all.len() as i32;
        if x.len() > 3 {
            out[8] = x[1..=2].len() as i32;
            out[9] = x[1..=2][1];
            out[10] = x[2..][1..][0];
        }
    });
    Ok(())
}

/// A pattern reads and copies an element only if it exists.
fn missing_elements(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        if let Some(&v) = x.get(1000) {
            out[0] = v;
        }
        if let (Some(&a), Some(b)) = (x.get(1), x.get(2000)) {
            out[1] = a + *b;
        }
        out[2] = if let Some(&v) = x.first()
            && v > -3
        {
            v
        } else {
            -7
        };
        out[3] = matches!(x.get(1), Some(&8)) as i32;
        out[4] = matches!(x.get(2), Some(&v) if v > 0) as i32;
        out[5] = match x.get(2) {
            Some(&-4) => 1,
            Some(&(0..=5)) => 2,
            Some(&v) if v < 0 => v,
            Some(_) => 4,
            None => 5,
        };
        out[6] = match (x.first(), x.get(3000)) {
            (Some(&a), Some(&b)) => a + b,
            (Some(&a), None) => a,
            _ => 8,
        };
        out[7] = match x {
            [] => 0,
            [first, .., -4] => *first,
            [.., last] => 2 * *last,
        };
        let mut i = 0;
        while let Some(&v) = x.get(i) {
            out[8] += v;
            i += 1;
        }
        while let (Some(&v), true) = (x.get(i / 2), i < 20) {
            out[9] += v;
            i += 3;
        }
        let Some(&last) = x.last() else { return };
        out[10] = last;
    });
    Ok(())
}

#[device]
fn within(x: &[i32], of: std::ops::RangeInclusive<usize>) -> i32 {
    let (first, last) = (*of.start() as i32, *of.end() as i32);
    x[of].iter().sum::<i32>() + first - last
}

/// Ranges are stored and passed, and then select parts of slices.
fn ranges_as_values(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let low: std::ops::Range<usize> = 0..x.len() / 2;
        let high = x.len() / 2..;
        out[0] = low.end as i32 + low.len() as i32;
        out[1] = high.start as i32;
        out[2] = x[low.clone()].iter().sum();
        out[3] = x[high].iter().sum();
        if x.len() > 3 {
            out[4] = within(x, 1..=3);
        }
        out[5] = low.contains(&2) as i32;
        for i in low {
            out[6] += x[i];
        }
    });
    Ok(())
}

#[device]
struct Rows {
    width: usize,
    last: std::ops::Range<usize>,
}

#[device]
impl Rows {
    fn row(&self, row: usize) -> std::ops::Range<usize> {
        row * self.width..(row + 1) * self.width
    }
}

/// Results of calls, fields and branches serve as ranges directly.
fn ranges_of_calls(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let rows = Rows { width: x.len() / 4, last: x.len() / 2..x.len() };
        out[0] = x[rows.row(2)].iter().sum();
        out[rows.row(1)].fill(7);
        out[10] = x[if x.len() > 4 { 1..3 } else { 0..0 }].len() as i32;
        let mut calls = 0;
        let mut from = |at| {
            calls += 1;
            at..=at + 3
        };
        out[from(6)].reverse();
        out[10] += 5 * x[rows.row(1).start..].len() as i32;
        out[10] += 100 * calls;
        out[11] = x[rows.last].iter().sum();
    });
    Ok(())
}

fn ends(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        out[0] = x[x.len()..].len() as i32;
        out[1] = x[..0].is_empty() as i32;
        out[2] = if let Some(v) = x.first() { *v } else { 50 };
        out[3] = match x.last() {
            Some(v) => *v,
            None => 51,
        };
        out[4] = x.is_empty() as i32;
    });
    Ok(())
}

#[device]
fn middle_of(x: &[i32], from: usize) -> &[i32] {
    &x[from..x.len() - from]
}

#[device]
fn total(x: &[i32]) -> i32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i];
    }
    sum
}

fn getting(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        for i in 0..5 {
            if let Some(v) = x.get(i * 2) {
                out[i] = *v;
            }
        }
        out[5] = x.get(3).map_or(70, |v| *v + 1);
        out[6] = x.get(usize::MAX).is_some() as i32;
        if x.len() >= 2 {
            let middle = middle_of(x, 1);
            out[7] = total(middle);
            out[8] = total(&middle[..0]);
        }
        if let Some(v) = out.get_mut(9) {
            *v += 5;
        }
        if let Some(v) = out.first_mut() {
            *v *= 2;
        }
        if let Some(v) = out.last_mut() {
            *v -= 1;
        }
    });
    Ok(())
}

fn changing(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        out.fill(9);
        out[2..5].fill(3);
        for i in 0..x.len() {
            out[i] += x[i];
        }
        out.swap(0, 11);
        out.swap(4, 4);
        out[1..8].reverse();
        let part = &mut out[8..];
        part[0] = 77;
        part.swap(0, 1);
        part[2..].reverse();
    });
    Ok(())
}

fn splitting(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let (low, high) = x.split_at(x.len() / 3);
        out[0] = total(low);
        out[1] = total(high);
        let (first, rest) = out.split_at_mut(4);
        first[2] = rest.len() as i32;
        rest[1] = first.len() as i32;
        first[3] = rest[0];
        let (_, tail) = rest.split_at_mut(3);
        tail[0] = 30;
    });
    Ok(())
}

fn searching(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        out[0] = x.contains(&3) as i32;
        out[1] = x.contains(&99) as i32;
        out[2] = x.starts_with(&[-4, 0]) as i32;
        out[3] = x.starts_with(&x[..x.len() / 2]) as i32;
        if let [first, .., last] = x {
            out[4] = *first - *last;
        }
    });
    Ok(())
}

fn arrays(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let mut own = [4, 3, 2, 1, 0];
        own[1..].reverse();
        own.swap(0, 1);
        for i in 0..x.len().min(5) {
            own[i] += x[i];
        }
        out[..5].fill(8);
        out[5] = total(&own);
        out[6] = total(&own[1..3]);
        out[7] = own.len() as i32;
        out[8] = own.contains(&2) as i32;
        out[9] = own.as_slice().len() as i32;
        out[10] = own.get(2).is_some() as i32;
        out[11] = (own == [0, 1, 2, 3, 4]) as i32;
    });
    Ok(())
}

#[kernel(block = 64)]
fn tiles(x: &[u32], out: &mut [u32]) {
    let tile = shared!([u32; 64]);
    let t = thread_idx_x();
    tile[t] = x[t];
    sync_threads();
    let (low, high) = tile.split_at(32);
    out[t] = if t < 32 { high[t] } else { low[t - 32] };
    let row = &tile[t / 8 * 8..][..8];
    out[64 + t] = row[0] + row[7] + row.len() as u32;
}

fn shared_parts(on: &Engine) -> Check {
    let x: Vec<u32> = (0..64).map(|i| i * i).collect();
    let mut out = vec![0; 128];
    launch!(on, tiles(read x, write out), LaunchConfig::grid(1))?;
    let swapped = (0..64).map(|t| x[(t + 32) % 64]);
    let want: Vec<u32> =
        swapped.chain((0..64).map(|t| x[t / 8 * 8] + x[t / 8 * 8 + 7] + 8)).collect();
    same("out", &out, &want)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    at: [f32; 2],
    mass: f32,
}

#[kernel]
fn bodies(x: &[f32], out: &mut [f32]) {
    if global_idx_x() == 0 {
        let mut bodies = [Body { at: [1.0, 2.0], mass: 0.5 }; 4];
        for i in 0..4 {
            bodies[i].mass += x[i];
        }
        let (low, high) = bodies.split_at_mut(2);
        low[0].mass += high[0].mass;
        high.swap(0, 1);
        if let Some(body) = low.get(1) {
            out[0] = body.at[1];
        }
        let part = &bodies[..3];
        for i in 0..part.len() {
            out[1 + i] = part[i].mass;
        }
    }
}

fn structs(on: &Engine) -> Check {
    let x = vec![0.0, 1.0, 2.0, 3.0];
    let mut out = vec![0.0; 4];
    launch!(on, bodies(read x, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[2.0, 3.0, 1.5, 3.5])
}

fn exchanging(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let (mut a, mut b) = (x.len() as i32, 5);
        std::mem::swap(&mut a, &mut b);
        out[0] = a - b;
        out[1] = std::mem::replace(&mut a, 9) * 100 + a;
        out[2] = std::mem::take(&mut b) * 100 + b;
        let (mut p, mut q) = ([1, 2, 3], [4, 5, 6]);
        std::mem::swap(&mut p, &mut q);
        out[3] = p[0] * 10 + q[2];
        out[4] = std::mem::take(&mut out[3]);
        let (low, high) = out.split_at_mut(5);
        std::mem::swap(&mut low[0], &mut high[1]);
    });
    Ok(())
}

/// Runs an expression on a slice of five elements and two numbers for which it faults.
macro_rules! faults {
    ($on:ident, |$x:ident, $a:ident, $b:ident| $of:expr, $from:expr, $to:expr, $message:expr) => {{
        #[kernel]
        fn code($x: &mut [i32], $a: usize, $b: usize, out: &mut [usize]) {
            if global_idx_x() == 0 {
                out[0] = 1;
                out[1] = $of;
            }
        }
        let mut x = vec![0; 5];
        let mut out = vec![0; 2];
        let (from, to): (usize, usize) = ($from, $to);
        let result = launch!(
            $on, code(write x, value from, value to, write out), LaunchConfig::grid(1)
        );
        let panic = fault(result)?;
        if panic.message != $message || panic.count != 1 {
            return Err(format!("expected {:?}, got {panic}", $message).into());
        }
        same("out", &out, &[1, 0])?;
    }};
}

fn moving(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        let mut own = [0; 6];
        let count = x.len().min(6);
        own[..count].copy_from_slice(&x[..count]);
        own.rotate_left(2);
        out[..6].copy_from_slice(&own);
        own[1..].rotate_right(1);
        let (low, high) = own.split_at_mut(3);
        low.swap_with_slice(high);
        out[6..].clone_from_slice(&own);
    });
    Ok(())
}

fn moved_within(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        for (i, v) in x.iter().enumerate() {
            out[i] = *v;
        }
        out.copy_within(2..9, 3);
        out.copy_within(6..=9, 0);
        out.copy_within(10.., 3);
        out.copy_within(..3, 8);
        out.copy_within(4..4, 12);
        let mut own = [1, 2, 3, 4, 5];
        own.copy_within(1..4, 0);
        out[11] = own[0] + 10 * own[2] + 100 * own[3];
    });
    Ok(())
}

fn sorting(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        out[..x.len()].copy_from_slice(x);
        out[..x.len()].sort();
        let mut own = [3, -1, 4, -1, 5, -9, 2, 6];
        own.sort_by_key(|v| (v % 3, 0));
        for (i, v) in own.iter().enumerate() {
            out[11 - i] = out[11 - i] * 31 + *v;
        }
        own.sort_unstable_by(|a, b| b.cmp(a));
        out[1] += own[0] * 100 + own[7];
        let mut halves = own.map(|v| v as f32 * 0.5);
        halves.sort_by(f32::total_cmp);
        out[2] += (halves[0] * 8.0) as i32;
        own[2..6].sort_unstable();
        own.sort_unstable_by_key(|v| v % 10 * 100 + v / 10);
        out[3] += own[3];
    });
    Ok(())
}

fn getting_parts(on: &Engine) -> Check {
    like_rust!(on, |x, out| {
        out[0] = x.get(2..5).map_or(-5, |part| part.iter().sum());
        out[1] = x.get(1..=2).map_or(-5, |part| part[1]);
        out[2] = x.get(3..).map_or(-5, |part| part.len() as i32);
        out[3] = x.get(..2).map_or(-5, |part| part[0]);
        out[4] = x.get(..=0).map_or(-5, |part| part[0]);
        let (from, to) = (x.len(), 1);
        out[5] = x.get(from..to).is_none() as i32;
        if let Some(part) = out.get_mut(7..9) {
            part.fill(4);
            part[0] = 3;
        }
        if let Some((low, high)) = x.split_at_checked(4) {
            out[9] = (low.len() * 10 + high.len()) as i32;
        }
        if let [first, .., last] = &mut out[10..] {
            std::mem::swap(first, last);
            *first += 2;
        }
    });
    Ok(())
}

fn part_faults(on: &Engine) -> Check {
    let end = "range end index 9 out of range for slice of length 5";
    let start = "range start index 9 out of range for slice of length 5";
    faults!(on, |x, a, b| x[a..b].len(), 2, 9, end);
    faults!(on, |x, a, b| x[a..b].len(), 4, 2, "slice index starts at 4 but ends at 2");
    faults!(on, |x, a, b| x[a..b].len(), 9, 8, start);
    faults!(on, |x, a, b| x[a..b].len(), 9, 12, start);
    faults!(on, |x, a, b| x[a..].len() + b, 9, 0, start);
    faults!(on, |x, a, b| x[..a].len() + b, 9, 0, end);
    faults!(on, |x, a, b| x[..=a].len() + b, 9, 0, end);
    faults!(on, |x, a, b| x[a..=b].len(), 4, 9, end);
    faults!(on, |x, a, b| x[a..=b].len(), 4, 2, "slice index starts at 4 but ends at 3");
    let huge = "range end index 18446744073709551615 out of range for slice of length 5";
    faults!(on, |x, a, b| x[a..=b].len(), 3, usize::MAX, huge);
    faults!(
        on,
        |x, a, b| x[1..4][a] as usize + b,
        3,
        0,
        "index out of bounds: the len is 3 but the index is 3"
    );
    Ok(())
}

fn method_faults(on: &Engine) -> Check {
    let index = "index out of bounds: the len is 5 but the index is 9";
    faults!(
        on,
        |x, a, b| {
            x.swap(a, b);
            0
        },
        1,
        9,
        index
    );
    faults!(
        on,
        |x, a, b| {
            x.swap(a, b);
            0
        },
        9,
        1,
        index
    );
    faults!(on, |x, a, b| x.chunks(a).count() + b, 0, 0, "chunk size must be non-zero");
    faults!(on, |x, a, b| x.chunks_exact(a).count() + b, 0, 0, "chunk size must be non-zero");
    faults!(on, |x, a, b| x.windows(a).count() + b, 0, 0, "window size must be non-zero");
    Ok(())
}
