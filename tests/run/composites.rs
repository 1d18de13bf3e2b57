//! Tuples, options and results: in slices, in fields of slice elements, and by value.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::{
    cmp::{Ordering as Order, Reverse},
    ops::ControlFlow,
    sync::atomic::Ordering,
};
use warpwise::prelude::*;

cases![
    tuples,
    options,
    results,
    fields,
    fields_of_generic_types,
    nested,
    arrays_of_options,
    orders,
    long_tuples,
    atomics,
    written_in_part,
    one_value,
    shared_by_a_block: THREADS_MEET,
    options_by_value,
    shapes_by_value,
    tuples_by_value,
    generic_options,
    parts_of_what_is_passed,
];

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Point,
    Disc(f32),
    Box { size: [f32; 2], solid: bool },
    Named(u8, (u16, f64)),
}

#[device]
impl Shape {
    fn weight(self) -> f64 {
        match self {
            Shape::Point => 0.5,
            Shape::Disc(radius) => radius as f64 * 2.0,
            Shape::Box { size: [x, y], solid: true } => (x * y) as f64,
            Shape::Box { size, .. } => size[0] as f64,
            Shape::Named(tag, (kind, weight)) => tag as f64 + kind as f64 * weight,
        }
    }
}

const SHAPES: [Shape; 5] = [
    Shape::Point,
    Shape::Disc(1.5),
    Shape::Box { size: [3.0, 4.0], solid: true },
    Shape::Box { size: [3.0, 4.0], solid: false },
    Shape::Named(7, (300, 0.25)),
];

fn tuples(on: &Engine) -> Check {
    #[kernel]
    fn turn(x: &[(u8, f64, bool)], y: &mut [(f64, u8)], z: &mut [(u32, u32)]) {
        let i = global_idx_x();
        if i < x.len() {
            let (small, large, flag) = x[i];
            y[i] = if flag { (large, small) } else { (-large, small + 1) };
            z[i].1 += z[i].0 * i as u32;
        }
    }
    let x: Vec<(u8, f64, bool)> = (0..70).map(|i| (i as u8, i as f64 * 0.5, i % 3 == 0)).collect();
    let (mut y, mut z) = (vec![(0.0, 0); 70], vec![(3, 1); 70]);
    launch!(on, turn(read x, write y, write z), LaunchConfig::cover(70))?;
    let want =
        x.iter().map(|&(a, b, flag)| if flag { (b, a) } else { (-b, a + 1) }).collect::<Vec<_>>();
    equal("y", &y, &want)?;
    equal("z", &z, &(0..70).map(|i| (3, 1 + 3 * i)).collect::<Vec<_>>())
}

fn options(on: &Engine) -> Check {
    #[kernel]
    fn halve(x: &[Option<u32>], y: &mut [Option<u16>], flags: &mut [Option<bool>]) {
        let i = global_idx_x();
        if let (Some(place), Some(flag)) = (y.get_mut(i), flags.get_mut(i)) {
            *place = match x[i] {
                Some(value) if value % 2 == 0 => Some((value / 2) as u16),
                Some(_) => None,
                None => *place,
            };
            *flag = flag.map(|flag| !flag).or(x[i].is_none().then_some(true));
        }
    }
    let x: Vec<Option<u32>> = (0..90).map(|i| (i % 3 > 0).then_some(i)).collect();
    let mut y: Vec<Option<u16>> = (0..90).map(|i| (i % 2 > 0).then_some(i + 1000)).collect();
    let mut flags: Vec<Option<bool>> = (0..90).map(|i| (i % 5 > 1).then_some(i % 5 > 2)).collect();
    let want = x.iter().zip(&y).map(|(x, y)| match x {
        Some(value) if value % 2 == 0 => Some((value / 2) as u16),
        Some(_) => None,
        None => *y,
    });
    let want: Vec<_> = want.collect();
    let want_flags = x.iter().zip(&flags);
    let want_flags = want_flags.map(|(x, flag)| match flag {
        Some(flag) => Some(!flag),
        None => x.is_none().then_some(true),
    });
    let want_flags: Vec<_> = want_flags.collect();
    launch!(on, halve(read x, write y, write flags), LaunchConfig::cover(90))?;
    equal("y", &y, &want)?;
    equal("flags", &flags, &want_flags)
}

