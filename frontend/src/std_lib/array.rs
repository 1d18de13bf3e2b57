//! Methods of arrays beyond those of slices, as kernel code that is lowered with its callers.
impl<T, const N: usize> [T; N] {
    fn map<F: FnMut(T) -> U, U>(self, mut f: F) -> [U; N] {
        let mut mapped: [U; N];
        for i in 0..N {
            mapped[i] = f(self[i]);
        }
        mapped
    }
    fn each_ref(&self) -> [&T; N] {
        std::array::from_fn(|i| &self[i])
    }
    fn each_mut(&mut self) -> [&mut T; N] {
        std::array::from_fn(|i| &mut self[i])
    }
}

trait Arrays {
    fn from_fn<T, const N: usize, F: FnMut(usize) -> T>(mut f: F) -> [T; N] {
        let mut made: [T; N];
        for i in 0..N {
            made[i] = f(i);
        }
        made
    }
    fn repeat<T, const N: usize>(value: T) -> [T; N] {
        [value; N]
    }
}
