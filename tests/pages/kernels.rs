//! The kernels of `docs/making-it-fast.md` are those that `benches/src/bin/making_it_fast.rs`
//! counts and measures.
use std::{fs, path::Path};

/// Returns a message for each kernel of the page that the program lacks.
pub(super) fn unmeasured(root: &Path) -> Vec<String> {
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("the file is there");
    let (page, program) =
        (read("docs/making-it-fast.md"), read("benches/src/bin/making_it_fast.rs"));
    let kernels = kernels(&page);
    let missing = kernels.iter().filter(|kernel| !program.contains(*kernel));
    let mut problems: Vec<_> = missing.map(|kernel| format!("it lacks\n{kernel}")).collect();
    if kernels.is_empty() {
        problems.push("the page has no kernels".into());
    }
    problems
}

/// Returns the kernels of a page, from the attribute to the closing brace, without expectations of
/// lints.
fn kernels(page: &str) -> Vec<String> {
    let starts = page.match_indices("#[kernel").map(|(start, _)| &page[start..]);
    let texts = starts.filter_map(|rest| rest.find("\n}\n").map(|end| &rest[..end + 3]));
    let is_kept = |line: &&str| !line.starts_with("#[expect");
    texts.map(|text| text.split_inclusive('\n').filter(is_kept).collect()).collect()
}
