//! Measures of types: `size_of` and `align_of`.

/// A layout query on a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Measure {
    /// `size_of`
    Size,
    /// `align_of`
    Align,
}

impl Measure {
    /// Returns the query that a path names. The path may lack its module, because Rust's prelude
    /// has both functions; the witness checks that no other item has the name.
    pub(crate) fn from_path(names: &[String]) -> Option<Self> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match names.as_slice() {
            ["std" | "core", "mem", "size_of"] | ["size_of"] => Some(Self::Size),
            ["std" | "core", "mem", "align_of"] | ["align_of"] => Some(Self::Align),
            _ => None,
        }
    }

    /// Returns the function's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Size => "size_of",
            Self::Align => "align_of",
        }
    }
}
