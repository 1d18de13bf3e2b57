//! Branches with arms of different lengths and kinds, two warps each: what `ptxas` runs under a predicate, and what not.
//!
//! The name of a kernel says how long its arms are. `tests/ptxas/branches` compares with machine code what the
//! counters say of them, and `tests/corpus/profile` with a GPU.
#![expect(clippy::collapsible_if, reason = "nested branches are what is counted")]
#![expect(clippy::len_zero, reason = "contracts compare lengths")]
use std::sync::atomic::Ordering::Relaxed;
use warpwise::prelude::*;

/// Declares a kernel: its operation, its name, the numbers of the first arm and those of the second.
macro_rules! arms {
    (madd $name:ident [$($then:literal)*] [$($other:literal)*]) => {
        #[kernel(block = 64, requires(x.len() >= 64 && y.len() >= 64 && out.len() >= 64))]
        #[allow(gpu_divergent_branches, reason = "that is what is counted")]
        fn $name(x: &[u32], y: &[u32], out: &mut [u32]) {
            let tid = thread_idx_x();
            let (v, w) = (x[tid], y[tid]);
            let mut r = v ^ w;
            if tid % 2 == 0 {
                $(r = (r * v + r) ^ $then;)*
            } else {
                $(r = (r * w + r) ^ $other;)*
            }
            out[tid] = r;
        }
    };
    (fma $name:ident [$($then:literal)*] [$($other:literal)*]) => {
        #[kernel(block = 64, requires(x.len() >= 64 && y.len() >= 64 && out.len() >= 64))]
        #[allow(gpu_divergent_branches, reason = "that is what is counted")]
        fn $name(x: &[f32], y: &[f32], out: &mut [f32]) {
            let tid = thread_idx_x();
            let (v, w) = (x[tid], y[tid]);
            let mut r = v * w;
            if tid % 2 == 0 {
                $(r = (r + $then as f32).mul_add(v, r);)*
            } else {
                $(r = (r + $other as f32).mul_add(w, r);)*
            }
            out[tid] = r;
        }
    };
    (wide $name:ident [$($then:literal)*] [$($other:literal)*]) => {
        #[kernel(block = 64, requires(x.len() >= 64 && y.len() >= 64 && out.len() >= 64))]
        #[allow(gpu_divergent_branches, reason = "that is what is counted")]
        fn $name(x: &[u64], y: &[u64], out: &mut [u64]) {
            let tid = thread_idx_x();
            let (v, w) = (x[tid], y[tid]);
            let mut r = v ^ w;
            if tid % 2 == 0 {
                $(r = (r + v) ^ $then;)*
            } else {
                $(r = (r + w) ^ $other;)*
            }
            out[tid] = r;
        }
    };
    (double $name:ident [$($then:literal)*] [$($other:literal)*]) => {
        #[kernel(block = 64, requires(x.len() >= 64 && y.len() >= 64 && out.len() >= 64))]
        #[allow(gpu_divergent_branches, reason = "that is what is counted")]
        fn $name(x: &[f64], y: &[f64], out: &mut [f64]) {
            let tid = thread_idx_x();
            let (v, w) = (x[tid], y[tid]);
            let mut r = v * w;
            if tid % 2 == 0 {
                $(r = (r + $then as f64).mul_add(v, r);)*
            } else {
                $(r = (r + $other as f64).mul_add(w, r);)*
            }
            out[tid] = r;
        }
    };
    (store $name:ident [$($then:literal)*] [$($other:literal)*]) => {
        #[kernel(block = 64, requires(x.len() >= 64 && y.len() >= 64 && out.len() >= 2048))]
        #[allow(gpu_divergent_branches, reason = "that is what is counted")]
        fn $name(x: &[u32], y: &[u32], out: &mut [u32]) {
            let tid = thread_idx_x();
            let (v, w) = (x[tid], y[tid]);
            if tid % 2 == 0 {
                $(out[tid + 64 * $then] = v;)*
            } else {
                $(out[tid + 64 * $other] = w;)*
            }
            out[tid] = v + w;
        }
    };
    (load $name:ident [$($then:literal)*] [$($other:literal)*]) => {
        #[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 2048 && out.len() >= 64))]
        #[allow(gpu_divergent_branches, reason = "that is what is counted")]
        fn $name(x: &[u32], y: &[u32], out: &mut [u32]) {
            let tid = thread_idx_x();
            let mut r = x[tid];
            if tid % 2 == 0 {
                $(r += x[tid + 64 * $then];)*
            } else {
                $(r += y[tid + 64 * $other];)*
            }
            out[tid] = r;
        }
    };
    (shared $name:ident [$($then:literal)*] [$($other:literal)*]) => {
        #[kernel(block = 64, requires(x.len() >= 64 && out.len() >= 64))]
        #[allow(gpu_divergent_branches, reason = "that is what is counted")]
        fn $name(x: &[u32], out: &mut [u32]) {
            let tile = shared!([u32; 2048]);
            let tid = thread_idx_x();
            let v = x[tid];
            if tid % 2 == 0 {
                $(tile[tid + 64 * $then] = v + $then;)*
            } else {
                $(tile[tid + 64 * $other] = v;)*
            }
            sync_threads();
            out[tid] = tile[64 * (v as usize % 16) + (tid ^ 1)];
        }
    };
    (approximate $name:ident [$($then:literal)*] [$($other:literal)*]) => {
        #[kernel(block = 64, requires(x.len() >= 64 && y.len() >= 64 && out.len() >= 64))]
        #[allow(gpu_divergent_branches, reason = "that is what is counted")]
        fn $name(x: &[f32], y: &[f32], out: &mut [f32]) {
            let tid = thread_idx_x();
            let (v, w) = (x[tid], y[tid]);
            let mut r = v * w;
            if tid % 2 == 0 {
                $(r = fast::exp(r) + $then as f32;)*
            } else {
                $(r = fast::exp(r + w) + $other as f32;)*
            }
            out[tid] = r;
        }
    };
}

