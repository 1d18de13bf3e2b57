//! The error collector of the front end.
//!
//! Errors come in two classes. Only the front end can report the limits of kernel code. An error of
//! any Rust function (a type mismatch, an unknown name) is reported better by rustc, at the same
//! token of the unchanged function; it is collected only so that wrong code is never lowered, and
//! reported only if there is no other error.
use crate::syntax::span::SpanRange;
use std::fmt::Display;

/// The start of a help in a message.
pub(crate) const HELP: &str = "\n= help: ";

/// Returns true for a message about code that rustc looks up in the body of a function, too: a
/// method, a function of a type, a constant, an operator or an iterator.
pub(crate) fn is_about_lookup(message: &str) -> bool {
    const STARTS: [&str; 3] = [
        "kernel code cannot call ",
        "kernel code cannot iterate over ",
        "kernel code does not know ",
    ];
    STARTS.iter().any(|start| message.starts_with(start))
}

/// Returns true for a message about allocation, text or the operating system, which methods of the
/// host are about.
fn is_about_host(message: &str) -> bool {
    const HELPS: [&str; 5] = [
        "a kernel cannot allocate",
        "only the host can do this",
        "only the host has this type",
        "there is no text in kernels",
        "pass bytes as `&[u8]`",
    ];
    message.split(HELP).skip(1).any(|help| HELPS.iter().any(|start| help.starts_with(start)))
}

/// Proof that an error was reported, so that dependent code need not report another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reported(());

/// The errors of a kernel that was not lowered.
#[derive(Debug)]
pub(crate) struct Rejected {
    /// All errors, combined.
    pub(crate) errors: syn::Error,
    /// True if rustc reports all of them, too, in the function as written.
    pub(crate) rustc_reports: bool,
}

/// The reason why an item cannot be read.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// The syntax is wrong, which rustc reports, too, unless it is new.
    Syntax(syn::Error),
    /// Kernel code has no such item.
    Unsupported(syn::Error),
}

impl From<syn::Error> for Unreadable {
    fn from(error: syn::Error) -> Self {
        Self::Unsupported(error)
    }
}

/// The errors reported so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    ours: Option<syn::Error>,
    rustcs: Option<syn::Error>,
    /// A further help for the first error about code of the host.
    host_help: Option<String>,
}

impl Errors {
    /// Reports a limit of kernel code.
    pub(crate) fn report(&mut self, at: SpanRange, fact: impl Display) -> Reported {
        let mut message = fact.to_string();
        if self.host_help.is_some()
            && is_about_host(&message)
            && let Some(help) = self.host_help.take()
        {
            message = format!("{message}{HELP}{help}");
        }
        add(&mut self.ours, at.error(message))
    }

    /// Checks a method. Its first error about code of the host has `help`, too.
    pub(crate) fn with_host_help<T>(
        &mut self,
        help: Option<String>,
        check: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.host_help = help;
        let checked = check(self);
        self.host_help = None;
        checked
    }

    /// Reports a limit of kernel code, and a way around it.
    pub(crate) fn advise(
        &mut self,
        at: SpanRange,
        fact: impl Display,
        help: impl Display,
    ) -> Reported {
        self.report(at, format_args!("{fact}{HELP}{help}"))
    }

    /// Reports an error that rustc reports, too.
    pub(crate) fn mistyped(&mut self, at: SpanRange, fact: impl Display) -> Reported {
        add(&mut self.rustcs, at.error(fact))
    }

    /// Reports an error that rustc reports, too, unless the code has something that only rustc can
    /// see, such as a trait of another file; the `help` is for that case.
    pub(crate) fn advise_unless_rustc(
        &mut self,
        at: SpanRange,
        fact: impl Display,
        help: impl Display,
    ) -> Reported {
        self.mistyped(at, format_args!("{fact}{HELP}{help}"))
    }

    /// Returns a collector for a part of the code, whose errors are [appended](Self::append).
    pub(crate) fn nested(&mut self) -> Self {
        Self { host_help: self.host_help.take(), ..Self::default() }
    }

    /// Adds the errors of `other`.
    pub(crate) fn append(&mut self, other: Self) {
        self.host_help = self.host_help.take().or(other.host_help);
        for (all, more) in [(&mut self.ours, other.ours), (&mut self.rustcs, other.rustcs)] {
            if let Some(more) = more {
                add(all, more);
            }
        }
    }

    /// Returns `value`, or the reported errors if there are any.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, Rejected> {
        match (self.ours, self.rustcs, value) {
            (Some(errors), _, _) => Err(Rejected { errors, rustc_reports: false }),
            (None, Some(errors), _) => Err(Rejected { errors, rustc_reports: true }),
            (None, None, Some(value)) => Ok(value),
            (None, None, None) => {
                let message =
                    "lowering stopped without a reason: please report this bug of Warpwise";
                let errors = syn::Error::new(proc_macro2::Span::call_site(), message);
                Err(Rejected { errors, rustc_reports: false })
            }
        }
    }

    /// True if nothing was reported.
    pub(crate) fn is_empty(&self) -> bool {
        self.ours.is_none() && self.rustcs.is_none()
    }
}

fn add(errors: &mut Option<syn::Error>, error: syn::Error) -> Reported {
    match errors {
        Some(errors) => errors.combine(error),
        None => *errors = Some(error),
    }
    Reported(())
}
