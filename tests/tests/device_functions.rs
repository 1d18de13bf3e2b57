//! Device functions reach kernels from wherever rustc finds them.
#![allow(unreachable_pub, reason = "public functions are carried in another way than private ones")]
use geometry::{shapes, shapes::square as sq, solids::*};
use warpwise::prelude::*;

/// Evaluates to the results of `kernel` for 0, 1, 2, …
macro_rules! outputs {
    ($kernel:path) => {{
        let device = Device::cpu();
        let input: Vec<f32> = (0..70u8).map(f32::from).collect();
        let x = device.upload(&input).unwrap();
        let mut y = device.zeros::<f32>(input.len()).unwrap();
        <$kernel>::launch(&device, LaunchConfig::cover(input.len()), &x, &mut y).unwrap();
        (input, y.to_vec().unwrap())
    }};
}

#[track_caller]
fn check((input, output): (Vec<f32>, Vec<f32>), expected: impl Fn(f32) -> f32) {
    assert_eq!(output, input.into_iter().map(expected).collect::<Vec<_>>());
}

// Callers stand before the functions that they call, and after them.
#[kernel]
fn same_module(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = outer(x[i]) + plus_one(x[i]);
    }
}

#[device]
fn outer(x: f32) -> f32 {
    plus_one(plus_one(x))
}

#[device]
fn plus_one(x: f32) -> f32 {
    x + 1.0
}

#[test]
fn in_the_same_module() {
    check(outputs!(same_module), |x| x + 2.0 + (x + 1.0));
}

mod nested {
    use warpwise::device;

    #[device]
    pub(super) fn half(x: f32) -> f32 {
        deeper::quarter(x) * 2.0
    }

    pub(crate) mod deeper {
        use warpwise::device;

        #[device]
        pub(in crate::nested) fn quarter(x: f32) -> f32 {
            super::super::plus_one(x) * 0.25
        }

        #[device]
        pub(crate) fn negated(x: f32) -> f32 {
            -x
        }
    }
}

#[kernel]
fn nested_modules(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = nested::half(x[i]) + crate::nested::deeper::negated(x[i]) + self::plus_one(x[i]);
    }
}

#[test]
fn in_nested_modules() {
    check(outputs!(nested_modules), |x| (x + 1.0) * 0.25 * 2.0 + -x + (x + 1.0));
}

#[kernel]
fn another_crate(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let flat = shapes::area(x[i], 2.0) + geometry::shapes::square(x[i]) + sq(x[i]);
        y[i] = geometry::scale(flat, 2.0) + volume(x[i], 1.0, 3.0) + area(x[i]);
    }
}

#[test]
fn in_another_crate_renamed_and_by_glob() {
    check(outputs!(another_crate), |x| {
        (x * 2.0 + x * x + x * x) * 2.0 + x * 1.0 * 3.0 + 6.0 * (x * x)
    });
}

#[test]
fn kernels_of_another_crate() {
    check(outputs!(geometry::squares), |x| x * x);
    let device = Device::cpu();
    let mut x = device.upload(&[1i32, 2, 3]).unwrap();
    geometry::scaled::<i32, 2>::launch(&device, LaunchConfig::cover(3), &mut x, 5).unwrap();
    assert_eq!(x.to_vec().unwrap(), [5, 10, 3]);
}

#[test]
fn inside_a_function() {
    #[kernel]
    fn local(x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            y[i] = tripled(x[i]);
        }
    }
    check(outputs!(local), |x| x * 3.0 + 1.0);

    #[device]
    fn tripled(x: f32) -> f32 {
        plus_one(three_times(x))
    }
    #[device]
    pub fn three_times(x: f32) -> f32 {
        x * 3.0
    }
}

mod twin {
    pub mod a {
        #[warpwise::device]
        pub fn value(x: f32) -> f32 {
            x + 10.0
        }
    }
    pub mod b {
        #[warpwise::device]
        pub fn value(x: f32) -> f32 {
            x + 20.0
        }
    }
}

#[kernel]
fn twins(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = twin::a::value(x[i]) * twin::b::value(x[i]);
    }
}

