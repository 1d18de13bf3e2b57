//! `#[device]` functions: of this module and others, of another crate, generic, and nested.
use crate::run::engine::{Check, Engine, cases, launch, same};
use plane::{self as geometry, shape::disc, without};
use std::sync::atomic::Ordering;
use warpwise::{host, prelude::*};

cases![
    own_module, other_modules, other_crate, slices, early_return, nested_calls, generic,
    with_barriers: THREADS_MEET, with_atomics, shadowed_names, argument_order, used_twice, impl_arguments, inside_of_others,
    types_inside,
];

#[device]
fn clamp_to(x: f32, low: f32, high: f32) -> f32 {
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}

#[kernel]
fn clamped(x: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] = clamp_to(x[i], -5.0, 7.5);
    }
}

fn own_module(on: &Engine) -> Check {
    let start: Vec<f32> = (0..300).map(|i| i as f32 * 0.1 - 15.0).collect();
    let mut x = start.clone();
    launch!(on, clamped(write x), LaunchConfig::cover(300))?;
    let want: Vec<f32> = start.iter().map(|x| x.clamp(-5.0, 7.5)).collect();
    same("x", &x, &want)
}

#[device]
fn level() -> i32 {
    1
}

mod outer {
    use warpwise::prelude::*;

    #[device]
    pub(super) fn level() -> i32 {
        20 + super::level()
    }

    pub(super) mod inner {
        use warpwise::prelude::*;

        #[device]
        pub(in super::super) fn level() -> i32 {
            300 + super::level() + super::super::level()
        }
    }
}

mod elsewhere {
    use super::outer::inner::level as deep;
    use crate::run::engine::{Check, Engine, launch, same};
    use warpwise::prelude::*;

    #[kernel]
    fn levels(out: &mut [i32]) {
        let i = global_idx_x();
        if i < out.len() {
            out[i] = match_level(i);
        }
    }

    #[device]
    fn match_level(i: usize) -> i32 {
        if i == 0 {
            super::level()
        } else if i == 1 {
            super::outer::level()
        } else if i == 2 {
            deep()
        } else {
            crate::run::device_functions::outer::level() * 2
        }
    }

    pub(super) fn run(on: &Engine) -> Check {
        let mut out = vec![0; 4];
        launch!(on, levels(write out), LaunchConfig::cover(4))?;
        same("out", &out, &[1, 21, 322, 42])
    }
}

fn other_modules(on: &Engine) -> Check {
    elsewhere::run(on)
}

#[kernel(contract = false)]
fn distances(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = without(geometry::shape::rectangle(x[i], y[i], 2.0, 1.0), disc(x[i], y[i], 0.5))
            + geometry::length(x[i], y[i]);
    }
}

fn other_crate(on: &Engine) -> Check {
    let x: Vec<f32> = (0..500).map(|i| (i % 25) as f32 * 0.25 - 3.0).collect();
    let y: Vec<f32> = (0..500).map(|i| (i / 25) as f32 * 0.15 - 1.5).collect();
    let mut out = vec![0.0; 500];
    launch!(on, distances(read x, read y, write out), LaunchConfig::cover(500))?;
    let want: Vec<f32> = (0..500)
        .map(|i| {
            let (x, y): (f32, f32) = (x[i], y[i]);
            let length = |x: f32, y: f32| (x * x + y * y).sqrt();
            let (dx, dy) = (x.abs() - 2.0, y.abs() - 1.0);
            let rectangle = length(dx.max(0.0), dy.max(0.0)) + dx.max(dy).min(0.0);
            rectangle.max(-(length(x, y) - 0.5)) + length(x, y)
        })
        .collect();
    same("out", &out, &want)
}

#[device]
fn row_sum(x: &[i32], row: usize, width: usize) -> i32 {
    let mut sum = 0;
    for column in 0..width {
        sum += x[row * width + column];
    }
    sum
}

#[device]
fn write_twice(out: &mut [i32], at: usize, value: i32) {
    out[at * 2] = value;
    out[at * 2 + 1] = -value;
}

#[kernel]
fn rows(x: &[i32], width: usize, out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() / width {
        write_twice(out, i, row_sum(x, i, width));
    }
}

