//! What `#[device]` adds to a struct or an enum: a layout that is the same everywhere,
//! [`Stored`](../warpwise/trait.Stored.html), so that buffers hold it, and
//! [`Plain`](../warpwise/trait.Plain.html), so that kernels take it by value.
//!
//! ```text
//! #[repr(C)]                               // if there is none
//! struct Particle { position: [f32; 3], alive: bool }
//! impl ::warpwise::Stored for Particle where for<'__warpwise> [f32; 3]: StoredIn<'__warpwise>, .. { .. }
//! impl ::warpwise::Plain for Particle where for<'__warpwise> Self: CopyIn<'__warpwise>, .. { .. }
//! ```
//! No macro can tell whether a field's type is stored, or plain. So each `impl` asks for it, in a form
//! that rustc takes for what may hold or not: a struct with other fields is device code all the same,
//! and one with atomics, which is not `Copy`, is stored and not plain. What borrows is neither, and
//! never lies in a buffer.
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

/// The implementations of `Stored` and `Plain` for a struct or an enum.
pub(crate) fn implementation(item: &Item) -> TokenStream {
    match item {
        Item::Struct(item) => of_struct(item),
        Item::Enum(item) if item.variants.is_empty() => TokenStream::new(),
        Item::Enum(item) if is_c_like(item) => of_c_like(item),
        Item::Enum(item) => of_enum(item),
        _ => TokenStream::new(),
    }
}

/// A type that is declared.
struct Declared<'a> {
    name: &'a Ident,
    generics: &'a Generics,
    attributes: &'a [Attribute],
    /// Types of its fields.
    fields: Vec<&'a Type>,
}

impl Declared<'_> {
    /// How it is stored, and what it is passed by value as; nothing if it borrows.
    fn implement(&self, stored: &TokenStream, plain: &TokenStream) -> TokenStream {
        if self.generics.params.iter().any(|param| matches!(param, GenericParam::Lifetime(_))) {
            return TokenStream::new();
        }
        let private = quote!(::warpwise::__private);
        let copied = quote!(for<'__warpwise> Self: #private::CopyIn<'__warpwise>,);
        let stored = quote!(
            type Value = Self;
            #stored
        );
        let stored = self.one(&quote!(Stored), &quote!(#private::StoredIn), None, &stored);
        let plain = self.one(&quote!(Plain), &quote!(#private::PlainIn), Some(copied), plain);
        quote!(#stored #plain)
    }

    /// The implementation of a trait where every field has another, and `of_itself` holds.
    fn one(
        &self,
        implemented: &TokenStream,
        of_fields: &TokenStream,
        of_itself: Option<TokenStream>,
        body: &TokenStream,
    ) -> TokenStream {
        let Self { name, generics, attributes, fields } = self;
        let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
        let own = generics.type_params().map(|param| &param.ident);
        let predicates = where_clause.map(|clause| clause.predicates.iter());
        let predicates = predicates.into_iter().flatten();
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
            impl #impl_generics ::warpwise::#implemented for #name #type_generics
            where
                #(#predicates,)*
                #of_itself
                #(#own: 'static,)*
                #(for<'__warpwise> #fields: #of_fields<'__warpwise>,)*
            {
                #body
            }
        )
    }
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
    let plain = quote!(
        fn scalars(
            &self,
            pass: &mut dyn ::core::ops::FnMut(::warpwise::__private::Scalar, u64),
        ) {
            #(::warpwise::Plain::scalars(&self.#members, pass);)*
        }
    );
    let stored = quote!(
        const ZEROED: bool = true #(&& <#types as ::warpwise::Stored>::ZEROED)*;
        const ATOMIC: bool = false #(|| <#types as ::warpwise::Stored>::ATOMIC)*;
        fn store(&self, bytes: &mut [u8]) {
            #check
            #(::warpwise::Stored::store(
                &self.#members,
                &mut bytes[::core::mem::offset_of!(Self, #members)..],
            );)*
        }
        fn load(bytes: &[u8]) -> Self {
            #check
            Self {
                #(#members: ::warpwise::Stored::load(
                    &bytes[::core::mem::offset_of!(Self, #members)..],
                ),)*
            }
        }
    );
    let (name, generics, attributes) = (&item.ident, &item.generics, &item.attrs);
    Declared { name, generics, attributes, fields: types }.implement(&stored, &plain)
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
    let plain = quote!(
        fn scalars(
            &self,
            pass: &mut dyn ::core::ops::FnMut(::warpwise::__private::Scalar, u64),
        ) {
            ::warpwise::Plain::scalars(&(*self as #tag), pass);
        }
    );
    let stored = quote!(
        const ZEROED: bool = {
            ::warpwise::__private::payload::<Self, #tag>(&[]);
            false #(|| Self::#names as #tag == 0)*
        };
        const ATOMIC: bool = false;
        fn store(&self, bytes: &mut [u8]) {
            let tag = match self { #(Self::#names => Self::#names as #tag,)* };
            ::warpwise::Stored::store(&tag, bytes);
        }
        fn load(bytes: &[u8]) -> Self {
            let tag: #tag = ::warpwise::Stored::load(bytes);
            #(if tag == Self::#others as #tag {
                return Self::#others;
            })*
            Self::#first // memory holds nothing but what was stored
        }
    );
    let (name, generics, attributes) = (&item.ident, &item.generics, &item.attrs);
    Declared { name, generics, attributes, fields: Vec::new() }.implement(&stored, &plain)
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
        quote!((#discriminant) as #tag == 0 #(&& <#types as ::warpwise::Stored>::ZEROED)*)
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
    let plain = quote!(
        // No kernel takes such an enum by value.
        fn scalars(&self, _: &mut dyn ::core::ops::FnMut(::warpwise::__private::Scalar, u64)) {}
    );
    let stored = quote!(
        const ZEROED: bool = false #(|| #zeroed)*;
        const ATOMIC: bool = false #(|| <#fields as ::warpwise::Stored>::ATOMIC)*;
        fn store(&self, bytes: &mut [u8]) {
            let payload = #payload;
            match self { #(#stores)* }
        }
        fn load(bytes: &[u8]) -> Self {
            let payload = #payload;
            let tag: #tag = ::warpwise::Stored::load(bytes);
            #(#loads)*
            #last // memory holds nothing but what was stored
        }
    );
    let (name, generics, attributes) = (&item.ident, &item.generics, &item.attrs);
    Declared { name, generics, attributes, fields }.implement(&stored, &plain)
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
            ::warpwise::Stored::store(&((#discriminant) as #tag), bytes);
            let offsets = ::warpwise::__private::offsets(payload, &#layout);
            #(::warpwise::Stored::store(#values, &mut bytes[offsets[#indices]..]);)*
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
            #(#members: ::warpwise::Stored::load(&bytes[offsets[#indices]..]),)*
        };
    })
}
