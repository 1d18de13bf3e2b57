//! Block shapes: the declared one, and candidates for a kernel that declares none.
use crate::{
    analysis::launch::LaunchRanges,
    ir::{Axis, BinaryOp, Builtin, InstId, Kernel, Op},
};

/// The shape of a block: declared, or assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Threads along x, y and z.
    pub dims: [u32; 3],
    /// True if every launch has this shape, by declaration or by requirement. Otherwise every fact
    /// that depends on it is an assumption, and messages state it.
    pub declared: bool,
}

/// The threads of the largest block.
const MAX_THREADS: u64 = 1024;

/// Assumed shapes of kernels that read x alone, the most usual first.
const ROWS: [[u32; 3]; 12] = [
    [256, 1, 1],
    [64, 1, 1],
    [128, 1, 1],
    [512, 1, 1],
    [1024, 1, 1],
    [32, 1, 1],
    [192, 1, 1],
    [96, 1, 1],
    [48, 1, 1],
    [16, 1, 1],
    [8, 1, 1],
    [4, 1, 1],
];

/// Assumed shapes of kernels that read y.
const PLANES: [[u32; 3]; 16] = [
    [32, 8, 1],
    [16, 16, 1],
    [16, 4, 1],
    [8, 8, 1],
    [32, 32, 1],
    [32, 4, 1],
    [32, 16, 1],
    [16, 8, 1],
    [64, 4, 1],
    [8, 32, 1],
    [8, 16, 1],
    [16, 32, 1],
    [32, 2, 1],
    [8, 4, 1],
    [4, 8, 1],
    [4, 4, 1],
];

/// Assumed shapes of kernels that read z.
const BOXES: [[u32; 3]; 8] =
    [[32, 4, 2], [8, 8, 8], [8, 8, 4], [16, 2, 2], [4, 4, 4], [16, 8, 8], [16, 4, 4], [32, 8, 4]];

impl Shape {
    /// Returns the shape of every launch of `kernel`; without one, the first of
    /// [`Self::candidates`].
    pub fn for_kernel(kernel: &Kernel) -> Self {
        Self::candidates(kernel)[0]
    }

    /// Returns the declared shape alone, or the shapes that launches of `kernel` may have, the most
    /// usual first and at least one. Candidates cover the axes that the kernel reads, and agree
    /// with everything that it declares or requires. Shapes that array lengths suggest come last.
    pub fn candidates(kernel: &Kernel) -> Vec<Self> {
        let launch = LaunchRanges::for_kernel(kernel);
        let limits =
            [Axis::X, Axis::Y, Axis::Z].map(|axis| launch.builtin(Builtin::BlockDim(axis)));
        let fixed = limits.map(|dim| u32::try_from(dim.min).ok().filter(|_| dim.min == dim.max));
        if let [Some(x), Some(y), Some(z)] = fixed {
            return vec![Self { dims: [x, y, z], declared: true }];
        }
        let numbered = numbering_reads(kernel);
        let reads = |axis: Axis| {
            let is_free = fixed[axis as usize].is_none();
            is_free
                && kernel
                    .insts
                    .iter()
                    .any(|(id, inst)| reads_axis(&inst.op, axis) && !numbered.contains(&id))
        };
        let usual: &[[u32; 3]] = match (reads(Axis::Y), reads(Axis::Z)) {
            (false, false) => &ROWS,
            (true, false) => &PLANES,
            (_, true) => &BOXES,
        };
        let mut found: Vec<Self> = Vec::new();
        for &dims in
            usual.iter().chain(&shape_by_array_lengths(kernel, reads(Axis::Y), reads(Axis::Z)))
        {
            let dims: [u32; 3] = std::array::from_fn(|axis| fixed[axis].unwrap_or(dims[axis]));
            let is_allowed = (0..3).all(|axis| {
                let dim = i128::from(dims[axis]);
                limits[axis].min <= dim && dim <= limits[axis].max
            });
            let threads = dims.iter().map(|&dim| u64::from(dim)).product::<u64>();
            let shape = Self { dims, declared: false };
            if is_allowed && threads <= MAX_THREADS && !found.contains(&shape) {
                found.push(shape);
            }
        }
        if found.is_empty() {
            let dims = limits.map(|dim| u32::try_from(dim.min).unwrap_or(1));
            found.push(Self { dims, declared: false });
        }
        found
    }

    /// Returns the number of threads in the block.
    pub fn thread_count(&self) -> usize {
        self.dims.iter().fold(1, |threads, &dim| threads.saturating_mul(dim as usize))
    }

    /// Returns the number of warps in the block; the last may be partial.
    pub fn warp_count(&self) -> usize {
        self.thread_count().div_ceil(32)
    }

    /// Returns the index of thread number `thread`, x fastest.
    pub fn thread_index(&self, thread: usize) -> [u32; 3] {
        let [x, y, _] = self.dims.map(|dim| dim as usize);
        let part = |n: usize| u32::try_from(n).expect("it is below a dimension");
        [part(thread % x), part(thread / x % y), part(thread / x / y)]
    }
}

/// Returns true if `op` yields an index of the thread along `axis`.
fn reads_axis(op: &Op, axis: Axis) -> bool {
    let Op::Builtin(builtin) = *op else { return false };
    builtin == Builtin::ThreadIdx(axis) || builtin == Builtin::GlobalIdx(axis)
}

