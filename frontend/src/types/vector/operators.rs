//! Operators on vectors: lane by lane, with a number on either side used for all lanes, and
//! conversions from and to arrays.
use crate::types::vector::Vector;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// Arithmetic operators.
const ARITHMETIC: [(&str, &str); 5] =
    [("Add", "+"), ("Sub", "-"), ("Mul", "*"), ("Div", "/"), ("Rem", "%")];
/// Additional operators of integers.
const BITWISE: [(&str, &str); 3] = [("BitAnd", "&"), ("BitOr", "|"), ("BitXor", "^")];
/// Shifts, by a `u32`.
const SHIFTS: [(&str, &str); 2] = [("Shl", "<<"), ("Shr", ">>")];

type Operators = &'static [(&'static str, &'static str)];

/// Returns the operators of `vector` with another vector or a number, those with a `u32`, and the
/// unary ones.
fn supported_operators(
    vector: Vector,
) -> (impl Iterator<Item = (&'static str, &'static str)>, Operators, Operators) {
    let is_int = vector.lane.is_int();
    let bitwise: Operators = if is_int { &BITWISE } else { &[] };
    let shifts: Operators = if is_int { &SHIFTS } else { &[] };
    let unary: Operators =
        match (is_int, vector.lane.is_float() || vector.lane.scalar().is_signed()) {
            (true, true) => &[("Neg", "-"), ("Not", "!")],
            (true, false) => &[("Not", "!")],
            (false, _) => &[("Neg", "-")],
        };
    (ARITHMETIC.iter().chain(bitwise).copied(), shifts, unary)
}

