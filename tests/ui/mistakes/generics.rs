//! Type parameters.
#![allow(unused)]

mod t_from {
    use warpwise::prelude::*;

    #[kernel]
    fn k<T: Float>(x: &mut [T]) {
        x[0] = T::from(2.0);
    }
}

mod t_literal {
    use warpwise::prelude::*;

    #[kernel]
    fn k<T: Float>(x: &mut [T]) {
        x[0] = x[0] * 2.0;
    }
}

mod t_no_bound {
    use warpwise::prelude::*;

    #[kernel]
    fn k<T>(x: &mut [T]) {
        x[0] = x[0] + x[1];
    }
}

mod t_as {
    use warpwise::prelude::*;

    #[kernel]
    fn k<T: Num>(x: &mut [T], n: usize) {
        x[0] = n as T;
    }
}

fn main() {}
