//! Methods of `bool`, as kernel code that is lowered with its callers.
impl bool {
    fn then<T, F: FnOnce() -> T>(self, f: F) -> Option<T> {
        if self { Some(f()) } else { None }
    }
    fn then_some<T>(self, value: T) -> Option<T> {
        if self { Some(value) } else { None }
    }
}
