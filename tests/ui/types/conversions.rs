//! Conversions that need no check, and one into nothing in particular.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn always(x: &[u32], n: u8) {
    let wide = u64::try_from(x[0]);
    let same: Result<u8, _> = n.try_into();
}

#[kernel]
fn into_what(n: u8) {
    let open = n.into();
}

fn main() {}
