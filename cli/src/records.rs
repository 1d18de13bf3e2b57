//! Records of the macro: one file for each compilation of a crate, one line for each kernel.
//!
//! **Records are never stale.** Cargo stores the artifacts of members that are compiled through
//! [`wrapper`](crate::wrapper) under names of their own; dependencies that are compiled through it
//! have a target folder of their own. The wrapper begins a new record whenever rustc runs. A record
//! is therefore as old as the artifacts of its compilation, and fresh wherever cargo finds those
//! fresh. Records are named after the artifacts, and cargo lists the artifacts of a build, fresh or
//! not. Records of other features, profiles or targets, or of deleted code, are therefore not read.
//! A failed compilation writes no artifact that cargo could list, but it ran, and its record names
//! the run.
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};
use warpwise_compiler::back::Backend;

/// Environment variable with the path of the macro's record.
pub(crate) const RECORD_VARIABLE: &str = "WARPWISE_RECORD";

/// First line of a record: the compilation.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Header {
    /// Id of the run of `cargo warpwise`.
    pub(crate) run: String,
    /// Package name.
    pub(crate) package: String,
    /// Crate name.
    #[serde(rename = "crate")]
    pub(crate) krate: String,
    /// Folder of the package's manifest.
    pub(crate) manifest: PathBuf,
    /// Folder that source paths are relative to.
    pub(crate) folder: PathBuf,
}

/// Further line of a record: a kernel, as written by the macro.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct KernelRecord {
    /// Version of the macro.
    pub(crate) warpwise: String,
    /// Name of the kernel.
    pub(crate) kernel: String,
    /// Value of `debug_assertions`, if the kernel depends on it.
    pub(crate) debug_assertions: Option<bool>,
    /// The instance of `instances(..)`, as it is written there.
    pub(crate) instance: Option<String>,
    /// Back end that the build selects.
    #[serde(deserialize_with = "deserialize_backend")]
    pub(crate) backend: Backend,
    /// Bindings of the instances whose code the build embeds.
    pub(crate) precompiled: Vec<String>,
    /// Place of the name.
    pub(crate) at: RecordedPlace,
    /// Files of the places.
    pub(crate) files: Vec<String>,
    /// Places of the IR's spans.
    pub(crate) spans: Vec<RecordedPlace>,
    /// IR in text form.
    pub(crate) ir: String,
    /// Findings of all lints, at any level.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

fn deserialize_backend<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Backend, D::Error> {
    let name = String::deserialize(deserializer)?;
    Backend::named(&name).ok_or_else(|| D::Error::custom(format!("no back end `{name}`")))
}

/// Place: index of the file; line and column, from 1, in characters; line and column of the end.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct RecordedPlace(
    pub(crate) usize,
    pub(crate) usize,
    pub(crate) usize,
    pub(crate) usize,
    pub(crate) usize,
);

/// Finding.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Diagnostic {
    pub(crate) code: String,
    pub(crate) level: Level,
    pub(crate) message: String,
    pub(crate) at: RecordedPlace,
    pub(crate) labels: Vec<Label>,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Option<String>,
}

/// Further place of a finding.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Label {
    pub(crate) at: RecordedPlace,
    pub(crate) text: String,
}

/// Severity of a finding: the compiler's levels, by name.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    /// Shown on request only.
    Allow,
    /// A warning.
    Warn,
    /// An error.
    Deny,
}

/// Returns the record's path for the compilation that writes `stem`.
pub(crate) fn record_path(folder: &Path, stem: &str) -> PathBuf {
    folder.join(stem).with_extension("jsonl")
}

/// Begins the record of the compilation that this process is about to become.
pub(crate) fn begin_record(folder: &Path, stem: &str, run: &str) -> io::Result<PathBuf> {
    let text = |name: &str| env::var(name).unwrap_or_default();
    let header = Header {
        run: run.to_owned(),
        package: text("CARGO_PKG_NAME"),
        krate: text("CARGO_CRATE_NAME"),
        manifest: env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default().into(),
        folder: env::current_dir()?,
    };
    let path = record_path(folder, stem);
    fs::write(&path, format!("{}\n", serde_json::to_string(&header)?))?;
    Ok(path)
}

/// Reads a record: the compilation, and its kernels.
pub(crate) fn read_record(path: &Path) -> io::Result<(Header, Vec<KernelRecord>)> {
    let text = fs::read_to_string(path)?;
    let mut lines = text.lines();
    let header = serde_json::from_str(lines.next().unwrap_or_default())?;
    let kernels = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok((header, kernels))
}

/// Reads only the first line of a record.
pub(crate) fn read_header(path: &Path) -> io::Result<Header> {
    let text = fs::read_to_string(path)?;
    Ok(serde_json::from_str(text.lines().next().unwrap_or_default())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_macro_is_read() {
        let text = r#"{"warpwise":"0.1.0","kernel":"k","debug_assertions":null,"instance":"f32","backend":"llvm","precompiled":["16"],"at":[0,1,2,3,4],
            "files":["src/lib.rs"],"spans":[[0,5,6,7,8]],"ir":"kernel k {\n}","diagnostics":[
            {"code":"gpu_x","level":"deny","message":"m","at":[0,1,1,1,2],
             "labels":[{"at":[0,1,1,1,2],"text":"t"}],"notes":["n"],"help":null}]}"#;
        let line: KernelRecord = serde_json::from_str(text).unwrap();
        assert_eq!(line.backend, Backend::Llvm);
        assert_eq!(
            (line.at, line.spans[0]),
            (RecordedPlace(0, 1, 2, 3, 4), RecordedPlace(0, 5, 6, 7, 8))
        );
        let found = &line.diagnostics[0];
        assert_eq!((found.level, &*found.labels[0].text), (Level::Deny, "t"));
    }
}
