//! Hygiene marks on names in an expansion: removal from all names but declared variables.
use proc_macro2::{Group, Ident, Literal, Spacing, TokenStream, TokenTree};
use std::collections::BTreeSet;
use syn::{
    ExprPath, FieldPat, FieldValue, Label, Lifetime, Macro, Member, PatIdent, Path,
    token::Colon,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// Collects the marked variables and labels that an expansion declares.
pub(crate) struct MarkedDeclarations<'m> {
    mark: &'m str,
    pub(crate) names: BTreeSet<String>,
}

impl<'m> MarkedDeclarations<'m> {
    pub(crate) const fn new(mark: &'m str) -> Self {
        Self { mark, names: BTreeSet::new() }
    }

    fn add_if_marked(&mut self, name: &Ident) {
        let name = name.to_string();
        if name.ends_with(self.mark) {
            self.names.insert(name);
        }
    }
}

impl<'ast> Visit<'ast> for MarkedDeclarations<'_> {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        self.add_if_marked(&pat.ident);
        visit::visit_pat_ident(self, pat);
    }
    fn visit_label(&mut self, label: &'ast Label) {
        self.add_if_marked(&label.name.ident);
    }
}

/// Removes the mark from all names but the declared ones.
pub(crate) struct Unmarker<'m> {
    mark: &'m str,
    declared: BTreeSet<String>,
    /// Unmarked plain names: references to the surroundings of the macro's declaration.
    pub(crate) free_names: BTreeSet<String>,
    /// Unmarked names in the arguments of another macro, which may declare them.
    pub(crate) passed_on: BTreeSet<String>,
    /// Returns true if the macro with this name may declare variables.
    may_bind: &'m dyn Fn(&Ident) -> bool,
}

impl<'m> Unmarker<'m> {
    pub(crate) fn new(
        mark: &'m str,
        declared: BTreeSet<String>,
        may_bind: &'m dyn Fn(&Ident) -> bool,
    ) -> Self {
        let (free_names, passed_on) = (BTreeSet::new(), BTreeSet::new());
        Self { mark, declared, free_names, passed_on, may_bind }
    }

    fn unmarked(&self, name: &Ident) -> Option<Ident> {
        let text = name.to_string();
        Some(Ident::new(text.strip_suffix(self.mark)?, name.span()))
    }

    fn is_declared(&self, name: &Ident) -> bool {
        self.declared.contains(&name.to_string())
    }

    fn unmark_tokens(&mut self, tokens: TokenStream, may_bind: bool) -> TokenStream {
        let mut is_field = false;
        let mut out = TokenStream::new();
        for token in tokens {
            let is_dot = match &token {
                TokenTree::Punct(punct) => {
                    punct.as_char() == '.' && punct.spacing() == Spacing::Alone
                }
                _ => false,
            };
            let token = match token {
                TokenTree::Group(group) => {
                    let mut inner =
                        Group::new(group.delimiter(), self.unmark_tokens(group.stream(), may_bind));
                    inner.set_span(group.span());
                    inner.into()
                }
                TokenTree::Ident(name) if is_field || !self.is_declared(&name) => {
                    match self.unmarked(&name) {
                        Some(plain) => {
                            if !is_field {
                                let names = if may_bind {
                                    &mut self.passed_on
                                } else {
                                    &mut self.free_names
                                };
                                names.insert(plain.to_string());
                            }
                            plain.into()
                        }
                        None => name.into(),
                    }
                }
                TokenTree::Literal(literal) => self.unmark_format_string(literal),
                token => token,
            };
            is_field = is_dot;
            out.extend([token]);
        }
        out
    }

    /// Removes marks in the placeholders of a format string.
    fn unmark_format_string(&mut self, literal: Literal) -> TokenTree {
        let text = literal.to_string();
        if !text.starts_with('"') || !text.contains(self.mark) {
            return literal.into();
        }
        let mut parts = text.split(self.mark);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let start = out.rfind('{').map_or(0, |at| at + 1);
            let name = out[start..].to_owned();
            if self.declared.contains(&format!("{name}{}", self.mark)) {
                out.push_str(self.mark);
            } else {
                self.free_names.insert(name);
            }
            out.push_str(part);
        }
        match out.parse::<Literal>() {
            Ok(mut found) => {
                found.set_span(literal.span());
                found.into()
            }
            Err(_) => literal.into(),
        }
    }

    /// Returns the unmarked field name of a shorthand such as `S { x }`.
    fn shorthand_field(&self, member: &Member) -> Option<Ident> {
        match member {
            Member::Named(name) => self.unmarked(name),
            Member::Unnamed(_) => None,
        }
    }
}

impl VisitMut for Unmarker<'_> {
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        if let Some(plain) = self.unmarked(name) {
            *name = plain;
        }
    }
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        if let Some((_, part)) = &mut pat.subpat {
            self.visit_pat_mut(part);
        }
    }
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if !self.is_declared(&lifetime.ident) {
            self.visit_ident_mut(&mut lifetime.ident);
        }
    }
    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        let alone = if path.qself.is_none() { path.path.get_ident() } else { None };
        match alone {
            Some(name) if self.is_declared(name) => {}
            Some(name) => {
                if let Some(plain) = self.unmarked(name) {
                    self.free_names.insert(plain.to_string());
                    path.path = Path::from(plain);
                }
            }
            None => visit_mut::visit_expr_path_mut(self, path),
        }
    }
    fn visit_field_pat_mut(&mut self, field: &mut FieldPat) {
        if field.colon_token.is_none()
            && let Some(name) = self.shorthand_field(&field.member)
        {
            field.member = Member::Named(name);
            field.colon_token = Some(Colon::default());
        }
        visit_mut::visit_field_pat_mut(self, field);
    }
    fn visit_field_value_mut(&mut self, field: &mut FieldValue) {
        if field.colon_token.is_none()
            && let Some(name) = self.shorthand_field(&field.member)
        {
            field.member = Member::Named(name);
            field.colon_token = Some(Colon::default());
        }
        visit_mut::visit_field_value_mut(self, field);
    }
    fn visit_macro_mut(&mut self, call: &mut Macro) {
        visit_mut::visit_path_mut(self, &mut call.path);
        let may_bind = call.path.get_ident().is_none_or(self.may_bind);
        call.tokens = self.unmark_tokens(std::mem::take(&mut call.tokens), may_bind);
    }
}
