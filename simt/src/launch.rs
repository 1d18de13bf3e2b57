//! The inputs of a launch: geometry, arguments and limits.
use crate::Memory;
use std::num::NonZeroUsize;
use warpwise_compiler::ir::Axis;

/// An argument, in the order of the kernel's parameters.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A scalar's bits, zero-extended.
    Scalar(u64),
    /// The elements of a slice parameter: a view of a memory. Several arguments may be views of
    /// one memory.
    Slice {
        /// The memory.
        memory: &'a Memory,
        /// Bytes from the start of the memory to the first element, a multiple of the element's
        /// alignment.
        offset: u64,
        /// The number of elements.
        len: u64,
    },
}

/// A launch of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// Blocks along x, y and z; no block runs if one of them is 0.
    pub grid: [u32; 3],
    /// Threads in a block along x, y and z; 1 to 1024 together.
    pub block: [u32; 3],
    /// One argument for each parameter.
    pub args: &'a [Arg<'a>],
    /// The number of host threads; `None` for as many as there are cores.
    pub workers: Option<NonZeroUsize>,
    /// The step budget, after which the launch stops, approximately. A step is one instruction
    /// executed for up to 256 threads at once.
    pub steps: Option<u64>,
}

/// Converts a flat index to components, x fastest.
pub(crate) fn unflatten(number: u64, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(x), u64::from(y));
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}

/// Returns the component along an axis.
pub(crate) fn component<T>([x, y, z]: [T; 3], axis: Axis) -> T {
    match axis {
        Axis::X => x,
        Axis::Y => y,
        Axis::Z => z,
    }
}
