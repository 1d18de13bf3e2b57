//! What the suites that cross crates share.
//!
//! [`engines`] runs random kernels on what is here, [`filetest`] runs tests that are files of IR text, [`random_ir`] makes kernels up.
pub mod engines;
pub mod filetest;
pub mod random_ir;
