//! A stack machine and its program, priority queues, and segmented scans.
use super::noise;
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::cmp::Reverse;
use warpwise::prelude::*;

cases![programs, queues, segments: THREADS_MEET];

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Push(f32),
    Load(u8),
    Store { slot: u8 },
    Binary(Binary),
    Call(Function),
    JumpIfNot(u16),
    Jump(u16),
    Less,
    Halt,
}
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Binary {
    Add,
    Sub,
    Mul,
    Div,
}
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Sqrt,
    Neg,
}
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trap {
    Underflow,
    Overflow,
    BadJump { to: u16 },
    OutOfFuel,
}
#[device]
impl Binary {
    fn apply(self, a: f32, b: f32) -> f32 {
        let f: fn(f32, f32) -> f32 = match self {
            Binary::Add => |a, b| a + b,
            Binary::Sub => |a, b| a - b,
            Binary::Mul => |a, b| a * b,
            Binary::Div => |a, b| a / b,
        };
        f(a, b)
    }
}
#[device]
struct Machine<'a, const DEPTH: usize> {
    program: &'a [Op],
    counter: usize,
    stack: [f32; DEPTH],
    top: usize,
    slots: [f32; 4],
}
#[device]
impl<'a, const DEPTH: usize> Machine<'a, DEPTH> {
    fn new(program: &'a [Op], arguments: [f32; 4]) -> Self {
        Self { program, counter: 0, stack: [0.0; DEPTH], top: 0, slots: arguments }
    }
    fn push(&mut self, value: f32) -> Result<(), Trap> {
        *self.stack.get_mut(self.top).ok_or(Trap::Overflow)? = value;
        self.top += 1;
        Ok(())
    }
    fn pop(&mut self) -> Result<f32, Trap> {
        self.top = self.top.checked_sub(1).ok_or(Trap::Underflow)?;
        Ok(self.stack[self.top])
    }
    fn step(&mut self) -> Result<bool, Trap> {
        let Some(&op) = self.program.get(self.counter) else {
            return Err(Trap::BadJump { to: self.counter as u16 });
        };
        self.counter += 1;
        match op {
            Op::Push(v) => self.push(v)?,
            Op::Load(slot) => self.push(self.slots[usize::from(slot)])?,
            Op::Store { slot } => self.slots[slot as usize] = self.pop()?,
            Op::Binary(op) => {
                let (b, a) = (self.pop()?, self.pop()?);
                self.push(op.apply(a, b))?
            }
            Op::Call(function) => {
                let v = self.pop()?;
                self.push(match function {
                    Function::Sqrt => v.sqrt(),
                    Function::Neg => -v,
                })?;
            }
            Op::Less => {
                let (b, a) = (self.pop()?, self.pop()?);
                self.push(f32::from(u8::from(a < b)))?;
            }
            Op::JumpIfNot(to) => {
                if self.pop()? == 0.0 {
                    self.counter = to.into();
                }
            }
            Op::Jump(to) => self.counter = to.into(),
            Op::Halt => return Ok(false),
        }
        Ok(true)
    }
    fn run(mut self, fuel: u32) -> Result<f32, Trap> {
        for _ in 0..fuel {
            if !self.step()? {
                return self.pop();
            }
        }
        Err(Trap::OutOfFuel)
    }
}
#[kernel]
fn interpret(program: &[Op], arguments: &[[f32; 4]], out: &mut [f32], traps: &mut [u32]) {
    let i = global_idx_x();
    let Some(arguments) = arguments.get(i) else { return };
    let machine: Machine<8> = Machine::new(program, *arguments);
    (out[i], traps[i]) = match machine.run(200) {
        Ok(v) => (v, 0),
        Err(Trap::Underflow) => (0.0, 1),
        Err(Trap::Overflow) => (0.0, 2),
        Err(Trap::BadJump { to }) => (0.0, 1000 + u32::from(to)),
        Err(Trap::OutOfFuel) => (0.0, 4),
    };
}

