//! The words of the text: marks, names, numbers, and ids.
use super::{
    super::{
        ArrayId, GenericId, InstId, LocalId, MessageId, ParamId, SharedId, Span, names::Named,
    },
    At, ParseError, Parser, Result, Use,
};
use crate::id::Id;
use std::str::FromStr;

impl<'t> Parser<'t> {
    pub(super) fn error_at(&self, at: At, message: impl Into<String>) -> ParseError {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let number = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
        ParseError {
            line: number(before.bytes().filter(|&byte| byte == b'\n').count()),
            column: number(before[line_start..].chars().count()),
            message: message.into(),
        }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(super) fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Skips white space and comments.
    pub(super) fn skip_blanks(&mut self) {
        self.skip_space();
        while self.rest().starts_with(';') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            self.skip_space();
        }
    }

    /// Takes the characters from here on for which `part` is true.
    pub(super) fn take_while(&mut self, part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !part(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// Takes the word that starts here; returns an empty one if none does.
    pub(super) fn take_word(&mut self) -> (At, &'t str) {
        self.skip_blanks();
        (self.at, self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '.'))
    }

    pub(super) fn eat_keyword(&mut self, keyword: &str) -> bool {
        let (at, word) = self.take_word();
        if word != keyword {
            self.at = at;
        }
        word == keyword
    }

    pub(super) fn expect_keyword(&mut self, keyword: &str) -> Result<()> {
        if self.eat_keyword(keyword) {
            Ok(())
        } else {
            Err(self.expected_error(&format!("`{keyword}`")))
        }
    }

    pub(super) fn eat(&mut self, mark: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    pub(super) fn expect(&mut self, mark: &str) -> Result<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected_error(&format!("`{mark}`"))) }
    }

    pub(super) fn expected_error(&mut self, what: &str) -> ParseError {
        let (at, word) = self.take_word();
        let found = match (word, self.text[at..].chars().next()) {
            ("", None) => "the end of the text".into(),
            ("", Some(mark)) => format!("`{mark}`"),
            (word, _) => format!("`{word}`"),
        };
        self.error_at(at, format!("expected {what}, found {found}"))
    }

    /// Parses a word of a table, such as a scalar's name.
    pub(super) fn parse_named<N: Named>(&mut self, what: &str) -> Result<N> {
        let (at, word) = self.take_word();
        self.find_named(at, word, what)
    }

    pub(super) fn find_named<N: Named>(&mut self, at: At, word: &str, what: &str) -> Result<N> {
        N::from_name(word).ok_or_else(|| {
            self.at = at;
            self.expected_error(what)
        })
    }

    /// Parses a name from the source: a word, a string in quotes, or nothing.
    pub(super) fn parse_name(&mut self) -> Result<String> {
        self.skip_blanks();
        if self.rest().starts_with('"') {
            return self.parse_quoted();
        }
        let raw = if self.eat("r#") { "r#" } else { "" };
        Ok(format!("{raw}{}", self.take_while(|c| c.is_alphanumeric() || c == '_')))
    }

    /// Parses a string as Rust's `{:?}` writes it.
    pub(super) fn parse_quoted(&mut self) -> Result<String> {
        let start = self.at;
        let unclosed = |parser: &Self| parser.error_at(start, "a quote that is not closed");
        let mut name = String::new();
        self.at += 1;
        loop {
            let c = self.rest().chars().next().ok_or_else(|| unclosed(self))?;
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(name),
                '\\' => name.push(self.parse_escape()?),
                c => name.push(c),
            }
        }
    }

    /// Parses the rest of an escape after its backslash.
    pub(super) fn parse_escape(&mut self) -> Result<char> {
        let at = self.at;
        let bad =
            |parser: &Self| parser.error_at(at, "an escape that Rust's `{:?}` does not write");
        let c = self.rest().chars().next().ok_or_else(|| bad(self))?;
        self.at += c.len_utf8();
        match c {
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'r' => Ok('\r'),
            '0' => Ok('\0'),
            '"' | '\'' | '\\' => Ok(c),
            'u' => {
                self.expect("{")?;
                let digits = self.take_while(|c| c.is_ascii_hexdigit());
                self.expect("}")?;
                let code = u32::from_str_radix(digits, 16).ok();
                code.and_then(char::from_u32).ok_or_else(|| bad(self))
            }
            _ => Err(bad(self)),
        }
    }

    /// Parses a decimal number.
    pub(super) fn parse_number<N: FromStr>(&mut self) -> Result<N> {
        self.skip_blanks();
        let at = self.at;
        let digits = self.take_while(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected_error("a number"));
        }
        digits.parse().map_err(|_| self.error_at(at, format!("`{digits}` is too large")))
    }

    /// Parses an id, such as `%12`; returns its position, too.
    pub(super) fn parse_id<I: Id>(&mut self, prefix: &str, what: &str) -> Result<(At, I)> {
        self.skip_blanks();
        let at = self.at;
        let digits = self.rest().strip_prefix(prefix).unwrap_or_default();
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.expected_error(what));
        }
        self.at += prefix.len();
        Ok((at, I::new(self.parse_number::<u32>()? as usize)))
    }

    pub(super) fn parse_inst_id(&mut self) -> Result<InstId> {
        let (at, id) = self.parse_id("%", "an instruction such as `%3`")?;
        self.uses.push((at, Use::Inst(id)));
        Ok(id)
    }

    pub(super) fn parse_local_id(&mut self) -> Result<LocalId> {
        let (at, id) = self.parse_id("$", "a local such as `$3`")?;
        self.uses.push((at, Use::Local(id)));
        Ok(id)
    }

    pub(super) fn parse_shared_id(&mut self) -> Result<SharedId> {
        let (at, id) = self.parse_id("@", "a shared array such as `@3`")?;
        self.uses.push((at, Use::Shared(id)));
        Ok(id)
    }

    pub(super) fn parse_array_id(&mut self) -> Result<ArrayId> {
        let (at, id) = self.parse_id("#", "an array such as `#3`")?;
        self.uses.push((at, Use::Array(id)));
        Ok(id)
    }

    pub(super) fn parse_param_id(&mut self) -> Result<ParamId> {
        let (at, id) = self.parse_id("arg", "a parameter such as `arg3`")?;
        self.uses.push((at, Use::Param(id)));
        Ok(id)
    }

    pub(super) fn parse_message_id(&mut self) -> Result<MessageId> {
        let (at, id) = self.parse_id("msg", "a message such as `msg3`")?;
        self.uses.push((at, Use::Message(id)));
        Ok(id)
    }

    pub(super) fn parse_generic_id(&mut self) -> Result<GenericId> {
        let (at, id) = self.parse_id("T", "a generic parameter such as `T3`")?;
        self.uses.push((at, Use::Generic(id)));
        Ok(id)
    }

    pub(super) fn is_at_generic(&mut self) -> bool {
        self.skip_blanks();
        self.rest()
            .strip_prefix('T')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Parses a span; `!0` where the text has none.
    pub(super) fn parse_span(&mut self) -> Result<Span> {
        self.skip_blanks();
        if self.rest().starts_with('!') {
            Ok(self.parse_id("!", "a span such as `!3`")?.1)
        } else {
            Ok(Span::new(0))
        }
    }
}
