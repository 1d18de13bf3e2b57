//! Functions with approximate instructions in hardware, computed by the library here.
use super::{Isa, LaneFn, lane_ops, pick};
use warpwise_compiler::{ir::Approx, library::approx};

lane_ops! {
    Exp2(a: f32, _b: (), _c: ()) -> f32 { approx::exp2(a) }
    Log2(a: f32, _b: (), _c: ()) -> f32 { approx::log2(a) }
    Sin(a: f32, _b: (), _c: ()) -> f32 { approx::sin(a) }
    Cos(a: f32, _b: (), _c: ()) -> f32 { approx::cos(a) }
    Tanh(a: f32, _b: (), _c: ()) -> f32 { approx::tanh(a) }
    Recip(a: f32, _b: (), _c: ()) -> f32 { approx::recip(a) }
    Rsqrt(a: f32, _b: (), _c: ()) -> f32 { approx::rsqrt(a) }
    Sqrt(a: f32, _b: (), _c: ()) -> f32 { approx::sqrt(a) }
}

pub(super) fn unary(op: Approx, isa: Isa) -> LaneFn {
    match op {
        Approx::Exp2 => pick::<Exp2>(isa),
        Approx::Log2 => pick::<Log2>(isa),
        Approx::Sin => pick::<Sin>(isa),
        Approx::Cos => pick::<Cos>(isa),
        Approx::Tanh => pick::<Tanh>(isa),
        Approx::Recip => pick::<Recip>(isa),
        Approx::Rsqrt => pick::<Rsqrt>(isa),
        Approx::Sqrt => pick::<Sqrt>(isa),
    }
}
