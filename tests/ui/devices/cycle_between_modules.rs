//! Functions of two modules that call each other: rustc looks for what makes the one in the other, and
//! finds neither.
use warpwise::prelude::*;

mod even {
    use warpwise::prelude::*;

    #[device]
    pub fn is_even(n: u32) -> bool {
        if n == 0 { true } else { super::odd::is_odd(n - 1) }
    }
}

mod odd {
    use warpwise::prelude::*;

    #[device]
    pub fn is_odd(n: u32) -> bool {
        if n == 0 { false } else { super::even::is_even(n - 1) }
    }
}

#[kernel]
fn start(x: &mut [u32]) {
    x[0] = even::is_even(3) as u32;
}

fn main() {}
