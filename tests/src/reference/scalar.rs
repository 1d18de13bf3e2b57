//! Operations on one value, as bits, by Rust's own operators.
#![expect(clippy::unnecessary_cast, reason = "necessary for the other types a macro stands for")]
use super::half;
use warpwise::{bf16, f16};
use warpwise_compiler::{
    ir::{AtomicOp, BinaryOp, CompareOp, Scalar, TernaryOp, UnaryOp},
    library::directed,
};

/// Calls a macro with the Rust type of an integer scalar.
macro_rules! with_int {
    ($scalar:expr, $T:ident => $int:expr, else $other:expr) => {
        match $scalar {
            Scalar::I8 => {
                type $T = i8;
                $int
            }
            Scalar::I16 => {
                type $T = i16;
                $int
            }
            Scalar::I32 => {
                type $T = i32;
                $int
            }
            Scalar::I64 => {
                type $T = i64;
                $int
            }
            Scalar::U8 => {
                type $T = u8;
                $int
            }
            Scalar::U16 => {
                type $T = u16;
                $int
            }
            Scalar::U32 => {
                type $T = u32;
                $int
            }
            Scalar::U64 => {
                type $T = u64;
                $int
            }
            Scalar::Bool
            | Scalar::F16
            | Scalar::BF16
            | Scalar::F32
            | Scalar::F64
            | Scalar::Generic(_) => $other,
        }
    };
}

/// Returns the value as unsigned bits of the scalar's size.
fn mask(scalar: Scalar, bits: u64) -> u64 {
    bits & (u64::MAX >> (64 - 8 * scalar.size().unwrap()))
}

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

pub(super) fn unary(op: UnaryOp, ty: Scalar, a: u64) -> u64 {
    if let Some(format) = ty.half() {
        return half::unary(format, op, a as u16).into();
    }
    if ty == Scalar::Bool {
        return a ^ 1;
    }
    let bits = with_int!(ty, T => {
        let a = a as T;
        match op {
            UnaryOp::Neg => a.wrapping_neg() as u64,
            UnaryOp::Not => !a as u64,
            UnaryOp::Abs if (a as i128) < 0 => a.wrapping_neg() as u64,
            UnaryOp::Abs => a as u64,
            UnaryOp::CountOnes => a.count_ones().into(),
            UnaryOp::LeadingZeros => a.leading_zeros().into(),
            UnaryOp::ReverseBits => a.reverse_bits() as u64,
            UnaryOp::SwapBytes => a.swap_bytes() as u64,
            UnaryOp::Sqrt
            | UnaryOp::Rsqrt
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Trunc
            | UnaryOp::RoundTiesEven
            | UnaryOp::Approx(_) => panic!("not of an integer"),
        }
    }, else if ty == Scalar::F32 {
        let a = f32_of(a);
        let value = match op {
            UnaryOp::Neg => -a,
            UnaryOp::Abs => a.abs(),
            UnaryOp::Sqrt => a.sqrt(),
            UnaryOp::Rsqrt => (1.0 / f64::from(a).sqrt()) as f32,
            UnaryOp::Floor => a.floor(),
            UnaryOp::Ceil => a.ceil(),
            UnaryOp::Trunc => a.trunc(),
            UnaryOp::RoundTiesEven => a.round_ties_even(),
            UnaryOp::Not
            | UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::ReverseBits
            | UnaryOp::SwapBytes
            // Devices may disagree about its result.
            | UnaryOp::Approx(_) => panic!("not of a float"),
        };
        value.to_bits().into()
    } else {
        let a = f64::from_bits(a);
        let value = match op {
            UnaryOp::Neg => -a,
            UnaryOp::Abs => a.abs(),
            UnaryOp::Sqrt => a.sqrt(),
            UnaryOp::Floor => a.floor(),
            UnaryOp::Ceil => a.ceil(),
            UnaryOp::Trunc => a.trunc(),
            UnaryOp::RoundTiesEven => a.round_ties_even(),
            UnaryOp::Not
            | UnaryOp::Rsqrt
            | UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::ReverseBits
            | UnaryOp::SwapBytes
            // Devices may disagree about its result.
            | UnaryOp::Approx(_) => panic!("not of a float"),
        };
        value.to_bits()
    });
    mask(ty, bits)
}

