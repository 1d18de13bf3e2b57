//! A reader of one table of a package's `Cargo.toml`: `[package.metadata.warpwise]`.
//!
//! cargo has parsed the file before rustc runs, so it is well-formed. The table may have a header
//! of its own, or be written as a dotted key or in inline tables; the reader finds all forms and
//! skips values of other keys. At malformed text it stops.

/// The path of the table.
const TABLE_PATH: [&str; 3] = ["package", "metadata", "warpwise"];

/// A key with its value in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ManifestEntry {
    /// The keys below the table.
    pub(crate) keys: Vec<String>,
    /// The value, if it is a string.
    pub(crate) value: Option<String>,
    /// The line of the key, counted from 1.
    pub(crate) line: usize,
}

impl ManifestEntry {
    /// Returns the header of the table that contains the entry.
    pub(crate) fn table_header(&self) -> String {
        let own = &self.keys[..self.keys.len().saturating_sub(1).min(1)];
        let keys: Vec<&str> =
            TABLE_PATH.into_iter().chain(own.iter().map(String::as_str)).collect();
        format!("[{}]", keys.join("."))
    }
}

/// Returns the entries of the table in the `Cargo.toml` with this text.
pub(crate) fn read_entries(text: &str) -> Vec<ManifestEntry> {
    let mut reader = TomlReader { rest: text, line: 1, entries: Vec::new() };
    let mut header = Vec::new();
    while reader.read_item(&mut header).is_some() {}
    reader.entries
}

struct TomlReader<'t> {
    rest: &'t str,
    line: usize,
    entries: Vec<ManifestEntry>,
}

/// `None` stops the reader.
type Read<T> = Option<T>;

