//! Rendering of messages, by std's formatting of numbers.
use super::{Align, ArgumentRef, Choice, Count, Format, Formats, Piece, Placeholder, Style};
use crate::ir::Scalar;
use std::fmt::{Debug, Display, LowerExp, UpperExp};

impl Formats {
    /// Returns true if `scalar` is among them.
    pub fn contains(self, scalar: Scalar) -> bool {
        match self {
            Self::All => true,
            Self::Numbers => scalar.is_int() || scalar.is_float(),
            Self::Integers => scalar.is_int(),
        }
    }
}

impl Format {
    /// Returns the text with these arguments: the type and the bits (zero-extended) of each.
    pub fn render(&self, args: &[(Scalar, u64)]) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Value(placeholder) => placeholder.render(args),
            Piece::Choice(choice) => choice.render(args),
        });
        pieces.collect()
    }
}

impl Choice {
    fn render(&self, args: &[(Scalar, u64)]) -> String {
        let Some((scalar, bits)) = args.get(self.arg) else { return String::new() };
        let bits = significant_bits(*scalar, *bits);
        let chosen = self.cases.iter().find(|(value, _)| *value == bits);
        chosen.map(|(_, format)| format.render(args)).unwrap_or_default()
    }
}

impl Placeholder {
    /// Renders one argument; nothing, if its number does not exist.
    fn render(&self, args: &[(Scalar, u64)]) -> String {
        let arg = |which: &ArgumentRef| match which {
            ArgumentRef::Index(index) => args.get(*index).copied(),
            ArgumentRef::Next | ArgumentRef::Name(_) => None,
        };
        let count = |count: &Count| match count {
            Count::Unset | Count::Star => None,
            Count::Number(number) => Some(*number),
            // Rust panics above its own limit; a message about a panic should not.
            Count::Value(which) => arg(which).map(|(_, bits)| bits.min(u16::MAX.into()) as usize),
        };
        let Some((scalar, bits)) = arg(&self.arg) else { return String::new() };
        let Self { plus, alternate, style, .. } = *self;
        let spec = ValueFormat { plus, alternate, precision: count(&self.precision) };
        let text = spec.format_scalar(style, scalar, bits);
        match count(&self.width) {
            None => text,
            // The flag `0` has no effect on a `bool`.
            Some(width) if self.zero && scalar != Scalar::Bool => self.zero_pad(&text, width),
            Some(width) if scalar == Scalar::Bool => self.pad(&text, width, Align::Left),
            Some(width) => self.pad(&text, width, Align::Right),
        }
    }

    /// Renders a string in the place of a value; `None` if that needs a value.
    pub fn render_text(&self, text: &str) -> Option<String> {
        let count = |count: &Count| match count {
            Count::Unset => Some(None),
            Count::Number(number) => Some(Some(*number)),
            Count::Star | Count::Value(_) => None,
        };
        let (width, precision) = (count(&self.width)?, count(&self.precision)?);
        // rustc refuses styles that strings do not have.
        let text = match self.style {
            Style::Debug | Style::DebugLowerHex | Style::DebugUpperHex => {
                return Some(format!("{text:?}"));
            }
            Style::Display
            | Style::LowerHex
            | Style::UpperHex
            | Style::Octal
            | Style::Binary
            | Style::LowerExp
            | Style::UpperExp => {
                text.chars().take(precision.unwrap_or(usize::MAX)).collect::<String>()
            }
        };
        Some(self.pad(&text, width.unwrap_or(0), Align::Left))
    }

    /// Fills a number up to `width` characters, after the sign and the `0x`.
    fn zero_pad(&self, text: &str, width: usize) -> String {
        let sign = usize::from(text.starts_with(['+', '-']));
        let prefixed =
            self.alternate && ["0x", "0o", "0b"].iter().any(|p| text[sign..].starts_with(p));
        let (head, digits) = text.split_at(sign + if prefixed { 2 } else { 0 });
        format!("{head}{}{digits}", "0".repeat(width.saturating_sub(text.len())))
    }

    /// Fills `text` up to `width` characters, aligned as `usual` unless the placeholder sets an
    /// alignment.
    fn pad(&self, text: &str, width: usize, usual: Align) -> String {
        let missing = width.saturating_sub(text.chars().count());
        let before = match self.align.unwrap_or(usual) {
            Align::Left => 0,
            Align::Center => missing / 2,
            Align::Right => missing,
        };
        let fill = |count: usize| self.fill.unwrap_or(' ').to_string().repeat(count);
        format!("{}{text}{}", fill(before), fill(missing - before))
    }
}

