//! `specialize`: the kernel with its generic parameters bound to the options, in order
//! (`; with f32 8`), or the reason why they do not fit.
use super::{Case, CaseError, Outcome};
use warpwise_compiler::{
    ir::Scalar,
    specialize::{Binding, specialize},
    verify::verify,
};

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let bindings =
        case.options.iter().map(|option| binding(option)).collect::<Result<Vec<_>, _>>()?;
    let kernel = case.kernel()?;
    Ok(Outcome::below(match specialize(&kernel, &bindings) {
        Ok(kernel) => {
            verify(&kernel).map_err(|errors| CaseError(format!("made malformed: {errors}")))?;
            kernel.to_string()
        }
        Err(error) => format!("error: {error}"),
    }))
}

/// Parses a type, or a constant's bits.
fn binding(option: &str) -> Result<Binding, CaseError> {
    let ty = Scalar::CONCRETE.into_iter().find(|scalar| scalar.name() == Some(option));
    match (ty, option.parse()) {
        (Some(ty), _) => Ok(Binding::Type(ty)),
        (None, Ok(bits)) => Ok(Binding::Const(bits)),
        (None, Err(_)) => Err(CaseError(format!("`{option}` is no type and no constant"))),
    }
}
