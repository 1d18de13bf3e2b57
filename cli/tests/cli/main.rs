//! Tests of the program in a small workspace.
//!
//! The output is compared with the files in `golden`; `BLESS=1` rewrites them. The workspace is a
//! copy, so that tests can change it, and one test at a time uses it.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
mod editors;
mod findings;
mod fixture;
mod kernels;
mod learn;
mod profile;
