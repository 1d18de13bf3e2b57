//! Source places of instructions, as LLVM's debug info of line tables.
//!
//! LLVM writes them to PTX as `.loc` and `.file` directives, and keeps them in mind while it
//! optimizes: an instruction of two merged ones has the place of one, or none.
use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};
use warpwise_compiler::{back::ptx::Lines, ir::Span};

/// Number of the first metadata node, greater than those of branches and loops.
const FIRST_NODE: usize = 1_000_000;
const UNIT: usize = FIRST_NODE;
const VERSION: usize = FIRST_NODE + 1;
const SIGNATURE: usize = FIRST_NODE + 2;
const SUBPROGRAM: usize = FIRST_NODE + 3;
const FIRST_FREE: usize = FIRST_NODE + 4;

/// Place: file, line and column. Line 0 is an unknown place.
type Place = [usize; 3];

/// The places of a kernel's instructions.
pub(super) struct DebugInfo<'k> {
    lines: Lines<'k>,
    /// The place of the instructions that follow.
    current: Place,
    /// Metadata nodes of the places so far.
    nodes: BTreeMap<Place, usize>,
}

impl<'k> DebugInfo<'k> {
    pub(super) fn new(lines: Lines<'k>) -> Self {
        Self { lines, current: [0; 3], nodes: BTreeMap::new() }
    }

    /// Enters an instruction with this span; returns the place before.
    pub(super) fn enter(&mut self, span: Span) -> Place {
        let place = self.lines.place(span).unwrap_or([0; 3]);
        std::mem::replace(&mut self.current, place)
    }

    /// Returns to the place before an instruction.
    pub(super) const fn leave(&mut self, before: Place) {
        self.current = before;
    }

    /// Returns the attachment of an LLVM instruction at the current place.
    pub(super) fn attachment(&mut self) -> String {
        let files = self.lines.files.len();
        let next = FIRST_FREE + 2 * files.max(1) + self.nodes.len();
        format!(", !dbg !{}", self.nodes.entry(self.current).or_insert(next))
    }

    /// Returns the attachment of the kernel.
    pub(super) fn subprogram() -> String {
        format!(" !dbg !{SUBPROGRAM}")
    }

    /// Declares all nodes of the kernel called `name`.
    pub(super) fn declare(&self, f: &mut impl Write, name: &str) -> fmt::Result {
        writeln!(f, "!llvm.dbg.cu = !{{!{UNIT}}}\n!llvm.module.flags = !{{!{VERSION}}}")?;
        writeln!(f, "!{VERSION} = !{{i32 2, !\"Debug Info Version\", i32 3}}")?;
        writeln!(
            f,
            "!{UNIT} = distinct !DICompileUnit(language: DW_LANG_Rust, file: !{FIRST_FREE}, isOptimized: true, \
             runtimeVersion: 0, emissionKind: DebugDirectivesOnly)"
        )?;
        writeln!(f, "!{SIGNATURE} = !DISubroutineType(types: !{{}})")?;
        writeln!(
            f,
            "!{SUBPROGRAM} = distinct !DISubprogram(name: \"{name}\", scope: !{FIRST_FREE}, file: !{FIRST_FREE}, \
             line: 0, type: !{SIGNATURE}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{UNIT})"
        )?;
        let no_file = [String::new()];
        let files = if self.lines.files.is_empty() { &no_file[..] } else { self.lines.files };
        for (index, file) in files.iter().enumerate() {
            let node = FIRST_FREE + 2 * index;
            let file = super::string(file.as_bytes());
            writeln!(f, "!{node} = !DIFile(filename: \"{file}\", directory: \"\")")?;
            writeln!(
                f,
                "!{} = !DILexicalBlockFile(scope: !{SUBPROGRAM}, file: !{node}, discriminator: 0)",
                node + 1
            )?;
        }
        self.nodes.iter().try_for_each(|([file, line, column], node)| {
            let scope = FIRST_FREE + 2 * file + 1;
            writeln!(f, "!{node} = !DILocation(line: {line}, column: {column}, scope: !{scope})")
        })
    }
}