fn slices(on: &Engine) -> Check {
    let x: Vec<i32> = (0..120).map(|i| i * 3 - 100).collect();
    let width = 8;
    let mut out = vec![0; 30];
    launch!(on, rows(read x, value width, write out), LaunchConfig::cover(15))?;
    let want: Vec<i32> =
        x.chunks(8).flat_map(|row| [row.iter().sum::<i32>(), -row.iter().sum::<i32>()]).collect();
    same("out", &out, &want)
}

#[device]
fn first_divisor(n: u32) -> u32 {
    if n < 2 {
        return 0;
    }
    let mut d = 2;
    while d * d <= n {
        if n % d == 0 {
            return d;
        }
        d += 1;
    }
    n
}

#[kernel]
fn divisors(out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = first_divisor(i as u32) * 10;
        out[i] += if first_divisor(i as u32 + 1) == i as u32 + 1 { 1 } else { 0 };
    }
}

fn early_return(on: &Engine) -> Check {
    let mut out = vec![9; 1000];
    launch!(on, divisors(write out), LaunchConfig::cover(1000))?;
    let divisor = |n: u32| (2..=n).find(|d| n % d == 0).unwrap_or(0);
    let want: Vec<u32> =
        (0..1000).map(|i| divisor(i) * 10 + u32::from(divisor(i + 1) == i + 1)).collect();
    same("out", &out, &want)
}

#[device]
fn add_one(x: u64) -> u64 {
    x + 1
}
#[device]
fn twice(x: u64) -> u64 {
    add_one(x) + add_one(x)
}
#[device]
fn four_times(x: u64) -> u64 {
    twice(twice(x)) * add_one(0)
}

#[kernel]
fn nesting(out: &mut [u64]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = four_times(add_one(i as u64)) - twice(0);
    }
}

fn nested_calls(on: &Engine) -> Check {
    let mut out = vec![0; 50];
    launch!(on, nesting(write out), LaunchConfig::cover(50))?;
    let want: Vec<u64> = (0..50).map(|i| 4 * (i + 1) + 6 - 2).collect();
    same("out", &out, &want)
}

#[device]
fn middle<T: Num>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}

#[device]
fn power<const E: usize>(x: i64) -> i64 {
    let mut product = 1;
    for _ in 0..E {
        product *= x;
    }
    product
}

#[kernel]
fn medians(x: &[i32], y: &[f64], out: &mut [i32], wide: &mut [f64], powers: &mut [i64]) {
    let i = global_idx_x();
    if i + 2 < x.len() {
        out[i] = middle(x[i], x[i + 1], x[i + 2]);
        wide[i] = middle(y[i], y[i + 1], y[i + 2]);
        powers[i] = power::<3>(x[i] as i64) - power::<0>(5);
    }
}

fn generic(on: &Engine) -> Check {
    let x: Vec<i32> = (0..202).map(|i| i * 7919 % 401 - 200).collect();
    let y: Vec<f64> = x.iter().map(|x| f64::from(*x) / 3.0).collect();
    let (mut out, mut wide, mut powers) = (vec![0; 200], vec![0.0; 200], vec![0; 200]);
    launch!(
        on,
        medians(read x, read y, write out, write wide, write powers),
        LaunchConfig::cover(202)
    )?;
    let median = |window: &[i32]| {
        let mut window = window.to_vec();
        window.sort_unstable();
        window[1]
    };
    let want: Vec<i32> = x.windows(3).map(median).collect();
    same("out", &out, &want)?;
    let third: Vec<f64> = want.iter().map(|x| f64::from(*x) / 3.0).collect();
    same("wide", &wide, &third)?;
    let cubes: Vec<i64> = x[..200].iter().map(|x| i64::from(*x).pow(3) - 1).collect();
    same("powers", &powers, &cubes)
}

/// Sums a block in a function that has shared memory and barriers of its own.
#[device]
fn block_total(value: i32) -> i32 {
    let cells = shared!([i32; 64]);
    let t = thread_idx_x();
    cells[t] = value;
    sync_threads();
    let mut sum = 0;
    for k in 0..64 {
        sum += cells[k];
    }
    sync_threads();
    sum
}

#[kernel(block = 64)]
fn totals(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let total = block_total(x[i]);
    out[i] = total * 1000 + block_total(x[i] * x[i]);
}

