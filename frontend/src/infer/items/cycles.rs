//! Cycle detection for definitions: constants, aliases and associated types whose resolution would
//! never end.
//!
//! `const A: usize = A;` and `type P = (P, i32);` are errors of rustc, which reports the cycle at
//! the definition. A definition that leads to itself with ever larger types (`const N: u32 =
//! Wrap::<Wrap<T>>::N`) is an error in rustc only for the types that it is instantiated with, so it
//! is reported here.
use crate::{
    infer::{Infer, items::scope::Env},
    syntax::{error::Reported, span::SpanRange},
};
use std::cell::{Cell, RefCell};

/// The greatest depth to which a generic definition may be resolved inside of itself, for types
/// nested in others of their kind.
const MAX_NESTED_RESOLUTIONS: usize = 32;

/// The greatest depth of definitions resolved inside of each other, which bounds the stack.
const MAX_RESOLUTION_DEPTH: usize = 128;

/// The greatest number of resolutions for a kernel: `const A: u32 = B + B;` resolves `B` twice, and
/// so on.
const MAX_RESOLUTIONS: usize = 1 << 16;

/// The definitions being resolved.
#[derive(Debug, Default)]
pub(crate) struct Resolutions {
    /// Addresses of the defining syntax, outermost first.
    open: RefCell<Vec<usize>>,
    /// The number of resolutions so far.
    count: Cell<usize>,
    /// The error of a cyclic definition. The rest of its kernel is not resolved, which could take a
    /// number of steps that is exponential in the depth.
    failed: Cell<Option<Reported>>,
}

/// A definition to resolve.
pub(crate) struct Definition<'d, T> {
    /// The defining type or value: the same object at every resolution, since its address
    /// identifies it.
    pub(crate) value: &'d T,
    /// The environment of the definition, with its generic arguments.
    pub(crate) env: &'d Env,
    /// The number of the function's own constants that are in scope of the definition.
    pub(crate) constants: usize,
    /// The use.
    pub(crate) at: SpanRange,
}

impl Infer<'_> {
    /// Resolves a definition by `resolve`.
    ///
    /// # Errors
    /// If the definition leads to itself.
    pub(crate) fn resolve_definition<D, T>(
        &mut self,
        definition: &Definition<'_, D>,
        resolve: impl FnOnce(&mut Self) -> T,
    ) -> Result<T, Reported> {
        let resolutions = &self.program().resolutions;
        if let Some(reported) = resolutions.failed.get() {
            return Err(reported);
        }
        let address = std::ptr::from_ref(definition.value).addr();
        let (depth, again) = {
            let open = resolutions.open.borrow();
            (open.len(), open.iter().filter(|of| **of == address).count())
        };
        let count = resolutions.count.get();
        resolutions.count.set(count + 1);
        let is_cycle = again > 0 && !self.is_generic_env(definition.env);
        if is_cycle
            || again >= MAX_NESTED_RESOLUTIONS
            || depth >= MAX_RESOLUTION_DEPTH
            || count >= MAX_RESOLUTIONS
        {
            let reported = if is_cycle {
                self.errors.mistyped(definition.at, "this is defined by itself")
            } else {
                self.errors.advise(
                    definition.at,
                    "this definition leads to itself, or to too many others",
                    "let it end: a constant or type that is defined by itself has no value",
                )
            };
            resolutions.failed.set(Some(reported));
            return Err(reported);
        }
        resolutions.open.borrow_mut().push(address);
        let declared = &mut self.constants.declared;
        let hidden = declared.split_off(definition.constants.min(declared.len()));
        let resolved = resolve(self);
        self.constants.declared.extend(hidden);
        resolutions.open.borrow_mut().pop();
        Ok(resolved)
    }

    /// Returns true if two resolutions in this environment may differ.
    fn is_generic_env(&self, env: &Env) -> bool {
        let home = || env.home.and_then(|home| self.program().item(home));
        !env.args.is_empty() || env.self_ty.is_some() && matches!(home(), Some(syn::Item::Trait(_)))
    }
}
