//! Measures the errors of `math`'s functions in units of the last place, and prints a table.
//!
//! ```text
//! cargo run --release -p warpwise-tests --bin ulp             # as kernels, on a GPU if there is one
//! cargo run --release -p warpwise-tests --bin ulp -- --host 97
//! ```
//!
//! `--host` calls the library on the host. A number N tries every Nth `f32`; without it, the functions
//! of one `f32` are tried with all 2^32 of them, compared with std's functions of `f64` (`erf`'s with
//! the library's own of `f64`). The others are tried with random numbers and edges, compared with
//! [`exact`](warpwise_tests::exact) values.
use std::{env, error::Error, sync::Mutex, thread};
use warpwise::{Buffer, prelude::*};
use warpwise_tests::{
    accuracy::{BINARY, Draw, UNARY, edges},
    exact::{Exact, error_f32, error_f64},
};

/// Numbers in one launch.
const CHUNK: usize = 1 << 24;

/// Random numbers for each function that is not tried with all.
const DRAWN: usize = 1 << 20;

/// Computes a function of many numbers.
type Run<T> = fn(&Device, LaunchConfig, [&Buffer<T>; 2], &mut Buffer<T>) -> warpwise::Result<()>;

macro_rules! kernels {
    ($all:ident $ty:ident: $($one:ident)*; $($two:ident)*) => {
        /// The functions as kernels.
        const $all: &[(&str, Run<$ty>)] = &[
            $((stringify!($one), {
                #[kernel]
                fn $one(x: &[$ty], out: &mut [$ty]) {
                    let i = global_idx_x();
                    if i < out.len() {
                        out[i] = math::$one(x[i]);
                    }
                }
                |device, config, [x, _], out| $one::launch(device, config, x, out)
            }),)*
            $((stringify!($two), {
                #[kernel]
                fn $two(x: &[$ty], y: &[$ty], out: &mut [$ty]) {
                    let i = global_idx_x();
                    if i < out.len() {
                        out[i] = math::$two(x[i], y[i]);
                    }
                }
                |device, config, [x, y], out| $two::launch(device, config, x, y, out)
            }),)*
        ];
    };
}
kernels! { NARROW f32: acos acosh asin asinh atan atanh cbrt cos cosh erf exp exp2 exp_m1 ln ln_1p log10 log2 sin sinh tan tanh; atan2 hypot log powf }
kernels! { WIDE f64: acos acosh asin asinh atan atanh cbrt cos cosh erf exp exp2 exp_m1 ln ln_1p log10 log2 sin sinh tan tanh; atan2 hypot log powf }

/// An error, and where it is.
type Worst<T> = (f64, [T; 2]);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let device = if arguments.iter().any(|argument| argument == "--host") {
        None
    } else {
        Some(Device::auto()?)
    };
    let step = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(1);
    println!("| Function | `f32` | at | `f64` | at |\n|---|---|---|---|---|");
    for (index, function) in UNARY.iter().enumerate() {
        let host = |[x, _]: [f32; 2]| (function.host.narrow)(x);
        let reference = reference(function.name, function.host.wide);
        let want = |[x, _]: [f32; 2]| near(reference(f64::from(x)));
        let narrow = narrow(step, |inputs| {
            compare(
                inputs,
                &outputs(device.as_ref(), NARROW[index].1, inputs, host)?,
                want,
                error_f32,
            )
        })?;
        let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
        let inputs: Vec<[f64; 2]> = edges()
            .into_iter()
            .chain((0..DRAWN).map(|_| draw.one(function.range, true)))
            .map(|x| [x, 0.0])
            .collect();
        let host = |[x, _]: [f64; 2]| (function.host.wide)(x);
        let got = outputs(device.as_ref(), WIDE[index].1, &inputs, host)?;
        let wide = compare(&inputs, &got, |[x, _]| (function.exact)(x), error_f64)?;
        row(function.name, &[narrow.1[0]], narrow.0, &[wide.1[0]], wide.0);
    }
    for (index, function) in BINARY.iter().enumerate() {
        let index = index + UNARY.len();
        let inputs: Vec<[f32; 2]> = pairs(false).into_iter().map(|x| x.map(|x| x as f32)).collect();
        let host = |[x, y]: [f32; 2]| (function.host.narrow)(x, y);
        let got = outputs(device.as_ref(), NARROW[index].1, &inputs, host)?;
        let want = |x: [f32; 2]| (function.exact)(f64::from(x[0]), f64::from(x[1]));
        let narrow = compare(&inputs, &got, want, error_f32)?;
        let inputs = pairs(true);
        let host = |[x, y]: [f64; 2]| (function.host.wide)(x, y);
        let got = outputs(device.as_ref(), WIDE[index].1, &inputs, host)?;
        let wide = compare(&inputs, &got, |[x, y]| (function.exact)(x, y), error_f64)?;
        row(function.name, &narrow.1, narrow.0, &wide.1, wide.0);
    }
    Ok(())
}

