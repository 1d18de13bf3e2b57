//! Names that are nowhere.
use warpwise::prelude::*;

#[kernel]
fn variable(x: &mut [f32]) {
    x[0] = y;
}

#[kernel]
fn kept_and_passed(x: &mut [f32]) {
    let kept = y;
    x[0] = kept.max(z);
}

#[kernel]
fn method(x: &mut [f32]) {
    x[0] = x[0].square();
}

#[kernel]
fn ty(x: &mut [Real32]) {
    x[0] = 1.0;
}

#[device]
trait Neutral {
    const NEUTRAL: Self;
}

#[device]
impl Neutral for f32 {
    const NEUTRAL: f32 = 0.0;
}

#[device]
impl Neutral for i32 {
    const NEUTRAL: i32 = 0;
}

#[device]
struct Pair<A, B>(A, B);

#[device]
impl<A: Neutral, B: Neutral> Neutral for Pair<A, B> {
    const NEUTRAL: Self = Pair(A::NEUTRAL, B::NEUTRAL);
}

#[kernel]
fn constant_of_a_type_that_nothing_tells(x: &mut [f32]) {
    let pair = Pair::NEUTRAL;
    x[0] = pair.0;
}

fn main() {}