#[test]
fn of_equal_names_in_two_modules() {
    check(outputs!(twins), |x| (x + 10.0) * (x + 20.0));
}

/// Functions that one `macro_rules!` defines have place, tokens and name in common.
macro_rules! shifted {
    ($module:ident) => {
        mod $module {
            #[warpwise::device]
            pub fn shift(x: f32) -> f32 {
                x + 0.5
            }
        }
    };
}
shifted!(first);
shifted!(second);

macro_rules! kernel_of {
    ($name:ident, $function:path, $factor:expr) => {
        #[kernel]
        fn $name(x: &[f32], y: &mut [f32]) {
            let i = global_idx_x();
            if i < y.len() {
                y[i] = $function(x[i]) * $factor + $crate::plus_one(x[i]);
            }
        }
    };
}
kernel_of!(from_macro, first::shift, 2.0 + 1.0);
kernel_of!(from_macro_again, second::shift, 5.0);

#[test]
fn of_macro_rules() {
    check(outputs!(from_macro), |x| (x + 0.5).mul_add(2.0 + 1.0, x + 1.0));
    check(outputs!(from_macro_again), |x| (x + 0.5).mul_add(5.0, x + 1.0));
}

/// Names of attribute and derive macros, and of our own.
mod reserved {
    #[warpwise::device]
    pub fn test(x: f32) -> f32 {
        derive(x) + 1.0
    }
    #[warpwise::device]
    pub fn derive(x: f32) -> f32 {
        kernel(x)
    }
    #[warpwise::device]
    pub fn kernel(x: f32) -> f32 {
        r#loop(x)
    }
    #[warpwise::device]
    pub fn r#loop(x: f32) -> f32 {
        x * 8.0
    }
}

#[kernel]
fn reserved_names(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = reserved::test(x[i]);
    }
}

#[test]
fn of_names_that_attributes_and_keywords_have() {
    check(outputs!(reserved_names), |x| x * 8.0 + 1.0);
}

/// Sixty functions called directly, and a call tree sixty deep.
mod many {
    macro_rules! wide {
        ($($name:ident)*) => {
            $(#[warpwise::device] fn $name(x: f32) -> f32 { x + 1.0 })*

            #[warpwise::kernel]
            pub(super) fn wide(x: &[f32], y: &mut [f32]) {
                let i = warpwise::global_idx_x();
                if i < y.len() {
                    let mut sum = x[i];
                    $(sum = $name(sum);)*
                    y[i] = sum;
                }
            }
        };
    }
    wide! {
        w00 w01 w02 w03 w04 w05 w06 w07 w08 w09 w10 w11 w12 w13 w14 w15 w16 w17 w18 w19
        w20 w21 w22 w23 w24 w25 w26 w27 w28 w29 w30 w31 w32 w33 w34 w35 w36 w37 w38 w39
        w40 w41 w42 w43 w44 w45 w46 w47 w48 w49 w50 w51 w52 w53 w54 w55 w56 w57 w58 w59
    }

    macro_rules! deep {
        ($last:ident) => {
            #[warpwise::device] fn $last(x: f32) -> f32 { x + 1.0 }
        };
        ($first:ident $second:ident $($rest:ident)*) => {
            #[warpwise::device] pub(super) fn $first(x: f32) -> f32 { $second(x) + 1.0 }
            deep! { $second $($rest)* }
        };
    }
    deep! {
        d00 d01 d02 d03 d04 d05 d06 d07 d08 d09 d10 d11 d12 d13 d14 d15 d16 d17 d18 d19
        d20 d21 d22 d23 d24 d25 d26 d27 d28 d29 d30 d31 d32 d33 d34 d35 d36 d37 d38 d39
        d40 d41 d42 d43 d44 d45 d46 d47 d48 d49 d50 d51 d52 d53 d54 d55 d56 d57 d58 d59
    }
}

#[kernel]
fn deep(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = many::d00(x[i]);
    }
}

#[test]
fn in_a_call_tree_of_sixty() {
    check(outputs!(many::wide), |x| x + 60.0);
    check(outputs!(deep), |x| x + 60.0);
}
