//! Mistakes in arrays: `shared!` with a length or a type that it does not take, shared arrays that
//! are declared in another form, and arrays as long as the block.
use crate::{
    mistakes::{Finder, Place, attribute_range, path_text},
    resolve::paths::macros::parse_shared_dyn,
    syntax::{span::SpanRange, spell::print_tokens},
    types::builtin,
};
use quote::{ToTokens as _, quote};
use std::collections::HashSet;
use syn::{
    Attribute, Expr, ExprLit, ExprPath, ExprRepeat, Ident, Item, Lit, Local, Macro, Pat, PatType,
    Token, Type, TypeArray, TypeSlice,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    token::Bracket,
    visit::Visit,
};

/// The fact about a variable that stands for shared memory.
const NO_SHARED_VARIABLE: &str = "shared memory is what `shared!` returns, in each block";

impl Finder {
    /// Returns the message for an argument of `shared!` that is no type of a constant length.
    pub(super) fn wrong_shared_array(&self, mac: &Macro) -> Option<(String, String)> {
        if let Ok(ExprRepeat { expr, len, .. }) = mac.parse_body::<ExprRepeat>()
            && let Expr::Lit(ExprLit { lit, .. }) = &*expr
        {
            let number = literal_type(lit);
            let len = print_tokens(len.to_token_stream());
            return Some((
                "`shared!` takes a type: the threads of a block write the first values".to_owned(),
                format!(
                    "write `shared!([{number}; {len}])`, and then, for example, `tile[thread_idx_x()] = {};`",
                    print_tokens(lit.to_token_stream())
                ),
            ));
        }
        if let Ok(TypeSlice { elem, .. }) = mac.parse_body() {
            let elem = print_tokens(elem.to_token_stream());
            return Some((
                "`shared!` takes an array with its length".to_owned(),
                format!(
                    "write `shared!([{elem}; 256])`, or `shared_dyn!({elem}, n)`, whose length the launch computes"
                ),
            ));
        }
        if mac.parse_body::<Type>().is_err() {
            return Some(wrong_shared_type(mac));
        }
        let TypeArray { elem, len, .. } = mac.parse_body().ok()?;
        let first_of = |known| {
            let mut names = VariablesOf { known, found: None };
            names.visit_expr(&len);
            names.found
        };
        let is_term = !matches!(len, Expr::Path(_) | Expr::Block(_));
        let (elem, shown) =
            (print_tokens(elem.to_token_stream()), print_tokens(len.to_token_stream()));
        if let Some(name) = first_of(&self.const_params).filter(|_| is_term) {
            return Some((
                format!("Rust computes no length from the const parameter `{name}`"),
                format!("write `shared_dyn!({elem}, {shown})`, whose length the launch computes"),
            ));
        }
        let fact = match first_of(&self.variables) {
            Some(name) => format!("`{name}` is a variable"),
            None => format!("`{}()` differs between launches", called_builtin(&len)?),
        };
        let len = shown;
        Some((
            format!("the length of `shared!` is a constant, and {fact}"),
            format!("write `shared_dyn!({elem}, {len})`, whose length the launch computes"),
        ))
    }

    /// Adds `#[shared]` on a variable.
    pub(super) fn add_shared_attribute(&mut self, local: &Local) {
        let Some(shared) = local.attrs.iter().find(|attribute| is_shared_attribute(attribute))
        else {
            return;
        };
        let (pat, ty) = match &local.pat {
            Pat::Type(PatType { pat, ty, .. }) => (&**pat, Some(&**ty)),
            pat => (pat, None),
        };
        let value = local.init.as_ref().map(|init| &*init.expr);
        let code = match pat {
            Pat::Ident(name) => shared_in_place_of(&name.ident, ty, value),
            _ => None,
        };
        let code = code.unwrap_or_else(|| "`let tile = shared!([f32; 256]);`".to_owned());
        let text = (NO_SHARED_VARIABLE.to_owned(), format!("write {code}"));
        self.add(attribute_range(shared), text, None, |_| {});
        if let Some(candidate) = self.candidates.last_mut() {
            candidate.mistake.place = Place::Attribute;
        }
    }

