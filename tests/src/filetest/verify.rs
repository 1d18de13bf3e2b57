//! `verify`: every error, behind its instruction; errors of the signature are below the kernel.
use super::{Case, CaseError, Outcome};
use warpwise_compiler::{
    ir::Kernel,
    verify::{VerifyError, VerifyErrors, verify},
};

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let kernel: Kernel = case.text.parse()?;
    let VerifyErrors(errors) = verify(&kernel).err().unwrap_or(VerifyErrors(Vec::new()));
    let mut behind = Vec::new();
    let mut below = String::new();
    for VerifyError { inst, message, text: _ } in errors {
        match inst {
            Some(inst) => behind.push((inst, format!("error: {message}"))),
            None => below += &format!("error: {message}\n"),
        }
    }
    Ok(Outcome { behind: Some(behind), below })
}
