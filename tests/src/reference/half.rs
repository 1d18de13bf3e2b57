//! Operations on `f16` and `bf16` by the `half` crate's operators.
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use warpwise::{bf16, f16};
use warpwise_compiler::{
    half::Format,
    ir::{BinaryOp, UnaryOp},
};

pub(super) fn unary(format: Format, op: UnaryOp, a: u16) -> u16 {
    let through = |of: fn(f32) -> f32| match format {
        Format::F16 => f16::from_f32(of(f16::from_bits(a).to_f32())).to_bits(),
        Format::BF16 => bf16::from_f32(of(bf16::from_bits(a).to_f32())).to_bits(),
    };
    match op {
        UnaryOp::Neg if format == Format::F16 => f16::from_bits(a).neg().to_bits(),
        UnaryOp::Neg => bf16::from_bits(a).neg().to_bits(),
        UnaryOp::Abs => a & 0x7fff,
        UnaryOp::Sqrt => through(f32::sqrt),
        UnaryOp::Floor => through(f32::floor),
        UnaryOp::Ceil => through(f32::ceil),
        UnaryOp::Trunc => through(f32::trunc),
        UnaryOp::RoundTiesEven => through(f32::round_ties_even),
        UnaryOp::Not
        | UnaryOp::Rsqrt
        | UnaryOp::CountOnes
        | UnaryOp::LeadingZeros
        | UnaryOp::ReverseBits
        | UnaryOp::SwapBytes
        | UnaryOp::Approx(_) => panic!("not of a float"),
    }
}

pub(super) fn binary(format: Format, op: BinaryOp, a: u16, b: u16) -> u16 {
    match format {
        Format::F16 => by(op, f16::from_bits(a), f16::from_bits(b)).to_bits(),
        Format::BF16 => by(op, bf16::from_bits(a), bf16::from_bits(b)).to_bits(),
    }
}

fn by<T>(op: BinaryOp, a: T, b: T) -> T
where
    T: Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T> + Rem<Output = T>,
{
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Rem => a % b,
        _ => panic!("{op:?} of floats"),
    }
}