    /// Adds a mistake whose place is a declaration of the shared array `name` that rustc sees
    /// instead.
    pub(super) fn declare_shared(
        &mut self,
        at: SpanRange,
        name: &Ident,
        ty: &Type,
        text: (String, String),
    ) {
        self.add(at, text, None, |_| {});
        if let Some(candidate) = self.candidates.last_mut() {
            candidate.mistake.place = Place::Type(quote!(
                #[allow(non_snake_case, unused_variables, reason = "as the user writes it")]
                let #name = ::warpwise::shared!(#ty)
            ));
        }
    }

    /// Adds a `static` that stands for shared memory, `static mut TILE: [f32; 32]`. Returns false
    /// for other items.
    pub(super) fn add_shared_static(&mut self, item: &Item) -> bool {
        let tokens = item.to_token_stream();
        let Ok(LooseStatic { is_mutable, name, ty, value }) = syn::parse2(tokens) else {
            return false;
        };
        let attributes = match item {
            Item::Static(item) => item.attrs.as_slice(),
            _ => &[],
        };
        let is_shared = attributes.iter().any(is_shared_attribute)
            || matches!(&value, Some(Expr::Macro(value)) if value.mac.path.is_ident("shared"));
        if !(is_shared || is_mutable && matches!(ty, Type::Array(_))) {
            return false;
        }
        let code = shared_in_place_of(&name, Some(&ty), None).unwrap_or_default();
        self.variables.insert(name.to_string());
        let text = (NO_SHARED_VARIABLE.to_owned(), format!("write {code}"));
        self.declare_shared(SpanRange::tokens(item), &name, &ty, text);
        if let Some(candidate) = self.candidates.last_mut()
            && let Place::Type(intended) = &mut candidate.mistake.place
        {
            intended.extend(quote!(;));
        }
        true
    }
}

/// Returns the message for an argument of `shared!` that is no type.
pub(super) fn wrong_shared_type(mac: &Macro) -> (String, String) {
    let help = match (mac.parse_body_with(parse_shared_dyn), mac.parse_body::<LooseArray>()) {
        // `shared!([f32; 64], 0.0)`
        (Ok((array @ Type::Array(_), _)), _) => {
            let array = print_tokens(array.to_token_stream());
            format!("write `shared!({array})`: the threads of a block write the first values")
        }
        (Ok((ty, len)), _) => {
            let [ty, len] = [ty.to_token_stream(), len.to_token_stream()].map(print_tokens);
            format!(
                "write `shared!([{ty}; {len}])`, or `shared_dyn!({ty}, {len})` if the launch computes \
                 the length"
            )
        }
        (Err(_), Ok(array)) => format!("write {}", array.shared_code()),
        (Err(_), Err(_)) => "write for example `shared!([f32; 256])`".to_owned(),
    };
    ("`shared!` takes a type".to_owned(), help)
}

/// An array as other languages declare it: `f32; 32`, `[f32; 32, 33]`, `[f32; 32][33]`,
/// `let tile: [f32; 32]` or `f32 tile[32]`.
pub(super) struct LooseArray {
    pub(super) name: Option<Ident>,
    pub(super) ty: Type,
}

impl LooseArray {
    /// Returns the code that declares the array, or is it if it has no name.
    fn shared_code(&self) -> String {
        let ty = print_tokens(self.ty.to_token_stream());
        match &self.name {
            Some(name) => format!("`let {name} = shared!({ty});`"),
            None => format!("`shared!({ty})`"),
        }
    }
}

impl Parse for LooseArray {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut name = None;
        input.parse::<Option<Token![let]>>()?;
        input.parse::<Option<Token![static]>>()?;
        input.parse::<Option<Token![mut]>>()?;
        if input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
            name = Some(input.parse()?);
            input.parse::<Token![:]>()?;
        }
        let mut lens = Vec::new();
        let mut elem: Type = if input.peek(Bracket) {
            let inner;
            syn::bracketed!(inner in input);
            let elem = inner.parse()?;
            inner.parse::<Token![;]>()?;
            lens.extend(Punctuated::<Expr, Token![,]>::parse_terminated(&inner)?);
            elem
        } else {
            input.parse()?
        };
        if name.is_none() && input.peek(Ident) {
            name = Some(input.parse()?);
        }
        if input.peek(Token![;]) {
            input.parse::<Token![;]>()?;
            lens.extend(Punctuated::<Expr, Token![,]>::parse_terminated(input)?);
        }
        while input.peek(Bracket) {
            let inner;
            syn::bracketed!(inner in input);
            lens.push(inner.parse()?);
        }
        if name.is_none() && lens.is_empty() {
            return Err(input.error("this is a type"));
        }
        // The first length is that of the whole.
        for len in lens.into_iter().rev() {
            elem = syn::parse_quote!([#elem; #len]);
        }
        Ok(Self { name, ty: elem })
    }
}

