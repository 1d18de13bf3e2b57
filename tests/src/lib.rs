//! What the suites that cross crates share.
//!
//! [`filetest`] runs tests that are files of IR text, [`random_ir`] makes kernels up.
pub mod filetest;
pub mod random_ir;
