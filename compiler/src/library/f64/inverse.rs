//! Inverse trigonometric functions.
//!
//! Polynomials near 0; beyond, pi/2 less the function of the square root or reciprocal.
use super::trigonometric::reciprocal;

/// asin(x).
pub fn asin(x: f64) -> f64 {
    let a = x.abs();
    let y = asin_of_part(a);
    // pi/2 - 2 y, pi/2 in two parts.
    let y = if a > 0.5 { y.mul_add(-2.0, 6.123233995736766e-17) + 1.5707963267948966 } else { y };
    y.copysign(x)
}

/// acos(x).
pub fn acos(x: f64) -> f64 {
    let y = asin_of_part(x.abs());
    if x > 0.5 {
        y + y
    } else if x < -0.5 {
        3.141592653589793 - y.mul_add(2.0, -1.2246467991473532e-16)
    } else {
        1.5707963267948966 - (y.copysign(x) - 6.123233995736766e-17)
    }
}

/// asin(a) for a up to 1/2; beyond, asin of the square root of (1 - a) / 2.
pub fn asin_of_part(a: f64) -> f64 {
    let far = a > 0.5;
    let square = if far { a.mul_add(-0.5, 0.5) } else { a * a };
    let s = if far { square.sqrt() } else { a };
    let p = square.mul_add(0.03192639433989943, -0.01624878665198924);
    let p = p.mul_add(square, 0.01954588071366941);
    let p = p.mul_add(square, 0.006521031640314285);
    let p = p.mul_add(square, 0.012170881514459853);
    let p = p.mul_add(square, 0.013884978916436521);
    let p = p.mul_add(square, 0.017359730348815685);
    let p = p.mul_add(square, 0.02237175640404776);
    let p = p.mul_add(square, 0.030381959203064756);
    let p = p.mul_add(square, 0.044642856826806084);
    let p = p.mul_add(square, 0.07500000000338715);
    let p = p.mul_add(square, 0.16666666666665403);
    s.mul_add(square * p, s)
}

/// atan(x).
pub fn atan(x: f64) -> f64 {
    let a = x.abs();
    let far = a > 1.0;
    // Beyond 1e100 it is pi/2 all the same.
    let z = if far { reciprocal(if a > 1e100 { 1e100 } else { a }) } else { a };
    let y = atan_of_part(z);
    let y = if far { 1.5707963267948966 - (y - 6.123233995736766e-17) } else { y };
    y.copysign(x)
}

/// atan(z) for z from 0 to 1.
pub fn atan_of_part(z: f64) -> f64 {
    let square = z * z;
    let p = square.mul_add(1.3229346657354882e-05, -0.000152205178137038);
    let p = p.mul_add(square, 0.0008315346651944219);
    let p = p.mul_add(square, -0.0028855461567039607);
    let p = p.mul_add(square, 0.007197775268641638);
    let p = p.mul_add(square, -0.013902437824689974);
    let p = p.mul_add(square, 0.021986941724304408);
    let p = p.mul_add(square, -0.02990564425942732);
    let p = p.mul_add(square, 0.036643098530052404);
    let p = p.mul_add(square, -0.04219240699534846);
    let p = p.mul_add(square, 0.04722347309077327);
    let p = p.mul_add(square, -0.052535264842522515);
    let p = p.mul_add(square, 0.05880529744807653);
    let p = p.mul_add(square, -0.06666404413389662);
    let p = p.mul_add(square, 0.07692279887789155);
    let p = p.mul_add(square, -0.0909090700770979);
    let p = p.mul_add(square, 0.1111111100733732);
    let p = p.mul_add(square, -0.14285714282587944);
    let p = p.mul_add(square, 0.19999999999951748);
    let p = p.mul_add(square, -0.3333333333333307);
    z.mul_add(square * p, z)
}

/// The angle of the point (x, y), from -pi to pi.
pub fn atan2(y: f64, x: f64) -> f64 {
    let steep = y.abs() > x.abs();
    let low = if steep { x.abs() } else { y.abs() };
    let high = if steep { y.abs() } else { x.abs() };
    // Two zeros or two infinities have no quotient, but an angle.
    let z = if low == high { if low == 0.0 { 0.0 } else { 1.0 } } else { low / high };
    let a = atan_of_part(z);
    let a = if steep { 1.5707963267948966 - (a - 6.123233995736766e-17) } else { a };
    let a = if x.is_sign_negative() { 3.141592653589793 - (a - 1.2246467991473532e-16) } else { a };
    // NaN of `x` comes in by `high`, that of `y` by `low`.
    a.copysign(y)
}
