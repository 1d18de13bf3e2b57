//! Copies of as many elements, a stride apart.
use super::prelude::*;

pub(super) const ALL: &[Benchmark] = &[
    variant!(stride_1, |scale| problem(scale, 1)),
    variant!(stride_2, |scale| problem(scale, 2)),
    variant!(stride_4, |scale| problem(scale, 4)),
    variant!(stride_8, |scale| problem(scale, 8)),
    variant!(stride_32, |scale| problem(scale, 32)),
];

macro_rules! kernels {
    ($($name:ident: $stride:literal,)*) => {
        $(
            /// Reads the elements in the order of their distance from the first one, modulo the
            /// length, which is a power of two.
            #[kernel(block = 256)]
            fn $name(x: &[f32], y: &mut [f32]) {
                let i = global_idx_x();
                if i < y.len() {
                    y[i] = x[i * $stride % x.len()];
                }
            }
        )*
    };
}

kernels! {
    stride_1: 1,
    stride_2: 2,
    stride_4: 4,
    stride_8: 8,
    stride_32: 32,
}

fn problem(scale: Scale, stride: usize) -> Problem {
    let n = scale.pick(1 << 12, 1 << 23);
    let x = inputs::floats(0.0, 1.0, 1, 8 * n);
    let mut buffers = Buffers::new(scale);
    let x_id = buffers.input(&x);
    let expected = || (0..n).map(|i| x[i * stride % x.len()]).collect();
    let y_id = buffers.output(&vec![0.0f32; n], Agreement::Exact, expected);
    Problem {
        grid: cover(n, 256),
        block: [256, 1, 1],
        rust: args![x_id, y_id],
        cuda: Vec::new(),
        buffers,
        work: Work::Items(n),
    }
}
