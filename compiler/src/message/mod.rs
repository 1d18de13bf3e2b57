//! Messages of panics and prints in kernels, formatted on the host as Rust formats them.
//!
//! A [`Format`] is a parsed format string. The front end parses the user's and resolves names and
//! positions, so that every placeholder names its argument by number; the kernel carries the
//! resulting text ([`Message`](crate::ir::Message)). After the kernel has run, the host parses the
//! text again and [renders](Format::render) it with the values that a thread stored. All formatting
//! of numbers is std's own.
//!
//! The front end decomposes structs, tuples and arrays, and writes the text between their numbers.
//! The output for an enum depends on its variant: a [`Choice`], which no user writes.
//!
//! ```
//! use warpwise_compiler::{ir::Scalar, message::Format};
//! let format: Format = "x[{0}] is {1:>8.3}{{}}".parse()?;
//! let args = [(Scalar::U32, 7), (Scalar::F32, 2.5f32.to_bits().into())];
//! assert_eq!(format.render(&args), "x[7] is    2.500{}");
//! # Ok::<(), warpwise_compiler::message::FormatError>(())
//! ```
mod parse;
mod render;

pub use parse::FormatError;
use std::fmt;

/// Rust's messages of panics about subslices: for a range with a start, with an end, and with both.
pub const SLICE_TEXTS: [&str; 3] = [
    "range start index {0} out of range for slice of length {1}",
    "range end index {0} out of range for slice of length {1}",
    "slice index starts at {0} but ends at {1}",
];

/// Maximum number of values of a message: the capacity of a fault record.
pub const MAX_VALUES: usize = 32;

/// A parsed format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its parts, in order.
    pub pieces: Vec<Piece>,
}

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// A placeholder for an argument.
    Value(Placeholder),
    /// A text selected by an argument.
    Choice(Choice),
}

/// One of several texts, by the value of an argument: `{0?0=None|1=Some({1})|}`. Empty for any
/// other value. In the texts, `||` is a `|`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The number of the argument, an integer or `bool`.
    pub arg: usize,
    /// The argument's bits (zero-extended), each with its text.
    pub cases: Vec<(u64, Format)>,
}

/// `{..}` in a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// The argument.
    pub arg: ArgumentRef,
    /// The fill character; a space if none is written.
    pub fill: Option<char>,
    /// The alignment.
    pub align: Option<Align>,
    /// `+`: a sign even if it is positive.
    pub plus: bool,
    /// `#`: alternate form, such as with `0x`.
    pub alternate: bool,
    /// `0`: padding with zeros after the sign.
    pub zero: bool,
    /// Minimum number of characters.
    pub width: Count,
    /// Digits after the point.
    pub precision: Count,
    /// The style.
    pub style: Style,
}

/// A reference to an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentRef {
    /// The next positional argument.
    Next,
    /// The argument with this number, from 0.
    Index(usize),
    /// The argument with this name.
    Name(String),
}

/// The alignment of a value within its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "self-describing")]
pub enum Align {
    Left,
    Center,
    Right,
}

/// A width or precision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// None.
    Unset,
    /// This number.
    Number(usize),
    /// An argument's value: `1$`, `name$`.
    Value(ArgumentRef),
    /// The next argument's value, before the printed one: `.*`.
    Star,
}

/// The style of a value: std's formatting traits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `{}`
    Display,
    /// `{:?}`
    Debug,
    /// `{:x?}`
    DebugLowerHex,
    /// `{:X?}`
    DebugUpperHex,
    /// `{:x}`
    LowerHex,
    /// `{:X}`
    UpperHex,
    /// `{:o}`
    Octal,
    /// `{:b}`
    Binary,
    /// `{:e}`
    LowerExp,
    /// `{:E}`
    UpperExp,
}

impl Style {
    /// Every style.
    pub const ALL: [Self; 10] = [
        Self::Display,
        Self::Debug,
        Self::DebugLowerHex,
        Self::DebugUpperHex,
        Self::LowerHex,
        Self::UpperHex,
        Self::Octal,
        Self::Binary,
        Self::LowerExp,
        Self::UpperExp,
    ];

    /// Returns its text at the end of a placeholder.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Display => "",
            Self::Debug => "?",
            Self::DebugLowerHex => "x?",
            Self::DebugUpperHex => "X?",
            Self::LowerHex => "x",
            Self::UpperHex => "X",
            Self::Octal => "o",
            Self::Binary => "b",
            Self::LowerExp => "e",
            Self::UpperExp => "E",
        }
    }

    /// Returns true for the styles that derives, such as those of structs, print with.
    pub const fn is_debug(self) -> bool {
        match self {
            Self::Debug | Self::DebugLowerHex | Self::DebugUpperHex => true,
            Self::Display
            | Self::LowerHex
            | Self::UpperHex
            | Self::Octal
            | Self::Binary
            | Self::LowerExp
            | Self::UpperExp => false,
        }
    }

    /// Returns the scalar types that have the style.
    pub const fn formats(self) -> Formats {
        match self {
            Self::Display | Self::Debug | Self::DebugLowerHex | Self::DebugUpperHex => Formats::All,
            Self::LowerExp | Self::UpperExp => Formats::Numbers,
            Self::LowerHex | Self::UpperHex | Self::Octal | Self::Binary => Formats::Integers,
        }
    }
}

