//! Items of std named alone after a `use`.
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::{
    array::from_fn,
    cmp::{Ordering as Order, max, min},
    f32::consts::{FRAC_PI_2, LN_2, PI},
    mem::{replace, swap, take},
    sync::atomic::{self, AtomicU32 as Counter, Ordering as Memory},
};
use warpwise::prelude::*;

cases![renamed, functions, constants: FUSES, of_items, inside_of_functions, variants, own_types];

#[kernel]
fn rearranged(x: &[i32], out: &mut [[i32; 5]]) {
    let i = global_idx_x();
    let (mut a, mut b) = (x[i], 2 * x[i] + 1);
    swap(&mut a, &mut b);
    let old = replace(&mut a, 9);
    let taken = take(&mut b);
    let squares: [i32; 4] = from_fn(|k| (k * k) as i32 + x[i]);
    out[i] = [
        min(x[i], 3),
        max(old, taken),
        a + b,
        squares.iter().copied().fold(i32::MIN, max),
        min::<usize>(i, 2) as i32,
    ];
}

fn functions(on: &Engine) -> Check {
    let x: Vec<i32> = (0..64).map(|i| i * 37 % 41 - 20).collect();
    let mut out = vec![[0i32; 5]; 64];
    launch!(on, rearranged(read x, write out), LaunchConfig::grid(1).block(64))?;
    let want =
        x.iter().enumerate().map(|(i, &v)| [v.min(3), v.max(2 * v + 1), 9, v + 9, i.min(2) as i32]);
    same("out", &out.concat(), &want.collect::<Vec<_>>().concat())
}

#[kernel]
fn angles(x: &[f32], out: &mut [f32], wide: &mut [f64]) {
    let i = global_idx_x();
    let turned = (FRAC_PI_2 * 2.0).floor() + PI.sqrt();
    out[i] = PI * x[i] + turned;
    wide[i] = LN_2 as f64 + wide::half_turn(f64::from(x[i]));
}

mod wide {
    use std::f64::consts::{PI, TAU as TURN};
    use warpwise::prelude::*;

    #[device]
    const TAU: f64 = 6.0;

    #[device]
    pub(super) fn half_turn(x: f64) -> f64 {
        let turns = TURN / PI;
        assert!(turns == 2.0);
        PI * x + TAU
    }
}

fn constants(on: &Engine) -> Check {
    let x = vec![0.0f32, 1.5, -2.0];
    let (mut out, mut wide) = (vec![0.0f32; 3], vec![0.0f64; 3]);
    launch!(on, angles(read x, write out, write wide), LaunchConfig::grid(1).block(3))?;
    let turned = (FRAC_PI_2 * 2.0).floor() + PI.sqrt();
    let want: Vec<f32> = x.iter().map(|x| PI.mul_add(*x, turned)).collect();
    same("out", &out, &want)?;
    let half = |x: f64| std::f64::consts::PI.mul_add(x, 6.0);
    let want = x.iter().map(|x| f64::from(LN_2) + half(f64::from(*x)));
    same("wide", &wide, &want.collect::<Vec<_>>())
}

mod own {
    use warpwise::prelude::*;

    #[device]
    pub(super) const E: u32 = 7;

    #[device]
    pub(super) fn min(a: u32, b: u32) -> u32 {
        a * 100 + b
    }

    #[kernel]
    pub(super) fn owned(out: &mut [u32]) {
        out[0] = min(E, 3);
    }
}

fn of_items(on: &Engine) -> Check {
    use own::owned;
    let mut out = vec![0u32; 1];
    launch!(on, owned(write out), LaunchConfig::grid(1).block(1))?;
    same("out", &out, &[703])
}

#[device]
fn least_of(x: &[i32]) -> i32 {
    use std::cmp as compare;
    x.iter().copied().fold(i32::MAX, |a, b| compare::min(a, b))
}

/// A `use` inside a function, of std's items and of others.
#[kernel(contract = false)]
fn imports(x: &[i32], out: &mut [f32]) {
    use self::least_of as least;
    use std::f32::consts::TAU;
    let i = global_idx_x();
    if i < x.len() {
        use std::cmp::{max as greater, min};
        let max = min(greater(x[i], 2), 9);
        assert!(greater(max, 2) == max && TAU > 6.0, "{} of {}", greater(max, 2), TAU);
        out[i] = max as f32 * TAU + least(x) as f32;
    }
}

fn inside_of_functions(on: &Engine) -> Check {
    let x: Vec<i32> = (0..40).map(|i| i * 37 % 41 - 20).collect();
    let mut out = vec![0.0f32; 40];
    launch!(on, imports(read x, write out), LaunchConfig::cover(40))?;
    let least = *x.iter().min().ok_or("there are numbers")?;
    let want = x.iter().map(|x| (*x).clamp(2, 9) as f32 * std::f32::consts::TAU + least as f32);
    same("out", &out, &want.collect::<Vec<_>>())
}

#[device]
#[derive(Clone, Copy, PartialEq)]
enum Token {
    Number(f32),
    Plus,
    Minus,
}

use Token::{Minus as Less, Number, Plus};

#[device]
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

