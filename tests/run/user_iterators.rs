//! User iterators: `impl Iterator` and `impl IntoIterator`, in loops and with std adapters.
use crate::run::engine::{Check, Engine, cases, launch, like_rust, same};
use warpwise::prelude::*;

cases![
    looped,
    adapted,
    by_reference,
    of_slices,
    from_the_back,
    made_into,
    passed,
    ends_now_and_then,
    of_its_own_name,
    own_or_iterator_method,
    many_threads
];

#[device]
#[derive(Clone, Copy)]
struct Collatz {
    at: u32,
    steps: u32,
}

#[device]
impl Collatz {
    fn from(at: usize) -> Self {
        Self { at: at as u32, steps: 0 }
    }
}

#[device]
impl Iterator for Collatz {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        if self.at <= 1 {
            return None;
        }
        self.at = if self.at % 2 == 0 { self.at / 2 } else { 3 * self.at + 1 };
        self.steps += 1;
        Some(self.at)
    }
}

/// Every few elements of a slice.
#[device]
#[derive(Clone, Copy)]
struct Every<'a, T> {
    of: &'a [T],
    at: usize,
    step: usize,
}

#[device]
impl<'a, T: Copy> Iterator for Every<'a, T> {
    type Item = &'a T;
    fn next(&mut self) -> Option<Self::Item> {
        let item = self.of.get(self.at)?;
        self.at += self.step;
        Some(item)
    }
}

#[device]
impl<'a, T: Copy> DoubleEndedIterator for Every<'a, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.at >= self.of.len() {
            return None;
        }
        let last = self.at + (self.of.len() - 1 - self.at) / self.step * self.step;
        let item = self.of.get(last);
        self.of = &self.of[..last];
        item
    }
}

#[device]
#[derive(Clone, Copy)]
struct Bag {
    items: [i32; 4],
    len: usize,
}

#[device]
#[derive(Clone, Copy)]
struct BagItems {
    bag: Bag,
    at: usize,
}

#[device]
impl Iterator for BagItems {
    type Item = i32;
    fn next(&mut self) -> Option<i32> {
        if self.at >= self.bag.len {
            return None;
        }
        self.at += 1;
        Some(self.bag.items[self.at - 1])
    }
}

#[device]
impl IntoIterator for Bag {
    type Item = i32;
    type IntoIter = BagItems;
    fn into_iter(self) -> BagItems {
        BagItems { bag: self, at: 0 }
    }
}

#[device]
impl<'a> IntoIterator for &'a Bag {
    type Item = &'a i32;
    type IntoIter = Every<'a, i32>;
    fn into_iter(self) -> Every<'a, i32> {
        Every { of: &self.items[..self.len], at: 0, step: 1 }
    }
}

#[device]
#[derive(Clone, Copy)]
struct Between {
    start: u32,
    end: u32,
}

#[device]
impl IntoIterator for Between {
    type Item = u32;
    type IntoIter = core::ops::Range<u32>;
    fn into_iter(self) -> Self::IntoIter {
        self.start..self.end
    }
}

/// An iterator that yields items again after `None`.
#[device]
#[derive(Clone, Copy)]
struct Holes {
    n: i32,
}

#[device]
impl Iterator for Holes {
    type Item = i32;
    fn next(&mut self) -> Option<i32> {
        self.n += 1;
        if self.n % 4 == 0 { None } else { Some(self.n) }
    }
}

fn looped(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut n = 0;
        for v in Collatz::from(x.len() + 2) {
            out[n] = v as i32;
            n += 1;
            if n == 6 {
                break;
            }
        }
        let walk = Collatz::from(y.len() + 3);
        for v in walk {
            if v % 2 == 1 {
                continue;
            }
            out[6] += v as i32;
        }
        out[7] = walk.steps as i32;
    });
    Ok(())
}

fn adapted(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let walk = Collatz::from(y.len() + 3);
        out[0] = walk.count() as i32;
        out[1] = walk.map(|v| v * 2).filter(|v| v % 3 == 1).sum::<u32>() as i32;
        out[2] = walk.take(3).fold(1, |a, b| a * 3 + b as i32);
        out[3] = walk.zip(x).map(|(a, b)| a as i32 * b).sum::<i32>();
        out[4] = x.iter().zip(walk).map(|(a, b)| b as i32 - a).sum::<i32>();
        out[5] = walk.max().unwrap_or(0) as i32;
        out[6] = walk.min_by_key(|v| v % 5).unwrap_or(0) as i32;
        out[7] = walk
            .chain(walk.skip_while(|v| *v > 5))
            .enumerate()
            .map(|(i, v)| i as i32 * v as i32)
            .sum();
        let (mut peeked, mut sum) = (walk.peekable(), 0);
        while let Some(v) = peeked.next() {
            if let Some(w) = peeked.peek() {
                sum += (v ^ w) as i32;
            }
        }
        out[8] = sum;
        out[9] = walk.skip(1).step_by(3).last().unwrap_or(70) as i32;
        out[10] = walk
            .scan(1, |s, v| {
                *s += v;
                Some(*s)
            })
            .sum::<u32>() as i32;
    });
    Ok(())
}

