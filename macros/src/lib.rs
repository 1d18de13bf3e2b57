//! The `#[kernel]` and `#[device]` macros: Rust tokens to IR to tokens.
mod attr;
mod lower;
mod suggest;
