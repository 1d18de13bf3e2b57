//! An expander of the user's own macros: `macro_rules!` in a function, or before it in the file.
//!
//! rustc expands the emitted function itself; this expander does the same for kernel code, before
//! name resolution. It leaves a macro that it does not find or support, and lowering rejects the
//! call.
//!
//! Hygiene is Rust's: a variable that a rule declares is distinct from the caller's, so it gets a
//! unique name. A name that a rule only mentions refers to the scope of the macro's declaration. If
//! it could refer to something else at the call, the call is not expanded.
mod names;
mod pattern;
mod template;

use crate::{
    resolve::{
        inline_ptx,
        macro_rules::{
            names::{MarkedDeclarations, Unmarker},
            pattern::Rules,
            template::MacroCall,
        },
        source_map,
    },
    syntax::{
        item::is_std_macro,
        ungroup::{Ungroup, without_invisible_groups},
    },
};
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    rc::Rc,
};
use syn::{
    Block, Expr, Item, ItemFn, Macro, Pat, PatIdent, Stmt, StmtMacro, Token, Type,
    parse::{ParseStream, Parser as _},
    token::Brace,
    visit::{self, Visit},
    visit_mut::{self, VisitMut},
};

/// Maximum number of expansions in a function.
const MAX_EXPANSIONS: usize = 4096;

/// Maximum nesting depth of expansions, as in rustc.
const MAX_EXPANSION_DEPTH: usize = 128;

/// Returns true for macros that kernel code supports, or rejects by name.
pub(crate) fn is_known_macro(name: &Ident) -> bool {
    is_std_macro(name) || name == "shared" || name == "shared_dyn" || name == inline_ptx::NAME
}

/// Expands the macros of a kernel.
pub(crate) fn expand_kernel(item: &ItemFn) -> ItemFn {
    expand_unambiguous(
        item,
        |item, expand| expand.visit_item_fn_mut(item),
        |item, seen| {
            seen.visit_item_fn(item);
        },
    )
}

/// Expands the macros of a device item.
pub(crate) fn expand_item(item: &Item) -> Item {
    expand_unambiguous(
        item,
        |item, expand| expand.visit_item_mut(item),
        |item, seen| {
            seen.visit_item(item);
        },
    )
}

fn expand_unambiguous<T: Clone + Ungroup>(
    item: &T,
    expand_in: impl Fn(&mut T, &mut Expander),
    see: impl Fn(&T, &mut NameUses),
) -> T {
    let mut refused = BTreeSet::new();
    loop {
        // Ambiguity of a name shows only after expansion. Each round refuses further macros, so the
        // loop ends.
        let (mut found, mut expand) = (item.clone(), Expander::new(refused));
        expand_in(&mut found, &mut expand);
        let mut seen = NameUses::default();
        see(&found, &mut seen);
        let unclear =
            expand.free_names.into_iter().filter(|(_, names)| !seen.are_unambiguous(names));
        let unclear: Vec<String> = unclear.map(|(of, _)| of).collect();
        if unclear.is_empty() {
            return without_invisible_groups(found);
        }
        refused = expand.refused;
        refused.extend(unclear);
    }
}

/// The names of an item that decide whether another name is unambiguous in all of it.
#[derive(Default)]
struct NameUses {
    /// Number of variables declared under each name.
    variables: BTreeMap<String, usize>,
    /// Names in the arguments of unexpanded macros, which may declare variables.
    macro_arguments: BTreeSet<String>,
}

impl NameUses {
    /// Returns true if each of these names has at most one variable.
    fn are_unambiguous(&self, names: &BTreeSet<String>) -> bool {
        names.iter().all(|name| {
            let declared = self.variables.get(name).copied().unwrap_or_default();
            declared <= 1 && !self.macro_arguments.contains(name)
        })
    }
}

impl<'ast> Visit<'ast> for NameUses {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        *self.variables.entry(pat.ident.to_string()).or_default() += 1;
        visit::visit_pat_ident(self, pat);
    }
    fn visit_macro(&mut self, call: &'ast Macro) {
        if !call.path.get_ident().is_some_and(is_known_macro) {
            collect_names(call.tokens.clone(), &mut self.macro_arguments);
        }
    }
}

