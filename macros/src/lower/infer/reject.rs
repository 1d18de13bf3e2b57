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
        "vec" => "a kernel cannot allocate: pass a buffer, or use `shared!`",
        "cfg" => "write the kernel once for each case, with `#[cfg]` on the whole function",
        "matches" => "compare with `==`",
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

/// `..b` and `..` as values.
pub(super) fn open_range() -> Advice {
    cannot(
        "use ranges without a start as values",
        "write the start: `0..n`; a part of a slice is `&x[..n]`",
    )
}

/// A method of slices that there is none of.
pub(super) fn slice_method(name: &str) -> Advice {
    let help = match name {
        "to_vec" | "concat" | "join" | "repeat" | "into_vec" => {
            "a kernel cannot allocate: write to a slice or an array, `[value; N]`"
        }
        "sort"
        | "sort_unstable"
        | "sort_by"
        | "sort_by_key"
        | "sort_unstable_by"
        | "sort_unstable_by_key" => "sort by a network of `x.swap(i, j)`, or on the host",
        "binary_search" | "binary_search_by" | "binary_search_by_key" | "partition_point" => {
            "write a `while` loop that halves the range"
        }
        "rchunks" | "rchunks_exact" | "split" | "array_chunks" | "chunk_by" => {
            "use `chunks`, `chunks_exact`, `windows` or `split_at`"
        }
        "copy_within" | "rotate_left" | "rotate_right" => "write a loop over indices",
        "get_unchecked" | "get_unchecked_mut" | "as_ptr" | "as_mut_ptr" => {
            "index: checks go away where they are proved"
        }
        _ => "write a loop over its elements or indices",
    };
    (format!("kernel code cannot call the method `{name}` of a slice"), help)
}

/// What to write instead of a method of iterators that there is none of.
pub(super) fn iter_method(name: &str) -> &'static str {
    match name {
        "collect" | "partition" | "unzip" => {
            "a kernel cannot allocate: write to a slice or an array in a `for` loop"
        }
        "next" | "nth" | "next_back" | "peekable" | "by_ref" | "next_if" | "advance_by" => {
            "use all of it in a `for` loop, and `break` out of it; or count an index"
        }
        "sum" | "product" => "numbers and references to them can be added: use `fold`",
        "chain" => "write one loop behind the other",
        "cycle" => "index with `%`",
        "flat_map" | "flatten" => "write a loop in a loop",
        "scan" | "map_while" | "try_fold" | "try_for_each" => {
            "write a `for` loop with a variable, and `break` out of it"
        }
        "max_by" | "min_by" | "cmp" | "partial_cmp" => {
            "use `fold` with a comparison, `f32::max`, or `max_by_key`"
        }
        "rposition" | "rfind" | "rfold" => "reverse it first: `.rev()`",
        "contains" | "is_empty" => "only ranges have it: use `any`",
        _ => "write a `for` loop",
    }
}

/// A consumer that leaves an iterator half used, of one that has a name.
pub(super) fn resumed(name: &str) -> Advice {
    (
        format!("kernel code cannot go on with an iterator where `{name}` left it"),
        "make the iterator where it is used: `x.iter()`",
    )
}
