//! `explain`, `ir`, `ptx`, `sass` and `doctor`.
use crate::fixture::Fixture;
use std::{fs, path::Path, process::Command};

#[test]
fn a_kernel_is_explained_line_by_line() {
    let fixture = Fixture::get();
    fixture.run("explain -q half").assert_exit(0).assert_prints("explain.txt");
    fixture
        .run("explain -q kernels::inner::odd")
        .assert_exit(0)
        .assert_prints("explain_device.txt");
    let bad = fixture.run("explain -q half --bad").assert_exit(0).stdout;
    assert!(bad.contains("proved bad") && !bad.contains("proved good:"), "{bad}");
    assert!(bad.contains("11 |         sync_threads();") && !bad.contains("x[i] = 1"), "{bad}");
    let lines = fixture.run("explain -q half --json").assert_exit(0).values();
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
        assert_eq!(
            fixture.run(&format!("explain {name}")).assert_exit(0).stdout.trim(),
            page.trim()
        );
        let short = name.strip_prefix("gpu_").unwrap().replace('_', "-");
        assert_eq!(
            fixture.run(&format!("explain {short}")).assert_exit(0).stdout.trim(),
            page.trim()
        );
        let output = fixture.run(&format!("explain {name}x")).assert_exit(2);
        assert!(output.stderr.contains(&format!("did you mean `{name}`")), "{output:#?}");
    }
    let output = fixture.run("explain gpu_zzz").assert_exit(2);
    assert_eq!(output.stderr, "error: there is no lint `gpu_zzz`\n");
}

#[test]
fn metrics_of_other_profilers_are_explained() {
    let fixture = Fixture::get();
    let output = fixture.run("explain branch_efficiency").assert_exit(0);
    assert!(output.stdout.contains("here:       `branch_efficiency()`"), "{output:#?}");
    let by_ncu = fixture.run("explain smsp__sass_average_branch_targets_threads_uniform.pct");
    assert_eq!(by_ncu.assert_exit(0).stdout, output.stdout);
    let output = fixture.run("explain smsp__sass_branch_target.sum").assert_exit(2);
    assert!(output.stderr.contains("did you mean `smsp__sass_branch_targets.sum`"), "{output:#?}");
    let output = fixture.run("explain -q branch_eficiency").assert_exit(2);
    assert!(output.stderr.contains("help: metrics are `branch_efficiency`"), "{output:#?}");
}

/// A registry builds the crate from its package alone.
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
    let ir = fixture.run("ir -q half").assert_exit(0).assert_prints("half.ir");
    for name in ["crate::half", "kernels::half", "kernels/src/lib.rs:14", "lib.rs:8:8"] {
        assert_eq!(
            fixture.run(&format!("ir -q {name}")).assert_exit(0).stdout,
            ir.stdout,
            "{name}"
        );
    }
    // A kernel of an example is found without `--example`.
    let output = fixture.run("ir -q shown").assert_exit(0);
    assert!(output.stdout.starts_with("kernel shown {"), "{output:#?}");
    let output = fixture.run("ir -q haff").assert_exit(2);
    let expected = "error: there is no kernel `haff`\nhelp: did you mean `half`?\n";
    assert_eq!(output.stderr, expected);
    let output = fixture.run("ir -q inner::half").assert_exit(2);
    assert!(output.stderr.starts_with("error: there is no kernel `inner::half`"), "{output:#?}");
}

#[test]
fn generic_kernels_are_bound() {
    let fixture = Fixture::get();
    let output = fixture.run("ptx -q scaled --bind T=f32 --bind N=16").assert_exit(0);
    assert!(output.stdout.starts_with("// Warpwise kernel `scaled`.\n.version "), "{output:#?}");
    assert!(output.stdout.contains("\t// kernels/src/lib.rs:"), "{output:#?}");
    assert!(output.stdout.contains("mul.rn.f32"), "{output:#?}");
    let output = fixture.run("ir -q --optimized scaled --bind T=u32 --bind N=16").assert_exit(0);
    assert!(output.stdout.contains("[u32]") && !output.stdout.contains("generic"), "{output:#?}");
    let output = fixture.run("ptx -q scaled --bind T=f32").assert_exit(2);
    assert!(
        output.stderr.contains("help: bind its parameters, such as --bind N=16"),
        "{output:#?}"
    );
    let output = fixture.run("ptx -q scaled --bind T=bool --bind N=1").assert_exit(2);
    assert!(output.stderr.contains("`T` is an integer or float type"), "{output:#?}");
    let output = fixture.run("ptx -q scaled --bind U=f32").assert_exit(2);
    assert!(output.stderr.contains("help: it has `T` or `N`"), "{output:#?}");
}

#[test]
fn precompiled_instances_have_the_back_end_of_the_build() {
    let fixture = Fixture::get();
    let output = fixture.run("explain -q scaled");
    let producers = "for the parameters f32, 32; for others the built-in back end, when it is first \
                     launched with its parameters bound";
    assert!(output.stdout.contains(producers), "{output:#?}");
    let output = fixture.run("explain -q scaled --bind T=f32 --bind N=32");
    assert!(!output.stdout.contains("first launched"), "{output:#?}");
    let output = fixture.run("ptx -q scaled --backend llvm --bind T=f32 --bind N=32");
    if output.stderr.contains("there is no LLVM to use") {
        return;
    }
    let embedded = fixture.run("ptx -q scaled --bind T=f32 --bind N=32").assert_exit(0);
    assert_eq!(embedded.stdout, output.assert_exit(0).stdout);
}

