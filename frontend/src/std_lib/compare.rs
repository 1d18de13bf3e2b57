//! Comparisons, as kernel code that is lowered with its callers.
enum Ordering {
    Less = -1,
    Equal = 0,
    Greater = 1,
}

impl Ordering {
    fn is_eq(self) -> bool {
        matches!(self, Ordering::Equal)
    }
    fn is_ne(self) -> bool {
        !matches!(self, Ordering::Equal)
    }
    fn is_lt(self) -> bool {
        matches!(self, Ordering::Less)
    }
    fn is_gt(self) -> bool {
        matches!(self, Ordering::Greater)
    }
    fn is_le(self) -> bool {
        !matches!(self, Ordering::Greater)
    }
    fn is_ge(self) -> bool {
        !matches!(self, Ordering::Less)
    }
    fn reverse(self) -> Ordering {
        match self {
            Ordering::Less => Ordering::Greater,
            Ordering::Equal => Ordering::Equal,
            Ordering::Greater => Ordering::Less,
        }
    }
    fn then(self, other: Ordering) -> Ordering {
        match self {
            Ordering::Equal => other,
            _ => self,
        }
    }
    fn then_with<F: FnOnce() -> Ordering>(self, f: F) -> Ordering {
        match self {
            Ordering::Equal => f(),
            _ => self,
        }
    }
}

struct Reverse<T>(T);

impl<T> PartialOrd for Reverse<T> {
    fn partial_cmp(&self, other: &Reverse<T>) -> Option<Ordering> {
        other.0.partial_cmp(&self.0)
    }
    fn lt(&self, other: &Reverse<T>) -> bool {
        other.0 < self.0
    }
    fn le(&self, other: &Reverse<T>) -> bool {
        other.0 <= self.0
    }
    fn gt(&self, other: &Reverse<T>) -> bool {
        other.0 > self.0
    }
    fn ge(&self, other: &Reverse<T>) -> bool {
        other.0 >= self.0
    }
}

trait Compare<T> {
    fn cmp(&self, other: &T) -> Ordering {
        if *self < *other {
            Ordering::Less
        } else if *self == *other {
            Ordering::Equal
        } else {
            Ordering::Greater
        }
    }
    fn partial_cmp(&self, other: &T) -> Option<Ordering> {
        if *self < *other {
            Some(Ordering::Less)
        } else if *self == *other {
            Some(Ordering::Equal)
        } else if *self > *other {
            Some(Ordering::Greater)
        } else {
            None
        }
    }
    fn total_cmp_16(&self, other: &T) -> Ordering {
        let a = self.to_bits() as i16;
        let b = other.to_bits() as i16;
        let a = a ^ ((a >> 15) as u16 >> 1) as i16;
        let b = b ^ ((b >> 15) as u16 >> 1) as i16;
        a.cmp(&b)
    }
    fn total_cmp_32(&self, other: &T) -> Ordering {
        let a = self.to_bits() as i32;
        let b = other.to_bits() as i32;
        let a = a ^ ((a >> 31) as u32 >> 1) as i32;
        let b = b ^ ((b >> 31) as u32 >> 1) as i32;
        a.cmp(&b)
    }
    fn total_cmp_64(&self, other: &T) -> Ordering {
        let a = self.to_bits() as i64;
        let b = other.to_bits() as i64;
        let a = a ^ ((a >> 63) as u64 >> 1) as i64;
        let b = b ^ ((b >> 63) as u64 >> 1) as i64;
        a.cmp(&b)
    }
    fn eq(&self, other: &T) -> bool {
        *self == *other
    }
    fn ne(&self, other: &T) -> bool {
        *self != *other
    }
    fn lt(&self, other: &T) -> bool {
        *self < *other
    }
    fn le(&self, other: &T) -> bool {
        *self <= *other
    }
    fn gt(&self, other: &T) -> bool {
        *self > *other
    }
    fn ge(&self, other: &T) -> bool {
        *self >= *other
    }
    fn max(self, other: T) -> T {
        if other < self { self } else { other }
    }
    fn min(self, other: T) -> T {
        if other < self { other } else { self }
    }
    fn clamp(self, min: T, max: T) -> T {
        assert!(min <= max);
        if self < min {
            min
        } else if self > max {
            max
        } else {
            self
        }
    }
}

struct RangeTo<T> { end: T }

impl<T> RangeTo<T> {
    fn contains(&self, value: &T) -> bool {
        *value < self.end
    }
}

struct RangeToInclusive<T> { end: T }

impl<T> RangeToInclusive<T> {
    fn contains(&self, value: &T) -> bool {
        *value <= self.end
    }
}

trait Choose {
    fn min_by<T, F: FnOnce(&T, &T) -> Ordering>(a: T, b: T, compare: F) -> T {
        if compare(&b, &a).is_lt() { b } else { a }
    }
    fn max_by<T, F: FnOnce(&T, &T) -> Ordering>(a: T, b: T, compare: F) -> T {
        if compare(&b, &a).is_lt() { a } else { b }
    }
    fn min_by_key<T, F: FnMut(&T) -> K, K>(a: T, b: T, mut f: F) -> T {
        if f(&b) < f(&a) { b } else { a }
    }
    fn max_by_key<T, F: FnMut(&T) -> K, K>(a: T, b: T, mut f: F) -> T {
        if f(&b) < f(&a) { a } else { b }
    }
}

trait Ordered {
    fn lt(found: Option<Ordering>) -> bool {
        matches!(found, Some(Ordering::Less))
    }
    fn le(found: Option<Ordering>) -> bool {
        matches!(found, Some(Ordering::Less | Ordering::Equal))
    }
    fn gt(found: Option<Ordering>) -> bool {
        matches!(found, Some(Ordering::Greater))
    }
    fn ge(found: Option<Ordering>) -> bool {
        matches!(found, Some(Ordering::Greater | Ordering::Equal))
    }
}
