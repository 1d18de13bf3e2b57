//! Closures: captures and their time, places to keep closures, early exits.
#![expect(
    clippy::redundant_closure_call,
    clippy::redundant_closure,
    reason = "closures that call closures are tested"
)]
use crate::run::engine::{Check, Engine, cases, launch, like_rust, per_element, same};
use warpwise::prelude::*;

cases![
    captures, shadowed, by_reference, nested, passed_on, kept, leaving, in_iterators,
    called_twice, of_lanes: THREADS_MEET, generic_ones, copied,
    by_mutable_reference, functions_of_numbers, beside_state, in_bounded_fields,
];

fn numbers() -> Vec<i32> {
    (0..200).map(|i| i * 37 % 101 - 50).collect()
}

#[kernel]
fn capturing(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let mut sum = 0;
    let mut last = 0;
    let mut note = |v: i32| {
        sum += v;
        last = v;
        sum
    };
    let first = note(x[i]);
    let second = note(x[i] + 1);
    out[4 * i] = sum;
    out[4 * i + 1] = last * 1000 + first - second;
    // A copy is moved in: the outer variable keeps its value.
    let mut count = 10;
    let mut step = move || {
        count += 1;
        count
    };
    let stepped = step() + step();
    out[4 * i + 2] = stepped + count;
    let mut pair = (x[i], 0);
    let mut fill = |v| pair.1 += v * pair.0;
    fill(2);
    fill(3);
    out[4 * i + 3] = pair.1;
}

fn captures(on: &Engine) -> Check {
    per_element!(on, capturing, numbers(), 4, |v: i32| [
        2 * v + 1,
        (v + 1) * 1000 + v - (2 * v + 1),
        11 + 12 + 10,
        5 * v,
    ])
}

#[kernel]
fn shadowing(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    let add = |a: i32| a + v;
    // The closure keeps the `v` of its definition, and its parameters hide outer variables.
    let v = 1000;
    let same = |v: i32| v * 2;
    let add_twice = |a: i32| {
        let add = add(a);
        add + v
    };
    out[i] = add(1) + same(3) + add_twice(5);
}

fn shadowed(on: &Engine) -> Check {
    per_element!(on, shadowing, numbers(), 1, |v: i32| [(v + 1) + 6 + (v + 5 + 1000)])
}

#[kernel]
fn referring(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let mut limit = x[i];
    let before = {
        let over = |v: i32| v > limit;
        i32::from(over(0)) * 10 + i32::from(over(20))
    };
    limit += 15;
    let over = |v: i32| v > limit;
    out[2 * i] = before * 100 + i32::from(over(0)) * 10 + i32::from(over(20));
    let copy = move |v: i32| v + limit;
    limit = 7;
    out[2 * i + 1] = copy(1) * limit;
}

fn by_reference(on: &Engine) -> Check {
    let over = |limit: i32| i32::from(limit < 0) * 10 + i32::from(limit < 20);
    per_element!(on, referring, numbers(), 2, |v: i32| [over(v) * 100 + over(v + 15), (v + 16) * 7])
}

#[kernel]
fn nesting(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let base = x[i];
    let mut calls = 0;
    let mut outer = |a: i32| {
        let mut inner = |b: i32| {
            calls += 1;
            a * b + base
        };
        inner(2) + inner(3)
    };
    let sum = outer(1) + outer(10);
    let twice = |v: i32| v * 2;
    let quadruple = |v: i32| twice(twice(v));
    let more = |v: i32| (|w: i32| quadruple(w) + v)(base);
    out[2 * i] = sum * 10 + calls;
    out[2 * i + 1] = more(9);
}

fn nested(on: &Engine) -> Check {
    per_element!(on, nesting, numbers(), 2, |v: i32| [(55 + 4 * v) * 10 + 4, 4 * v + 9])
}

#[device]
fn apply<F: Fn(i32) -> i32>(f: F, v: i32) -> i32 {
    f(f(v))
}

#[device]
fn repeat<F>(times: usize, mut f: F)
where
    F: FnMut(usize),
{
    for k in 0..times {
        f(k);
    }
}

#[device]
fn once<R>(f: impl FnOnce(i32) -> R, v: i32) -> R {
    f(v)
}

#[device]
fn both(f: impl Fn(i32) -> i32, g: &impl Fn(i32) -> i32, v: i32) -> i32 {
    g(apply(&f, v)) + f(v)
}

#[device]
fn through(f: &mut impl FnMut(usize)) {
    repeat(2, |k| f(k + 100));
    f(1000);
}

