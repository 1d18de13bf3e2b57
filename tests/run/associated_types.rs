//! Associated types of the same name in several traits of a type.
use crate::run::engine::{Check, Engine, cases, like_rust};
use std::{
    marker::PhantomData,
    ops::{Add, Div, Mul, Neg},
};
use warpwise::prelude::*;

cases![operators, by_bounds, told_by_arguments, units, said_by_bounds, of_iterators];

#[device]
#[derive(Clone, Copy)]
struct Pair {
    x: i32,
    y: i32,
}

#[device]
impl Mul<i32> for Pair {
    type Output = Pair;
    fn mul(self, by: i32) -> Self::Output {
        Pair { x: self.x * by, y: self.y * by }
    }
}

#[device]
impl Mul<Pair> for Pair {
    type Output = i32;
    fn mul(self, by: Pair) -> Self::Output {
        let product: Self::Output = self.x * by.x;
        product + self.y * by.y
    }
}

#[device]
impl Add for Pair {
    type Output = Self;
    fn add(self, other: Self) -> Self::Output {
        Pair { x: self.x + other.x, y: self.y + other.y }
    }
}

#[device]
impl Neg for Pair {
    type Output = [i32; 2];
    fn neg(self) -> Self::Output {
        [-self.x, -self.y]
    }
}

#[device]
#[derive(Clone, Copy)]
struct Scale(i32);

#[device]
impl Mul<&Scale> for &Scale {
    type Output = Scale;
    fn mul(self, other: &Scale) -> Self::Output {
        Scale(self.0 * other.0)
    }
}

#[device]
impl Mul<Pair> for Scale {
    type Output = Pair;
    fn mul(self, of: Pair) -> <Self as Mul<Pair>>::Output {
        of * self.0
    }
}

fn operators(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let pair = Pair { x: x.len() as i32, y: y.len() as i32 };
        out[0] = (pair * 3) * pair + (-pair)[1];
        out[1] = (pair + pair).x;
        let scale = Scale(5);
        out[2] = (&scale * &scale).0;
        out[3] = (scale * pair).y;
    });
    Ok(())
}

#[device]
fn twice<T: Add + Copy>(v: T) -> T::Output {
    v + v
}

#[device]
fn scaled<T>(v: T, by: i32) -> T::Output
where
    T: Mul<i32>,
{
    v * by
}

#[device]
fn squared<T: Mul + Copy>(v: T) -> <T as Mul>::Output {
    v * v
}

#[device]
fn flipped<T: Neg>(v: T) -> T::Output {
    -v
}

#[device]
fn product<A, B>(a: A, b: B) -> A::Output
where
    A: Mul<B>,
{
    a * b
}

fn by_bounds(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let pair = Pair { x: x.len() as i32, y: y.len() as i32 };
        out[0] = twice(pair).x + scaled(pair, 3).y;
        out[1] = squared(pair) + squared(7);
        out[2] = flipped(pair)[1] + flipped(4);
        out[3] = product(Scale(2), pair).x;
        out[4] = product(pair, pair) + product(pair, 2).x;
        out[5] = scaled(2, 4) + twice(9);
    });
    Ok(())
}

#[device]
trait Cell {
    type Value: Copy;
    fn get(&self) -> Self::Value;
    fn with(&self, value: Self::Value) -> Self;
}

#[device]
impl Cell for Scale {
    type Value = i32;
    fn get(&self) -> Self::Value {
        self.0
    }
    fn with(&self, value: Self::Value) -> Self {
        Scale(value)
    }
}

#[device]
impl Cell for Pair {
    type Value = [i32; 2];
    fn get(&self) -> Self::Value {
        [self.x, self.y]
    }
    fn with(&self, [x, y]: Self::Value) -> Self {
        Pair { x, y }
    }
}

#[device]
fn changed<C: Cell>(cell: C, change: impl Fn(C::Value) -> C::Value) -> C::Value {
    cell.with(change(cell.get())).get()
}

#[device]
fn put<C: Cell>(cell: &C, value: C::Value) -> C {
    cell.with(value)
}

fn told_by_arguments(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let pair = Pair { x: x.len() as i32, y: y.len() as i32 };
        out[0] = changed(Scale(4), |v| v * v);
        out[1] = changed(pair, |[x, y]| [y, x - y])[1];
        out[2] = put(&pair, [3, 4]).y + put(&Scale(1), 7).0;
    });
    Ok(())
}