fn results(on: &Engine) -> Check {
    #[kernel]
    fn divide(x: &[Result<i32, u8>], y: &mut [Result<(i32, i32), f64>]) {
        let i = global_idx_x();
        if i < x.len() {
            y[i] = match x[i] {
                Ok(0) => Err(0.5),
                Ok(by) => Ok((100 / by, 100 % by)),
                Err(code) => Err(code as f64),
            };
        }
    }
    let x = [Ok(7), Err(3), Ok(0), Ok(-9), Err(255)];
    let mut y = vec![Ok((1, 1)); 5];
    launch!(on, divide(read x, write y), LaunchConfig::cover(5))?;
    equal("y", &y, &[Ok((14, 2)), Err(3.0), Err(0.5), Ok((-11, 1)), Err(255.0)])
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hit {
    at: (f32, u8),
    of: Option<Shape>,
    seen: Option<bool>,
    next: Result<u64, ()>,
}

fn hits() -> Vec<Hit> {
    let hit = |i: u8| Hit {
        at: (f32::from(i), i),
        of: SHAPES.get(usize::from(i)).copied(),
        seen: (i % 2 == 0).then_some(i % 4 == 0),
        next: if i % 3 == 0 { Err(()) } else { Ok(u64::from(i)) },
    };
    (0..9).map(hit).collect()
}

fn fields(on: &Engine) -> Check {
    #[kernel]
    fn follow(from: &[Hit], to: &mut [Hit], weights: &mut [f64]) {
        let i = global_idx_x();
        if i < from.len() {
            let hit = from[i];
            weights[i] = hit.of.map_or(-1.0, Shape::weight) + hit.at.0 as f64;
            to[i] = Hit { at: (hit.at.0 + 1.0, hit.at.1), seen: Some(hit.seen.is_some()), ..hit };
            if let Some(Shape::Named(tag, (kind, _))) = &mut to[i].of {
                *kind += *tag as u16;
            }
            to[i].next = to[i].next.map(|next| next * 2).or(Ok(i as u64));
        }
    }
    let (from, mut to, mut weights) = (hits(), hits(), vec![0.0; 9]);
    launch!(on, follow(read from, write to, write weights), LaunchConfig::cover(9))?;
    let want = from.iter().enumerate().map(|(i, hit)| Hit {
        at: (hit.at.0 + 1.0, hit.at.1),
        of: hit.of.map(|of| match of {
            Shape::Named(tag, (kind, weight)) => Shape::Named(tag, (kind + u16::from(tag), weight)),
            other => other,
        }),
        seen: Some(hit.seen.is_some()),
        next: Ok(hit.next.map_or(i as u64, |next| next * 2)),
    });
    equal("to", &to, &want.collect::<Vec<_>>())?;
    let want = from.iter().map(|hit| hit.of.map_or(-1.0, Shape::weight) + f64::from(hit.at.0));
    equal("weights", &weights, &want.collect::<Vec<_>>())
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pair<T> {
    first: T,
    second: Option<T>,
    both: (u8, T),
}

#[kernel]
fn pair_up<T: Num>(x: &[Pair<T>], y: &mut [Option<(T, u8)>]) {
    let i = global_idx_x();
    if i < x.len() {
        let pair = x[i];
        y[i] = pair.second.map(|second| (second + pair.first + pair.both.1, pair.both.0));
    }
}

fn fields_of_generic_types(on: &Engine) -> Check {
    let x = [
        Pair { first: 1i64, second: Some(2), both: (3, 4) },
        Pair { first: 1, second: None, both: (3, 4) },
    ];
    let mut y = vec![None; 2];
    launch!(on, pair_up::<i64>(read x, write y), LaunchConfig::cover(2))?;
    equal("y", &y, &[Some((7, 3)), None])?;
    let x = [Pair { first: 1.5f32, second: Some(2.0), both: (9, 0.25) }, Pair::default()];
    let mut y = vec![Some((0.0, 1)); 2];
    launch!(on, pair_up::<f32>(read x, write y), LaunchConfig::cover(2))?;
    equal("y", &y, &[Some((3.75, 9)), None])?;
    let x = [Pair { first: 1u8, second: Some(2), both: (9, 1) }];
    let mut y = vec![None];
    launch!(on, pair_up::<u8>(read x, write y), LaunchConfig::cover(1))?;
    equal("y", &y, &[Some((4, 9))])
}

fn nested(on: &Engine) -> Check {
    #[kernel]
    fn look(x: &[Option<(u32, Shape)>], y: &mut [Result<Option<Option<u8>>, (bool, [i16; 3])>]) {
        let i = global_idx_x();
        if i < x.len() {
            y[i] = match x[i] {
                None => Ok(None),
                Some((0, _)) => Ok(Some(None)),
                Some((n, Shape::Point | Shape::Disc(_))) => Ok(Some(Some(n as u8))),
                Some((n, Shape::Box { solid, .. })) => Err((solid, [n as i16, -1, 2])),
                Some((_, Shape::Named(tag, (kind, _)))) => {
                    Err((false, [tag as i16, kind as i16, 0]))
                }
            };
        }
    }
    let x = [
        None,
        Some((0, SHAPES[0])),
        Some((1, SHAPES[1])),
        Some((2, SHAPES[2])),
        Some((3, SHAPES[3])),
        Some((4, SHAPES[4])),
    ];
    let mut y = vec![Err((true, [9; 3])); 6];
    launch!(on, look(read x, write y), LaunchConfig::cover(6))?;
    let want = [
        Ok(None),
        Ok(Some(None)),
        Ok(Some(Some(1))),
        Err((true, [2, -1, 2])),
        Err((false, [3, -1, 2])),
        Err((false, [7, 300, 0])),
    ];
    equal("y", &y, &want)
}

fn arrays_of_options(on: &Engine) -> Check {
    #[kernel]
    fn fill(rows: &mut [[Option<f32>; 4]], sums: &mut [f32]) {
        let i = global_idx_x();
        if i < rows.len() {
            let row = &mut rows[i];
            sums[i] = row.iter().flatten().sum();
            for k in 0..4 {
                row[k] = row[k].or(Some(k as f32));
            }
            row.swap(0, 3);
        }
    }
    let mut rows = vec![[None, Some(1.0), Some(2.5), None], [Some(4.0); 4], [None; 4]];
    let mut sums = vec![0.0; 3];
    launch!(on, fill(write rows, write sums), LaunchConfig::cover(3))?;
    equal("sums", &sums, &[3.5, 16.0, -0.0])?;
    let some = |row: [f32; 4]| row.map(Some);
    let want = [some([3.0, 1.0, 2.5, 0.0]), some([4.0; 4]), some([3.0, 1.0, 2.0, 0.0])];
    equal("rows", &rows, &want)
}

fn orders(on: &Engine) -> Check {
    #[kernel]
    fn compare(
        x: &[(i32, u8)],
        y: &mut [Order],
        z: &mut [Option<Reverse<u8>>],
        w: &mut [ControlFlow<u16, Order>],
    ) {
        let i = global_idx_x();
        if i + 1 < x.len() {
            y[i] = x[i].cmp(&x[i + 1]).then(y[i]);
            z[i] = z[i].max(Some(Reverse(x[i].1)));
            w[i] = match y[i] {
                Order::Equal => ControlFlow::Break(x[i].1 as u16),
                order => ControlFlow::Continue(order.reverse()),
            };
        }
    }
    let x = [(1, 2), (1, 3), (0, 9), (0, 9), (0, 9), (5, 0)];
    let mut y = vec![Order::Equal, Order::Less, Order::Less, Order::Equal, Order::Greater];
    let mut z = vec![None, Some(Reverse(3)), Some(Reverse(8)), Some(Reverse(10)), None];
    let mut w = vec![ControlFlow::Break(1); 5];
    launch!(on, compare(read x, write y, write z, write w), LaunchConfig::cover(5))?;
    equal("y", &y, &[Order::Less, Order::Greater, Order::Less, Order::Equal, Order::Less])?;
    equal("z", &z, &[2, 3, 8, 9, 9].map(|least| Some(Reverse(least))))?;
    let go_on = ControlFlow::Continue;
    let want = [Order::Greater, Order::Less, Order::Greater].map(go_on);
    equal("w", &w, &[want[0], want[1], want[2], ControlFlow::Break(9), go_on(Order::Greater)])
}

/// Twelve parts, of all sizes.
#[device]
type Long = (u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, bool, usize);

fn long_tuples(on: &Engine) -> Check {
    #[kernel]
    fn sum(x: &[Long], y: &mut [((), Long, (u8,))]) {
        let i = global_idx_x();
        if i < x.len() {
            let (a, b, c, d, e, f, g, h, k, l, flag, n) = x[i];
            y[i] = ((), (a + 1, b, c, d + c as u64, e, f, -g, h, k, l * 2.0, !flag, n), (a,));
        }
    }
    let x = [(1, 2, 3, 4, -5, -6, -7, -8, 9.5, 10.5, true, 12); 2];
    let mut y = vec![((), (0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, false, 0), (0,)); 2];
    launch!(on, sum(read x, write y), LaunchConfig::cover(2))?;
    equal("y", &y, &[((), (2, 2, 3, 7, -5, -6, 7, -8, 9.5, 21.0, false, 12), (1,)); 2])
}

fn atomics(on: &Engine) -> Check {
    #[kernel]
    fn count(x: &[u32], cells: &[(AtomicU32, u32)], maybe: &[Option<AtomicU64>]) {
        let i = global_idx_x();
        if i < x.len() {
            let (count, by) = &cells[x[i] as usize % cells.len()];
            count.fetch_add(*by, Ordering::Relaxed);
            if let Some(sum) = &maybe[i % maybe.len()] {
                sum.fetch_add(x[i] as u64, Ordering::Relaxed);
            }
        }
    }
    let x: Vec<u32> = (0..100).collect();
    let want_cells = [(34, 1), (66, 2), (99, 3)];
    let want_maybe = [None, Some((0..50).map(|i| 2 * i + 1).sum::<u64>())];
    match on {
        Engine::Host => {
            let cells: Vec<_> = (1..4).map(|by| (AtomicU32::new(0), by)).collect();
            let maybe = [None, Some(AtomicU64::new(0))];
            let config = LaunchConfig::cover(100);
            warpwise::host::for_each_thread(config, || count(&x, &cells, &maybe))?;
            let cells = cells.into_iter().map(|(count, by)| (count.into_inner(), by));
            equal("cells", &cells.collect::<Vec<_>>(), &want_cells)?;
            equal("maybe", &maybe.map(|it| it.map(AtomicU64::into_inner)), &want_maybe)
        }
        Engine::Device { device, .. } => {
            let cells: Vec<_> = (1..4).map(|by| (AtomicU32::new(0), by)).collect();
            let cells = device.upload(&cells)?;
            let maybe = device.upload(&[None, Some(AtomicU64::new(0))])?;
            let x = device.upload(&x)?;
            count::launch(device, LaunchConfig::cover(100), &x, &cells, &maybe)?;
            equal("cells", &cells.to_vec()?, &want_cells)?;
            equal("maybe", &maybe.to_vec()?, &want_maybe)
        }
    }
}

/// Only some threads write, and only some of the parts.
fn written_in_part(on: &Engine) -> Check {
    #[kernel]
    fn some(places: &mut [(Option<u32>, [Option<bool>; 2])]) {
        let i = global_idx_x();
        if i < places.len() && i % 2 == 1 {
            if i % 3 == 0 {
                places[i].0 = Some(i as u32);
            } else {
                places[i].1[i % 2] = Some(i > 5);
            }
        }
    }
    let mut places = vec![(None, [None; 2]); 12];
    match on {
        Engine::Host => {
            launch!(on, some(write places), LaunchConfig::cover(12))?;
        }
        Engine::Device { device, .. } => {
            let mut zeros = device.zeros(12)?;
            some::launch(device, LaunchConfig::cover(12), &mut zeros)?;
            places = zeros.to_vec()?;
        }
    }
    let want = (0..12).map(|i: u32| match (i % 2, i % 3) {
        (1, 0) => (Some(i), [None; 2]),
        (1, _) => (None, [None, Some(i > 5)]),
        _ => (None, [None; 2]),
    });
    equal("places", &places, &want.collect::<Vec<_>>())
}

fn one_value(on: &Engine) -> Check {
    #[kernel]
    fn keep(limit: &Option<u32>, best: &mut Option<(u32, u8)>, x: &[u32]) {
        if global_idx_x() == 0 {
            for (i, value) in x.iter().enumerate() {
                let is_low = limit.is_none_or(|limit| *value < limit);
                if is_low && best.is_none_or(|(best, _)| *value > best) {
                    *best = Some((*value, i as u8));
                }
            }
        }
    }
    for (limit, want) in [(None, (9, 2)), (Some(9), (7, 4)), (Some(2), (1, 5))] {
        let (x, mut best) = ([3, 5, 9, 4, 7, 1], None);
        match on {
            Engine::Host => {
                let config = LaunchConfig::cover(1);
                warpwise::host::for_each_thread(config, || keep(&limit, &mut best, &x))?;
            }
            Engine::Device { device, .. } => {
                let (limit, x) = (device.upload(&[limit])?, device.upload(&x)?);
                let mut found = device.zeros(1)?;
                keep::launch(device, LaunchConfig::cover(1), &limit, &mut found, &x)?;
                best = found.to_vec()?[0];
            }
        }
        equal("best", &[best], &[Some(want)])?;
    }
    Ok(())
}

#[kernel(block = 64)]
fn share(x: &[Option<(u8, f32)>], y: &mut [Option<(u8, f32)>]) {
    let tile = shared!([Option<(u8, f32)>; 64]);
    let sums = shared!([(u32, Result<u8, f64>); 64]);
    let (t, i) = (thread_idx_x(), global_idx_x());
    tile[t] = x[i];
    sums[t] = (t as u32, if t % 2 == 0 { Ok(t as u8) } else { Err(t as f64 * 0.5) });
    sync_threads();
    let (number, result) = sums[63 - t];
    y[i] = match (tile[63 - t], result) {
        (Some((a, b)), Ok(c)) => Some((a + c, b)),
        (Some((a, b)), Err(c)) => Some((a, b + c as f32)),
        (None, Ok(_)) => None,
        (None, Err(_)) => Some((number as u8, -1.0)),
    };
}

fn shared_by_a_block(on: &Engine) -> Check {
    let x: Vec<_> = (0..128u8).map(|i| (i % 3 > 0).then_some((i, f32::from(i)))).collect();
    let mut y = vec![None; 128];
    launch!(on, share(read x, write y), LaunchConfig::cover(128))?;
    let want = (0..128).map(|i| {
        let other = 63 - i % 64;
        match (x[i / 64 * 64 + other], other % 2) {
            (Some((a, b)), 0) => Some((a + other as u8, b)),
            (Some((a, b)), _) => Some((a, b + other as f32 * 0.5)),
            (None, 0) => None,
            (None, _) => Some((other as u8, -1.0)),
        }
    });
    equal("y", &y, &want.collect::<Vec<_>>())
}

fn options_by_value(on: &Engine) -> Check {
    #[kernel]
    fn clip(limit: Option<u32>, mut by: Result<(i32, bool), f64>, x: &[u32], y: &mut [i32]) {
        let i = global_idx_x();
        if i < x.len() {
            let value = limit.map_or(x[i], |limit| x[i].min(limit));
            if value == 3 {
                by = Ok((1000, false));
            }
            y[i] = match by {
                Ok((by, true)) => value as i32 * by,
                Ok((by, false)) => value as i32 - by,
                Err(by) => (value as f64 * by) as i32,
            };
        }
    }
    let host = |limit: Option<u32>, by: Result<(i32, bool), f64>, x: u32| {
        let value = x.min(limit.unwrap_or(x));
        match by {
            _ if value == 3 => -997,
            Ok((by, true)) => value as i32 * by,
            Ok((by, false)) => value as i32 - by,
            Err(by) => (f64::from(value) * by) as i32,
        }
    };
    let x: Vec<u32> = (0..20).collect();
    for limit in [None, Some(0), Some(12)] {
        for by in [Ok((-7, true)), Ok((5, false)), Err(2.5)] {
            let mut y = vec![0; 20];
            launch!(on, clip(value limit, value by, read x, write y), LaunchConfig::cover(20))?;
            let want: Vec<i32> = x.iter().map(|x| host(limit, by, *x)).collect();
            equal(&format!("{limit:?}, {by:?}"), &y, &want)?;
        }
    }
    Ok(())
}

fn shapes_by_value(on: &Engine) -> Check {
    #[kernel]
    fn weigh(shape: Shape, others: [Option<Shape>; 3], y: &mut [f64]) {
        let i = global_idx_x();
        if i == 0 {
            y[0] = shape.weight();
        } else if i < 4 {
            y[i] = others[i - 1].map_or(-1.0, Shape::weight);
        } else if i == 4 {
            y[4] = others.iter().flatten().filter(|other| **other == shape).count() as f64;
        }
    }
    for (number, shape) in SHAPES.into_iter().enumerate() {
        let others = [Some(SHAPES[(number + 1) % 5]), None, Some(shape)];
        let mut y = vec![0.0; 5];
        launch!(on, weigh(value shape, value others, write y), LaunchConfig::cover(5))?;
        let weight = |shape: Option<Shape>| shape.map_or(-1.0, Shape::weight);
        let want = [shape.weight(), weight(others[0]), -1.0, shape.weight(), 1.0];
        same(&format!("{shape:?}"), &y, &want)?;
    }
    Ok(())
}

fn tuples_by_value(on: &Engine) -> Check {
    #[kernel]
    fn scale((by, at): (f32, (usize, bool)), hit: Hit, order: Order, y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] *= by;
            if i == at.0 && at.1 {
                y[i] += hit.at.0;
            }
            if i > at.0 && order.is_gt() {
                y[i] -= hit.next.unwrap_or(1) as f32;
            }
        }
    }
    let (pair, hit, order) = ((2.0, (1, true)), hits()[4], Order::Greater);
    let mut y = vec![1.0, 2.0, 3.0];
    launch!(on, scale(value pair, value hit, value order, write y), LaunchConfig::cover(3))?;
    same("y", &y, &[2.0, 8.0, 2.0])
}

