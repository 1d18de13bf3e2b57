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

/// Returns the page of the last run.
fn read_page(fixture: &Fixture) -> String {
    fs::read_to_string(fixture.root.join("target/warpwise/profile.html")).unwrap()
}

#[test]
fn a_page_begins_with_the_run_and_verdicts() {
    let fixture = Fixture::get();
    fixture.run("profile -q -p profiled --registers 32").assert_exit(0);
    let page = read_page(&fixture);
    for part in [
        "<dt>program</dt><dd>target/debug/profiled</dd>",
        "<dt>target</dt><dd>H200 (sm_90)</dd>",
        "Times are predictions of the time model for H200, and nothing is measured.",
        "bound by <strong>the memory pipe</strong>; up to <strong>3.5×</strong> could be gained",
        "<code title=\"cargo warpwise explain gpu_bank_conflicts\">gpu_bank_conflicts</code>",
        "<td class=\"heat\" style=\"--h:0.88\">8.00x</td>",
        "Kernels without operations on floats are not drawn.",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("none are times"));
}

#[test]
fn a_page_has_a_timeline_of_launches() {
    let fixture = Fixture::get();
    fixture.run("profile -q -p profiled --registers 32").assert_exit(0);
    let page = read_page(&fixture);
    let (_, timeline) = page.split_once("<h2 id=\"timeline\">").unwrap();
    let (timeline, _) = timeline.split_once("</section>").unwrap();
    let alternative = "aria-label=\"launches in order: 2 of chunks in 22.8 us, 1 of columns::&lt;f32&gt; in 3.7 us, 1 of parity in 3.4 us\"";
    assert!(timeline.contains(alternative), "{timeline}");
    assert_eq!(timeline.matches("<rect").count(), 4);
    assert!(timeline.contains("<title>launch 2 of chunks: 11.4 us, from 11.4 us</title>"));
    assert!(timeline.contains("<summary>4 launches in order</summary>"));
}

#[cfg(unix)]
#[test]
fn lines_of_a_page_open_to_their_instructions() {
    let fixture = Fixture::get();
    let nvdisasm = "#!/bin/sh\nprintf '\\t//## File \"0\", line 11\\n'\n\
        echo '        /*0000*/                   FADD R1, R1, R2 ;'\n";
    let ptxas = "#!/bin/sh\necho 'ptxas info    : Used 10 registers, 400 bytes cmem[0]' >&2\n";
    let programs = [("PTXAS", ptxas), ("NVDISASM", nvdisasm)]
        .map(|(name, text)| (name, fixture.write_program(&name.to_lowercase(), text)));
    let programs = programs.each_ref().map(|(name, path)| (*name, path.as_str()));
    fixture.run_with("profile -q -p profiled", &programs).assert_exit(0);
    let page = read_page(&fixture);
    assert_is_well_formed(&page);
    let line =
        "<details class=\"line\"><summary><code>        sum += x[i];</code></summary><p>PTX, ";
    let (_, after) = page.split_once(line).unwrap_or_else(|| panic!("{page}"));
    let (listings, _) = after.split_once("</details>").unwrap();
    assert!(listings.contains("add.rn.f32"), "{listings}");
    assert!(listings.contains("<p>machine code, 1 instruction</p>"), "{listings}");
    assert!(listings.contains("/*0000*/ FADD R1, R1, R2 ;"), "{listings}");
    assert!(page.contains("opens to the PTX and machine code for sm_90 that it became"), "{page}");
}

#[test]
fn runs_are_saved_and_compared() {
    let fixture = Fixture::get();
    fixture.run("profile -q -p profiled --registers 32 --save target/saved").assert_exit(0);
    let command = "profile -q -p profiled --registers 32 --compare target/saved";
    let output = fixture.run(command).assert_exit(0);
    let same = "compared with target/saved, old and new of a launch:\nsame   `chunks`: predicted time 11.4 us -> 11.4 us (1.00x)\n";
    assert!(output.stdout.starts_with(same), "{output:#?}");
    let (from, to) =
        ("for i in first..first + chunk {", "for i in (thread_idx_x()..x.len()).step_by(256) {");
    let output = fixture.with_changed_file("profiled/src/main.rs", from, to, || {
        let output = fixture.run(&format!("{command} --json")).assert_exit(0);
        let page = fixture.run(command).assert_exit(0);
        let better = "better `chunks`: predicted time 11.4 us -> ";
        assert!(page.stdout.lines().nth(1).unwrap().starts_with(better), "{page:#?}");
        assert!(
            page.stdout.contains("sectors                 16416    2080  0.13x  better\n"),
            "{page:#?}"
        );
        output
    });
    let page = read_page(&fixture);
    assert_is_well_formed(&page);
    let first = "<main>\n<section aria-labelledby=\"comparison\">";
    assert!(
        page.contains(first)
            && page.contains("<li class=\"better\"><strong>better</strong> <code>chunks</code>"),
        "{page}"
    );
    let values = output.values();
    let compared = values.iter().find(|line| line["kind"] == "comparison").unwrap();
    assert_eq!(compared["kernel"], "columns");
    let compared = values.iter().rfind(|line| line["kind"] == "comparison").unwrap();
    assert_eq!((&compared["kernel"], &compared["change"]), (&"chunks".into(), &"better".into()));
    let sectors = &compared["counters"]["sectors"];
    assert_eq!(*sectors, serde_json::json!({ "old": 16416.0, "new": 2080.0, "change": "better" }));
    let output = fixture.run("profile -q -p profiled --compare target/nothing").assert_exit(2);
    assert!(
        output.stderr.contains("cannot read ROOT/target/nothing")
            || output.stderr.contains("cannot read target/nothing"),
        "{output:#?}"
    );
}

