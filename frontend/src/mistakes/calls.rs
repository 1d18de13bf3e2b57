//! Calls of Warpwise's functions in the form of their counterparts in CUDA C++: a mask in front, a
//! width at the end, or an argument that is a constant here.
use crate::{
    mistakes::{operands::call_of_atomic, path_text},
    syntax::spell::print_tokens,
};
use quote::ToTokens;
use syn::{
    BinOp, Expr, ExprCall, ExprIndex, ExprLit, ExprPath, GenericArgument, Lit, Path, PathArguments,
    Type,
};

/// The longest argument that a message repeats, in bytes.
const MAX_SHOWN_BYTES: usize = 24;

/// The functions of `warp` that have a `_mask` form, with the number of their arguments.
const WITH_MASK_FORM: [(&str, usize); 21] = [
    ("all", 1),
    ("any", 1),
    ("ballot", 1),
    ("exclusive_scan", 3),
    ("exclusive_sum", 1),
    ("inclusive_scan", 2),
    ("inclusive_sum", 1),
    ("match_all", 1),
    ("match_all_lanes", 1),
    ("match_any", 1),
    ("reduce", 2),
    ("reduce_add", 1),
    ("reduce_and", 1),
    ("reduce_max", 1),
    ("reduce_min", 1),
    ("reduce_or", 1),
    ("reduce_xor", 1),
    ("shfl", 2),
    ("shfl_down", 2),
    ("shfl_up", 2),
    ("shfl_xor", 2),
];

/// The types of the elements of factors.
const FACTORS: [&str; 6] = ["Tf32", "bf16", "f16", "f64", "i8", "u8"];

/// Returns fact and help for a call of a function by path, if its form is a mistake.
/// `is_float_atomic` is true for the name of atomics that are floats.
pub(super) fn wrong_form(
    path: &Path,
    call: &ExprCall,
    is_float_atomic: impl Fn(&str) -> bool,
) -> Option<(String, String)> {
    let names: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
    let args: Vec<&Expr> = call.args.iter().collect();
    let has_constants = path
        .segments
        .last()
        .is_some_and(|last| matches!(last.arguments, PathArguments::AngleBracketed(_)));
    match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [
            ..,
            module @ ("warp" | "block"),
            name @ ("add" | "sum" | "reduce_sum" | "max" | "min"),
        ] => {
            let reduction = match name {
                "max" => "reduce_max",
                "min" => "reduce_min",
                _ => "reduce_add",
            };
            Some((
                format!("there is no `{module}::{name}`"),
                format!("write `{module}::{reduction}({})`", show_all(&args)),
            ))
        }
        ["barrier", "sync" | "wait" | "arrive"] | ["Barrier", "new"] => Some((
            format!("there is no `{}`", names.join("::")),
            "write `sync_threads()`, or `named_barrier::sync::<1, 64>()` for some warps of a block"
                .to_owned(),
        )),
        ["sync_grid" | "grid_sync" | "sync_all_blocks"] => Some((
            format!("there is no `{}`", names.join("::")),
            "write `grid::sync()`, in a `#[kernel(cooperative)]`".to_owned(),
        )),
        [name @ ("sync_block" | "block_sync" | "sync_group")] => {
            Some((format!("there is no `{name}`"), "write `sync_threads()`".to_owned()))
        }
        [name] if let Some(function) = index_function(name) => {
            Some((format!("there is no `{name}`"), format!("write `{function}()`")))
        }
        [name @ ("ceil_div" | "cdiv" | "div_ceil" | "div_up")] if let [number, by] = args[..] => {
            let number = match number {
                Expr::Binary(_) | Expr::Unary(_) | Expr::Cast(_) => format!("({})", show(number)),
                number => show(number),
            };
            Some((
                format!("there is no `{name}`"),
                format!("write `{number}.div_ceil({})`", show(by)),
            ))
        }
        [.., "warp", "size"] => Some((
            "there is no `warp::size`".to_owned(),
            "write `32`: a warp has 32 lanes".to_owned(),
        )),
        ["shared_array" | "SharedArray" | "alloc_shared"] | ["Shared" | "SharedArray", "new"] => {
            Some((
                format!("there is no `{}`", names.join("::")),
                "write `let tile = shared!([f32; 256]);`, with your type and length".to_owned(),
            ))
        }
        ["atomic", operation] => atomic_method(operation, &args, is_float_atomic),
        [function] if let Some(operation) = function.strip_prefix("atomic_") => {
            atomic_method(operation, &args, is_float_atomic)
        }
        // CubeCL has `f32::cast_from(i)`.
        [ty] | [ty, "cast_from"]
            if let [arg] = args[..]
                && let Some(number) = number_type(ty) =>
        {
            let shown = match arg {
                Expr::Binary(_) | Expr::Unary(_) | Expr::Cast(_) => format!("({})", show(arg)),
                arg => show(arg),
            };
            // Rust casts no `bool` to a float.
            let steps = if is_condition(arg) && number.starts_with('f') { "i32 as " } else { "" };
            Some((
                format!("`{}` is no function: numbers are converted by `as`", names.join("::")),
                format!("write `{shown} as {steps}{number}`"),
            ))
        }
        [.., "warp", name] => {
            collective_with_mask(name, &args).or_else(|| shuffle_with_width(name, &args))
        }
        [.., "async_copy", "wait"] if !has_constants && !args.is_empty() => {
            Some(unwaited_groups(&args))
        }
        [.., "named_barrier", name @ ("arrive" | "sync")] if !has_constants && !args.is_empty() => {
            let [id, threads] =
                [(0, "1"), (1, "64")].map(|(number, otherwise)| constant(&args, number, otherwise));
            Some((
                "the number of a named barrier, 1 to 15, and the number of threads that arrive are \
                 constants"
                    .to_owned(),
                format!("write `named_barrier::{name}::<{id}, {threads}>()`"),
            ))
        }
        [.., "MBarrier", "init" | "new"] => Some((
            "an mbarrier is in shared memory, and is initialized when the block starts".to_owned(),
            format!(
                "write `let barrier = shared!(MBarrier<{}>);`, with the number of threads that arrive",
                constant(&args, 0, "64")
            ),
        )),
        [.., "mma", factor @ ("A" | "B"), _] => {
            wrong_factor(factor, &path.segments[names.len() - 2].arguments)
        }
        _ => None,
    }
}

