//! Enums with data in memory that several threads access: slices, `&mut T` and shared memory.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::sync::atomic::Ordering;
use warpwise::prelude::*;

cases![
    made,
    changed_in_place,
    moved_about,
    one_value,
    beside_atomics,
    handed_on: THREADS_MEET,
    compared: THREADS_MEET,
    torn: THREADS_MEET,
    torn_in_blocks: THREADS_MEET,
];

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Nothing,
    Disc(f32),
    Box { size: [f32; 2], solid: bool },
    Tagged(u8, f64),
}

#[device]
impl Shape {
    fn numbered(i: usize) -> Shape {
        let x = i as f32;
        match i % 4 {
            0 => Shape::Nothing,
            1 => Shape::Disc(x),
            2 => Shape::Box { size: [x, x + 0.5], solid: i % 3 == 0 },
            _ => Shape::Tagged(i as u8, x as f64 * 0.25),
        }
    }

    fn grow(&mut self, by: f32) {
        match self {
            Shape::Nothing => *self = Shape::Disc(by),
            Shape::Disc(radius) => *radius += by,
            Shape::Box { size, solid } => {
                size[1] += by;
                *solid = !*solid;
            }
            Shape::Tagged(tag, _) if *tag > 100 => *self = Shape::Nothing,
            Shape::Tagged(tag, weight) => {
                *tag += 1;
                *weight *= by as f64;
            }
        }
    }
}

fn numbered(len: usize) -> Vec<Shape> {
    (0..len).map(Shape::numbered).collect()
}

#[kernel]
fn make(shapes: &mut [Shape]) {
    let i = global_idx_x();
    if i < shapes.len() {
        shapes[i] = Shape::numbered(i);
    }
}

fn made(on: &Engine) -> Check {
    let mut shapes = vec![Shape::Tagged(9, 9.0); 150];
    launch!(on, make(write shapes), LaunchConfig::cover(140).block(50))?;
    equal("shapes", &shapes, &numbered(150))
}

#[kernel]
fn grow(by: f32, shapes: &mut [Shape]) {
    if let Some(shape) = shapes.get_mut(global_idx_x()) {
        shape.grow(by);
        shape.grow(1.0);
    }
}

fn changed_in_place(on: &Engine) -> Check {
    let (by, mut shapes) = (2.5, numbered(203));
    launch!(on, grow(value by, write shapes), LaunchConfig::cover(203))?;
    let mut want = numbered(203);
    for shape in &mut want {
        shape.grow(2.5);
        shape.grow(1.0);
    }
    equal("shapes", &shapes, &want)
}

/// Moves enums by the methods of slices.
fn moved_about(on: &Engine) -> Check {
    #[kernel]
    fn arrange(from: &[Shape], shapes: &mut [Shape]) {
        if global_idx_x() != 0 {
            return;
        }
        shapes.swap(0, 2);
        shapes[3..5].fill(Shape::Box { size: [7.0, 8.0], solid: true });
        let (front, back) = shapes.split_at_mut(6);
        back[0] = front[1];
        front[5] = std::mem::replace(&mut back[1], Shape::Disc(-1.0));
        back[2..6].copy_from_slice(&from[..4]);
        shapes.reverse();
        for shape in shapes.iter_mut().skip(2).step_by(2) {
            if let Shape::Disc(radius) | Shape::Box { size: [radius, _], .. } = shape {
                *radius = -*radius;
            }
        }
        shapes[1..5].rotate_left(1);
    }
    let from: Vec<Shape> = numbered(9).split_off(5);
    let mut shapes = numbered(12);
    launch!(on, arrange(read from, write shapes), LaunchConfig::cover(2))?;
    let mut want = numbered(12);
    want.swap(0, 2);
    want[3..5].fill(Shape::Box { size: [7.0, 8.0], solid: true });
    want[6] = want[1];
    want[5] = want[7];
    want[7] = Shape::Disc(-1.0);
    want[8..].copy_from_slice(&from[..4]);
    want.reverse();
    for shape in want.iter_mut().skip(2).step_by(2) {
        if let Shape::Disc(radius) | Shape::Box { size: [radius, _], .. } = shape {
            *radius = -*radius;
        }
    }
    want[1..5].rotate_left(1);
    equal("shapes", &shapes, &want)
}

