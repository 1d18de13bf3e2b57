//! Measures the errors of `math`'s functions in units of the last place, and prints a table.
//!
//! ```text
//! cargo run --release -p warpwise-tests --bin ulp             # as kernels, on a GPU if there is one
//! cargo run --release -p warpwise-tests --bin ulp -- --host 97
//! ```
//!
//! `--host` calls the library on the host. A number N tries every Nth `f32`; without it, the
//! functions of one `f32` are tried with all 2^32 of them. They are compared with functions of
//! `f64`: in kernels with the library's own, whose errors are in the same table and count for 2^-28
//! there, on the host with std's (`erf` and `erfc` with the library's). Other functions are tried
//! with random numbers and edges, and compared with [`exact`](warpwise_tests::exact) values.
use std::{env, error::Error, sync::Mutex, thread};
use warpwise::{Buffer, Element, prelude::*};
use warpwise_tests::{
    accuracy::{BINARY, Both, Draw, UNARY, Unary, edges},
    exact::{Exact, error_f32, error_f64},
};

/// The number of arguments that are tried together on the host.
const CHUNK: usize = 1 << 20;

/// The number of threads of a search, each with arguments of its own.
const THREADS: usize = 1 << 20;

/// The number of random arguments for each function that is not tried with all.
const DRAWN: usize = 1 << 20;

/// A launcher that computes a function of many numbers.
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
kernels! { NARROW f32: ; atan2 hypot log powf }
kernels! { WIDE f64: acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 exp_m1 ln ln_1p log10 log2 sin sinh tan tanh; atan2 hypot log powf }

/// A launcher that tries every Nth `f32`, and returns the largest error that each thread finds, and
/// its argument.
type Search =
    fn(&Device, LaunchConfig, u64, &mut Buffer<f64>, &mut Buffer<u32>) -> warpwise::Result<()>;

macro_rules! searches {
    ($($name:ident)*) => {
        /// Kernels that compare the functions of one `f32` with those of one `f64`.
        const SEARCHES: &[(&str, Search)] = &[$((stringify!($name), {
            #[kernel]
            fn $name(step: u64, errors: &mut [f64], places: &mut [u32]) {
                let i = global_idx_x();
                if i < errors.len() {
                    let (mut worst, mut place) = (-1.0, 0u32);
                    let mut number = i as u64 * step;
                    while number < 0x1_0000_0000 {
                        let x = f32::from_bits(number as u32);
                        let error = off(math::$name(x), math::$name(x as f64));
                        if error > worst {
                            worst = error;
                            place = number as u32;
                        }
                        number += errors.len() as u64 * step;
                    }
                    errors[i] = worst;
                    places[i] = place;
                }
            }
            |device, config, step, errors, places| $name::launch(device, config, step, errors, places)
        })),*];
    };
}
searches! { acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 exp_m1 ln ln_1p log10 log2 sin sinh tan tanh }

