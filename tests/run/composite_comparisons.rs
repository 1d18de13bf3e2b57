//! User-defined comparisons inside tuples, arrays, options, results, `Reverse` and derived types.
use crate::run::engine::{Check, Engine, cases, like_rust};
use std::cmp::{Ordering, Reverse};
use warpwise::prelude::*;

cases![together, in_enums, in_floats, sorted, only_where_asked];

/// A task ordered by its cost, the lowest last, and equal to others of that cost.
#[device]
#[derive(Clone, Copy, Debug)]
struct Task {
    cost: i32,
    id: i32,
}

#[device]
impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.cost == other.cost
    }
}

#[device]
impl Eq for Task {}

#[device]
impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[device]
impl Ord for Task {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.cmp(&self.cost)
    }
}

/// A step ordered by its cost alone, although only equal to others with the same id.
#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    cost: i32,
    id: i32,
}

#[device]
impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[device]
impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.cmp(&other.cost)
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Weighted {
    weight: f32,
    step: Step,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Step(Step),
    Many { task: Task, count: i32 },
    Nothing,
}

#[device]
fn task(i: i32) -> Task {
    Task { cost: i.rem_euclid(3), id: i }
}

#[device]
fn step(i: i32) -> Step {
    Step { cost: i.rem_euclid(3), id: i }
}

#[device]
fn work(i: i32) -> Work {
    match i.rem_euclid(4) {
        0 => Work::Step(step(i)),
        1 => Work::Many { task: task(i), count: i },
        2 => Work::Many { task: task(i / 2), count: 1 },
        _ => Work::Nothing,
    }
}

#[device]
fn said(order: Option<Ordering>) -> i32 {
    order.map_or(2, |order| order as i32)
}

/// Appends the results of operators and `partial_cmp` to `at`, as digits.
#[device]
fn partial<T: PartialOrd + Copy>(at: &mut i32, a: T, b: T) {
    let below = (a < b) as i32 + 2 * (a <= b) as i32;
    let above = (a > b) as i32 + 2 * (a >= b) as i32;
    let same = (a == b) as i32 + 2 * (a != b) as i32;
    *at = *at * 5 + below + 4 * above + 16 * same + 64 * (1 + said(a.partial_cmp(&b)));
}

/// Does the same with `cmp` and the methods that depend on it.
#[device]
fn total<T: Ord + Copy>(at: &mut i32, a: T, b: T) {
    partial(at, a, b);
    let (most, least) = (a.max(b) == a, a.min(b) == b);
    *at = *at * 3 + a.cmp(&b) as i32 + 4 * most as i32 + 9 * least as i32;
}

fn together(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for i in 0..5 {
            for j in 0..5 {
                let i = i + x.len() as i32 - y.len() as i32;
                total(&mut out[0], (task(i), i), (task(j), j));
                total(&mut out[1], (i % 2, task(i)), (j % 2, task(j)));
                total(&mut out[2], (step(i), i % 2), (step(j), j % 2));
                total(&mut out[3], [step(i), step(i + 1)], [step(j), step(j + 2)]);
                total(&mut out[4], Reverse(task(i)), Reverse(task(j)));
                total(&mut out[5], Reverse((step(i), 3)), Reverse((step(j), 3)));
                total(&mut out[6], [[task(i)], [task(3)]], [[task(j)], [task(2)]]);
                partial(&mut out[7], &(task(i), 1), &(task(j), 2));
                let (a, b) = ([step(i), step(3), step(1)], [step(j), step(3)]);
                partial(&mut out[8], &a[..], &b[..]);
                partial(&mut out[9], [step(i); 12], [step(j); 12]);
            }
        }
    });
    Ok(())
}

