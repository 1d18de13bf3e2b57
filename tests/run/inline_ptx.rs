//! Inline PTX: the PTX on a GPU, and its fallback elsewhere.
#![expect(unsafe_code, reason = "inline PTX needs it")]
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "each computes what its fallback computes, and nothing else"
)]
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![
    one_output,
    several_outputs,
    types,
    no_output,
    order_of_operands,
    in_device_functions,
    generic_kernels,
    loops,
    conditions,
    macros,
    closures,
    braces,
];

#[kernel]
fn parity(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    if i + 2 < x.len() && i < y.len() {
        y[i] = unsafe {
            ptx!(
                "lop3.b32 {d}, {a}, {b}, {c}, 0x96;",
                d = out(u32), a = in(u32) x[i], b = in(u32) x[i + 1], c = in(u32) x[i + 2],
                options(pure),
                else { a ^ b ^ c }
            )
        };
    }
}

fn one_output(on: &Engine) -> Check {
    let x: Vec<u32> = (0..102).map(|i| i * 0x9e37_79b9).collect();
    let mut y = vec![0u32; 100];
    launch!(on, parity(read x, write y), LaunchConfig::cover(100))?;
    let expected: Vec<u32> = (0..100).map(|i| x[i] ^ x[i + 1] ^ x[i + 2]).collect();
    same("y", &y, &expected)
}

#[kernel]
fn halves_of_products(x: &[u32], low: &mut [u32], high: &mut [u64]) {
    let i = global_idx_x();
    if i < x.len() {
        let (l, h, is_odd) = unsafe {
            ptx!(
                "mul.wide.u32 {h}, {a}, {a};",
                "cvt.u32.u64 {l}, {h};",
                "shr.u64 {h}, {h}, 32;",
                "{{ .reg .b32 %t<2>; and.b32 %t1, {l}, 1; setp.eq.u32 {odd}, %t1, 1; }}",
                l = out(u32), h = out(u64), odd = out(bool), a = in(u32) x[i],
                else {
                    let product = a as u64 * a as u64;
                    (product as u32, product >> 32, product % 2 == 1)
                }
            )
        };
        low[i] = l;
        high[i] = if is_odd { h } else { h + 1000 };
    }
}

fn several_outputs(on: &Engine) -> Check {
    let x: Vec<u32> = (0..100).map(|i| 0xffff_fff0 - 3 * i).collect();
    let (mut low, mut high) = (vec![0u32; 100], vec![0u64; 100]);
    launch!(on, halves_of_products(read x, write low, write high), LaunchConfig::cover(100))?;
    let product = |x: &u32| u64::from(*x) * u64::from(*x);
    same("low", &low, &x.iter().map(|x| product(x) as u32).collect::<Vec<_>>())?;
    let high_of = |x: &u32| (product(x) >> 32) + if product(x) % 2 == 1 { 0 } else { 1000 };
    same("high", &high, &x.iter().map(high_of).collect::<Vec<_>>())
}

#[kernel]
fn every_type(x: &[f32], y: &mut [f64], flag: bool) {
    let i = global_idx_x();
    if i < x.len() {
        let half = f16::from_f32(x[i]);
        let doubled = unsafe {
            ptx!("add.f16 {d}, {a}, {a};", d = out(f16), a = in(f16) half, else { a + a })
        };
        let brain = bf16::from_f32(x[i]);
        let same =
            unsafe { ptx!("mov.b16 {d}, {a};", d = out(bf16), a = in(bf16) brain, else { a }) };
        let short = x[i] as i16;
        let (negated, wide) = unsafe {
            ptx!(
                "neg.s16 {n}, {a};",
                "cvt.s64.s16 {w}, {a};",
                n = out(i16), w = out(i64), a = in(i16) short,
                else { (-a, a as i64) }
            )
        };
        let bits = x[i] as u16;
        let flipped = unsafe {
            ptx!("not.b16 {d}, {a};", d = out(u16), a = in(u16) bits, options(pure), else { !a })
        };
        let chosen = unsafe {
            ptx!(
                "selp.f32 {d}, {a}, {b}, {p};",
                d = out(f32), a = in(f32) x[i], b = in(f32) -1.0, p = in(bool) flag,
                else { if p { a } else { b } }
            )
        };
        let sum = unsafe {
            ptx!(
                "add.rn.f64 {d}, {a}, {a};",
                d = out(f64), a = in(f64) x[i] as f64,
                else { a + a }
            )
        };
        let place = unsafe {
            ptx!("add.u64 {d}, {i}, 1;", d = out(usize), i = in(usize) i, else { i + 1 })
        };
        y[i] = doubled.to_f32() as f64
            + same.to_f32() as f64
            + negated as f64
            + wide as f64
            + flipped as f64
            + chosen as f64
            + sum
            + place as f64;
    }
}

