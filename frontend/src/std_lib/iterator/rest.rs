//! Consumers that take some items of an iterator in a variable, and keep the rest.
trait Iterator<T> {
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
    fn nth_back_of_rest(&mut self, n: usize) -> Option<T> {
        let mut left = n;
        while let Some(item) = self.next_back() {
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
    fn rfind_of_rest<F: FnMut(&T) -> bool>(&mut self, mut f: F) -> Option<T> {
        while let Some(item) = self.next_back() {
            if f(&item) {
                return Some(item);
            }
        }
        None
    }
    fn rposition_of_rest<F: FnMut(T) -> bool>(&mut self, mut f: F) -> Option<usize> {
        let mut index: usize = self.len();
        while let Some(item) = self.next_back() {
            index = index.wrapping_sub(1);
            if f(item) {
                return Some(index);
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
    fn try_fold_of_rest<B, F: FnMut(B, T) -> R, R>(&mut self, init: B, mut f: F) -> R {
        let mut folded = init;
        while let Some(item) = self.next() {
            folded = f(folded, item)?;
        }
        R::from_output(folded)
    }
    fn try_rfold_of_rest<B, F: FnMut(B, T) -> R, R>(&mut self, init: B, mut f: F) -> R {
        let mut folded = init;
        while let Some(item) = self.next_back() {
            folded = f(folded, item)?;
        }
        R::from_output(folded)
    }
    fn try_for_each_of_rest<F: FnMut(T) -> R, R>(&mut self, mut f: F) -> R {
        while let Some(item) = self.next() {
            f(item)?;
        }
        R::from_output(())
    }
}
