//! A scanner for the characters of a source file outside of comments and literals, and for braces.
use crate::resolve::source_map::LineColumn;

/// A pair of braces.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Braces {
    pub(crate) open: LineColumn,
    pub(crate) close: LineColumn,
}

/// Returns the opening brace of the innermost scope around `position`.
pub(crate) fn innermost_open(scopes: &[Braces], position: LineColumn) -> Option<LineColumn> {
    let around = scopes.iter().filter(|braces| braces.open < position && position < braces.close);
    around.map(|braces| braces.open).max()
}

/// The token before a brace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenBefore {
    /// `!`
    Bang,
    /// `! name`
    BangName,
    /// `=`
    Equals,
    /// `=>`
    Arrow,
    /// Anything else.
    Other,
}

/// The braces to find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BraceKind {
    /// Scopes only: not the braces of macro calls, of `macro_rules!`, and after `=>`, which may
    /// belong to its rules.
    Scopes,
    /// All braces.
    All,
}

/// Returns the braces of a text, in the order of their ends.
pub(crate) fn find_braces(text: &str, which: BraceKind) -> Vec<Braces> {
    let mut scanner = Scanner { rest: text.chars().collect(), next: 0, position: (1, 1) };
    let (mut found, mut open, mut before) = (Vec::new(), Vec::new(), TokenBefore::Other);
    while let Some((char, position)) = scanner.next_code_char() {
        match char {
            // After `!`, `! name`, `=` or `=>` it does not open a scope.
            '{' => open.push((position, which == BraceKind::All || before == TokenBefore::Other)),
            '}' => {
                if let Some((open, true)) = open.pop() {
                    found.push(Braces { open, close: position });
                }
            }
            _ => {}
        }
        before = match (char, before) {
            ('!', _) => TokenBefore::Bang,
            ('=', _) => TokenBefore::Equals,
            ('>', TokenBefore::Equals) => TokenBefore::Arrow,
            (char, TokenBefore::Bang | TokenBefore::BangName) if is_name(char) => {
                TokenBefore::BangName
            }
            _ => TokenBefore::Other,
        };
    }
    found
}

pub(crate) fn is_name(char: char) -> bool {
    char == '_' || char.is_alphanumeric()
}

/// An iterator over the characters that are not white space, comment or literal.
pub(crate) struct Scanner {
    pub(crate) rest: Vec<char>,
    pub(crate) next: usize,
    pub(crate) position: LineColumn,
}

impl Scanner {
    /// Returns the next character and its position.
    pub(crate) fn next_code_char(&mut self) -> Option<(char, LineColumn)> {
        loop {
            let position = self.position;
            match (self.advance()?, self.peek(0)) {
                ('/', Some('/')) => self.skip_line(),
                ('/', Some('*')) => self.skip_comment(),
                ('"', _) => self.skip_string(),
                ('\'', _) if !self.is_lifetime() => self.skip_char(),
                ('r', Some('"' | '#')) if !self.follows_name() && self.is_raw() => self.skip_raw(),
                (char, _) if char.is_whitespace() => {}
                (char, _) => return Some((char, position)),
            }
        }
    }

    pub(crate) fn advance(&mut self) -> Option<char> {
        let char = *self.rest.get(self.next)?;
        self.next += 1;
        self.position = if char == '\n' {
            (self.position.0 + 1, 1)
        } else {
            (self.position.0, self.position.1 + 1)
        };
        Some(char)
    }

    pub(crate) fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.next + ahead).copied()
    }

    /// Returns true if the character just read continues a name; the prefixes `br` and `cr` are not
    /// names.
    pub(crate) fn follows_name(&self) -> bool {
        let before = |back: usize| self.next.checked_sub(back).map(|index| self.rest[index]);
        match before(2) {
            Some('b' | 'c') => before(3).is_some_and(is_name),
            Some(char) => is_name(char),
            None => false,
        }
    }

    /// Returns true if `"` or `#"` follows, and not the name in `r#name`.
    pub(crate) fn is_raw(&self) -> bool {
        let hashes = (0..).take_while(|&ahead| self.peek(ahead) == Some('#')).count();
        self.peek(hashes) == Some('"')
    }

    pub(crate) fn skip_line(&mut self) {
        while self.advance().is_some_and(|char| char != '\n') {}
    }

    pub(crate) fn skip_comment(&mut self) {
        let mut depth = 0;
        // The position is at the `*` of `/*`.
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('*'), Some('/')) if depth > 0 => {
                    depth -= 1;
                    self.advance();
                }
                (Some('/'), Some('*')) => {
                    depth += 1;
                    self.advance();
                }
                (Some('*'), _) if depth == 0 => depth = 1,
                (None, _) => return,
                (Some(_), _) => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    pub(crate) fn skip_string(&mut self) {
        while let Some(char) = self.advance() {
            match char {
                '\\' => {
                    self.advance();
                }
                '"' => return,
                _ => {}
            }
        }
    }

    /// Returns true if the `'` just read begins a lifetime, and no character.
    pub(crate) fn is_lifetime(&self) -> bool {
        self.peek(0).is_some_and(is_name) && self.peek(1) != Some('\'')
    }

    /// Skips a character literal.
    pub(crate) fn skip_char(&mut self) {
        match (self.peek(0), self.peek(1)) {
            (Some('\\'), _) => {
                self.advance();
                self.advance();
                while self.advance().is_some_and(|char| char != '\'') {}
            }
            (Some(_), Some('\'')) => {
                self.advance();
                self.advance();
            }
            _ => {}
        }
    }

    pub(crate) fn skip_raw(&mut self) {
        let mut hashes = 0;
        while self.advance() == Some('#') {
            hashes += 1;
        }
        while let Some(char) = self.advance() {
            if char == '"' && (0..hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                return;
            }
        }
    }
}
