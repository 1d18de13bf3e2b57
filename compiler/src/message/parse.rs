//! Parser of format strings, by the grammar of [`std::fmt`].
use super::{Align, ArgumentRef, Choice, Count, Format, Piece, Placeholder, Style};
use std::{fmt, str::FromStr};

/// An error in a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The fault.
    pub message: String,
    /// The correct form.
    pub help: &'static str,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.help)
    }
}

impl std::error::Error for FormatError {}

type Result<T> = std::result::Result<T, FormatError>;

fn error<T>(message: impl Into<String>, help: &'static str) -> Result<T> {
    Err(FormatError { message: message.into(), help })
}

impl FromStr for Format {
    type Err = FormatError;
    fn from_str(text: &str) -> Result<Self> {
        parse_pieces(&mut { text }, false)
    }
}

/// Parses a format; within a choice, up to the `|` that ends it. Consumes the parsed text from
/// `rest`.
fn parse_pieces(rest: &mut &str, in_choice: bool) -> Result<Format> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let ends = |c: char| c == '{' || c == '}' || in_choice && c == '|';
    while let Some(at) = rest.find(ends) {
        plain += &rest[..at];
        let mark = &rest[at..=at];
        *rest = &rest[at + 1..];
        if let Some(escaped) = rest.strip_prefix(mark) {
            plain += mark;
            *rest = escaped;
            continue;
        }
        if mark == "|" {
            return Ok(with_text(pieces, plain));
        }
        if mark == "}" {
            return error("this `}` closes nothing", "a brace that is printed is `}}`");
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(match parse_choice(rest)? {
            Some(choice) => Piece::Choice(choice),
            None => {
                let Some(end) = rest.find('}') else {
                    return error("this `{` is not closed", "a brace that is printed is `{{`");
                };
                let value = parse_placeholder(&rest[..end])?;
                *rest = &rest[end + 1..];
                Piece::Value(value)
            }
        });
    }
    if in_choice {
        return error("a choice is not closed", "each of its texts ends with `|`");
    }
    plain += rest;
    Ok(with_text(pieces, plain))
}

/// Returns the format with `text` appended.
fn with_text(mut pieces: Vec<Piece>, text: String) -> Format {
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Format { pieces }
}

/// Parses a choice after its `{`; `None` if the braces contain no choice.
fn parse_choice(rest: &mut &str) -> Result<Option<Choice>> {
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, behind) = rest.split_at(digits);
    let (Ok(arg), Some(mut behind)) = (number.parse(), behind.strip_prefix('?')) else {
        return Ok(None);
    };
    let mut cases = Vec::new();
    loop {
        if let Some(end) = behind.strip_prefix('}') {
            *rest = end;
            return Ok(Some(Choice { arg, cases }));
        }
        let value = behind.split_once('=').and_then(|(value, text)| {
            behind = text;
            value.parse().ok()
        });
        let Some(value) = value else {
            return error("a text of a choice has no number", "it begins with `0=`");
        };
        cases.push((value, parse_pieces(&mut behind, true)?));
    }
}

/// Parses the text between braces.
fn parse_placeholder(text: &str) -> Result<Placeholder> {
    let (arg, spec) = text.split_once(':').unwrap_or((text, ""));
    let arg = parse_argument(arg.trim())?;
    let mut spec = SpecParser { rest: spec.trim_end() };
    let (fill, align) = spec.eat_fill_and_align();
    let plus = spec.eat('+');
    if !plus {
        spec.eat('-');
    }
    let alternate = spec.eat('#');
    // `0$` is a width.
    let zero = !spec.rest.starts_with("0$") && spec.eat('0');
    let width = spec.eat_count()?;
    let precision = match spec.eat('.') {
        true if spec.eat('*') => Count::Star,
        true => match spec.eat_count()? {
            Count::Unset => {
                return error("a precision is missing", "write a number behind the `.`");
            }
            count => count,
        },
        false => Count::Unset,
    };
    let style = Style::ALL.into_iter().find(|style| style.suffix() == spec.rest);
    let Some(style) = style else {
        let message = match spec.rest {
            "p" => "kernel code prints no pointers".into(),
            rest => format!("`{rest}` is no way to format a value"),
        };
        return error(message, "what follows the width is nothing, or one of `? x X o b e E`");
    };
    Ok(Placeholder { arg, fill, align, plus, alternate, zero, width, precision, style })
}