/// Returns the significant bits of a value: a device may have sign-extended it.
fn significant_bits(scalar: Scalar, bits: u64) -> u64 {
    let unused = scalar.bits().map_or(0, |width| 64 - width);
    bits << unused >> unused
}

/// The format of a value, apart from style and width.
#[derive(Clone, Copy)]
struct ValueFormat {
    plus: bool,
    alternate: bool,
    precision: Option<usize>,
}

/// Formats a number by the trait of `$style` (such as `"e"`).
macro_rules! number {
    ($spec:expr, $value:expr, $style:literal) => {
        match ($spec.plus, $spec.precision, $value) {
            (false, None, v) => format!(concat!("{v:", $style, "}"), v = v),
            (true, None, v) => format!(concat!("{v:+", $style, "}"), v = v),
            (false, Some(p), v) => format!(concat!("{v:.p$", $style, "}"), v = v, p = p),
            (true, Some(p), v) => format!(concat!("{v:+.p$", $style, "}"), v = v, p = p),
        }
    };
}

/// Formats the bits of an integer by the trait of `$style` (such as `"x"`).
macro_rules! digits {
    ($spec:expr, $bits:expr, $style:literal) => {
        match ($spec.plus, $spec.alternate, $bits) {
            (false, false, v) => format!(concat!("{v:", $style, "}"), v = v),
            (true, false, v) => format!(concat!("{v:+", $style, "}"), v = v),
            (false, true, v) => format!(concat!("{v:#", $style, "}"), v = v),
            (true, true, v) => format!(concat!("{v:+#", $style, "}"), v = v),
        }
    };
}

