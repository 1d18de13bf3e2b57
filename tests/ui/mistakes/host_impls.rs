//! `impl` blocks without `#[device]`, whose functions and constants kernel code uses.
#![allow(unused)]
use warpwise::prelude::*;

mod from_impl {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Meters {
        a: f32,
    }

    impl From<f32> for Meters {
        fn from(a: f32) -> Self {
            Self { a }
        }
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        let p: Meters = y[0].into();
        y[1] = p.a;
    }
}

mod partial_eq_impl {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Seconds {
        a: f32,
    }

    impl PartialEq<f32> for Seconds {
        fn eq(&self, other: &f32) -> bool {
            self.a == *other
        }
    }

    #[kernel]
    fn k(p: Seconds, y: &mut [u32]) {
        y[0] = (p == 1.0) as u32;
    }
}

mod display_impl {
    use std::fmt;
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Shown {
        a: f32,
    }

    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "<{}>", self.a)
        }
    }

    #[kernel]
    fn k(p: Shown) {
        println!("{}", p);
    }
}

mod trait_impl_of_type_argument {
    use warpwise::prelude::*;

    #[device]
    trait Area {
        fn area(&self) -> f32;
    }

    #[device]
    #[derive(Clone, Copy)]
    struct Square(f32);

    impl Area for Square {
        fn area(&self) -> f32 {
            self.0 * self.0
        }
    }

    #[device]
    fn total<A: Area>(a: &A) -> f32 {
        a.area()
    }

    #[kernel]
    fn k(s: Square, y: &mut [f32]) {
        y[0] = total(&s);
    }
}

mod iterator_impl {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Halves {
        n: i32,
    }

    impl Iterator for Halves {
        type Item = i32;

        fn next(&mut self) -> Option<i32> {
            self.n /= 2;
            (self.n > 0).then_some(self.n)
        }
    }

    #[kernel]
    fn k(y: &mut [i32]) {
        for n in (Halves { n: 8 }) {
            y[0] += n;
        }
    }
}

mod deref_impl {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Pair {
        a: [f32; 2],
    }

    impl std::ops::Deref for Pair {
        type Target = [f32; 2];

        fn deref(&self) -> &[f32; 2] {
            &self.a
        }
    }

    #[kernel]
    fn k(p: Pair, y: &mut [f32]) {
        y[0] = p.iter().sum();
    }
}

mod constant_of_impl {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Unit {
        a: f32,
    }

    impl Unit {
        const ONE: Unit = Unit { a: 1.0 };
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = Unit::ONE.a;
    }
}

mod constant_of_trait_impl {
    use warpwise::prelude::*;

    #[device]
    trait Corners {
        const CORNERS: usize;
    }

    #[device]
    #[derive(Clone, Copy)]
    struct Triangle;

    impl Corners for Triangle {
        const CORNERS: usize = 3;
    }

    #[kernel]
    fn k(y: &mut [f32]) {
        y[Triangle::CORNERS] = 1.0;
    }
}

fn main() {}
