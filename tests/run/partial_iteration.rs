//! Partially consumed iterators, whose rest is used, and iterators returned by functions.
#![expect(
    clippy::filter_map_bool_then,
    clippy::map_flatten,
    clippy::unnecessary_lazy_evaluations,
    reason = "these are what is tested"
)]
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![
    by_reference,
    peeked,
    states,
    backs,
    backs_of_steps,
    zips_of_filters,
    continued,
    tried,
    compared,
    sources,
    returned,
    returned_by_methods,
    closures_returned,
    closures_in_closures,
];

fn by_reference(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut rest = x.iter();
        out[0] = rest.by_ref().take(3).sum();
        out[1] = rest.next().copied().unwrap_or(50);
        for v in &mut rest {
            if *v > 2 {
                break;
            }
            out[2] += v;
        }
        for v in rest.by_ref().take_while(|v| **v < 5) {
            out[3] += v;
        }
        out[4] = rest.map(|v| v * v).sum();
        let mut numbers = 0..20;
        out[5] = numbers.by_ref().filter(|n| n % 3 == 0).take(2).sum();
        out[6] = numbers.by_ref().skip(1).step_by(2).take(2).sum();
        out[7] = numbers.len() as i32;
        for (a, b) in numbers.by_ref().zip(y) {
            out[8] += a * b;
        }
        out[9] = numbers.sum();
    });
    Ok(())
}

fn peeked(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut runs = x.iter().map(|v| v / 3).peekable();
        while let Some(v) = runs.next() {
            if runs.peek() != Some(&v) {
                out[0] += 1;
            }
        }
        let mut small = y.iter().copied().peekable();
        while let Some(v) = small.next_if(|v| *v < 9) {
            out[1] += v;
        }
        if let Some(next) = small.peek_mut() {
            *next += 100;
        }
        out[2] = small.peek().copied().unwrap_or(77);
        out[3] = small.next_if_eq(&109).unwrap_or(-5);
        out[4] = small.sum();
        let mut both = x.iter().peekable();
        out[5] = both.peek().map_or(33, |v| **v);
        out[6] = both.by_ref().take(2).sum();
        for v in both {
            out[7] = out[7] * 3 + v;
        }
    });
    Ok(())
}

/// Adapters that keep state between two items.
fn states(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut steps = x.iter().step_by(3);
        out[0] = steps.next().copied().unwrap_or(90);
        out[1] = steps.next().copied().unwrap_or(91);
        out[2] = steps.sum();
        let mut both = x.iter().chain(y);
        out[3] = both.next().copied().unwrap_or(92);
        out[4] = both.by_ref().take(4).sum();
        out[5] = both.sum();
        let mut low = x.iter().take_while(|v| **v < 4);
        out[6] = low.next().copied().unwrap_or(93);
        out[7] = low.by_ref().count() as i32;
        out[8] = low.next().copied().unwrap_or(94);
        let mut late = y.iter().skip_while(|v| **v < 5);
        out[9] = late.next().copied().unwrap_or(95);
        out[10] = late.sum();
        let mut own = [4, 5, 6, 7].into_iter();
        own.next();
        out[11] = own.next().unwrap_or(0);
        for v in own {
            out[12] += v;
        }
        let mut sums = x.iter().scan(0, |sum, v| {
            *sum += v;
            (*sum < 9).then_some(*sum)
        });
        sums.next();
        out[13] = sums.sum();
        let mut pieces = x.chunks(4).flat_map(|piece| piece.iter());
        pieces.next();
        pieces.next();
        out[14] = pieces.map(|v| v + 1).sum();
        let mut some = y.iter().map(|v| v.checked_rem(v - 3)).flatten();
        some.next();
        out[15] = some.sum();
        let mut halves = x.iter().map_while(|v| (*v != 7).then_some(v / 2));
        halves.next();
        out[16] = halves.sum();
    });
    Ok(())
}

