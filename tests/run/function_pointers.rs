//! Function pointers: selected, in tables, structs and options, passed on, set in loops and called.
use crate::run::engine::{Check, Engine, cases, launch, per_element, same};
use warpwise::prelude::*;

cases![
    chosen,
    in_tables,
    constant_table,
    passed_and_kept,
    set_in_loops,
    optional,
    by_reference,
    within,
    of_each_instance,
    expected_by_fields
];

#[device]
fn doubled(x: i32) -> i32 {
    x * 2
}

#[device]
fn squared(x: i32) -> i32 {
    x * x
}

#[device]
fn clamped(x: i32) -> i32 {
    if x < -20 {
        return -20;
    }
    x.min(20)
}

#[device]
fn added(x: i32, y: i32) -> i32 {
    x + y
}

#[device]
fn taken(x: i32, y: i32) -> i32 {
    x - y
}

#[device]
type Binary = fn(i32, i32) -> i32;

fn numbers() -> Vec<i32> {
    (0..200).map(|i| i * 37 % 101 - 50).collect()
}

#[kernel]
fn choosing(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let v = x[i];
    let op: fn(i32) -> i32 = if v % 2 == 0 { doubled } else { squared };
    out[4 * i] = op(v);
    let op = if v > 0 { clamped } else { squared };
    out[4 * i + 1] = op(v);
    let op = match v.rem_euclid(4) {
        0 => doubled as fn(i32) -> i32,
        1 => clamped,
        2 => i32::abs,
        _ => |v| v - 7,
    };
    out[4 * i + 2] = op(v) + op(v + 1);
    // Known functions are called directly.
    let op: fn(i32) -> i32 = doubled;
    out[4 * i + 3] = op(op(v));
}

fn chosen(on: &Engine) -> Check {
    let third = |v: i32, w: i32| match v.rem_euclid(4) {
        0 => 2 * w,
        1 => w.clamp(-20, 20),
        2 => w.abs(),
        _ => w - 7,
    };
    per_element!(on, choosing, numbers(), 4, |v: i32| [
        if v % 2 == 0 { 2 * v } else { v * v },
        if v > 0 { v.min(20) } else { v * v },
        third(v, v) + third(v, v + 1),
        4 * v,
    ])
}

#[kernel]
fn from_tables(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let ops: [Binary; 4] = [added, taken, i32::max, |a, b| a * b];
    out[3 * i] = ops[i % 4](x[i], 3);
    out[3 * i + 1] = ops.iter().fold(x[i], |v, op| op(v, 2));
    let table = [doubled, squared, clamped];
    let mut v = x[i] % 10;
    for op in table {
        v = op(v);
    }
    out[3 * i + 2] = v;
}

fn in_tables(on: &Engine) -> Check {
    let x = numbers();
    let mut out = vec![0; 3 * x.len()];
    launch!(on, from_tables(read x, write out), LaunchConfig::cover(x.len()).block(50))?;
    let want = x.iter().enumerate().flat_map(|(i, &v)| {
        let first = [v + 3, v - 3, v.max(3), v * 3][i % 4];
        let w = 2 * (v % 10);
        [first, (v + 2 - 2).max(2) * 2, (w * w).min(20)]
    });
    same("from_tables", &out, &want.collect::<Vec<_>>())
}

#[device]
const STEPS: [fn(i32) -> i32; 3] = [clamped, doubled, |v| v ^ 5];

#[kernel]
fn by_constant(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = STEPS[(x[i] & 1) as usize + usize::from(x[i] > 0)](x[i]);
    }
}

fn constant_table(on: &Engine) -> Check {
    per_element!(on, by_constant, numbers(), 1, |v: i32| [match (v & 1) + i32::from(v > 0) {
        0 => v.max(-20),
        1 if v > 0 => 2 * v,
        1 => 2 * v,
        _ => v ^ 5,
    }])
}

#[device]
fn twice(f: fn(i32) -> i32, x: i32) -> i32 {
    f(f(x))
}

