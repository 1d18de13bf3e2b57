//! References that are selected, reassigned and kept: to buffers, parts of them, elements and structs.
use crate::run::engine::{Check, Engine, cases, fault, launch, like_rust, same};
use std::ops::{Index, IndexMut};
use warpwise::prelude::*;

cases![
    choosing, exchanging, shared_buffers: THREADS_MEET,
    narrowing, linked, structs, options, copies, methods, writing, nested, fields, variables,
    many_calls, options_without_a_value, reassigned, two_spaces,
    lengths: FAULTS,
];

#[kernel]
fn choose(a: &[i32], b: &[i32], first: bool, out: &mut [i32]) {
    let i = global_idx_x();
    if i < out.len() {
        let x = if first { a } else { &b[1..] };
        let y = match i % 3 {
            0 => &a[i..],
            1 => x,
            _ => b,
        };
        out[i] = x[i] * 100 + y[0] * 10 + y.len() as i32;
    }
}

fn choosing(on: &Engine) -> Check {
    let a: Vec<i32> = (1..9).collect();
    let b: Vec<i32> = (11..21).collect();
    for first in [true, false] {
        let mut out = vec![0; 8];
        launch!(on, choose(read a, read b, value first, write out), LaunchConfig::cover(8))?;
        let x = if first { &a[..] } else { &b[1..] };
        let want: Vec<i32> = (0..8)
            .map(|i| {
                let y = [&a[i..], x, &b[..]][i % 3];
                x[i] * 100 + y[0] * 10 + y.len() as i32
            })
            .collect();
        same(&format!("first {first}"), &out, &want)?;
    }
    Ok(())
}

#[kernel]
fn smooth(a: &mut [f32], b: &mut [f32], rounds: u32) {
    if global_idx_x() == 0 {
        let (mut from, mut to) = (a, b);
        for _ in 0..rounds {
            for i in 1..from.len() - 1 {
                to[i] = (from[i - 1] + from[i] + from[i + 1]) * 0.5;
            }
            std::mem::swap(&mut from, &mut to);
        }
        from[0] = -1.0;
    }
}

fn exchanging(on: &Engine) -> Check {
    for rounds in 0..4 {
        let (mut a, mut b) = ((0..9).map(|i| (i * i) as f32).collect::<Vec<_>>(), vec![0.0; 9]);
        let (mut from, mut to) = (a.clone(), b.clone());
        launch!(on, smooth(write a, write b, value rounds), LaunchConfig::grid(1))?;
        for _ in 0..rounds {
            for i in 1..8 {
                to[i] = (from[i - 1] + from[i] + from[i + 1]) * 0.5;
            }
            std::mem::swap(&mut from, &mut to);
        }
        from[0] = -1.0;
        let (mine, other) = if rounds % 2 == 0 { (&a, &b) } else { (&b, &a) };
        same(&format!("{rounds} rounds"), mine, &from)?;
        same(&format!("{rounds} rounds, other"), other, &to)?;
    }
    Ok(())
}

#[kernel(block = 64)]
fn scan(x: &[u32], out: &mut [u32]) {
    let first = shared!([u32; 64]);
    let second = shared!([u32; 64]);
    let t = thread_idx_x();
    let mut from = &mut first[..];
    let mut to = &mut second[..];
    from[t] = x[t];
    sync_threads();
    let mut distance = 1;
    while distance < 64 {
        to[t] = if t >= distance { from[t] + from[t - distance] } else { from[t] };
        sync_threads();
        (from, to) = (to, from);
        distance *= 2;
    }
    out[t] = from[t];
}

fn shared_buffers(on: &Engine) -> Check {
    let x: Vec<u32> = (0..64).map(|i| i * 7 % 13).collect();
    let mut out = vec![0; 64];
    launch!(on, scan(read x, write out), LaunchConfig::grid(1).block(64))?;
    let mut sum = 0;
    let want: Vec<u32> = x
        .iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect();
    same("sums", &out, &want)
}

