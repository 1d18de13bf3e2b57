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
    pub(super) fn error(&self, at: At, message: impl Into<String>) -> ParseError {
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
    pub(super) fn skip(&mut self) {
        self.skip_space();
        while self.rest().starts_with(';') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            self.skip_space();
        }
    }

    /// Takes what starts here and is made of `part`.
    pub(super) fn take(&mut self, part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !part(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// The word that starts here; empty if none does.
    pub(super) fn word(&mut self) -> (At, &'t str) {
        self.skip();
        (self.at, self.take(|c| c.is_alphanumeric() || c == '_' || c == '.'))
    }

    pub(super) fn eat_keyword(&mut self, keyword: &str) -> bool {
        let (at, word) = self.word();
        if word != keyword {
            self.at = at;
        }
        word == keyword
    }

    pub(super) fn keyword(&mut self, keyword: &str) -> Result<()> {
        if self.eat_keyword(keyword) { Ok(()) } else { Err(self.expected(&format!("`{keyword}`"))) }
    }

    pub(super) fn eat(&mut self, mark: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    pub(super) fn expect(&mut self, mark: &str) -> Result<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    pub(super) fn expected(&mut self, what: &str) -> ParseError {
        let (at, word) = self.word();
        let found = match (word, self.text[at..].chars().next()) {
            ("", None) => "the end of the text".into(),
            ("", Some(mark)) => format!("`{mark}`"),
            (word, _) => format!("`{word}`"),
        };
        self.error(at, format!("expected {what}, found {found}"))
    }

    /// One of a table's words, e.g. a scalar's name.
    pub(super) fn named<N: Named>(&mut self, what: &str) -> Result<N> {
        let (at, word) = self.word();
        self.named_in(at, word, what)
    }

    pub(super) fn named_in<N: Named>(&mut self, at: At, word: &str, what: &str) -> Result<N> {
        N::from_name(word).ok_or_else(|| {
            self.at = at;
            self.expected(what)
        })
    }

    /// A name of the user's: a word, a string in quotes, or nothing.
    pub(super) fn name(&mut self) -> Result<String> {
        self.skip();
        if self.rest().starts_with('"') {
            return self.quoted();
        }
        let raw = if self.eat("r#") { "r#" } else { "" };
        Ok(format!("{raw}{}", self.take(|c| c.is_alphanumeric() || c == '_')))
    }

    /// A string as Rust's `{:?}` writes it.
    pub(super) fn quoted(&mut self) -> Result<String> {
        let start = self.at;
        let unclosed = |parser: &Self| parser.error(start, "a quote that is not closed");
        let mut name = String::new();
        self.at += 1;
        loop {
            let c = self.rest().chars().next().ok_or_else(|| unclosed(self))?;
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(name),
                '\\' => name.push(self.escape()?),
                c => name.push(c),
            }
        }
    }

    /// Parses the rest of an escape after its backslash.
    pub(super) fn escape(&mut self) -> Result<char> {
        let at = self.at;
        let bad = |parser: &Self| parser.error(at, "an escape that Rust's `{:?}` does not write");
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
                let digits = self.take(|c| c.is_ascii_hexdigit());
                self.expect("}")?;
                let code = u32::from_str_radix(digits, 16).ok();
                code.and_then(char::from_u32).ok_or_else(|| bad(self))
            }
            _ => Err(bad(self)),
        }
    }

    /// A decimal number.
    pub(super) fn number<N: FromStr>(&mut self) -> Result<N> {
        self.skip();
        let at = self.at;
        let digits = self.take(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.expected("a number"));
        }
        digits.parse().map_err(|_| self.error(at, format!("`{digits}` is too large")))
    }

    /// An id, e.g. `%12`.
    pub(super) fn id<I: Id>(&mut self, prefix: &str, what: &str) -> Result<(At, I)> {
        self.skip();
        let at = self.at;
        let digits = self.rest().strip_prefix(prefix).unwrap_or_default();
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.expected(what));
        }
        self.at += prefix.len();
        Ok((at, I::new(self.number::<u32>()? as usize)))
    }

    pub(super) fn inst_id(&mut self) -> Result<InstId> {
        let (at, id) = self.id("%", "an instruction such as `%3`")?;
        self.uses.push((at, Use::Inst(id)));
        Ok(id)
    }

    pub(super) fn local_id(&mut self) -> Result<LocalId> {
        let (at, id) = self.id("$", "a local such as `$3`")?;
        self.uses.push((at, Use::Local(id)));
        Ok(id)
    }

    pub(super) fn shared_id(&mut self) -> Result<SharedId> {
        let (at, id) = self.id("@", "a shared array such as `@3`")?;
        self.uses.push((at, Use::Shared(id)));
        Ok(id)
    }

    pub(super) fn array_id(&mut self) -> Result<ArrayId> {
        let (at, id) = self.id("#", "an array such as `#3`")?;
        self.uses.push((at, Use::Array(id)));
        Ok(id)
    }

    pub(super) fn param_id(&mut self) -> Result<ParamId> {
        let (at, id) = self.id("arg", "a parameter such as `arg3`")?;
        self.uses.push((at, Use::Param(id)));
        Ok(id)
    }

    pub(super) fn message_id(&mut self) -> Result<MessageId> {
        let (at, id) = self.id("msg", "a message such as `msg3`")?;
        self.uses.push((at, Use::Message(id)));
        Ok(id)
    }

    pub(super) fn generic_id(&mut self) -> Result<GenericId> {
        let (at, id) = self.id("T", "a generic parameter such as `T3`")?;
        self.uses.push((at, Use::Generic(id)));
        Ok(id)
    }

    pub(super) fn at_generic(&mut self) -> bool {
        self.skip();
        self.rest()
            .strip_prefix('T')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Parses a span; `!0` where the text has none.
    pub(super) fn span(&mut self) -> Result<Span> {
        self.skip();
        if self.rest().starts_with('!') {
            Ok(self.id("!", "a span such as `!3`")?.1)
        } else {
            Ok(Span::new(0))
        }
    }
}
