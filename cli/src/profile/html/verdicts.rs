//! Verdicts on the first screen, and Nsight Compute's numbers.
use crate::profile::{
    report::{Excess, KernelProfile, LineProfile, Report},
    verdict::{self, format_time},
};
use warpwise_compiler::drawing::svg::escape;

/// Limit on the lines of a kernel that the first screen shows.
const MAX_SHOWN_LINES: usize = 3;

/// Renders a verdict for each kernel: what bounds it, how much could be gained, and the lines to
/// change.
pub(super) fn render_verdicts(report: &Report) -> String {
    let kernels = report.kernels.iter().enumerate();
    let items = kernels.map(|(index, kernel)| render_verdict(report, kernel, index + 1));
    format!(
        "<section aria-labelledby=\"verdicts\"><h2 id=\"verdicts\">Verdicts</h2>\n<ol class=\"verdicts\">\n{}</ol></section>\n",
        items.collect::<String>()
    )
}

fn render_verdict(report: &Report, kernel: &KernelProfile, number: usize) -> String {
    let name = escape(&kernel.name());
    let mut text = format!(
        "<li><a href=\"#kernel-{number}\"><code>{name}</code></a>{}",
        describe_time(report, kernel)
    );
    let worst = kernel.lines.iter().filter(|line| !line.excesses.is_empty());
    let lines: Vec<String> = worst.take(MAX_SHOWN_LINES).map(render_line).collect();
    if lines.is_empty() {
        text += "<p>No line does more than it needs.</p>";
    } else {
        text += &format!("<ul>{}</ul>", lines.concat());
    }
    text + "</li>\n"
}

/// Describes the time of a launch, its bound, and the possible gain.
fn describe_time(report: &Report, kernel: &KernelProfile) -> String {
    let measured = kernel.measured_seconds();
    let measured = measured
        .map(|seconds| format!(" <strong>{}</strong> a launch, measured;", format_time(seconds)));
    let predicted = report.gpu.and_then(|gpu| Some((gpu, verdict::predict_launch(kernel, gpu)?)));
    let predicted = predicted.map(|(gpu, prediction)| {
        let gain = match prediction.slowdown {
            slowdown if slowdown >= verdict::MIN_SLOWDOWN => {
                format!("; up to <strong>{slowdown:.1}×</strong> could be gained")
            }
            _ => "; little could be gained".to_owned(),
        };
        let remedy = verdict::find_remedy(kernel, &prediction, gpu);
        format!(
            " <strong>{}</strong> a launch, predicted, bound by <strong>{}</strong>{gain}<p>{}.</p>",
            format_time(prediction.seconds),
            prediction.bound_by,
            escape(&capitalize(&remedy))
        )
    });
    format!(":{}{}", measured.unwrap_or_default(), predicted.unwrap_or_default())
}

/// Returns a text with its first letter in upper case.
fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn render_line(line: &LineProfile) -> String {
    let reasons = line.excesses.iter().map(|excess| {
        let Excess { explanation, .. } = excess;
        let fact = escape(&excess.to_text(line.counts.branches));
        let lint = explanation.lint;
        format!("<br><span class=\"fact\">{fact}</span> <code title=\"cargo warpwise explain {lint}\">{lint}</code>")
    });
    format!(
        "<li><span class=\"spot\">{}:{}</span> <code>{}</code>{}</li>",
        escape(&line.file),
        line.number,
        escape(&line.source),
        reasons.collect::<String>()
    )
}

/// Renders Nsight Compute's numbers beside the counted ones, if there are any.
pub(super) fn render_ncu(report: &Report, kernel: &KernelProfile) -> String {
    let pairs = kernel.metric_pairs(report);
    if pairs.is_empty() {
        return String::new();
    }
    let rows = pairs.iter().map(|pair| {
        let [name, here, measured] = pair.cells().map(|cell| escape(&cell));
        let (title, ncu) = (escape(pair.metric.title), pair.name);
        format!(
            "<tr><th scope=\"row\"><abbr title=\"{title}\">{name}</abbr></th><td>{here}</td><td>{measured}</td>\
             <td class=\"name\"><code>{ncu}</code></td></tr>\n"
        )
    });
    format!(
        "<h3>Nsight Compute</h3>\n<p>Counted here and measured on a GPU, under the names of the dictionary of \
         metrics.</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"metrics\"><table>\
         <thead><tr><th scope=\"col\">metric</th><th scope=\"col\">here</th><th scope=\"col\">Nsight Compute</th>\
         <th scope=\"col\" class=\"name\">its name</th></tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
        rows.collect::<String>()
    )
}
