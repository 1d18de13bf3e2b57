//! Arguments of random kernels: values of any type, often at one of its edges.
use warpwise::{Plain, bf16, f16};

/// The number of threads of a launch.
pub(crate) const THREADS: usize = 64;
/// The length of a slice that is only read.
pub(crate) const READ: usize = 64;
/// The length of a slice that is written: eight elements for each thread.
pub(crate) const WRITTEN: usize = 8 * THREADS;
/// The length of a slice of atomics.
const CELLS: usize = 8;

/// A type that kernels take.
pub(crate) trait Value: Plain {
    fn draw(draw: &mut Draw) -> Self;
    /// Adds bits that distinguish the value from others; they are the same for every NaN.
    fn bits(&self, bits: &mut Vec<u64>);
}

pub(crate) fn values<T: Value>(draw: &mut Draw, count: usize) -> Vec<T> {
    (0..count).map(|_| T::draw(draw)).collect()
}

pub(crate) fn one<T: Value>(draw: &mut Draw) -> T {
    T::draw(draw)
}

pub(crate) fn cells<T: Value>(draw: &mut Draw) -> Vec<T> {
    values(draw, CELLS)
}

macro_rules! scalars {
    (|$draw:ident| $($ty:ident: $make:expr, |$value:ident| $bits:expr;)*) => {$(
        impl Value for $ty {
            fn draw($draw: &mut Draw) -> Self {
                $make
            }
            fn bits(&self, bits: &mut Vec<u64>) {
                let $value = *self;
                bits.push($bits);
            }
        }
    )*};
}
scalars! {
    |draw|
    i8: draw.integer() as i8, |v| v as u64;
    i16: draw.integer() as i16, |v| v as u64;
    i32: draw.integer() as i32, |v| v as u64;
    i64: draw.integer() as i64, |v| v as u64;
    isize: draw.integer() as isize, |v| v as u64;
    u8: draw.integer() as u8, |v| v as u64;
    u16: draw.integer() as u16, |v| v as u64;
    u32: draw.integer() as u32, |v| v as u64;
    u64: draw.integer(), |v| v;
    usize: draw.integer() as usize, |v| v as u64;
    f16: draw.f16(), |v| if v.is_nan() { 0x7e00 } else { u64::from(v.to_bits()) };
    bf16: draw.bf16(), |v| if v.is_nan() { 0x7fc0 } else { u64::from(v.to_bits()) };
    f32: draw.f32(), |v| if v.is_nan() { 0x7fc0_0000 } else { u64::from(v.to_bits()) };
    f64: draw.f64(), |v| if v.is_nan() { 0x7ff8 << 48 } else { v.to_bits() };
    bool: draw.integer() % 2 == 1, |v| u64::from(v);
}

impl<T: Value, const N: usize> Value for [T; N] {
    fn draw(draw: &mut Draw) -> Self {
        std::array::from_fn(|_| T::draw(draw))
    }
    fn bits(&self, bits: &mut Vec<u64>) {
        self.iter().for_each(|value| value.bits(bits));
    }
}

macro_rules! tuples {
    ($(($($part:ident $index:tt),*);)*) => {$(
        impl<$($part: Value),*> Value for ($($part,)*) {
            fn draw(draw: &mut Draw) -> Self {
                ($($part::draw(draw),)*)
            }
            fn bits(&self, bits: &mut Vec<u64>) {
                $(self.$index.bits(bits);)*
            }
        }
    )*};
}
tuples! {
    (A 0, B 1);
    (A 0, B 1, C 2);
}

impl<T: Value> Value for Option<T> {
    fn draw(draw: &mut Draw) -> Self {
        (draw.below(3) > 0).then(|| T::draw(draw))
    }
    fn bits(&self, bits: &mut Vec<u64>) {
        bits.push(u64::from(self.is_some()));
        self.iter().for_each(|value| value.bits(bits));
    }
}

impl<T: Value, E: Value> Value for Result<T, E> {
    fn draw(draw: &mut Draw) -> Self {
        if draw.below(3) > 0 { Ok(T::draw(draw)) } else { Err(E::draw(draw)) }
    }
    fn bits(&self, bits: &mut Vec<u64>) {
        bits.push(u64::from(self.is_ok()));
        match self {
            Ok(value) => value.bits(bits),
            Err(error) => error.bits(bits),
        }
    }
}

