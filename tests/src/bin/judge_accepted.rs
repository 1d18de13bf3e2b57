//! Counts the errors that rustc reports for kernels with mistakes that the macros accept.
//!
//! ```text
//! WARPWISE_MUTATED=2000 WARPWISE_MUTATED_ACCEPTED=/tmp/accepted cargo test --release -p warpwise-frontend mutated
//! cargo run -p warpwise-tests --bin judge_accepted -- /tmp/accepted
//! ```
//!
//! rustc also compiles the function as written, so code that it rejects never runs. The table shows
//! which of its errors the macros leave to it: errors of borrows, moves and initialization are
//! intended, others need a look. Kernels that do not compile alone before the mistake, because
//! their module lacks something, are left out.
use std::{collections::BTreeMap, env, error::Error, fs, path::PathBuf};
use warpwise_tests::random_rust::batch::Toolchain;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("which folder?")?;
    let toolchain = Toolchain::new(false)?;
    let (mut judged, mut left_out, mut rejected) = (0, 0, 0);
    let mut codes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for kernel in fs::read_dir(folder)? {
        let kernel = kernel?.path();
        let mut cases: Vec<PathBuf> =
            fs::read_dir(&kernel)?.map(|file| Ok(file?.path())).collect::<std::io::Result<_>>()?;
        cases.retain(|file| {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("seed") && name.ends_with(".rs")
        });
        if toolchain.judge(&kernel.join("plain.rs"))?.is_some() {
            left_out += cases.len();
            continue;
        }
        for case in cases {
            judged += 1;
            let Some(said) = toolchain.judge(&case)? else { continue };
            rejected += 1;
            for code in codes_in(&said) {
                let said = said.lines().find(|line| line.contains(&code)).unwrap_or_default();
                codes.entry(code).or_default().push(format!("{}: {said}", case.display()));
            }
        }
    }
    println!("{judged} judged, {rejected} rejected, {left_out} left out");
    for (code, cases) in codes {
        println!("{code}: {} cases", cases.len());
        cases.iter().take(3).for_each(|case| println!("    {case}"));
    }
    Ok(())
}

/// Returns the codes of the errors in rustc's output, each once.
fn codes_in(said: &str) -> Vec<String> {
    let errors = said.lines().filter_map(|line| line.split_once(": error"));
    let code = |rest: &str| match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((code, _)) => code.to_owned(),
        None => "error: ".to_owned(),
    };
    let mut codes: Vec<String> = errors.map(|(_, rest)| code(rest)).collect();
    codes.sort();
    codes.dedup();
    codes
}
