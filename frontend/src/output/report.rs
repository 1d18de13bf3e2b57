//! Shows diagnostics, at the user's own tokens, by what stable Rust has for it.
//!
//! - An error is a `compile_error!` whose first token has the span of the first token at fault
//!   and whose last has that of the last, so that rustc underlines what lies between.
//! - A warning is the use of a deprecated macro `gpu::<lint>`, with the same spans. Its text is
//!   the deprecation's note. It is a warning of rustc's lint `deprecated` and follows its levels.
//!
//! - What rustc says better itself is left to it. Should it not, there is what rustc looks for only
//!   where it found no errors: a `#[must_use]` value that is not used, which has room for a text but
//!   is a lint, and lints are silent in dependencies; and a private field that is named, which is
//!   an error everywhere.
//!
//! A diagnostic of rustc has one place on stable; the others are written out as
//! `file:line:column`.
use crate::{
    attr::lint_attr::Expectation,
    syntax::{
        error::Rejected,
        place::Place,
        span::{Origin, SpanRange},
    },
};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use warpwise_compiler::{
    checks::DENY_CHECKS,
    diag::{Diagnostic, Level},
    id::Id,
    ir,
    lint::LINTS,
};

/// Which places the spans of a kernel's IR stand for.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// By span number.
    pub(crate) spans: &'a [SpanRange],
    /// Whose code that is.
    pub(crate) origins: &'a [Origin],
    /// For a span that is not in the table.
    pub(crate) fallback: Span,
}

impl Places<'_> {
    /// First and last token of `span`.
    pub(crate) fn range(self, span: ir::Span) -> (Span, Span) {
        self.spans
            .get(span.index())
            .map_or((self.fallback, self.fallback), |range| (range.first, range.last))
    }

    /// What is underlined for `span`, and the place inside of it that is meant. rustc cannot underline
    /// what is in another crate, so that is the call which leads there.
    fn shown(self, span: ir::Span) -> ((Span, Span), Option<Place>) {
        let (first, last) = self.range(span);
        match self.origins.get(span.index()).unwrap_or(&Origin::Kernel) {
            Origin::Kernel => ((first, last), None),
            // Not out of the macro that brought them here.
            Origin::Device => (self.written((first, last)), None),
            Origin::Foreign(call) => (self.written(self.range(*call)), Some(Place::of(first))),
        }
    }

    fn written(self, (first, last): (Span, Span)) -> (Span, Span) {
        (first.resolved_at(self.fallback), last.resolved_at(self.fallback))
    }
}

/// Statements that make rustc show `diagnostic`.
pub(crate) fn diagnostic(diagnostic: &Diagnostic, places: Places<'_>) -> TokenStream {
    let ((first, last), inside) = places.shown(diagnostic.span);
    let text = text(diagnostic, inside, places);
    match diagnostic.level {
        Level::Allow => TokenStream::new(),
        Level::Warn => warning(diagnostic.code, &text, first, last),
        Level::Deny => error(&text, first, last),
    }
}

/// Statements that make rustc say what is wrong with the settings of lints.
pub(crate) fn settings(text: &str, level: Level, at: Span) -> TokenStream {
    match level {
        Level::Allow => TokenStream::new(),
        Level::Warn => warning("lint_settings", text, at, at),
        Level::Deny => error(text, at, at),
    }
}

/// Statements that make rustc say why the back end is another than was asked for.
pub(crate) fn backend(text: &str, at: Span) -> TokenStream {
    warning("backend", text, at, at)
}

