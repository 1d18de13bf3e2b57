//! Inline PTX: a text with operands, and the checks that it stays in its place.
//!
//! A back end puts the text into a scope of its own, `{ .. }`, so that the names that it declares
//! are its own, and puts a register for each operand: `{0}` is the first output, and the inputs
//! follow the outputs. `{{` and `}}` are the braces of PTX. [`check_text`] keeps a text from
//! closing its scope, and from naming the registers of the code around it.
use super::Scalar;
use crate::target::Target;
use std::{fmt, ops::Range};

/// A piece of PTX that the user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinePtx {
    /// The statements, with `{0}` and so on for the operands.
    pub text: String,
    /// The types of the outputs.
    pub outputs: Vec<Scalar>,
    /// True if Rust code stands beside it, which the interpreter runs instead.
    pub has_fallback: bool,
    /// The hardware and the version of PTX that it needs.
    pub level: PtxLevel,
}

/// A target and a version of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtxLevel {
    /// The oldest target.
    pub target: Target,
    /// True if the text runs on no other target: it uses features of `sm_90a`.
    pub is_specific: bool,
    /// The oldest version of PTX.
    pub version: &'static str,
}

/// The versions of PTX that a text can ask for.
const VERSIONS: [&str; 22] = [
    "6.3", "6.4", "6.5", "7.0", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8", "8.0",
    "8.1", "8.2", "8.3", "8.4", "8.5", "8.6", "8.7", "8.8", "9.0",
];

/// The targets that a text can ask for, and the versions of PTX that introduced them, and their
/// specific features if they have any.
const TARGETS: [(u32, &str, Option<&str>); 11] = [
    (75, "6.3", None),
    (80, "7.0", None),
    (86, "7.1", None),
    (87, "7.4", None),
    (89, "7.8", None),
    (90, "7.8", Some("8.0")),
    (100, "8.6", Some("8.6")),
    (101, "8.6", Some("8.6")),
    (103, "8.8", Some("8.8")),
    (120, "8.7", Some("8.7")),
    (121, "8.8", Some("8.8")),
];

impl PtxLevel {
    /// Every target of Warpwise has this.
    pub const OLDEST: Self =
        Self { target: Target::OLDEST, is_specific: false, version: VERSIONS[0] };

    /// Returns the level with a requirement, which is the name of a target or a version: `sm_80`,
    /// `sm_90a`, `ptx78`. `None` if there is no such name.
    pub fn requiring(mut self, name: &str) -> Option<Self> {
        if let Some(digits) = name.strip_prefix("ptx") {
            let version =
                VERSIONS.into_iter().find(|version| version.replace('.', "") == digits)?;
            self.version = self.version.max(version);
            return Some(self);
        }
        let number = name.strip_prefix("sm_")?;
        let (number, is_specific) =
            number.strip_suffix('a').map_or((number, false), |number| (number, true));
        let (sm, plain, specific) =
            TARGETS.into_iter().find(|(sm, _, _)| sm.to_string() == number)?;
        let version = if is_specific { specific? } else { plain };
        self.version = self.version.max(version);
        (self.target, self.is_specific) = (Target::new(sm), is_specific);
        Some(self)
    }
}

impl fmt::Display for PtxLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = if self.is_specific { "a" } else { "" };
        write!(f, "{}{suffix}, ptx{}", self.target, self.version.replace('.', ""))
    }
}

impl InlinePtx {
    /// The greatest number of outputs and inputs.
    pub const MAX_OPERANDS: usize = 128;

    /// Returns true for the types of operands, which are those that registers of PTX have.
    pub const fn is_operand(scalar: Scalar) -> bool {
        match scalar {
            Scalar::I8 | Scalar::U8 | Scalar::Generic(_) => false,
            Scalar::Bool
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::F16
            | Scalar::BF16
            | Scalar::F32
            | Scalar::F64 => true,
        }
    }

    /// Returns the statements, with `operands` in their places. `text` spells the rest of the text,
    /// a character at a time.
    pub fn render(&self, operands: &[String], text: impl Fn(char) -> String) -> String {
        let mut rendered = String::new();
        let mut rest = self.text.chars().peekable();
        while let Some(c) = rest.next() {
            match c {
                '{' if rest.next_if_eq(&'{').is_some() => rendered += &text('{'),
                '}' if rest.next_if_eq(&'}').is_some() => rendered += &text('}'),
                '{' => {
                    let number: String = rest.by_ref().take_while(|c| *c != '}').collect();
                    let operand = number.parse().ok().and_then(|at: usize| operands.get(at));
                    rendered.extend(operand.map(String::as_str));
                }
                c => rendered += &text(c),
            }
        }
        rendered
    }
}