#[device]
fn applied<F: Fn(i32) -> i32>(f: F, x: i32) -> i32 {
    f(x) + 1
}

#[device]
#[derive(Clone, Copy)]
struct Stage {
    op: fn(i32) -> i32,
    bias: i32,
}

#[device]
impl Stage {
    fn run(&self, x: i32) -> i32 {
        (self.op)(x) + self.bias
    }
}

#[device]
fn step_of(odd: bool) -> fn(i32) -> i32 {
    if odd { clamped } else { |v| v + 100 }
}

#[kernel]
fn passing(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let v = x[i] % 30;
    out[5 * i] = twice(clamped, v) + twice(|v| v + 1, v);
    let op = step_of(v % 2 != 0);
    out[5 * i + 1] = applied(op, v) + twice(op, v);
    let mut stage = Stage { op: squared, bias: 1 };
    let first = stage.run(v);
    if v > 3 {
        stage.op = doubled;
    }
    out[5 * i + 2] = first + stage.run(v);
    let stages = [stage, Stage { op: clamped, bias: 0 }];
    out[5 * i + 3] = stages[i % 2].run(v);
    out[5 * i + 4] = [v, 2, 3].into_iter().map(op).sum::<i32>();
}

fn passed_and_kept(on: &Engine) -> Check {
    let x = numbers();
    let mut out = vec![0; 5 * x.len()];
    launch!(on, passing(read x, write out), LaunchConfig::cover(x.len()).block(50))?;
    let want = x.iter().enumerate().flat_map(|(i, v)| {
        let v = v % 30;
        let clamp = |v: i32| v.clamp(-20, 20);
        let op = |w: i32| if v % 2 != 0 { clamp(w) } else { w + 100 };
        let stage = |w: i32| if v > 3 { 2 * w + 1 } else { w * w + 1 };
        [
            clamp(v) + v + 2,
            op(v) + 1 + op(op(v)),
            v * v + 1 + stage(v),
            if i % 2 == 0 { stage(v) } else { clamp(v) },
            op(v) + op(2) + op(3),
        ]
    });
    same("passing", &out, &want.collect::<Vec<_>>())
}

#[kernel]
fn setting(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let mut v = x[i];
    // The call precedes the choice of its next target.
    let mut op: fn(i32) -> i32 = doubled;
    for k in 0..4 {
        v = op(v) % 50;
        op = if k % 2 == 0 { |v| v - 3 } else { clamped };
    }
    out[i] = v;
}

fn set_in_loops(on: &Engine) -> Check {
    let stepped = |v: i32| {
        let v = 2 * v % 50;
        let v = (v - 3) % 50;
        let v = v.clamp(-20, 20);
        (v - 3) % 50
    };
    per_element!(on, setting, numbers(), 1, |v: i32| [stepped(v)])
}

#[kernel]
fn perhaps(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let op: Option<fn(i32) -> i32> = if x[i] < 0 {
        None
    } else if x[i] % 2 == 0 {
        Some(doubled)
    } else {
        Some(|v| v * 3)
    };
    out[2 * i] = op.map_or(-1, |op| op(x[i]));
    out[2 * i + 1] = match op {
        Some(op) => op(1),
        None => 0,
    };
}

fn optional(on: &Engine) -> Check {
    per_element!(on, perhaps, numbers(), 2, |v: i32| match v {
        ..0 => [-1, 0],
        v if v % 2 == 0 => [2 * v, 2],
        v => [3 * v, 3],
    })
}

#[device]
fn first_of(all: &[i32]) -> i32 {
    all[0]
}

#[device]
fn sum_of(all: &[i32]) -> i32 {
    all.iter().sum()
}

#[device]
fn bump(v: &mut i32) {
    *v += 1;
}

#[device]
fn halve(v: &mut i32) {
    *v /= 2;
}