#[kernel]
fn passing(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    out[5 * i] = apply(|a| a * 3 + v, 2);
    let mut sum = 0;
    repeat(4, |k| sum += k * k);
    out[5 * i + 1] = sum as i32 + once(|a| a - v, 5);
    let pair = once(|a| (a > 0, a / 2), v);
    out[5 * i + 2] = if pair.0 { pair.1 } else { -pair.1 };
    let halved = |a: i32| a / 2;
    out[5 * i + 3] = both(|a| a + 1, &halved, v) + apply(halved, v) + apply(i32::abs, v);
    let mut seen = 0;
    through(&mut |k| seen = seen * 2 + k);
    out[5 * i + 4] = seen as i32;
}

fn passed_on(on: &Engine) -> Check {
    per_element!(on, passing, numbers(), 5, |v: i32| [
        (2 * 3 + v) * 3 + v,
        14 + 5 - v,
        (v / 2).abs(),
        (v + 2) / 2 + v + 1 + v / 2 / 2 + v.abs(),
        2 * (2 * 100 + 101) + 1000,
    ])
}

#[kernel]
fn keeping(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    let pair = (|a: i32| a + v, |a: i32| a * v);
    let (add, multiply) = pair;
    let other = add;
    out[3 * i] = add(1) * 1000 + multiply(3) + other(2);
    out[3 * i + 1] = (pair.0)(4) - (pair.1)(5);
    let chosen = {
        let scale = 3;
        move |a: i32| a * scale
    };
    out[3 * i + 2] = chosen(v);
}

fn kept(on: &Engine) -> Check {
    per_element!(on, keeping, numbers(), 3, |v: i32| [
        (1 + v) * 1000 + 3 * v + v + 2,
        4 + v - 5 * v,
        3 * v,
    ])
}

#[kernel]
fn leaves(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    // These leave the closure, not the kernel.
    let sign = |a: i32| {
        if a < 0 {
            return -1;
        }
        for k in 0..4 {
            if k == a {
                return 100 + k;
            }
        }
        1
    };
    let halves = |a: i32| -> Option<i32> {
        let half = if a % 2 == 0 { Some(a / 2) } else { None };
        let half = half?;
        Some(half + 1)
    };
    let checked = |a: i32| -> Result<i32, i32> {
        let small: Result<i32, i32> = if a < 20 { Ok(a) } else { Err(a - 20) };
        Ok(small? * 2)
    };
    out[3 * i] = sign(v) * 10 + sign(2);
    out[3 * i + 1] = halves(v).unwrap_or(-7);
    out[3 * i + 2] = match checked(v) {
        Ok(a) => a,
        Err(a) => a + 1000,
    };
}

fn leaving(on: &Engine) -> Check {
    let sign = |v: i32| match v {
        ..0 => -1,
        0..4 => 100 + v,
        4.. => 1,
    };
    per_element!(on, leaves, numbers(), 3, |v: i32| [
        sign(v) * 10 + 102,
        if v % 2 == 0 { v / 2 + 1 } else { -7 },
        if v < 20 { 2 * v } else { v + 980 },
    ])
}

#[kernel]
fn iterating(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    let mut passed = 0;
    let mut calls = 0;
    let sum: i32 = (0..10)
        .filter(|k| {
            calls += 1;
            (k + v) % 3 == 0
        })
        .map(|k| {
            passed += 1;
            k * passed
        })
        .sum();
    out[3 * i] = sum;
    out[3 * i + 1] = passed * 100 + calls;
    let mut previous = v;
    let rising = x[..5].iter().all(|&next| {
        let rises = next > previous;
        previous = next;
        rises
    });
    out[3 * i + 2] = previous * 2 + i32::from(rising);
}

fn in_iterators(on: &Engine) -> Check {
    let x = numbers();
    per_element!(on, iterating, numbers(), 3, |v: i32| {
        let hits: Vec<i32> = (0..10).filter(|k| (k + v) % 3 == 0).collect();
        let sum: i32 = hits.iter().zip(1..).map(|(k, nth)| k * nth).sum();
        let before = |at: usize| if at == 0 { v } else { x[at - 1] };
        let stop = (0..5).find(|&at| x[at] <= before(at));
        let last = x[stop.unwrap_or(4)];
        [sum, hits.len() as i32 * 100 + 10, last * 2 + i32::from(stop.is_none())]
    })
}

/// Calls a closure with its own results, of two types.
#[device]
fn fold<T: Copy, F: FnMut(T, i32) -> T>(start: T, x: &[i32], mut f: F) -> T {
    let mut value = start;
    for &v in x {
        value = f(value, v);
    }
    value
}

