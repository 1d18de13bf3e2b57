//! Arithmetic of constants: operators and methods of integers and `bool`s.
//!
//! A result that does not fit its type has no value here; rustc reports the overflow.
use crate::types::Prim;
use syn::BinOp;
use warpwise_compiler::ir::evaluate;

/// An integer or `bool`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    /// The value; 0 or 1 for a `bool`.
    pub(super) value: i128,
    /// The type; `None` for a literal whose type is not known. Operations whose result depends on
    /// the type have none for such a number.
    pub(super) prim: Option<Prim>,
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Number {
    pub(super) const fn bool(value: bool) -> Self {
        Self { value: value as i128, prim: Some(Prim::Bool) }
    }

    /// Returns the number of this type, if it fits.
    pub(super) fn new(value: i128, prim: Option<Prim>) -> Option<Self> {
        let fits = prim.is_none_or(|prim| wrap(value, prim) == value);
        fits.then_some(Self { value, prim })
    }

    /// Gives a number without a type this one; `None` if it does not fit.
    pub(super) fn typed(self, prim: Option<Prim>) -> Option<Self> {
        if self.prim.is_some() { Some(self) } else { Self::new(self.value, prim) }
    }

    /// Returns the value of a cast.
    pub(super) fn cast(self, prim: Prim) -> Option<Self> {
        let is_number = prim.is_int() || prim == Prim::Bool;
        is_number.then(|| Self { value: wrap(self.value, prim), prim: Some(prim) })
    }

    pub(super) fn negate(self) -> Option<Self> {
        Self::new(self.value.checked_neg()?, self.prim)
    }

    pub(super) fn complement(self) -> Option<Self> {
        let value = match self.prim? {
            Prim::Bool => 1 - self.value,
            prim => wrap(!self.value, prim),
        };
        Some(Self { value, prim: self.prim })
    }

    /// Applies an operator that evaluates both sides; an assignment as its operator.
    pub(super) fn apply(op: &BinOp, left: Self, right: Self) -> Option<Self> {
        let (a, b) = (left.value, right.value);
        let compared = match op {
            BinOp::Eq(_) => Some(a == b),
            BinOp::Ne(_) => Some(a != b),
            BinOp::Lt(_) => Some(a < b),
            BinOp::Le(_) => Some(a <= b),
            BinOp::Gt(_) => Some(a > b),
            BinOp::Ge(_) => Some(a >= b),
            _ => None,
        };
        if let Some(compared) = compared {
            return Some(Self::bool(compared));
        }
        let value = match op {
            BinOp::Add(_) | BinOp::AddAssign(_) => a.checked_add(b)?,
            BinOp::Sub(_) | BinOp::SubAssign(_) => a.checked_sub(b)?,
            BinOp::Mul(_) | BinOp::MulAssign(_) => a.checked_mul(b)?,
            BinOp::Div(_) | BinOp::DivAssign(_) => a.checked_div(b)?,
            BinOp::Rem(_) | BinOp::RemAssign(_) => a.checked_rem(b)?,
            BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => a & b,
            BinOp::BitOr(_) | BinOp::BitOrAssign(_) => a | b,
            BinOp::BitXor(_) | BinOp::BitXorAssign(_) => a ^ b,
            // The bits that leave the type are lost without an error.
            BinOp::Shl(_) | BinOp::ShlAssign(_) => {
                let bits = left.bits()?;
                let by = u32::try_from(b).ok().filter(|by| *by < bits)?;
                let shifted = wrap(a.checked_mul(1i128 << by)?, left.prim?);
                return Some(Self { value: shifted, prim: left.prim });
            }
            BinOp::Shr(_) | BinOp::ShrAssign(_) => {
                let bits = left.bits()?;
                let by = u32::try_from(b).ok().filter(|by| *by < bits)?;
                return Some(Self { value: a >> by, prim: left.prim });
            }
            _ => return None,
        };
        Self::new(value, left.prim.or(right.prim))
    }

    /// Returns the number of bits of the type.
    fn bits(self) -> Option<u32> {
        self.prim?.scalar().bits()
    }

    /// Returns the number in two's complement.
    fn complement_bits(self) -> Option<u64> {
        Some(evaluate::wrap(self.prim?.scalar(), self.value))
    }

    /// Calls a method of integers that std declares `const`.
    pub(super) fn call(self, name: &str, args: &[Self]) -> Option<Self> {
        let a = self.value;
        let of_own_type = |value: i128| Self::new(value, self.prim);
        let count = |value: u32| Self::new(value.into(), Some(Prim::U32));
        match args {
            [] => match name {
                "next_power_of_two" => {
                    of_own_type(u64::try_from(a).ok()?.checked_next_power_of_two()?.into())
                }
                "is_power_of_two" => Some(Self::bool(a.count_ones() == 1)),
                "ilog2" => count(a.checked_ilog2()?),
                "ilog10" => count(a.checked_ilog10()?),
                "isqrt" => of_own_type(a.checked_isqrt()?),
                "abs" => of_own_type(a.checked_abs()?),
                "signum" => of_own_type(a.signum()),
                "count_ones" => count(self.complement_bits()?.count_ones()),
                "count_zeros" => count(self.bits()? - self.complement_bits()?.count_ones()),
                "leading_zeros" => {
                    count(self.complement_bits()?.leading_zeros() - (64 - self.bits()?))
                }
                "trailing_zeros" => {
                    count(self.complement_bits()?.trailing_zeros().min(self.bits()?))
                }
                _ => None,
            },
            [Self { value: b, prim }] => {
                let common = Self { value: a, prim: self.prim.or(*prim) };
                match name {
                    "pow" => of_own_type(a.checked_pow(u32::try_from(*b).ok()?)?),
                    "ilog" => count(a.checked_ilog(*b)?),
                    "div_ceil" => {
                        let rest = a.checked_rem(*b)?;
                        let up = rest != 0 && (rest > 0) == (*b > 0);
                        of_own_type(a / b + i128::from(up))
                    }
                    "next_multiple_of" => {
                        let over = a.checked_rem_euclid(*b)?;
                        of_own_type(if over == 0 { a } else { a.checked_add(b - over)? })
                    }
                    "div_euclid" => of_own_type(a.checked_div_euclid(*b)?),
                    "rem_euclid" => of_own_type(a.checked_rem_euclid(*b)?),
                    "abs_diff" if common.prim.is_some_and(|prim| !prim.scalar().is_signed()) => {
                        Self::new(a.checked_sub(*b)?.checked_abs()?, common.prim)
                    }
                    "saturating_add" => common.saturate(a.checked_add(*b)?),
                    "saturating_sub" => common.saturate(a.checked_sub(*b)?),
                    "saturating_mul" => common.saturate(a.checked_mul(*b)?),
                    "wrapping_add" => {
                        Self { value: a.checked_add(*b)?, ..common }.cast(common.prim?)
                    }
                    "wrapping_sub" => {
                        Self { value: a.checked_sub(*b)?, ..common }.cast(common.prim?)
                    }
                    "wrapping_mul" => {
                        // The low 64 bits of a product are right, however large it is.
                        Self { value: a.wrapping_mul(*b), ..common }.cast(common.prim?)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the value of this number's type that is nearest to `value`.
    fn saturate(self, value: i128) -> Option<Self> {
        let (min, max) = evaluate::limits(self.prim?.scalar())?;
        Some(Self { value: value.clamp(min, max), prim: self.prim })
    }
}

/// Returns `value` wrapped around at the boundary of the type.
pub(super) fn wrap(value: i128, prim: Prim) -> i128 {
    let scalar = prim.scalar();
    evaluate::integer(scalar, evaluate::wrap(scalar, value)).unwrap_or(value)
}
