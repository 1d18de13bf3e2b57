//! Memory layout of `#[device]` structs and enums: `repr(C)`,
//! [`Stored`](../warpwise/trait.Stored.html) for values in buffers, and
//! [`Plain`](../warpwise/trait.Plain.html) for kernel parameters by value.
//!
//! ```text
//! #[repr(C)]                               // if there is none
//! struct Particle { position: [f32; 3], alive: bool }
//! impl ::warpwise::Stored for Particle where for<'any> [f32; 3]: Stored, .. { .. }
//! impl ::warpwise::Plain for Particle where for<'any> Self: Copy, .. { .. }
//! ```
//! A macro cannot find out if a field's type implements the traits. So each `impl` has a bound per
//! field, with a lifetime so that rustc accepts it even if it does not hold: a struct with other
//! fields is device code all the same, and one with atomics, which is not `Copy`, is stored but not
//! plain. A type with lifetimes, or aligned to more bytes than buffers are, implements neither
//! trait, and is never in a buffer.
//!
//! A value is stored and loaded field by field, at the offsets of `repr(C)`, which kernels use,
//! too. While the user's crate is compiled, the offsets of a struct's fields, and the size and
//! alignment of structs and enums, are compared with rustc's. Types that contain tuples or options
//! are exempt, since their layout in Rust is unspecified; so are offsets in enums with data, which
//! rustc does not reveal.
use crate::{infer::lifetimes, output::attributes};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{
    Attribute, Error, Expr, Fields, GenericParam, Generics, Item, ItemEnum, ItemStruct, LitInt,
    Member, Token, Type, Variant, parse::ParseStream,
};
use warpwise_compiler::ir::Element;

