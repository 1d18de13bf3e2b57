//! Kernels that are generic over user traits, compiled for named types.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::ops::Add;
use warpwise::{
    Rows, RowsMut,
    mma::{E4M3, E5M2},
    prelude::*,
};

cases![in_shared_memory: THREADS_MEET, operations: THREADS_MEET, elements, several_parameters, associated_types, types_of_other_crates, numbers, arrays, precompiled, shared_names, rows];

#[device]
mod operations_on {
    pub(crate) trait Operation {
        const START: f32;
        fn apply(a: f32, b: f32) -> f32;
        fn of_three(a: f32, b: f32, c: f32) -> f32 {
            Self::apply(Self::apply(a, b), c)
        }
    }

    #[derive(Clone, Copy)]
    pub(crate) struct Plus;
    #[derive(Clone, Copy)]
    pub(crate) struct Most;

    impl Operation for Plus {
        const START: f32 = 0.0;
        fn apply(a: f32, b: f32) -> f32 {
            a + b
        }
    }

    impl Operation for Most {
        const START: f32 = f32::NEG_INFINITY;
        fn apply(a: f32, b: f32) -> f32 {
            a.max(b)
        }
    }
}
use operations_on::{Most, Plus};

#[device]
fn combined<O: operations_on::Operation>(x: f32) -> f32 {
    let mut x = x;
    for distance in [16, 8, 4, 2, 1] {
        x = O::apply(x, warp::shfl_xor(x, distance));
    }
    x
}

#[kernel(block = 32, instances(Plus, operations_on::Most))]
fn reduce<O: operations_on::Operation>(x: &[f32], out: &mut [f32]) {
    let tile = shared!([f32; 32]);
    let t = thread_idx_x();
    tile[t] = x.get(global_idx_x()).copied().unwrap_or(O::START);
    sync_warp();
    assert!(O::of_three(O::START, O::START, tile[t]) == tile[t], "{}", O::START);
    let all = combined::<O>(tile[t]);
    if t == 0 {
        out[block_idx_x()] = all;
    }
}

