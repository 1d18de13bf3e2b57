//! Source of a kernel with a heat column for each counter.
use crate::profile::report::{KernelProfile, LineProfile, SourceTexts};
use std::collections::BTreeMap;
use warpwise::counters::{self, Counts};
use warpwise_compiler::drawing::svg::escape;

/// Limit on the lines without counts that are shown between two lines with counts.
const MAX_CONTEXT_LINES: usize = 6;

/// Column of a counter: name, description, content and heat.
struct CounterColumn {
    name: &'static str,
    title: &'static str,
    cell: fn(&Counts) -> String,
    heat: fn(&Counts) -> f64,
    /// True if heat is relative to the hottest line; otherwise 1 is the maximum.
    is_relative: bool,
}

#[expect(clippy::cast_precision_loss, reason = "shades of a color")]
const COLUMNS: &[CounterColumn] = &[
    CounterColumn {
        name: "instr.",
        title: "instructions, each once for a warp",
        cell: |counts| counts.warp_instructions.to_string(),
        heat: |counts| counts.warp_instructions as f64,
        is_relative: true,
    },
    CounterColumn {
        name: "active",
        title: "active threads of an instruction, of 32",
        cell: |counts| counts.active_threads().map_or(String::new(), |all| format!("{all:.1}")),
        heat: |counts| counts.warp_execution_efficiency().map_or(0.0, |share| 1.0 - share),
        is_relative: false,
    },
    CounterColumn {
        name: "diverg.",
        title: "divergent branches",
        cell: |counts| counts.divergent_branches.to_string(),
        heat: |counts| counts.divergent_branches as f64,
        is_relative: true,
    },
    CounterColumn {
        name: "sectors",
        title: "sectors of global memory",
        cell: |counts| counts.global().sectors.to_string(),
        heat: |counts| counts.global().sectors as f64,
        is_relative: true,
    },
    CounterColumn {
        name: "of need",
        title: "sectors, in times of what is expected",
        cell: |counts| counters::text::excess(counts.global().sectors, counts.global().ideal),
        heat: |counts| excess_share(counts.global().sectors, counts.global().ideal),
        is_relative: false,
    },
    CounterColumn {
        name: "wavefr.",
        title: "wavefronts of shared memory",
        cell: |counts| counts.shared().wavefronts.to_string(),
        heat: |counts| counts.shared().wavefronts as f64,
        is_relative: true,
    },
    CounterColumn {
        name: "of need",
        title: "wavefronts, in times of what is expected",
        cell: |counts| counters::text::excess(counts.shared().wavefronts, counts.shared().ideal),
        heat: |counts| excess_share(counts.shared().wavefronts, counts.shared().ideal),
        is_relative: false,
    },
    CounterColumn {
        name: "const.",
        title: "wavefronts of constant memory",
        cell: |counts| counts.constant_loads.wavefronts.to_string(),
        heat: |counts| counts.constant_loads.wavefronts as f64,
        is_relative: true,
    },
    CounterColumn {
        name: "atomics",
        title: "atomic updates, each once for a thread",
        cell: |counts| counts.atomics.to_string(),
        heat: |counts| counts.atomics as f64,
        is_relative: true,
    },
    CounterColumn {
        name: "barriers",
        title: "barriers that warps came to",
        cell: |counts| counts.barriers.to_string(),
        heat: |counts| counts.barriers as f64,
        is_relative: true,
    },
    CounterColumn {
        name: "floats",
        title: "operations on floats, each once for a thread",
        cell: |counts| counts.floats.all().to_string(),
        heat: |counts| counts.floats.all() as f64,
        is_relative: true,
    },
];

/// Returns the share of `got` that exceeds `expected`.
#[expect(clippy::cast_precision_loss, reason = "shades of a color")]
fn excess_share(got: u64, expected: u64) -> f64 {
    if got > expected { 1.0 - expected as f64 / got as f64 } else { 0.0 }
}

/// Renders the tables, one for each file.
pub(super) fn render_tables(kernel: &KernelProfile, texts: &SourceTexts) -> String {
    let mut files: BTreeMap<&str, BTreeMap<usize, &LineProfile>> = BTreeMap::new();
    for line in &kernel.lines {
        files.entry(&line.file).or_default().insert(line.number, line);
    }
    let columns: Vec<(&CounterColumn, f64)> = COLUMNS
        .iter()
        .map(|column| {
            let all = kernel.lines.iter().map(|line| (column.heat)(&line.counts));
            (column, all.fold(0.0, f64::max))
        })
        .filter(|(column, hottest)| *hottest > 0.0 || column.name == "active")
        .collect();
    files.iter().map(|(file, lines)| render_table(file, lines, &columns, texts)).collect()
}

fn render_table(
    file: &str,
    lines: &BTreeMap<usize, &LineProfile>,
    columns: &[(&CounterColumn, f64)],
    texts: &SourceTexts,
) -> String {
    let file_name = escape(file);
    let mut text = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{file_name} with counters\">\
         <table class=\"source\"><caption>{file_name}</caption>\n<thead><tr><th scope=\"col\">line</th>"
    );
    for (CounterColumn { name, title, .. }, _) in columns {
        text += &format!("<th scope=\"col\"><abbr title=\"{title}\">{name}</abbr></th>");
    }
    text += "<th scope=\"col\" class=\"code\">source</th></tr></thead>\n<tbody>\n";
    let mut before = None;
    for (&number, line) in lines {
        let from = before.map_or(number, |before| before + 1);
        // A short gap between counted lines is shown in full, a long one as an ellipsis.
        if number - from > MAX_CONTEXT_LINES {
            let width = columns.len() + 2;
            text += &format!("<tr class=\"gap\"><td colspan=\"{width}\">…</td></tr>\n");
        } else {
            for between in from..number {
                text += &render_row(between, None, columns, &texts.line(file, between));
            }
        }
        text += &render_row(number, Some(&line.counts), columns, &texts.line(file, number));
        before = Some(number);
    }
    text + "</tbody></table></div>\n"
}

fn render_row(
    number: usize,
    counts: Option<&Counts>,
    columns: &[(&CounterColumn, f64)],
    source: &str,
) -> String {
    let class = if counts.is_some() { "" } else { " class=\"still\"" };
    let mut text = format!("<tr{class}><th scope=\"row\">{number}</th>");
    for (column, hottest) in columns {
        let cell = counts.map(column.cell).filter(|cell| cell != "0").unwrap_or_default();
        let heat = counts.map_or(0.0, column.heat);
        let heat = if column.is_relative && *hottest > 0.0 { heat / hottest } else { heat };
        if cell.is_empty() || heat < 0.005 {
            text += &format!("<td>{cell}</td>");
        } else {
            text += &format!("<td class=\"heat\" style=\"--h:{heat:.2}\">{cell}</td>");
        }
    }
    let source = escape(&source.replace('\t', "    "));
    text + &format!("<td class=\"code\"><code>{source}</code></td></tr>\n")
}
