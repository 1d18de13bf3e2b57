//! What the suites that cross crates share.
//!
//! [`filetest`] runs tests that are files of IR text. [`random_ir`] makes kernels up, [`oracle`]
//! says what they mean, and [`engines`] runs them on what is here.
#[cfg(doctest)]
pub mod documents;
pub mod engines;
pub mod filetest;
pub mod oracle;
pub mod random_ir;
pub mod reference;
