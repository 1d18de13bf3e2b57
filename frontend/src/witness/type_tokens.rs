//! Rust source for types and literals.
use crate::types::{Prim, Ty, Type, Types, atomic_name};
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;
use syn::{Ident, Lit};
use warpwise_compiler::ir::Extent;

/// Returns a numeric literal with the suffix of a type; `None` if it has a suffix already, or is
/// not a number.
pub(crate) fn suffixed_literal(lit: &Lit, prim: Prim) -> Option<Literal> {
    let digits = match lit {
        Lit::Int(int) if int.suffix().is_empty() => int.base10_digits(),
        Lit::Float(float) if float.suffix().is_empty() => float.base10_digits(),
        _ => return None,
    };
    let mut literal = number_literal(digits, prim).or_else(|| {
        // `1.` cannot have a suffix.
        let digits = digits.strip_suffix('.').unwrap_or(digits);
        format!("{digits}{}", prim.name()).parse::<Literal>().ok()
    })?;
    literal.set_span(lit.span());
    Some(literal)
}

/// Returns the number as a literal of this type, without parsing by rustc; `None` if it is out of
/// range or the type has no suffix in Rust.
fn number_literal(digits: &str, prim: Prim) -> Option<Literal> {
    Some(match prim {
        Prim::I8 => Literal::i8_suffixed(digits.parse().ok()?),
        Prim::I16 => Literal::i16_suffixed(digits.parse().ok()?),
        Prim::I32 => Literal::i32_suffixed(digits.parse().ok()?),
        Prim::I64 => Literal::i64_suffixed(digits.parse().ok()?),
        Prim::Isize => Literal::isize_suffixed(digits.parse().ok()?),
        Prim::U8 => Literal::u8_suffixed(digits.parse().ok()?),
        Prim::U16 => Literal::u16_suffixed(digits.parse().ok()?),
        Prim::U32 => Literal::u32_suffixed(digits.parse().ok()?),
        Prim::U64 => Literal::u64_suffixed(digits.parse().ok()?),
        Prim::Usize => Literal::usize_suffixed(digits.parse().ok()?),
        Prim::F32 => Literal::f32_suffixed(digits.parse().ok().filter(|n: &f32| n.is_finite())?),
        Prim::F64 => Literal::f64_suffixed(digits.parse().ok().filter(|n: &f64| n.is_finite())?),
        Prim::Bool | Prim::F16 | Prim::BF16 => return None,
    })
}

/// Returns a type as tokens; `None` if it cannot be written.
pub(crate) fn type_tokens(ty: Ty, types: &Types) -> Option<TokenStream> {
    Some(match types.get(ty) {
        Type::Unit => quote!(()),
        Type::Prim(prim) if prim.is_half() => {
            let name = Ident::new(prim.name(), Span::call_site());
            quote!(::warpwise::#name)
        }
        Type::Prim(prim) => {
            let name = Ident::new(prim.name(), Span::call_site());
            quote!(#name)
        }
        Type::Generic(id) => generic_name(&types.generics, warpwise_compiler::id::Id::index(id))?,
        Type::Ref { mutable, to } => {
            let to = type_tokens(to, types)?;
            if mutable { quote!(&mut #to) } else { quote!(&#to) }
        }
        Type::Slice(elem) => {
            let elem = type_tokens(elem, types)?;
            quote!([#elem])
        }
        Type::Array(elem, len) => {
            let (elem, len) =
                (type_tokens(elem, types)?, extent_tokens(types.extent(len)?, types)?);
            quote!([#elem; #len])
        }
        Type::Atomic(prim) => {
            let name = Ident::new(atomic_name(prim), Span::call_site());
            let float = prim.is_float();
            if float { quote!(::warpwise::#name) } else { quote!(::core::sync::atomic::#name) }
        }
        Type::Tuple(list) => {
            let parts = types.parts(list).into_iter().map(|part| type_tokens(part, types));
            let parts = parts.collect::<Option<Vec<_>>>()?;
            quote!((#(#parts,)*))
        }
        Type::Pointer(list) => {
            let mut parts = types.parts(list);
            let ret = type_tokens(parts.pop()?, types)?;
            let params = parts.into_iter().map(|part| type_tokens(part, types));
            let params = params.collect::<Option<Vec<_>>>()?;
            quote!(fn(#(#params),*) -> #ret)
        }
        Type::Adt(item, _) if types.vector(item).is_some() => {
            let name = types.vector(item)?.name();
            quote!(::warpwise::#name)
        }
        // The name of a struct or enum may be out of scope in the witness.
        Type::Adt(..)
        | Type::Closure(_)
        | Type::Iter(..)
        | Type::Never
        | Type::Unknown(_)
        | Type::Same(_)
        | Type::Reported(_) => return None,
    })
}

/// Returns a generic parameter or open constant by its name.
pub(crate) fn generic_name(names: &[String], index: usize) -> Option<TokenStream> {
    names.get(index)?.parse().ok()
}

pub(crate) fn extent_tokens(extent: &Extent, types: &Types) -> Option<TokenStream> {
    let binary = |op: TokenStream, a: &Extent, b: &Extent| {
        let (a, b) = (extent_tokens(a, types)?, extent_tokens(b, types)?);
        Some(quote!((#a #op #b)))
    };
    match extent {
        Extent::Const(value) => {
            let value = Literal::u64_unsuffixed(*value);
            Some(quote!(#value))
        }
        Extent::Generic(id) => generic_name(&types.generics, warpwise_compiler::id::Id::index(*id)),
        Extent::SizeOf(_) => None,
        Extent::Add(a, b) => binary(quote!(+), a, b),
        Extent::Sub(a, b) => binary(quote!(-), a, b),
        Extent::Mul(a, b) => binary(quote!(*), a, b),
        Extent::Div(a, b) => binary(quote!(/), a, b),
        Extent::Max(a, b) => {
            let (a, b) = (extent_tokens(a, types)?, extent_tokens(b, types)?);
            Some(quote!({ if #a > #b { #a } else { #b } }))
        }
    }
}
