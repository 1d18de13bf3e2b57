//! Rules on messages.
use super::{Errors, signature::scalar_error};
use crate::{
    ir::{Bound, GenericKind, Kernel, Message, Scalar},
    message::{ArgumentRef, Choice, Count, Format, Formats, MAX_VALUES, Piece, Placeholder},
};

pub(super) fn check(kernel: &Kernel, errors: &mut Errors<'_>) {
    for (id, message) in kernel.messages.iter() {
        if let Some(wrong) = wrong_with(kernel, message) {
            errors.signature(format!("{id}: {wrong}"));
        }
    }
}

/// Returns the problem of a message, if it has one.
fn wrong_with(kernel: &Kernel, Message { text, args }: &Message) -> Option<String> {
    if args.len() > MAX_VALUES {
        return Some(format!("{} values are more than {MAX_VALUES}", args.len()));
    }
    if let Some(wrong) = args.iter().find_map(|scalar| scalar_error(kernel, *scalar)) {
        return Some(wrong);
    }
    let format: Format = match text.parse() {
        Ok(format) => format,
        Err(error) => return Some(error.to_string()),
    };
    let value = |which: &ArgumentRef| match which {
        ArgumentRef::Index(index) => {
            args.get(*index).copied().ok_or(format!("there is no value {index}"))
        }
        ArgumentRef::Next | ArgumentRef::Name(_) => {
            Err(format!("`{which}` is no number of a value"))
        }
    };
    let count = |count: &Count| -> Result<(), String> {
        match count {
            Count::Unset | Count::Number(_) => Ok(()),
            Count::Star => Err("`*` is no number of a value".into()),
            Count::Value(which) => match value(which)? {
                Scalar::U64 => Ok(()),
                other => Err(format!("a width is `{other}` and must be `u64`")),
            },
        }
    };
    let wrong = |placeholder: &Placeholder| -> Result<(), String> {
        let Placeholder { arg, width, precision, style, .. } = placeholder;
        count(width)?;
        count(precision)?;
        let scalar = value(arg)?;
        if formats(kernel, style.formats(), scalar) {
            Ok(())
        } else {
            Err(format!("`{scalar}` has no format `{}`", style.suffix()))
        }
    };
    wrong_in(&format, &wrong, &|choice: &Choice| match args.get(choice.arg) {
        Some(scalar) if scalar.is_int() || *scalar == Scalar::Bool => None,
        Some(scalar) => Some(format!("a `{scalar}` chooses nothing")),
        None => Some(format!("there is no value {}", choice.arg)),
    })
}

/// Returns the problem of a placeholder or a choice, at any depth.
fn wrong_in(
    format: &Format,
    value: &impl Fn(&Placeholder) -> Result<(), String>,
    choice: &impl Fn(&Choice) -> Option<String>,
) -> Option<String> {
    format.pieces.iter().find_map(|piece| match piece {
        Piece::Text(_) => None,
        Piece::Value(placeholder) => value(placeholder).err(),
        Piece::Choice(chosen) => choice(chosen)
            .or_else(|| chosen.cases.iter().find_map(|(_, case)| wrong_in(case, value, choice))),
    })
}

/// Returns true if every type that `scalar` may be can be formatted so.
fn formats(kernel: &Kernel, formats: Formats, scalar: Scalar) -> bool {
    let Scalar::Generic(id) = scalar else { return formats.contains(scalar) };
    match kernel.generics.get(id).map(|generic| generic.kind) {
        Some(GenericKind::Type(Bound::Int)) => true,
        Some(GenericKind::Type(Bound::Num | Bound::Float)) => formats != Formats::Integers,
        Some(GenericKind::Const(_)) | None => false,
    }
}
