//! Methods of numbers without a type.
#![allow(unused)]
use warpwise::prelude::*;

mod power_of_literal {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [f32]) {
        y[0] = 2.0.powi(3);
    }
}

mod power_of_variable {
    use warpwise::prelude::*;

    #[kernel]
    fn k(y: &mut [i32]) {
        let d = 3;
        y[0] = d.pow(2);
    }
}

mod rounded_literal {
    use warpwise::prelude::*;

    #[device]
    fn rounded() -> f32 {
        1.5.round()
    }
}

fn main() {}
