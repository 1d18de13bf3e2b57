//! Rules for the rows of a page's tables, which ensure that each row is tested.
//!
//! A section is the text between two headings. In its tables, the code in a column with one of
//! these [titles](TESTED) must be part of a program of the same section, up to white space; `…`
//! stands for any code. Such a cell may instead state [why](NOTHING) there is no code.
//!
//! A table of rejected code has the columns `rejected`, `message` and perhaps `instead`: code and
//! its message, as in `tests/ui`, and the code to write, which is tested as above.
//!
//! Tables of reference pages, [these](REFERENCES), have at least one such column.
//!
//! A `text` block that begins with `error` or `warning`, in [these pages](QUOTING), quotes lines of
//! one case of `tests/ui`.
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Titles of columns with tested code.
const TESTED: [&str; 5] = ["kernel code", "host code", "attribute", "Warpwise", "instead"];

/// The beginnings of cells without code in such a column.
const NOTHING: [&str; 2] = ["not yet", "nothing"];

/// Pages in which every table is tested.
const REFERENCES: [&str; 2] = ["docs/language.md", "docs/cuda.md"];

/// Pages whose `text` blocks of messages are quotations.
const QUOTING: [&str; 2] = ["docs/making-it-fast.md", "docs/when-it-does-not-compile.md"];

/// Returns the defects in the tables of `page`, a path from the workspace's root.
pub(super) fn wrong(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).expect("the build read it, too");
    wrong_in(page, &text)
}

fn wrong_in(page: &str, text: &str) -> Vec<String> {
    let cases = Cases::read();
    let mut wrong = Vec::new();
    for section in sections(text) {
        for table in &section.tables {
            let tested = table.titles.iter().any(|title| {
                TESTED.contains(&title.as_str()) || title == "rejected" || title == "message"
            });
            if !tested && REFERENCES.contains(&page) {
                wrong.push(format!("{page}:{}: no column of this table is tested", table.line));
            }
            for row in &table.rows {
                let said = row.wrong(&table.titles, &section.code, &cases);
                wrong.extend(said.into_iter().map(|what| format!("{page}:{}: {what}", row.line)));
            }
        }
    }
    if QUOTING.contains(&page) {
        let unknown = messages(text).filter(|(_, quoted)| !cases.say(quoted));
        wrong
            .extend(unknown.map(|(line, _)| format!("{page}:{line}: no case of tests/ui says so")));
    }
    wrong
}

/// Returns the `text` blocks that begin with a message of rustc, with their lines from 1.
fn messages(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let blocks = text.match_indices("\n```text\n").filter_map(|(at, fence)| {
        let (block, _) = text[at + fence.len()..].split_once("\n```")?;
        Some((text[..=at].lines().count() + 1, block))
    });
    blocks.filter(|(_, block)| ["error", "warning"].iter().any(|start| block.starts_with(start)))
}

