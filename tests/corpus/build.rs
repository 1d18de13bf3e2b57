//! Makes a module of every program in the lints' pages, as `tests/pages` does for the others, and builds
//! this crate without lints: half of its kernels are wrong on purpose.
use std::{
    env, fs,
    path::{Path, PathBuf},
};

fn main() {
    println!("cargo::rustc-env=WARPWISE_LINTS=off");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut modules = String::new();
    let mut list = String::new();
    for page in pages(&folder) {
        let text = fs::read_to_string(&page).expect("it is there");
        let lint = page.file_stem().expect("pages have names").to_string_lossy().into_owned();
        for (number, (line, program)) in blocks(&text).into_iter().enumerate() {
            let name = format!("{lint}_{line}");
            let file = out.join(format!("{name}.rs"));
            let kernels = kernels(&program).join(", ");
            let before = "\n".repeat(line);
            fs::write(&file, format!("{before}{program}\ncrate::corpus![{kernels}];\n"))
                .expect("the folder is Cargo's");
            modules += &format!(
                "#[allow(warnings, clippy::all, reason = \"pages show the language\")]\n\
                 #[path = {file:?}]\nmod {name};\n"
            );
            list += &format!(
                "    Page {{ lint: {lint:?}, line: {line}, is_bad: {}, kernels: {name}::KERNELS }},\n",
                number == 0
            );
        }
    }
    let text = format!(
        "{modules}\n/// The programs of the lints' pages.\npub const PAGES: &[Page] = &[\n{list}];\n"
    );
    fs::write(out.join("pages.rs"), text).expect("the folder is Cargo's");
}

/// The pages of lints.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let is_page = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("gpu_"))
    };
    let mut found: Vec<_> = paths.filter(is_page).collect();
    found.sort();
    found
}

/// The `rust` blocks of a page, each with the line on which its fence stands, from 1.
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

/// The names of the kernels of a program.
fn kernels(program: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_kernel = false;
    for line in program.lines() {
        is_kernel |= line.trim_start().starts_with("#[kernel");
        let function =
            line.split_once("fn ").filter(|(before, _)| before.is_empty() || *before == "pub ");
        if let (true, Some((_, rest))) = (is_kernel, function) {
            let end = rest.find(['(', '<']).unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
            is_kernel = false;
        }
    }
    found
}
