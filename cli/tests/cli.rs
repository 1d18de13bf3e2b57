//! The program, on a small workspace of its own.
//!
//! What it prints is compared with the files in `golden`; `BLESS=1` rewrites them. The workspace is
//! copied, so that tests can change it, and one test at a time uses it.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The copy of the workspace, for one test.
struct Fixture {
    root: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

impl Fixture {
    fn get() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        static COPIED: OnceLock<PathBuf> = OnceLock::new();
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let root = COPIED.get_or_init(|| {
            let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixture");
            let package = Path::new(env!("CARGO_MANIFEST_DIR"));
            copy(&package.join("tests/fixture"), &root);
            // The versions that the workspace has.
            fs::copy(package.join("../Cargo.lock"), root.join("Cargo.lock")).unwrap();
            root
        });
        Self { root: root.clone(), _alone: alone }
    }

    fn run(&self, line: &str) -> Said {
        self.run_with(line, &[])
    }

    fn run_with(&self, line: &str, variables: &[(&str, &str)]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-warpwise"));
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("WARPWISE_") {
                command.env_remove(name);
            }
        }
        command
            .arg("warpwise")
            .args(line.split(' '))
            .current_dir(&self.root)
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("RUSTC_WRAPPER")
            .envs(variables.iter().copied());
        Said::of(self, &command.output().unwrap())
    }

    /// Replaces `from` in a file while `work` is done.
    fn changed<T>(&self, file: &str, from: &str, to: &str, work: impl FnOnce() -> T) -> T {
        let path = self.root.join(file);
        let before = fs::read_to_string(&path).unwrap();
        assert!(before.contains(from), "{before}");
        // What cargo compares are times, which some file systems count in seconds.
        fs::write(&path, before.replace(from, to)).unwrap();
        later(&path, 2);
        let result = work();
        fs::write(&path, before).unwrap();
        later(&path, 4);
        result
    }
}

/// Makes a file look as if it were written so many seconds later.
fn later(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).unwrap();
    let now = std::time::SystemTime::now() + std::time::Duration::from_secs(seconds);
    file.set_modified(now).unwrap();
}

/// Copies a folder; what has not changed stays as it is, so that cargo finds it fresh.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
            continue;
        }
        let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("runtime");
        let text = fs::read_to_string(&path).unwrap();
        let text = text.replace("RUNTIME", runtime.to_str().unwrap());
        if fs::read_to_string(&target).ok().as_ref() != Some(&text) {
            fs::write(&target, text).unwrap();
        }
    }
}

