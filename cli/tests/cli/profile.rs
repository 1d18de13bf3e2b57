//! `profile`: counters as text, as a page and as JSON.
use crate::fixture::Fixture;
use serde_json::Value;
use std::{fs, path::Path, process::Command};

#[test]
fn a_program_is_profiled() {
    let fixture = Fixture::get();
    fixture
        .run("profile -q -p profiled --registers 32")
        .assert_exit(0)
        .assert_prints("profile.txt");
    let page = fs::read_to_string(fixture.root.join("target/warpwise/profile.html")).unwrap();
    assert_is_well_formed(&page);
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert_eq!(page.matches("<script").count(), 1, "text of a source is no script");
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "the page needs {outside}");
    }
    let excess = "expected 4096 sectors, got 32768: 8.00x";
    assert!(page.contains(excess), "{excess}");
}

/// Checks that the elements of a page nest properly, and that ids are unique.
#[track_caller]
fn assert_is_well_formed(page: &str) {
    const EMPTY: [&str; 4] = ["!DOCTYPE", "meta", "br", "hr"];
    let mut open = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, next) = after.split_once('>').unwrap();
        let name = tag.split([' ', '/', '\n']).find(|part| !part.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}>");
        } else if !tag.ends_with('/') && !EMPTY.contains(&name) {
            open.push(name);
        }
        // The contents of styles and scripts are not markup.
        let is_raw = ["style", "script"].contains(&name) && !tag.starts_with('/');
        rest = if is_raw { &next[next.find("</").unwrap()..] } else { next };
    }
    assert!(open.is_empty(), "{open:?}");
    let mut ids: Vec<&str> =
        page.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are used once");
}

#[test]
fn profiles_equal_the_counters() {
    let output = Fixture::get().run("profile -q -p profiled --json").assert_exit(0);
    let kernels = output.values();
    let printed = output.stderr.lines().filter(|line| line.starts_with("{\"schema\""));
    let taken: Vec<Value> = printed.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(taken.len(), 4, "{output:#?}");
    for launch in &taken {
        let kernel = kernels.iter().find(|kernel| kernel["kernel"] == launch["kernel"]).unwrap();
        let launches = kernel["launches"].as_u64().unwrap();
        assert_eq!(kernel["total"], scale_numbers(&launch["total"], launches));
        let lines = kernel["lines"].as_array().unwrap();
        assert_eq!(lines.len(), launch["lines"].as_array().unwrap().len());
        for line in launch["lines"].as_array().unwrap() {
            let found = lines.iter().find(|found| found["line"] == line["line"]).unwrap();
            assert_eq!(found["counts"], scale_numbers(&line["counts"], launches));
            assert_eq!(found["active_threads"], scale_histogram(&line["active_threads"], launches));
        }
        assert_eq!(kernel["active_threads"], scale_histogram(&launch["active_threads"], launches));
        let loops = [kernel, launch].map(|of| of["loops"].as_array().unwrap());
        assert_eq!(loops[0].len(), loops[1].len());
        for (found, of) in loops[0].iter().zip(loops[1]) {
            assert_eq!(found["visits"], scale_numbers(&of["visits"], launches));
            assert_eq!(found["iterations"], scale_histogram(&of["iterations"], launches));
        }
        for access in kernel["accesses"].as_array().unwrap() {
            let offsets = access["worst"]["offsets"].as_array().unwrap();
            let active = access["worst"]["active"].as_u64().unwrap();
            let going = offsets.iter().filter(|offset| !offset.is_null()).count();
            assert_eq!((offsets.len(), going as u32), (32, active.count_ones()));
        }
    }
    assert_eq!(kernels.last().unwrap()["launches"], 4);
}

#[test]
fn metrics_are_printed_by_their_names() {
    let fixture = Fixture::get();
    let names = "gld_efficiency,branch_efficiency,achieved_occupancy";
    let output = fixture.run(&format!("profile -q -p profiled --metrics {names}")).assert_exit(0);
    for line in [
        "  gld_efficiency      12.50 %",
        "  branch_efficiency   100.00 %",
        "  achieved_occupancy  not known: only a time model has it",
    ] {
        assert!(output.stdout.contains(line), "{line}\n{output:#?}");
    }
    let output = fixture.run(&format!("profile -q -p profiled --json --metrics {names}"));
    let kernels = output.assert_exit(0).values();
    assert_eq!(kernels[0]["metrics"]["branch_efficiency"], 100.0);
    assert_eq!(kernels[0]["metrics"]["achieved_occupancy"], Value::Null);
    let output = fixture.run("profile -q -p profiled --metrics gld_eficiency").assert_exit(2);
    assert!(output.stderr.contains("did you mean `gld_efficiency`"), "{output:#?}");
}

