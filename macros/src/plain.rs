//! What `#[device]` adds to a struct or an enum: a layout that is the same everywhere, and
//! [`Plain`](../warpwise/trait.Plain.html), so that buffers hold it and kernels take it by value.
//!
//! ```text
//! #[repr(C)]                               // if there is none
//! struct Particle { position: [f32; 3], alive: bool }
//! impl ::warpwise::Plain for Particle where for<'__warpwise> Self: CopyIn<'__warpwise>, .. { .. }
//! ```
//! No macro can tell whether a field's type is plain. So the `impl` asks for it, in a form that
//! rustc takes for what may hold or not: a struct with other fields, or that is not `Copy`, is
//! device code all the same. What borrows is none of it, and never lies in a buffer.
//!
//! A value is stored and loaded field by field, at the offsets that rustc gives the fields of
//! structs. Those, and the struct's size and alignment, are compared with what `repr(C)` says, where
//! kernels have them from, while the user's crate is compiled. It tells no offsets in enums with
//! data; those are computed as `repr(C)` defines them, and the enum's size and alignment compared.
use crate::expand;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Error, Expr, Fields, GenericParam, Generics, Item, ItemEnum, ItemStruct, LitInt,
    Member, Token, Type, Variant, parse::ParseStream,
};
use warpwise_compiler::ir::Element;

/// The `#[repr(C)]` that `item` lacks; what is wrong with the one it has.
pub(crate) fn repr(item: &Item) -> syn::Result<Option<TokenStream>> {
    let repr = match item {
        Item::Struct(item) => Repr::of(&item.attrs)?,
        Item::Enum(item) => Repr::of(&item.attrs)?,
        _ => return Ok(None),
    };
    let has_layout = match item {
        Item::Enum(item) if is_c_like(item) => repr.c || repr.tag.is_some(),
        _ => repr.c || repr.transparent,
    };
    let is_empty = matches!(item, Item::Enum(item) if item.variants.is_empty());
    Ok((!has_layout && !is_empty).then(|| quote!(#[repr(C)])))
}

/// What `#[repr(..)]` says.
#[derive(Default)]
struct Repr {
    c: bool,
    transparent: bool,
    /// The type of an enum's discriminant.
    tag: Option<Ident>,
}

impl Repr {
    fn of(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut repr = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("repr")) {
            attribute.parse_nested_meta(|meta| {
                let name = meta.path.require_ident()?;
                match name.to_string().as_str() {
                    "C" => repr.c = true,
                    "transparent" => repr.transparent = true,
                    "align" => alignment(meta.input)?,
                    "packed" => {
                        let text = "kernel code cannot use packed structs: it reads and writes \
                                    fields at their alignment";
                        return Err(Error::new(name.span(), text));
                    }
                    _ => repr.tag = Some(name.clone()), // if it is none, rustc says so
                }
                Ok(())
            })?;
        }
        Ok(repr)
    }
}

/// The `(16)` of `align(16)`.
fn alignment(input: ParseStream<'_>) -> syn::Result<()> {
    let content;
    syn::parenthesized!(content in input);
    let align: LitInt = content.parse()?;
    content.parse::<Option<Token![,]>>()?;
    match align.base10_parse::<u64>() {
        Ok(bytes) if bytes > Element::MAX_ALIGN => {
            let text = format!("buffers are aligned to {} bytes, and no more", Element::MAX_ALIGN);
            Err(Error::new(align.span(), text))
        }
        _ => Ok(()),
    }
}

fn is_c_like(item: &ItemEnum) -> bool {
    item.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit))
}

/// The implementation of `Plain` for a struct or an enum.
pub(crate) fn implementation(item: &Item) -> TokenStream {
    match item {
        Item::Struct(item) => of_struct(item),
        Item::Enum(item) if item.variants.is_empty() => TokenStream::new(),
        Item::Enum(item) if is_c_like(item) => of_c_like(item),
        Item::Enum(item) => of_enum(item),
        _ => TokenStream::new(),
    }
}

