//! `lint`: findings as text and in machine-readable formats.
use crate::fixture::Fixture;
use serde_json::Value;
use std::fs;

#[test]
fn findings_are_shown_with_their_causes_and_again_when_nothing_changed() {
    let fixture = Fixture::get();
    let first = fixture.run("lint -q").assert_exit(1).assert_prints("lint.txt");
    let again = fixture.run("lint -q").assert_exit(1);
    assert_eq!(first.stdout, again.stdout);
    assert_eq!(again.stderr, "");
}

#[test]
fn findings_at_level_allow_are_shown_on_request() {
    let output = Fixture::get().run("lint -q --all").assert_exit(1);
    assert!(output.stdout.contains("allowed[gpu_barriers_in_divergent_flow]"), "{output:#?}");
    assert!(output.summary().ends_with(" allowed"), "{output:#?}");
}

#[test]
fn a_package_without_findings_is_fine() {
    let output = Fixture::get().run("lint -q -p clean").assert_exit(0);
    let expected = "warpwise: 1 kernel in package `clean`: nothing found";
    assert!(output.stdout.starts_with(expected), "{output:#?}");
}

#[test]
fn a_workspace_has_the_kernels_of_all_its_members() {
    let fixture = Fixture::get();
    let kernels = |line: &str| fixture.run(line).values().pop().unwrap()["kernels"].clone();
    assert_eq!(kernels("lint -q --json"), 4);
    assert_eq!(kernels("lint -q --json --workspace"), 14);
    assert_eq!(kernels("lint -q --json --deps"), 5);
    assert_eq!(kernels("lint -q --json --workspace --exclude kernels"), 10);
    assert_eq!(kernels("lint -q --json --all-targets"), 5);
    assert_eq!(kernels("lint -q --json --example shown"), 5);
    assert_eq!(kernels("lint -q --json -F extra"), 5);
    assert_eq!(kernels("lint -q --json"), 4);
}

#[test]
fn warnings_can_be_errors() {
    let fixture = Fixture::get();
    let quiet = "WARPWISE_LINTS";
    let output = fixture.run_with("lint -q", &[(quiet, "warn")]).assert_exit(0);
    assert!(output.summary().contains(": 3 warnings"), "{output:#?}");
    fixture.run_with("lint -q --deny warnings", &[(quiet, "warn")]).assert_exit(1);
    let output = fixture.run("lint -q -D gpu-barriers-after-divergent-returns").assert_exit(1);
    assert!(output.summary().contains(": 3 errors"), "{output:#?}");
    let output = fixture.run("lint -q -D gpu_correctness").assert_exit(1);
    assert!(output.summary().contains(": 3 errors"), "{output:#?}");
    let output = fixture.run("lint -q -D gpu_barriers_after_divergent_return").assert_exit(2);
    let help = "help: did you mean `gpu_barriers_after_divergent_returns`?\n";
    assert!(output.stderr.ends_with(help), "{output:#?}");
}

#[test]
fn tools_get_an_object_a_line() {
    Fixture::get().run("lint -q --json --all").assert_exit(1).assert_prints("lint.jsonl");
}

#[test]
fn a_kernel_that_is_gone_is_reported_no_more() {
    let fixture = Fixture::get();
    let output = fixture.with_changed_file(
        "kernels/src/inner.rs",
        "#[kernel(block = 64)]\npub fn odd",
        "pub fn odd",
        || fixture.run("lint -q"),
    );
    assert!(output.summary().starts_with("warpwise: 3 kernels"), "{output:#?}");
    let back = fixture.run("lint -q");
    assert!(back.summary().starts_with("warpwise: 4 kernels"), "{back:#?}");
}

#[test]
fn levels_of_the_source_count() {
    let fixture = Fixture::get();
    let with = "#[warn(gpu_barriers_in_divergent_flow)]\n#[kernel(block = 64)]";
    let output =
        fixture.with_changed_file("kernels/src/lib.rs", "#[kernel(block = 64)]", with, || {
            fixture.run("lint -q")
        });
    assert!(output.summary().contains(": 1 error, 2 warnings"), "{output:#?}");
}

