//! The tokens of an item, in one list: read once, before anything recurses into them.
use crate::{lower::may_name_vector, strip::is_lint_attribute};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, TokenStream, TokenTree};

/// How deep brackets may nest, which the parser recurses for.
const MAX_BRACKETS: usize = 200;

/// How many prefix operators may follow each other, which the parser recurses for.
const MAX_PREFIXES: usize = 200;

/// The tokens of an item.
pub(crate) struct Tokens {
    /// All of them; those in a group follow it.
    pub(crate) list: Vec<Token>,
    /// Whether they set levels of lints, ours perhaps among them.
    pub(crate) sets_levels: bool,
    /// Whether there are groups without delimiters, as `macro_rules!` makes them.
    pub(crate) has_invisible_groups: bool,
    /// How often they say what declares items: more than once, if a function declares any.
    pub(crate) declarations: usize,
    /// Whether a name among them may be a vector's.
    pub(crate) may_name_vectors: bool,
}

/// Keywords that declare items.
const DECLARE: [&str; 6] = ["fn", "struct", "enum", "trait", "impl", "type"];

/// A token.
pub(crate) enum Token {
    /// A name or keyword, and the same as text.
    Word(Ident, String),
    Punct(Punct),
    Literal(Literal),
    /// A group, and which token follows it.
    Group(Group, usize),
}

impl Tokens {
    /// Those of `stream`.
    ///
    /// # Errors
    /// If they nest so deep that they would overflow the parser's stack.
    pub(crate) fn of(stream: &TokenStream) -> syn::Result<Self> {
        let too_deep = |at| syn::Error::new(at, "this nests too deep to be parsed");
        let mut tokens = Self {
            list: Vec::new(),
            sets_levels: false,
            has_invisible_groups: false,
            declarations: 0,
            may_name_vectors: false,
        };
        // Each with the token of its group, but for the outermost.
        let mut open = vec![(stream.clone().into_iter(), None)];
        let (mut prefixes, mut behind_hash) = (0, false);
        while let Some((innermost, group)) = open.last_mut() {
            let Some(token) = innermost.next() else {
                let next = tokens.list.len();
                if let Some(Token::Group(_, behind)) =
                    group.and_then(|group: usize| tokens.list.get_mut(group))
                {
                    *behind = next;
                }
                open.pop();
                continue;
            };
            match token {
                TokenTree::Group(group) => {
                    if open.len() > MAX_BRACKETS {
                        return Err(too_deep(group.span_open()));
                    }
                    prefixes = 0;
                    if std::mem::take(&mut behind_hash) {
                        tokens.sets_levels |= is_lint_attribute(&group);
                    }
                    tokens.has_invisible_groups |= group.delimiter() == Delimiter::None;
                    open.push((group.stream().into_iter(), Some(tokens.list.len())));
                    tokens.list.push(Token::Group(group, 0));
                }
                TokenTree::Punct(punct) => {
                    if matches!(punct.as_char(), '-' | '!' | '*' | '&') {
                        prefixes += 1;
                        if prefixes > MAX_PREFIXES {
                            return Err(too_deep(punct.span()));
                        }
                    } else {
                        (prefixes, behind_hash) = (0, punct.as_char() == '#');
                    }
                    tokens.list.push(Token::Punct(punct));
                }
                TokenTree::Ident(word) => {
                    (prefixes, behind_hash) = (0, false);
                    let text = word.to_string();
                    tokens.declarations += usize::from(DECLARE.contains(&text.as_str()));
                    tokens.may_name_vectors |= may_name_vector(&text);
                    tokens.list.push(Token::Word(word, text));
                }
                TokenTree::Literal(literal) => {
                    (prefixes, behind_hash) = (0, false);
                    tokens.list.push(Token::Literal(literal));
                }
            }
        }
        Ok(tokens)
    }
}
