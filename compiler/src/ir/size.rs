//! Numbers that are known at launch: lengths of shared arrays, and conditions of requirements.
//!
//! The front end converts the instructions that compute a length in the kernel to a [`Size`], which
//! the launcher computes before anything runs, with the same result. If an integer in it overflows,
//! the kernel would wrap, and the launcher refuses the launch.
use super::{Axis, evaluate};
use super::{BinaryOp, Builtin, CompareOp, Extent, GenericId, ParamId, Scalar, UnaryOp};
use std::fmt;

/// The number of elements of a shared array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Length {
    /// Known once the kernel is specialized.
    Fixed(Extent),
    /// Known at launch: a `u64`.
    Launch(Size),
}

/// A number that is known at launch. Each part has the type of the instruction of which it was
/// made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// A literal, as the bits of its type (zero-extended).
    Const(Scalar, u64),
    /// A `u64` that is known once the kernel is specialized.
    Extent(Extent),
    /// A constant parameter.
    Generic(GenericId),
    /// A scalar parameter's value.
    Param(ParamId),
    /// The number of elements of a slice parameter (`u64`).
    Len(ParamId),
    /// Threads in a block or blocks in the grid along an axis (`u64`); no other builtin.
    Builtin(Builtin),
    /// As [`Op::Unary`](super::Op::Unary).
    Unary(UnaryOp, Box<Size>),
    /// As [`Op::Binary`](super::Op::Binary).
    Binary(BinaryOp, Box<[Size; 2]>),
    /// As [`Op::Compare`](super::Op::Compare).
    Compare(CompareOp, Box<[Size; 2]>),
    /// As [`Op::Select`](super::Op::Select).
    Select(Box<[Size; 3]>),
    /// As [`Op::Cast`](super::Op::Cast).
    Cast(Scalar, Box<Size>),
}

/// The values of a launch that sizes are computed from.
#[derive(Clone, Copy, Debug)]
pub struct Passed<'a> {
    /// For each parameter: a scalar's type and bits, or `u64` and the number of elements of a
    /// slice.
    pub params: &'a [(Scalar, u64)],
    /// Threads in a block.
    pub block: [u32; 3],
    /// Blocks in the grid.
    pub grid: [u32; 3],
}

/// The reason for which a size has no value in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeError {
    /// A sum, difference, product or negation is outside its type.
    Overflow,
    /// A division by zero, or a float operation without one result.
    Undefined,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "overflows",
            Self::Undefined => "divides by zero",
        })
    }
}

impl std::error::Error for SizeError {}

impl Size {
    /// Returns the operands.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Const(..)
            | Self::Extent(_)
            | Self::Generic(_)
            | Self::Param(_)
            | Self::Len(_)
            | Self::Builtin(_) => &[],
            Self::Unary(_, value) | Self::Cast(_, value) => std::slice::from_ref(value),
            Self::Binary(_, parts) | Self::Compare(_, parts) => &parts[..],
            Self::Select(parts) => &parts[..],
        }
    }

    /// Returns the operands, to replace.
    pub fn parts_mut(&mut self) -> &mut [Self] {
        match self {
            Self::Const(..)
            | Self::Extent(_)
            | Self::Generic(_)
            | Self::Param(_)
            | Self::Len(_)
            | Self::Builtin(_) => &mut [],
            Self::Unary(_, value) | Self::Cast(_, value) => std::slice::from_mut(value),
            Self::Binary(_, parts) | Self::Compare(_, parts) => &mut parts[..],
            Self::Select(parts) => &mut parts[..],
        }
    }

    /// Returns the number for a launch of a specialized kernel.
    ///
    /// # Errors
    /// If the kernel would wrap or end a thread when it computes the number.
    pub fn evaluate(&self, passed: &Passed<'_>) -> Result<u64, SizeError> {
        self.evaluate_typed(passed).map(|(_, bits)| bits)
    }

    /// Returns the type and the bits of the number for a launch.
    pub(super) fn evaluate_typed(&self, passed: &Passed<'_>) -> Result<(Scalar, u64), SizeError> {
        let param = |id: &ParamId| {
            passed.params.get(crate::id::Id::index(*id)).copied().ok_or(SizeError::Undefined)
        };
        let known = |bits: Option<u64>| bits.ok_or(SizeError::Undefined);
        match self {
            Self::Const(scalar, bits) => Ok((*scalar, *bits)),
            Self::Extent(extent) => Ok((Scalar::U64, known(extent.known())?)),
            Self::Generic(_) => Err(SizeError::Undefined),
            Self::Param(id) | Self::Len(id) => param(id),
            Self::Builtin(builtin) => Ok((Scalar::U64, known(launch_dimension(*builtin, passed))?)),
            Self::Unary(op, value) => {
                let (ty, value) = value.evaluate_typed(passed)?;
                if *op == UnaryOp::Neg {
                    check_exact(ty, [0, value], |zero, value| Some(zero - value))?;
                }
                Ok((ty, known(evaluate::unary(*op, ty, value))?))
            }
            Self::Binary(op, parts) => {
                let [(ty, lhs), (_, rhs)] =
                    [parts[0].evaluate_typed(passed)?, parts[1].evaluate_typed(passed)?];
                match op {
                    BinaryOp::Add => check_exact(ty, [lhs, rhs], i128::checked_add)?,
                    BinaryOp::Sub => check_exact(ty, [lhs, rhs], i128::checked_sub)?,
                    BinaryOp::Mul => check_exact(ty, [lhs, rhs], i128::checked_mul)?,
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
                Ok((ty, known(evaluate::binary(*op, ty, lhs, rhs))?))
            }
            Self::Compare(op, parts) => {
                let [(ty, lhs), (_, rhs)] =
                    [parts[0].evaluate_typed(passed)?, parts[1].evaluate_typed(passed)?];
                let truth = evaluate::compare(*op, ty, lhs, rhs).map(u64::from);
                Ok((Scalar::Bool, known(truth)?))
            }
            // The kernel computes both sides, but uses one. Only that one is checked.
            Self::Select(parts) => match parts[0].evaluate_typed(passed)? {
                (_, 0) => parts[2].evaluate_typed(passed),
                _ => parts[1].evaluate_typed(passed),
            },
            Self::Cast(to, value) => {
                let (from, value) = value.evaluate_typed(passed)?;
                Ok((*to, known(evaluate::cast(from, *to, value))?))
            }
        }
    }
}

