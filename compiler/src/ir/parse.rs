//! Text to IR.
use super::Kernel;
use std::{fmt, str::FromStr};

/// Why a text is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// 1-based line.
    pub line: u32,
    /// 1-based column.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Kernel {
    type Err = ParseError;
    fn from_str(_: &str) -> Result<Self, ParseError> {
        Err(ParseError { line: 1, column: 1, message: "not there yet".into() })
    }
}
