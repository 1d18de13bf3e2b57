//! What kernel code does not have: what to say, and what to write instead.
use syn::{Expr, Item, Lit, Pat};

/// A fact and its help.
type Advice = (String, &'static str);

fn cannot(what: &str, help: &'static str) -> Advice {
    (format!("kernel code cannot {what}"), help)
}

/// An expression that is none of the kinds that are inferred.
pub(super) fn expr(expr: &Expr) -> Advice {
    match expr {
        Expr::Array(_) | Expr::Repeat(_) => cannot(
            "have arrays of its own yet",
            "use one variable for each element, or `shared!([T; N])` for the block",
        ),
        Expr::Async(_) | Expr::Await(_) => {
            cannot("be `async`", "a launch returns before the kernel ends: there is no need")
        }
        Expr::Closure(_) => cannot("have closures yet", "make it a `#[device]` function"),
        Expr::Const(_) => cannot("have `const` blocks yet", "write the value out"),
        Expr::Field(_) => cannot("use structs or tuples yet", "use one variable for each part"),
        Expr::Infer(_) => cannot("use `_` here", "write the value out"),
        Expr::Let(_) => cannot("test patterns with `let` yet", "compare with `==`"),
        Expr::Match(_) => cannot("`match` yet", "write `if` and `else if`"),
        Expr::Range(_) => cannot(
            "use ranges as values",
            "use them in `for`, and compare with `<` to test whether something is in between",
        ),
        Expr::RawAddr(_) => cannot("use raw pointers", "use slices and indices"),
        Expr::Struct(_) => cannot("use structs yet", "use one variable for each field"),
        Expr::Try(_) | Expr::TryBlock(_) => cannot("use `?` yet", "test with `if`, and `return`"),
        Expr::Tuple(_) => cannot("use tuples yet", "use one variable for each part"),
        Expr::Unsafe(_) => cannot("be `unsafe`", "leave `unsafe` out: kernel code is safe"),
        Expr::Yield(_) => cannot("`yield`", "write a loop"),
        _ => cannot("use this expression", "write it in plainer Rust"),
    }
}

/// A statement that is an item.
pub(super) fn item(item: &Item) -> Advice {
    match item {
        Item::Fn(_) => {
            cannot("define functions inside", "move it out of the kernel and mark it `#[device]`")
        }
        Item::Const(_) => cannot(
            "define constants inside yet",
            "bind it with `let`, or move it out and name it in `#[kernel(open(NAME))]`",
        ),
        Item::Static(_) => {
            cannot("use `static` items", "pass it as a parameter, or use a constant")
        }
        Item::Use(_) => cannot("have `use` inside", "move it out of the kernel"),
        Item::Macro(_) => cannot("define macros inside", "move it out of the kernel"),
        _ => cannot("define items inside", "move it out of the kernel"),
    }
}

/// A pattern that is more than a name.
pub(super) fn pattern(pat: &Pat) -> Advice {
    match pat {
        Pat::Ident(_) => cannot("bind by `ref` or with `@`", "bind with a plain name"),
        Pat::Tuple(_) | Pat::TupleStruct(_) | Pat::Struct(_) | Pat::Slice(_) => {
            cannot("take values apart by patterns yet", "bind each part with its own `let`")
        }
        Pat::Reference(_) => cannot("take references apart by patterns yet", "use `*`"),
        _ => cannot("use this pattern", "bind with a plain name"),
    }
}

/// A literal that is no number or `bool`.
pub(super) fn literal(lit: &Lit) -> Advice {
    match lit {
        Lit::Char(_) => cannot("use the type `char`", "use a byte: `b'x'`"),
        Lit::Str(_) | Lit::CStr(_) => cannot("use the type `str`", "pass bytes as `&[u8]`"),
        Lit::ByteStr(_) => cannot("use byte strings", "pass bytes as `&[u8]`"),
        _ => cannot("use this literal", "use numbers and `bool`"),
    }
}

/// A macro other than `shared!`.
pub(super) fn macro_call(name: &str) -> Advice {
    let help = match name {
        "eprintln" | "eprint" | "dbg" | "write" | "writeln" => "use `println!` or `print!`",
        "debug_assert" => "use `assert!`",
        "debug_assert_eq" => "use `assert_eq!`",
        "debug_assert_ne" => "use `assert_ne!`",
        "vec" => "a kernel cannot allocate: pass a buffer, or use `shared!`",
        "cfg" => "write the kernel once for each case, with `#[cfg]` on the whole function",
        "matches" => "compare with `==`",
        "shared_dyn" => "give the length as a constant: `shared!([T; N])`",
        _ => "write its expansion out",
    };
    let yet = if matches!(name, "cfg" | "vec" | "dbg" | "eprint" | "eprintln" | "write" | "writeln")
    {
        ""
    } else {
        " yet"
    };
    (format!("kernel code cannot use the macro `{name}!`{yet}"), help)
}

/// A method of slices other than `len` and `is_empty`.
pub(super) fn slice_method(name: &str) -> Advice {
    let help = match name {
        "iter" | "iter_mut" | "into_iter" | "chunks" | "chunks_exact" | "windows" => {
            "loop over indices: `for i in 0..x.len()`"
        }
        "get" | "get_mut" | "first" | "last" => "compare the index with `x.len()`, then index",
        "swap" => "exchange the elements by way of a variable",
        "fill" | "copy_from_slice" | "clone_from_slice" => "write a loop",
        "contains" => "write a loop",
        "split_at" | "split_at_mut" => "pass the whole slice, and add the offset to the index",
        _ => "use `len`, `is_empty` and indices",
    };
    (format!("kernel code cannot call the method `{name}` of a slice yet"), help)
}