fn parse_argument(text: &str) -> Result<ArgumentRef> {
    if text.is_empty() {
        return Ok(ArgumentRef::Next);
    }
    if let Ok(index) = text.parse() {
        return Ok(ArgumentRef::Index(index));
    }
    let name = text.strip_prefix("r#").unwrap_or(text);
    let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if starts && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Ok(ArgumentRef::Name(text.into()));
    }
    error(
        format!("`{text}` is no argument of a format string"),
        "a placeholder holds a name or a number; pass what is computed after the format string",
    )
}

/// The unparsed rest after a colon.
struct SpecParser<'t> {
    rest: &'t str,
}

impl SpecParser<'_> {
    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn eat_align(&mut self) -> Option<Align> {
        let marks = [('<', Align::Left), ('^', Align::Center), ('>', Align::Right)];
        marks.into_iter().find(|(mark, _)| self.eat(*mark)).map(|(_, align)| align)
    }

    fn eat_fill_and_align(&mut self) -> (Option<char>, Option<Align>) {
        let mut chars = self.rest.chars();
        let fill = chars.next();
        let mut behind = Self { rest: chars.as_str() };
        match behind.eat_align() {
            Some(align) => {
                self.rest = &self.rest[self.rest.len() - behind.rest.len()..];
                (fill, Some(align))
            }
            None => (None, self.eat_align()),
        }
    }

    /// Parses a number, or `argument$`.
    fn eat_count(&mut self) -> Result<Count> {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
        let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        if self.rest[end..].starts_with('$') {
            let which = parse_argument(&self.rest[..end])?;
            self.rest = &self.rest[end + 1..];
            return Ok(Count::Value(which));
        }
        let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        if digits == 0 {
            return Ok(Count::Unset);
        }
        // Rust's own limit.
        let Ok(number) = self.rest[..digits].parse::<u16>() else {
            return error("this width or precision is too large", "65535 is the most");
        };
        self.rest = &self.rest[digits..];
        Ok(Count::Number(number.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_the_same() {
        for text in [
            "",
            "plain",
            "{0}",
            "{}{x}{1}",
            "{{}} {0:?}",
            "{0:>8.3}",
            "{0:*^+#010.4e}",
            "{0:1$.2$}",
            "{0:width$.*x?}",
            "{:<}",
            "{0:}<5}",
            "{0:é>5X}",
            "{0?}",
            "x {0?0=None|1=Some({1:?})|18446744073709551615={2?3=a || b {{|}|} y",
        ] {
            let format = text.parse::<Format>();
            if text == "{0:}<5}" {
                assert!(format.is_err(), "a `}}` ends the placeholder, as in Rust");
                continue;
            }
            assert_eq!(format.unwrap().to_string(), text);
        }
    }

    #[test]
    fn zero_is_a_flag_or_a_width() {
        let of = |text: &str| {
            let format: Format = text.parse().unwrap();
            let Piece::Value(value) = &format.pieces[0] else { panic!("{text}") };
            (value.zero, value.width.clone())
        };
        assert_eq!(of("{:0}"), (true, Count::Unset));
        assert_eq!(of("{:05}"), (true, Count::Number(5)));
        assert_eq!(of("{:0$}"), (false, Count::Value(ArgumentRef::Index(0))));
        assert_eq!(of("{:00$}"), (true, Count::Value(ArgumentRef::Index(0))));
        assert_eq!(of("{:w$}"), (false, Count::Value(ArgumentRef::Name("w".into()))));
    }

    #[test]
    fn mistakes_are_named() {
        let message = |text: &str| text.parse::<Format>().unwrap_err().message;
        assert_eq!(message("}"), "this `}` closes nothing");
        assert_eq!(message("{x"), "this `{` is not closed");
        assert_eq!(message("{a + b}"), "`a + b` is no argument of a format string");
        assert_eq!(message("{:y}"), "`y` is no way to format a value");
        assert_eq!(message("{:p}"), "kernel code prints no pointers");
        assert_eq!(message("{:.}"), "a precision is missing");
        assert_eq!(message("{:99999}"), "this width or precision is too large");
        assert_eq!(message("{0?x=a|}"), "a text of a choice has no number");
        assert_eq!(message("{0?1=a"), "a choice is not closed");
        assert_eq!(message("{0?"), "a text of a choice has no number");
    }
}
