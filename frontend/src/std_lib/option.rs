//! `Option`, `Result` and `ControlFlow` with their methods, as kernel code that is lowered with its
//! callers.
enum Option<T> {
    None,
    Some(T),
}

enum Result<T, E> {
    Ok(T),
    Err(E),
}

// Each is a struct in std with a single value, which prints like this.
enum TryFromIntError {
    TryFromIntError(()),
}

enum TryFromSliceError {
    TryFromSliceError(()),
}

enum GetDisjointMutError {
    IndexOutOfBounds,
    OverlappingIndices,
}

enum ControlFlow<B, C = ()> {
    Continue(C),
    Break(B),
}

impl<B, C> ControlFlow<B, C> {
    fn from_output(value: C) -> ControlFlow<B, C> {
        ControlFlow::Continue(value)
    }
    fn is_break(&self) -> bool {
        matches!(self, ControlFlow::Break(_))
    }
    fn is_continue(&self) -> bool {
        matches!(self, ControlFlow::Continue(_))
    }
    fn break_value(self) -> Option<B> {
        match self {
            ControlFlow::Break(value) => Some(value),
            ControlFlow::Continue(_) => None,
        }
    }
    fn continue_value(self) -> Option<C> {
        match self {
            ControlFlow::Break(_) => None,
            ControlFlow::Continue(value) => Some(value),
        }
    }
    fn map_break<T, F: FnOnce(B) -> T>(self, f: F) -> ControlFlow<T, C> {
        match self {
            ControlFlow::Break(value) => ControlFlow::Break(f(value)),
            ControlFlow::Continue(value) => ControlFlow::Continue(value),
        }
    }
    fn map_continue<T, F: FnOnce(C) -> T>(self, f: F) -> ControlFlow<B, T> {
        match self {
            ControlFlow::Break(value) => ControlFlow::Break(value),
            ControlFlow::Continue(value) => ControlFlow::Continue(f(value)),
        }
    }
}

impl<T> Option<T> {
    fn is_some(&self) -> bool {
        matches!(self, Some(_))
    }
    fn is_none(&self) -> bool {
        matches!(self, None)
    }
    fn is_some_and<F: FnOnce(T) -> bool>(self, f: F) -> bool {
        match self {
            Some(value) => f(value),
            None => false,
        }
    }
    fn is_none_or<F: FnOnce(T) -> bool>(self, f: F) -> bool {
        match self {
            Some(value) => f(value),
            None => true,
        }
    }
    fn unwrap_or(self, other: T) -> T {
        match self {
            Some(value) => value,
            None => other,
        }
    }
    fn unwrap_or_else<F: FnOnce() -> T>(self, f: F) -> T {
        match self {
            Some(value) => value,
            None => f(),
        }
    }
    fn map<U, F: FnOnce(T) -> U>(self, f: F) -> Option<U> {
        match self {
            Some(value) => Some(f(value)),
            None => None,
        }
    }
    fn map_or<U, F: FnOnce(T) -> U>(self, other: U, f: F) -> U {
        match self {
            Some(value) => f(value),
            None => other,
        }
    }
    fn map_or_else<U, D: FnOnce() -> U, F: FnOnce(T) -> U>(self, other: D, f: F) -> U {
        match self {
            Some(value) => f(value),
            None => other(),
        }
    }
    fn and_then<U, F: FnOnce(T) -> Option<U>>(self, f: F) -> Option<U> {
        match self {
            Some(value) => f(value),
            None => None,
        }
    }
    fn and<U>(self, other: Option<U>) -> Option<U> {
        match self {
            Some(_) => other,
            None => None,
        }
    }
    fn or(self, other: Option<T>) -> Option<T> {
        match self {
            Some(value) => Some(value),
            None => other,
        }
    }
    fn or_else<F: FnOnce() -> Option<T>>(self, f: F) -> Option<T> {
        match self {
            Some(value) => Some(value),
            None => f(),
        }
    }
    fn xor(self, other: Option<T>) -> Option<T> {
        match (self, other) {
            (Some(value), None) => Some(value),
            (None, Some(value)) => Some(value),
            _ => None,
        }
    }
    fn filter<F: FnOnce(&T) -> bool>(self, f: F) -> Option<T> {
        match self {
            Some(value) => {
                if f(&value) {
                    Some(value)
                } else {
                    None
                }
            }
            None => None,
        }
    }
    fn zip<U>(self, other: Option<U>) -> Option<(T, U)> {
        match (self, other) {
            (Some(a), Some(b)) => Some((a, b)),
            _ => None,
        }
    }
    fn unwrap_or_default(self) -> T {
        match self {
            Some(value) => value,
            None => T::default(),
        }
    }
    fn inspect<F: FnOnce(&T)>(self, f: F) -> Option<T> {
        if let Some(value) = self {
            f(&value);
        }
        self
    }
    fn from_output(value: T) -> Option<T> {
        Some(value)
    }
    fn as_ref(&self) -> Option<&T> {
        match self {
            Some(value) => Some(value),
            None => None,
        }
    }
    fn take(&mut self) -> Option<T> {
        let before = *self;
        *self = None;
        before
    }
    fn take_if<F: FnOnce(&mut T) -> bool>(&mut self, f: F) -> Option<T> {
        if let Some(value) = self {
            if f(value) {
                return self.take();
            }
        }
        None
    }
    fn replace(&mut self, value: T) -> Option<T> {
        let before = *self;
        *self = Some(value);
        before
    }
    fn ok_or<E>(self, error: E) -> Result<T, E> {
        match self {
            Some(value) => Ok(value),
            None => Err(error),
        }
    }
    fn ok_or_else<E, F: FnOnce() -> E>(self, f: F) -> Result<T, E> {
        match self {
            Some(value) => Ok(value),
            None => Err(f()),
        }
    }
}

