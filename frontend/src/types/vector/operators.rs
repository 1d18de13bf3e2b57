//! Operators on vectors: lane by lane, with a number on either side used for all lanes, and
//! conversions from and to arrays.
use crate::types::{Prim, vector::Vector};
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

/// An `impl` with one function, made when it is needed: most kernels use few operators.
pub(crate) struct OperatorImpl {
    /// The function's name.
    pub(crate) method: String,
    tokens: Box<dyn Fn() -> TokenStream>,
}

impl OperatorImpl {
    fn new(method: impl Into<String>, tokens: impl Fn() -> TokenStream + 'static) -> Self {
        Self { method: method.into(), tokens: Box::new(tokens) }
    }

    /// Makes the `impl`.
    pub(crate) fn tokens(&self) -> TokenStream {
        (self.tokens)()
    }
}

/// Returns all operator `impl`s of `vector`.
pub(crate) fn operator_impls(vector: Vector) -> Vec<OperatorImpl> {
    let (numbers, shifts, unary) = supported_operators(vector);
    let mut impls = Vec::new();
    for (of_trait, op) in numbers {
        impls.extend(right_impls(vector, of_trait, op, None));
        impls.push(left_impl(vector, of_trait, op));
        impls.extend(right_impls(vector, of_trait, op, Some(vector.lane)));
    }
    for (of_trait, op) in shifts {
        impls.extend(right_impls(vector, of_trait, op, Some(Prim::U32)));
    }
    impls.extend(unary.iter().map(|(of_trait, op)| unary_impl(vector, of_trait, op)));
    impls.extend([
        OperatorImpl::new("from", move || conversion_from_array(vector)),
        OperatorImpl::new("from", move || conversion_to_array(vector)),
    ]);
    impls
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

/// Returns an operator on a vector and another one, or a number, and its assignment.
fn right_impls(
    vector: Vector,
    of_trait: &'static str,
    op: &'static str,
    number: Option<Prim>,
) -> [OperatorImpl; 2] {
    let rhs = move || number.map_or(vector.name(), |number| format_ident!("{}", number.name()));
    let other = move |lane: &Ident| match number {
        Some(_) => quote!(other),
        None => quote!(other.#lane),
    };
    let computed = move || {
        let OperatorNames { op, of_trait, method, .. } = OperatorNames::new(of_trait, op);
        let (name, rhs) = (vector.name(), rhs());
        let lanes = vector.map_lanes(|lane| {
            let other = other(lane);
            quote!(self.#lane #op #other)
        });
        quote! {
            impl ::core::ops::#of_trait<#rhs> for #name {
                type Output = #name;
                #[inline]
                fn #method(self, other: #rhs) -> #name { #lanes }
            }
        }
    };
    let assigned = move || {
        let OperatorNames { assign_op, assign, assign_method, .. } =
            OperatorNames::new(of_trait, op);
        let (name, rhs, fields) = (vector.name(), rhs(), vector.fields());
        let others = fields.iter().map(other);
        quote! {
            impl ::core::ops::#assign<#rhs> for #name {
                #[inline]
                fn #assign_method(&mut self, other: #rhs) {
                    #(self.#fields #assign_op #others;)*
                }
            }
        }
    };
    [
        OperatorImpl::new(method_name(of_trait), computed),
        OperatorImpl::new(assign_method_name(of_trait), assigned),
    ]
}

/// Returns an operator on a number and a vector.
fn left_impl(vector: Vector, of_trait: &'static str, op: &'static str) -> OperatorImpl {
    OperatorImpl::new(method_name(of_trait), move || {
        let OperatorNames { op, of_trait, method, .. } = OperatorNames::new(of_trait, op);
        let (name, scalar) = (vector.name(), vector.scalar());
        let lanes = vector.map_lanes(|lane| quote!(self #op other.#lane));
        quote! {
            impl ::core::ops::#of_trait<#name> for #scalar {
                type Output = #name;
                #[inline]
                fn #method(self, other: #name) -> #name { #lanes }
            }
        }
    })
}

/// Returns the name of an operator's function: `add` of `Add`.
fn method_name(of_trait: &str) -> String {
    of_trait.to_lowercase()
}

fn assign_method_name(of_trait: &str) -> String {
    format!("{}_assign", method_name(of_trait))
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
        Self {
            op: tokens(op.into()),
            assign_op: tokens(format!("{op}=")),
            of_trait: format_ident!("{of_trait}"),
            assign: format_ident!("{of_trait}Assign"),
            assign_method: format_ident!("{}", assign_method_name(of_trait)),
            method: format_ident!("{}", method_name(of_trait)),
        }
    }
}

