//! Kernels of textbooks and of NVIDIA's samples (the ones in backticks), written as a Rust
//! programmer would, and compared with the same computations on the host.
pub(super) mod ciphers;
pub(super) mod codes;
pub(super) mod factors;
pub(super) mod finance;
pub(super) mod geometry;
pub(super) mod grids;
pub(super) mod images;
pub(super) mod layers;
pub(super) mod links;
pub(super) mod lookups;
pub(super) mod machines;
pub(super) mod numbers;
pub(super) mod numerics;
pub(super) mod reductions;
pub(super) mod samples;
pub(super) mod scans;
pub(super) mod scenes;
pub(super) mod search;
pub(super) mod solvers;
pub(super) mod sorting;
pub(super) mod structures;
pub(super) mod texts;
pub(super) mod transforms;
pub(super) mod wavefronts;

use crate::run::engine::Check;

/// Compares with a result of higher precision.
fn close(what: &str, got: &[f32], want: &[f64], tolerance: f64) -> Check {
    if got.len() != want.len() {
        return Err(format!("{what} has {} elements, expected {}", got.len(), want.len()).into());
    }
    let far = |(got, want): (&f32, &f64)| !((f64::from(*got) - want).abs() <= tolerance);
    match got.iter().zip(want).position(far) {
        None => Ok(()),
        Some(i) => Err(format!("{what}[{i}] is {}, expected {}", got[i], want[i]).into()),
    }
}

/// Returns pseudorandom numbers, always the same ones.
fn noise(count: usize) -> Vec<u32> {
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..count).map(|_| next()).collect()
}
