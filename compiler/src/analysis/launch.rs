//! The contract of launches: ranges of parameters, lengths, and dimensions of block and grid.
//!
//! Ranges follow from types, from the limits of the launcher, and from the kernel's requirements:
//! with `requires(n <= 1024)`, `n` is at most 1024. Launches that a kernel refuses do not count.
use super::range::{self, Range};
use crate::{
    id::Facts,
    ir::{
        Access, Axis, BinaryOp, Builtin, CoarseGrid, CompareOp, GenericId, GenericKind, Kernel,
        ParamId, ParamKind, Scalar, Size, UnaryOp,
    },
};

/// The launcher's limit of threads along an axis, unless the kernel declares `wide_index`.
const MAX_AXIS_THREADS: i128 = 1 << 31;

/// Passes over the requirements: one may narrow a value that another one mentions.
const MAX_REQUIREMENT_PASSES: u32 = 3;

/// The ranges of everything that a launch passes to a kernel.
#[derive(Clone, Debug)]
pub struct LaunchRanges {
    /// Per scalar parameter that is an integer or a `bool`, its value; per slice, its length.
    params: Facts<ParamId, Range>,
    /// Per integer constant parameter, its value.
    generics: Facts<GenericId, Range>,
    /// Threads in a block.
    block: [Range; 3],
    /// Blocks in the grid.
    grid: [Range; 3],
    wide_index: bool,
    /// True if a requirement leaves a range empty.
    is_contradictory: bool,
}

impl LaunchRanges {
    /// Returns the contract of `kernel`; where it is generic, ranges are wider. Contradicting
    /// requirements are ignored: they allow no launch, and so the kernel has no fault.
    pub fn for_kernel(kernel: &Kernel) -> Self {
        let allowed = Self::from_types(kernel);
        let mut launch = allowed.clone();
        for _ in 0..MAX_REQUIREMENT_PASSES {
            for requirement in &kernel.requires {
                launch.assume_condition(kernel, &requirement.cond, true);
            }
        }
        let is_contradictory = launch.is_contradictory;
        if is_contradictory { Self { is_contradictory, ..allowed } } else { launch }
    }

    /// Returns the limits of types and of the launcher.
    fn from_types(kernel: &Kernel) -> Self {
        let mut params = kernel.params.facts(Range::EMPTY);
        for (id, param) in kernel.params.iter() {
            params[id] = param_limits(&param.kind);
        }
        let mut generics = kernel.generics.facts(Range::EMPTY);
        for (id, generic) in kernel.generics.iter() {
            if let GenericKind::Const(scalar) = generic.kind {
                generics[id] = range::scalar_limits(scalar).unwrap_or(Range::EMPTY);
            }
        }
        let block = [Axis::X, Axis::Y, Axis::Z].map(|axis| block_dim(kernel, axis));
        let grid = [Axis::X, Axis::Y, Axis::Z].map(|axis| grid_dim(kernel, axis, block));
        let wide_index = kernel.wide_index;
        Self { params, generics, block, grid, wide_index, is_contradictory: false }
    }

    /// Returns true if the kernel's requirements contradict each other, as
    /// `requires(n == 2, n == 3)`.
    pub fn is_contradictory(&self) -> bool {
        self.is_contradictory
    }

    /// Returns the range of an integer scalar's value, or of a slice's length.
    pub fn param(&self, param: ParamId) -> Range {
        self.params[param]
    }

    /// Returns the range of a constant parameter; empty if it is no integer.
    pub fn generic(&self, generic: GenericId) -> Range {
        self.generics[generic]
    }

