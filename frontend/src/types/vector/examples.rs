//! Examples in the documentation of the vectors' members.
//!
//! Members of the same name have one example, on one vector, which the others name: it is the same
//! for all of them, and there are more than a thousand.
use crate::types::vector::Vector;

/// The examples: a vector's member, and its code.
const EXAMPLES: &str = "\
F32x4::ZERO
    let terms = [F32x4::new(1.0, 2.0, 3.0, 4.0), F32x4::splat(0.5)];
    let sum = terms.into_iter().fold(F32x4::ZERO, |sum, term| sum + term);
    assert_eq!(sum, F32x4::new(1.5, 2.5, 3.5, 4.5));
F32x4::ONE
    let color = F32x4::new(0.25, 0.5, 1.0, 0.0);
    assert_eq!(F32x4::ONE - color, F32x4::new(0.75, 0.5, 0.0, 1.0));
F32x4::LANES
    // The number of vectors in 1024 numbers.
    assert_eq!(1024 / F32x4::LANES, 256);
F32x4::new
    let v = F32x4::new(1.0, 2.0, 3.0, 4.0);
    assert_eq!((v.x, v.y, v.z, v.w), (1.0, 2.0, 3.0, 4.0));
F32x4::splat
    assert_eq!(F32x4::splat(0.5), F32x4::new(0.5, 0.5, 0.5, 0.5));
F32x4::from_array
    assert_eq!(F32x4::from_array([1.0, 2.0, 3.0, 4.0]), F32x4::new(1.0, 2.0, 3.0, 4.0));
F32x4::to_array
    assert_eq!(F32x4::new(1.0, 2.0, 3.0, 4.0).to_array(), [1.0, 2.0, 3.0, 4.0]);
F32x4::with_x
    assert_eq!(F32x4::splat(1.0).with_x(5.0), F32x4::new(5.0, 1.0, 1.0, 1.0));
F32x4::with_y
    assert_eq!(F32x4::splat(1.0).with_y(5.0), F32x4::new(1.0, 5.0, 1.0, 1.0));
F32x4::with_z
    assert_eq!(F32x4::splat(1.0).with_z(5.0), F32x4::new(1.0, 1.0, 5.0, 1.0));
F32x4::with_w
    // A color that is opaque.
    let color = F32x4::new(0.25, 0.5, 0.75, 0.0);
    assert_eq!(color.with_w(1.0), F32x4::new(0.25, 0.5, 0.75, 1.0));
F32x4::map
    let v = F32x4::new(0.0, 1.0, 2.0, 3.0);
    assert_eq!(v.map(|lane| lane.powi(2)), F32x4::new(0.0, 1.0, 4.0, 9.0));
F32x4::min
    let (a, b) = (F32x4::new(1.0, 5.0, -2.0, 0.0), F32x4::splat(0.5));
    assert_eq!(a.min(b), F32x4::new(0.5, 0.5, -2.0, 0.0));
F32x4::max
    let (a, b) = (F32x4::new(1.0, 5.0, -2.0, 0.0), F32x4::splat(0.5));
    assert_eq!(a.max(b), F32x4::new(1.0, 5.0, 0.5, 0.5));
F32x4::clamp
    let color = F32x4::new(-0.5, 0.25, 1.5, 1.0);
    assert_eq!(color.clamp(F32x4::ZERO, F32x4::ONE), F32x4::new(0.0, 0.25, 1.0, 1.0));
F32x4::lanes_eq
    let v = F32x4::new(1.0, 2.0, 3.0, 2.0);
    assert_eq!(v.lanes_eq(F32x4::splat(2.0)), [false, true, false, true]);
F32x4::lanes_ne
    let v = F32x4::new(1.0, 2.0, 3.0, 2.0);
    assert_eq!(v.lanes_ne(F32x4::splat(2.0)), [true, false, true, false]);
F32x4::lanes_lt
    let v = F32x4::new(1.0, 2.0, 3.0, 2.0);
    assert_eq!(v.lanes_lt(F32x4::splat(2.0)), [true, false, false, false]);
