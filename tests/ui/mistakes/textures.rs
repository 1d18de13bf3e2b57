//! Types of elements that textures do not have.
#![allow(unused)]
use warpwise::{Texture2, prelude::*};

#[kernel]
fn texture_of_doubles(image: Texture2<f64>, y: &mut [f64]) {
    y[0] = image.sample(0.5, 0.5);
}

fn main() {}