pub(super) fn binary(op: BinaryOp, ty: Scalar, a: u64, b: u64) -> u64 {
    if let Some(format) = ty.half() {
        if let BinaryOp::Min | BinaryOp::Max = op {
            let wide = |bits| f64::from(format.to_f32(bits as u16)).to_bits();
            let value = f64::from_bits(extreme(op == BinaryOp::Min, wide(a), wide(b)));
            return format.round_f64(value).into();
        }
        return half::binary(format, op, a as u16, b as u16).into();
    }
    let bits = with_int!(ty, T => {
        let (x, y) = (a as T, b as T);
        (match op {
            BinaryOp::Add => x.wrapping_add(y),
            BinaryOp::Sub => x.wrapping_sub(y),
            BinaryOp::Mul => x.wrapping_mul(y),
            BinaryOp::Div => if y == 0 { 0 } else { x.wrapping_div(y) },
            BinaryOp::Rem => if y == 0 { 0 } else { x.wrapping_rem(y) },
            BinaryOp::And => x & y,
            BinaryOp::Or => x | y,
            BinaryOp::Xor => x ^ y,
            BinaryOp::Shl => x.wrapping_shl(b as u32),
            BinaryOp::Shr => x.wrapping_shr(b as u32),
            BinaryOp::Min => x.min(y),
            BinaryOp::Max => x.max(y),
            BinaryOp::MulHigh if T::MIN == 0 => {
                ((u128::from(x as u64) * u128::from(y as u64)) >> T::BITS) as T
            }
            BinaryOp::MulHigh => ((x as i128 * y as i128) >> T::BITS) as T,
            BinaryOp::RotateLeft => x.rotate_left(b as u32 % T::BITS),
        }) as u64
    }, else match ty {
        Scalar::F32 => {
            // These are exact in `f64`, and keep the signs of zeros.
            if let BinaryOp::Min | BinaryOp::Max = op {
                let wide = |bits| f64::from(f32_of(bits)).to_bits();
                let value = extreme(op == BinaryOp::Min, wide(a), wide(b));
                return (f64::from_bits(value) as f32).to_bits().into();
            }
            let (x, y) = (f32_of(a), f32_of(b));
            let value = match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                BinaryOp::Rem => x % y,
                _ => panic!("{op:?} of floats"),
            };
            value.to_bits().into()
        }
        Scalar::F64 => {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let value = match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::Div => x / y,
                BinaryOp::Rem => x % y,
                BinaryOp::Min | BinaryOp::Max => f64::from_bits(extreme(op == BinaryOp::Min, a, b)),
                _ => panic!("{op:?} of floats"),
            };
            value.to_bits()
        }
        _ => match op {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            _ => panic!("{op:?} of bool"),
        },
    });
    mask(ty, bits)
}

/// Returns the smaller or larger of two `f64`, ignoring one NaN, by their order as integers with
/// sign and magnitude, in which -0.0 is below +0.0.
fn extreme(least: bool, a: u64, b: u64) -> u64 {
    let is_nan = |bits| f64::from_bits(bits).is_nan();
    let order = |bits: u64| {
        if bits >> 63 == 0 { i128::from(bits) } else { -1 - i128::from(bits << 1 >> 1) }
    };
    match (is_nan(a), is_nan(b)) {
        (true, _) => b,
        (_, true) => a,
        _ if (order(a) < order(b)) == least => a,
        _ => b,
    }
}

pub(super) fn compare(op: CompareOp, ty: Scalar, a: u64, b: u64) -> bool {
    fn by<T: PartialOrd>(op: CompareOp, a: T, b: T) -> bool {
        match op {
            CompareOp::Eq => a == b,
            CompareOp::Ne => a != b,
            CompareOp::Lt => a < b,
            CompareOp::Le => a <= b,
            CompareOp::Gt => a > b,
            CompareOp::Ge => a >= b,
        }
    }
    with_int!(ty, T => by(op, a as T, b as T), else match ty {
        Scalar::F16 => by(op, f16::from_bits(a as u16), f16::from_bits(b as u16)),
        Scalar::BF16 => by(op, bf16::from_bits(a as u16), bf16::from_bits(b as u16)),
        Scalar::F32 => by(op, f32_of(a), f32_of(b)),
        Scalar::F64 => by(op, f64::from_bits(a), f64::from_bits(b)),
        _ => by(op, a, b),
    })
}

