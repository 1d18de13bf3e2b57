//! Layers inside crates: the folders of a crate are ordered, and each uses only those before it.
//!
//! The tests read paths that begin with `crate::` as text. A path through `super` stays inside of its
//! folder, which `super_paths_stay_in_their_folder` checks.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folders and files at the root of `frontend/src`, each after everything that it uses.
const FRONTEND: [&str; 14] = [
    "syntax", "attr", "types", "resolve", "hir", "std_lib", "infer", "lower", "witness",
    "pipeline", "output", "device", "kernel", "lib",
];

/// The folders and files at the root of `simt/src`, in the same way.
const SIMT: [&str; 9] =
    ["vector", "outcome", "launch", "bytecode", "translate", "observe", "exec", "program", "lib"];

/// Crates whose folders are layers, with the order of these.
const CRATES: [(&str, &[&str]); 2] = [("frontend", &FRONTEND), ("simt", &SIMT)];

/// Returns every Rust file below `folder` that is not a test.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap();
        if stem == "tests" {
            continue;
        }
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the text of a file without its comments and without its inline module of tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the first name of each path behind the `crate::` that ends at `rest`: one, or those of
/// a list in braces.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| {
        text.trim_start().chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect()
    };
    let Some(list) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut depth, mut found) = (1, vec![name(list)]);
    for (at, it) in list.char_indices() {
        match it {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => found.push(name(&list[at + 1..])),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

/// Returns the folder of `src` that `path` is in, or the name of a file at its root.
fn room(path: &Path, src: &Path) -> String {
    let first = path.strip_prefix(src).unwrap().components().next().unwrap();
    Path::new(first.as_os_str()).file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn folders_use_only_the_layers_below() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut upward = Vec::new();
    for (name, order) in CRATES {
        let src = root.join(name).join("src");
        for path in sources(&src) {
            let own = room(&path, &src);
            let floor = order.iter().position(|known| *known == own);
            let floor = floor.unwrap_or_else(|| panic!("{name}/src/{own} is no layer of the list"));
            let text = code(&path);
            let used = text.split("crate::").skip(1).flat_map(first_names);
            for used in used.filter(|used| order[floor + 1..].contains(&used.as_str())) {
                upward.push(format!("{} uses `{used}`", path.display()));
            }
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

/// Returns the number of modules around the code of a file: 1 for the `mod.rs` of a folder of `src`.
fn module_depth(path: &Path, src: &Path) -> usize {
    let depth = path.strip_prefix(src).unwrap().components().count();
    if path.ends_with("mod.rs") { depth - 1 } else { depth }
}

#[test]
fn super_paths_stay_in_their_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (name, _) in CRATES {
        let src = root.join(name).join("src");
        for path in sources(&src) {
            // One `super` too many leads to the root of the crate.
            let way_out = "super::".repeat(module_depth(&path, &src));
            let leaves = code(&path).contains(&way_out);
            assert!(!leaves || way_out.is_empty(), "{}: write `crate::`", path.display());
        }
    }
}
