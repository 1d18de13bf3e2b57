//! Messages: what a kernel says when it panics or prints, formatted on the host as Rust formats it.
//!
//! A [`Format`] is a format string, taken apart. The front end reads the user's with it and resolves names
//! and positions, so that every placeholder names its argument by number; that is the text that a
//! kernel carries ([`Message`](crate::ir::Message)). When the kernel has run, the host reads the text again and
//! [renders](Format::render) it with the values that a thread left behind. All formatting of numbers is
//! std's own.
//!
//! Structs, tuples and arrays are taken apart by the front end, which writes what stands between their
//! numbers. What is printed of an enum depends on its variant: a [`Choice`], which no user writes.
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

/// What a thread says that takes a part of a slice that is not there, as Rust does: of a start, of an
/// end, and of both.
pub const SLICE_TEXTS: [&str; 3] = [
    "range start index {0} out of range for slice of length {1}",
    "range end index {0} out of range for slice of length {1}",
    "slice index starts at {0} but ends at {1}",
];

/// Values that a message has at most: as many as a fault record has room for.
pub const MOST_VALUES: usize = 32;

/// A format string, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// What it prints, in order.
    pub pieces: Vec<Piece>,
}

/// A part of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Printed as it is.
    Text(String),
    /// Replaced by an argument.
    Value(Placeholder),
    /// Which it is depends on an argument.
    Choice(Choice),
}

/// One of several texts, by the value of an argument: `{0?0=None|1=Some({1})|}`. Nothing for any other value. In
/// the texts, `||` is a `|`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The number of the argument, an integer or `bool`.
    pub arg: usize,
    /// The argument's bits (zero-extended), and what is printed for them.
    pub cases: Vec<(u64, Format)>,
}

/// `{..}` in a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// Which argument.
    pub arg: Which,
    /// Character put where there is room; a space if none is written.
    pub fill: Option<char>,
    /// Where the value goes if there is room.
    pub align: Option<Align>,
    /// `+`: a sign even if it is positive.
    pub plus: bool,
    /// `#`: with `0x` and the like.
    pub alternate: bool,
    /// `0`: zeros behind the sign, where there is room.
    pub zero: bool,
    /// Least number of characters.
    pub width: Count,
    /// Digits behind the point.
    pub precision: Count,
    /// How.
    pub style: Style,
}

/// Which argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// The next that no number names.
    Next,
    /// That of this number, from 0.
    Index(usize),
    /// That of this name.
    Name(String),
}

/// Where a value goes if there is room.
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
    Value(Which),
    /// The next argument's value, before that which is printed: `.*`.
    Star,
}

/// How a value is printed: std's traits of formatting.
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

    /// How it is written at the end of a placeholder.
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

    /// Whether it is what derives print by: of structs, too.
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

    /// Which scalars have it: all, numbers, or integers.
    pub const fn formats(self) -> Formats {
        match self {
            Self::Display | Self::Debug | Self::DebugLowerHex | Self::DebugUpperHex => Formats::All,
            Self::LowerExp | Self::UpperExp => Formats::Numbers,
            Self::LowerHex | Self::UpperHex | Self::Octal | Self::Binary => Formats::Integers,
        }
    }
}

/// Which scalars a [`Style`] is for.
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
    /// The placeholders, in order, but for those of choices.
    pub fn values(&self) -> impl Iterator<Item = &Placeholder> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) | Piece::Choice(_) => None,
            Piece::Value(placeholder) => Some(placeholder),
        })
    }

    /// The placeholders, in order, to resolve; but for those of choices.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Placeholder> {
        self.pieces.iter_mut().filter_map(|piece| match piece {
            Piece::Text(_) | Piece::Choice(_) => None,
            Piece::Value(placeholder) => Some(placeholder),
        })
    }

    /// Puts `text`, printed as it is, before everything else.
    pub fn prepend(&mut self, text: &str) {
        self.pieces.insert(0, Piece::Text(text.into()));
    }

    /// Adds `text`, printed as it is.
    pub fn push(&mut self, text: &str) {
        self.pieces.push(Piece::Text(text.into()));
    }

    /// Adds argument `index` as `{:?}` prints it.
    pub fn push_debug(&mut self, index: usize) {
        let style = Style::Debug;
        self.pieces.push(Piece::Value(Placeholder { style, ..Placeholder::plain(index) }));
    }
}

impl Placeholder {
    /// Argument `index` as `{}` prints it.
    pub const fn plain(index: usize) -> Self {
        Self {
            arg: Which::Index(index),
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
            if let Which::Index(index) = which {
                *index = new(*index);
            }
        }
    }
}

/// As one would write it.
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
        let spec = self.spec();
        match spec.as_str() {
            "" => write!(f, "{{{}}}", self.arg),
            spec => write!(f, "{{{}:{spec}}}", self.arg),
        }
    }
}

impl Placeholder {
    /// What stands behind the colon.
    fn spec(&self) -> String {
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

impl fmt::Display for Which {
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
