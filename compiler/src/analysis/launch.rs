//! Between which limits lies what a launch passes: parameters, lengths, dims of block and grid.
//!
//! From types, from what the launcher allows, and from what the kernel requires of it: with
//! `requires(n <= 1024)`, `n` is at most 1024. Launches that a kernel refuses say nothing.
use super::range::{self, Range};
use crate::{
    id::Facts,
    ir::{
        Axis, BinaryOp, Builtin, CoarseGrid, CompareOp, GenericId, GenericKind, Kernel, ParamId,
        ParamKind, Scalar, Size, UnaryOp,
    },
};

/// The launcher allows no more threads along an axis, unless the kernel says `wide_index`.
const MOST_THREADS: i128 = 1 << 31;

/// How often requirements are gone through: one may narrow what another one mentions.
const ROUNDS: u32 = 3;

/// What every launch of a kernel keeps to.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Of each scalar parameter that is an integer or a `bool` its value, of each slice its length.
    params: Facts<ParamId, Range>,
    /// Of each constant parameter that is an integer its value.
    generics: Facts<GenericId, Range>,
    /// Threads in a block.
    block: [Range; 3],
    /// Blocks in the grid.
    grid: [Range; 3],
    wide_index: bool,
    /// True if a requirement left nothing of a range.
    is_contradictory: bool,
}

impl Launch {
    /// Of `kernel`; where it is generic, less is known. Of contracts that contradict each other none holds: no launch
    /// is allowed then, and nothing is wrong about such a kernel.
    pub fn of(kernel: &Kernel) -> Self {
        let allowed = Self::of_types(kernel);
        let mut launch = allowed.clone();
        for _ in 0..ROUNDS {
            for requirement in &kernel.requires {
                launch.assume(kernel, &requirement.cond, true);
            }
        }
        let is_contradictory = launch.is_contradictory;
        if is_contradictory { Self { is_contradictory, ..allowed } } else { launch }
    }

