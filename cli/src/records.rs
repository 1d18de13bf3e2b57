//! What the macro recorded: one file for each compilation of a crate, one line for each kernel.
//!
//! **Never stale.** Everything in the target folder `target/warpwise` is compiled by way of
//! [`wrapper`](crate::wrapper), which begins a new file whenever rustc runs. So the file of a
//! compilation is as old as what that wrote, and where cargo finds that fresh, the file is, too.
//! A file has the name of what its compilation writes, and cargo lists what belongs to a
//! build, whether fresh or not. So what other features, profiles or targets left behind, and what was deleted
//! since, is not read. A compilation that failed writes nothing that cargo could list, but it ran,
//! and its file says in which run.
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};
use warpwise_compiler::back::Backend;

/// The environment variable that tells the macro where to record.
pub(crate) const FILE: &str = "WARPWISE_RECORD";

/// The first line: who compiled what.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Header {
    /// The run of `cargo warpwise`.
    pub(crate) run: String,
    /// Name of the package.
    pub(crate) package: String,
    /// Name of the crate.
    #[serde(rename = "crate")]
    pub(crate) krate: String,
    /// The folder of the package's manifest.
    pub(crate) manifest: PathBuf,
    /// The folder that paths of sources begin at.
    pub(crate) folder: PathBuf,
}

/// Every other line: a kernel, as the macro wrote it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Line {
    /// Version of the macro.
    pub(crate) warpwise: String,
    /// Its name.
    pub(crate) kernel: String,
    /// For which value of it this is, if the kernel depends on it.
    pub(crate) debug_assertions: Option<bool>,
    /// The back end that the build wants.
    #[serde(deserialize_with = "backend")]
    pub(crate) backend: Backend,
    /// Where the name is.
    pub(crate) at: At,
    /// What places are in.
    pub(crate) files: Vec<String>,
    /// Where the IR's spans are.
    pub(crate) spans: Vec<At>,
    /// The IR.
    pub(crate) ir: String,
    /// What lints found, at any level.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

fn backend<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Backend, D::Error> {
    let name = String::deserialize(deserializer)?;
    Backend::named(&name).ok_or_else(|| D::Error::custom(format!("no back end `{name}`")))
}

/// Index of the file; line and column, from 1, in characters; line and column of the end.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct At(
    pub(crate) usize,
    pub(crate) usize,
    pub(crate) usize,
    pub(crate) usize,
    pub(crate) usize,
);

/// A finding.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Diagnostic {
    pub(crate) code: String,
    pub(crate) level: Level,
    pub(crate) message: String,
    pub(crate) at: At,
    pub(crate) labels: Vec<Label>,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Option<String>,
}

/// Another place that a finding is about.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Label {
    pub(crate) at: At,
    pub(crate) text: String,
}

/// How serious a finding is: the compiler's levels, by their names.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// Not shown, unless asked for.
    Allow,
    /// A warning.
    Warn,
    /// An error.
    Deny,
}

/// The file of the compilation that writes `stem`.
pub(crate) fn path(folder: &Path, stem: &str) -> PathBuf {
    folder.join(stem).with_extension("jsonl")
}

/// Begins the file of a compilation, which this process is about to be.
pub(crate) fn begin(folder: &Path, stem: &str, run: &str) -> io::Result<PathBuf> {
    let text = |name: &str| env::var(name).unwrap_or_default();
    let header = Header {
        run: run.to_owned(),
        package: text("CARGO_PKG_NAME"),
        krate: text("CARGO_CRATE_NAME"),
        manifest: env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default().into(),
        folder: env::current_dir()?,
    };
    let path = path(folder, stem);
    fs::write(&path, format!("{}\n", serde_json::to_string(&header)?))?;
    Ok(path)
}

/// Reads a file: who compiled what, and the lines of its kernels.
pub(crate) fn read(path: &Path) -> io::Result<(Header, Vec<Line>)> {
    let text = fs::read_to_string(path)?;
    let mut lines = text.lines();
    let header = serde_json::from_str(lines.next().unwrap_or_default())?;
    let kernels = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok((header, kernels))
}

/// Reads only who compiled what.
pub(crate) fn read_header(path: &Path) -> io::Result<Header> {
    let text = fs::read_to_string(path)?;
    Ok(serde_json::from_str(text.lines().next().unwrap_or_default())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_macro_is_read() {
        let text = r#"{"warpwise":"0.1.0","kernel":"k","debug_assertions":null,"backend":"llvm","at":[0,1,2,3,4],
            "files":["src/lib.rs"],"spans":[[0,5,6,7,8]],"ir":"kernel k {\n}","diagnostics":[
            {"code":"gpu_x","level":"deny","message":"m","at":[0,1,1,1,2],
             "labels":[{"at":[0,1,1,1,2],"text":"t"}],"notes":["n"],"help":null}]}"#;
        let line: Line = serde_json::from_str(text).unwrap();
        assert_eq!(line.backend, Backend::Llvm);
        assert_eq!((line.at, line.spans[0]), (At(0, 1, 2, 3, 4), At(0, 5, 6, 7, 8)));
        let found = &line.diagnostics[0];
        assert_eq!((found.level, &*found.labels[0].text), (Level::Deny, "t"));
    }
}
