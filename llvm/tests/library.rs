//! Errors where LLVM cannot be loaded, or refuses a module.
use std::path::{Path, PathBuf};
use warpwise_compiler::{back::ptx::Lines, ir::Kernel, places, target::Target};
use warpwise_llvm::{Llvm, LoadError, OLDEST_LLVM, emit, emit_with_lines};

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
    assert!(!error.message.is_empty());
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

#[test]
fn source_lines_change_nothing_else() {
    let kernel: Kernel = "kernel clamp {
        param arg0 = x: write [u32] !0
        %0 = builtin global_idx.x : u64 !0
        %1 = len arg0 : u64 !0
        %2 = bounds %0, %1 : u64 !1
        %3 = param arg0 : ptr global !1
        %4 = index %3, %2, 4 : ptr global !1
        %5 = load %4 : u32 !1
        %6 = const 9 : u32 !2
        %7 = gt %5, %6 : bool !2
        %8 = if %7 !2 {
            %9 = store %4, %6 !3
        }
    }"
    .parse()
    .unwrap();
    let mut rows = String::new();
    for place in [[0, 3, 1], [0, 4, 5], [0, 5, 9], [1, 6, 9]] {
        places::push(&mut rows, place);
    }
    let files = ["0".to_owned(), "1".to_owned()];
    let lines = Lines { files: &files, rows: &rows };
    let target = Target::new(90);
    let text = emit_with_lines(llvm(), &kernel, target, Some(lines)).unwrap();
    let mut loc = "";
    let mut store = None;
    for line in text.lines().map(str::trim) {
        match line.strip_prefix(".loc") {
            Some(place) => loc = place.trim(),
            None if line.starts_with("st.global") => store = Some(loc),
            None => {}
        }
    }
    assert!(store.is_some_and(|place| place.starts_with("2 6 9")), "{text}");
    let is_code = |line: &&str| {
        let debug = [".loc", ".file", ".debug_", "$L__func", "$L__tmp"];
        !line.trim().is_empty() && !debug.iter().any(|word| line.contains(word))
    };
    let code = |text: &str| text.lines().filter(is_code).collect::<Vec<_>>().join("\n");
    assert_eq!(code(&text), code(&emit(llvm(), &kernel, target).unwrap()));
}