/// Returns an error if `op` of two integers of a type is outside of the type.
fn check_exact(
    ty: Scalar,
    values: [u64; 2],
    op: fn(i128, i128) -> Option<i128>,
) -> Result<(), SizeError> {
    let [Some(lhs), Some(rhs)] = values.map(|bits| evaluate::integer(ty, bits)) else {
        return Ok(());
    };
    let (min, max) = evaluate::limits(ty).unwrap_or((i128::MIN, i128::MAX));
    match op(lhs, rhs) {
        Some(result) if (min..=max).contains(&result) => Ok(()),
        Some(_) | None => Err(SizeError::Overflow),
    }
}

/// Returns the value of a builtin in a launch; `None` if it differs between threads.
fn launch_dimension(builtin: Builtin, passed: &Passed<'_>) -> Option<u64> {
    let along = |[x, y, z]: [u32; 3], axis| match axis {
        Axis::X => x,
        Axis::Y => y,
        Axis::Z => z,
    };
    match builtin {
        Builtin::BlockDim(axis) => Some(along(passed.block, axis).into()),
        Builtin::GridDim(axis) => Some(along(passed.grid, axis).into()),
        Builtin::ThreadIdx(_)
        | Builtin::BlockIdx(_)
        | Builtin::GlobalIdx(_)
        | Builtin::LaneId
        | Builtin::WarpId
        | Builtin::LaneMask(_)
        | Builtin::CoarseningFactor => None,
    }
}

impl Builtin {
    /// Returns true if it is the same for all threads, and so known at launch.
    pub const fn is_known_at_launch(self) -> bool {
        match self {
            Self::BlockDim(_) | Self::GridDim(_) | Self::CoarseningFactor => true,
            Self::ThreadIdx(_)
            | Self::BlockIdx(_)
            | Self::GlobalIdx(_)
            | Self::LaneId
            | Self::WarpId
            | Self::LaneMask(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id as _;

    const PASSED: Passed<'_> = Passed {
        params: &[(Scalar::U64, 100), (Scalar::I32, -3i32 as u32 as u64), (Scalar::U8, 200)],
        block: [32, 8, 1],
        grid: [5, 1, 1],
    };

    fn size(text: &str) -> Size {
        let text = format!(
            "kernel k {{ param arg0 = x: read [f32] param arg1 = i: i32 param arg2 = b: u8
             shared @0 = t: [f32; launch {text}] }}"
        );
        let kernel: crate::ir::Kernel = text.parse().unwrap();
        match &kernel.shared[super::super::SharedId::new(0)].len {
            Length::Launch(size) => size.clone(),
            Length::Fixed(extent) => panic!("{extent}"),
        }
    }

    #[test]
    fn sizes_equal_those_that_kernels_compute() {
        for (text, expected) in [
            ("const 7 : u64", Ok(7)),
            ("extent (3 * 4)", Err(SizeError::Undefined)),
            ("extent 12", Ok(12)),
            ("len arg0", Ok(100)),
            ("mul(len arg0, builtin block_dim.y)", Ok(800)),
            ("sub(len arg0, const 101 : u64)", Err(SizeError::Overflow)),
            ("add(len arg0, const 18446744073709551615 : u64)", Err(SizeError::Overflow)),
            ("mul(const 4294967296 : u64, const 4294967296 : u64)", Err(SizeError::Overflow)),
            ("div(len arg0, const 0 : u64)", Err(SizeError::Undefined)),
            ("rem(len arg0, builtin grid_dim.x)", Ok(0)),
            ("cast u64(add(arg1, const 5 : i32))", Ok(2)),
            ("cast u64(neg(arg1))", Ok(3)),
            ("cast u64(arg1)", Ok(u64::MAX - 2)),
            ("cast u64(add(arg2, const 56 : u8))", Err(SizeError::Overflow)),
            ("select(lt(len arg0, const 5 : u64), const 1 : u64, const 2 : u64)", Ok(2)),
            ("max(builtin block_dim.z, const 9 : u64)", Ok(9)),
        ] {
            assert_eq!(size(text).evaluate(&PASSED), expected, "{text}");
        }
    }
}
