//! `parse`: the kernel in printed form, or the reason why the text is not a kernel. The printed
//! form must parse to the same kernel.
use super::{Case, CaseError, Outcome};
use warpwise_compiler::ir::Kernel;

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let kernel: Kernel = match case.text.parse() {
        Ok(kernel) => kernel,
        Err(error) => return Ok(Outcome::below(format!("error: {error}"))),
    };
    let printed = kernel.to_string();
    if printed.parse().as_ref() != Ok(&kernel) {
        return Err(CaseError(format!("does not parse to what was printed:\n{printed}")));
    }
    Ok(Outcome::below(printed))
}