fn row<T: std::fmt::Debug, U: std::fmt::Debug>(
    name: &str,
    x: &[T],
    narrow: f64,
    y: &[U],
    wide: f64,
) {
    let shown = |x: String| x.trim_matches(['[', ']']).to_owned();
    let (x, y) = (shown(format!("{x:?}")), shown(format!("{y:?}")));
    println!("| `{name}` | {narrow:.3} | {x} | {wide:.3} | {y} |");
}

/// A float as an exact value: an error of its last place does not count for an `f32`.
fn near(x: f64) -> Exact {
    x.into()
}

/// std's function of that name, or `own`.
fn reference(name: &str, own: fn(f64) -> f64) -> fn(f64) -> f64 {
    match name {
        "acos" => f64::acos,
        "acosh" => f64::acosh,
        "asin" => f64::asin,
        "asinh" => f64::asinh,
        "atan" => f64::atan,
        "atanh" => f64::atanh,
        "cbrt" => f64::cbrt,
        "cos" => f64::cos,
        "cosh" => f64::cosh,
        "exp" => f64::exp,
        "exp2" => f64::exp2,
        "exp_m1" => f64::exp_m1,
        "ln" => f64::ln,
        "ln_1p" => f64::ln_1p,
        "log10" => f64::log10,
        "log2" => f64::log2,
        "sin" => f64::sin,
        "sinh" => f64::sinh,
        "tan" => f64::tan,
        "tanh" => f64::tanh,
        _ => own,
    }
}

/// Edges with edges, and random pairs.
fn pairs(wide: bool) -> Vec<[f64; 2]> {
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    let mut pairs: Vec<[f64; 2]> =
        edges().into_iter().flat_map(|x| edges().into_iter().map(move |y| [x, y])).collect();
    pairs.extend((0..4 * DRAWN).map(|_| <[f64; 2]>::from(draw.pair(wide))));
    pairs
}

/// The worst of every `step`th `f32`, a chunk at a time.
fn narrow(
    step: usize,
    mut worst_of: impl FnMut(&[[f32; 2]]) -> Result<Worst<f32>, Box<dyn Error>>,
) -> Result<Worst<f32>, Box<dyn Error>> {
    let mut worst = (-1.0, [0.0; 2]);
    let count = (1usize << 32).div_ceil(step);
    for start in (0..count).step_by(CHUNK) {
        let numbers = start..count.min(start + CHUNK);
        let inputs: Vec<[f32; 2]> =
            numbers.map(|number| [f32::from_bits((number * step) as u32), 0.0]).collect();
        worst = larger(worst, worst_of(&inputs)?);
    }
    Ok(worst)
}

fn larger<T>(a: Worst<T>, b: Worst<T>) -> Worst<T> {
    if b.0 > a.0 { b } else { a }
}

/// What a function gives for these numbers: as a kernel, or on the host.
fn outputs<T: Element + Float + Sync + Send>(
    device: Option<&Device>,
    run: Run<T>,
    inputs: &[[T; 2]],
    host: impl Fn([T; 2]) -> T + Sync,
) -> Result<Vec<T>, Box<dyn Error>> {
    let Some(device) = device else {
        return Ok(in_parallel(inputs, |inputs, _| {
            inputs.iter().map(|x| host(*x)).collect::<Vec<T>>()
        })
        .concat());
    };
    let part = |index: usize| inputs.iter().map(|x| x[index]).collect::<Vec<T>>();
    let (x, y) = (device.upload(&part(0))?, device.upload(&part(1))?);
    let mut out = device.zeros(inputs.len())?;
    run(device, LaunchConfig::cover(inputs.len()), [&x, &y], &mut out)?;
    Ok(out.to_vec()?)
}

/// The worst of these numbers.
fn compare<T: Copy + Send + Sync + std::fmt::Debug>(
    inputs: &[[T; 2]],
    got: &[T],
    want: impl Fn([T; 2]) -> Exact + Sync,
    error: fn(T, Exact) -> f64,
) -> Result<Worst<T>, Box<dyn Error>> {
    let worst = in_parallel(inputs, |inputs, first| {
        let errors = inputs.iter().zip(&got[first..]).map(|(x, got)| (error(*got, want(*x)), *x));
        errors.reduce(larger)
    });
    worst.into_iter().flatten().reduce(larger).ok_or_else(|| "no numbers".into())
}

/// What `work` makes of parts of the input, on all cores, in order. It gets the number of the first.
fn in_parallel<T: Sync, R: Send>(inputs: &[T], work: impl Fn(&[T], usize) -> R + Sync) -> Vec<R> {
    let size = 1 << 14;
    let parts: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    let next = Mutex::new(inputs.chunks(size).enumerate());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let part = next.lock().expect("nobody panics while holding it").next();
                    let Some((index, part)) = part else { break };
                    let made = work(part, index * size);
                    parts.lock().expect("nobody panics while holding it").push((index, made));
                }
            });
        }
    });
    let mut parts = parts.into_inner().expect("nobody panics while holding it");
    parts.sort_by_key(|(index, _)| *index);
    parts.into_iter().map(|(_, made)| made).collect()
}
