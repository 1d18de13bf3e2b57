//! Consumers of iterators and queries of ranges, as kernel code that is lowered with its callers.
//!
//! The crate `half` sums in `f32` and rounds once, and so do the functions of halves.
trait Iterator<T> {
    fn fold<B, F: FnMut(B, T) -> B>(self, init: B, mut f: F) -> B {
        let mut folded = init;
        for item in self {
            folded = f(folded, item);
        }
        folded
    }
    fn for_each<F: FnMut(T)>(self, mut f: F) {
        for item in self {
            f(item);
        }
    }
    fn sum_of_floats<S>(self) -> S {
        let mut sum: S = -0.0;
        for item in self {
            sum += item;
        }
        sum
    }
    fn sum_of_halves<S: Num>(self) -> S {
        let mut sum: f32 = -0.0;
        for item in self {
            sum += item.as_f32();
        }
        S::from_f64(sum as f64)
    }
    fn sum_of_integers<S>(self) -> S {
        let mut sum: S = 0;
        for item in self {
            sum += item;
        }
        sum
    }
    fn sum_of_generic_numbers<S: Num>(self) -> S {
        let mut sum: S = S::from_f64(-0.0);
        let mut sum_of_halves: f32 = -0.0;
        for item in self {
            sum += item;
            sum_of_halves += item.as_f32();
        }
        if size_of::<S>() == 2 && S::from_f64(0.5) != S::ZERO {
            S::from_f64(sum_of_halves as f64)
        } else {
            sum
        }
    }
    fn product_of_floats<S>(self) -> S {
        let mut product: S = 1.0;
        for item in self {
            product *= item;
        }
        product
    }
    fn product_of_halves<S: Num>(self) -> S {
        let mut product: f32 = 1.0;
        for item in self {
            product *= item.as_f32();
        }
        S::from_f64(product as f64)
    }
    fn product_of_integers<S>(self) -> S {
        let mut product: S = 1;
        for item in self {
            product *= item;
        }
        product
    }
    fn product_of_generic_numbers<S: Num>(self) -> S {
        let mut product: S = S::ONE;
        let mut product_of_halves: f32 = 1.0;
        for item in self {
            product *= item;
            product_of_halves *= item.as_f32();
        }
        if size_of::<S>() == 2 && S::from_f64(0.5) != S::ZERO {
            S::from_f64(product_of_halves as f64)
        } else {
            product
        }
    }
    fn sum_of_floats_in_options<S>(self) -> Option<S> {
        let mut sum: S = -0.0;
        for item in self {
            sum += item?;
        }
        Some(sum)
    }
    fn sum_of_halves_in_options<S: Num>(self) -> Option<S> {
        let mut sum: f32 = -0.0;
        for item in self {
            sum += item?.as_f32();
        }
        Some(S::from_f64(sum as f64))
    }
    fn sum_of_integers_in_options<S>(self) -> Option<S> {
        let mut sum: S = 0;
        for item in self {
            sum += item?;
        }
        Some(sum)
    }
    fn product_of_floats_in_options<S>(self) -> Option<S> {
        let mut product: S = 1.0;
        for item in self {
            product *= item?;
        }
        Some(product)
    }
    fn product_of_halves_in_options<S: Num>(self) -> Option<S> {
        let mut product: f32 = 1.0;
        for item in self {
            product *= item?.as_f32();
        }
        Some(S::from_f64(product as f64))
    }
    fn product_of_integers_in_options<S>(self) -> Option<S> {
        let mut product: S = 1;
        for item in self {
            product *= item?;
        }
        Some(product)
    }
    fn sum_of_floats_in_results<S, E>(self) -> Result<S, E> {
        let mut sum: S = -0.0;
        for item in self {
            sum += item?;
        }
        Ok(sum)
    }
    fn sum_of_halves_in_results<S: Num, E>(self) -> Result<S, E> {
        let mut sum: f32 = -0.0;
        for item in self {
            sum += item?.as_f32();
        }
        Ok(S::from_f64(sum as f64))
    }
    fn sum_of_integers_in_results<S, E>(self) -> Result<S, E> {
        let mut sum: S = 0;
        for item in self {
            sum += item?;
        }
        Ok(sum)
    }
    fn product_of_floats_in_results<S, E>(self) -> Result<S, E> {
        let mut product: S = 1.0;
        for item in self {
            product *= item?;
        }
        Ok(product)
    }
    fn product_of_halves_in_results<S: Num, E>(self) -> Result<S, E> {
        let mut product: f32 = 1.0;
        for item in self {
            product *= item?.as_f32();
        }
        Ok(S::from_f64(product as f64))
    }
    fn product_of_integers_in_results<S, E>(self) -> Result<S, E> {
        let mut product: S = 1;
        for item in self {
            product *= item?;
        }
        Ok(product)
    }
    fn is_sorted(self) -> bool {
        self.is_sorted_by(|a, b| *a <= *b)
    }
    fn is_sorted_by<F: FnMut(&T, &T) -> bool>(self, mut f: F) -> bool {
        let mut before: Option<T> = None;
        for item in self {
            if let Some(last) = before {
                if !f(&last, &item) {
                    return false;
                }
            }
            before = Some(item);
        }
        true
    }
    fn is_sorted_by_key<F: FnMut(T) -> K, K>(self, mut f: F) -> bool {
        self.map(f).is_sorted()
    }
    fn count(self) -> usize {
        let mut count: usize = 0;
        for _ in self {
            count = count.wrapping_add(1);
        }
        count
    }
    fn any<F: FnMut(T) -> bool>(self, mut f: F) -> bool {
        for item in self {
            if f(item) {
                return true;
            }
        }
        false
    }
    fn all<F: FnMut(T) -> bool>(self, mut f: F) -> bool {
        for item in self {
            if !f(item) {
                return false;
            }
        }
        true
    }
    fn position<F: FnMut(T) -> bool>(self, mut f: F) -> Option<usize> {
        let mut index: usize = 0;
        for item in self {
            if f(item) {
                return Some(index);
            }
            index = index.wrapping_add(1);
        }
        None
    }
    fn find<F: FnMut(&T) -> bool>(self, mut f: F) -> Option<T> {
        for item in self {
            if f(&item) {
                return Some(item);
            }
        }
        None
    }
    fn find_map<B, F: FnMut(T) -> Option<B>>(self, mut f: F) -> Option<B> {
        for item in self {
            if let Some(found) = f(item) {
                return Some(found);
            }
        }
        None
    }
    fn next(self) -> Option<T> {
        for item in self {
            return Some(item);
        }
        None
    }
    fn nth(self, n: usize) -> Option<T> {
        for item in self.skip(n) {
            return Some(item);
        }
        None
    }
    fn last(self) -> Option<T> {
        let mut last: Option<T> = None;
        for item in self {
            last = Some(item);
        }
        last
    }
    fn last_from_back(self) -> Option<T> {
        self.rev().next()
    }
    fn count_by_len(self) -> usize {
        self.len()
    }
    fn nth_back(self, n: usize) -> Option<T> {
        self.rev().nth(n)
    }
    fn rfold<B, F: FnMut(B, T) -> B>(self, init: B, mut f: F) -> B {
        self.rev().fold(init, f)
    }
    fn rfind<F: FnMut(&T) -> bool>(self, mut f: F) -> Option<T> {
        self.rev().find(f)
    }
    fn rposition<F: FnMut(T) -> bool>(self, mut f: F) -> Option<usize> {
        let mut index: usize = self.len();
        for item in self.rev() {
            index = index.wrapping_sub(1);
            if f(item) {
                return Some(index);
            }
        }
        None
    }
    fn try_fold<B, F: FnMut(B, T) -> R, R>(self, init: B, mut f: F) -> R {
        let mut folded = init;
        for item in self {
            folded = f(folded, item)?;
        }
        R::from_output(folded)
    }
    fn try_rfold<B, F: FnMut(B, T) -> R, R>(self, init: B, mut f: F) -> R {
        self.rev().try_fold(init, f)
    }
    fn try_for_each<F: FnMut(T) -> R, R>(self, mut f: F) -> R {
        for item in self {
            f(item)?;
        }
        R::from_output(())
    }
    fn eq<I>(self, other: I) -> bool {
        let mut theirs = other.into_iter();
        for item in self {
            match theirs.next() {
                Some(other) => {
                    if item != other {
                        return false;
                    }
                }
                None => {
                    return false;
                }
            }
        }
        theirs.next().is_none()
    }
    fn ne<I>(self, other: I) -> bool {
        !self.eq(other)
    }
    fn cmp<I>(self, other: I) -> Ordering {
        let mut theirs = other.into_iter();
        for item in self {
            match theirs.next() {
                Some(other) => {
                    let ordering = item.cmp(&other);
                    if ordering.is_ne() {
                        return ordering;
                    }
                }
                None => {
                    return Ordering::Greater;
                }
            }
        }
        if theirs.next().is_some() { Ordering::Less } else { Ordering::Equal }
    }
    fn partial_cmp<I>(self, other: I) -> Option<Ordering> {
        let mut theirs = other.into_iter();
        for item in self {
            match theirs.next() {
                Some(other) => {
                    let ordering = item.partial_cmp(&other);
                    if ordering != Some(Ordering::Equal) {
                        return ordering;
                    }
                }
                None => {
                    return Some(Ordering::Greater);
                }
            }
        }
        Some(if theirs.next().is_some() { Ordering::Less } else { Ordering::Equal })
    }
    fn lt<I>(self, other: I) -> bool {
        self.partial_cmp(other) == Some(Ordering::Less)
    }
    fn le<I>(self, other: I) -> bool {
        matches!(self.partial_cmp(other), Some(Ordering::Less | Ordering::Equal))
    }
    fn gt<I>(self, other: I) -> bool {
        self.partial_cmp(other) == Some(Ordering::Greater)
    }
    fn ge<I>(self, other: I) -> bool {
        matches!(self.partial_cmp(other), Some(Ordering::Greater | Ordering::Equal))
    }
    fn reduce<F: FnMut(T, T) -> T>(self, mut f: F) -> Option<T> {
        let mut reduced: Option<T> = None;
        for item in self {
            reduced = match reduced {
                Some(before) => Some(f(before, item)),
                None => Some(item),
            };
        }
        reduced
    }
    fn max(self) -> Option<T> {
        let mut most: Option<T> = None;
        for item in self {
            most = match most {
                Some(before) => Some(if item >= before { item } else { before }),
                None => Some(item),
            };
        }
        most
    }
    fn min(self) -> Option<T> {
        let mut least: Option<T> = None;
        for item in self {
            least = match least {
                Some(before) => Some(if item < before { item } else { before }),
                None => Some(item),
            };
        }
        least
    }
    fn max_by<F: FnMut(&T, &T) -> Ordering>(self, mut f: F) -> Option<T> {
        let mut most: Option<T> = None;
        for item in self {
            most = match most {
                Some(before) => Some(if f(&before, &item).is_gt() { before } else { item }),
                None => Some(item),
            };
        }
        most
    }
    fn min_by<F: FnMut(&T, &T) -> Ordering>(self, mut f: F) -> Option<T> {
        let mut least: Option<T> = None;
        for item in self {
            least = match least {
                Some(before) => Some(if f(&before, &item).is_gt() { item } else { before }),
                None => Some(item),
            };
        }
        least
    }
    fn max_by_key<B, F: FnMut(&T) -> B>(self, mut f: F) -> Option<T> {
        let mut most: Option<(B, T)> = None;
        for item in self {
            let key = f(&item);
            most = match most {
                Some((greatest, before)) => {
                    Some(if key >= greatest { (key, item) } else { (greatest, before) })
                }
                None => Some((key, item)),
            };
        }
        most.map(|(_, item)| item)
    }
    fn min_by_key<B, F: FnMut(&T) -> B>(self, mut f: F) -> Option<T> {
        let mut least: Option<(B, T)> = None;
        for item in self {
            let key = f(&item);
            least = match least {
                Some((smallest, before)) => {
                    Some(if key < smallest { (key, item) } else { (smallest, before) })
                }
                None => Some((key, item)),
            };
        }
        least.map(|(_, item)| item)
    }
    fn contains(&self, value: &T) -> bool {
        self.start <= *value && *value < self.end
    }
    fn contains_inclusive(&self, value: &T) -> bool {
        self.start <= *value && *value <= self.end
    }
    fn contains_from(&self, value: &T) -> bool {
        self.start <= *value
    }
    fn is_empty(&self) -> bool {
        !(self.start < self.end)
    }
    fn is_empty_inclusive(&self) -> bool {
        !(self.start <= self.end)
    }
}