/// The implementation for the type `name`, with fields of these types; nothing if it borrows.
fn plain(
    name: &Ident,
    generics: &Generics,
    attributes: &[Attribute],
    fields: &[&Type],
    body: &TokenStream,
) -> TokenStream {
    if generics.params.iter().any(|param| matches!(param, GenericParam::Lifetime(_))) {
        return TokenStream::new();
    }
    let mut generics = generics.clone();
    let own = generics.type_params().map(|param| param.ident.clone()).collect::<Vec<_>>();
    let clause = generics.make_where_clause();
    let private = quote!(::warpwise::__private);
    clause.predicates.push(syn::parse_quote!(
        for<'__warpwise> Self: #private::CopyIn<'__warpwise>
    ));
    for param in own {
        clause.predicates.push(syn::parse_quote!(#param: 'static));
    }
    for field in fields {
        clause.predicates.push(syn::parse_quote!(
            for<'__warpwise> #field: #private::PlainIn<'__warpwise>
        ));
    }
    let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
    let cfgs = expand::cfgs(attributes);
    quote!(
        #(#cfgs)*
        #[automatically_derived]
        #[allow(
            unused_variables,
            clippy::all,
            clippy::pedantic,
            clippy::restriction,
            clippy::nursery,
            reason = "generated"
        )]
        impl #impl_generics ::warpwise::Plain for #name #type_generics #where_clause { #body }
    )
}

fn types(fields: &Fields) -> Vec<&Type> {
    fields.iter().map(|field| &field.ty).collect()
}

fn members(fields: &Fields) -> Vec<Member> {
    fields.members().collect()
}

