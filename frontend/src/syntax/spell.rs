//! Token printing with conventional spacing, for the messages of `assert!`.
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// Returns the text of `tokens`.
pub(crate) fn print_tokens(tokens: TokenStream) -> String {
    let mut speller =
        TokenPrinter { text: String::new(), last_token: LastToken::Nothing, open_angles: 0 };
    let mut operator = String::new();
    for token in tokens {
        match token {
            TokenTree::Punct(punct) => {
                operator.push(punct.as_char());
                // Collect joint punctuation into the longest operator before printing it.
                if punct.spacing() == Spacing::Joint && is_start_of_operator(&operator) {
                    continue;
                }
                speller.push_operator(&std::mem::take(&mut operator));
            }
            TokenTree::Ident(ident) => speller.push_word(&ident.to_string()),
            TokenTree::Literal(literal) => speller.push_word(&literal.to_string()),
            TokenTree::Group(group) => speller.push_group(&group),
        }
    }
    speller.text
}

/// Returns true if more characters may follow to form one operator: not in `-&x` or `>>::`.
fn is_start_of_operator(text: &str) -> bool {
    const LONG: [&str; 12] =
        ["::", "..=", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "->", "=>"];
    LONG.iter().any(|operator| operator.starts_with(text) && operator.len() > text.len())
}

/// The class of the last token, which decides the spacing before the next one.
#[derive(Clone, Copy, PartialEq)]
enum LastToken {
    Nothing,
    /// The end of a value.
    Value,
    /// A keyword that is not a value, such as `return`.
    Keyword,
    /// An operator with a value on either side.
    Infix,
    /// A prefix operator, or one without spaces on either side.
    Tight,
    /// The `!` of a macro.
    Bang,
}

struct TokenPrinter {
    text: String,
    last_token: LastToken,
    /// Number of open `<` of generic arguments.
    open_angles: usize,
}

impl TokenPrinter {
    fn push_space(&mut self) {
        if self.last_token != LastToken::Nothing && self.last_token != LastToken::Tight {
            self.text.push(' ');
        }
    }

    fn push_word(&mut self, word: &str) {
        self.push_space();
        self.text += word;
        let keyword =
            matches!(word, "as" | "if" | "else" | "in" | "match" | "move" | "mut" | "return");
        self.last_token = if keyword { LastToken::Keyword } else { LastToken::Value };
    }

    fn push_operator(&mut self, operator: &str) {
        let after_value = self.last_token == LastToken::Value;
        let generic = operator == "<" && self.text.ends_with("::");
        match operator {
            "," | ";" | ":" => {
                self.text += operator;
                self.last_token = LastToken::Infix;
            }
            "." | "::" | ".." | "..=" | "?" => {
                if !after_value {
                    self.push_space();
                }
                self.text += operator;
                self.last_token = if operator == "?" { LastToken::Value } else { LastToken::Tight };
            }
            "!" if after_value => {
                self.text += operator;
                self.last_token = LastToken::Bang;
            }
            "<" if generic => {
                self.text += operator;
                self.open_angles += 1;
                self.last_token = LastToken::Tight;
            }
            ">" if self.open_angles > 0 => {
                self.text += operator;
                self.open_angles -= 1;
                self.last_token = LastToken::Value;
            }
            _ if after_value => {
                self.text = format!("{} {operator}", self.text);
                self.last_token = LastToken::Infix;
            }
            _ => {
                self.push_space();
                self.text += operator;
                self.last_token = LastToken::Tight;
            }
        }
    }

    fn push_group(&mut self, group: &Group) {
        let inner = print_tokens(group.stream());
        let [open, close] = match group.delimiter() {
            Delimiter::Parenthesis => ["(", ")"],
            Delimiter::Bracket => ["[", "]"],
            Delimiter::Brace if inner.is_empty() => ["{", "}"],
            Delimiter::Brace => ["{ ", " }"],
            Delimiter::None => ["", ""],
        };
        let attached = matches!(self.last_token, LastToken::Value | LastToken::Bang);
        if !(attached && matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::Bracket)) {
            self.push_space();
        }
        self.text += &format!("{open}{inner}{close}");
        self.last_token = LastToken::Value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_spaced_as_usual() {
        for text in [
            "x[i] > 0.0",
            "!done && -a <= b.c(d, e)",
            "i < y.len()",
            "x[a..b].is_empty()",
            "(a + b) * c == *p",
            "f::<u32>(x) as usize >= 1 << 3",
            "matches!(v, Some(1..=3))",
            "a.0 != &b || { let c = 1; c } == 2",
            "if a { 1 } else { 2 } < 3",
        ] {
            assert_eq!(print_tokens(text.parse().unwrap()), text);
        }
    }
}
