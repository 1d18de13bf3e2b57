//! Types, `impl`s and traits declared inside kernels and device functions.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![in_a_kernel, in_a_device_function, of_types_outside, generic, types_alone, constants];

fn in_a_kernel(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        #[derive(Clone, Copy)]
        struct Span {
            low: i32,
            high: i32,
        }
        impl Span {
            const NOTHING: Self = Self { low: i32::MAX, high: i32::MIN };
            fn with(self, v: i32) -> Self {
                let (low, high) = (self.low.min(v), self.high.max(v));
                Self { low, high }
            }
        }
        impl std::ops::Add for Span {
            type Output = Span;
            fn add(self, other: Self) -> Self::Output {
                Span { low: self.low + other.low, high: self.high + other.high }
            }
        }
        impl From<i32> for Span {
            fn from(v: i32) -> Self {
                Span::NOTHING.with(v)
            }
        }
        trait Width {
            const OF: i32;
            fn width(&self) -> i32;
            fn twice(&self) -> i32 {
                2 * self.width() + Self::OF
            }
        }
        impl Width for Span {
            const OF: i32 = 3;
            fn width(&self) -> i32 {
                self.high - self.low
            }
        }
        impl Width for i32 {
            const OF: i32 = 5;
            fn width(&self) -> i32 {
                *self
            }
        }
        let of_all = x.iter().fold(Span::from(1), |span, v| span.with(*v));
        out[0] = of_all.twice();
        out[1] = 7i32.twice() + (of_all + Span::from(4)).width();
        out[2] = y.iter().map(Width::twice).sum();
    });
    Ok(())
}

#[device]
fn counted(x: &[i32]) -> i32 {
    #[derive(Default)]
    struct Digits {
        left: u32,
    }
    impl Iterator for Digits {
        type Item = u32;
        fn next(&mut self) -> Option<u32> {
            let digit = self.left % 10;
            self.left /= 10;
            (self.left + digit > 0).then_some(digit)
        }
    }
    enum Step {
        Add(i32),
        Negate,
    }
    impl Step {
        fn apply(&self, v: i32) -> i32 {
            match self {
                Step::Add(by) => v + by,
                Self::Negate => -v,
            }
        }
    }
    let digits: u32 = Digits { left: 100 * x.len() as u32 + 42 }.sum();
    let steps = [Step::Add(2), Step::Negate, Step::Add(digits as i32)];
    steps.iter().fold(x.len() as i32, |v, step| step.apply(v)) + Digits::default().count() as i32
}

fn in_a_device_function(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = counted(x);
        out[1] = counted(y);
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Outside(i32);

#[device]
trait Doubled {
    fn doubled(self) -> i32;
}

#[device]
#[allow(non_local_definitions, reason = "they may be where nobody looks for them")]
fn of_outside(x: i32) -> i32 {
    impl Doubled for Outside {
        fn doubled(self) -> i32 {
            let two = 2;
            self.0 * two
        }
    }
    impl Outside {
        fn next(self) -> Outside {
            Outside(self.0 + 1)
        }
    }
    Outside(x).next().doubled()
}

fn of_types_outside(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = of_outside(x.len() as i32);
        out[1] = of_outside(y.len() as i32);
    });
    Ok(())
}

#[kernel]
fn of_any_number<T: Num>(x: &mut [T]) {
    trait Twice {
        fn twice(self) -> Self;
    }
    impl<N: Num> Twice for N {
        fn twice(self) -> Self {
            self + self
        }
    }
    struct Pair<A>(A, A);
    impl<A: Num> Pair<A> {
        fn total(&self) -> A {
            self.0 + self.1
        }
    }
    if global_idx_x() == 0 {
        x[0] = Pair(x[0].twice(), T::ONE).total();
    }
}

fn generic(on: &Engine) -> Check {
    let (mut x, mut y) = (vec![3i32], vec![0.5f64]);
    launch!(on, of_any_number(write x), LaunchConfig::grid(1))?;
    launch!(on, of_any_number(write y), LaunchConfig::grid(1))?;
    same("x", &x, &[7])?;
    same("y", &y, &[2.0])
}

/// A kernel that declares only types.
fn types_alone(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        struct Both {
            lengths: [usize; 2],
        }
        let both = Both { lengths: [x.len(), y.len()] };
        out[0] = both.lengths.iter().sum::<usize>() as i32;
    });
    Ok(())
}

#[device]
const LEN: usize = 4;
#[device]
const NEXT: usize = LEN + 1;

#[device]
struct Row {
    values: [i32; LEN],
}

#[device]
fn scaled_by(factor: i32) -> impl Fn(i32) -> i32 {
    const OFFSET: i32 = 3;
    move |value| value * factor + OFFSET
}

/// A constant is in scope in its whole block, and in no other item.
fn constants(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = LEN as i32 * 10 + LATER;
        const LEN: usize = 2;
        const OFFSET: i32 = 7;
        const TABLE: [i32; LEN] = [4; LEN];
        const LATER: i32 = 11;
        let row = Row { values: [1, 2, 3, 9] };
        out[1] = row.values[3] * 10 + row.values.len() as i32;
        out[2] = NEXT as i32;
        out[3] = scaled_by(2)(OFFSET);
        {
            const LEN: usize = 3;
            let longer = [1; LEN];
            out[4] = (longer.len() + TABLE.len()) as i32;
            out[5] = matches!(y.len(), LEN) as i32;
        }
        let shorter = [1; LEN];
        out[6] = shorter.len() as i32;
        if x.len() > 100 {
            const OFFSET: i32 = 1;
            out[7] = OFFSET;
        } else {
            out[7] = OFFSET;
        }
        let inner = |value: i32| {
            const OFFSET: i32 = 100;
            value + OFFSET
        };
        out[8] = inner(1) + OFFSET;
    });
    Ok(())
}
