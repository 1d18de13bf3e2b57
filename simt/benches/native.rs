//! How much slower the interpreter is than plain Rust, and counting than not: `cargo bench -p warpwise-simt`.
//!
//! `-- saxpy` prints only rows with this in their name. Each kernel is optimized IR, as the runtime would launch it, and runs on one core
//! and on all. Plain Rust is a loop over the same elements on one core. `counting` is the time on one core with everything counted, `checked` that with everything checked; each is compared with
//! a run in turns with it.
#![expect(clippy::print_stdout, reason = "a table is what it is for")]
use std::{hint::black_box, num::NonZeroUsize, time::Instant};
use warpwise_compiler::{ir::Kernel, optimize::optimize, verify::verify};
use warpwise_simt::{
    Arg, CheckedProgram, Checks, CountingProgram, Launch, Memory, Outcome, Program, Requests,
};

fn main() {
    let times =
        ["1 core", "all cores", "plain Rust", "ratio", "counting", "ratio", "checked", "ratio"];
    let [one, all, plain, ratio, counting, more, checked, most] = times;
    println!(
        "{:<24} {one:>10} {all:>10} {plain:>10} {ratio:>8} {counting:>10} {more:>8} {checked:>10} {most:>8}",
        ""
    );
    saxpy();
    matmul();
    tiled_matmul();
    mandelbrot();
    reduce();
}

/// Milliseconds.
fn time(run: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e3
}

/// The least of several runs.
fn least(mut run: impl FnMut()) -> f64 {
    (0..5).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min)
}

/// The least of each of two, run in turns, since they are compared.
fn least_in_turns(mut one: impl FnMut(), mut other: impl FnMut()) -> (f64, f64) {
    let both = (0..9).map(|_| (time(&mut one), time(&mut other)));
    both.fold((f64::INFINITY, f64::INFINITY), |(a, b), (c, d)| (a.min(c), b.min(d)))
}

fn optimized(text: &str) -> Kernel {
    let kernel: Kernel = text.parse().expect("it is well written");
    verify(&kernel).expect("it is well formed");
    let kernel = optimize(kernel);
    if std::env::var_os("SHOW").is_some() {
        println!("{kernel}");
    }
    kernel
}

/// Prints a row, if it is wanted; `launch` is run with one worker, with all, and with one while it is counted.
fn row(name: &str, kernel: &Kernel, launch: Launch<'_>, mut plain: impl FnMut()) -> bool {
    let mut wanted = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    if !wanted.next().is_none_or(|wanted| name.contains(&wanted)) {
        return false;
    }
    let (program, counting) =
        (Program::new(kernel), CountingProgram::new(kernel, Requests::Vectors));
    let run = |workers| assert_eq!(program.run(&Launch { workers, ..launch }), Outcome::default());
    let alone = NonZeroUsize::new(1);
    let count = || {
        let (outcome, _) = counting.run(&Launch { workers: alone, ..launch });
        assert_eq!(outcome, Outcome::default());
    };
    let (one, counted) = least_in_turns(|| run(alone), count);
    let checking = CheckedProgram::new(kernel);
    let check = || {
        let (outcome, found) = checking.run(&Launch { workers: alone, ..launch }, Checks::ALL);
        assert_eq!((outcome, found), (Outcome::default(), Vec::new()));
    };
    let (again, checked) = least_in_turns(|| run(alone), check);
    let most = checked / again;
    let (all, plain) = (least(|| run(None)), least(&mut plain));
    let (slower, more) = (one / plain, counted / one);
    println!(
        "{name:<24} {one:>7.2} ms {all:>7.2} ms {plain:>7.2} ms {slower:>8.2} {counted:>7.2} ms {more:>8.2} {checked:>7.2} ms {most:>8.2}"
    );
    true
}

fn floats(values: impl IntoIterator<Item = f32>) -> Memory {
    Memory::from_bytes(&values.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<_>>())
}

fn slice(memory: &Memory) -> Arg<'_> {
    Arg::Slice { memory, len: memory.len() as u64 / 4 }
}

fn saxpy() {
    let n = 1 << 24;
    let (x, y) = (floats((0..n).map(|i| i as f32)), floats((0..n).map(|_| 1.0)));
    let args = [Arg::Scalar(2.0_f32.to_bits().into()), slice(&x), slice(&y)];
    let launch = Launch {
        grid: [n / 256, 1, 1],
        block: [256, 1, 1],
        args: &args,
        workers: None,
        steps: None,
    };
    let xs: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut ys = vec![1.0; n as usize];
    row("saxpy 2^24", &optimized(SAXPY), launch, || {
        for (y, x) in ys.iter_mut().zip(&xs) {
            *y += 2.0 * x;
        }
        black_box(&mut ys);
    });
}

