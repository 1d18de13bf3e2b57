//! `#[kernel(precompile(16, 32))]`: the instances of a generic kernel whose code is embedded.
//!
//! ```text
//! #[kernel(precompile((f32, 16), (f64, 8)))]
//! fn multiply<T: Float, const TILE: usize>(..) { .. }
//! ```
//! A generic kernel is compiled at the first launch of each instance, by the built-in back end,
//! because the LLVM of rustc is at hand only during the build. What is named here is compiled
//! during the build, by the back end that compiles kernels without parameters. Other arguments
//! remain possible.
use crate::syntax::spell::print_tokens;
use quote::ToTokens as _;
use std::fmt;
use syn::{Error, Expr, ExprLit, ExprTuple, ExprUnary, Lit, UnOp};
use warpwise_compiler::{
    ir::{Generic, GenericKind, Kernel},
    specialize::Binding,
};

/// The arguments of one instance.
#[derive(Clone, Debug)]
pub(crate) struct Precompiled {
    /// The instance as written: an argument, or a tuple of several.
    written: Expr,
}

/// The instance as written.
impl fmt::Display for Precompiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_tokens(self.written.to_token_stream()))
    }
}

impl Precompiled {
    /// Returns the instance with an argument, or with those of a tuple.
    pub(crate) fn new(written: Expr) -> Self {
        Self { written }
    }

    /// Returns an error with `text` that underlines the instance.
    pub(crate) fn error(&self, text: &str) -> Error {
        Error::new_spanned(&self.written, text)
    }

    /// Returns the bindings of the parameters of `kernel`.
    ///
    /// # Errors
    /// If it has no parameters, there are more or fewer arguments than parameters, or one is of
    /// another kind.
    pub(crate) fn bindings(&self, kernel: &Kernel) -> syn::Result<Vec<Binding>> {
        let arguments: Vec<&Expr> = match &self.written {
            Expr::Tuple(ExprTuple { elems, .. }) => elems.iter().collect(),
            one => vec![one],
        };
        let generics: Vec<&Generic> = kernel.generics.iter().map(|(_, generic)| generic).collect();
        if generics.is_empty() {
            let text = format!(
                "`{}` has no generic parameters to bind, so that its code is embedded anyway\n= help: \
                 remove `precompile`",
                kernel.name
            );
            return Err(self.error(&text));
        }
        if arguments.len() != generics.len() {
            let names: Vec<String> =
                generics.iter().map(|generic| format!("`{}`", generic.name)).collect();
            let text = format!(
                "`{}` has the generic parameter{} {}, and this names {}\n= help: {}",
                kernel.name,
                if names.len() == 1 { "" } else { "s" },
                names.join(", "),
                arguments.len(),
                if names.len() == 1 {
                    "name one argument for each instance: `precompile(16, 32)`"
                } else {
                    "name the arguments of an instance in parentheses, in this order: \
                     `precompile((f32, 16), (f64, 16))`"
                },
            );
            return Err(self.error(&text));
        }
        let bind = |(generic, argument): (&Generic, &Expr)| {
            let text = argument_text(argument);
            text.and_then(|text| Binding::parse(generic.kind, &text))
                .ok_or_else(|| Error::new_spanned(argument, mismatch(generic, argument)))
        };
        generics.into_iter().zip(arguments).map(bind).collect()
    }
}

/// Returns the error for an argument that is none for the parameter.
fn mismatch(Generic { name, kind, .. }: &Generic, argument: &Expr) -> String {
    let written = print_tokens(argument.to_token_stream());
    match kind {
        GenericKind::Type(_) => {
            format!("`{name}` is a type, and `{written}` is none\n= help: write `f32`, for example")
        }
        GenericKind::Const(_) if argument_text(argument).is_some_and(|text| is_number(&text)) => {
            format!("`{written}` is no value of the constant `{name}`")
        }
        GenericKind::Const(_) => format!(
            "`{name}` is a constant, and `{written}` is no number\n= help: write the number itself: \
             only rustc knows the values of names and terms"
        ),
    }
}

/// Returns true for an argument that is no type and no constant's name.
fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// Returns an argument as [`Binding::parse`] reads it.
fn argument_text(argument: &Expr) -> Option<String> {
    match argument {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number.base10_digits().into()),
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value.to_string()),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => {
            Some(format!("-{}", argument_text(expr)?))
        }
        Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
        // A fragment of `macro_rules!`, such as `$n:literal`.
        Expr::Group(group) => argument_text(&group.expr),
        _ => None,
    }
}
