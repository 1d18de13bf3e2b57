//! `check`, `lint --fix`, `new` and `init`: findings in editors, and their remedies.
use crate::fixture::Fixture;
use serde_json::Value;
use std::fs;

const FIXABLE: &str = "fixable/src/lib.rs";

/// Returns the messages of rustc among the lines of `cargo warpwise check`.
fn messages(fixture: &Fixture, line: &str) -> Vec<Value> {
    let values = fixture.run(line).values();
    let last = values.last().unwrap();
    assert_eq!(last["reason"], "build-finished", "{last}");
    let messages = values.into_iter().filter(|value| value["reason"] == "compiler-message");
    messages.collect()
}

#[test]
fn editors_get_findings_as_messages_of_rustc() {
    let fixture = Fixture::get();
    let messages = messages(&fixture, "check -q -p fixable --message-format json");
    let found = |code: &str| {
        let of_code = |value: &&Value| value["message"]["code"]["code"] == code;
        messages.iter().find(of_code).unwrap_or_else(|| panic!("no {code} in {messages:#?}"))
    };
    let conflict = found("gpu_bank_conflicts");
    assert!(conflict["package_id"].as_str().unwrap().contains("fixable"), "{conflict:#}");
    assert_eq!(conflict["target"]["name"], "fixable");
    let message = &conflict["message"];
    let span = &message["spans"][0];
    assert_eq!((&span["file_name"], &span["line_start"]), (&Value::from(FIXABLE), &10.into()));
    let text = fs::read_to_string(fixture.root.join(FIXABLE)).unwrap();
    let bytes = |span: &Value| {
        let end = |name: &str| usize::try_from(span[name].as_u64().unwrap()).unwrap();
        text[end("byte_start")..end("byte_end")].to_owned()
    };
    assert_eq!(bytes(span), "tile[tx][ty]");
    assert!(message["rendered"].as_str().unwrap().starts_with("warning[gpu_bank_conflicts]"));
    let help = message["children"].as_array().unwrap().iter().find(|it| it["level"] == "help");
    let suggestion = &help.unwrap()["spans"][0];
    assert_eq!(bytes(suggestion), "shared!([[f32; 32]; 32])");
    assert_eq!(suggestion["suggested_replacement"], "shared!([[f32; 33]; 32])");
    assert_eq!(suggestion["suggestion_applicability"], "MachineApplicable");
    // Places that a finding is related to are secondary spans.
    let race = &found("gpu_missing_barriers")["message"];
    assert!(race["spans"].as_array().unwrap().iter().any(|span| span["is_primary"] == false));
    // The macro of warnings on stable Rust appears nowhere.
    assert!(messages.iter().all(|value| value["message"]["code"]["code"] != "deprecated"));
}

#[test]
fn messages_of_rustc_are_forwarded() {
    let fixture = Fixture::get();
    let from = "pub fn any_number_of_threads(y: &mut [f32]) {";
    let to = "pub fn any_number_of_threads(y: &mut [f32]) {\n    let unused = 1;";
    let found = fixture.with_changed_file(FIXABLE, from, to, || {
        messages(&fixture, "check -q -p fixable --message-format json")
    });
    let codes: Vec<&Value> = found.iter().map(|value| &value["message"]["code"]["code"]).collect();
    assert!(codes.contains(&&"unused_variables".into()), "{codes:?}");
    assert!(codes.contains(&&"gpu_bank_conflicts".into()), "{codes:?}");
}

#[test]
fn computed_remedies_leave_code_that_compiles_without_the_findings() {
    let fixture = Fixture::get();
    let path = fixture.root.join(FIXABLE);
    let before = fs::read_to_string(&path).unwrap();
    let output = fixture.run("lint -q -p fixable --fix");
    let after = fs::read_to_string(&path).unwrap();
    fs::write(&path, before).unwrap();
    assert_eq!(output.code, 0, "{output:#?}\n{after}");
    assert!(output.summary().contains("nothing found"), "{output:#?}\n{after}");
    assert!(output.stderr.contains("6 findings fixed"), "{output:#?}");
    for fixed in [
        "let tile = shared!([[f32; 33]; 32]);",
        "    sync_threads();\n    if i < y.len() {",
        "    sync_warp();\n    y[global_idx_x()] = cells",
        "    tile[t] = x[t];\n    sync_threads();\n    y[global",
        "#[kernel(block = 256, warn(gpu_unknown_block_shape))]",
        "requires(x.len() >= 256 * grid_dim_x() + 8)",
    ] {
        assert!(after.contains(fixed), "no {fixed} in\n{after}");
    }
}

#[test]
fn a_new_package_passes_its_test_and_has_settings_for_editors() {
    let fixture = Fixture::get();
    let folder = fixture.root.parent().unwrap().join("created");
    let _ = fs::remove_dir_all(&folder);
    let created = folder.join("my-blur");
    fs::create_dir_all(&folder).unwrap();
    // A workspace of its own, or `cargo new` would add the package to that of the project.
    fs::write(folder.join("Cargo.toml"), "[workspace]\nresolver = \"3\"\n").unwrap();
    fixture.run(&format!("new {}", created.display())).assert_exit(0);
    let manifest = fs::read_to_string(created.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("[dependencies]\nwarpwise = { path = "), "{manifest}");
    let main = fs::read_to_string(created.join("src/main.rs")).unwrap();
    assert!(main.contains("use my_blur::saxpy;"), "{main}");
    let settings = fs::read_to_string(created.join(".vscode/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(settings["rust-analyzer.check.overrideCommand"][2], "check");
    let again = fixture.run(&format!("init {}", created.display())).assert_exit(0);
    assert!(again.stdout.contains("shows lints already"), "{again:#?}");
    let all = format!("init {} --github --pre-commit", created.display());
    fixture.run(&all).assert_exit(0);
    let workflow = fs::read_to_string(created.join(".github/workflows/warpwise.yml")).unwrap();
    assert!(workflow.contains("--sarif"), "{workflow}");
    // The template itself is checked with the versions of the workspace's lock file.
    fs::copy(fixture.root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let manifest = created.join("Cargo.toml");
    let line = format!("lint -q --all-targets --manifest-path {}", manifest.display());
    // Other tests build the dependencies there.
    let target = fixture.root.join("target").display().to_string();
    let output = fixture.run_with(&line, &[("CARGO_TARGET_DIR", &target)]).assert_exit(0);
    assert!(output.summary().contains("nothing found"), "{output:#?}");
}
