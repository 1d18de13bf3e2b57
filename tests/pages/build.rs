//! Makes a module of every program in the pages: of each `rust` block, `rust,ignore` excepted.
//!
//! A module is a file of its own, in which the program has the same line numbers as in the page, so
//! that an error of rustc at `language_120.rs:131` is one at line 131 of `docs/language.md`.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The pages with programs, by their paths from the workspace's root.
const PAGES: [&str; 19] = [
    "README.md",
    "docs/guide.md",
    "docs/machine.md",
    "docs/coming-from-cuda.md",
    "docs/testing-kernels.md",
    "docs/making-it-fast.md",
    "docs/when-it-does-not-compile.md",
    "docs/cookbook.md",
    "docs/host.md",
    "docs/language.md",
    "docs/cuda.md",
    "docs/mma.md",
    "docs/algorithms.md",
    "docs/textures.md",
    "docs/tensor-maps.md",
    "docs/counters.md",
    "docs/time-model.md",
    "docs/debugging.md",
    "docs/sanitizer.md",
];

/// Pages whose kernels show each construct once, without regard to speed.
const REFERENCES: [&str; 2] = ["docs/language.md", "docs/cuda.md"];

/// The lint through which Warpwise's warnings appear, and the one for unfulfilled expectations of a
/// page.
const DENIED: &str = "#[deny(deprecated, unfulfilled_lint_expectations)]\n";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut modules, mut programs) = (String::new(), String::new());
    for page in PAGES {
        let path = root.join(page);
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).expect("the page is there");
        let stem = path.file_stem().expect("pages have names").to_string_lossy();
        let stem = stem.to_lowercase().replace('-', "_");
        for (line, program) in blocks(&text) {
            let name = format!("{stem}_{line}");
            let file = out.join(format!("{name}.rs"));
            fs::write(&file, module(line, &program)).expect("the folder is Cargo's");
            let denied = if REFERENCES.contains(&page) { "" } else { DENIED };
            modules += &format!(
                "#[allow(warnings, clippy::all, unsafe_code, reason = \"pages show the language\")]\n{denied}#[path = {file:?}]\nmod {name};\n"
            );
            programs += &format!("    ({page:?}, {line}, {name}::run_program),\n");
        }
    }
    let list = format!(
        "{modules}\nconst PROGRAMS: &[Program] = &[\n{programs}];\n\
         const PAGES: [&str; {}] = {PAGES:?};\n",
        PAGES.len()
    );
    fs::write(out.join("programs.rs"), list).expect("the folder is Cargo's");
}

/// Returns the module of the program below this line, with a function that runs its `main`, or all
/// of its tests. Tests return a `Result`.
fn module(line: usize, program: &str) -> String {
    let tests = program.split("#[test]\n").skip(1).filter_map(|test| {
        let (name, _) = test.trim_start().strip_prefix("fn ")?.split_once('(')?;
        Some(name)
    });
    let mut functions: Vec<_> = tests.collect();
    if functions.is_empty() {
        functions.push("main");
    }
    let calls: String = functions
        .iter()
        .map(|function| format!("    {function}().map_err(|error| error.to_string())?;\n"))
        .collect();
    // An item for tests is removed where no harness runs them.
    let program = program.replace("#[test]\n", "\n");
    format!(
        "{}{program}\npub(super) fn run_program() -> Result<(), String> {{\n{calls}    Ok(())\n}}\n",
        "\n".repeat(line)
    )
}

/// Returns the programs of a page, each with the line of its fence, from 1.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, bool, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some((number + 1, info == "rust", String::new())),
            (Some(_), Some(_)) => {
                if let Some((line, true, program)) = open.take() {
                    found.push((line, program));
                }
            }
            (None, Some((.., program))) => *program += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}
