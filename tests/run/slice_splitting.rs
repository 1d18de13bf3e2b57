//! Slices split from the end, by predicates, and into runs; comparisons of iterators.
use crate::run::engine::{Check, Engine, cases, like_rust};
use warpwise::prelude::*;

cases![from_the_end, rests, changed, runs, splits, looked_at, in_order, compared, sources];

fn from_the_end(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for piece in x.rchunks(3) {
            out[0] = out[0] * 10 + piece.iter().sum::<i32>() + piece.len() as i32;
        }
        for piece in x.rchunks(3).rev() {
            out[1] = out[1] * 10 + piece.iter().sum::<i32>();
        }
        for piece in x.rchunks_exact(2) {
            out[2] = out[2] * 10 + piece.iter().fold(0, |a, v| v - a);
        }
        out[3] = x.rchunks(2).len() as i32 + 100 * x.rchunks_exact(2).len() as i32;
        out[4] = y.rchunks(y.len() + 1).map(|piece| piece.len() as i32).sum();
    });
    Ok(())
}

fn rests(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut rest = x.rchunks(2);
        out[0] = rest.next().map_or(5, |piece| piece.len() as i32);
        out[1] = rest.next_back().map_or(5, |piece| piece.iter().sum());
        out[2] = rest.nth(1).map_or(4, |piece| piece.iter().sum());
        let mut runs = y.chunk_by(|a, b| a < b);
        out[3] = runs.next().map_or(9, |run| run.len() as i32);
        out[4] = runs.next().map_or(9, |run| run.iter().sum());
        out[5] = runs.map(|run| run.iter().sum::<i32>()).sum();
    });
    Ok(())
}

fn changed(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (first, second) = out.split_at_mut(12);
        for (i, piece) in first.rchunks_mut(5).enumerate() {
            piece.fill(i as i32 + x.len() as i32);
        }
        for (i, piece) in second.rchunks_exact_mut(5).enumerate() {
            piece.fill(i as i32 + y.len() as i32);
        }
        for piece in second.split_mut(|v| *v % 2 == 0) {
            piece.reverse();
            for (i, v) in piece.iter_mut().enumerate() {
                *v += 10 * i as i32;
            }
        }
        for run in first.chunk_by_mut(|a, b| a == b) {
            let len = run.len() as i32;
            run.fill(len);
        }
    });
    Ok(())
}

fn runs(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for run in x.chunk_by(|a, b| a < b) {
            out[0] = out[0] * 10 + run.len() as i32;
        }
        out[1] = y.chunk_by(|a, b| a % 2 == b % 2).count() as i32;
        out[2] = y.chunk_by(|_, _| true).map(|run| run.len() as i32).sum();
    });
    Ok(())
}

fn splits(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for piece in x.split(|v| *v % 3 == 0) {
            out[0] = out[0] * 10 + piece.len() as i32;
        }
        for piece in y.split_inclusive(|v| *v % 2 == 0) {
            out[1] = out[1] * 10 + piece.len() as i32;
        }
        out[2] = x.split(|_| true).count() as i32;
        out[3] = y.split(|v| *v == 3).map(|piece| piece.iter().sum::<i32>()).max().unwrap_or(77);
    });
    Ok(())
}

/// The number and the time of calls of the closures.
fn looked_at(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut seen = 0;
        let mut runs = x.chunk_by(|a, b| {
            seen += 1;
            a < b
        });
        out[0] = runs.next().map_or(0, |run| run.len() as i32);
        out[1] = seen;
        let mut order = 0;
        let mut pieces = y.split(|v| {
            order = order * 3 + v;
            *v > 2
        });
        out[2] = pieces.next().map_or(0, |piece| piece.len() as i32);
        out[3] = order;
    });
    Ok(())
}

fn in_order(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.iter().copied().is_sorted() as i32;
        out[1] = x.iter().map(|v| v % 2).is_sorted() as i32;
        out[2] = x.iter().is_sorted_by_key(|v| v.abs()) as i32;
        out[3] = y.iter().is_sorted_by(|a, b| a >= b) as i32;
        out[4] = x.iter().map(|v| if *v > 3 { f32::NAN } else { 0.0 }).is_sorted() as i32;
    });
    Ok(())
}

fn compared(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let both = x.iter().copied().partial_cmp(y.iter().copied());
        out[0] = both.map_or(5, |order| order as i32);
        out[1] = x.iter().lt(y.iter()) as i32 + 2 * x.iter().ge(y) as i32;
        out[2] = x.iter().le(y) as i32 + 2 * x.iter().gt(y) as i32;
        let none = x.iter().map(|v| *v as f32).partial_cmp([f32::NAN]);
        out[3] = none.map_or(5, |order| order as i32);
    });
    Ok(())
}

fn sources(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = std::iter::empty::<i32>().sum();
        out[1] = std::iter::once_with(|| x.len()).chain(std::iter::empty::<usize>()).sum::<usize>()
            as i32;
        out[2] = std::iter::chain(x, y).sum();
    });
    Ok(())
}
