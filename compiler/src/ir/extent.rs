//! Lengths and strides: numbers that are known once a kernel is specialized.
use super::{GenericId, Scalar};

/// A number known at launch, as an expression over generic parameters. Its
/// value is computed in `u64`; overflow is an error of specialization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// This number.
    Const(u64),
    /// A constant parameter.
    Generic(GenericId),
    /// Size of a scalar in bytes.
    SizeOf(Scalar),
    /// Sum.
    Add(Box<Extent>, Box<Extent>),
    /// Difference.
    Sub(Box<Extent>, Box<Extent>),
    /// Product.
    Mul(Box<Extent>, Box<Extent>),
    /// Quotient, rounded down.
    Div(Box<Extent>, Box<Extent>),
    /// The larger one.
    Max(Box<Extent>, Box<Extent>),
}

impl Extent {
    /// Returns the number, if it needs no specialization; once specialized, always `Some`.
    pub const fn known(&self) -> Option<u64> {
        match self {
            Self::Const(value) => Some(*value),
            Self::Generic(_)
            | Self::SizeOf(_)
            | Self::Add(..)
            | Self::Sub(..)
            | Self::Mul(..)
            | Self::Div(..)
            | Self::Max(..) => None,
        }
    }

    /// Replaces parameters by `generic`'s values and `scalar`'s types and
    /// computes what can be computed; `None` on overflow or division by zero.
    pub fn fold(
        &self,
        generic: &impl Fn(GenericId) -> Self,
        scalar: &impl Fn(Scalar) -> Scalar,
    ) -> Option<Self> {
        type Exact = fn(u64, u64) -> Option<u64>;
        let binary =
            |a: &Self, b: &Self, exact: Exact, rebuild: fn(Box<Self>, Box<Self>) -> Self| match (
                a.fold(generic, scalar)?,
                b.fold(generic, scalar)?,
            ) {
                (Self::Const(a), Self::Const(b)) => exact(a, b).map(Self::Const),
                (a, b) => Some(rebuild(Box::new(a), Box::new(b))),
            };
        match self {
            Self::Const(value) => Some(Self::Const(*value)),
            Self::Generic(id) => Some(generic(*id)),
            Self::SizeOf(of) => Some(match scalar(*of).size() {
                Some(size) => Self::Const(u64::from(size)),
                None => Self::SizeOf(scalar(*of)),
            }),
            Self::Add(a, b) => binary(a, b, u64::checked_add, Self::Add),
            Self::Sub(a, b) => binary(a, b, u64::checked_sub, Self::Sub),
            Self::Mul(a, b) => binary(a, b, u64::checked_mul, Self::Mul),
            Self::Div(a, b) => binary(a, b, u64::checked_div, Self::Div),
            Self::Max(a, b) => binary(a, b, |a, b| Some(a.max(b)), Self::Max),
        }
    }

    /// Computes what can be computed without specialization; `None` on overflow.
    pub fn simplified(&self) -> Option<Self> {
        self.fold(&Self::Generic, &|scalar| scalar)
    }
}

impl From<u64> for Extent {
    fn from(value: u64) -> Self {
        Self::Const(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;

    fn binary(op: fn(Box<Extent>, Box<Extent>) -> Extent, a: Extent, b: Extent) -> Extent {
        op(Box::new(a), Box::new(b))
    }

    #[test]
    fn numbers_are_computed_exactly_or_not_at_all() {
        let max = u64::MAX;
        type Binary = fn(Box<Extent>, Box<Extent>) -> Extent;
        let cases: [(Binary, u64, u64, Option<u64>); 11] = [
            (Extent::Add, 2, 3, Some(5)),
            (Extent::Add, max, 1, None),
            (Extent::Sub, 3, 3, Some(0)),
            (Extent::Sub, 2, 3, None),
            (Extent::Mul, max, 1, Some(max)),
            (Extent::Mul, 1 << 32, 1 << 32, None),
            (Extent::Div, 7, 2, Some(3)),
            (Extent::Div, 0, 5, Some(0)),
            (Extent::Div, 7, 0, None),
            (Extent::Max, 7, 0, Some(7)),
            (Extent::Max, 3, max, Some(max)),
        ];
        for (op, a, b, expected) in cases {
            let extent = binary(op, a.into(), b.into());
            assert_eq!(extent.simplified(), expected.map(Extent::Const), "{extent}");
            assert_eq!(extent.known(), None);
        }
    }

    #[test]
    fn generics_stay_until_they_are_known() {
        let [n, t] = [GenericId::new(0), GenericId::new(1)];
        let size = Extent::SizeOf(Scalar::Generic(t));
        let bytes = binary(Extent::Mul, Extent::Generic(n), size);
        let sum = binary(Extent::Add, bytes, binary(Extent::Mul, 2.into(), 3.into()));
        assert_eq!(sum.simplified().unwrap().to_string(), "((T0 * sizeof(T1)) + 6)");
        let eight = |_| Extent::Const(8);
        assert_eq!(sum.fold(&eight, &|_| Scalar::F64), Some(Extent::Const(70)));
        assert_eq!(Extent::SizeOf(Scalar::U16).simplified(), Some(Extent::Const(2)));
    }
}
