//! Address patterns: the distances between the addresses of the lanes of a request.
use crate::vector::mask::Mask;
use std::sync::Arc;

/// The address pattern of a request.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Per thread of a block, the distance of its address in bytes from the part that all threads
    /// share.
    pub(crate) offsets: Arc<[u64]>,
    /// Per warp, its class: warps of one class have the same distances between their lanes.
    pub(crate) classes: Vec<u16>,
    /// Per group, its common class, if all its warps are full, are of one class, and cost the same.
    pub(crate) uniform_groups: Vec<Option<UniformGroup>>,
    /// True if it only holds while lanes have the same trip counts.
    pub(crate) equal_trips: bool,
}

/// A group whose warps all cost the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniformGroup {
    pub(crate) lanes: Mask,
    pub(crate) class: u16,
    pub(crate) warps: u64,
}
