//! What iterators are consumed by, as kernel code: not compiled, but lowered with the kernels that
//! call it.
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
    fn sum_of_integers<S>(self) -> S {
        let mut sum: S = 0;
        for item in self {
            sum += item;
        }
        sum
    }
    fn product_of_floats<S>(self) -> S {
        let mut product: S = 1.0;
        for item in self {
            product *= item;
        }
        product
    }
    fn product_of_integers<S>(self) -> S {
        let mut product: S = 1;
        for item in self {
            product *= item;
        }
        product
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
        let mut left = n;
        for item in self {
            if left == 0 {
                return Some(item);
            }
            left = left.wrapping_sub(1);
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
    fn try_fold<B, R, F: FnMut(B, T) -> R>(self, init: B, mut f: F) -> R {
        let mut folded = init;
        for item in self {
            folded = f(folded, item)?;
        }
        R::from_output(folded)
    }
    fn try_for_each<R, F: FnMut(T) -> R>(self, mut f: F) -> R {
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
    fn next_of_range(&mut self) -> Option<T> {
        let first = self.start;
        if first < self.end {
            self.start = first.wrapping_add(1);
            Some(first)
        } else {
            None
        }
    }
    fn back_of_range(&mut self) -> Option<T> {
        if self.start < self.end {
            self.end = self.end.wrapping_sub(1);
            Some(self.end)
        } else {
            None
        }
    }
    fn next_of_inclusive(&mut self) -> Option<T> {
        let first = self.start;
        if first < self.end {
            self.start = first.wrapping_add(1);
            Some(first)
        } else if first == self.end {
            self.start = 1;
            self.end = 0;
            Some(first)
        } else {
            None
        }
    }
    fn back_of_inclusive(&mut self) -> Option<T> {
        let last = self.end;
        if self.start < last {
            self.end = last.wrapping_sub(1);
            Some(last)
        } else if self.start == last {
            self.start = 1;
            self.end = 0;
            Some(last)
        } else {
            None
        }
    }
    fn next_of_from(&mut self) -> Option<T> {
        let first = self.start;
        self.start = first.wrapping_add(1);
        Some(first)
    }
    fn next_of_slice(&mut self) -> Option<T> {
        match self.of {
            [first, rest @ ..] => {
                self.of = rest;
                Some(first)
            }
            _ => None,
        }
    }
    fn back_of_slice(&mut self) -> Option<T> {
        match self.of {
            [rest @ .., last] => {
                self.of = rest;
                Some(last)
            }
            _ => None,
        }
    }
    fn next_of_chunks(&mut self) -> Option<T> {
        let size = self.with.min(self.of.len());
        if size == 0 {
            return None;
        }
        let (part, rest) = self.of.split_at(size);
        self.of = rest;
        Some(part)
    }
    fn next_of_exact(&mut self) -> Option<T> {
        if self.of.len() < self.with {
            return None;
        }
        let (part, rest) = self.of.split_at(self.with);
        self.of = rest;
        Some(part)
    }
    fn next_of_windows(&mut self) -> Option<T> {
        if self.of.len() < self.with {
            return None;
        }
        let part = &self.of[..self.with];
        self.of = &self.of[1..];
        Some(part)
    }
    fn next_of_copied(&mut self) -> Option<T> {
        match self.of.next() {
            Some(item) => Some(*item),
            None => None,
        }
    }
    fn back_of_copied(&mut self) -> Option<T> {
        match self.of.next_back() {
            Some(item) => Some(*item),
            None => None,
        }
    }
    fn next_of_map(&mut self) -> Option<T> {
        match self.of.next() {
            Some(item) => Some((self.with)(item)),
            None => None,
        }
    }
    fn back_of_map(&mut self) -> Option<T> {
        match self.of.next_back() {
            Some(item) => Some((self.with)(item)),
            None => None,
        }
    }
    fn next_of_filter(&mut self) -> Option<T> {
        while let Some(item) = self.of.next() {
            if (self.with)(&item) {
                return Some(item);
            }
        }
        None
    }
    fn next_of_filter_map(&mut self) -> Option<T> {
        while let Some(item) = self.of.next() {
            let found = (self.with)(item);
            if found.is_some() {
                return found;
            }
        }
        None
    }
    fn next_of_enumerate(&mut self) -> Option<T> {
        match self.of.next() {
            Some(item) => {
                let index = self.with;
                self.with = index.wrapping_add(1);
                Some((index, item))
            }
            None => None,
        }
    }
    fn next_of_zip(&mut self) -> Option<T> {
        match self.of.next() {
            Some(first) => match self.with.next() {
                Some(second) => Some((first, second)),
                None => None,
            },
            None => None,
        }
    }
    fn next_of_take(&mut self) -> Option<T> {
        if self.with == 0 {
            return None;
        }
        self.with = self.with.wrapping_sub(1);
        self.of.next()
    }
    fn next_of_skip(&mut self) -> Option<T> {
        let skipped = self.with;
        self.with = 0;
        self.of.nth(skipped)
    }
    fn next_of_rev(&mut self) -> Option<T> {
        self.of.next_back()
    }
    fn next_of_by_ref(&mut self) -> Option<T> {
        self.of.next()
    }
    fn back_of_by_ref(&mut self) -> Option<T> {
        self.of.next_back()
    }
    fn next_of_peekable(&mut self) -> Option<T> {
        if self.state == 0 {
            return self.of.next();
        }
        self.state = 0;
        self.with
    }
    fn peek(&mut self) -> Option<&T> {
        if self.state == 0 {
            self.with = self.of.next();
            self.state = 1;
        }
        self.with.as_ref()
    }
    fn peek_mut(&mut self) -> Option<&mut T> {
        if self.state == 0 {
            self.with = self.of.next();
            self.state = 1;
        }
        self.with.as_mut()
    }
    fn next_if<F: FnOnce(&T) -> bool>(&mut self, f: F) -> Option<T> {
        if self.state == 0 {
            self.with = self.of.next();
            self.state = 1;
        }
        match self.with {
            Some(item) => {
                if f(&item) {
                    self.state = 0;
                    Some(item)
                } else {
                    None
                }
            }
            None => None,
        }
    }
    fn next_if_eq(&mut self, expected: &T) -> Option<T> {
        if self.state == 0 {
            self.with = self.of.next();
            self.state = 1;
        }
        match self.with {
            Some(item) => {
                if item == *expected {
                    self.state = 0;
                    Some(item)
                } else {
                    None
                }
            }
            None => None,
        }
    }
    fn next_of_array(&mut self) -> Option<T> {
        let index = self.with;
        if index < self.of.len() {
            self.with = index.wrapping_add(1);
            Some(self.of[index])
        } else {
            None
        }
    }
    fn next_of_chain(&mut self) -> Option<T> {
        if self.state == 0 {
            let first = self.of.next();
            if first.is_some() {
                return first;
            }
            self.state = 1;
        }
        self.with.next()
    }
    fn next_of_step_by(&mut self) -> Option<T> {
        let skipped = self.state;
        self.state = self.with.wrapping_sub(1);
        self.of.nth(skipped)
    }
    fn next_of_map_while(&mut self) -> Option<T> {
        match self.of.next() {
            Some(item) => (self.with)(item),
            None => None,
        }
    }
    fn next_of_take_while(&mut self) -> Option<T> {
        if self.state != 0 {
            return None;
        }
        match self.of.next() {
            Some(item) => {
                if (self.with)(&item) {
                    Some(item)
                } else {
                    self.state = 1;
                    None
                }
            }
            None => None,
        }
    }
    fn next_of_skip_while(&mut self) -> Option<T> {
        while let Some(item) = self.of.next() {
            if self.state != 0 || !(self.with)(&item) {
                self.state = 1;
                return Some(item);
            }
        }
        None
    }
    fn next_of_inspect(&mut self) -> Option<T> {
        match self.of.next() {
            Some(item) => {
                (self.with)(&item);
                Some(item)
            }
            None => None,
        }
    }
    fn back_of_inspect(&mut self) -> Option<T> {
        match self.of.next_back() {
            Some(item) => {
                (self.with)(&item);
                Some(item)
            }
            None => None,
        }
    }
    fn next_of_scan(&mut self) -> Option<T> {
        match self.of.next() {
            Some(item) => (self.with)(&mut self.state, item),
            None => None,
        }
    }
    fn next_of_flatten(&mut self) -> Option<T> {
        loop {
            if let Some(inner) = &mut self.with {
                let item = inner.next();
                if item.is_some() {
                    return item;
                }
            }
            match self.of.next() {
                Some(items) => {
                    self.with = Some(items.into_iter());
                }
                None => {
                    return None;
                }
            }
        }
    }
    fn next_of_options(&mut self) -> Option<T> {
        while let Some(item) = self.of.next() {
            if item.is_some() {
                return item;
            }
        }
        None
    }
    fn back_of_options(&mut self) -> Option<T> {
        while let Some(item) = self.of.next_back() {
            if item.is_some() {
                return item;
            }
        }
        None
    }
    fn back_of_rev(&mut self) -> Option<T> {
        self.of.next()
    }
    fn back_of_filter(&mut self) -> Option<T> {
        while let Some(item) = self.of.next_back() {
            if (self.with)(&item) {
                return Some(item);
            }
        }
        None
    }
    fn back_of_filter_map(&mut self) -> Option<T> {
        while let Some(item) = self.of.next_back() {
            let found = (self.with)(item);
            if found.is_some() {
                return found;
            }
        }
        None
    }
    fn back_of_chain(&mut self) -> Option<T> {
        let last = self.with.next_back();
        if last.is_some() || self.state != 0 {
            return last;
        }
        self.of.next_back()
    }
    fn back_of_enumerate(&mut self) -> Option<T> {
        match self.of.next_back() {
            Some(item) => Some((self.with.wrapping_add(self.of.len()), item)),
            None => None,
        }
    }
    fn back_of_zip(&mut self) -> Option<T> {
        let (of, with) = (self.of.len(), self.with.len());
        let mut surplus = of.saturating_sub(with);
        while surplus > 0 {
            self.of.next_back();
            surplus = surplus.wrapping_sub(1);
        }
        surplus = with.saturating_sub(of);
        while surplus > 0 {
            self.with.next_back();
            surplus = surplus.wrapping_sub(1);
        }
        match self.of.next_back() {
            Some(first) => match self.with.next_back() {
                Some(second) => Some((first, second)),
                None => None,
            },
            None => None,
        }
    }
    fn back_of_skip(&mut self) -> Option<T> {
        if self.of.len() > self.with { self.of.next_back() } else { None }
    }
    fn back_of_take(&mut self) -> Option<T> {
        if self.with == 0 {
            return None;
        }
        let mut surplus = self.of.len().saturating_sub(self.with);
        while surplus > 0 {
            self.of.next_back();
            surplus = surplus.wrapping_sub(1);
        }
        self.with = self.of.len().saturating_sub(1);
        self.of.next_back()
    }
    fn back_of_chunks(&mut self) -> Option<T> {
        let len = self.of.len();
        if len == 0 {
            return None;
        }
        let rest = len % self.with;
        let size = if rest == 0 { self.with } else { rest };
        let (front, last) = self.of.split_at(len.wrapping_sub(size));
        self.of = front;
        Some(last)
    }
    fn back_of_exact(&mut self) -> Option<T> {
        let len = self.of.len();
        if len < self.with {
            return None;
        }
        let end = len.wrapping_sub(len % self.with);
        let start = end.wrapping_sub(self.with);
        let last = &self.of[start..end];
        self.of = &self.of[..start];
        Some(last)
    }
    fn back_of_windows(&mut self) -> Option<T> {
        let len = self.of.len();
        if len < self.with {
            return None;
        }
        let last = &self.of[len.wrapping_sub(self.with)..];
        self.of = &self.of[..len.wrapping_sub(1)];
        Some(last)
    }
    fn nth_of_rest(&mut self, n: usize) -> Option<T> {
        let mut left = n;
        while let Some(item) = self.next() {
            if left == 0 {
                return Some(item);
            }
            left = left.wrapping_sub(1);
        }
        None
    }
    fn any_of_rest<F: FnMut(T) -> bool>(&mut self, mut f: F) -> bool {
        while let Some(item) = self.next() {
            if f(item) {
                return true;
            }
        }
        false
    }
    fn all_of_rest<F: FnMut(T) -> bool>(&mut self, mut f: F) -> bool {
        while let Some(item) = self.next() {
            if !f(item) {
                return false;
            }
        }
        true
    }
    fn position_of_rest<F: FnMut(T) -> bool>(&mut self, mut f: F) -> Option<usize> {
        let mut index: usize = 0;
        while let Some(item) = self.next() {
            if f(item) {
                return Some(index);
            }
            index = index.wrapping_add(1);
        }
        None
    }
    fn find_of_rest<F: FnMut(&T) -> bool>(&mut self, mut f: F) -> Option<T> {
        while let Some(item) = self.next() {
            if f(&item) {
                return Some(item);
            }
        }
        None
    }
    fn find_map_of_rest<B, F: FnMut(T) -> Option<B>>(&mut self, mut f: F) -> Option<B> {
        while let Some(item) = self.next() {
            let found = f(item);
            if found.is_some() {
                return found;
            }
        }
        None
    }
    fn try_fold_of_rest<B, R, F: FnMut(B, T) -> R>(&mut self, init: B, mut f: F) -> R {
        let mut folded = init;
        while let Some(item) = self.next() {
            folded = f(folded, item)?;
        }
        R::from_output(folded)
    }
    fn try_for_each_of_rest<R, F: FnMut(T) -> R>(&mut self, mut f: F) -> R {
        while let Some(item) = self.next() {
            f(item)?;
        }
        R::from_output(())
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

trait Iters {
    fn once<T>(value: T) -> impl Iterator<Item = T> {
        [value].into_iter()
    }
    fn repeat<T>(value: T) -> impl Iterator<Item = T> {
        (0u64..).map(move |_| value)
    }
    fn repeat_n<T>(value: T, count: usize) -> impl Iterator<Item = T> {
        (0..count).map(move |_| value)
    }
    fn repeat_with<T, F: FnMut() -> T>(mut f: F) -> impl Iterator<Item = T> {
        (0u64..).map(move |_| f())
    }
    fn from_fn<T, F: FnMut() -> Option<T>>(mut f: F) -> impl Iterator<Item = T> {
        (0u64..).map_while(move |_| f())
    }
    fn successors<T, F: FnMut(&T) -> Option<T>>(
        first: Option<T>,
        mut f: F,
    ) -> impl Iterator<Item = T> {
        (0u64..).scan(first, move |next, _| {
            let item = *next;
            if let Some(item) = item {
                *next = f(&item);
            }
            item
        })
    }
    fn zip<A, B>(a: A, b: B) -> impl Iterator {
        a.into_iter().zip(b)
    }
}
