//! Source of a kernel with a column for each counter, and the instructions that each line became.
use super::numbers::count;
use crate::profile::report::{KernelProfile, LineProfile, SourceTexts};
use std::collections::{BTreeMap, BTreeSet};
use warpwise::counters::{self, Counts};
use warpwise_compiler::drawing::svg::escape;

/// Limit on the lines without counts that are shown between two lines with counts.
const MAX_CONTEXT_LINES: usize = 6;

/// Column of a counter: name, description, content and tint.
struct CounterColumn {
    name: &'static str,
    title: &'static str,
    cell: fn(&Counts) -> String,
    tint: Tint,
}

/// Tint of a cell.
enum Tint {
    /// Heat: work that is more than needed, as a share of the line's work.
    Excess(fn(&Counts) -> f64),
    /// The line's share of the kernel's work.
    Share(fn(&Counts) -> u64),
}

const COLUMNS: &[CounterColumn] = &[
    CounterColumn {
        name: "instr.",
        title: "instructions, each once for a warp",
        cell: |counts| count(counts.warp_instructions),
        tint: Tint::Share(|counts| counts.warp_instructions),
    },
    CounterColumn {
        name: "active",
        title: "active threads of an instruction, of 32",
        cell: |counts| counts.active_threads().map_or(String::new(), |all| format!("{all:.1}")),
        tint: Tint::Excess(|counts| {
            counts.warp_execution_efficiency().map_or(0.0, |all| 1.0 - all)
        }),
    },
    CounterColumn {
        name: "diverg.",
        title: "divergent branches",
        cell: |counts| count(counts.divergent_branches),
        tint: Tint::Excess(|counts| 1.0 - counts.branch_efficiency()),
    },
    CounterColumn {
        name: "sectors",
        title: "sectors of global memory",
        cell: |counts| count(counts.global().sectors),
        tint: Tint::Share(|counts| counts.global().sectors),
    },
    CounterColumn {
        name: "of need",
        title: "sectors, in times of the expected number",
        cell: |counts| counters::text::excess(counts.global().sectors, counts.global().ideal),
        tint: Tint::Excess(|counts| excess_share(counts.global().sectors, counts.global().ideal)),
    },
    CounterColumn {
        name: "wavefr.",
        title: "wavefronts of shared memory",
        cell: |counts| count(counts.shared().wavefronts),
        tint: Tint::Share(|counts| counts.shared().wavefronts),
    },
    CounterColumn {
        name: "of need",
        title: "wavefronts, in times of the expected number",
        cell: |counts| counters::text::excess(counts.shared().wavefronts, counts.shared().ideal),
        tint: Tint::Excess(|counts| {
            excess_share(counts.shared().wavefronts, counts.shared().ideal)
        }),
    },
    CounterColumn {
        name: "const.",
        title: "wavefronts of constant memory",
        cell: |counts| count(counts.constant_loads.wavefronts),
        tint: Tint::Share(|counts| counts.constant_loads.wavefronts),
    },
    CounterColumn {
        name: "atomics",
        title: "atomic updates, each once for a thread",
        cell: |counts| count(counts.atomics),
        tint: Tint::Share(|counts| counts.atomics),
    },
    CounterColumn {
        name: "barriers",
        title: "barriers that warps reached",
        cell: |counts| count(counts.barriers),
        tint: Tint::Share(|counts| counts.barriers),
    },
    CounterColumn {
        name: "floats",
        title: "operations on floats, each once for a thread",
        cell: |counts| count(counts.floats.all()),
        tint: Tint::Share(|counts| counts.floats.all()),
    },
    CounterColumn {
        name: "bulk",
        title: "bytes of copies in bulk",
        cell: |counts| count(counts.bulk().bytes),
        tint: Tint::Share(|counts| counts.bulk().bytes),
    },
    CounterColumn {
        name: "tensor",
        title: "multiply-adds of tensor cores",
        cell: |counts| count(counts.matrix_products.multiply_adds),
        tint: Tint::Share(|counts| counts.matrix_products.multiply_adds),
    },
];

impl CounterColumn {
    /// Returns the part of the kernel's or the line's work that tints a cell, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "shades of a color")]
    fn strength(&self, counts: &Counts, total: &Counts) -> f64 {
        match self.tint {
            Tint::Excess(excess) => excess(counts),
            Tint::Share(share) => share(counts) as f64 / share(total).max(1) as f64,
        }
    }

    /// Returns the class of a tinted cell.
    const fn tint_class(&self) -> &'static str {
        match self.tint {
            Tint::Excess(_) => "heat",
            Tint::Share(_) => "share",
        }
    }
}

/// Returns the share of `got` that exceeds `expected`.
#[expect(clippy::cast_precision_loss, reason = "shades of a color")]
fn excess_share(got: u64, expected: u64) -> f64 {
    if got > expected { 1.0 - expected as f64 / got as f64 } else { 0.0 }
}

/// Renders the meaning of the tints and of the instructions.
pub(super) fn render_legend(kernel: &KernelProfile) -> String {
    let code = kernel.code.as_ref().map_or_else(String::new, |code| {
        let sass = if code.sass.is_empty() { "PTX" } else { "PTX and machine code" };
        format!(
            " A line opens to the {sass} for {} that it became, compiled by {}.",
            code.target,
            escape(&code.producer)
        )
    });
    format!(
        "<p class=\"legend\"><span class=\"heat\" style=\"--h:.7\">more than needed</span> \
         <span class=\"share\" style=\"--h:.7\">share of the kernel</span>{code}</p>\n"
    )
}

