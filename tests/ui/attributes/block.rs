//! Blocks that no device has, and what is no block.
use warpwise::prelude::*;

#[kernel(block = 0)]
fn empty() {}

#[kernel(block = (32, 64))]
fn too_many() {}

#[kernel(block = (1, 1, 128))]
fn too_deep() {}

#[kernel(block = 2048)]
fn too_long() {}

#[kernel(block = (1, 2, 3, 4))]
fn four() {}

#[kernel(block = 1.5)]
fn fraction() {}

#[kernel(block = "many")]
fn text() {}

#[kernel(block)]
fn nothing() {}

#[kernel(block = 32u8)]
fn suffix() {}

fn main() {}