impl TomlReader<'_> {
    /// Reads a table header into `header`, or a key with its value.
    fn read_item(&mut self, header: &mut Vec<String>) -> Read<()> {
        self.skip_space(true);
        if self.eat("[") {
            // `[[..]]` begins an element of an array of tables.
            let is_list = self.eat("[");
            self.skip_space(false);
            *header = self.read_keys()?;
            if is_list {
                header.clear(); // not a table, and so none that is looked for
                header.push("[[".to_owned());
                self.expect("]")?;
            }
            return self.expect("]");
        }
        self.read_pair(header)
    }

    /// Reads `key = value` in the table at `path`.
    fn read_pair(&mut self, path: &[String]) -> Read<()> {
        let line = self.line;
        let keys = self.read_keys()?;
        self.expect("=")?;
        self.skip_space(false);
        let path: Vec<String> = path.iter().cloned().chain(keys).collect();
        self.read_value(Some((&path, line)))
    }

    /// Reads a value; `key` is its path and line, or `None` in an array.
    fn read_value(&mut self, key: Option<(&[String], usize)>) -> Read<()> {
        let value = if self.eat("[") {
            self.read_array()?;
            None
        } else if self.eat("{") {
            return self.read_inline_table(key.map(|(path, _)| path));
        } else if self.rest.starts_with(['"', '\'']) {
            Some(self.read_string()?)
        } else {
            let end = self.rest.find([',', ']', '}', '#', '\n', '\r'])?;
            self.advance(end);
            None
        };
        if let Some((path, line)) = key
            && path.len() > TABLE_PATH.len()
            && path.iter().zip(TABLE_PATH).all(|(key, wanted)| key == wanted)
        {
            let keys = path[TABLE_PATH.len()..].to_vec();
            self.entries.push(ManifestEntry { keys, value, line });
        }
        Some(())
    }

    fn read_array(&mut self) -> Read<()> {
        loop {
            self.skip_space(true);
            if self.eat("]") {
                return Some(());
            }
            self.read_value(None)?;
            self.skip_space(true);
            self.eat(",");
        }
    }

    fn read_inline_table(&mut self, path: Option<&[String]>) -> Read<()> {
        loop {
            self.skip_space(true);
            if self.eat("}") {
                return Some(());
            }
            match path {
                Some(path) => self.read_pair(path)?,
                None => self.read_pair(&["[".to_owned()])?,
            }
            self.skip_space(true);
            self.eat(",");
        }
    }

    /// Reads `a."b".c`.
    fn read_keys(&mut self) -> Read<Vec<String>> {
        let mut keys = Vec::new();
        loop {
            self.skip_space(false);
            keys.push(self.read_key()?);
            self.skip_space(false);
            if !self.eat(".") {
                return Some(keys);
            }
        }
    }

    fn read_key(&mut self) -> Read<String> {
        if self.rest.starts_with(['"', '\'']) {
            return self.read_string();
        }
        let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let end = self.rest.find(|c| !is_bare(c)).filter(|&end| end > 0)?;
        Some(self.advance(end).to_owned())
    }

    /// Reads a string of any of the four kinds.
    fn read_string(&mut self) -> Read<String> {
        let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| self.eat(quote))?;
        let escapes = quote.starts_with('"');
        let mut text = String::new();
        loop {
            if self.eat(quote) {
                // Of five quotes at the end, two belong to the string.
                while quote.len() == 3 && self.eat(&quote[..1]) {
                    text.push_str(&quote[..1]);
                }
                return Some(text);
            }
            let char = self.next_char()?;
            match (char, escapes) {
                ('\\', true) => text.push(self.read_escape()?),
                (char, _) => text.push(char),
            }
        }
    }

    /// Reads the rest of an escape sequence. Characters that occur in no name of a lint or level
    /// stay as they are.
    fn read_escape(&mut self) -> Read<char> {
        let digits = match self.next_char()? {
            'u' => 4,
            'U' => 8,
            'x' => 2,
            char => return Some(char),
        };
        let code = self.rest.get(..digits)?;
        let char = char::from_u32(u32::from_str_radix(code, 16).ok()?);
        self.advance(digits);
        char
    }

    fn next_char(&mut self) -> Read<char> {
        let char = self.rest.chars().next()?;
        self.advance(char.len_utf8());
        Some(char)
    }

    /// Skips white space, and with `lines` also line ends and comments.
    fn skip_space(&mut self, lines: bool) {
        loop {
            let is_space = |c: char| c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'));
            let end = self.rest.find(|c| !is_space(c)).unwrap_or(self.rest.len());
            self.advance(end);
            if !lines || !self.rest.starts_with('#') {
                return;
            }
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.advance(end);
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.starts_with(text);
        if found {
            self.advance(text.len());
        }
        found
    }

    fn expect(&mut self, text: &str) -> Read<()> {
        self.eat(text).then_some(())
    }

    fn advance(&mut self, bytes: usize) -> &str {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, Option<String>, usize)> {
        read_entries(text).into_iter().map(|it| (it.keys.join("."), it.value, it.line)).collect()
    }

    fn set(key: &str, value: &str, line: usize) -> (String, Option<String>, usize) {
        (key.to_owned(), Some(value.to_owned()), line)
    }

    #[test]
    fn the_table_is_found_however_it_is_written() {
        let header = "[package]\nname = 'a'\n[ package . metadata.\"warpwise\".lints ] # so\n\
                      gpu_a = \"deny\"\n'gpu_b' = 'warn' # and so\ngpu_c.level = \"allow\"\n\
                      gpu_d = { level = \"warn\" }\n[package.metadata.warpwise.lints.gpu_e]\n\
                      level = \"deny\"\n[dependencies]\ngpu_f = \"1\"\n";
        let expected = [
            set("lints.gpu_a", "deny", 4),
            set("lints.gpu_b", "warn", 5),
            set("lints.gpu_c.level", "allow", 6),
            set("lints.gpu_d.level", "warn", 7),
            set("lints.gpu_e.level", "deny", 9),
        ];
        assert_eq!(found(header), expected);
        let one = [set("lints.gpu_a", "deny", 2)];
        assert_eq!(found("[package]\nmetadata.warpwise.lints.gpu_a = 'deny'\n"), one);
        assert_eq!(found("[package]\nmetadata.warpwise = { lints = { gpu_a = 'deny' } }"), one);
        assert_eq!(found("\npackage = { metadata.warpwise.lints = { gpu_a = 'deny' } }"), one);
        assert_eq!(found("package = {\nmetadata.warpwise.lints.gpu_a = '''deny''',\n}"), one);
    }

    #[test]
    fn lookalikes_of_the_table_are_skipped() {
        let lookalikes = [
            "[package]\ndescription = \"\"\"\n[package.metadata.warpwise.lints]\ngpu_a = 'deny'\n\"\"\"",
            "[package]\ndescription = '''\n[package.metadata.warpwise.lints]\ngpu_a = 'deny'\n'''",
            "# [package.metadata.warpwise.lints]\ngpu_a = 'deny'\n",
            "[workspace.package.metadata.warpwise.lints]\ngpu_a = 'deny'\n",
            "[[package.metadata.warpwise.lints]]\ngpu_a = 'deny'\n",
            "[package]\nkeywords = [ # [package.metadata.warpwise.lints]\n'a', [ { gpu_a = 'deny' } ],\n]\n",
        ];
        for text in lookalikes {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn strings_and_other_values_are_passed_over_whole() {
        let text = "[package]\nauthors = [\"a ] \\\" # b\", 'c \\']\nyear = 2026-01-01 # = [\n\
                    text = \"\"\"a\"\"b\\\"\"\"\"\nempty = {}\nnone = ''\nraw = '''it's ''''\n\
                    [package.metadata.warpwise.lints]\ngpu_a = \"d\\u0065ny\"\ngpu_b = true\n\
                    gpu_c = [\n'warn' ]\n";
        let expected = [
            set("lints.gpu_a", "deny", 9),
            ("lints.gpu_b".to_owned(), None, 10),
            ("lints.gpu_c".to_owned(), None, 11),
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn reading_ends_at_the_first_syntax_error() {
        let table = "[package.metadata.warpwise.lints]\ngpu_a = 'deny'\n";
        for wrong in
            ["= 3", "a b = 3", "[a", "a = '", "a = \"\\", "a = \"\\u00", "a = {", "a = [", "é"]
        {
            assert_eq!(found(&format!("{wrong}\n")), [], "{wrong}");
            assert_eq!(
                found(&format!("{table}{wrong}")),
                [set("lints.gpu_a", "deny", 2)],
                "{wrong}"
            );
        }
    }
}
