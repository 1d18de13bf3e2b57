//! The IR in `docs/ir.md` is correct: the text of an `ir` block parses and verifies, and an
//! `ir optimized` block is the optimizer's result for the block before it. The table of lints in
//! `docs/guide.md` has all of them, with their levels.
use std::{collections::BTreeMap, env, fs, path::Path};
use warpwise_compiler::{diag::Level, ir::Kernel, lint::LINTS, optimize::optimize, verify::verify};

const FENCE: &str = "```";

#[test]
fn the_guide_lists_every_lint_with_its_level() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide.md");
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `gpu_"));
    let mut listed = BTreeMap::new();
    for row in rows {
        let cells: Vec<_> = row.split('|').collect();
        let [_, names, level, ..] = cells[..] else { panic!("{row}") };
        for name in names.split(", ") {
            let name = name.trim().trim_matches('`').to_owned();
            assert_eq!(listed.insert(name.clone(), level.trim().to_owned()), None, "{name}");
        }
    }
    let level = |level| match level {
        Level::Allow => "silent",
        Level::Warn => "warning",
        Level::Deny => "error",
    };
    let all = LINTS.iter().map(|lint| (lint.name.to_owned(), level(lint.level).to_owned()));
    assert_eq!(listed, all.collect());
}

#[test]
fn the_ir_in_the_documentation_is_what_it_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/ir.md");
    let text = fs::read_to_string(&path).unwrap();
    let actual = rewrite(&text);
    if actual != text {
        assert_eq!(
            env::var("BLESS").as_deref(),
            Ok("1"),
            "docs/ir.md is not what it should be: BLESS=1 cargo test -p warpwise-tests --test docs\n{}",
            similar::TextDiff::from_lines(&text, &actual).unified_diff()
        );
        fs::write(path, actual).unwrap();
    }
}

/// Returns the page with every `ir optimized` block as it should be.
fn rewrite(text: &str) -> String {
    let mut out = String::new();
    let mut last: Option<Kernel> = None;
    let mut blocks = 0;
    for (index, part) in text.split(FENCE).enumerate() {
        let fence = if index == 0 { "" } else { FENCE };
        let is_code = index % 2 == 1;
        if let Some(ir) = part.strip_prefix("ir\n").filter(|_| is_code) {
            let kernel: Kernel = ir.parse().unwrap_or_else(|error| panic!("{error}\n{ir}"));
            verify(&kernel).unwrap_or_else(|errors| panic!("{errors}\n{ir}"));
            last = Some(kernel);
            blocks += 1;
            out += &format!("{fence}{part}");
        } else if part.starts_with("ir optimized\n") && is_code {
            let kernel = last.take().expect("an `ir` block stands before it");
            out += &format!("{fence}ir optimized\n{}", optimize(kernel));
        } else {
            out += &format!("{fence}{part}");
        }
    }
    assert!(blocks > 0, "there is no IR in the page");
    out
}
