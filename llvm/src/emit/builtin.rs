//! Special registers of a thread, with the ranges that every launch keeps to.
use super::{
    emitter::{Effects, Emitter, inst},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::declared_threads,
    ir::{Axis, Builtin, CoarseGrid, InstId, LaneMask},
};

/// Blocks of a launch along x, less than; along y and z it is [`MAX_BLOCKS_YZ`].
const MAX_BLOCKS_X: u64 = (1 << 31) - 1;
/// Blocks of a launch along y and z.
const MAX_BLOCKS_YZ: u64 = 65535;
/// Threads of a block along x and y.
const MAX_THREADS_XY: u64 = 1024;
/// Threads of a block along z.
const MAX_THREADS_Z: u64 = 64;

impl Emitter<'_> {
    /// The special register of a builtin, as the `u32` or `u64` that `id` is.
    pub(super) fn provided(&mut self, id: InstId, builtin: Builtin) -> Value {
        let (value, ty) = (self.builtin(builtin), Type::of(self.scalar(id)));
        match ty {
            Type::I64 => self.zero_extend(&value, ty),
            _ => self.truncate(&value, ty),
        }
    }

    /// The special register: 32 bits, but for a wide global index.
    pub(super) fn builtin(&mut self, builtin: Builtin) -> Value {
        match builtin {
            Builtin::ThreadIdx(axis) => {
                let threads = self.most_threads(axis);
                self.special("tid", axis, 0, threads)
            }
            Builtin::BlockIdx(axis) => self.block_idx(axis),
            Builtin::GridDim(axis) => match self.kernel.coarse_grid_along(axis) {
                Some(_) => Value::new(Type::I32, "%coarsened_grid"),
                None => self.special("nctaid", axis, 1, most_blocks(axis) + 1),
            },
            Builtin::CoarseningFactor => {
                Value::i32(self.kernel.coarsening.map_or(1, |coarsening| coarsening.grid.factor))
            }
            Builtin::BlockDim(axis) => match declared_threads(self.kernel, axis) {
                Some(threads) => Value::i32(threads as u32),
                None => {
                    let threads = self.most_threads(axis);
                    self.special("ntid", axis, 1, threads + 1)
                }
            },
            Builtin::LaneId => {
                // Not by LLVM's intrinsic: what reductions and scans of a loop make of the lane
                // would occupy registers around the whole loop.
                self.asm_with(
                    "range(i32 0, 32) ",
                    Type::I32,
                    "mov.u32 $0, %laneid;",
                    &[],
                    Effects::Fixed,
                )
            }
            Builtin::LaneMask(mask) => {
                let name = match mask {
                    LaneMask::Lt => "lt",
                    LaneMask::Le => "le",
                    LaneMask::Eq => "eq",
                    LaneMask::Ge => "ge",
                    LaneMask::Gt => "gt",
                };
                let name = format!("llvm.nvvm.read.ptx.sreg.lanemask.{name}");
                self.intrinsic(Type::I32, &name, &[])
            }
            Builtin::GlobalIdx(axis) => self.global_idx(axis),
            Builtin::WarpId => {
                let thread = self.thread_number();
                inst!(self, Type::I32, "lshr {thread}, 5")
            }
        }
    }

    /// The index of the first of the launch's blocks that this one runs.
    fn block_idx(&mut self, axis: Axis) -> Value {
        let own = self.special("ctaid", axis, 0, most_blocks(axis));
        match self.kernel.coarse_grid_along(axis) {
            Some(CoarseGrid { factor, .. }) => {
                inst!(self, Type::I32, "mul nuw nsw {own}, {factor}")
            }
            None => own,
        }
    }

    /// A special register along an axis, from `first` to below `end`.
    fn special(&mut self, name: &str, axis: Axis, first: u64, end: u64) -> Value {
        let range = format!("range(i32 {first}, {}) ", end as u32 as i32);
        let name = format!("llvm.nvvm.read.ptx.sreg.{name}.{}", axis_name(axis));
        self.intrinsic_with(Type::I32, &range, &name, &[])
    }

    fn most_threads(&self, axis: Axis) -> u64 {
        declared_threads(self.kernel, axis).unwrap_or(match axis {
            Axis::X | Axis::Y => MAX_THREADS_XY,
            Axis::Z => MAX_THREADS_Z,
        })
    }

    /// The launcher refuses a grid with more than 2^31 threads along an axis, unless the kernel
    /// says `wide_index`, so that 32 bits hold the index, and the sign is not set.
    fn global_idx(&mut self, axis: Axis) -> Value {
        let block = self.builtin(Builtin::BlockIdx(axis));
        let threads = self.builtin(Builtin::BlockDim(axis));
        let thread = self.builtin(Builtin::ThreadIdx(axis));
        let [block, threads, thread] = if self.kernel.wide_index {
            [block, threads, thread].map(|value| self.zero_extend(&value, Type::I64))
        } else {
            [block, threads, thread]
        };
        let before = inst!(self, block.ty, "mul nuw nsw {block}, {}", threads.name);
        inst!(self, block.ty, "add nuw nsw {before}, {}", thread.name)
    }

    /// The thread's number in its block, x fastest.
    fn thread_number(&mut self) -> Value {
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(|a| self.builtin(Builtin::ThreadIdx(a)));
        let [width, height] = [Axis::X, Axis::Y].map(|a| self.builtin(Builtin::BlockDim(a)));
        let layers = inst!(self, Type::I32, "mul nuw nsw {z}, {}", height.name);
        let row = inst!(self, Type::I32, "add nuw nsw {layers}, {}", y.name);
        let rows = inst!(self, Type::I32, "mul nuw nsw {row}, {}", width.name);
        inst!(self, Type::I32, "add nuw nsw {rows}, {}", x.name)
    }
}

const fn most_blocks(axis: Axis) -> u64 {
    match axis {
        Axis::X => MAX_BLOCKS_X,
        Axis::Y | Axis::Z => MAX_BLOCKS_YZ,
    }
}

const fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::X => "x",
        Axis::Y => "y",
        Axis::Z => "z",
    }
}
