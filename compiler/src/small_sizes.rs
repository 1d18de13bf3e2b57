//! Code for launches whose sizes fit in 32 bits, as almost all do.
//!
//! Indices are `usize` in Rust, and GPUs have 32-bit registers. Sums and products of sizes, and
//! comparisons with them, take one instruction if they are below 2^32, and two to four otherwise; a
//! division takes 20 instead of 70. So a kernel is compiled for slices with at most [`MAX_SIZE`]
//! elements, and for values of its [size parameters](size_params) that are at most as large. A
//! launch that passes more runs other code, which is compiled at the first such launch. A kernel
//! with `wide_index` has one code, for all sizes.
//!
//! [`Sizes::assume`] states these limits as requirements of the kernel, which is how every analysis
//! learns of them. Lints, `explain` and the interpreter judge the kernel without them.
use crate::{
    id::Facts,
    ir::{
        BinaryOp, CompareOp, Inst, InstId, Kernel, Op, Param, ParamId, ParamKind, Requirement,
        Scalar, Size, Span, Ty, UnaryOp,
    },
};

/// The largest size that counts as small: sums of two such fit in 32 bits as well.
pub const MAX_SIZE: u64 = i32::MAX as u64;

/// The most scalar parameters that are followed; further ones are no sizes.
const MAX_FOLLOWED: usize = 64;

/// The sizes of the launches that code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// At most [`MAX_SIZE`].
    Small,
    /// All.
    Any,
}

impl Sizes {
    /// Returns the sizes of a launch: `numbers` are the values of its scalars and the lengths of
    /// its slices, `are_sizes` tells which of them [are sizes](find_sizes).
    pub fn of_launch(are_sizes: &[bool], numbers: impl IntoIterator<Item = u64>) -> Self {
        let is_small = |(is_size, number): (&bool, u64)| !is_size || number <= MAX_SIZE;
        if are_sizes.iter().zip(numbers).all(is_small) { Self::Small } else { Self::Any }
    }

    /// Requires of every launch of `kernel` that its sizes are these.
    #[must_use]
    pub fn assume(self, kernel: Kernel) -> Kernel {
        match self {
            Self::Small => assume_small(kernel),
            Self::Any => kernel,
        }
    }
}

fn assume_small(mut kernel: Kernel) -> Kernel {
    let limit = |(id, is_size): (ParamId, bool)| {
        let Param { name, kind, .. } = &kernel.params[id];
        let (size, text) = match kind {
            ParamKind::Slice { .. } => (Size::Len(id), format!("{name}.len()")),
            ParamKind::Scalar(_) => (Size::Param(id), name.clone()),
        };
        let sides = Box::new([size, Size::Const(Scalar::U64, MAX_SIZE)]);
        is_size.then(|| Requirement {
            text: format!("{text} <= {MAX_SIZE}"),
            cond: Size::Compare(CompareOp::Le, sides),
            span: Span::KERNEL,
        })
    };
    let limits: Vec<Requirement> =
        kernel.params.ids().zip(find_sizes(&kernel)).filter_map(limit).collect();
    kernel.requires.extend(limits);
    kernel
}

/// Returns for each parameter of `kernel` true if it has a size: the length of a slice, or the
/// value of one of its [`size_params`]. A kernel with `wide_index` has none that are limited.
pub fn find_sizes(kernel: &Kernel) -> Vec<bool> {
    if kernel.wide_index {
        return vec![false; kernel.params.len()];
    }
    let scalars = size_params(kernel);
    let is_size = |id: ParamId| is_slice(&kernel.params[id].kind) || scalars.contains(&id);
    kernel.params.ids().map(is_size).collect()
}

fn is_slice(kind: &ParamKind) -> bool {
    matches!(kind, ParamKind::Slice { .. })
}

/// Returns the parameters of type `usize` or `u64` that are sizes. A seed or a key is none:
/// launches pass any value, and nothing that is computed from it indexes or counts. It shows in
/// operations on its bits, in large constants beside it, and in results that are stored.
fn size_params(kernel: &Kernel) -> Vec<ParamId> {
    let scalars =
        kernel.params.iter().filter(|(_, param)| param.kind == ParamKind::Scalar(Scalar::U64));
    let scalars: Vec<ParamId> = scalars.map(|(id, _)| id).take(MAX_FOLLOWED).collect();
    if scalars.is_empty() {
        return scalars;
    }
    let data = Origins::of(kernel, &scalars).data(kernel);
    let is_size = |place: usize| data & (1 << place) == 0;
    scalars
        .iter()
        .enumerate()
        .filter(|(place, _)| is_size(*place))
        .map(|(_, param)| *param)
        .collect()
}

/// The parameters that each value is computed from, as a bit for each.
struct Origins {
    value: Facts<InstId, u64>,
}

