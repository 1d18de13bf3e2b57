//! `Wrapping`, as kernel code that is lowered with its callers.
struct Wrapping<T>(T);

impl<T> Add for Wrapping<T> {
    fn add(self, other: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_add(other.0))
    }
}

impl<T> AddAssign for Wrapping<T> {
    fn add_assign(&mut self, other: Wrapping<T>) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl<T> AddAssign<T> for Wrapping<T> {
    fn add_assign(&mut self, other: T) {
        self.0 = self.0.wrapping_add(other);
    }
}

impl<T> Sub for Wrapping<T> {
    fn sub(self, other: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_sub(other.0))
    }
}

impl<T> SubAssign for Wrapping<T> {
    fn sub_assign(&mut self, other: Wrapping<T>) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

impl<T> SubAssign<T> for Wrapping<T> {
    fn sub_assign(&mut self, other: T) {
        self.0 = self.0.wrapping_sub(other);
    }
}

impl<T> Mul for Wrapping<T> {
    fn mul(self, other: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_mul(other.0))
    }
}

impl<T> MulAssign for Wrapping<T> {
    fn mul_assign(&mut self, other: Wrapping<T>) {
        self.0 = self.0.wrapping_mul(other.0);
    }
}

impl<T> MulAssign<T> for Wrapping<T> {
    fn mul_assign(&mut self, other: T) {
        self.0 = self.0.wrapping_mul(other);
    }
}

impl<T> Div for Wrapping<T> {
    fn div(self, other: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_div(other.0))
    }
}

impl<T> DivAssign for Wrapping<T> {
    fn div_assign(&mut self, other: Wrapping<T>) {
        self.0 = self.0.wrapping_div(other.0);
    }
}

impl<T> DivAssign<T> for Wrapping<T> {
    fn div_assign(&mut self, other: T) {
        self.0 = self.0.wrapping_div(other);
    }
}

impl<T> Rem for Wrapping<T> {
    fn rem(self, other: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_rem(other.0))
    }
}

impl<T> RemAssign for Wrapping<T> {
    fn rem_assign(&mut self, other: Wrapping<T>) {
        self.0 = self.0.wrapping_rem(other.0);
    }
}

impl<T> RemAssign<T> for Wrapping<T> {
    fn rem_assign(&mut self, other: T) {
        self.0 = self.0.wrapping_rem(other);
    }
}

impl<T> BitAnd for Wrapping<T> {
    fn bitand(self, other: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0 & other.0)
    }
}

impl<T> BitAndAssign for Wrapping<T> {
    fn bitand_assign(&mut self, other: Wrapping<T>) {
        self.0 &= other.0;
    }
}

impl<T> BitAndAssign<T> for Wrapping<T> {
    fn bitand_assign(&mut self, other: T) {
        self.0 &= other;
    }
}

impl<T> BitOr for Wrapping<T> {
    fn bitor(self, other: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0 | other.0)
    }
}

impl<T> BitOrAssign for Wrapping<T> {
    fn bitor_assign(&mut self, other: Wrapping<T>) {
        self.0 |= other.0;
    }
}

impl<T> BitOrAssign<T> for Wrapping<T> {
    fn bitor_assign(&mut self, other: T) {
        self.0 |= other;
    }
}

impl<T> BitXor for Wrapping<T> {
    fn bitxor(self, other: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0 ^ other.0)
    }
}

impl<T> BitXorAssign for Wrapping<T> {
    fn bitxor_assign(&mut self, other: Wrapping<T>) {
        self.0 ^= other.0;
    }
}

impl<T> BitXorAssign<T> for Wrapping<T> {
    fn bitxor_assign(&mut self, other: T) {
        self.0 ^= other;
    }
}

impl<T> Shl<usize> for Wrapping<T> {
    fn shl(self, by: usize) -> Wrapping<T> {
        Wrapping(self.0.wrapping_shl(by as u32))
    }
}

impl<T> ShlAssign<usize> for Wrapping<T> {
    fn shl_assign(&mut self, by: usize) {
        self.0 = self.0.wrapping_shl(by as u32);
    }
}

impl<T> Shr<usize> for Wrapping<T> {
    fn shr(self, by: usize) -> Wrapping<T> {
        Wrapping(self.0.wrapping_shr(by as u32))
    }
}

impl<T> ShrAssign<usize> for Wrapping<T> {
    fn shr_assign(&mut self, by: usize) {
        self.0 = self.0.wrapping_shr(by as u32);
    }
}

impl<T> Neg for Wrapping<T> {
    fn neg(self) -> Wrapping<T> {
        Wrapping(self.0.wrapping_neg())
    }
}

impl<T> Not for Wrapping<T> {
    fn not(self) -> Wrapping<T> {
        Wrapping(!self.0)
    }
}