/// Returns the `#[repr(C)]` that `item` lacks, or an error if its own `repr` is not supported.
pub(crate) fn missing_repr(item: &Item) -> syn::Result<Option<TokenStream>> {
    let repr = match item {
        Item::Struct(item) => Repr::parse(&item.attrs)?,
        Item::Enum(item) => Repr::parse(&item.attrs)?,
        _ => return Ok(None),
    };
    let has_layout = match item {
        Item::Enum(item) if is_c_like(item) => repr.c || repr.tag.is_some(),
        _ => repr.c || repr.transparent,
    };
    let is_empty = matches!(item, Item::Enum(item) if item.variants.is_empty());
    Ok((!has_layout && !is_empty).then(|| quote!(#[repr(C)])))
}

/// The content of `#[repr(..)]`.
#[derive(Default)]
struct Repr {
    c: bool,
    transparent: bool,
    /// The type of an enum's discriminant.
    tag: Option<Ident>,
    /// The argument of `align`.
    align: Option<LitInt>,
}

impl Repr {
    fn parse(attributes: &[Attribute]) -> syn::Result<Self> {
        let mut repr = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("repr")) {
            attribute.parse_nested_meta(|meta| {
                let name = meta.path.require_ident()?;
                match name.to_string().as_str() {
                    "C" => repr.c = true,
                    "transparent" => repr.transparent = true,
                    "align" => repr.align = Some(parse_alignment(meta.input)?),
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

/// Parses the `(16)` of `align(16)`.
fn parse_alignment(input: ParseStream<'_>) -> syn::Result<LitInt> {
    let content;
    syn::parenthesized!(content in input);
    let align: LitInt = content.parse()?;
    content.parse::<Option<Token![,]>>()?;
    match align.base10_parse::<u64>() {
        Ok(bytes) if bytes > Element::MAX_SHARED_ALIGN => {
            let most = Element::MAX_SHARED_ALIGN;
            let text = format!("shared memory is aligned to {most} bytes, and no more");
            Err(Error::new(align.span(), text))
        }
        _ => Ok(align),
    }
}

fn is_c_like(item: &ItemEnum) -> bool {
    item.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit))
}

/// Returns the implementations of `Stored` and `Plain` for a struct or an enum.
pub(crate) fn implement_layout(item: &Item) -> TokenStream {
    match item {
        Item::Struct(item) => implement_struct(item),
        Item::Enum(item) if item.variants.is_empty() => TokenStream::new(),
        Item::Enum(item) if is_c_like(item) => implement_c_like_enum(item),
        Item::Enum(item) => implement_enum(item),
        _ => TokenStream::new(),
    }
}

/// A type declaration.
struct TypeDeclaration<'a> {
    name: &'a Ident,
    generics: &'a Generics,
    attributes: &'a [Attribute],
    /// The types of its fields.
    fields: Vec<&'a Type>,
}

impl TypeDeclaration<'_> {
    /// Implements `Stored` and `Plain` with these bodies; nothing if the type has lifetimes, or if
    /// one is missing.
    fn implement(&self, stored: &TokenStream, plain: &TokenStream) -> TokenStream {
        let has_lifetimes =
            self.generics.params.iter().any(|param| matches!(param, GenericParam::Lifetime(_)));
        let lacks_lifetime = self.fields.iter().any(|field| lifetimes::lacks_lifetime(field));
        if has_lifetimes || lacks_lifetime || exceeds_buffers(self.attributes) {
            return TokenStream::new();
        }
        let copied = quote!(for<'any> Self: ::core::marker::Copy,);
        let stored = quote!(
            type Value = Self;
            #stored
        );
        let stored = self.implement_trait(&quote!(Stored), None, &stored);
        let plain = self.implement_trait(&quote!(Plain), Some(copied), plain);
        quote!(#stored #plain)
    }

    /// Implements one trait, if every field does, bounded by `of_itself`.
    fn implement_trait(
        &self,
        implemented: &TokenStream,
        of_itself: Option<TokenStream>,
        body: &TokenStream,
    ) -> TokenStream {
        let Self { name, generics, attributes, fields } = self;
        let (impl_generics, type_generics, where_clause) = generics.split_for_impl();
        let own = generics.type_params().map(|param| &param.ident);
        let predicates = where_clause.map(|clause| clause.predicates.iter());
        let predicates = predicates.into_iter().flatten();
        let cfgs = attributes::cfg_attributes(attributes);
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
                #(for<'any> #fields: ::warpwise::#implemented,)*
            {
                #body
            }
        )
    }
}

fn field_types(fields: &Fields) -> Vec<&Type> {
    fields.iter().map(|field| &field.ty).collect()
}

fn field_members(fields: &Fields) -> Vec<Member> {
    fields.members().collect()
}

fn implement_struct(item: &ItemStruct) -> TokenStream {
    let (members, types, layouts) =
        (field_members(&item.fields), field_types(&item.fields), field_layouts(&item.fields));
    let (indices, align) = (field_indices(&item.fields), requested_alignment(&item.attrs));
    let plain = passing_functions(
        &quote!(#(::warpwise::Plain::scalars(&self.#members, pass);)*),
        &quote!(#(<#types as ::warpwise::Plain>::zeros(pass);)*),
    );
    let offsets = quote!(const { ::warpwise::__private::offsets(&#layouts) });
    let stored = quote!(
        const ZEROED: bool = true #(&& <#types as ::warpwise::Stored>::ZEROED)*;
        const ATOMIC: bool = false #(|| <#types as ::warpwise::Stored>::ATOMIC)*;
        const LAYOUT: ::warpwise::__private::Layout = {
            let fields = #layouts;
            let found = [#(::core::mem::offset_of!(Self, #members)),*];
            ::warpwise::__private::Layout::structure(&fields, #align)
                .compared::<Self>()
                .with_fields(&fields, &found)
        };
        fn store(&self, bytes: &mut [u8]) {
            let offsets = #offsets;
            #(::warpwise::Stored::store(&self.#members, &mut bytes[offsets[#indices]..]);)*
        }
        fn load(bytes: &[u8]) -> Self {
            let offsets = #offsets;
            Self { #(#members: ::warpwise::Stored::load(&bytes[offsets[#indices]..]),)* }
        }
    );
    let (name, generics, attributes) = (&item.ident, &item.generics, &item.attrs);
    TypeDeclaration { name, generics, attributes, fields: types }.implement(&stored, &plain)
}

/// Returns the functions of `Plain`: one passes the scalars of a value, the other the same number
/// of zeros.
fn passing_functions(numbers: &TokenStream, zeros: &TokenStream) -> TokenStream {
    let pass = quote!(&mut dyn ::core::ops::FnMut(::warpwise::__private::Scalar, u64));
    quote!(
        fn scalars(&self, pass: #pass) {
            #numbers
        }
        fn zeros(pass: #pass) {
            #zeros
        }
    )
}

/// Returns the discriminant type, as lowering computes it.
fn discriminant_type(item: &ItemEnum) -> TokenStream {
    let repr = Repr::parse(&item.attrs).unwrap_or_default();
    match repr.tag {
        Some(tag) => quote!(#tag),
        None => quote!(i32),
    }
}

/// Returns the argument of `repr(align(..))`, or 1.
fn requested_alignment(attributes: &[Attribute]) -> TokenStream {
    let repr = Repr::parse(attributes).unwrap_or_default();
    repr.align.map_or_else(|| quote!(1), |align| quote!(#align))
}

/// Returns the layout of an enum; `variants` are the layouts of the fields of each variant.
fn enum_layout(item: &ItemEnum, tag: &TokenStream, variants: &[TokenStream]) -> TokenStream {
    let align = requested_alignment(&item.attrs);
    quote!(
        const LAYOUT: ::warpwise::__private::Layout = {
            let tag = <#tag as ::warpwise::Stored>::LAYOUT;
            ::warpwise::__private::Layout::enumeration(tag, &[#(&#variants),*], #align)
                .compared::<Self>()
        };
    )
}

/// True if a type is aligned to more bytes than buffers are.
fn exceeds_buffers(attributes: &[Attribute]) -> bool {
    let align = Repr::parse(attributes).unwrap_or_default().align;
    align.and_then(|align| align.base10_parse().ok()).unwrap_or(1) > Element::MAX_ALIGN
}

fn implement_c_like_enum(item: &ItemEnum) -> TokenStream {
    let tag = discriminant_type(item);
    let names: Vec<&Ident> = item.variants.iter().map(|variant| &variant.ident).collect();
    let (first, others) = (names[0], &names[1..]);
    let plain = passing_functions(
        &quote!(::warpwise::Plain::scalars(&(*self as #tag), pass);),
        &quote!(<#tag as ::warpwise::Plain>::zeros(pass);),
    );
    let layout = enum_layout(item, &tag, &[]);
    let stored = quote!(
        const ZEROED: bool = false #(|| Self::#names as #tag == 0)*;
        const ATOMIC: bool = false;
        #layout
        fn store(&self, bytes: &mut [u8]) {
            let tag = match self { #(Self::#names => Self::#names as #tag,)* };
            ::warpwise::Stored::store(&tag, bytes);
        }
        fn load(bytes: &[u8]) -> Self {
            let tag: #tag = ::warpwise::Stored::load(bytes);
            #(if tag == Self::#others as #tag {
                return Self::#others;
            })*
            Self::#first // also of what threads that race have left
        }
    );
    let (name, generics, attributes) = (&item.ident, &item.generics, &item.attrs);
    TypeDeclaration { name, generics, attributes, fields: Vec::new() }.implement(&stored, &plain)
}

fn implement_enum(item: &ItemEnum) -> TokenStream {
    let tag = discriminant_type(item);
    let fields: Vec<&Type> =
        item.variants.iter().flat_map(|variant| field_types(&variant.fields)).collect();
    let all: Vec<TokenStream> =
        item.variants.iter().map(|variant| field_layouts(&variant.fields)).collect();
    let discriminants = discriminants(item);
    let variants: Vec<_> = item.variants.iter().zip(&discriminants).collect();
    let zeroed = variants.iter().map(|(variant, discriminant)| {
        let types = field_types(&variant.fields);
        quote!((#discriminant) as #tag == 0 #(&& <#types as ::warpwise::Stored>::ZEROED)*)
    });
    let stores =
        variants.iter().map(|(variant, discriminant)| store_arm(variant, discriminant, &tag));
    let loads = variants[1..].iter().map(|(variant, discriminant)| {
        let load = load_block(variant);
        quote!(if tag == (#discriminant) as #tag { #load })
    });
    // The first variant is the fallback, since racing threads may leave any discriminant.
    let last = load_block(variants[0].0);
    let payload = quote!(
        const {
            let tag = <#tag as ::warpwise::Stored>::LAYOUT;
            ::warpwise::__private::Layout::payload(tag, &[#(&#all),*])
        }
    );
    let plain = enum_passing(item, &discriminants, &tag);
    let layout = enum_layout(item, &tag, &all);
    let stored = quote!(
        const ZEROED: bool = false #(|| #zeroed)*;
        const ATOMIC: bool = false #(|| <#fields as ::warpwise::Stored>::ATOMIC)*;
        #layout
        fn store(&self, bytes: &mut [u8]) {
            let payload = #payload;
            match self { #(#stores)* }
        }
        fn load(bytes: &[u8]) -> Self {
            let payload = #payload;
            let tag: #tag = ::warpwise::Stored::load(bytes);
            #(#loads)*
            #last // also of what threads that race have left
        }
    );
    let (name, generics, attributes) = (&item.ident, &item.generics, &item.attrs);
    TypeDeclaration { name, generics, attributes, fields }.implement(&stored, &plain)
}

/// Passes an enum by value: its discriminant, and the scalars of every variant, with zeros for
/// inactive variants.
fn enum_passing(item: &ItemEnum, discriminants: &[TokenStream], tag: &TokenStream) -> TokenStream {
    let zeros = |variant: &Variant| {
        let types = field_types(&variant.fields);
        quote!(#(<#types as ::warpwise::Plain>::zeros(pass);)*)
    };
    let arms = item.variants.iter().zip(discriminants).map(|(variant, discriminant)| {
        let (name, members, values) =
            (&variant.ident, field_members(&variant.fields), value_names(&variant.fields));
        let parts = item.variants.iter().map(|other| {
            if other.ident == *name {
                quote!(#(::warpwise::Plain::scalars(#values, pass);)*)
            } else {
                zeros(other)
            }
        });
        quote!(
            Self::#name { #(#members: #values),* } => {
                ::warpwise::Plain::scalars(&((#discriminant) as #tag), pass);
                #(#parts)*
            }
        )
    });
    let all = item.variants.iter().map(zeros);
    passing_functions(
        &quote!(match self { #(#arms)* }),
        &quote!(<#tag as ::warpwise::Plain>::zeros(pass); #(#all)*),
    )
}

/// Returns the layouts of `fields`.
fn field_layouts(fields: &Fields) -> TokenStream {
    let types = field_types(fields);
    quote!([#(<#types as ::warpwise::Stored>::LAYOUT),*])
}

/// Returns the indices of `fields`.
fn field_indices(fields: &Fields) -> Vec<Literal> {
    (0..fields.len()).map(Literal::usize_unsuffixed).collect()
}

/// Returns variable names for the values of `fields`.
fn value_names(fields: &Fields) -> Vec<Ident> {
    (0..fields.len()).map(|index| format_ident!("value{index}")).collect()
}

/// Returns the discriminant of each variant: as written, or one more than the previous one.
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

fn store_arm(variant: &Variant, discriminant: &TokenStream, tag: &TokenStream) -> TokenStream {
    let fields = &variant.fields;
    let (name, members, layouts) = (&variant.ident, field_members(fields), field_layouts(fields));
    let (values, indices) = (value_names(fields), field_indices(fields));
    quote!(
        Self::#name { #(#members: #values),* } => {
            ::warpwise::Stored::store(&((#discriminant) as #tag), bytes);
            let offsets = const { ::warpwise::__private::offsets(&#layouts) };
            #(::warpwise::Stored::store(#values, &mut bytes[payload + offsets[#indices]..]);)*
        }
    )
}

fn load_block(variant: &Variant) -> TokenStream {
    let fields = &variant.fields;
    let (name, members, layouts, indices) =
        (&variant.ident, field_members(fields), field_layouts(fields), field_indices(fields));
    quote!({
        let offsets = const { ::warpwise::__private::offsets(&#layouts) };
        return Self::#name {
            #(#members: ::warpwise::Stored::load(&bytes[payload + offsets[#indices]..]),)*
        };
    })
}
