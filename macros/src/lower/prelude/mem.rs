//! What `std::mem` has, as kernel code: not compiled, but lowered with the kernels that call it.
trait Mem {
    fn swap<T>(a: &mut T, b: &mut T) {
        let first = *a;
        *a = *b;
        *b = first;
    }
    fn replace<T>(place: &mut T, value: T) -> T {
        let before = *place;
        *place = value;
        before
    }
    fn take<T>(place: &mut T) -> T {
        let before = *place;
        *place = T::default();
        before
    }
}
struct PhantomData<T>;
