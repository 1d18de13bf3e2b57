//! Slice and array patterns of `*` expressions: in `let`, `let else`, `match`, `if let`,
//! `while let`, parameters and closures.
use crate::run::engine::{Check, Engine, cases, like_rust};
use warpwise::prelude::*;

cases![let_else, conditions, pieces, parameters, changed, nested];

fn let_else(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = y.len() as i32;
        let [first, .., last] = *x else {
            out[1] = 5;
            return;
        };
        out[1] = first * 10 + last;
        let pair = &y[..];
        let [a, b, ..] = *pair else { return };
        out[2] = a + b;
        let (Some(&[c, d]), n) = (x.first_chunk::<2>(), x.len()) else { return };
        out[3] = c - d + n as i32;
        let [-4, ref rest @ .., 4 | 5 | 0 | 2] = *x else { return };
        out[4] = rest.len() as i32;
    });
    Ok(())
}

fn conditions(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        match *y {
            [] => out[1] = 1,
            [a] => out[1] = a,
            [a, ref rest @ ..] => {
                out[1] = a;
                out[2] = rest.len() as i32;
            }
        }
        if let [a, b, ..] = *y {
            out[3] = a - b;
        }
        if let [_, .., z] = x[x.len() / 2..] {
            out[4] = z;
        }
        match (&x[..], y.len()) {
            (&[a, b, ..], 3) => out[5] = a * b,
            (&[a, ..], _) if a < 0 => out[5] = 7,
            _ => out[5] = 8,
        }
        let mut at = 6;
        let mut rest = x;
        while let [a, ref tail @ ..] = *rest {
            out[at] = a;
            rest = tail;
            at += 1;
        }
        out[20] = matches!(*x, [-4, ..]) as i32;
    });
    Ok(())
}

fn pieces(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for w in x.windows(2) {
            let [a, b] = *w else { unreachable!() };
            out[0] += a * b;
        }
        for w in y.chunks(2) {
            match *w {
                [a, b] => out[1] += a - b,
                [a] => out[2] = a,
                _ => {}
            }
        }
        let sums = x.windows(2).map(|w| match *w {
            [a, b] => a + b,
            _ => 0,
        });
        out[3] = sums.sum();
        let sums = x.windows(2).map(|w| {
            let &[a, b] = w else { return 0 };
            a + b
        });
        out[4] = sums.max().unwrap_or(0);
        out[5] = x.windows(2).filter(|w| matches!(**w, [a, b] if a < b)).count() as i32;
        out[6] = x.windows(2).filter(|w| matches!(w, [a, b] if a < b)).count() as i32;
    });
    Ok(())
}

#[device]
fn of_array([a, b, ..]: &[i32; 4]) -> i32 {
    a - b
}

#[device]
fn of_value([a, rest @ ..]: [i32; 4]) -> i32 {
    a + rest[2]
}

#[device]
fn of_reference(&[a, .., b]: &[i32; 4]) -> i32 {
    a * b
}

#[device]
fn many(slice: &[i32]) -> i32 {
    match *slice {
        [] => 0,
        [_, ref rest @ ..] if !rest.is_empty() => 2,
        _ => 1,
    }
}

fn parameters(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let array = [1, 2, y.len() as i32, x.len() as i32];
        out[0] = of_array(&array);
        out[1] = of_value(array);
        out[2] = of_reference(&array);
        out[3] = many(x) * 10 + many(y);
        for &[a, b] in [[1, 2], [3, x.len() as i32]].iter() {
            out[4] += a * b;
        }
        let by_value = |[a, b]: [i32; 2]| a + b;
        let by_reference = |&[a, b]: &[i32; 2]| a * b;
        let seen_through = |[a, b]: &[i32; 2]| a - b;
        out[5] = by_value([1, out[0]]);
        out[6] = by_reference(&[3, out[1]]);
        out[7] = seen_through(&[out[1], 2]);
    });
    Ok(())
}

fn changed(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        {
            let [first, .., last] = *out else { return };
            out[1] = first + last;
        }
        if let [ref mut a, .., ref mut b] = *out {
            *a = x.len() as i32;
            *b = y.len() as i32;
        }
        if let [_, _, a, ..] = &mut *out {
            *a = 7;
        }
        let [_, _, _, middle @ .., _] = out else { return };
        middle[0] = 3;
        let [a, b, ..] = middle else { return };
        (*a, *b) = (*b, *a);
        let [ref mut c, ..] = middle[2..] else { return };
        *c += 100;
    });
    Ok(())
}

fn nested(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let rows = [[1, 2, 3], [4, x.len() as i32, 6]];
        let rows = &rows[..y.len().min(2)];
        match *rows {
            [[a, ..], [.., b]] => out[0] = a + b,
            [[0, ..]] => out[0] = 9,
            [only @ [.., c]] => out[0] = only[0] * c,
            _ => out[0] = 2,
        }
        let pair = (x, Some(y));
        if let ([a, ..], Some(&[b, ..])) = pair {
            out[1] = a * b;
        }
        let (&[3, a, ..] | &[.., a]) = pair.0 else { return };
        out[2] = a;
        let Some(Some([b, ..])) = pair.1.map(|y| y.first_chunk::<3>().copied()) else { return };
        out[3] = b;
    });
    Ok(())
}
