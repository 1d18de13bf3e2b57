//! Errors of commands, with advice.
use std::fmt;

/// Error that a command prints before it exits with code 2.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandError {
    message: String,
    help: Option<String>,
}

impl CommandError {
    /// Creates an error without advice.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    /// Adds advice.
    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Adds advice after any that there is.
    pub(crate) fn with_more_help(self, more: &str) -> Self {
        let help =
            self.help.as_ref().map_or(more.to_owned(), |help| format!("{help}\nhelp: {more}"));
        self.with_help(help)
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}
