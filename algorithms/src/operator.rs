//! Operators that combine the elements of reductions and scans.
use warpwise::prelude::*;

/// An associative operator with an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operator {
    /// The sum. Integers wrap.
    Sum,
    /// The smallest element. Of floats, NaNs are ignored, and -0.0 is less than +0.0.
    Min,
    /// The largest element. Of floats, NaNs are ignored, and -0.0 is less than +0.0.
    Max,
}

impl Operator {
    /// Returns the result for no elements: 0, or the largest or smallest number.
    ///
    /// ```
    /// use warpwise_algorithms::Operator;
    ///
    /// assert_eq!(Operator::Sum.identity::<i32>(), 0);
    /// assert_eq!(Operator::Min.identity::<u8>(), 255);
    /// assert_eq!(Operator::Max.identity::<f32>(), f32::NEG_INFINITY);
    /// ```
    pub fn identity<T: Num>(self) -> T {
        match self {
            Self::Sum => identity::<T, SUM>(),
            Self::Min => identity::<T, MIN>(),
            Self::Max => identity::<T, MAX>(),
        }
    }
}

/// The code of [`Operator::Sum`] in kernels.
#[device]
pub(crate) const SUM: u32 = 0;
/// The code of [`Operator::Min`].
#[device]
pub(crate) const MIN: u32 = 1;
/// The code of [`Operator::Max`].
#[device]
pub(crate) const MAX: u32 = 2;

/// Returns the result for no elements.
#[device]
pub(crate) fn identity<T: Num, const OPERATOR: u32>() -> T {
    match OPERATOR {
        SUM => T::ZERO,
        // Of integers the largest number, since the conversion saturates.
        MIN => T::from_f64(f64::INFINITY),
        // `MAX`
        _ => T::from_f64(f64::NEG_INFINITY),
    }
}

/// Combines two elements.
#[device]
pub(crate) fn combine<T: Num, const OPERATOR: u32>(a: T, b: T) -> T {
    match OPERATOR {
        SUM => a + b,
        MIN => a.min(b),
        // `MAX`
        _ => a.max(b),
    }
}

/// Launches the instance of a kernel for an [`Operator`] that is known only at run time.
macro_rules! launch_with_operator {
    ($operator:expr, $kernel:ident::<$T:ty $(, $EXCLUSIVE:ident)?>($($arg:expr),* $(,)?)) => {
        match $operator {
            $crate::Operator::Sum => {
                $kernel::<$T, { $crate::operator::SUM } $(, $EXCLUSIVE)?>::launch($($arg),*)
            }
            $crate::Operator::Min => {
                $kernel::<$T, { $crate::operator::MIN } $(, $EXCLUSIVE)?>::launch($($arg),*)
            }
            $crate::Operator::Max => {
                $kernel::<$T, { $crate::operator::MAX } $(, $EXCLUSIVE)?>::launch($($arg),*)
            }
        }
    };
}
pub(crate) use launch_with_operator;
