//! Histograms: active threads of warps, and trip counts of loops.
use crate::profile::{
    read::LoopCounts,
    report::{KernelProfile, LineProfile},
};
use warpwise::counters::text::{between, spread};
use warpwise_compiler::drawing::svg::{Svg, escape};

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 34.0;
const RIGHT: f64 = 328.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 112.0;

/// Limit on the listed lines with idle threads.
const MAX_LISTED_LINES: usize = 10;

/// Bar: its label on the axis, its description and its count.
struct Bar {
    label: String,
    title: String,
    count: u64,
}

/// Renders the active threads of warps, unless all were always active.
pub(super) fn render_active_threads(kernel: &KernelProfile) -> String {
    let active = &kernel.launches.active_threads;
    let Some(said) = spread(active) else { return String::new() };
    let bars = (1..=32).map(|threads| {
        let below =
            if threads == 1 || threads % 8 == 0 { threads.to_string() } else { String::new() };
        let many = active.get(threads);
        let instructions = if many == 1 { "instruction" } else { "instructions" };
        Bar { label: below, title: format!("{threads} active: {many} {instructions}"), count: many }
    });
    let drawn = draw_chart(&bars.collect::<Vec<_>>(), "active threads of a warp", &said);
    let mut lines: Vec<(&LineProfile, String)> = kernel
        .lines
        .iter()
        .filter_map(|line| Some((line, spread(&line.active_threads)?)))
        .collect();
    lines.sort_by_key(|(line, _)| {
        let active = &line.active_threads;
        std::cmp::Reverse(32 * active.instructions() - active.thread_instructions())
    });
    let named = lines.iter().take(MAX_LISTED_LINES).map(|(line, said)| {
        let (file, said) = (escape(&line.file), escape(said));
        format!("<li><span class=\"spot\">{file}:{}</span> {said}</li>\n", line.number)
    });
    format!(
        "<h3>Active threads</h3>\n<p>Instructions of warps by how many of the 32 threads were active; below, the lines \
         where most were idle.</p>\n<div class=\"curves spread\">{drawn}</div>\n<ul>\n{}</ul>\n",
        named.collect::<String>()
    )
}

/// Renders the trip counts of loops, with bars where they differ.
pub(super) fn render_loops(kernel: &KernelProfile) -> String {
    let loops = kernel.launches.loops.iter().filter(|counts| counts.trips.visits() != 0);
    let (constant, varying): (Vec<&LoopCounts>, Vec<&LoopCounts>) =
        loops.partition(|counts| counts.trips.iter().nth(1).is_none());
    if constant.is_empty() && varying.is_empty() {
        return String::new();
    }
    let drawn: String = varying.into_iter().map(render_trips).collect();
    let said = constant.into_iter().filter_map(|LoopCounts { file, line, trips, .. }| {
        let (range, visits) = trips.iter().next()?;
        let (file, iterations) = (escape(file), between(&range));
        Some(format!(
            "<li><span class=\"spot\">{file}:{line}</span> iterations in each of {visits} visits: {iterations}</li>\n"
        ))
    });
    format!(
        "<h3>Loops</h3>\n<p>The iterations of each visit of a warp to a loop. Where these differ much, few warps keep the \
         others of their block waiting.</p>\n<div class=\"curves spread\">{drawn}</div>\n\
         <ul>\n{}</ul>\n",
        said.collect::<String>()
    )
}

fn render_trips(LoopCounts { file, line, trips, .. }: &LoopCounts) -> String {
    let bars = trips.iter().map(|(range, visits)| {
        let times = if visits == 1 { "visit" } else { "visits" };
        let title = format!("{} iterations: {visits} {times}", between(&range));
        Bar { label: abbreviate(*range.start()), title, count: visits }
    });
    let (visits, most) = (trips.visits(), trips.most());
    let said = format!("{file}:{line}: {visits} visits of warps, at most {most} iterations");
    draw_chart(&bars.collect::<Vec<_>>(), "iterations, from", &said)
}

/// Draws bars side by side, the highest over the full height.
#[expect(clippy::cast_precision_loss, reason = "a drawing")]
fn draw_chart(bars: &[Bar], axis: &str, said: &str) -> String {
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(1).max(1);
    let each = (RIGHT - LEFT) / bars.len().max(1) as f64;
    let width = (each * 0.8).min(40.0);
    let mut svg = Svg::new(WIDTH, HEIGHT);
    svg.line("grid", [LEFT, BOTTOM], [RIGHT, BOTTOM]);
    svg.text("end small", [LEFT - 5.0, TOP + 4.0], &abbreviate(most));
    svg.line("grid", [LEFT, TOP], [RIGHT, TOP]);
    for (index, Bar { label, title, count }) in bars.iter().enumerate() {
        let middle = LEFT + (index as f64 + 0.5) * each;
        // A small count is still visible.
        let least = if *count == 0 { 0.0 } else { 1.0 };
        let height = (*count as f64 / most as f64 * (BOTTOM - TOP)).max(least);
        svg.bar("cell", [middle - width / 2.0, BOTTOM - height], [width, height], title);
        svg.text("middle small", [middle, BOTTOM + 12.0], label);
    }
    svg.text("middle", [(LEFT + RIGHT) / 2.0, HEIGHT - 6.0], axis);
    let drawn = svg.finish("curve-box", said);
    format!("<figure>{drawn}<figcaption>{}</figcaption></figure>\n", escape(said))
}

/// Abbreviates a number to fit an axis.
fn abbreviate(many: u64) -> String {
    match many {
        0..10_000 => many.to_string(),
        10_000..10_000_000 => format!("{}k", many / 1_000),
        10_000_000..10_000_000_000 => format!("{}M", many / 1_000_000),
        _ => format!("{}G", many / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_counts_have_a_visible_bar_and_zero_has_none() {
        let bar = |many| Bar { label: "1".into(), title: "x".into(), count: many };
        let drawn = draw_chart(&[bar(1_000_000), bar(1), bar(0)], "axis", "<said>");
        assert!(drawn.contains("height=\"1.0\"") && drawn.contains("height=\"0.0\""), "{drawn}");
        assert!(drawn.contains("&lt;said&gt;") && !drawn.contains("<said>"), "{drawn}");
    }

    #[test]
    fn numbers_fit_the_axis() {
        assert_eq!([7, 9_999, 12_345, 12_345_678].map(abbreviate), ["7", "9999", "12k", "12M"]);
        assert_eq!(abbreviate(u64::MAX), "18446744073G");
    }
}
