//! Measures of types: `size_of` and `align_of`.

/// What is asked of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// `size_of`
    Size,
    /// `align_of`
    Align,
}

impl Measure {
    /// The one that a path means. Without its module it is in Rust's prelude; the witness checks
    /// that nothing else has the name.
    pub(crate) fn named(names: &[String]) -> Option<Self> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match names.as_slice() {
            ["std" | "core", "mem", "size_of"] | ["size_of"] => Some(Self::Size),
            ["std" | "core", "mem", "align_of"] | ["align_of"] => Some(Self::Align),
            _ => None,
        }
    }

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Size => "size_of",
            Self::Align => "align_of",
        }
    }
}