/// A mistake in the text of inline PTX: its place in bytes, a fact, and a help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The place.
    pub at: Range<usize>,
    /// The fact.
    pub fact: String,
    /// The remedy.
    pub help: &'static str,
}

/// A piece of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece<'t> {
    Open,
    Close,
    Operand(&'t str),
    /// A register: `%r1`.
    Register(&'t str),
    /// A directive: `.reg`.
    Directive(&'t str),
    Semicolon,
    /// Anything else that is no blank, by its first character.
    Other(char),
}

/// Checks that a text stays in its scope, and names no register of the code around it. Returns the
/// names in its placeholders with their places, in order.
///
/// # Errors
/// The first mistake.
pub fn check_text(text: &str) -> Result<Vec<(Range<usize>, &str)>, TextError> {
    let pieces = read_pieces(text)?;
    let wrong = |at: &Range<usize>, fact: &str, help| {
        Err(TextError { at: at.clone(), fact: fact.to_owned(), help })
    };
    let mut open = Vec::new();
    for (at, piece) in &pieces {
        match piece {
            Piece::Open => open.push(at),
            Piece::Operand(name) if !name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                return wrong(at, "these braces name no operand", BRACES);
            }
            Piece::Close if open.pop().is_none() => {
                return wrong(at, "this `}}` closes no brace of the PTX", BRACES);
            }
            _ => {}
        }
    }
    if let Some(at) = open.pop() {
        return wrong(at, "this `{{` of the PTX is not closed", BRACES);
    }
    match pieces.last() {
        Some((_, Piece::Semicolon | Piece::Close)) => {}
        Some((at, _)) => {
            return wrong(at, "the last statement of the PTX does not end", "write `;` behind it");
        }
        None => return wrong(&(0..text.len()), "there is no PTX", "write a statement"),
    }
    let declared = declared_registers(&pieces);
    for (at, piece) in &pieces {
        if let Piece::Register(name) = piece
            && is_numbered(name)
            && !declared.iter().any(|register| register.covers(name))
        {
            return Err(TextError {
                at: at.clone(),
                fact: format!("the PTX does not declare the register `{name}`"),
                help: "pass it as an operand, or declare it in the text: `.reg .b32 t;`",
            });
        }
    }
    Ok(pieces
        .into_iter()
        .filter_map(|(at, piece)| match piece {
            Piece::Operand(name) => Some((at, name)),
            _ => None,
        })
        .collect())
}

const BRACES: &str =
    "`{name}` is an operand; write each brace of PTX twice, with its other half in the same text";

fn read_pieces(text: &str) -> Result<Vec<(Range<usize>, Piece<'_>)>, TextError> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let wrong = |len: usize, fact: &str, help| {
            Err(TextError { at: at..at + len, fact: fact.to_owned(), help })
        };
        let word = |from: usize| -> &str {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
            let end = rest[from..].find(|c| !is_word(c)).map_or(rest.len(), |end| from + end);
            &rest[..end]
        };
        let (len, piece) = match c {
            '{' if rest.starts_with("{{") => (2, Piece::Open),
            '}' if rest.starts_with("}}") => (2, Piece::Close),
            '{' => {
                let Some(end) = rest.find('}') else {
                    return wrong(1, "this `{` begins an operand that does not end", BRACES);
                };
                (end + 1, Piece::Operand(&rest[1..end]))
            }
            '}' => return wrong(1, "this `}` ends no operand", BRACES),
            '/' if rest.starts_with("//") || rest.starts_with("/*") => {
                return wrong(
                    2,
                    "the PTX has a comment",
                    "write comments in Rust, between strings",
                );
            }
            '"' => return wrong(1, "the PTX has a string", "leave the directive out"),
            '%' => (word(1).len(), Piece::Register(word(1))),
            '.' => (word(1).len(), Piece::Directive(word(1))),
            ';' => (1, Piece::Semicolon),
            ' ' | '\t' | '\n' | '\r' => {
                at += 1;
                continue;
            }
            c if !c.is_ascii_graphic() => {
                return wrong(c.len_utf8(), "PTX is written in ASCII", "leave the character out");
            }
            c => (word(0).len().max(1), Piece::Other(c)),
        };
        pieces.push((at..at + len, piece));
        at += len;
    }
    Ok(pieces)
}

/// A register that a text declares, or a row of them: `%t` and `%t<4>`.
struct Declared<'t> {
    name: &'t str,
    is_row: bool,
}