/// Returns the number of elements that are at most `key`, by halving the slice.
#[device]
fn at_most(sorted: &[u32], key: u32) -> usize {
    let mut rest = sorted;
    let mut before = 0;
    while !rest.is_empty() {
        let middle = rest.len() / 2;
        if rest[middle] <= key {
            before += middle + 1;
            rest = &rest[middle + 1..];
        } else {
            rest = &rest[..middle];
        }
    }
    before
}

#[kernel]
fn find(sorted: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    if i < out.len() {
        out[i] = at_most(sorted, i as u32) as u32;
    }
}

fn narrowing(on: &Engine) -> Check {
    for sorted in [vec![3], vec![1, 3, 3, 4, 9, 11, 17], vec![2; 8]] {
        let mut out = vec![0; 20];
        launch!(on, find(read sorted, write out), LaunchConfig::cover(20))?;
        let want: Vec<u32> =
            (0..20).map(|i| sorted.iter().filter(|x| **x <= i).count() as u32).collect();
        same(&format!("{sorted:?}"), &out, &want)?;
    }
    Ok(())
}

#[device]
#[derive(Clone, Copy, Debug)]
struct Node {
    value: i32,
    next: u32,
}

#[kernel]
fn follow(nodes: &[Node], out: &mut [i32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut node = &nodes[i];
        let mut sum = 0;
        while node.next as usize != i {
            sum += node.value;
            node = &nodes[node.next as usize];
        }
        out[i] = sum * 10 + node.value;
    }
}

fn linked(on: &Engine) -> Check {
    let nodes: Vec<Node> = [3, 0, 1, 4, 2]
        .into_iter()
        .enumerate()
        .map(|(i, next)| Node { value: i as i32 + 1, next })
        .collect();
    let mut out = vec![0; 5];
    launch!(on, follow(read nodes, write out), LaunchConfig::cover(5))?;
    let want: Vec<i32> = (0..5)
        .map(|i| {
            let (mut at, mut sum) = (i, 0);
            while nodes[at].next as usize != i {
                sum += nodes[at].value;
                at = nodes[at].next as usize;
            }
            sum * 10 + nodes[at].value
        })
        .collect();
    same("sums", &out, &want)
}

#[device]
#[derive(Clone, Copy)]
struct Reader<'a> {
    data: &'a [f32],
    at: usize,
}

#[device]
impl<'a> Reader<'a> {
    fn new(data: &'a [f32]) -> Self {
        Self { data, at: 0 }
    }
    fn next(&mut self) -> f32 {
        self.at += 1;
        self.data[self.at - 1]
    }
    fn restart(&mut self, data: &'a [f32]) {
        *self = Self::new(data);
    }
    fn skip(&mut self, count: usize) {
        self.data = &self.data[count..];
    }
}

#[device]
fn longer<'a>(a: &'a [f32], b: &'a [f32]) -> &'a [f32] {
    if a.len() >= b.len() {
        return a;
    }
    b
}

#[kernel]
fn read(a: &[f32], b: &[f32], swapped: bool, out: &mut [f32]) {
    if global_idx_x() == 0 {
        let mut reader = Reader::new(longer(a, b));
        out[0] = reader.next();
        out[1] = reader.next();
        reader.skip(1);
        out[2] = reader.next();
        let other = Reader { data: a, at: 1 };
        let mut chosen = if swapped { reader } else { other };
        out[3] = chosen.next();
        let seen = if swapped { &other } else { &reader };
        out[4] = seen.data[seen.at];
        reader.restart(b);
        out[5] = reader.next() + other.data.len() as f32;
    }
}