/// Adds the names among `tokens`.
fn collect_names(tokens: TokenStream, names: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => drop(names.insert(name.to_string())),
            TokenTree::Group(group) => collect_names(group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The rules of a macro; `None` if they are not supported.
type KnownRules = Option<Rc<Rules>>;

struct Expander {
    /// Macros that must not be expanded.
    refused: BTreeSet<String>,
    /// Per macro that is declared inside the function, the names that it takes from its
    /// surroundings.
    free_names: Vec<(String, BTreeSet<String>)>,
    /// The macros that surrounding blocks declare, innermost last.
    scopes: Vec<Vec<(String, KnownRules)>>,
    /// Macros of the file, looked up so far.
    file_macros: Vec<(String, KnownRules)>,
    calls: usize,
    depth: usize,
}

impl Expander {
    fn new(refused: BTreeSet<String>) -> Self {
        let (free_names, scopes, file_macros) = (Vec::new(), Vec::new(), Vec::new());
        Self { refused, free_names, scopes, file_macros, calls: 0, depth: 0 }
    }

    /// Returns the rules of a macro, and true if a surrounding block declares it.
    fn find_rules(&self, name: &Ident) -> Option<(Rc<Rules>, bool)> {
        let text = name.to_string();
        let of_blocks = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        if let Some((_, found)) = of_blocks.into_iter().find(|(known, _)| *known == text) {
            return Some((found.clone()?, true));
        }
        let found = self.file_macros.iter().find(|(known, _)| *known == text)?;
        Some((found.1.clone()?, false))
    }

    /// Looks the macro up in the file, unless that is done already.
    fn load_from_file(&mut self, name: &Ident) {
        let text = name.to_string();
        if !is_known_macro(name) && self.file_macros.iter().all(|(known, _)| *known != text) {
            let found = source_map::macro_rules_body(name).and_then(Rules::parse).map(Rc::new);
            self.file_macros.push((text, found));
        }
    }

    /// Expands a call; `None` to leave it.
    fn expand_call<T: Expansion>(&mut self, written: &Macro) -> Option<T> {
        if inline_ptx::is_call(written) {
            let at = written.path.segments.last()?.ident.span();
            return T::parse(inline_ptx::expand(written.tokens.clone(), at).ok()?);
        }
        let name = written.path.get_ident()?;
        self.load_from_file(name);
        let (rules, is_inside) = self.find_rules(name)?;
        let text = name.to_string();
        if self.calls >= MAX_EXPANSIONS
            || self.depth >= MAX_EXPANSION_DEPTH
            || self.refused.contains(&text)
        {
            return None;
        }
        self.calls += 1;
        let call = MacroCall { span: name.span(), mark: format!("·{}", self.calls) };
        let mut parsed = T::parse(rules.apply(&written.tokens, &call)?)?;
        let mut declared = MarkedDeclarations::new(&call.mark);
        parsed.walk(&mut declared);
        let mut called = CalledMacros::default();
        parsed.walk(&mut called);
        // Macros that the expansion calls may declare variables, which decides about its marks.
        called.0.iter().for_each(|name| self.load_from_file(name));
        let may_bind = |name: &Ident| {
            !is_known_macro(name) && self.find_rules(name).is_none_or(|(of, _)| of.may_bind)
        };
        let mut unmark = Unmarker::new(&call.mark, declared.names, &may_bind);
        parsed.walk_mut(&mut unmark);
        let Unmarker { free_names, passed_on, .. } = unmark;
        if is_inside {
            self.free_names.push((text, free_names));
        }
        passed_on.is_empty().then_some(parsed)
    }

    /// Expands calls in the arguments of a std macro.
    fn expand_tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => {
                    let mut inner =
                        Group::new(group.delimiter(), self.expand_tokens(group.stream()));
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                }
                TokenTree::Ident(name) if tokens.peek().is_some_and(is_bang) => {
                    let bang = tokens.next();
                    let arguments = tokens.next_if(|next| matches!(next, TokenTree::Group(_)));
                    let call = [Some(name.into()), bang, arguments].into_iter().flatten();
                    let call: TokenStream = call.collect();
                    let parsed = syn::parse2::<Macro>(call.clone()).ok();
                    match parsed.and_then(|parsed| self.expand_call::<Expr>(&parsed)) {
                        Some(mut found) => {
                            self.visit_expr_mut(&mut found);
                            let found = found.into_token_stream();
                            out.extend([TokenTree::Group(Group::new(
                                Delimiter::Parenthesis,
                                found,
                            ))]);
                        }
                        None => out.extend(call),
                    }
                }
                token => out.extend([token]),
            }
        }
        out
    }

    /// Replaces a call by its expansion; returns false if it is left.
    fn replace_call<T: Expansion>(&mut self, node: &mut T, call: Option<Macro>) -> bool {
        let Some(found) = call.and_then(|call| self.expand_call::<T>(&call)) else { return false };
        *node = found;
        self.depth += 1;
        node.walk_mut(self);
        self.depth -= 1;
        true
    }
}