/// Returns true if rows and quotations without a program or case are found.
pub(super) fn finds_what_is_missing() -> bool {
    let row = |titles: &str, row: &str| {
        let page =
            format!("## A\n\n|{titles}|\n|--|--|\n|{row}|\n\n```rust\nlet a = b\n    .c();\n```\n");
        wrong_in(REFERENCES[0], &page).len()
    };
    let mut counts = [
        (row("kernel code|", "`b.c()`|"), 0),
        (row("kernel code|", "`let … .c()`|"), 0),
        (row("Warpwise|why", "not yet|"), 0),
        (row("kernel code|", "`b.d()`|"), 1),
        (row("Warpwise|why", "none|"), 1),
        (row("what|why", "`b.c()`|"), 1),
        (row("rejected|message", "`let letter = 'x';`|kernel code cannot use the type `char`"), 0),
        (row("rejected|message", "`let letter = 'x';`|kernel code cannot use the type `chars`"), 1),
    ]
    .into_iter();
    let quotation = "\n```text\nerror: nobody says so\n```\n";
    counts.all(|(found, expected)| found == expected) && wrong_in(QUOTING[0], quotation).len() == 1
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text between two headings.
#[derive(Default)]
struct Section {
    tables: Vec<Table>,
    /// The programs, without white space.
    code: String,
}

struct Table {
    line: usize,
    titles: Vec<String>,
    rows: Vec<Row>,
}

struct Row {
    line: usize,
    cells: Vec<String>,
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let mut fence: Option<bool> = None;
    let mut in_table = false;
    for (number, line) in text.lines().enumerate() {
        let section = sections.last_mut().expect("there is always one");
        match (line.strip_prefix("```"), fence) {
            (Some(info), None) => fence = Some(info == "rust"),
            (Some(_), Some(_)) => fence = None,
            (None, Some(true)) => section.code += &squeezed(line),
            (None, Some(false)) => {}
            (None, None) if line.starts_with('|') => {
                let (line, cells) = (number + 1, cells(line));
                match section.tables.last_mut() {
                    Some(table) if in_table => {
                        let is_ruler =
                            cells.iter().all(|cell| cell.chars().all(|c| "-: ".contains(c)));
                        if !is_ruler {
                            table.rows.push(Row { line, cells });
                        }
                    }
                    _ => section.tables.push(Table { line, titles: cells, rows: Vec::new() }),
                }
            }
            (None, None) if line.starts_with('#') => sections.push(Section::default()),
            (None, None) => {}
        }
        in_table = line.starts_with('|') && fence.is_none();
    }
    sections
}

/// Returns the cells of a line of a table, in which `\|` is a bar.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().strip_prefix('|').unwrap_or(line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let escaped = inner.replace("\\|", "\u{1}");
    escaped.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the code between backticks.
fn codes(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns true if `text` has the parts of `code` between `…`, in order.
fn has(text: &str, code: &str) -> bool {
    let mut rest = text;
    squeezed(code).split('…').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

impl Row {
    /// Returns the defects of the row, given the titles of its table and the programs of its
    /// section.
    fn wrong(&self, titles: &[String], programs: &str, cases: &Cases) -> Vec<String> {
        if self.cells.len() != titles.len() {
            return vec![format!("{} cells, and {} titles", self.cells.len(), titles.len())];
        }
        let mut wrong = Vec::new();
        let mut rejected = None;
        for (title, cell) in titles.iter().zip(&self.cells) {
            match title.as_str() {
                "rejected" => rejected = Some(cell),
                "message" => {
                    let code = rejected.map(String::as_str).unwrap_or_default();
                    if !cases.reject(codes(code), cell) {
                        wrong.push(format!("no case of tests/ui has {code} and says: {cell}"));
                    }
                }
                title if TESTED.contains(&title) => {
                    let none = NOTHING.iter().any(|start| cell.starts_with(start));
                    if codes(cell).next().is_none() && !none && title != "instead" {
                        wrong.push(format!("no code under `{title}`: `{cell}`"));
                    }
                    if !none {
                        let missing = codes(cell).filter(|code| !has(programs, code));
                        wrong.extend(missing.map(|code| format!("no program here has `{code}`")));
                    }
                }
                _ => {}
            }
        }
        wrong
    }
}

/// The cases of `tests/ui`: each a program and its messages.
struct Cases(Vec<(String, String)>);

impl Cases {
    fn read() -> Self {
        let mut cases = Vec::new();
        let ui = root().join("tests/ui");
        for folder in fs::read_dir(ui).expect("the suite is there").flatten() {
            for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let path = file.path();
                let said = fs::read_to_string(path.with_extension("stderr"));
                if let (true, Ok(said)) = (path.extension().is_some_and(|it| it == "rs"), said) {
                    let program = fs::read_to_string(&path).expect("it was listed");
                    cases.push((squeezed(&program), said));
                }
            }
        }
        Self(cases)
    }

    /// Returns true if the messages of a case contain all of these lines.
    fn say(&self, quoted: &str) -> bool {
        self.0.iter().any(|(_, said)| {
            quoted.lines().all(|line| said.lines().any(|told| told.trim() == line.trim()))
        })
    }

    /// Returns true if a case contains all of `codes`, and has the error `message`.
    fn reject<'c>(&self, codes: impl Iterator<Item = &'c str>, message: &str) -> bool {
        let codes: Vec<&str> = codes.collect();
        self.0.iter().any(|(program, said)| {
            codes.iter().all(|code| has(program, code))
                && said.lines().any(|line| {
                    line.starts_with("error")
                        && line.split_once(": ").is_some_and(|(_, text)| text == message)
                })
        })
    }
}
