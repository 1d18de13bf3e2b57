//! The body of a witness from the function's flat tokens instead of its syntax tree: a fraction of
//! the steps, which matters in a macro built without optimization.
//!
//! Literals and `let`s occur among the tokens in the order of a visit of the tree. If they do not,
//! or if macros or inner items make tree and tokens differ, [`splice_types`] returns `None`, and
//! the tree is printed instead.
use crate::{
    syntax::{
        parse::is_keyword,
        tokens::{Token, Tokens},
    },
    types::Types,
    witness::{
        NotedSyntax,
        type_tokens::{suffixed_literal, type_tokens},
    },
};
use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream, TokenTree};
use syn::Lit;

/// Returns the last group of `tokens`, annotated with the types of `found` and without attributes.
pub(crate) fn splice_types(
    tokens: &Tokens,
    found: &[NotedSyntax<'_>],
    types: &Types,
) -> Option<TokenStream> {
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
    let body = splicer.splice_group(at, group, behind)?;
    (splicer.next == found.len()).then(|| body.into())
}

/// Returns true if the literal itself includes a minus sign.
fn is_negative(lit: &Lit) -> bool {
    match lit {
        Lit::Int(int) => int.base10_digits().starts_with('-'),
        Lit::Float(float) => float.base10_digits().starts_with('-'),
        _ => false,
    }
}

struct Splicer<'a> {
    tokens: &'a [Token],
    found: &'a [NotedSyntax<'a>],
    /// Number of literals and `let`s passed so far.
    next: usize,
    /// Number of changes to the tokens so far.
    changes: usize,
    types: &'a Types,
}

/// The two tokens before the current one, in its group.
#[derive(Clone, Copy, Default)]
struct TokensBefore<'a>(Option<&'a Token>, Option<&'a Token>);

impl TokensBefore<'_> {
    fn punct_char(token: Option<&Token>) -> char {
        match token {
            Some(Token::Punct(punct)) => punct.as_char(),
            Some(Token::Word(..) | Token::Literal(_) | Token::Group(..)) | None => ' ',
        }
    }

    /// Returns true if a group here is the argument of a macro, which a visit of the tree skips.
    fn is_after_macro_name(self) -> bool {
        Self::punct_char(self.1) == '!'
            && matches!(self.0, Some(Token::Word(_, word)) if !is_keyword(word))
    }

    /// Returns the number of preceding tokens that form an attribute together with `group`.
    fn attribute_tokens(self, group: &Group) -> usize {
        match [self.0, self.1].map(Self::punct_char) {
            _ if group.delimiter() != Delimiter::Bracket => 0,
            [_, '#'] => 1,
            ['#', '!'] => 2,
            _ => 0,
        }
    }

    /// Returns true if a literal here is a field index.
    fn is_after_dot(self) -> bool {
        Self::punct_char(self.1) == '.' && Self::punct_char(self.0) != '.'
    }

    /// Returns true if a statement may begin here, in a block.
    fn may_begin_statement(self) -> bool {
        match self.1 {
            None => true,
            Some(Token::Group(group, _)) => group.delimiter() == Delimiter::Brace,
            Some(Token::Punct(punct)) => punct.as_char() == ';',
            Some(Token::Word(..) | Token::Literal(_)) => false,
        }
    }
}

impl<'a> Splicer<'a> {
    /// Returns the next literal or `let`.
    fn next_noted(&mut self) -> Option<&'a NotedSyntax<'a>> {
        let found = self.found.get(self.next);
        self.next += 1;
        found
    }

    /// Returns the group at `at` with its changes; the original if nothing in it changes.
    fn splice_group(&mut self, at: usize, group: &Group, behind: usize) -> Option<TokenTree> {
        let before = self.changes;
        let inside = self.splice_range(at + 1, behind, group.delimiter())?;
        if self.changes == before {
            return Some(group.clone().into());
        }
        let mut spliced = Group::new(group.delimiter(), inside.into_iter().collect());
        spliced.set_span(group.span());
        Some(spliced.into())
    }

    /// Returns the tokens of a range in a group with this delimiter.
    fn splice_range(
        &mut self,
        mut at: usize,
        end: usize,
        delimiter: Delimiter,
    ) -> Option<Vec<TokenTree>> {
        let (mut out, mut before) = (Vec::new(), TokensBefore::default());
        // The type for a `let` whose pattern has not ended yet.
        let mut ty: Option<TokenStream> = None;
        while at < end {
            let token = &self.tokens[at];
            at += 1;
            match token {
                Token::Group(group, behind) => {
                    let of_attribute = before.attribute_tokens(group);
                    if of_attribute > 0 {
                        out.truncate(out.len() - of_attribute);
                        self.changes += 1;
                        (at, before) = (*behind, TokensBefore::default());
                        continue;
                    }
                    out.push(if before.is_after_macro_name() {
                        group.clone().into()
                    } else {
                        self.splice_group(at - 1, group, *behind)?
                    });
                    at = *behind;
                }
                Token::Word(word, text) => {
                    let begins = delimiter == Delimiter::Brace && before.may_begin_statement();
                    out.push(word.clone().into());
                    if begins && text == "let" {
                        let NotedSyntax { literal: None, ty: noted } = self.next_noted()? else {
                            return None;
                        };
                        ty = noted.and_then(|ty| type_tokens(ty, self.types));
                    }
                }
                Token::Punct(punct) => {
                    let ends = match punct.as_char() {
                        ';' => true,
                        '=' => TokensBefore::punct_char(before.1) != '.',
                        _ => false,
                    };
                    // The pattern of a `let` ends at `=` or `;`: the type goes before it.
                    if ends && let Some(ty) = ty.take() {
                        out.push(Punct::new(':', Spacing::Alone).into());
                        out.extend(ty);
                        self.changes += 1;
                    }
                    out.push(punct.clone().into());
                }
                Token::Literal(literal) if before.is_after_dot() => {
                    out.push(literal.clone().into())
                }
                Token::Literal(literal) => {
                    let NotedSyntax { literal: Some(lit), ty } = self.next_noted()? else {
                        return None;
                    };
                    let prim = ty.and_then(|ty| self.types.as_prim(ty));
                    let suffixed = prim.and_then(|prim| suffixed_literal(lit, prim));
                    if suffixed.is_some() {
                        self.changes += 1;
                        // In a pattern, the sign is part of the literal.
                        if is_negative(lit) {
                            out.pop();
                        }
                    }
                    out.push(suffixed.unwrap_or_else(|| literal.clone()).into());
                }
            }
            before = TokensBefore(before.1, Some(token));
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{super::types::Prim, NotedSyntax, Notes, SyntaxReader, TypeWriter},
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

    /// Checks that the witness body from tokens equals the one from the syntax tree.
    fn is_as_printed(stream: TokenStream) -> bool {
        let types = Types::new(Vec::new(), Rc::from([]));
        let (tokens, item) = (Tokens::read(&stream), syn::parse2::<ItemFn>(stream));
        let (Ok(tokens), Ok(item)) = (tokens, item) else { return false };
        let mut noting = Noting(Notes::default(), &types);
        noting.visit_block(&item.block);
        let mut reader = SyntaxReader { notes: &noting.0, noted: Vec::new() };
        reader.visit_block(&item.block);
        let found: Vec<NotedSyntax<'_>> = reader.noted;
        let Some(body) = splice_types(&tokens, &found, &types) else { return false };
        let mut printed = item.block.clone();
        TypeWriter { types: &types, found: found.into_iter() }.visit_block_mut(&mut printed);
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
    fn other_literals_and_statements_are_not_changed() {
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
