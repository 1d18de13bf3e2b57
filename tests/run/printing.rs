//! Printing: `println!` and the messages of `assert!`, `panic!` and related macros, as in Rust.
#![allow(clippy::todo, clippy::unimplemented, reason = "what they do is tested")]
use crate::run::engine::{Check, Engine, cases, fault, launch, same};
use std::sync::{Arc, Mutex};
use warpwise::prelude::*;

cases![
    in_the_order_of_threads: PRINTS, every_format: PRINTS, from_device_functions: PRINTS,
    generic_values: PRINTS, values_with_parts: PRINTS, missing_values: PRINTS, assertions_on_parts: FAULTS, too_much: PRINTS, between_launches: PRINTS,
    assertions: FAULTS, debug_assertions: FAULTS, debug_assertions_of_device_functions, panics: FAULTS, the_lowest_speaks: FAULTS, lazily: FAULTS,
    in_loops_with_barriers: THREADS_MEET, nothing_fails, never_comes_back,
];

/// Returns the output of `run` on an engine that is not the host.
fn printed(on: &Engine, run: impl FnOnce() -> warpwise::Result<()>) -> Result<String, String> {
    let Engine::Device { device, .. } = on else { return Err("the host prints itself".into()) };
    let text = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&text);
    device.on_print(move |text| seen.lock().unwrap().push_str(text));
    run().map_err(|error| error.to_string())?;
    device.on_print(|text| print!("{text}"));
    let text = text.lock().unwrap().clone();
    Ok(text)
}

fn equal(got: &str, want: &str) -> Check {
    if got == want {
        return Ok(());
    }
    let lines = got.lines().zip(want.lines()).find(|(got, want)| got != want);
    Err(format!("{lines:?} differ, of {} and {} lines", got.lines().count(), want.lines().count())
        .into())
}

#[kernel]
fn hello(n: u32) {
    let i = global_idx_x() as u32;
    if i < n {
        println!("thread {i}");
        if i % 3 == 0 {
            print!("{} is a multiple of {}; ", i, 3);
            println!();
        }
    }
}

fn in_the_order_of_threads(on: &Engine) -> Check {
    let n = 700u32;
    let got = printed(on, || launch!(on, hello(value n), LaunchConfig::cover(700).block(64)))?;
    let line = |i: u32| {
        let more = if i % 3 == 0 { format!("{i} is a multiple of 3; \n") } else { String::new() };
        format!("thread {i}\n{more}")
    };
    equal(&got, &(0..n).map(line).collect::<String>())
}

#[kernel]
fn formats(a: i8, b: u16, c: i32, d: u64, x: f32, y: f64, width: usize) {
    println!("{a} {b:?} {c:>8}|{d:<22}|{x} {y:?}");
    println!("{a:#x} {b:08b} {c:+} {d:e} {x:.3} {y:>+12.2e}");
    println!("{0:#?} {1:X} {0:o} {name:^9}|{:*^1$}|{:.2$}", a, width, width, name = c);
    println!("{{literal}} {} {:>6} {:?}", "text", "right", "quoted\n");
    println!("{x:width$.1} {:.*} {}", 2, y, x > 1.0 && b == 7);
    println!("{:5}|{:?}", c < 0, y.is_nan());
}

fn every_format(on: &Engine) -> Check {
    for (a, b, c, d, x, y) in [
        (-5i8, 7u16, -123_456i32, 1u64 << 63, 1.5f32, -0.1f64),
        (i8::MIN, u16::MAX, i32::MAX, u64::MAX, f32::INFINITY, f64::MIN_POSITIVE),
        (0, 0, 0, 0, -0.0, f64::NAN),
        (127, 255, -1, 10, 1e-42, 1e300),
    ] {
        let width = 11usize;
        let got = printed(on, || {
            launch!(
                on,
                formats(value a, value b, value c, value d, value x, value y, value width),
                LaunchConfig::grid(1).block(1)
            )
        })?;
        let mut want = format!("{a} {b:?} {c:>8}|{d:<22}|{x} {y:?}\n");
        want += &format!("{a:#x} {b:08b} {c:+} {d:e} {x:.3} {y:>+12.2e}\n");
        want +=
            &format!("{0:#?} {1:X} {0:o} {name:^9}|{:*^1$}|{:.2$}\n", a, width, width, name = c);
        want += &format!("{{literal}} {} {:>6} {:?}\n", "text", "right", "quoted\n");
        want += &format!("{x:width$.1} {:.*} {}\n", 2, y, x > 1.0 && b == 7);
        want += &format!("{:5}|{:?}\n", c < 0, y.is_nan());
        equal(&got, &want)?;
    }
    Ok(())
}