fn with_barriers(on: &Engine) -> Check {
    let x: Vec<i32> = (0..128).map(|i| i % 5 - 1).collect();
    let mut out = vec![0; 128];
    launch!(on, totals(read x, write out), LaunchConfig::cover(128))?;
    let want: Vec<i32> = x
        .chunks(64)
        .flat_map(|block| {
            let squares: i32 = block.iter().map(|x| x * x).sum();
            vec![block.iter().sum::<i32>() * 1000 + squares; 64]
        })
        .collect();
    same("out", &out, &want)
}

#[device]
fn tally(bins: &[AtomicU32], key: usize) {
    bins[key % bins.len()].fetch_add(1, Ordering::Relaxed);
}

#[kernel]
fn tallied(bins: &[AtomicU32]) {
    tally(bins, global_idx_x());
    tally(bins, global_idx_x() * 2);
}

fn with_atomics(on: &Engine) -> Check {
    let mut bins = vec![0u32; 10];
    launch!(on, tallied(atomic bins), LaunchConfig::grid(4).block(100))?;
    let mut want = vec![0; 10];
    for i in 0..400 {
        want[i % 10] += 1;
        want[i * 2 % 10] += 1;
    }
    same("bins", &bins, &want)
}

/// Its locals have the names of the caller's.
#[device]
fn same_names(i: i32, x: i32) -> i32 {
    let mut sum = i;
    let v = x * 10;
    for i in 0..3 {
        sum += i + v;
    }
    sum
}

#[kernel]
fn own_names(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = 5;
        let mut sum = 100;
        for k in 0..2 {
            sum += same_names(k, v);
        }
        out[i] = sum + v + x[i];
    }
}

fn shadowed_names(on: &Engine) -> Check {
    let x = vec![1, 2, 3];
    let mut out = vec![0; 3];
    launch!(on, own_names(read x, write out), LaunchConfig::cover(3))?;
    // Each call gives k + (0 + 1 + 2) + 3 * 50.
    same("out", &out, &[413, 414, 415])
}

#[device]
fn digits(a: i32, b: i32, c: i32) -> i32 {
    a * 100 + b * 10 + c
}

#[kernel]
fn in_order(out: &mut [i32]) {
    if global_idx_x() == 0 {
        let mut k = 0;
        out[0] = digits(
            {
                k += 1;
                k
            },
            {
                k += 1;
                k
            },
            {
                k *= 2;
                k
            },
        );
    }
}

fn argument_order(on: &Engine) -> Check {
    let mut out = vec![0];
    launch!(on, in_order(write out), LaunchConfig::cover(1))?;
    same("out", &out, &[124])
}

#[kernel]
fn also_nesting(out: &mut [u64]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = twice(i as u64);
    }
}

fn used_twice(on: &Engine) -> Check {
    let mut out = vec![0; 20];
    launch!(on, also_nesting(write out), LaunchConfig::cover(20))?;
    let want: Vec<u64> = (0..20).map(|i| 2 * i + 2).collect();
    same("out", &out, &want)
}

#[device]
trait Weighed {
    fn weight(&self) -> i32;
    fn grow(&mut self, by: i32);
}

#[device]
#[derive(Clone, Copy)]
struct Stone(i32);

#[device]
impl Weighed for Stone {
    fn weight(&self) -> i32 {
        self.0
    }
    fn grow(&mut self, by: i32) {
        self.0 += by;
    }
}

#[device]
fn total(
    a: &impl Weighed,
    b: impl Weighed,
    f: impl Fn(i32) -> i32,
    g: &impl Fn(i32) -> i32,
) -> i32 {
    f(a.weight()) + g(b.weight())
}

#[device]
fn feed(one: &mut impl Weighed, by: i32) {
    one.grow(by);
}

#[kernel]
fn weighing(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut stone = Stone(x[i]);
        feed(&mut stone, 3);
        let halved = |v| v / 2;
        let next = x.get(i + 1).copied().unwrap_or(-1);
        out[i] = total(&stone, Stone(next), |v| 10 * v, &halved);
    }
}

fn impl_arguments(on: &Engine) -> Check {
    let x: Vec<i32> = (0..70).map(|i| i * 7 - 100).collect();
    let mut out = vec![0; 70];
    launch!(on, weighing(read x, write out), LaunchConfig::cover(70))?;
    let next = |i: usize| if i == 69 { -1 } else { x[i + 1] };
    let want: Vec<i32> = (0..70).map(|i| 10 * (x[i] + 3) + next(i) / 2).collect();
    same("out", &out, &want)
}