macro_rules! vectors {
    ($($lane:ty: $($vector:ident)*;)*) => {$($(
        impl Value for warpwise::$vector {
            fn draw(draw: &mut Draw) -> Self {
                Self::from_array(std::array::from_fn(|_| <$lane>::draw(draw)))
            }
            fn bits(&self, bits: &mut Vec<u64>) {
                self.to_array().bits(bits);
            }
        }
    )*)*};
}
vectors! {
    i8: I8x2 I8x3 I8x4;
    i16: I16x2 I16x3 I16x4;
    i32: I32x2 I32x3 I32x4;
    i64: I64x2 I64x3 I64x4;
    u8: U8x2 U8x3 U8x4;
    u16: U16x2 U16x3 U16x4;
    u32: U32x2 U32x3 U32x4;
    u64: U64x2 U64x3 U64x4;
    f16: F16x2 F16x3 F16x4;
    bf16: Bf16x2 Bf16x3 Bf16x4;
    f32: F32x2 F32x3 F32x4;
    f64: F64x2 F64x3 F64x4;
}

/// Implements [`Value`] for a struct, with its fields, or for an enum, with its variants and their
/// fields.
macro_rules! value {
    (struct $name:ident { $($field:tt)* }) => {
        impl crate::values::Value for $name {
            fn draw(draw: &mut crate::values::Draw) -> Self {
                Self { $($field: crate::values::one(draw),)* }
            }
            fn bits(&self, bits: &mut Vec<u64>) {
                $(crate::values::Value::bits(&self.$field, bits);)*
            }
        }
    };
    (enum $name:ident { $($variant:ident { $($field:tt: $value:ident)* })* }) => {
        impl crate::values::Value for $name {
            fn draw(draw: &mut crate::values::Draw) -> Self {
                let makes: &[fn(&mut crate::values::Draw) -> Self] =
                    &[$(|draw| Self::$variant { $($field: crate::values::one(draw),)* },)*];
                makes[draw.below(makes.len())](draw)
            }
            fn bits(&self, bits: &mut Vec<u64>) {
                let is = [$(matches!(self, Self::$variant { .. }),)*];
                bits.extend(is.iter().position(|is| *is).map(|at| at as u64));
                match self {
                    $(Self::$variant { $($field: $value),* } => {
                        $(crate::values::Value::bits($value, bits);)*
                    })*
                }
            }
        }
    };
}
pub(crate) use value;

/// SplitMix64.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.bits() as usize % end
    }

    /// Returns an integer that is often small, at an end of some type, or a power of two.
    fn integer(&mut self) -> u64 {
        let edges = [0, 1, u64::MAX, 7, 8, 15, 16, 31, 32, 63];
        match self.bits() % 6 {
            0 => self.bits(),
            1 | 2 => self.bits() % 64,
            3 => 0_u64.wrapping_sub(self.bits() % 64),
            4 => (1 << (self.bits() % 64)) - self.bits() % 2,
            _ => edges[self.bits() as usize % edges.len()],
        }
    }

    fn f16(&mut self) -> f16 {
        let value = match self.bits() % 2 {
            0 => f16::from_bits(self.bits() as u16),
            _ => f16::from_f32(self.f32()),
        };
        // Rust does not specify the effect of a signalling NaN.
        if value.is_nan() { f16::NAN } else { value }
    }

    fn bf16(&mut self) -> bf16 {
        let value = match self.bits() % 2 {
            0 => bf16::from_bits(self.bits() as u16),
            _ => bf16::from_f32(self.f32()),
        };
        if value.is_nan() { bf16::NAN } else { value }
    }

    fn f32(&mut self) -> f32 {
        let edges = [
            0.0, -0.0, 1.0, -1.0, 0.5, 2.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX,
            f32::MIN_POSITIVE, 1e-40, f32::EPSILON, 16_777_216.0, 2_147_483_648.0,
        ];
        let value = match self.bits() % 4 {
            0 => f32::from_bits(self.bits() as u32),
            1 => (self.bits() % 2000) as f32 / 8.0 - 100.0,
            2 => self.integer() as i64 as f32,
            _ => edges[self.bits() as usize % edges.len()],
        };
        if value.is_nan() { f32::NAN } else { value }
    }

    fn f64(&mut self) -> f64 {
        let edges = [
            0.0, -0.0, 1.0, -1.0, 0.5, 2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX,
            f64::MIN_POSITIVE, 5e-324, f64::EPSILON, 9_007_199_254_740_992.0, 1e-45, 3.5e38,
        ];
        let value = match self.bits() % 4 {
            0 => f64::from_bits(self.bits()),
            1 => (self.bits() % 2000) as f64 / 8.0 - 100.0,
            2 => self.integer() as i64 as f64,
            _ => edges[self.bits() as usize % edges.len()],
        };
        if value.is_nan() { f64::NAN } else { value }
    }
}
