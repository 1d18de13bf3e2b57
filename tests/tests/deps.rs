//! Dependencies between crates, and the rules that every source file keeps.
//!
//! The checks read `cargo metadata` and the files of the workspace, so they hold for the code that
//! is built, not for a description of it.
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::{
    collections::{BTreeSet, HashMap},
    fs,
    process::Command,
};
use warpwise_tests::workspace;

/// Files and folders that may contain `expect(unsafe_code)`; rustc denies `unsafe` everywhere else.
const UNSAFE: [&str; 22] = [
    "benches/benches/launch.rs",
    "benches/race/device_problem.rs",
    "benches/race/driver.rs",
    "cust_interop/",
    "examples/cudarc_interop.rs",
    "llvm/src/library",
    "playground/src/wasm.rs",
    "runtime/src/driver/",
    "runtime/src/intrinsics/inline_ptx.rs",
    "runtime/src/interop/",
    "runtime/src/launch/source.rs",
    "runtime/tests/faults.rs",
    "runtime/tests/gpu.rs",
    "runtime/tests/interop.rs",
    "runtime/tests/kernels/mod.rs",
    "tests/run/inline_ptx.rs",
    "tests/src/engines.rs",
    "tests/src/gpu",
    "simt/benches/native/plain.rs",
    "simt/src/vector/lanes/",
    "simt/src/vector/memory.rs",
    "simt/src/vector/registers/mod.rs",
];

/// Folders of files that tests read, rather than code of the workspace.
const INPUTS: [&str; 3] = ["frontend/golden/", "frontend/tests/lower/", "tests/ui/"];

/// The limit of packages that a project gets with `warpwise`, itself included.
const MOST_PACKAGES: usize = 60;

/// Returns the target triple of this machine.
fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(workspace::root().join("Cargo.toml"))
        .other_options(vec!["--filter-platform".into(), host()])
        .exec()
        .unwrap()
}

fn package<'m>(metadata: &'m Metadata, name: &str) -> &'m Package {
    metadata.workspace_packages().into_iter().find(|package| package.name == name).unwrap()
}

/// Returns the names of all packages that building `name` builds, itself included, without tests.
fn built_with(metadata: &Metadata, name: &str) -> BTreeSet<String> {
    let nodes: HashMap<&PackageId, _> =
        metadata.resolve.as_ref().unwrap().nodes.iter().map(|node| (&node.id, node)).collect();
    let mut found = BTreeSet::new();
    let mut open = vec![&package(metadata, name).id];
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        for dependency in &nodes[id].deps {
            let built =
                dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development);
            if built {
                open.push(&dependency.pkg);
            }
        }
    }
    found.into_iter().map(|id| metadata[id].name.to_string()).collect()
}

#[test]
fn the_compiler_depends_on_nothing() {
    let metadata = metadata();
    let built = built_with(&metadata, "warpwise-compiler");
    assert_eq!(built, BTreeSet::from(["warpwise-compiler".to_owned()]));
}

#[test]
fn the_interpreter_depends_on_the_compiler_only() {
    let metadata = metadata();
    let built = built_with(&metadata, "warpwise-simt");
    let expected = ["warpwise-compiler", "warpwise-simt"].map(String::from);
    assert_eq!(built, BTreeSet::from(expected));
}

#[test]
fn the_macros_link_neither_llvm_nor_cuda() {
    let metadata = metadata();
    let built = built_with(&metadata, "warpwise-macros");
    for name in built.iter().filter(|name| *name != "warpwise-llvm") {
        for banned in ["llvm", "inkwell", "cuda", "cudarc", "cust"] {
            assert!(!name.contains(banned), "warpwise-macros links `{name}`");
        }
    }
    assert!(built.contains("syn"), "{built:?}");
}

#[test]
fn only_the_llvm_back_end_knows_llvm() {
    let metadata = metadata();
    for package in ["warpwise-compiler", "warpwise-simt"] {
        assert!(!built_with(&metadata, package).contains("warpwise-llvm"), "{package} builds it");
    }
    for (name, text) in sources() {
        let may = name.starts_with("llvm/") || name == "tests/tests/deps.rs";
        assert!(may || !text.contains("libLLVM"), "{name} knows LLVM");
    }
}

#[test]
fn the_llvm_back_end_links_no_llvm() {
    let metadata = metadata();
    let built = built_with(&metadata, "warpwise-llvm");
    for name in &built {
        let ours = name == "warpwise-llvm";
        assert!(
            ours || !name.contains("llvm") && name != "inkwell",
            "warpwise-llvm links `{name}`"
        );
    }
    assert!(built.contains("libloading"), "{built:?}");
}

#[test]
fn a_plain_cargo_test_needs_no_llvm() {
    let metadata = metadata();
    let left_out: Vec<&Package> = metadata
        .workspace_packages()
        .into_iter()
        .filter(|package| !metadata.workspace_default_members.contains(&package.id))
        .collect();
    let names: Vec<&str> = left_out.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(names, ["warpwise-llvm"]);
}

#[test]
fn a_project_gets_few_packages() {
    let metadata = metadata();
    let built = built_with(&metadata, "warpwise");
    let listed = built.iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    println!("{} packages: {listed}", built.len());
    assert!(built.len() < MOST_PACKAGES, "{} packages: {listed}", built.len());
}

#[test]
fn only_the_command_line_has_what_command_lines_need() {
    let metadata = metadata();
    let ours = ["clap", "annotate-snippets", "serde_json"].map(String::from);
    let command = built_with(&metadata, "cargo-warpwise");
    assert!(ours.iter().all(|name| command.contains(name)), "{command:?}");
    for package in ["warpwise", "warpwise-compiler", "warpwise-macros", "warpwise-simt"] {
        let built = built_with(&metadata, package);
        assert!(!built.iter().any(|name| ours.contains(name)), "{package}: {built:?}");
    }
}

/// Returns every Rust file of the workspace but [`INPUTS`], by its path from the root.
fn sources() -> Vec<(String, String)> {
    let mut sources = workspace::sources();
    sources.retain(|(name, _)| !INPUTS.iter().any(|place| name.starts_with(place)));
    sources
}

#[test]
fn every_file_says_what_it_is() {
    let silent: Vec<String> = sources()
        .into_iter()
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "start with a `//!` doc: {silent:#?}");
}

#[test]
fn unsafe_code_is_where_it_belongs() {
    let attributes = ["expect(unsafe_code", "allow(unsafe_code", "warn(unsafe_code"];
    for (name, text) in sources().iter().filter(|(name, _)| name != "tests/tests/deps.rs") {
        let opens = attributes.iter().any(|attribute| text.contains(attribute));
        let may = UNSAFE.iter().any(|place| name.starts_with(place));
        assert!(may || !opens, "{name} opts out of the lint against `unsafe`");
    }
}

#[test]
fn every_package_denies_unsafe_code() {
    let metadata = metadata();
    for package in metadata.workspace_packages() {
        let manifest = fs::read_to_string(&package.manifest_path).unwrap();
        let inherits = manifest.contains("[lints]\nworkspace = true");
        let denies = manifest.contains("unsafe_code = \"deny\"");
        assert!(inherits || denies, "{} lacks the workspace's lints", package.manifest_path);
    }
}