pub(super) fn cast(from: Scalar, to: Scalar, bits: u64) -> u64 {
    let cast = match from {
        Scalar::F16 => float_to(to, f16::from_bits(bits as u16).to_f64()),
        Scalar::BF16 => float_to(to, bf16::from_bits(bits as u16).to_f64()),
        Scalar::F32 => float_to(to, f32_of(bits).into()),
        Scalar::F64 => float_to(to, f64::from_bits(bits)),
        _ => {
            let wide = with_int!(from, T => bits as T as i128, else i128::from(bits));
            match to {
                Scalar::F16 | Scalar::BF16 => to.half().unwrap().round_int(wide).into(),
                Scalar::F32 => (wide as f32).to_bits().into(),
                Scalar::F64 => (wide as f64).to_bits(),
                _ => wide as u64,
            }
        }
    };
    mask(to, cast)
}

fn float_to(to: Scalar, value: f64) -> u64 {
    with_int!(to, T => value as T as u64, else match to {
        Scalar::F32 => (value as f32).to_bits().into(),
        Scalar::F64 => value.to_bits(),
        other => other.half().unwrap().round_f64(value).into(),
    })
}

pub(super) fn fma(ty: Scalar, a: u64, b: u64, c: u64) -> u64 {
    if let Some(format) = ty.half() {
        format.fma(a as u16, b as u16, c as u16).into()
    } else if ty == Scalar::F32 {
        f32_of(a).mul_add(f32_of(b), f32_of(c)).to_bits().into()
    } else {
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
    }
}

pub(super) fn ternary(op: TernaryOp, ty: Scalar, a: u64, b: u64, c: u64) -> u64 {
    let part = |word: u64, width: u32, at: u32| {
        let unused = 64 - width;
        let bits = word >> (width * at) << unused;
        if ty == Scalar::I32 { bits.cast_signed() >> unused } else { (bits >> unused) as i64 }
    };
    let dot = |width: u32, first: u32, parts: u32| {
        let products = (0..parts).map(|at| part(a, width, at) * part(b, 8, first + at));
        (products.sum::<i64>() + c as i64) as u32
    };
    let result = match op {
        TernaryOp::DotBytes => dot(8, 0, 4),
        TernaryOp::DotHalvesLow => dot(16, 0, 2),
        TernaryOp::DotHalvesHigh => dot(16, 2, 2),
        TernaryOp::PermuteBytes => {
            let bytes = (b << 32 | a).to_le_bytes();
            u32::from_le_bytes(std::array::from_fn(|at| {
                let choice = c >> (4 * at) & 15;
                let byte = bytes[choice as usize % 8];
                let filled = if byte >> 7 == 1 { 0xff } else { 0 };
                if choice < 8 { byte } else { filled }
            }))
        }
        TernaryOp::FunnelShl => ((a << 32 | b) << (c % 32) >> 32) as u32,
        TernaryOp::FunnelShr => ((a << 32 | b) >> (c % 32)) as u32,
        TernaryOp::AddCarry => (a + b + u64::from(c != 0)) as u32,
        TernaryOp::CarryOut => u32::from(a + b + u64::from(c != 0) > u64::from(u32::MAX)),
        TernaryOp::FmaTo(direction) => {
            directed::fma(direction, f32_of(a), f32_of(b), f32_of(c)).to_bits()
        }
    };
    result.into()
}

/// Returns the result of `op` on `old` and `with`; with `flush`, a subnormal `f32` counts as the
/// zero of its sign.
pub(super) fn atomic(op: AtomicOp, ty: Scalar, old: u64, with: u64, flush: bool) -> u64 {
    if flush {
        let zeroed = |bits| if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits };
        return zeroed(atomic(op, ty, zeroed(old), zeroed(with), false));
    }
    let op = match op {
        AtomicOp::Swap => return with,
        AtomicOp::Add => BinaryOp::Add,
        AtomicOp::Sub => BinaryOp::Sub,
        AtomicOp::And => BinaryOp::And,
        AtomicOp::Or => BinaryOp::Or,
        AtomicOp::Xor => BinaryOp::Xor,
        AtomicOp::Min => BinaryOp::Min,
        AtomicOp::Max => BinaryOp::Max,
    };
    binary(op, ty, old, with)
}

/// Returns true if a range that ends at `end` contains `value`.
pub(super) fn in_range(ty: Scalar, value: u64, end: u64, inclusive: bool) -> bool {
    compare(if inclusive { CompareOp::Le } else { CompareOp::Lt }, ty, value, end)
}

/// Returns `value + step`, unless that is past the end of the type.
pub(super) fn step(ty: Scalar, value: u64, step: u64) -> Option<u64> {
    with_int!(ty, T => {
        (value as T).checked_add(step as T).map(|next| mask(ty, next as u64))
    }, else panic!("a range of {ty:?}"))
}
