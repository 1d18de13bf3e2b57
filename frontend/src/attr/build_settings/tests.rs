//! Levels by environment, package and source.
use crate::attr::build_settings::*;

const FLOW: &str = "gpu_barriers_in_divergent_flow";
const RETURNS: &str = "gpu_barriers_after_divergent_returns";

/// A build with these lines in its table, beginning on line 2.
fn build(variable: &str, lines: &str, dependency: bool) -> Build {
    let text = format!("[package.metadata.warpwise.lints]\n{lines}\n");
    Build::new(lints(variable), Some((Path::new("a/Cargo.toml"), &text)), dependency)
}

fn lints(variable: &str) -> Variables {
    Variables { lints: variable.to_owned(), ..Variables::default() }
}

/// The level of a lint where `written` says nothing.
fn level(build: &Build, written: &[(&'static str, Level)], name: &str) -> Level {
    let settings = written.iter().map(|&(lint, level)| Setting::everywhere(lint, level)).collect();
    let lint = LINTS.iter().find(|lint| lint.name == name).unwrap();
    let span = <warpwise_compiler::ir::Span as warpwise_compiler::id::Id>::new(0);
    build.levels_with(&Levels { settings }).level_of(lint, span)
}

#[test]
fn the_environment_is_over_everything() {
    let policy = Policy::new;
    assert_eq!(policy("", false), Ok(Policy::AsWritten));
    assert_eq!(policy("deny", false), Ok(Policy::Deny));
    assert_eq!(policy("off", true), Ok(Policy::Off));
    for value in ["", "warn", "deny"] {
        assert_eq!(policy(value, true), Ok(Policy::Warn), "dependencies only warn");
    }
    assert_eq!(
        policy("dney", false).unwrap_err(),
        "`WARPWISE_LINTS` is `dney`; did you mean `deny`?"
    );
    let text = "`WARPWISE_LINTS` is `everything`, and not one of `off`, `warn`, `deny`";
    assert_eq!(policy("everything", true).unwrap_err(), text);
}

#[test]
fn a_policy_changes_every_level() {
    use Level::{Allow, Deny, Warn};
    let change = |policy: Policy| [Allow, Warn, Deny].map(|level| policy.apply(level));
    assert_eq!(change(Policy::AsWritten), [Allow, Warn, Deny]);
    assert_eq!(change(Policy::Off), [Allow, Allow, Allow]);
    assert_eq!(change(Policy::Warn), [Allow, Warn, Warn]);
    assert_eq!(change(Policy::Deny), [Allow, Deny, Deny]);
}

#[test]
fn levels_in_the_source_are_capped_too() {
    let build = Build::new(Variables::default(), None, true);
    for lint in LINTS {
        assert!(level(&build, &[(lint.name, Level::Deny)], lint.name) <= Level::Warn);
    }
}

#[test]
fn the_source_is_over_the_package_and_that_over_the_lint() {
    let plain = build("", "", false);
    assert_eq!(level(&plain, &[], FLOW), Level::Deny);
    assert!(plain.levels_with(&Levels::default()).settings.is_empty());
    let allows = build("", &format!("{FLOW} = 'allow'"), false);
    assert_eq!(level(&allows, &[], FLOW), Level::Allow);
    assert_eq!(level(&allows, &[(FLOW, Level::Warn)], FLOW), Level::Warn);
    let denied = build("deny", &format!("{FLOW} = {{ level = 'warn' }}"), false);
    assert_eq!(level(&denied, &[], FLOW), Level::Deny);
    let capped = build("", &format!("{RETURNS} = 'deny'"), true);
    assert_eq!(level(&capped, &[], RETURNS), Level::Warn);
}

#[test]
fn a_lint_is_over_its_group_and_that_over_all_in_any_order() {
    let lines = [&format!("{FLOW} = 'deny'"), "gpu_all = 'allow'", "gpu_correctness = 'warn'"];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let build = build("", &order.map(|line| lines[line]).join("\n"), false);
        assert_eq!(build.errors, [""; 0]);
        assert_eq!(level(&build, &[], FLOW), Level::Deny);
        assert_eq!(level(&build, &[], RETURNS), Level::Warn);
    }
}

#[test]
fn mistakes_are_said_with_their_line() {
    let note =
        |line| format!("\n= note: in `[package.metadata.warpwise.lints]` (a/Cargo.toml:{line})");
    let wrong = |line: &str| build("", line, false).errors;
    let cases = [
        (
            "gpu_barrier_in_divergent_flow = 'warn'",
            format!("unknown lint `gpu_barrier_in_divergent_flow`; did you mean `{FLOW}`?"),
        ),
        (
            "correctness = 'warn'",
            "unknown lint `correctness`; did you mean `gpu_correctness`?".to_owned(),
        ),
        ("zebra = 'warn'", "unknown lint `zebra`".to_owned()),
        ("gpu_all = 'denyy'", "the level of `gpu_all` is `denyy`; did you mean `deny`?".to_owned()),
        ("gpu_all = 1", "the level of `gpu_all` is a string: `gpu_all = \"warn\"`".to_owned()),
        ("gpu_all.priority = 1", "`gpu_all` has a `level` and no `priority`".to_owned()),
        ("gpu_all.level.level = 'warn'", "`gpu_all` has a `level` and no `level`".to_owned()),
    ];
    for (line, text) in cases {
        assert_eq!(wrong(line), [text + &note(2)], "{line}");
    }
    assert_eq!(
        wrong("gpu_all = 'warn'\n\nzebra = 'x'"),
        ["unknown lint `zebra`".to_owned() + &note(4)]
    );
    assert_eq!(build("on", "", false).errors.len(), 1);
}

#[test]
fn mistakes_fail_only_workspace_builds_and_are_reported_once() {
    let dependency = build("", "zebra = 'warn'", true);
    let said: Vec<_> = dependency.take_errors().collect();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].1, Level::Warn);
    assert_eq!(dependency.take_errors().count(), 0);
}

#[test]
fn the_environment_names_the_back_end_before_the_kernel_and_that_before_the_package() {
    use Backend::{Builtin, Llvm};
    let build = |variable: &str, lines: &str| {
        let text = format!("[package.metadata.warpwise]\n{lines}\n");
        let variables = Variables { backend: variable.to_owned(), ..Variables::default() };
        Build::new(variables, Some((Path::new("a/Cargo.toml"), &text)), false)
    };
    assert_eq!(build("", "").backend_for(None), None);
    assert_eq!(build("", "backend = 'llvm'").backend_for(None), Some(Llvm));
    assert_eq!(build("", "backend = 'llvm'").backend_for(Some(Builtin)), Some(Builtin));
    assert_eq!(build("llvm", "").backend_for(Some(Builtin)), Some(Llvm));
    let note = "\n= note: in `[package.metadata.warpwise]` (a/Cargo.toml:2)";
    let cases = [
        ("backend = 'lvm'", "`backend` is `lvm`; did you mean `llvm`?"),
        ("backend = 3", "`backend` is a string: `backend = \"llvm\"`"),
        ("backed = 'llvm'", "a setting is `backed`; did you mean `backend`?"),
        ("lints = 3", "`lints` is a table"),
    ];
    for (line, text) in cases {
        assert_eq!(build("", line).errors, [format!("{text}{note}")], "{line}");
    }
    assert_eq!(
        build("gcc", "").errors,
        ["`WARPWISE_BACKEND` is `gcc`, and not one of `builtin`, `llvm`"]
    );
}
