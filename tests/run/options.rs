//! Options and results: iterated, changed in place, transposed, and summed.
#![expect(for_loops_over_fallibles, reason = "this is what is tested")]
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![
    iterated,
    inserted,
    results,
    inside_out,
    summed,
    summed_in_functions,
    not_there,
    clones,
    results_changed
];

fn iterated(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let first: Option<i32> = x.first().copied();
        for v in first {
            out[0] += v;
        }
        for v in first.iter() {
            out[1] += *v;
        }
        for v in &first {
            out[2] -= *v;
        }
        out[3] = first.into_iter().chain(y.first().copied()).sum::<i32>();
        let mut changed = first;
        for v in changed.iter_mut() {
            *v += 2;
        }
        for v in &mut changed {
            *v += 2;
        }
        out[4] = changed.unwrap_or(3);
        out[5] = x.iter().zip(Some(3i32)).map(|(a, b)| a * b).sum();
        let of_y: Result<&i32, u8> = y.first().ok_or(3u8);
        out[6] = of_y.copied().unwrap_or(4) + of_y.into_iter().count() as i32;
        for v in of_y {
            out[7] = *v;
        }
        let mut items = first.into_iter();
        out[8] = items.next().unwrap_or(9);
        out[9] = items.next().unwrap_or(7);
    });
    Ok(())
}

fn inserted(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut first: Option<i32> = x.first().copied();
        out[4] = *first.get_or_insert(5);
        out[5] = *first.insert(9);
        out[6] = *first.get_or_insert_with(|| 4);
        *first.insert(3) += 4;
        out[7] = first.unwrap_or(1);
        let mut second: Option<i32> = y.get(1).copied();
        *second.get_or_insert_with(|| x.len() as i32) *= 3;
        out[8] = second.unwrap_or(1);
    });
    Ok(())
}

fn results(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let found: Result<i32, u32> = if x.len() > 2 { Ok(x[0]) } else { Err(y.len() as u32) };
        out[0] = found.as_ref().map_or(1, |v| *v);
        out[1] = found.iter().sum::<i32>();
        let (mut good, mut bad) = (0, 0);
        let seen = found.inspect(|v| good = *v).inspect_err(|e| bad = *e);
        out[2] = seen.unwrap_or_default();
        out[3] = good + bad as i32;
    });
    Ok(())
}

fn inside_out(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let first: Result<Option<i32>, u32> =
            if x.len() != 2 { Ok(x.first().copied()) } else { Err(3) };
        out[0] = match first.transpose() {
            Some(Ok(v)) => v,
            Some(Err(e)) => 100 + e as i32,
            None => 200,
        };
        let back: Result<Option<i32>, u32> = first.transpose().transpose();
        out[1] = (back == first) as i32;
        let pair = y.first().map(|v| (*v, y.len()));
        let (a, b) = pair.unzip();
        out[2] = a.unwrap_or(60);
        out[3] = b.map_or(70, |b| b as i32);
    });
    Ok(())
}

fn summed(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.iter().map(|v| (*v > -3).then_some(*v)).sum::<Option<i32>>().unwrap_or(99);
        let product: Result<i32, i32> =
            x.iter().map(|v| if *v > 3 { Err(*v) } else { Ok(*v) }).product();
        out[1] = product.unwrap_or_else(|e| e);
        let floats: Option<f32> = y.iter().map(|v| Some(*v as f32)).sum();
        out[2] = floats.map_or(3, |s| s.is_sign_negative() as i32 + s as i32);
        let wide: Result<i64, u8> =
            y.iter().map(|v| if *v == 1 { Err(7u8) } else { Ok(*v as i64) }).sum();
        out[3] = wide.map_or_else(|e| e as i32, |v| v as i32);
        let mut seen = 0;
        let checked: Option<i32> =
            x.iter().inspect(|_| seen += 1).map(|v| v.checked_add(i32::MAX - 4)).product();
        out[4] = seen + checked.is_some() as i32;
    });
    Ok(())
}

#[device]
fn halves(x: &[f32]) -> Option<f32> {
    x.iter().map(|v| if *v < 0.0 { None } else { Some(v / 2.0) }).sum()
}

#[kernel]
fn halved(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() && i < out.len() {
        out[i] = halves(&x[i..]).unwrap_or(-1.0);
    }
}

fn summed_in_functions(on: &Engine) -> Check {
    let (x, mut out) = (vec![4.0, -2.0, 3.0, 5.0], vec![0.0; 4]);
    launch!(on, halved(read x, write out), LaunchConfig::grid(1).block(4))?;
    same("out", &out, &[-1.0, -1.0, 4.0, 2.5])
}

/// A missing element is far from all memory, so nothing may read it.
fn not_there(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        if x.len().min(y.len()) < 4 {
            return;
        }
        let far = 100_000_000 + x.len();
        let (none, some) = (x.get(far), x.get(1));
        let met = [
            none == some,
            some == Some(&y[1]),
            none < some,
            some <= none,
            none.cmp(&some).is_lt(),
            matches!(none, Some(&7)),
            (none, 1) == (some, 1),
            [none, some] == [some, none],
            Some(none) != Some(some),
            none.max(some) == some,
            x.get(far..far + 2) == Some(&x[..2]),
            x.get(..2) == Some(&x[..2]),
            x.get(..2) == Some(&y[..3]),
            x.split_at(3) == (&x[..3], &x[3..]),
            x.split_at(3) == y.split_at(3),
        ];
        for (to, met) in out.iter_mut().zip(met) {
            *to = met as i32;
        }
        assert_eq!(x.get(far), None);
        assert_ne!(x.first(), none);
    });
    Ok(())
}

/// Changes of a clone do not affect the original.
fn clones(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        if x.is_empty() {
            return;
        }
        let items = x.iter();
        out[0] = items.clone().count() as i32 + 10 * items.count() as i32;
        let mut items = y.iter().filter(|v| **v % 2 == 0);
        out[1] = (items.clone().next() == items.next()) as i32;
        let mut range = 0..5;
        out[2] = range.clone().nth(2).unwrap_or(9) + range.next().unwrap_or(9);
        let (mut number, mut three) = (x[0], [1, 2, 3]);
        let before = std::mem::replace(&mut number.clone(), 9);
        three.clone()[1] = 7;
        out[3] = (before == number) as i32 + three[1];
        number += 1;
        three[0] += number;
        out[4] = three[0];
    });
    Ok(())
}

fn results_changed(on: &Engine) -> Check {
    like_rust!(on, |x, _y, out| {
        let n = x.len() as i32;
        let mut result: Result<i32, u8> = if n > 2 { Ok(n) } else { Err(n as u8) };
        match result.as_mut() {
            Ok(value) => *value += 10,
            Err(error) => *error *= 2,
        }
        if let Ok(value) = result.as_mut() {
            *value *= 2;
        }
        out[0] = result.map_or_else(i32::from, |value| value * 100);
    });
    Ok(())
}