fn operations(on: &Engine) -> Check {
    let x: Vec<f32> = (0..50).map(|i| ((i * 37) % 50) as f32).collect();
    let mut out = vec![0.0; 2];
    launch!(on, reduce::<Plus>(read x, write out), LaunchConfig::grid(2))?;
    let sums = x.chunks(32).map(|part| part.iter().sum::<f32>());
    same("sums", &out, &sums.collect::<Vec<_>>())?;
    launch!(on, reduce::<Most>(read x, write out), LaunchConfig::grid(2))?;
    let most = x.chunks(32).map(|part| part.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    same("most", &out, &most.collect::<Vec<_>>())
}

#[device]
trait Body {
    fn step(&mut self, by: f32);
    fn energy(&self) -> f32;
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bead {
    x: f32,
    v: f32,
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Disc {
    x: [f32; 2],
    v: [f32; 2],
    mass: f32,
}

#[device]
impl Body for Bead {
    fn step(&mut self, by: f32) {
        self.x += self.v * by;
    }
    fn energy(&self) -> f32 {
        self.v * self.v
    }
}

#[device]
impl Body for Disc {
    fn step(&mut self, by: f32) {
        for (x, v) in self.x.iter_mut().zip(self.v) {
            *x += v * by;
        }
    }
    fn energy(&self) -> f32 {
        self.mass * self.v.iter().map(|v| v * v).sum::<f32>()
    }
}

#[kernel(contract = false, instances(Bead, Disc), allow(gpu_aos_accesses))]
fn advance<B, const STEPS: usize>(by: f32, first: B, bodies: &mut [B], energy: &mut [f32])
where
    B: Body + Copy,
{
    let i = global_idx_x();
    if i < bodies.len() {
        for _ in 0..STEPS {
            bodies[i].step(by);
        }
        let body: B = bodies[i];
        energy[i] = body.energy() + first.energy();
    }
}

fn elements(on: &Engine) -> Check {
    let (by, first) = (0.5, Bead { x: 0.0, v: 3.0 });
    let mut bodies: Vec<Bead> = (0..70).map(|i| Bead { x: i as f32, v: 2.0 }).collect();
    let mut energy = vec![0.0; 70];
    launch!(on, advance::<Bead, 3>(value by, value first, write bodies, write energy), LaunchConfig::cover(70))?;
    let places: Vec<f32> = bodies.iter().map(|bead| bead.x).collect();
    same("beads", &places, &(0..70).map(|i| i as f32 + 3.0).collect::<Vec<_>>())?;
    same("energy", &energy, &[13.0; 70])?;
    let first = Disc { mass: 1.0, v: [1.0, 0.0], ..Disc::default() };
    let mut bodies = vec![Disc { x: [1.0, 2.0], v: [4.0, -4.0], mass: 0.5 }; 70];
    launch!(on, advance::<Disc, 1>(value by, value first, write bodies, write energy), LaunchConfig::cover(70))?;
    let places: Vec<f32> = bodies.iter().flat_map(|disc| disc.x).collect();
    same("discs", &places, &[[3.0f32, 0.0]; 70].concat())?;
    same("energy", &energy, &[17.0; 70])
}

#[kernel(contract = false, instances((i16, i32), (f32, f64)))]
fn widened<A, B>(x: &[A], y: &mut [B])
where
    A: Num,
    B: Num + From<A>,
{
    let i = global_idx_x();
    if i < x.len() {
        y[i] = B::from(x[i]) * B::from(x[i]) + B::ONE;
    }
}

fn several_parameters(on: &Engine) -> Check {
    let x: Vec<i16> = (0..40).map(|i| i * 700 - 14000).collect();
    let mut y = vec![0i32; 40];
    launch!(on, widened::<i16, i32>(read x, write y), LaunchConfig::cover(40))?;
    let want = x.iter().map(|x| i32::from(*x) * i32::from(*x) + 1);
    same("integers", &y, &want.collect::<Vec<_>>())?;
    let x: Vec<f32> = (0..40).map(|i| i as f32 / 7.0).collect();
    let mut y = vec![0.0; 40];
    launch!(on, widened::<f32, f64>(read x, write y), LaunchConfig::cover(40))?;
    let want = x.iter().map(|x| f64::from(*x) * f64::from(*x) + 1.0);
    same("floats", &y, &want.collect::<Vec<_>>())
}

#[device]
trait Cell {
    type State: Copy;
    const LIVES: bool;
    fn state(self) -> Self::State;
    fn number(state: Self::State) -> u32;
}

#[device]
impl Cell for u32 {
    type State = (u32, bool);
    const LIVES: bool = true;
    fn state(self) -> (u32, bool) {
        (self, self > 2)
    }
    fn number(state: (u32, bool)) -> u32 {
        state.0 + state.1 as u32
    }
}

#[device]
impl Cell for f32 {
    type State = [f32; 2];
    const LIVES: bool = false;
    fn state(self) -> [f32; 2] {
        [self, 0.5]
    }
    fn number(state: [f32; 2]) -> u32 {
        (state[0] + state[1]) as u32
    }
}

#[kernel(instances(u32, f32))]
fn states<C: Cell + Copy>(x: &[C], out: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let state: C::State = Cell::state(x[i]);
        let lives = if C::LIVES { 100 } else { 0 };
        out[i] = C::number(state) + lives;
    }
}

fn associated_types(on: &Engine) -> Check {
    let (x, mut out) = (vec![1u32, 2, 3], vec![0; 3]);
    launch!(on, states::<u32>(read x, write out), LaunchConfig::cover(3))?;
    same("of u32", &out, &[101, 102, 104])?;
    let x = vec![1.0f32, 1.5, 2.75];
    launch!(on, states::<f32>(read x, write out), LaunchConfig::cover(3))?;
    same("of f32", &out, &[1, 2, 3])
}

#[kernel(instances(f32, i64), contract = false)]
fn doubled<T: Num>(x: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i] += x[i];
    }
}

