//! The files of `filetests/`: kernels with the LLVM IR that [`lower`] writes for them and their
//! oldest target, in the format of `tests/filetests` (`docs/ir.md`). `BLESS=1` rewrites what is
//! expected.
use std::path::Path;
use warpwise_compiler::back::ptx;
use warpwise_llvm::lower;
use warpwise_tests::filetest::{Case, CaseError, Outcome, run_folder};

fn lowered(case: &Case<'_>) -> Result<Outcome, CaseError> {
    let kernel = case.kernel()?;
    Ok(Outcome::below(match lower(&kernel, ptx::oldest(&kernel)) {
        Ok(text) => text,
        Err(error) => format!("error: {error}"),
    }))
}

#[test]
fn llvm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    if let Err(failures) = run_folder(&folder, "llvm", lowered) {
        panic!("{failures}");
    }
}
