//! e^x, 2^x and e^x - 1.
//!
//! x = n ln 2 + r with |r| <= ln 2 / 2, by adding 1.5 * 2^52, which rounds to an integer and leaves
//! it in the low bits of the sum. The polynomial's value is multiplied by 2^n in its exponent; near
//! the ends of the range, where that would not do, by two powers of 2.

/// e^x.
pub fn exp(x: f64) -> f64 {
    let t = x.mul_add(1.4426950408889634, 6755399441055744.0);
    let p = exp_of_rest(exp_rest(x, t - 6755399441055744.0));
    if x.abs() < 708.0 {
        f64::from_bits(p.to_bits().wrapping_add(t.to_bits() << 52))
    } else if x > 709.782712893384 {
        f64::INFINITY
    } else if x < -745.1332191019412 {
        0.0
    } else {
        scaled(p, t)
    }
}

/// x - n ln 2, for an integer n.
#[inline(always)]
pub fn exp_rest(x: f64, n: f64) -> f64 {
    n.mul_add(-2.3190468138462996e-17, n.mul_add(-0.6931471805599453, x))
}

/// e^r for |r| <= 0.347.
#[inline(always)]
pub fn exp_of_rest(r: f64) -> f64 {
    let q = r.mul_add(2.5017648116655128e-08, 2.7630794187159496e-07);
    let q = q.mul_add(r, 2.755753816582441e-06);
    let q = q.mul_add(r, 2.48014916564978e-05);
    let q = q.mul_add(r, 0.00019841269552072695);
    let q = q.mul_add(r, 0.0013888888944925126);
    let q = q.mul_add(r, 0.008333333333477471);
    let q = q.mul_add(r, 0.04166666666652566);
    let q = q.mul_add(r, 0.16666666666666433);
    let q = q.mul_add(r, 0.5000000000000011);
    let q = q.mul_add(r, 1.0);
    q.mul_add(r, 1.0)
}

/// p * 2^n, rounded once, for n = `t` - 1.5 * 2^52 of at most 2046 in magnitude.
#[inline(always)]
pub fn scaled(p: f64, t: f64) -> f64 {
    let n = t.to_bits() as i32;
    let half = n >> 1;
    let first = f64::from_bits(((half + 1023) as u64) << 52);
    let second = f64::from_bits(((n - half + 1023) as u64) << 52);
    p * first * second
}

/// 2^x.
#[inline(always)]
pub fn exp2(x: f64) -> f64 {
    let t = x + 6755399441055744.0;
    let r = x - (t - 6755399441055744.0);
    let q = r.mul_add(4.519134220927491e-10, 7.0756158153740375e-09);
    let q = q.mul_add(r, 1.0177656941241507e-07);
    let q = q.mul_add(r, 1.321542448803219e-06);
    let q = q.mul_add(r, 1.525273473669256e-05);
    let q = q.mul_add(r, 0.00015403530478844233);
    let q = q.mul_add(r, 0.00133335581455681);
    let q = q.mul_add(r, 0.009618129107577079);
    let q = q.mul_add(r, 0.055504108664824574);
    let q = q.mul_add(r, 0.24022650695910172);
    let q = q.mul_add(r, 0.6931471805599453);
    let p = q.mul_add(r, 1.0);
    if x.abs() < 1022.0 {
        f64::from_bits(p.to_bits().wrapping_add(t.to_bits() << 52))
    } else if x >= 1024.0 {
        f64::INFINITY
    } else if x < -1075.0 {
        0.0
    } else {
        scaled(p, t)
    }
}

/// e^x - 1, accurate near 0.
pub fn exp_m1(x: f64) -> f64 {
    // Up to 0.42 the polynomial is used as it is.
    let t = if x.abs() < 0.42 {
        6755399441055744.0
    } else {
        x.mul_add(1.4426950408889634, 6755399441055744.0)
    };
    let p = exp_m1_of_rest(exp_rest(x, t - 6755399441055744.0));
    if x.abs() >= 5e-17 && x.abs() < 708.0 {
        let power = f64::from_bits((t.to_bits() << 52).wrapping_add(0x3ff0000000000000));
        p.mul_add(power, power - 1.0)
    } else if x.abs() < 1.0 {
        x
    } else if x > 709.782712893384 {
        f64::INFINITY
    } else if x < 0.0 {
        -1.0
    } else {
        let half = f64::from_bits((t.to_bits() << 52).wrapping_add(0x3fe0000000000000));
        p.mul_add(half, half) * 2.0
    }
}

/// e^r - 1 for |r| <= 0.45.
pub fn exp_m1_of_rest(r: f64) -> f64 {
    let q = r.mul_add(1.3995490555228394e-10, 2.0945742629826293e-09);
    let q = q.mul_add(r, 2.5064668057177235e-08);
    let q = q.mul_add(r, 2.7557165789307734e-07);
    let q = q.mul_add(r, 2.7557291073755117e-06);
    let q = q.mul_add(r, 2.480158745542678e-05);
    let q = q.mul_add(r, 0.0001984126986985866);
    let q = q.mul_add(r, 0.001388888888882213);
    let q = q.mul_add(r, 0.008333333333320639);
    let q = q.mul_add(r, 0.04166666666666676);
    let q = q.mul_add(r, 0.16666666666666685);
    let q = q.mul_add(r, 0.5);
    (r * r).mul_add(q, r)
}
