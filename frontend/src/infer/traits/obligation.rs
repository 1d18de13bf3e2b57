//! Obligations: conditions on types that are checked once the types are known.
use crate::{
    infer::call::reject,
    syntax::{error::Errors, span::SpanRange},
    types::{Len, Prim, Ty, Type, Types},
};
use warpwise_compiler::{ir::BinaryOp, message::Style};

/// A condition on types.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Obligation {
    /// The operator is defined on the type.
    Operator(BinaryOp, Ty),
    /// The first type can be shifted by the second.
    Shift(Ty, Ty),
    /// `-` is defined on the type.
    Negated(Ty),
    /// `!` is defined on the type.
    Inverted(Ty),
    /// Comparisons are defined on the type.
    Compared(Ty),
    /// The first can be cast to the second.
    Cast(Ty, Ty),
    /// A range can count over the type.
    Range(Ty),
    /// A variable can have the type.
    Bound(Ty),
    /// Branches can yield the type.
    Merged(Ty),
    /// The type can be assigned.
    Assigned(Ty),
    /// A device function can return the type.
    Returned(Ty),
    /// Arrays can hold the type.
    Element(Ty),
    /// A block can share the type.
    Shared(Ty),
    /// The type is known, as a type argument must be.
    TypeArg(Ty),
    /// The type can be shuffled.
    Shuffled(Ty),
    /// The type can be printed in this style.
    Printed(Ty, Style),
    /// The type can be reduced over a warp, bitwise or not.
    Reduced(Ty, bool),
    /// A constant argument is known.
    ConstArg(Len),
    /// The first can be converted to the second without loss.
    From(Ty, Ty),
    /// `try_from` converts the first, an integer, to the second.
    TryFrom(Ty, Ty),
}

