//! "Did you mean": the closest known name to a misspelt one.

/// Returns the candidate with the least edit distance to `name`, if that is at most a third of the
/// candidate's length plus one.
pub(crate) fn closest_name<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, candidate)| distance <= candidate.chars().count() / 3 + 1)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the message for a `word` that is none of the `known` ones; `what` names its role.
pub(crate) fn unknown_word_message(what: &str, word: &str, known: &[&'static str]) -> String {
    let list = known.join("`, `");
    match closest_name(word, known.iter().copied()) {
        Some(close) => format!("{what} is `{word}`; did you mean `{close}`?"),
        None => format!("{what} is `{word}`, and not one of `{list}`"),
    }
}

/// Returns the Levenshtein distance: letters to insert, remove or replace to get from `a` to `b`.
pub(crate) fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("block", "block"), 0);
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let words = ["block", "contract", "wide_index"];
        assert_eq!(closest_name("blok", words), Some("block"));
        assert_eq!(closest_name("contrct", words), Some("contract"));
        assert_eq!(closest_name("wideindex", words), Some("wide_index"));
        assert_eq!(closest_name("zebra", words), None);
    }
}
