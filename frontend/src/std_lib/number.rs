//! Methods of numbers longer than a short sequence of instructions, as kernel code that is lowered
//! with its callers. `Self::Signed` and `Self::Unsigned` are the integers of the same size.
trait Int {
    fn checked_ilog(self, base: Self) -> Option<u32> {
        if self <= 0 || base <= 1 {
            return None;
        }
        let mut log: u32 = 0;
        let mut rest = self;
        while rest >= base {
            rest /= base;
            log = log.wrapping_add(1);
        }
        Some(log)
    }
    fn checked_ilog2(self) -> Option<u32> {
        if self <= 0 { None } else { Some(self.ilog2()) }
    }
    fn checked_ilog10(self) -> Option<u32> {
        if self <= 0 { None } else { Some(self.ilog10()) }
    }
    fn ilog(self, base: Self) -> u32 {
        if base < 2 {
            panic!("base of integer logarithm must be at least 2");
        }
        match self.checked_ilog(base) {
            Some(log) => log,
            None => panic!("argument of integer logarithm must be positive"),
        }
    }
    fn strict_add(self, other: Self) -> Self {
        match self.checked_add(other) {
            Some(sum) => sum,
            None => panic!("attempt to add with overflow"),
        }
    }
    fn strict_sub(self, other: Self) -> Self {
        match self.checked_sub(other) {
            Some(difference) => difference,
            None => panic!("attempt to subtract with overflow"),
        }
    }
    fn strict_mul(self, other: Self) -> Self {
        match self.checked_mul(other) {
            Some(product) => product,
            None => panic!("attempt to multiply with overflow"),
        }
    }
    fn strict_pow(self, exponent: u32) -> Self {
        match self.checked_pow(exponent) {
            Some(power) => power,
            None => panic!("attempt to multiply with overflow"),
        }
    }
    fn strict_neg(self) -> Self {
        match self.checked_neg() {
            Some(negated) => negated,
            None => panic!("attempt to negate with overflow"),
        }
    }
    fn strict_shl(self, by: u32) -> Self {
        match self.checked_shl(by) {
            Some(shifted) => shifted,
            None => panic!("attempt to shift left with overflow"),
        }
    }
    fn strict_shr(self, by: u32) -> Self {
        match self.checked_shr(by) {
            Some(shifted) => shifted,
            None => panic!("attempt to shift right with overflow"),
        }
    }
    fn strict_div(self, by: Self) -> Self {
        self / by
    }
    fn strict_rem(self, by: Self) -> Self {
        self % by
    }
    fn strict_div_euclid(self, by: Self) -> Self {
        self.div_euclid(by)
    }
    fn strict_rem_euclid(self, by: Self) -> Self {
        self.rem_euclid(by)
    }
}

trait Signed {
    fn checked_isqrt(self) -> Option<Self> {
        if self < 0 { None } else { Some(self.isqrt()) }
    }
    fn saturating_add_unsigned(self, other: Self::Unsigned) -> Self {
        let (sum, overflows) = self.overflowing_add_unsigned(other);
        if overflows { Self::MAX } else { sum }
    }
    fn saturating_sub_unsigned(self, other: Self::Unsigned) -> Self {
        let (difference, overflows) = self.overflowing_sub_unsigned(other);
        if overflows { Self::MIN } else { difference }
    }
    fn strict_add_unsigned(self, other: Self::Unsigned) -> Self {
        match self.checked_add_unsigned(other) {
            Some(sum) => sum,
            None => panic!("attempt to add with overflow"),
        }
    }
    fn strict_sub_unsigned(self, other: Self::Unsigned) -> Self {
        match self.checked_sub_unsigned(other) {
            Some(difference) => difference,
            None => panic!("attempt to subtract with overflow"),
        }
    }
    fn strict_abs(self) -> Self {
        match self.checked_abs() {
            Some(positive) => positive,
            None => panic!("attempt to negate with overflow"),
        }
    }
}

