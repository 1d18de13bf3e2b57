//! Tells the crate how it is compiled, which no `cfg` of rustc says.
use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimized, assembly)");
    // Loops become vector code from 2 on, and where size is what counts.
    if !var("OPT_LEVEL").is_ok_and(|level| ["0", "1"].contains(&level.as_str())) {
        return;
    }
    println!("cargo::rustc-cfg=unoptimized");
    let is = |name, value| var(name).is_ok_and(|is| is == value);
    // Miri has no assembly.
    if is("CARGO_CFG_TARGET_ARCH", "x86_64") && var("CARGO_CFG_MIRI").is_err() {
        println!("cargo::rustc-cfg=assembly");
    }
}
