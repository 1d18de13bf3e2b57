//! The functions of `math`, with the largest errors that they may have and numbers to test them
//! with.
use crate::exact::{self, Exact};
use warpwise::math;

/// A value for each of the two float types.
#[derive(Clone, Copy, Debug)]
pub struct Both<A, B> {
    /// For `f32`.
    pub narrow: A,
    /// For `f64`.
    pub wide: B,
}

/// A function of one number of a type.
pub type OfOne<T> = fn(T) -> T;

/// A function of two numbers of a type.
pub type OfTwo<T> = fn(T, T) -> T;

/// A function of one number.
pub struct Unary {
    /// The name.
    pub name: &'static str,
    /// The library's function, on the host.
    pub host: Both<OfOne<f32>, OfOne<f64>>,
    /// The function that computes its exact value.
    pub exact: fn(f64) -> Exact,
    /// The largest error that the documentation promises, in ULP.
    pub bound: Both<f64, f64>,
    /// The largest error that CUDA states for its own function, in ULP.
    pub cuda: Both<Option<u8>, Option<u8>>,
    /// The range of arguments in which the function has values worth testing.
    pub range: [f64; 2],
}

/// A function of two numbers.
pub struct Binary {
    /// The name.
    pub name: &'static str,
    /// The library's function, on the host.
    pub host: Both<OfTwo<f32>, OfTwo<f64>>,
    /// The function that computes its exact value.
    pub exact: fn(f64, f64) -> Exact,
    /// The largest error that the documentation promises, in ULP.
    pub bound: Both<f64, f64>,
    /// The largest error that CUDA states for its own function, in ULP, if it has one.
    pub cuda: Both<Option<u8>, Option<u8>>,
}

macro_rules! unary {
    ($($name:ident $narrow:literal $wide:literal, $cuda:literal $cuda_wide:literal, $low:literal $high:literal;)*) => {
        /// The functions of one number.
        pub const UNARY: &[Unary] = &[$(Unary {
            name: stringify!($name),
            host: Both { narrow: math::$name::<f32>, wide: math::$name::<f64> },
            exact: exact::$name,
            bound: Both { narrow: $narrow, wide: $wide },
            cuda: Both { narrow: Some($cuda), wide: Some($cuda_wide) },
            range: [$low, $high],
        }),*];
    };
}
macro_rules! binary {
    ($($name:ident $narrow:literal $wide:literal, $cuda:expr, $cuda_wide:expr;)*) => {
        /// The functions of two numbers.
        pub const BINARY: &[Binary] = &[$(Binary {
            name: stringify!($name),
            host: Both { narrow: math::$name::<f32>, wide: math::$name::<f64> },
            exact: exact::$name,
            bound: Both { narrow: $narrow, wide: $wide },
            cuda: Both { narrow: $cuda, wide: $cuda_wide },
        }),*];
    };
}

unary! {
    acos 2.5 1.5, 2 1, -1.0 1.0;
    acosh 2.5 2.5, 4 2, 1.0 3.0;
    asin 2.5 2.5, 2 2, -1.0 1.0;
    asinh 2.5 2.5, 3 2, -3.0 3.0;
    atan 2.0 2.0, 2 2, -10.0 10.0;
    atanh 2.5 2.5, 3 2, -1.0 1.0;
    cbrt 1.5 1.5, 1 1, 0.0 8.0;
    cos 1.5 1.5, 2 1, -100.0 100.0;
    cosh 2.5 1.5, 2 1, -3.0 3.0;
    erf 1.5 1.5, 2 2, -6.0 6.0;
    erfc 2.5 3.0, 4 5, -6.0 28.0;
    exp 1.5 1.5, 1 1, -745.0 710.0;
    exp2 1.0 1.0, 2 1, -1075.0 1024.0;
    exp_m1 1.5 1.5, 1 1, -40.0 710.0;
    ln 1.5 1.5, 1 1, 0.0 10.0;
    ln_1p 1.5 1.5, 1 1, -1.0 10.0;
    log10 1.5 1.5, 2 1, 0.0 10.0;
    log2 1.5 1.5, 1 1, 0.0 10.0;
    sin 1.5 1.5, 2 1, -100.0 100.0;
    sinh 2.0 1.5, 3 1, -3.0 3.0;
    tan 2.5 2.5, 4 2, -100.0 100.0;
    tanh 2.5 1.5, 2 1, -3.0 3.0;
}
binary! {
    atan2 2.5 2.0, Some(3), Some(2);
    hypot 1.0 1.0, Some(3), Some(2);
    log 3.5 3.0, None, None;
    powf 2.0 1.5, Some(4), Some(2);
}

/// Returns numbers at which functions change their method or overflow, with both signs.
pub fn edges() -> Vec<f64> {
    let positive = [
        0.0,
        5e-324,
        1e-310,
        f64::MIN_POSITIVE,
        1e-45,
        1e-40,
        f64::from(f32::MIN_POSITIVE),
        1e-8,
        0.4375,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        3.0,
        87.5,
        88.72283,
        103.97,
        708.5,
        709.782712893384,
        745.1332191019411,
        16_777_215.0,
        4_503_599_627_370_495.5,
        9_007_199_254_740_991.0,
        1e22,
        f64::from(f32::MAX),
        5.319372648326541e255,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    positive.into_iter().flat_map(|x| [x, -x]).collect()
}

/// Generator of random numbers: any bits, in a range, small, and near 1.
pub struct Draw(pub u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// Returns a number of random bits, of an `f64` if `wide` and otherwise of an `f32`.
    fn any(&mut self, wide: bool) -> f64 {
        let bits = self.bits();
        if wide { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) }
    }

    /// Returns an argument for a function whose values are worth testing between `low` and `high`.
    pub fn one(&mut self, [low, high]: [f64; 2], wide: bool) -> f64 {
        let small = 2f64.powi(-((self.bits() % 64) as i32));
        match self.bits() % 4 {
            0 => self.any(wide),
            1 => low + (high - low) * self.fraction(),
            2 => small * (self.fraction() - 0.5),
            _ => 1.0 + small * (self.fraction() - 0.5),
        }
    }

    /// Returns two arguments for a function; half of the pairs have a power that neither overflows
    /// nor underflows to 0.
    pub fn pair(&mut self, wide: bool) -> (f64, f64) {
        let end = if wide { 750.0 } else { 105.0 };
        match self.bits() % 4 {
            0 => (self.any(wide), self.any(wide)),
            1 => (self.fraction() * 40.0 - 20.0, self.fraction() * 6.0 - 3.0),
            2 => {
                let x = self.any(wide).abs();
                (x, (self.fraction() * 2.0 - 1.0) * end / x.ln())
            }
            _ => {
                let x = self.fraction() * 3.0;
                (x, (self.fraction() * 2.0 - 1.0) * end / x.ln())
            }
        }
    }
}
