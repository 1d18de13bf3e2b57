//! The report as a self-contained HTML page: without network access or fonts, and usable without
//! its script.
mod comparison;
mod curves;
mod header;
mod histograms;
mod numbers;
mod roofline;
mod source;
mod timeline;
mod verdicts;

use super::{
    read::{Access, AccessKind, Space},
    report::{Excess, KernelProfile, LineProfile, Report},
    text,
};
pub(super) use header::PageHeader;
use numbers::count;
use roofline::Peak;
use warpwise::counters::{self, text::times};
use warpwise_compiler::drawing::{self, request::draw_request, svg::escape};

/// Number of accesses that are drawn, and of those that are open initially.
const MAX_DRAWN_ACCESSES: usize = 8;
const INITIALLY_OPEN_ACCESSES: usize = 2;

/// Renders the page.
pub(super) fn render(report: &Report, header: &PageHeader) -> String {
    let style = include_str!("page.css");
    let script = include_str!("page.js");
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Warpwise profile</title>\n\
         <style>\n{style}{}</style>\n</head>\n<body>\n<header><h1>Warpwise profile</h1>\n{}{}</header>\n<main>\n",
        drawing::STYLE,
        header.render(report),
        render_introduction(report)
    );
    page += &comparison::render_comparison(report);
    page += &verdicts::render_verdicts(report);
    page += &render_kernel_list(report);
    page += &timeline::render_timeline(report);
    page += &render_roofline(report);
    for (index, kernel) in report.kernels.iter().enumerate() {
        page += &render_kernel(report, kernel, index + 1);
    }
    page + &format!("</main>\n<script>\n{script}</script>\n</body>\n</html>\n")
}

fn render_introduction(report: &Report) -> String {
    let times = match (report.gpu, report.kernels.iter().any(|kernel| kernel.is_measured())) {
        (_, true) => "Times are measured where it says so, and otherwise predicted.".to_owned(),
        (Some(gpu), false) => {
            format!(
                "Times are predictions of the time model for {}, and nothing is measured.",
                gpu.name
            )
        }
        (None, false) => String::new(),
    };
    let mut text = format!(
        "<p>The work of kernels on the SIMT interpreter, counted as hardware counts it. {times}</p>\n"
    );
    let mut note = |said: String| text += &format!("<p class=\"note\">{}</p>\n", escape(&said));
    if let Some(status) = &report.failed {
        note(format!("The program failed ({status}); this is what it launched before."));
    }
    for (kernel, reason) in &report.stopped {
        note(format!("A launch of {kernel} was given up and is not counted: {reason}"));
    }
    if report.on_gpu != 0 {
        note(format!("{} launches ran on a GPU and are not counted.", report.on_gpu));
    }
    text
}

/// Renders the list of kernels with their totals.
fn render_kernel_list(report: &Report) -> String {
    let target = report.multiprocessor.target;
    let mut text = format!(
        "<section aria-labelledby=\"kernels\"><h2 id=\"kernels\">Kernels</h2>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"kernels and their totals\"><table>\n\
         <thead><tr><th scope=\"col\">kernel</th><th scope=\"col\">launches</th>\
         <th scope=\"col\">instructions</th><th scope=\"col\">active threads</th>\
         <th scope=\"col\">divergent</th><th scope=\"col\">sectors</th><th scope=\"col\">of need</th>\
         <th scope=\"col\">wavefronts</th><th scope=\"col\">of need</th>\
         <th scope=\"col\">occupancy on {target}</th></tr></thead>\n<tbody>\n"
    );
    for (index, kernel) in report.kernels.iter().enumerate() {
        let total = &kernel.launches.total;
        let (global, shared) = (total.global(), total.shared());
        let ratio = |got, expected| if got == 0 { String::new() } else { times(got, expected) };
        let cells = [
            count(kernel.launches.count),
            count(total.warp_instructions),
            total.active_threads().map_or(String::new(), |all| format!("{all:.1}")),
            count(total.divergent_branches),
            count(global.sectors),
            ratio(global.sectors, global.ideal),
            count(shared.wavefronts),
            ratio(shared.wavefronts, shared.ideal),
            occupancy_percent(report, kernel),
        ];
        let (number, name) = (index + 1, escape(&kernel.name()));
        text += &format!(
            "<tr><th scope=\"row\"><a href=\"#kernel-{number}\">{number}: <code>{name}</code></a></th>{}</tr>\n",
            cells.map(|cell| format!("<td>{cell}</td>")).concat()
        );
    }
    text + "</tbody></table></div></section>\n"
}

