//! The code in README.md and docs/guide.md, as doc tests.

/// `README.md`.
#[doc = include_str!("../../README.md")]
pub struct Readme;

/// `docs/guide.md`.
#[doc = include_str!("../../docs/guide.md")]
pub struct Guide;