arms! { madd madds_2 [1 2] [] }
arms! { madd madds_2_and_2 [1 2] [16 17] }
arms! { madd madds_3 [1 2 3] [] }
arms! { madd madds_3_and_3 [1 2 3] [16 17 18] }
arms! { madd madds_4 [1 2 3 4] [] }
arms! { madd madds_4_and_4 [1 2 3 4] [16 17 18 19] }
arms! { madd madds_5 [1 2 3 4 5] [] }
arms! { madd madds_5_and_5 [1 2 3 4 5] [16 17 18 19 20] }
arms! { madd madds_6 [1 2 3 4 5 6] [] }
arms! { madd madds_6_and_6 [1 2 3 4 5 6] [16 17 18 19 20 21] }
arms! { madd madds_8 [1 2 3 4 5 6 7 8] [] }
arms! { madd madds_8_and_8 [1 2 3 4 5 6 7 8] [16 17 18 19 20 21 22 23] }
arms! { fma fmas_2 [1 2] [] }
arms! { fma fmas_2_and_2 [1 2] [16 17] }
arms! { fma fmas_3 [1 2 3] [] }
arms! { fma fmas_3_and_3 [1 2 3] [16 17 18] }
arms! { fma fmas_4 [1 2 3 4] [] }
arms! { fma fmas_4_and_4 [1 2 3 4] [16 17 18 19] }
arms! { fma fmas_5 [1 2 3 4 5] [] }
arms! { fma fmas_5_and_5 [1 2 3 4 5] [16 17 18 19 20] }
arms! { fma fmas_6 [1 2 3 4 5 6] [] }
arms! { fma fmas_6_and_6 [1 2 3 4 5 6] [16 17 18 19 20 21] }
arms! { fma fmas_8 [1 2 3 4 5 6 7 8] [] }
arms! { fma fmas_8_and_8 [1 2 3 4 5 6 7 8] [16 17 18 19 20 21 22 23] }
arms! { wide wides_1 [1] [] }
arms! { wide wides_1_and_1 [1] [16] }
arms! { wide wides_2 [1 2] [] }
arms! { wide wides_2_and_2 [1 2] [16 17] }
arms! { wide wides_3 [1 2 3] [] }
arms! { wide wides_3_and_3 [1 2 3] [16 17 18] }
arms! { wide wides_4 [1 2 3 4] [] }
arms! { wide wides_4_and_4 [1 2 3 4] [16 17 18 19] }
arms! { double doubles_2 [1 2] [] }
arms! { double doubles_2_and_2 [1 2] [16 17] }
arms! { double doubles_3 [1 2 3] [] }
arms! { double doubles_3_and_3 [1 2 3] [16 17 18] }
arms! { double doubles_4 [1 2 3 4] [] }
arms! { double doubles_4_and_4 [1 2 3 4] [16 17 18 19] }
arms! { double doubles_5 [1 2 3 4 5] [] }
arms! { double doubles_5_and_5 [1 2 3 4 5] [16 17 18 19 20] }
arms! { double doubles_6 [1 2 3 4 5 6] [] }
arms! { double doubles_6_and_6 [1 2 3 4 5 6] [16 17 18 19 20 21] }
arms! { store stores_1 [1] [] }
arms! { store stores_1_and_1 [1] [16] }
arms! { store stores_4 [1 2 3 4] [] }
arms! { store stores_4_and_4 [1 2 3 4] [16 17 18 19] }
arms! { store stores_6 [1 2 3 4 5 6] [] }
arms! { store stores_6_and_6 [1 2 3 4 5 6] [16 17 18 19 20 21] }
arms! { store stores_7 [1 2 3 4 5 6 7] [] }
arms! { store stores_7_and_7 [1 2 3 4 5 6 7] [16 17 18 19 20 21 22] }
arms! { store stores_8 [1 2 3 4 5 6 7 8] [] }
arms! { store stores_8_and_8 [1 2 3 4 5 6 7 8] [16 17 18 19 20 21 22 23] }
arms! { store stores_9 [1 2 3 4 5 6 7 8 9] [] }
arms! { store stores_9_and_9 [1 2 3 4 5 6 7 8 9] [16 17 18 19 20 21 22 23 24] }
arms! { store stores_12 [1 2 3 4 5 6 7 8 9 10 11 12] [] }
arms! { store stores_12_and_12 [1 2 3 4 5 6 7 8 9 10 11 12] [16 17 18 19 20 21 22 23 24 25 26 27] }
arms! { load loads_1 [1] [] }
arms! { load loads_1_and_1 [1] [16] }
arms! { load loads_4 [1 2 3 4] [] }
arms! { load loads_4_and_4 [1 2 3 4] [16 17 18 19] }
arms! { load loads_8 [1 2 3 4 5 6 7 8] [] }
arms! { load loads_8_and_8 [1 2 3 4 5 6 7 8] [16 17 18 19 20 21 22 23] }
arms! { load loads_13 [1 2 3 4 5 6 7 8 9 10 11 12 13] [] }
arms! { load loads_13_and_13 [1 2 3 4 5 6 7 8 9 10 11 12 13] [16 17 18 19 20 21 22 23 24 25 26 27 28] }
arms! { load loads_14 [1 2 3 4 5 6 7 8 9 10 11 12 13 14] [] }
arms! { load loads_14_and_14 [1 2 3 4 5 6 7 8 9 10 11 12 13 14] [16 17 18 19 20 21 22 23 24 25 26 27 28 29] }
arms! { load loads_16 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16] [] }
arms! { load loads_16_and_16 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16] [16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31] }
arms! { shared shareds_1 [1] [] }
arms! { shared shareds_1_and_1 [1] [16] }
arms! { shared shareds_4 [1 2 3 4] [] }
arms! { shared shareds_4_and_4 [1 2 3 4] [16 17 18 19] }
arms! { shared shareds_6 [1 2 3 4 5 6] [] }
arms! { shared shareds_6_and_6 [1 2 3 4 5 6] [16 17 18 19 20 21] }
arms! { shared shareds_8 [1 2 3 4 5 6 7 8] [] }
arms! { shared shareds_8_and_8 [1 2 3 4 5 6 7 8] [16 17 18 19 20 21 22 23] }
arms! { shared shareds_9 [1 2 3 4 5 6 7 8 9] [] }
arms! { shared shareds_9_and_9 [1 2 3 4 5 6 7 8 9] [16 17 18 19 20 21 22 23 24] }
arms! { shared shareds_12 [1 2 3 4 5 6 7 8 9 10 11 12] [] }
arms! { shared shareds_12_and_12 [1 2 3 4 5 6 7 8 9 10 11 12] [16 17 18 19 20 21 22 23 24 25 26 27] }
arms! { approximate approximates_1 [1] [] }
arms! { approximate approximates_1_and_1 [1] [16] }
arms! { approximate approximates_2 [1 2] [] }
arms! { approximate approximates_2_and_2 [1 2] [16 17] }
arms! { approximate approximates_3 [1 2 3] [] }
arms! { approximate approximates_3_and_3 [1 2 3] [16 17 18] }
arms! { approximate approximates_4 [1 2 3 4] [] }
arms! { approximate approximates_4_and_4 [1 2 3 4] [16 17 18 19] }
arms! { approximate approximates_5 [1 2 3 4 5] [] }
arms! { approximate approximates_5_and_5 [1 2 3 4 5] [16 17 18 19 20] }
arms! { store stores_8_and_1 [1 2 3 4 5 6 7 8] [16] }
arms! { store stores_1_and_8 [1] [16 17 18 19 20 21 22 23] }
arms! { store stores_1_and_9 [1] [16 17 18 19 20 21 22 23 24] }
arms! { store stores_7_and_8 [1 2 3 4 5 6 7] [16 17 18 19 20 21 22 23] }
arms! { store stores_9_and_1 [1 2 3 4 5 6 7 8 9] [16] }

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn nested(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        if v < w {
            out[tid + 64] = v;
        }
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn nested_with_else(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        if v < w {
            out[tid + 64] = v;
        } else {
            out[tid + 128] = w;
        }
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn nested_after_a_store(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        out[tid + 64] = v;
        if v < w {
            out[tid + 128] = v;
        }
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn nested_after_a_load(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        if x[tid + 64] < w {
            out[tid + 128] = v;
        }
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn nested_in_the_other_arm(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 4 == 0 {
        out[tid + 64] = v;
    } else if tid % 4 == 1 {
        out[tid + 128] = w;
    } else {
        out[tid + 192] = v * w;
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn nested_three_deep(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        if v < w {
            if tid % 3 == 0 {
                out[tid + 64] = v;
            }
        }
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_a_division(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        out[tid + 64] = v / (w | 1);
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_a_division_by_3(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        out[tid + 64] = v / 3;
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_a_division_by_4(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        out[tid + 64] = v / 4;
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_a_vote(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid / 32 == 0 {
        out[tid + 64] = warp::ballot(v < w);
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_a_fence(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        out[tid + 64] = v;
        thread_fence();
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_a_loop(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        for k in 1..v as usize % 8 {
            out[tid + 64 * k] = w;
        }
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_a_return(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 2 == 0 {
        out[tid + 64] = v;
        return;
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_half_of_the_lanes_in_order(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 32 < 16 {
        out[tid / 2 + 64] = v;
    } else {
        out[tid / 4 * 4 + tid % 4 % 2 + 64] = w;
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn by_the_first_lane(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if tid % 32 == 0 {
        out[tid / 32 + 64] = v;
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 2048 && y.len() >= 64 && out.len() >= 2048))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn by_the_block(x: &[u32], y: &[u32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let (v, w) = (x[tid], y[tid]);
    if block_idx_x() % 2 == 0 {
        out[tid + 64] = v;
    }
    out[tid] = v + w;
}

#[kernel(block = 64, requires(x.len() >= 64 && sums.len() >= 64 && out.len() >= 64))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_an_atomic(x: &[u32], sums: &[AtomicU32], out: &mut [u32]) {
    let tid = thread_idx_x();
    let v = x[tid];
    if tid % 2 == 0 {
        sums[tid].fetch_add(v, Relaxed);
    }
    out[tid] = v;
}

#[kernel(block = 64, requires(x.len() >= 64 && sums.len() >= 64))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn with_an_atomic_at_the_end(x: &[u32], sums: &[AtomicU32]) {
    let tid = thread_idx_x();
    let v = x[tid];
    if tid % 2 == 0 {
        sums[tid].fetch_add(v, Relaxed);
    }
}

#[kernel(block = 256, requires(x.len() >= 256 && out.len() >= 1))]
#[allow(gpu_performance, reason = "branches are what is counted")]
fn sum_of_a_block(x: &[f32], out: &mut [f32]) {
    let sum = block::reduce_add(x[thread_idx_x()]);
    if thread_idx_x() == 0 {
        out[0] = sum;
    }
}

crate::corpus![
    madds_2,
    madds_2_and_2,
    madds_3,
    madds_3_and_3,
    madds_4,
    madds_4_and_4,
    madds_5,
    madds_5_and_5,
    madds_6,
    madds_6_and_6,
    madds_8,
    madds_8_and_8,
    fmas_2,
    fmas_2_and_2,
    fmas_3,
    fmas_3_and_3,
    fmas_4,
    fmas_4_and_4,
    fmas_5,
    fmas_5_and_5,
    fmas_6,
    fmas_6_and_6,
    fmas_8,
    fmas_8_and_8,
    wides_1,
    wides_1_and_1,
    wides_2,
    wides_2_and_2,
    wides_3,
    wides_3_and_3,
    wides_4,
    wides_4_and_4,
    doubles_2,
    doubles_2_and_2,
    doubles_3,
    doubles_3_and_3,
    doubles_4,
    doubles_4_and_4,
    doubles_5,
    doubles_5_and_5,
    doubles_6,
    doubles_6_and_6,
    stores_1,
    stores_1_and_1,
    stores_4,
    stores_4_and_4,
    stores_6,
    stores_6_and_6,
    stores_7,
    stores_7_and_7,
    stores_8,
    stores_8_and_8,
    stores_9,
    stores_9_and_9,
    stores_12,
    stores_12_and_12,
    loads_1,
    loads_1_and_1,
    loads_4,
    loads_4_and_4,
    loads_8,
    loads_8_and_8,
    loads_13,
    loads_13_and_13,
    loads_14,
    loads_14_and_14,
    loads_16,
    loads_16_and_16,
    shareds_1,
    shareds_1_and_1,
    shareds_4,
    shareds_4_and_4,
    shareds_6,
    shareds_6_and_6,
    shareds_8,
    shareds_8_and_8,
    shareds_9,
    shareds_9_and_9,
    shareds_12,
    shareds_12_and_12,
    approximates_1,
    approximates_1_and_1,
    approximates_2,
    approximates_2_and_2,
    approximates_3,
    approximates_3_and_3,
    approximates_4,
    approximates_4_and_4,
    approximates_5,
    approximates_5_and_5,
    stores_8_and_1,
    stores_1_and_8,
    stores_1_and_9,
    stores_7_and_8,
    stores_9_and_1,
    nested,
    nested_with_else,
    nested_after_a_store,
    nested_after_a_load,
    nested_in_the_other_arm,
    nested_three_deep,
    with_a_division,
    with_a_division_by_3,
    with_a_division_by_4,
    with_a_vote,
    with_a_fence,
    with_a_loop,
    with_a_return,
    with_half_of_the_lanes_in_order,
    by_the_first_lane,
    by_the_block,
    with_an_atomic,
    with_an_atomic_at_the_end,
    sum_of_a_block,
];
