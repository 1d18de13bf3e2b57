//! Float operations with one operand that is a uniform value.
use super::{
    Formula, Isa, LaneFn, OperandPosition,
    float::{Add, Div, Float, Fma, Mul, Sub},
    pick_with_uniform, select_float,
};
use warpwise_compiler::ir::{BinaryOp, Scalar};

/// Returns `a * b + c`, rounded once; `None` except for `f32` and `f64`.
pub(crate) fn fma(scalar: Scalar, one: OperandPosition, isa: Isa) -> Option<LaneFn> {
    let found = select_float(
        scalar,
        || Some(pick_with_uniform::<Fma<f32>>(one, isa)),
        || Some(pick_with_uniform::<Fma<f64>>(one, isa)),
    );
    found.map(|f| f.with_formula(Formula::Fma(scalar), isa))
}

/// Returns an operation on two values; `None` if it does not exist.
pub(crate) fn binary(
    op: BinaryOp,
    scalar: Scalar,
    one: OperandPosition,
    isa: Isa,
) -> Option<LaneFn> {
    let found = select_float(
        scalar,
        || arithmetic::<f32>(op, one, isa),
        || arithmetic::<f64>(op, one, isa),
    );
    found.map(|f| f.with_formula(Formula::Binary(op, scalar), isa))
}

fn arithmetic<T: Float>(op: BinaryOp, one: OperandPosition, isa: Isa) -> Option<LaneFn> {
    match op {
        BinaryOp::Add => Some(pick_with_uniform::<Add<T>>(one, isa)),
        BinaryOp::Sub => Some(pick_with_uniform::<Sub<T>>(one, isa)),
        BinaryOp::Mul => Some(pick_with_uniform::<Mul<T>>(one, isa)),
        BinaryOp::Div => Some(pick_with_uniform::<Div<T>>(one, isa)),
        BinaryOp::Rem
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::lanes;

    const LANES: [usize; 6] = [0, 1, 15, 16, 33, 64];

    /// Checks that an operation has the same result for a uniform operand as for equal lanes,
    /// whatever follows the operand in memory.
    fn check<W: Copy + PartialEq + std::fmt::Debug>(
        values: &[W],
        (f, with_one): (LaneFn, LaneFn),
        place: OperandPosition,
        is_nan: impl Fn(W) -> bool,
    ) {
        for n in LANES {
            for single in values {
                let mut operands: Vec<Vec<W>> = (0..3)
                    .map(|at| (0..n).map(|i| values[(i * (at + 1) + at) % values.len()]).collect())
                    .collect();
                let one = [*single, values[1]];
                let mut got = vec![values[0]; n];
                let mut pointers = [0, 1, 2].map(|at: usize| operands[at].as_ptr());
                pointers[place as usize] = one.as_ptr();
                let [a, b, c] = pointers.map(<*const W>::cast);
                // SAFETY: `n` lanes of each, except of the operand that is uniform.
                unsafe { with_one.call(got.as_mut_ptr().cast(), a, b, c, n) };
                operands[place as usize].fill(*single);
                let [a, b, c] = [0, 1, 2].map(|at: usize| operands[at].as_ptr().cast());
                let mut want = vec![values[0]; n];
                // SAFETY: `n` lanes of each.
                unsafe { f.call(want.as_mut_ptr().cast(), a, b, c, n) };
                // Rust does not specify the bits of a NaN that results from a NaN.
                let same = |(got, want): (&W, &W)| got == want || (is_nan(*got) && is_nan(*want));
                assert!(got.iter().zip(&want).all(same), "{place:?} {single:?}: {got:?} {want:?}");
            }
        }
    }

    fn isas() -> Vec<Isa> {
        vec![Isa::Baseline, Isa::detect()]
    }

    #[test]
    fn a_single_operand_is_that_of_all_lanes() {
        let narrow = [1.5_f32, -0.0, 0.0, 3.25e-39, f32::INFINITY, f32::NAN, -7.0, 1e38];
        let narrow = narrow.map(f32::to_bits);
        let wide = [1.5_f64, -0.0, 0.0, 3.25e-310, f64::INFINITY, f64::NAN, -7.0, 1e308];
        let wide = wide.map(f64::to_bits);
        let nan = |bits| f32::from_bits(bits).is_nan();
        let wide_nan = |bits| f64::from_bits(bits).is_nan();
        for isa in isas() {
            for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div] {
                for place in [OperandPosition::A, OperandPosition::B] {
                    let functions_for = |scalar| {
                        let all = lanes::binary(op, scalar, isa).unwrap();
                        (all, binary(op, scalar, place, isa).unwrap())
                    };
                    check(&narrow, functions_for(Scalar::F32), place, nan);
                    check(&wide, functions_for(Scalar::F64), place, wide_nan);
                }
            }
            for place in [OperandPosition::A, OperandPosition::B, OperandPosition::C] {
                let functions_for =
                    |scalar| (lanes::fma(scalar, isa).unwrap(), fma(scalar, place, isa).unwrap());
                check(&narrow, functions_for(Scalar::F32), place, nan);
                check(&wide, functions_for(Scalar::F64), place, wide_nan);
            }
        }
    }

    #[test]
    fn there_are_none_for_other_types_and_operations() {
        let isa = Isa::detect();
        assert!(binary(BinaryOp::Min, Scalar::F32, OperandPosition::A, isa).is_none());
        assert!(binary(BinaryOp::Add, Scalar::I32, OperandPosition::A, isa).is_none());
        assert!(fma(Scalar::F16, OperandPosition::C, isa).is_none());
    }
}