/// Formats the share of resident warps.
fn occupancy_percent(report: &Report, kernel: &KernelProfile) -> String {
    kernel.occupancy(report.multiprocessor).map_or("none".to_owned(), |found| {
        let most = if found.registers_known { "" } else { "≤ " };
        format!("{most}{:.0} %", 100.0 * found.ratio())
    })
}

/// Renders the roofline; nothing if no kernel computes with floats.
fn render_roofline(report: &Report) -> String {
    let ratios: Vec<(usize, &KernelProfile, f64)> = report
        .kernels
        .iter()
        .enumerate()
        .filter_map(|(index, kernel)| {
            let ratio = roofline::arithmetic_intensity(&kernel.launches.total)?;
            Some((index + 1, kernel, ratio))
        })
        .collect();
    let Some(peak) = Peak::for_target(report.multiprocessor.target) else { return String::new() };
    if ratios.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "<section aria-labelledby=\"roofline\"><h2 id=\"roofline\">Roofline</h2>\n\
         <p>Each kernel at the operations on floats that it counts for each byte of the sectors that it asks for, under \
         the roof of one {}: {}. Caches keep some of these bytes from memory, so a kernel may be faster than its \
         mark.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"roofline\">{}</div>\n<ul class=\"plain\">\n",
        peak.name,
        peak.to_text(),
        roofline::draw_roofline(&report.kernels, peak)
    );
    for (number, kernel, ratio) in &ratios {
        let total = &kernel.launches.total;
        let (floats, bytes) = (count(total.floats.all()), count(32 * total.global().sectors));
        let name = escape(&kernel.name());
        text += &format!(
            "<li>{number}: <code>{name}</code>: {floats} operations on floats, {bytes} bytes: {ratio:.3} for each</li>\n"
        );
    }
    if ratios.len() < report.kernels.len() {
        text += "<li>Kernels without operations on floats are not drawn.</li>\n";
    }
    text + "</ul></section>\n"
}

fn render_kernel(report: &Report, kernel: &KernelProfile, number: usize) -> String {
    let name = escape(&kernel.name());
    let mut text = format!(
        "<section class=\"kernel\" aria-labelledby=\"kernel-{number}\">\
         <h2 id=\"kernel-{number}\">{number}: <code>{name}</code></h2>\n<p>{}</p>\n<ul>\n",
        kernel.shape()
    );
    let verdict = text::describe_launch(report, kernel).into_iter();
    let facts = text::kernel_facts(kernel).chain([text::describe_occupancy(report, kernel)]);
    for line in verdict.chain(facts) {
        // The terminal marks a remedy by a sign, as rustc does.
        text += &match line.strip_prefix("= help: ") {
            Some(help) => format!("<li class=\"help\">help: {}</li>\n", escape(help)),
            None => format!("<li>{}</li>\n", escape(&line)),
        };
    }
    text += "</ul>\n";
    text += &render_excesses(&kernel.lines);
    text += &verdicts::render_ncu(report, kernel);
    text += "<h3>Source</h3>\n";
    text += &source::render_legend(kernel);
    text += &source::render_tables(kernel, &report.texts);
    text += &histograms::render_active_threads(kernel);
    text += &histograms::render_loops(kernel);
    text += &render_accesses(kernel);
    text += &format!(
        "<h3>Occupancy</h3>\n<p>Warps that run on a multiprocessor of {} at the same time, if one of what a block \
         takes were different.</p>\n<div class=\"curves\">{}</div></section>\n",
        report.multiprocessor.target,
        curves::draw_curves(kernel, report.multiprocessor)
    );
    text
}

