//! Comparison with an earlier run: what got better or worse, and all counters.
use crate::profile::{
    compare::{Change, KernelComparison},
    report::Report,
};
use warpwise_compiler::drawing::svg::escape;

/// Renders the comparison; nothing without an earlier run.
pub(super) fn render_comparison(report: &Report) -> String {
    let Some(comparison) = &report.comparison else { return String::new() };
    let mut text = format!(
        "<section aria-labelledby=\"comparison\"><h2 id=\"comparison\">Compared with <code>{}</code></h2>\n\
         <p>All values are those of one launch: old, new, and new over old.</p>\n<ul class=\"changes\">\n",
        escape(&comparison.old_run)
    );
    for (change, line) in comparison.headlines() {
        let class = change.name();
        text += &format!(
            "<li class=\"{class}\"><strong>{class}</strong> {}</li>\n",
            render_code(&line.replace(" -> ", " → "))
        );
    }
    text += "</ul>\n";
    text.extend(comparison.kernels.iter().map(render_kernel));
    text + "</section>\n"
}

/// Escapes a text, and renders what is between backticks as code.
fn render_code(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(index, part)| match index % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    });
    parts.collect()
}

fn render_kernel(kernel: &KernelComparison) -> String {
    let (name, number) = (escape(&kernel.name()), kernel.index + 1);
    let open = if kernel.has_changed() { " open" } else { "" };
    let shape = kernel.old_shape.iter().map(|shape| format!("<p>Before: {}.</p>\n", escape(shape)));
    let rows = kernel.counters.iter().map(|found| {
        let class = found.change().name();
        let word = if found.change() == Change::Same { "" } else { class };
        let cells = found.cells().map(|cell| format!("<td>{cell}</td>")).concat();
        let title = found.counter.title;
        format!("<tr class=\"{class}\"><th scope=\"row\">{title}</th>{cells}<td>{word}</td></tr>\n")
    });
    format!(
        "<details{open}><summary>{number}: <code>{name}</code></summary>\n{}\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{name}, old and new\"><table>\
         <thead><tr><th scope=\"col\">counter</th><th scope=\"col\">old</th><th scope=\"col\">new</th>\
         <th scope=\"col\">ratio</th><th scope=\"col\">change</th></tr></thead>\n<tbody>\n{}</tbody></table></div></details>\n",
        shape.collect::<String>(),
        rows.collect::<String>()
    )
}