fn structs(on: &Engine) -> Check {
    let a: Vec<f32> = (1..6).map(|i| i as f32).collect();
    for swapped in [true, false] {
        for len in [4, 7] {
            let b: Vec<f32> = (0..len).map(|i| i as f32 * 0.5 + 10.0).collect();
            let mut out = vec![0.0; 6];
            launch!(
                on,
                read(read a, read b, value swapped, write out),
                LaunchConfig::grid(1)
            )?;
            let long = if a.len() >= b.len() { &a } else { &b };
            let (next, other) = (long[4], a[1]);
            let (chosen, seen) = if swapped { (next, other) } else { (other, next) };
            let want = [long[0], long[1], long[3], chosen, seen, b[0] + 5.0];
            same(&format!("{swapped} {len}"), &out, &want)?;
        }
    }
    Ok(())
}

#[kernel]
fn extremes(x: &[i32], out: &mut [i32]) {
    if global_idx_x() == 0 {
        let mut first = None;
        let mut last = None;
        for value in x {
            if *value < 0 {
                if first.is_none() {
                    first = Some(value);
                }
                last = Some(value);
            }
        }
        out[0] = first.map_or(99, |value| *value);
        out[1] = if let Some(&value) = last { value } else { 99 };
        out[2] = match x.iter().max() {
            Some(most) => *most,
            None => 99,
        };
        let least: Option<&i32> = x.iter().min();
        out[3] = *least.unwrap_or(&98);
        out[4] = x.iter().find(|value| **value > 2).map_or(99, |value| *value);
        out[5] = x.iter().skip(1).last().map_or(99, |value| *value);
        let second = if out[0] < 9 { x.get(2) } else { x.get(1) };
        out[6] = *second.unwrap_or(&97);
    }
}

fn options(on: &Engine) -> Check {
    for x in [vec![4, -2, 3, -7, 1], vec![5], vec![-1, -1]] {
        let mut out = vec![0; 7];
        launch!(on, extremes(read x, write out), LaunchConfig::grid(1))?;
        let want = [
            x.iter().copied().find(|x| *x < 0).unwrap_or(99),
            x.iter().copied().rev().find(|x| *x < 0).unwrap_or(99),
            x.iter().copied().max().unwrap_or(99),
            x.iter().copied().min().unwrap_or(98),
            x.iter().copied().find(|x| *x > 2).unwrap_or(99),
            x.iter().copied().skip(1).last().unwrap_or(99),
            *if x.iter().any(|x| *x < 0) { x.get(2) } else { x.get(1) }.unwrap_or(&97),
        ];
        same(&format!("{x:?}"), &out, &want)?;
    }
    Ok(())
}

#[kernel]
fn copied(n: i32, out: &mut [i32]) {
    if global_idx_x() == 0 {
        let (low, high) = ((n, 2), (n + 1, 3));
        let table = [5, 6, 7];
        let other = [n; 3];
        let pair = if n % 2 == 0 { &low } else { &high };
        let array = if n % 3 == 0 { &table } else { &other };
        let mut number = &1;
        for (i, value) in array.iter().enumerate() {
            if *value > *number {
                number = value;
            }
            out[4 + i] = *number;
        }
        out[0] = pair.0 * 10 + pair.1;
        out[1] = array[1] + array.len() as i32;
        out[2] = *number;
        let chosen = if n > 2 { &[n, n][..] } else { &table };
        out[3] = chosen.len() as i32 * 10 + chosen[1];
    }
}

fn copies(on: &Engine) -> Check {
    for n in 0..7 {
        let mut out = vec![0; 7];
        launch!(on, copied(value n, write out), LaunchConfig::grid(1))?;
        let pair = if n % 2 == 0 { (n, 2) } else { (n + 1, 3) };
        let array = if n % 3 == 0 { [5, 6, 7] } else { [n; 3] };
        let most = |count: usize| array[..count].iter().copied().fold(1, i32::max);
        let chosen = if n > 2 { 20 + n } else { 36 };
        let want = [pair.0 * 10 + pair.1, array[1] + 3, most(3), chosen, most(1), most(2), most(3)];
        same(&format!("{n}"), &out, &want)?;
    }
    Ok(())
}

