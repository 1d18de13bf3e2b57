//! Records for `cargo warpwise`: per kernel a line of JSON, appended to the file in the environment
//! variable [`RECORD_FILE`].
//!
//! ```text
//! {"warpwise":"0.1.0","kernel":"saxpy","debug_assertions":null,"instance":null,"backend":"llvm",
//!  "precompiled":[],"at":[0,4,4,4,9],"files":["src/lib.rs"],"spans":[[0,5,13,5,27]],"ir":"kernel saxpy {..}",
//!  "diagnostics":[{"code":"gpu_..","level":"warn","message":"..","at":[0,7,9,7,12],
//!                  "labels":[{"at":[0,5,13,5,27],"text":".."}],"notes":[],"help":".."}]}
//! ```
//! A location is the index of its file, then line and column of its start and of its end, counted
//! from 1, in characters. `spans` has a location for every span of the IR. Diagnostics of every
//! level are included, also `allow`; a kernel that lints reject is recorded, too.
//! `debug_assertions` is null unless the kernel has two variants, one for each value. `precompiled`
//! has the bindings of each instance whose code is embedded: `"f32, 16"`.
//!
//! Recorded diagnostics are not reported to rustc, so that dependent crates compile.
use crate::{
    attr::build_settings::RECORD_FILE, output::report::SpanTable, pipeline::Lowered,
    syntax::place::SourceRange,
};
use std::{env, fs::OpenOptions, io, io::Write as _};
use warpwise_compiler::{
    analysis::Analyses,
    back::Backend,
    diag::Diagnostic,
    ir,
    lint::{self, Levels},
    verify::verify,
};

/// The choices of a build for a kernel, or for one of its variants and instances.
#[derive(Clone, Copy)]
pub(crate) struct BuildChoices<'a> {
    /// The value of `debug_assertions`, if there are two variants.
    pub(crate) assertions: Option<bool>,
    /// The instance of `instances(..)`, as it is written there.
    pub(crate) instance: Option<&'a str>,
    pub(crate) backend: Backend,
    /// The bindings of each instance that `precompile(..)` names: `f32, 16`.
    pub(crate) precompiled: &'a [String],
}

/// Records a kernel, if the environment asks for it; returns true if so.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn record_kernel(
    lowered: &Lowered,
    choices: BuildChoices<'_>,
    levels: &Levels,
    places: SpanTable<'_>,
) -> io::Result<bool> {
    let Some(path) = env::var_os(RECORD_FILE) else { return Ok(false) };
    // Lints require a valid kernel.
    if verify(&lowered.kernel).is_err() {
        return Ok(false); // which compiling it says, too
    }
    let mut line = json_record(lowered, choices, levels, places);
    line.push('\n');
    OpenOptions::new().append(true).create(true).open(path)?.write_all(line.as_bytes())?;
    Ok(true)
}

fn json_record(
    lowered: &Lowered,
    BuildChoices { assertions, instance, backend, precompiled }: BuildChoices<'_>,
    levels: &Levels,
    places: SpanTable<'_>,
) -> String {
    let kernel = &lowered.kernel;
    let mut writer = RecordWriter { places, files: Vec::new() };
    let at = writer.range(SourceRange::spanning(places.fallback, places.fallback));
    let spans = json_list(
        lowered.spans.iter().map(|at| writer.range(SourceRange::spanning(at.first, at.last))),
    );
    let found = lint::run_all(kernel, &Analyses::for_kernel(kernel), levels);
    let diagnostics = json_list(found.iter().map(|found| writer.diagnostic(found)));
    let files = json_list(writer.files.iter().map(|file| json_string(file)));
    let assertions = assertions.map_or("null".to_owned(), |on| on.to_string());
    let instance = instance.map_or("null".to_owned(), json_string);
    let precompiled = json_list(precompiled.iter().map(|bindings| json_string(bindings)));
    format!(
        "{{\"warpwise\":{},\"kernel\":{},\"debug_assertions\":{assertions},\"instance\":{instance},\
         \"backend\":\"{backend}\",\"precompiled\":{precompiled},\"at\":{at},\"files\":{files},\"spans\":{spans},\"ir\":{},\"diagnostics\":{diagnostics}}}",
        json_string(env!("CARGO_PKG_VERSION")),
        json_string(&kernel.name),
        json_string(&kernel.to_string()),
    )
}