fn backs(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut both = x.iter().zip(y);
        if let Some((a, b)) = both.next_back() {
            out[0] = a * 100 + b;
        }
        out[1] = both.map(|(a, b)| a - b).sum();
        let mut numbered = x.iter().enumerate();
        numbered.next();
        if let Some((i, v)) = numbered.next_back() {
            out[2] = i as i32 * 100 + v;
        }
        let mut some = x.iter().skip(1).take(4);
        some.next_back();
        out[3] = some.next_back().copied().unwrap_or(60);
        out[4] = some.sum();
        let mut pieces = x.chunks(5);
        if let Some(last) = pieces.next_back() {
            out[5] = last.len() as i32 + pieces.len() as i32 * 10;
        }
        let mut whole = x.chunks_exact(2);
        out[6] = whole.next_back().map_or(61, |piece| piece[0] - piece[1]);
        let mut pairs = y.windows(2);
        pairs.next_back();
        out[7] = pairs.next_back().map_or(62, |pair| pair[1]);
        out[8] = x.iter().filter(|v| **v > 0).rev().take(2).sum();
        let mut joined = x.iter().chain(y).rev();
        joined.next();
        out[9] = joined.next_back().copied().unwrap_or(63);
        out[10] = joined.sum();
        out[11] = x.iter().rposition(|v| *v < 0).map_or(64, |i| i as i32);
        out[12] = x.iter().rfind(|v| **v > 3).copied().unwrap_or(65);
        out[13] = x.iter().rfold(1, |a, b| (a * 3 + b) % 1000);
        out[14] = x.iter().nth_back(1).copied().unwrap_or(66);
        for v in x.iter().flat_map(|v| [*v, v + 1]).rev() {
            out[15] = (out[15] * 3 + v) % 10007;
        }
        for v in y.iter().filter_map(|v| (*v > 0).then(|| 0..*v)).flatten().rev() {
            out[16] = (out[16] * 3 + v) % 10007;
        }
        for v in x.iter().map(|v| v.checked_rem(v - 3)).flatten().rev() {
            out[17] = (out[17] * 3 + v) % 10007;
        }
    });
    Ok(())
}

fn backs_of_steps(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for step in 1..4 {
            let at = 6 * step - 6;
            let mut ends = x.iter().copied().step_by(step);
            out[at] = ends.next_back().unwrap_or(50);
            out[at + 1] = ends.next().unwrap_or(50);
            out[at + 2] = ends.next_back().unwrap_or(50);
            let mut reversed = (0..y.len() as i32).map(|v| 3 * v).step_by(step).rev();
            out[at + 3] = reversed.next().unwrap_or(50);
            reversed.next_back();
            out[at + 4] = reversed.fold(1, |sum, v| 2 * sum + v);
            out[at + 5] = ends.sum();
        }
    });
    Ok(())
}

/// No item after the last requested one is computed, in whatever way an iteration ends.
fn continued(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut seen = 0;
        let pairs = x.iter().flat_map(|v| [*v, v + 1]).map(|v| {
            seen += 1;
            v
        });
        'taken: for v in pairs.take(3) {
            for step in 0..3 {
                if v + step > 1 {
                    continue 'taken;
                }
            }
            out[0] += v;
        }
        out[1] = seen;
        let mut window = [0; 5];
        let mut seen = 0;
        let around = y.iter().flat_map(|v| (0..3).map(move |k| v + k)).inspect(|_| seen += 1);
        'zipped: for (to, v) in window.iter_mut().zip(around) {
            for step in 0..3 {
                if v == step {
                    continue 'zipped;
                }
            }
            *to = v;
        }
        out[2] = window.iter().fold(0, |sum, v| sum * 3 + v);
        out[3] = seen;
        let mut seen = 0;
        let around = y.iter().flat_map(|v| (0..3).map(move |k| v + k)).inspect(|_| seen += 1);
        out[4] = window[..0].iter().zip(around).map(|(a, b)| a + b).sum();
        out[5] = seen;
    });
    Ok(())
}