impl ValueFormat {
    /// Formats a value of any scalar type. Styles that it does not have, which the verifier
    /// excludes, are displayed plainly.
    fn format_scalar(self, style: Style, scalar: Scalar, bits: u64) -> String {
        let bits = significant_bits(scalar, bits);
        match scalar {
            Scalar::Bool => match self.precision {
                None => (bits != 0).to_string(),
                Some(p) => format!("{:.p$}", bits != 0),
            },
            Scalar::I8 => self.format_signed(style, bits, (bits as i8).into()),
            Scalar::I16 => self.format_signed(style, bits, (bits as i16).into()),
            Scalar::I32 => self.format_signed(style, bits, (bits as i32).into()),
            Scalar::I64 => self.format_signed(style, bits, bits as i64),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
                self.format_digits(style, bits).unwrap_or_else(|| self.format_int(style, bits))
            }
            Scalar::F16 | Scalar::BF16 => {
                let value = scalar.half().map(|format| format.to_f32(bits as u16));
                self.format_float(style, value.unwrap_or_default())
            }
            Scalar::F32 => self.format_float(style, f32::from_bits(bits as u32)),
            Scalar::F64 => self.format_float(style, f64::from_bits(bits)),
            Scalar::Generic(_) => String::new(),
        }
    }

    fn format_signed(self, style: Style, bits: u64, value: i64) -> String {
        self.format_digits(style, bits).unwrap_or_else(|| self.format_int(style, value))
    }

    /// Formats the bits of an integer, for styles that show them.
    fn format_digits(self, style: Style, bits: u64) -> Option<String> {
        match style {
            Style::LowerHex | Style::DebugLowerHex => Some(digits!(self, bits, "x")),
            Style::UpperHex | Style::DebugUpperHex => Some(digits!(self, bits, "X")),
            Style::Octal => Some(digits!(self, bits, "o")),
            Style::Binary => Some(digits!(self, bits, "b")),
            Style::Display | Style::Debug | Style::LowerExp | Style::UpperExp => None,
        }
    }

    fn format_int<T: Display + LowerExp + UpperExp>(self, style: Style, value: T) -> String {
        match style {
            Style::LowerExp => number!(self, value, "e"),
            Style::UpperExp => number!(self, value, "E"),
            Style::Display
            | Style::Debug
            | Style::DebugLowerHex
            | Style::DebugUpperHex
            | Style::LowerHex
            | Style::UpperHex
            | Style::Octal
            | Style::Binary => number!(self, value, ""),
        }
    }

    fn format_float<T: Display + Debug + LowerExp + UpperExp>(
        self,
        style: Style,
        value: T,
    ) -> String {
        match style {
            Style::Debug | Style::DebugLowerHex | Style::DebugUpperHex => number!(self, value, "?"),
            Style::LowerExp => number!(self, value, "e"),
            Style::UpperExp => number!(self, value, "E"),
            Style::Display | Style::LowerHex | Style::UpperHex | Style::Octal | Style::Binary => {
                number!(self, value, "")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(format: &str, args: &[(Scalar, u64)]) -> String {
        format.parse::<Format>().unwrap().render(args)
    }

    /// Compares our rendering with std's, for each format string and each of some values.
    macro_rules! same {
        ($scalar:ident $bits:expr; $($value:expr),+; $($format:literal),+) => {
            for value in [$($value),+] {
                let args = [(Scalar::$scalar, $bits(value)), (Scalar::U64, 9), (Scalar::U64, 2)];
                $(
                    let text = $format.replace("{v", "{0").replace("w$", "1$").replace("p$", "2$");
                    let (v, w, p) = (value, 9, 2);
                    assert_eq!(
                        rendered(&text, &args),
                        format!(concat!($format, "{w:.0}{p:.0}"), v = v, w = w, p = p)
                            .trim_end_matches("92"),
                        "{text} of {value:?}"
                    );
                )+
            }
        };
    }

    #[test]
    fn integers_read_as_std_writes_them() {
        same!(I8 |v: i8| u64::from(v as u8); 0, 5, -5, i8::MIN, i8::MAX;
            "{v}", "{v:?}", "{v:#?}", "{v:x}", "{v:#X}", "{v:#010b}", "{v:o}", "{v:e}", "{v:.2E}",
            "{v:+}", "{v:+06}", "{v:<6}|", "{v:^7}|", "{v:*>6}", "{v:w$}", "{v:#w$x}", "{v:x?}",
            "{v:#06X?}", "{v:.3}", "{v:<06}|");
        same!(U64 |v: u64| v; 0, 12_345_678, u64::MAX;
            "{v}", "{v:#x}", "{v:30}", "{v:030}", "{v:.p$e}", "{v:+}");
    }

    #[test]
    fn floats_read_as_std_writes_them() {
        same!(F32 |v: f32| u64::from(v.to_bits());
            0.0, -0.0, 1.5, -2.25, 1e-30, 16_777_216.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN;
            "{v}", "{v:?}", "{v:.2}", "{v:8.3}|", "{v:<8.3}|", "{v:08.3}", "{v:+}", "{v:+09.1}",
            "{v:e}", "{v:.3E}", "{v:#?}", "{v:w$.p$}", "{v:w$.p$e}", "{v:-^12}", "{v:010}");
        same!(F64 f64::to_bits; 0.1, 1e300, f64::MIN_POSITIVE, -1.0 / 3.0;
            "{v}", "{v:?}", "{v:.20}", "{v:e}", "{v:10.3}", "{v:.0}");
    }

    #[test]
    fn truth_reads_as_std_writes_it() {
        same!(Bool u64::from; true, false;
            "{v}", "{v:?}", "{v:7}|", "{v:>7}|", "{v:07}|", "{v:.2}|", "{v:*^w$.p$}|");
    }

    #[test]
    fn strings_are_padded_and_cut_as_std_does() {
        let text = |format: &str| {
            let format: Format = format.parse().unwrap();
            format.values().next().and_then(|value| value.render_text("größe"))
        };
        assert_eq!(text("{0:>8}"), Some(format!("{:>8}", "größe")));
        assert_eq!(text("{0:*^8.2}"), Some(format!("{:*^8.2}", "größe")));
        assert_eq!(text("{0}"), Some("größe".into()));
        assert_eq!(text("{0:?}"), Some(format!("{:?}", "größe")));
        assert_eq!(text("{0:1$}"), None);
    }

    #[test]
    fn an_argument_chooses_what_is_printed() {
        let format = "a {0?0=None|255=Some({1:?} || {0})|2={1?7=x|}|}{{";
        let args = |tag, value| [(Scalar::I8, tag), (Scalar::U32, value)];
        assert_eq!(rendered(format, &args(0, 3)), "a None{");
        assert_eq!(rendered(format, &args(u64::MAX, 3)), "a Some(3 | -1){");
        assert_eq!(rendered(format, &args(2, 7)), "a x{");
        assert_eq!(rendered(format, &args(2, 8)), "a {");
        assert_eq!(rendered(format, &args(5, 7)), "a {");
        assert_eq!(rendered(format, &[]), "a {");
    }

    #[test]
    fn what_is_not_there_is_left_out() {
        assert_eq!(rendered("a{0}b{1}", &[(Scalar::U8, 1)]), "a1b");
        assert_eq!(rendered("{0:1$}", &[(Scalar::U8, 1)]), "1");
    }
}