fn one_value(on: &Engine) -> Check {
    #[kernel]
    fn last(wanted: usize, shape: &mut Shape) {
        if global_idx_x() == wanted {
            *shape = Shape::numbered(wanted);
            if let Shape::Tagged(tag, _) = shape {
                *tag = 200;
            }
        }
    }
    for (wanted, want) in [
        (2, Shape::Box { size: [2.0, 2.5], solid: false }),
        (3, Shape::Tagged(200, 0.75)),
        (999, Shape::Disc(1.0)),
    ] {
        let mut shape = vec![Shape::Disc(1.0)];
        match on {
            Engine::Host => {
                warpwise::host::for_each_thread(LaunchConfig::cover(4), || {
                    last(wanted, &mut shape[0])
                })?;
            }
            Engine::Device { device, .. } => {
                let mut buffer = device.upload(&shape)?;
                last::launch(device, LaunchConfig::cover(4), wanted, &mut buffer)?;
                shape = buffer.to_vec()?;
            }
        }
        equal("shape", &shape, &[want])?;
    }
    Ok(())
}

#[device]
#[derive(Debug)]
enum Job {
    Idle,
    Counted { by: AtomicU32, step: u32 },
}

/// Atomics in a variant change behind `&`, plain fields behind `&mut`.
fn beside_atomics(on: &Engine) -> Check {
    #[kernel]
    fn count(jobs: &[Job]) {
        if let Job::Counted { by, step } = &jobs[global_idx_x() % jobs.len()] {
            by.fetch_add(*step, Ordering::Relaxed);
        }
    }
    #[kernel]
    fn advance(jobs: &mut [Job]) {
        let i = global_idx_x();
        if i < jobs.len() {
            match &mut jobs[i] {
                Job::Counted { by, step } if *step > 1 => {
                    *step += 1;
                    *by.get_mut() += 1;
                }
                job => *job = Job::Idle,
            }
        }
    }
    let counted = |step| Job::Counted { by: AtomicU32::new(0), step };
    let mut jobs = vec![Job::Idle, counted(1), counted(3), Job::Idle];
    launch!(on, count(shared jobs), LaunchConfig::cover(40))?;
    launch!(on, advance(own jobs), LaunchConfig::cover(40))?;
    let found = jobs.into_iter().map(|job| match job {
        Job::Idle => (0, 0),
        Job::Counted { by, step } => (by.into_inner(), step),
    });
    equal("jobs", &found.collect::<Vec<_>>(), &[(0, 0), (0, 0), (193, 4), (0, 0)])
}

