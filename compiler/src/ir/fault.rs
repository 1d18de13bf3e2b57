//! The reasons for which a thread ends early.

/// The reason for which a thread ended early. The numbers are those in a fault record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Fault {
    /// An index is not less than the length.
    IndexOutOfBounds = 0,
    /// `x / 0`
    DivideByZero = 1,
    /// `x % 0`
    RemainderByZero = 2,
    /// `MIN / -1`
    DivideOverflow = 3,
    /// `MIN % -1`
    RemainderOverflow = 4,
    /// `-MIN`, where overflow is checked.
    NegateOverflow = 5,
    /// A sum outside the type, where overflow is checked.
    AddOverflow = 6,
    /// A difference outside the type, where overflow is checked.
    SubtractOverflow = 7,
    /// A product outside the type, where overflow is checked.
    MultiplyOverflow = 8,
    /// `<<` by the width or more, where overflow is checked.
    ShiftLeftOverflow = 9,
    /// `>>` by the width or more, where overflow is checked.
    ShiftRightOverflow = 10,
    /// A range that steps by zero.
    StepByZero = 11,
    /// `clamp` between bounds that are no range.
    ClampBounds = 12,
    /// `isqrt` of a negative number.
    NegativeSquareRoot = 13,
    /// `ilog2` and the like of zero or a negative number.
    NonPositiveLogarithm = 14,
    /// [`Op::Panic`](super::Op::Panic), with a message of the kernel's.
    Panic = 15,
}

impl Fault {
    /// Every fault, in the order of their numbers.
    pub const ALL: [Self; 16] = [
        Self::IndexOutOfBounds,
        Self::DivideByZero,
        Self::RemainderByZero,
        Self::DivideOverflow,
        Self::RemainderOverflow,
        Self::NegateOverflow,
        Self::AddOverflow,
        Self::SubtractOverflow,
        Self::MultiplyOverflow,
        Self::ShiftLeftOverflow,
        Self::ShiftRightOverflow,
        Self::StepByZero,
        Self::ClampBounds,
        Self::NegativeSquareRoot,
        Self::NonPositiveLogarithm,
        Self::Panic,
    ];

    /// Returns the name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IndexOutOfBounds => "index_out_of_bounds",
            Self::DivideByZero => "divide_by_zero",
            Self::RemainderByZero => "remainder_by_zero",
            Self::DivideOverflow => "divide_overflow",
            Self::RemainderOverflow => "remainder_overflow",
            Self::NegateOverflow => "negate_overflow",
            Self::AddOverflow => "add_overflow",
            Self::SubtractOverflow => "subtract_overflow",
            Self::MultiplyOverflow => "multiply_overflow",
            Self::ShiftLeftOverflow => "shift_left_overflow",
            Self::ShiftRightOverflow => "shift_right_overflow",
            Self::StepByZero => "step_by_zero",
            Self::ClampBounds => "clamp_bounds",
            Self::NegativeSquareRoot => "negative_square_root",
            Self::NonPositiveLogarithm => "non_positive_logarithm",
            Self::Panic => "panic",
        }
    }

    /// Returns the message of Rust's panic for this reason; the caller adds an index and a length.
    pub const fn message(self) -> &'static str {
        match self {
            Self::IndexOutOfBounds => "index out of bounds",
            Self::DivideByZero => "attempt to divide by zero",
            Self::RemainderByZero => "attempt to calculate the remainder with a divisor of zero",
            Self::DivideOverflow => "attempt to divide with overflow",
            Self::RemainderOverflow => "attempt to calculate the remainder with overflow",
            Self::NegateOverflow => "attempt to negate with overflow",
            Self::AddOverflow => "attempt to add with overflow",
            Self::SubtractOverflow => "attempt to subtract with overflow",
            Self::MultiplyOverflow => "attempt to multiply with overflow",
            Self::ShiftLeftOverflow => "attempt to shift left with overflow",
            Self::ShiftRightOverflow => "attempt to shift right with overflow",
            Self::StepByZero => "attempt to step a range by zero",
            Self::ClampBounds => "min > max, or either was NaN",
            Self::NegativeSquareRoot => "argument of integer square root cannot be negative",
            Self::NonPositiveLogarithm => "argument of integer logarithm must be positive",
            Self::Panic => "explicit panic",
        }
    }
}