/// Variants under names of their own, from a `use` in the module or in the function.
#[kernel]
fn computed(tokens: &[Token], out: &mut [f32], sides: &mut [Side]) {
    use Side::{Left, Right};
    let (mut stack, mut top) = ([0.0; 8], 0);
    for token in tokens {
        match *token {
            Number(value) => {
                stack[top] = value;
                top += 1;
            }
            Plus | Less => {
                let (a, b) = (stack[top - 2], stack[top - 1]);
                top -= 1;
                stack[top - 1] = if matches!(token, Plus) { a + b } else { a - b };
            }
        }
    }
    out[global_idx_x()] = stack[0];
    sides[global_idx_x()] = match stack[0] > 0.0 && tokens[0] == Number(3.0) {
        true => Right,
        false => Left,
    };
}

fn variants(on: &Engine) -> Check {
    let tokens = vec![Number(3.0), Number(1.5), Less, Number(4.0), Plus];
    let (mut out, mut sides) = (vec![0.0; 2], vec![Side::Left; 2]);
    let config = LaunchConfig::grid(1).block(2);
    launch!(on, computed(read tokens, write out, write sides), config)?;
    same("out", &out, &[5.5, 5.5])?;
    if sides == [Side::Right; 2] { Ok(()) } else { Err("on the left".into()) }
}

#[device]
mod algebra {
    pub(super) trait Operation {
        const START: i32;
        fn apply(a: i32, b: i32) -> i32;
    }

    #[derive(Clone, Copy)]
    pub(super) struct Add;

    #[derive(Clone, Copy)]
    pub(super) struct Mul(pub(super) i32);

    impl Operation for Add {
        const START: i32 = 0;
        fn apply(a: i32, b: i32) -> i32 {
            a + b
        }
    }

    impl Operation for Mul {
        const START: i32 = 1;
        fn apply(a: i32, b: i32) -> i32 {
            a * b
        }
    }

    impl std::ops::Mul for Mul {
        type Output = Self;
        fn mul(self, other: Self) -> Self {
            Self(Self::apply(self.0, other.0))
        }
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Range {
        pub(super) from: i32,
        pub(super) to: i32,
    }

    impl Range {
        pub(super) fn of(from: i32, to: i32) -> Self {
            Range { from, to }
        }
        pub(super) fn holds(self, x: i32) -> bool {
            self.from <= x && x < self.to
        }
    }

    #[derive(Clone, Copy)]
    pub(super) struct Arc {
        pub(super) to: usize,
    }

    #[derive(Clone, Copy)]
    pub(super) enum Index {
        Nowhere,
        At(usize),
    }

    #[allow(non_upper_case_globals, reason = "a name of std's")]
    pub(super) const Sum: i32 = 1000;

    pub(super) fn fold<O: Operation>(x: &[i32]) -> i32 {
        x.iter().fold(O::START, |a, b| O::apply(a, *b))
    }
}
use algebra::{Add, Arc, Index, Mul, Operation, Range, Sum};

/// Types and constants with the names of std's traits and types.
#[kernel]
fn named_as_std(range: Range, x: &[i32], at: &[Index], out: &mut [i32]) {
    let i = global_idx_x();
    let inside = Range::of(-5, 10).holds(x[i]) && range.holds(x[i]);
    let place = match at[i] {
        Index::Nowhere => 0,
        Index::At(place) => {
            let Arc { to } = Arc { to: place };
            x[to]
        }
    };
    let (sum, product) = (algebra::fold::<Add>(&x[..3]), algebra::fold::<algebra::Mul>(&x[..3]));
    let Mul(square) = Mul(x[i]) * Mul(x[i]);
    out[i] = sum + product + Add::apply(square, place) + if inside { Sum } else { 0 };
}

fn own_types(on: &Engine) -> Check {
    let x: Vec<i32> = (0..40).map(|i| i * 7 % 19 - 4).collect();
    let at: Vec<Index> =
        (0..40).map(|i| if i % 3 == 0 { Index::Nowhere } else { Index::At(39 - i) }).collect();
    let (range, mut out) = (Range { from: 0, to: 100 }, vec![0; 40]);
    let config = LaunchConfig::grid(1).block(40);
    launch!(on, named_as_std(value range, read x, read at, write out), config)?;
    let start = x[..3].iter().sum::<i32>() + x[..3].iter().product::<i32>();
    let want: Vec<i32> = (0..40)
        .map(|i| {
            let place = if i % 3 == 0 { 0 } else { x[39 - i] };
            start + x[i] * x[i] + place + if (0..10).contains(&x[i]) { 1000 } else { 0 }
        })
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn ordered(x: &[f32], less: &[Counter], out: &mut [i32]) {
    let i = global_idx_x();
    let order = x[i].partial_cmp(&x[(i + 1) % x.len()]).unwrap_or(Order::Equal);
    if order == Order::Less {
        less[0].fetch_add(1, Memory::Relaxed);
    }
    less[0].fetch_add(2, atomic::Ordering::Relaxed);
    out[i] = match order {
        Order::Less => -1,
        Order::Equal => 0,
        Order::Greater => 1,
    };
}

fn renamed(on: &Engine) -> Check {
    let x = vec![1.0f32, 2.0, 2.0, f32::NAN, -1.0];
    let (mut less, mut out) = (vec![0u32], vec![7; 5]);
    launch!(on, ordered(read x, atomic less, write out), LaunchConfig::grid(1).block(5))?;
    same("less", &less, &[12])?;
    same("out", &out, &[-1, 0, 0, 0, -1])
}