fn types(on: &Engine) -> Check {
    let x: Vec<f32> = (0..40).map(|i| i as f32).collect();
    for flag in [false, true] {
        let mut y = vec![0f64; 40];
        launch!(on, every_type(read x, write y, value flag), LaunchConfig::cover(40))?;
        let expected = |i: usize| {
            let x = i as f64;
            let chosen = if flag { x } else { -1.0 };
            2.0 * x + x - x + x + f64::from(!(i as u16)) + chosen + 2.0 * x + (x + 1.0)
        };
        same("y", &y, &(0..40).map(expected).collect::<Vec<_>>())?;
    }
    Ok(())
}

#[kernel]
fn wait_a_little(y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() {
        unsafe { ptx!("nanosleep.u32 20;", else {}) };
        y[i] += 1;
        unsafe {
            ptx!("nanosleep.u32 {t};", t = in(u32) y[i], else {
                let _ = t;
            })
        }
    }
}

fn no_output(on: &Engine) -> Check {
    let mut y = vec![4u32; 33];
    launch!(on, wait_a_little(write y), LaunchConfig::cover(33))?;
    same("y", &y, &[5; 33])
}

#[kernel]
fn exchange(y: &mut [u32]) {
    if global_idx_x() == 0 {
        let a = 10u32;
        let b = 3u32;
        // The values are computed before their names are in scope.
        y[0] = unsafe {
            ptx!(
                "sub.u32 {d}, {a}, {b};",
                d = out(u32), a = in(u32) b + 100, b = in(u32) a,
                else { a - b }
            )
        };
        y[1] = a - b;
    }
}

fn order_of_operands(on: &Engine) -> Check {
    let mut y = vec![0u32; 2];
    launch!(on, exchange(write y), LaunchConfig::cover(1))?;
    same("y", &y, &[93, 7])
}

/// Returns the sum of the absolute differences of the bytes of two words.
#[device]
fn difference(a: u32, b: u32) -> u32 {
    unsafe {
        ptx!(
            "vabsdiff4.u32.u32.u32.add {d}, {a}, {b}, {zero};",
            d = out(u32), a = in(u32) a, b = in(u32) b, zero = in(u32) 0,
            options(pure),
            else {
                let mut sum = zero;
                for byte in 0..4u32 {
                    let (a, b) = (a >> (8 * byte) & 0xff, b >> (8 * byte) & 0xff);
                    sum += a.abs_diff(b);
                }
                sum
            }
        )
    }
}

#[device]
struct Counter {
    value: u32,
}

#[device]
impl Counter {
    fn bump(&mut self, by: u32) -> u32 {
        self.value = unsafe {
            ptx!("add.u32 {d}, {a}, {by};", d = out(u32), a = in(u32) self.value, by = in(u32) by,
                 else { a.wrapping_add(by) })
        };
        self.value
    }
}

#[kernel]
fn differences(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut counter = Counter { value: 5 };
        counter.bump(difference(x[i], 0x0102_0304));
        y[i] = counter.bump(1);
    }
}

fn in_device_functions(on: &Engine) -> Check {
    let x: Vec<u32> = (0..70).map(|i| i * 0x0307_0b01).collect();
    let mut y = vec![0u32; 70];
    launch!(on, differences(read x, write y), LaunchConfig::cover(70))?;
    let bytes = |x: u32| x.to_le_bytes().into_iter().zip(0x0102_0304_u32.to_le_bytes());
    let expected = |x: &u32| bytes(*x).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>() + 6;
    same("y", &y, &x.iter().map(expected).collect::<Vec<_>>())
}

#[kernel]
fn scaled<T: Num, const N: usize>(x: &[T], y: &mut [T]) {
    let i = global_idx_x();
    if i < x.len() {
        let times = unsafe {
            ptx!("add.u64 {d}, {n}, 1;", d = out(usize), n = in(usize) N, options(pure), else { n + 1 })
        };
        y[i] = x[i] * T::from_usize(times);
    }
}

fn generic_kernels(on: &Engine) -> Check {
    let x: Vec<f64> = (0..50).map(f64::from).collect();
    let mut y = vec![0f64; 50];
    launch!(on, scaled::<f64, 6>(read x, write y), LaunchConfig::cover(50))?;
    same("y", &y, &x.iter().map(|x| 7.0 * x).collect::<Vec<_>>())
}

