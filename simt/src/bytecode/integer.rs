//! Operations on uniform integers.
use crate::vector::lanes;

/// An operation on uniform integers of one size, modulo their range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntegerOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// The address `b * c` bytes after the address `a`, in the same buffer.
    Offset,
    /// `a + b * c`: the part of an address that all lanes share. It may lie before the buffer,
    /// where the part of each lane leads back into it.
    Common,
}

impl IntegerOp {
    /// Computes the operation. All operations execute the same host instructions, because the host
    /// cannot predict well which operation comes next.
    #[inline(always)]
    pub(crate) fn apply(self, a: u64, b: u64, c: u64) -> u64 {
        let Form { multiplies, takes_third, by, stays } = FORMS[self as usize];
        let base = a & !multiplies;
        let one = (a & multiplies) | (b & !multiplies);
        let two = (b & multiplies) | (c & takes_third) | by;
        (a & stays) | (base.wrapping_add(one.wrapping_mul(two)) & !stays)
    }
}

/// An operation as `a + b * by`, `a + b * c` or `a * b`, in masks that select its operands.
struct Form {
    multiplies: u64,
    takes_third: u64,
    by: u64,
    /// The bits of `a` that are kept.
    stays: u64,
}

/// The form of each [`IntegerOp`].
static FORMS: [Form; 5] = [
    Form { multiplies: 0, takes_third: 0, by: 1, stays: 0 },
    Form { multiplies: 0, takes_third: 0, by: u64::MAX, stays: 0 },
    Form { multiplies: u64::MAX, takes_third: 0, by: 0, stays: 0 },
    Form { multiplies: 0, takes_third: u64::MAX, by: 0, stays: lanes::BUFFER },
    Form { multiplies: 0, takes_third: u64::MAX, by: 0, stays: 0 },
];
