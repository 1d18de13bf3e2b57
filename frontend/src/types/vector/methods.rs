//! Constants, methods and swizzles of vectors.
use crate::types::vector::{LANES, OF, Vector, Words};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// A constant or function of a vector, with its name.
struct Member {
    name: String,
    tokens: TokenStream,
}

/// Returns the `impl` with all members except swizzles.
pub(crate) fn all(vector: Vector) -> TokenStream {
    block(vector, members(vector).into_iter().map(|member| member.tokens))
}

/// Returns the `impl` with all swizzles.
pub(crate) fn swizzles(vector: Vector) -> TokenStream {
    let lanes = &LANES[..vector.lanes];
    let mut words: Vec<String> = vec![String::new()];
    let mut all = Vec::new();
    for _ in 0..LANES.len() {
        let longer =
            words.iter().flat_map(|word| lanes.iter().map(move |lane| format!("{word}{lane}")));
        words = longer.collect();
        all.extend(words.iter().filter(|word| word.len() > 1).map(|word| swizzle(vector, word)));
    }
    let block = block(vector, all);
    quote!(#[doc = " Swizzles: vectors of some of the lanes, in some order."] #block)
}

/// Returns the `impl` with the members and swizzles among `words`.
pub(crate) fn named(vector: Vector, words: &Words) -> TokenStream {
    let members = members(vector).into_iter().filter(|member| words.have(&member.name));
    let is_own =
        |word: &&str| word.chars().all(|lane| LANES[..vector.lanes].concat().contains(lane));
    let swizzles = words.swizzles().filter(is_own).map(|word| swizzle(vector, word));
    block(vector, members.map(|member| member.tokens).chain(swizzles))
}

fn block(vector: Vector, members: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    let (name, members) = (vector.name(), members.into_iter());
    quote!(impl #name { #(#members)* })
}

/// Returns the swizzle named `word`, one letter for each lane.
fn swizzle(vector: Vector, word: &str) -> TokenStream {
    let method = format_ident!("{word}");
    let of = Vector { lanes: word.len(), ..vector };
    let (name, fields) = (of.name(), of.fields());
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
fn members(vector: Vector) -> Vec<Member> {
    let mut all = Members { vector, all: Vec::new() };
    all.of_all();
    all.comparisons();
    all.sums();
    all.conversions();
    if vector.lane.is_float() {
        all.of_floats();
    } else {
        all.of_integers();
    }
    if vector.lane.is_float() || vector.lane.scalar().is_signed() {
        all.lane_by_lane("abs", "The absolute value of each lane.", &[]);
        all.lane_by_lane("signum", "The sign of each lane, as a number.", &[]);
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
        let doc = format!(" {doc}");
        self.all.push(Member { name: name.into(), tokens: quote!(#[doc = #doc] #tokens) });
    }

    /// Adds a function without side effects.
    fn pure(&mut self, name: &str, doc: &str, tokens: TokenStream) {
        self.add(name, doc, quote!(#[inline] #[must_use] #tokens));
    }

    /// Adds the method of the same name on each lane.
    fn lane_by_lane(&mut self, name: &str, doc: &str, params: &[&str]) {
        let method = format_ident!("{name}");
        let params: Vec<Ident> = params.iter().map(|param| format_ident!("{param}")).collect();
        let lanes = self.vector.each(|lane| quote!(self.#lane.#method(#(#params.#lane),*)));
        self.pure(name, doc, quote!(pub fn #method(self #(, #params: Self)*) -> Self { #lanes }));
    }

    /// Joins the lanes by an operator.
    fn folded(&self, op: &TokenStream, lane: impl Fn(&Ident) -> TokenStream) -> TokenStream {
        let mut folded = TokenStream::new();
        for (index, field) in self.vector.fields().iter().enumerate() {
            let (op, lane) = ((index > 0).then_some(op), lane(field));
            folded.extend(quote!(#op #lane));
        }
        folded
    }

    fn of_all(&mut self) {
        let vector = self.vector;
        let (scalar, fields, count) = (vector.scalar(), vector.fields(), vector.lanes);
        let [zero, one] = match (vector.lane.is_half(), vector.lane.is_float()) {
            (true, _) => [quote!(#scalar::ZERO), quote!(#scalar::ONE)],
            (false, true) => [quote!(0.0), quote!(1.0)],
            (false, false) => [quote!(0), quote!(1)],
        };
        let [zeros, ones] = [zero, one].map(|value| vector.each(|_| value.clone()));
        self.add("ZERO", "Every lane 0.", quote!(pub const ZERO: Self = #zeros;));
        self.add("ONE", "Every lane 1.", quote!(pub const ONE: Self = #ones;));
        let lanes = quote!(pub const LANES: usize = #count;);
        self.add("LANES", "How many lanes there are.", lanes);
        let tokens =
            quote!(pub const fn new(#(#fields: #scalar),*) -> Self { Self { #(#fields),* } });
        self.pure("new", "A vector of these lanes.", tokens);
        let lanes = vector.each(|_| quote!(value));
        let tokens = quote!(pub const fn splat(value: #scalar) -> Self { #lanes });
        self.pure("splat", "Every lane the same.", tokens);
        let indices = (0..count).map(Literal::usize_unsuffixed);
        let tokens = quote!(pub const fn from_array(lanes: [#scalar; #count]) -> Self {
            Self { #(#fields: lanes[#indices]),* }
        });
        self.pure("from_array", "The vector of the lanes in an array.", tokens);
        let tokens =
            quote!(pub const fn to_array(self) -> [#scalar; #count] { [#(self.#fields),*] });
        self.pure("to_array", "The lanes.", tokens);
        for field in &fields {
            let (name, method) = (format!("with_{field}"), format_ident!("with_{field}"));
            let doc = format!("The same vector but for lane `{field}`.");
            let tokens = quote!(pub const fn #method(self, #field: #scalar) -> Self {
                Self { #field, ..self }
            });
            self.pure(&name, &doc, tokens);
        }
        let lanes = vector.each(|lane| quote!(f(self.#lane)));
        let tokens =
            quote!(pub fn map<F: FnMut(#scalar) -> #scalar>(self, mut f: F) -> Self { #lanes });
        self.pure("map", "What `f` makes of each lane, the first one first.", tokens);
        self.lane_by_lane("min", "The smaller of each pair of lanes.", &["other"]);
        self.lane_by_lane("max", "The larger of each pair of lanes.", &["other"]);
        self.lane_by_lane(
            "clamp",
            "Each lane, kept between those of `min` and `max`.",
            &["min", "max"],
        );
    }

    fn comparisons(&mut self) {
        let (vector, count) = (self.vector, self.vector.lanes);
        for (name, op, doc) in [
            ("lanes_eq", quote!(==), "equal"),
            ("lanes_ne", quote!(!=), "not equal"),
            ("lanes_lt", quote!(<), "less"),
            ("lanes_le", quote!(<=), "less or equal"),
            ("lanes_gt", quote!(>), "greater"),
            ("lanes_ge", quote!(>=), "greater or equal"),
        ] {
            let (method, fields) = (format_ident!("{name}"), vector.fields());
            let doc = format!("Which lanes are {doc}.");
            let tokens = quote!(pub fn #method(self, other: Self) -> [bool; #count] {
                [#(self.#fields #op other.#fields),*]
            });
            self.pure(name, &doc, tokens);
        }
        let fields = vector.fields();
        let indices = (0..count).map(Literal::usize_unsuffixed);
        let tokens = quote!(pub fn select(mask: [bool; #count], yes: Self, no: Self) -> Self {
            Self { #(#fields: if mask[#indices] { yes.#fields } else { no.#fields }),* }
        });
        self.pure(
            "select",
            "The lanes of `yes` where `mask` is true, and of `no` elsewhere.",
            tokens,
        );
    }

    fn sums(&mut self) {
        let scalar = self.vector.scalar();
        let tokens = self.folded(&quote!(+), |lane| quote!(self.#lane));
        self.pure(
            "sum",
            "The sum of the lanes, from left to right.",
            quote!(pub fn sum(self) -> #scalar { #tokens }),
        );
        let tokens = self.folded(&quote!(*), |lane| quote!(self.#lane));
        let tokens = quote!(pub fn product(self) -> #scalar { #tokens });
        self.pure("product", "The product of the lanes, from left to right.", tokens);
        let tokens = self.folded(&quote!(+), |lane| quote!(self.#lane * other.#lane));
        let tokens = quote!(pub fn dot(self, other: Self) -> #scalar { #tokens });
        self.pure("dot", "The sum of the products of the lanes, from left to right.", tokens);
        let fields = self.vector.fields();
        let (first, rest) = (&fields[0], &fields[1..]);
        let tokens =
            quote!(pub fn min_element(self) -> #scalar { self.#first #(.min(self.#rest))* });
        self.pure("min_element", "The smallest lane.", tokens);
        let tokens =
            quote!(pub fn max_element(self) -> #scalar { self.#first #(.max(self.#rest))* });
        self.pure("max_element", "The largest lane.", tokens);
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
            self.pure("cross", "The vector product.", tokens);
        }
    }

    fn of_floats(&mut self) {
        self.lane_by_lane("floor", "Each lane to the integer below.", &[]);
        self.lane_by_lane("ceil", "Each lane to the integer above.", &[]);
        self.lane_by_lane("trunc", "Each lane to the integer toward zero.", &[]);
        self.lane_by_lane(
            "round_ties_even",
            "Each lane to the nearest integer, ties to even.",
            &[],
        );
        self.lane_by_lane("sqrt", "The square root of each lane.", &[]);
        self.lane_by_lane("copysign", "Each lane with the sign of that of `sign`.", &["sign"]);
        let doc = "`self * factor + addend` of each lane, rounded once.";
        self.lane_by_lane("mul_add", doc, &["factor", "addend"]);
        if !self.vector.lane.is_half() {
            self.lane_by_lane(
                "round",
                "Each lane to the nearest integer, ties away from zero.",
                &[],
            );
            self.lane_by_lane("fract", "Each lane without its integer part.", &[]);
            self.lane_by_lane("recip", "1 divided by each lane.", &[]);
        }
        self.geometry();
    }

    fn geometry(&mut self) {
        let (vector, scalar) = (self.vector, self.vector.scalar());
        let square = self.folded(&quote!(+), |lane| quote!(self.#lane * self.#lane));
        let tokens = quote!(pub fn length_squared(self) -> #scalar { #square });
        self.pure("length_squared", "The sum of the squares of the lanes.", tokens);
        let tokens = quote!(pub fn length(self) -> #scalar { (#square).sqrt() });
        self.pure("length", "The square root of the sum of the squares of the lanes.", tokens);
        let lanes = vector.each(|lane| quote!(self.#lane / length));
        let tokens = quote!(pub fn normalize(self) -> Self {
            let length = (#square).sqrt();
            #lanes
        });
        self.pure("normalize", "The vector divided by its length.", tokens);
        let difference = vector.each(|lane| quote!(self.#lane - other.#lane));
        let square = self.folded(&quote!(+), |lane| quote!(by.#lane * by.#lane));
        let tokens = quote!(pub fn distance(self, other: Self) -> #scalar {
            let by = #difference;
            (#square).sqrt()
        });
        self.pure("distance", "The length of the difference.", tokens);
        let lanes = vector.each(|lane| quote!(self.#lane + (other.#lane - self.#lane) * t));
        let tokens = quote!(pub fn lerp(self, other: Self, t: #scalar) -> Self { #lanes });
        self.pure("lerp", "`self + (other - self) * t`", tokens);
    }

    fn of_integers(&mut self) {
        for (name, what) in [("add", "sum"), ("sub", "difference"), ("mul", "product")] {
            let doc = format!("The {what} of each pair of lanes, wrapping around.");
            self.lane_by_lane(&format!("wrapping_{name}"), &doc, &["other"]);
            let doc = format!("The {what} of each pair of lanes, kept in range.");
            self.lane_by_lane(&format!("saturating_{name}"), &doc, &["other"]);
        }
    }

    /// Adds `as_i32x4` and the like, which convert as `as` does.
    fn conversions(&mut self) {
        let from = self.vector;
        for (_, lane) in OF.into_iter().filter(|(_, lane)| *lane != from.lane) {
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
            self.pure(&method, &doc, tokens);
        }
    }
}