impl Declared<'_> {
    fn covers(&self, name: &str) -> bool {
        let number = name.strip_prefix(self.name);
        number.is_some_and(|number| {
            if self.is_row {
                !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit())
            } else {
                number.is_empty()
            }
        })
    }
}

fn declared_registers<'t>(pieces: &[(Range<usize>, Piece<'t>)]) -> Vec<Declared<'t>> {
    let mut declared = Vec::new();
    let mut declares = false;
    for (index, (_, piece)) in pieces.iter().enumerate() {
        match piece {
            Piece::Directive(".reg") => declares = true,
            Piece::Semicolon => declares = false,
            Piece::Register(name) if declares => {
                let is_row = matches!(pieces.get(index + 1), Some((_, Piece::Other('<'))));
                declared.push(Declared { name, is_row });
            }
            _ => {}
        }
    }
    declared
}

/// Returns true for a register with a number, which is no special one: the back ends number theirs.
fn is_numbered(name: &str) -> bool {
    let is_special = name == "%clock64" || name.starts_with("%pm") || name.starts_with("%envreg");
    !is_special && name.ends_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Result<Vec<&str>, String> {
        match check_text(text) {
            Ok(names) => Ok(names.into_iter().map(|(_, name)| name).collect()),
            Err(error) => Err(format!("{} at {:?}", error.fact, error.at)),
        }
    }

    #[test]
    fn placeholders_are_found() {
        assert_eq!(names("mov.b64 {d}, {{ {a}, {b} }};"), Ok(vec!["d", "a", "b"]));
        assert_eq!(names("{{ trap; }}"), Ok(vec![]));
    }

    #[test]
    fn a_text_stays_in_its_scope() {
        assert_eq!(names("}} {{"), Err("this `}}` closes no brace of the PTX at 0..2".into()));
        assert_eq!(names("{{ {{ }}"), Err("this `{{` of the PTX is not closed at 0..2".into()));
        assert_eq!(names("}"), Err("this `}` ends no operand at 0..1".into()));
        assert_eq!(
            names("mov {a"),
            Err("this `{` begins an operand that does not end at 4..5".into())
        );
        assert_eq!(names("trap; /* }} */"), Err("the PTX has a comment at 6..8".into()));
        assert_eq!(names(".pragma \"}}\";"), Err("the PTX has a string at 8..9".into()));
        assert_eq!(names("trap;é"), Err("PTX is written in ASCII at 5..7".into()));
        assert_eq!(names(" "), Err("there is no PTX at 0..1".into()));
    }

    #[test]
    fn registers_of_the_code_around_are_refused() {
        let refused =
            |name: &str| Err(format!("the PTX does not declare the register `{name}` at 4..7"));
        assert_eq!(names("mov %r1, 2;"), refused("%r1"));
        assert_eq!(names("mov %t4, 1; .reg .b32 %t, %u<5>;"), refused("%t4"));
        for text in [
            "mov %r1, %clock64; .reg .b32 %r1;",
            "mov %t4, 1; .reg .b32 %t<5>;",
            "mov %t4, 1; .reg .b32 %a, %t4;",
            "mov %t, %tid.x;",
            "mov {a}, %envreg3;",
            "mov {a}, %pm0_64;",
        ] {
            assert!(names(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn levels_are_the_greatest_that_are_asked_for() {
        let level = |names: &[&str]| {
            names.iter().try_fold(PtxLevel::OLDEST, |level, name| level.requiring(name))
        };
        let text = |names: &[&str]| level(names).map(|level| level.to_string());
        assert_eq!(text(&[]).as_deref(), Some("sm_75, ptx63"));
        assert_eq!(text(&["sm_90a", "ptx78"]).as_deref(), Some("sm_90a, ptx80"));
        assert_eq!(text(&["ptx85", "sm_80"]).as_deref(), Some("sm_80, ptx85"));
        for unknown in ["sm_70", "sm_80a", "sm_", "ptx", "ptx62", "pure", "sm_900"] {
            assert_eq!(level(&[unknown]), None, "{unknown}");
        }
    }

    #[test]
    fn operands_take_the_places_of_their_numbers() {
        let ptx = InlinePtx {
            text: "{{ add {0}, {1}, $x; }}".to_owned(),
            outputs: vec![Scalar::U32],
            has_fallback: false,
            level: PtxLevel::OLDEST,
        };
        let operands = ["%r1".to_owned(), "%r2".to_owned()];
        assert_eq!(ptx.render(&operands, String::from), "{ add %r1, %r2, $x; }");
        let doubled = ptx.render(&operands, |c| if c == '$' { "$$".into() } else { c.into() });
        assert_eq!(doubled, "{ add %r1, %r2, $$x; }");
    }
}