/// The closure behind a reference.
#[device]
fn fold_with<T: Copy, F: FnMut(T, i32) -> T>(start: T, x: &[i32], f: &mut F) -> T {
    fold(start, x, |value, v| f(value, v))
}

#[kernel]
fn folding(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let some = &x[i..(i + 3).min(x.len())];
    let mut calls = 0;
    let mut counted = |a: i32, b: i32| {
        calls += 1;
        a + b * calls
    };
    let first = fold(1, some, |a, b| counted(a, b));
    let second = fold(2, some, |a, b| counted(a, b));
    let (low, high) =
        fold_with((i32::MAX, i32::MIN), some, &mut |(low, high), v| (low.min(v), high.max(v)));
    out[2 * i] = first * 100 + second;
    out[2 * i + 1] = (high - low) * 10 + calls;
}

fn called_twice(on: &Engine) -> Check {
    let x = numbers();
    let mut out = vec![0i32; 2 * x.len()];
    launch!(on, folding(read x, write out), LaunchConfig::cover(x.len()).block(64))?;
    let want: Vec<i32> = (0..x.len())
        .flat_map(|i| {
            let some = &x[i..x.len().min(i + 3)];
            let n = some.len() as i32;
            let weighted = |start: i32, from: i32| {
                start + some.iter().zip(from..).map(|(a, b)| a * b).sum::<i32>()
            };
            let (low, high) = (some.iter().min().unwrap(), some.iter().max().unwrap());
            [weighted(1, 1) * 100 + weighted(2, n + 1), (high - low) * 10 + 2 * n]
        })
        .collect();
    same("folds", &out, &want)
}

#[device]
fn over_block(value: i32, mut combine: impl FnMut(i32, i32) -> i32) -> i32 {
    let all = shared!([i32; 32]);
    let t = thread_idx_x();
    all[t] = value;
    sync_threads();
    let result = combine(all[t], all[31 - t]);
    sync_threads();
    result
}

#[kernel(block = 32)]
fn of_block(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let mut calls = 0;
    let sum = over_block(x[i], |a, b| {
        calls += 1;
        a + 2 * b
    });
    let difference = over_block(x[i], |a, b| {
        calls += 1;
        a - b
    });
    out[i] = sum * 1000 + difference * 10 + calls;
}

fn of_lanes(on: &Engine) -> Check {
    let x: Vec<i32> = numbers()[..64].to_vec();
    let mut out = vec![0i32; 64];
    launch!(on, of_block(read x, write out), LaunchConfig::grid(2))?;
    let other = |i: usize| x[i / 32 * 32 + 31 - i % 32];
    let want: Vec<i32> =
        (0..64).map(|i| (x[i] + 2 * other(i)) * 1000 + (x[i] - other(i)) * 10 + 2).collect();
    same("of two lanes", &out, &want)
}

#[device]
fn integral<T: Float>(f: impl Fn(T) -> T, steps: usize) -> T {
    let mut sum = T::ZERO;
    for k in 0..steps {
        sum += f(T::from_usize(k) / T::from_usize(steps));
    }
    sum
}

#[kernel(contract = false)]
fn generic_closures<T: Float, const N: usize>(x: &[T], out: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        let scaled = |t: T| t * v;
        out[i] = integral(|t| scaled(t) + T::from_usize(N), N);
    }
}

fn generic_ones(on: &Engine) -> Check {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let x: Vec<$ty> = (0..40u8).map(|i| <$ty>::from(i) * 0.75).collect();
            let mut out = vec![0.0; 40];
            launch!(on, generic_closures::<$ty, 8>(read x, write out), LaunchConfig::cover(40))?;
            let want: Vec<$ty> =
                x.iter().map(|v| (0..8u8).fold(0.0, |sum, k| sum + (<$ty>::from(k) / 8.0 * v + 8.0))).collect();
            same(stringify!($ty), &out, &want)?;
        })*};
    }
    each! { f32 f64 }
    Ok(())
}

#[device]
fn one_time<F: FnMut(i32) -> i32>(mut f: F, x: i32) -> i32 {
    f(x)
}

#[device]
fn thrice<F: FnMut(i32) -> i32>(mut f: F, x: i32) -> i32 {
    f(x) + one_time(&mut f, x) + one_time(&mut &mut f, x)
}