/// Returns the index that a function of this name has in other languages.
fn index_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "global_thread_id" | "global_id" | "global_index" | "get_global_index" => "global_idx_x",
        "thread_id" | "thread_index" | "local_id" | "local_idx" => "thread_idx_x",
        "block_id" | "block_index" | "group_id" | "workgroup_id" => "block_idx_x",
        _ => return None,
    })
}

/// Returns the number that a type of Rust or C stands for, if `as` converts to it.
fn number_type(name: &str) -> Option<&str> {
    Some(match name {
        "float" => "f32",
        "double" => "f64",
        "int" => "i32",
        "uint" => "u32",
        name => crate::types::Prim::from_name(name)
            .filter(|number| !number.is_half() && number.name() != "bool")
            .map(|_| name)?,
    })
}

/// Returns true for an expression whose form shows that it is a `bool`.
pub(super) fn is_condition(expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inside) => is_condition(&inside.expr),
        Expr::Unary(unary) => is_condition(&unary.expr),
        Expr::Binary(binary) => matches!(
            binary.op,
            BinOp::Lt(_)
                | BinOp::Le(_)
                | BinOp::Gt(_)
                | BinOp::Ge(_)
                | BinOp::Eq(_)
                | BinOp::Ne(_)
                | BinOp::And(_)
                | BinOp::Or(_)
        ),
        Expr::Lit(ExprLit { lit: Lit::Bool(_), .. }) => true,
        _ => false,
    }
}

/// Returns the message for an operation on an atomic as a function, `atomic::add(&a[i], v)`.
fn atomic_method(
    operation: &str,
    args: &[&Expr],
    is_float_atomic: impl Fn(&str) -> bool,
) -> Option<(String, String)> {
    let (place, rest) = args.split_first()?;
    let place = match place {
        Expr::Reference(reference) => &*reference.expr,
        place => place,
    };
    let of_floats = match place {
        Expr::Index(ExprIndex { expr, .. }) => &**expr,
        place => place,
    };
    let is_float = rest.iter().any(|arg| is_float_literal(arg))
        || matches!(of_floats, Expr::Path(name) if is_float_atomic(&path_text(&name.path)));
    let code = call_of_atomic(place, operation, rest.iter().copied(), is_float)?;
    let ty = if is_float { "AtomicF32" } else { "AtomicU32" };
    Some((
        "operations on atomics are their methods".to_owned(),
        format!("write `{code}`, where a parameter is atomics, `a: &[{ty}]`"),
    ))
}

