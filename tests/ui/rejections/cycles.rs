//! Definitions that lead to themselves: rustc's errors, and one of ours where rustc has none.
use warpwise::prelude::*;

#[device]
const FIRST: usize = SECOND;

#[device]
const SECOND: usize = FIRST + 1;

#[kernel]
fn constants(x: &mut [f32]) {
    let array = [0.0; FIRST];
    x[0] = array[0];
}

#[device]
type Pairs = (Pairs, i32);

#[kernel]
fn aliases(x: &mut [f32]) {
    let pairs: Pairs;
    x[0] = 1.0;
}

#[device]
trait Depth {
    const DEPTH: u32;
}

#[device]
#[derive(Clone, Copy)]
struct Wrap<T>(T);

#[device]
impl<T> Depth for Wrap<T> {
    const DEPTH: u32 = 1 + Wrap::<Wrap<T>>::DEPTH;
}

#[kernel]
fn ever_larger(x: &mut [u32]) {
    x[0] = Wrap::<f32>::DEPTH;
}

#[kernel]
fn large_parameter(table: [f32; 65536], x: &mut [f32]) {
    x[0] = table[thread_idx_x()];
}

fn main() {}
