//! `ptx`: the unoptimized kernel as PTX for the oldest target, or for the target of the option
//! (`; with sm_90`).
use super::{Case, CaseError, Outcome};
use warpwise_compiler::{back::ptx, target::Target};

pub(super) fn run(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let target = match case.options.as_slice() {
        [] => Target::OLDEST,
        [option] => target(option)?,
        [_, ..] => return Err(CaseError("there is one option, the target".into())),
    };
    Ok(Outcome::below(match ptx::emit(&case.kernel()?, target) {
        Ok(ptx) => ptx,
        Err(error) => format!("error: {error}"),
    }))
}

fn target(option: &str) -> Result<Target, CaseError> {
    let sm = option.strip_prefix("sm_").and_then(|sm| sm.parse().ok());
    sm.map(Target::new).ok_or_else(|| CaseError(format!("`{option}` is no target such as `sm_90`")))
}
