//! Tests as files: IR text with the expected output in comments.
//!
//! ```text
//! ; test verify
//! ; What the test is about, in lines of their own.
//! kernel k {
//!   %0 = const true : bool !0
//!   %1 = neg %0 : bool !1 ; error: the result is `bool` and must be a number
//! }
//! ```
//!
//! The first line names the command, which is also the name of the directory. A command writes its
//! output *behind* instructions, as above, or *below* the kernel, after `;---`. A line `;===`
//! starts a case, and `; with ...` gives the options of its case. Line numbers count from the first
//! line of the case. Where a command writes behind instructions, it owns every comment there.
//!
//! `BLESS=1 cargo test -p warpwise-tests --test filetests` rewrites the expected output.
//!
//! **To add a command:** write it in one file of `filetest/`, add it to [`COMMANDS`], and
//! make its directory. `tests/filetests.rs` finds a directory without a command.
mod analyze;
mod lint;
mod optimize;
mod parse;
mod ptx;
mod specialize;
mod trace;
mod verify;

use similar::TextDiff;
use std::{
    collections::BTreeMap,
    env, fs, io,
    path::{Path, PathBuf},
};
use warpwise_compiler::ir::{InstId, Kernel, ParseError};

/// A function that turns a case into its output.
pub type Command = fn(&Case<'_>) -> Result<Outcome, CaseError>;

/// Every command, by name.
pub const COMMANDS: [(&str, Command); 8] = [
    ("analyze", analyze::run),
    ("lint", lint::run),
    ("optimize", optimize::run),
    ("parse", parse::run),
    ("ptx", ptx::run),
    ("specialize", specialize::run),
    ("trace", trace::run),
    ("verify", verify::run),
];

/// One kernel of a file.
#[derive(Debug)]
pub struct Case<'t> {
    /// The kernel's text, comments included.
    pub text: &'t str,
    /// The words after `; with`.
    pub options: Vec<&'t str>,
}

/// The output of a command for a case.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The text behind each instruction; `None` if the command never writes there.
    pub behind: Option<Vec<(InstId, String)>>,
    /// The text below the kernel.
    pub below: String,
}

/// The reason why a case is not a test.
#[derive(Debug)]
pub struct CaseError(pub String);

impl From<ParseError> for CaseError {
    fn from(error: ParseError) -> Self {
        Self(format!("the kernel does not parse: {error}"))
    }
}

impl Outcome {
    /// Returns an outcome that is all below the kernel.
    pub const fn below(below: String) -> Self {
        Self { behind: None, below }
    }
}

impl Case<'_> {
    /// Returns the kernel, parsed and verified.
    ///
    /// # Errors
    /// Fails if it is malformed.
    pub fn kernel(&self) -> Result<Kernel, CaseError> {
        let kernel: Kernel = self.text.parse()?;
        warpwise_compiler::verify::verify(&kernel)
            .map_err(|errors| CaseError(format!("the kernel does not verify: {errors}")))?;
        Ok(kernel)
    }
}

/// Returns the directory of the files.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests")
}

/// Runs every file of `command`'s directory.
///
/// # Errors
/// Returns the differences, and how to accept them.
pub fn run_all(name: &str) -> Result<(), String> {
    let (_, command) = COMMANDS
        .into_iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| format!("there is no command `{name}`"))?;
    run_folder(&directory().join(name), name, command)
}

