//! The functions themselves.
use super::angle::{QUARTER, sin_cos};
use super::double::{Double, Exact, scale};
use std::f64::consts;

const LN_2: Double = Double { hi: consts::LN_2, lo: 2.3190468138462996e-17 };
const LN_10: Double = Double { hi: consts::LN_10, lo: -2.1707562233822494e-16 };
/// 2 / sqrt(pi)
const ERF: Double = Double { hi: consts::FRAC_2_SQRT_PI, lo: 1.533545961316588e-17 };

/// Sums a series, each of whose terms is made of the previous one and its number, until further
/// terms do not count.
pub(super) fn taylor(first: Double, next: impl Fn(Double, i32) -> Double) -> Double {
    let (mut term, mut terms) = (first, vec![first]);
    for number in 1..400 {
        term = next(term, number);
        terms.push(term);
        if term.hi.abs() <= first.hi.abs() * 1e-34 {
            break;
        }
    }
    terms.into_iter().rev().fold(Double::from(0.0), |sum, term| sum + term)
}

fn one() -> Double {
    Double::from(1.0)
}

fn half(x: Double) -> Double {
    x.times_power(-1)
}

fn nan() -> Exact {
    f64::NAN.into()
}

/// Returns e^x as a number near 1 and a power of 2, for |x| up to 2000.
fn exp_parts(x: Double) -> Exact {
    let n = (x.hi / LN_2.hi).round();
    let rest = x - LN_2 * Double::from(n);
    let value = one() + exp_m1_series(rest);
    Exact { value, power: n as i32 }
}

/// Returns e^r - 1 for small r.
fn exp_m1_series(r: Double) -> Double {
    taylor(r, |last, n| last * r / Double::from(f64::from(n + 1)))
}

fn exp_of(x: Double) -> Exact {
    if x.hi.abs() > 2000.0 || x.hi.is_nan() {
        // NaN stays NaN; beyond, the result is infinite or zero in every format.
        return match x.hi {
            hi if hi == f64::NEG_INFINITY => 0.0.into(),
            hi if hi > 0.0 => Exact { value: x, power: if hi.is_finite() { 8000 } else { 0 } },
            hi if hi < 0.0 => Exact { value: one(), power: -8000 },
            _ => nan(),
        };
    }
    exp_parts(x)
}

/// Returns e^x - 1 for |x| up to 700.
fn exp_m1_of(x: Double) -> Double {
    if x.hi.abs() < 0.4 {
        return exp_m1_series(x);
    }
    let Exact { value, power } = exp_parts(x);
    value.times_power(power) - one()
}

/// Returns ln(1 + x) for x > -1, as 2 atanh(x / (2 + x)) near 0.
fn ln_1p_of(x: Double) -> Double {
    if x.hi.abs() < 0.2 {
        let s = x / (Double::from(2.0) + x);
        let square = s * s;
        let mut power = s;
        let mut terms = vec![s];
        for n in 1..60 {
            power = power * square;
            terms.push(power / Double::from(f64::from(2 * n + 1)));
        }
        let sum = terms.into_iter().rev().fold(Double::from(0.0), |sum, term| sum + term);
        return sum + sum;
    }
    ln_of(one() + x)
}

/// Returns ln(x) for positive finite x: a float near it, corrected by the error of its exponential.
fn ln_of(x: Double) -> Double {
    let n = super::double::exponent(x.hi);
    let x = Double { hi: scale(x.hi, -n), lo: scale(x.lo, -n) };
    let (x, n) = if x.hi > 1.4 { (half(x), n + 1) } else { (x, n) };
    let less = x - one();
    let ln = if less.hi.abs() < 0.2 {
        ln_1p_of(less)
    } else {
        let near = Double::from(x.hi.ln());
        near + ln_1p_of(x / exp_parts(near).value.times_power(exp_parts(near).power) - one())
    };
    ln + LN_2 * Double::from(f64::from(n))
}

/// Returns a logarithm; where x is not positive and finite, std's.
fn log_by(x: f64, divisor: Double) -> Exact {
    if x > 0.0 && x < f64::INFINITY { (ln_of(x.into()) / divisor).into() } else { x.ln().into() }
}

fn atan_of(x: Double) -> Double {
    if x.hi.is_infinite() {
        return if x.hi > 0.0 { QUARTER } else { -QUARTER };
    }
    if x.hi.abs() > 1e17 {
        let quarter = if x.hi > 0.0 { QUARTER } else { -QUARTER };
        return quarter - one() / x;
    }
    let near = Double::from(x.hi.atan());
    let (sin, cos) = sin_cos(near);
    // The rest is at most 2^-53, so that its arctangent is the rest itself, but for a term in its
    // cube.
    near + (x * cos - sin) / (cos + x * sin)
}

