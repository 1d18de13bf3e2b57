//! The last item of an iterator in a variable, by source and adapter.
trait Iterator<T> {
    fn back_of_range(&mut self) -> Option<T> {
        if self.start < self.end {
            self.end = self.end.wrapping_sub(1);
            Some(self.end)
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
    fn back_of_slice(&mut self) -> Option<T> {
        match self.of {
            [rest @ .., last] => {
                self.of = rest;
                Some(last)
            }
            _ => None,
        }
    }
    fn back_of_copied(&mut self) -> Option<T> {
        match self.of.next_back() {
            Some(item) => Some(*item),
            None => None,
        }
    }
    fn back_of_map(&mut self) -> Option<T> {
        match self.of.next_back() {
            Some(item) => Some((self.with)(item)),
            None => None,
        }
    }
    fn back_of_written(&mut self) -> Option<T> {
        DoubleEndedIterator::next_back(&mut self.of)
    }
    fn back_of_by_ref(&mut self) -> Option<T> {
        DoubleEndedIterator::next_back(&mut *self.of)
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
    fn back_of_step_by(&mut self) -> Option<T> {
        let left = self.of.len() % self.with;
        let of_last = if left == 0 { self.with } else { left };
        let mut surplus = if self.state == 0 { of_last.wrapping_sub(1) } else { left };
        while surplus > 0 {
            self.of.next_back();
            surplus = surplus.wrapping_sub(1);
        }
        self.of.next_back()
    }
    fn back_of_chunks(&mut self) -> Option<T> {
        let len = self.of.len();
        if len == 0 {
            return None;
        }
        let rest = len % self.with;
        let size = if rest == 0 { self.with } else { rest };
        let (front, last) = self.of.parted(len.wrapping_sub(size));
        self.of = front;
        Some(last)
    }
    fn back_of_array(&mut self) -> Option<T> {
        let end = self.of.len().wrapping_sub(self.state);
        if self.with < end {
            self.state = self.state.wrapping_add(1);
            Some(self.of[end.wrapping_sub(1)])
        } else {
            None
        }
    }
    fn back_of_exact(&mut self) -> Option<T> {
        let len = self.of.len();
        if len < self.with {
            return None;
        }
        let start = len.wrapping_sub(len % self.with).wrapping_sub(self.with);
        let (front, rest) = self.of.parted(start);
        let (last, _) = rest.parted(self.with);
        self.state = self.state.wrapping_add(len.wrapping_sub(start));
        self.of = front;
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
}