#[device]
fn smaller<'a>(a: &'a i32, b: &'a i32) -> &'a i32 {
    if *a < *b { a } else { b }
}

#[device]
fn part_of<'a>(a: &'a mut [i32], b: &'a mut [i32], i: usize) -> &'a mut [i32] {
    let half = a.len() / 2;
    match i {
        0 => &mut a[..half],
        1 => &mut a[half..],
        _ => b,
    }
}

#[kernel]
fn through(a: &mut [i32], b: &mut [i32]) {
    if global_idx_x() == 0 {
        for i in 0..3 {
            let part = part_of(a, b, i);
            part[0] += 10;
            let last = part.len() - 1;
            part[last] *= 2;
            part.swap(0, last);
            part.reverse();
        }
        b[1] = *smaller(&a[0], &a[1]);
    }
}

fn methods(on: &Engine) -> Check {
    let (mut a, mut b) = ((1..9).collect::<Vec<i32>>(), (20..25).collect::<Vec<i32>>());
    let (mut c, mut d) = (a.clone(), b.clone());
    launch!(on, through(write a, write b), LaunchConfig::grid(1))?;
    for i in 0..3 {
        let part = match i {
            0 => &mut c[..4],
            1 => &mut c[4..],
            _ => &mut d[..],
        };
        part[0] += 10;
        let last = part.len() - 1;
        part[last] *= 2;
        part.swap(0, last);
        part.reverse();
    }
    d[1] = c[0].min(c[1]);
    same("a", &a, &c)?;
    same("b", &b, &d)
}

#[kernel]
fn write(evens: &mut [f32], odds: &mut [f32], count: &mut [u32]) {
    if global_idx_x() == 0 {
        for i in 0..8usize {
            let place = if i % 2 == 0 { &mut evens[i / 2] } else { &mut odds[i / 2] };
            *place += i as f32;
            let number = if i < 3 { &mut count[0] } else { &mut count[1] };
            *number += 1;
        }
    }
}

fn writing(on: &Engine) -> Check {
    let (mut evens, mut odds, mut count) = (vec![0.5; 4], vec![0.25; 4], vec![0; 2]);
    launch!(on, write(write evens, write odds, write count), LaunchConfig::grid(1))?;
    same("evens", &evens, &[0.5, 2.5, 4.5, 6.5])?;
    same("odds", &odds, &[1.25, 3.25, 5.25, 7.25])?;
    same("count", &count, &[3, 5])
}

#[kernel]
fn rows(x: &[[i32; 4]], out: &mut [i32]) {
    if global_idx_x() == 0 {
        let mut row = &x[0];
        let mut best = &row[0];
        for i in 0..x.len() {
            let next = &x[i];
            if next[0] > row[0] {
                row = next;
            }
            for value in row {
                if *value > *best {
                    best = value;
                }
            }
            out[i] = row[1] * 100 + *best;
        }
        let mut tail = &row[..];
        let mut sum = 0;
        while let [first, rest @ ..] = tail {
            sum = sum * 2 + *first;
            tail = rest;
        }
        out[0] += sum * 1000;
    }
}

fn nested(on: &Engine) -> Check {
    let x = vec![[1, 2, 3, 4], [0, 50, 60, 70], [7, 5, 9, 2], [3, 1, 1, 1]];
    let mut out = vec![0; 4];
    launch!(on, rows(read x, write out), LaunchConfig::grid(1))?;
    let sum = x[2].iter().fold(0, |sum, value| sum * 2 + value);
    same("rows", &out, &[204 + sum * 1000, 204, 509, 509])
}

#[kernel]
fn past(a: &[i32], b: &[i32], first: bool, out: &mut [i32]) {
    let x = if first { a } else { b };
    out[0] = x[3];
}

