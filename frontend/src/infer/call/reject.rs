//! Messages for Rust that kernel code does not have: the fact, and the replacement.
use crate::{resolve::source_map, syntax::span::SpanRange};
use syn::{
    Block, Expr, ExprUnary, Item, Lit, Pat, UnOp, UseTree,
    visit::{self, Visit},
};

/// A fact and its help.
type Advice = (String, &'static str);

fn unsupported(what: &str, help: &'static str) -> Advice {
    (format!("kernel code cannot {what}"), help)
}

/// Returns the message for an expression of an unsupported kind.
pub(crate) fn expr(expr: &Expr) -> Advice {
    match expr {
        Expr::Async(_) | Expr::Await(_) => {
            unsupported("be `async`", "a launch returns before the kernel ends: there is no need")
        }
        Expr::Infer(_) => unsupported("use `_` here", "write the value out"),
        Expr::RawAddr(_) => unsupported("use raw pointers", "use slices and indices"),
        Expr::TryBlock(_) => {
            unsupported("use `try` blocks", "move it to a `#[device]` function, and use `?` there")
        }
        Expr::Unsafe(of) => unsupported("be `unsafe`", safe_form(&of.block)),
        Expr::Yield(_) => unsupported("`yield`", "write a loop"),
        _ => unsupported("use this expression", "write it in plainer Rust"),
    }
}

/// Returns the replacement of an `unsafe` block, by the first unsafe operation in it.
fn safe_form(block: &Block) -> &'static str {
    struct FirstUnsafe(Option<&'static str>);
    impl<'ast> Visit<'ast> for FirstUnsafe {
        fn visit_expr(&mut self, expr: &'ast Expr) {
            // The pointer first that is dereferenced.
            visit::visit_expr(self, expr);
            let name = match expr {
                Expr::MethodCall(call) => call.method.to_string(),
                Expr::Path(path) => {
                    path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
                }
                _ => String::new(),
            };
            let form = match (expr, name.as_str()) {
                (Expr::Path(_), "transmute" | "transmute_copy") => {
                    "write `x.to_bits()` or `f32::from_bits(x)`, and leave `unsafe` out"
                }
                (Expr::MethodCall(_), "get_unchecked" | "get_unchecked_mut") => {
                    "index, `x[i]`, and leave `unsafe` out: checks go away where they are proved"
                }
                (Expr::MethodCall(_), "as_ptr" | "as_mut_ptr" | "offset")
                | (Expr::Unary(ExprUnary { op: UnOp::Deref(_), .. }), _) => {
                    "there are no pointers: index a slice, `x[i]`, and leave `unsafe` out"
                }
                _ => return,
            };
            self.0 = self.0.or(Some(form));
        }
    }
    let mut first = FirstUnsafe(None);
    first.visit_block(block);
    first.0.unwrap_or("leave `unsafe` out: kernel code is safe, but for `ptx!`")
}

/// Returns the help for a function or a constant of the type `ty` in blocks of this file without
/// `#[device]`; `None` if there are none.
pub(crate) fn host_blocks(at: SpanRange, member: &str, ty: &str) -> Option<String> {
    let ty = ty.trim_start_matches("&mut ").trim_start_matches('&');
    let name = ty.split('<').next().unwrap_or(ty);
    let blocks = source_map::host_blocks_with(at.first, member, name);
    (!blocks.is_empty()).then(|| format!("put `#[device]` above {}", blocks.join(" and ")))
}

/// Returns true for the name of a std type that allocates.
pub(crate) fn is_heap(name: &str) -> bool {
    matches!(
        name,
        "Arc"
            | "BTreeMap"
            | "BTreeSet"
            | "BinaryHeap"
            | "Box"
            | "HashMap"
            | "HashSet"
            | "LinkedList"
            | "Rc"
            | "String"
            | "Vec"
            | "VecDeque"
    )
}

/// Returns true for the path of a function of std, as far as the path shows.
pub(crate) fn is_std_function(names: &[String]) -> bool {
    matches!(names.first().map(String::as_str), Some("std" | "core" | "alloc"))
        || names.iter().rev().nth(1).is_some_and(|of| is_heap(of))
}

const ALLOCATES: &str = "a kernel cannot allocate: use an array, `[value; N]`, a buffer that is \
                         passed, or `shared!`";

/// Returns the replacement of an unknown function.
pub(crate) fn function(names: &[String]) -> &'static str {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let names = match names.as_slice() {
        ["std" | "core" | "alloc", names @ ..] => names,
        names => names,
    };
    match names {
        ["boxed" | "vec" | "string" | "collections" | "rc" | "alloc", ..] => ALLOCATES,
        [.., of, _] if is_heap(of) => ALLOCATES,
        ["thread", ..] => "threads are those of the launch: `LaunchConfig` says how many",
        ["time", ..] => "measure on the host, around `launch` and `synchronize`",
        ["fs" | "io" | "env" | "net" | "process", ..] => {
            "only the host can do this: pass data in buffers, and end a thread with `return` or \
             `panic!`"
        }
        ["cell" | "sync", ..] => {
            "what threads share is a buffer, `shared!`, or an atomic such as `AtomicU32`; what a \
             thread has of its own is a `let mut`"
        }
        ["ptr" | "slice", ..] => "use slices and indices",
        ["mem", "transmute" | "transmute_copy"] => "use `to_bits` and `from_bits`",
        ["mem", ..] => {
            "of `std::mem`, there are `swap`, `replace`, `take`, `drop`, `forget`, `size_of`, `align_of`, \
             `size_of_val` and `align_of_val`"
        }
        ["iter", ..] => {
            "of `std::iter`, there are `once`, `once_with`, `empty`, `repeat`, `repeat_n`, `repeat_with`, \
             `from_fn`, `successors`, `zip` and `chain`"
        }
        ["hint" | "arch", ..] => "leave it out: the compiler of kernels has no such thing",
        ["num", "Saturating"] => "use the integer itself, and its `saturating_add` and the like",
        ["array", ..] => "of `std::array`, there are `from_fn` and `repeat`",
        ["cmp", ..] => "of `std::cmp`, there are `min`, `max`, and those `_by` and `_by_key`",
        _ => "numbers have methods, such as `x.sqrt()`; write the rest as `#[device]` functions",
    }
}

