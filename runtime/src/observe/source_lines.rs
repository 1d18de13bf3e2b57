//! `WARPWISE_LINEINFO=1`: kernels on a GPU carry the lines of their Rust source, for Nsight
//! Compute, cuda-gdb and compute-sanitizer.
//!
//! The PTX in a program has no lines. With the variable it is not used, and the built-in back end
//! compiles each kernel at its first launch from the IR and the places that the program has for
//! messages. So nothing has to be built again, and programs do not grow; but code by LLVM is
//! replaced by that of the built-in back end.
use crate::launch::source::Source;
use std::{env, path::Path};
use warpwise_compiler::back::ptx::Lines;

/// The variable.
const VARIABLE: &str = "WARPWISE_LINEINFO";

/// The source lines of a kernel.
pub(crate) struct SourceLines {
    files: Vec<String>,
    rows: &'static str,
}

impl SourceLines {
    /// Returns the lines of a kernel, if the variable asks for them and they are known.
    pub(crate) fn from_env(source: &Source) -> Option<Self> {
        env::var_os(VARIABLE).filter(|value| value == "1")?;
        if source.places.files.is_empty() {
            return None;
        }
        let folder = env::current_dir().unwrap_or_default();
        let files = source.places.files.iter().map(|file| find_file(&folder, file));
        Some(Self { files: files.collect(), rows: source.places.rows })
    }

    pub(crate) fn for_emission(&self) -> Lines<'_> {
        Lines { files: &self.files, rows: self.rows }
    }

    /// Returns a text that identifies the lines, for the key of a cache.
    pub(crate) fn key(&self) -> String {
        format!("{:?} {}", self.files, self.rows)
    }
}

/// Returns the whole path of a source file. rustc names files of a workspace from its root, which
/// is the current folder or one around it where programs are developed. Elsewhere the name stays,
/// for the tool to find.
fn find_file(folder: &Path, file: &str) -> String {
    let found = folder.ancestors().map(|folder| folder.join(file)).find(|path| path.is_file());
    found.map_or_else(|| file.to_owned(), |path| path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_from_the_current_folder_upwards() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let whole = root.join("src/lib.rs").to_string_lossy().into_owned();
        assert_eq!(find_file(root, "src/lib.rs"), whole);
        assert_eq!(find_file(&root.join("src/driver"), "src/lib.rs"), whole);
        assert_eq!(find_file(root, &whole), whole);
        assert_eq!(find_file(root, "src/none.rs"), "src/none.rs");
    }
}