fn unary_impl(vector: Vector, of_trait: &'static str, op: &'static str) -> OperatorImpl {
    OperatorImpl::new(method_name(of_trait), move || {
        let OperatorNames { op, of_trait, method, .. } = OperatorNames::new(of_trait, op);
        let (name, lanes) = (vector.name(), vector.map_lanes(|lane| quote!(#op self.#lane)));
        quote! {
            impl ::core::ops::#of_trait for #name {
                type Output = #name;
                #[inline]
                fn #method(self) -> #name { #lanes }
            }
        }
    })
}

fn conversion_from_array(vector: Vector) -> TokenStream {
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
    }
}

fn conversion_to_array(vector: Vector) -> TokenStream {
    let (name, scalar, lanes) = (vector.name(), vector.scalar(), vector.lanes);
    let fields = vector.fields();
    quote! {
        impl ::core::convert::From<#name> for [#scalar; #lanes] {
            #[inline]
            fn from(vector: #name) -> [#scalar; #lanes] { [#(vector.#fields),*] }
        }
    }
}

/// Returns the sums of products, and the conversion of numbers to vectors for them. Only kernels
/// have them, in place of the separate operators.
pub(crate) fn contraction_impls(vector: Vector) -> Vec<OperatorImpl> {
    if !vector.lane.is_float() || vector.lane.is_half() {
        return Vec::new();
    }
    type Lane = fn(&Ident) -> TokenStream;
    let sums: [(&str, [&str; 3], Lane); 8] = [
        ("product_plus", ["a", "b", "c"], |lane| quote!(a.#lane * b.#lane + c.#lane)),
        ("product_minus", ["a", "b", "c"], |lane| quote!(a.#lane * b.#lane - c.#lane)),
        ("negated_plus", ["a", "b", "c"], |lane| quote!(-(a.#lane * b.#lane) + c.#lane)),
        ("negated_minus", ["a", "b", "c"], |lane| quote!(-(a.#lane * b.#lane) - c.#lane)),
        ("plus_product", ["c", "a", "b"], |lane| quote!(c.#lane + a.#lane * b.#lane)),
        ("minus_product", ["c", "a", "b"], |lane| quote!(c.#lane - a.#lane * b.#lane)),
        ("plus_negated", ["c", "a", "b"], |lane| quote!(c.#lane + -(a.#lane * b.#lane))),
        ("minus_negated", ["c", "a", "b"], |lane| quote!(c.#lane - -(a.#lane * b.#lane))),
    ];
    let updates: [(&str, Lane); 4] = [
        ("add_product", |lane| quote!(self.#lane += a.#lane * b.#lane)),
        ("sub_product", |lane| quote!(self.#lane -= a.#lane * b.#lane)),
        ("add_negated", |lane| quote!(self.#lane += -(a.#lane * b.#lane))),
        ("sub_negated", |lane| quote!(self.#lane -= -(a.#lane * b.#lane))),
    ];
    let mut impls = vec![OperatorImpl::new("splatted", move || {
        let (name, scalar) = (vector.name(), vector.scalar());
        let splat = vector.map_lanes(|_| quote!(value));
        quote!(impl #name { fn splatted(value: #scalar) -> Self { #splat } })
    })];
    impls.extend(sums.map(|(method, params, lane)| {
        OperatorImpl::new(method, move || {
            let (name, method) = (vector.name(), format_ident!("{method}"));
            let params = params.map(|param| format_ident!("{param}"));
            let lanes = vector.map_lanes(lane);
            quote!(impl #name { fn #method(#(#params: Self),*) -> Self { #lanes } })
        })
    }));
    impls.extend(updates.map(|(method, lane)| {
        OperatorImpl::new(method, move || {
            let (name, method) = (vector.name(), format_ident!("{method}"));
            let lanes = vector.fields();
            let lanes = lanes.iter().map(lane);
            quote!(impl #name { fn #method(&mut self, a: Self, b: Self) { #(#lanes;)* } })
        })
    }));
    impls
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
