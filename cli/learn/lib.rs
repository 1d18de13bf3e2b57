//! Exercises in writing GPU kernels. `README.md` says how to begin.
#![allow(unused_variables, reason = "unsolved exercises use none")]
pub mod e01_map;
pub mod e02_zip;
pub mod e03_guard;
pub mod e04_map_2d;
pub mod e05_broadcast;
pub mod e06_blocks;
pub mod e07_shared;
pub mod e08_pooling;
pub mod e09_dot_product;
pub mod e10_convolution;
pub mod e11_prefix_sum;
pub mod e12_axis_sum;
pub mod e13_matrix_product;
pub mod e14_coalescing;
pub mod e15_bank_conflicts;
pub mod e16_race;
pub mod e17_shuffle;
