//! The n-th item of an iterator in a variable, where std reaches it without taking the items before
//! it.
trait Iterator<T> {
    fn nth_of_range(&mut self, n: usize) -> Option<T> {
        for item in self.clone().skip(n) {
            self.start = item.wrapping_add(1);
            return Some(item);
        }
        self.start = self.end;
        None
    }
    fn nth_of_slice(&mut self, n: usize) -> Option<T> {
        let (_, rest) = self.of.parted(n.min(self.of.len()));
        self.of = rest;
        self.next()
    }
    fn nth_of_chunks(&mut self, n: usize) -> Option<T> {
        let len = self.of.len();
        let skipped = if n < len.div_ceil(self.with) { n * self.with } else { len };
        let (_, rest) = self.of.parted(skipped);
        self.of = rest;
        self.next()
    }
    fn nth_of_exact(&mut self, n: usize) -> Option<T> {
        let len = self.of.len();
        let skipped = if n < len / self.with { n * self.with } else { len - len % self.with };
        let (_, rest) = self.of.parted(skipped);
        self.of = rest;
        self.next()
    }
    fn nth_of_copied(&mut self, n: usize) -> Option<T> {
        match self.of.nth(n) {
            Some(item) => Some(*item),
            None => None,
        }
    }
    fn nth_of_enumerate(&mut self, n: usize) -> Option<T> {
        match self.of.nth(n) {
            Some(item) => {
                let index = self.with.wrapping_add(n);
                self.with = index.wrapping_add(1);
                Some((index, item))
            }
            None => None,
        }
    }
}
