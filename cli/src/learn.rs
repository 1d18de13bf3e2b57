//! `cargo warpwise learn`: a package of exercises, with tests and solutions.
//!
//! A file of `learn/exercises` is both an exercise and its solution: the lines between
//! `// <solution>` and `// <exercise>` are in the solution only, those from there to `// <end>` in
//! the exercise only.
use crate::{
    args::Learn,
    error::CommandError,
    setup::{dependency, write_file},
};
use std::process::ExitCode;

/// Declares the table of exercises from their names.
macro_rules! exercises {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../learn/exercises/", $name, ".rs")))),*]
    };
}

/// The name and the text of each exercise.
const EXERCISES: [(&str, &str); 17] = exercises! {
    "e01_map" "e02_zip" "e03_guard" "e04_map_2d" "e05_broadcast" "e06_blocks" "e07_shared"
    "e08_pooling" "e09_dot_product" "e10_convolution" "e11_prefix_sum" "e12_axis_sum"
    "e13_matrix_product" "e14_coalescing" "e15_bank_conflicts" "e16_race" "e17_shuffle"
};

const MANIFEST: &str = include_str!("../learn/manifest.toml");

/// The other files of the package.
const FILES: [(&str, &str); 3] = [
    ("README.md", include_str!("../learn/README.md")),
    ("src/lib.rs", include_str!("../learn/lib.rs")),
    ("tests/exercises.rs", include_str!("../learn/tests.rs")),
];

/// Runs `cargo warpwise learn`.
pub(crate) fn create_exercises(command: &Learn) -> Result<ExitCode, CommandError> {
    let folder = &command.folder;
    if folder.exists() {
        return Err(CommandError::new(format!("{} exists already", folder.display()))
            .with_help("name a new folder, so that no solution of yours is overwritten"));
    }
    let manifest = MANIFEST.replace("DEPENDENCY\n", &dependency(command.path.as_deref())?);
    write_file(&folder.join("Cargo.toml"), &manifest)?;
    for (name, text) in FILES {
        write_file(&folder.join(name), text)?;
    }
    for (name, text) in EXERCISES {
        write_file(&folder.join(format!("src/{name}.rs")), &variant(text, Variant::Exercise))?;
        write_file(
            &folder.join(format!("solutions/{name}.rs")),
            &variant(text, Variant::Solution),
        )?;
    }
    println!(
        "created {0} with {1} exercises; next:\n  cd {0}\n  cargo test e01        # fails until `src/e01_map.rs` is solved\n  cargo warpwise lint   # hints",
        folder.display(),
        EXERCISES.len()
    );
    Ok(ExitCode::SUCCESS)
}

/// One of the two files that a text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Solution,
    Exercise,
}

/// Returns the lines of `text` that a variant has.
fn variant(text: &str, wanted: Variant) -> String {
    let mut only = None;
    let mut lines = String::new();
    for line in text.lines() {
        match line.trim_start() {
            "// <solution>" => only = Some(Variant::Solution),
            "// <exercise>" => only = Some(Variant::Exercise),
            "// <end>" => only = None,
            _ if only.is_none_or(|only| only == wanted) => {
                lines.push_str(line);
                lines.push('\n');
            }
            _ => {}
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_an_exercise_and_its_solution() {
        let text = "a\n    // <solution>\n    b\n    // <exercise>\n    c\n    // <end>\nd\n";
        assert_eq!(variant(text, Variant::Solution), "a\n    b\nd\n");
        assert_eq!(variant(text, Variant::Exercise), "a\n    c\nd\n");
    }

    #[test]
    fn every_exercise_is_a_module_with_a_test() {
        for (name, text) in EXERCISES {
            let [_, (_, library), (_, tests)] = FILES;
            assert!(library.contains(&format!("pub mod {name};")), "{name}");
            assert!(tests.contains(&format!("\"src/{name}.rs\"")), "{name}");
            assert!(text.starts_with("//! "), "{name}");
            assert_ne!(
                variant(text, Variant::Exercise),
                variant(text, Variant::Solution),
                "{name}"
            );
        }
    }
}
