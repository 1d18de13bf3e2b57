//! `impl` blocks that stand apart from their type and trait, and items of two modules that need
//! each other.
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
pub struct Here {
    x: f32,
}

mod elsewhere {
    use super::Here;
    use warpwise::device;

    #[device]
    impl Here {
        fn twice(self) -> f32 {
            self.x + self.x
        }
    }

    #[device]
    impl std::ops::Neg for super::Here {
        type Output = f32;
        fn neg(self) -> f32 {
            -self.x
        }
    }
}

struct Host;

#[device]
impl Host {
    fn one() -> f32 {
        1.0
    }
}

mod vectors {
    #[warpwise::device]
    #[derive(Clone, Copy)]
    pub struct Vector(pub f32);

    #[warpwise::device]
    impl Vector {
        pub fn times(self, matrix: super::matrices::Matrix) -> f32 {
            self.0 * matrix.0.0
        }
    }
}

mod matrices {
    #[warpwise::device]
    #[derive(Clone, Copy)]
    pub struct Matrix(pub super::vectors::Vector);
}

#[kernel]
fn uses(x: &mut [f32]) {
    x[0] = vectors::Vector(x[0]).0 + Here { x: 1.0 }.x;
}

fn main() {}