#[test]
fn the_code_of_large_launches_is_printed_where_it_differs() {
    let fixture = Fixture::get();
    let plain = fixture.run("ptx -q shown --backend builtin").assert_exit(0);
    assert!(!plain.stdout.contains("coarsened_grid"), "{plain:#?}");
    let coarsened = fixture.run("ptx -q shown --backend builtin --coarsened").assert_exit(0);
    assert!(coarsened.stdout.contains(".param .u32 coarsened_grid\n"), "{coarsened:#?}");
    let said = fixture.run("ptx -q half --coarsened").assert_exit(2);
    assert_eq!(said.stderr, "error: large launches of `half` run the same code\n");
}

#[test]
fn the_code_of_launches_that_fulfil_the_contract_has_no_checks() {
    let fixture = Fixture::get();
    let explained = fixture.run("explain -q extra --features extra");
    let note = "note: in launches that fulfil `x.len() >= 1`, the code for a GPU has no checks\n";
    assert!(explained.stdout.contains(note), "{explained:#?}");
    let ptx = |options: &str| {
        let command = format!("ptx -q extra --features extra --backend builtin{options}");
        fixture.run(&command).assert_exit(0).stdout
    };
    let (usual, as_written) = (ptx(""), ptx(" --as-written"));
    assert!(!usual.contains("setp"), "{usual}");
    assert!(as_written.contains("setp"), "{as_written}");
    let both = "ptx -q extra --features extra --as-written --coarsened";
    let said = fixture.run(both).assert_exit(2);
    assert!(said.stderr.contains("cannot be used with"), "{said:#?}");
}

/// Scripts in place of `ptxas` and `nvdisasm`, which print what the programs do.
#[cfg(unix)]
fn fake_assembler(fixture: &Fixture) -> [(&'static str, String); 2] {
    let nvdisasm = "#!/bin/sh\n\
        case \"$*\" in *--print-line-info*) printf '\\t//## File \"0\", line 10\\n' ;; esac\n\
        echo '        /*0000*/                   EXIT ;'\n";
    let ptxas = "#!/bin/sh\necho 'ptxas info    : Used 10 registers, 400 bytes cmem[0]' >&2\n";
    [("PTXAS", ptxas), ("NVDISASM", nvdisasm)]
        .map(|(name, text)| (name, fixture.write_program(&name.to_lowercase(), text)))
}

#[cfg(unix)]
#[test]
fn lines_of_rust_stand_above_the_code_that_they_became() {
    let fixture = Fixture::get();
    let source = "\t// kernels/src/lib.rs:15: x[i] = 1;\n";
    for backend in ["builtin", "llvm"] {
        let command = format!("ptx -q half --backend {backend}");
        let shown = fixture.run(&command).assert_exit(0).stdout;
        let (_, after) = shown.split_once(source).unwrap_or_else(|| panic!("{shown}"));
        assert!(after.contains("st.global"), "{shown}");
        assert!(!shown.contains(".loc") && !shown.contains(".file"), "{shown}");
        let bare = fixture.run(&format!("{command} --no-lines")).assert_exit(0).stdout;
        let is_code = |line: &&str| !line.contains("// kernels/src");
        let code = |text: &str| text.lines().filter(is_code).collect::<Vec<_>>().join("\n");
        assert!(!bare.contains("// kernels/src"), "{bare}");
        assert_eq!(code(&shown), code(&bare).trim_end());
    }
    let fake = fake_assembler(&fixture);
    let fake = fake.each_ref().map(|(name, path)| (*name, path.as_str()));
    let shown = fixture.run_with("sass -q half", &fake).assert_exit(0).stdout;
    let expected = "// Used 10 registers, 400 bytes cmem[0]\n\n\t// kernels/src/lib.rs:10: if lane < 16 {\n        /*0000*/";
    assert!(shown.starts_with(expected), "{shown}");
    let bare = fixture.run_with("sass -q half --no-lines", &fake).assert_exit(0).stdout;
    assert!(!bare.contains("kernels/src/lib.rs"), "{bare}");
    let mix = fixture.run_with("sass -q half --mix", &fake).assert_exit(0).stdout;
    let expected =
        "// Used 10 registers, 400 bytes cmem[0]\n\nEXIT          1  100.0 %\nall           1\n";
    assert_eq!(mix, expected);
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
    let output = fixture.run_with("sass -q half", &nothing).assert_exit(2);
    assert!(output.stderr.contains("pip install nvidia-cuda-nvcc"), "{output:#?}");
}

#[test]
fn a_doctor_warns_of_variables_that_mean_nothing() {
    let fixture = Fixture::get();
    let variables = [("WARPWISE_DEVICE", "cpu"), ("WARPWISE_LINT", "deny")];
    let output = fixture.run_with("doctor", &variables).assert_exit(1);
    assert!(output.summary().starts_with("next: follow the help"), "{output:#?}");
    assert!(output.stdout.contains("`Device::auto()` takes the SIMT interpreter"), "{output:#?}");
    assert!(output.stdout.contains("warn  variable  WARPWISE_LINT=deny"), "{output:#?}");
    let output = fixture.run_with("doctor", &[("WARPWISE_DEVICE", "gpu")]).assert_exit(1);
    assert!(output.stdout.contains("warn  engine"), "{output:#?}");
}