    /// Returns the range of a builtin by the limits of the hardware and the launcher.
    pub fn builtin(&self, builtin: Builtin) -> Range {
        let threads = self.block.iter().map(|dim| dim.max).product::<i128>().min(1024);
        match builtin {
            Builtin::ThreadIdx(axis) => Range::new(0, self.block_dim(axis).max - 1),
            Builtin::BlockDim(axis) => self.block_dim(axis),
            Builtin::BlockIdx(axis) => Range::new(0, self.grid_dim(axis).max - 1),
            Builtin::GridDim(axis) => self.grid_dim(axis),
            Builtin::GlobalIdx(axis) => Range::new(0, self.max_threads(axis) - 1),
            Builtin::LaneId => Range::new(0, threads.min(32) - 1),
            Builtin::WarpId => Range::new(0, (threads - 1) / 32),
            Builtin::LaneMask(_) => Range::new(0, u32::MAX.into()),
            Builtin::CoarseningFactor => Range::new(1, CoarseGrid::MAX_FACTOR.into()),
        }
    }

    /// Returns the largest number of threads of a grid along `axis`.
    pub fn max_threads(&self, axis: Axis) -> i128 {
        let most = self.grid_dim(axis).max * self.block_dim(axis).max;
        if self.wide_index { most } else { most.min(MAX_AXIS_THREADS) }
    }

    fn block_dim(&self, axis: Axis) -> Range {
        self.block[axis as usize]
    }

    fn grid_dim(&self, axis: Axis) -> Range {
        self.grid[axis as usize]
    }

    /// Returns the range of a size that a launch computes without an error, which is that of its
    /// type if nothing more is known, and the range of its type. `None` if it is no integer.
    fn size_range(&self, kernel: &Kernel, size: &Size) -> Option<(Range, Range)> {
        let of_type = |scalar| range::scalar_limits(scalar).map(|limits| (limits, limits));
        match size {
            Size::Const(scalar, bits) => {
                Some((range::const_range(*scalar, *bits)?, range::scalar_limits(*scalar)?))
            }
            Size::Extent(extent) => {
                let (_, limits) = of_type(Scalar::U64)?;
                let known = extent.known().map(|value| Range::new(value.into(), value.into()));
                Some((known.unwrap_or(limits), limits))
            }
            Size::Generic(id) => match kernel.generics.get(*id)?.kind {
                GenericKind::Const(scalar) => {
                    Some((self.generic(*id), range::scalar_limits(scalar)?))
                }
                GenericKind::Type(_) => None,
            },
            Size::Param(id) => match kernel.params.get(*id)?.kind {
                ParamKind::Scalar(scalar) => Some((self.param(*id), range::scalar_limits(scalar)?)),
                ParamKind::Slice { .. } => None,
            },
            Size::Len(id) => Some((self.param(*id), range::scalar_limits(Scalar::U64)?)),
            Size::Builtin(builtin) => {
                Some((self.builtin(*builtin), range::scalar_limits(Scalar::U64)?))
            }
            Size::Unary(op, value) => {
                let (value, limits) = self.size_range(kernel, value)?;
                Some((range::unary_range(*op, value, limits), limits))
            }
            Size::Binary(op, parts) => {
                let (lhs, limits) = self.size_range(kernel, &parts[0])?;
                let (rhs, _) = self.size_range(kernel, &parts[1])?;
                Some((range::binary_range(*op, lhs, rhs, limits), limits))
            }
            Size::Compare(..) => of_type(Scalar::Bool),
            Size::Select(parts) => {
                let (then, limits) = self.size_range(kernel, &parts[1])?;
                let (other, _) = self.size_range(kernel, &parts[2])?;
                Some((then.union(other), limits))
            }
            Size::Cast(to, value) => {
                let limits = range::scalar_limits(*to)?;
                let known =
                    self.size_range(kernel, value).map(|(value, _)| value.or_limits(limits));
                Some((known.unwrap_or(limits), limits))
            }
        }
    }