/// Returns the distance of `got` from `want`, in units of the last place of an `f32`; infinite
/// where [`error_f32`] is.
#[device]
fn off(got: f32, want: f64) -> f64 {
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if want == 0.0 || want.is_infinite() {
        return if (want as f32).to_bits() == got.to_bits() { 0.0 } else { f64::INFINITY };
    }
    if got.is_sign_negative() != want.is_sign_negative() {
        return f64::INFINITY;
    }
    let exponent = ((want.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    if exponent > 127 {
        return if got.is_infinite() { 0.0 } else { f64::INFINITY };
    }
    let last_place = exponent.max(-126) - 23;
    let units = f64::from_bits(((1023 - last_place) as u64) << 52);
    // The number that would follow the largest.
    let next = 340282366920938463463374607431768211456.0f64;
    let got = if got.is_infinite() { next.copysign(want) } else { got as f64 };
    ((got - want) * units).abs()
}

/// An error, and its arguments.
type Worst<T> = (f64, [T; 2]);

/// The value before anything was tried.
const NONE: Worst<f32> = (-1.0, [0.0; 2]);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let device = if arguments.iter().any(|argument| argument == "--host") {
        None
    } else {
        Some(Device::auto()?)
    };
    let step = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(1);
    println!(
        "| Function | `f32` | CUDA's | at | `f64` | CUDA's | at |\n|---|---|---|---|---|---|---|"
    );
    for (index, function) in UNARY.iter().enumerate() {
        let narrow = match &device {
            Some(device) => searched(device, SEARCHES[index].1, step)?,
            None => tried(function, step),
        };
        let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
        let inputs: Vec<[f64; 2]> = edges()
            .into_iter()
            .chain((0..DRAWN).map(|_| draw.one(function.range, true)))
            .map(|x| [x, 0.0])
            .collect();
        let host = |[x, _]: [f64; 2]| (function.host.wide)(x);
        let got = outputs(device.as_ref(), WIDE[index].1, &inputs, host)?;
        let wide = compare(&inputs, &got, |[x, _]| (function.exact)(x), error_f64)?;
        row(function.name, (narrow.0, &narrow.1[..1]), (wide.0, &wide.1[..1]), function.cuda);
    }
    for (index, function) in BINARY.iter().enumerate() {
        let inputs: Vec<[f32; 2]> = pairs(false).into_iter().map(|x| x.map(|x| x as f32)).collect();
        let host = |[x, y]: [f32; 2]| (function.host.narrow)(x, y);
        let got = outputs(device.as_ref(), NARROW[index].1, &inputs, host)?;
        let want = |x: [f32; 2]| (function.exact)(f64::from(x[0]), f64::from(x[1]));
        let narrow = compare(&inputs, &got, want, error_f32)?;
        let inputs = pairs(true);
        let host = |[x, y]: [f64; 2]| (function.host.wide)(x, y);
        let got = outputs(device.as_ref(), WIDE[UNARY.len() + index].1, &inputs, host)?;
        let wide = compare(&inputs, &got, |[x, y]| (function.exact)(x, y), error_f64)?;
        row(function.name, (narrow.0, &narrow.1), (wide.0, &wide.1), function.cuda);
    }
    Ok(())
}

/// Prints the errors of a function, their arguments, and the errors that CUDA states.
fn row<T: std::fmt::Debug, U: std::fmt::Debug>(
    name: &str,
    narrow: (f64, &[T]),
    wide: (f64, &[U]),
    cuda: Both<Option<u8>, Option<u8>>,
) {
    let shown = |x: String| x.trim_matches(['[', ']']).to_owned();
    let (x, y) = (shown(format!("{:?}", narrow.1)), shown(format!("{:?}", wide.1)));
    let [cuda, cuda_wide] =
        [cuda.narrow, cuda.wide].map(|cuda| cuda.map_or_else(String::new, |cuda| cuda.to_string()));
    println!("| `{name}` | {:.3} | {cuda} | {x} | {:.3} | {cuda_wide} | {y} |", narrow.0, wide.0);
}

/// Returns a float as an exact value: an error in its last place does not count for an `f32`.
fn near(x: f64) -> Exact {
    x.into()
}

/// Returns the largest error over every `step`th `f32`, found by a kernel.
fn searched(device: &Device, search: Search, step: u64) -> Result<Worst<f32>, Box<dyn Error>> {
    let (mut errors, mut places) = (device.zeros(THREADS)?, device.zeros(THREADS)?);
    search(device, LaunchConfig::cover(THREADS), step, &mut errors, &mut places)?;
    let found = errors.to_vec()?.into_iter().zip(places.to_vec()?);
    let worst = found.map(|(error, place)| (error, [f32::from_bits(place), 0.0])).reduce(larger);
    worst.ok_or_else(|| "no numbers".into())
}

/// Returns the largest error of the library on the host over every `step`th `f32`.
fn tried(function: &Unary, step: u64) -> Worst<f32> {
    let reference = reference(function.name, function.host.wide);
    let of = |number: u64| {
        let x = f32::from_bits(number as u32);
        (error_f32((function.host.narrow)(x), near(reference(f64::from(x)))), [x, 0.0])
    };
    let starts: Vec<u64> = (0..1 << 32).step_by(CHUNK).collect();
    let worst = in_parallel(&starts, 1, |starts, _| {
        let numbers = |start: &u64| {
            (start.next_multiple_of(step)..start + CHUNK as u64).step_by(step as usize)
        };
        starts.iter().flat_map(numbers).map(of).fold(NONE, larger)
    });
    worst.into_iter().fold(NONE, larger)
}

/// Returns std's function of that name, or `own`.
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

/// Returns all pairs of edges, and random pairs.
fn pairs(wide: bool) -> Vec<[f64; 2]> {
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    let mut pairs: Vec<[f64; 2]> =
        edges().into_iter().flat_map(|x| edges().into_iter().map(move |y| [x, y])).collect();
    pairs.extend((0..4 * DRAWN).map(|_| <[f64; 2]>::from(draw.pair(wide))));
    pairs
}

fn larger<T>(a: Worst<T>, b: Worst<T>) -> Worst<T> {
    if b.0 > a.0 { b } else { a }
}

/// Returns the results of a function for these numbers, from a kernel or from the host.
fn outputs<T: Element + Float + Sync + Send>(
    device: Option<&Device>,
    run: Run<T>,
    inputs: &[[T; 2]],
    host: impl Fn([T; 2]) -> T + Sync,
) -> Result<Vec<T>, Box<dyn Error>> {
    let Some(device) = device else {
        return Ok(in_parallel(inputs, 1 << 14, |inputs, _| {
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

/// Returns the largest error over these numbers.
fn compare<T: Copy + Send + Sync + std::fmt::Debug>(
    inputs: &[[T; 2]],
    got: &[T],
    want: impl Fn([T; 2]) -> Exact + Sync,
    error: fn(T, Exact) -> f64,
) -> Result<Worst<T>, Box<dyn Error>> {
    let worst = in_parallel(inputs, 1 << 14, |inputs, first| {
        let errors = inputs.iter().zip(&got[first..]).map(|(x, got)| (error(*got, want(*x)), *x));
        errors.reduce(larger)
    });
    worst.into_iter().flatten().reduce(larger).ok_or_else(|| "no numbers".into())
}

/// Applies `work` to chunks of `size` inputs on all cores, and returns the results in order. `work`
/// also gets the index of the chunk's first input.
fn in_parallel<T: Sync, R: Send>(
    inputs: &[T],
    size: usize,
    work: impl Fn(&[T], usize) -> R + Sync,
) -> Vec<R> {
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
