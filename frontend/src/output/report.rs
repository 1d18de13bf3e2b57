//! Diagnostics at the user's own tokens, by the means of stable Rust.
//!
//! - An error is a `compile_error!`. Its first token has the span of the first token at fault and
//!   its last token that of the last, so that rustc underlines the whole range.
//! - A warning is the use of a deprecated macro `gpu::<lint>`, with the same spans. The deprecation
//!   note is the text. So the warning follows the levels of rustc's lint `deprecated`.
//!
//! - Errors that rustc reports better are left to it. In case it does not, checks that rustc makes
//!   only in code without errors act as a fallback. For a method, a constant or an operator, which
//!   may be an item's in another file, it is the value of a constant that contains the body of the
//!   function: a panic with the text. Everything else, and generic functions and methods, have no
//!   such constant: a generic one is not evaluated, and rustc would report what is wrong in a copy
//!   of the body a second time. The only check after all others whose message takes a text of ours
//!   is the lint `unused_must_use`. Where cargo silences lints, in dependencies, the use of a
//!   private field takes its place, whose message has names only.
//!
//! On stable, a diagnostic has one location; further locations become text: `file:line:column`.
use crate::{
    attr::lint_attr::Expectation,
    output::attributes::silence_witness,
    syntax::{
        error::{HELP, Rejected, Unreadable, is_about_lookup},
        place::SourceLocation,
        span::{Origin, SpanRange},
        spell::print_tokens,
        tokens::TOO_LONG,
    },
};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{ItemFn, Signature};
use warpwise_compiler::{
    checks::{DENY_CHECKS, PARTIAL_BARRIERS},
    diag::{Diagnostic, Level},
    id::Id,
    ir,
    lint::LINTS,
};

/// The source spans of a kernel's IR.
#[derive(Clone, Copy)]
pub(crate) struct SpanTable<'a> {
    /// Source ranges, by IR span.
    pub(crate) spans: &'a [SpanRange],
    /// The owner of the code at each span.
    pub(crate) origins: &'a [Origin],
    /// The source span for an IR span without an entry.
    pub(crate) fallback: Span,
}

impl SpanTable<'_> {
    /// Returns the first and last token of `span`.
    pub(crate) fn range(self, span: ir::Span) -> (Span, Span) {
        self.spans
            .get(span.index())
            .map_or((self.fallback, self.fallback), |range| (range.first, range.last))
    }

    /// Returns the range to underline for `span`, and the location to add as text. rustc cannot
    /// underline code of another crate; the call that leads there is underlined instead.
    fn underlined_range(self, span: ir::Span) -> ((Span, Span), Option<SourceLocation>) {
        let (first, last) = self.range(span);
        match self.origins.get(span.index()).unwrap_or(&Origin::Kernel) {
            Origin::Kernel => ((first, last), None),
            // As if not produced by the macro that carried the tokens.
            Origin::Device => (self.as_written((first, last)), None),
            Origin::Foreign(call) => {
                (self.as_written(self.range(*call)), Some(SourceLocation::start_of(first)))
            }
        }
    }

    fn as_written(self, (first, last): (Span, Span)) -> (Span, Span) {
        (first.resolved_at(self.fallback), last.resolved_at(self.fallback))
    }
}

/// Returns statements that make rustc show `diagnostic`.
pub(crate) fn report_diagnostic(diagnostic: &Diagnostic, places: SpanTable<'_>) -> TokenStream {
    let ((first, last), inside) = places.underlined_range(diagnostic.span);
    let text = full_message(diagnostic, inside, places);
    match diagnostic.level {
        Level::Allow => TokenStream::new(),
        Level::Warn => warning_at(diagnostic.code, &text, first, last),
        Level::Deny => error_at(&text, first, last),
    }
}

/// Returns statements that make rustc report an error in the lint settings.
pub(crate) fn report_setting_error(text: &str, level: Level, span: Span) -> TokenStream {
    match level {
        Level::Allow => TokenStream::new(),
        Level::Warn => warning_at("lint_settings", text, span, span),
        Level::Deny => error_at(text, span, span),
    }
}

/// Returns statements that make rustc report the fallback to another back end.
pub(crate) fn report_backend_fallback(text: &str, span: Span) -> TokenStream {
    warning_at("backend", text, span, span)
}

