//! `optimize`: the kernel as the back ends get it for large launches, with coarsened threads where
//! coarsening pays.
use super::{Case, CaseError, Outcome};
use warpwise_compiler::{optimize::optimize_and_coarsen, verify::verify};

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let kernels = optimize_and_coarsen(case.kernel()?);
    let kernel = kernels.coarsened.unwrap_or(kernels.plain);
    verify(&kernel).map_err(|errors| CaseError(format!("made malformed: {errors}\n{kernel}")))?;
    Ok(Outcome::below(kernel.to_string()))
}
