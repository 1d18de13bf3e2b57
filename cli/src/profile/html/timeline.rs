//! Timeline of launches, a row for each kernel, and its numbers as tables.
use crate::profile::{
    report::{KernelProfile, Report},
    timeline::TimelineLaunch,
    verdict::format_time,
};
use warpwise_compiler::drawing::svg::{Svg, escape};

const WIDTH: f64 = 704.0;
const LEFT: f64 = 150.0;
const RIGHT: f64 = 690.0;
const TOP: f64 = 12.0;
const ROW_HEIGHT: f64 = 24.0;
const BAR_HEIGHT: f64 = 14.0;
/// Width of the shortest bar.
const MIN_BAR_WIDTH: f64 = 1.0;
/// Limit on the characters of a row's name.
const MAX_NAME_CHARS: usize = 20;
/// Limit on the bars. Launches of one kernel that follow each other share a bar beyond it.
const MAX_BARS: usize = 1000;
/// Limit on the listed launches.
const MAX_LISTED_LAUNCHES: usize = 200;

/// Consecutive launches of a kernel.
#[derive(Clone, Copy)]
struct Bar {
    kernel: usize,
    /// Number of the first launch, from 1.
    first: usize,
    count: usize,
    /// Seconds, or launches if times are unknown.
    start: f64,
    length: f64,
}

/// Renders the timeline; nothing for a single launch, which has no order.
pub(super) fn render_timeline(report: &Report) -> String {
    let launches = &report.timeline;
    if launches.len() < 2 {
        return String::new();
    }
    let is_timed = launches.iter().all(|launch| launch.seconds.is_some());
    let bars = collect_bars(launches, is_timed);
    let shown = &bars[..bars.len().min(MAX_BARS)];
    let mut text = format!(
        "<section aria-labelledby=\"timeline\"><h2 id=\"timeline\">Timeline</h2>\n<p>{}</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"timeline\">{}</div>\n",
        describe(report, is_timed),
        draw_bars(report, shown, is_timed)
    );
    if bars.len() > shown.len() {
        let drawn = shown.iter().map(|bar| bar.count).sum::<usize>();
        text += &format!("<p>The first {drawn} of {} launches are drawn.</p>\n", launches.len());
    }
    text + &render_totals(report, is_timed) + &render_launches(report, is_timed) + "</section>\n"
}

fn describe(report: &Report, is_timed: bool) -> String {
    let launches = &report.timeline;
    let measured = launches.iter().filter(|launch| launch.is_measured).count();
    let source = match (is_timed, measured, report.gpu) {
        (true, 0, Some(gpu)) => format!("with times that the time model predicts for {}", gpu.name),
        (true, count, _) if count == launches.len() => "with measured times".to_owned(),
        (true, count, _) => format!("with {count} measured times, and predicted ones"),
        (false, ..) => "each of the same width, since times are unknown".to_owned(),
    };
    let waits = "Gaps between launches, in which the host works or data moves, are not known.";
    format!("The {} launches in their order, {source}. {waits}", launches.len())
}

/// Places the launches one after another.
fn collect_bars(launches: &[TimelineLaunch], is_timed: bool) -> Vec<Bar> {
    let merges = launches.len() > MAX_BARS;
    let mut bars: Vec<Bar> = Vec::new();
    let mut end = 0.0;
    for (index, launch) in launches.iter().enumerate() {
        let length = launch.seconds.filter(|_| is_timed).unwrap_or(1.0);
        match bars.last_mut().filter(|bar| merges && bar.kernel == launch.kernel) {
            Some(bar) => {
                bar.count += 1;
                bar.length += length;
            }
            None => bars.push(Bar {
                kernel: launch.kernel,
                first: index + 1,
                count: 1,
                start: end,
                length,
            }),
        }
        end += length;
    }
    bars
}

#[expect(clippy::cast_precision_loss, reason = "a drawing")]
fn draw_bars(report: &Report, bars: &[Bar], is_timed: bool) -> String {
    let end = bars.last().map_or(1.0, |bar| bar.start + bar.length).max(f64::MIN_POSITIVE);
    let rows = report.kernels.len();
    let bottom = TOP + rows as f64 * ROW_HEIGHT;
    let x = |at: f64| LEFT + at / end * (RIGHT - LEFT);
    let mut svg = Svg::new(WIDTH, bottom + 24.0);
    let step = round_step(end / 5.0, is_timed);
    for tick in 0..=(end / step) as usize {
        let at = tick as f64 * step;
        svg.line("grid", [x(at), TOP], [x(at), bottom]);
        let label = if is_timed { format_time(at) } else { format!("{at:.0}") };
        svg.text("middle small", [x(at), bottom + 14.0], &label);
    }
    for (row, kernel) in report.kernels.iter().enumerate() {
        let y = TOP + (row as f64 + 0.5) * ROW_HEIGHT;
        svg.text("end small", [LEFT - 8.0, y + 4.0], &shorten(&row_name(row, kernel)));
    }
    for bar in bars {
        let y = TOP + (bar.kernel as f64 + 0.5) * ROW_HEIGHT - BAR_HEIGHT / 2.0;
        let full = x(bar.start + bar.length) - x(bar.start);
        // A hairline of background separates neighbours that are wide enough.
        let width = (if full > 4.0 { full - 0.6 } else { full }).max(MIN_BAR_WIDTH);
        svg.bar("cell", [x(bar.start), y], [width, BAR_HEIGHT], &bar_title(report, bar, is_timed));
    }
    svg.finish("timeline", &summarize(report, is_timed))
}