F32x4::lanes_le
    let v = F32x4::new(1.0, 2.0, 3.0, 2.0);
    assert_eq!(v.lanes_le(F32x4::splat(2.0)), [true, true, false, true]);
F32x4::lanes_gt
    let v = F32x4::new(1.0, 2.0, 3.0, 2.0);
    assert_eq!(v.lanes_gt(F32x4::splat(2.0)), [false, false, true, false]);
F32x4::lanes_ge
    let v = F32x4::new(1.0, 2.0, 3.0, 2.0);
    assert_eq!(v.lanes_ge(F32x4::splat(2.0)), [false, true, true, true]);
F32x4::select
    let v = F32x4::new(1.0, -2.0, 3.0, -4.0);
    let negative = v.lanes_lt(F32x4::ZERO);
    assert_eq!(F32x4::select(negative, F32x4::ZERO, v), F32x4::new(1.0, 0.0, 3.0, 0.0));
F32x4::sum
    assert_eq!(F32x4::new(1.0, 2.0, 3.0, 4.0).sum(), 10.0);
F32x4::product
    assert_eq!(F32x4::new(1.0, 2.0, 3.0, 4.0).product(), 24.0);
F32x4::dot
    let (weights, x) = (F32x4::new(0.5, 0.25, 0.125, 0.125), F32x4::new(2.0, 4.0, 8.0, 0.0));
    assert_eq!(weights.dot(x), 3.0);
F32x4::min_element
    assert_eq!(F32x4::new(3.0, -1.0, 2.0, 0.0).min_element(), -1.0);
F32x4::max_element
    assert_eq!(F32x4::new(3.0, -1.0, 2.0, 0.0).max_element(), 3.0);
F32x3::cross
    // The normal of a plane.
    let (a, b) = (F32x3::new(2.0, 0.0, 0.0), F32x3::new(1.0, 3.0, 0.0));
    assert_eq!(a.cross(b), F32x3::new(0.0, 0.0, 6.0));
F32x4::floor
    let v = F32x4::new(1.5, -1.5, 2.0, -0.25);
    assert_eq!(v.floor(), F32x4::new(1.0, -2.0, 2.0, -1.0));
F32x4::ceil
    let v = F32x4::new(1.5, -1.5, 2.0, 0.25);
    assert_eq!(v.ceil(), F32x4::new(2.0, -1.0, 2.0, 1.0));
F32x4::trunc
    let v = F32x4::new(1.5, -1.5, 2.0, 0.25);
    assert_eq!(v.trunc(), F32x4::new(1.0, -1.0, 2.0, 0.0));
F32x4::round_ties_even
    let v = F32x4::new(0.5, 1.5, 2.5, -0.75);
    assert_eq!(v.round_ties_even(), F32x4::new(0.0, 2.0, 2.0, -1.0));
F32x4::sqrt
    assert_eq!(F32x4::new(1.0, 4.0, 9.0, 0.25).sqrt(), F32x4::new(1.0, 2.0, 3.0, 0.5));
F32x4::copysign
    let sign = F32x4::new(-1.0, 1.0, -1.0, 1.0);
    assert_eq!(F32x4::splat(2.0).copysign(sign), F32x4::new(-2.0, 2.0, -2.0, 2.0));
F32x4::mul_add
    let near = F32x4::splat(1.0 + f32::EPSILON);
    // The error of a product that is rounded, exactly.
    let error = near.mul_add(near, -(near * near));
    assert_eq!(error, F32x4::splat(f32::EPSILON * f32::EPSILON));
F32x4::round
    let v = F32x4::new(0.5, 1.5, 2.5, -0.75);
    assert_eq!(v.round(), F32x4::new(1.0, 2.0, 3.0, -1.0));
F32x4::fract
    let v = F32x4::new(1.5, -1.5, 2.0, 0.25);
    assert_eq!(v.fract(), F32x4::new(0.5, -0.5, 0.0, 0.25));
F32x4::recip
    assert_eq!(F32x4::new(1.0, 2.0, -4.0, 0.5).recip(), F32x4::new(1.0, 0.5, -0.25, 2.0));