/// The scalar types that a [`Style`] applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formats {
    /// `bool` and numbers.
    All,
    /// Integers and floats.
    Numbers,
    /// Integers.
    Integers,
}

impl Format {
    /// Returns the placeholders, in order, except those in choices.
    pub fn values(&self) -> impl Iterator<Item = &Placeholder> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) | Piece::Choice(_) => None,
            Piece::Value(placeholder) => Some(placeholder),
        })
    }

    /// Returns the placeholders, in order, to resolve; except those in choices.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Placeholder> {
        self.pieces.iter_mut().filter_map(|piece| match piece {
            Piece::Text(_) | Piece::Choice(_) => None,
            Piece::Value(placeholder) => Some(placeholder),
        })
    }

    /// Inserts literal `text` before everything else.
    pub fn prepend(&mut self, text: &str) {
        self.pieces.insert(0, Piece::Text(text.into()));
    }

    /// Appends literal `text`.
    pub fn push(&mut self, text: &str) {
        self.pieces.push(Piece::Text(text.into()));
    }

    /// Appends argument `index` in the style `{:?}`.
    pub fn push_debug(&mut self, index: usize) {
        let style = Style::Debug;
        self.pieces.push(Piece::Value(Placeholder { style, ..Placeholder::plain(index) }));
    }
}

impl Placeholder {
    /// Returns a placeholder of argument `index` in the style `{}`.
    pub const fn plain(index: usize) -> Self {
        Self {
            arg: ArgumentRef::Index(index),
            fill: None,
            align: None,
            plus: false,
            alternate: false,
            zero: false,
            width: Count::Unset,
            precision: Count::Unset,
            style: Style::Display,
        }
    }

    /// Replaces the numbers of arguments.
    pub fn renumber(&mut self, new: impl Fn(usize) -> usize) {
        let [mut width, mut precision] = [&mut self.width, &mut self.precision]
            .map(|count| if let Count::Value(which) = count { Some(which) } else { None });
        let counts = [&mut width, &mut precision].into_iter().filter_map(Option::take);
        for which in counts.chain([&mut self.arg]) {
            if let ArgumentRef::Index(index) = which {
                *index = new(*index);
            }
        }
    }
}

/// Formats it in the grammar of format strings.
impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => {
                    f.write_str(&text.replace('{', "{{").replace('}', "}}"))?;
                }
                Piece::Value(placeholder) => placeholder.fmt(f)?,
                Piece::Choice(choice) => choice.fmt(f)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{}?", self.arg)?;
        for (value, format) in &self.cases {
            write!(f, "{value}=")?;
            for piece in &format.pieces {
                match piece {
                    Piece::Text(text) => {
                        let text = text.replace('{', "{{").replace('}', "}}");
                        f.write_str(&text.replace('|', "||"))?;
                    }
                    Piece::Value(placeholder) => placeholder.fmt(f)?,
                    Piece::Choice(choice) => choice.fmt(f)?,
                }
            }
            f.write_str("|")?;
        }
        f.write_str("}")
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec = self.spec_text();
        match spec.as_str() {
            "" => write!(f, "{{{}}}", self.arg),
            spec => write!(f, "{{{}:{spec}}}", self.arg),
        }
    }
}

impl Placeholder {
    /// Returns the text after the colon.
    fn spec_text(&self) -> String {
        let mut spec: String = self.fill.into_iter().collect();
        spec += match self.align {
            None => "",
            Some(Align::Left) => "<",
            Some(Align::Center) => "^",
            Some(Align::Right) => ">",
        };
        let flags = [(self.plus, "+"), (self.alternate, "#"), (self.zero, "0")];
        flags.iter().filter(|(set, _)| *set).for_each(|(_, flag)| spec += flag);
        spec += &self.width.to_string();
        if self.precision != Count::Unset {
            spec += &format!(".{}", self.precision);
        }
        spec + self.style.suffix()
    }
}

impl fmt::Display for ArgumentRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Next => Ok(()),
            Self::Index(index) => index.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => Ok(()),
            Self::Number(number) => number.fmt(f),
            Self::Value(which) => write!(f, "{which}$"),
            Self::Star => f.write_str("*"),
        }
    }
}
