//! Which variable and which generic parameter a name means.
use crate::{
    hir::{Generic, GenericArg, Var},
    syntax::span::SpanRange,
    types::Ty,
};
use proc_macro2::{Ident, Span};
use std::rc::Rc;

/// Where types and paths are written, which decides what they mean.
#[derive(Clone, Default)]
pub(crate) struct Env {
    /// What the generic parameters stand for.
    pub(crate) args: Rc<[(String, GenericArg)]>,
    /// The item; `None` for the kernel.
    pub(crate) home: Option<usize>,
    /// What `Self` is.
    pub(crate) this: Option<Ty>,
}

/// Variables in scope, innermost last.
#[derive(Default)]
pub(crate) struct Scope {
    bindings: Vec<Binding>,
}

struct Binding {
    name: Name,
    var: Var,
    /// Which of those before it has the same name: the innermost.
    outer: Option<usize>,
}

/// A mark to which a scope can be closed.
#[derive(Clone, Copy)]
pub(crate) struct Opened(usize);

/// A name, and the token that says its hygiene: a variable of a macro is not that of its caller, though they read the same.
struct Name {
    text: String,
    at: Span,
}

/// The hygiene of a token. The one place where a span tells it is how it prints: `#5 bytes(3..7)`.
fn context(at: Span) -> Option<String> {
    let span = format!("{at:?}");
    span.split_once(" bytes(").map(|(context, _)| context.to_owned())
}

impl Scope {
    /// Opens a scope.
    pub(crate) fn open(&self) -> Opened {
        Opened(self.bindings.len())
    }

    /// Closes it, with what was declared in it.
    pub(crate) fn close(&mut self, opened: Opened) {
        self.bindings.truncate(opened.0);
    }

    /// Declares a variable.
    pub(crate) fn declare(&mut self, ident: &Ident, var: Var) {
        let name = Name { text: ident.to_string(), at: ident.span() };
        let outer = self.named(&name.text);
        self.bindings.push(Binding { name, var, outer });
    }

    /// The variable that `ident` means: the innermost of the same hygiene; failing that, the
    /// innermost of that name.
    pub(crate) fn find(&self, ident: &Ident) -> Option<Var> {
        let name = ident.to_string();
        let innermost = self.named(&name)?;
        // Hygiene takes long to tell, and decides between variables of one name only.
        if self.bindings[innermost].outer.is_some() {
            let here = context(ident.span());
            let mut next = Some(innermost);
            while let Some(index) = next {
                let Binding { name, var, outer } = &self.bindings[index];
                if context(name.at) == here {
                    return Some(*var);
                }
                next = *outer;
            }
        }
        Some(self.bindings[innermost].var)
    }

    /// The innermost variable of this name.
    fn named(&self, name: &str) -> Option<usize> {
        // A plain loop, and lengths first: every name of a kernel is looked up, in a macro that is built without optimization.
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
pub(crate) struct Names {
    /// The function's own, in order.
    pub(crate) generics: Vec<Generic>,
    /// Where open constants are used.
    pub(crate) open_uses: Vec<(String, SpanRange)>,
}

/// What the generic parameter of that name stands for, with its index.
pub(crate) fn generic(args: &[(String, GenericArg)], name: &str) -> Option<(usize, GenericArg)> {
    let index = args.iter().position(|(known, _)| known == name)?;
    Some((index, args[index].1))
}