/// Returns an item that makes rustc report an unfulfilled expectation in its own words: an
/// `#[expect]` of a lint that never fires on this item.
pub(crate) fn report_unfulfilled(Expectation { span, reason }: &Expectation) -> TokenStream {
    let lint = Ident::new("deprecated_in_future", *span);
    let reason = reason.as_ref().map(|reason| quote!(, reason = #reason));
    quote!(
        #[expect(#lint #reason)]
        const _: () = ();
    )
}

/// Returns message, notes and help in rustc's layout.
fn full_message(
    diagnostic: &Diagnostic,
    inside: Option<SourceLocation>,
    places: SpanTable<'_>,
) -> String {
    let Diagnostic { code, level, message, labels, notes, help, .. } = diagnostic;
    let mut text = message.clone();
    if let Some(place) = inside {
        text.push_str(&format!("\n= note: in a function of another crate ({place})"));
    }
    for (span, label) in labels {
        let place = SourceLocation::start_of(places.range(*span).0);
        text.push_str(&format!("\n= note: {label} ({place})"));
    }
    for note in notes {
        text.push_str(&format!("\n= note: {note}"));
    }
    if let Some(help) = help {
        text.push_str(&format!("\n= help: {help}"));
    }
    let reason = match *code {
        DENY_CHECKS => Some("`#[kernel(deny_checks)]` makes a check that is not proved an error"),
        PARTIAL_BARRIERS => Some(
            "a thread that fails a check does not arrive at named barriers and mbarriers, where others \
             would wait for it forever",
        ),
        _ => None,
    };
    if let Some(reason) = reason {
        text.push_str(&format!("\n= note: {reason}"));
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

/// Returns an error with `text` that underlines `first` to `last`.
pub(crate) fn error_at(text: &str, first: Span, last: Span) -> TokenStream {
    let mut arguments = Group::new(proc_macro2::Delimiter::Brace, quote_spanned!(last=> #text));
    arguments.set_span(last);
    let arguments = TokenTree::Group(arguments);
    let path = quote_spanned!(first=> ::core::compile_error);
    let bang = quote_spanned!(last=> !);
    quote!(#path #bang #arguments)
}

/// Returns a warning with `text` that underlines `first` to `last`.
fn warning_at(code: &str, text: &str, first: Span, last: Span) -> TokenStream {
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

/// Returns `item` with the reason why it cannot be read.
pub(crate) fn report_unreadable(item: &TokenStream, reason: Unreadable) -> TokenStream {
    match reason {
        Unreadable::Syntax(error) => {
            let error = report_rejected(Rejected { errors: error, rustc_reports: true });
            quote!(#item #error)
        }
        // rustc's stack would overflow on the item itself.
        Unreadable::Unsupported(error) if error.to_string() == TOO_LONG => error.to_compile_error(),
        Unreadable::Unsupported(error) => {
            let error = error.to_compile_error();
            quote!(#item #error)
        }
    }
}

/// Returns items that make rustc report the errors of a function that was not lowered.
pub(crate) fn report_rejected(rejected: Rejected) -> TokenStream {
    let Rejected { errors, rustc_reports } = rejected;
    if !rustc_reports {
        return errors.to_compile_error();
    }
    errors.into_iter().map(|error| report_unless_rustc_does(&error)).collect()
}

/// Does the same as [`report_rejected`] for a device function, or for a kernel that is no instance
/// of a generic one.
pub(crate) fn report_rejected_function(rejected: Rejected, function: &ItemFn) -> TokenStream {
    if !rejected.rustc_reports || !may_be_closure(&function.sig) {
        return report_rejected(rejected);
    }
    let report = |error: syn::Error| {
        let text = error.to_string();
        // rustc finds out in the body, or accepts an item of a file that only it sees.
        if is_about_lookup(&text) && text.contains(HELP) {
            panic_unless_rustc_errs(&error, function)
        } else {
            report_unless_rustc_does(&error)
        }
    };
    rejected.errors.into_iter().map(report).collect()
}

/// Returns true if a closure can have this signature. A closure has no generic parameters, and its
/// result borrows from none of its arguments.
fn may_be_closure(sig: &Signature) -> bool {
    let [inputs, output] = [sig.inputs.to_token_stream(), sig.output.to_token_stream()];
    sig.generics.params.is_empty()
        && !print_tokens(inputs).contains("impl ")
        && !print_tokens(output).contains(['&', '\'', '<'])
}

/// Returns a constant whose value is a panic with the text of `error`.
///
/// The constant contains the body of the function, in a closure that is never called. rustc
/// evaluates no constant that has an error, so it shows the panic only if it accepts the body.
fn panic_unless_rustc_errs(error: &syn::Error, function: &ItemFn) -> TokenStream {
    let text = error.to_string();
    let Signature { inputs, output, .. } = &function.sig;
    let body = &function.block;
    let panic = quote_spanned!(error.span()=> ::core::panic!("{}", #text));
    silence_witness(&quote!(
        const _: () = {
            let _ = |#inputs| #output #body;
            #panic
        };
    ))
}

/// Returns an error that rustc shows only if there are no others.
fn report_unless_rustc_does(error: &syn::Error) -> TokenStream {
    let span = error.span();
    let check = if !are_lints_capped() {
        deny_unused(&format!("\n{error}"), span)
    } else {
        let fact = error.to_string().lines().next().map(text_to_identifier).unwrap_or_default();
        use_private_field(&Ident::new(&fact, span))
    };
    quote!(const _: () = { #check };)
}

/// Returns an item for which the lint `unused_must_use` shows `text` at `span`. An array has no
/// suggestion to assign it to `_`, unlike the result of a call.
fn deny_unused(text: &str, span: Span) -> TokenStream {
    let array = quote_spanned!(span=> [UnsupportedCode]);
    quote!(
        #[must_use = #text]
        struct UnsupportedCode;
        #[allow(dead_code, reason = "it is there to be checked")]
        #[deny(unused_must_use)]
        fn report() {
            #array;
        }
    )
}

/// Returns an item that uses a private field, which rustc reports at the place of its name.
fn use_private_field(name: &Ident) -> TokenStream {
    quote!(
        mod gpu {
            #[allow(non_snake_case, reason = "its name is a message")]
            pub(crate) struct Kernel {
                #name: (),
            }
        }
        #[allow(dead_code, reason = "it is there to be checked")]
        fn report(gpu::Kernel { #name: _ }: gpu::Kernel) {}
    )
}

/// Returns true if rustc may have been told to silence lints, as cargo does for dependencies from a
/// registry: by `--cap-lints`, or in a file of arguments.
fn are_lints_capped() -> bool {
    proc_macro::is_available()
        && std::env::args_os().any(|argument| {
            let argument = argument.to_string_lossy();
            argument.starts_with("--cap-lints") || argument.starts_with('@')
        })
}

/// Returns a text as an identifier.
fn text_to_identifier(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold("wrong".to_owned(), |name, word| name + "_" + word)
}

/// Returns the place to report bugs, if the package has a repository.
fn at_repository() -> String {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => String::new(),
        repository => format!(", at {repository}/issues"),
    }
}

/// Returns an error for a bug of Warpwise.
pub(crate) fn report_bug(text: &str, span: Span) -> TokenStream {
    error_at(&bug_message(text), span, span)
}

/// Returns an error for a bug of Warpwise, which rustc shows only if it accepts the kernel.
pub(crate) fn report_bug_unless_rustc_errs(text: &str, span: Span) -> TokenStream {
    report_unless_rustc_does(&syn::Error::new(span, bug_message(text)))
}

fn bug_message(text: &str) -> String {
    format!(
        "this is a bug in Warpwise, not in the kernel: {text}{HELP}please report it, with the \
         kernel{}",
        at_repository()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejection(rustc_reports: bool) -> String {
        let errors = syn::Error::new(Span::call_site(), "no such thing");
        report_rejected(Rejected { errors, rustc_reports }).to_string()
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
        let places = SpanTable { spans: &[], origins: &[], fallback: Span::call_site() };
        let text = full_message(&diagnostic, None, places);
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
    fn errors_of_rustc_are_not_repeated_as_errors() {
        let text = rejection(true);
        assert!(!text.contains("compile_error"), "{text}");
        assert!(
            text.contains("deny (unused_must_use)") && text.contains("no such thing"),
            "{text}"
        );
        assert!(!text.contains("gpu :: Kernel"), "{text}");
    }

    #[test]
    fn errors_of_rustc_are_errors_where_lints_are_silent() {
        let field = text_to_identifier("no such thing");
        let text = use_private_field(&Ident::new(&field, Span::call_site())).to_string();
        assert!(text.contains("gpu :: Kernel { wrong_no_such_thing : _ }"), "{text}");
    }

    #[test]
    fn errors_unknown_to_rustc_are_compile_errors() {
        assert!(rejection(false).contains("compile_error ! { \"no such thing\" }"));
    }
}
