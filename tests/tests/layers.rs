//! Layers inside crates: the folders of a crate are ordered, and each uses only the ones before it.
//!
//! The tests read paths that begin with `crate::` as text. A path through `super` stays inside its
//! folder, which `super_paths_stay_in_their_folder` checks.
use warpwise_tests::workspace;

/// The folders and files at the root of `frontend/src`, each after everything that it uses.
const FRONTEND: [&str; 16] = [
    "syntax", "attr", "types", "resolve", "mistakes", "hir", "std_lib", "infer", "lower",
    "witness", "pipeline", "output", "device", "kernel", "source", "lib",
];

/// The folders and files at the root of `simt/src`, in the same way.
const SIMT: [&str; 9] =
    ["vector", "outcome", "launch", "bytecode", "translate", "observe", "exec", "program", "lib"];

/// Crates whose folders are layers, with the order of these.
const CRATES: [(&str, &[&str]); 2] = [("frontend", &FRONTEND), ("simt", &SIMT)];

/// A file of a crate with layers.
struct SourceFile {
    /// Its path from the root of the workspace.
    path: String,
    /// The modules that it is in, its own included; the own module of a `mod.rs` is its folder.
    modules: Vec<String>,
    /// Its text without comments and without its inline module of tests.
    code: String,
    /// The order of its crate's layers.
    order: &'static [&'static str],
}

/// Returns every file of the crates with layers, but for their tests.
fn source_files() -> Vec<SourceFile> {
    let files = workspace::sources().into_iter().filter_map(|(path, text)| {
        let (krate, rest) = path.split_once("/src/")?;
        let (_, order) = CRATES.into_iter().find(|(name, _)| *name == krate)?;
        let names = rest.trim_end_matches(".rs").trim_end_matches("/mod").split('/');
        let modules: Vec<String> = names.map(str::to_owned).collect();
        let code = code(&text);
        let is_test = modules.iter().any(|name| name == "tests");
        (!is_test).then_some(SourceFile { path, modules, code, order })
    });
    files.collect()
}

/// Returns the text of a file without its comments and without its inline module of tests.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the first name of each path after the `crate::` that ends at `rest`: one, or those of a
/// list in braces.
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

#[test]
fn folders_use_only_the_layers_below() {
    let mut upward = Vec::new();
    for SourceFile { path, modules, code, order } in source_files() {
        let floor = order.iter().position(|known| *known == modules[0]);
        let floor = floor.unwrap_or_else(|| panic!("{path} is in no layer of the list"));
        let used = code.split("crate::").skip(1).flat_map(first_names);
        for used in used.filter(|used| order[floor + 1..].contains(&used.as_str())) {
            upward.push(format!("{path} uses `{used}`"));
        }
    }
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn super_paths_stay_in_their_folder() {
    for SourceFile { path, modules, code, .. } in source_files() {
        // As many `super` as there are modules lead to the root of the crate.
        assert!(!code.contains(&"super::".repeat(modules.len())), "{path}: write `crate::`");
    }
}
