//! SVG elements, and escaped text for HTML and attributes.
use std::fmt::Write as _;

/// Replaces everything in `text` that could be markup.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Control characters are not permitted in documents.
            '\0'..='\x08' | '\x0b'..='\x1f' | '\x7f' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A drawing under construction. Classes name the meaning of elements; the style sheet defines
/// their looks.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// Creates an empty drawing.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Adds a line.
    pub fn line(&mut self, class: &str, [x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) {
        self.push(format_args!(
            r#"<line class="{class}" x1="{x:.1}" y1="{y:.1}" x2="{to_x:.1}" y2="{to_y:.1}"/>"#
        ));
    }

    /// Adds a rectangle.
    pub fn rect(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) {
        self.push(format_args!(
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#
        ));
    }

    /// Adds a rectangle with a tooltip.
    pub fn bar(&mut self, class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2], title: &str) {
        let title = escape(title);
        self.push(format_args!(
            r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"><title>{title}</title></rect>"#
        ));
    }

    /// Adds a circle with a tooltip.
    pub fn circle(&mut self, class: &str, [x, y]: [f64; 2], radius: f64, title: &str) {
        let title = escape(title);
        self.push(format_args!(
            r#"<circle class="{class}" cx="{x:.1}" cy="{y:.1}" r="{radius:.1}"><title>{title}</title></circle>"#
        ));
    }

    /// Adds a polyline.
    pub fn polyline(&mut self, class: &str, points: &[[f64; 2]]) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        self.push(format_args!(r#"<polyline class="{class}" points="{}"/>"#, points.join(" ")));
    }

    /// Adds text; its class contains its anchor: `start`, `middle` or `end`.
    pub fn text(&mut self, class: &str, [x, y]: [f64; 2], text: &str) {
        let text = escape(text);
        self.push(format_args!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}">{text}</text>"#));
    }

    fn push(&mut self, piece: std::fmt::Arguments<'_>) {
        self.body.write_fmt(piece).expect("strings take all");
    }

    /// Returns the drawing, with a description for screen readers.
    pub fn finish(self, class: &str, label: &str) -> String {
        let Self { width, height, body } = self;
        let label = escape(label);
        format!(
            r#"<svg class="{class}" role="img" aria-label="{label}" viewBox="0 0 {width:.0} {height:.0}" width="{width:.0}" height="{height:.0}">{body}</svg>"#
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_source_is_markup() {
        let source = "</script><script>alert('1')</script> & \"x\" \0";
        let escaped = escape(source);
        assert!(!escaped.contains(['<', '>', '"', '\'', '\0']), "{escaped}");
        assert_eq!(escape("a < b && c"), "a &lt; b &amp;&amp; c");
        let mut svg = Svg::new(10.0, 10.0);
        svg.text("start", [0.0, 0.0], source);
        svg.circle("point", [0.0, 0.0], 1.0, source);
        assert!(!svg.finish("x", source).contains("<script"));
    }
}
