//! Names that kernel code knows without anybody's saying where they lead: std's, and Warpwise's
//! own. A `#[device]` item cannot have one of [these](ITEMS), because a path of it would not be
//! followed.
use crate::lower::{builtin, collective, library, types::Prim, vector};

/// True if these names, written as a path, lead to something that is no `#[device]` item;
/// `function` if it is called or passed on.
pub(super) fn is_known(names: &[String], function: bool) -> bool {
    let called = library::called(names).is_some() || collective::find(names).is_some();
    if builtin::find(names).is_some() || called {
        return true;
    }
    match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] | ["self"] => true,
        ["size_of" | "align_of"] => true, // in Rust's prelude
        // A function may have the name of a type such as `f16`, or of a crate such as `half`.
        [name] if !name.starts_with(char::is_uppercase) && function => false,
        ["std" | "core" | "alloc" | "half" | "warpwise" | "Self", ..] => true,
        [first, ..] => Prim::named(first).is_some() || is_known_item(first),
    }
}

/// True for the name of a type, trait or variant that kernel code knows, or rejects by name.
pub(crate) fn is_known_item(name: &str) -> bool {
    ITEMS.contains(&name) || is_atomic(name) || vector::is_name(name)
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

/// Types and traits of std's prelude and those of std that kernel code has a meaning for, `Option`'s and
/// `Result`'s variants, and the names of Warpwise.
const ITEMS: &[&str] = &[
    // Types that kernel code knows.
    "Option",
    "Result",
    "Ordering",
    "TryFromIntError",
    "Range",
    "RangeFrom",
    "RangeInclusive",
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
    // Traits.
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
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
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
