//! What `#[device]` does not stand on, and names and layouts that it refuses.
use warpwise::prelude::*;

#[device]
union Bits {
    float: f32,
    bits: u32,
}

#[device]
static COUNT: u32 = 1;

#[device]
#[derive(Clone, Copy)]
struct Option {
    value: f32,
}

#[device]
trait Index {
    fn index(self) -> usize;
}

#[device]
const assert: f32 = 1.0;

#[device]
#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Packed {
    small: u8,
    large: u64,
}

#[device]
#[derive(Clone, Copy)]
#[repr(align(2048))]
struct Aligned {
    value: f32,
}

#[device]
impl Aligned {
    fn get(self) -> f32 {
        self.value
    }
}

struct Method;

impl Method {
    #[device]
    fn method(&self) {}
}

fn main() {}
