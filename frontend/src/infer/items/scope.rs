//! Scopes of variables and of generic parameters.
use crate::{
    hir::{Generic, GenericArg, Var},
    syntax::span::SpanRange,
    types::Ty,
};
use proc_macro2::{Ident, Span};
use std::rc::Rc;

/// The environment of a piece of syntax, in which its types and paths are resolved.
#[derive(Clone, Default)]
pub(crate) struct Env {
    /// The generic arguments by parameter name.
    pub(crate) args: Rc<[(String, GenericArg)]>,
    /// The item with the syntax; `None` for the kernel.
    pub(crate) home: Option<usize>,
    /// The type of `Self`.
    pub(crate) self_ty: Option<Ty>,
}

/// Variables in scope, innermost last.
#[derive(Default)]
pub(crate) struct Scope {
    bindings: Vec<Binding>,
}

struct Binding {
    name: Name,
    var: Var,
    /// The next outer binding with the same text.
    outer: Option<usize>,
}

/// A mark for closing a scope.
#[derive(Clone, Copy)]
pub(crate) struct ScopeMark(usize);

/// A name with its token, which carries its hygiene: a macro's variable differs from its caller's
/// variable of the same text.
struct Name {
    text: String,
    at: Span,
}

/// Returns the hygiene of a token. A span shows it only in its debug format: `#5 bytes(3..7)`.
fn hygiene_context(at: Span) -> Option<String> {
    let span = format!("{at:?}");
    span.split_once(" bytes(").map(|(context, _)| context.to_owned())
}

impl Scope {
    /// Opens a scope.
    pub(crate) fn open(&self) -> ScopeMark {
        ScopeMark(self.bindings.len())
    }

    /// Closes a scope, and removes its variables.
    pub(crate) fn close(&mut self, opened: ScopeMark) {
        self.bindings.truncate(opened.0);
    }

    /// Declares a variable.
    pub(crate) fn declare(&mut self, ident: &Ident, var: Var) {
        let name = Name { text: ident.to_string(), at: ident.span() };
        let outer = self.find_text(&name.text);
        self.bindings.push(Binding { name, var, outer });
    }

    /// Returns the variable that `ident` refers to: the innermost of the same hygiene, or else the
    /// innermost of the same text.
    pub(crate) fn find(&self, ident: &Ident) -> Option<Var> {
        let name = ident.to_string();
        let innermost = self.find_text(&name)?;
        // Comparing hygiene is slow, and matters only between variables of the same text.
        if self.bindings[innermost].outer.is_some() {
            let here = hygiene_context(ident.span());
            let mut next = Some(innermost);
            while let Some(index) = next {
                let Binding { name, var, outer } = &self.bindings[index];
                if hygiene_context(name.at) == here {
                    return Some(*var);
                }
                next = *outer;
            }
        }
        Some(self.bindings[innermost].var)
    }

    /// Returns the innermost variable with this text.
    fn find_text(&self, name: &str) -> Option<usize> {
        // A plain loop that compares lengths first: every name of a kernel is looked up, and macros
        // are built without optimization.
        let bindings = self.bindings.as_slice();
        let mut index = bindings.len();
        while index > 0 {
            index -= 1;
            let known = bindings[index].name.text.as_str();
            if known.len() == name.len() && known == name {
                return Some(index);
            }
        }
        None
    }
}

/// Generic parameters in scope.
#[derive(Default)]
pub(crate) struct GenericNames {
    /// The function's own parameters, in order.
    pub(crate) generics: Vec<Generic>,
    /// Uses of open constants.
    pub(crate) open_uses: Vec<(String, SpanRange)>,
}

/// Returns the argument of the generic parameter with this name, and its index.
pub(crate) fn find_generic(
    args: &[(String, GenericArg)],
    name: &str,
) -> Option<(usize, GenericArg)> {
    let index = args.iter().position(|(known, _)| known == name)?;
    Some((index, args[index].1))
}