impl Obligation {
    /// Reports the obligation if it does not hold.
    pub(crate) fn check(self, at: SpanRange, types: &Types, errors: &mut Errors) {
        // Type parameters are left to rustc, and reported types cause no second error.
        match self {
            Self::Operator(op, ty) => {
                let holds = match types.get(ty) {
                    Type::Prim(Prim::Bool) => is_bitwise(op),
                    Type::Prim(prim) if prim.is_float() => !is_bitwise(op),
                    Type::Prim(_) | Type::Generic(_) | Type::Reported(_) => true,
                    _ => false,
                };
                report_undefined(holds, at, ty, types, errors);
            }
            Self::Shift(lhs, rhs) => {
                report_undefined(is_int(types, lhs), at, lhs, types, errors);
                report_undefined(is_int(types, rhs), at, rhs, types, errors);
            }
            Self::Negated(ty) => {
                let holds = match types.get(ty) {
                    Type::Prim(prim) => prim.is_float() || prim.scalar().is_signed(),
                    Type::Generic(_) | Type::Reported(_) => true,
                    _ => false,
                };
                report_undefined(holds, at, ty, types, errors);
            }
            Self::Inverted(ty) => {
                let holds = is_int(types, ty) || types.get(ty) == Type::Prim(Prim::Bool);
                report_undefined(holds, at, ty, types, errors);
            }
            Self::Compared(ty) if let Type::Pointer(_) = types.get(ty) => {
                errors.advise(
                    at,
                    "kernel code cannot compare function pointers",
                    "compare numbers that say which function it is",
                );
            }
            Self::Compared(ty) => report_undefined(is_scalar(types, ty), at, ty, types, errors),
            Self::Range(ty) => report_undefined(is_countable(types, ty), at, ty, types, errors),
            Self::Cast(from, _) if let Type::Pointer(_) = types.get(from) => {
                errors.advise(
                    at,
                    "functions have no addresses in kernel code",
                    "use numbers that say which function it is",
                );
            }
            Self::Cast(from, to) => check_cast(at, from, to, types, errors),
            Self::Bound(ty) => {
                if let Type::Slice(_) = types.get(ty) {
                    errors.advise_unless_rustc(
                        at,
                        format_args!("kernel code cannot copy a `{}`", types.show(ty)),
                        "refer to it with `&` or `&mut`",
                    );
                } else if !has_lengths(types, ty) {
                    errors.mistyped(at, "the length of an array is not known");
                }
            }
            Self::Merged(ty) => {
                if !is_assignable(types, ty) {
                    errors.advise(
                        at,
                        "kernel code cannot choose between closures at run time",
                        "choose between values, or call a closure in each branch",
                    );
                }
            }
            Self::Assigned(ty) => {
                if let Type::Slice(_) = types.get(ty) {
                    errors.advise_unless_rustc(
                        at,
                        format_args!("kernel code cannot move a `{}`", types.show(ty)),
                        "swap references, `std::mem::swap(&mut from, &mut to)`, or elements: `a.swap(i, j)`",
                    );
                } else if !is_assignable(types, ty) {
                    errors.advise(
                        at,
                        "kernel code cannot assign closures",
                        "declare another variable with `let`",
                    );
                }
            }
            Self::Returned(ty) => {
                if let Type::Slice(_) | Type::Closure(_) = types.get(ty) {
                    errors.advise(
                        at,
                        "a device function cannot return closures",
                        "return a value, or take a closure and call it",
                    );
                }
            }
            Self::Element(ty) => {
                if !is_assignable(types, ty) {
                    errors.advise(
                        at,
                        format_args!("kernel code cannot have arrays of `{}`", types.show(ty)),
                        "arrays hold numbers, `bool`, references, and structs, tuples and arrays of those",
                    );
                }
            }
            Self::Shared(ty) => {
                if !has_lengths(types, ty) {
                    errors.mistyped(at, "the length of an array is not known");
                } else if !is_shareable(types, ty) {
                    errors.advise(
                        at,
                        "a block can only share numbers, atomics, and arrays, tuples, options, structs and enums of them",
                        "write for example `shared!([[f32; 33]; 32])`",
                    );
                }
            }
            Self::Printed(ty, style) => match types.get(ty) {
                Type::Prim(prim) if !style.formats().contains(prim.scalar()) => {
                    let (ty, style) = (prim.name(), style.suffix());
                    errors.mistyped(at, format_args!("`{ty}` cannot be printed by `{{:{style}}}`"));
                }
                Type::Prim(_)
                | Type::Generic(_)
                | Type::Never
                | Type::Unknown(_)
                | Type::Reported(_) => {}
                Type::Unit
                | Type::Tuple(_)
                | Type::Array(..)
                | Type::Adt(..)
                | Type::Ref { .. } => {
                    if !style.is_debug() {
                        let (ty, style) = (types.show(ty), style.suffix());
                        let fact = format!("`{ty}` cannot be printed by `{{:{style}}}`");
                        let fact = fact.replace("{:}", "{}");
                        // rustc knows an `impl Display`; kernel code has no text to write to.
                        match reject::host_blocks(at, "fmt", &ty)
                            .filter(|help| !help.contains("Debug for"))
                        {
                            Some(_) => errors.advise(
                                at,
                                format_args!("{fact}: kernel code knows derived `Debug` only"),
                                format_args!(
                                    "print it by `{{:?}}`, with `#[derive(Debug)]` on `{ty}`, or print its fields"
                                ),
                            ),
                            None => errors.mistyped(at, fact),
                        };
                    }
                }
                Type::Atomic(_) => {
                    errors.advise(
                        at,
                        format_args!(
                            "kernel code cannot print a value of type `{}`",
                            types.show(ty)
                        ),
                        "print what is in it: `count.load(Ordering::Relaxed)`",
                    );
                }
                Type::Same(_)
                | Type::Slice(_)
                | Type::Closure(_)
                | Type::Pointer(_)
                | Type::Iter(..) => {
                    errors.advise(
                        at,
                        format_args!(
                            "kernel code cannot print a value of type `{}`",
                            types.show(ty)
                        ),
                        "print its numbers and `bool`s one by one",
                    );
                }
            },
            Self::TypeArg(ty) => {
                if let Type::Unknown(_) = types.get(ty) {
                    errors.mistyped(at, "a type argument is not known");
                }
            }
            Self::Shuffled(ty) => {
                if !is_value(types, ty) {
                    errors.advise(
                        at,
                        format_args!("a value of type `{}` cannot be shuffled", types.show(ty)),
                        "shuffle numbers, `bool`, and small structs, tuples and arrays of them",
                    );
                }
            }
            Self::Reduced(ty, bitwise) => {
                let holds = match types.get(ty) {
                    Type::Prim(prim) => prim.is_int() || !bitwise && prim.is_float(),
                    Type::Generic(_) | Type::Reported(_) => true,
                    _ => false,
                };
                if !holds {
                    let fact = format_args!(
                        "a value of type `{}` cannot be reduced like this",
                        types.show(ty)
                    );
                    let help = "reduce integers, or, other than bit by bit, floats; `warp::reduce` takes a closure";
                    match types.get(ty) {
                        // It is no `Num` for rustc.
                        Type::Ref { .. } => errors.advise_unless_rustc(at, fact, help),
                        _ => errors.advise(at, fact, help),
                    };
                }
            }
            Self::ConstArg(len) => {
                if types.extent(len).is_none() && !types.is_reported_len(len) {
                    errors.mistyped(at, "a constant argument is not known");
                }
            }
            Self::TryFrom(from, to) => {
                let (Type::Prim(of), Type::Prim(into)) = (types.get(from), types.get(to)) else {
                    let (from, to) = (types.show(from), types.show(to));
                    let fact = format!("`{to}` cannot be made from `{from}` by `try_from`");
                    report_no_conversion(at, &fact, "try_from", ["TryFrom", &from, &to], errors);
                    return;
                };
                if !of.is_int() || !into.is_int() {
                    let (of, into) = (of.name(), into.name());
                    let fact = format!("`{into}` cannot be made from `{of}` by `try_from`");
                    errors.mistyped(at, fact);
                }
            }
            Self::From(from, to) => {
                if !is_scalar(types, from) || !is_scalar(types, to) {
                    let (from, to) = (types.show(from), types.show(to));
                    let fact = format!("`{to}` cannot be made from `{from}`");
                    report_no_conversion(at, &fact, "from", ["From", &from, &to], errors);
                }
            }
        }
    }
}

