//! How counts are spread: over the threads of warps, and over the times that warps came to a loop.
use super::svg::{Svg, escape};
use crate::profile::{
    read::Loop,
    report::{Line, Profiled},
};
use warpwise::counters::text::{between, spread};

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 34.0;
const RIGHT: f64 = 328.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 112.0;

/// Lines with idle threads that are named.
const LINES: usize = 10;

/// A bar: what stands below it, what it is, and how many.
struct Bar {
    below: String,
    title: String,
    many: u64,
}

/// How many threads of a warp were active, if not always all were.
pub(super) fn threads(kernel: &Profiled) -> String {
    let active = &kernel.launches.active_threads;
    let Some(said) = spread(active) else { return String::new() };
    let bars = (1..=32).map(|threads| {
        let below =
            if threads == 1 || threads % 8 == 0 { threads.to_string() } else { String::new() };
        let many = active.get(threads);
        let instructions = if many == 1 { "instruction" } else { "instructions" };
        Bar { below, title: format!("{threads} active: {many} {instructions}"), many }
    });
    let drawn = chart(&bars.collect::<Vec<_>>(), "active threads of a warp", &said);
    let mut lines: Vec<(&Line, String)> = kernel
        .lines
        .iter()
        .filter_map(|line| Some((line, spread(&line.active_threads)?)))
        .collect();
    lines.sort_by_key(|(line, _)| {
        let active = &line.active_threads;
        std::cmp::Reverse(32 * active.instructions() - active.thread_instructions())
    });
    let named = lines.iter().take(LINES).map(|(line, said)| {
        let (file, said) = (escape(&line.file), escape(said));
        format!("<li><span class=\"spot\">{file}:{}</span> {said}</li>\n", line.number)
    });
    format!(
        "<h3>Active threads</h3>\n<p>Instructions of warps by how many of the 32 threads were active; below, the lines \
         where most were idle.</p>\n<div class=\"curves spread\">{drawn}</div>\n<ul>\n{}</ul>\n",
        named.collect::<String>()
    )
}

/// How many iterations of its loops warps went through: bars where these differ.
pub(super) fn loops(kernel: &Profiled) -> String {
    let loops = kernel.launches.loops.iter().filter(|of| of.trips.visits() != 0);
    let (alike, apart): (Vec<&Loop>, Vec<&Loop>) =
        loops.partition(|of| of.trips.iter().nth(1).is_none());
    if alike.is_empty() && apart.is_empty() {
        return String::new();
    }
    let drawn: String = apart.into_iter().map(trips).collect();
    let said = alike.into_iter().filter_map(|Loop { file, line, trips, .. }| {
        let (range, visits) = trips.iter().next()?;
        let (file, iterations) = (escape(file), between(&range));
        Some(format!(
            "<li><span class=\"spot\">{file}:{line}</span> iterations in each of {visits} visits: {iterations}</li>\n"
        ))
    });
    format!(
        "<h3>Loops</h3>\n<p>Each time that a warp came to a loop, how many iterations it went through. Where these differ \
         much, few warps keep the others of their block waiting.</p>\n<div class=\"curves spread\">{drawn}</div>\n\
         <ul>\n{}</ul>\n",
        said.collect::<String>()
    )
}

fn trips(Loop { file, line, trips, .. }: &Loop) -> String {
    let bars = trips.iter().map(|(range, visits)| {
        let times = if visits == 1 { "visit" } else { "visits" };
        let title = format!("{} iterations: {visits} {times}", between(&range));
        Bar { below: short(*range.start()), title, many: visits }
    });
    let (visits, most) = (trips.visits(), trips.most());
    let said = format!("{file}:{line}: {visits} visits of warps, at most {most} iterations");
    chart(&bars.collect::<Vec<_>>(), "iterations, from", &said)
}

/// Bars side by side, the highest as high as there is room.
#[expect(clippy::cast_precision_loss, reason = "a drawing")]
fn chart(bars: &[Bar], axis: &str, said: &str) -> String {
    let most = bars.iter().map(|bar| bar.many).max().unwrap_or(1).max(1);
    let each = (RIGHT - LEFT) / bars.len().max(1) as f64;
    let width = (each * 0.8).min(40.0);
    let mut svg = Svg::new(WIDTH, HEIGHT);
    svg.line("grid", [LEFT, BOTTOM], [RIGHT, BOTTOM]);
    svg.text("end small", [LEFT - 5.0, TOP + 4.0], &short(most));
    svg.line("grid", [LEFT, TOP], [RIGHT, TOP]);
    for (index, Bar { below, title, many }) in bars.iter().enumerate() {
        let middle = LEFT + (index as f64 + 0.5) * each;
        // What is there is seen, however little it is.
        let least = if *many == 0 { 0.0 } else { 1.0 };
        let height = (*many as f64 / most as f64 * (BOTTOM - TOP)).max(least);
        svg.bar("cell", [middle - width / 2.0, BOTTOM - height], [width, height], title);
        svg.text("middle small", [middle, BOTTOM + 12.0], below);
    }
    svg.text("middle", [(LEFT + RIGHT) / 2.0, HEIGHT - 6.0], axis);
    let drawn = svg.end("curve-box", said);
    format!("<figure>{drawn}<figcaption>{}</figcaption></figure>\n", escape(said))
}

/// A number in the room of an axis.
fn short(many: u64) -> String {
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
    fn little_is_seen_and_nothing_is_not() {
        let bar = |many| Bar { below: "1".into(), title: "x".into(), many };
        let drawn = chart(&[bar(1_000_000), bar(1), bar(0)], "axis", "<said>");
        assert!(drawn.contains("height=\"1.0\"") && drawn.contains("height=\"0.0\""), "{drawn}");
        assert!(drawn.contains("&lt;said&gt;") && !drawn.contains("<said>"), "{drawn}");
    }

    #[test]
    fn numbers_fit_the_axis() {
        assert_eq!([7, 9_999, 12_345, 12_345_678].map(short), ["7", "9999", "12k", "12M"]);
        assert_eq!(short(u64::MAX), "18446744073G");
    }
}