fn of_struct(item: &ItemStruct) -> TokenStream {
    let (members, types, layout) =
        (members(&item.fields), types(&item.fields), layout(&item.fields));
    let check = quote!(
        const {
            let found = [#(::core::mem::offset_of!(Self, #members)),*];
            ::warpwise::__private::structure::<Self>(&#layout, &found);
        }
    );
    let body = quote!(
        const ZEROED: bool = true #(&& <#types as ::warpwise::Plain>::ZEROED)*;
        fn scalars(
            &self,
            pass: &mut dyn ::core::ops::FnMut(::warpwise::__private::Scalar, u64),
        ) {
            #(::warpwise::Plain::scalars(&self.#members, pass);)*
        }
        fn store(&self, bytes: &mut [u8]) {
            #check
            #(::warpwise::Plain::store(
                &self.#members,
                &mut bytes[::core::mem::offset_of!(Self, #members)..],
            );)*
        }
        fn load(bytes: &[u8]) -> Self {
            #check
            Self {
                #(#members: ::warpwise::Plain::load(
                    &bytes[::core::mem::offset_of!(Self, #members)..],
                ),)*
            }
        }
    );
    plain(&item.ident, &item.generics, &item.attrs, &types, &body)
}

/// The type of the discriminant, which lowering takes it to have, too.
fn tag(item: &ItemEnum) -> TokenStream {
    let repr = Repr::of(&item.attrs).unwrap_or_default();
    match repr.tag {
        Some(tag) => quote!(#tag),
        None => quote!(i32),
    }
}

fn of_c_like(item: &ItemEnum) -> TokenStream {
    let tag = tag(item);
    let names: Vec<&Ident> = item.variants.iter().map(|variant| &variant.ident).collect();
    let (first, others) = (names[0], &names[1..]);
    let body = quote!(
        const ZEROED: bool = {
            ::warpwise::__private::payload::<Self, #tag>(&[]);
            false #(|| Self::#names as #tag == 0)*
        };
        fn scalars(
            &self,
            pass: &mut dyn ::core::ops::FnMut(::warpwise::__private::Scalar, u64),
        ) {
            ::warpwise::Plain::scalars(&(*self as #tag), pass);
        }
        fn store(&self, bytes: &mut [u8]) {
            ::warpwise::Plain::store(&(*self as #tag), bytes);
        }
        fn load(bytes: &[u8]) -> Self {
            let tag: #tag = ::warpwise::Plain::load(bytes);
            #(if tag == Self::#others as #tag {
                return Self::#others;
            })*
            Self::#first // memory holds nothing but what was stored
        }
    );
    plain(&item.ident, &item.generics, &item.attrs, &[], &body)
}

fn of_enum(item: &ItemEnum) -> TokenStream {
    let tag = tag(item);
    let fields: Vec<&Type> =
        item.variants.iter().flat_map(|variant| types(&variant.fields)).collect();
    let layouts = item.variants.iter().map(|variant| layout(&variant.fields));
    let discriminants = discriminants(item);
    let variants: Vec<_> = item.variants.iter().zip(&discriminants).collect();
    let zeroed = variants.iter().map(|(variant, discriminant)| {
        let types = types(&variant.fields);
        quote!((#discriminant) as #tag == 0 #(&& <#types as ::warpwise::Plain>::ZEROED)*)
    });
    let stores = variants.iter().map(|(variant, discriminant)| store(variant, discriminant, &tag));
    let loads = variants[1..].iter().map(|(variant, discriminant)| {
        let load = load(variant);
        quote!(if tag == (#discriminant) as #tag { #load })
    });
    let last = load(variants[0].0);
    let payload = quote!(
        const { ::warpwise::__private::payload::<Self, #tag>(&[#(&#layouts),*]) }
    );
    let body = quote!(
        const ZEROED: bool = false #(|| #zeroed)*;
        // No kernel takes such an enum by value.
        fn scalars(
            &self,
            _: &mut dyn ::core::ops::FnMut(::warpwise::__private::Scalar, u64),
        ) {}
        fn store(&self, bytes: &mut [u8]) {
            let payload = #payload;
            match self { #(#stores)* }
        }
        fn load(bytes: &[u8]) -> Self {
            let payload = #payload;
            let tag: #tag = ::warpwise::Plain::load(bytes);
            #(#loads)*
            #last // memory holds nothing but what was stored
        }
    );
    plain(&item.ident, &item.generics, &item.attrs, &fields, &body)
}

/// Size and alignment of each of `fields`.
fn layout(fields: &Fields) -> TokenStream {
    let types = types(fields);
    quote!([#(::warpwise::__private::field::<#types>()),*])
}

/// The discriminant of each variant, as written or one more than the one before.
fn discriminants(item: &ItemEnum) -> Vec<TokenStream> {
    let mut from: (Option<&Expr>, usize) = (None, 0);
    let variants = item.variants.iter();
    variants
        .map(|variant| {
            if let Some((_, written)) = &variant.discriminant {
                from = (Some(written), 0);
            }
            let (start, after) = from;
            from.1 += 1;
            let after = Literal::usize_unsuffixed(after);
            match start {
                Some(start) => quote!((#start) + #after),
                None => quote!(#after),
            }
        })
        .collect()
}

fn store(variant: &Variant, discriminant: &TokenStream, tag: &TokenStream) -> TokenStream {
    let (name, members, layout) =
        (&variant.ident, members(&variant.fields), layout(&variant.fields));
    let values: Vec<Ident> =
        (0..members.len()).map(|index| format_ident!("value{index}")).collect();
    let indices = (0..members.len()).map(Literal::usize_unsuffixed);
    quote!(
        Self::#name { #(#members: #values),* } => {
            ::warpwise::Plain::store(&((#discriminant) as #tag), bytes);
            let offsets = ::warpwise::__private::offsets(payload, &#layout);
            #(::warpwise::Plain::store(#values, &mut bytes[offsets[#indices]..]);)*
        }
    )
}

fn load(variant: &Variant) -> TokenStream {
    let (name, members, layout) =
        (&variant.ident, members(&variant.fields), layout(&variant.fields));
    let indices = (0..members.len()).map(Literal::usize_unsuffixed);
    quote!({
        let offsets = ::warpwise::__private::offsets(payload, &#layout);
        return Self::#name {
            #(#members: ::warpwise::Plain::load(&bytes[offsets[#indices]..]),)*
        };
    })
}
