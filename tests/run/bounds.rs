//! Trait-bounded calls on types that have inherent functions of the same name.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![
    paths,
    methods,
    structs,
    own_types,
    constants_and_types,
    of_all,
    equal_types,
    numbers_with_more,
    told_by_results,
];

#[device]
trait Other {
    const LEVEL: i32;
    type Part;
    fn from_i32(x: i32) -> i32;
    fn max(a: i32) -> i32;
    fn sqrt(self) -> i32;
    fn abs(self) -> Self;
    fn twice(self) -> i32;
}

#[device]
trait Unrelated {
    const LEVEL: i32;
    type Part;
    fn from_i32(x: i32) -> i32;
    fn twice(self) -> i32;
}

#[device]
impl Other for f32 {
    const LEVEL: i32 = 3;
    type Part = u8;
    fn from_i32(x: i32) -> i32 {
        x + 1000
    }
    fn max(a: i32) -> i32 {
        a + 500
    }
    fn sqrt(self) -> i32 {
        3
    }
    fn abs(self) -> Self {
        self * 100.0
    }
    fn twice(self) -> i32 {
        22
    }
}

#[device]
impl Unrelated for f32 {
    const LEVEL: i32 = 7;
    type Part = i64;
    fn from_i32(x: i32) -> i32 {
        x - 4
    }
    fn twice(self) -> i32 {
        44
    }
}

#[device]
impl Other for i32 {
    const LEVEL: i32 = 4;
    type Part = u16;
    fn from_i32(x: i32) -> i32 {
        x + 2000
    }
    fn max(a: i32) -> i32 {
        a + 600
    }
    fn sqrt(self) -> i32 {
        4
    }
    fn abs(self) -> Self {
        self * 100
    }
    fn twice(self) -> i32 {
        self * 2
    }
}

#[device]
fn of_num<T: Num>(x: i32) -> T {
    let y = T::from_i32(x);
    T::max(y, T::ONE)
}

#[device]
fn of_other<T: Other>(x: i32) -> i32 {
    T::from_i32(x) + T::max(3)
}

#[device]
fn of_float<T: Float>(x: T) -> T {
    x.abs() + T::sqrt(x) + T::abs(x)
}

#[device]
fn of_unrelated<T>(x: T) -> i32
where
    T: Unrelated + Copy,
{
    x.twice() + T::twice(x) + T::from_i32(1)
}

fn paths(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let n = x.len() as i32 + y.len() as i32;
        out[0] = of_num::<f32>(n) as i32;
        out[1] = of_other::<f32>(n);
        out[2] = of_float(n as f32 * n as f32) as i32;
        out[3] = of_num::<i32>(n);
        out[4] = of_other::<i32>(n);
        out[5] = of_unrelated(n as f32);
    });
    Ok(())
}

#[device]
fn by_method<T: Other + Copy>(x: T) -> i32 {
    x.sqrt() + T::sqrt(x) + x.twice()
}

#[device]
fn kept<T: Other>(x: T) -> T {
    x.abs()
}

#[device]
fn in_place(x: &impl Number) -> i32 {
    x.twice() + (*x).sqrt()
}

#[device]
trait Number: Other + Copy {
    fn all(self) -> i32 {
        self.sqrt() + self.twice() * 10 + Self::LEVEL * 100
    }
}

#[device]
impl Number for f32 {}

#[device]
impl Number for i32 {}

#[device]
fn above<T: Number>(x: T) -> i32 {
    x.all() + x.sqrt() + T::LEVEL
}

