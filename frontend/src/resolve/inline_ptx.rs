//! `ptx!`: inline PTX.
//!
//! It expands to the same code for rustc, for the function as written, and for kernels. The
//! operands are variables of their names, so that the fallback can use them:
//!
//! ```text
//! ptx!("add.u32 {d}, {a}, 1;", d = out(u32), a = in(u32) x + 1, else { a + 1 })
//!
//! {
//!     let (a,): (u32,) = (x + 1,);
//!     if ::warpwise::__private::interpreted!() { a + 1 }
//!     else { ::warpwise::__private::inline_ptx!([u32] [fallback] "add.u32 {0}, {1}, 1;" a) }
//! }
//! ```
use crate::{
    syntax::{error::HELP, suggest::unknown_word_message},
    types::Prim,
};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use std::fmt::Display;
use syn::{
    Block, Error, Expr, LitStr, Macro, Path, Result, Token, Type, bracketed,
    ext::IdentExt as _,
    parenthesized,
    parse::{Parse, ParseStream, Parser as _},
    punctuated::Punctuated,
    spanned::Spanned as _,
};
use warpwise_compiler::ir::{InlinePtx, PtxLevel, inline_ptx::check_text};

/// The name of the macro.
pub(crate) const NAME: &str = "ptx";

/// The name of the private macro that it expands to.
pub(crate) const EXPANDED: &str = "inline_ptx";

/// The option of PTX that only computes its outputs.
const PURE: &str = "pure";
/// The mark of PTX with a fallback in the expansion.
const FALLBACK: &str = "fallback";

/// An output or input.
struct Operand {
    name: Ident,
    /// Its type, as it is written.
    ty: Ident,
    /// The value of an input; `None` for an output.
    value: Option<Expr>,
}

/// The arguments of `ptx!`.
struct Call {
    text: Vec<LitStr>,
    operands: Vec<Operand>,
    options: Vec<Ident>,
    fallback: Option<Block>,
}

/// Inline PTX, as its expansion has it.
pub(crate) struct Expanded {
    pub(crate) is_pure: bool,
    pub(crate) ptx: InlinePtx,
    /// The types of the outputs.
    pub(crate) outputs: Vec<Prim>,
    /// The variables of the inputs.
    pub(crate) inputs: Vec<Ident>,
}

/// Returns the last part of a path into the private names of Warpwise.
pub(crate) fn private_macro(path: &Path) -> Option<String> {
    let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
    match parts.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["warpwise", "__private", name] => Some(name.to_owned()),
        _ => None,
    }
}

/// Returns true for calls of `ptx!`, by its name or by a path.
pub(crate) fn is_call(mac: &Macro) -> bool {
    let parts: Vec<String> = mac.path.segments.iter().map(|part| part.ident.to_string()).collect();
    matches!(
        parts.iter().map(String::as_str).collect::<Vec<_>>()[..],
        [NAME] | ["warpwise", NAME] | ["warpwise", "prelude", NAME]
    )
}