macro_rules! exact {
    ($($(#[$doc:meta])* $name:ident($($x:ident),*) $body:block)*) => {$(
        $(#[$doc])*
        pub fn $name($($x: f64),*) -> Exact $body
    )*};
}

exact! {
    /// The inverse cosine.
    acos(x) {
        if x.abs() > 1.0 || x.is_nan() {
            return nan();
        }
        let quotient = Double::of(1.0, -x) / Double::of(1.0, x);
        if x == -1.0 {
            return (QUARTER + QUARTER).into();
        }
        let angle = atan_of(quotient.sqrt());
        (angle + angle).into()
    }
    /// The inverse hyperbolic cosine.
    acosh(x) {
        if x < 1.0 || x.is_nan() {
            return nan();
        }
        if x > 1e100 {
            return if x.is_finite() { (ln_of(x.into()) + LN_2).into() } else { x.into() };
        }
        let less = Double::of(x, -1.0);
        ln_1p_of(less + (less * (less + Double::from(2.0))).sqrt()).into()
    }
    /// The inverse sine.
    asin(x) {
        if x.abs() > 1.0 || x.is_nan() {
            return nan();
        }
        if x.abs() == 1.0 || x.abs() < 1e-100 {
            return if x.abs() < 0.5 { x.into() } else { atan(x * f64::INFINITY) };
        }
        atan_of(Double::from(x) / (Double::of(1.0, -x) * Double::of(1.0, x)).sqrt()).into()
    }
    /// The inverse hyperbolic sine.
    asinh(x) {
        let a = x.abs();
        if a < 1e-100 || !x.is_finite() {
            return x.into();
        }
        let value = if a > 1e100 {
            ln_of(a.into()) + LN_2
        } else {
            let square = Double::from(a) * Double::from(a);
            ln_1p_of(Double::from(a) + square / (one() + (one() + square).sqrt()))
        };
        (if x < 0.0 { -value } else { value }).into()
    }
    /// The inverse tangent.
    atan(x) {
        if x.abs() < 1e-100 || x.is_nan() { x.into() } else { atan_of(x.into()).into() }
    }
    /// The angle of a point.
    atan2(y, x) {
        let std = y.atan2(x);
        if x == 0.0 || y == 0.0 || !x.is_finite() || !y.is_finite() {
            // A multiple of pi/4, or NaN: std's value, with the digits that it lacks.
            return if std == 0.0 || std.is_nan() {
                std.into()
            } else {
                (QUARTER * Double::from((std / QUARTER.hi * 2.0).round() / 2.0)).into()
            };
        }
        let apart = super::double::exponent(y) - super::double::exponent(x);
        if apart < -200 && x > 0.0 {
            // The quotient is the angle; it may be too small for floats.
            let of = |x: f64| Double::from(scale(x, -super::double::exponent(x)));
            return Exact { value: of(y) / of(x), power: apart };
        }
        let of = |a: f64| Double::from(scale(a, -super::double::exponent(x)));
        let quotient = if apart > 900 { Double::from(f64::INFINITY.copysign(y * x.signum())) } else { of(y) / of(x) };
        let angle = atan_of(quotient);
        if x > 0.0 {
            angle.into()
        } else {
            let half_turn = QUARTER + QUARTER;
            (if y > 0.0 { angle + half_turn } else { angle - half_turn }).into()
        }
    }
    /// The inverse hyperbolic tangent.
    atanh(x) {
        if x.abs() >= 1.0 || x.is_nan() || x.abs() < 1e-100 {
            return if x.abs() == 1.0 { f64::INFINITY.copysign(x).into() } else if x.abs() < 1.0 { x.into() } else { nan() };
        }
        let a = x.abs();
        let value = half(ln_1p_of(Double::from(2.0 * a) / Double::of(1.0, -a)));
        (if x < 0.0 { -value } else { value }).into()
    }
    /// The cube root.
    cbrt(x) {
        if x == 0.0 || !x.is_finite() {
            return x.into();
        }
        let n = super::double::exponent(x).div_euclid(3);
        let of = Double::from(scale(x, -3 * n));
        let mut root = Double::from(of.hi.cbrt());
        for _ in 0..2 {
            root = root - (root - of / (root * root)) / Double::from(3.0);
        }
        Exact { value: root, power: n }
    }
    /// The cosine.
    cos(x) { if x.is_finite() { sin_cos(x.into()).1.into() } else { nan() } }
    /// The hyperbolic cosine.
    cosh(x) {
        let a = Double::from(x.abs());
        if x.abs() > 300.0 || x.is_nan() {
            let Exact { value, power } = exp_of(a);
            return Exact { value, power: power - i32::from(x.is_finite()) };
        }
        let e = exp_parts(a).value.times_power(exp_parts(a).power);
        half(e + one() / e).into()
    }
    /// The error function: e^-x^2 times a series of positive terms.
    erf(x) {
        let a = x.abs();
        if a < 1e-100 || x.is_nan() {
            return if x == 0.0 || x.is_nan() { x.into() } else { Exact { value: ERF * Double::from(scale(x, 300)), power: -300 } };
        }
        if a > 7.0 {
            return 1f64.copysign(x).into();
        }
        let square = Double::from(a) * Double::from(a);
        let series = taylor(Double::from(a), |last, n| {
            last * (square + square) / Double::from(f64::from(2 * n + 1))
        });
        let power = exp_parts(-square);
        let value = ERF * series * power.value.times_power(power.power);
        (if x < 0.0 { -value } else { value }).into()
    }
    /// 1 - erf(x), by a continued fraction where that is small.
    erfc(x) {
        if x.is_nan() || x.abs() < 1e-40 {
            return if x.is_nan() { nan() } else { 1.0.into() };
        }
        if x < 2.0 {
            return (one() - erf(x).value).into();
        }
        if x > 45.0 {
            return Exact { value: one(), power: -8000 };
        }
        let of = Double::from(x);
        let fraction = (1..400).rev().fold(of, |fraction, n| of + Double::from(f64::from(n) / 2.0) / fraction);
        let Exact { value, power } = exp_parts(-(of * of));
        Exact { value: half(ERF) * value / fraction, power }
    }
    /// e^x
    exp(x) { exp_of(x.into()) }
    /// 2^x
    exp2(x) {
        if x.abs() > 4000.0 || x.is_nan() {
            return exp_of(x.into());
        }
        let n = x.round();
        Exact { value: one() + exp_m1_of(Double::from(x - n) * LN_2), power: n as i32 }
    }
    /// e^x - 1
    exp_m1(x) {
        if x.abs() < 1e-100 || x.is_nan() {
            return x.into();
        }
        if x > 600.0 {
            return exp_of(x.into());
        }
        if x < -100.0 { Double { hi: -1.0, lo: 1e-40 }.into() } else { exp_m1_of(x.into()).into() }
    }
    /// The length of a vector.
    hypot(x, y) {
        if x.is_infinite() || y.is_infinite() {
            return f64::INFINITY.into();
        }
        let (high, low) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
        if x.is_nan() || y.is_nan() || low == 0.0 {
            return if x.is_nan() || y.is_nan() { nan() } else { high.into() };
        }
        let power = super::double::exponent(high);
        let of = |x: f64| Double::from(scale(x, -power));
        // The rounding error of a tiny number does not count beside 1.
        let value = (of(high) * of(high) + of(low) * of(low)).sqrt();
        Exact { value, power }
    }
    /// The natural logarithm.
    ln(x) { log_by(x, one()) }
    /// ln(1 + x)
    ln_1p(x) {
        if x.abs() < 1e-100 || x.is_nan() || x <= -1.0 || x.is_infinite() {
            return if x < -0.5 || x.is_infinite() { x.ln_1p().into() } else { x.into() };
        }
        if x.abs() < 0.2 { ln_1p_of(x.into()).into() } else { ln_of(Double::of(1.0, x)).into() }
    }
    /// The logarithm with a base.
    log(x, base) {
        let plain = |x: f64| x > 0.0 && x < f64::INFINITY;
        if plain(x) && plain(base) && base != 1.0 && x != 1.0 {
            (ln_of(x.into()) / ln_of(base.into())).into()
        } else {
            (x.ln() / base.ln()).into()
        }
    }
    /// The logarithm with base 10.
    log10(x) { log_by(x, LN_10) }
    /// The logarithm with base 2.
    log2(x) { log_by(x, LN_2) }
    /// x^y; std's value for special arguments.
    powf(x, y) {
        let whole = y.trunc() == y;
        if !x.is_finite() || !y.is_finite() || x == 0.0 || y == 0.0 || x == 1.0 || (x < 0.0 && !whole) {
            return x.powf(y).into();
        }
        let odd = (y * 0.5).trunc() != y * 0.5;
        let ln = ln_of(x.abs().into());
        // Beyond every format the exact distance does not matter.
        let exponent = if (y * ln.hi).abs() > 1e4 { Double::from((y * ln.hi).signum() * 1e4) } else { Double::from(y) * ln };
        let Exact { value, power } = exp_of(exponent);
        Exact { value: if x < 0.0 && odd { -value } else { value }, power }
    }
    /// The sine.
    sin(x) {
        if x.abs() < 1e-100 { x.into() } else if x.is_finite() { sin_cos(x.into()).0.into() } else { nan() }
    }
    /// The hyperbolic sine.
    sinh(x) {
        let a = x.abs();
        if a < 1e-100 || x.is_nan() {
            return x.into();
        }
        let exact = if a > 300.0 {
            let Exact { value, power } = exp_of(a.into());
            Exact { value, power: power - i32::from(x.is_finite()) }
        } else {
            let less = exp_m1_of(a.into());
            half(less + less / (less + one())).into()
        };
        Exact { value: if x < 0.0 { -exact.value } else { exact.value }, ..exact }
    }
    /// The tangent.
    tan(x) {
        if x.abs() < 1e-100 || !x.is_finite() {
            return if x.is_finite() { x.into() } else { nan() };
        }
        let (sin, cos) = sin_cos(x.into());
        (sin / cos).into()
    }
    /// The hyperbolic tangent.
    tanh(x) {
        if x.abs() < 1e-100 || x.is_nan() {
            return x.into();
        }
        if x.abs() > 60.0 {
            return Double { hi: 1f64.copysign(x), lo: -1e-45f64.copysign(x) }.into();
        }
        let less = exp_m1_of(Double::from(2.0 * x.abs()));
        let value = less / (less + Double::from(2.0));
        (if x < 0.0 { -value } else { value }).into()
    }
}