/// Returns true if a `use` has a `*`, other than Warpwise's.
pub(crate) fn is_glob(tree: &UseTree) -> bool {
    match tree {
        UseTree::Glob(_) => true,
        UseTree::Path(path) => {
            path.ident != "warpwise"
                && is_glob(&path.tree)
                && !source_map::knows_variants_of(&path.ident)
        }
        UseTree::Group(group) => group.items.iter().any(is_glob),
        UseTree::Name(_) | UseTree::Rename(_) => false,
    }
}

/// Returns the message for an item as a statement.
pub(crate) fn item(item: &Item) -> Advice {
    match item {
        Item::Static(_) => {
            unsupported("use `static` items", "pass it as a parameter, or use a constant")
        }
        Item::Use(_) => unsupported(
            "see what a `use` with `*` brings",
            "name it: `use Shape::{Circle, Square}`",
        ),
        _ => unsupported("define items inside", "move it out of the kernel"),
    }
}

/// Returns the message for a pattern of an unsupported kind.
pub(crate) fn pattern(pat: &Pat) -> Advice {
    match pat {
        Pat::Const(_) => {
            unsupported("use `const` blocks in patterns", "name a `#[device]` constant")
        }
        Pat::Macro(_) => unsupported("use macros in patterns", "write the pattern out"),
        _ => unsupported("use this pattern", "bind with a plain name"),
    }
}

/// Returns the message for a literal other than a number or `bool`.
pub(crate) fn literal(lit: &Lit) -> Advice {
    match lit {
        Lit::Char(_) => unsupported("use the type `char`", "use a byte: `b'x'`"),
        Lit::Str(_) | Lit::CStr(_) => {
            unsupported("use the type `str`", "use bytes: `b\"text\"`, or a `&[u8]` that is passed")
        }
        _ => unsupported("use this literal", "use numbers and `bool`"),
    }
}

/// Returns the message for an unknown macro; `is_std` if its path is std's.
pub(crate) fn macro_call(name: &str, is_std: bool) -> Advice {
    let help = match name {
        "eprintln" | "eprint" | "dbg" | "write" | "writeln" => "use `println!` or `print!`",
        "vec" => "a kernel cannot allocate: pass a buffer, or use `shared!`",
        "format" | "format_args" | "concat" | "stringify" | "line" | "file" | "column"
        | "module_path" => "there is no text in kernels other than that of `println!` and `panic!`",
        "include_str" | "include_bytes" | "include" | "env" | "option_env" => {
            "read it on the host, and pass it in a buffer or as `const` items"
        }
        "asm" | "global_asm" => {
            "write PTX: `unsafe { ptx!(\"..\", else {}) }`, with what the interpreter does after `else`"
        }
        "thread_local" => "what a thread has of its own is a `let mut`",
        "cfg" | "cfg_select" | "cfg_match" => {
            "write the kernel once for each case, with `#[cfg]` on the whole function"
        }
        "addr_of" | "addr_of_mut" => {
            "there are no raw pointers in kernels: use `&x` or `&mut x`, or a slice and an index"
        }
        "offset_of" => "name the field: kernel code has no addresses that an offset is added to",
        "assert_matches" | "debug_assert_matches" => "use `assert!(matches!(value, pattern))`",
        "try" => "use `?`",
        "pin" | "ready" | "join" => {
            "a launch returns before the kernel ends: there is no need of `async`"
        }
        "compile_error" | "concat_bytes" | "concat_idents" | "const_format_args" => {
            "write what it stands for, or make it a constant of the host: `#[kernel(open(NAME))]`"
        }
        name if name.ends_with("_feature_detected") => {
            "ask on the host, and pass the answer as a `bool`"
        }
        _ if is_std => {
            "of std's macros, there are `assert!` and its kin, `matches!`, `panic!` and its kin, `print!` and `println!`"
        }
        _ => {
            "declare it in this file, before its call, with names that no other variable has; or make it a `#[device]` function"
        }
    };
    (format!("kernel code cannot use the macro `{name}!`"), help)
}

