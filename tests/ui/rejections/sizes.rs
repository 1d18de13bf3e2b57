//! Sizes that kernel code does not know.
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
struct Pair {
    both: (u8, u32),
}

#[device]
fn written<T: Copy>(x: &mut [usize]) {
    x[0] = size_of::<T>();
}

#[kernel]
fn without_layout(x: &mut [usize]) {
    x[0] = size_of::<(u8, u32)>();
    x[1] = std::mem::size_of::<Option<u32>>();
    x[2] = core::mem::align_of::<Pair>();
    x[3] = size_of::<&f32>();
    written::<(u8, u32)>(x);
}

#[kernel]
fn without_type(x: &mut [usize]) {
    x[0] = size_of();
    x[1] = size_of::<_>();
}

#[kernel]
fn of_values(x: &mut [usize]) {
    x[0] = std::mem::size_of_val(x);
}

#[kernel]
fn as_lengths(x: &mut [usize]) {
    let array = [0u8; size_of::<Pair>()];
    x[0] = array.len();
}

mod shadowed {
    use warpwise::prelude::*;

    fn size_of<T>() -> usize {
        7
    }

    #[kernel]
    fn of_another(x: &mut [usize]) {
        x[0] = size_of::<f32>();
    }
}

fn main() {}
