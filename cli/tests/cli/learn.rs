//! The package of exercises: unsolved tests fail with an understandable message, and solved ones
//! pass without a warning.
use crate::fixture::Fixture;
use std::{
    env, fs,
    path::Path,
    process::{Command, Output},
};

/// Runs `cargo test` in a package; returns true if it succeeds, and its output.
fn test(package: &Path, target: &str) -> (bool, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--test", "exercises"])
        .current_dir(package)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.success(), text(&stdout) + &text(&stderr))
}

#[test]
fn exercises_fail_until_they_are_solved() {
    let fixture = Fixture::get();
    let folder = fixture.root.parent().unwrap().join("learn");
    let _ = fs::remove_dir_all(&folder);
    let line =
        format!("learn {} --path {}/../runtime", folder.display(), env!("CARGO_MANIFEST_DIR"));
    let created = fixture.run(&line).assert_exit(0);
    assert!(created.stdout.contains("17 exercises"), "{created:#?}");
    let again = fixture.run(&line).assert_exit(2);
    assert!(again.stderr.contains("exists already"), "{again:#?}");
    fs::copy(fixture.root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();

    let manifest = folder.join("Cargo.toml");
    let lint = format!("lint -q --manifest-path {}", manifest.display());
    // Other tests build the dependencies there.
    let target = fixture.root.join("target").display().to_string();
    let lint = || fixture.run_with(&lint, &[("CARGO_TARGET_DIR", &target)]).assert_exit(0);
    let hints = lint();
    for hint in ["gpu_uncoalesced_accesses", "gpu_bank_conflicts", "gpu_missing_barriers"] {
        assert!(hints.stdout.contains(hint), "no {hint} in\n{}", hints.stdout);
    }
    let (passes, unsolved) = test(&folder, &target);
    assert!(!passes && unsolved.contains("0 passed; 17 failed"), "{unsolved}");
    for message in [
        "src/e01_map.rs is not solved yet: replace its `todo!()`",
        "the result is right, but 16384 sectors move where 2048 would do",
        "the result is right, but shared memory takes 1056 wavefronts where 64 would do",
        "src/e16_race.rs: ",
        "read-write race on tile[",
    ] {
        assert!(unsolved.contains(message), "no `{message}` in\n{unsolved}");
    }

    for solution in fs::read_dir(folder.join("solutions")).unwrap() {
        let solution = solution.unwrap().path();
        fs::copy(&solution, folder.join("src").join(solution.file_name().unwrap())).unwrap();
    }
    let clean = lint();
    assert!(clean.summary().contains("nothing found"), "{clean:#?}");
    let (passes, output) = test(&folder, &target);
    assert!(passes && output.contains("17 passed; 0 failed"), "{output}");
    assert!(!output.contains("warning"), "{output}");
}