/// Returns true for `#[shared]`, which other libraries have.
fn is_shared_attribute(attribute: &Attribute) -> bool {
    attribute.path().is_ident("shared") || attribute.path().is_ident("__shared__")
}

/// Returns the code of a shared array in place of a variable with this type, or this first value.
pub(super) fn shared_in_place_of(
    name: &Ident,
    ty: Option<&Type>,
    value: Option<&Expr>,
) -> Option<String> {
    let ty = match (ty, value) {
        (Some(ty), _) => print_tokens(ty.to_token_stream()),
        (None, Some(Expr::Repeat(ExprRepeat { expr, len, .. }))) => {
            let Expr::Lit(ExprLit { lit, .. }) = &**expr else { return None };
            format!("[{}; {}]", literal_type(lit), print_tokens(len.to_token_stream()))
        }
        _ => return None,
    };
    Some(format!("`let {} = shared!({ty});`", name.to_string().to_lowercase()))
}

/// A `static` in a function, with or without a value.
struct LooseStatic {
    is_mutable: bool,
    name: Ident,
    ty: Type,
    value: Option<Expr>,
}

impl Parse for LooseStatic {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(Attribute::parse_outer)?;
        input.parse::<Token![static]>()?;
        let is_mutable = input.parse::<Option<Token![mut]>>()?.is_some();
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Token![;]>()?;
        Ok(Self { is_mutable, name, ty, value })
    }
}

/// Returns the type of a literal number, as the threads of a block would write it.
fn literal_type(lit: &Lit) -> &str {
    match lit {
        Lit::Float(number) if number.suffix().is_empty() => "f32",
        Lit::Float(number) => number.suffix(),
        Lit::Int(number) if number.suffix().is_empty() => "u32",
        Lit::Int(number) => number.suffix(),
        _ => "f32",
    }
}

/// Returns the message for `shared_dyn!` without an element type and a length.
pub(super) fn wrong_shared_slice(mac: &Macro) -> Option<(String, String)> {
    if mac.parse_body_with(parse_shared_dyn).is_ok() {
        return None;
    }
    let help = match mac.parse_body::<TypeArray>() {
        Ok(TypeArray { elem, len, .. }) => {
            let [elem, len] = [elem.to_token_stream(), len.to_token_stream()].map(print_tokens);
            format!("write `shared_dyn!({elem}, {len})`")
        }
        Err(_) => "write for example `shared_dyn!(f32, 2 * n)`".to_owned(),
    };
    Some(("`shared_dyn!` takes the type of an element and how many there are".to_owned(), help))
}

/// The first variable in an expression.
pub(super) struct VariablesOf<'a> {
    known: &'a HashSet<String>,
    found: Option<String>,
}

impl<'ast> Visit<'ast> for VariablesOf<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let name = path.path.get_ident().map(Ident::to_string);
        let name = name.filter(|name| self.found.is_none() && self.known.contains(name));
        self.found = name.or(self.found.take());
    }
}

/// Returns the mistake of an array whose length is the size of a block, or another number that only
/// the launch knows.
pub(super) fn repeated_by_builtin(repeat: &ExprRepeat) -> Option<(String, String)> {
    let name = called_builtin(&repeat.len)?;
    let element = print_tokens(repeat.expr.to_token_stream());
    Some((
        format!("the length of an array is a constant, and `{name}()` differs between launches"),
        format!(
            "write `[{element}; SIZE]` with `const SIZE: usize = 256;`; the kernel may declare the block by it: `#[kernel(block = SIZE)]`"
        ),
    ))
}

/// Returns the first function of Warpwise that an expression calls.
pub(super) fn called_builtin(expr: &Expr) -> Option<String> {
    struct Calls(Option<String>);
    impl<'ast> Visit<'ast> for Calls {
        fn visit_expr_path(&mut self, path: &'ast ExprPath) {
            let name = path_text(&path.path);
            let is_builtin = builtin::find(std::slice::from_ref(&name)).is_some();
            self.0 = self.0.take().or(is_builtin.then_some(name));
        }
    }
    let mut calls = Calls(None);
    calls.visit_expr(expr);
    calls.0
}
