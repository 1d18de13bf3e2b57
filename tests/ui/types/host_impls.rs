//! Operations of types that only the host can run.
use std::cmp::Ordering;
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Seven(u32);

impl Default for Seven {
    fn default() -> Self {
        Seven(7)
    }
}

impl PartialEq for Seven {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PartialOrd for Seven {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        other.0.partial_cmp(&self.0)
    }
}

#[device]
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
struct Pair {
    seven: Seven,
    other: u32,
}

#[device]
struct Counted(u32);

impl Clone for Counted {
    fn clone(&self) -> Self {
        Counted(self.0 + 1)
    }
}

#[device]
fn default_of<T: Default>() -> T {
    T::default()
}

#[kernel]
fn defaults(y: &mut [u32]) {
    y[0] = Seven::default().0;
}

#[kernel]
fn defaults_in_a_derive(y: &mut [u32]) {
    y[0] = default_of::<Pair>().other;
}

#[kernel]
fn equal(x: &[u32], y: &mut [u32]) {
    y[0] = (Seven(x[0]) == Seven(x[1])) as u32;
}

#[kernel]
fn ordered(x: &[u32], y: &mut [u32]) {
    let [a, b] = [0, 1].map(|i| Pair { seven: Seven(x[i]), other: 0 });
    y[0] = (a < b) as u32;
}

#[kernel]
fn cloned(x: &[u32], y: &mut [u32]) {
    y[0] = Counted(x[0]).clone().0;
}

#[device]
#[derive(Clone)]
struct Outer {
    counted: Counted,
}

#[kernel]
fn cloned_in_a_derive(x: &[u32], y: &mut [u32]) {
    y[0] = Outer { counted: Counted(x[0]) }.clone().counted.0;
}

fn main() {}