const SAXPY: &str = "kernel saxpy {
  param arg0 = a: f32 !0
  param arg1 = x: read [f32] !0
  param arg2 = y: write [f32] !0
  %0 = builtin global_idx.x : u64 !0
  %1 = len arg2 : u64 !0
  %2 = lt %0, %1 : bool !0
  %3 = if %2 !0 {
    %4 = param arg1 : ptr global !0
    %5 = len arg1 : u64 !0
    %6 = bounds %0, %5 : u64 !0
    %7 = index %4, %6, 4 : ptr global !0
    %8 = load %7 : f32 !0
    %9 = param arg2 : ptr global !0
    %10 = bounds %0, %1 : u64 !0
    %11 = index %9, %10, 4 : ptr global !0
    %12 = load %11 : f32 !0
    %13 = param arg0 : f32 !0
    %14 = fma %13, %8, %12 : f32 !0
    %15 = bounds %0, %1 : u64 !0
    %16 = index %9, %15, 4 : ptr global !0
    %17 = store %16, %14 !0
  }
}";

/// The triple loop, textbook order.
fn plain_matmul(n: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
    for row in 0..n {
        for column in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[row * n + k] * b[k * n + column];
            }
            c[row * n + column] = sum;
        }
    }
}

fn matmul_row(name: &str, kernel: &str) {
    let n = 512_usize;
    let value = |i: usize| (i % 7) as f32;
    let (a, b) = (floats((0..n * n).map(value)), floats((0..n * n).map(value)));
    let c = floats((0..n * n).map(|_| 0.0));
    let args = [Arg::Scalar(n as u64), slice(&a), slice(&b), slice(&c)];
    let tiles = n as u32 / 16;
    let launch = Launch {
        grid: [tiles, tiles, 1],
        block: [16, 16, 1],
        args: &args,
        workers: None,
        steps: None,
    };
    let (a, b): (Vec<_>, Vec<_>) =
        ((0..n * n).map(value).collect(), (0..n * n).map(value).collect());
    let mut expected = vec![0.0; n * n];
    let plain = || plain_matmul(n, &a, &b, black_box(&mut expected));
    if !row(name, &optimized(kernel), launch, plain) {
        return;
    }
    let mut bytes = vec![0; c.len()];
    c.read_into(0, &mut bytes);
    let expected: Vec<u8> = expected.into_iter().flat_map(f32::to_le_bytes).collect();
    assert!(bytes == expected, "{name} is wrong");
}

fn matmul() {
    matmul_row("matmul 512", MATMUL);
}

const MATMUL: &str = "kernel matmul {
  param arg0 = n: u64 !0
  param arg1 = a: read [f32] !0
  param arg2 = b: read [f32] !0
  param arg3 = c: write [f32] !0
  local $0 = sum: f32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin global_idx.y : u64 !0
  %2 = param arg0 : u64 !0
  %3 = lt %0, %2 : bool !0
  %4 = lt %1, %2 : bool !0
  %5 = and %3, %4 : bool !0
  %6 = if %5 !0 {
    %7 = const 0.0 : f32 !0
    %8 = set $0, %7 !0
    %9 = const 0 : u64 !0
    %10 = const 1 : u64 !0
    %11 = for %9, %2, step %10 : u64 !0 {
      %12 = mul %1, %2 : u64 !0
      %13 = add %12, %11 : u64 !0
      %14 = len arg1 : u64 !0
      %15 = bounds %13, %14 : u64 !0
      %16 = param arg1 : ptr global !0
      %17 = index %16, %15, 4 : ptr global !0
      %18 = load %17 : f32 !0
      %19 = mul %11, %2 : u64 !0
      %20 = add %19, %0 : u64 !0
      %21 = len arg2 : u64 !0
      %22 = bounds %20, %21 : u64 !0
      %23 = param arg2 : ptr global !0
      %24 = index %23, %22, 4 : ptr global !0
      %25 = load %24 : f32 !0
      %26 = get $0 : f32 !0
      %27 = fma %18, %25, %26 : f32 !0
      %28 = set $0, %27 !0
    }
    %29 = mul %1, %2 : u64 !0
    %30 = add %29, %0 : u64 !0
    %31 = len arg3 : u64 !0
    %32 = bounds %30, %31 : u64 !0
    %33 = param arg3 : ptr global !0
    %34 = index %33, %32, 4 : ptr global !0
    %35 = get $0 : f32 !0
    %36 = store %34, %35 !0
  }
}";

fn tiled_matmul() {
    matmul_row("matmul 512, tiled", TILED);
}