F32x4::length_squared
    assert_eq!(F32x4::new(1.0, 2.0, 3.0, 4.0).length_squared(), 30.0);
F32x4::length
    assert_eq!(F32x4::new(1.0, 1.0, 1.0, 1.0).length(), 2.0);
F32x4::normalize
    let v = F32x4::new(0.0, 3.0, 4.0, 0.0);
    assert_eq!(v.normalize(), F32x4::new(0.0, 0.6, 0.8, 0.0));
F32x4::distance
    let (a, b) = (F32x4::splat(1.0), F32x4::new(1.0, 4.0, 5.0, 1.0));
    assert_eq!(a.distance(b), 5.0);
F32x4::lerp
    // A quarter of the way from one color to the other.
    let (from, to) = (F32x4::new(0.0, 1.0, 0.5, 1.0), F32x4::new(1.0, 0.0, 0.5, 1.0));
    assert_eq!(from.lerp(to, 0.25), F32x4::new(0.25, 0.75, 0.5, 1.0));
U8x4::wrapping_add
    let v = U8x4::new(1, 100, 200, 255);
    assert_eq!(v.wrapping_add(U8x4::splat(100)), U8x4::new(101, 200, 44, 99));
U8x4::saturating_add
    // A brighter color.
    let color = U8x4::new(1, 100, 200, 255);
    assert_eq!(color.saturating_add(U8x4::splat(100)), U8x4::new(101, 200, 255, 255));
U8x4::wrapping_sub
    let v = U8x4::new(1, 100, 200, 255);
    assert_eq!(v.wrapping_sub(U8x4::splat(100)), U8x4::new(157, 0, 100, 155));
U8x4::saturating_sub
    // A darker color.
    let color = U8x4::new(1, 100, 200, 255);
    assert_eq!(color.saturating_sub(U8x4::splat(100)), U8x4::new(0, 0, 100, 155));
U8x4::wrapping_mul
    let v = U8x4::new(1, 100, 200, 255);
    assert_eq!(v.wrapping_mul(U8x4::splat(2)), U8x4::new(2, 200, 144, 254));
U8x4::saturating_mul
    let v = U8x4::new(1, 100, 200, 255);
    assert_eq!(v.saturating_mul(U8x4::splat(2)), U8x4::new(2, 200, 255, 255));
F32x4::abs
    assert_eq!(F32x4::new(1.5, -2.0, 0.0, -0.5).abs(), F32x4::new(1.5, 2.0, 0.0, 0.5));
F32x4::signum
    assert_eq!(F32x4::new(1.5, -2.0, 0.0, -0.0).signum(), F32x4::new(1.0, -1.0, 1.0, -1.0));
F32x4::as_i32x4
    // Toward zero, and to the nearest number that an `i32` can be.
    let v = F32x4::new(1.75, -1.75, 1e10, f32::NAN);
    assert_eq!(v.as_i32x4().to_array(), [1, -1, i32::MAX, 0]);
";

/// The conversion that has an example. The others differ in the type only.
const CONVERSION: &str = "as_i32x4";

/// Returns the last paragraph of the documentation of a member: its example, or the place of one;
/// empty if there is none.
pub(super) fn example_paragraph(vector: Vector, member: &str) -> String {
    let shown = if member.starts_with("as_") { CONVERSION } else { member };
    let Some((place, code)) = find_example(shown) else { return String::new() };
    if vector.name() != place || member != shown {
        return format!("\n The documentation of [`{place}::{shown}`] has an example.");
    }
    let code: String = code.iter().map(|line| format!(" {line}\n")).collect();
    format!("\n ```\n use warpwise::{place};\n\n{code} ```")
}

/// Returns the vector that has the example of a member, and the lines of the example.
fn find_example(member: &str) -> Option<(&'static str, Vec<&'static str>)> {
    let is_header = |line: &&str| line.split_once("::").is_some_and(|(_, name)| name == member);
    let mut lines = EXAMPLES.lines().skip_while(|line| !is_header(line));
    let (vector, _) = lines.next()?.split_once("::")?;
    Some((vector, lines.map_while(|line| line.strip_prefix("    ")).collect()))
}
