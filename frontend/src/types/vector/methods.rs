//! Constants, methods and swizzles of vectors.
use crate::types::vector::{
    Identifiers, LANE_NAMES, LANE_TYPES, Vector, examples::example_paragraph,
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// A constant or function of a vector, with its name.
struct Member {
    name: String,
    doc: String,
    tokens: TokenStream,
}

/// Returns the `impl` with all members except swizzles, with their documentation.
pub(crate) fn member_impl(vector: Vector) -> TokenStream {
    let documented = all_members(vector).into_iter().map(|Member { name, doc, tokens }| {
        let (doc, example) = (format!(" {doc}"), example_paragraph(vector, &name));
        quote!(#[doc = #doc] #[doc = #example] #tokens)
    });
    make_impl(vector, documented)
}

/// Returns the `impl` with all swizzles.
pub(crate) fn swizzle_impl(vector: Vector) -> TokenStream {
    let lanes = &LANE_NAMES[..vector.lanes];
    let mut words: Vec<String> = vec![String::new()];
    let mut all = Vec::new();
    for _ in 0..LANE_NAMES.len() {
        let longer =
            words.iter().flat_map(|word| lanes.iter().map(move |lane| format!("{word}{lane}")));
        words = longer.collect();
        all.extend(
            words.iter().filter(|word| word.len() > 1).map(|word| make_swizzle(vector, word)),
        );
    }
    let block = make_impl(vector, all);
    quote!(#[doc = " Swizzles: vectors of some of the lanes, in some order."] #block)
}

/// Returns the `impl` with the members and swizzles among `words`.
pub(crate) fn selected_impl(vector: Vector, words: &Identifiers) -> TokenStream {
    let members = all_members(vector).into_iter().filter(|member| words.contain(&member.name));
    let is_own =
        |word: &&str| word.chars().all(|lane| LANE_NAMES[..vector.lanes].concat().contains(lane));
    let swizzles = words.swizzles().filter(is_own).map(|word| make_swizzle(vector, word));
    make_impl(vector, members.map(|member| member.tokens).chain(swizzles))
}

fn make_impl(vector: Vector, members: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let (name, members) = (vector.name(), members.into_iter());
    quote!(impl #name { #(#members)* })
}

/// Returns the swizzle named `word`, one letter for each lane.
fn make_swizzle(vector: Vector, word: &str) -> TokenStream {
    let method = format_ident!("{word}");
    let result = Vector { lanes: word.len(), ..vector };
    let (name, fields) = (result.name(), result.fields());
    let lanes = word.chars().map(|lane| format_ident!("{lane}"));
    let doc = format!(
        " Lanes {}.",
        word.chars().map(|lane| format!("`{lane}`")).collect::<Vec<_>>().join(", ")
    );
    quote! {
        #[doc = #doc]
        #[inline]
        #[must_use]
        pub const fn #method(self) -> #name { #name { #(#fields: self.#lanes),* } }
    }
}

/// Returns all members except swizzles.
fn all_members(vector: Vector) -> Vec<Member> {
    let mut all = Members { vector, all: Vec::new() };
    all.add_common();
    all.add_comparisons();
    all.add_sums();
    all.add_conversions();
    if vector.lane.is_float() {
        all.add_float_methods();
    } else {
        all.add_integer_methods();
    }
    if vector.lane.is_float() || vector.lane.scalar().is_signed() {
        all.add_lane_by_lane("abs", "The absolute value of each lane.", &[]);
        all.add_lane_by_lane("signum", "The sign of each lane, as a number.", &[]);
    }
    all.all
}

/// The members collected so far.
struct Members {
    vector: Vector,
    all: Vec<Member>,
}

impl Members {
    fn add(&mut self, name: &str, doc: &str, tokens: TokenStream) {
        self.all.push(Member { name: name.into(), doc: doc.into(), tokens });
    }

    /// Adds a function without side effects.
    fn add_pure(&mut self, name: &str, doc: &str, tokens: TokenStream) {
        self.add(name, doc, quote!(#[inline] #[must_use] #tokens));
    }

    /// Adds the method of the same name on each lane.
    fn add_lane_by_lane(&mut self, name: &str, doc: &str, params: &[&str]) {
        let method = format_ident!("{name}");
        let params: Vec<Ident> = params.iter().map(|param| format_ident!("{param}")).collect();
        let lanes = self.vector.map_lanes(|lane| quote!(self.#lane.#method(#(#params.#lane),*)));
        self.add_pure(
            name,
            doc,
            quote!(pub fn #method(self #(, #params: Self)*) -> Self { #lanes }),
        );
    }

    /// Joins the lanes by an operator.
    fn fold_lanes(&self, op: &TokenStream, lane: impl Fn(&Ident) -> TokenStream) -> TokenStream {
        let mut folded = TokenStream::new();
        for (index, field) in self.vector.fields().iter().enumerate() {
            let (op, lane) = ((index > 0).then_some(op), lane(field));
            folded.extend(quote!(#op #lane));
        }
        folded
    }

    fn add_common(&mut self) {
        let vector = self.vector;
        let (scalar, fields, count) = (vector.scalar(), vector.fields(), vector.lanes);
        let [zero, one] = match (vector.lane.is_half(), vector.lane.is_float()) {
            (true, _) => [quote!(#scalar::ZERO), quote!(#scalar::ONE)],
            (false, true) => [quote!(0.0), quote!(1.0)],
            (false, false) => [quote!(0), quote!(1)],
        };
        let [zeros, ones] = [zero, one].map(|value| vector.map_lanes(|_| value.clone()));
        self.add("ZERO", "A vector whose lanes are all 0.", quote!(pub const ZERO: Self = #zeros;));
        self.add("ONE", "A vector whose lanes are all 1.", quote!(pub const ONE: Self = #ones;));
        let lanes = quote!(pub const LANES: usize = #count;);
        self.add("LANES", "The number of lanes.", lanes);
        let tokens =
            quote!(pub const fn new(#(#fields: #scalar),*) -> Self { Self { #(#fields),* } });
        self.add_pure("new", "A vector of these lanes.", tokens);
        let lanes = vector.map_lanes(|_| quote!(value));
        let tokens = quote!(pub const fn splat(value: #scalar) -> Self { #lanes });
        self.add_pure("splat", "A vector whose lanes are all `value`.", tokens);
        let indices = (0..count).map(Literal::usize_unsuffixed);
        let tokens = quote!(pub const fn from_array(lanes: [#scalar; #count]) -> Self {
            Self { #(#fields: lanes[#indices]),* }
        });
        self.add_pure("from_array", "The vector of the lanes in an array.", tokens);
        let tokens =
            quote!(pub const fn to_array(self) -> [#scalar; #count] { [#(self.#fields),*] });
        self.add_pure("to_array", "The lanes, as an array.", tokens);
        for field in &fields {
            let (name, method) = (format!("with_{field}"), format_ident!("with_{field}"));
            let doc = format!("The vector with another lane `{field}`.");
            let tokens = quote!(pub const fn #method(self, #field: #scalar) -> Self {
                Self { #field, ..self }
            });
            self.add_pure(&name, &doc, tokens);
        }
        let lanes = vector.map_lanes(|lane| quote!(f(self.#lane)));
        let tokens =
            quote!(pub fn map<F: FnMut(#scalar) -> #scalar>(self, mut f: F) -> Self { #lanes });
        self.add_pure(
            "map",
            "The results of `f` for each lane, from the first one to the last.",
            tokens,
        );
        self.add_lane_by_lane("min", "The smaller of each pair of lanes.", &["other"]);
        self.add_lane_by_lane("max", "The larger of each pair of lanes.", &["other"]);
        self.add_lane_by_lane(
            "clamp",
            "Each lane, kept between those of `min` and `max`.",
            &["min", "max"],
        );
    }

    fn add_comparisons(&mut self) {
        let (vector, count) = (self.vector, self.vector.lanes);
        for (name, op, doc) in [
            ("lanes_eq", quote!(==), "equal to"),
            ("lanes_ne", quote!(!=), "not equal to"),
            ("lanes_lt", quote!(<), "less than"),
            ("lanes_le", quote!(<=), "at most"),
            ("lanes_gt", quote!(>), "greater than"),
            ("lanes_ge", quote!(>=), "at least"),
        ] {
            let (method, fields) = (format_ident!("{name}"), vector.fields());
            let doc = format!("True for each lane that is {doc} that of `other`.");
            let tokens = quote!(pub fn #method(self, other: Self) -> [bool; #count] {
                [#(self.#fields #op other.#fields),*]
            });
            self.add_pure(name, &doc, tokens);
        }
        let fields = vector.fields();
        let indices = (0..count).map(Literal::usize_unsuffixed);
        let tokens = quote!(pub fn select(mask: [bool; #count], yes: Self, no: Self) -> Self {
            Self { #(#fields: if mask[#indices] { yes.#fields } else { no.#fields }),* }
        });
        self.add_pure(
            "select",
            "The lanes of `yes` where `mask` is true, and of `no` elsewhere.",
            tokens,
        );
    }

    fn add_sums(&mut self) {
        let scalar = self.vector.scalar();
        let tokens = self.fold_lanes(&quote!(+), |lane| quote!(self.#lane));
        self.add_pure(
            "sum",
            "The sum of the lanes, from left to right.",
            quote!(pub fn sum(self) -> #scalar { #tokens }),
        );
        let tokens = self.fold_lanes(&quote!(*), |lane| quote!(self.#lane));
        let tokens = quote!(pub fn product(self) -> #scalar { #tokens });
        self.add_pure("product", "The product of the lanes, from left to right.", tokens);
        let tokens = self.fold_lanes(&quote!(+), |lane| quote!(self.#lane * other.#lane));
        let tokens = quote!(pub fn dot(self, other: Self) -> #scalar { #tokens });
        self.add_pure("dot", "The sum of the products of the lanes, from left to right.", tokens);
        let fields = self.vector.fields();
        let (first, rest) = (&fields[0], &fields[1..]);
        let tokens =
            quote!(pub fn min_element(self) -> #scalar { self.#first #(.min(self.#rest))* });
        self.add_pure("min_element", "The smallest lane.", tokens);
        let tokens =
            quote!(pub fn max_element(self) -> #scalar { self.#first #(.max(self.#rest))* });
        self.add_pure("max_element", "The largest lane.", tokens);
        if self.vector.lanes == 3
            && (self.vector.lane.is_float() || self.vector.lane.scalar().is_signed())
        {
            let tokens = quote!(
                pub fn cross(self, other: Self) -> Self {
                    Self {
                        x: self.y * other.z - self.z * other.y,
                        y: self.z * other.x - self.x * other.z,
                        z: self.x * other.y - self.y * other.x,
                    }
                }
            );
            self.add_pure(
                "cross",
                "The vector product, which is perpendicular to both vectors.",
                tokens,
            );
        }
    }

    fn add_float_methods(&mut self) {
        self.add_lane_by_lane("floor", "Each lane to the integer below.", &[]);
        self.add_lane_by_lane("ceil", "Each lane to the integer above.", &[]);
        self.add_lane_by_lane("trunc", "Each lane to the integer toward zero.", &[]);
        self.add_lane_by_lane(
            "round_ties_even",
            "Each lane to the nearest integer, ties to even.",
            &[],
        );
        self.add_lane_by_lane("sqrt", "The square root of each lane.", &[]);
        self.add_lane_by_lane("copysign", "Each lane with the sign of that of `sign`.", &["sign"]);
        let doc = "`self * factor + addend` of each lane, rounded once.";
        self.add_lane_by_lane("mul_add", doc, &["factor", "addend"]);
        if !self.vector.lane.is_half() {
            self.add_lane_by_lane(
                "round",
                "Each lane to the nearest integer, ties away from zero.",
                &[],
            );
            self.add_lane_by_lane("fract", "Each lane without its integer part.", &[]);
            self.add_lane_by_lane("recip", "1 divided by each lane.", &[]);
        }
        self.add_geometry();
    }

    fn add_geometry(&mut self) {
        let (vector, scalar) = (self.vector, self.vector.scalar());
        let square = self.fold_lanes(&quote!(+), |lane| quote!(self.#lane * self.#lane));
        let tokens = quote!(pub fn length_squared(self) -> #scalar { #square });
        self.add_pure("length_squared", "The sum of the squares of the lanes.", tokens);
        let tokens = quote!(pub fn length(self) -> #scalar { (#square).sqrt() });
        self.add_pure("length", "The square root of the sum of the squares of the lanes.", tokens);
        let lanes = vector.map_lanes(|lane| quote!(self.#lane / length));
        let tokens = quote!(pub fn normalize(self) -> Self {
            let length = (#square).sqrt();
            #lanes
        });
        self.add_pure("normalize", "The vector divided by its length.", tokens);
        let difference = vector.map_lanes(|lane| quote!(self.#lane - other.#lane));
        let square = self.fold_lanes(&quote!(+), |lane| quote!(by.#lane * by.#lane));
        let tokens = quote!(pub fn distance(self, other: Self) -> #scalar {
            let by = #difference;
            (#square).sqrt()
        });
        self.add_pure("distance", "The length of the difference.", tokens);
        let lanes = vector.map_lanes(|lane| quote!(self.#lane + (other.#lane - self.#lane) * t));
        let tokens = quote!(pub fn lerp(self, other: Self, t: #scalar) -> Self { #lanes });
        self.add_pure("lerp", "`self + (other - self) * t`", tokens);
    }

    fn add_integer_methods(&mut self) {
        for (name, what) in [("add", "sum"), ("sub", "difference"), ("mul", "product")] {
            let doc = format!("The {what} of each pair of lanes, wrapping around.");
            self.add_lane_by_lane(&format!("wrapping_{name}"), &doc, &["other"]);
            let doc =
                format!("The {what} of each pair of lanes, saturating at the limits of the type.");
            self.add_lane_by_lane(&format!("saturating_{name}"), &doc, &["other"]);
        }
    }

    /// Adds `as_i32x4` and the like, which convert as `as` does.
    fn add_conversions(&mut self) {
        let from = self.vector;
        for (_, lane) in LANE_TYPES.into_iter().filter(|(_, lane)| *lane != from.lane) {
            let to = Vector { lane, ..from };
            let (name, scalar, fields) = (to.name(), to.scalar(), to.fields());
            let convert = |field: &Ident| match (from.lane.is_half(), lane.is_half()) {
                (false, false) => Some(quote!(self.#field as #scalar)),
                (true, false) if lane.is_float() => {
                    let method = format_ident!("to_{scalar}");
                    Some(quote!(self.#field.#method()))
                }
                (false, true) if from.lane == crate::types::vector::Prim::F32 => {
                    Some(quote!(#scalar::from_f32(self.#field)))
                }
                (true, true) => Some(quote!(#scalar::from_f32(self.#field.to_f32()))),
                (true, false) | (false, true) => None,
            };
            let values: Option<Vec<TokenStream>> = fields.iter().map(convert).collect();
            let Some(values) = values else { continue };
            let method = format!("as_{}", name.to_string().to_lowercase());
            let called = format_ident!("{method}");
            let doc = format!("Each lane as a `{scalar}`.");
            let tokens = quote!(pub fn #called(self) -> #name { #name { #(#fields: #values),* } });
            self.add_pure(&method, &doc, tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_has_an_example_or_names_one() {
        let mut shown = Vec::new();
        let mut named = Vec::new();
        for vector in LANE_TYPES.into_iter().flat_map(|(_, lane)| Vector::family(lane)) {
            for Member { name, .. } in all_members(vector) {
                let paragraph = example_paragraph(vector, &name);
                match paragraph.split_once("[`").and_then(|(_, rest)| rest.split_once("`]")) {
                    Some((place, _)) => named.push(place.to_string()),
                    None => {
                        assert!(paragraph.contains("```"), "{}::{name}", vector.name());
                        shown.push(format!("{}::{name}", vector.name()));
                    }
                }
            }
        }
        assert!(named.iter().all(|place| shown.contains(place)));
    }
}
