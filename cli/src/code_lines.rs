//! Source lines of compiled code: the instructions of PTX and of machine code, with the lines of
//! Rust that they come from.
//!
//! Compilers write places as names of files and numbers of lines. PTX is ASCII, so a [`LineTable`]
//! numbers the files, and the names in the code are these numbers.
use crate::{
    color::Paint,
    project::Kernel,
    sources::{Place, Sources},
};
use annotate_snippets::renderer::AnsiColor;
use std::collections::{BTreeMap, HashMap};
use warpwise_compiler::{back::ptx::Lines, places};

/// The places of a kernel's spans, in the form that back ends take.
pub(crate) struct LineTable {
    /// A place in each file.
    files: Vec<Place>,
    /// Numbers of the files as names.
    names: Vec<String>,
    rows: String,
}

/// Line of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeLine<'t> {
    pub(crate) text: &'t str,
    /// Number of the file in the [`LineTable`], and line, of an instruction that has them.
    place: Option<(usize, usize)>,
    is_instruction: bool,
}

impl<'t> CodeLine<'t> {
    /// Returns the name of an instruction of machine code, without modifiers: `LDS` of
    /// `/*0180*/ @!P0 LDS.128 R8, [R0] ;`.
    pub(crate) fn opcode(&self) -> Option<&'t str> {
        let (_, text) = self.text.split_once("*/").filter(|_| self.is_instruction)?;
        let mut words = text.split_whitespace().filter(|word| !word.starts_with('@'));
        words.next()?.split(['.', ';']).next()
    }
}

/// Instructions by displayed path and line of their source.
pub(crate) type InstructionsByLine = BTreeMap<(String, usize), Vec<String>>;

impl LineTable {
    /// Collects the places of a kernel.
    pub(crate) fn new(kernel: &Kernel) -> Self {
        let mut files: Vec<Place> = Vec::new();
        let mut rows = String::new();
        for &span in &kernel.spans {
            let known = files.iter().position(|file| Sources::are_in_one_file(*file, span));
            let file = known.unwrap_or_else(|| {
                files.push(span);
                files.len() - 1
            });
            places::push(&mut rows, [file, span.start.0, span.start.1]);
        }
        let names = (0..files.len()).map(|number| number.to_string()).collect();
        Self { files, names, rows }
    }

    /// Returns the table as a back end takes it.
    pub(crate) fn for_emission(&self) -> Lines<'_> {
        Lines { files: &self.names, rows: &self.rows }
    }

    /// Renders a listing with each source line above the instructions that come from it.
    pub(crate) fn interleave(
        &self,
        code: &[CodeLine<'_>],
        sources: &Sources,
        paint: Paint,
    ) -> String {
        let mut text = String::new();
        let mut shown = None;
        for line in code {
            if line.is_instruction && line.place != shown {
                text += &line.place.map_or_else(String::new, |(file, number)| {
                    self.source_comment(file, number, sources, paint)
                });
                shown = line.place;
            }
            text += line.text;
            text.push('\n');
        }
        text
    }

    fn source_comment(
        &self,
        file: usize,
        number: usize,
        sources: &Sources,
        paint: Paint,
    ) -> String {
        let Some(&place) = self.files.get(file) else { return String::new() };
        let lines = sources.file_text(place).map(str::lines);
        let source = lines.and_then(|mut lines| lines.nth(number - 1)).unwrap_or_default();
        let comment = format!("// {}:{number}: {}", sources.display_path(place), source.trim());
        let comment = paint.bold(AnsiColor::BrightBlue, comment.trim_end_matches([' ', ':']));
        format!("\t{comment}\n")
    }

    /// Groups the instructions of a listing by source line.
    pub(crate) fn group_by_line(
        &self,
        code: &[CodeLine<'_>],
        sources: &Sources,
    ) -> InstructionsByLine {
        let mut groups = InstructionsByLine::new();
        for line in code.iter().filter(|line| line.is_instruction) {
            let place = line.place.and_then(|(file, number)| Some((self.files.get(file)?, number)));
            if let Some((&file, number)) = place {
                let key = (sources.display_path(file).to_owned(), number);
                groups.entry(key).or_default().push(line.text.trim().to_owned());
            }
        }
        groups
    }
}

/// Parses PTX with `.loc` directives, which are left out of the result.
pub(crate) fn parse_ptx(ptx: &str) -> Vec<CodeLine<'_>> {
    let files: HashMap<&str, usize> = ptx.lines().filter_map(parse_file_directive).collect();
    let mut code = Vec::new();
    let mut place = None;
    for text in ptx.lines() {
        let trimmed = text.trim();
        if let Some(loc) =
            trimmed.strip_prefix(".loc").filter(|rest| rest.starts_with(char::is_whitespace))
        {
            let mut words = loc.split_whitespace();
            let file = words.next().and_then(|number| files.get(number)).copied();
            let number = words.next().and_then(|number| number.parse().ok()).filter(|&n| n != 0);
            place = file.zip(number);
            continue;
        }
        if parse_file_directive(text).is_some() || is_debug_info(trimmed) {
            continue;
        }
        let is_instruction = trimmed.ends_with(';') && !trimmed.starts_with(['.', '/']);
        code.push(CodeLine { text, place: place.filter(|_| is_instruction), is_instruction });
    }
    code
}