fn lengths(on: &Engine) -> Check {
    let (a, b, mut out) = (vec![1, 2, 3, 4], vec![5, 6], vec![0]);
    for first in [true, false] {
        let result = launch!(
            on,
            past(read a, read b, value first, write out),
            LaunchConfig::grid(1)
        );
        match first {
            true => result?,
            false => {
                let panic = fault(result)?;
                if panic.message != "index out of bounds: the len is 2 but the index is 3" {
                    return Err(format!("got {panic}").into());
                }
            }
        }
    }
    same("out", &out, &[4])
}

#[device]
#[derive(Clone, Copy)]
struct Bins {
    low: i32,
    middle: i32,
    high: i32,
}

#[device]
impl Bins {
    fn bin(&mut self, value: i32) -> &mut i32 {
        if value < 0 {
            &mut self.low
        } else if value < 3 {
            &mut self.middle
        } else {
            &mut self.high
        }
    }
    fn named(&mut self, name: usize) -> Option<&mut i32> {
        match name {
            0 => Some(&mut self.low),
            1 => Some(&mut self.middle),
            _ => None,
        }
    }
}

#[device]
impl Index<usize> for Bins {
    type Output = i32;
    fn index(&self, index: usize) -> &i32 {
        match index {
            0 => &self.low,
            1 => &self.middle,
            _ => &self.high,
        }
    }
}

#[device]
impl IndexMut<usize> for Bins {
    fn index_mut(&mut self, index: usize) -> &mut i32 {
        match index {
            0 => &mut self.low,
            1 => &mut self.middle,
            _ => &mut self.high,
        }
    }
}

/// A method selects a field of a variable, or of an element of an array.
fn fields(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut bins = Bins { low: 0, middle: 0, high: 0 };
        for value in x {
            *bins.bin(*value) += 1;
        }
        if let Some(bin) = bins.named(y.len() % 3) {
            *bin += 100;
        }
        bins[x.len() % 3] *= 2;
        (out[0], out[1], out[2]) = (bins.low, bins[1], bins.high);
        let mut rows = [bins; 2];
        for k in 0..6 {
            rows[k % 2][k / 2] += k as i32;
        }
        *rows[1].bin(y.len() as i32) = -5;
        out[3] = rows[0].low + 10 * rows[1].low;
        out[4] = rows[0].middle + 10 * rows[1].middle;
        out[5] = rows[0].high + 10 * rows[1].high;
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Part {
    count: i32,
    ends: [i32; 2],
}

#[device]
fn larger<'a>(a: &'a mut Part, b: &'a mut Part) -> &'a mut Part {
    if a.count > b.count { a } else { b }
}

/// A `&mut` is chosen among variables.
fn variables(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (mut a, mut b) = (1, 2);
        let chosen = if x.len() > 2 { &mut a } else { &mut b };
        *chosen += 10;
        (out[0], out[1]) = (a, b);
        let mut few = Part { count: x.len() as i32, ends: [3, 4] };
        let mut more = Part { count: y.len() as i32, ends: [5, 6] };
        let part = larger(&mut few, &mut more);
        part.count += 7;
        part.ends[x.len() % 2] = 8;
        (out[2], out[3]) = (few.count, more.count);
        for k in 0..2 {
            (out[4 + k], out[6 + k]) = (few.ends[k], more.ends[k]);
        }
    });
    Ok(())
}

#[device]
fn least<'a>(a: &'a mut i32, b: &'a mut i32) -> &'a mut i32 {
    if *a < *b { a } else { b }
}

#[device]
fn add_four_times(a: &mut i32, b: &mut i32) {
    *least(a, b) += 1;
    *least(a, b) += 2;
    *least(a, b) += 3;
    *least(a, b) += 4;
}

#[device]
fn add_sixteen_times(a: &mut i32, b: &mut i32) {
    add_four_times(a, b);
    add_four_times(b, a);
    add_four_times(a, b);
    add_four_times(b, a);
}