/// Returns true for the `!` of a macro call.
pub(crate) fn is_bang(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == '!' && punct.spacing() == Spacing::Alone)
}

/// The macros that are called by a plain name.
#[derive(Default)]
struct CalledMacros(BTreeSet<Ident>);

impl<'ast> Visit<'ast> for CalledMacros {
    fn visit_macro(&mut self, call: &'ast Macro) {
        self.0.extend(call.path.get_ident().cloned());
    }
}

/// A syntactic category that a macro call can expand to.
trait Expansion: Sized {
    fn parse(tokens: TokenStream) -> Option<Self>;
    fn walk<'ast>(&'ast self, by: &mut impl Visit<'ast>);
    fn walk_mut(&mut self, by: &mut impl VisitMut);
}

/// Statements.
impl Expansion for Block {
    fn parse(tokens: TokenStream) -> Option<Self> {
        let stmts = Self::parse_within.parse2(tokens).ok()?;
        Some(Self { brace_token: Brace::default(), stmts })
    }
    fn walk<'ast>(&'ast self, by: &mut impl Visit<'ast>) {
        by.visit_block(self);
    }
    fn walk_mut(&mut self, by: &mut impl VisitMut) {
        by.visit_block_mut(self);
    }
}

impl Expansion for Expr {
    fn parse(tokens: TokenStream) -> Option<Self> {
        let parse = |input: ParseStream<'_>| {
            let expr = input.parse()?;
            input.parse::<Option<Token![;]>>()?;
            Ok(expr)
        };
        parse.parse2(tokens).ok()
    }
    fn walk<'ast>(&'ast self, by: &mut impl Visit<'ast>) {
        by.visit_expr(self);
    }
    fn walk_mut(&mut self, by: &mut impl VisitMut) {
        by.visit_expr_mut(self);
    }
}

impl Expansion for Pat {
    fn parse(tokens: TokenStream) -> Option<Self> {
        Self::parse_multi_with_leading_vert.parse2(tokens).ok()
    }
    fn walk<'ast>(&'ast self, by: &mut impl Visit<'ast>) {
        by.visit_pat(self);
    }
    fn walk_mut(&mut self, by: &mut impl VisitMut) {
        by.visit_pat_mut(self);
    }
}

impl Expansion for Type {
    fn parse(tokens: TokenStream) -> Option<Self> {
        syn::parse2(tokens).ok()
    }
    fn walk<'ast>(&'ast self, by: &mut impl Visit<'ast>) {
        by.visit_type(self);
    }
    fn walk_mut(&mut self, by: &mut impl VisitMut) {
        by.visit_type_mut(self);
    }
}

