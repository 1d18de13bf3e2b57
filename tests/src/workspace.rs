//! The source files of the workspace, for tests of its structure.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Returns the root of the workspace.
///
/// # Panics
/// If this package is not in a folder of it.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a package in a workspace").to_owned()
}

/// Returns the text of every Rust file, by its path from the root with `/` between folders, in
/// order.
///
/// # Panics
/// If a file cannot be read.
#[must_use]
pub fn sources() -> Vec<(String, String)> {
    fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("a folder of the workspace") {
            let path = entry.expect("an entry of it").path();
            let name = path.file_name().expect("entries have names").to_string_lossy();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    walk(&path, found);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let (root, mut found) = (root(), Vec::new());
    walk(&root, &mut found);
    found.sort();
    let named = found.iter().map(|path| {
        let name = path.strip_prefix(&root).expect("below the root").to_string_lossy();
        (name.replace('\\', "/"), fs::read_to_string(path).expect("a source file"))
    });
    named.collect()
}