fn methods(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let n = x.len() as i32 + y.len() as i32;
        out[0] = by_method(n as f32);
        out[1] = by_method(n);
        out[2] = kept(n as f32) as i32;
        out[3] = kept(n);
        out[4] = kept(Some(n as f32).map(kept).unwrap_or(1.0)) as i32;
        out[5] = in_place(&(n as f32));
        out[6] = above(n as f32) + above(n);
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Point {
    x: i32,
}

#[device]
impl Point {
    fn scaled(self, by: i32) -> i32 {
        self.x * by
    }
    fn shown(&self) -> i32 {
        self.x + 1
    }
}

#[device]
trait Scale {
    fn scaled(self, by: i32) -> i32;
    fn shown(&self) -> i32;
    fn both(&self) -> i32 {
        self.shown() * 2
    }
}

#[device]
impl Scale for Point {
    fn scaled(self, by: i32) -> i32 {
        self.x + by * 1000 + self.scaled(2)
    }
    fn shown(&self) -> i32 {
        self.x + 500
    }
}

#[device]
fn scaled<T: Scale>(x: T) -> i32 {
    x.shown() + x.both() + x.scaled(3)
}

fn structs(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let point = Point { x: x.len() as i32 };
        out[0] = scaled(point);
        out[1] = point.scaled(2) + point.shown() + point.both();
        out[2] = Scale::scaled(point, y.len() as i32) + <Point as Scale>::shown(&point);
    });
    Ok(())
}

#[device]
trait Step {
    fn step(self) -> Self;
    fn rem_euclid(self) -> i32;
    fn twice(self) -> Self;
}

#[device]
impl<T: Num> Step for T {
    fn step(self) -> Self {
        self.max(T::ONE) + T::ONE
    }
    fn rem_euclid(self) -> i32 {
        5
    }
    fn twice(self) -> Self {
        self.step().step()
    }
}

#[device]
fn stepped<T: Step + Copy>(x: T) -> (T, i32) {
    (x.twice(), x.rem_euclid())
}

fn own_types(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (a, b) = stepped(x.len() as i32);
        let (c, d) = stepped(y.len() as f32);
        out[0] = a * 10 + b;
        out[1] = c as i32 * 10 + d;
        out[2] = (x.len() as i32 - 9).rem_euclid(4);
    });
    Ok(())
}

#[device]
fn level<T: Other>() -> i32 {
    T::LEVEL
}

#[device]
fn other_level<T: Unrelated>() -> i32 {
    T::LEVEL
}

#[device]
fn cut<T: Other>(x: T::Part) -> T::Part {
    x
}

#[device]
fn uncut<T: Unrelated>(x: T::Part) -> T::Part {
    x
}

fn constants_and_types(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = level::<f32>() + level::<i32>() * 10 + other_level::<f32>() * 100;
        let n = x.len() + y.len();
        out[1] = cut::<f32>(n as u8) as i32 + cut::<i32>(n as u16) as i32;
        out[2] = uncut::<f32>(n as i64 * 3_000_000_000) as i32;
    });
    Ok(())
}

/// A trait that all iterators implement.
#[device]
trait Stats: Iterator + Sized {
    fn second(&mut self) -> Option<Self::Item> {
        self.next();
        self.next()
    }
    fn count_if<F: FnMut(&Self::Item) -> bool>(self, mut is_counted: F) -> i32 {
        let mut count = 0;
        for item in self {
            count += is_counted(&item) as i32;
        }
        count
    }
    fn others(self) -> impl Iterator<Item = Self::Item> {
        self.step_by(2)
    }
}

#[device]
impl<I> Stats for I where I: Iterator {}

#[device]
struct Down(i32);

#[device]
impl Iterator for Down {
    type Item = i32;
    fn next(&mut self) -> Option<i32> {
        self.0 -= 1;
        (self.0 > 0).then_some(self.0)
    }
}

/// A trait that all closures implement, and another type, too.
#[device]
trait Curve {
    fn at(&self, x: i32) -> i32;
    fn twice(&self, x: i32) -> i32 {
        self.at(self.at(x))
    }
}

#[device]
impl<F: Fn(i32) -> i32> Curve for F {
    fn at(&self, x: i32) -> i32 {
        self(x)
    }
}

#[device]
struct Scaled<C> {
    inner: C,
    by: i32,
}

#[device]
impl<C: Curve> Curve for Scaled<C> {
    fn at(&self, x: i32) -> i32 {
        self.by * self.inner.at(x)
    }
}

#[device]
fn sampled(curve: impl Curve) -> i32 {
    curve.at(3) + curve.twice(2)
}