#[kernel]
fn referring(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let of: fn(&[i32]) -> i32 = if x[i] < 0 { first_of } else { sum_of };
    out[2 * i] = of(&[x[i], 1, 2]);
    let change: fn(&mut i32) = if x[i] % 3 == 0 { bump } else { halve };
    let mut v = x[i];
    change(&mut v);
    change(&mut v);
    out[2 * i + 1] = v;
}

fn by_reference(on: &Engine) -> Check {
    per_element!(on, referring, numbers(), 2, |v: i32| [
        if v < 0 { v } else { v + 3 },
        if v % 3 == 0 { v + 2 } else { v / 2 / 2 },
    ])
}

#[device]
fn of_both(f: fn(i32) -> i32, g: fn(i32) -> i32, x: i32) -> i32 {
    f(g(x))
}

#[kernel]
fn nesting(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    let f: fn(i32) -> i32 = if x[i] < 3 { doubled } else { clamped };
    let g: fn(i32) -> i32 = if x[i] < 9 { |v| of_both(doubled, |w| w - 1, v) } else { squared };
    out[i] = of_both(f, g, x[i]);
}

fn within(on: &Engine) -> Check {
    let g = |x: i32, v: i32| if x < 9 { 2 * (v - 1) } else { v * v };
    let f = |x: i32, v: i32| if x < 3 { 2 * v } else { v.clamp(-20, 20) };
    per_element!(on, nesting, numbers(), 1, |x: i32| [f(x, g(x, x))])
}

#[device]
fn adder<const N: u32>() -> fn(u32) -> u32 {
    |x| x + N
}

#[device]
fn shifted<const N: u32>(x: u32) -> u32 {
    x << N
}

#[device]
trait Step {
    const BY: u32;
    fn go(x: u32) -> u32;
}

#[device]
struct One;

#[device]
impl Step for One {
    const BY: u32 = 1;
    fn go(x: u32) -> u32 {
        x + 1
    }
}

#[device]
struct Ten;

#[device]
impl Step for Ten {
    const BY: u32 = 10;
    fn go(x: u32) -> u32 {
        x ^ 10
    }
}

#[device]
fn stepper<S: Step>() -> fn(u32) -> u32 {
    |x| S::go(x) * S::BY
}

#[kernel]
fn instances(out: &mut [u32]) {
    let all: [fn(u32) -> u32; 8] = [
        adder::<1>(),
        adder::<2>(),
        stepper::<One>(),
        stepper::<Ten>(),
        One::go,
        <Ten as Step>::go,
        shifted::<3>,
        shifted::<5>,
    ];
    let i = global_idx_x();
    if i < out.len() {
        out[i] = all[i](100);
    }
}

/// The same closure in two instances of a function is two functions.
fn of_each_instance(on: &Engine) -> Check {
    let mut out = vec![0; 8];
    launch!(on, instances(write out), LaunchConfig::cover(8))?;
    same("sums", &[101, 102, 101, 1100, 101, 110, 800, 3200], &out)
}

#[device]
#[derive(Clone, Copy)]
struct Pointers {
    one: fn(f32) -> f32,
    two: fn(f32, f32) -> f32,
}

#[device]
fn call_pointer(f: fn(f32) -> f32, x: f32) -> f32 {
    f(x)
}

#[kernel]
fn pointers_in_fields(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let pointers = Pointers { one: |v| v.abs(), two: |a, b| a.max(b) };
        out[i] =
            (pointers.one)(x[i]) + (pointers.two)(x[i], 2.0) + call_pointer(|v| v.trunc(), x[i]);
    }
}

/// The type of a field or parameter tells the types of a closure's parameters.
fn expected_by_fields(on: &Engine) -> Check {
    let x: Vec<f32> = (0..20).map(|i| i as f32 * 0.75 - 6.0).collect();
    let mut out = vec![0.0; 20];
    launch!(on, pointers_in_fields(read x, write out), LaunchConfig::cover(20))?;
    let want: Vec<f32> = x.iter().map(|v| v.abs() + v.max(2.0) + v.trunc()).collect();
    same("out", &out, &want)
}
