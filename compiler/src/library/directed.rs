//! Sums of products that are rounded in a direction: those of [`TernaryOp`](crate::ir::TernaryOp)
//! on `f32`.
use crate::ir::Direction;

/// `a * b + c`, rounded once.
///
/// The exact sum is that of two `f64`, whose rest decides to which side of the nearest `f32` it
/// lies.
#[inline(always)]
pub fn fma(direction: Direction, a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    if !sum.is_finite() {
        return sum as f32;
    }
    if sum == 0.0 {
        // Of exact numbers: zeros of one sign, or what cancels, which is negative only where all is
        // rounded down.
        let is_negative = match direction {
            Direction::Down => product.is_sign_negative() || c.is_sign_negative(),
            Direction::Zero | Direction::Up => product.is_sign_negative() && c.is_sign_negative(),
        };
        return if is_negative { -0.0 } else { 0.0 };
    }
    let lost = (product - (sum - c)) + (c - (sum - (sum - c)));
    let nearest = sum as f32;
    let distance = sum - f64::from(nearest);
    let is_above = distance > 0.0 || distance == 0.0 && lost > 0.0;
    let is_below = distance < 0.0 || distance == 0.0 && lost < 0.0;
    let (up, down) = match direction {
        Direction::Up => (true, false),
        Direction::Down => (false, true),
        Direction::Zero => (sum < 0.0, sum > 0.0),
    };
    // The neighbour that is rounded away from: the one above a zero that should be negative is
    // none.
    let rounded = match (is_above && up, is_below && down) {
        (true, _) => nearest.next_up(),
        (_, true) => nearest.next_down(),
        _ => nearest,
    };
    if rounded == 0.0 { rounded.copysign(sum as f32) } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::fma;
    use crate::ir::Direction::{Down, Up, Zero};

    #[test]
    fn sums_are_rounded_in_their_direction() {
        let tiny = f32::from_bits(1);
        let third = 1.0 / 3.0_f32;
        for (a, b, c, [zero, up, down]) in [
            (1.0, 1.0, 1.0, [2.0, 2.0, 2.0]),
            (1.0, 1.0, tiny, [1.0, 1.0_f32.next_up(), 1.0]),
            (1.0, 1.0, -tiny, [1.0_f32.next_down(), 1.0, 1.0_f32.next_down()]),
            (-1.0, 1.0, tiny, [-1.0_f32.next_down(), -1.0_f32.next_down(), -1.0]),
            (third, 3.0, 0.0, [1.0, 1.0_f32.next_up(), 1.0]),
            (tiny, 0.5, 0.0, [0.0, tiny, 0.0]),
            (tiny, -0.5, 0.0, [-0.0, -0.0, -tiny]),
            (tiny, tiny, tiny, [tiny, 2.0 * tiny, tiny]),
            (f32::MAX, 2.0, 0.0, [f32::MAX, f32::INFINITY, f32::MAX]),
            (f32::MAX, -2.0, 0.0, [f32::MIN, f32::MIN, f32::NEG_INFINITY]),
            (f32::MAX, 1.0, tiny, [f32::MAX, f32::INFINITY, f32::MAX]),
            (1.0, 1.0, -1.0, [0.0, 0.0, -0.0]),
            (0.0, -1.0, 0.0, [0.0, 0.0, -0.0]),
            (0.0, -1.0, -0.0, [-0.0, -0.0, -0.0]),
            (f32::INFINITY, 1.0, 0.0, [f32::INFINITY; 3]),
        ] {
            for (direction, want) in [Zero, Up, Down].into_iter().zip([zero, up, down]) {
                let got = fma(direction, a, b, c);
                assert_eq!(
                    got.to_bits(),
                    want.to_bits(),
                    "{direction:?} {a:e} {b:e} {c:e}: {got:e}"
                );
            }
        }
        assert!(fma(Up, f32::INFINITY, 0.0, 1.0).is_nan());
    }
}