fn by_reference(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut walk = Collatz::from(y.len() + 3);
        out[11] = walk.next().map_or(0, |v| v as i32);
        out[12] = walk.by_ref().skip(1).step_by(2).take(2).sum::<u32>() as i32;
        out[13] = walk.steps as i32;
        out[14] = two(&mut walk) as i32;
        out[15] = walk.nth(1).unwrap_or(9) as i32;
        out[16] = walk.position(|v| v == 4).unwrap_or(9) as i32;
        out[17] = walk.steps as i32;
        for v in &mut walk {
            out[18] += v as i32;
            if v == 2 {
                break;
            }
        }
        out[19] = walk.last().unwrap_or(77) as i32;
        let mut counted = x.iter();
        out[20] = the_first_two(&mut counted);
        out[21] = counted.sum();
    });
    Ok(())
}

#[device]
fn two(it: &mut Collatz) -> u32 {
    it.take(2).sum()
}

#[device]
fn the_first_two<'a>(it: &mut impl Iterator<Item = &'a i32>) -> i32 {
    it.take(2).sum()
}

fn of_slices(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let every = Every { of: x, at: 0, step: 3 };
        out[0] = every.sum::<i32>();
        out[1] = every.copied().filter(|v| *v > 0).fold(0, |a, v| a * 2 + v);
        out[2] = every.zip(Every { of: y, at: 1, step: 2 }).map(|(a, b)| a * b).sum();
        out[3] = (0..3).flat_map(|at| Every { of: x, at, step: 4 }).take(9).sum();
        out[4] = (0..3).map(|at| Every { of: y, at, step: 2 }).flatten().sum();
    });
    Ok(())
}

fn from_the_back(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        out[1] = Every { of: x, at: 0, step: 3 }.copied().rev().fold(0, |a, v| a * 2 + v);
        let mut every = Every { of: y, at: 1, step: 2 };
        out[2] = every.next_back().copied().unwrap_or(99);
        out[3] = *every.next().unwrap_or(&98);
        out[4] = every.rfold(0, |a, v| a * 3 + v);
        let mut rest = x.iter();
        out[5] = *rest.rfind(|v| **v < 3).unwrap_or(&7);
        out[6] = *rest.next_back().unwrap_or(&7);
        out[7] = rest.rposition(|v| *v < 2).map_or(-3, |v| v as i32);
        out[8] = *rest.next_back().unwrap_or(&7);
        out[9] = *rest.nth_back(1).unwrap_or(&7);
        out[10] = rest.try_rfold(0, |a, v| (a < 9).then_some(a + v)).unwrap_or(60);
        out[11] = rest.count() as i32;
    });
    Ok(())
}

fn made_into(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let bag = Bag { items: [1, 5, 7, 9], len: x.len().min(4) };
        for v in bag {
            out[5] += v;
        }
        for v in &bag {
            out[6] -= v;
        }
        out[7] = bag.into_iter().map(|v| v * v).sum::<i32>();
        out[8] = x.iter().zip(bag).map(|(a, b)| a * b).sum();
        out[9] = y.iter().zip(&bag).map(|(a, b)| a * b).sum();
        for v in (Between { start: 1, end: 5 }) {
            out[10] += v as i32;
        }
    });
    Ok(())
}

#[device]
fn total<I: Iterator<Item = u32>>(items: I) -> u32 {
    let mut sum = 0;
    for item in items {
        sum += item;
    }
    sum
}

#[device]
fn total_of(items: impl IntoIterator<Item = u32>) -> u32 {
    let mut sum = 0;
    for item in items {
        sum += item;
    }
    sum
}

fn passed(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let walk = Collatz::from(x.len() + 4);
        out[0] = total(walk) as i32;
        out[1] = total(walk.skip(1)) as i32;
        out[2] = total_of(walk) as i32;
        out[3] = total_of(Between { start: 2, end: y.len() as u32 }) as i32;
    });
    Ok(())
}

