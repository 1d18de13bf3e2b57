//! Pages about lints, and suggestions for misspelled names.
use crate::error::CommandError;
use warpwise::counters::metrics::METRICS;
use warpwise_compiler::lint::{self, Lint};

/// The fewest bytes of a name that is compared with those of metrics.
const MIN_METRIC_BYTES: usize = 6;

/// Pages of `docs/lints`: name and text of each.
static PAGES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Finds the page of this name; `gpu_` is optional, and `-` stands for `_`.
pub(crate) fn find_page(name: &str) -> Option<&'static str> {
    let is_it = |known: &str| known.starts_with("gpu_") && normalize(known) == normalize(name);
    PAGES.iter().find(|(known, _)| is_it(known)).map(|(_, text)| *text)
}

/// Finds the lint of this name; `gpu_` is optional, and `-` stands for `_`.
pub(crate) fn find_lint(name: &str) -> Option<&'static Lint> {
    lint::LINTS.iter().find(|lint| normalize(lint.name) == normalize(name))
}

/// Returns the names of all pages about lints.
pub(crate) fn lint_page_names() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(name, _)| *name).filter(|name| name.starts_with("gpu_"))
}

/// Returns true for a name that looks like one of Nsight Compute, with a unit of the hardware in
/// front.
pub(crate) fn is_like_metric(name: &str) -> bool {
    name.contains("__")
}

/// Returns up to three metrics with a name that is similar to `name`, unless that is too short for
/// a comparison.
pub(crate) fn similar_metrics(name: &str) -> Vec<&'static str> {
    if name.len() < MIN_METRIC_BYTES {
        return Vec::new();
    }
    similar_names(name, METRICS.iter().flat_map(|metric| metric.names.iter().copied()))
}

/// Returns the error for a metric that is not in the dictionary.
pub(crate) fn unknown_metric(name: &str) -> CommandError {
    let near = similar_metrics(name);
    let fault = CommandError::new(format!("there is no metric `{name}` in the dictionary"));
    if near.is_empty() {
        fault.with_help("`docs/metrics.md` has all of them")
    } else {
        fault.with_help(format!("did you mean {}?", quote_list(&near)))
    }
}

fn normalize(name: &str) -> String {
    let name = name.replace('-', "_");
    name.strip_prefix("gpu_").unwrap_or(&name).to_owned()
}

/// Returns the first paragraph of prose of a page, as one line.
pub(crate) fn first_paragraph(page: &str) -> String {
    let paragraphs = page.split("\n\n").map(str::trim);
    let mut texts = paragraphs.filter(|text| {
        !text.is_empty()
            && !text.starts_with(['#', '|', '`', '-', '*'])
            && !text.starts_with("Level")
    });
    texts.next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns up to three of `names` that are similar to `name`, the most similar first.
pub(crate) fn similar_names<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|known| {
            let (wanted, bare) = (without_prefix(name), without_prefix(known));
            let away = edit_distance(wanted, bare);
            let within = !wanted.is_empty() && (bare.contains(wanted) || away <= wanted.len() / 3);
            within.then_some((away, known))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

/// Strips the prefix that all lints, or all environment variables, share.
fn without_prefix(name: &str) -> &str {
    let prefixes = ["gpu_", "WARPWISE_"];
    prefixes.into_iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Returns the number of insertions, removals and replacements of characters that turn `a` into `b`
/// or into a prefix of it.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row.into_iter().min().unwrap_or_default()
}

/// Formats `names` as code in a sentence: "`a`, `b` or `c`".
pub(crate) fn quote_list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_are_found_by_short_names() {
        let found = find_lint("barriers-in-divergent-flow").unwrap();
        assert_eq!(found.name, "gpu_barriers_in_divergent_flow");
        assert!(find_lint("gpu_nothing").is_none());
    }

    #[test]
    fn near_names_are_suggested_the_nearest_first() {
        let names = || ["gpu_bank_conflicts", "gpu_vector_bank_conflicts", "gpu_races"].into_iter();
        let both = ["gpu_bank_conflicts", "gpu_vector_bank_conflicts"];
        assert_eq!(similar_names("bank_conflict", names()), both);
        assert_eq!(similar_names("gpu_bnak_conflicts", names()), ["gpu_bank_conflicts"]);
        assert_eq!(similar_names("gpu_bamk", names()), ["gpu_bank_conflicts"]);
        assert!(similar_names("saxpy", names()).is_empty());
        assert_eq!(quote_list(&both), "`gpu_bank_conflicts` or `gpu_vector_bank_conflicts`");
    }

    #[test]
    fn a_summary_is_the_first_paragraph_of_prose() {
        let page = "# `gpu_x`\n\nLevel: warn.\n\nSays that\nx is y.\n\nMore.";
        assert_eq!(first_paragraph(page), "Says that x is y.");
    }
}