/// What the program said.
#[derive(Debug)]
struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Said {
    fn of(fixture: &Fixture, output: &Output) -> Self {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            text.replace(fixture.root.to_str().unwrap(), "ROOT")
        };
        Self {
            code: output.status.code().unwrap(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    #[track_caller]
    fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:#?}");
        self
    }

    /// Compares what was printed with `golden/NAME`.
    #[track_caller]
    fn prints(self, name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
        let printed = lasting(&self.stdout);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, &printed).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        let hint = "BLESS=1 rewrites the expectation";
        assert_eq!(printed, expected, "{}; {hint}\n{}", path.display(), self.stderr);
        self
    }

    /// The last line.
    fn summary(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }

    fn values(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// What was printed, less what every new lint at level `allow` would change: how often these find
/// something, and what.
fn lasting(text: &str) -> String {
    let is_new =
        |line: &&str| line.contains("\"level\":\"allow\"") && !line.contains("gpu_barriers_");
    let lines = text.lines().filter(|line| !is_new(line)).map(|line| {
        let line =
            line.split(" (").next().filter(|_| line.starts_with("warpwise: ")).unwrap_or(line);
        match line.strip_prefix("{\"allowed\":").and_then(|rest| rest.split_once(',')) {
            Some((_, rest)) => format!("{{\"allowed\":N,{rest}\n"),
            None => format!("{line}\n"),
        }
    });
    lines.collect()
}

#[test]
fn findings_are_shown_with_their_causes_and_again_when_nothing_changed() {
    let fixture = Fixture::get();
    let first = fixture.run("lint -q").exits(1).prints("lint.txt");
    let again = fixture.run("lint -q").exits(1);
    assert_eq!(first.stdout, again.stdout);
    assert_eq!(again.stderr, "");
}

#[test]
fn findings_at_level_allow_are_shown_on_request() {
    let said = Fixture::get().run("lint -q --all").exits(1);
    assert!(said.stdout.contains("allowed[gpu_barriers_in_divergent_flow]"), "{said:#?}");
    assert!(said.summary().ends_with(" allowed"), "{said:#?}");
}

#[test]
fn a_package_without_findings_is_fine() {
    let said = Fixture::get().run("lint -q -p clean").exits(0);
    let expected = "warpwise: 1 kernel in package `clean`: nothing found";
    assert!(said.stdout.starts_with(expected), "{said:#?}");
}

#[test]
fn a_workspace_has_the_kernels_of_all_its_members() {
    let fixture = Fixture::get();
    let kernels = |line: &str| fixture.run(line).values().pop().unwrap()["kernels"].clone();
    assert_eq!(kernels("lint -q --json"), 4);
    assert_eq!(kernels("lint -q --json --workspace"), 8);
    assert_eq!(kernels("lint -q --json --deps"), 5);
    assert_eq!(kernels("lint -q --json --workspace --exclude kernels"), 4);
    assert_eq!(kernels("lint -q --json --all-targets"), 5);
    assert_eq!(kernels("lint -q --json --example shown"), 5);
    assert_eq!(kernels("lint -q --json -F extra"), 5);
    assert_eq!(kernels("lint -q --json"), 4);
}

#[test]
fn warnings_can_be_errors() {
    let fixture = Fixture::get();
    let quiet = "WARPWISE_LINTS";
    let said = fixture.run_with("lint -q", &[(quiet, "warn")]).exits(0);
    assert!(said.summary().contains(": 3 warnings"), "{said:#?}");
    fixture.run_with("lint -q --deny warnings", &[(quiet, "warn")]).exits(1);
    let said = fixture.run("lint -q -D gpu-barriers-after-divergent-returns").exits(1);
    assert!(said.summary().contains(": 3 errors"), "{said:#?}");
    let said = fixture.run("lint -q -D gpu_correctness").exits(1);
    assert!(said.summary().contains(": 3 errors"), "{said:#?}");
    let said = fixture.run("lint -q -D gpu_barriers_after_divergent_return").exits(2);
    let help = "help: did you mean `gpu_barriers_after_divergent_returns`?\n";
    assert!(said.stderr.ends_with(help), "{said:#?}");
}

#[test]
fn tools_get_an_object_a_line() {
    Fixture::get().run("lint -q --json --all").exits(1).prints("lint.jsonl");
}

#[test]
fn a_kernel_that_is_gone_is_reported_no_more() {
    let fixture = Fixture::get();
    let said =
        fixture.changed("kernels/src/inner.rs", "#[kernel]\npub fn odd", "pub fn odd", || {
            fixture.run("lint -q")
        });
    assert!(said.summary().starts_with("warpwise: 3 kernels"), "{said:#?}");
    let back = fixture.run("lint -q");
    assert!(back.summary().starts_with("warpwise: 4 kernels"), "{back:#?}");
}

#[test]
fn levels_of_the_source_count() {
    let fixture = Fixture::get();
    let with = "#[warn(gpu_barriers_in_divergent_flow)]\n#[kernel(block = 64)]";
    let said = fixture
        .changed("kernels/src/lib.rs", "#[kernel(block = 64)]", with, || fixture.run("lint -q"));
    assert!(said.summary().contains(": 1 error, 2 warnings"), "{said:#?}");
}

#[test]
fn records_that_somebody_removed_are_made_again() {
    let fixture = Fixture::get();
    let before = fixture.run("lint -q");
    fs::remove_dir_all(fixture.root.join("target/warpwise/records")).unwrap();
    assert_eq!(fixture.run("lint -q").stdout, before.stdout);
}

#[test]
fn what_builds_is_reported_where_something_does_not() {
    let fixture = Fixture::get();
    let said = fixture.changed("kernels/src/lib.rs", "x[i] = 1;", "x[i] = 1; nothing();", || {
        fixture.run("lint -q").exits(2)
    });
    assert!(said.stderr.contains("cannot find function `nothing`"), "{said:#?}");
    assert!(said.stderr.contains("error: the project does not build"), "{said:#?}");
    assert!(said.summary().starts_with("warpwise: 3 kernels"), "{said:#?}");
    fixture.run("lint -q").exits(1);
}

#[test]
fn a_package_that_is_not_there_is_a_mistake() {
    let said = Fixture::get().run("lint -q -p nothing").exits(2);
    assert!(said.stderr.starts_with("error: package `nothing` is no member"), "{said:#?}");
}

/// What the schema of SARIF 2.1.0 requires of each object, where it is in a log.
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

/// Every value at a path, in which `*` stands for every element.
fn at<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
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
    let said = Fixture::get().run("lint -q --sarif --all").exits(1);
    let log: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    for (path, fields) in REQUIRED {
        let found = at(&log, path);
        assert!(!found.is_empty(), "{path}");
        for (value, field) in found.iter().flat_map(|value| fields.iter().map(move |f| (value, f)))
        {
            assert!(!value[*field].is_null(), "{path} lacks {field}: {value}");
        }
    }
    let driver = &log["runs"][0]["tool"]["driver"];
    for result in at(&log, "/runs/*/results/*") {
        let rule = &driver["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        let levels = ["none", "note", "warning", "error"];
        assert!(levels.contains(&result["level"].as_str().unwrap()), "{result}");
    }
    for place in at(&log, "/runs/*/results/*/locations/*/physicalLocation") {
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.ends_with(".rs") && !uri.starts_with('/'), "{uri}");
        let line = place["region"]["startLine"].as_u64().unwrap();
        assert!(line > 0 && line <= place["region"]["endLine"].as_u64().unwrap());
    }
    let flow = at(&log, "/runs/*/results/*/codeFlows/*/threadFlows/*/locations/*/location");
    let first = flow[0]["message"]["text"].as_str().unwrap();
    assert!(first.contains("differs between the threads"), "a flow begins at its source: {first}");
}

#[test]
fn a_kernel_is_explained_line_by_line() {
    let fixture = Fixture::get();
    fixture.run("explain -q half").exits(0).prints("explain.txt");
    fixture.run("explain -q kernels::inner::odd").exits(0).prints("explain_device.txt");
    let lines = fixture.run("explain -q half --json").exits(0).values();
    assert!(lines.iter().all(|line| line["kernel"]["name"] == "half"), "{lines:#?}");
    let barrier = lines.iter().find(|line| line["subject"] == "barrier").unwrap();
    assert_eq!((&barrier["answer"], &barrier["span"]["line"]), (&"bad".into(), &11.into()));
    assert_eq!((&lines.last().unwrap()["kind"]), "summary");
}

#[test]
fn lints_are_explained_by_their_pages() {
    let fixture = Fixture::get();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lints");
    let pages = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let names = pages.filter_map(|path| {
        let name = path.file_stem()?.to_str()?.to_owned();
        name.starts_with("gpu_").then(|| (name, fs::read_to_string(path).unwrap()))
    });
    for (name, page) in names {
        assert_eq!(fixture.run(&format!("explain {name}")).exits(0).stdout.trim(), page.trim());
        let short = name.strip_prefix("gpu_").unwrap().replace('_', "-");
        assert_eq!(fixture.run(&format!("explain {short}")).exits(0).stdout.trim(), page.trim());
        let said = fixture.run(&format!("explain {name}x")).exits(2);
        assert!(said.stderr.contains(&format!("did you mean `{name}`")), "{said:#?}");
    }
    let said = fixture.run("explain gpu_zzz").exits(2);
    assert_eq!(said.stderr, "error: there is no lint `gpu_zzz`\n");
}

/// What is installed from a registry is built of its package alone.
#[test]
fn the_package_has_the_pages() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    let listed = cargo.args(["package", "--list", "--allow-dirty", "--offline"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lints");
    for page in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()) {
        let page = format!("pages/{}", page.to_str().unwrap());
        assert!(listed.lines().any(|line| line == page), "{page} is missing in\n{listed}");
    }
}

#[test]
fn kernels_are_found_by_name_path_and_place() {
    let fixture = Fixture::get();
    let ir = fixture.run("ir -q half").exits(0).prints("half.ir");
    for name in ["crate::half", "kernels::half", "kernels/src/lib.rs:14", "lib.rs:8:8"] {
        assert_eq!(fixture.run(&format!("ir -q {name}")).exits(0).stdout, ir.stdout, "{name}");
    }
    // One that only an example has is found without being told where.
    let said = fixture.run("ir -q shown").exits(0);
    assert!(said.stdout.starts_with("kernel shown {"), "{said:#?}");
    let said = fixture.run("ir -q haff").exits(2);
    let expected = "error: there is no kernel `haff`\nhelp: did you mean `half`?\n";
    assert_eq!(said.stderr, expected);
    let said = fixture.run("ir -q inner::half").exits(2);
    assert!(said.stderr.starts_with("error: there is no kernel `inner::half`"), "{said:#?}");
}

#[test]
fn generic_kernels_are_bound() {
    let fixture = Fixture::get();
    let said = fixture.run("ptx -q scaled --bind T=f32 --bind N=16").exits(0);
    assert!(said.stdout.starts_with("// Warpwise kernel `scaled`.\n.version "), "{said:#?}");
    assert!(said.stdout.contains("mul.rn.f32"), "{said:#?}");
    let said = fixture.run("ir -q --optimized scaled --bind T=u32 --bind N=16").exits(0);
    assert!(said.stdout.contains("[u32]") && !said.stdout.contains("generic"), "{said:#?}");
    let said = fixture.run("ptx -q scaled --bind T=f32").exits(2);
    assert!(said.stderr.contains("help: bind its parameters, such as --bind N=16"), "{said:#?}");
    let said = fixture.run("ptx -q scaled --bind T=bool --bind N=1").exits(2);
    assert!(said.stderr.contains("`T` is an integer or float type"), "{said:#?}");
    let said = fixture.run("ptx -q scaled --bind U=f32").exits(2);
    assert!(said.stderr.contains("help: it has `T` or `N`"), "{said:#?}");
}

#[test]
fn the_page_shows_what_is_printed() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(package.join("../docs/cli.md")).unwrap();
    for name in ["lint.txt", "explain.txt"] {
        let shown = fs::read_to_string(package.join("tests/golden").join(name)).unwrap();
        assert!(page.contains(shown.trim_end()), "docs/cli.md does not show tests/golden/{name}");
    }
}