fn of_all(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = x.iter().count_if(|v| **v > 2);
        out[1] = y.iter().copied().map(|v| v + 1).others().sum();
        let mut rest = 3..9;
        out[2] = rest.second().unwrap() + 10 * Stats::count_if(rest, |v| v % 2 == 0);
        let mut down = Down(9);
        out[3] = down.second().unwrap() + 10 * down.others().sum::<i32>();
        let by = x.len() as i32;
        let line = |v: i32| v * by + 1;
        out[4] = sampled(line) + line.twice(3);
        out[5] = sampled(Scaled { inner: line, by: 3 });
        out[6] = Scaled { inner: Scaled { inner: |v| v - by, by: 2 }, by: 5 }.at(7);
    });
    Ok(())
}

#[device]
fn total<T: Num>(items: impl IntoIterator<Item = T>) -> T {
    items.into_iter().fold(T::ZERO, |sum, item| sum + item)
}

#[device]
fn positions<'a, T: 'a + Num>(items: impl Iterator<Item = (usize, &'a T)>) -> usize {
    items.filter(|(_, item)| **item > T::ZERO).map(|(index, _)| index).sum()
}

#[device]
fn last<I>(items: I) -> Option<I::Item>
where
    I: IntoIterator,
{
    items.into_iter().last()
}

#[device]
trait Measured {
    type Unit: Num;
    fn measure(&self) -> Self::Unit;
}

/// A type with the name of a type parameter.
#[device]
type F = Down;

#[device]
impl Measured for F {
    type Unit = i64;
    fn measure(&self) -> i64 {
        self.0.into()
    }
}

#[device]
fn measured<M: Measured<Unit = U>, U>(of: &M, then: impl Fn(U) -> U) -> U {
    then(of.measure())
}

/// Bounds on associated types determine other parameters.
fn equal_types(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (all, some) = (total([1.5, 2.0]), total(Some(3u8)));
        let of_slice = total(x.iter().copied());
        let (mut rest, place) = (y.iter().copied(), positions(y.iter().enumerate()));
        let first = total(rest.by_ref().take(2));
        let length = measured(&Down(4), |v| v + 1);
        out[0] = all as i32 + i32::from(some) + of_slice + place as i32 + length as i32;
        out[1] = first * 10 + total(&mut rest) + total(Down(4));
        out[2] = last(x).copied().unwrap_or(5) + last([1, 2]).unwrap();
    });
    Ok(())
}

#[device]
fn halved<T: Float + Default + From<f32>>(x: &[T]) -> T {
    x.iter().fold(T::default(), |sum, v| sum + *v) / T::from(2.0)
}

#[device]
struct Padded<T, const N: usize>([T; N]);

#[device]
impl<T, const N: usize> Padded<T, N>
where
    T: Num + Default + std::fmt::Debug,
{
    fn of(x: &[T]) -> Self {
        Self(std::array::from_fn(|i| x.get(i).copied().unwrap_or_default()))
    }
}

#[kernel]
fn of_defaults<T: Num + Default + std::fmt::Debug>(x: &mut [T]) {
    if global_idx_x() == 0 {
        let mut sum = T::default();
        for v in Padded::<T, 4>::of(x).0 {
            sum = sum + v;
        }
        assert!(sum != T::ZERO, "{sum:?}");
        x[0] = sum;
    }
}

/// Number types with further bounds that not all numbers fulfil.
fn numbers_with_more(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = halved(&[x.len() as f32, y.len() as f32, 3.0]) as i32;
    });
    let mut x = vec![2.5f64, 3.0];
    launch!(on, of_defaults(write x), LaunchConfig::grid(1))?;
    same("x", &x, &[5.5, 3.0])
}

#[device]
trait Convert<T> {
    fn convert(self) -> T;
}

#[device]
impl Convert<u16> for u8 {
    fn convert(self) -> u16 {
        u16::from(self) * 257
    }
}

#[device]
impl Convert<i32> for u8 {
    fn convert(self) -> i32 {
        -i32::from(self)
    }
}

#[device]
fn converted<T>(x: u8) -> T
where
    u8: Convert<T>,
{
    x.convert()
}

fn told_by_results(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (short, long) = (x.len() as u8, y.len() as u8);
        out[0] = short.convert();
        let wide: u16 = long.convert();
        let by_path = Convert::<u16>::convert(short) - <u8 as Convert<u16>>::convert(1);
        out[1] = i32::from(wide.wrapping_add(by_path));
        out[2] = i32::from(converted::<u16>(3)) + converted::<i32>(4);
    });
    Ok(())
}
