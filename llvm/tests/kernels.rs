//! Every kernel at hand compiles, with the interface that the built-in back end gives it: those of
//! that back end's file tests, as they are and optimized, and random ones over the whole IR.
//!
//! Without the toolchain's LLVM these tests fail. `WARPWISE_DUMP=FOLDER` keeps the PTX, and the
//! built-in back end's, for `ptxas`.
#![expect(clippy::unwrap_used, reason = "a test")]
use std::{env, fs, path::Path, time::Instant};
use warpwise_compiler::{
    back::ptx,
    compile::{self, CompileError},
    ir::{BinaryOp, CompareOp, Kernel, Scalar, UnaryOp},
    small_sizes::Sizes,
    target::Target,
    verify::verify,
};
use warpwise_llvm::{Error, Llvm, emit};
use warpwise_tests::random_ir::{
    affine_kernel, cluster_kernel, dense_kernel, divergent_kernel, guarded_kernel, index_kernel,
    racy_kernel, random_kernel, random_kernel_within, ring_kernel, seeds, stride_kernel,
};

/// The first target, one with more instructions, and the one that has them all.
const TARGETS: [Target; 3] = [Target::OLDEST, Target::new(80), Target::new(90)];

fn llvm() -> &'static Llvm {
    Llvm::find().expect("rustup's toolchains have an LLVM with NVPTX")
}

/// The kernels of the built-in back end's file tests, by file and case.
fn golden_kernels() -> Vec<(String, Kernel)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/filetests/ptx");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut kernels = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_kernel = |line: &str| line.starts_with("kernel ");
        let cases = text.split("\n;===").filter(|case| case.lines().any(is_kernel));
        for (number, case) in cases.enumerate() {
            let case = case.split_once('\n').map_or(case, |(_, rest)| rest);
            let kernel: Kernel = case.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
            verify(&kernel).unwrap();
            kernels.push((format!("{file}_{number}"), kernel));
        }
    }
    kernels
}

/// Compiles a kernel as it is and optimized, for each target; yields how often, without what the
/// built-in back end refuses as well.
fn compile(name: &str, kernel: Kernel) -> usize {
    let mut compiled = 0;
    let optimized = compile::compile(kernel.clone(), Sizes::Any, Ok::<_, CompileError>).unwrap();
    let coarsened = optimized.coarsened.map(|(_, kernel)| ("coarsened", kernel));
    let forms = [("plain", kernel), ("optimized", optimized.plain)];
    for (form, kernel) in forms.into_iter().chain(coarsened) {
        for target in TARGETS {
            match (emit(llvm(), &kernel, target), ptx::emit(&kernel, target)) {
                (Ok(text), Ok(built_in)) => {
                    assert_eq!(interface(&text), interface(&built_in), "{name}");
                    keep(&format!("{name}_{form}_{target}.llvm"), &text);
                    keep(&format!("{name}_{form}_{target}.built_in"), &built_in);
                    compiled += 1;
                }
                (Err(Error::Unsupported(ours)), Err(theirs)) => assert_eq!(ours, theirs, "{name}"),
                (Ok(_), Err(error)) => panic!("{name}: LLVM alone compiles it: {error}"),
                (Err(error), _) => panic!("{name}, {form}, {target}: {error}\n{kernel}"),
            }
        }
    }
    compiled
}

/// What the launcher relies on: bytes of each parameter, in order, bytes and alignment of each
/// declared shared array, and the declared block.
fn interface(ptx: &str) -> (Vec<u64>, Vec<String>, Option<String>) {
    let lines = || ptx.lines().map(|line| line.split("//").next().unwrap_or("").trim());
    let params = lines().filter(|line| line.starts_with(".param")).map(|line| {
        // A tensor map: `.param .align 64 .b8 arg0[128],`.
        if let Some((_, bytes)) = line.split_once('[') {
            return bytes.trim_end_matches([']', ',']).parse().unwrap();
        }
        let ty = line.split_whitespace().nth(1).unwrap();
        let bits = ty.trim_start_matches(|c: char| !c.is_ascii_digit());
        bits.parse::<u64>().unwrap() / 8
    });
    // `.visible .shared .align 16 .b8 shared0[64];`, or `.visible .const ..`, which launches fill.
    // LLVM leaves out an unused declaration of the memory that the launch sizes, which takes none.
    let declared = |line: &&str| {
        line.contains(".shared .align") && !line.starts_with(".extern")
            || line.starts_with(".visible .const")
    };
    let shared = lines().filter(declared).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let align = words.iter().position(|word| *word == ".align").unwrap();
        let size = line.split(['[', ']']).nth(1).unwrap();
        format!("{} {size}", words[align + 1])
    });
    let block = lines().find_map(|line| line.strip_prefix(".reqntid "));
    let mut shared: Vec<String> = shared.collect();
    shared.sort();
    (params.collect(), shared, block.map(str::to_owned))
}

fn keep(name: &str, text: &str) {
    if let Some(folder) = env::var_os("WARPWISE_DUMP") {
        fs::write(Path::new(&folder).join(format!("{name}.ptx")), text).unwrap();
    }
}

