//! The same two long arms, chosen by the thread, by the warp, or by the block.
use super::prelude::*;

pub(super) const ALL: &[Benchmark] = &[
    variant!(branch_by_thread, |scale| problem(scale, |i| i)),
    variant!(branch_by_warp, |scale| problem(scale, |i| i / 32)),
    variant!(branch_by_block, |scale| problem(scale, |i| i / 256)),
];

macro_rules! kernels {
    ($($name:ident: |$i:ident| $number:expr,)*) => {
        $(
            /// Each arm is a chain of 64 steps.
            #[kernel(block = 256)]
            fn $name(x: &[f32], y: &mut [f32]) {
                let $i = global_idx_x();
                if $i < y.len() {
                    let mut value = x[$i];
                    if ($number) % 2 == 0 {
                        for _ in 0..64 {
                            value = value * value + 0.25;
                        }
                    } else {
                        for _ in 0..64 {
                            value = value * 0.5 - value * value;
                        }
                    }
                    y[$i] = value;
                }
            }
        )*
    };
}

kernels! {
    branch_by_thread: |i| i,
    branch_by_warp: |i| i / 32,
    branch_by_block: |i| i / 256,
}

fn problem(scale: Scale, number: fn(usize) -> usize) -> Problem {
    let n = scale.pick(10_000, 1 << 24);
    let x = inputs::floats(0.0, 0.5, 1, n);
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let value = |(i, &x): (usize, &f32)| {
        let step = |value: f64| match number(i) % 2 {
            0 => value * value + 0.25,
            _ => value * 0.5 - value * value,
        };
        (0..64).fold(f64::from(x), |value, _| step(value)) as f32
    };
    let expected = || x.iter().enumerate().map(value).collect();
    let y_id = buffers.output(&vec![0.0f32; n], Agreement::Within(1e-4), expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, y_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Items(n),
    }
}
