//! Types, traits, `impl` blocks and constants reach kernels as functions do: from wherever rustc
//! finds them, in any order.
#![deny(warnings)]
#![allow(missing_docs, unreachable_pub, reason = "a test; public items are carried in another way")]
use geometry::{
    bodies::{Ball, Solid, Solid as Volume, UNIT},
    vectors::{Matrix2, Vector2 as V2},
};
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

// Uses stand before definitions, an `impl` before its type, and helpers need the type.
#[kernel]
fn same_module(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let line = Line::new(x[i]);
        y[i] = line.value() + OFFSET + slope_of(line);
    }
}

#[device]
impl Line {
    fn value(self) -> f32 {
        self.slope * self.at + offset_of(self)
    }
}

#[device]
fn slope_of(line: Line) -> f32 {
    line.slope
}

#[device]
fn offset_of(line: Line) -> f32 {
    slope_of(line) + OFFSET
}

#[device]
const OFFSET: Real = 0.5;

#[device]
type Real = f32;

#[device]
#[derive(Clone, Copy)]
struct Line {
    slope: Real,
    at: f32,
}

#[device]
impl Line {
    const fn new(at: f32) -> Self {
        Self { slope: 2.0, at }
    }
}

#[test]
fn in_the_same_module() {
    check(outputs!(same_module), |x| 2.0f32.mul_add(x, 2.0 + 0.5) + 0.5 + 2.0);
}

/// One attribute for several items: types that need each other, and modules inside.
#[device]
mod covered {
    use super::OFFSET as SHIFT;

    #[derive(Clone, Copy)]
    pub struct A {
        pub x: f32,
    }
    #[derive(Clone, Copy)]
    pub(crate) struct B {
        y: f32,
    }
    impl A {
        pub fn other(self) -> B {
            B { y: self.x + SHIFT }
        }
        pub fn sum(self) -> f32 {
            self.other().back().x + inner::TWICE * self.x
        }
    }
    impl B {
        fn back(self) -> A {
            A { x: self.y + 1.0 }
        }
    }
    pub mod inner {
        pub const TWICE: f32 = 2.0;
    }
    #[cfg(test)]
    mod tests {
        #[test]
        fn host_code_stays_what_it_is() {
            let names = [super::A { x: 1.0 }].map(|a| a.sum().to_string());
            assert_eq!(names, ["4.5"]);
        }
    }
}

#[kernel]
fn covers(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = covered::A { x: x[i] }.sum();
    }
}

#[test]
fn in_a_covered_module() {
    check(outputs!(covers), |x| 2.0f32.mul_add(x, x + 0.5 + 1.0));
}

#[kernel]
fn another_crate(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let v = Matrix2::rotation().apply(V2 { x: x[i], y: 1.0 }) + V2::ONE;
        let ball = Ball { radius: v.y };
        y[i] = v.dot(v)
            + ball.volume()
            + <f32 as Volume>::volume(UNIT)
            + geometry::bodies::twice(ball);
    }
}

#[test]
fn in_another_crate_renamed() {
    check(outputs!(another_crate), |x| {
        let v = Matrix2::rotation().apply(V2 { x, y: 1.0 }) + V2::ONE;
        let dot = v.x.mul_add(v.x, v.y * v.y);
        let ball = Ball { radius: v.y };
        dot + ball.volume() + UNIT.volume() + 2.0 * ball.volume()
    });
}

mod twin {
    pub mod a {
        #[warpwise::device]
        #[derive(Clone, Copy)]
        pub struct Value(pub f32);
        #[warpwise::device]
        impl Value {
            pub fn get(self) -> f32 {
                self.0 + 10.0
            }
        }
    }
    pub mod b {
        #[warpwise::device]
        impl Value {
            pub fn get(self) -> f32 {
                self.0 + 20.0
            }
        }
        #[warpwise::device]
        #[derive(Clone, Copy)]
        pub struct Value(pub f32);
    }
}

#[kernel]
fn twins(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = twin::a::Value(x[i]).get() * twin::b::Value(x[i]).get();
    }
}

#[test]
fn of_equal_names_in_two_modules() {
    check(outputs!(twins), |x| (x + 10.0) * (x + 20.0));
}

/// Types that a `macro_rules!` defines, with an `impl` outside of the macro.
macro_rules! newtype {
    ($name:ident, $by:expr) => {
        #[device]
        #[derive(Clone, Copy)]
        struct $name(f32);
        #[device]
        impl $name {
            fn scaled(self) -> f32 {
                self.0 * $by
            }
        }
    };
}
newtype!(Twofold, 2.0);
newtype!(Threefold, 3.0);
#[device]
impl Twofold {
    fn shifted(self) -> f32 {
        self.scaled() + 1.0
    }
}
macro_rules! module {
    ($name:ident) => {
        mod $name {
            newtype!(Inner, 4.0);
            #[device]
            pub fn of(x: f32) -> f32 {
                Inner(x).scaled()
            }
            use warpwise::device;
        }
    };
}
module!(first);
module!(second);