#[test]
fn golden_kernels_compile() {
    let start = Instant::now();
    let kernels = golden_kernels();
    let count = kernels.len();
    let compiled: usize = kernels.into_iter().map(|(name, kernel)| compile(&name, kernel)).sum();
    println!("{count} kernels, {compiled} times, in {:?}", start.elapsed());
    assert!(count > 60, "{count} kernels");
}

/// A kernel whose threads load two or three values and store what an operation makes of them,
/// beside a minimum, which changes how integers are negated; `None` if the types do not fit.
fn operation(name: &str, operands: &[Scalar], result: Scalar) -> Option<Kernel> {
    let mut text = format!("kernel k {{ param arg0 = out: write [{result}] ");
    for (number, ty) in operands.iter().enumerate() {
        text += &format!("param arg{} = x: read [{ty}] ", number + 1);
    }
    text += "param arg9 = least: write [u32] %0 = builtin thread_idx.x : u32 ";
    let param = format!("arg{}", operands.len() + 1);
    let mut next = 1;
    let mut values = Vec::new();
    let element = |number: usize, next: usize, size: u32| {
        format!(
            "%{next} = param arg{number} : ptr global %{} = index %{next}, %0, {size} : ptr global ",
            next + 1
        )
    };
    for (number, ty) in operands.iter().enumerate() {
        text += &element(number + 1, next, ty.size()?);
        text += &format!("%{} = load %{} : {ty} ", next + 2, next + 1);
        values.push(format!("%{}", next + 2));
        next += 3;
    }
    text += &format!("%{next} = {name} {} : {result} ", values.join(", "));
    text += &element(0, next + 1, result.size()?);
    text += &format!("%{} = store %{}, %{next} ", next + 3, next + 2);
    text += &element(operands.len() + 1, next + 4, 4);
    text += &format!(
        "%{} = min %0, %0 : u32 %{} = store %{}, %{} }}",
        next + 6,
        next + 7,
        next + 5,
        next + 6
    );
    let kernel: Kernel = text.replace("arg9", &param).parse().ok()?;
    verify(&kernel).is_ok().then_some(kernel)
}

#[test]
fn every_operation_on_every_type_compiles() {
    let mut operations = Vec::new();
    for ty in Scalar::CONCRETE {
        for op in UnaryOp::ALL {
            operations.push((op.name(), vec![ty], ty));
        }
        for op in BinaryOp::ALL {
            let amount = if op.is_shift() { Scalar::U32 } else { ty };
            operations.push((op.name(), vec![ty, amount], ty));
        }
        for op in CompareOp::ALL {
            operations.push((op.name(), vec![ty, ty], Scalar::Bool));
        }
        operations.push(("fma", vec![ty; 3], ty));
        operations.push(("select", vec![Scalar::Bool, ty, ty], ty));
        for to in Scalar::CONCRETE {
            operations.push(("cast", vec![ty], to));
            operations.push(("bitcast", vec![ty], to));
        }
    }
    let mut kernels = 0;
    for (name, operands, result) in operations {
        if let Some(kernel) = operation(name, &operands, result) {
            compile(&format!("{name}_{}_{result}", operands[0]), kernel);
            kernels += 1;
        }
    }
    println!("{kernels} kernels");
    assert!(kernels > 400, "{kernels} kernels");
}

#[test]
fn random_kernels_compile() {
    let start = Instant::now();
    let mut compiled = 0;
    for seed in seeds(20) {
        for (kind, kernel) in [
            ("affine", affine_kernel(seed).kernel),
            ("cluster", cluster_kernel(seed).kernel),
            ("random", random_kernel(seed).kernel),
            ("dense", dense_kernel(seed).kernel),
            ("divergent", divergent_kernel(seed).kernel),
            ("guarded", guarded_kernel(seed).kernel),
            ("index", index_kernel(seed, true).kernel),
            ("racy", racy_kernel(seed, 0).kernel),
            ("ring", ring_kernel(seed).kernel),
            ("stride", stride_kernel(seed).kernel),
        ] {
            compiled += compile(&format!("{kind}_{seed}"), kernel);
        }
    }
    println!("{compiled} times, in {:?}", start.elapsed());
}

/// LLVM's vectorizer of straight code, if it runs, overruns a buffer at this kernel's loads.
#[test]
fn loads_with_a_stride_that_is_no_constant_compile() {
    compile("strided_loads", random_kernel_within(650_145_805, 25).kernel);
}

/// A pair is loaded after its first number is stored: inline PTX that reads memory stays where it
/// stands.
#[test]
fn pairs_are_loaded_after_earlier_stores() {
    let swap = "kernel swap {
  param arg0 = y: write [plain 8 align 8]
  %0 = builtin thread_idx.x : u32
  %1 = const 77 : u32
  %2 = param arg0 : ptr global
  %3 = index %2, %0, 8 : ptr global
  %4 = store %3, %1
  %5 = offset %3, 4 : ptr global
  %6 = load %3 : u32
  %7 = load %5 : u32
  %8 = store %3, %7
  %9 = store %5, %6
}";
    let text = emit(llvm(), &swap.parse().unwrap(), Target::new(90)).unwrap();
    let load = text.find("ld.global.v2.b32").expect("a load of a pair");
    let store = text.find("st.global").expect("a store");
    assert!(store < load, "{text}");
}
