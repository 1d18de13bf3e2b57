//! What the suites that cross crates share.
//!
//! [`filetest`] runs tests that are files of IR text.
pub mod filetest;
