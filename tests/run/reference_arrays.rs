//! Arrays of slices and of other references: indexed, in loops, patterns, structs and parameters,
//! and assigned.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![slices, halves, set_again, in_structs, options, numbers, changed, variables, fields, outside: FAULTS];

#[device]
fn total(of: [&[i32]; 2]) -> i32 {
    let mut sum = 0;
    for part in of {
        for v in part {
            sum += v;
        }
    }
    sum
}

#[device]
fn lengths(of: &[&[i32]]) -> i32 {
    let sum: usize = of.iter().map(|part| part.len()).sum();
    (of.len() * 100 + of[0].len() * 10 + sum) as i32
}

fn slices(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let both = [x, y];
        out[0] = (both[0].len() + both[1].len() * 10 + both.len() * 100) as i32;
        for i in 0..2 {
            out[1 + i] = both[i].first().copied().unwrap_or(77);
        }
        for part in both {
            out[3] = out[3] * 3 + part.len() as i32;
            for v in part {
                out[4] += v;
            }
        }
        for (i, part) in both.iter().enumerate() {
            out[5] += part.len() as i32 * (i as i32 + 1);
        }
        out[6] = total(both) + total([y, x]);
        out[7] = lengths(&both);
        let [a, b] = both;
        out[8] = a.len() as i32 - b.len() as i32;
        out[9] = both.map(|part| part.len() as i32)[1];
        out[10] = both.iter().rev().fold(0, |sum, part| sum * 10 + part.len() as i32);
        out[11] = both.iter().max_by_key(|part| part.len()).map_or(9, |part| part.len() as i32);
        out[12] = both.first().map_or(9, |part| part.len() as i32);
        out[13] = both.get(x.len()).map_or(9, |part| part.len() as i32);
        out[14] = both.into_iter().zip([10, 20]).map(|(part, n)| part.len() as i32 * n).sum();
    });
    Ok(())
}

fn halves(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let half = x.len() / 2;
        let parts = [&x[..half], &x[half..], y];
        let mut k = 0;
        while k < 3 {
            out[k] = parts[k].iter().sum();
            k += 1;
        }
        out[3] = parts.iter().map(|part| part.len()).max().unwrap_or(0) as i32;
        out[4] = parts.into_iter().flatten().sum();
        for v in parts.iter().flat_map(|part| part.iter()) {
            out[5] = out[5] * 3 + v;
        }
        let [first, rest @ ..] = parts;
        out[6] = (first.len() * 10 + rest[1].len()) as i32;
        if let [[a, ..], .., [b, ..]] = parts {
            out[7] = a + b;
        }
        let same = [x; 3];
        out[8] = same[half % 3].len() as i32;
        let grid = [[x, y], [y, x]];
        out[9] = grid[half % 2][(half + 1) % 2].len() as i32;
        let pairs = [(1, x), (2, y)];
        for (n, part) in pairs {
            out[10] += n * part.len() as i32;
        }
        out[11] = pairs[half % 2].1.len() as i32 + pairs[half % 2].0 * 10;
    });
    Ok(())
}

fn set_again(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut turns = [x, y];
        for i in 0..5 {
            let other = turns[(i + 1) % 2];
            turns[i % 2] = &other[other.len() / 2..];
            out[i] = (turns[0].len() * 10 + turns[1].len()) as i32;
        }
        turns = [y, x];
        turns.swap(0, 1);
        out[5] = (turns[0].len() * 10 + turns[1].len()) as i32;
        let mut rest = [x, y];
        let mut at = 0;
        while let [a, ..] = rest[at % 2] {
            out[6] = out[6] * 3 + a;
            rest[at % 2] = &rest[at % 2][1..];
            at += 1;
        }
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct View<'a> {
    rows: [&'a [i32]; 2],
    by: i32,
}

#[device]
impl<'a> View<'a> {
    fn at(&self, row: usize, column: usize) -> i32 {
        self.rows[row].get(column).map_or(7, |v| v * self.by)
    }
    fn row(&self, row: usize) -> &'a [i32] {
        self.rows[row]
    }
}

fn in_structs(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let view = View { rows: [x, y], by: 3 };
        for i in 0..8 {
            out[i] = view.at(i % 2, i / 2);
        }
        out[8] = view.row(x.len() % 2).len() as i32;
        let views = [view, View { rows: [y, x], by: 5 }];
        out[9] = views[y.len() % 2].at(0, 1) + views[1].at(x.len() % 2, 0);
    });
    Ok(())
}

