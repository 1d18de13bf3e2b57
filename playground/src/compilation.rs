//! Compiled kernels: parameters, findings, verdicts, IR and PTX.
use serde_json::{Value, json};
use warpwise_compiler::{
    back::ptx,
    compile::{self, CompileError},
    diag::Diagnostic,
    explain,
    id::Id as _,
    ir::{Element, Kernel, Param, ParamKind, Span},
    small_sizes::Sizes,
};
use warpwise_frontend::source::{LoweredKernel, SourceError, SourceKernel, TextRange};

/// A kernel of the source text, as far as it compiles.
pub(crate) struct CompiledKernel {
    source: SourceKernel,
    findings: Vec<Diagnostic>,
    ptx: Result<String, String>,
}

impl CompiledKernel {
    /// Lints a kernel, and compiles it to PTX for the oldest GPU that it runs on.
    pub(crate) fn new(mut source: SourceKernel) -> Self {
        let mut findings = Vec::new();
        if let Ok(lowered) = &source.lowered {
            match compile::check(&lowered.kernel, &lowered.levels) {
                Ok(found) | Err(CompileError::Rejected(found)) => findings = found.0,
                Err(bug) => {
                    let message = bug.to_string();
                    source.lowered = Err(vec![SourceError { at: source.at, message, help: None }]);
                }
            }
        }
        let ptx = match &source.lowered {
            Ok(lowered) => emit(&lowered.kernel),
            Err(_) => Err("the kernel does not compile".to_owned()),
        };
        Self { source, findings, ptx }
    }

    /// Returns the name of the kernel.
    pub(crate) fn name(&self) -> &str {
        &self.source.name
    }

    /// Returns the IR, if there is any.
    pub(crate) fn lowered(&self) -> Option<&LoweredKernel> {
        self.source.lowered.as_ref().ok()
    }

    /// Returns the place of an IR span in the text.
    pub(crate) fn place(&self, span: Span) -> TextRange {
        let places = self.lowered().map_or(&[][..], |lowered| &lowered.places);
        places.get(span.index()).copied().unwrap_or(self.source.at)
    }

    /// Describes the kernel.
    pub(crate) fn to_json(&self) -> Value {
        let lowered = match &self.source.lowered {
            Ok(lowered) => lowered,
            Err(errors) => {
                let errors: Vec<Value> = errors.iter().map(error_to_json).collect();
                return json!({"name": self.name(), "span": range_to_json(self.source.at), "errors": errors});
            }
        };
        let kernel = &lowered.kernel;
        let params: Vec<Value> =
            kernel.params.iter().map(|(_, param)| param_to_json(param)).collect();
        let findings = self.findings.iter().map(|finding| self.finding_to_json(finding));
        let (ptx, ptx_error) = match &self.ptx {
            Ok(text) => (Some(text), None),
            Err(error) => (None, Some(error)),
        };
        json!({
            "name": self.name(),
            "span": range_to_json(self.source.at),
            "errors": [],
            "params": params,
            "block": declared_block(kernel),
            "findings": findings.collect::<Vec<_>>(),
            "verdicts": self.verdicts(kernel),
            "ir": kernel.to_string(),
            "ptx": ptx,
            "ptx_error": ptx_error,
        })
    }

    /// Describes a finding in the form of `cargo warpwise lint --json`.
    fn finding_to_json(&self, finding: &Diagnostic) -> Value {
        let Diagnostic { code, level, message, span, labels, notes, help } = finding;
        let labels = labels.iter().map(|(span, text)| {
            let mut label = range_to_json(self.place(*span));
            label["text"] = json!(text);
            label
        });
        json!({
            "lint": code,
            "level": level.name(),
            "message": message,
            "span": range_to_json(self.place(*span)),
            "labels": labels.collect::<Vec<_>>(),
            "notes": notes,
            "help": help,
        })
    }

    /// Describes the verdicts of `cargo warpwise explain`, without duplicates, in source order.
    fn verdicts(&self, kernel: &Kernel) -> Vec<Value> {
        let mut found: Vec<((usize, usize), Value)> = Vec::new();
        for verdict in explain::verdicts(kernel) {
            let place = self.place(verdict.span);
            let described = json!({
                "span": range_to_json(place),
                "what": verdict.what,
                "answer": verdict.answer.name(),
                "why": verdict.why,
                "lint": verdict.lint,
                "help": verdict.help,
            });
            let described = (place.start, described);
            if !found.contains(&described) {
                found.push(described);
            }
        }
        found.sort_by_key(|(start, _)| *start);
        found.into_iter().map(|(_, described)| described).collect()
    }
}

fn emit(kernel: &Kernel) -> Result<String, String> {
    if !kernel.is_closed() {
        return Err("a generic kernel is compiled when it is launched".to_owned());
    }
    // The listing is of the kernel as written.
    let emit = |kernel: Kernel| Ok(ptx::emit(&kernel, ptx::oldest(&kernel))?);
    let code = compile::compile_plain(kernel.clone(), Sizes::Small, emit);
    code.map_err(|error: CompileError| error.to_string())
}

fn param_to_json(param: &Param) -> Value {
    let Param { name, kind, .. } = param;
    match kind {
        ParamKind::Scalar(scalar) => {
            json!({"name": name, "kind": "scalar", "type": scalar.to_string()})
        }
        ParamKind::Slice { elem, access } => {
            let ty = match elem {
                Element::Scalar(scalar) => scalar.to_string(),
                Element::Plain { size, .. } => format!("{size} bytes"),
            };
            json!({"name": name, "kind": "slice", "type": ty, "access": access.name()})
        }
    }
}

/// Returns the block that the kernel declares, if it is known.
fn declared_block(kernel: &Kernel) -> Option<[u64; 3]> {
    let [x, y, z] = kernel.block.as_ref()?;
    Some([x.known()?, y.known()?, z.known()?])
}

/// Describes an error.
pub(crate) fn error_to_json(error: &SourceError) -> Value {
    let SourceError { at, message, help } = error;
    json!({"span": range_to_json(*at), "message": message, "help": help})
}

/// Describes a range of the text.
pub(crate) fn range_to_json(range: TextRange) -> Value {
    let TextRange { start, end } = range;
    json!({"line": start.0, "column": start.1, "end_line": end.0, "end_column": end.1})
}