#[test]
fn kernels_are_profiled_as_they_are_written() {
    let run = |command| Fixture::get().run(command).assert_exit(0).values();
    let instructions = |kernels: Vec<Value>| -> u64 {
        let counts =
            kernels.iter().filter_map(|kernel| kernel["total"]["warp_instructions"].as_u64());
        counts.sum()
    };
    let written = instructions(run("profile -q -p profiled --json --unoptimized"));
    assert!(written > instructions(run("profile -q -p profiled --json")));
}

#[test]
fn architectures_of_textbooks_have_an_occupancy() {
    let output = Fixture::get().run("profile -q -p profiled --target sm_61 --registers 32");
    let line = "occupancy on sm_61 (too old for kernels), of a multiprocessor with enough blocks: 64 of 64 warps";
    assert!(output.assert_exit(0).stdout.contains(line));
    let output = Fixture::get().run("ptx -q half --target sm_61").assert_exit(2);
    assert!(
        output.stderr.contains("the oldest architecture that kernels run on is sm_75"),
        "{output:#?}"
    );
}

/// Multiplies the last number of each row of a histogram.
fn scale_histogram(rows: &Value, times: u64) -> Value {
    let row = |row: &Value| {
        let mut row = row.as_array().unwrap().clone();
        let last = row.last_mut().unwrap();
        *last = self::scale_numbers(last, times);
        Value::Array(row)
    };
    Value::Array(rows.as_array().unwrap().iter().map(row).collect())
}

/// Multiplies all numbers of a value.
fn scale_numbers(value: &Value, times: u64) -> Value {
    match value {
        Value::Number(number) => (number.as_u64().unwrap() * times).into(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| (name.clone(), self::scale_numbers(value, times)));
            Value::Object(fields.collect())
        }
        other => panic!("{other}"),
    }
}

#[test]
fn every_field_of_a_profile_is_described() {
    let output = Fixture::get().run("profile -q -p profiled --json --registers 32").assert_exit(0);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/profiler.md");
    let page = fs::read_to_string(page).unwrap();
    let mut open: Vec<Value> = output.values();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    assert!(page.contains(&format!("`{name}`")), "`{name}` is not described");
                    open.push(value);
                }
            }
            Value::Array(values) => open.extend(values),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

#[test]
fn a_program_that_fails_is_profiled_up_to_there() {
    let output = Fixture::get().run("profile -q -p profiled -- failing").assert_exit(1);
    assert!(output.stdout.contains("kernel `parity`: 1 launch of"), "{output:#?}");
    let end = "warpwise: 4 launches counted; then the program failed (exit status: 101)\n";
    assert!(output.stdout.contains(end), "{output:#?}");
    assert!(output.stderr.contains("as it was asked to"), "{output:#?}");
}

#[test]
fn failed_profiles_say_why() {
    let fixture = Fixture::get();
    let output = fixture.run("profile -q -p profiled -- nothing").assert_exit(2);
    assert!(output.stderr.contains("error: the program launched no kernel\nhelp: "), "{output:#?}");
    let output = fixture.with_changed_file(
        "profiled/src/main.rs",
        "let device",
        "let device = nothing;",
        || fixture.run("profile -q -p profiled").assert_exit(2),
    );
    assert!(output.stderr.ends_with("error: the program does not build\n"), "{output:#?}");
    let output = fixture.run("profile -q -p profiled --bins").assert_exit(2);
    assert!(output.stderr.contains("help: name it: `--bin NAME`"), "{output:#?}");
    let output = fixture.run("profile -q -p profiled --registers many").assert_exit(2);
    assert!(output.stderr.contains("write `--registers 72`"), "{output:#?}");
    let output = fixture.run("profile -q -p profiled --registers nobody=72").assert_exit(2);
    assert!(
        output.stderr.contains("no kernel `nobody` was launched\nhelp: launched were"),
        "{output:#?}"
    );
    let output = fixture.run("profile -q -p profiled --target sm_76").assert_exit(2);
    assert!(output.stderr.contains("nothing is known of multiprocessors of sm_76"), "{output:#?}");
}

#[test]
fn recorded_profiles_are_read_later() {
    let fixture = Fixture::get();
    let before = fixture.run("profile -q -p profiled --json --registers 32").assert_exit(0);
    let folder = fixture.root.join("target/recorded");
    let _ = fs::remove_dir_all(&folder);
    let program = fixture.root.join("target/debug/profiled");
    let run = Command::new(program)
        .env("WARPWISE_PROFILE", &folder)
        .env("WARPWISE_DEVICE", "cpu")
        .output();
    assert!(run.unwrap().status.success());
    let output = fixture
        .run("profile -q -p profiled --json --registers 32 --read target/recorded")
        .assert_exit(0);
    assert_eq!(output.stdout, before.stdout);
    fs::write(
        folder.join("of-another-version.jsonl"),
        "{\"kind\":\"program\",\"warpwise\":\"0.0.1\"}\n",
    )
    .unwrap();
    let output = fixture.run("profile -q -p profiled --read target/recorded").assert_exit(2);
    assert!(output.stderr.contains("the program uses warpwise 0.0.1"), "{output:#?}");
}
