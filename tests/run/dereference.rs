//! User-defined `Deref` and `DerefMut`, and associated types of other traits.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use std::ops::{Deref, DerefMut, Index, IndexMut};
use warpwise::prelude::*;

cases![fields_and_methods, stacks, tiles: THREADS_MEET, newtypes, types_of_other_traits];

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: i32,
    y: i32,
}

#[device]
impl Point {
    fn sum(&self) -> i32 {
        self.x + self.y
    }

    fn scale(&mut self, by: i32) {
        self.x *= by;
        self.y *= by;
    }
}

#[device]
#[derive(Clone, Copy)]
struct Named {
    id: i32,
    of: Point,
}

#[device]
impl Deref for Named {
    type Target = Point;
    fn deref(&self) -> &Point {
        &self.of
    }
}

#[device]
impl DerefMut for Named {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.of
    }
}

#[device]
fn twice(of: &Point) -> i32 {
    2 * of.sum()
}

#[device]
fn flip(of: &mut Point) {
    (of.x, of.y) = (of.y, of.x);
}

fn fields_and_methods(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut named = Named { id: 3, of: Point { x: x.len() as i32, y: y.len() as i32 } };
        named.x += 4;
        named.scale(3);
        out[0] = named.sum() + named.id;
        out[1] = twice(&named);
        flip(&mut named);
        out[2] = named.x * 100 + named.y;
        let place = &mut named;
        place.y -= 1;
        let Point { x, y } = *named;
        out[3] = x - 2 * y;
        *named = Point { x: 9, y: 8 };
        out[4] = named.of.x * named.y;
    });
    Ok(())
}

/// Elements of a slice, from its beginning.
#[device]
struct Stack<'a> {
    items: &'a mut [i32],
    len: usize,
}

#[device]
impl Deref for Stack<'_> {
    type Target = [i32];
    fn deref(&self) -> &[i32] {
        &self.items[..self.len]
    }
}

#[device]
impl DerefMut for Stack<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.items[..self.len]
    }
}

#[device]
impl Stack<'_> {
    fn push(&mut self, item: i32) {
        self.items[self.len] = item;
        self.len += 1;
    }

    fn pop(&mut self) -> Option<i32> {
        let last = *self.last()?;
        self.len -= 1;
        Some(last)
    }
}

#[device]
fn total(x: &[i32]) -> i32 {
    x.iter().sum()
}

fn stacks(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut items = [0; 32];
        let mut stack = Stack { items: &mut items, len: 0 };
        for v in x.iter().chain(y) {
            stack.push(*v);
        }
        stack.sort();
        out[0] = stack.len() as i32;
        if stack.len() > 2 {
            stack[0] *= 7;
            stack[1..].reverse();
            out[1] = stack[1] - stack[2];
        }
        out[2] = stack.iter().fold(0, |sum, v| sum * 3 + v) + total(&stack);
        out[3] = stack.pop().unwrap_or(50);
        for v in stack.iter_mut() {
            *v += 1;
        }
        out[4] = total(&stack);
        while let Some(v) = stack.pop() {
            out[5] = out[5] * 3 + v;
        }
        out[6] = stack.is_empty() as i32;
    });
    Ok(())
}

/// A part of a picture in shared memory.
#[device]
struct Tile<'s, const W: usize, const H: usize> {
    cells: &'s mut [[f32; W]; H],
}

#[device]
impl<const W: usize, const H: usize> Deref for Tile<'_, W, H> {
    type Target = [[f32; W]; H];
    fn deref(&self) -> &Self::Target {
        self.cells
    }
}

#[device]
impl<const W: usize, const H: usize> DerefMut for Tile<'_, W, H> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.cells
    }
}

#[device]
impl<'s, const W: usize, const H: usize> Tile<'s, W, H> {
    fn load(cells: &'s mut [[f32; W]; H], from: impl Fn(usize, usize) -> f32) -> Self {
        for y in (thread_idx_y()..H).step_by(block_dim_y()) {
            for x in (thread_idx_x()..W).step_by(block_dim_x()) {
                cells[y][x] = from(x, y);
            }
        }
        sync_threads();
        Tile { cells }
    }
}

