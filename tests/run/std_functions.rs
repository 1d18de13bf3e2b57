//! Functions of `std` besides number methods and iterators, rare methods of slices and results, and
//! destructuring assignments.
use crate::run::engine::{Check, Engine, cases, like_rust};
use std::{ops::RangeTo, slice::GetDisjointMutError};
use warpwise::prelude::*;

cases![
    by_path,
    splits,
    ends_stripped,
    sorted,
    disjoint,
    results,
    bytes,
    taken_apart,
    const_functions,
    ranges_to,
    cycles
];

#[device]
struct Owned(i32);

fn by_path(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (a, b) = (x.len() as i32, y.len() as i32);
        out[0] = std::cmp::min_by(a, b, |p, q| (p % 3).cmp(&(q % 3)));
        out[1] = std::cmp::max_by(a, b, |p, q| (p % 3).cmp(&(q % 3)));
        out[2] = std::cmp::min_by_key(a, b, |p| p % 3);
        out[3] = core::cmp::max_by_key(a, b, |p| p % 3);
        let least = std::cmp::min_by(a as f32, -0.5, f32::total_cmp);
        out[4] = (least * 2.0) as i32;
        // The order in which keys are computed.
        let mut asked = 0;
        out[5] = std::cmp::max_by_key(a, b, |p| {
            asked = asked * 100 + p;
            p / 100
        });
        out[6] = asked;
        out[7] = std::convert::identity(a) + b;
        out[8] = std::hint::select_unpredictable(a < b, a, b);
        std::hint::spin_loop();
        let pair = (1u8, 2u64);
        out[9] = (size_of_val(&pair.1) + std::mem::align_of_val(&[1u16; 3])) as i32;
        out[10] = std::mem::size_of_val(&[a; 3]) as i32;
        drop(Owned(a));
        std::mem::forget(Owned(b));
        let filled: [i32; 3] = std::array::repeat(b);
        out[11] = filled[0] + filled[2];
    });
    Ok(())
}

fn splits(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut at = 0;
        for part in x.rsplit(|v| v % 3 == 0) {
            out[at] = part.len() as i32 * 100 + part.first().copied().unwrap_or(50);
            at += 1;
        }
        for part in x.splitn(3, |v| *v > 2) {
            out[at] = part.len() as i32;
            at += 1;
        }
        for part in x.rsplitn(2, |v| *v > 2) {
            out[at] = part.iter().sum();
            at += 1;
        }
        out[at] = y.splitn(0, |v| *v > 2).count() as i32;
        out[at + 1] = y.rsplitn(1, |v| *v > 2).map(|part| part.len() as i32).sum();
        let mut own = [3, 1, 4, 1, 5, y.len() as i32];
        for part in own.split_inclusive_mut(|v| *v == 1) {
            part[0] += 10;
        }
        out[23] = own.iter().fold(0, |sum, v| sum * 16 + v);
    });
    Ok(())
}

fn ends_stripped(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.strip_prefix(&[-4, 0]).map_or(-7, |rest| rest.len() as i32);
        out[1] = x.strip_prefix(&x[..x.len() / 2]).map_or(-7, |rest| rest.len() as i32);
        out[2] = y.strip_suffix(&y[y.len() / 2..]).map_or(-7, |rest| rest.len() as i32);
        if let Some([first, ..]) = y.strip_suffix(&[100]) {
            out[3] = *first;
        }
    });
    Ok(())
}

fn sorted(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.is_sorted_by(|a, b| a % 5 <= b % 5) as i32;
        out[1] = y.is_sorted_by_key(|v| *v / 100) as i32;
        out[2] = y.is_sorted_by_key(|v| v.abs()) as i32;
        out[3] = x[..x.len().min(2)].is_sorted() as i32;
    });
    Ok(())
}

