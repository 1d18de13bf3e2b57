//! Errors of the calls of this crate.
use thiserror::Error;
use warpwise::{Buffer3, Slice2, Stored};

/// An error of a call of this crate.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// An error of a launch, a copy or an allocation.
    #[error(transparent)]
    Device(#[from] warpwise::Error),
    /// A slice of another length than the call needs.
    #[error("`{argument}` has {found} elements, and {expected} are needed")]
    Length {
        /// The parameter of the function.
        argument: &'static str,
        /// The number of elements that the other arguments determine.
        expected: usize,
        /// The number of elements of the slice.
        found: usize,
    },
    /// A matrix of another shape than the call needs.
    #[error("`{argument}` has {} rows and {} columns, and {} rows and {} columns are needed",
        found.0, found.1, expected.0, expected.1)]
    Shape {
        /// The parameter of the function.
        argument: &'static str,
        /// The rows and columns that the other arguments determine.
        expected: (usize, usize),
        /// The rows and columns of the matrix.
        found: (usize, usize),
    },
    /// An array of three dimensions of another shape than the call needs.
    #[error(
        "`{argument}` has the shape {found:?}, and {expected:?} is needed: layers, rows and columns"
    )]
    Layers {
        /// The parameter of the function.
        argument: &'static str,
        /// The layers, rows and columns that the other arguments determine.
        expected: (usize, usize, usize),
        /// The layers, rows and columns of the array.
        found: (usize, usize, usize),
    },
    /// Heads of a size that attention does not take.
    #[error("heads have {size} numbers, and 8, 16, 24 and so on up to 128 are possible")]
    HeadSize {
        /// The number of columns.
        size: usize,
    },
    /// A factor of scores that attention does not take.
    #[error("the scale is {scale}, and a finite number above 0 is needed")]
    Scale {
        /// The factor.
        scale: f32,
    },
    /// More elements than the call takes.
    #[error("{found} elements, and at most {most} are possible")]
    TooLong {
        /// The number of elements.
        found: usize,
        /// The largest number.
        most: usize,
    },
}

/// The result of a call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Checks the length of a slice.
pub(crate) fn require_length(argument: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Length { argument, expected, found }) }
}

/// Checks the rows and columns of a matrix.
pub(crate) fn require_shape<T: Stored>(
    argument: &'static str,
    matrix: &Slice2<T>,
    expected: (usize, usize),
) -> Result<()> {
    let found = (matrix.rows(), matrix.columns());
    if found == expected { Ok(()) } else { Err(Error::Shape { argument, expected, found }) }
}

/// Checks the layers, rows and columns of an array of three dimensions.
pub(crate) fn require_layers<T: Stored>(
    argument: &'static str,
    array: &Buffer3<T>,
    expected: (usize, usize, usize),
) -> Result<()> {
    let found = (array.layers(), array.rows(), array.columns());
    if found == expected { Ok(()) } else { Err(Error::Layers { argument, expected, found }) }
}