    /// Narrows the ranges that `cond` being `truth` constrains.
    fn assume_condition(&mut self, kernel: &Kernel, cond: &Size, truth: bool) {
        match cond {
            Size::Unary(UnaryOp::Not, value) => self.assume_condition(kernel, value, !truth),
            Size::Binary(op, parts) if *op == if truth { BinaryOp::And } else { BinaryOp::Or } => {
                parts.iter().for_each(|part| self.assume_condition(kernel, part, truth));
            }
            // `&&` constrains both sides where it is true, `||` where it is false.
            Size::Select(parts) => match &**parts {
                [lhs, rhs, Size::Const(Scalar::Bool, 0)] if truth => {
                    self.assume_condition(kernel, lhs, true);
                    self.assume_condition(kernel, rhs, true);
                }
                [lhs, Size::Const(Scalar::Bool, 1), rhs] if !truth => {
                    self.assume_condition(kernel, lhs, false);
                    self.assume_condition(kernel, rhs, false);
                }
                _ => {}
            },
            Size::Compare(op, parts) => {
                let op = if truth { *op } else { range::negated_comparison(*op) };
                self.assume_compare(kernel, op, &parts[0], &parts[1]);
            }
            Size::Param(_) | Size::Generic(_) => {
                self.narrow_size(kernel, cond, Range::new(truth.into(), truth.into()));
            }
            Size::Const(..)
            | Size::Extent(_)
            | Size::Len(_)
            | Size::Builtin(_)
            | Size::Unary(..)
            | Size::Binary(..)
            | Size::Cast(..) => {}
        }
    }

    fn assume_compare(&mut self, kernel: &Kernel, op: CompareOp, lhs: &Size, rhs: &Size) {
        let sides = (self.size_range(kernel, lhs), self.size_range(kernel, rhs));
        let (Some((left, _)), Some((right, _))) = sides else { return };
        let (least, most) = (i128::MIN, i128::MAX);
        match op {
            CompareOp::Lt => {
                self.narrow_size(kernel, lhs, Range::new(least, right.max - 1));
                self.narrow_size(kernel, rhs, Range::new(left.min + 1, most));
            }
            CompareOp::Le => {
                self.narrow_size(kernel, lhs, Range::new(least, right.max));
                self.narrow_size(kernel, rhs, Range::new(left.min, most));
            }
            CompareOp::Gt => self.assume_compare(kernel, CompareOp::Lt, rhs, lhs),
            CompareOp::Ge => self.assume_compare(kernel, CompareOp::Le, rhs, lhs),
            CompareOp::Eq => {
                self.narrow_size(kernel, lhs, right);
                self.narrow_size(kernel, rhs, left);
            }
            CompareOp::Ne => {
                self.narrow_size(kernel, lhs, left.exclude(right));
                self.narrow_size(kernel, rhs, right.exclude(left));
            }
        }
    }

    /// Narrows the operand of `size`, through sums, differences and products with numbers. None of
    /// them wraps: a launch with a requirement that wraps is refused.
    fn narrow_size(&mut self, kernel: &Kernel, size: &Size, to: Range) {
        let range = match size {
            Size::Param(id) | Size::Len(id) => &mut self.params[*id],
            Size::Generic(id) => &mut self.generics[*id],
            Size::Builtin(Builtin::BlockDim(axis)) => &mut self.block[*axis as usize],
            Size::Builtin(Builtin::GridDim(axis)) => &mut self.grid[*axis as usize],
            Size::Cast(scalar, value) => return self.narrow_cast(kernel, *scalar, value, to),
            Size::Binary(op, parts) => return self.narrow_binary(kernel, *op, parts, to),
            Size::Const(..)
            | Size::Extent(_)
            | Size::Builtin(_)
            | Size::Unary(..)
            | Size::Compare(..)
            | Size::Select(_) => return,
        };
        let narrowed = range.intersection(to);
        if narrowed.is_empty() {
            self.is_contradictory = true;
        } else {
            *range = narrowed;
        }
    }

    /// Narrows the operand of a cast, if the cast keeps the number (see [`Self::narrow_size`]).
    fn narrow_cast(&mut self, kernel: &Kernel, to: Scalar, value: &Size, range: Range) {
        let limits = range::scalar_limits(to);
        let known = self.size_range(kernel, value).map(|(range, _)| range);
        let is_same = limits.zip(known).is_some_and(|(limits, known)| limits.contains(known));
        if is_same {
            self.narrow_size(kernel, value, range);
        }
    }