/// Runs every file of `folder`, whose first lines name the command `name`.
///
/// # Errors
/// Returns the differences, and how to accept them.
pub fn run_folder(folder: &Path, name: &str, command: Command) -> Result<(), String> {
    let mut failures = String::new();
    for path in files(folder).map_err(|error| format!("{name}: {error}"))? {
        if let Err(failure) = run_file(&path, name, command) {
            failures += &format!("{}\n{failure}\n", path.display());
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "ir") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn run_file(path: &Path, name: &str, command: Command) -> Result<(), String> {
    let expected = fs::read_to_string(path).map_err(|error| error.to_string())?;
    if expected.lines().next() != Some(&format!("; test {name}")) {
        return Err(format!("the first line must be `; test {name}`"));
    }
    let actual = rewrite(&expected, command).map_err(|CaseError(error)| error)?;
    if actual == expected {
        return Ok(());
    }
    if env::var_os("BLESS").is_some_and(|bless| bless == "1") {
        return fs::write(path, actual).map_err(|error| error.to_string());
    }
    let diff = TextDiff::from_lines(&expected, &actual);
    let diff = diff.unified_diff().header("expected", "found").to_string();
    Err(format!("{diff}If this is right, run the test again with BLESS=1"))
}

/// Returns the file as it should be: each case with the output of `command`.
fn rewrite(file: &str, command: Command) -> Result<String, CaseError> {
    let mut out = String::new();
    let (preamble, cases) = split_cases(file);
    out += preamble;
    for (index, case) in cases.into_iter().enumerate() {
        let text = case.split_once("\n;---").map_or(case, |(text, _)| text).trim_end();
        let options = text.lines().filter_map(|line| line.strip_prefix("; with "));
        let options = options.flat_map(str::split_whitespace).collect();
        let outcome = command(&Case { text, options })
            .map_err(|CaseError(error)| CaseError(format!("case {}: {error}", index + 1)))?;
        out += &write_case(text, outcome);
    }
    Ok(out)
}

/// Splits a file into the text before its cases and the cases, each from its `;===` line to the
/// next. A file without such a line, or with more than comments before it, starts with a case.
fn split_cases(file: &str) -> (&str, Vec<&str>) {
    let mut starts: Vec<usize> = file.match_indices("\n;===").map(|(at, _)| at + 1).collect();
    let preamble = &file[..starts.first().copied().unwrap_or(0)];
    let is_case = preamble.lines().any(|line| !line.starts_with(';'));
    if is_case || starts.is_empty() {
        starts.insert(0, 0);
    }
    let ends = starts.iter().copied().skip(1).chain([file.len()]);
    let cases = starts.iter().zip(ends).map(|(&start, end)| &file[start..end]).collect();
    (&file[..starts[0]], cases)
}

fn write_case(text: &str, Outcome { behind, below }: Outcome) -> String {
    let mut out = String::new();
    let mut notes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (inst, note) in behind.iter().flatten() {
        notes.entry(inst.to_string()).or_default().push(note.clone());
    }
    for line in text.lines() {
        let Some(inst) = defined(line).filter(|_| behind.is_some()) else {
            out += &format!("{line}\n");
            continue;
        };
        out += line.split_once(';').map_or(line, |(code, _)| code).trim_end();
        if let Some(notes) = notes.remove(inst) {
            out += &format!(" ; {}", notes.join("; "));
        }
        out.push('\n');
    }
    let unplaced = notes
        .into_iter()
        .flat_map(|(inst, notes)| notes.into_iter().map(move |note| format!("{inst}: {note}")));
    let below: Vec<String> = below.lines().map(str::to_owned).chain(unplaced).collect();
    if !below.is_empty() {
        out += ";---\n";
    }
    for line in below {
        out += format!("; {line}").trim_end();
        out.push('\n');
    }
    out
}

/// Returns the `%3` of a line `%3 = ...`.
fn defined(line: &str) -> Option<&str> {
    let (inst, _) = line.trim_start().split_once(" =")?;
    let digits = inst.strip_prefix('%')?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(inst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_compiler::id::Id;

    fn note_twice(case: &Case<'_>) -> Result<Outcome, CaseError> {
        let behind = Some(vec![(InstId::new(1), "one".into()), (InstId::new(1), "two".into())]);
        Ok(Outcome { behind, below: case.options.join(",") })
    }

    #[test]
    fn what_was_expected_is_replaced() {
        let file = "; test t\n%0 = a ; old\n  %1 = b\n;---\n; old\n;=== next\n; with x y\n;---\n";
        let new = "; test t\n%0 = a\n  %1 = b ; one; two\n\
                   ;=== next\n; with x y\n;---\n; x,y\n; %1: one\n; %1: two\n";
        assert_eq!(rewrite(file, note_twice).unwrap(), new);
        assert_eq!(rewrite(new, note_twice).unwrap(), new);
        let preamble = "; test t\n;=== only\n; with z\n%1 = b ; one; two\n;---\n; z\n";
        assert_eq!(rewrite(preamble, note_twice).unwrap(), preamble);
    }
}