/// An item that makes rustc say that nothing fulfils `expectation`, in its own words: it expects
/// something of an item that there is nothing to say about.
pub(crate) fn unfulfilled(Expectation { at, reason }: &Expectation) -> TokenStream {
    let lint = Ident::new("deprecated_in_future", *at);
    let reason = reason.as_ref().map(|reason| quote!(, reason = #reason));
    quote!(
        #[expect(#lint #reason)]
        const _: () = ();
    )
}

/// Message, notes and help, as rustc would set them below each other.
fn text(diagnostic: &Diagnostic, inside: Option<Place>, places: Places<'_>) -> String {
    let Diagnostic { code, level, message, labels, notes, help, .. } = diagnostic;
    let mut text = message.clone();
    if let Some(place) = inside {
        text.push_str(&format!("\n= note: in a function of another crate ({place})"));
    }
    for (span, label) in labels {
        let place = Place::of(places.range(*span).0);
        text.push_str(&format!("\n= note: {label} ({place})"));
    }
    for note in notes {
        text.push_str(&format!("\n= note: {note}"));
    }
    if let Some(help) = help {
        text.push_str(&format!("\n= help: {help}"));
    }
    if *code == DENY_CHECKS {
        text.push_str(
            "\n= note: `#[kernel(deny_checks)]` makes a check that is not proved an error",
        );
        return text;
    }
    let on = if LINTS.iter().any(|lint| lint.name == *code && lint.level == *level) {
        "is on by default"
    } else if *level == Level::Deny {
        "is an error here"
    } else {
        "is a warning here"
    };
    text.push_str(&format!(
        "\n= note: `{code}` {on}; `#[allow({code})]` on the statement or the kernel silences it"
    ));
    text
}

/// An error with `text` that underlines `first` to `last`.
pub(crate) fn error(text: &str, first: Span, last: Span) -> TokenStream {
    let mut arguments = Group::new(proc_macro2::Delimiter::Brace, quote_spanned!(last=> #text));
    arguments.set_span(last);
    let arguments = TokenTree::Group(arguments);
    let path = quote_spanned!(first=> ::core::compile_error);
    let bang = quote_spanned!(last=> !);
    quote!(#path #bang #arguments)
}

/// A warning with `text` that underlines `first` to `last`.
fn warning(code: &str, text: &str, first: Span, last: Span) -> TokenStream {
    let lint = code.strip_prefix("gpu_").unwrap_or(code);
    let note = format!("\n{text}");
    let hidden = format_ident!("__{lint}");
    let shown = format_ident!("{lint}");
    let module = quote_spanned!(first=> gpu::);
    let call = format_ident!("{lint}", span = last);
    let call = quote_spanned!(last=> #call!{});
    quote!({
        mod gpu {
            #[deprecated(note = #note)]
            macro_rules! #hidden { () => {} }
            #[allow(unused_imports, deprecated, reason = "it is used to warn")]
            pub(crate) use #hidden as #shown;
        }
        #module #call
    })
}

/// Items that make rustc show why a function was not lowered.
pub(crate) fn rejected(rejected: Rejected) -> TokenStream {
    let Rejected { errors, rustc_reports } = rejected;
    if !rustc_reports {
        return errors.to_compile_error();
    }
    errors.into_iter().map(|error| unless_rustc_does(&error)).collect()
}

/// An error that shows only if there are no others.
fn unless_rustc_does(error: &syn::Error) -> TokenStream {
    let span = error.span();
    let text = format!(
        "\n{error}\n= note: rustc was expected to say this, in its own words; please report that \
         it did not{}",
        at_repository()
    );
    let module = quote_spanned!(span=> gpu::);
    let call = quote_spanned!(span=> what_cannot_be_compiled());
    let field = Ident::new(&words(&error.to_string()), span);
    quote!(
        const _: () = {
            mod gpu {
                pub(crate) struct Kernel {
                    #field: (),
                }
                #[must_use = #text]
                pub(crate) fn what_cannot_be_compiled() -> bool {
                    false
                }
            }
            #[allow(dead_code, reason = "it is there to be checked")]
            #[deny(unused_must_use)]
            fn report(gpu::Kernel { #field: _ }: gpu::Kernel) {
                #module #call;
            }
        };
    )
}

/// A text as a name.
fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold("wrong".to_owned(), |name, word| name + "_" + word)
}

/// Where mistakes of ours are reported, if the package says.
fn at_repository() -> String {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => String::new(),
        repository => format!(", at {repository}/issues"),
    }
}

/// A mistake of ours, reported at `span`.
pub(crate) fn bug(text: &str, span: Span) -> TokenStream {
    let text = format!(
        "this is a bug in Warpwise, not in the kernel: {text}\n= help: please report it, with the \
         kernel{}",
        at_repository()
    );
    error(&text, span, span)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejection(rustc_reports: bool) -> String {
        let errors = syn::Error::new(Span::call_site(), "no such thing");
        rejected(Rejected { errors, rustc_reports }).to_string()
    }

    #[test]
    fn notes_stand_between_labels_and_help() {
        let span = ir::Span::new(0);
        let diagnostic = Diagnostic {
            code: "gpu_barriers_in_divergent_flow",
            level: Level::Deny,
            message: "it is wrong".to_owned(),
            span,
            labels: vec![(span, "because of this".to_owned())],
            notes: vec!["assuming blocks of 256 threads".to_owned()],
            help: Some("do it otherwise".to_owned()),
        };
        let places = Places { spans: &[], origins: &[], fallback: Span::call_site() };
        let text = text(&diagnostic, None, places);
        let lines: Vec<_> = text.lines().take(4).collect();
        let expected = [
            "it is wrong",
            "= note: because of this (<unknown>:0:0)",
            "= note: assuming blocks of 256 threads",
            "= help: do it otherwise",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_rustc_says_too_is_said_only_if_it_does_not() {
        let text = rejection(true);
        assert!(!text.contains("compile_error"), "{text}");
        assert!(
            text.contains("deny (unused_must_use)") && text.contains("no such thing"),
            "{text}"
        );
        assert!(text.contains("gpu :: Kernel { wrong_no_such_thing : _ }"), "{text}");
    }

    #[test]
    fn what_only_we_can_say_is_an_error() {
        assert!(rejection(false).contains("compile_error ! { \"no such thing\" }"));
    }
}
