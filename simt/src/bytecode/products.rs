//! Products of loaded factors, and the loops that add them up (dot products).
use super::{Address, Counter};
use crate::vector::{
    lanes::{LaneFn, copy::CopyWords},
    registers::{Affine, Reg, Uniform},
};

/// The most integers that a round computes, the counter aside.
pub(crate) const MAX_ROUND_INTEGERS: usize = 32;

/// The most products that a round adds.
pub(crate) const MAX_ROUND_PRODUCTS: usize = 8;

/// `to = a * b + c` of `f32`, with `a` and `b` from memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) to: Reg,
    pub(crate) c: Reg,
    pub(crate) factors: [AffineLoad; 2],
    /// The operation, for factors that were loaded into registers.
    pub(crate) f: LaneFn,
}

/// A `for` all rounds of which can run at once: they only add products of loaded factors, at
/// addresses that are linear in the counter.
#[derive(Clone, Debug)]
pub(crate) struct DotProductLoop {
    pub(crate) range: Counter,
    /// The number of instructions of a round, which follow this one; then comes the
    /// [`Instr::NextIteration`](super::Instr::NextIteration) of the loop.
    pub(crate) len: u32,
    /// The spin budget that a round costs.
    pub(crate) cost: u32,
    /// The uniform values that the round depends on and that may change between two executions of
    /// the loop.
    pub(crate) inputs: Vec<Uniform>,
    /// The uniform values that a round computes: the counter, then the results of its integer
    /// instructions in order.
    pub(crate) computed: Vec<Uniform>,
    /// The products of a round, by their index in [`Code::products`](super::Code::products).
    pub(crate) products: Vec<u32>,
    /// The sums.
    pub(crate) sums: Vec<Accumulation>,
    /// The segments that a round begins, if it is counted.
    pub(crate) segments: Vec<u32>,
    /// The requests that a round makes, in order, if it is counted or checked.
    pub(crate) requests: Vec<FactorRequest>,
}

/// A request whose address advances as a factor's address does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FactorRequest {
    /// Its index in [`Counted::requests`](super::Counted::requests), which is that in
    /// [`Code::sites`](super::Code::sites) if it is checked.
    pub(crate) request: u32,
    /// The number of the product in the round, and which of its factors.
    pub(crate) with: (usize, usize),
}

/// A sum, and the products that are added to it in order.
#[derive(Clone, Debug)]
pub(crate) struct Accumulation {
    pub(crate) to: Reg,
    /// Per product of one round, the index in [`Code::products`](super::Code::products) and the
    /// number in the round.
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