const TILED: &str = "kernel tiled {
  block 16, 16, 1
  param arg0 = n: u64 !0
  param arg1 = a: read [f32] !0
  param arg2 = b: read [f32] !0
  param arg3 = c: write [f32] !0
  shared @0 = ta: [f32; 256] !0
  shared @1 = tb: [f32; 256] !0
  local $0 = sum: f32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin global_idx.y : u64 !0
  %2 = builtin thread_idx.x : u64 !0
  %3 = builtin thread_idx.y : u64 !0
  %4 = param arg0 : u64 !0
  %5 = param arg1 : ptr global !0
  %6 = len arg1 : u64 !0
  %7 = param arg2 : ptr global !0
  %8 = len arg2 : u64 !0
  %9 = shared @0 : ptr shared !0
  %10 = shared @1 : ptr shared !0
  %11 = const 16 : u64 !0
  %12 = const 0 : u64 !0
  %13 = const 1 : u64 !0
  %14 = const 0.0 : f32 !0
  %15 = set $0, %14 !0
  %16 = for %12, %4, step %11 : u64 !0 {
    %17 = mul %1, %4 : u64 !0
    %18 = add %17, %16 : u64 !0
    %19 = add %18, %2 : u64 !0
    %20 = bounds %19, %6 : u64 !0
    %21 = index %5, %20, 4 : ptr global !0
    %22 = load %21 : f32 !0
    %23 = index %9, %3, 64 : ptr shared !0
    %24 = index %23, %2, 4 : ptr shared !0
    %25 = store %24, %22 !0
    %26 = add %16, %3 : u64 !0
    %27 = mul %26, %4 : u64 !0
    %28 = add %27, %0 : u64 !0
    %29 = bounds %28, %8 : u64 !0
    %30 = index %7, %29, 4 : ptr global !0
    %31 = load %30 : f32 !0
    %32 = index %10, %3, 64 : ptr shared !0
    %33 = index %32, %2, 4 : ptr shared !0
    %34 = store %33, %31 !0
    %35 = barrier !0
    %36 = for %12, %11, step %13 : u64 !0 {
      %37 = index %9, %3, 64 : ptr shared !0
      %38 = index %37, %36, 4 : ptr shared !0
      %39 = load %38 : f32 !0
      %40 = index %10, %36, 64 : ptr shared !0
      %41 = index %40, %2, 4 : ptr shared !0
      %42 = load %41 : f32 !0
      %43 = get $0 : f32 !0
      %44 = fma %39, %42, %43 : f32 !0
      %45 = set $0, %44 !0
    }
    %46 = barrier !0
  }
  %47 = mul %1, %4 : u64 !0
  %48 = add %47, %0 : u64 !0
  %49 = len arg3 : u64 !0
  %50 = bounds %48, %49 : u64 !0
  %51 = param arg3 : ptr global !0
  %52 = index %51, %50, 4 : ptr global !0
  %53 = get $0 : f32 !0
  %54 = store %52, %53 !0
}";

/// Iterations until the point escapes.
fn escape(cx: f32, cy: f32) -> u32 {
    let (mut x, mut y, mut count) = (0.0_f32, 0.0_f32, 0);
    while count < 256 && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        count += 1;
    }
    count
}

fn mandelbrot() {
    let n = 1024_u32;
    let out = Memory::zeroed((n * n * 4) as usize);
    let args = [Arg::Scalar(n.into()), slice(&out)];
    let launch = Launch {
        grid: [n / 16, n / 16, 1],
        block: [16, 16, 1],
        args: &args,
        workers: None,
        steps: None,
    };
    let mut counts = vec![0; (n * n) as usize];
    let ran = row("Mandelbrot 1024, 256", &optimized(MANDELBROT), launch, || {
        for (i, count) in counts.iter_mut().enumerate() {
            let (x, y) = (i as u32 % n, i as u32 / n);
            *count = escape(x as f32 * (3.0 / 1024.0) - 2.0, y as f32 * (3.0 / 1024.0) - 1.5);
        }
        black_box(&mut counts);
    });
    if !ran {
        return;
    }
    let mut bytes = vec![0; out.len()];
    out.read_into(0, &mut bytes);
    let counts: Vec<u8> = counts.into_iter().flat_map(u32::to_le_bytes).collect();
    assert!(bytes == counts, "Mandelbrot is wrong");
}

