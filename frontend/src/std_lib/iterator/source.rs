//! The functions of `std::iter`, which make iterators.
trait Iters {
    fn once<T>(value: T) -> impl Iterator<Item = T> {
        [value].into_iter()
    }
    fn once_with<T, F: FnOnce() -> T>(f: F) -> impl Iterator<Item = T> {
        (0..1u32).map(move |_| f())
    }
    fn empty<T>() -> impl Iterator<Item = T> {
        (0..0u32).filter_map(|_| {
            let nothing: Option<T> = None;
            nothing
        })
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
    fn chain<A, B>(a: A, b: B) -> impl Iterator {
        a.into_iter().chain(b)
    }
    fn zip<A, B>(a: A, b: B) -> impl Iterator {
        a.into_iter().zip(b)
    }
}