/// Renders the tables, one for each file.
pub(super) fn render_tables(kernel: &KernelProfile, texts: &SourceTexts) -> String {
    let mut files: BTreeMap<&str, BTreeMap<usize, &LineProfile>> = BTreeMap::new();
    for line in &kernel.lines {
        files.entry(&line.file).or_default().insert(line.number, line);
    }
    let total = &kernel.launches.total;
    let is_used = |column: &&CounterColumn| {
        let any = |line: &LineProfile| column.strength(&line.counts, total) > 0.0;
        column.name == "active" || kernel.lines.iter().any(any)
    };
    let columns: Vec<&CounterColumn> = COLUMNS.iter().filter(is_used).collect();
    let table = SourceTable { kernel, columns, texts };
    files.iter().map(|(file, lines)| table.render(file, lines)).collect()
}

/// Table of a file's lines.
struct SourceTable<'r> {
    kernel: &'r KernelProfile,
    columns: Vec<&'r CounterColumn>,
    texts: &'r SourceTexts,
}

impl SourceTable<'_> {
    fn render(&self, file: &str, counted: &BTreeMap<usize, &LineProfile>) -> String {
        let file_name = escape(file);
        let mut text = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{file_name} with counters\">\
             <table class=\"source\"><caption>{file_name}</caption>\n<thead><tr><th scope=\"col\">line</th>"
        );
        for CounterColumn { name, title, .. } in &self.columns {
            text += &format!("<th scope=\"col\"><abbr title=\"{title}\">{name}</abbr></th>");
        }
        text += "<th scope=\"col\" class=\"code\">source</th></tr></thead>\n<tbody>\n";
        let mut before = None;
        for number in self.shown_lines(file, counted) {
            let from = before.map_or(number, |before| before + 1);
            // A short gap between shown lines is shown in full, a long one as an ellipsis.
            if number - from > MAX_CONTEXT_LINES {
                let width = self.columns.len() + 2;
                text += &format!("<tr class=\"gap\"><td colspan=\"{width}\">…</td></tr>\n");
            } else {
                for between in from..number {
                    text += &self.render_row(file, between, None);
                }
            }
            text += &self.render_row(file, number, counted.get(&number).map(|line| &line.counts));
            before = Some(number);
        }
        text + "</tbody></table></div>\n"
    }

    /// Returns the lines that count something or have instructions.
    fn shown_lines(&self, file: &str, counted: &BTreeMap<usize, &LineProfile>) -> BTreeSet<usize> {
        let mut lines: BTreeSet<usize> = counted.keys().copied().collect();
        if let Some(code) = &self.kernel.code {
            let places = code.ptx.keys().chain(code.sass.keys());
            lines.extend(places.filter(|(of, _)| of == file).map(|(_, number)| *number));
        }
        lines
    }

    fn render_row(&self, file: &str, number: usize, counts: Option<&Counts>) -> String {
        let class = if counts.is_some() { "" } else { " class=\"still\"" };
        let mut text = format!("<tr{class}><th scope=\"row\">{number}</th>");
        for column in &self.columns {
            let cell = counts.map(column.cell).filter(|cell| cell != "0").unwrap_or_default();
            let strength =
                counts.map_or(0.0, |counts| column.strength(counts, &self.kernel.launches.total));
            if cell.is_empty() || strength < 0.005 {
                text += &format!("<td>{cell}</td>");
            } else {
                let class = column.tint_class();
                text += &format!("<td class=\"{class}\" style=\"--h:{strength:.2}\">{cell}</td>");
            }
        }
        text + &format!("<td class=\"code\">{}</td></tr>\n", self.render_source(file, number))
    }

    /// Renders a line of source; one that became instructions opens to them.
    fn render_source(&self, file: &str, number: usize) -> String {
        let source = escape(&self.texts.line(file, number).replace('\t', "    "));
        let code = self.kernel.code.as_ref().map(|code| code.of_line(file, number));
        let listings = [("PTX", 0), ("machine code", 1)].map(|(name, index)| {
            let instructions = code.map_or(&[][..], |code| code[index]);
            render_listing(name, instructions)
        });
        match listings.concat() {
            none if none.is_empty() => format!("<code>{source}</code>"),
            listings => format!(
                "<details class=\"line\"><summary><code>{source}</code></summary>{listings}</details>"
            ),
        }
    }
}

/// Renders the instructions of a line; nothing if there are none.
fn render_listing(name: &str, instructions: &[String]) -> String {
    if instructions.is_empty() {
        return String::new();
    }
    let plural = if instructions.len() == 1 { "instruction" } else { "instructions" };
    let lines = instructions.iter().map(|instruction| {
        let words: Vec<&str> = instruction.split_whitespace().collect();
        format!("{}\n", escape(&words.join(" ")))
    });
    format!(
        "<p>{name}, {} {plural}</p><pre><code>{}</code></pre>",
        instructions.len(),
        lines.collect::<String>()
    )
}
