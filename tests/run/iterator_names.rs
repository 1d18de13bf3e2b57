//! Types of std iterators by imported names.
use crate::run::engine::{Check, Engine, cases, like_rust};
use std::{
    iter::{Enumerate, Rev},
    slice::{Iter, Windows as Pairs},
};
use warpwise::prelude::*;

cases![by_name];

#[device]
fn total(of: Iter<'_, i32>) -> i32 {
    of.sum()
}

#[device]
fn pairs(of: &[i32]) -> Pairs<'_, i32> {
    of.windows(2)
}

#[device]
struct Backwards<'a> {
    left: Enumerate<Rev<Iter<'a, i32>>>,
}

fn by_name(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        use std::iter::Skip;
        out[0] = total(x.iter());
        let left: Skip<Iter<'_, i32>> = y.iter().skip(1);
        out[1] = left.count() as i32;
        out[2] = pairs(x).map(|pair| pair[0] * pair[1]).sum();
        for (i, v) in (Backwards { left: y.iter().rev().enumerate() }).left {
            out[3] += i as i32 * v;
        }
    });
    Ok(())
}