fn numbers(on: &Engine) -> Check {
    let mut x = vec![1.5f32, -2.0];
    launch!(on, doubled::<f32>(write x), LaunchConfig::cover(2))?;
    same("floats", &x, &[3.0, -4.0])?;
    let mut x = vec![1i64 << 40, -2];
    launch!(on, doubled::<i64>(write x), LaunchConfig::cover(2))?;
    same("integers", &x, &[1i64 << 41, -4])
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pair(i32, i32);

#[device]
impl Add for Pair {
    type Output = Pair;
    fn add(self, other: Pair) -> Pair {
        Pair(self.0 + other.0, self.1 - other.1)
    }
}

#[kernel(instances(Pair, i32))]
fn added<T: Add<Output = T> + Copy>(x: &[[T; 2]], y: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        let [a, b] = x[i];
        let sum: T::Output = a + b;
        y[i] = sum;
    }
}

fn arrays(on: &Engine) -> Check {
    let x = vec![[Pair(1, 2), Pair(3, 4)], [Pair(5, 6), Pair(7, 9)]];
    let mut y = vec![Pair::default(); 2];
    launch!(on, added::<Pair>(read x, write y), LaunchConfig::cover(2))?;
    same("pairs", &y.iter().map(|y| [y.0, y.1]).collect::<Vec<_>>().concat(), &[4, -2, 12, -3])?;
    let (x, mut y) = (vec![[1, 2], [3, 5]], vec![0; 2]);
    launch!(on, added::<i32>(read x, write y), LaunchConfig::cover(2))?;
    same("integers", &y, &[3, 8])
}

#[device]
trait Gathered: Copy {
    const NONE: Self;
    fn gather(self, other: Self) -> Self;
}

#[device]
impl Gathered for u32 {
    const NONE: u32 = 0;
    fn gather(self, other: u32) -> u32 {
        self | other
    }
}

/// Shared memory of a type that is not known to be `'static`.
#[kernel(block = 32, instances(u32))]
fn gathered<T: Gathered>(x: &[T], out: &mut [T]) {
    let t = thread_idx_x();
    let tile = shared!([T; 32]);
    tile[t] = x.get(t).copied().unwrap_or(T::NONE);
    sync_threads();
    out[t] = tile.iter().take(t + 1).fold(T::NONE, |all, value| all.gather(*value));
}

fn in_shared_memory(on: &Engine) -> Check {
    let x: Vec<u32> = (0..20).map(|i| 1 << i).collect();
    let mut out = vec![0; 32];
    launch!(on, gathered(read x, write out), LaunchConfig::grid(1))?;
    let want: Vec<u32> = (0..32).map(|i: u32| (1 << (i + 1).min(20)) - 1).collect();
    same("out", &out, &want)
}

/// A trait for types of the library.
#[device]
trait Float8 {
    const ONE: u8;
    fn value(bits: u8) -> f32;
}

#[device]
impl Float8 for E4M3 {
    const ONE: u8 = 0x38;
    fn value(bits: u8) -> f32 {
        E4M3::from_bits(bits).to_f32()
    }
}

#[device]
impl Float8 for E5M2 {
    const ONE: u8 = 0x3c;
    fn value(bits: u8) -> f32 {
        E5M2::from_bits(bits).to_f32()
    }
}

#[kernel(instances(E4M3, E5M2))]
fn above_one<T: Float8>(out: &mut [f32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = T::value(T::ONE + i as u8);
    }
}

fn types_of_other_crates(on: &Engine) -> Check {
    let mut out = vec![0.0; 3];
    launch!(on, above_one::<E4M3>(write out), LaunchConfig::cover(3))?;
    same("4 digits", &out, &[1.0, 1.125, 1.25])?;
    launch!(on, above_one::<E5M2>(write out), LaunchConfig::cover(3))?;
    same("3 digits", &out, &[1.0, 1.25, 1.5])
}

#[kernel(contract = false, precompile((f32, 3, true), (u8, 3, true), (f64, 4, false)))]
fn polynomial<T: Num, const TERMS: usize, const NEGATED: bool>(x: &[T], y: &mut [T]) {
    let i = global_idx_x();
    if i < y.len() {
        let mut sum = T::ZERO;
        for power in 0..TERMS {
            let factor = power as i32 + 5;
            sum = sum * x[i] + T::from_i32(if NEGATED { -factor } else { factor });
        }
        y[i] = sum;
    }
}

