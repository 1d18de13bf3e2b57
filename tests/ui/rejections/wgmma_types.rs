//! Products of warpgroups whose types hardware does not have, or not in that order.
#![allow(unused)]
use warpwise::{mma::{E4M3, Tf32}, prelude::*, wgmma};

#[kernel(block = 128)]
fn mn_major_bytes(c: &mut [i32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!([wgmma::Tile<64>; 1]));
    let mut products = wgmma::Products::<i8, 64>::zero();
    products.multiply_add_mn(left, right);
    products.finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn mn_major_floats(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    let mut products = wgmma::Products::<Tf32, 64>::zero();
    products.multiply_mn_k(left, right);
    products.finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn factor_of_bytes(c: &mut [f32]) {
    let right = shared!(wgmma::Tile<64>);
    let mut products = wgmma::Products::<E4M3, 64>::zero();
    products.multiply(right, right);
    let sums = products.finish();
    products.multiply_registers(sums.to_factor(0), right);
    products.finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn unknown_type(c: &mut [f32]) {
    let right = shared!(wgmma::Tile<64>);
    let mut products = wgmma::Products::<f32, 64>::zero();
    products.multiply(right, right);
    products.finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn columns_of_bytes(c: &mut [i32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<40>));
    let mut products = wgmma::Products::<u8, 40>::zero();
    products.multiply_add(left, right);
    products.finish().store(c, 0, 40);
}

#[kernel(block = 128)]
fn integers_as_floats(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    let mut products = wgmma::Products::<i8, 64>::zero();
    products.multiply_add(left, right);
    products.finish().store(c, 0, 64);
}

fn main() {}