/// A quantity, whose type states the unit.
#[device]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Quantity<U, T = i32> {
    value: T,
    unit: PhantomData<U>,
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Meter;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Second;

#[device]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Per<A, B>(PhantomData<(A, B)>);

#[device]
impl<U, T: Num> Quantity<U, T> {
    const fn new(value: T) -> Self {
        Self { value, unit: PhantomData }
    }
}

#[device]
impl<A, B> Div<Quantity<B>> for Quantity<A> {
    type Output = Quantity<Per<A, B>>;
    fn div(self, by: Quantity<B>) -> Self::Output {
        Quantity { value: self.value / by.value, unit: PhantomData }
    }
}

#[device]
impl<A, B> Mul<Quantity<B>> for Quantity<Per<A, B>> {
    type Output = Quantity<A>;
    fn mul(self, by: Quantity<B>) -> Self::Output {
        Quantity { value: self.value * by.value, unit: std::marker::PhantomData }
    }
}

/// The number of a variant may be computed.
#[device]
#[derive(Clone, Copy)]
#[repr(u32)]
enum Flag {
    Low = 1 << 3,
    High = 1 << (31 - 1),
    Both = (1 << 3) | (1 << 30),
    Next,
}

fn units(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let distance = Quantity::<Meter>::new(20 + x.len() as i32);
        let time = Quantity::<Second>::new(2 + y.len() as i32);
        let speed = distance / time;
        let back: Quantity<Meter> = speed * time;
        out[0] = if back < distance { -back.value } else { speed.value };
        out[1] = (back == distance) as i32;
        out[2] = (Flag::Low as u32 | Flag::High as u32) as i32;
        out[3] = Flag::Both as i32 - Flag::Next as i32;
        let text = b"  \tab c \n";
        out[4] = text.trim_ascii().len() as i32 * 100 + text.trim_ascii_start().len() as i32;
        out[5] = text.trim_ascii_end().len() as i32 * 10 + text.is_ascii() as i32;
        let mut name = *b"MiXed 7";
        name.make_ascii_lowercase();
        out[6] = name.iter().map(|b| *b as i32).sum();
        name[1..3].make_ascii_uppercase();
        out[7] = name.iter().map(|b| *b as i32).sum::<i32>() + b"   ".trim_ascii().len() as i32;
    });
    Ok(())
}

#[device]
trait Sized2 {
    type Number: Num;
    fn size(&self) -> Self::Number;
}

#[device]
struct Square<T>(T);

#[device]
impl<T: Num> Sized2 for Square<T> {
    type Number = T;
    fn size(&self) -> T {
        self.0 * self.0
    }
}

#[device]
fn in_whole_numbers<A: Sized2<Number = i64>, B>(a: &A, b: &B) -> i32
where
    B: Sized2<Number = i64>,
{
    (a.size() + b.size()) as i32
}

#[device]
fn largest_of<T: Num + Default, I: IntoIterator<Item = T>>(of: I) -> T {
    of.into_iter().fold(T::default(), |a, b| if b > a { b } else { a })
}

/// Uses associated types of arguments that only a bound determines.
fn said_by_bounds(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = in_whole_numbers(&Square(3), &Square(x.len() as i64));
        out[1] = largest_of(x.iter().copied());
        out[2] = largest_of([1, 5, 2]) as i32 + largest_of(Some(y.len())) as i32;
    });
    Ok(())
}

#[device]
fn ends<I: IntoIterator>(of: I) -> Option<(I::Item, I::Item)>
where
    I::Item: Copy,
{
    let mut items = of.into_iter();
    let first = items.next()?;
    let mut last: I::Item = first;
    for item in items {
        last = item;
    }
    Some((first, last))
}

#[device]
fn count_of<'a, I>(of: &'a I) -> i32
where
    &'a I: IntoIterator<Item = &'a i32>,
{
    let items: <&'a I as IntoIterator>::IntoIter = of.into_iter();
    items.copied().sum()
}

fn of_iterators(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let (first, last) = ends(x).unwrap_or((&5, &6));
        out[0] = first * 100 + last;
        let (first, last) = ends(y.iter().copied().rev()).unwrap_or((7, 8));
        out[1] = first * 100 + last;
        out[2] = ends([1, 2, 3]).map_or(0, |(first, last)| first * 10 + last);
        out[3] = ends(0..y.len()).map_or(-3, |(first, last)| (first * 10 + last) as i32);
        out[4] = count_of(&[4, 5, x.len() as i32]);
    });
    Ok(())
}
