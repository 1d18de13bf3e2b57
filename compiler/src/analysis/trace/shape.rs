//! How many threads a block has, and which is which.
use crate::ir::{Axis, Builtin, Kernel, Op};

/// The shape of a block: declared, or assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Threads along x, y and z.
    pub dims: [u32; 3],
    /// Whether the kernel says so. If not, everything that depends on it is an assumption, and messages say that.
    pub declared: bool,
}

impl Shape {
    /// The shape that `kernel` declares; otherwise 256 threads: in a row, or 32 in a row where the kernel
    /// asks for other axes.
    pub fn of(kernel: &Kernel) -> Self {
        let known = |dims: &[crate::ir::Extent; 3]| -> Option<[u32; 3]> {
            let [x, y, z] = dims.each_ref().map(|dim| u32::try_from(dim.known()?).ok());
            Some([x?, y?, z?])
        };
        if let Some(dims) = kernel.block.as_ref().and_then(known) {
            return Self { dims, declared: true };
        }
        let asks = |asked: Axis| {
            kernel.insts.iter().any(|(_, inst)| {
                let Op::Builtin(builtin) = inst.op else { return false };
                [Builtin::ThreadIdx, Builtin::GlobalIdx, Builtin::BlockDim]
                    .iter()
                    .any(|of| builtin == of(asked))
            })
        };
        let dims = match (asks(Axis::Y), asks(Axis::Z)) {
            (false, false) => [256, 1, 1],
            (true, false) => [32, 8, 1],
            (_, true) => [32, 4, 2],
        };
        Self { dims, declared: false }
    }

    /// Another shape that the kernel may be launched in, of 64 threads; `None` if it declares one. What is a
    /// fault in the one that is assumed, and not in this, is no fault of the kernel.
    pub fn other(&self) -> Option<Self> {
        let dims = match self.dims {
            [_, 1, 1] => [64, 1, 1],
            [_, _, 1] => [16, 4, 1],
            [..] => [16, 2, 2],
        };
        (!self.declared).then_some(Self { dims, declared: false })
    }

    /// Threads in the block.
    pub fn threads(&self) -> usize {
        self.dims.iter().fold(1, |threads, &dim| threads.saturating_mul(dim as usize))
    }

    /// Warps in the block; the last may be partial.
    pub fn warps(&self) -> usize {
        self.threads().div_ceil(32)
    }

    /// The thread index of thread number `thread`, x fastest.
    pub fn index(&self, thread: usize) -> [u32; 3] {
        let [x, y, _] = self.dims.map(|dim| dim as usize);
        let part = |n: usize| u32::try_from(n).expect("it is below a dimension");
        [part(thread % x), part(thread / x % y), part(thread / x / y)]
    }
}
