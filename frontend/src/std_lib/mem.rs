//! Functions of `std::mem`, `std::convert` and `std::hint`, and `PhantomData`, as kernel code that is
//! lowered with its callers.
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
    fn drop<T>(value: T) {
        let _ = value;
    }
    fn forget<T>(value: T) {
        let _ = value;
    }
    fn size_of_val<T>(_value: &T) -> usize {
        size_of::<T>()
    }
    fn align_of_val<T>(_value: &T) -> usize {
        align_of::<T>()
    }
}

trait Convert {
    fn identity<T>(value: T) -> T {
        value
    }
}

trait Hint {
    fn spin_loop() {
        ()
    }
    fn select_unpredictable<T>(condition: bool, if_true: T, if_false: T) -> T {
        if condition { if_true } else { if_false }
    }
}

struct PhantomData<T>;