/// Formats `launches 3 to 5 of chunks: 12.3 us, from 4.1 us`.
fn bar_title(report: &Report, bar: &Bar, is_timed: bool) -> String {
    let name = report.kernels[bar.kernel].name();
    let launches = match bar.count {
        1 => format!("launch {}", bar.first),
        count => format!("launches {} to {}", bar.first, bar.first + count - 1),
    };
    let times = format!(": {}, from {}", format_time(bar.length), format_time(bar.start));
    format!("{launches} of {name}{}", if is_timed { times } else { String::new() })
}

fn row_name(row: usize, kernel: &KernelProfile) -> String {
    format!("{}: {}", row + 1, kernel.name())
}

fn shorten(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_CHARS {
        return name.to_owned();
    }
    name.chars().take(MAX_NAME_CHARS - 1).chain(['…']).collect()
}

/// Rounds a step up to 1, 2 or 5 times a power of ten; launches have whole steps.
fn round_step(step: f64, is_timed: bool) -> f64 {
    let power = 10f64.powf(step.max(f64::MIN_POSITIVE).log10().floor());
    let rounded = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let rounded = rounded.into_iter().find(|rounded| *rounded >= step).unwrap_or(10.0 * power);
    if is_timed { rounded } else { rounded.max(1.0) }
}

/// Launches and seconds of each kernel.
fn totals(report: &Report) -> Vec<(usize, f64)> {
    let mut totals = vec![(0, 0.0); report.kernels.len()];
    for launch in &report.timeline {
        totals[launch.kernel].0 += 1;
        totals[launch.kernel].1 += launch.seconds.unwrap_or(0.0);
    }
    totals
}

/// Returns the text alternative of the drawing.
fn summarize(report: &Report, is_timed: bool) -> String {
    let parts = totals(report).into_iter().enumerate().map(|(kernel, (count, seconds))| {
        let name = report.kernels[kernel].name();
        let times = if is_timed { format!(" in {}", format_time(seconds)) } else { String::new() };
        format!("{count} of {name}{times}")
    });
    format!("launches in order: {}", parts.collect::<Vec<_>>().join(", "))
}

/// Renders the total time of each kernel.
#[expect(clippy::cast_precision_loss, reason = "a number of launches")]
fn render_totals(report: &Report, is_timed: bool) -> String {
    if !is_timed {
        return String::new();
    }
    let totals = totals(report);
    let sum: f64 = totals.iter().map(|(_, seconds)| seconds).sum();
    let rows = totals.iter().enumerate().map(|(kernel, (count, seconds))| {
        let name = escape(&report.kernels[kernel].name());
        let (each, share) = (seconds / (*count).max(1) as f64, 100.0 * seconds / sum);
        format!(
            "<tr><th scope=\"row\"><a href=\"#kernel-{number}\">{number}: <code>{name}</code></a></th>\
             <td>{count}</td><td>{}</td><td>{}</td><td>{share:.1} %</td></tr>\n",
            format_time(each),
            format_time(*seconds),
            number = kernel + 1
        )
    });
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"times of kernels\"><table>\
         <thead><tr><th scope=\"col\">kernel</th><th scope=\"col\">launches</th>\
         <th scope=\"col\">a launch</th><th scope=\"col\">together</th><th scope=\"col\">of all</th></tr></thead>\n\
         <tbody>\n{}</tbody></table></div>\n",
        rows.collect::<String>()
    )
}

/// Renders the launches in order.
fn render_launches(report: &Report, is_timed: bool) -> String {
    let mut start = 0.0;
    let rows = report.timeline.iter().take(MAX_LISTED_LAUNCHES).enumerate().map(|(index, launch)| {
        let name = escape(&report.kernels[launch.kernel].name());
        let seconds = launch.seconds.unwrap_or(0.0);
        let times = [start, seconds].map(format_time);
        let times = times.map(|time| format!("<td>{}</td>", if is_timed { &*time } else { "" }));
        start += seconds;
        let number = index + 1;
        format!(
            "<tr><th scope=\"row\">{number}</th><td class=\"name\"><code>{name}</code></td>{}</tr>\n",
            times.concat()
        )
    });
    let rows: String = rows.collect();
    let (count, listed) = (report.timeline.len(), report.timeline.len().min(MAX_LISTED_LAUNCHES));
    let title = if listed < count {
        format!("the first {listed} of {count} launches in order")
    } else {
        format!("{count} launches in order")
    };
    format!(
        "<details><summary>{title}</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\">\
         <table><thead><tr><th scope=\"col\">launch</th><th scope=\"col\" class=\"name\">kernel</th>\
         <th scope=\"col\">from</th><th scope=\"col\">time</th></tr></thead>\n<tbody>\n{rows}</tbody></table></div></details>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_follow_each_other_and_share_bars_when_they_are_many() {
        let launch = |kernel| TimelineLaunch { kernel, seconds: Some(2.0), is_measured: false };
        let bars = collect_bars(&[launch(0), launch(0), launch(1)], true);
        let placed: Vec<_> = bars.iter().map(|bar| (bar.kernel, bar.start, bar.length)).collect();
        assert_eq!(placed, [(0, 0.0, 2.0), (0, 2.0, 2.0), (1, 4.0, 2.0)]);
        let many: Vec<_> = (0..2 * MAX_BARS).map(|index| launch(index / MAX_BARS)).collect();
        let bars = collect_bars(&many, false);
        let placed: Vec<_> = bars.iter().map(|bar| (bar.count, bar.start, bar.length)).collect();
        assert_eq!(placed, [(1000, 0.0, 1000.0), (1000, 1000.0, 1000.0)]);
    }

    #[test]
    fn steps_are_round() {
        assert_eq!([0.3, 2.0, 7.0].map(|step| round_step(step, false)), [1.0, 2.0, 10.0]);
        assert!((round_step(3.1e-6, true) - 5e-6).abs() < 1e-12);
    }
}
