//! Arithmetic on numbers: operators, methods and comparisons, to IR.
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
