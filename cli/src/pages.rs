//! The pages about lints, and names that are near to one that is none.
use warpwise_compiler::lint::{self, Lint};

/// Every page of `docs/lints`: its name and its text.
static PAGES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page of this name; `gpu_` may be missing, and `-` stand for `_`.
pub(crate) fn page(name: &str) -> Option<&'static str> {
    let is_it = |known: &str| known.starts_with("gpu_") && bare(known) == bare(name);
    PAGES.iter().find(|(known, _)| is_it(known)).map(|(_, text)| *text)
}

/// The lint of this name, written likewise.
pub(crate) fn lint(name: &str) -> Option<&'static Lint> {
    lint::LINTS.iter().find(|lint| bare(lint.name) == bare(name))
}

/// The names of all pages about lints.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|(name, _)| *name).filter(|name| name.starts_with("gpu_"))
}

fn bare(name: &str) -> String {
    let name = name.replace('-', "_");
    name.strip_prefix("gpu_").unwrap_or(&name).to_owned()
}

/// What a page says first, as one line.
pub(crate) fn summary(page: &str) -> String {
    let paragraphs = page.split("\n\n").map(str::trim);
    let mut texts = paragraphs.filter(|text| {
        !text.is_empty()
            && !text.starts_with(['#', '|', '`', '-', '*'])
            && !text.starts_with("Level")
    });
    texts.next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Those of `names` that somebody may have meant by `name`, the nearest first.
pub(crate) fn near<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|known| {
            let (wanted, bare) = (without_prefix(name), without_prefix(known));
            let away = distance(wanted, bare);
            let within = !wanted.is_empty() && (bare.contains(wanted) || away <= wanted.len() / 3);
            within.then_some((away, known))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

/// What tells a lint, or a variable of the environment, from others.
fn without_prefix(name: &str) -> &str {
    let prefixes = ["gpu_", "WARPWISE_"];
    prefixes.into_iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// How many characters to insert, remove or replace to get from `a` to `b`, or to a beginning of it.
fn distance(a: &str, b: &str) -> usize {
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

/// `names` as code, in a sentence: "`a`, `b` or `c`".
pub(crate) fn listed(names: &[&str]) -> String {
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
        let found = lint("barriers-in-divergent-flow").unwrap();
        assert_eq!(found.name, "gpu_barriers_in_divergent_flow");
        assert!(lint("gpu_nothing").is_none());
    }

    #[test]
    fn near_names_are_suggested_the_nearest_first() {
        let names = || ["gpu_bank_conflicts", "gpu_vector_bank_conflicts", "gpu_races"].into_iter();
        let both = ["gpu_bank_conflicts", "gpu_vector_bank_conflicts"];
        assert_eq!(near("bank_conflict", names()), both);
        assert_eq!(near("gpu_bnak_conflicts", names()), ["gpu_bank_conflicts"]);
        assert_eq!(near("gpu_bamk", names()), ["gpu_bank_conflicts"]);
        assert!(near("saxpy", names()).is_empty());
        assert_eq!(listed(&both), "`gpu_bank_conflicts` or `gpu_vector_bank_conflicts`");
    }

    #[test]
    fn a_summary_is_the_first_paragraph_of_prose() {
        let page = "# `gpu_x`\n\nLevel: warn.\n\nSays that\nx is y.\n\nMore.";
        assert_eq!(summary(page), "Says that x is y.");
    }
}