fn in_enums(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for i in 0..5 {
            for j in 0..5 {
                let i = i + x.len() as i32 - y.len() as i32;
                let one: Result<Step, Task> = if i % 2 == 0 { Ok(step(i)) } else { Err(task(i)) };
                let two: Result<Step, Task> = if j % 3 == 0 { Ok(step(j)) } else { Err(task(j)) };
                total(&mut out[0], one, two);
                total(&mut out[1], work(i), work(j));
                total(&mut out[2], (work(i), i % 2), (work(j), 1));
                let some = if j == 3 { None } else { Some(task(j)) };
                total(&mut out[3], Some(task(i)), some);
                total(&mut out[4], one.ok(), two.ok());
            }
        }
    });
    Ok(())
}

fn in_floats(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        for i in 0..5 {
            for j in 0..5 {
                let i = i + x.len() as i32 - y.len() as i32;
                let weight = if j == 2 { f32::NAN } else { j as f32 / 2.0 };
                let a = Weighted { weight: i as f32 / 2.0, step: step(i) };
                let b = Weighted { weight, step: step(j) };
                partial(&mut out[0], a, b);
                partial(&mut out[1], (1.5, Some(a)), (1.5, Some(b)));
                partial(&mut out[2], [a, b], [b, a]);
            }
        }
    });
    Ok(())
}

fn sorted(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut tasks = [(task(5), 1), (task(3), 2), (task(1), 3), (task(x.len() as i32), 0)];
        tasks.sort();
        for i in 0..4 {
            out[i] = tasks[i].0.id * 10 + tasks[i].1;
        }
        let mut steps = [Some(step(5)), None, Some(step(y.len() as i32)), Some(step(1))];
        steps.sort_by(|a, b| b.cmp(a));
        for i in 0..4 {
            out[4 + i] = steps[i].map_or(99, |step| step.id);
        }
        out[8] = steps.iter().flatten().copied().max().map_or(0, |step| step.id);
        out[9] = x.iter().map(|&v| (step(v), v)).min().map_or(0, |least| least.1);
        out[10] = x.iter().map(|&v| (task(v), v)).max().map_or(0, |most| most.1);
        out[11] = x.iter().copied().max_by_key(|&v| (Reverse(task(v)), v % 2)).unwrap_or(0);
        out[12] = tasks.contains(&(task(2), 1)) as i32;
        out[13] = tasks.binary_search(&(task(1), 3)).map_or(-1, |at| at as i32);
        out[14] = tasks.iter().position(|of| *of == (task(0), 2)).map_or(-1, |at| at as i32);
        out[15] = std::cmp::max((task(1), 2), (task(2), 1)).1;
        out[16] = (step(1), 2).clamp((step(0), 3), (step(2), 1)).1;
        out[17] = tasks.is_sorted() as i32;
        out[18] = (Some(task(1)) == Some(task(4))) as i32;
        tasks.sort_by_key(|of| Reverse(*of));
        for i in 0..4 {
            out[20 + i] = tasks[i].0.id * 10 + tasks[i].1;
        }
    });
    Ok(())
}

/// A number that faults if it is compared with one of 9.
#[device]
#[derive(Clone, Copy)]
struct Picky(i32);

#[device]
impl PartialEq for Picky {
    fn eq(&self, other: &Self) -> bool {
        assert!(other.0 != 9);
        self.0 == other.0
    }
}

#[device]
impl PartialOrd for Picky {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if other.0 == 9 {
            panic!("compared");
        }
        self.0.partial_cmp(&other.0)
    }
}

fn only_where_asked(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let n = x.len() as i32;
        out[0] = ((n, Picky(1)) == (n + 1, Picky(9))) as i32;
        out[1] = ((n, Picky(1)) < (n + 1, Picky(9))) as i32;
        out[2] = ([Picky(n), Picky(1)] == [Picky(n + 10), Picky(9)]) as i32;
        out[3] = ([Picky(n), Picky(1)] < [Picky(n + 10), Picky(9)]) as i32;
        out[4] = (Some(Picky(y.len() as i32)) == None) as i32;
        let (good, bad): (Result<i32, Picky>, Result<i32, Picky>) = (Ok(n), Err(Picky(9)));
        out[5] = (good == bad) as i32 + 2 * (good < bad) as i32;
    });
    Ok(())
}