/// Returns the message for `warp::shfl_down(mask, v, 1)` and its relatives.
fn collective_with_mask(name: &str, args: &[&Expr]) -> Option<(String, String)> {
    let (_, taken) = WITH_MASK_FORM.iter().find(|(known, _)| *known == name)?;
    let [mask, rest @ ..] = args else { return None };
    if rest.len() != *taken || !is_mask(mask) {
        return None;
    }
    let (rest, mask) = (show_all(rest), show(mask));
    Some((
        format!("`warp::{name}` takes no mask: it is for all lanes of the warp"),
        format!(
            "write `warp::{name}({rest})`, or `warp::{name}_mask({mask}, {rest})` for the lanes of a \
             mask"
        ),
    ))
}

/// Returns the message for a shuffle whose last argument is a width, with or without a mask.
fn shuffle_with_width(name: &str, args: &[&Expr]) -> Option<(String, String)> {
    if !matches!(name, "shfl" | "shfl_down" | "shfl_up" | "shfl_xor") {
        return None;
    }
    let (mask, rest) = match args {
        [mask, rest @ ..] if is_mask(mask) => (Some(show(mask)), rest),
        rest => (None, rest),
    };
    let [value, lane, width] = rest else { return None };
    let width = integer(width)?;
    let (form, first) = mask.map_or(("", String::new()), |mask| ("_mask", mask + ", "));
    let plain = format!("warp::{name}{form}({first}{}, {})", show(value), show(lane));
    let help = match width.as_str() {
        "32" => format!("write `{plain}`: a warp has 32 lanes"),
        _ => format!(
            "write `warp::{name}{form}_width::<{width}, _>({first}{}, {})`",
            show(value),
            show(lane)
        ),
    };
    Some((format!("`warp::{name}` takes no width: groups of lanes have another function"), help))
}

/// Returns true for an argument that looks like a mask of lanes.
fn is_mask(arg: &Expr) -> bool {
    match arg {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            number.base10_parse::<u64>().is_ok_and(|value| value > 31)
        }
        Expr::Unary(unary) => is_mask(&unary.expr) || integer(&unary.expr).is_some(),
        Expr::Path(ExprPath { path, .. }) => {
            let name = path.segments.last().map(|last| last.ident.to_string().to_lowercase());
            name.is_some_and(|name| name.contains("mask") || name == "max")
        }
        Expr::Call(call) => is_mask(&call.func),
        _ => false,
    }
}

/// Returns the message for `async_copy::wait(1)`.
fn unwaited_groups(args: &[&Expr]) -> (String, String) {
    let groups = constant(args, 0, "1");
    (
        "`async_copy::wait` does not say how many groups of copies may be pending".to_owned(),
        format!(
            "write the number of groups as a constant, `async_copy::wait::<{groups}>()`, or wait for \
             all of them: `async_copy::wait_all()`"
        ),
    )
}

/// Returns the message for `mma::A::<f32, 16, 8>`.
fn wrong_factor(name: &str, arguments: &PathArguments) -> Option<(String, String)> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    let Some(GenericArgument::Type(Type::Path(path))) = arguments.args.first() else { return None };
    let element = path.path.get_ident()?.to_string();
    let is_number = crate::types::Prim::from_name(&element).is_some();
    if !is_number || FACTORS.contains(&element.as_str()) {
        return None;
    }
    let instead = match element.as_str() {
        "f32" => "mma::Tf32",
        "bool" | "u16" | "u32" | "u64" | "usize" => "u8",
        _ => "i8",
    };
    let loaded = match element.as_str() {
        "f32" => ", which is loaded from `f32`s",
        _ => "",
    };
    Some((
        format!(
            "`{element}` is no type of factors: tensor cores multiply `f16`, `bf16`, `f64`, `i8`, \
             `u8`, and `Tf32`, `E4M3`, `E5M2`, `I4` and `U4` of `warpwise::mma`"
        ),
        format!("write `mma::{name}::<{instead}, ..>`{loaded}"),
    ))
}

/// Returns an argument as the text of a constant, or `otherwise` if it is none.
fn constant(args: &[&Expr], number: usize, otherwise: &str) -> String {
    args.get(number).and_then(|arg| integer(arg)).unwrap_or_else(|| otherwise.to_owned())
}

/// Returns the digits of an integer literal.
fn integer(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => Some(number.base10_digits().to_owned()),
        _ => None,
    }
}

/// Returns true for a literal of a float, with or without a sign.
fn is_float_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(unary) => is_float_literal(&unary.expr),
        Expr::Lit(ExprLit { lit: Lit::Float(_), .. }) => true,
        _ => false,
    }
}

fn show(arg: &Expr) -> String {
    let text = print_tokens(arg.to_token_stream());
    if text.len() > MAX_SHOWN_BYTES { "..".to_owned() } else { text }
}

fn show_all(args: &[&Expr]) -> String {
    args.iter().map(|arg| show(arg)).collect::<Vec<_>>().join(", ")
}
