//! The body of a witness out of the tokens of the function, instead of its tree: a fraction of the steps, for a macro that is
//! built without optimization.
//!
//! Literals and `let`s stand among tokens in the order in which a visit of the tree comes by them. Where they do not seem
//! to, and where macros or items inside of the function make the tree another one than the tokens say, it is the tree that is
//! printed.
use crate::{
    syntax::{
        parse::is_keyword,
        tokens::{Token, Tokens},
    },
    types::Types,
    witness::{
        Found,
        spelled::{suffixed, written},
    },
};
use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};
use syn::Lit;

/// The last group of `tokens`, with what was `found` in it written out, and without attributes.
pub(crate) fn spliced(tokens: &Tokens, found: &[Found<'_>], types: &Types) -> Option<TokenStream> {
    if tokens.has_invisible_groups {
        return None;
    }
    let list = tokens.list.as_slice();
    let (mut at, mut body) = (0, None);
    while let Some(token) = list.get(at) {
        (at, body) = match token {
            Token::Group(group, behind) => (*behind, Some((at, group, *behind))),
            Token::Word(..) | Token::Punct(_) | Token::Literal(_) => (at + 1, None),
        };
    }
    let (at, group, behind) = body?;
    let mut splicer = Splicer { tokens: list, found, next: 0, changes: 0, types };
    let body = splicer.group(at, group, behind)?;
    (splicer.next == found.len()).then(|| body.into())
}

/// Whether a number is negative by itself.
fn is_negative(lit: &Lit) -> bool {
    match lit {
        Lit::Int(int) => int.base10_digits().starts_with('-'),
        Lit::Float(float) => float.base10_digits().starts_with('-'),
        _ => false,
    }
}

struct Splicer<'a> {
    tokens: &'a [Token],
    found: &'a [Found<'a>],
    /// How many of these were come by.
    next: usize,
    /// How often the tokens were changed.
    changes: usize,
    types: &'a Types,
}

/// The two tokens before one, in its group.
#[derive(Clone, Copy, Default)]
struct Before<'a>(Option<&'a Token>, Option<&'a Token>);

impl Before<'_> {
    fn punct(of: Option<&Token>) -> char {
        match of {
            Some(Token::Punct(punct)) => punct.as_char(),
            Some(Token::Word(..) | Token::Literal(_) | Token::Group(..)) | None => ' ',
        }
    }

    /// Whether a group here is what a macro gets, which no visit looks into.
    fn calls_macro(self) -> bool {
        Self::punct(self.1) == '!'
            && matches!(self.0, Some(Token::Word(_, word)) if !is_keyword(word))
    }

    /// How many of them are an attribute's, if `group` is what it says.
    fn of_attribute(self, group: &Group) -> usize {
        match [self.0, self.1].map(Self::punct) {
            _ if group.delimiter() != Delimiter::Bracket => 0,
            [_, '#'] => 1,
            ['#', '!'] => 2,
            _ => 0,
        }
    }

    /// Whether a literal here is the number of a field.
    fn names_field(self) -> bool {
        Self::punct(self.1) == '.' && Self::punct(self.0) != '.'
    }

    /// Whether a statement may begin here, in a block.
    fn ends_statement(self) -> bool {
        match self.1 {
            None => true,
            Some(Token::Group(group, _)) => group.delimiter() == Delimiter::Brace,
            Some(Token::Punct(punct)) => punct.as_char() == ';',
            Some(Token::Word(..) | Token::Literal(_)) => false,
        }
    }
}

impl<'a> Splicer<'a> {
    /// The next of what was found.
    fn next(&mut self) -> Option<&'a Found<'a>> {
        let found = self.found.get(self.next);
        self.next += 1;
        found
    }

    /// The group at `at`, as it is if nothing in it changes.
    fn group(&mut self, at: usize, group: &Group, behind: usize) -> Option<TokenTree> {
        let before = self.changes;
        let inside = self.inside(at + 1, behind, group.delimiter())?;
        if self.changes == before {
            return Some(group.clone().into());
        }
        let mut spliced = Group::new(group.delimiter(), inside.into_iter().collect());
        spliced.set_span(group.span());
        Some(spliced.into())
    }