/// Returns the message for `..` as a value.
pub(crate) fn open_range() -> Advice {
    unsupported("use `..` as a value", "the whole of a slice is `&x[..]`")
}

/// Returns the message for slicing by a range value without a start.
pub(crate) fn slice_by_range_to() -> Advice {
    unsupported(
        "take a part of a slice by a range without a start that is not written there",
        "write it out: `&x[..n]`",
    )
}

/// Returns the message for an unknown method of slices.
pub(crate) fn slice_method(name: &str) -> Advice {
    let help = match name {
        "to_vec" | "concat" | "join" | "repeat" | "into_vec" => {
            "a kernel cannot allocate: write to a slice or an array, `[value; N]`"
        }
        "sort_by_cached_key" => "use `sort_by_key`",
        "array_chunks" | "rsplit_mut" | "rsplitn_mut" | "splitn_mut" => {
            "use `chunks`, `chunks_exact`, `split`, `split_inclusive`, `chunk_by`, `as_chunks`, `windows` or `split_at`"
        }
        "select_nth_unstable" | "select_nth_unstable_by" | "select_nth_unstable_by_key" => {
            "use `sort_unstable` and an index, where there are few elements"
        }
        "get_unchecked" | "get_unchecked_mut" | "as_ptr" | "as_mut_ptr" => {
            "index: checks go away where they are proved"
        }
        _ => "write a loop over its elements or indices",
    };
    (format!("kernel code cannot call the method `{name}` of a slice"), help)
}

/// Returns true if slices of std have a method of this name that kernel code lacks.
pub(crate) fn is_slice_method_of_std(name: &str) -> bool {
    const NAMES: [&str; 35] = [
        "align_to",
        "align_to_mut",
        "array_chunks",
        "array_windows",
        "as_array",
        "as_ascii",
        "as_flattened",
        "as_flattened_mut",
        "as_mut_array",
        "as_mut_ptr",
        "as_mut_ptr_range",
        "as_ptr",
        "as_ptr_range",
        "clone_from_slice",
        "concat",
        "connect",
        "element_offset",
        "eq_ignore_ascii_case",
        "escape_ascii",
        "into_vec",
        "is_ascii",
        "join",
        "repeat",
        "rsplit_mut",
        "rsplitn_mut",
        "sort_by_cached_key",
        "splitn_mut",
        "swap_with_slice",
        "to_owned",
        "to_vec",
        "trim_ascii",
        "trim_ascii_end",
        "trim_ascii_start",
        "utf8_chunks",
        "write_copy_of_slice",
    ];
    const PREFIXES: [&str; 6] =
        ["as_chunks", "get_", "make_ascii", "select_nth", "split_", "to_ascii"];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns the replacement of an iterator method of std that kernel code lacks.
pub(crate) fn iter_method(name: &str) -> Option<&'static str> {
    Some(match name {
        "collect" | "partition" | "unzip" => {
            "a kernel cannot allocate: write to a slice or an array in a `for` loop"
        }
        "advance_by" | "array_chunks" | "next_chunk" | "map_windows" => {
            "use `nth` of an iterator in a variable; or `chunks_exact` and `windows` of a slice"
        }
        "fuse" => "leave out what ends it, and `break` out of a `for` loop",
        "peek" | "peek_mut" | "next_if" | "next_if_eq" => "make it `peekable()` first",
        "sum" | "product" => {
            "there is a sum of numbers, of options and results of those, and of types with `#[device] impl Sum` of such items: use `fold`"
        }
        "rposition" | "rfind" | "rfold" => "reverse it first: `.rev()`",
        "contains" | "is_empty" => "only ranges have it: use `any`",
        _ => return None,
    })
}

/// Returns the message for a consumer that leaves a named iterator partly consumed.
pub(crate) fn partial_consumer(name: &str) -> Advice {
    (
        format!("kernel code cannot go on with an iterator where `{name}` left it"),
        "take from its front; or make the iterator where it is used: `x.iter()`",
    )
}