#[kernel]
fn steps(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut value = x[i];
        for step in 0..x[i] % 7 {
            value = unsafe {
                ptx!(
                    "mad.lo.u32 {d}, {v}, 3, {s};",
                    d = out(u32), v = in(u32) value, s = in(u32) step,
                    else { v.wrapping_mul(3).wrapping_add(s) }
                )
            };
            if value % 5 == 0 {
                continue;
            }
            value += 1;
        }
        for _ in 0..4 {
            value = unsafe {
                ptx!("brev.b32 {d}, {v};", d = out(u32), v = in(u32) value,
                                  options(pure), else { v.reverse_bits() })
            };
            value = value.wrapping_add(i as u32);
        }
        y[i] = value;
    }
}

fn loops(on: &Engine) -> Check {
    let x: Vec<u32> = (0..90).collect();
    let mut y = vec![0u32; 90];
    launch!(on, steps(read x, write y), LaunchConfig::cover(90))?;
    let expected = |&x: &u32| {
        let mut value = x;
        for step in 0..x % 7 {
            value = value.wrapping_mul(3).wrapping_add(step);
            if value % 5 != 0 {
                value += 1;
            }
        }
        (0..4).fold(value, |value, _| value.reverse_bits().wrapping_add(x))
    };
    same("y", &y, &x.iter().map(expected).collect::<Vec<_>>())
}

#[kernel]
fn conditional(x: &[u32], y: &mut [u32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let is_high = unsafe {
        ptx!("setp.gt.u32 {p}, {a}, 50;", p = out(bool), a = in(u32) x[i], options(pure),
             else { a > 50 })
    };
    if is_high {
        y[i] = unsafe {
            ptx!("min.u32 {d}, {a}, 60;", d = out(u32), a = in(u32) x[i], else {
                if a < 60 {
                    a
                } else {
                    60
                }
            })
        };
    } else {
        y[i] = match x[i] % 3 {
            0 => unsafe { ptx!("mov.u32 {d}, 1000;", d = out(u32), else { 1000 }) },
            1 => 7,
            _ => x[i],
        };
    }
}

fn conditions(on: &Engine) -> Check {
    let x: Vec<u32> = (0..80).collect();
    let mut y = vec![0u32; 80];
    launch!(on, conditional(read x, write y), LaunchConfig::cover(80))?;
    let expected = |&x: &u32| match x {
        51.. => x.min(60),
        x if x % 3 == 0 => 1000,
        x if x % 3 == 1 => 7,
        x => x,
    };
    same("y", &y, &x.iter().map(expected).collect::<Vec<_>>())
}

macro_rules! add_one {
    ($value:expr) => {
        unsafe { ptx!("add.u32 {d}, {v}, 1;", d = out(u32), v = in(u32) $value, else { v + 1 }) }
    };
}

#[kernel]
fn in_macros(y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() {
        let v = y[i];
        y[i] = add_one!(v * 2)
            + unsafe { warpwise::ptx!("mov.u32 {d}, 3;", d = out(u32), else { 3 }) };
        assert!(add_one!(v) == v + 1);
    }
}

fn macros(on: &Engine) -> Check {
    let mut y: Vec<u32> = (0..20).collect();
    launch!(on, in_macros(write y), LaunchConfig::cover(20))?;
    same("y", &y, &(0..20).map(|y| 2 * y + 4).collect::<Vec<_>>())
}

#[kernel]
fn in_closures(y: &mut [u32]) {
    let i = global_idx_x();
    let next = |x: u32| unsafe {
        ptx!("add.u32 {d}, {x}, 1;", d = out(u32), x = in(u32) x, else { x + 1 })
    };
    if let Some(y) = y.get_mut(i) {
        *y = (0..3).map(next).sum::<u32>() + next(*y);
    }
}

fn closures(on: &Engine) -> Check {
    let mut y: Vec<u32> = (0..20).collect();
    launch!(on, in_closures(write y), LaunchConfig::cover(20))?;
    same("y", &y, &(0..20).map(|y| y + 7).collect::<Vec<_>>())
}

/// A label, a scope, a vector of registers, and a `$`.
#[kernel]
fn with_braces(y: &mut [u32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = unsafe {
            ptx!(
                "{{",
                ".reg .b64 $pair; .reg .pred $p;",
                "mov.b64 $pair, {{ {a}, {a} }};",
                "mov.b64 {{ {d}, {a} }}, $pair;",
                "setp.lt.u32 $p, {d}, 10;",
                "@$p bra $done;",
                "mov.u32 {d}, 10;",
                "$done:",
                "}}",
                d = out(u32),
                a = in(u32) y[i],
                else { a.min(10) }
            )
        };
    }
}

fn braces(on: &Engine) -> Check {
    let mut y: Vec<u32> = (0..64).collect();
    launch!(on, with_braces(write y), LaunchConfig::cover(64))?;
    same("y", &y, &(0..64).map(|y| y.min(10)).collect::<Vec<_>>())
}