#[kernel]
fn any_of<T: Num, const N: usize>(first: Option<T>, pair: Pair<T>, y: &mut [(T, [Option<T>; N])]) {
    let i = global_idx_x();
    if i < y.len() {
        let (sum, parts) = &mut y[i];
        *sum += first.unwrap_or(pair.first) + pair.both.1;
        for part in parts.iter_mut() {
            *part = pair.second;
        }
    }
}

fn generic_options(on: &Engine) -> Check {
    let (pair, first) = (Pair { first: 1.5f64, second: Some(2.0), both: (3, 4.0) }, None);
    let mut y = vec![(1.0, [None; 3]); 2];
    launch!(on, any_of::<f64, 3>(value first, value pair, write y), LaunchConfig::cover(2))?;
    equal("y", &y, &[(6.5, [Some(2.0); 3]); 2])?;
    let (pair, first) = (Pair { first: 1i8, second: None, both: (3, 4) }, Some(-7));
    let mut y = vec![(1, [Some(1); 2]); 2];
    launch!(on, any_of::<i8, 2>(value first, value pair, write y), LaunchConfig::cover(2))?;
    equal("y", &y, &[(-2, [None; 2]); 2])
}

/// References to, and changes of, parts of arguments.
fn parts_of_what_is_passed(on: &Engine) -> Check {
    #[device]
    fn solid(shape: &Shape) -> bool {
        matches!(shape, Shape::Box { solid: true, .. })
    }
    #[kernel]
    fn change(mut shape: Shape, hit: Hit, y: &mut [Shape]) {
        let i = global_idx_x();
        if i < y.len() {
            let was = solid(&shape);
            if let Shape::Box { size, solid } = &mut shape {
                size[i % 2] += 1.0;
                *solid = !was;
            } else if let Some(other) = hit.of.as_ref() {
                shape = *other;
            }
            y[i] = shape;
        }
    }
    for (shape, want) in [
        (SHAPES[2], Shape::Box { size: [3.0, 5.0], solid: false }),
        (SHAPES[3], Shape::Box { size: [3.0, 5.0], solid: true }),
        (SHAPES[0], SHAPES[4]),
    ] {
        let (hit, mut y) = (hits()[4], vec![Shape::Point; 2]);
        launch!(on, change(value shape, value hit, write y), LaunchConfig::cover(2))?;
        equal("y", &y[1..], &[want])?;
    }
    Ok(())
}
