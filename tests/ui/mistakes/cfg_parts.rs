//! `#[cfg]` on parts of a device item, which the macro sees before rustc has evaluated it.
#![allow(unused)]
use warpwise::prelude::*;

mod field {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Particle {
        #[cfg(test)]
        age: f32,
        mass: f32,
    }

    #[kernel]
    fn weigh(particles: &mut [Particle]) {
        particles[0].mass = 1.0;
    }
}

mod variant {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    enum Op {
        #[cfg(test)]
        Trace,
        Push,
        Pop,
    }

    #[kernel]
    fn run(ops: &[Op], y: &mut [u32]) {
        y[0] = ops[0] as u32;
    }
}

mod method {
    use warpwise::prelude::*;

    #[device]
    trait Value {
        fn value(&self) -> f32 {
            1.0
        }
    }

    #[device]
    impl Value for f32 {
        #[cfg(test)]
        fn value(&self) -> f32 {
            5.0
        }
    }

    #[kernel]
    fn read(y: &mut [f32]) {
        y[0] = y[0].value();
    }
}

mod trait_method {
    use warpwise::prelude::*;

    #[device]
    trait Value {
        #[cfg(not(test))]
        fn value(&self) -> f32 {
            1.0
        }
    }
}

mod associated_const {
    use warpwise::prelude::*;

    #[device]
    #[derive(Clone, Copy)]
    struct Shape;

    #[device]
    impl Shape {
        #[cfg_attr(test, cfg(not(test)))]
        const SIDES: u32 = 3;
    }
}

fn main() {}