/// Returns all operator `impl`s of `vector`.
pub(crate) fn operator_impls(vector: Vector) -> TokenStream {
    let (numbers, shifts, unary) = supported_operators(vector);
    let binary = numbers.map(|(of_trait, op)| binary_impl(vector, of_trait, op));
    let shifts = shifts.iter().map(|(of_trait, op)| {
        let u32 = quote!(u32);
        number_impl(vector, of_trait, op, &u32)
    });
    let unary = unary.iter().map(|(of_trait, op)| self::unary_impl(vector, of_trait, op));
    let from = array_conversions(vector);
    quote!(#(#binary)* #(#shifts)* #(#unary)* #from)
}

/// Returns the same operators on references, as numbers have them. They are for the host; kernels
/// dereference operands.
pub(crate) fn reference_impls(vector: Vector) -> TokenStream {
    let (name, scalar) = (vector.name().into_token_stream(), vector.scalar().into_token_stream());
    let (numbers, shifts, unary) = supported_operators(vector);
    let binary = numbers.map(|(of_trait, op)| {
        let of_pairs = [(&name, &name), (&name, &scalar), (&scalar, &name)];
        let of_pairs = of_pairs.map(|(lhs, rhs)| binary_by_reference(of_trait, op, lhs, rhs));
        let assigned = [&name, &scalar].map(|rhs| assigned_by_reference(of_trait, op, &name, rhs));
        quote!(#(#of_pairs)* #(#assigned)*)
    });
    let shifts = shifts.iter().map(|(of_trait, op)| {
        let u32 = quote!(u32);
        let shift = binary_by_reference(of_trait, op, &name, &u32);
        let assigned = assigned_by_reference(of_trait, op, &name, &u32);
        quote!(#shift #assigned)
    });
    let unary = unary.iter().map(|(of_trait, op)| {
        let OperatorNames { op, of_trait, method, .. } = OperatorNames::new(of_trait, op);
        quote! {
            impl ::core::ops::#of_trait for &#name {
                type Output = #name;
                #[inline]
                fn #method(self) -> #name { #op *self }
            }
        }
    });
    quote!(#(#binary)* #(#shifts)* #(#unary)*)
}

/// Returns an operator on operands of these types with references, at least one of which is a
/// vector.
fn binary_by_reference(
    of_trait: &str,
    op: &str,
    lhs: &TokenStream,
    rhs: &TokenStream,
) -> TokenStream {
    let OperatorNames { op, of_trait, method, .. } = OperatorNames::new(of_trait, op);
    let sides = [
        (quote!(&#lhs), rhs.clone(), quote!(*self #op other)),
        (lhs.clone(), quote!(&#rhs), quote!(self #op *other)),
        (quote!(&#lhs), quote!(&#rhs), quote!(*self #op *other)),
    ];
    let impls = sides.into_iter().map(|(left, right, value)| {
        quote! {
            impl ::core::ops::#of_trait<#right> for #left {
                type Output = <#lhs as ::core::ops::#of_trait<#rhs>>::Output;
                #[inline]
                fn #method(self, other: #right) -> Self::Output { #value }
            }
        }
    });
    impls.collect()
}

/// Returns `vector += &value` and the like.
fn assigned_by_reference(
    of_trait: &str,
    op: &str,
    name: &TokenStream,
    rhs: &TokenStream,
) -> TokenStream {
    let OperatorNames { assign_op, assign, assign_method, .. } = OperatorNames::new(of_trait, op);
    quote! {
        impl ::core::ops::#assign<&#rhs> for #name {
            #[inline]
            fn #assign_method(&mut self, other: &#rhs) { *self #assign_op *other; }
        }
    }
}

/// Returns an operator on two vectors, a vector and a number, and a number and a vector.
fn binary_impl(vector: Vector, of_trait: &str, op: &str) -> TokenStream {
    let (name, scalar, fields) = (vector.name(), vector.scalar(), vector.fields());
    let OperatorNames { op, assign_op, of_trait: named, assign, method, assign_method } =
        OperatorNames::new(of_trait, op);
    let lanes = vector.map_lanes(|lane| quote!(self.#lane #op other.#lane));
    let reversed = vector.map_lanes(|lane| quote!(self #op other.#lane));
    let by_number = self::number_impl(vector, of_trait, &op.to_string(), &quote!(#scalar));
    quote! {
        impl ::core::ops::#named for #name {
            type Output = #name;
            #[inline]
            fn #method(self, other: #name) -> #name { #lanes }
        }
        impl ::core::ops::#named<#name> for #scalar {
            type Output = #name;
            #[inline]
            fn #method(self, other: #name) -> #name { #reversed }
        }
        impl ::core::ops::#assign for #name {
            #[inline]
            fn #assign_method(&mut self, other: #name) { #(self.#fields #assign_op other.#fields;)* }
        }
        #by_number
    }
}

/// Returns an operator on a vector and a number.
fn number_impl(vector: Vector, of_trait: &str, op: &str, number: &TokenStream) -> TokenStream {
    let (name, fields) = (vector.name(), vector.fields());
    let OperatorNames { op, assign_op, of_trait, assign, method, assign_method } =
        OperatorNames::new(of_trait, op);
    let lanes = vector.map_lanes(|lane| quote!(self.#lane #op other));
    quote! {
        impl ::core::ops::#of_trait<#number> for #name {
            type Output = #name;
            #[inline]
            fn #method(self, other: #number) -> #name { #lanes }
        }
        impl ::core::ops::#assign<#number> for #name {
            #[inline]
            fn #assign_method(&mut self, other: #number) { #(self.#fields #assign_op other;)* }
        }
    }
}

/// The names of an operator's trait, methods and tokens.
struct OperatorNames {
    op: TokenStream,
    assign_op: TokenStream,
    of_trait: proc_macro2::Ident,
    assign: proc_macro2::Ident,
    method: proc_macro2::Ident,
    assign_method: proc_macro2::Ident,
}

impl OperatorNames {
    fn new(of_trait: &str, op: &str) -> Self {
        let tokens = |text: String| text.parse().expect("operators are tokens");
        let method = of_trait.to_lowercase();
        Self {
            op: tokens(op.into()),
            assign_op: tokens(format!("{op}=")),
            of_trait: format_ident!("{of_trait}"),
            assign: format_ident!("{of_trait}Assign"),
            assign_method: format_ident!("{method}_assign"),
            method: format_ident!("{method}"),
        }
    }
}

fn unary_impl(vector: Vector, of_trait: &str, op: &str) -> TokenStream {
    let name = vector.name();
    let OperatorNames { op, of_trait, method, .. } = OperatorNames::new(of_trait, op);
    let lanes = vector.map_lanes(|lane| quote!(#op self.#lane));
    quote! {
        impl ::core::ops::#of_trait for #name {
            type Output = #name;
            #[inline]
            fn #method(self) -> #name { #lanes }
        }
    }
}

/// Returns the conversions from and to arrays.
fn array_conversions(vector: Vector) -> TokenStream {
    let (name, scalar, lanes) = (vector.name(), vector.scalar(), vector.lanes);
    let fields = vector.fields();
    let indices = (0..lanes).map(Literal::usize_unsuffixed);
    quote! {
        impl ::core::convert::From<[#scalar; #lanes]> for #name {
            #[inline]
            fn from(lanes: [#scalar; #lanes]) -> #name {
                #name { #(#fields: lanes[#indices]),* }
            }
        }
        impl ::core::convert::From<#name> for [#scalar; #lanes] {
            #[inline]
            fn from(vector: #name) -> [#scalar; #lanes] { [#(vector.#fields),*] }
        }
    }
}

/// Returns the sums of products, and the conversion of numbers to vectors for them. Only kernels
/// have them, in place of the separate operators.
pub(crate) fn contraction_impl(vector: Vector) -> TokenStream {
    if !vector.lane.is_float() || vector.lane.is_half() {
        return TokenStream::new();
    }
    let (name, scalar, fields) = (vector.name(), vector.scalar(), vector.fields());
    let sum = |name: &str, params: TokenStream, lane: &dyn Fn(&Ident) -> TokenStream| {
        let (method, lanes) = (format_ident!("{name}"), vector.map_lanes(lane));
        quote!(fn #method(#params) -> Self { #lanes })
    };
    let left = || quote!(a: Self, b: Self, c: Self);
    let right = || quote!(c: Self, a: Self, b: Self);
    let sums = [
        sum("product_plus", left(), &|lane| quote!(a.#lane * b.#lane + c.#lane)),
        sum("product_minus", left(), &|lane| quote!(a.#lane * b.#lane - c.#lane)),
        sum("negated_plus", left(), &|lane| quote!(-(a.#lane * b.#lane) + c.#lane)),
        sum("negated_minus", left(), &|lane| quote!(-(a.#lane * b.#lane) - c.#lane)),
        sum("plus_product", right(), &|lane| quote!(c.#lane + a.#lane * b.#lane)),
        sum("minus_product", right(), &|lane| quote!(c.#lane - a.#lane * b.#lane)),
        sum("plus_negated", right(), &|lane| quote!(c.#lane + -(a.#lane * b.#lane))),
        sum("minus_negated", right(), &|lane| quote!(c.#lane - -(a.#lane * b.#lane))),
    ];
    let splat = vector.map_lanes(|_| quote!(value));
    quote! {
        impl #name {
            fn splatted(value: #scalar) -> Self { #splat }
            #(#sums)*
            fn add_product(&mut self, a: Self, b: Self) { #(self.#fields += a.#fields * b.#fields;)* }
            fn sub_product(&mut self, a: Self, b: Self) { #(self.#fields -= a.#fields * b.#fields;)* }
            fn add_negated(&mut self, a: Self, b: Self) { #(self.#fields += -(a.#fields * b.#fields);)* }
            fn sub_negated(&mut self, a: Self, b: Self) { #(self.#fields -= -(a.#fields * b.#fields);)* }
        }
    }
}

/// Returns the `impl`s of the host: what kernels have built in, such as indexing, or do not need.
pub(crate) fn host_impls(vector: Vector) -> TokenStream {
    let (name, scalar, lanes) = (vector.name(), vector.scalar(), vector.lanes);
    let fields = vector.fields();
    let indices: Vec<_> = (0..lanes).map(Literal::usize_unsuffixed).collect();
    let text = format!("index out of bounds: the len is {lanes} but the index is {{index}}");
    quote! {
        impl sealed::Sealed for #name {}
        impl Vector for #name {
            type Lane = #scalar;
            const LANES: usize = #lanes;
        }
        impl ::core::ops::Index<usize> for #name {
            type Output = #scalar;
            #[inline]
            #[track_caller]
            fn index(&self, index: usize) -> &#scalar {
                match index {
                    #(#indices => &self.#fields,)*
                    _ => panic!(#text),
                }
            }
        }
        impl ::core::ops::IndexMut<usize> for #name {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, index: usize) -> &mut #scalar {
                match index {
                    #(#indices => &mut self.#fields,)*
                    _ => panic!(#text),
                }
            }
        }
    }
}
