//! Operations on three words with instructions on GPUs, computed by the library here.
use super::{Isa, LaneFn, lane_ops, pick};
use warpwise_compiler::{
    ir::{Direction, TernaryOp},
    library::{directed, words},
};

lane_ops! {
    DotBytes(a: u32, b: u32, c: u32) -> u32 { words::dot_bytes(a, b, c) }
    DotBytesSigned(a: u32, b: u32, c: u32) -> u32 { words::dot_bytes_signed(a, b, c) }
    DotHalvesLow(a: u32, b: u32, c: u32) -> u32 { words::dot_halves_low(a, b, c) }
    DotHalvesLowSigned(a: u32, b: u32, c: u32) -> u32 { words::dot_halves_low_signed(a, b, c) }
    DotHalvesHigh(a: u32, b: u32, c: u32) -> u32 { words::dot_halves_high(a, b, c) }
    DotHalvesHighSigned(a: u32, b: u32, c: u32) -> u32 { words::dot_halves_high_signed(a, b, c) }
    PermuteBytes(a: u32, b: u32, c: u32) -> u32 { words::permute_bytes(a, b, c) }
    FunnelShl(a: u32, b: u32, c: u32) -> u32 { words::funnel_shl(a, b, c) }
    FunnelShr(a: u32, b: u32, c: u32) -> u32 { words::funnel_shr(a, b, c) }
    AddCarry(a: u32, b: u32, c: u32) -> u32 { words::add_carry(a, b, c) }
    CarryOut(a: u32, b: u32, c: u32) -> u32 { words::carry_out(a, b, c) }
    FmaToZero(a: f32, b: f32, c: f32) -> f32 { directed::fma(Direction::Zero, a, b, c) }
    FmaUp(a: f32, b: f32, c: f32) -> f32 { directed::fma(Direction::Up, a, b, c) }
    FmaDown(a: f32, b: f32, c: f32) -> f32 { directed::fma(Direction::Down, a, b, c) }
}

pub(super) fn ternary(op: TernaryOp, signed: bool, isa: Isa) -> LaneFn {
    match op {
        TernaryOp::DotBytes if signed => pick::<DotBytesSigned>(isa),
        TernaryOp::DotBytes => pick::<DotBytes>(isa),
        TernaryOp::DotHalvesLow if signed => pick::<DotHalvesLowSigned>(isa),
        TernaryOp::DotHalvesLow => pick::<DotHalvesLow>(isa),
        TernaryOp::DotHalvesHigh if signed => pick::<DotHalvesHighSigned>(isa),
        TernaryOp::DotHalvesHigh => pick::<DotHalvesHigh>(isa),
        TernaryOp::PermuteBytes => pick::<PermuteBytes>(isa),
        TernaryOp::FunnelShl => pick::<FunnelShl>(isa),
        TernaryOp::FunnelShr => pick::<FunnelShr>(isa),
        TernaryOp::AddCarry => pick::<AddCarry>(isa),
        TernaryOp::CarryOut => pick::<CarryOut>(isa),
        TernaryOp::FmaTo(Direction::Zero) => pick::<FmaToZero>(isa),
        TernaryOp::FmaTo(Direction::Up) => pick::<FmaUp>(isa),
        TernaryOp::FmaTo(Direction::Down) => pick::<FmaDown>(isa),
    }
}