#[test]
fn records_that_somebody_removed_are_made_again() {
    let fixture = Fixture::get();
    let before = fixture.run("lint -q");
    fs::remove_dir_all(fixture.root.join("target/warpwise/records")).unwrap();
    assert_eq!(fixture.run("lint -q").stdout, before.stdout);
}

#[test]
fn kernels_that_build_are_reported_although_others_do_not() {
    let fixture = Fixture::get();
    let output = fixture.with_changed_file(
        "kernels/src/lib.rs",
        "x[i] = 1;",
        "x[i] = 1; nothing();",
        || fixture.run("lint -q").assert_exit(2),
    );
    assert!(output.stderr.contains("cannot find function `nothing`"), "{output:#?}");
    assert!(output.stderr.contains("error: the project does not build"), "{output:#?}");
    assert!(output.summary().starts_with("warpwise: 3 kernels"), "{output:#?}");
    fixture.run("lint -q").assert_exit(1);
}

#[test]
fn a_package_that_is_not_there_is_a_mistake() {
    let output = Fixture::get().run("lint -q -p nothing").assert_exit(2);
    assert!(output.stderr.starts_with("error: package `nothing` is no member"), "{output:#?}");
}

/// Fields that the schema of SARIF 2.1.0 requires of each object, by path.
const REQUIRED: &[(&str, &[&str])] = &[
    ("", &["version", "runs"]),
    ("/runs/*", &["tool"]),
    ("/runs/*/tool", &["driver"]),
    ("/runs/*/tool/driver", &["name"]),
    ("/runs/*/tool/driver/rules/*", &["id"]),
    ("/runs/*/tool/driver/rules/*/shortDescription", &["text"]),
    ("/runs/*/tool/driver/rules/*/help", &["text"]),
    ("/runs/*/results/*", &["message"]),
    ("/runs/*/results/*/message", &["text"]),
    ("/runs/*/results/*/codeFlows/*", &["threadFlows"]),
    ("/runs/*/results/*/codeFlows/*/threadFlows/*", &["locations"]),
];

/// Returns the values at a path, in which `*` stands for every element.
fn values_at<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut found = vec![value];
    for part in path.split('/').skip(1) {
        found = found
            .into_iter()
            .flat_map(|value| match part {
                "*" => value.as_array().unwrap().iter().collect(),
                _ => value.get(part).into_iter().collect::<Vec<_>>(),
            })
            .collect();
    }
    found
}

#[test]
fn a_sarif_log_has_what_its_schema_requires() {
    let output = Fixture::get().run("lint -q --sarif --all").assert_exit(1);
    let log: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    for (path, fields) in REQUIRED {
        let found = values_at(&log, path);
        assert!(!found.is_empty(), "{path}");
        for (value, field) in found.iter().flat_map(|value| fields.iter().map(move |f| (value, f)))
        {
            assert!(!value[*field].is_null(), "{path} lacks {field}: {value}");
        }
    }
    let driver = &log["runs"][0]["tool"]["driver"];
    for result in values_at(&log, "/runs/*/results/*") {
        let rule = &driver["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        let levels = ["none", "note", "warning", "error"];
        assert!(levels.contains(&result["level"].as_str().unwrap()), "{result}");
    }
    for place in values_at(&log, "/runs/*/results/*/locations/*/physicalLocation") {
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.ends_with(".rs") && !uri.starts_with('/'), "{uri}");
        let line = place["region"]["startLine"].as_u64().unwrap();
        assert!(line > 0 && line <= place["region"]["endLine"].as_u64().unwrap());
    }
    let flow = values_at(&log, "/runs/*/results/*/codeFlows/*/threadFlows/*/locations/*/location");
    let first = flow[0]["message"]["text"].as_str().unwrap();
    assert!(first.contains("differs between the threads"), "a flow begins at its source: {first}");
}
