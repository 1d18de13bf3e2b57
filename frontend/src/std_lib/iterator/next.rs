//! `next` of each source and adapter, for an iterator in a variable, and the methods of `Peekable`.
//! `of` is the inner iterator or slice, `with` the adapter's argument or second part, `state` its
//! third part (`IterKind` in `types/iterator.rs`).
trait Iterator<T> {
    fn next_of_range(&mut self) -> Option<T> {
        let first = self.start;
        if first < self.end {
            self.start = first.wrapping_add(1);
            Some(first)
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
    fn next_of_chunks(&mut self) -> Option<T> {
        let size = self.with.min(self.of.len());
        if size == 0 {
            return None;
        }
        let (part, rest) = self.of.parted(size);
        self.of = rest;
        Some(part)
    }
    fn next_of_exact(&mut self) -> Option<T> {
        if self.of.len() < self.with {
            return None;
        }
        let (part, rest) = self.of.parted(self.with);
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
    fn next_of_map(&mut self) -> Option<T> {
        match self.of.next() {
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
    fn next_of_user_defined(&mut self) -> Option<T> {
        Iterator::next(&mut self.of)
    }
    fn next_of_by_ref(&mut self) -> Option<T> {
        Iterator::next(&mut *self.of)
    }
    fn next_of_peekable(&mut self) -> Option<T> {
        if self.state == 0 {
            return self.of.next();
        }
        self.state = 0;
        self.with
    }
    fn remainder(&self) -> T {
        let all = self.of.len().wrapping_add(self.state);
        &self.of.extended(all)[all.wrapping_sub(all % self.with)..]
    }
    fn into_remainder(self) -> T {
        let all = self.of.len().wrapping_add(self.state);
        &mut self.of.extended_mut(all)[all.wrapping_sub(all % self.with)..]
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
        if index < self.of.len().wrapping_sub(self.state) {
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
    fn next_of_cycle(&mut self) -> Option<T> {
        if let Some(left) = &mut self.with {
            let item = left.next();
            if item.is_some() {
                return item;
            }
        }
        let mut again = self.of.clone();
        let item = again.next();
        self.with = Some(again);
        item
    }
    fn next_of_options(&mut self) -> Option<T> {
        while let Some(item) = self.of.next() {
            if item.is_some() {
                return item;
            }
        }
        None
    }
}
