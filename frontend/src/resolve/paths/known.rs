//! Names that kernel code knows without anybody's saying where they lead: std's, and Warpwise's
//! own. A `#[device]` item cannot have one of these, because a path of it would not be
//! followed; but for [some](is_free_for_types), which a struct, an enum or a constant may have.
use crate::types::{Prim, builtin, collective, math, vector};

/// True if these names, written as a path, lead to something that is no `#[device]` item;
/// `function` if it is called or passed on.
pub(crate) fn is_known(names: &[String], function: bool) -> bool {
    let called = math::function_in_path(names).is_some() || collective::find(names).is_some();
    if builtin::find(names).is_some() || called {
        return true;
    }
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] | ["self"] => true,
        // In Rust's prelude.
        ["size_of" | "align_of" | "size_of_val" | "align_of_val" | "drop"] => true,
        // A function may have the name of a type such as `f16`, or of a crate such as `half`.
        [name] if !name.starts_with(char::is_uppercase) && function => false,
        ["std" | "core" | "alloc" | "half" | "warpwise" | "Self", ..] => true,
        [first, ..] => Prim::from_name(first).is_some() || is_known_item(first),
    }
}

/// True for the name of a type, trait or variant that kernel code knows, or rejects by name.
pub(crate) fn is_known_item(name: &str) -> bool {
    TYPES.contains(&name) || is_free_for_types(name) || is_atomic(name) || vector::is_name(name)
}

/// `AtomicU32`
fn is_atomic(name: &str) -> bool {
    name.strip_prefix("Atomic").is_some_and(|of| {
        matches!(of, "Bool" | "Isize" | "Usize" | "Ptr")
            || of.strip_prefix(['I', 'U', 'F']).is_some_and(is_number)
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// True for what a `#[device]` item may be named although std or Warpwise has something by that name: a
/// trait, which is never where a type or a value is, or a type that is [in scope by a `use` only](BY_USE).
pub(crate) fn is_free_for_types(name: &str) -> bool {
    is_known_trait(name) || BY_USE.contains(&name)
}

/// True for the name of a type that is std's only where a `use` in the file says so.
pub(crate) fn must_be_imported(name: &str) -> bool {
    matches!(
        name,
        "ControlFlow"
            | "GetDisjointMutError"
            | "RangeTo"
            | "RangeToInclusive"
            | "Reverse"
            | "Wrapping"
    )
}

/// True for the name of a trait that kernel code knows.
pub(crate) fn is_known_trait(name: &str) -> bool {
    TRAITS.contains(&name)
}

/// Types of std's that are in scope by a `use` only.
const BY_USE: &[&str] = &[
    "ControlFlow",
    "GetDisjointMutError",
    "Range",
    "RangeFrom",
    "RangeInclusive",
    "RangeTo",
    "RangeToInclusive",
    "Reverse",
    "Wrapping",
];

/// Types of std's prelude and those of std that kernel code has a meaning for, and `Option`'s and
/// `Result`'s variants.
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
    "Arc",
    "Box",
    "HashMap",
    "Rc",
    "RefCell",
    "String",
    "Vec",
    // Variants.
    "Some",
    "None",
    "Ok",
    "Err",
];

/// Traits of std's prelude, those of std that kernel code has a meaning for, and Warpwise's.
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
