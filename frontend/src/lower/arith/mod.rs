//! Lowering of arithmetic: operators, methods and comparisons of numbers.
mod bits;
pub(crate) mod check;
mod compare;
mod directed;
mod exact;
mod fast;
mod float;
mod integer;
mod lane;
mod math;
mod number;
pub(crate) mod operator;
mod order;
mod power;
mod saturating;
