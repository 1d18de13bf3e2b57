//! What is said where LLVM cannot be used, or refuses a module.
use std::path::{Path, PathBuf};
use warpwise_llvm::{Llvm, LoadError, OLDEST_LLVM};

fn llvm() -> &'static Llvm {
    Llvm::find().expect("rustup's toolchains have an LLVM with NVPTX")
}

#[test]
fn the_toolchain_has_an_llvm() {
    assert!(llvm().version()[0] >= OLDEST_LLVM);
    assert!(llvm().path().to_string_lossy().contains("libLLVM"));
}

#[test]
fn a_missing_library_is_an_error() {
    let path = Path::new("/nowhere/libLLVM.so");
    let error = Llvm::load(path).err().unwrap();
    assert!(matches!(&error, LoadError::Library { path: at, .. } if at == path), "{error}");
}

#[test]
fn a_library_without_the_functions_is_an_error() {
    let libraries = ["libm.so.6", "libSystem.dylib", "kernel32.dll"].map(PathBuf::from);
    let error = libraries.iter().find_map(|path| match Llvm::load(path).err().unwrap() {
        LoadError::Library { .. } => None,
        error => Some(error),
    });
    let error = error.expect("one of these is on every system");
    assert!(error.to_string().ends_with("has no function `LLVMGetVersion`"), "{error}");
}

#[test]
fn malformed_text_is_an_error() {
    let error = llvm().compile("k", "define void @k() { ret i32 }", "sm_75", "63").unwrap_err();
    assert_eq!((error.kernel.as_str(), error.stage), ("k", "parse"));
    assert!(error.message.contains("expected type") || !error.message.is_empty());
}

#[test]
fn malformed_modules_are_errors() {
    let text = "define void @k() {\n  call i32 @llvm.ctpop.i32(i32 1, i32 2)\n  ret void\n}\n\
                declare i32 @llvm.ctpop.i32(i32, i32)";
    let error = llvm().compile("k", text, "sm_75", "63").unwrap_err();
    assert_eq!(error.stage, "verify", "{error}");
}

#[test]
fn an_error_of_code_generation_does_not_end_the_process() {
    let text = "target triple = \"nvptx64-nvidia-cuda\"\ndefine void @k() {\n  \
                call void asm sideeffect \"nothing\", \"z\"(i32 1)\n  ret void\n}";
    let error = llvm().compile("k", text, "sm_75", "63").unwrap_err();
    assert_eq!(error.stage, "emit", "{error}");
    assert!(llvm().compile("k", "define void @k() {\n  ret void\n}", "sm_75", "63").is_ok());
}