/// Returns the reads of indices along y and z that only number the threads of a block, as
/// `(z * dim_y + y) * dim_x + x` does: a kernel with such a sum runs in blocks of any number of
/// axes.
fn numbering_reads(kernel: &Kernel) -> Vec<InstId> {
    let is = |id: InstId, builtin: Builtin| kernel.insts[id].op == Op::Builtin(builtin);
    let either = |[a, b]: [InstId; 2], yes: &dyn Fn(InstId, InstId) -> bool| {
        [(a, b), (b, a)].into_iter().find(|&(a, b)| yes(a, b))
    };
    let mut found = Vec::new();
    for (_, inst) in kernel.insts.iter() {
        let Op::Binary { op: BinaryOp::Add, lhs, rhs } = inst.op else { continue };
        let is_row = |product: InstId, y: InstId| {
            let Op::Binary { op: BinaryOp::Mul, lhs, rhs } = kernel.insts[product].op else {
                return false;
            };
            let is_layer =
                |z, dim| is(z, Builtin::ThreadIdx(Axis::Z)) && is(dim, Builtin::BlockDim(Axis::Y));
            is(y, Builtin::ThreadIdx(Axis::Y)) && either([lhs, rhs], &is_layer).is_some()
        };
        if let Some((product, y)) = either([lhs, rhs], &is_row) {
            found.push(y);
            found.extend(kernel.insts[product].op.operands());
        }
    }
    found
}

/// Returns the shape whose threads index arrays of fixed lengths from end to end, if thread indices
/// are used unchanged.
fn shape_by_array_lengths(kernel: &Kernel, reads_y: bool, reads_z: bool) -> Option<[u32; 3]> {
    let along = |wanted: Axis| {
        let lengths = kernel.insts.iter().filter_map(|(_, inst)| {
            let Op::Bounds { index, len } = inst.op else { return None };
            let mut index = index;
            while let Op::Cast { value } = kernel.insts[index].op {
                index = value;
            }
            let is_index = kernel.insts[index].op == Op::Builtin(Builtin::ThreadIdx(wanted));
            let Op::Const(len) = kernel.insts[len].op else { return None };
            u32::try_from(len).ok().filter(|_| is_index)
        });
        lengths.min()
    };
    let y = if reads_y { along(Axis::Y)? } else { 1 };
    let z = if reads_z { along(Axis::Z)? } else { 1 };
    let dims = [along(Axis::X)?, y, z];
    (!dims.contains(&0)).then_some(dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(kernel: &str) -> ([u32; 3], bool) {
        let kernel: Kernel = kernel.parse().unwrap();
        let shape = Shape::for_kernel(&kernel);
        (shape.dims, shape.declared)
    }

    #[test]
    fn a_shape_is_declared_required_or_assumed_by_the_axes_that_are_read() {
        assert_eq!(first("kernel k { block 64, 1, 1 }"), ([64, 1, 1], true));
        assert_eq!(first("kernel k { }"), ([256, 1, 1], false));
        let reads_y = "%0 = builtin thread_idx.y : u64";
        assert_eq!(first(&format!("kernel k {{ {reads_y} }}")), ([32, 8, 1], false));
        assert_eq!(first("kernel k { %0 = builtin block_dim.y : u64 }"), ([256, 1, 1], false));
        assert_eq!(first("kernel k { %0 = builtin global_idx.z : u64 }"), ([32, 4, 2], false));
        let required = "requires \"block_dim_x() == 64\" eq(builtin block_dim.x, const 64 : u64)";
        assert_eq!(first(&format!("kernel k {{ {required} }}")), ([64, 1, 1], false));
        // A block in a row has one thread along y, whoever reads it.
        let row = format!("kernel k {{ generic T0 = N: const u64 block T0, 1, 1 {reads_y} }}");
        assert_eq!(first(&row), ([256, 1, 1], false));
    }

    #[test]
    fn the_number_of_a_thread_reads_no_axis() {
        let number = "kernel k {
            %0 = builtin thread_idx.z : u64
            %1 = builtin block_dim.y : u64
            %2 = mul %0, %1 : u64
            %3 = builtin thread_idx.y : u64
            %4 = add %2, %3 : u64
            %5 = builtin block_dim.x : u64
            %6 = mul %4, %5 : u64
            %7 = builtin thread_idx.x : u64
            %8 = add %6, %7 : u64";
        assert_eq!(first(&format!("{number} }}")), ([256, 1, 1], false));
        let reads_y = format!("{number} %9 = builtin thread_idx.y : u64 }}");
        assert_eq!(first(&reads_y), ([32, 8, 1], false));
    }

    #[test]
    fn array_lengths_suggest_a_shape() {
        let kernel = "kernel k {
            %0 = builtin thread_idx.x : u64
            %1 = const 100 : u64
            %2 = bounds %0, %1 : u64
        }";
        let shapes = Shape::candidates(&kernel.parse().unwrap());
        assert_eq!(shapes.last().map(|shape| shape.dims), Some([100, 1, 1]));
        assert!(shapes.iter().all(|shape| shape.dims[1..] == [1, 1]));
    }
}