#[kernel]
fn counting(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut calls = 0;
        let mut count = |v: i32| {
            calls += 1;
            v * calls
        };
        let sum = one_time(&mut count, x[i]) + thrice(&mut count, x[i]) + count(x[i]);
        out[i] = sum + 1000 * calls;
    }
}

fn by_mutable_reference(on: &Engine) -> Check {
    let (x, mut out) = (numbers(), vec![0; 200]);
    launch!(on, counting(read x, write out), LaunchConfig::cover(200))?;
    let want: Vec<i32> = x.iter().map(|x| x * 15 + 5000).collect();
    same("out", &out, &want)
}

#[device]
fn twice(mut f: impl FnMut() -> i32) -> i32 {
    f() * 10 + f()
}

/// A copy of a closure has its own state.
fn copied(on: &Engine) -> Check {
    crate::run::engine::like_rust!(on, |x, y, out| {
        let (mut count, mut last) = (x.len() as i32, [0; 2]);
        let mut next = move || {
            count += 1;
            last = [count, last[0]];
            last[0] * 10 + last[1]
        };
        let mut other = next.clone();
        (out[0], out[1], out[2]) = (next(), next(), other());
        (out[3], out[4]) = (twice(next), next());
        let numbered = y.iter().map(move |v| {
            count += 1;
            v * 100 + count
        });
        out[5] = numbered.clone().sum();
        out[6] = numbered.fold(0, |sum, v| sum * 3 + v);
        out[7] = count;
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Folded<F> {
    function: F,
    first: i32,
}

#[device]
impl<F: Fn(i32, i32) -> i32> Folded<F> {
    fn of(&self, x: &[i32]) -> i32 {
        x.iter().fold(self.first, |a, b| (self.function)(a, *b))
    }
}

#[device]
fn clamped<T: Int>(x: T, low: T, high: T) -> T {
    let (least, most) = (T::min, T::max);
    most(low, least(x, high))
}

/// Functions of numbers as values of variables and fields, where no type expects a function.
fn functions_of_numbers(on: &Engine) -> Check {
    crate::run::engine::like_rust!(on, |x, y, out| {
        out[0] = Folded { function: i32::min, first: 5 }.of(x);
        out[1] = Folded { function: i32::wrapping_mul, first: 3 }.of(y);
        let (power, root) = (i32::pow, f64::sqrt);
        out[2] = power(y.len() as i32, 3) + root(17.0 + x.len() as f64) as i32;
        out[3] = clamped(y.len() as i32, -1, 1);
        out[4] = (f32::from_bits)(0x4040_0000) as i32;
    });
    Ok(())
}

#[device]
struct Descent<F: Fn(i32) -> i32, G: FnMut(i32)> {
    slope: F,
    record: G,
    place: i32,
    last: [i32; 2],
}

#[device]
impl<F: Fn(i32) -> i32, G: FnMut(i32)> Descent<F, G> {
    fn step(&mut self) -> bool {
        let slope = (self.slope)(self.place);
        (self.record)(slope);
        self.last = [self.last[1], self.place];
        self.place -= slope / 2;
        slope.abs() > 1
    }
}

/// Structs and tuples keep closures beside fields that change.
fn beside_state(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (bottom, mut total) = (x.len() as i32, 0);
        let mut descent = Descent {
            slope: |place: i32| place - bottom,
            record: |slope: i32| total += slope,
            place: 90 + y.len() as i32,
            last: [0; 2],
        };
        let mut steps = 0;
        while descent.step() {
            steps += 1;
        }
        (out[0], out[1], out[2]) = (descent.place, descent.last[0], steps);
        out[3] = total;
        let mut count = 0;
        let mut pair = (
            move || {
                count += 1;
                count
            },
            0,
        );
        for _ in x {
            pair.1 += (pair.0)();
        }
        out[4] = pair.1 + 100 * count;
    });
    Ok(())
}

#[device]
struct Window<F: Fn(f32, f32) -> f32> {
    f: F,
    width: i32,
}

#[device]
struct Pair<A, B>(A, B)
where
    A: Fn(i32) -> i32,
    B: Fn(f32) -> f32;

/// The bounds of a struct tell the types of a closure's parameters.
fn in_bounded_fields(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let scale = 0.5;
        let window = Window { f: |a, b| (a * scale).max(b).abs(), width: x.len() as i32 };
        out[0] = ((window.f)(-9.0, -2.0) * 4.0) as i32 + window.width;
        let pair = Pair(|v| v.pow(2), |v| v.floor());
        out[1] = (pair.0)(y.len() as i32) + (pair.1)(2.75) as i32;
    });
    Ok(())
}