/// A writer of locations that collects their files.
struct RecordWriter<'a> {
    places: SpanTable<'a>,
    files: Vec<String>,
}

impl RecordWriter<'_> {
    fn diagnostic(&mut self, diagnostic: &Diagnostic) -> String {
        let Diagnostic { code, level, message, span, labels, notes, help } = diagnostic;
        let level = level.name();
        let labels = json_list(labels.iter().map(|(span, text)| {
            format!("{{\"at\":{},\"text\":{}}}", self.span(*span), json_string(text))
        }));
        format!(
            "{{\"code\":{},\"level\":\"{level}\",\"message\":{},\"at\":{},\"labels\":{labels},\
             \"notes\":{},\"help\":{}}}",
            json_string(code),
            json_string(message),
            self.span(*span),
            json_list(notes.iter().map(|note| json_string(note))),
            help.as_ref().map_or("null".to_owned(), |help| json_string(help)),
        )
    }

    fn span(&mut self, span: ir::Span) -> String {
        let (first, last) = self.places.range(span);
        self.range(SourceRange::spanning(first, last))
    }

    fn range(&mut self, range: SourceRange) -> String {
        let SourceRange { start, end: (line, column) } = range;
        let file = self.files.iter().position(|known| *known == start.file).unwrap_or_else(|| {
            self.files.push(start.file);
            self.files.len() - 1
        });
        format!("[{file},{},{},{line},{column}]", start.line, start.column)
    }
}

fn json_list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// Returns `text` as a JSON string.
fn json_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\0'..='\u{1f}' => quoted.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => quoted.push(character),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::span::{Origin, SpanRange};
    use proc_macro2::Span;
    use warpwise_compiler::{diag::Level, lint::Setting};

    #[test]
    fn a_rejected_kernel_is_recorded_with_its_ir_and_findings_of_every_level() {
        let text = "kernel half {
            %0 = builtin thread_idx.x : u64 !0
            %1 = const 16 : u64 !0
            %2 = lt %0, %1 : bool !0
            %3 = if %2 !0 {
                %4 = barrier !1
            }
        }";
        let here = SpanRange { first: Span::call_site(), last: Span::call_site() };
        let lowered = Lowered {
            kernel: text.parse().unwrap(),
            spans: vec![here; 2],
            origins: vec![Origin::Kernel; 2],
            levels: Levels::default(),
            expectations: Vec::new(),
            witnesses: Vec::new(),
            release: None,
        };
        let Lowered { spans, origins, .. } = &lowered;
        let places = SpanTable { spans, origins, fallback: Span::call_site() };
        let code = "gpu_barriers_in_divergent_flow";
        for (level, name) in [(Level::Allow, "allow"), (Level::Deny, "deny")] {
            let levels = Levels { settings: vec![Setting::everywhere(code, level)] };
            let choices = BuildChoices {
                assertions: Some(true),
                instance: Some("f32"),
                backend: Backend::Llvm,
                precompiled: &["16".into(), "32".into()],
            };
            let line = json_record(&lowered, choices, &levels, places);
            let version = format!("{{\"warpwise\":\"{}\",", env!("CARGO_PKG_VERSION"));
            let start = "\"kernel\":\"half\",\"debug_assertions\":true,\"instance\":\"f32\",\
                         \"backend\":\"llvm\",\"precompiled\":[\"16\",\"32\"],\"at\":[0,0,0,0,0],\"files\":[\"<unknown>\"],\"spans\":[[0,0,0,0,0],[0,0,0,0,0]],\
                         \"ir\":\"kernel half {\\n";
            assert!(line.starts_with(&(version + start)), "{line}");
            let found = format!("{{\"code\":\"{code}\",\"level\":\"{name}\",\"message\":\"`sync");
            assert!(line.contains(&found), "{line}");
            assert!(!line.contains('\n'), "{line}");
        }
    }

    #[test]
    fn text_is_quoted_as_json_has_it() {
        assert_eq!(json_string("a\"b\\c\nd\te→f"), "\"a\\\"b\\\\c\\nd\\u0009e→f\"");
    }
}
