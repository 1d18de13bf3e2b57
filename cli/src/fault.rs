//! Why a command cannot do what it was asked to do, and what to do about it.
use std::fmt;

/// What is printed before the exit with code 2.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    message: String,
    help: Option<String>,
}

impl Fault {
    /// `message`, without advice.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    /// With advice.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}
