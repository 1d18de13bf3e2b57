//! [`Stored`] and [`Plain`] for types of std: tuples, `Option`, `Result`, `Ordering` and `Reverse`.
use super::{Layout, Plain, Stored, offsets};
use std::{
    cmp::{Ordering, Reverse},
    ops::ControlFlow,
};
use warpwise_compiler::ir::Scalar;

macro_rules! tuples {
    ($(($($T:ident $index:tt),+);)*) => {$(
        impl<$($T: Plain),+> Plain for ($($T,)+) {
            fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64)) {
                $(self.$index.scalars(pass);)+
            }
            fn zeros(pass: &mut dyn FnMut(Scalar, u64)) {
                $($T::zeros(pass);)+
            }
        }
        impl<$($T: Stored),+> Stored for ($($T,)+) {
            type Value = ($($T::Value,)+);
            const ZEROED: bool = true $(&& $T::ZEROED)+;
            const ATOMIC: bool = false $(|| $T::ATOMIC)+;
            const LAYOUT: Layout = Layout::structure(&[$($T::LAYOUT),+], 1).open();
            fn store(&self, bytes: &mut [u8]) {
                let offsets = const { offsets(&[$($T::LAYOUT),+]) };
                $(self.$index.store(&mut bytes[offsets[$index]..]);)+
            }
            fn load(bytes: &[u8]) -> Self {
                let offsets = const { offsets(&[$($T::LAYOUT),+]) };
                ($($T::load(&bytes[offsets[$index]..]),)+)
            }
        }
    )*};
}
tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
}

/// Enums with two variants: their discriminant is a `bool`, which is true for the second.
macro_rules! either {
    ($Enum:ident<$($T:ident),+> {
        $First:ident $(($first:ident: $A:ident))?, $Second:ident($second:ident: $B:ident)
    } zeroed $zeroed:expr) => {
        impl<$($T: Plain),+> Plain for $Enum<$($T),+> {
            fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64)) {
                match self {
                    Self::$First $(($first))? => {
                        false.scalars(pass);
                        $($first.scalars(pass);)?
                        $B::zeros(pass);
                    }
                    Self::$Second($second) => {
                        true.scalars(pass);
                        $($A::zeros(pass);)?
                        $second.scalars(pass);
                    }
                }
            }
            fn zeros(pass: &mut dyn FnMut(Scalar, u64)) {
                bool::zeros(pass);
                $($A::zeros(pass);)?
                $B::zeros(pass);
            }
        }
        impl<$($T: Stored),+> Stored for $Enum<$($T),+> {
            type Value = $Enum<$($T::Value),+>;
            const ZEROED: bool = $zeroed;
            const ATOMIC: bool = false $(|| $T::ATOMIC)+;
            const LAYOUT: Layout = {
                let variants: [&[Layout]; 2] = [&[$($A::LAYOUT)?], &[$B::LAYOUT]];
                Layout::enumeration(bool::LAYOUT, &variants, 1).open()
            };
            fn store(&self, bytes: &mut [u8]) {
                let payload = const {
                    Layout::payload(bool::LAYOUT, &[&[$($A::LAYOUT)?], &[$B::LAYOUT]])
                };
                matches!(self, Self::$Second(_)).store(bytes);
                match self {
                    Self::$First $(($first))? => {
                        $($first.store(&mut bytes[payload..]);)?
                    }
                    Self::$Second($second) => $second.store(&mut bytes[payload..]),
                }
            }
            fn load(bytes: &[u8]) -> Self {
                let payload = const {
                    Layout::payload(bool::LAYOUT, &[&[$($A::LAYOUT)?], &[$B::LAYOUT]])
                };
                match bool::load(bytes) {
                    false => Self::$First $(($A::load(&bytes[payload..])))?,
                    true => Self::$Second($B::load(&bytes[payload..])),
                }
            }
        }
    };
}
either! { Option<T> { None, Some(value: T) } zeroed true }
either! { Result<T, E> { Ok(value: T), Err(error: E) } zeroed T::ZEROED }
either! { ControlFlow<B, C> { Continue(value: C), Break(value: B) } zeroed C::ZEROED }

/// Kernels have -1, 0 or 1 for an `Ordering`.
impl Plain for Ordering {
    fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64)) {
        (*self as i32).scalars(pass);
    }
    fn zeros(pass: &mut dyn FnMut(Scalar, u64)) {
        i32::zeros(pass);
    }
}

impl Stored for Ordering {
    type Value = Self;
    const ZEROED: bool = true;
    const ATOMIC: bool = false;
    const LAYOUT: Layout = i32::LAYOUT.open();
    fn store(&self, bytes: &mut [u8]) {
        (*self as i32).store(bytes);
    }
    fn load(bytes: &[u8]) -> Self {
        i32::load(bytes).cmp(&0)
    }
}

impl<T: Plain> Plain for Reverse<T> {
    fn scalars(&self, pass: &mut dyn FnMut(Scalar, u64)) {
        self.0.scalars(pass);
    }
    fn zeros(pass: &mut dyn FnMut(Scalar, u64)) {
        T::zeros(pass);
    }
}

impl<T: Stored> Stored for Reverse<T> {
    type Value = Reverse<T::Value>;
    const ZEROED: bool = T::ZEROED;
    const ATOMIC: bool = T::ATOMIC;
    const LAYOUT: Layout = T::LAYOUT;
    fn store(&self, bytes: &mut [u8]) {
        self.0.store(bytes);
    }
    fn load(bytes: &[u8]) -> Self {
        Self(T::load(bytes))
    }
}
