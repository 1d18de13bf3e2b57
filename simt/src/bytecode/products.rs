//! Products of what is loaded, and loops that add them up.
use super::{Address, Counter};
use crate::vector::{
    lanes::{LaneFn, copy::CopyWords},
    registers::{Affine, Reg, Uniform},
};

/// The most integers that a round computes once, with the counter.
pub(crate) const MAX_ROUND_INTEGERS: usize = 32;

/// The most products that a round adds.
pub(crate) const MAX_ROUND_PRODUCTS: usize = 8;

/// `to = a * b + c` of `f32`, with `a` and `b` from memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) to: Reg,
    pub(crate) c: Reg,
    pub(crate) factors: [AffineLoad; 2],
    /// What is computed where lanes are loaded before.
    pub(crate) f: LaneFn,
}

/// A `for` all rounds of which can be run at once: they add products of what is loaded, and compute
/// where that is from what is in proportion to the counter.
#[derive(Clone, Debug)]
pub(crate) struct DotProductLoop {
    pub(crate) range: Counter,
    /// How many steps a round has, which follow this one, and then the [`Instr::NextIteration`](super::Instr::NextIteration) of the loop.
    pub(crate) len: u32,
    /// What a round takes of the patience with it.
    pub(crate) cost: u32,
    /// What all that it computes depends on and may be another when a group comes to the loop again.
    pub(crate) inputs: Vec<Uniform>,
    /// What it computes once: the counter, and then the results of its integer steps in order.
    pub(crate) computed: Vec<Uniform>,
    /// The products of a round, by their numbers in [`Code::products`](super::Code::products).
    pub(crate) products: Vec<u32>,
    /// What rounds add up.
    pub(crate) sums: Vec<Accumulation>,
    /// The segments that a round begins, if it is counted.
    pub(crate) segments: Vec<u32>,
    /// The requests that it makes, in order, if it is counted or checked.
    pub(crate) requests: Vec<FactorRequest>,
}

/// A request that goes on by as many bytes in each round as a factor does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactorRequest {
    /// Its number in [`Counted::requests`](super::Counted::requests), which is that in [`Code::sites`](super::Code::sites) if it is checked.
    pub(crate) request: u32,
    /// The number in the round of the product, and which of its factors.
    pub(crate) with: (usize, usize),
}

/// What products are added to, one behind the other.
#[derive(Clone, Debug)]
pub(crate) struct Accumulation {
    pub(crate) to: Reg,
    /// Of one round: the number in [`Code::products`](super::Code::products), and the number in the round.
    pub(crate) products: Vec<(u32, usize)>,
}

/// A load by an affine address, as [`Instr::LoadAffine`](super::Instr::LoadAffine).
#[derive(Clone, Copy, Debug)]
pub(crate) struct AffineLoad {
    pub(crate) to: Reg,
    pub(crate) from: Address<Affine>,
    pub(crate) walk: u16,
    pub(crate) copy: CopyWords,
}
