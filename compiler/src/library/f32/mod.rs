//! Functions of `f32`. `docs/math.md` says how large their errors may be.
pub mod exponential;
pub mod hyperbolic;
pub mod inverse;
pub mod logarithm;
pub mod power;
pub mod trigonometric;

pub use exponential::{exp, exp_m1, exp2};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use inverse::{acos, asin, atan, atan2};
pub use logarithm::{ln, ln_1p, log, log2, log10};
pub use power::{cbrt, erf, erfc, hypot, powf};
pub use trigonometric::{cos, sin, sin_cos, tan};

/// The text of this module.
pub(super) const TEXT: [&str; 6] = [
    include_str!("exponential.rs"),
    include_str!("hyperbolic.rs"),
    include_str!("inverse.rs"),
    include_str!("logarithm.rs"),
    include_str!("power.rs"),
    include_str!("trigonometric.rs"),
];
