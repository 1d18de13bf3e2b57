//! The meaning suite: one list of kernels with inputs and expected outputs, on every engine.
//!
//! A trial is named `engine::module::case`. `cargo test -p warpwise-tests --test run -- cuda::`
//! runs one engine's, and any other part of a name works the same way. What an engine leaves
//! out is listed as ignored, in brackets the reason. The binary stands alone: copied to a machine
//! with a GPU, it runs there, and with `WARPWISE_DEVICE=cuda` a missing GPU is a failure.
#![deny(unsafe_code)]
#![expect(clippy::all, reason = "kernels here cover the language, not the style")]
#[path = "../run/mod.rs"]
mod run;

fn main() -> std::process::ExitCode {
    run::main()
}