#[test]
fn machine_code_needs_programs_that_may_be_missing() {
    let fixture = Fixture::get();
    let nothing = [("PTXAS", ""), ("PATH", ""), ("CUDA_HOME", ""), ("VIRTUAL_ENV", "")];
    let said = fixture.run_with("sass -q half", &nothing).exits(2);
    assert!(said.stderr.contains("pip install nvidia-cuda-nvcc"), "{said:#?}");
}

#[test]
fn a_doctor_warns_of_variables_that_mean_nothing() {
    let fixture = Fixture::get();
    let variables = [("WARPWISE_DEVICE", "cpu"), ("WARPWISE_LINT", "deny")];
    let said = fixture.run_with("doctor", &variables).exits(1);
    assert!(said.stdout.contains("`Device::auto()` takes the SIMT interpreter"), "{said:#?}");
    assert!(said.stdout.contains("warn  variable  WARPWISE_LINT=deny"), "{said:#?}");
    let said = fixture.run_with("doctor", &[("WARPWISE_DEVICE", "gpu")]).exits(1);
    assert!(said.stdout.contains("warn  engine"), "{said:#?}");
}

#[test]
fn a_program_is_profiled() {
    let fixture = Fixture::get();
    fixture.run("profile -q -p profiled --registers 32").exits(0).prints("profile.txt");
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

/// Checks that every element of a page ends, in the order in which they begin.
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
        // What is in a style or a script is no markup.
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
fn what_is_profiled_is_what_the_counters_say() {
    let said = Fixture::get().run("profile -q -p profiled --json").exits(0);
    let kernels = said.values();
    let printed = said.stderr.lines().filter(|line| line.starts_with("{\"schema\""));
    let taken: Vec<Value> = printed.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(taken.len(), 4, "{said:#?}");
    for launch in &taken {
        let kernel = kernels.iter().find(|kernel| kernel["kernel"] == launch["kernel"]).unwrap();
        let launches = kernel["launches"].as_u64().unwrap();
        assert_eq!(kernel["total"], times(&launch["total"], launches));
        let lines = kernel["lines"].as_array().unwrap();
        assert_eq!(lines.len(), launch["lines"].as_array().unwrap().len());
        for line in launch["lines"].as_array().unwrap() {
            let found = lines.iter().find(|found| found["line"] == line["line"]).unwrap();
            assert_eq!(found["counts"], times(&line["counts"], launches));
            assert_eq!(found["active_threads"], many(&line["active_threads"], launches));
        }
        assert_eq!(kernel["active_threads"], many(&launch["active_threads"], launches));
        let loops = [kernel, launch].map(|of| of["loops"].as_array().unwrap());
        assert_eq!(loops[0].len(), loops[1].len());
        for (found, of) in loops[0].iter().zip(loops[1]) {
            assert_eq!(found["visits"], times(&of["visits"], launches));
            assert_eq!(found["iterations"], many(&of["iterations"], launches));
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

/// A histogram in which each number, the last of its row, is so many times as large.
fn many(rows: &Value, times: u64) -> Value {
    let row = |row: &Value| {
        let mut row = row.as_array().unwrap().clone();
        let last = row.last_mut().unwrap();
        *last = self::times(last, times);
        Value::Array(row)
    };
    Value::Array(rows.as_array().unwrap().iter().map(row).collect())
}

/// All numbers of a value, so many times.
fn times(value: &Value, times: u64) -> Value {
    match value {
        Value::Number(number) => (number.as_u64().unwrap() * times).into(),
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(name, value)| (name.clone(), self::times(value, times)));
            Value::Object(fields.collect())
        }
        other => panic!("{other}"),
    }
}

#[test]
fn every_field_of_a_profile_is_described() {
    let said = Fixture::get().run("profile -q -p profiled --json --registers 32").exits(0);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/profiler.md");
    let page = fs::read_to_string(page).unwrap();
    let mut open: Vec<Value> = said.values();
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
    let said = Fixture::get().run("profile -q -p profiled -- failing").exits(1);
    assert!(said.stdout.contains("kernel `parity`: 1 launch of"), "{said:#?}");
    let end = "warpwise: 4 launches counted; then the program failed (exit status: 101)\n";
    assert!(said.stdout.contains(end), "{said:#?}");
    assert!(said.stderr.contains("as it was asked to"), "{said:#?}");
}

#[test]
fn what_cannot_be_profiled_says_why() {
    let fixture = Fixture::get();
    let said = fixture.run("profile -q -p profiled -- nothing").exits(2);
    assert!(said.stderr.contains("error: the program launched no kernel\nhelp: "), "{said:#?}");
    let said =
        fixture.changed("profiled/src/main.rs", "let device", "let device = nothing;", || {
            fixture.run("profile -q -p profiled").exits(2)
        });
    assert!(said.stderr.ends_with("error: the program does not build\n"), "{said:#?}");
    let said = fixture.run("profile -q -p profiled --bins").exits(2);
    assert!(said.stderr.contains("help: name it: `--bin NAME`"), "{said:#?}");
    let said = fixture.run("profile -q -p profiled --registers many").exits(2);
    assert!(said.stderr.contains("write `--registers 72`"), "{said:#?}");
    let said = fixture.run("profile -q -p profiled --registers nobody=72").exits(2);
    assert!(
        said.stderr.contains("no kernel `nobody` was launched\nhelp: launched were"),
        "{said:#?}"
    );
    let said = fixture.run("profile -q -p profiled --target sm_76").exits(2);
    assert!(said.stderr.contains("nothing is known of multiprocessors of sm_76"), "{said:#?}");
}

#[test]
fn what_a_program_wrote_is_read_later() {
    let fixture = Fixture::get();
    let before = fixture.run("profile -q -p profiled --json --registers 32").exits(0);
    let folder = fixture.root.join("target/recorded");
    let _ = fs::remove_dir_all(&folder);
    let program = fixture.root.join("target/debug/profiled");
    let run = Command::new(program)
        .env("WARPWISE_PROFILE", &folder)
        .env("WARPWISE_DEVICE", "cpu")
        .output();
    assert!(run.unwrap().status.success());
    let said =
        fixture.run("profile -q -p profiled --json --registers 32 --read target/recorded").exits(0);
    assert_eq!(said.stdout, before.stdout);
    fs::write(
        folder.join("of-another-version.jsonl"),
        "{\"kind\":\"program\",\"warpwise\":\"0.0.1\"}\n",
    )
    .unwrap();
    let said = fixture.run("profile -q -p profiled --read target/recorded").exits(2);
    assert!(said.stderr.contains("the program uses warpwise 0.0.1"), "{said:#?}");
}
