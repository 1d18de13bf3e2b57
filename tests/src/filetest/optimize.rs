//! `optimize`: the kernel as the back ends get it.
use super::{Case, CaseError, Outcome};
use warpwise_compiler::{optimize::optimize_for_gpu, verify::verify};

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let kernel = optimize_for_gpu(case.kernel()?);
    verify(&kernel).map_err(|errors| CaseError(format!("made malformed: {errors}\n{kernel}")))?;
    Ok(Outcome::below(kernel.to_string()))
}
