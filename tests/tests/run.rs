//! The meaning suite: one list of kernels with inputs and expected outputs, on every engine.
//!
//! A trial is named `engine::module::case`. `cargo test -p warpwise-tests --test run -- cuda::`
//! runs those of one engine, and any other part of a name works the same way. A case that an engine
//! omits is listed as ignored, with the reason in brackets. The binary is self-contained: copied to
//! a machine with a GPU, it runs there, and with `WARPWISE_DEVICE=cuda` a missing GPU is a failure.
#![deny(unsafe_code)]
#![expect(clippy::all, reason = "kernels here cover the language, not the style")]
#[path = "../run/mod.rs"]
mod run;

fn main() -> std::process::ExitCode {
    run::main()
}