/// Reports that no `impl` of a trait converts between two types. rustc knows those of the host.
fn report_no_conversion(
    at: SpanRange,
    fact: &str,
    method: &str,
    [of_trait, from, to]: [&str; 3],
    errors: &mut Errors,
) {
    let is_meant = |help: &String| help.contains(&format!("{of_trait}<{from}>"));
    match reject::host_blocks(at, method, to).filter(is_meant) {
        Some(help) => errors.advise(at, fact, help),
        // The `impl` is in another file or made by a macro, or there is none.
        None => {
            let help = format!("put `#[device]` above its `impl {of_trait}<{from}>`");
            errors.advise_unless_rustc(at, fact, help)
        }
    };
}

fn report_undefined(holds: bool, at: SpanRange, ty: Ty, types: &Types, errors: &mut Errors) {
    if !holds && !types.is_reported(ty) {
        let ty = types.show(ty);
        errors.mistyped(at, format_args!("this is not defined on type `{ty}`"));
    }
}

const fn is_bitwise(op: BinaryOp) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => true,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => false,
    }
}

fn is_int(types: &Types, ty: Ty) -> bool {
    match types.get(ty) {
        Type::Prim(prim) => prim.is_int(),
        Type::Generic(_) | Type::Reported(_) => true,
        _ => false,
    }
}

/// Returns true for types that ranges count over. No bound of a type parameter grants that, so type
/// parameters are excluded.
fn is_countable(types: &Types, ty: Ty) -> bool {
    match types.get(ty) {
        Type::Prim(prim) => prim.is_int(),
        Type::Reported(_) => true,
        _ => false,
    }
}

fn is_scalar(types: &Types, ty: Ty) -> bool {
    matches!(types.get(ty), Type::Prim(_) | Type::Generic(_) | Type::Reported(_))
}

/// Returns true for a type without references and closures.
fn is_value(types: &Types, ty: Ty) -> bool {
    match types.get(ty) {
        Type::Tuple(list) | Type::Adt(_, list) | Type::Iter(_, list) => {
            types.parts(list).into_iter().all(|part| is_value(types, part))
        }
        Type::Array(elem, _) => is_value(types, elem),
        Type::Prim(_)
        | Type::Generic(_)
        | Type::Reported(_)
        | Type::Unit
        | Type::Never
        | Type::Unknown(_) => true,
        Type::Same(_)
        | Type::Ref { .. }
        | Type::Slice(_)
        | Type::Atomic(_)
        | Type::Closure(_)
        | Type::Pointer(_) => false,
    }
}

/// Returns true for a type without closures. Atomics are not assignable either; their uses report
/// that.
fn is_assignable(types: &Types, ty: Ty) -> bool {
    match types.get(ty) {
        Type::Ref { .. } | Type::Atomic(_) | Type::Pointer(_) => true,
        Type::Array(elem, _) => is_assignable(types, elem),
        Type::Tuple(list) | Type::Adt(_, list) | Type::Iter(_, list) => {
            types.parts(list).into_iter().all(|part| is_assignable(types, part))
        }
        _ => is_value(types, ty),
    }
}

/// Returns true if every length in the type is known, or was reported.
fn has_lengths(types: &Types, ty: Ty) -> bool {
    match types.get(ty) {
        Type::Array(elem, len) => {
            (types.extent(len).is_some() || types.is_reported_len(len)) && has_lengths(types, elem)
        }
        Type::Ref { to, .. } => has_lengths(types, to),
        Type::Slice(elem) => has_lengths(types, elem),
        _ => true,
    }
}

fn is_shareable(types: &Types, ty: Ty) -> bool {
    match types.get(ty) {
        Type::Prim(_) | Type::Generic(_) | Type::Atomic(..) | Type::Reported(_) => true,
        Type::Array(elem, _) => is_shareable(types, elem),
        Type::Tuple(list) | Type::Adt(_, list) => {
            types.parts(list).into_iter().all(|part| is_shareable(types, part))
        }
        _ => false,
    }
}

fn check_cast(at: SpanRange, from: Ty, to: Ty, types: &Types, errors: &mut Errors) {
    let holds = match (types.get(from), types.get(to)) {
        (Type::Reported(_), _) | (_, Type::Reported(_)) => true,
        (Type::Prim(from), Type::Prim(Prim::Bool)) => from == Prim::Bool,
        (Type::Prim(Prim::Bool), Type::Prim(to)) => to.is_int(),
        (Type::Prim(from), Type::Prim(to)) => from == to || !from.is_half() && !to.is_half(),
        (Type::Never, _) => true,
        // An enum without fields, which rustc checks.
        (Type::Adt(..), Type::Prim(to)) => to.is_int(),
        _ => false,
    };
    if !holds {
        let (from, to) = (types.show(from), types.show(to));
        errors.mistyped(at, format_args!("`{from}` cannot be cast to `{to}`"));
    }
}
