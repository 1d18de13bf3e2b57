//! The source lines of instructions, as `.loc` and `.file` directives.
//!
//! They make the driver's compiler keep a table of lines in the machine code, from which debuggers
//! and profilers show the user's Rust.
use crate::{id::Id as _, ir::Span, places};
use std::fmt;

/// The source places of a kernel's spans.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// Names of source files.
    pub files: &'a [String],
    /// The places by span; [`places`] describes the form.
    pub rows: &'a str,
}

impl Lines<'_> {
    /// Returns the index of the file, line and column of a span; `None` if they are unknown.
    pub fn place(self, span: Span) -> Option<[usize; 3]> {
        places::get(self.rows, span.index()).filter(|[file, ..]| *file < self.files.len())
    }

    /// Returns file, from 1, line and column of a span; `None` if they are unknown.
    pub(super) fn loc(self, span: Span) -> Option<[usize; 3]> {
        self.place(span).map(|[file, line, column]| [file + 1, line, column])
    }

    /// Writes the directives that name the files.
    pub(super) fn declare_files(self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, file) in (1..).zip(self.files) {
            // PTX is ASCII, and a string there has no escapes.
            let name = file.chars().map(|c| match c {
                '\\' => '/',
                ' '..='~' if c != '"' => c,
                _ => '?',
            });
            writeln!(f, ".file {number} \"{}\"", name.collect::<String>())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        back::ptx::{emit, emit_with_lines},
        ir::Kernel,
        target::Target,
    };

    const CLAMP: &str = "kernel clamp {
        param arg0 = x: write [u32] !0
        %0 = builtin global_idx.x : u64 !0
        %1 = len arg0 : u64 !0
        %2 = bounds %0, %1 : u64 !1
        %3 = param arg0 : ptr global !1
        %4 = index %3, %2, 4 : ptr global !1
        %5 = load %4 : u32 !1
        %6 = const 9 : u32 !2
        %7 = gt %5, %6 : bool !2
        %8 = if %7 !2 {
            %9 = store %4, %6 !3
        }
    }";

    #[test]
    fn every_instruction_has_the_line_of_its_span() {
        let kernel: Kernel = CLAMP.parse().unwrap();
        let mut rows = String::new();
        [[0, 3, 1], [0, 4, 5], [0, 5, 9], [1, 6, 9]]
            .into_iter()
            .for_each(|place| places::push(&mut rows, place));
        let files = ["src/lib.rs".to_owned(), "C:\\größe.rs".to_owned()];
        let lines = Lines { files: &files, rows: &rows };
        let text = emit_with_lines(&kernel, Target::OLDEST, Some(lines)).unwrap();
        let mut loc = "";
        let mut of = |wanted: &str| {
            let mut found = None;
            for line in text.lines().map(str::trim) {
                match line.strip_prefix(".loc ") {
                    Some(line) => loc = line,
                    None if line.starts_with(wanted) => found = found.or(Some(loc)),
                    None => {}
                }
            }
            found
        };
        assert_eq!(of("ld.global.u32"), Some("1 4 5"));
        assert_eq!(of("setp.gt.u32"), Some("1 5 9"));
        assert_eq!(of("st.global.u32"), Some("2 6 9"));
        assert!(text.ends_with("}\n.file 1 \"src/lib.rs\"\n.file 2 \"C:/gr??e.rs\"\n"), "{text}");
    }

    #[test]
    fn lines_change_nothing_else() {
        let kernel: Kernel = CLAMP.parse().unwrap();
        let lines = Lines { files: &["a.rs".to_owned()], rows: "0000000010001" };
        let text = emit_with_lines(&kernel, Target::OLDEST, Some(lines)).unwrap();
        let is_code = |line: &&str| !line.contains(".loc ") && !line.starts_with(".file ");
        let rest: String = text.lines().filter(is_code).flat_map(|line| [line, "\n"]).collect();
        assert_eq!(rest, emit(&kernel, Target::OLDEST).unwrap());
    }
}
