//! Inverse trigonometric functions.
//!
//! Polynomials near 0; beyond, pi/2 less the function of the square root or reciprocal. `acos`,
//! which needs no relative accuracy near 0, is one polynomial.
use super::trigonometric::reciprocal;

/// asin(x).
pub fn asin(x: f32) -> f32 {
    let a = x.abs();
    let y = asin_of_part(a);
    // pi/2 - 2 y, pi/2 in two parts.
    let y = if a > 0.5 { y.mul_add(-2.0, 7.5497894e-8) + 1.5707963 } else { y };
    y.copysign(x)
}

/// acos(x).
///
/// Of |x| it is sqrt(1 - |x|) times a polynomial.
pub fn acos(x: f32) -> f32 {
    let a = x.abs();
    let p = a.mul_add(-0.0012534275, 0.006638655);
    let p = p.mul_add(a, -0.017045105);
    let p = p.mul_add(a, 0.030862665);
    let p = p.mul_add(a, -0.05016419);
    let p = p.mul_add(a, 0.08897725);
    let p = p.mul_add(a, -0.21459857);
    let p = p.mul_add(a, 1.5707963);
    let root = (1.0 - a).sqrt();
    // pi in two parts.
    if x < 0.0 { 3.1415925 - p.mul_add(root, -1.5099579e-7) } else { p * root }
}

/// asin(a) for a up to 1/2; beyond, asin of the square root of (1 - a) / 2.
pub fn asin_of_part(a: f32) -> f32 {
    let far = a > 0.5;
    let square = if far { a.mul_add(-0.5, 0.5) } else { a * a };
    let s = if far { square.sqrt() } else { a };
    let p = square.mul_add(0.0421661, 0.02418088);
    let p = p.mul_add(square, 0.045469765);
    let p = p.mul_add(square, 0.074953064);
    let p = p.mul_add(square, 0.16666752);
    s.mul_add(square * p, s)
}

/// atan(x).
pub fn atan(x: f32) -> f32 {
    let a = x.abs();
    let far = a > 1.0;
    // Beyond 1e30 it is pi/2 all the same.
    let inverse = reciprocal(if a > 1e30 { 1e30 } else { a });
    let y = atan_of_part(if far { inverse } else { a });
    let y = if far { 1.5707963 - (y - 7.5497894e-8) } else { y };
    y.copysign(x)
}

/// atan(z) for z from 0 to 1.
pub fn atan_of_part(z: f32) -> f32 {
    let square = z * z;
    let p = square.mul_add(0.002920006, -0.016365169);
    let p = p.mul_add(square, 0.043207332);
    let p = p.mul_add(square, -0.07551826);
    let p = p.mul_add(square, 0.1066582);
    let p = p.mul_add(square, -0.14211008);
    let p = p.mul_add(square, 0.19993767);
    let p = p.mul_add(square, -0.33333153);
    z.mul_add(square * p, z)
}

/// The angle of the point (x, y), from -pi to pi.
pub fn atan2(y: f32, x: f32) -> f32 {
    let steep = y.abs() > x.abs();
    let low = if steep { x.abs() } else { y.abs() };
    let high = if steep { y.abs() } else { x.abs() };
    // Two zeros or two infinities have no quotient, but an angle.
    let z = if low == high { if low == 0.0 { 0.0 } else { 1.0 } } else { low / high };
    let a = atan_of_part(z);
    let a = if steep { 1.5707963 - (a - 7.5497894e-8) } else { a };
    let a = if x.is_sign_negative() { 3.1415925 - (a - 1.5099579e-7) } else { a };
    // NaN of `x` comes in by `high`, that of `y` by `low`.
    a.copysign(y)
}