trait Unsigned {
    fn overflowing_sub_signed(self, other: Self::Signed) -> (Self, bool) {
        let (difference, borrows) = self.overflowing_sub(other as Self);
        (difference, borrows != (other < 0))
    }
    fn checked_sub_signed(self, other: Self::Signed) -> Option<Self> {
        let (difference, overflows) = self.overflowing_sub_signed(other);
        if overflows { None } else { Some(difference) }
    }
    fn saturating_add_signed(self, other: Self::Signed) -> Self {
        let (sum, overflows) = self.overflowing_add_signed(other);
        if !overflows {
            sum
        } else if other < 0 {
            0
        } else {
            Self::MAX
        }
    }
    fn saturating_sub_signed(self, other: Self::Signed) -> Self {
        let (difference, overflows) = self.overflowing_sub_signed(other);
        if !overflows {
            difference
        } else if other < 0 {
            Self::MAX
        } else {
            0
        }
    }
    fn strict_add_signed(self, other: Self::Signed) -> Self {
        match self.checked_add_signed(other) {
            Some(sum) => sum,
            None => panic!("attempt to add with overflow"),
        }
    }
    fn strict_sub_signed(self, other: Self::Signed) -> Self {
        match self.checked_sub_signed(other) {
            Some(difference) => difference,
            None => panic!("attempt to subtract with overflow"),
        }
    }
    fn checked_signed_diff(self, other: Self) -> Option<Self::Signed> {
        let difference = self.wrapping_sub(other) as Self::Signed;
        if (self >= other) == (difference < 0) { None } else { Some(difference) }
    }
    fn checked_next_multiple_of(self, of: Self) -> Option<Self> {
        if of == 0 {
            return None;
        }
        let rest = self % of;
        if rest == 0 { Some(self) } else { self.checked_add(of.wrapping_sub(rest)) }
    }
    fn checked_next_power_of_two(self) -> Option<Self> {
        if self <= 1 {
            return Some(1);
        }
        let below = Self::MAX >> self.wrapping_sub(1).leading_zeros();
        below.checked_add(1)
    }
    fn carrying_add(self, other: Self, carry: bool) -> (Self, bool) {
        let (sum, first) = self.overflowing_add(other);
        let (sum, second) = sum.overflowing_add(carry as Self);
        (sum, first || second)
    }
    fn borrowing_sub(self, other: Self, borrow: bool) -> (Self, bool) {
        let (difference, first) = self.overflowing_sub(other);
        let (difference, second) = difference.overflowing_sub(borrow as Self);
        (difference, first || second)
    }
    fn carrying_mul(self, other: Self, carry: Self) -> (Self, Self) {
        self.carrying_mul_add(other, carry, 0)
    }
    fn carrying_mul_add(self, other: Self, carry: Self, add: Self) -> (Self, Self) {
        let (low, first) = self.wrapping_mul(other).overflowing_add(carry);
        let (low, second) = low.overflowing_add(add);
        let high = self.__warpwise_mul_high(other);
        (low, high.wrapping_add(first as Self).wrapping_add(second as Self))
    }
}

trait Word {
    fn carrying_add(self, other: Self, carry: bool) -> (Self, bool) {
        let carry = carry as Self;
        let sum = self.__warpwise_add_carry(other, carry);
        (sum, self.__warpwise_carry_out(other, carry) != 0)
    }
    fn borrowing_sub(self, other: Self, borrow: bool) -> (Self, bool) {
        let (difference, exceeds) = self.carrying_add(!other, !borrow);
        (difference, !exceeds)
    }
    fn carrying_mul_add(self, other: Self, carry: Self, add: Self) -> (Self, Self) {
        let product = (self as u64).wrapping_mul(other as u64);
        let sum = product.wrapping_add(carry as u64).wrapping_add(add as u64);
        (sum as Self, sum.wrapping_shr(32) as Self)
    }
}