/// Many inlined calls choose among variables.
fn many_calls(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (mut a, mut b) = (x.len() as i32, y.len() as i32);
        add_sixteen_times(&mut a, &mut b);
        add_sixteen_times(&mut a, &mut b);
        add_sixteen_times(&mut a, &mut b);
        add_sixteen_times(&mut a, &mut b);
        add_sixteen_times(&mut a, &mut b);
        (out[0], out[1]) = (a, b);
    });
    Ok(())
}

#[device]
fn kept_if(is_kept: bool, option: Option<&mut i32>) -> Option<&mut i32> {
    let mut kept = option;
    if !is_kept {
        kept = None;
    }
    kept
}

#[device]
fn add_to_one<'a>(mut to: &'a mut i32, other: &'a mut i32, is_other: bool) {
    if is_other {
        to = other;
    }
    *to += 100;
}

/// An option of a `&mut` to a variable is `None` where the same code has others that are not.
fn options_without_a_value(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (mut a, mut b) = (1, 2);
        for option in [kept_if(x.len() > 2, None), kept_if(y.len() > 3, Some(&mut a))] {
            if let Some(value) = option {
                *value += 10;
            }
        }
        if let Some(value) = kept_if(x.len() > 1, None) {
            b += *value;
            *value = 7;
        }
        (out[0], out[1]) = (a, b);
    });
    Ok(())
}

/// A `&mut` to a variable is reassigned before its use: alone, as a parameter, and in a tuple, in
/// an array and behind another `&mut`.
fn reassigned(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (mut a, mut b, mut c) = (1, (2, ()), 3);
        let mut one = &mut a;
        if x.len() > 2 {
            one = &mut b.0;
        }
        *one += 10;
        add_to_one(&mut a, &mut b.0, y.len() > 3);
        let mut pair = (&mut a, &mut b);
        if x.len() == 3 {
            pair.0 = &mut c;
        }
        *pair.0 += 1;
        pair.1.0 += 2;
        let mut array = [&mut a, &mut b.0];
        if x.len() == 3 {
            array[1] = &mut c;
        }
        *array[y.len() % 2] += 5;
        let mut inner = &mut a;
        let outer = &mut inner;
        if x.len() > 1 {
            *outer = &mut c;
        }
        **outer += 7;
        (out[0], out[1], out[2]) = (a, b.0, c);
        let mut unit = (4, ());
        let mut whole = &mut b;
        if y.len() > 3 {
            whole = &mut unit;
        }
        whole.0 *= 2;
        (out[3], out[4]) = (b.0, unit.0);
    });
    Ok(())
}

#[kernel]
fn choose_in_spaces(pairs: &[(f32, u32)], rows: &[[i32; 2]], x: &mut [i32], out: &mut [i32]) {
    let i = global_idx_x();
    if i < out.len() {
        let pair = pairs.get(i).unwrap_or(&(0.5, 7));
        let row = rows.get(i).unwrap_or(&[8, 9]);
        out[i] = (pair.0 * 2.0) as i32 + pair.1 as i32 + row[i % 2];
        let first = [20, 30];
        let mut largest = &first;
        for row in rows {
            if row[1] > largest[1] {
                largest = row;
            }
        }
        out[i] += largest.iter().sum::<i32>() * 100;
        let mut own = 1;
        let place = if i % 2 == 0 { &mut x[i] } else { &mut own };
        *place += 1000;
        out[i] += own;
    }
}

/// A reference to the memory of the device or to a variable of the thread.
fn two_spaces(on: &Engine) -> Check {
    let pairs = vec![(1.0f32, 2u32), (3.0, 4)];
    let rows = vec![[1, 2], [3, 40], [5, 6]];
    let (mut x, mut out) = (vec![5, 6, 7, 8], vec![0; 4]);
    launch!(
        on,
        choose_in_spaces(read pairs, read rows, write x, write out),
        LaunchConfig::cover(4).block(4)
    )?;
    same("x", &x, &[1005, 6, 1007, 8])?;
    same("out", &out, &[4306, 5351, 4314, 5318])
}
