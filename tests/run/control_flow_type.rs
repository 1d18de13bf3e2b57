//! `ControlFlow` and `Reverse`: values, `?`, methods, `try_fold`, reversed orders, imports.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use std::{
    cmp::Reverse,
    ops::ControlFlow::{self, Break, Continue as On},
};
use warpwise::prelude::*;

cases![
    values,
    asked,
    tried,
    folded,
    reversed,
    in_parts,
    keys,
    own_orders,
    own_names,
    variants_by_star
];

#[device]
fn walk(x: &[i32], stop: i32) -> ControlFlow<i32> {
    for &v in x {
        step(v, stop)?;
    }
    ControlFlow::Continue(())
}

#[device]
fn step(v: i32, stop: i32) -> ControlFlow<i32, u8> {
    if v == stop { Break(v * 2) } else { On(3) }
}

#[device]
fn both(v: i32) -> core::ops::ControlFlow<(i32, bool), f32> {
    let n = step(v, 4).map_break(|b| (b, true))?;
    let m = step(v, n as i32).map_break(|b| (b, false)).map_continue(|c| c as f32)?;
    ControlFlow::Continue(m + n as f32)
}

fn values(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let found = walk(x, 3);
        out[0] = match found {
            ControlFlow::Break(v) => v,
            On(()) => -77,
        };
        if let Break(v) = step(y.len() as i32, 4) {
            out[1] = v;
        }
        let begun: ControlFlow<usize> = ControlFlow::Continue(());
        out[2] = (begun == ControlFlow::Break(x.len())) as i32;
    });
    Ok(())
}

fn asked(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let found = walk(x, 3);
        out[1] = i32::from(found.is_break()) + 2 * i32::from(found.is_continue());
        out[2] = found.break_value().unwrap_or(9);
        out[3] = walk(y, -2).continue_value().is_some() as i32;
    });
    Ok(())
}

fn tried(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let n = x.len().max(y.len()) as i32;
        out[8] = both(n).break_value().map_or(0, |(a, b)| a + b as i32);
        out[9] = both(3).break_value().map_or(0, |(a, b)| a + b as i32);
        out[10] = both(n + 5).continue_value().map_or(0, |v| v as i32);
    });
    Ok(())
}

fn folded(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let sum = x.iter().try_fold(0, |a, v| if a > 5 { Break(a) } else { On(a + v) });
        out[3] = match sum {
            Break(v) => v,
            On(v) => 100 + v,
        };
        let square = (0..10).try_for_each(|v| if v * v > 30 { Break(v) } else { On(()) });
        out[4] = square.break_value().unwrap_or(-1);
        let mut rest = y.iter();
        let one = rest.try_for_each(|v| {
            if *v == 1 {
                return ControlFlow::Break(*v);
            }
            ControlFlow::Continue(())
        });
        out[5] = one.is_break() as i32;
        out[6] = rest.count() as i32;
    });
    Ok(())
}

fn reversed(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (a, b) = (Reverse(x.len()), Reverse(y.len()));
        out[0] = a.0 as i32;
        out[1] = (a < b) as i32 + 2 * (a <= b) as i32 + 4 * (a == b) as i32 + 8 * (a > b) as i32;
        out[2] = a.cmp(&b) as i32;
        out[3] = a.max(b).0 as i32;
        let Reverse(n) = b;
        out[4] = n as i32;
        out[5] = Reverse(1.5f32).partial_cmp(&Reverse(n as f32)).map_or(5, |o| o as i32);
        out[6] = (Reverse(f32::NAN) < Reverse(1.0)) as i32;
        out[7] = std::cmp::Reverse(n).0 as i32;
    });
    Ok(())
}

