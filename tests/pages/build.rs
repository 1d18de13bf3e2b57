//! Makes a module of every program in the pages: of each `rust` block, `rust,ignore` excepted.
//!
//! A module is a file of its own, in which the program stands on the lines that it has in the
//! page, so that what rustc says of `language_120.rs:131` is about line 131 of `docs/language.md`.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The pages with programs, by the paths from the workspace's root.
const PAGES: [&str; 12] = [
    "README.md",
    "docs/guide.md",
    "docs/host.md",
    "docs/language.md",
    "docs/cuda.md",
    "docs/mma.md",
    "docs/algorithms.md",
    "docs/textures.md",
    "docs/counters.md",
    "docs/time-model.md",
    "docs/debugging.md",
    "docs/sanitizer.md",
];

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
            let lines = "\n".repeat(line);
            fs::write(&file, format!("{lines}{program}\npub(super) fn run_program() -> Result<(), String> {{\n    main().map_err(|error| error.to_string())\n}}\n"))
                .expect("the folder is Cargo's");
            modules += &format!(
                "#[allow(warnings, clippy::all, unsafe_code, reason = \"pages show the language\")]\n#[path = {file:?}]\nmod {name};\n"
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

/// The programs of a page, each with the line on which its fence stands, from 1.
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
