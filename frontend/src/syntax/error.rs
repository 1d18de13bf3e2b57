//! What is wrong with a kernel, collected.
//!
//! Two kinds are kept apart. What kernel code cannot do, only we can say. What no Rust function
//! can do (a type mismatch, an unknown name) rustc says better, at the same token of the function
//! that is emitted unchanged; it is collected so that nothing is lowered wrongly, and matters only
//! if there is nothing else.
use crate::syntax::span::SpanRange;
use std::fmt::Display;

/// Proof that an error was reported: what is made of it needs no error of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reported(());

/// Why a kernel was not lowered.
#[derive(Debug)]
pub(crate) struct Rejected {
    /// Everything that is wrong, combined.
    pub(crate) errors: syn::Error,
    /// True if rustc reports all of it too, in the function as written.
    pub(crate) rustc_reports: bool,
}

/// Errors so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    ours: Option<syn::Error>,
    rustcs: Option<syn::Error>,
}

impl Errors {
    /// Reports what kernel code cannot do.
    pub(crate) fn report(&mut self, at: SpanRange, fact: impl Display) -> Reported {
        add(&mut self.ours, at.error(fact))
    }

    /// Reports what kernel code cannot do, and what to write instead.
    pub(crate) fn advise(
        &mut self,
        at: SpanRange,
        fact: impl Display,
        help: impl Display,
    ) -> Reported {
        self.report(at, format_args!("{fact}\n= help: {help}"))
    }

    /// Reports what rustc reports too.
    pub(crate) fn mistyped(&mut self, at: SpanRange, fact: impl Display) -> Reported {
        add(&mut self.rustcs, at.error(fact))
    }

    /// Adds what was reported elsewhere.
    pub(crate) fn append(&mut self, other: Self) {
        for (all, more) in [(&mut self.ours, other.ours), (&mut self.rustcs, other.rustcs)] {
            if let Some(more) = more {
                add(all, more);
            }
        }
    }

    /// `value`, if nothing was reported.
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