trait DoubleWord {
    fn carrying_add(self, other: Self, carry: bool) -> (Self, bool) {
        let (low, carry) = (self as u32).carrying_add(other as u32, carry);
        let (high, other_high) = (self.wrapping_shr(32) as u32, other.wrapping_shr(32) as u32);
        let (high, carry) = high.carrying_add(other_high, carry);
        ((high as Self).wrapping_shl(32) | low as Self, carry)
    }
    fn borrowing_sub(self, other: Self, borrow: bool) -> (Self, bool) {
        let (difference, exceeds) = self.carrying_add(!other, !borrow);
        (difference, !exceeds)
    }
}

trait Wide {
    fn next_up(self) -> Self {
        let bits = self.to_bits();
        let without_sign = bits.wrapping_shl(1).wrapping_shr(1);
        if self.is_nan() || self == Self::INFINITY {
            self
        } else if without_sign == 0 {
            Self::from_bits(1)
        } else if bits == without_sign {
            Self::from_bits(bits.wrapping_add(1))
        } else {
            Self::from_bits(bits.wrapping_sub(1))
        }
    }
    fn next_down(self) -> Self {
        -(-self).next_up()
    }
}

impl f32 {
    fn midpoint(self, other: f32) -> f32 {
        ((self as f64 + other as f64) / 2.0) as f32
    }
}

impl f64 {
    fn midpoint(self, other: f64) -> f64 {
        let low = f64::MIN_POSITIVE * 2.0;
        let high = f64::MAX / 2.0;
        if self.abs() <= high && other.abs() <= high {
            (self + other) / 2.0
        } else if self.abs() < low {
            self + other / 2.0
        } else if other.abs() < low {
            self / 2.0 + other
        } else {
            self / 2.0 + other / 2.0
        }
    }
}

impl u8 {
    fn is_ascii(&self) -> bool {
        *self < 128
    }
    fn is_ascii_digit(&self) -> bool {
        *self >= b'0' && *self <= b'9'
    }
    fn is_ascii_hexdigit(&self) -> bool {
        self.is_ascii_digit() || (*self | 32 >= b'a' && *self | 32 <= b'f')
    }
    fn is_ascii_lowercase(&self) -> bool {
        *self >= b'a' && *self <= b'z'
    }
    fn is_ascii_uppercase(&self) -> bool {
        *self >= b'A' && *self <= b'Z'
    }
    fn is_ascii_alphabetic(&self) -> bool {
        *self | 32 >= b'a' && *self | 32 <= b'z'
    }
    fn is_ascii_alphanumeric(&self) -> bool {
        self.is_ascii_digit() || self.is_ascii_alphabetic()
    }
    fn is_ascii_graphic(&self) -> bool {
        *self >= b'!' && *self <= b'~'
    }
    fn is_ascii_punctuation(&self) -> bool {
        self.is_ascii_graphic() && !self.is_ascii_alphanumeric()
    }
    fn is_ascii_control(&self) -> bool {
        *self < 32 || *self == 127
    }
    fn is_ascii_whitespace(&self) -> bool {
        *self == b' ' || *self == b'\t' || *self == b'\n' || *self == 12 || *self == b'\r'
    }
    fn to_ascii_lowercase(&self) -> u8 {
        *self | ((self.is_ascii_uppercase() as u8) << 5)
    }
    fn to_ascii_uppercase(&self) -> u8 {
        *self ^ ((self.is_ascii_lowercase() as u8) << 5)
    }
    fn make_ascii_lowercase(&mut self) {
        *self = self.to_ascii_lowercase();
    }
    fn make_ascii_uppercase(&mut self) {
        *self = self.to_ascii_uppercase();
    }
    fn eq_ignore_ascii_case(&self, other: &u8) -> bool {
        self.to_ascii_lowercase() == other.to_ascii_lowercase()
    }
}