#[kernel(block = (8, 4), allow(gpu_bank_conflicts))]
fn around(width: usize, x: &[f32], out: &mut [f32]) {
    let (x0, y0) = (block_idx_x() * 8, block_idx_y() * 4);
    let mut tile = Tile::load(shared!([[f32; 10]; 6]), |tx, ty| {
        let column = (x0 + tx).checked_sub(1).filter(|column| *column < width);
        let place = column.and_then(|column| Some((y0 + ty).checked_sub(1)? * width + column));
        place.and_then(|place| x.get(place)).copied().unwrap_or(-1.0)
    });
    let (tx, ty) = (thread_idx_x(), thread_idx_y());
    let at = |dx: usize, dy: usize| tile[ty + dy][tx + dx];
    let sum = at(0, 1) + at(2, 1) + at(1, 0) + at(1, 2);
    sync_threads();
    tile[ty][tx] = sum;
    sync_threads();
    out[(y0 + ty) * width + x0 + tx] = tile.iter().skip(ty).map(|row| row[tx]).next().unwrap();
}

fn tiles(on: &Engine) -> Check {
    let (width, height) = (16, 8);
    let x: Vec<f32> = (0..width * height).map(|i| (i * 7 % 23) as f32).collect();
    let mut out = vec![0.0; width * height];
    launch!(on, around(value width, read x, write out), LaunchConfig::cover((width, height)))?;
    let at = |column: usize, row: usize| match (column, row) {
        (1.., 1..) if column <= width && row <= height => x[(row - 1) * width + column - 1],
        _ => -1.0,
    };
    let cells = (0..width * height).map(|i| (i % width + 1, i / width + 1));
    let sum = |(c, r)| at(c - 1, r) + at(c + 1, r) + at(c, r - 1) + at(c, r + 1);
    same("out", &out, &cells.map(sum).collect::<Vec<f32>>())
}

#[device]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Meters<T>(T);

#[device]
impl<T: Copy> Deref for Meters<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

#[device]
impl<T: Copy> DerefMut for Meters<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

fn newtypes(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (mut far, near) = (Meters(x.len() as i32), Meters(y.len() as i32));
        *far += 2;
        out[0] = far.pow(2) + near.max(3) - *near;
        out[1] = (far < near) as i32 + 2 * (far.clone() == far) as i32;
        let row = Meters([4, 5, 6]);
        out[2] = row[x.len() % 3] + row.iter().sum::<i32>() + row.len() as i32;
        out[3] = (*row).map(|v| v * 2)[0];
    });
    Ok(())
}

#[device]
struct Grid {
    cells: [i32; 6],
    width: usize,
}

#[device]
impl Index<(usize, usize)> for Grid {
    type Output = i32;
    fn index(&self, (x, y): (usize, usize)) -> &Self::Output {
        &self.cells[y * self.width + x]
    }
}

#[device]
impl IndexMut<(usize, usize)> for Grid {
    fn index_mut(&mut self, (x, y): (usize, usize)) -> &mut Self::Output {
        &mut self.cells[y * self.width + x]
    }
}

#[device]
struct Count {
    at: i32,
    end: i32,
}

#[device]
impl Iterator for Count {
    type Item = i32;
    fn next(&mut self) -> Option<Self::Item> {
        let is_left = self.at < self.end && self.at < Self::Item::MAX;
        is_left.then(|| {
            self.at += 1;
            self.at - 1
        })
    }
}

#[device]
impl DoubleEndedIterator for Count {
    fn next_back(&mut self) -> Option<Self::Item> {
        (self.at < self.end).then(|| {
            self.end -= 1;
            self.end
        })
    }
}

#[device]
trait Measured {
    type Value: Num;
    const UNIT: Self::Value;
}

#[device]
trait Sizable: Measured {
    fn size(&self) -> Self::Value;
}

#[device]
impl Measured for Grid {
    type Value = i32;
    const UNIT: Self::Value = 3;
}

#[device]
impl Sizable for Grid {
    fn size(&self) -> Self::Value {
        let unit: Self::Value = Self::UNIT;
        unit * Self::Value::from_usize(self.cells.len()) + Self::Value::ONE
    }
}

#[device]
fn sizes<S: Sizable>(of: &S, count: usize) -> S::Value {
    let mut sum = S::Value::ZERO;
    for i in 0..count {
        sum += of.size() * S::Value::from_usize(i) + S::UNIT + S::Value::abs(S::Value::ONE);
    }
    sum + S::Value::default()
}

fn types_of_other_traits(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut grid = Grid { cells: [1; 6], width: 3 };
        grid[(1, 1)] = x.len() as i32;
        grid[(2, 0)] += grid[(1, 1)] * 2;
        out[0] = grid.cells.iter().sum();
        out[1] = grid.size() + sizes(&grid, y.len());
        let mut count = Count { at: 2, end: 5 + y.len() as i32 };
        out[2] = count.next_back().unwrap_or(-7) * 10 + count.next().unwrap_or(-9);
        out[3] = count.rev().fold(0, |sum, v| sum * 3 + v);
    });
    Ok(())
}