fn ends_now_and_then(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let holes = Holes { n: x.len() as i32 };
        out[0] = holes.sum();
        out[1] = holes.flat_map(|v| Holes { n: v + 1 }).take(20).sum();
        let mut rest = holes;
        while let Some(v) = rest.next() {
            out[2] += v;
        }
        out[3] = rest.next().unwrap_or(-7);
        let mut taken = holes.take(7);
        for v in taken.by_ref() {
            out[4] += v;
        }
        out[5] = taken.next().unwrap_or(-7);
        let mut both = holes.chain(Holes { n: y.len() as i32 });
        for v in both.by_ref() {
            out[6] += v;
        }
        out[7] = both.next().unwrap_or(-7);
        let mut mapped = holes.map(|v| v * 2).filter(|v| *v != 6);
        for v in mapped.by_ref() {
            out[8] += v;
        }
        out[9] = mapped.next().unwrap_or(-7);
        let mut seen = 0;
        let mut looked_at = holes.inspect(|v| seen ^= *v);
        out[10] = i32::from(looked_at.any(|v| v % 3 == 0));
        out[11] = seen;
    });
    Ok(())
}

/// A type with a `next` of its own besides that of `Iterator`.
#[device]
#[derive(Clone, Copy)]
struct Cursor {
    at: i32,
}

#[device]
impl Cursor {
    fn next(&mut self) -> Option<i32> {
        self.at += 100;
        Some(self.at)
    }
}

#[device]
impl Iterator for Cursor {
    type Item = i32;
    fn next(&mut self) -> Option<i32> {
        self.at -= 1;
        (self.at > 0).then_some(self.at)
    }
}

fn of_its_own_name(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut cursor = Cursor { at: x.len() as i32 };
        for v in cursor {
            out[0] += v;
        }
        out[1] = cursor.next().unwrap_or(-5);
        out[2] = Iterator::next(&mut cursor).unwrap_or(-5);
        out[3] = cursor.by_ref().take(y.len()).sum();
        out[4] = cursor.nth(2).unwrap_or(-5);
        out[5] = cursor.at;
    });
    Ok(())
}

/// A type with methods of the names of iterator methods. The receiver decides which one a call
/// takes.
#[device]
#[derive(Clone, Copy)]
struct Dial {
    at: i32,
}

#[device]
impl Dial {
    fn take(&mut self, n: usize) -> i32 {
        self.at -= n as i32;
        100 * self.at
    }

    fn count(&self) -> usize {
        50
    }

    fn last(self) -> Option<i32> {
        Some(1000)
    }

    fn taken(&mut self) -> i32 {
        self.take(2)
    }

    fn counts(&mut self) -> [usize; 3] {
        let here = *self;
        let shared = &here;
        [self.count(), shared.count(), here.count()]
    }
}

#[device]
impl Iterator for Dial {
    type Item = i32;
    fn next(&mut self) -> Option<i32> {
        self.at -= 1;
        (self.at > 0).then_some(self.at)
    }
}

fn own_or_iterator_method(on: &Engine) -> Check {
    like_rust!(on, |x, y, out| {
        let mut dial = Dial { at: x.len() as i32 };
        out[0] = dial.taken();
        let by_reference = &mut dial;
        out[1] = by_reference.take(y.len());
        out[2] = Dial { at: 5 }.take(2).sum();
        let [first, second, third] = Dial { at: 5 }.counts();
        out[3] = (first + 100 * second + 10_000 * third) as i32;
        let dial = Dial { at: 6 };
        out[4] = dial.count() as i32;
        out[5] = dial.last().unwrap_or(0);
    });
    Ok(())
}

#[kernel]
fn walks(steps: &mut [u32], highest: &mut [u32]) {
    let i = global_idx_x();
    if i < steps.len() && i < highest.len() {
        let walk = Collatz { at: i as u32, steps: 0 };
        steps[i] = walk.count() as u32;
        highest[i] = walk.max().unwrap_or(0);
    }
}

fn many_threads(on: &Engine) -> Check {
    let (mut steps, mut highest) = (vec![0; 300], vec![0; 300]);
    launch!(on, walks(write steps, write highest), LaunchConfig::cover(300))?;
    same("steps", &steps, &(0..300).map(|i| Collatz::from(i).count() as u32).collect::<Vec<_>>())?;
    let want = (0..300).map(|i| Collatz::from(i).max().unwrap_or(0));
    same("highest", &highest, &want.collect::<Vec<_>>())
}