fn programs(on: &Engine) -> Check {
    // The sum of the roots of 1 to n, negated.
    let sum = [
        Op::Push(0.0),
        Op::Store { slot: 1 },
        Op::Push(0.0),
        Op::Load(0),
        Op::Less,
        Op::JumpIfNot(15),
        Op::Load(1),
        Op::Load(0),
        Op::Call(Function::Sqrt),
        Op::Binary(Binary::Add),
        Op::Store { slot: 1 },
        Op::Load(0),
        Op::Push(1.0),
        Op::Binary(Binary::Sub),
        Op::Jump(18),
        Op::Load(1),
        Op::Call(Function::Neg),
        Op::Halt,
        Op::Store { slot: 0 },
        Op::Jump(2),
    ];
    let arguments: Vec<[f32; 4]> = (0..20).map(|n| [n as f32, 0.0, 0.0, 0.0]).collect();
    let (program, mut out, mut traps) = (sum.to_vec(), vec![0.0; 20], vec![0; 20]);
    let config = LaunchConfig::cover(20).block(32);
    launch!(on, interpret(read program, read arguments, write out, write traps), config)?;
    let has_fuel = |n: i32| 15 * n + 9 <= 200;
    let root_sum = |n: i32| (1..=n).rev().fold(0.0, |sum, k| sum + (k as f32).sqrt());
    let want: Vec<f32> = (0..20).map(|n| if has_fuel(n) { -root_sum(n) } else { 0.0 }).collect();
    same("out", &out, &want)?;
    let want: Vec<u32> = (0..20).map(|n| if has_fuel(n) { 0 } else { 4 }).collect();
    same("traps", &traps, &want)?;
    let fail =
        [(vec![Op::Less], 1), (vec![Op::Push(1.0), Op::Jump(0)], 2), (vec![Op::Jump(9)], 1009)];
    for (program, trap) in fail {
        launch!(on, interpret(read program, read arguments, write out, write traps), config)?;
        same("traps", &traps, &[trap; 20])?;
    }
    Ok(())
}

#[device]
struct Heap<T, const N: usize> {
    items: [Option<T>; N],
    len: usize,
}
#[device]
impl<T: Ord + Copy, const N: usize> Heap<T, N> {
    const fn new() -> Self {
        Self { items: [None; N], len: 0 }
    }
    fn push(&mut self, item: T) {
        let mut i = self.len;
        self.items[i] = Some(item);
        self.len += 1;
        while i > 0 {
            let parent = (i - 1) / 2;
            if self.items[parent] >= self.items[i] {
                break;
            }
            self.items.swap(i, parent);
            i = parent;
        }
    }
    fn pop(&mut self) -> Option<T> {
        let top = self.items[0].take()?;
        self.len -= 1;
        self.items.swap(0, self.len);
        let mut i = 0;
        loop {
            let largest =
                [2 * i + 1, 2 * i + 2].into_iter().filter(|&child| child < self.len).fold(
                    i,
                    |best, child| if self.items[child] > self.items[best] { child } else { best },
                );
            if largest == i {
                return Some(top);
            }
            self.items.swap(i, largest);
            i = largest;
        }
    }
    fn peek(&self) -> Option<&T> {
        self.items[0].as_ref()
    }
    fn drain(&mut self) -> impl Iterator<Item = T> {
        std::iter::from_fn(|| self.pop())
    }
}
/// Runs Dijkstra's algorithm on a small grid per thread.
#[kernel]
fn grid_paths(costs: &[[[u8; 6]; 6]], out: &mut [u32], smallest: &mut [[u8; 4]]) {
    let i = global_idx_x();
    let Some(costs) = costs.get(i) else { return };
    let mut heap: Heap<(Reverse<u32>, usize, usize), 80> = Heap::new();
    let mut distance = [[u32::MAX; 6]; 6];
    distance[0][0] = costs[0][0].into();
    heap.push((Reverse(distance[0][0]), 0, 0));
    while let Some((Reverse(d), x, y)) = heap.pop() {
        if (x, y) == (5, 5) {
            break;
        }
        if d > distance[y][x] {
            continue;
        }
        for (dx, dy) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            let (Some(x), Some(y)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else {
                continue;
            };
            let Some(&cost) = costs.get(y).and_then(|row| row.get(x)) else { continue };
            let next = d + u32::from(cost);
            if next < distance[y][x] {
                distance[y][x] = next;
                heap.push((Reverse(next), x, y));
            }
        }
    }
    out[i] = distance[5][5];
    let mut best: Heap<u8, 5> = Heap::new();
    for &cost in costs.as_flattened() {
        if best.len < 4 || best.peek().is_some_and(|&largest| cost < largest) {
            best.push(cost);
            if best.len > 4 {
                best.pop();
            }
        }
    }
    for (to, v) in smallest[i].iter_mut().zip(best.drain()) {
        *to = v;
    }
}

