//! `collect` into user types by `FromIterator`, `extend`, and conversions that bounds select.
use crate::run::engine::{Check, Engine, cases, like_rust};
use warpwise::prelude::*;

cases![collected, converted];

/// The first few numbers of a sequence, and its length.
#[device]
#[derive(Clone, Copy, Default)]
struct Few {
    numbers: [i32; 3],
    count: usize,
}

#[device]
impl Few {
    fn push(&mut self, number: i32) {
        if let Some(place) = self.numbers.get_mut(self.count) {
            *place = number;
        }
        self.count += 1;
    }
    fn code(&self) -> i32 {
        self.numbers.iter().fold(self.count as i32, |code, number| code * 10 + number)
    }
}

#[device]
impl FromIterator<i32> for Few {
    fn from_iter<I: IntoIterator<Item = i32>>(numbers: I) -> Self {
        let mut few = Self::default();
        numbers.into_iter().for_each(|number| few.push(number));
        few
    }
}

#[device]
impl<'a> FromIterator<&'a i32> for Few {
    fn from_iter<I: IntoIterator<Item = &'a i32>>(numbers: I) -> Self {
        numbers.into_iter().copied().collect()
    }
}

#[device]
impl<'a> Extend<&'a i32> for Few {
    fn extend<I: IntoIterator<Item = &'a i32>>(&mut self, numbers: I) {
        for number in numbers {
            self.push(*number);
        }
    }
}

fn collected(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut few: Few = x.iter().map(|v| v + 1).collect();
        out[0] = few.code();
        few.extend(y);
        out[1] = few.code();
        out[2] = y.iter().skip(1).collect::<Few>().code();
        out[3] = Few::from_iter([1, 2, y.len() as i32]).code();
    });
    Ok(())
}

#[device]
#[derive(Clone, Copy)]
struct Seconds(f32);

#[device]
impl From<f32> for Seconds {
    fn from(of: f32) -> Self {
        Seconds(of)
    }
}

#[device]
struct Span {
    from: f32,
    to: f32,
}

#[device]
impl From<(f32, f32)> for Span {
    fn from((from, to): (f32, f32)) -> Self {
        Span { from, to }
    }
}

#[device]
fn waited(times: usize, each: impl Into<Seconds>) -> f32 {
    let each = each.into();
    let mut all = Seconds(0.0);
    for _ in 0..times {
        all.0 += each.0;
    }
    all.0
}

#[device]
fn length<S: Into<Span> + Copy>(of: S) -> f32 {
    let Span { from, to } = of.into();
    to - from
}

fn converted(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[0] = waited(x.len(), 1.5) as i32 + waited(2, Seconds(4.0)) as i32;
        out[1] = length((0.5, 3.5)) as i32 + length((0.0, y.len() as f32)) as i32;
    });
    Ok(())
}
