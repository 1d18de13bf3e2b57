//! An installed LLVM beside that of rustc. Run by hand where there is one, as in Debian's package
//! `libllvm22`:
//!
//! ```text
//! WARPWISE_LLVM=/usr/lib/x86_64-linux-gnu/libLLVM-22.so cargo test -p warpwise-llvm --test installed -- --ignored
//! ```
#![expect(clippy::unwrap_used, reason = "a test")]
use std::{env, fs, path::Path};
use warpwise_compiler::{ir::Kernel, target::Target};
use warpwise_llvm::{LLVM_VARIABLE, Llvm, emit};
use warpwise_tests::random_ir::random_kernel;

/// The kernels of the file tests of PTX, and random ones.
fn kernels() -> Vec<Kernel> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests/ptx");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let golden = files.filter_map(|path| {
        let text = fs::read_to_string(path).unwrap();
        let kernel: Kernel = text.split("\n;---").next()?.parse().ok()?;
        kernel.is_closed().then_some(kernel)
    });
    let random = (0..200).map(|seed| random_kernel(seed).kernel);
    golden.chain(random).collect()
}

/// Both compile every kernel, and to the same text if they are of one version.
#[test]
#[ignore = "needs an LLVM that is installed beside rustc's"]
fn both_compile_the_same_kernels() {
    let named = Llvm::find().unwrap();
    let variable = env::var_os(LLVM_VARIABLE).expect("the installed LLVM is named");
    assert!(named.path().starts_with(variable), "{}", named.path().display());
    let sysroot =
        std::process::Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
    let folder = Path::new(String::from_utf8(sysroot.stdout).unwrap().trim()).join("lib");
    let is_llvm = |path: &std::path::PathBuf| path.to_string_lossy().contains("libLLVM.so");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let own = Llvm::load(&files.into_iter().find(is_llvm).unwrap()).unwrap();
    let (mut compared, mut equal) = (0, 0);
    for kernel in kernels() {
        let texts = [named, &own].map(|llvm| emit(llvm, &kernel, Target::OLDEST).ok());
        let [Some(by_named), Some(by_own)] = texts else {
            assert_eq!(texts, [None, None], "one of them refuses {}", kernel.name);
            continue;
        };
        (compared, equal) = (compared + 1, equal + usize::from(by_named == by_own));
        let is_one_version = named.version() == own.version();
        assert!(by_named == by_own || !is_one_version, "{}: {by_named}\n{by_own}", kernel.name);
    }
    println!("{named} and {own}: {equal} of {compared} texts are equal");
    assert!(compared > 200, "{compared}");
}