fn queues(on: &Engine) -> Check {
    let cost = |v: &u32| (v % 50) as u8 + 1;
    let costs: Vec<u8> = noise(36 * 12).iter().map(cost).collect();
    let costs: Vec<[[u8; 6]; 6]> = costs.as_chunks::<6>().0.as_chunks::<6>().0.to_vec();
    let (mut out, mut smallest) = (vec![0; 12], vec![[0; 4]; 12]);
    let config = LaunchConfig::cover(12).block(32);
    launch!(on, grid_paths(read costs, write out, write smallest), config)?;
    let shortest = |costs: &[[u8; 6]; 6]| {
        let mut least = [u32::MAX; 36];
        least[0] = costs[0][0].into();
        for _ in 0..36 {
            for at in 1..36_usize {
                let (x, y) = (at % 6, at / 6);
                let near = [(x > 0, -1), (x < 5, 1), (y > 0, -6), (y < 5, 6)];
                let near = near.into_iter().filter(|(is_there, _)| *is_there);
                let before = near.map(|(_, by)| least[at.wrapping_add_signed(by)]).min();
                let through = before.unwrap_or(u32::MAX).saturating_add(costs[y][x].into());
                least[at] = least[at].min(through);
            }
        }
        least[35]
    };
    let want: Vec<u32> = costs.iter().map(shortest).collect();
    same("paths", &out, &want)?;
    let cheapest = |costs: &[[u8; 6]; 6]| {
        let mut all = costs.as_flattened().to_vec();
        all.sort();
        [all[3], all[2], all[1], all[0]]
    };
    let want: Vec<[u8; 4]> = costs.iter().map(cheapest).collect();
    equal("smallest", &smallest, &want)
}

#[device]
trait Monoid: Copy {
    const IDENTITY: Self;
    fn combine(self, after: Self) -> Self;
}
#[device]
#[derive(Clone, Copy)]
struct Max(f32);
#[device]
impl Monoid for Max {
    const IDENTITY: Self = Max(f32::NEG_INFINITY);
    fn combine(self, after: Self) -> Self {
        Max(self.0.max(after.0))
    }
}
#[device]
#[derive(Clone, Copy)]
struct Flagged<M> {
    head: bool,
    value: M,
}
#[device]
impl<M: Monoid> Monoid for Flagged<M> {
    const IDENTITY: Self = Flagged { head: false, value: M::IDENTITY };
    fn combine(self, after: Self) -> Self {
        let value = if after.head { after.value } else { self.value.combine(after.value) };
        Flagged { head: self.head | after.head, value }
    }
}
#[kernel(block = 96)]
fn segmented_max(heads: &[bool], x: &mut [f32]) {
    let i = global_idx_x();
    let own = match x.get(i).zip(heads.get(i)) {
        Some((&v, &head)) => Flagged { head, value: Max(v) },
        None => Flagged::IDENTITY,
    };
    let Flagged { value: Max(v), .. } = block::inclusive_scan(own, Flagged::combine);
    if let Some(x) = x.get_mut(i) {
        *x = v;
    }
}

fn segments(on: &Engine) -> Check {
    let mut x: Vec<f32> = noise(90).into_iter().map(|v| (v >> 8) as f32).collect();
    let heads: Vec<bool> = (0..90).zip(noise(90)).map(|(i, v)| i == 0 || v % 5 == 0).collect();
    let mut most = 0.0;
    let so_far = |(v, head): (&f32, &bool)| {
        most = if *head { *v } else { v.max(most) };
        most
    };
    let want: Vec<f32> = x.iter().zip(&heads).map(so_far).collect();
    launch!(on, segmented_max(read heads, write x), LaunchConfig::cover(90))?;
    same("x", &x, &want)
}