fn disjoint(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for (i, v) in out.iter_mut().enumerate() {
            *v = i as i32;
        }
        let (i, j) = (x.len(), y.len());
        match out.get_disjoint_mut([i, j, 20]) {
            Ok([a, b, c]) => {
                std::mem::swap(a, b);
                *c += *a * *b;
            }
            Err(GetDisjointMutError::OverlappingIndices) => out[21] = 1,
            Err(GetDisjointMutError::IndexOutOfBounds) => out[21] = 2,
        }
        let last = out.get_disjoint_mut([0, 2 * i]).is_err();
        out[22] = last as i32;
    });
    Ok(())
}

fn results(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let parsed = |v: i32| if v < 0 { Err(v) } else { Ok(v.checked_sub(2).ok_or(7)) };
        for (i, v) in x.iter().chain(y).enumerate().take(20) {
            out[i] = parsed(*v).flatten().unwrap_or_else(|e| e * 100);
        }
        let mut kept: Option<i32> = x.first().copied();
        *kept.get_or_insert_default() += 3;
        out[23] = kept.unwrap_or(99);
    });
    Ok(())
}

fn bytes(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut text = *b"aZ[z{@";
        for (i, byte) in text.iter_mut().enumerate() {
            if (i + x.len()) % 2 == 0 {
                byte.make_ascii_uppercase();
            } else {
                byte.make_ascii_lowercase();
            }
        }
        for (o, byte) in out.iter_mut().zip(text) {
            *o = i32::from(byte) + y.len() as i32;
        }
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Reading {
    at: i32,
    value: f32,
}

#[device]
#[derive(Clone, Copy)]
struct Pair(i32, u32);

fn taken_apart(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (mut a, mut b) = (x.len() as i32, y.len() as i32);
        let f: f32;
        (a, ..) = (a + 1, 2.0f32, [3]);
        out[0] = a;
        (.., b) = (4u8, a, b * 2);
        out[1] = b;
        Reading { value: f, .. } = Reading { at: a, value: 1.5 };
        out[2] = (f * 2.0) as i32;
        Reading { at: out[3], value: _ } = Reading { at: b, value: f };
        Pair(a, _) = Pair(b - 1, 5);
        [out[4], .., b] = [a, b, 7, a + b];
        ((out[5], _), [a, out[6]]) = ((a, x), [b, a]);
        (a, b) = if a > b { (b, a) } else { (a, b) };
        (out[7], out[8]) = (a, b);
        (out[7], out[8]) = (out[8], out[7]);
        // The value first, then each place from left to right.
        let mut i = 9;
        (i, out[i]) = (i + 1, 50);
        out[i + 1] = 60;
    });
    Ok(())
}

fn const_functions(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        const fn squared(v: i32) -> i32 {
            let positive = v.abs();
            positive * positive
        }
        const NINE: i32 = squared(-3);
        struct Line(i32);
        impl Line {
            const fn at(&self, x: i32) -> i32 {
                self.0 * x
            }
        }
        const TWELVE: i32 = Line(4).at(3);
        out[0] = NINE + squared(x.len() as i32 - y.len() as i32);
        out[1] = TWELVE + Line(2).at(out[0]);
    });
    Ok(())
}

fn ranges_to(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let small = ..3;
        out[0] = x.iter().filter(|v| small.contains(*v)).count() as i32;
        out[1] = y.iter().filter(|v| (..=3).contains(*v)).count() as i32;
        let low: RangeTo<f32> = ..x.len() as f32;
        out[2] = low.contains(&2.5) as i32 + (..=f32::NAN).contains(&0.0) as i32;
        out[3] = small.end;
    });
    Ok(())
}

fn cycles(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.iter().cycle().take(5).fold(0, |sum, v| sum * 3 + v);
        for (o, v) in out[1..].iter_mut().zip(x.iter().filter(|v| **v > 0).cycle()).take(10) {
            *o = *v;
        }
        out[12] = y.iter().zip([1, -1].iter().cycle()).map(|(v, sign)| v * sign).sum();
        out[13] = (0..3).map(|i| i * i).cycle().skip(4).step_by(5).take(4).sum();
        out[15] = y[..0].iter().cycle().count() as i32;
    });
    Ok(())
}