/// Some instances have embedded code, and the others are compiled at their launch.
fn precompiled(on: &Engine) -> Check {
    const N: usize = 300;
    let launch_config = LaunchConfig::cover(N);
    let x: Vec<f32> = (0..N).map(|i| i as f32 / 8.0).collect();
    let mut y = vec![0.0; N];
    launch!(on, polynomial::<f32, 3, true>(read x, write y), launch_config)?;
    let expected = |x: &f32| (-5.0 * x - 6.0) * x - 7.0;
    same("embedded f32", &y, &x.iter().map(expected).collect::<Vec<_>>())?;
    launch!(on, polynomial::<f32, 2, false>(read x, write y), launch_config)?;
    same("other f32", &y, &x.iter().map(|x| 5.0 * x + 6.0).collect::<Vec<_>>())?;
    let x: Vec<u8> = (0..N).map(|i| i as u8).collect();
    let mut y = vec![0; N];
    launch!(on, polynomial::<u8, 3, true>(read x, write y), launch_config)?;
    let expected =
        |&x: &u8| 251_u8.wrapping_mul(x).wrapping_add(250).wrapping_mul(x).wrapping_add(249);
    same("embedded u8", &y, &x.iter().map(expected).collect::<Vec<_>>())?;
    let x: Vec<f64> = (0..N).map(|i| i as f64).collect();
    let mut y = vec![0.0; N];
    launch!(on, polynomial::<f64, 4, false>(read x, write y), launch_config)?;
    let expected = |x: &f64| ((5.0 * x + 6.0) * x + 7.0) * x + 8.0;
    same("embedded f64", &y, &x.iter().map(expected).collect::<Vec<_>>())
}

#[device]
trait Named: Copy {
    const MAX: Self;
    fn abs(self) -> Self;
    fn name() -> u32;
}

#[device]
impl Named for i32 {
    const MAX: Self = 7;
    fn abs(self) -> Self {
        self + 100
    }
    fn name() -> u32 {
        1
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Own(i32);

#[device]
impl Own {
    const MAX: Self = Own(-1);

    fn abs(self) -> Self {
        Own(-2)
    }

    fn name() -> u32 {
        3
    }
}

#[device]
impl Named for Own {
    const MAX: Self = Own(8);
    fn abs(self) -> Self {
        Own(self.0 + 200)
    }
    fn name() -> u32 {
        2
    }
}

#[kernel(instances(i32, Own))]
fn by_bound<T: Named>(x: &mut [T], names: &mut [u32]) {
    x[0] = T::MAX;
    x[1] = T::abs(x[1]);
    names[0] = T::name();
    assert!(T::name() < 3 && names[0] == T::name());
}

/// A path that begins with a parameter means the function or constant of the bound, even if the
/// type has one of that name.
fn shared_names(on: &Engine) -> Check {
    let (mut x, mut names) = (vec![-3, -4], vec![0]);
    let one = LaunchConfig::grid(1).block(1);
    launch!(on, by_bound::<i32>(write x, write names), one)?;
    same("x", &x, &[7, 96])?;
    same("names", &names, &[1])?;
    let mut x = vec![Own(-3), Own(-4)];
    launch!(on, by_bound::<Own>(write x, write names), one)?;
    same("x", &[x[0].0, x[1].0], &[8, 196])?;
    same("names", &names, &[2])?;
    // The type's own ones have other values.
    same("own", &[Own::MAX.0, Own(1).abs().0], &[-1, -2])?;
    same("name", &[Own::name()], &[3])
}

#[kernel(instances(f32, i64))]
fn add_rows<P: Num>(x: Rows<P>, mut sums: RowsMut<P>) {
    let column = global_idx_x();
    if column < x.columns() {
        sums[(0, column)] = x[(0, column)] + x[(1, column)];
    }
}

fn rows(on: &Engine) -> Check {
    let Engine::Device { device, .. } = on else { return Ok(()) };
    let x = device.upload_2d(&[1i64, 2, 3, 10, 20, 30], (2, 3))?;
    let mut sums = device.zeros_2d((1, 3))?;
    add_rows::launch(device, LaunchConfig::cover(3), &x, &mut sums)?;
    same("sums", &sums.to_vec()?, &[11, 22, 33])
}
