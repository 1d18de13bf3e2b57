//! Operations on integers held once.
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
    /// The address `b * c` bytes behind the address `a`, in the same buffer.
    Offset,
    /// `a + b * c`: what lanes have in common of an address. It may lie before the buffer, where each lane's own part
    /// leads back into it.
    Common,
}

impl IntegerOp {
    /// What it makes of its operands: always by the same instructions of the host, which cannot foresee well which
    /// operation comes next.
    #[inline(always)]
    pub(crate) fn of(self, a: u64, b: u64, c: u64) -> u64 {
        let Form { multiplies, takes_third, by, stays } = FORMS[self as usize];
        let base = a & !multiplies;
        let one = (a & multiplies) | (b & !multiplies);
        let two = (b & multiplies) | (c & takes_third) | by;
        (a & stays) | (base.wrapping_add(one.wrapping_mul(two)) & !stays)
    }
}

/// An operation as `a + b * by`, `a + b * c` or `a * b`, by the bits that it takes of its operands.
struct Form {
    multiplies: u64,
    takes_third: u64,
    by: u64,
    /// The bits of `a` that stay.
    stays: u64,
}

/// Of each [`IntegerOp`].
static FORMS: [Form; 5] = [
    Form { multiplies: 0, takes_third: 0, by: 1, stays: 0 },
    Form { multiplies: 0, takes_third: 0, by: u64::MAX, stays: 0 },
    Form { multiplies: u64::MAX, takes_third: 0, by: 0, stays: 0 },
    Form { multiplies: 0, takes_third: u64::MAX, by: 0, stays: lanes::BUFFER },
    Form { multiplies: 0, takes_third: u64::MAX, by: 0, stays: 0 },
];