const MANDELBROT: &str = "kernel mandelbrot {
  param arg0 = n: u64 !0
  param arg1 = out: write [u32] !0
  local $0 = x: f32 !0
  local $1 = y: f32 !0
  local $2 = count: u32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin global_idx.y : u64 !0
  %2 = param arg0 : u64 !0
  %3 = const 0.0029296875 : f32 !0
  %4 = const 2.0 : f32 !0
  %5 = const 1.5 : f32 !0
  %6 = const 0.0 : f32 !0
  %7 = const 0 : u32 !0
  %8 = const 1 : u32 !0
  %9 = const 256 : u32 !0
  %10 = const 4.0 : f32 !0
  %11 = cast %0 : f32 !0
  %12 = mul %11, %3 : f32 !0
  %13 = sub %12, %4 : f32 !0
  %14 = cast %1 : f32 !0
  %15 = mul %14, %3 : f32 !0
  %16 = sub %15, %5 : f32 !0
  %17 = set $0, %6 !0
  %18 = set $1, %6 !0
  %19 = set $2, %7 !0
  %20 = loop !0 {
    %21 = get $2 : u32 !0
    %22 = lt %21, %9 : bool !0
    %23 = if %22 !0 {
    } else {
      %24 = break %20 !0
    }
    %25 = get $0 : f32 !0
    %26 = get $1 : f32 !0
    %27 = mul %25, %25 : f32 !0
    %28 = mul %26, %26 : f32 !0
    %29 = add %27, %28 : f32 !0
    %30 = le %29, %10 : bool !0
    %31 = if %30 !0 {
    } else {
      %32 = break %20 !0
    }
    %33 = sub %27, %28 : f32 !0
    %34 = add %33, %13 : f32 !0
    %35 = mul %4, %25 : f32 !0
    %36 = mul %35, %26 : f32 !0
    %37 = add %36, %16 : f32 !0
    %38 = set $0, %34 !0
    %39 = set $1, %37 !0
    %40 = get $2 : u32 !0
    %41 = add %40, %8 : u32 !0
    %42 = set $2, %41 !0
  }
  %43 = mul %1, %2 : u64 !0
  %44 = add %43, %0 : u64 !0
  %45 = len arg1 : u64 !0
  %46 = bounds %44, %45 : u64 !0
  %47 = param arg1 : ptr global !0
  %48 = index %47, %46, 4 : ptr global !0
  %49 = get $2 : u32 !0
  %50 = store %48, %49 !0
}";

fn reduce() {
    let n = 1 << 24;
    let value = |i: u32| i.wrapping_mul(0x9e37_79b9) >> 8;
    let bytes: Vec<u8> = (0..n).flat_map(|i| value(i).to_le_bytes()).collect();
    let (x, sum) = (Memory::from_bytes(&bytes), Memory::zeroed(4));
    let args = [slice(&x), slice(&sum)];
    let launch =
        Launch { grid: [256, 1, 1], block: [256, 1, 1], args: &args, workers: None, steps: None };
    let values: Vec<u32> = (0..n).map(value).collect();
    row("reduce 2^24", &optimized(REDUCE), launch, || {
        black_box(values.iter().fold(0_u32, |sum, value| sum.wrapping_add(*value)));
    });
}

const REDUCE: &str = "kernel reduce {
  block 256, 1, 1
  param arg0 = x: read [u32] !0
  param arg1 = sum: atomic [u32] !0
  shared @0 = s: [u32; 256] !0
  local $0 = sum: u32 !0
  %0 = builtin global_idx.x : u64 !0
  %1 = builtin thread_idx.x : u64 !0
  %2 = builtin grid_dim.x : u64 !0
  %3 = builtin block_dim.x : u64 !0
  %4 = mul %2, %3 : u64 !0
  %5 = const 0 : u32 !0
  %6 = set $0, %5 !0
  %7 = len arg0 : u64 !0
  %8 = param arg0 : ptr global !0
  %9 = for %0, %7, step %4 : u64 !0 {
    %10 = bounds %9, %7 : u64 !0
    %11 = index %8, %10, 4 : ptr global !0
    %12 = load %11 : u32 !0
    %13 = get $0 : u32 !0
    %14 = add %13, %12 : u32 !0
    %15 = set $0, %14 !0
  }
  %16 = shared @0 : ptr shared !0
  %17 = index %16, %1, 4 : ptr shared !0
  %18 = get $0 : u32 !0
  %19 = store %17, %18 !0
  %20 = barrier !0
  %21 = const 0 : u64 !0
  %22 = const 8 : u64 !0
  %23 = const 1 : u64 !0
  %24 = const 128 : u64 !0
  %25 = for %21, %22, step %23 : u64 !0 {
    %26 = cast %25 : u32 !0
    %27 = shr %24, %26 : u64 !0
    %28 = lt %1, %27 : bool !0
    %29 = if %28 !0 {
      %30 = add %1, %27 : u64 !0
      %31 = index %16, %30, 4 : ptr shared !0
      %32 = load %31 : u32 !0
      %33 = load %17 : u32 !0
      %34 = add %33, %32 : u32 !0
      %35 = store %17, %34 !0
    }
    %36 = barrier !0
  }
  %37 = eq %1, %21 : bool !0
  %38 = if %37 !0 {
    %39 = load %16 : u32 !0
    %40 = param arg1 : ptr global !0
    %41 = atomic.add.relaxed.device %40, %39 : u32 !0
  }
}";