    /// The limits of types and of the launcher.
    fn of_types(kernel: &Kernel) -> Self {
        let mut params = kernel.params.facts(Range::EMPTY);
        for (id, param) in kernel.params.iter() {
            params[id] = of_param(&param.kind);
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

    /// True if the kernel's contracts contradict each other, as `requires(n == 2, n == 3)`.
    pub fn is_contradictory(&self) -> bool {
        self.is_contradictory
    }

    /// The value of a scalar, if that is an integer, or the length of a slice.
    pub fn param(&self, param: ParamId) -> Range {
        self.params[param]
    }

    /// The value of a constant parameter; empty if that is no integer.
    pub fn generic(&self, generic: GenericId) -> Range {
        self.generics[generic]
    }

    /// What the hardware and the launcher allow.
    pub fn builtin(&self, builtin: Builtin) -> Range {
        let threads = self.block.iter().map(|dim| dim.max).product::<i128>().min(1024);
        match builtin {
            Builtin::ThreadIdx(axis) => Range::new(0, self.block_dim(axis).max - 1),
            Builtin::BlockDim(axis) => self.block_dim(axis),
            Builtin::BlockIdx(axis) => Range::new(0, self.grid_dim(axis).max - 1),
            Builtin::GridDim(axis) => self.grid_dim(axis),
            Builtin::GlobalIdx(axis) => Range::new(0, self.threads(axis) - 1),
            Builtin::LaneId => Range::new(0, threads.min(32) - 1),
            Builtin::WarpId => Range::new(0, (threads - 1) / 32),
            Builtin::LaneMask(_) => Range::new(0, u32::MAX.into()),
            Builtin::CoarseningFactor => Range::new(1, CoarseGrid::MAX_FACTOR.into()),
        }
    }

    /// The most threads that a grid can have along `axis`.
    pub fn threads(&self, axis: Axis) -> i128 {
        let most = self.grid_dim(axis).max * self.block_dim(axis).max;
        if self.wide_index { most } else { most.min(MOST_THREADS) }
    }

    fn block_dim(&self, axis: Axis) -> Range {
        self.block[axis as usize]
    }

    fn grid_dim(&self, axis: Axis) -> Range {
        self.grid[axis as usize]
    }

    /// The range of a size that a launch computed without an error; that of its type's limits if
    /// nothing is known. `None` if it is no integer.
    fn size(&self, kernel: &Kernel, size: &Size) -> Option<(Range, Range)> {
        let of_type = |scalar| range::scalar_limits(scalar).map(|limits| (limits, limits));
        match size {
            Size::Const(scalar, bits) => {
                Some((range::constant(*scalar, *bits)?, range::scalar_limits(*scalar)?))
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
                let (value, limits) = self.size(kernel, value)?;
                Some((range::unary(*op, value, limits), limits))
            }
            Size::Binary(op, parts) => {
                let (lhs, limits) = self.size(kernel, &parts[0])?;
                let (rhs, _) = self.size(kernel, &parts[1])?;
                Some((range::binary(*op, lhs, rhs, limits), limits))
            }
            Size::Compare(..) => of_type(Scalar::Bool),
            Size::Select(parts) => {
                let (then, limits) = self.size(kernel, &parts[1])?;
                let (other, _) = self.size(kernel, &parts[2])?;
                Some((then.union(other), limits))
            }
            Size::Cast(to, value) => {
                let limits = range::scalar_limits(*to)?;
                let known = self.size(kernel, value).map(|(value, _)| value.or_wrapped(limits));
                Some((known.unwrap_or(limits), limits))
            }
        }
    }

    /// Narrows what `cond` being `truth` says something about.
    fn assume(&mut self, kernel: &Kernel, cond: &Size, truth: bool) {
        match cond {
            Size::Unary(UnaryOp::Not, value) => self.assume(kernel, value, !truth),
            Size::Binary(op, parts) if *op == if truth { BinaryOp::And } else { BinaryOp::Or } => {
                parts.iter().for_each(|part| self.assume(kernel, part, truth));
            }
            // `&&` where it is true, `||` where it is false.
            Size::Select(parts) => match &**parts {
                [lhs, rhs, Size::Const(Scalar::Bool, 0)] if truth => {
                    self.assume(kernel, lhs, true);
                    self.assume(kernel, rhs, true);
                }
                [lhs, Size::Const(Scalar::Bool, 1), rhs] if !truth => {
                    self.assume(kernel, lhs, false);
                    self.assume(kernel, rhs, false);
                }
                _ => {}
            },
            Size::Compare(op, parts) => {
                let op = if truth { *op } else { range::inverse(*op) };
                self.assume_compare(kernel, op, &parts[0], &parts[1]);
            }
            Size::Param(_) | Size::Generic(_) => {
                self.narrow(kernel, cond, Range::new(truth.into(), truth.into()));
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
        let sides = (self.size(kernel, lhs), self.size(kernel, rhs));
        let (Some((left, _)), Some((right, _))) = sides else { return };
        let (least, most) = (i128::MIN, i128::MAX);
        match op {
            CompareOp::Lt => {
                self.narrow(kernel, lhs, Range::new(least, right.max - 1));
                self.narrow(kernel, rhs, Range::new(left.min + 1, most));
            }
            CompareOp::Le => {
                self.narrow(kernel, lhs, Range::new(least, right.max));
                self.narrow(kernel, rhs, Range::new(left.min, most));
            }
            CompareOp::Gt => self.assume_compare(kernel, CompareOp::Lt, rhs, lhs),
            CompareOp::Ge => self.assume_compare(kernel, CompareOp::Le, rhs, lhs),
            CompareOp::Eq => {
                self.narrow(kernel, lhs, right);
                self.narrow(kernel, rhs, left);
            }
            CompareOp::Ne => {
                self.narrow(kernel, lhs, left.without(right));
                self.narrow(kernel, rhs, right.without(left));
            }
        }
    }

    /// Narrows what `size` names, or what a sum, difference or product with numbers names. None of them wraps: a launch
    /// whose requirements do is refused.
    fn narrow(&mut self, kernel: &Kernel, size: &Size, to: Range) {
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

    /// As [`Self::narrow`], of a cast: of its operand, if it is the same number.
    fn narrow_cast(&mut self, kernel: &Kernel, to: Scalar, value: &Size, range: Range) {
        let limits = range::scalar_limits(to);
        let known = self.size(kernel, value).map(|(range, _)| range);
        let is_same = limits.zip(known).is_some_and(|(limits, known)| limits.contains(known));
        if is_same {
            self.narrow(kernel, value, range);
        }
    }

    /// As [`Self::narrow`], of each side of an operation, given the other side.
    fn narrow_binary(&mut self, kernel: &Kernel, op: BinaryOp, parts: &[Size; 2], to: Range) {
        let [lhs, rhs] = parts;
        let sides = [self.size(kernel, lhs), self.size(kernel, rhs)];
        let [Some((left, _)), Some((right, _))] = sides else { return };
        let less = |a: Range, b: Range| {
            Range::new(a.min.saturating_sub(b.max), a.max.saturating_sub(b.min))
        };
        match op {
            BinaryOp::Add => {
                self.narrow(kernel, lhs, less(to, right));
                self.narrow(kernel, rhs, less(to, left));
            }
            BinaryOp::Sub => {
                let sum = |a: Range, b: Range| {
                    Range::new(a.min.saturating_add(b.min), a.max.saturating_add(b.max))
                };
                self.narrow(kernel, lhs, sum(to, right));
                self.narrow(kernel, rhs, less(left, to));
            }
            BinaryOp::Mul => {
                for (side, by) in [(lhs, right), (rhs, left)] {
                    if by.min == by.max && by.min > 0 {
                        let least = -(-to.min.max(-i128::MAX)).div_euclid(by.min);
                        self.narrow(kernel, side, Range::new(least, to.max.div_euclid(by.min)));
                    }
                }
            }
            BinaryOp::Div if left.min >= 0 && right.min == right.max && right.min > 0 => {
                let least = to.min.max(0).saturating_mul(right.min);
                let most = to.max.saturating_mul(right.min).saturating_add(right.min - 1);
                self.narrow(kernel, lhs, Range::new(least, most));
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

/// The limits of a scalar's type; of a slice's length: no object is larger than `i64::MAX` bytes.
fn of_param(kind: &ParamKind) -> Range {
    match kind {
        ParamKind::Slice { elem, .. } => {
            let size = elem.size().unwrap_or(1);
            Range::new(0, i128::from(i64::MAX) / i128::from(size))
        }
        ParamKind::Scalar(scalar) => range::scalar_limits(*scalar).unwrap_or(Range::EMPTY),
    }
}

/// Threads in a block along `axis`.
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

/// Blocks in a grid along `axis`.
fn grid_dim(kernel: &Kernel, axis: Axis, block: [Range; 3]) -> Range {
    let most = match axis {
        Axis::X => (1 << 31) - 1,
        Axis::Y | Axis::Z => 65535,
    };
    let of_threads = MOST_THREADS / block[axis as usize].min.max(1);
    Range::new(1, if kernel.wide_index { most } else { most.min(of_threads) })
}