/// Each thread reads its neighbour's value from shared memory, in which other variants were never
/// written.
#[kernel(block = 64)]
fn hand_on(shapes: &mut [Shape]) {
    let tile = shared!([Shape; 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = Shape::numbered(i);
    sync_threads();
    let mut shape = tile[63 - t];
    shape.grow(0.5);
    if i < shapes.len() {
        shapes[i] = shape;
    }
}

fn handed_on(on: &Engine) -> Check {
    let mut shapes = vec![Shape::Nothing; 250];
    launch!(on, hand_on(write shapes), LaunchConfig::cover(250))?;
    let want = (0..250).map(|i| {
        let mut shape = Shape::numbered(i / 64 * 64 + 63 - i % 64);
        shape.grow(0.5);
        shape
    });
    equal("shapes", &shapes, &want.collect::<Vec<_>>())
}

/// Finds the first value of the block that equals each value.
#[kernel(block = 32)]
fn compare(len: usize, firsts: &mut [usize]) {
    let tile = shared!([Shape; 32]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = Shape::numbered(i % len);
    sync_threads();
    let mut first = t;
    for other in (0..t).rev() {
        if tile[other] == tile[t] {
            first = other;
        }
    }
    firsts[i] = first;
}

fn compared(on: &Engine) -> Check {
    let (len, mut firsts) = (13, vec![0; 64]);
    launch!(on, compare(value len, write firsts), LaunchConfig::grid(2))?;
    let want = (0..64).map(|i| {
        let (block, of) = (i / 32 * 32, |i| Shape::numbered(i % 13));
        (block..i).position(|other| of(other) == of(i)).unwrap_or(i - block)
    });
    same("firsts", &firsts, &want.collect::<Vec<_>>())
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
enum Level {
    Low,
    High = 2,
}

/// A variant for which all bytes are valid, and one for which few are.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Torn {
    Few { flag: bool, level: Level, at: u32 },
    All([u32; 2]),
}

#[device]
const ALL: Torn = Torn::All([0xffff_02fe, 3]);

#[device]
const FEW: Torn = Torn::Few { flag: true, level: Level::High, at: 2 };

/// Returns a digest of a value, with lookups by all of its parts.
#[device]
fn said(torn: &Torn, of_flag: &[u32; 2], table: &[u32; 4]) -> u32 {
    match *torn {
        Torn::Few { flag, level, at } => {
            let level = match level {
                Level::Low => 10,
                Level::High => 20,
            };
            of_flag[flag as usize] + level + table[at as usize]
        }
        Torn::All([a, b]) => table[(a & 1) as usize] + table[b as usize],
    }
}

/// Lanes of a warp write both variants at once. It is open which parts remain, but every read
/// yields a valid value.
#[kernel(block = 64)]
#[allow(gpu_missing_barriers, gpu_global_races, gpu_same_value_races)]
fn tear(torn: &mut [Torn], out: &mut [u32]) {
    let t = thread_idx_x();
    torn[0] = if t % 2 == 1 { FEW } else { ALL };
    torn[1] = if t % 2 == 0 { FEW } else { ALL };
    sync_threads();
    let (of_flag, table) = ([100, 200], [1, 2, 3, 4]);
    out[2 * t] = said(&torn[0], &of_flag, &table);
    let copy = torn[1];
    out[2 * t + 1] = said(&copy, &of_flag, &table);
    if copy == FEW {
        out[2 * t + 1] += 1000;
    }
}

/// Returns true for a digest of a possible mixture of both values: in a `Few`, the flag, the level
/// and the index may each come from either.
fn may_be_said(said: u32) -> bool {
    let all = [1 + 4, 2 + 4, 1 + 3, 2 + 3];
    let flags = [100, 200].into_iter().flat_map(|flag| [10, 20].map(|level| flag + level));
    let mut few = flags.flat_map(|sum| [3, 4].map(|of_table| sum + of_table));
    all.contains(&(said % 1000)) || few.any(|few| few == said % 1000)
}

fn torn(on: &Engine) -> Check {
    let (mut torn, mut out) = (vec![ALL; 2], vec![0; 128]);
    launch!(on, tear(write torn, write out), LaunchConfig::grid(1))?;
    match out.iter().find(|said| !may_be_said(**said)) {
        Some(said) => Err(format!("{said} came out of {torn:?}").into()),
        None => Ok(()),
    }
}

#[kernel(block = 64)]
#[allow(gpu_missing_barriers, gpu_shared_write_races, gpu_same_value_races)]
fn tear_shared(out: &mut [u32]) {
    let torn = shared!([Torn; 1]);
    let t = thread_idx_x();
    torn[0] = if t % 2 == 1 { FEW } else { ALL };
    sync_threads();
    let (of_flag, table) = ([100, 200], [1, 2, 3, 4]);
    out[t] = said(&torn[0], &of_flag, &table);
}

fn torn_in_blocks(on: &Engine) -> Check {
    let mut out = vec![0; 64];
    launch!(on, tear_shared(write out), LaunchConfig::grid(1))?;
    match out.iter().find(|said| !may_be_said(**said)) {
        Some(said) => Err(format!("{said} came out").into()),
        None => Ok(()),
    }
}