#[kernel]
fn from_macros(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        let own = Twofold(x[i]).shifted() + Threefold(x[i]).scaled();
        y[i] = own + first::of(x[i]) + second::of(x[i]);
    }
}

#[test]
fn of_macro_rules() {
    check(outputs!(from_macros), |x| (x * 2.0 + 1.0) + x * 3.0 + x * 4.0 + x * 4.0);
}

#[test]
fn inside_a_function() {
    #[kernel]
    fn local(x: &[f32], y: &mut [f32]) {
        let i = global_idx_x();
        if i < y.len() {
            let side = if x[i] > 5.0 { Side::Left } else { Side::Right };
            y[i] = Local { x: x[i] }.twice() + side.sign();
        }
    }
    #[device]
    impl Local {
        fn twice(&self) -> f32 {
            self.x + self.x
        }
    }
    #[device]
    struct Local {
        x: f32,
    }
    #[device]
    #[derive(Clone, Copy)]
    enum Side {
        Left,
        Right,
    }
    #[device]
    impl Side {
        fn sign(self) -> f32 {
            match self {
                Self::Left => -1.0,
                Side::Right => 1.0,
            }
        }
    }
    check(outputs!(local), |x| x + x + if x > 5.0 { -1.0 } else { 1.0 });
}

/// Items that `cfg` removes are removed everywhere.
#[device]
#[cfg(any())]
fn chosen() -> f32 {
    nowhere::at_all()
}
#[device]
#[cfg(not(any()))]
fn chosen() -> f32 {
    Chosen::VALUE
}
#[device]
struct Chosen;
#[device]
#[cfg_attr(any(), cfg(any()))]
impl Chosen {
    const VALUE: f32 = 7.0;
}
#[device]
#[cfg(any())]
impl Chosen {
    const VALUE: nowhere::Type = 8.0;
}

#[kernel]
fn configured(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = x[i] + chosen();
    }
}

#[test]
fn under_cfg() {
    check(outputs!(configured), |x| x + 7.0);
}

/// More items than the depth to which rustc nests macros.
mod many {
    macro_rules! wide {
        ($($name:ident)*) => {
            $(#[warpwise::device] pub(super) fn $name(x: f32) -> f32 { x + 1.0 })*

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
        a00 a01 a02 a03 a04 a05 a06 a07 a08 a09 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19
        a20 a21 a22 a23 a24 a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39
        a40 a41 a42 a43 a44 a45 a46 a47 a48 a49 a50 a51 a52 a53 a54 a55 a56 a57 a58 a59
        b00 b01 b02 b03 b04 b05 b06 b07 b08 b09 b10 b11 b12 b13 b14 b15 b16 b17 b18 b19
        b20 b21 b22 b23 b24 b25 b26 b27 b28 b29 b30 b31 b32 b33 b34 b35 b36 b37 b38 b39
        b40 b41 b42 b43 b44 b45 b46 b47 b48 b49 b50 b51 b52 b53 b54 b55 b56 b57 b58 b59
        c00 c01 c02 c03 c04 c05 c06 c07 c08 c09 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
    }
}

#[test]
fn more_than_rustc_nests() {
    check(outputs!(many::wide), |x| x + 140.0);
}

#[device]
trait Select<U> {
    fn select(self, other: U) -> Self;
}
#[device]
struct Selected<T>(T);
/// Only the trait mentions `U`, and so does a bound of `T`.
#[device]
impl<T: Num + PartialEq<U>, U: Num> Select<U> for Selected<T> {
    fn select(self, other: U) -> Self {
        let is_one = other == U::ONE;
        if is_one { self } else { Selected(self.0 + T::ONE) }
    }
}

#[kernel]
fn bounds_with_parameters(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = Selected(x[i]).select(3.0f32).0;
    }
}

#[test]
fn with_parameters_of_a_trait_in_bounds() {
    check(outputs!(bounds_with_parameters), |x| x + 1.0);
}

#[device]
type Row = [f32; 2];
#[device]
type Same = Row;
#[device]
type Stretched = Line;
#[device]
trait Total {
    fn total(self) -> f32;
}
#[device]
impl Total for Real {
    fn total(self) -> f32 {
        self.abs()
    }
}
#[device]
impl Total for Same {
    fn total(self) -> f32 {
        self[0] + self[1]
    }
}
#[device]
impl Total for Stretched {
    fn total(self) -> f32 {
        self.slope + self.at
    }
}

#[kernel]
fn traits_for_aliases(x: &[f32], y: &mut [f32]) {
    let i = global_idx_x();
    if i < y.len() {
        y[i] = (-x[i]).total() + [x[i], 1.0].total() + Line::new(x[i]).total();
    }
}

#[test]
fn of_traits_for_aliases() {
    check(outputs!(traits_for_aliases), |x| x + (x + 1.0) + (2.0 + x));
}
