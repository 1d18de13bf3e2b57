//! Which variable and which generic parameter a name means.
use super::super::{
    span::SpanRange,
    tree::{Generic, GenericArg, Var},
    types::Ty,
};
use proc_macro2::Ident;
use std::rc::Rc;

/// Where types and paths are written, which decides what they mean.
#[derive(Clone, Default)]
pub(super) struct Env {
    /// What the generic parameters stand for.
    pub(super) args: Rc<[(String, GenericArg)]>,
    /// The item; `None` for the kernel.
    pub(super) home: Option<usize>,
    /// What `Self` is.
    pub(super) this: Option<Ty>,
}

/// Variables in scope, innermost last.
#[derive(Default)]
pub(super) struct Scope {
    bindings: Vec<(Name, Var)>,
}

/// A mark to which a scope can be closed.
#[derive(Clone, Copy)]
pub(super) struct Opened(usize);

/// A name with its hygiene: a variable of a macro is not that of its caller, though they read
/// the same.
struct Name {
    text: String,
    context: Option<String>,
}

impl Name {
    fn of(ident: &Ident) -> Self {
        // The one place where a span tells its hygiene is how it prints: `#5 bytes(3..7)`.
        let span = format!("{:?}", ident.span());
        let context = span.split_once(" bytes(").map(|(context, _)| context.to_owned());
        Self { text: ident.to_string(), context }
    }
}

impl Scope {
    /// Opens a scope.
    pub(super) fn open(&self) -> Opened {
        Opened(self.bindings.len())
    }

    /// Closes it, with what was declared in it.
    pub(super) fn close(&mut self, opened: Opened) {
        self.bindings.truncate(opened.0);
    }

    /// Declares a variable.
    pub(super) fn declare(&mut self, ident: &Ident, var: Var) {
        self.bindings.push((Name::of(ident), var));
    }

    /// The variable that `ident` means: the innermost of the same hygiene; failing that, the
    /// innermost of that name.
    pub(super) fn find(&self, ident: &Ident) -> Option<Var> {
        let name = Name::of(ident);
        let mut innermost = None;
        // A plain loop, and lengths first: every name of a kernel is looked up, in a macro that is built without optimization.
        let mut index = self.bindings.len();
        while index > 0 {
            index -= 1;
            let (known, var) = &self.bindings[index];
            if known.text.len() != name.text.len() || known.text != name.text {
                continue;
            }
            if known.context == name.context {
                return Some(*var);
            }
            innermost = innermost.or(Some(*var));
        }
        innermost
    }
}

/// Generic parameters in scope.
#[derive(Default)]
pub(super) struct Names {
    /// The function's own, in order.
    pub(super) generics: Vec<Generic>,
    /// Where open constants are used.
    pub(super) open_uses: Vec<(String, SpanRange)>,
}

/// What the generic parameter of that name stands for, with its index.
pub(super) fn generic(args: &[(String, GenericArg)], name: &str) -> Option<(usize, GenericArg)> {
    let index = args.iter().position(|(known, _)| known == name)?;
    Some((index, args[index].1))
}