fn zips_of_filters(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let positive = x.iter().filter(|v| **v > 0);
        let even = y.iter().filter(|v| **v % 2 == 0);
        for (a, b) in positive.zip(even) {
            out[0] = out[0] * 7 % 1000 + a * b;
        }
        let mut seen = 0;
        let seeing = y.iter().inspect(|_| seen += 1).take_while(|v| **v < 8);
        out[1] = x.iter().filter_map(|v| v.checked_sub(2)).zip(seeing).map(|(a, b)| a - b).sum();
        out[2] = seen;
        out[3] = x
            .iter()
            .skip_while(|v| **v < 0)
            .zip(y.iter().filter(|v| **v > 1).enumerate())
            .map(|(a, (i, b))| a * b + i as i32)
            .sum();
        let mut calls = 0;
        out[4] = y
            .iter()
            .map(|v| {
                calls += 1;
                *v
            })
            .take(x.len() / 2)
            .sum();
        out[5] = calls;
    });
    Ok(())
}

fn tried(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let sum = x.iter().try_fold(0i32, |sum, v| if *v < 6 { Some(sum + v) } else { None });
        out[0] = sum.unwrap_or(1000);
        let found =
            y.iter().try_fold(1, |product, v| if *v == 7 { Err(product) } else { Ok(product + v) });
        out[1] = match found {
            Ok(sum) => sum,
            Err(before) => before + 500,
        };
        let mut rest = x.iter();
        let stopped = rest.try_for_each(|v| if *v > 1 { Err(*v) } else { Ok(()) });
        out[2] = stopped.err().unwrap_or(70);
        out[3] = rest.sum();
        out[4] = y.iter().try_for_each(|v| (*v < 9).then_some(())).is_some() as i32;
    });
    Ok(())
}

fn compared(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.iter().eq(y) as i32;
        out[1] = x.iter().ne(x.iter()) as i32;
        out[2] = x.iter().copied().filter(|v| *v < 3).cmp(y.iter().copied()) as i32;
        out[3] = x.iter().map(|v| v * 2).eq(x.iter().map(|v| v + v)) as i32;
    });
    Ok(())
}

fn sources(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = std::iter::once(5i32).chain(x.iter().copied()).sum();
        out[1] = x.iter().zip(std::iter::repeat(3i32)).map(|(a, b)| a * b).sum();
        out[2] = std::iter::repeat_n(y.len(), 3).sum::<usize>() as i32;
        let powers = std::iter::successors(Some(1i32), |v| (*v < 100).then(|| v * 3));
        out[3] = powers.sum();
        let mut count = 0i32;
        let counted = std::iter::from_fn(|| {
            count += 1;
            (count < 6).then_some(count)
        });
        out[4] = counted.filter(|v| v % 2 == 1).sum();
        out[5] = std::iter::zip(x, y).map(|(a, b)| a * b).sum();
        let mut state = x.len() as u32;
        let draws = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 28) as i32
        });
        out[6] = draws.take(5).sum();
    });
    Ok(())
}

#[device]
fn grid_stride(count: usize) -> impl Iterator<Item = usize> {
    (global_idx_x()..count).step_by(block_dim_x() * grid_dim_x())
}

#[device]
fn evens<'a>(x: &'a [i32], least: i32) -> impl Iterator<Item = i32> + 'a {
    x.iter().copied().filter(move |v| v % 2 == 0 && *v >= least)
}

#[device]
fn neighbours(at: usize, count: usize) -> impl Iterator<Item = usize> {
    let first = at.saturating_sub(1);
    (first..(at + 2).min(count)).filter(move |k| *k != at)
}