fn options(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let found = [x.first(), y.first(), None];
        for i in 0..3 {
            match found[i] {
                Some(v) => out[i] = *v,
                None => out[i] = 88,
            }
        }
        out[3] = found.iter().flatten().map(|v| **v).sum();
        out[4] = found.into_iter().flatten().count() as i32;
        out[5] = found[y.len() % 3].map_or(5, |v| v + 1);
    });
    Ok(())
}

fn numbers(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (a, b) = (x.len() as i32, y.len() as i32);
        let both = [&a, &b];
        out[0] = *both[x.len() % 2] * 10 + *both[0];
        out[1] = both.iter().map(|v| **v).sum();
        out[2] = (both == [&b, &a]) as i32;
        if let (Some(first), Some(last)) = (x.first(), x.last()) {
            let ends = [first, last];
            out[3] = *ends[y.len() % 2] - *ends[(y.len() + 1) % 2];
        }
    });
    Ok(())
}

fn changed(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (a, b) = out.split_at_mut(12);
        let mut parts = [a, b];
        parts[0][1] = 5;
        for i in 0..2 {
            parts[i][2] = x.len() as i32;
        }
        for part in &mut parts {
            part[3] = 9;
        }
        for part in parts.iter_mut() {
            part[4] += y.len() as i32;
        }
        for (i, part) in parts.into_iter().enumerate() {
            part[5] = i as i32;
        }
    });
    Ok(())
}

#[device]
fn added([a, b]: [&mut i32; 2], by: i32) {
    *a += by;
    *b -= by;
}

/// Arrays of `&mut` references to variables, which have no address, and to elements.
fn variables(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (mut a, mut b) = (x.len() as i32, 7);
        for v in [&mut a, &mut b] {
            *v += 1;
        }
        for (i, v) in [&mut a, &mut b].into_iter().enumerate() {
            *v = *v * 10 + i as i32;
        }
        let both = [&mut b, &mut a];
        *both[y.len() % 2] += 3;
        (out[0], out[1]) = (a, b);
        added([&mut a, &mut out[2]], 5);
        let (mut pair, mut other) = ((1, 2), (3, y.len() as i32));
        for of in [&mut pair, &mut other].iter_mut() {
            of.1 += 4;
            **of = (of.1, of.0);
        }
        out[3] = pair.0 * 1000 + pair.1 * 100 + other.0 * 10 + other.1;
        for v in [&mut a, &mut out[4]] {
            *v += 2;
        }
        out[5] = a;
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Table {
    rows: [[i32; 2]; 2],
    scale: i32,
}

#[device]
#[derive(Clone, Copy)]
enum Cells {
    Three([i32; 3]),
    One(i32),
}

/// Arrays in structs and enums, which a `&mut` reference in an array refers to.
fn fields(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let k = y.len() % 2;
        let mut a = Table { rows: [[1, 2], [3, x.len() as i32]], scale: 2 };
        let mut b = Table { rows: [[5, 6], [7, 8]], scale: 3 };
        for table in [&mut a, &mut b] {
            table.rows.swap(0, k);
            table.rows[1][k] += table.scale;
            for row in table.rows.iter_mut() {
                row[0] *= table.scale;
            }
            table.scale += table.rows.as_flattened()[k + 1];
        }
        out[0] = a.rows.as_flattened().iter().fold(a.scale, |sum, v| 10 * sum + v);
        out[1] = b.rows.as_flattened().iter().fold(b.scale, |sum, v| 10 * sum + v);
        let (mut three, mut one) = (Cells::Three([1, 2, 3]), Cells::One(4));
        for (n, cells) in [&mut three, &mut one].into_iter().enumerate() {
            match cells {
                Cells::Three(cells) => cells[k] += 7,
                Cells::One(cell) => *cell += n as i32,
            }
        }
        if let (Cells::Three(cells), Cells::One(cell)) = (three, one) {
            out[2] = cells[0] * 1000 + cells[1] * 100 + cells[2] * 10 + cell;
        }
    });
    Ok(())
}

#[kernel]
fn past_the_end(x: &[i32], at: usize, out: &mut [i32]) {
    let both = [x, &x[1..]];
    out[0] = both[at].len() as i32;
}

fn outside(on: &Engine) -> Check {
    let (x, mut out) = (vec![1, 2, 3], vec![0]);
    for at in 0..2usize {
        launch!(on, past_the_end(read x, value at, write out), LaunchConfig::grid(1).block(1))?;
        same("out", &out, &[3 - at as i32])?;
    }
    let at = 2usize;
    let said =
        launch!(on, past_the_end(read x, value at, write out), LaunchConfig::grid(1).block(1));
    let said = said.expect_err("there are two").to_string();
    assert!(said.contains("index out of bounds: the len is 2 but the index is 2"), "{said}");
    Ok(())
}
