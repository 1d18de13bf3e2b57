//! Runner of the golden tests in `frontend/tests/lower`.
use crate::source::Source;
use proc_macro2::Span;
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};
use warpwise_compiler::verify::verify;

const RESULT_MARK: &str = "// ==";

#[test]
fn kernels_are_lowered_to_the_golden_ir() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let failures: String = files.iter().filter_map(|file| run_file(file)).collect();
    assert!(failures.is_empty(), "{failures}\nBLESS=1 rewrites what is expected");
}

/// Runs one file; returns the difference, if there is any.
fn run_file(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).unwrap();
    let (source, expected) = match text.find(RESULT_MARK) {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let mut found = String::new();
    let parsed = Source::parse(source).unwrap();
    for kernel in &parsed.kernels {
        let name = &kernel.0.sig.ident;
        writeln!(found, "{RESULT_MARK} {name}").unwrap();
        for line in format_outcome(&parsed, kernel).lines() {
            writeln!(found, "{}", format!("// {line}").trim_end()).unwrap();
        }
    }
    if found == expected {
        return None;
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(file, format!("{source}{found}")).unwrap();
        return None;
    }
    let (file, line) = (file.display(), first_difference(expected, &found));
    Some(format!("{file}: {line}\n"))
}

fn format_outcome(source: &Source, kernel: &(syn::ItemFn, crate::attr::Options)) -> String {
    match source.lower(kernel) {
        Ok(lowered) => {
            if let Err(errors) = verify(&lowered.kernel) {
                return format!("malformed: {errors}\n{}", lowered.kernel);
            }
            lowered.kernel.to_string()
        }
        Err(rejected) => {
            let who = if rejected.rustc_reports { "rustc too" } else { "error" };
            let mut text = String::new();
            for error in rejected.errors {
                let (start, end) = (error.span().start(), end_position(&error));
                let place = format!("{}:{}-{}", start.line, start.column + 1, end);
                writeln!(text, "{who}: {place}: {error}").unwrap();
            }
            text
        }
    }
}

/// Returns the end of an error's last token.
fn end_position(error: &syn::Error) -> String {
    let last = error.clone().to_compile_error().into_iter().last();
    let end = last.map_or_else(Span::call_site, |token| token.span()).end();
    format!("{}:{}", end.line, end.column + 1)
}

fn first_difference(expected: &str, found: &str) -> String {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return "nothing differs but line ends".into(),
            (a, b) if a != b => {
                let (a, b) = (a.unwrap_or("nothing"), b.unwrap_or("nothing"));
                return format!("expected `{a}`, found `{b}`");
            }
            _ => {}
        }
    }
}