    /// The tokens from one to another, which are in such a group.
    fn inside(&mut self, mut at: usize, end: usize, of: Delimiter) -> Option<Vec<TokenTree>> {
        let (mut out, mut before) = (Vec::new(), Before::default());
        // That of a `let` whose pattern has not ended.
        let mut ty: Option<TokenStream> = None;
        while at < end {
            let token = &self.tokens[at];
            at += 1;
            match token {
                Token::Group(group, behind) => {
                    let of_attribute = before.of_attribute(group);
                    if of_attribute > 0 {
                        out.truncate(out.len() - of_attribute);
                        self.changes += 1;
                        (at, before) = (*behind, Before::default());
                        continue;
                    }
                    out.push(match before.calls_macro() {
                        true => group.clone().into(),
                        false => self.group(at - 1, group, *behind)?,
                    });
                    at = *behind;
                }
                Token::Word(word, text) => {
                    let begins = of == Delimiter::Brace && before.ends_statement();
                    out.push(word.clone().into());
                    if begins && text == "let" {
                        let Found { literal: None, ty: of } = self.next()? else { return None };
                        ty = of.and_then(|ty| written(ty, self.types));
                    }
                }
                Token::Punct(punct) => {
                    let ends = match punct.as_char() {
                        ';' => true,
                        '=' => Before::punct(before.1) != '.',
                        _ => false,
                    };
                    if ends && let Some(ty) = ty.take() {
                        out.push(Punct::new(':', Spacing::Alone).into());
                        out.extend(ty);
                        self.changes += 1;
                    }
                    out.push(punct.clone().into());
                }
                Token::Literal(literal) if before.names_field() => out.push(literal.clone().into()),
                Token::Literal(literal) => {
                    let Found { literal: Some(lit), ty } = self.next()? else {
                        return None;
                    };
                    let prim = ty.and_then(|ty| self.types.as_prim(ty));
                    let suffixed = prim.and_then(|prim| suffixed(lit, prim));
                    if suffixed.is_some() {
                        self.changes += 1;
                        // In a pattern, the sign is part of it.
                        if is_negative(lit) {
                            out.pop();
                        }
                    }
                    out.push(suffixed.unwrap_or_else(|| literal.clone()).into());
                }
            }
            before = Before(before.1, Some(token));
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{super::types::Prim, Found, Notes, Reader, Writer},
        *,
    };
    use crate::syntax::parse::tests::functions_of_the_workspace;
    use quote::ToTokens as _;
    use std::rc::Rc;
    use syn::{
        ItemFn, Lit, Local, Pat,
        visit::{self, Visit},
        visit_mut::VisitMut as _,
    };

    /// Takes every number and every `let` without a type for one of a type.
    struct Noting<'a>(Notes, &'a Types);

    impl<'ast> Visit<'ast> for Noting<'_> {
        fn visit_lit(&mut self, lit: &'ast Lit) {
            self.0.record_literal(lit, self.1.prim(Prim::F32));
        }
        fn visit_local(&mut self, local: &'ast Local) {
            if !matches!(local.pat, Pat::Type(_)) {
                self.0.record_let(local, self.1.prim(Prim::U64));
            }
            visit::visit_local(self, local);
        }
    }

    /// Whether the body of a function was made of its tokens: the same as out of the tree.
    fn is_as_printed(stream: TokenStream) -> bool {
        let types = Types::new(Vec::new(), Rc::from([]));
        let (tokens, item) = (Tokens::of(&stream), syn::parse2::<ItemFn>(stream));
        let (Ok(tokens), Ok(item)) = (tokens, item) else { return false };
        let mut noting = Noting(Notes::default(), &types);
        noting.visit_block(&item.block);
        let mut reader = Reader { notes: &noting.0, found: Vec::new() };
        reader.visit_block(&item.block);
        let found: Vec<Found<'_>> = reader.found;
        let Some(body) = spliced(&tokens, &found, &types) else { return false };
        let mut printed = item.block.clone();
        Writer { types: &types, found: found.into_iter() }.visit_block_mut(&mut printed);
        // `x.0.1` is three tokens or five.
        let texts = [body.to_string(), printed.to_token_stream().to_string()];
        let [body, printed] = texts.map(|text| text.replace(' ', ""));
        assert_eq!(body, printed);
        true
    }

    #[test]
    fn a_body_is_the_same_out_of_tokens_and_out_of_the_tree() {
        let (mut all, mut made) = (0, 0);
        functions_of_the_workspace(&mut |stream| {
            all += 1;
            made += usize::from(is_as_printed(stream));
        });
        assert!(all > 100 && made * 100 > all * 90, "{made} of {all}");
    }

    #[test]
    fn what_is_no_number_and_no_statement_stays() {
        for text in [
            "x.0 + x.0.1 + 1.0; 0..2; x.1..3; y[0].2",
            "if let 0..=9 = a && let b = 1 {} let Some(c) = 2 else { return 3 };",
            "while let Some(d) = 4 {} let e; e = 5; let (f, g) = (6, true);",
            "m!(7); !(8 == 9); n![10]; return !(11); let h = o!{ 12 }; p::q!(13)",
            "#![w(26)] #[x(14)] let i = 15; #[y] { 16 } let j: [u8; 17] = [18; 19];",
            "let k = |l| { let m = 20; m }; match n { 21 => 22, -23 if let o = 24 => { let p = 25; } }",
        ] {
            assert!(is_as_printed(format!("fn f() {{ {text} }}").parse().unwrap()), "{text}");
        }
    }
}
