//! Token printing with conventional spacing, for the messages of `assert!`.
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// Returns the text of `tokens`.
pub(crate) fn spelled(tokens: TokenStream) -> String {
    let mut speller = Speller { text: String::new(), before: Before::Nothing, angles: 0 };
    let mut operator = String::new();
    for token in tokens {
        match token {
            TokenTree::Punct(punct) => {
                operator.push(punct.as_char());
                if punct.spacing() == Spacing::Joint && is_start_of_operator(&operator) {
                    continue;
                }
                speller.operator(&std::mem::take(&mut operator));
            }
            TokenTree::Ident(ident) => speller.word(&ident.to_string()),
            TokenTree::Literal(literal) => speller.word(&literal.to_string()),
            TokenTree::Group(group) => speller.group(&group),
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
enum Before {
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

struct Speller {
    text: String,
    before: Before,
    /// Number of open `<` of generic arguments.
    angles: usize,
}

impl Speller {
    fn space(&mut self) {
        if self.before != Before::Nothing && self.before != Before::Tight {
            self.text.push(' ');
        }
    }

    fn word(&mut self, word: &str) {
        self.space();
        self.text += word;
        let keyword =
            matches!(word, "as" | "if" | "else" | "in" | "match" | "move" | "mut" | "return");
        self.before = if keyword { Before::Keyword } else { Before::Value };
    }

    fn operator(&mut self, operator: &str) {
        let after_value = self.before == Before::Value;
        let generic = operator == "<" && self.text.ends_with("::");
        match operator {
            "," | ";" | ":" => {
                self.text += operator;
                self.before = Before::Infix;
            }
            "." | "::" | ".." | "..=" | "?" => {
                if !after_value {
                    self.space();
                }
                self.text += operator;
                self.before = if operator == "?" { Before::Value } else { Before::Tight };
            }
            "!" if after_value => {
                self.text += operator;
                self.before = Before::Bang;
            }
            "<" if generic => {
                self.text += operator;
                self.angles += 1;
                self.before = Before::Tight;
            }
            ">" if self.angles > 0 => {
                self.text += operator;
                self.angles -= 1;
                self.before = Before::Value;
            }
            _ if after_value => {
                self.text = format!("{} {operator}", self.text);
                self.before = Before::Infix;
            }
            _ => {
                self.space();
                self.text += operator;
                self.before = Before::Tight;
            }
        }
    }

    fn group(&mut self, group: &Group) {
        let inner = spelled(group.stream());
        let [open, close] = match group.delimiter() {
            Delimiter::Parenthesis => ["(", ")"],
            Delimiter::Bracket => ["[", "]"],
            Delimiter::Brace if inner.is_empty() => ["{", "}"],
            Delimiter::Brace => ["{ ", " }"],
            Delimiter::None => ["", ""],
        };
        let attached = matches!(self.before, Before::Value | Before::Bang);
        if !(attached && matches!(group.delimiter(), Delimiter::Parenthesis | Delimiter::Bracket)) {
            self.space();
        }
        self.text += &format!("{open}{inner}{close}");
        self.before = Before::Value;
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
            assert_eq!(spelled(text.parse().unwrap()), text);
        }
    }
}
