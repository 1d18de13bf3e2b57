//! Links of the Markdown files: each relative target exists, with the named heading, and
//! `docs/SUMMARY.md` has every page of the book once.
//!
//! A link is `](target)` outside code. Addresses with a scheme are not checked.
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Pages outside the book.
const OTHER_PAGES: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

const SUMMARY: &str = "docs/SUMMARY.md";

/// Returns a message for each broken link, given the workspace's root.
pub(super) fn broken(root: &Path) -> Vec<String> {
    let mut broken = Vec::new();
    for page in OTHER_PAGES.map(PathBuf::from).into_iter().chain(book_pages(root)) {
        let text = read(&root.join(&page));
        let folder = page.parent().unwrap_or(Path::new(""));
        for (line, target) in targets(&text) {
            if let Some(problem) = problem(&root.join(folder), &root.join(&page), &target) {
                broken.push(format!("{}:{line}: {problem}", page.display()));
            }
        }
    }
    broken
}

/// Returns a message for each page that the summary lacks, or has twice.
pub(super) fn missing_in_summary(root: &Path) -> Vec<String> {
    let listed: Vec<_> = targets(&read(&root.join(SUMMARY))).into_iter().map(|it| it.1).collect();
    let mut problems = Vec::new();
    for page in book_pages(root) {
        let page = page.strip_prefix("docs").expect("pages are in this folder").to_owned();
        let name = page.to_string_lossy().into_owned();
        let count = listed.iter().filter(|target| **target == name).count();
        if count != 1 && name != "SUMMARY.md" {
            problems.push(format!("{SUMMARY} has `{name}` {count} times"));
        }
    }
    problems
}

/// Returns true if a missing file and a missing heading are found, and links in code are ignored.
pub(super) fn finds_broken_links() -> bool {
    let page = "# A `b` c\n\n[x](#a-b-c) [y](#none) `[z](gone.md)`\n\n```text\n[w](gone.md)\n```\n";
    let found: Vec<_> = targets(page).into_iter().map(|it| it.1).collect();
    found == ["#a-b-c", "#none"] && headings(page) == BTreeSet::from(["a-b-c".to_owned()])
}

/// Returns the problem of a link in `page`, which is in `folder`.
fn problem(folder: &Path, page: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = if path.is_empty() { page.to_owned() } else { folder.join(path) };
    if !file.exists() {
        return Some(format!("there is no `{path}`"));
    }
    let is_heading = heading.is_empty() || headings(&read(&file)).contains(heading);
    (!is_heading).then(|| format!("`{target}`: there is no such heading"))
}

/// Returns the Markdown files of the book, by paths from the root.
fn book_pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for folder in ["docs", "docs/lints"] {
        let entries = fs::read_dir(root.join(folder)).expect("the folder is there");
        let names = entries.flatten().map(|entry| Path::new(folder).join(entry.file_name()));
        pages.extend(names.filter(|path| path.extension().is_some_and(|it| it == "md")));
    }
    pages.sort();
    pages
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the lines outside of code blocks, each with its number from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        (!in_code && !is_fence).then_some((index + 1, line))
    })
}

/// Returns the targets of links, each with its line.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut targets = Vec::new();
    for (number, line) in prose(text) {
        // Code in a link's text does not matter, so every second part loses its brackets.
        let parts = line.split('`').enumerate();
        let plain: String =
            parts.map(|(index, part)| if index % 2 == 0 { part } else { "" }).collect();
        let links = plain.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        targets.extend(links.map(|(target, _)| (number, target.to_owned())));
    }
    targets
}

/// Returns the anchors of the headings, as code hosts and mdBook derive them.
fn headings(text: &str) -> BTreeSet<String> {
    let lines = prose(text).filter_map(|(_, line)| line.strip_prefix('#'));
    lines.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}
