//! Control flow: the executed statements, their order, and the resulting value.
use crate::run::engine::{Check, Engine, cases, launch, per_element, same};
use warpwise::prelude::*;

cases![
    choices,
    short_circuit,
    early_returns,
    shadowing,
    deferred,
    evaluation_order,
    no_threads_left,
    negative_patterns,
    pattern_that_never_matches,
];

pub(super) fn below_100() -> Vec<i32> {
    (0..100).collect()
}

#[kernel]
fn choose(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        let kind = if v % 15 == 0 {
            3
        } else if v % 5 == 0 {
            2
        } else if v % 3 == 0 {
            1
        } else {
            0
        };
        out[i * 3] = kind;
        if v > 50 {
            out[i * 3 + 1] = 7;
        } else {
            if v > 20 {
                out[i * 3 + 1] = 8;
            }
        }
        out[i * 3 + 2] = {
            let half = v / 2;
            half * 2
        } + if v & 1 == 1 { 1 } else { 0 };
    }
}

fn choices(on: &Engine) -> Check {
    per_element!(on, choose, below_100(), 3, |v| {
        let kind = match (v % 5, v % 3) {
            (0, 0) => 3,
            (0, _) => 2,
            (_, 0) => 1,
            _ => 0,
        };
        [
            kind,
            if v > 50 {
                7
            } else if v > 20 {
                8
            } else {
                0
            },
            v,
        ]
    })
}

/// Each right side would fault where the left side decides.
#[kernel]
fn guarded(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let far = i + 90;
        let mut bits = 0;
        if far < x.len() && x[far] > 95 {
            bits += 1;
        }
        if far >= x.len() || x[far] > 95 {
            bits += 2;
        }
        let divides = x[i] != 0 && 100 % x[i] == 0;
        if divides && (i > 3 || far < x.len()) {
            bits += 4;
        }
        let mut k = i;
        while k < x.len() && x[k] % 7 != 0 {
            k += 1;
        }
        out[i * 2] = bits;
        out[i * 2 + 1] = k as i32;
    }
}

fn short_circuit(on: &Engine) -> Check {
    per_element!(on, guarded, below_100(), 2, |v: i32| {
        let far = v + 90;
        let first = far < 100 && far > 95;
        let second = far >= 100 || far > 95;
        let divides = v != 0 && 100 % v == 0 && (v > 3 || far < 100);
        let bits = i32::from(first) + 2 * i32::from(second) + 4 * i32::from(divides);
        [bits, ((v + 6) / 7 * 7).min(100)]
    })
}

#[kernel]
fn returning(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i >= x.len() {
        return;
    }
    out[i] = 1;
    if x[i] % 2 == 0 {
        return;
    }
    out[i] = 2;
    for k in 0..x[i] {
        if k == 30 {
            return;
        }
        out[i] = k + 10;
    }
    out[i] += 1000;
}

fn early_returns(on: &Engine) -> Check {
    per_element!(on, returning, below_100(), 1, |v: i32| {
        [match v {
            v if v % 2 == 0 => 1,
            v if v > 30 => 39,
            v => v + 1009,
        }]
    })
}

#[kernel]
fn shadow(x: &[i32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        let v = v * 2;
        let mut total = 0.0;
        for i in 0..3 {
            let v = (v + i) as f32;
            total += v;
            {
                let mut total = v;
                total += 100.0;
                if total < 0.0 {
                    return;
                }
            }
        }
        let v = total + v as f32;
        out[i] = v;
    }
}

fn shadowing(on: &Engine) -> Check {
    per_element!(on, shadow, below_100(), 1, |v: i32| [(8 * v + 3) as f32])
}

#[kernel]
fn later(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let kind;
        let mut size;
        if x[i] > 50 {
            kind = 1;
            size = 10;
        } else {
            kind = 2;
            size = 20;
        }
        size += kind;
        out[i] = size;
    }
}

fn deferred(on: &Engine) -> Check {
    per_element!(on, later, below_100(), 1, |v: i32| [if v > 50 { 11 } else { 22 }])
}

#[kernel]
fn order(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut a = x[i];
        let start = a;
        // The right side of a compound assignment comes first.
        a += {
            a = 10;
            5
        };
        out[i * 3] = a + start;
        let mut b = 1;
        let c = b * 100
            + {
                b = 2;
                b * 10
            }
            + b;
        out[i * 3 + 1] = c;
        let mut calls = 0;
        let either = {
            calls += 1;
            x[i] > 50
        } || {
            calls += 10;
            x[i] > 20
        };
        out[i * 3 + 2] = if either { calls } else { -calls };
    }
}

fn evaluation_order(on: &Engine) -> Check {
    per_element!(on, order, below_100(), 3, |v: i32| [
        15 + v,
        122,
        if v > 50 {
            1
        } else if v > 20 {
            11
        } else {
            -11
        }
    ])
}

#[kernel]
fn all_return(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = x[i];
        loop {
            if x[i] >= 0 {
                return;
            }
        }
    }
}

fn no_threads_left(on: &Engine) -> Check {
    per_element!(on, all_return, below_100(), 1, |v| [v])
}

#[kernel]
fn signs(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        out[i] = match x[i] - 50 {
            -50 => 1,
            -49..=-10 => 2,
            -9..=9 => 3,
            _ => 4,
        };
    }
}

fn negative_patterns(on: &Engine) -> Check {
    per_element!(on, signs, below_100(), 1, |v: i32| [match v {
        0 => 1,
        1..=40 => 2,
        41..=59 => 3,
        _ => 4,
    }])
}

/// A pattern that is known not to match binds nothing.
#[kernel]
fn never(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let none = if false { Some((x[i], 1)) } else { None };
        out[i] = x[i];
        if let Some((a, _)) = none
            && {
                out[i] = 1;
                a > 3
            }
        {
            out[i] = a;
        }
        if let Some((_, b)) = none
            && b > 3
        {
            out[i] = b;
        } else {
            out[i] += 1;
        }
    }
}

fn pattern_that_never_matches(on: &Engine) -> Check {
    per_element!(on, never, below_100(), 1, |v| [v + 1])
}