impl VisitMut for Expander {
    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scopes.push(Vec::new());
        let outside = self.depth;
        // Each statement with its expansion depth.
        let waiting = std::mem::take(&mut block.stmts).into_iter();
        let mut waiting: VecDeque<(Stmt, usize)> =
            waiting.map(|statement| (statement, outside)).collect();
        while let Some((mut statement, depth)) = waiting.pop_front() {
            self.depth = depth;
            if let Stmt::Item(Item::Macro(item)) = &statement
                && let Some(name) = &item.ident
            {
                let rules = Rules::parse(item.mac.tokens.clone()).map(Rc::new);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.push((name.to_string(), rules));
                }
                continue;
            }
            let call = match &statement {
                Stmt::Macro(StmtMacro { mac, semi_token, attrs }) if attrs.is_empty() => {
                    Some((mac, semi_token.is_some()))
                }
                _ => None,
            };
            let found =
                call.and_then(|(call, ends)| Some((self.expand_call::<Block>(call)?, ends)));
            let Some((found, ends)) = found else {
                visit_mut::visit_stmt_mut(self, &mut statement);
                block.stmts.push(statement);
                continue;
            };
            let mut found = found.stmts;
            if ends && let Some(Stmt::Expr(_, semi @ None)) = found.last_mut() {
                *semi = Some(Token![;](Span::call_site()));
            }
            let found = found.into_iter().rev().map(|statement| (statement, depth + 1));
            found.for_each(|statement| waiting.push_front(statement));
        }
        self.depth = outside;
        self.scopes.pop();
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let call = match &*expr {
            Expr::Macro(call) if call.attrs.is_empty() => Some(call.mac.clone()),
            _ => None,
        };
        if !self.replace_call(expr, call) {
            visit_mut::visit_expr_mut(self, expr);
        }
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        let call = if let Pat::Macro(call) = &*pat { Some(call.mac.clone()) } else { None };
        if !self.replace_call(pat, call) {
            visit_mut::visit_pat_mut(self, pat);
        }
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        let call = if let Type::Macro(call) = &*ty { Some(call.mac.clone()) } else { None };
        if !self.replace_call(ty, call) {
            visit_mut::visit_type_mut(self, ty);
        }
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        if call.path.get_ident().is_some_and(is_known_macro) {
            call.tokens = self.expand_tokens(std::mem::take(&mut call.tokens));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    /// A function with its macros expanded, and marks as `_`.
    fn expanded(item: TokenStream) -> String {
        let item = syn::parse2(item).expect("it is a function");
        expand_kernel(&item).to_token_stream().to_string().replace('·', "_")
    }

    #[test]
    fn variables_of_a_rule_are_its_own() {
        let found = expanded(quote!(
            fn f(m: f32) -> f32 {
                macro_rules! most {
                    ($a:expr $(, $b:expr)*) => {{
                        let mut m = $a;
                        $(if $b > m { m = $b; println!("{m} {n}", n = x.m); })*
                        m
                    }};
                }
                most!(m + 1.0, m, 2.0) * m
            }
        ));
        let expected = quote!(
            fn f(m: f32) -> f32 {
                ({
                    let mut m_1 = m + 1.0;
                    if m > m_1 {
                        m_1 = m;
                        println!("{m_1} {n}", n = x.m);
                    }
                    if 2.0 > m_1 {
                        m_1 = 2.0;
                        println!("{m_1} {n}", n = x.m);
                    }
                    m_1
                }) * m
            }
        );
        assert_eq!(found, expected.to_string());
    }

    #[test]
    fn statements_take_the_place_of_their_call() {
        let found = expanded(quote!(
            fn f() {
                macro_rules! set {
                    ($a:ident: $t:ty = $e:expr) => {
                        let $a: $t = $e;
                        let own = S { a, own };
                    };
                }
                set!(a: f32 = 1.0);
                g(a)
            }
        ));
        let expected = quote!(
            fn f() {
                let a: f32 = 1.0;
                let own_1 = S { a: a, own: own_1 };
                g(a)
            }
        );
        assert_eq!(found, expected.to_string());
    }

    #[test]
    fn ambiguous_calls_are_not_expanded() {
        for body in [
            "let a = 1; macro_rules! m { () => { a } } let a = 2; m!()",
            "macro_rules! m { () => { $crate::a } } m!()",
            "macro_rules! m { ($($x:tt)*) => { m!(a $($x)*) } } m!()",
            "macro_rules! m { () => { n!(a); a } } m!()",
            "macro_rules! m { () => { 1 } } #[allow(a)] m!();",
            "m!(); macro_rules! m { () => { 1 } }",
        ] {
            let item = format!("fn f() {{ {body} }}");
            let found = expanded(item.parse().expect("it is Rust"));
            assert!(found.contains("m ! ()"), "{found}");
        }
    }
}
