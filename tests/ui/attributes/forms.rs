//! Arguments that are written wrong, and arguments that are given twice.
use warpwise::prelude::*;

#[kernel(contract = 1)]
fn number() {}

#[kernel(contract(false))]
fn call() {}

#[kernel(wide_index, wide_index = false)]
fn twice() {}

#[kernel(open())]
fn nothing_open() {}

#[kernel(open(TILE, TILE))]
fn open_twice() {}

#[kernel(open = TILE)]
fn no_list() {}

#[kernel(, block = 32)]
fn comma() {}

#[kernel(256)]
fn no_name() {}

#[kernel(overflow_checks wide_index)]
fn no_comma() {}

#[kernel(backend = "lvm")]
fn misspelt_back_end() {}

#[kernel(backend)]
fn no_back_end() {}

fn main() {}