#[device]
fn polynomial(c: [f32; 3]) -> impl Fn(f32) -> f32 {
    move |x| c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[device]
fn twice(f: impl Fn(f32) -> f32) -> impl Fn(f32) -> f32 {
    move |x| f(f(x))
}

#[kernel]
fn returns(x: &[i32], out: &mut [i32]) {
    for i in grid_stride(x.len()) {
        let near: i32 = neighbours(i, x.len()).map(|k| x[k]).sum();
        let mut after = evens(&x[i..], 2);
        let first = after.next().unwrap_or(0);
        out[i] = near * 100 + after.sum::<i32>() - first;
    }
}

fn returned(on: &Engine) -> Check {
    let x: Vec<i32> = (0..300).map(|i| i * 7 % 23).collect();
    let mut out = vec![0; 300];
    launch!(on, returns(read x, write out), LaunchConfig::grid(2).block(32))?;
    let want = (0..300).map(|i| {
        let near: i32 = (i.max(1) - 1..(i + 2).min(300)).filter(|k| *k != i).map(|k| x[k]).sum();
        let after: Vec<i32> = x[i..].iter().copied().filter(|v| v % 2 == 0 && *v >= 2).collect();
        let first = after.first().copied().unwrap_or(0);
        near * 100 + after.iter().skip(1).sum::<i32>() - first
    });
    same("out", &out, &want.collect::<Vec<_>>())
}

#[device]
#[derive(Clone, Copy)]
struct Window {
    start: usize,
    len: usize,
}

#[device]
impl Window {
    fn indices(&self) -> impl Iterator<Item = usize> {
        self.start..self.start + self.len
    }

    fn every<T: Int>(self, step: usize) -> impl Iterator<Item = T> {
        (self.start..self.start + self.len).step_by(step).map(|k| T::from_usize(k))
    }
}

#[kernel]
fn windows(window: Window, out: &mut [u32]) {
    let i = thread_idx_x();
    out[i] = window.indices().map(|k| k as u32 * 10).sum::<u32>();
    out[i] += window.every::<u32>(i + 1).filter(|k| k % 2 == 0).sum::<u32>();
}

fn returned_by_methods(on: &Engine) -> Check {
    let (window, mut out) = (Window { start: 3, len: 9 }, vec![0; 4]);
    launch!(on, windows(value window, write out), LaunchConfig::grid(1).block(4))?;
    let want =
        (0..4).map(|i| 630 + (3..12).step_by(i + 1).filter(|k| k % 2 == 0).sum::<usize>() as u32);
    same("out", &out, &want.collect::<Vec<_>>())
}

#[kernel(contract = false)]
fn returns_closures(c: [f32; 3], x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let f = polynomial(c);
        let g = twice(polynomial([i as f32, 0.5, 0.0]));
        x[i] = f(x[i]) - g(x[i]);
    }
}

fn closures_returned(on: &Engine) -> Check {
    let start: Vec<f32> = (0..20).map(|i| i as f32 / 4.0).collect();
    let (c, mut x) = ([1.0, -2.0, 0.5], start.clone());
    launch!(on, returns_closures(value c, write x), LaunchConfig::cover(20))?;
    let want = start.iter().enumerate().map(|(i, x)| {
        let f = ((0.0 * x + 0.5) * x - 2.0) * x + 1.0;
        let g = |x: f32| ((0.0 * x + 0.0) * x + 0.5) * x + i as f32;
        f - g(g(*x))
    });
    same("x", &x, &want.collect::<Vec<_>>())
}

/// Returns the numbers of a generator, from a closure in one of std's iterators.
#[device]
fn numbers(mut state: u32) -> impl Iterator<Item = u32> {
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(5).wrapping_add(3);
        state >> 3
    })
}

#[device]
fn fourfold(by: f32) -> impl Fn(f32) -> f32 {
    let once = move |x: f32| x * by;
    twice(twice(once))
}

#[kernel]
fn draws(out: &mut [[u32; 4]], x: &mut [f32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut rest = numbers(i as u32);
        let first = rest.next().unwrap();
        for (to, v) in out[i].iter_mut().zip(rest) {
            *to = v + first;
        }
        x[i] = fourfold(i as f32)(x[i]);
    }
}

fn closures_in_closures(on: &Engine) -> Check {
    let (mut out, mut x) = (vec![[0; 4]; 10], vec![0.5; 10]);
    launch!(on, draws(write out, write x), LaunchConfig::cover(10))?;
    let want = (0..10u32).map(|i| {
        let mut state = i;
        let mut next = || {
            state = state.wrapping_mul(5).wrapping_add(3);
            state >> 3
        };
        let first = next();
        [(); 4].map(|()| next() + first)
    });
    same("out", &out.concat(), &want.flatten().collect::<Vec<_>>())?;
    same("x", &x, &(0..10).map(|i| 0.5 * (i as f32).powi(4)).collect::<Vec<_>>())
}
