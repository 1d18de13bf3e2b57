//! Functions that are written in the kernel language: mathematics.
//!
//! They are Rust that the host compiles and calls, and they are text, which the front end lowers
//! where a kernel calls one. No operation in them is inexact in more than one way, so that host,
//! interpreter and GPU compute the same bits; the exception is the reciprocal that hardware
//! approximates, from which a [quotient](f32::trigonometric::quotient) comes out the same whichever
//! it is.
//!
//! They are written in the language of `#[device]` functions, with further rules, because the front
//! end does not link them but finds them by name: free functions of one module have names of their
//! own, stand at the start of a line with `pub fn` and end with a line that is `}`, and call only
//! each other. Products and sums stay as they are written ([contraction](crate::ir) does not
//! apply), and every integer operation wraps.
pub mod approx;
pub mod directed;
#[expect(
    clippy::approx_constant,
    clippy::excessive_precision,
    reason = "coefficients are what they are, and constants are in parts"
)]
pub mod f32;
#[expect(clippy::approx_constant, reason = "coefficients are what they are")]
pub mod f64;
pub mod root;
pub mod words;

/// The text of a function of [`f32`](mod@f32) or [`f64`](mod@f64), from `pub fn` to `}`.
pub fn text(wide: bool, name: &str) -> Option<&'static str> {
    let head = format!("\npub fn {name}(");
    let files = if wide { &f64::TEXT } else { &f32::TEXT };
    files.iter().find_map(|file| {
        let (start, end) = ("\n".len(), "\n}".len());
        let rest = &file[file.find(&head)? + start..];
        Some(&rest[..rest.find("\n}\n")? + end])
    })
}