    /// Narrows each operand of an operation by the other operand (see [`Self::narrow_size`]).
    fn narrow_binary(&mut self, kernel: &Kernel, op: BinaryOp, parts: &[Size; 2], to: Range) {
        let [lhs, rhs] = parts;
        let sides = [self.size_range(kernel, lhs), self.size_range(kernel, rhs)];
        let [Some((left, _)), Some((right, _))] = sides else { return };
        let less = |a: Range, b: Range| {
            Range::new(a.min.saturating_sub(b.max), a.max.saturating_sub(b.min))
        };
        match op {
            BinaryOp::Add => {
                self.narrow_size(kernel, lhs, less(to, right));
                self.narrow_size(kernel, rhs, less(to, left));
            }
            BinaryOp::Sub => {
                let sum = |a: Range, b: Range| {
                    Range::new(a.min.saturating_add(b.min), a.max.saturating_add(b.max))
                };
                self.narrow_size(kernel, lhs, sum(to, right));
                self.narrow_size(kernel, rhs, less(left, to));
            }
            BinaryOp::Mul => {
                for (side, by) in [(lhs, right), (rhs, left)] {
                    if by.min == by.max && by.min > 0 {
                        let least = -(-to.min.max(-i128::MAX)).div_euclid(by.min);
                        self.narrow_size(
                            kernel,
                            side,
                            Range::new(least, to.max.div_euclid(by.min)),
                        );
                    }
                }
            }
            BinaryOp::Div if left.min >= 0 && right.min == right.max && right.min > 0 => {
                let least = to.min.max(0).saturating_mul(right.min);
                let most = to.max.saturating_mul(right.min).saturating_add(right.min - 1);
                self.narrow_size(kernel, lhs, Range::new(least, most));
            }
            BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max
            | BinaryOp::MulHigh
            | BinaryOp::RotateLeft => {}
        }
    }
}

/// Returns the limits of a scalar's type, or of a slice's length: no object is larger than
/// `i64::MAX` bytes.
fn param_limits(kind: &ParamKind) -> Range {
    match kind {
        ParamKind::Slice { access: Access::Constant { max }, .. } => Range::new(0, (*max).into()),
        ParamKind::Slice {
            elem,
            access:
                Access::Read
                | Access::Write
                | Access::Atomic
                | Access::Texture
                | Access::SurfaceRead(_)
                | Access::SurfaceWrite(_)
                | Access::TensorRead
                | Access::TensorWrite,
        } => {
            let size = elem.size().unwrap_or(1);
            Range::new(0, i128::from(i64::MAX) / i128::from(size))
        }
        ParamKind::Scalar(scalar) => range::scalar_limits(*scalar).unwrap_or(Range::EMPTY),
    }
}

/// Returns the range of threads in a block along `axis`.
fn block_dim(kernel: &Kernel, axis: Axis) -> Range {
    let (declared, most) = match (&kernel.block, axis) {
        (Some([x, ..]), Axis::X) => (x.known(), 1024),
        (Some([_, y, _]), Axis::Y) => (y.known(), 1024),
        (Some([.., z]), Axis::Z) => (z.known(), 64),
        (None, Axis::X | Axis::Y) => (None, 1024),
        (None, Axis::Z) => (None, 64),
    };
    let declared = declared.map(i128::from);
    declared.map_or(Range::new(1, most), |threads| Range::new(threads, threads))
}

/// Returns the range of blocks in a grid along `axis`.
fn grid_dim(kernel: &Kernel, axis: Axis, block: [Range; 3]) -> Range {
    let most = match axis {
        Axis::X => (1 << 31) - 1,
        Axis::Y | Axis::Z => 65535,
    };
    let of_threads = MAX_AXIS_THREADS / block[axis as usize].min.max(1);
    Range::new(1, if kernel.wide_index { most } else { most.min(of_threads) })
}