impl Origins {
    fn of(kernel: &Kernel, scalars: &[ParamId]) -> Self {
        let mut value = kernel.insts.facts(0);
        let mut local = kernel.locals.facts(0);
        let mut grew = true;
        // A local may be set after it is read, in an earlier iteration of a loop.
        while std::mem::take(&mut grew) {
            for (id, inst) in kernel.insts.iter() {
                let from: u64 = match &inst.op {
                    Op::Param(param) => scalars
                        .iter()
                        .position(|scalar| scalar == param)
                        .map_or(0, |place| 1 << place),
                    Op::Get(of) => local[*of],
                    Op::Set { local: of, value: set } => {
                        grew |= value[*set] & !local[*of] != 0;
                        local[*of] |= value[*set];
                        0
                    }
                    op if is_integer(inst.ty) && is_arithmetic(op) => {
                        op.operands().map(|operand| value[operand]).fold(0, |all, one| all | one)
                    }
                    _ => 0,
                };
                grew |= from & !value[id] != 0;
                value[id] |= from;
            }
        }
        Self { value }
    }

    /// Returns the parameters whose values are used as data.
    fn data(&self, kernel: &Kernel) -> u64 {
        let uses = kernel.insts.iter().filter(|(_, inst)| is_use_of_data(kernel, inst));
        uses.flat_map(|(_, inst)| inst.op.operands().map(move |operand| (inst, operand)))
            // A place in an array is often stored as `u32`.
            .filter(|(inst, operand)| match inst.op {
                Op::Binary { .. } | Op::Unary { .. } => true,
                _ => kernel.insts[*operand].ty == Ty::Scalar(Scalar::U64),
            })
            .fold(0, |all, (_, operand)| all | self.value[operand])
    }
}

/// True for the type of what may be a size: a number that is cast to a float is none.
fn is_integer(ty: Ty) -> bool {
    matches!(ty, Ty::Scalar(scalar) if scalar.is_int())
}

/// True for operations that make sizes from sizes.
fn is_arithmetic(op: &Op) -> bool {
    match op {
        Op::Binary { op, .. } => !is_on_bits(*op),
        Op::Select { .. } | Op::Cast { .. } | Op::Bounds { .. } | Op::For { .. } => true,
        _ => false,
    }
}

fn is_on_bits(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Xor | BinaryOp::Or | BinaryOp::RotateLeft | BinaryOp::MulHigh)
}

/// True for an instruction that takes no sizes.
fn is_use_of_data(kernel: &Kernel, inst: &Inst) -> bool {
    let is_large = |id: InstId| match kernel.insts[id].op {
        Op::Const(bits) => bits.cast_signed().unsigned_abs() > u32::MAX.into(),
        _ => false,
    };
    match &inst.op {
        Op::Binary { op, lhs, rhs } => is_on_bits(*op) || is_large(*lhs) || is_large(*rhs),
        Op::Unary { op, .. } => *op != UnaryOp::Neg,
        Op::Store { .. }
        | Op::Atomic { .. }
        | Op::AtomicStore { .. }
        | Op::CompareExchange { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::launch::LaunchRanges;

    #[test]
    fn seeds_and_keys_are_no_sizes() {
        let text = "
kernel k {
  param arg0 = n: u64
  param arg1 = seed: u64
  param arg2 = key: u64
  param arg3 = first: u64
  param arg4 = y: write [u64]
  param arg5 = columns: u64
  %0 = builtin global_idx.x : u64
  %1 = param arg0 : u64
  %2 = rem %0, %1 : u64
  %3 = param arg1 : u64
  %4 = const 6364136223846793005 : u64
  %5 = mul %3, %4 : u64
  %6 = param arg2 : u64
  %7 = xor %6, %5 : u64
  %8 = param arg3 : u64
  %9 = add %8, %0 : u64
  %10 = param arg4 : ptr global
  %11 = len arg4 : u64
  %12 = bounds %2, %11 : u64
  %13 = index %10, %12, 8 : ptr global
  %14 = store %13, %9
  %15 = param arg5 : u64
  %16 = cast %15 : f32
  %17 = sqrt %16 : f32
}
";
        let kernel: Kernel = text.parse().unwrap();
        let sizes = size_params(&kernel).into_iter();
        let names: Vec<&str> = sizes.map(|param| &*kernel.params[param].name).collect();
        assert_eq!(names, ["n", "columns"]);
        let with_limits = Sizes::Small.assume(kernel.clone());
        let launch = LaunchRanges::for_kernel(&with_limits);
        let most = kernel.params.ids().map(|param| launch.param(param).max);
        let (small, any) = (i128::from(i32::MAX), i128::from(u64::MAX));
        assert_eq!(most.collect::<Vec<_>>(), [small, any, any, any, small, small]);
    }
}
