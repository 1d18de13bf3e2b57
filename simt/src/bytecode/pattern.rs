//! The address patterns of requests: how far apart the addresses of lanes are.
use crate::vector::mask::Mask;
use std::sync::Arc;

/// The addresses of a request.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Of each thread of a block: how many bytes its address is behind that which all have in common.
    pub(crate) offsets: Arc<[u64]>,
    /// Of each warp: a number that it shares with those whose lanes are as far apart.
    pub(crate) classes: Vec<u16>,
    /// Of each group, if all its warps are full, of one class, and so far apart that all ask the same.
    pub(crate) alike: Vec<Option<Alike>>,
    /// Whether it only holds while lanes go round loops together.
    pub(crate) in_step: bool,
}

/// A group whose warps all ask the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alike {
    pub(crate) lanes: Mask,
    pub(crate) class: u16,
    pub(crate) warps: u64,
}