/// Renders the lines with more work than they need, with the lints that explain it.
fn render_excesses(lines: &[LineProfile]) -> String {
    let worst: Vec<&LineProfile> = lines.iter().filter(|line| !line.excesses.is_empty()).collect();
    if worst.is_empty() {
        return "<p>No line does more than it needs.</p>\n".to_owned();
    }
    let mut text = "<h3>Expected and got</h3>\n<ol class=\"worst\">\n".to_owned();
    for line in worst {
        let (file, source) = (escape(&line.file), escape(&line.source));
        let spot = format!("{file}:{}", line.number);
        text += &format!(
            "<li><span class=\"spot\">{spot}</span>\
             <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{spot}\"><pre><code>{source}</code></pre></div>\n"
        );
        for excess in &line.excesses {
            text += &render_excess(excess, line.counts.branches);
        }
        text += "</li>\n";
    }
    text + "</ol>\n"
}

fn render_excess(excess: &Excess, branches: u64) -> String {
    let (fact, reason) = (escape(&excess.to_text(branches)), escape(&excess.explanation.reason));
    let lint = excess.explanation.lint;
    format!("<p class=\"fact\">{fact}</p>\n<p><code>{lint}</code>: {reason}</p>\n")
}

/// Draws the worst request of each access, the largest excess first.
fn render_accesses(kernel: &KernelProfile) -> String {
    let accesses = kernel.accesses();
    if accesses.is_empty() {
        return String::new();
    }
    let mut text =
        "<h3>Access patterns</h3>\n<p>The worst request of an access: where each lane of the warp \
                    goes.</p>\n"
            .to_owned();
    for (index, access) in accesses.iter().take(MAX_DRAWN_ACCESSES).enumerate() {
        let open = if index < INITIALLY_OPEN_ACCESSES { " open" } else { "" };
        text += &format!(
            "<details{open}><summary>{}</summary>\n<p>{}</p>\n\
             <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"access pattern\">{}</div>\n\
             <p class=\"offsets\">{}</p></details>\n",
            escape(&access_title(access)),
            escape(&access_caption(access)),
            draw_request(&access.worst_request()),
            access_offsets(access)
        );
    }
    if accesses.len() > MAX_DRAWN_ACCESSES {
        let more = accesses.len() - MAX_DRAWN_ACCESSES;
        text += &format!("<p>{more} accesses with less to gain are not drawn.</p>\n");
    }
    text
}

/// Formats `src/main.rs:10:16: load of 4 bytes from x: expected 8192 sectors, got 65536: 8.00x`.
fn access_title(access: &Access) -> String {
    let Access { file, line, column, memory, bytes, taken, ideal, .. } = access;
    let (what, memory) = match access.access {
        AccessKind::Load => ("load", format!("from {memory}")),
        AccessKind::Store => ("store", format!("to {memory}")),
        AccessKind::Atomic => ("atomic update", format!("of {memory}")),
    };
    let unit = access_unit(access);
    let more = counters::text::excess(*taken, *ideal);
    let more = if more.is_empty() { more } else { format!(": {more}") };
    format!(
        "{file}:{line}:{column}: {what} of {bytes} bytes {memory}: expected {ideal} {unit}, got {taken}{more}"
    )
}

const fn access_unit(access: &Access) -> &'static str {
    match access.space {
        Space::Shared | Space::Constant => "wavefronts",
        Space::Global => "sectors",
    }
}

fn access_caption(access: &Access) -> String {
    let worst = &access.worst;
    format!(
        "Of {} requests the worst, of warp {} of block {}, takes {} {} where {} would do.",
        access.requests,
        worst.warp,
        worst.block,
        worst.taken,
        access_unit(access),
        worst.ideal
    )
}

fn access_offsets(access: &Access) -> String {
    let all = access.worst.offsets.iter();
    let all: Vec<String> =
        all.map(|offset| offset.map_or("–".into(), |at| at.to_string())).collect();
    format!(
        "Bytes from the beginning of {}, lane by lane: {}",
        escape(&access.memory),
        all.join(", ")
    )
}
