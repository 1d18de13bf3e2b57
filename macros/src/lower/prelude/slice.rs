//! Methods of slices and arrays, as kernel code: not compiled, but lowered with the kernels that call
//! them.
impl<T> [T] {
    fn first(&self) -> Option<&T> {
        self.get(0)
    }
    fn first_mut(&mut self) -> Option<&mut T> {
        self.get_mut(0)
    }
    fn last(&self) -> Option<&T> {
        self.get(self.len().wrapping_sub(1))
    }
    fn last_mut(&mut self) -> Option<&mut T> {
        self.get_mut(self.len().wrapping_sub(1))
    }
    fn swap(&mut self, a: usize, b: usize) {
        let first = self[a];
        self[a] = self[b];
        self[b] = first;
    }
    fn fill(&mut self, value: T) {
        for item in self.iter_mut() {
            *item = value;
        }
    }
    fn contains(&self, value: &T) -> bool {
        for item in self.iter() {
            if *item == *value {
                return true;
            }
        }
        false
    }
    fn starts_with(&self, other: &[T]) -> bool {
        if other.len() > self.len() {
            return false;
        }
        for (a, b) in self.iter().zip(other.iter()) {
            if *a != *b {
                return false;
            }
        }
        true
    }
    fn reverse(&mut self) {
        let len = self.len();
        for i in 0..len / 2 {
            self.swap(i, len.wrapping_sub(1).wrapping_sub(i));
        }
    }
    fn split_at(&self, mid: usize) -> (&[T], &[T]) {
        (&self[..mid], &self[mid..])
    }
    fn split_at_mut(&mut self, mid: usize) -> (&mut [T], &mut [T]) {
        (&mut self[..mid], &mut self[mid..])
    }
    fn split_first(&self) -> Option<(&T, &[T])> {
        match self {
            [first, rest @ ..] => Some((first, rest)),
            _ => None,
        }
    }
    fn split_last(&self) -> Option<(&T, &[T])> {
        match self {
            [rest @ .., last] => Some((last, rest)),
            _ => None,
        }
    }
}
