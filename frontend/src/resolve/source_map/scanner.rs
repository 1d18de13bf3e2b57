//! Tokens of a source file with their places, and its braces.
use crate::resolve::source_map::At;

/// A pair of braces.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Braces {
    pub(crate) open: At,
    pub(crate) close: At,
}

/// Where the innermost braces around `at` open.
pub(crate) fn innermost(scopes: &[Braces], at: At) -> Option<At> {
    let around = scopes.iter().filter(|braces| braces.open < at && at < braces.close);
    around.map(|braces| braces.open).max()
}

/// What came before a brace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Before {
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

/// Which braces to find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those that are scopes: not those of macro calls, of `macro_rules!` and of what follows a `=>`, which may be
    /// its rules.
    Scopes,
    /// All.
    All,
}

/// The braces of a file.
pub(crate) fn braces(text: &str, which: Which) -> Vec<Braces> {
    let mut scanner = Scanner { rest: text.chars().collect(), next: 0, at: (1, 1) };
    let (mut found, mut open, mut before) = (Vec::new(), Vec::new(), Before::Other);
    while let Some((char, at)) = scanner.token() {
        match char {
            '{' => open.push((at, which == Which::All || before == Before::Other)),
            '}' => {
                if let Some((open, true)) = open.pop() {
                    found.push(Braces { open, close: at });
                }
            }
            _ => {}
        }
        before = match (char, before) {
            ('!', _) => Before::Bang,
            ('=', _) => Before::Equals,
            ('>', Before::Equals) => Before::Arrow,
            (char, Before::Bang | Before::BangName) if is_name(char) => Before::BangName,
            _ => Before::Other,
        };
    }
    found
}

pub(crate) fn is_name(char: char) -> bool {
    char == '_' || char.is_alphanumeric()
}

/// Goes through the characters of a source file that are neither space, comment nor literal.
pub(crate) struct Scanner {
    pub(crate) rest: Vec<char>,
    pub(crate) next: usize,
    pub(crate) at: At,
}

impl Scanner {
    /// The next of them, and where it is.
    pub(crate) fn token(&mut self) -> Option<(char, At)> {
        loop {
            let at = self.at;
            match (self.advance()?, self.peek(0)) {
                ('/', Some('/')) => self.skip_line(),
                ('/', Some('*')) => self.skip_comment(),
                ('"', _) => self.skip_string(),
                ('\'', _) => self.skip_char(),
                ('r', Some('"' | '#')) if !self.follows_name() && self.is_raw() => self.skip_raw(),
                (char, _) if char.is_whitespace() => {}
                (char, _) => return Some((char, at)),
            }
        }
    }

    pub(crate) fn advance(&mut self) -> Option<char> {
        let char = *self.rest.get(self.next)?;
        self.next += 1;
        self.at = if char == '\n' { (self.at.0 + 1, 1) } else { (self.at.0, self.at.1 + 1) };
        Some(char)
    }

    pub(crate) fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.next + ahead).copied()
    }

    /// True if the character just read continues a name; `br` and `cr` are no names.
    pub(crate) fn follows_name(&self) -> bool {
        let before = |back: usize| self.next.checked_sub(back).map(|index| self.rest[index]);
        match before(2) {
            Some('b' | 'c') => before(3).is_some_and(is_name),
            Some(char) => is_name(char),
            None => false,
        }
    }

    /// True if what comes next is `"` or `#"`, and not the name in `r#name`.
    pub(crate) fn is_raw(&self) -> bool {
        let hashes = (0..).take_while(|&ahead| self.peek(ahead) == Some('#')).count();
        self.peek(hashes) == Some('"')
    }

    pub(crate) fn skip_line(&mut self) {
        while self.advance().is_some_and(|char| char != '\n') {}
    }

    pub(crate) fn skip_comment(&mut self) {
        let mut depth = 0;
        // At the `*` of `/*`.
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

    /// A character, or nothing where it is a lifetime.
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
