//! The tokens of an item in one flat list, built iteratively before any recursion over them.
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, TokenStream, TokenTree};

/// Maximum nesting depth of brackets, on which the parser recurses.
const MAX_BRACKETS: usize = 200;

/// Maximum number of consecutive prefix operators, on which the parser recurses.
const MAX_PREFIXES: usize = 200;

/// Maximum number of operators, calls, fields or casts in one expression, which nest in the syntax
/// tree: rustc's own stack overflows at about 8,000.
const MAX_LINKS: usize = 6000;

/// The error for an expression that is too long for rustc, too.
pub(crate) const TOO_LONG: &str = "this expression is too long: bind parts of it with `let`";

/// The number of links in the current expression of a group.
#[derive(Default)]
struct Links {
    count: usize,
    /// Number of `else`s of the current `if`.
    elses: usize,
    /// True if the last token ended an operand.
    is_after_operand: bool,
    /// True if the last token was `else`.
    is_after_else: bool,
    /// True if the last token is punctuation that may form one operator with the next.
    is_joint: bool,
}

impl Links {
    /// Counts a token; returns false if a limit is exceeded.
    fn count(&mut self, token: &TokenTree) -> bool {
        let is_behind_else = std::mem::take(&mut self.is_after_else);
        let is_joint = std::mem::take(&mut self.is_joint);
        match token {
            TokenTree::Group(_) => {
                self.count += usize::from(self.is_after_operand);
                self.is_after_operand = true;
            }
            TokenTree::Literal(_) => self.is_after_operand = true,
            TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';') => {
                *self = Self::default();
            }
            TokenTree::Punct(punct) => {
                self.count += usize::from(!is_joint);
                self.is_joint = punct.spacing() == Spacing::Joint;
                self.is_after_operand = punct.as_char() == '?';
            }
            TokenTree::Ident(word) => {
                self.is_after_operand = true;
                match word.to_string().as_str() {
                    "else" => {
                        (self.count, self.is_after_else) = (0, true);
                        self.elses += 1;
                    }
                    "if" => {
                        self.count = 0;
                        self.elses *= usize::from(is_behind_else);
                    }
                    "as" | "return" | "break" => self.count += 1,
                    "for" | "while" | "loop" | "match" | "let" | "const" | "fn" | "pub"
                    | "struct" | "enum" | "trait" | "impl" | "mod" | "use" | "type" => {
                        self.count = 0;
                    }
                    _ => {}
                }
            }
        }
        self.count <= MAX_LINKS && self.elses <= MAX_LINKS
    }
}

/// The tokens of an item, and properties of them that are cheap to collect on the way.
pub(crate) struct Tokens {
    /// All tokens; the content of a group follows the group.
    pub(crate) list: Vec<Token>,
    /// True if lint attributes occur, perhaps with lints of Warpwise.
    pub(crate) sets_levels: bool,
    /// True if groups without delimiters occur, as `macro_rules!` produces them.
    pub(crate) has_invisible_groups: bool,
    /// Number of keywords that declare items: more than one, if a function contains items.
    pub(crate) declarations: usize,
    /// True if a name may be a vector's.
    pub(crate) may_name_vectors: bool,
}

/// Keywords that declare items.
const ITEM_KEYWORDS: [&str; 6] = ["fn", "struct", "enum", "trait", "impl", "type"];

/// A token of the flat list.
pub(crate) enum Token {
    /// A name or keyword, and its text.
    Word(Ident, String),
    Punct(Punct),
    Literal(Literal),
    /// A group, and the index of the token after its content.
    Group(Group, usize),
}

impl Tokens {
    /// Flattens `stream`.
    ///
    /// # Errors
    /// If the tokens nest so deep that they would overflow the parser's stack, or an expression is
    /// too long.
    pub(crate) fn read(stream: &TokenStream) -> syn::Result<Self> {
        let too_deep = |at| syn::Error::new(at, "this nests too deep to be parsed");
        let mut tokens = Self {
            list: Vec::new(),
            sets_levels: false,
            has_invisible_groups: false,
            declarations: 0,
            may_name_vectors: false,
        };
        // Open groups, each with the index of its token; the outermost has none.
        let mut open = vec![(stream.clone().into_iter(), None, Links::default())];
        let (mut prefixes, mut behind_hash) = (0, false);
        while let Some((innermost, group, links)) = open.last_mut() {
            // The end of a group: only now is the index of the token after it known.
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
            // Before the token is stored: the limits must hold for everything that the parser sees.
            if !links.count(&token) {
                return Err(syn::Error::new(token.span(), TOO_LONG));
            }
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
                    open.push((
                        group.stream().into_iter(),
                        Some(tokens.list.len()),
                        Links::default(),
                    ));
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
                    tokens.declarations += usize::from(ITEM_KEYWORDS.contains(&text.as_str()));
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

/// Returns true for the brackets of a lint attribute, such as `[allow(..)]`.
pub(crate) fn is_lint_attribute(group: &Group) -> bool {
    const WORDS: [&str; 5] = ["allow", "warn", "deny", "expect", "forbid"];
    group.delimiter() == Delimiter::Bracket
        && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(word))
            if WORDS.iter().any(|known| word == known))
}

/// Returns true if `word` ends like the name of a vector, or of a conversion to one: `F32x4`,
/// `as_f32x4`.
pub(crate) fn may_name_vector(word: &str) -> bool {
    matches!(word.as_bytes(), [.., b'x', b'2' | b'3' | b'4'])
}
