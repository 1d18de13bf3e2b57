//! The errors of `math`'s functions for a sample of arguments, and their special values.
//!
//! The program `ulp` measures them for many more arguments; `docs/math.md` has its results.
use std::{fs, path::Path};
use warpwise_tests::{
    accuracy::{BINARY, Both, Draw, UNARY, edges},
    exact::{error_f32, error_f64},
};

/// The number of random arguments for each function.
const DRAWN: usize = 3000;

/// The name of a function, its promised error, and CUDA's.
type Promise = (&'static str, Both<f64, f64>, Both<Option<u8>, Option<u8>>);

fn promises() -> impl Iterator<Item = Promise> {
    let unary = UNARY.iter().map(|function| (function.name, function.bound, function.cuda));
    let binary = BINARY.iter().map(|function| (function.name, function.bound, function.cuda));
    unary.chain(binary)
}

/// CUDA's errors are relative to the rounded result, which is at most half a unit from the exact
/// one.
#[test]
fn no_promise_is_worse_than_cudas() {
    for (name, bound, cuda) in promises() {
        let both = [(bound.narrow, cuda.narrow), (bound.wide, cuda.wide)];
        for (bound, cuda) in both.into_iter().filter_map(|(bound, cuda)| Some((bound, cuda?))) {
            assert!(bound <= f64::from(cuda) + 0.5, "{name}: {bound}, and CUDA's {cuda}");
        }
    }
}

/// The documented errors of a function are those that this suite asserts.
#[test]
fn documents_promise_what_is_asserted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
    let (functions, page) = (read("runtime/src/intrinsics/math.rs"), read("docs/math.md"));
    for (name, bound, cuda) in promises() {
        let said = format!("), {:?}, {:?};", bound.narrow, bound.wide);
        let mut lines = functions.lines().map(str::trim_start);
        let line = lines.find(|line| line.starts_with(&format!("{name}("))).unwrap();
        assert!(line.ends_with(&said), "{line}: expected {said}");

        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
        let cells: Vec<Option<f64>> =
            row.split('|').skip(2).map(|cell| cell.trim().parse().ok()).collect();
        let [measured, promised, cudas, measured_wide, promised_wide, cudas_wide, _] = cells[..]
        else {
            panic!("{row}")
        };
        assert_eq!([promised, promised_wide], [Some(bound.narrow), Some(bound.wide)], "{row}");
        assert_eq!(
            [cudas, cudas_wide],
            [cuda.narrow, cuda.wide].map(|it| it.map(f64::from)),
            "{row}"
        );
        assert!(measured <= promised && measured_wide <= promised_wide, "{row}");
    }
}

fn is_good(name: &str, x: &[f64], got: f64, error: f64, bound: f64) {
    assert!(error <= bound, "{name} of {x:?} is {got:e}, wrong by {error} ULP of {bound}");
}

#[test]
fn of_one_f32() {
    for function in UNARY {
        let mut draw = Draw(1);
        let drawn = (0..DRAWN).map(|_| draw.one(function.range, false));
        for x in edges().into_iter().chain(drawn).map(|x| x as f32) {
            let got = (function.host.narrow)(x);
            let error = error_f32(got, (function.exact)(x.into()));
            is_good(function.name, &[x.into()], got.into(), error, function.bound.narrow);
        }
    }
}

#[test]
fn of_one_f64() {
    for function in UNARY {
        let mut draw = Draw(2);
        let drawn = (0..DRAWN).map(|_| draw.one(function.range, true));
        for x in edges().into_iter().chain(drawn) {
            let got = (function.host.wide)(x);
            let error = error_f64(got, (function.exact)(x));
            is_good(function.name, &[x], got, error, function.bound.wide);
        }
    }
}

fn pairs(seed: u64, wide: bool) -> Vec<(f64, f64)> {
    let mut draw = Draw(seed);
    let edges = edges();
    let mut pairs: Vec<(f64, f64)> =
        edges.iter().flat_map(|x| edges.iter().map(move |y| (*x, *y))).collect();
    pairs.extend((0..DRAWN).map(|_| draw.pair(wide)));
    pairs
}

#[test]
fn of_two_f32() {
    for function in BINARY {
        for (x, y) in pairs(3, false) {
            let (x, y) = (x as f32, y as f32);
            let got = (function.host.narrow)(x, y);
            let error = error_f32(got, (function.exact)(x.into(), y.into()));
            is_good(function.name, &[x.into(), y.into()], got.into(), error, function.bound.narrow);
        }
    }
}

#[test]
fn of_two_f64() {
    for function in BINARY {
        for (x, y) in pairs(4, true) {
            let got = (function.host.wide)(x, y);
            let error = error_f64(got, (function.exact)(x, y));
            is_good(function.name, &[x, y], got, error, function.bound.wide);
        }
    }
}
