//! Constants, methods and swizzles of vectors.
use crate::types::{
    Prim,
    vector::{Identifiers, LANE_NAMES, LANE_TYPES, Vector, examples::example_paragraph},
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
    let documented = members(vector, None).into_iter().map(|Member { name, doc, tokens }| {
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
    let members = members(vector, Some(words)).into_iter();
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

/// Returns the members with names among `words`, or all, except swizzles.
fn members(vector: Vector, words: Option<&Identifiers>) -> Vec<Member> {
    let mut all = Members { vector, words, all: Vec::new() };
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
struct Members<'w> {
    vector: Vector,
    /// The names to collect; all, if there are none.
    words: Option<&'w Identifiers>,
    all: Vec<Member>,
}

impl Members<'_> {
    fn add(&mut self, name: &str, doc: &str, tokens: impl FnOnce() -> TokenStream) {
        if self.words.is_none_or(|words| words.contain(name)) {
            self.all.push(Member { name: name.into(), doc: doc.into(), tokens: tokens() });
        }
    }

    /// Adds a function without side effects.
    fn add_pure(&mut self, name: &str, doc: &str, tokens: impl FnOnce() -> TokenStream) {
        self.add(name, doc, || {
            let tokens = tokens();
            quote!(#[inline] #[must_use] #tokens)
        });
    }

    /// Adds the method of the same name on each lane.
    fn add_lane_by_lane(&mut self, name: &str, doc: &str, params: &[&str]) {
        let vector = self.vector;
        self.add_pure(name, doc, || {
            let method = format_ident!("{name}");
            let params: Vec<Ident> = params.iter().map(|param| format_ident!("{param}")).collect();
            let lanes = vector.map_lanes(|lane| quote!(self.#lane.#method(#(#params.#lane),*)));
            quote!(pub fn #method(self #(, #params: Self)*) -> Self { #lanes })
        });
    }

    fn add_common(&mut self) {
        let vector = self.vector;
        let (scalar, fields, count) = (vector.scalar(), vector.fields(), vector.lanes);
        let indices: Vec<_> = (0..count).map(Literal::usize_unsuffixed).collect();
        for (name, doc, half, float, int) in [
            ("ZERO", "A vector whose lanes are all 0.", quote!(ZERO), quote!(0.0), quote!(0)),
            ("ONE", "A vector whose lanes are all 1.", quote!(ONE), quote!(1.0), quote!(1)),
        ] {
            self.add(name, doc, || {
                let lanes =
                    vector.map_lanes(|_| match (vector.lane.is_half(), vector.lane.is_float()) {
                        (true, _) => quote!(#scalar::#half),
                        (false, true) => float.clone(),
                        (false, false) => int.clone(),
                    });
                quote!(pub const #half: Self = #lanes;)
            });
        }
        self.add("LANES", "The number of lanes.", || quote!(pub const LANES: usize = #count;));
        self.add_pure(
            "new",
            "A vector of these lanes.",
            || quote!(pub const fn new(#(#fields: #scalar),*) -> Self { Self { #(#fields),* } }),
        );
        self.add_pure("splat", "A vector whose lanes are all `value`.", || {
            let lanes = vector.map_lanes(|_| quote!(value));
            quote!(pub const fn splat(value: #scalar) -> Self { #lanes })
        });
        self.add_pure("from_array", "The vector of the lanes in an array.", || {
            quote!(pub const fn from_array(lanes: [#scalar; #count]) -> Self {
                Self { #(#fields: lanes[#indices]),* }
            })
        });
        self.add_pure(
            "to_array",
            "The lanes, as an array.",
            || quote!(pub const fn to_array(self) -> [#scalar; #count] { [#(self.#fields),*] }),
        );
        for field in &fields {
            let (name, doc) =
                (format!("with_{field}"), format!("The vector with another lane `{field}`."));
            self.add_pure(&name, &doc, || {
                let method = format_ident!("{name}");
                quote!(pub const fn #method(self, #field: #scalar) -> Self {
                    Self { #field, ..self }
                })
            });
        }
        let doc = "The results of `f` for each lane, from the first one to the last.";
        self.add_pure("map", doc, || {
            let lanes = vector.map_lanes(|lane| quote!(f(self.#lane)));
            quote!(pub fn map<F: FnMut(#scalar) -> #scalar>(self, mut f: F) -> Self { #lanes })
        });
        self.add_lane_by_lane("min", "The smaller of each pair of lanes.", &["other"]);
        self.add_lane_by_lane("max", "The larger of each pair of lanes.", &["other"]);
        self.add_lane_by_lane(
            "clamp",
            "Each lane, kept between those of `min` and `max`.",
            &["min", "max"],
        );
    }

    fn add_comparisons(&mut self) {
        let (fields, count) = (self.vector.fields(), self.vector.lanes);
        for (name, op, doc) in [
            ("lanes_eq", quote!(==), "equal to"),
            ("lanes_ne", quote!(!=), "not equal to"),
            ("lanes_lt", quote!(<), "less than"),
            ("lanes_le", quote!(<=), "at most"),
            ("lanes_gt", quote!(>), "greater than"),
            ("lanes_ge", quote!(>=), "at least"),
        ] {
            let doc = format!("True for each lane that is {doc} that of `other`.");
            self.add_pure(name, &doc, || {
                let method = format_ident!("{name}");
                quote!(pub fn #method(self, other: Self) -> [bool; #count] {
                    [#(self.#fields #op other.#fields),*]
                })
            });
        }
        let doc = "The lanes of `yes` where `mask` is true, and of `no` elsewhere.";
        self.add_pure("select", doc, || {
            let indices = (0..count).map(Literal::usize_unsuffixed);
            quote!(pub fn select(mask: [bool; #count], yes: Self, no: Self) -> Self {
                Self { #(#fields: if mask[#indices] { yes.#fields } else { no.#fields }),* }
            })
        });
    }

    fn add_sums(&mut self) {
        let vector = self.vector;
        let (scalar, fields) = (vector.scalar(), vector.fields());
        let (first, rest) = (&fields[0], &fields[1..]);
        self.add_pure("sum", "The sum of the lanes, from left to right.", || {
            let sum = join_lanes(vector, &quote!(+), |lane| quote!(self.#lane));
            quote!(pub fn sum(self) -> #scalar { #sum })
        });
        self.add_pure("product", "The product of the lanes, from left to right.", || {
            let product = join_lanes(vector, &quote!(*), |lane| quote!(self.#lane));
            quote!(pub fn product(self) -> #scalar { #product })
        });
        let doc = "The sum of the products of the lanes, from left to right.";
        self.add_pure("dot", doc, || {
            let sum = join_lanes(vector, &quote!(+), |lane| quote!(self.#lane * other.#lane));
            quote!(pub fn dot(self, other: Self) -> #scalar { #sum })
        });
        self.add_pure(
            "min_element",
            "The smallest lane.",
            || quote!(pub fn min_element(self) -> #scalar { self.#first #(.min(self.#rest))* }),
        );
        self.add_pure(
            "max_element",
            "The largest lane.",
            || quote!(pub fn max_element(self) -> #scalar { self.#first #(.max(self.#rest))* }),
        );
        if vector.lanes == 3 && (vector.lane.is_float() || vector.lane.scalar().is_signed()) {
            let doc = "The vector product, which is perpendicular to both vectors.";
            self.add_pure("cross", doc, || {
                quote!(
                    pub fn cross(self, other: Self) -> Self {
                        Self {
                            x: self.y * other.z - self.z * other.y,
                            y: self.z * other.x - self.x * other.z,
                            z: self.x * other.y - self.y * other.x,
                        }
                    }
                )
            });
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
        let square = || join_lanes(vector, &quote!(+), |lane| quote!(self.#lane * self.#lane));
        self.add_pure("length_squared", "The sum of the squares of the lanes.", || {
            let square = square();
            quote!(pub fn length_squared(self) -> #scalar { #square })
        });
        let doc = "The square root of the sum of the squares of the lanes.";
        self.add_pure("length", doc, || {
            let square = square();
            quote!(pub fn length(self) -> #scalar { (#square).sqrt() })
        });
        self.add_pure("normalize", "The vector divided by its length.", || {
            let (square, lanes) = (square(), vector.map_lanes(|lane| quote!(self.#lane / length)));
            quote!(pub fn normalize(self) -> Self {
                let length = (#square).sqrt();
                #lanes
            })
        });
        self.add_pure("distance", "The length of the difference.", || {
            let difference = vector.map_lanes(|lane| quote!(self.#lane - other.#lane));
            let square = join_lanes(vector, &quote!(+), |lane| quote!(by.#lane * by.#lane));
            quote!(pub fn distance(self, other: Self) -> #scalar {
                let by = #difference;
                (#square).sqrt()
            })
        });
        self.add_pure("lerp", "`self + (other - self) * t`", || {
            let lane = |lane: &Ident| quote!(self.#lane + (other.#lane - self.#lane) * t);
            let lanes = vector.map_lanes(lane);
            quote!(pub fn lerp(self, other: Self, t: #scalar) -> Self { #lanes })
        });
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
            let scalar = to.scalar();
            let convert = |field: &Ident| match (from.lane.is_half(), lane.is_half()) {
                (true, false) => {
                    let method = format_ident!("to_{scalar}");
                    quote!(self.#field.#method())
                }
                (false, true) => quote!(#scalar::from_f32(self.#field)),
                (true, true) => quote!(#scalar::from_f32(self.#field.to_f32())),
                (false, false) => quote!(self.#field as #scalar),
            };
            let exists = match (from.lane.is_half(), lane.is_half()) {
                (true, false) => lane.is_float(),
                (false, true) => from.lane == Prim::F32,
                (true, true) | (false, false) => true,
            };
            if exists {
                let name = to.name();
                let method = format!("as_{}", name.to_string().to_lowercase());
                self.add_pure(&method, &format!("Each lane as a `{scalar}`."), || {
                    let (method, lanes) = (format_ident!("{method}"), to.map_lanes(convert));
                    quote!(pub fn #method(self) -> #name { #lanes })
                });
            }
        }
    }
}

/// Joins the lanes by an operator.
fn join_lanes(
    vector: Vector,
    op: &TokenStream,
    lane: impl Fn(&Ident) -> TokenStream,
) -> TokenStream {
    let mut joined = TokenStream::new();
    for (index, field) in vector.fields().iter().enumerate() {
        let (op, lane) = ((index > 0).then_some(op), lane(field));
        joined.extend(quote!(#op #lane));
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_has_an_example_or_names_one() {
        let mut shown = Vec::new();
        let mut named = Vec::new();
        for vector in LANE_TYPES.into_iter().flat_map(|(_, lane)| Vector::family(lane)) {
            for Member { name, .. } in members(vector, None) {
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