impl<T> Option<T> {
    fn into_iter(self) -> impl Iterator<Item = T> {
        (0..1u32).filter_map(move |_| self)
    }
    fn iter(&self) -> impl Iterator<Item = &T> {
        self.as_ref().into_iter()
    }
    fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.as_mut().into_iter()
    }
    fn insert(&mut self, value: T) -> &mut T {
        *self = Some(value);
        let Some(inserted) = self else {
            unreachable!();
        };
        inserted
    }
    fn get_or_insert(&mut self, value: T) -> &mut T {
        if self.is_none() {
            *self = Some(value);
        }
        let Some(inserted) = self else {
            unreachable!();
        };
        inserted
    }
    fn get_or_insert_with<F: FnOnce() -> T>(&mut self, f: F) -> &mut T {
        if self.is_none() {
            *self = Some(f());
        }
        let Some(inserted) = self else {
            unreachable!();
        };
        inserted
    }
    fn get_or_insert_default(&mut self) -> &mut T {
        self.get_or_insert_with(|| T::default())
    }
}

impl<T, E> Option<Result<T, E>> {
    fn transpose(self) -> Result<Option<T>, E> {
        match self {
            Some(Ok(value)) => Ok(Some(value)),
            Some(Err(error)) => Err(error),
            None => Ok(None),
        }
    }
}

impl<T, U> Option<(T, U)> {
    fn unzip(self) -> (Option<T>, Option<U>) {
        match self {
            Some((a, b)) => (Some(a), Some(b)),
            None => (None, None),
        }
    }
}

impl<T> Option<Option<T>> {
    fn flatten(self) -> Option<T> {
        match self {
            Some(inner) => inner,
            None => None,
        }
    }
}