fn in_parts(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (a, b) = (x.len(), y.len());
        out[0] = ((Reverse(a), 2) < (Reverse(b), 3)) as i32;
        out[1] = ((1, Reverse(a)) < (1, Reverse(b))) as i32;
        out[2] = (Some(Reverse(a)) < Some(Reverse(b))) as i32;
        out[3] = ([Reverse(1), Reverse(a)] >= [Reverse(1), Reverse(b)]) as i32;
        out[4] = (Reverse(Reverse(a)) < Reverse(Reverse(b))) as i32;
        out[5] = (Reverse((a, 1)) < Reverse((b, 2))) as i32;
    });
    Ok(())
}

fn keys(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = *x.iter().max_by_key(|v| Reverse(**v)).unwrap_or(&7);
        out[1] = *x.iter().min_by_key(|v| (**v % 3, Reverse(**v))).unwrap_or(&7);
        out[2] = *x.iter().max_by_key(|v| (Reverse(**v % 3), **v)).unwrap_or(&7);
        out[3] = x.iter().map(|v| Reverse(*v)).max().map_or(3, |r| r.0);
        let mut few = [3, 1, 2, y.len() as i32];
        few.sort_by_key(|v| Reverse(*v));
        out[4] = few[0] * 1000 + few[1] * 100 + few[2] * 10 + few[3];
        out[5] = few.binary_search_by_key(&Reverse(2), |v| Reverse(*v)).unwrap_or(99) as i32;
    });
    Ok(())
}

/// A number that is the greater the closer it is to zero.
#[device]
#[derive(Clone, Copy, PartialEq)]
struct Small(f32);

#[device]
impl PartialOrd for Small {
    fn partial_cmp(&self, other: &Small) -> Option<std::cmp::Ordering> {
        other.0.abs().partial_cmp(&self.0.abs())
    }
}

fn own_orders(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (a, b) = (Small(x.len() as f32), Small(-(y.len() as f32)));
        out[0] = (a < b) as i32 + 2 * (Reverse(a) < Reverse(b)) as i32;
        out[1] = Reverse(a).partial_cmp(&Reverse(b)).map_or(5, |o| o as i32);
    });
    Ok(())
}

/// Types with these names that are not std's.
mod own {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    pub(super) struct Reverse(pub i32, pub i32);

    #[device]
    #[derive(Clone, Copy)]
    pub(super) enum ControlFlow {
        Left(i32),
        Right,
    }

    #[device]
    pub(super) fn length(flow: ControlFlow) -> i32 {
        match flow {
            ControlFlow::Left(n) => n,
            ControlFlow::Right => 4,
        }
    }
}

mod by_star {
    use super::own::*;
    use warpwise::prelude::*;

    #[kernel]
    pub(super) fn names(n: i32, out: &mut [i32]) {
        if thread_idx_x() == 0 && !out.is_empty() {
            let flow = if n > 3 { ControlFlow::Left(n) } else { ControlFlow::Right };
            out[0] = (Reverse(n, 2) < Reverse(9, 2)) as i32 + 10 * length(flow);
        }
    }
}

fn own_names(on: &Engine) -> Check {
    use by_star::names;
    let mut out = vec![0];
    for (n, want) in [(1, 41), (5, 51), (12, 120)] {
        launch!(on, names(value n, write out), LaunchConfig::grid(1))?;
        same("out", &out, &[want])?;
    }
    Ok(())
}

mod starred {
    use std::cmp::{Ordering::*, Reverse as Turned};
    use warpwise::prelude::*;

    #[kernel]
    pub(super) fn variants(x: &[i32], out: &mut [i32]) {
        let i = global_idx_x();
        if i < x.len() && i < out.len() {
            out[i] = match Turned(x[i]).cmp(&Turned(3)) {
                Less => 1,
                Equal => 2,
                Greater => 3,
            };
        }
    }
}

fn variants_by_star(on: &Engine) -> Check {
    use starred::variants;
    let (x, mut out) = (vec![1, 3, 4, 6], vec![0; 4]);
    launch!(on, variants(read x, write out), LaunchConfig::grid(1).block(4))?;
    same("out", &out, &[3, 2, 1, 1])
}