#[device]
fn announced(what: u32) -> u32 {
    println!("computing {what}");
    what * what
}

#[kernel]
fn announces() {
    let i = thread_idx_x() as u32;
    println!("{} and {}", announced(i), announced(i + 1));
}

fn from_device_functions(on: &Engine) -> Check {
    let got = printed(on, || launch!(on, announces(), LaunchConfig::grid(1).block(3)))?;
    let line = |i: u32| {
        format!("computing {i}\ncomputing {}\n{} and {}\n", i + 1, i * i, (i + 1) * (i + 1))
    };
    equal(&got, &(0..3).map(line).collect::<String>())
}

#[kernel]
fn generic<T: Num, const N: usize>(x: T) {
    println!("{x} {x:?} {N}");
}

fn generic_values(on: &Engine) -> Check {
    let x = 2.0f64;
    let config = LaunchConfig::grid(1).block(1);
    let got = printed(on, || launch!(on, generic::<f64, 7>(value x), config))?;
    equal(&got, "2 2.0 7\n")?;
    let x = -3i16;
    let got = printed(on, || launch!(on, generic::<i16, 8>(value x), config))?;
    equal(&got, "-3 -3 8\n")
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    at: (u32, i8),
    level: f32,
    state: State,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Off,
    On { since: u64 },
    Failed(i32, Option<bool>),
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Unit;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair(f64, Unit);

#[device]
fn reading(n: u32) -> Reading {
    let state = match n {
        0 => State::Off,
        1 => State::On { since: 1 << 40 },
        2 => State::Failed(-7, None),
        _ => State::Failed(8, Some(n == 4)),
    };
    Reading { at: (n, -1), level: 0.5 * n as f32, state }
}

#[kernel]
fn parts(n: u32) {
    let reading = reading(n);
    println!("{reading:?} {:?}", reading.state);
    println!("{reading:#?}");
    let half: Option<u32> = if n % 2 == 0 { Some(n / 2) } else { None };
    let result: Result<i16, (u8, bool)> = if n > 2 { Ok(-3) } else { Err((9, true)) };
    println!("{half:?} {result:?} {:?} {:?}", (n,), ());
    println!("{:6.2?}|{:?}|{:#?}", [1.5f32, -2.0], [[n; 2]; 2], [Pair(0.25, Unit)]);
    let pair = Pair(1e300, Unit);
    println!("{:?} {:?} {:x?} {:?}", pair, &pair, (255u8, -1i8), n.cmp(&2));
}

fn values_with_parts(on: &Engine) -> Check {
    for n in 0..5u32 {
        let got = printed(on, || launch!(on, parts(value n), LaunchConfig::grid(1).block(1)))?;
        let reading = reading(n);
        let mut want = format!("{reading:?} {:?}\n{reading:#?}\n", reading.state);
        let half: Option<u32> = if n % 2 == 0 { Some(n / 2) } else { None };
        let result: Result<i16, (u8, bool)> = if n > 2 { Ok(-3) } else { Err((9, true)) };
        want += &format!("{half:?} {result:?} {:?} {:?}\n", (n,), ());
        let arrays = ([1.5f32, -2.0], [[n; 2]; 2], [Pair(0.25, Unit)]);
        want += &format!("{:6.2?}|{:?}|{:#?}\n", arrays.0, arrays.1, arrays.2);
        let pair = Pair(1e300, Unit);
        want += &format!("{:?} {:?} {:x?} {:?}\n", pair, &pair, (255u8, -1i8), n.cmp(&2));
        equal(&got, &want)?;
    }
    Ok(())
}

/// A missing element is far from all memory, so nothing may read it.
#[kernel]
fn missing(x: &[u32]) {
    let far = 100_000_000 + x.len();
    println!("{:?} {:?}", x.get(far), (x.get(far), x.get(1)));
    println!("{:#?}", (x.get(far).ok_or(x.first()), Some(x.get(far))));
}

fn missing_values(on: &Engine) -> Check {
    let x = vec![4u32, 5];
    let config = LaunchConfig::grid(1).block(1);
    let got = printed(on, || launch!(on, missing(read x), config))?;
    let inner: Result<&u32, Option<&u32>> = Err(x.first());
    let want = format!("None {:?}\n{:#?}\n", (None::<u32>, x.get(1)), (inner, Some(None::<u32>)));
    equal(&got, &want)
}

#[kernel]
fn asserts_parts(n: u32) {
    let reading = reading(n);
    assert_eq!((reading.at.0, reading.state), (n, State::Off), "of {:?}", [n, 7]);
}

fn assertions_on_parts(on: &Engine) -> Check {
    let config = LaunchConfig::grid(1).block(1);
    let n = 0u32;
    launch!(on, asserts_parts(value n), config)?;
    let n = 1u32;
    let fault = fault(launch!(on, asserts_parts(value n), config))?;
    let want = format!(
        "assertion `left == right` failed: of [1, 7]\n  left: {:?}\n right: {:?}",
        (1, State::On { since: 1 << 40 }),
        (1, State::Off)
    );
    equal(&fault.message, &want)
}

#[kernel]
fn floods() {
    println!("{}", global_idx_x());
}

fn too_much(on: &Engine) -> Check {
    let threads = 100_000;
    let got = printed(on, || launch!(on, floods(), LaunchConfig::cover(threads).block(100)))?;
    // A record of one value takes 32 bytes of a MiB.
    let room = (1 << 20) / 32;
    let lost = format!("[warpwise: {} more prints are lost", threads - room);
    if got.lines().count() != room + 1 || !got.lines().last().unwrap().starts_with(&lost) {
        return Err(format!("{} lines, {:?}", got.lines().count(), got.lines().last()).into());
    }
    Ok(())
}

fn between_launches(on: &Engine) -> Check {
    let Engine::Device { device, .. } = on else { return Ok(()) };
    let config = LaunchConfig::grid(1).block(2);
    let got = printed(on, || {
        for n in [1, 2, 0] {
            hello::launch(device, config, n)?;
        }
        floods::launch(device, config)?;
        device.synchronize()?;
        hello::launch(device, config, 1)?;
        device.synchronize()
    })?;
    let first = "thread 0\n0 is a multiple of 3; \n";
    equal(&got, &format!("{first}{first}thread 1\n0\n1\n{first}"))
}

/// Checks a message, and the line, which ends with `marker` in this file.
macro_rules! expect_message {
    ($result:expr, $marker:literal, $message:expr) => {{
        let panic = fault($result)?;
        let line = include_str!("printing.rs").lines().position(|line| line.ends_with($marker));
        let want = (line.unwrap() as u32 + 1, $message);
        if (panic.line, panic.message.as_str()) != want || !panic.file.ends_with("printing.rs") {
            return Err(format!("expected {want:?}, got {panic:?}").into());
        }
        panic
    }};
}

#[kernel]
fn asserts(which: u32, x: &[f32], n: i64) {
    let i = thread_idx_x();
    if which == 0 {
        assert!(x[i] < 2.0 && !x.is_empty()); // plain
    } else if which == 1 {
        assert!(n == 4, "n is {n}, not {}", 4); // formatted
    } else if which == 2 {
        assert_eq!(n, 4); // equal
    } else if which == 3 {
        assert_ne!(x[i], 1.5, "element {i} of {}", x.len()); // different
    } else {
        assert_eq!(x[0] + 0.5, 2.5, "sum"); // sum
    }
}

fn assertions(on: &Engine) -> Check {
    let (x, n) = (vec![1.5f32, 2.5, 1.5], -3i64);
    let run = |which: u32| {
        let x = x.clone();
        launch!(on, asserts(value which, read x, value n), LaunchConfig::grid(1).block(3))
    };
    let plain = "assertion failed: x[i] < 2.0 && !x.is_empty()";
    let panic = expect_message!(run(0), "// plain", plain);
    if (panic.thread, panic.count) != ([1, 0, 0], 1) {
        return Err(format!("{panic:?}").into());
    }
    expect_message!(run(1), "// formatted", "n is -3, not 4");
    expect_message!(run(2), "// equal", "assertion `left == right` failed\n  left: -3\n right: 4");
    let panic = expect_message!(
        run(3),
        "// different",
        "assertion `left != right` failed: element 0 of 3\n  left: 1.5\n right: 1.5"
    );
    if panic.count != 2 {
        return Err(format!("{panic:?}").into());
    }
    let sum = "assertion `left == right` failed: sum\n  left: 2.0\n right: 2.5";
    expect_message!(run(4), "// sum", sum);
    Ok(())
}

#[kernel]
fn debug_asserts(which: u32, x: &[f32], out: &mut [u32]) {
    let i = thread_idx_x();
    if which == 0 {
        debug_assert!(x[i] < 2.0); // debug plain
    } else if which == 1 {
        debug_assert_eq!(x[i], 1.5, "element {i}"); // debug equal
    } else {
        debug_assert_ne!(x[i], 2.5); // debug different
    }
    out[i] = 1;
}

/// Debug assertions follow the setting of this crate.
fn debug_assertions(on: &Engine) -> Check {
    let x = vec![1.5f32, 2.5, 1.5];
    let run = |which: u32| {
        let (x, mut out) = (x.clone(), vec![0u32; 3]);
        let config = LaunchConfig::grid(1).block(3);
        let result = launch!(on, debug_asserts(value which, read x, write out), config);
        (result, out)
    };
    if !cfg!(debug_assertions) {
        for which in 0..3 {
            let (result, out) = run(which);
            result?;
            same("out", &out, &[1; 3])?;
        }
        return Ok(());
    }
    let (result, out) = run(0);
    expect_message!(result, "// debug plain", "assertion failed: x[i] < 2.0");
    same("out", &out, &[1, 0, 1])?;
    let equal = "assertion `left == right` failed: element 1\n  left: 2.5\n right: 1.5";
    expect_message!(run(1).0, "// debug equal", equal);
    let different = "assertion `left != right` failed\n  left: 2.5\n right: 2.5";
    expect_message!(run(2).0, "// debug different", different);
    Ok(())
}

#[device]
fn half_of_even(x: u32) -> u32 {
    debug_assert!(x % 2 == 0, "{x} is odd");
    x / 2
}

#[kernel]
fn halves(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    debug_assert!(out.len() == x.len());
    out[i] = half_of_even(x[i]);
}

fn debug_assertions_of_device_functions(on: &Engine) -> Check {
    let (x, mut out) = (vec![2u32, 4, 0], vec![7u32; 3]);
    launch!(on, halves(read x, write out), LaunchConfig::grid(1).block(3))?;
    same("out", &out, &[1, 2, 0])
}

#[kernel]
fn panicking(which: u32, out: &mut [u32]) {
    out[0] = 1;
    let value: u32 = match which {
        0 => panic!(),                            // bare
        1 => panic!("{which:#06x} {:?}", 0.1f32), // panic
        2 => unreachable!(),                      // unreachable
        3 => unreachable!("which is {which}"),    // unreachable with
        4 => todo!(),                             // todo
        5 => unimplemented!("for {}", which),     // unimplemented
        other => other,
    };
    out[0] = value;
}

fn panics(on: &Engine) -> Check {
    let run = |which: u32| {
        let mut out = vec![0u32];
        let result = launch!(on, panicking(value which, write out), LaunchConfig::grid(1).block(1));
        (result, out[0])
    };
    expect_message!(run(0).0, "// bare", "explicit panic");
    expect_message!(run(1).0, "// panic", "0x0001 0.1");
    let entered = "internal error: entered unreachable code";
    expect_message!(run(2).0, "// unreachable", entered);
    let which = format!("{entered}: which is 3");
    expect_message!(run(3).0, "// unreachable with", which.as_str());
    expect_message!(run(4).0, "// todo", "not yet implemented");
    expect_message!(run(5).0, "// unimplemented", "not implemented: for 5");
    same("what was written before", &[run(3).1], &[1])?;
    same("what was written", &[run(9).1], &[9])
}

#[kernel]
fn disagrees(x: &[u64], out: &mut [u64]) {
    let i = global_idx_x();
    assert!(x[i] != 7, "x[{i}] is {} of {:#x} {}", x[i], x[i] << 40, i as f64 / 3.0);
    out[i] = x[i];
}

fn the_lowest_speaks(on: &Engine) -> Check {
    let x: Vec<u64> = (0..1000).map(|i| if i % 300 == 299 { 7 } else { i + 1000 }).collect();
    let mut out = vec![0u64; 1000];
    let config = LaunchConfig::grid(10).block(100);
    let result = launch!(on, disagrees(read x, write out), config);
    let panic = fault(result)?;
    let message = format!("x[299] is 7 of 0x70000000000 {}", 299.0 / 3.0);
    if (panic.message.as_str(), panic.count) != (message.as_str(), 3)
        || (panic.block, panic.thread) != ([2, 0, 0], [99, 0, 0])
    {
        return Err(format!("{panic:?}").into());
    }
    let want: Vec<u64> = x.iter().map(|&x| if x == 7 { 0 } else { x }).collect();
    same("out", &out, &want)
}

#[kernel]
fn lazy(x: &[u32], out: &mut [u32]) {
    let i = global_idx_x();
    // The arguments of a message are computed only if it is needed.
    assert!(i < 10 || x[i - 10] == 1, "{}", x[i]); // lazy
    out[i] = 5;
}

fn lazily(on: &Engine) -> Check {
    let x = vec![1u32; 10];
    let mut out = vec![0u32; 21];
    let result = launch!(on, lazy(read x, write out), LaunchConfig::grid(1).block(21));
    let message = "index out of bounds: the len is 10 but the index is 10";
    let panic = expect_message!(result, "// lazy", message);
    if (panic.thread, panic.count) != ([20, 0, 0], 1) {
        return Err(format!("{panic:?}").into());
    }
    same("out", &out[..20], &[5; 20])
}

#[kernel(block = 128)]
fn meeting(limit: u32, out: &mut [u32]) {
    let t = thread_idx_x() as u32;
    let mut round = 0;
    while round < 4 {
        if t % 5 == round {
            assert!(t < limit, "thread {t} in round {round}");
        }
        let left = sync_threads_count(true);
        out[t as usize] = left as u32;
        round += 1;
    }
}

fn in_loops_with_barriers(on: &Engine) -> Check {
    let (limit, mut out) = (100u32, vec![0u32; 128]);
    let result = launch!(on, meeting(value limit, write out), LaunchConfig::grid(1));
    let panic = fault(result)?;
    // Of 28 threads, those in round 4 do not arrive.
    let gone = (100..128).filter(|t| t % 5 != 4).count() as u32;
    if (panic.message.as_str(), panic.count) != ("thread 100 in round 0", gone.into()) {
        return Err(format!("{panic:?}").into());
    }
    let want: Vec<u32> = (0..128)
        .map(|t| {
            if t < 100 || t % 5 == 4 {
                return 128 - gone;
            }
            (100..128).filter(|other| other % 5 >= t % 5 || *other % 5 == 4).count() as u32 + 100
        })
        .collect();
    let before = |t: u32| if t >= 100 && t % 5 == 0 { 0 } else { want[t as usize] };
    same("out", &out, &(0..128).map(before).collect::<Vec<_>>())
}

#[kernel]
fn fine(x: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    assert!(i < 64);
    assert_eq!(x.len(), out.len(), "lengths");
    assert_ne!(x[i], -1.0);
    out[i] = if x[i] >= 0.0 { x[i].sqrt() } else { panic!("negative: {}", x[i]) };
}

fn nothing_fails(on: &Engine) -> Check {
    let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let mut out = vec![0.0f32; 64];
    launch!(on, fine(read x, write out), LaunchConfig::grid(2).block(32))?;
    let want: Vec<f32> = x.iter().map(|x| x.sqrt()).collect();
    same("out", &out, &want)
}

#[kernel]
fn diverging(x: &[i32], out: &mut [i32]) {
    let i = global_idx_x();
    let Some(value) = (if x[i] > 0 { Some(x[i]) } else { None }) else {
        unreachable!("x[{i}] is {}", x[i]);
    };
    let doubled = loop {
        if value > 1000 {
            panic!("too large");
        }
        break value * 2;
    };
    out[i] = doubled;
}

fn never_comes_back(on: &Engine) -> Check {
    let x: Vec<i32> = (1..40).collect();
    let mut out = vec![0i32; 39];
    launch!(on, diverging(read x, write out), LaunchConfig::grid(1).block(39))?;
    same("out", &out, &x.iter().map(|x| 2 * x).collect::<Vec<_>>())
}