/// Parses `.file 1 "0"` to the number in directives and the number in the [`LineTable`].
fn parse_file_directive(line: &str) -> Option<(&str, usize)> {
    let (number, name) =
        line.trim().strip_prefix(".file")?.trim().split_once(char::is_whitespace)?;
    let name = name.trim().trim_matches('"');
    let name = name.rsplit('/').next().unwrap_or(name);
    Some((number, name.parse().ok()?))
}

/// Returns true for labels and sections that LLVM writes for debug info alone.
fn is_debug_info(line: &str) -> bool {
    let is_label = ["$L__func_begin", "$L__func_end", "$L__tmp"]
        .iter()
        .any(|name| line.starts_with(name) && line.ends_with(':'));
    is_label || (line.starts_with(".section") && line.contains(".debug_"))
}

/// Parses machine code as `nvdisasm --print-line-info` prints it, and without its lines as
/// `cuobjdump` does.
pub(crate) fn parse_sass(sass: &str) -> Vec<CodeLine<'_>> {
    let mut code = Vec::new();
    let mut place = None;
    for text in sass.lines() {
        let trimmed = text.trim();
        if let Some(line) = trimmed.strip_prefix("//## File \"") {
            place = parse_sass_place(line);
            continue;
        }
        let is_instruction = trimmed.starts_with("/*") && trimmed.contains(';');
        code.push(CodeLine { text, place: place.filter(|_| is_instruction), is_instruction });
    }
    code
}

/// Parses `0", line 7`.
fn parse_sass_place(text: &str) -> Option<(usize, usize)> {
    let (name, rest) = text.split_once("\", line ")?;
    let name = name.rsplit('/').next().unwrap_or(name);
    let number = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    Some((name.parse().ok()?, number)).filter(|(_, number)| *number != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(code: &[CodeLine<'_>]) -> Vec<(String, Option<(usize, usize)>)> {
        let instructions = code.iter().filter(|line| line.is_instruction);
        instructions.map(|line| (line.text.trim().to_owned(), line.place)).collect()
    }

    #[test]
    fn instructions_of_ptx_have_the_last_place_before_them() {
        let ptx = "// Warpwise\n.version 8.0\n.entry k()\n{\n\t.local .b8 own[8];\n\t.reg .b32 %r<2>;\n\tmov.u32 %r1, 1;\n\
                   \t.loc 2 5 9\n\tadd.s32 %r1, %r1, 1;\n$L__tmp0:\n\t.loc 1 0 0\n\tret;\n\
                   $end:\n}\n.file 1 \"0\"\n.file\t2 \"1\"\n";
        let code = parse_ptx(ptx);
        let expected = [
            ("mov.u32 %r1, 1;".to_owned(), None),
            ("add.s32 %r1, %r1, 1;".to_owned(), Some((1, 5))),
            ("ret;".to_owned(), None),
        ];
        assert_eq!(places(&code), expected);
        let rest: Vec<&str> = code.iter().map(|line| line.text.trim()).collect();
        assert!(rest.contains(&".local .b8 own[8];"), "{rest:?}");
        assert!(rest.contains(&"$end:") && !rest.contains(&"$L__tmp0:"), "{rest:?}");
        assert!(!rest.iter().any(|line| line.starts_with(".loc ") || line.starts_with(".file")));
    }

    #[test]
    fn instructions_of_machine_code_have_the_place_above_them() {
        let sass = ".text.k:\n\t//## File \"0\", line 4\n        /*0000*/  LDC R1, c[0x0][0x28] ;\n\
                    \t//## File \"1\", line 7 inlined at \"0\", line 4\n        /*0010*/  EXIT ;\n.L_x_0:\n";
        let expected = [
            ("/*0000*/  LDC R1, c[0x0][0x28] ;".to_owned(), Some((0, 4))),
            ("/*0010*/  EXIT ;".to_owned(), Some((1, 7))),
        ];
        assert_eq!(places(&parse_sass(sass)), expected);
        let bare = places(&parse_sass("        /*0000*/   EXIT ;   /* 0x00000a00ff017b82 */\n"));
        assert_eq!(bare.len(), 1);
        assert_eq!(bare[0].1, None);
    }
}