impl<T, E> Result<T, E> {
    fn as_ref(&self) -> Result<&T, &E> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(error),
        }
    }
    fn as_mut(&mut self) -> Result<&mut T, &mut E> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(error),
        }
    }
    fn into_iter(self) -> impl Iterator<Item = T> {
        self.ok().into_iter()
    }
    fn iter(&self) -> impl Iterator<Item = &T> {
        self.as_ref().ok().into_iter()
    }
    fn inspect<F: FnOnce(&T)>(self, f: F) -> Result<T, E> {
        if let Ok(value) = self {
            f(&value);
        }
        self
    }
    fn inspect_err<F: FnOnce(&E)>(self, f: F) -> Result<T, E> {
        if let Err(error) = self {
            f(&error);
        }
        self
    }
    fn from_output(value: T) -> Result<T, E> {
        Ok(value)
    }
    fn unwrap_or_default(self) -> T {
        match self {
            Ok(value) => value,
            Err(_) => T::default(),
        }
    }
    fn and<U>(self, other: Result<U, E>) -> Result<U, E> {
        match self {
            Ok(_) => other,
            Err(error) => Err(error),
        }
    }
    fn or<F>(self, other: Result<T, F>) -> Result<T, F> {
        match self {
            Ok(value) => Ok(value),
            Err(_) => other,
        }
    }
    fn map_or_else<U, D: FnOnce(E) -> U, F: FnOnce(T) -> U>(self, other: D, f: F) -> U {
        match self {
            Ok(value) => f(value),
            Err(error) => other(error),
        }
    }
    fn is_ok(&self) -> bool {
        matches!(self, Ok(_))
    }
    fn is_err(&self) -> bool {
        matches!(self, Err(_))
    }
    fn is_ok_and<F: FnOnce(T) -> bool>(self, f: F) -> bool {
        match self {
            Ok(value) => f(value),
            Err(_) => false,
        }
    }
    fn is_err_and<F: FnOnce(E) -> bool>(self, f: F) -> bool {
        match self {
            Ok(_) => false,
            Err(error) => f(error),
        }
    }
    fn ok(self) -> Option<T> {
        match self {
            Ok(value) => Some(value),
            Err(_) => None,
        }
    }
    fn err(self) -> Option<E> {
        match self {
            Ok(_) => None,
            Err(error) => Some(error),
        }
    }
    fn unwrap_or(self, other: T) -> T {
        match self {
            Ok(value) => value,
            Err(_) => other,
        }
    }
    fn unwrap_or_else<F: FnOnce(E) -> T>(self, f: F) -> T {
        match self {
            Ok(value) => value,
            Err(error) => f(error),
        }
    }
    fn map<U, F: FnOnce(T) -> U>(self, f: F) -> Result<U, E> {
        match self {
            Ok(value) => Ok(f(value)),
            Err(error) => Err(error),
        }
    }
    fn map_err<U, F: FnOnce(E) -> U>(self, f: F) -> Result<T, U> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(f(error)),
        }
    }
    fn map_or<U, F: FnOnce(T) -> U>(self, other: U, f: F) -> U {
        match self {
            Ok(value) => f(value),
            Err(_) => other,
        }
    }
    fn and_then<U, F: FnOnce(T) -> Result<U, E>>(self, f: F) -> Result<U, E> {
        match self {
            Ok(value) => f(value),
            Err(error) => Err(error),
        }
    }
    fn or_else<U, F: FnOnce(E) -> Result<T, U>>(self, f: F) -> Result<T, U> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => f(error),
        }
    }
}

impl<T> Option<&T> {
    fn copied(self) -> Option<T> {
        match self {
            Some(value) => Some(*value),
            None => None,
        }
    }
    fn cloned(self) -> Option<T> {
        match self {
            Some(value) => Some(*value),
            None => None,
        }
    }
}

impl<T> Option<&mut T> {
    fn copied(self) -> Option<T> {
        match self {
            Some(value) => Some(*value),
            None => None,
        }
    }
    fn cloned(self) -> Option<T> {
        match self {
            Some(value) => Some(*value),
            None => None,
        }
    }
}

impl<T, E> Result<Option<T>, E> {
    fn transpose(self) -> Option<Result<T, E>> {
        match self {
            Ok(Some(value)) => Some(Ok(value)),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl<T, E> Result<Result<T, E>, E> {
    fn flatten(self) -> Result<T, E> {
        match self {
            Ok(inner) => inner,
            Err(error) => Err(error),
        }
    }
}

impl<T, E> Result<&T, E> {
    fn copied(self) -> Result<T, E> {
        match self {
            Ok(value) => Ok(*value),
            Err(error) => Err(error),
        }
    }
    fn cloned(self) -> Result<T, E> {
        match self {
            Ok(value) => Ok(*value),
            Err(error) => Err(error),
        }
    }
}
