//! Lints of kernels that are bound at a launch: records of the `log` crate, target
//! `warpwise::lint`.
//!
//! When a generic kernel is built, lints report only findings that do not depend on its parameters.
//! At its first launch with some bindings they run again, and new findings are logged, as a warning
//! or, where the lint is denied, as an error. No launch fails by it, and the code that runs is the
//! same. Lints on launches (`launch_lints`) write to the same log.
//!
//! Lints do not run without a logger that takes warnings of this target, nor with
//! `WARPWISE_LINTS=off`.
use crate::launch::source::{LintLevel, Source};
use log::{Record, logger};
use std::{fmt::Write as _, sync::OnceLock};
use warpwise_compiler::{
    analysis::Analyses,
    diag::{Diagnostic, Level},
    id::Id as _,
    ir::{GenericKind, Kernel, Scalar, number},
    lint::{self, LINTS, Levels, Setting},
    specialize::Binding,
};

/// The target of the records.
const TARGET: &str = "warpwise::lint";

impl Source {
    /// Returns the levels of lints in this kernel.
    pub(crate) fn lint_levels(&self) -> Levels {
        let settings = self.levels.iter().filter_map(|LintLevel { lint, level, within }| {
            let lint = LINTS.iter().find(|known| known.name == *lint)?.name;
            let within = within.map(|(first, end)| first as usize..end as usize);
            Some(Setting { within, ..Setting::everywhere(lint, *level) })
        });
        Levels { settings: settings.collect() }
    }
}

/// Returns true if a logger takes warnings of lints.
pub(crate) fn is_enabled() -> bool {
    static OFF: OnceLock<bool> = OnceLock::new();
    log::log_enabled!(target: TARGET, log::Level::Warn)
        && !OFF.get_or_init(|| std::env::var_os("WARPWISE_LINTS").is_some_and(|said| said == "off"))
}

/// Logs what the lints find in `bound`, which is the kernel of `source` with these bindings, and
/// did not find without them.
pub(crate) fn log_new_findings(source: &Source, bindings: &[Binding], bound: &Kernel) {
    if bindings.is_empty() || !is_enabled() {
        return;
    }
    // The text was parsed before, so there is no error to report.
    let Ok(open) = source.ir.parse::<Kernel>() else { return };
    let with = format!("with {}", bindings_text(&open, bindings));
    for diagnostic in new_diagnostics(source, &open, bound) {
        log_diagnostic(&diagnostic, source, &with);
    }
}

/// Returns the diagnostics of `bound` that `open` does not have.
fn new_diagnostics(source: &Source, open: &Kernel, bound: &Kernel) -> Vec<Diagnostic> {
    let levels = source.lint_levels();
    let run = |kernel: &Kernel| lint::run(kernel, &Analyses::for_kernel(kernel), &levels).0;
    let mut found = run(bound);
    if found.is_empty() {
        return found;
    }
    let reported = run(open);
    found.retain(|new| !reported.iter().any(|old| old.code == new.code && old.span == new.span));
    let mut once: Vec<Diagnostic> = Vec::with_capacity(found.len());
    for diagnostic in found {
        if !once.contains(&diagnostic) {
            once.push(diagnostic);
        }
    }
    once
}

/// Logs one record: the lint, the kernel with its `circumstances`, the message, notes and help.
pub(crate) fn log_diagnostic(found: &Diagnostic, source: &Source, circumstances: &str) {
    let Diagnostic { code, level, message, span, labels, notes, help } = found;
    let level = match level {
        Level::Allow => return,
        Level::Warn => log::Level::Warn,
        Level::Deny => log::Level::Error,
    };
    let place = source.place(span.index());
    let mut text = format!("{code}: `{}` {circumstances}: {message} ({place})", source.name);
    for (span, label) in labels {
        let _ = write!(text, "; note: {label} ({})", source.place(span.index()));
    }
    for note in notes {
        let _ = write!(text, "; note: {note}");
    }
    if let Some(help) = help {
        let _ = write!(text, "; help: {help}");
    }
    let mut record = Record::builder();
    record.target(TARGET).level(level).file_static(Some(place.file)).line(Some(place.line));
    logger().log(&record.args(format_args!("{text}")).build());
}

/// Logs a warning that belongs to no lint.
pub(crate) fn log_warning(text: &str) {
    let mut record = Record::builder();
    record.target(TARGET).level(log::Level::Warn);
    logger().log(&record.args(format_args!("{text}")).build());
}