/// Returns true if `tokens` name the macro, or what it expands to.
pub(crate) fn is_named(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => is_named(group.stream()),
        TokenTree::Ident(name) => name == NAME || name == EXPANDED,
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Expands a call with the arguments `tokens`; `at` is the place of its name.
///
/// # Errors
/// The first mistake in the arguments.
pub(crate) fn expand(tokens: TokenStream, at: Span) -> Result<TokenStream> {
    let call = (|input: ParseStream<'_>| parse_call(input, at)).parse2(tokens)?;
    let text = call.numbered_text()?;
    call.check_options()?;
    let (inputs, outputs): (Vec<&Operand>, Vec<&Operand>) =
        call.operands.iter().partition(|operand| operand.value.is_some());
    let outputs = outputs.iter().map(|output| &output.ty);
    let options = &call.options;
    let names: Vec<&Ident> = inputs.iter().map(|input| &input.name).collect();
    let fallback = call.fallback.as_ref().map(|_| Ident::new(FALLBACK, at));
    let mut ptx = quote_spanned!(at=>
        ::warpwise::__private::inline_ptx!([#(#outputs),*] [#(#options)* #fallback] #text #(#names)*)
    );
    if let Some(fallback) = &call.fallback {
        ptx = quote_spanned!(at=>
            if ::warpwise::__private::interpreted!() #fallback else { #ptx }
        );
    }
    let types = inputs.iter().map(|input| &input.ty);
    let values = inputs.iter().map(|input| &input.value);
    let declared = (!inputs.is_empty())
        .then(|| quote_spanned!(at=> let (#(#names,)*): (#(#types,)*) = (#(#values,)*);));
    Ok(quote_spanned!(at=> { #declared #ptx }))
}

fn wrong(at: Span, fact: impl Display, help: impl Display) -> Error {
    Error::new(at, format_args!("{fact}{HELP}{help}"))
}

const EXAMPLE: &str =
    "write for example `ptx!(\"add.u32 {d}, {a}, 1;\", d = out(u32), a = in(u32) x)`";

fn parse_call(input: ParseStream<'_>, at: Span) -> Result<Call> {
    if input.is_empty() {
        return Err(wrong(at, "`ptx!` takes the text of PTX", EXAMPLE));
    }
    let mut call =
        Call { text: Vec::new(), operands: Vec::new(), options: Vec::new(), fallback: None };
    let mut has_options = false;
    while !input.is_empty() {
        let place = input.span();
        if call.fallback.is_some() {
            return Err(wrong(place, "`else` is the last argument", "write this before it"));
        }
        if input.peek(LitStr) {
            if !call.operands.is_empty() || has_options {
                let help = "write the text first";
                return Err(wrong(place, "the text stands behind an operand", help));
            }
            call.text.push(input.parse()?);
        } else if call.text.is_empty() {
            return Err(wrong(place, "the text of `ptx!` is a string literal", EXAMPLE));
        } else if input.peek(Token![else]) {
            input.parse::<Token![else]>()?;
            call.fallback = Some(input.parse()?);
        } else {
            let name = input.call(Ident::parse_any)?;
            if name == "options" && input.peek(syn::token::Paren) {
                has_options = true;
                let inner;
                parenthesized!(inner in input);
                call.options.extend(Punctuated::<Ident, Token![,]>::parse_terminated(&inner)?);
            } else {
                let operand = parse_operand(name, input)?;
                if call.operands.iter().any(|known| known.name == operand.name) {
                    let fact = format!("two operands have the name `{}`", operand.name);
                    return Err(wrong(operand.name.span(), fact, "give each a name of its own"));
                }
                call.operands.push(operand);
            }
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    let count = call.operands.len();
    if count > InlinePtx::MAX_OPERANDS {
        let fact = format!("`ptx!` has {count} operands, and {} at most", InlinePtx::MAX_OPERANDS);
        return Err(wrong(at, fact, "write it in two parts"));
    }
    Ok(call)
}

/// Parses an operand behind its name: `= in(u32) x`.
fn parse_operand(name: Ident, input: ParseStream<'_>) -> Result<Operand> {
    const FORMS: &str = "write `name = in(u32) value` or `name = out(u32)`";
    if !input.peek(Token![=]) {
        return Err(wrong(name.span(), format_args!("`{name}` is no operand"), FORMS));
    }
    input.parse::<Token![=]>()?;
    let kind = input.call(Ident::parse_any)?;
    if (kind != "in" && kind != "out") || !input.peek(syn::token::Paren) {
        return Err(wrong(kind.span(), "this is no operand", FORMS));
    }
    let inner;
    parenthesized!(inner in input);
    let ty = operand_type(&inner.parse()?)?;
    let value = if kind == "in" { Some(input.parse()?) } else { None };
    Ok(Operand { name, ty, value })
}

/// Returns the name of the type of an operand.
fn operand_type(ty: &Type) -> Result<Ident> {
    let name = match ty {
        Type::Path(ty) if ty.qself.is_none() => ty.path.get_ident(),
        _ => None,
    };
    let prim = name.and_then(|name| Prim::from_name(&name.to_string()));
    match (name, prim) {
        (Some(name), Some(prim)) if InlinePtx::is_operand(prim.scalar()) => Ok(name.clone()),
        (Some(name), Some(_)) => Err(wrong(
            name.span(),
            format_args!("PTX has no registers for `{name}`"),
            "take `u16` or `u32`, and convert the value with `as`",
        )),
        _ => Err(wrong(
            ty.span(),
            "an operand of `ptx!` is a number or a `bool`",
            "its type is `bool`, or one of `u16`, `u32`, `u64`, `usize`, `i16`, `i32`, `i64`, `isize`, \
             `f16`, `bf16`, `f32` and `f64`",
        )),
    }
}

impl Call {
    /// Returns the text with the numbers of operands in the place of their names.
    fn numbered_text(&self) -> Result<LitStr> {
        // The outputs come first.
        let is_output = |operand: &&Operand| operand.value.is_none();
        let outputs = self.operands.iter().filter(is_output);
        let inputs = self.operands.iter().filter(|operand| !is_output(operand));
        let numbered: Vec<&Operand> = outputs.chain(inputs).collect();
        let mut used = vec![false; numbered.len()];
        let whole: String = self.text.iter().map(LitStr::value).collect::<Vec<_>>().join("\n");
        let names = check_text(&whole).map_err(|error| {
            wrong(self.literal_at(error.at.start).span(), error.fact, error.help)
        })?;
        let (mut text, mut copied) = (String::new(), 0);
        for (place, name) in names {
            let number = numbered.iter().position(|operand| operand.name.unraw() == name);
            let Some(number) = number else {
                return Err(self.unknown_operand(name, self.literal_at(place.start).span()));
            };
            used[number] = true;
            text += &whole[copied..place.start];
            text += &format!("{{{number}}}");
            copied = place.end;
        }
        text += &whole[copied..];
        let unused = numbered.iter().zip(used).find(|(_, is_used)| !is_used);
        if let Some((Operand { name, .. }, _)) = unused {
            let fact = format!("the text does not use the operand `{name}`");
            return Err(wrong(name.span(), fact, format_args!("write `{{{name}}}` in it")));
        }
        Ok(LitStr::new(&text, self.text[0].span()))
    }

    fn unknown_operand(&self, name: &str, at: Span) -> Error {
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            let help = "write the name of an operand, such as `{a}`";
            return wrong(at, format_args!("`{{{name}}}` is no name of an operand"), help);
        }
        let help = format!(
            "declare it: `{name} = in(u32) value` or `{name} = out(u32)`; write braces of PTX twice: \
             `{{{{` and `}}}}`"
        );
        wrong(at, format_args!("no operand has the name `{name}`"), help)
    }

    /// Returns the literal with byte `at` of the text.
    fn literal_at(&self, mut at: usize) -> &LitStr {
        for literal in &self.text {
            let len = literal.value().len();
            if at <= len {
                return literal;
            }
            at -= len + 1;
        }
        &self.text[0]
    }

    fn check_options(&self) -> Result<()> {
        let mut level = PtxLevel::OLDEST;
        for option in &self.options {
            let name = option.to_string();
            if name == PURE {
                if self.operands.iter().all(|operand| operand.value.is_some()) {
                    let fact = "PTX that is `pure` and has no output does nothing";
                    return Err(wrong(option.span(), fact, "leave `pure` out, or add an output"));
                }
                continue;
            }
            level = level.requiring(&name).ok_or_else(|| {
                let known = [PURE, "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "ptx78"];
                let fact = unknown_word_message("an option of `ptx!`", &name, &known);
                let help = "an option is `pure`, a target such as `sm_90`, or a version of PTX such as \
                            `ptx78`";
                wrong(option.span(), fact, help)
            })?;
        }
        Ok(())
    }
}

/// Reads the arguments that [`expand`] writes.
impl Parse for Expanded {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (types, marks);
        bracketed!(types in input);
        bracketed!(marks in input);
        let types = Punctuated::<Ident, Token![,]>::parse_terminated(&types)?;
        let unknown = |name: &Ident| Error::new(name.span(), format_args!("unknown `{name}`"));
        let prim = |ty: &Ident| Prim::from_name(&ty.to_string()).ok_or_else(|| unknown(ty));
        let outputs = types.iter().map(prim).collect::<Result<Vec<Prim>>>()?;
        let (mut is_pure, mut has_fallback, mut level) = (false, false, PtxLevel::OLDEST);
        while !marks.is_empty() {
            let mark: Ident = marks.parse()?;
            match mark.to_string().as_str() {
                PURE => is_pure = true,
                FALLBACK => has_fallback = true,
                name => level = level.requiring(name).ok_or_else(|| unknown(&mark))?,
            }
        }
        let text = input.parse::<LitStr>()?.value();
        let mut inputs = Vec::new();
        while !input.is_empty() {
            inputs.push(input.call(Ident::parse_any)?);
        }
        let scalars = outputs.iter().map(|output| output.scalar()).collect();
        let ptx = InlinePtx { text, outputs: scalars, has_fallback, level };
        Ok(Self { is_pure, ptx, outputs, inputs })
    }
}
