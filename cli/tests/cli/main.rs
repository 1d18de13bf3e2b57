//! The program, on a small workspace of its own.
//!
//! What it prints is compared with the files in `golden`; `BLESS=1` rewrites them. The workspace is
//! copied, so that tests can change it, and one test at a time uses it.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
mod findings;
mod fixture;
mod kernels;
mod profile;
