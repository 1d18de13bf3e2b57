//! Products of warpgroups that hardware does not have, and sums that are not known yet.
#![allow(unused)]
use warpwise::{prelude::*, wgmma};

#[kernel(block = 128)]
fn columns(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<12>));
    let mut products = wgmma::Products::<bf16, 12>::zero();
    products.multiply_add(left, right);
    products.finish().store(c, 0, 12);
}

#[kernel(block = 128)]
fn tiles(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!([wgmma::Tile<64>; 2]));
    let mut products = wgmma::Products::<bf16, 256>::zero();
    products.multiply_add_mn(left, right);
    products.finish().store(c, 0, 256);
}

#[kernel(block = 96)]
fn half_a_warpgroup(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    let mut products = wgmma::Products::<f16, 64>::zero();
    products.multiply_add(left, right);
    products.finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn many_pending(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    let mut products = wgmma::Products::<f16, 64>::zero();
    products.multiply_add(left, right);
    products.wait::<8>();
    products.finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn replaced(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    let mut products = wgmma::Products::<f16, 64>::zero();
    products.multiply_add(left, right);
    products = wgmma::Products::<f16, 64>::zero();
    products.finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn replaced_factor(n: usize, c: &mut [f32]) {
    let right = shared!(wgmma::Tile<64>);
    let mut products = wgmma::Products::<f16, 64>::zero();
    for i in 0..n {
        products.multiply_add_registers([i as u32; 16], right);
    }
    products.finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn in_an_array(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    let mut products =
        [wgmma::Products::<f16, 64>::zero(), wgmma::Products::<f16, 64>::zero()];
    products[warp::warp_id() / 4].multiply_add(left, right);
    products[warp::warp_id() / 4].finish().store(c, 0, 64);
}

#[kernel(block = 128)]
fn pending_itself(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    let mut products = wgmma::Products::<f16, 64>::zero();
    products.multiply_add(left, right);
    products.multiply_add(left, right);
    products.finish_pending::<1>().store(c, 0, 64);
}

#[kernel(block = 128)]
fn unwaited(c: &mut [f32]) {
    let (left, right) = (shared!(wgmma::Tile<64>), shared!(wgmma::Tile<64>));
    let mut products = wgmma::Products::<f16, 64>::zero();
    products.multiply_add(left, right);
    products.wait::<1>();
}

fn main() {}
