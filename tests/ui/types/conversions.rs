//! A conversion into nothing in particular.
#![allow(unused)]
use warpwise::prelude::*;

#[kernel]
fn into_what(n: u8) {
    let open = n.into();
}

fn main() {}