#[device]
fn smooth(x: f32) -> f32 {
    const STEPS: usize = 3;
    fn step(x: f32) -> f32 {
        fn edge(x: f32) -> f32 {
            let two = 2.0;
            x.clamp(0.0, two)
        }
        edge(x) * clamp_to(x, -0.5, 0.5)
    }
    let mut y = x;
    for _ in 0..STEPS {
        y = step(y) + 1.0;
    }
    y
}

#[device]
#[derive(Clone, Copy)]
struct Weight(f32);

#[device]
impl Weight {
    fn doubled(self) -> f32 {
        fn double<T: Num>(x: T) -> T {
            x + x
        }
        double(self.0)
    }
}

/// Functions and constants declared inside a function need no attribute.
#[kernel(contract = false)]
fn with_functions_inside(x: &[f32], out: &mut [f32]) {
    const N: usize = 2;
    fn weight(i: usize, x: f32) -> f32 {
        let weights = [1.0, 2.0, 3.0];
        if i >= N {
            return -1.0;
        }
        weights[i] * smooth(x)
    }
    fn pair<T: Num>(a: T, b: T) -> (T, T) {
        (a + b, a - b)
    }
    let i = global_idx_x();
    if i < out.len() {
        let (sum, difference) = pair(x[i], 1.0);
        out[i] = weight(i, sum) + apply(weight, difference) + Weight(x[i]).doubled();
        fn apply<F: Fn(usize, f32) -> f32>(f: F, x: f32) -> f32 {
            f(1, x)
        }
    }
}

fn inside_of_others(on: &Engine) -> Check {
    let x = [0.5f32, 1.5, 2.5, -1.0];
    let (mut out, mut want) = (vec![0.0f32; 4], vec![0.0f32; 4]);
    let config = LaunchConfig::grid(1).block(4);
    host::for_each_thread(config, || with_functions_inside(&x, &mut want))?;
    launch!(on, with_functions_inside(read x, write out), config)?;
    same("out", &out, &want)
}

#[device]
#[derive(Clone, Copy)]
struct Fixed<const F: u32>(i32);

#[device]
impl<const F: u32> Fixed<F> {
    fn of(v: i32) -> Self {
        Self(v << F)
    }
}

#[device]
fn statistics(x: &[i32]) -> i32 {
    #[derive(Clone, Copy, Default)]
    struct Sums {
        sum: i32,
        count: i32,
    }
    type Pair = (i32, i32);
    let add = |sums: Sums, v: &i32| Sums { sum: sums.sum + v, count: sums.count + 1 };
    impl Sums {
        const TEN: i32 = 10;
        fn pair(self) -> Pair {
            (self.sum * Self::TEN, self.count)
        }
    }
    let pair: Pair = x.iter().fold(Sums::default(), add).pair();
    pair.0 + pair.1
}

#[kernel]
fn with_types_inside(x: &[i32], out: &mut [i32]) {
    type Quarter = Fixed<4>;
    #[derive(Clone, Copy, PartialEq)]
    enum Side {
        Left,
        Right(i32),
    }
    struct Wrapped<T>(T);
    trait Twice {
        fn twice(&self) -> i32;
    }
    impl<T: Int> Twice for Wrapped<T> {
        fn twice(&self) -> i32 {
            fn doubled(v: f32) -> f32 {
                2.0 * v
            }
            doubled(self.0.as_f32()) as i32
        }
    }
    fn side(v: i32) -> Side {
        if v < 2 { Side::Left } else { Side::Right(v) }
    }
    if global_idx_x() == 0 {
        out[0] = Quarter::of(3).0;
        out[1] = match side(x[1]) {
            Side::Left => 5,
            Side::Right(v) => v,
        };
        out[2] = statistics(x) + Wrapped(7).twice() - Wrapped(7).0;
        let quarter: Quarter = Fixed(9);
        out[3] = quarter.0 + (side(0) == Side::Left) as i32;
    }
}

fn types_inside(on: &Engine) -> Check {
    let (x, mut out) = (vec![1, 2, 3], vec![0; 4]);
    launch!(on, with_types_inside(read x, write out), LaunchConfig::grid(1))?;
    same("out", &out, &[48, 2, 70, 10])
}
