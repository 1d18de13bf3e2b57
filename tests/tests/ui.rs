//! What the macros and rustc say of kernels that are wrong: one file a case in `tests/ui`, with
//! the messages beside it.
//!
//! `TRYBUILD=overwrite cargo test -p warpwise-tests --test ui` rewrites the messages; look at
//! what changed before committing it. The texts are those of the toolchain in
//! `rust-toolchain.toml`. One case: `cargo test -p warpwise-tests --test ui -- ui trybuild=block`.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    // First, and so always under the same number: rustc shows a name with a hash of the crate's.
    cases.compile_fail("ui/devices/private*.rs");
    cases.compile_fail("ui/*/*.rs");
    cases.pass("ui/*/silent/*.rs");
}
