//! Names that kernel code knows without a declaration: those of std and Warpwise. A `#[device]`
//! item cannot have one of these names, since paths to it would not be followed. [Some
//! names](is_free_for_types) are available to structs, enums and constants.
use crate::types::{Prim, builtin, collective, math, vector};

/// Returns true if the path with these names never leads to a `#[device]` item; `function` if it is
/// called or passed as a value.
pub(crate) fn is_known_path(names: &[String], function: bool) -> bool {
    let called = math::function_in_path(names).is_some() || collective::find(names).is_some();
    if builtin::find(names).is_some() || called {
        return true;
    }
    // By first name, special cases before general ones.
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] | ["self"] => true,
        // Functions in Rust's prelude, and others that need no import.
        ["size_of" | "align_of" | "size_of_val" | "align_of_val" | "drop"] => true,
        // A function may have the name of a type such as `f16`, or of a crate such as `half`.
        [name] if !name.starts_with(char::is_uppercase) && function => false,
        // Warpwise's own device items.
        ["warpwise", "mma" | "surface" | "tensor_map" | "texture" | "wgmma", ..] => false,
        ["warpwise", name, ..] if name.starts_with(char::is_uppercase) => {
            is_known_item(name) || name.starts_with("Atomic")
        }
        ["std" | "core" | "alloc" | "half" | "warpwise" | "Self", ..] => true,
        [first, ..] => Prim::from_name(first).is_some() || is_known_item(first),
    }
}

/// Returns true for a type, trait or variant that kernel code knows, or rejects by name.
pub(crate) fn is_known_item(name: &str) -> bool {
    TYPES.contains(&name)
        || is_free_for_types(name)
        || is_atomic_name(name)
        || vector::is_name(name)
}

/// Returns true for names such as `AtomicU32`.
fn is_atomic_name(name: &str) -> bool {
    name.strip_prefix("Atomic").is_some_and(|of| {
        matches!(of, "Bool" | "Isize" | "Usize" | "Ptr")
            || of.strip_prefix(['I', 'U', 'F']).is_some_and(is_decimal)
    })
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for std and Warpwise names that a `#[device]` item may have: a trait's, since
/// traits do not appear in place of types or values, or a type's that is [in scope by a `use`
/// only](IMPORTED_TYPES).
pub(crate) fn is_free_for_types(name: &str) -> bool {
    is_known_trait(name) || IMPORTED_TYPES.contains(&name)
}

/// Returns true for a std type that kernel code knows, or rejects by name, only with a `use` in the
/// file.
pub(crate) fn must_be_imported(name: &str) -> bool {
    matches!(
        name,
        "Arc"
            | "ControlFlow"
            | "GetDisjointMutError"
            | "HashMap"
            | "RangeTo"
            | "RangeToInclusive"
            | "Rc"
            | "RefCell"
            | "Reverse"
            | "Wrapping"
    )
}

/// Returns true for a trait that kernel code knows.
pub(crate) fn is_known_trait(name: &str) -> bool {
    TRAITS.contains(&name)
}

/// Types of std that are in scope by a `use` only, which kernel code knows or rejects.
const IMPORTED_TYPES: &[&str] = &[
    "Arc",
    "ControlFlow",
    "GetDisjointMutError",
    "HashMap",
    "Range",
    "RangeFrom",
    "RangeInclusive",
    "RangeTo",
    "RangeToInclusive",
    "Rc",
    "RefCell",
    "Reverse",
    "Wrapping",
];

/// Types of std that kernel code knows or rejects, and the variants of `Option` and `Result`.
const TYPES: &[&str] = &[
    // Types that kernel code knows.
    "Option",
    "Result",
    "Ordering",
    "TryFromIntError",
    "TryFromSliceError",
    "PhantomData",
    "f16",
    "bf16",
    "i128",
    "u128",
    "char",
    "str",
    // Types that it rejects.
    "Box",
    "String",
    "Vec",
    // Variants.
    "Some",
    "None",
    "Ok",
    "Err",
];

/// Traits of std's prelude, traits of std that kernel code knows, and Warpwise's.
const TRAITS: &[&str] = &[
    "Add",
    "AddAssign",
    "AsMut",
    "AsRef",
    "BitAnd",
    "BitAndAssign",
    "BitOr",
    "BitOrAssign",
    "BitXor",
    "BitXorAssign",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deref",
    "DerefMut",
    "Display",
    "Div",
    "DivAssign",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Hash",
    "Index",
    "IndexMut",
    "Into",
    "IntoIterator",
    "Iterator",
    "Mul",
    "MulAssign",
    "Neg",
    "Not",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Product",
    "Rem",
    "RemAssign",
    "Send",
    "Shl",
    "ShlAssign",
    "Shr",
    "ShrAssign",
    "Sized",
    "Sub",
    "SubAssign",
    "Sum",
    "Sync",
    "TryFrom",
    "TryInto",
    "Unpin",
    // Ours.
    "Atomic",
    "Element",
    "Float",
    "Int",
    "Num",
    "Plain",
];
