//! Branches of the kernels of `arms`, as the interpreter counts them, compared with those of an
//! H200.
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use warpwise_compiler::{compile::optimized, ir::Kernel};
use warpwise_corpus::{arms, run};

const ROWS: &str = include_str!("../../hardware/h200_branches.csv");

/// A kernel with three nested arms, which `ptxas` predicates and the interpreter counts as
/// branches.
const COUNTED_TOO_OFTEN: &str = "nested_three_deep";

/// Compares all rows: the divergent branches of the built-in back end's PTX are the counted ones.
/// LLVM merges arms, so its PTX may have fewer.
pub(crate) fn compare() -> Result<(), Failed> {
    let counted: BTreeMap<&str, u64> =
        arms::KERNELS.iter().map(|source| count(source.name, source.ir)).collect();
    let mut wrong = Vec::new();
    for row in ROWS.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let [back_end, kernel, _, measured] = cells[..] else { return Err(row.into()) };
        let (counted, measured) = (counted[kernel], measured.parse::<u64>()?);
        let is_right = match back_end {
            _ if kernel == COUNTED_TOO_OFTEN => measured < counted,
            "llvm" => measured <= counted,
            _ => measured == counted,
        };
        if !is_right {
            wrong.push(format!("{row}: {counted} counted"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn count(name: &'static str, ir: &str) -> (&'static str, u64) {
    let kernel: Kernel = ir.parse().expect("the macro has made it");
    let kernel = optimized(kernel).expect("it is closed");
    let counters = run::count(&kernel).expect("it does not fault");
    (name, counters.total().divergent_branches)
}
