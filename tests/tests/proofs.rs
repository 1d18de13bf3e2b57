//! Proofs that checks cannot fail, in typical kernels.
//!
//! Every check in `tests/proofs` is proved, except on lines that end in `//~ stays`: there some
//! launch that fulfils the requirements fails, so that a proof would be wrong.
#![expect(clippy::all, reason = "guards stand in every spelling that users write")]
use std::{collections::BTreeSet, fs, path::Path};
use warpwise::__private::Source;
use warpwise_compiler::{
    checks::{self, Outcome},
    id::Id,
    ir::Kernel,
};

/// Lists the kernels of a module.
macro_rules! kernels {
    ($($kernel:ident),* $(,)?) => {
        pub(crate) const KERNELS: &[&::warpwise::__private::Source] =
            &[$($kernel::__WARPWISE_SOURCE),*];
    };
}
pub(crate) use kernels;

#[path = "../proofs/stencils.rs"]
mod stencils;
#[path = "../proofs/threads.rs"]
mod threads;
#[path = "../proofs/tiles.rs"]
mod tiles;

const FILES: [(&str, &[&Source]); 3] = [
    ("stencils.rs", stencils::KERNELS),
    ("threads.rs", threads::KERNELS),
    ("tiles.rs", tiles::KERNELS),
];

#[test]
fn checks_stay_where_they_can_fail_and_nowhere_else() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs");
    let mut wrong = Vec::new();
    for (file, kernels) in FILES {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let labelled: BTreeSet<u32> = (text.lines().zip(1..))
            .filter(|(line, _)| line.ends_with("//~ stays"))
            .map(|(_, number)| number)
            .collect();
        let mut staying = BTreeSet::new();
        for source in kernels {
            let kernel: Kernel = source.ir.parse().unwrap();
            for place in checks::check_sites(&kernel) {
                if let Outcome::Stays(why) = place.outcome {
                    let line = source.place(place.span.index()).line;
                    if !labelled.contains(&line) {
                        wrong.push(format!(
                            "{file}:{line}: `{}`: {}; {}",
                            source.name, why.message, why.help
                        ));
                    }
                    staying.insert(line);
                }
            }
        }
        for line in labelled.difference(&staying) {
            wrong.push(format!("{file}:{line}: a check that can fail is proved"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
}
