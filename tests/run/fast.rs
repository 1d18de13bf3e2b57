//! Hardware approximations: the interpreter computes the bits of the host, and every engine is
//! within the errors that `docs/math.md` states.
use crate::run::engine::{Check, Engine, cases, launch, same};
use warpwise::prelude::*;

cases![functions, ends];

#[kernel]
fn every(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let (a, b) = (x[i], y[i]);
        let (sin, cos) = fast::sin_cos(a);
        let results = [
            fast::exp(a),
            fast::exp2(a),
            fast::ln(b),
            fast::log2(b),
            fast::log10(b),
            fast::sin(a),
            cos,
            sin,
            fast::cos(a),
            fast::tan(a * 0.2),
            fast::tanh(a),
            fast::powf(b, a),
            fast::recip(b),
            fast::rsqrt(b),
            fast::sqrt(b),
            fast::div(a, b),
        ];
        for k in 0..16 {
            out[i * 16 + k] = results[k];
        }
    }
}

/// Returns the exact results, each with its permitted relative and absolute error.
fn meant(a: f32, b: f32) -> [(f64, f64, f64); 16] {
    let (a, b) = (f64::from(a), f64::from(b));
    let tenth = f64::from(a as f32 * 0.2);
    let bits = |bits: f64| 2f64.powf(-bits);
    [
        (a.exp(), bits(19.0), 0.0),
        (a.exp2(), bits(21.0), 0.0),
        (b.ln(), bits(21.0), bits(21.0)),
        (b.log2(), bits(21.0), bits(21.0)),
        (b.log10(), bits(21.0), bits(21.0)),
        (a.sin(), 0.0, bits(20.5)),
        (a.cos(), 0.0, bits(20.5)),
        (a.sin(), 0.0, bits(20.5)),
        (a.cos(), 0.0, bits(20.5)),
        (tenth.tan(), bits(18.0), bits(18.0)),
        (a.tanh(), bits(10.9), 0.0),
        (b.powf(a), bits(17.0), 0.0),
        (b.recip(), bits(22.0), 0.0),
        (b.sqrt().recip(), bits(22.0), 0.0),
        (b.sqrt(), bits(22.0), 0.0),
        (a / b, bits(21.0), 0.0),
    ]
}

fn functions(on: &Engine) -> Check {
    let x: Vec<f32> = (0..4000).map(|i| (i as f32 - 2000.0) * 0.003_141).collect();
    let y: Vec<f32> = (0..4000).map(|i| (i as f32 + 1.0) * 0.002_718).collect();
    let mut out = vec![0.0; x.len() * 16];
    launch!(on, every(read x, read y, write out), LaunchConfig::cover(x.len()))?;
    if on.name() != "cuda" {
        let mut expected = vec![0.0; out.len()];
        let host = Engine::Host;
        launch!(&host, every(read x, read y, write expected), LaunchConfig::cover(x.len()))?;
        same("out", &out, &expected)?;
    }
    for (i, results) in out.chunks_exact(16).enumerate() {
        let meant = meant(x[i], y[i]);
        for (k, (got, (want, relative, absolute))) in results.iter().zip(meant).enumerate() {
            let off = (f64::from(*got) - want).abs();
            if off.is_nan() || off > want.abs() * relative + absolute {
                return Err(format!("result {k} of {}, {} is {got}, not {want}", x[i], y[i]).into());
            }
        }
    }
    Ok(())
}

#[kernel]
fn at_the_ends(out: &mut [f32], zero: f32, infinity: f32, tiny: f32) {
    out[0] = fast::recip(zero);
    out[1] = fast::recip(tiny);
    out[2] = fast::rsqrt(infinity);
    out[3] = fast::exp(infinity);
    out[4] = fast::exp(-infinity);
    out[5] = fast::exp2(tiny - 130.0);
    out[6] = fast::ln(zero);
    out[7] = fast::log2(tiny);
    out[8] = fast::sqrt(tiny);
    out[9] = fast::tanh(infinity);
    out[10] = fast::div(1.0, infinity);
    out[11] = fast::cos(zero);
    out[12] = fast::exp(1000.0);
    out[13] = fast::powf(2.0, infinity);
}

/// Subnormal numbers are zeros.
fn ends(on: &Engine) -> Check {
    let (zero, infinity, tiny) = (0.0, f32::INFINITY, 1e-40);
    let mut out = vec![7.0; 14];
    let config = LaunchConfig::grid(1).block(1);
    launch!(on, at_the_ends(write out, value zero, value infinity, value tiny), config)?;
    let minus = f32::NEG_INFINITY;
    let expected = [
        infinity, infinity, 0.0, infinity, 0.0, 0.0, minus, minus, 0.0, 1.0, 0.0, 1.0, infinity,
        infinity,
    ];
    same("out", &out, &expected)
}