/// Returns the bindings of generic parameters as a text: `T = f32, N = 8`.
fn bindings_text(open: &Kernel, bindings: &[Binding]) -> String {
    let generics = open.generics.iter().map(|(_, generic)| generic);
    let bound = generics.zip(bindings).map(|(generic, binding)| {
        let value = match (&generic.kind, *binding) {
            (_, Binding::Type(scalar)) => scalar.to_string(),
            (GenericKind::Const(scalar), Binding::Const(bits)) => number(*scalar, bits).to_string(),
            (GenericKind::Type(_), Binding::Const(bits)) => number(Scalar::U64, bits).to_string(),
        };
        format!("`{} = {value}`", generic.name)
    });
    bound.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::source::Places;
    use std::sync::{Mutex, Once};

    /// Records so far, each with its level, file and line.
    static RECORDS: Mutex<Vec<(log::Level, &str, u32, String)>> = Mutex::new(Vec::new());

    struct Keeper;

    impl log::Log for Keeper {
        fn enabled(&self, metadata: &log::Metadata<'_>) -> bool {
            metadata.target() == "warpwise::lint"
        }
        fn log(&self, record: &Record<'_>) {
            let file = record.file_static().unwrap_or_default();
            let line = record.line().unwrap_or_default();
            let text = record.args().to_string();
            RECORDS.lock().unwrap().push((record.level(), file, line, text));
        }
        fn flush(&self) {}
    }

    /// Returns the log records of the kernel `name`, whose text is `OPEN`, bound to be `bound`.
    fn logged(
        name: &'static str,
        levels: Vec<LintLevel>,
        bindings: &[Binding],
        bound: &str,
    ) -> Vec<(log::Level, &'static str, u32, String)> {
        static START: Once = Once::new();
        START.call_once(|| {
            log::set_logger(&Keeper).unwrap();
            log::set_max_level(log::LevelFilter::Trace);
        });
        let rows = "000000003000500000000400090000000070009";
        let places = Places { files: &["src/k.rs"], rows };
        let source = Source {
            name,
            ir: OPEN,
            code: None,
            precompiled: &[],
            may_use_llvm: true,
            places,
            levels: levels.leak(),
        };
        log_new_findings(&source, bindings, &bound.parse().unwrap());
        let own = format!("`{name}` with");
        let mut records = RECORDS.lock().unwrap();
        records.extract_if(.., |(.., text)| text.contains(&own)).collect()
    }

    const OPEN: &str = "kernel k {
        block 32, 1, 1
        generic T0 = T: type num !0
        generic T1 = N: const i32 !0
        %0 = builtin thread_idx.x : u64 !0
        %1 = const 16 : u64 !0
        %2 = lt %0, %1 : bool !0
        %3 = if %2 !0 {
            %4 = barrier !1
        }
    }";
    const BOUND: &str = "kernel k {
        block 32, 1, 1
        %0 = builtin thread_idx.x : u64 !0
        %1 = const 16 : u64 !0
        %2 = lt %0, %1 : bool !0
        %3 = if %2 !0 {
            %4 = barrier !1
            %5 = barrier !2
            %6 = barrier !2
        }
    }";
    const BINDINGS: [Binding; 2] = [Binding::Type(Scalar::F32), Binding::Const(0xffff_ffff)];

    #[test]
    fn findings_that_need_bindings_are_logged_once() {
        let records = logged("once", Vec::new(), &BINDINGS, BOUND);
        let [(level, file, line, text)] = &records[..] else { panic!("{records:?}") };
        assert_eq!((*level, *file, *line), (log::Level::Error, "src/k.rs", 7));
        let start = "gpu_barriers_in_divergent_flow: `once` with `T = f32`, `N = -1`: \
                     `sync_threads()` is not reached by every thread of the block (src/k.rs:7:9); \
                     note: control flow depends on this condition (src/k.rs:3:5); note: ";
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains("; help: move the barrier"), "{text}");
    }

    #[test]
    fn levels_are_those_of_the_build() {
        let level =
            |level, within| LintLevel { lint: "gpu_barriers_in_divergent_flow", level, within };
        let warned = logged("warned", vec![level(Level::Warn, None)], &BINDINGS, BOUND);
        assert_eq!(warned.len(), 1);
        assert_eq!(warned[0].0, log::Level::Warn);
        let outer = vec![level(Level::Warn, None), level(Level::Allow, Some((2, 3)))];
        assert_eq!(logged("allowed", outer, &BINDINGS, BOUND), []);
        let elsewhere = vec![level(Level::Allow, Some((1, 2)))];
        assert_eq!(logged("elsewhere", elsewhere, &BINDINGS, BOUND).len(), 1);
    }

    #[test]
    fn closed_kernels_are_not_linted_again() {
        assert_eq!(logged("closed", Vec::new(), &[], BOUND), []);
        assert_eq!(logged("same", Vec::new(), &BINDINGS, OPEN), []);
    }
}
