//! The places where there may be an LLVM.
use super::{LLVM_VARIABLE, LoadError};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Names of an installed LLVM, which the loader looks for where the system has its libraries: those
/// of Debian, Fedora and Arch, of the versions that the back end is tested with.
pub(super) const INSTALLED: [&str; 2] = ["libLLVM-22.so", "libLLVM.so.22.1"];

/// The library that [`LLVM_VARIABLE`] names, by itself or by its folder; `None` if it is not set.
pub(super) fn named_library() -> Option<Result<PathBuf, LoadError>> {
    let named = env::var_os(LLVM_VARIABLE).filter(|path| !path.is_empty())?;
    let path = PathBuf::from(named);
    Some(if path.is_dir() { library_in(&path) } else { Ok(path) })
}

/// The file of the `libLLVM` that this process has loaded.
pub(super) fn loaded_library() -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let path = |line: &str| line.find('/').map(|start| PathBuf::from(&line[start..]));
    maps.lines().filter_map(path).find(|path| is_library(path))
}

/// The folder that rustc's libraries are in.
pub(super) fn sysroot() -> Result<PathBuf, LoadError> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .args(["--print", "sysroot"])
        .output()
        .map_err(|error| LoadError::Sysroot(error.to_string()))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(LoadError::Sysroot(message));
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// The `libLLVM` in a folder: the largest, as the others are links to it or linker scripts.
pub(super) fn library_in(folder: &Path) -> Result<PathBuf, LoadError> {
    let not_found = || LoadError::NotFound(folder.to_owned());
    let entries = fs::read_dir(folder).map_err(|_| not_found())?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let libraries = paths.filter(|path| is_library(path));
    let size = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
    libraries.max_by_key(|path| (size(path), path.clone())).ok_or_else(not_found)
}

/// Returns true if the file's name is that of LLVM as a shared library.
fn is_library(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| {
        name.starts_with("libLLVM") && (name.contains(".so") || name.ends_with(".dylib"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Llvm;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_library_that_the_process_has_loaded_is_found() {
        let llvm = Llvm::find().unwrap();
        let loaded = loaded_library().unwrap();
        assert_eq!(loaded.canonicalize().unwrap(), llvm.path().canonicalize().unwrap());
    }

    #[test]
    fn a_folder_without_a_library_is_an_error() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_eq!(library_in(&folder), Err(LoadError::NotFound(folder)));
    }
}
