//! Names of Warpwise, for kernel code that uses them without an import.
use crate::types::{builtin, collective, vector};
use syn::Path;

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A function that is called.
    Function,
    /// A type.
    Type,
    /// A macro.
    Macro,
}

/// A name that needs an import or a longer path.
#[derive(Debug)]
pub(crate) struct Missing {
    /// The text of the help.
    pub(crate) help: String,
    /// True if the prelude has the name.
    pub(crate) is_in_prelude: bool,
}

/// Modules of the prelude with functions for kernels.
const PRELUDE_MODULES: [&str; 12] = [
    "warp",
    "block",
    "grid",
    "cluster",
    "fast",
    "bits",
    "cache",
    "async_copy",
    "bulk_store",
    "named_barrier",
    "math",
    "directed",
];

/// Types of kernels that the prelude lacks.
const OTHER_TYPES: [&str; 26] = [
    "Layers",
    "LayersMut",
    "LayeredSurface1",
    "LayeredSurface1Mut",
    "LayeredSurface2",
    "LayeredSurface2Mut",
    "LayeredTexture1",
    "LayeredTexture2",
    "MBarrier",
    "Normalized",
    "Pipeline",
    "Rows",
    "RowsMut",
    "Surface1",
    "Surface1Mut",
    "Surface2",
    "Surface2Mut",
    "Surface3",
    "Surface3Mut",
    "TensorMap2",
    "TensorMap2Mut",
    "TensorMap3",
    "TensorMap3Mut",
    "Texture1",
    "Texture2",
    "Texture3",
];

/// Types of the prelude.
const PRELUDE_TYPES: [&str; 4] = ["AtomicF32", "AtomicF64", "f16", "bf16"];

const PRELUDE: &str = "import it: `use warpwise::prelude::*;`";

/// Returns the help for a name of Warpwise that is not in scope.
pub(crate) fn find(path: &Path, kind: Kind) -> Option<Missing> {
    let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
    let prelude = || Some(Missing { help: PRELUDE.to_owned(), is_in_prelude: true });
    let other = |name: &str| {
        Some(Missing { help: format!("import it: `use warpwise::{name};`"), is_in_prelude: false })
    };
    match (kind, names.iter().map(String::as_str).collect::<Vec<_>>().as_slice()) {
        (Kind::Macro, ["shared" | "shared_dyn"]) => prelude(),
        (Kind::Type, [name]) if OTHER_TYPES.contains(name) || is_vector(name) => other(name),
        (Kind::Type, [name]) if PRELUDE_TYPES.contains(name) => prelude(),
        (Kind::Type | Kind::Function, ["mma", _, ..]) => other("mma"),
        (Kind::Type | Kind::Function, ["wgmma", _, ..]) => other("wgmma"),
        (Kind::Function, [name]) => match builtin::find(&names) {
            Some(found) if !found.path.contains("::") => prelude(),
            _ => function_in_module(name),
        },
        (Kind::Function, [module, _, ..]) if PRELUDE_MODULES.contains(module) => prelude(),
        _ => None,
    }
}

fn is_vector(name: &str) -> bool {
    vector::Vector::from_path(name).is_some()
}

/// Returns the help for a plain name that is a function of a module.
fn function_in_module(name: &str) -> Option<Missing> {
    let has = |module: &&&str| {
        let path = [(**module).to_owned(), name.to_owned()];
        builtin::find(&path).is_some() || collective::find(&path).is_some()
    };
    let calls = PRELUDE_MODULES.iter().filter(has).map(|module| format!("`{module}::{name}(..)`"));
    let calls: Vec<String> = calls.collect();
    let help = match calls.as_slice() {
        [] => return None,
        [call] => format!("it is in a module: write {call}"),
        calls => format!("it is in several modules: write {}", calls.join(" or ")),
    };
    Some(Missing { help, is_in_prelude: false })
}