/// A script in place of `ncu`, which runs the program and writes a report of its kernel.
#[cfg(unix)]
#[test]
fn numbers_of_nsight_compute_stand_beside_the_counts() {
    let fixture = Fixture::get();
    let ncu = r#"#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
log=$2
while [ "$1" != --metrics ]; do shift; done
case "$2" in *gpu__time_duration.sum*) ;; *) exit 9 ;; esac
cat > "$log" <<'END'
==PROF== Connected to process 7
"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","launch__registers_per_thread"
"","","","","nsecond","sector","register/thread"
"0","chunks","(256, 1, 1)","(1, 1, 1)","10,000","16384","30"
"1","chunks","(256, 1, 1)","(1, 1, 1)","12,000","16384","30"
END
echo "$WARPWISE_DEVICE $WARPWISE_PROFILE" >&2
"#;
    let path = fixture.write_program("ncu", ncu);
    let command = "profile -q -p profiled --registers 32 --ncu";
    let output = fixture.run_with(command, &[("NCU", &path)]).assert_exit(0);
    assert!(output.stderr.contains("cuda \n"), "{output:#?}");
    for line in [
        "measured by Nsight Compute: 11.0 us a launch; the prediction is 1.03 times as long\n",
        "metric                           here  Nsight Compute\n",
        "gpu__time_duration.sum        11.4 us         11.0 us\n",
        "gld_transactions                32768           32768\n",
    ] {
        assert!(output.stdout.contains(line), "{line}{}", output.stdout);
    }
    let page = read_page(&fixture);
    assert_is_well_formed(&page);
    assert!(page.contains("<h3>Nsight Compute</h3>") && page.contains("Times are measured where"));
    let output = fixture.run_with(&format!("{command} --json"), &[("NCU", &path)]).assert_exit(0);
    let kernel = &output.values()[0];
    assert_eq!(kernel["measured_seconds"], 1.1e-5);
    assert_eq!(kernel["nsight_compute"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 32768.0);
    let refused = r#"#!/bin/sh
while [ "$1" != --log-file ]; do shift; done
echo '==ERROR== ERR_NVGPUCTRPERM' > "$2"
"#;
    let path = fixture.write_program("refused", refused);
    let output = fixture.run_with(command, &[("NCU", &path)]).assert_exit(2);
    assert!(
        output.stderr.contains("ncu measured no kernel\n==ERROR== ERR_NVGPUCTRPERM"),
        "{output:#?}"
    );
    let nothing = [("NCU", ""), ("PATH", ""), ("CUDA_HOME", "")];
    let output = fixture.run_with(command, &nothing).assert_exit(2);
    assert!(output.stderr.contains("there is no `ncu` here"), "{output:#?}");
}

/// Reads the output of a GPU as if one had been there.
#[test]
fn measured_times_stand_beside_the_counts() {
    let fixture = Fixture::get();
    fixture.run("profile -q -p profiled --registers 32 --save target/measured").assert_exit(0);
    let launch = |nanoseconds: u32| {
        format!(
            r#"{{"kind":"gpu","kernel":"chunks","generics":"","grid":[1,1,1],"block":[256,1,1],"nanoseconds":{nanoseconds}}}"#
        )
    };
    let times = [launch(10_000), launch(14_000)].join("\n");
    fs::write(fixture.root.join("target/measured/of-a-gpu.jsonl"), times).unwrap();
    let output =
        fixture.run("profile -q -p profiled --registers 32 --read target/measured").assert_exit(0);
    let measured =
        "measured by the GPU's events: 12.0 us a launch; the prediction is 0.95 times as long\n";
    assert!(output.stdout.contains(measured), "{output:#?}");
    assert!(output.stdout.contains("warpwise: 4 launches counted\n"), "{output:#?}");
    let page = read_page(&fixture);
    assert!(page.contains("with 2 measured times, and predicted ones"), "{page}");
    assert!(page.contains("<title>launch 2 of chunks: 14.0 us, from 10.0 us</title>"), "{page}");
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
