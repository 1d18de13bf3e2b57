//! What `{:?}` prints of a value that has parts, as derives print it.
//!
//! A message has numbers and `bool`s as values. What stands around them is text of the message; of an
//! enum, which of several texts it is depends on the discriminant.
//!
//! ```text
//! println!("{:?}", (n, Some(Point { x, y })))     "({0}, {1?0=None|1=Some(Point {{ x: {2:?}, y: {3:?} }})|})"
//! ```
use crate::{
    hir::{At, Say},
    infer::program::Adt,
    lower::{Emit, Flow, Place, Value, Variants, memory::layout::scalar},
    types::mono::{Mono, types},
};
use syn::{Fields, Item, ext::IdentExt};
use warpwise_compiler::{
    ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar},
    message::{ArgumentRef, Choice, Format, Piece, Placeholder},
};

/// A message whose values are numbers and `bool`s.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) args: Vec<InstId>,
}

impl Shown {
    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            Some(Piece::Value(_) | Piece::Choice(_)) | None => {
                self.pieces.push(Piece::Text(text.to_owned()));
            }
        }
    }
}

/// How a value is printed.
#[derive(Clone, Copy)]
struct How<'p> {
    /// The placeholder in which it stands: derives hand it on to every part.
    like: &'p Placeholder,
    /// How far lines are indented, of `{:#?}`.
    indent: usize,
    /// Whether what a reference refers to is there, if that is not certain.
    only_if: Option<InstId>,
    at: At,
}

/// What stands around parts.
struct Around<'a> {
    /// The name of a struct or variant.
    name: &'a str,
    /// Names of the parts, where they have some.
    names: Option<&'a [String]>,
    brackets: [&'a str; 2],
}

impl Emit<'_> {
    /// A message with what is printed of each argument.
    pub(crate) fn shown(&mut self, say: &Say) -> Flow<Shown> {
        let mut shown = Shown::default();
        let mut values = Vec::with_capacity(say.args.len());
        for arg in &say.args {
            let (mono, value) = (self.mono(arg.ty, arg.at)?, self.value(arg)?);
            let number = shown.args.len();
            if let Value::Scalar(id) = value {
                shown.args.push(id);
            }
            values.push((mono, value, number, arg.at));
        }
        let number = |index: usize| values.get(index).map_or(index, |(_, _, number, _)| *number);
        for piece in &say.format.pieces {
            match piece {
                Piece::Text(text) => shown.text(text),
                Piece::Choice(_) => {}
                Piece::Value(placeholder) => {
                    let mut like = placeholder.clone();
                    like.renumber(number);
                    let ArgumentRef::Index(index) = placeholder.arg else { continue };
                    let Some((mono, value, _, at)) = values.get(index) else { continue };
                    if let Value::Scalar(_) = value {
                        shown.pieces.push(Piece::Value(like));
                    } else {
                        let how = How { like: &like, indent: 0, only_if: None, at: *at };
                        self.show(value, mono, how, &mut shown)?;
                    }
                }
            }
        }
        Ok(shown)
    }

    fn show(&mut self, value: &Value, mono: &Mono, how: How<'_>, shown: &mut Shown) -> Flow<()> {
        let at = how.at;
        match (value, mono) {
            (Value::Scalar(id), _) if scalar(mono).is_some() => {
                let arg = ArgumentRef::Index(shown.args.len());
                shown.pieces.push(Piece::Value(Placeholder { arg, ..how.like.clone() }));
                shown.args.push(*id);
                Ok(())
            }
            (Value::Unit, Mono::Unit) => {
                shown.text("()");
                Ok(())
            }
            (Value::Ref(place), Mono::Ref { to, .. }) if !matches!(**to, Mono::Slice(_)) => {
                let value = match how.only_if {
                    Some(cond) => self.get_if(cond, place, to, at)?,
                    None => self.get(place, to, at)?,
                };
                self.show(&value, to, how, shown)
            }
            (Value::Parts(parts), Mono::Tuple(args)) => {
                let around = Around { name: "", names: None, brackets: ["(", ")"] };
                self.show_parts(&around, parts, &types(args), how, shown)
            }
            (Value::Parts(parts), Mono::Adt(item, _)) => {
                let adt = self.adt(mono, at)?;
                let Some(names) = self.printable(*item, at)? else { return Ok(()) };
                self.show_variant(&names[0], 0, &adt, parts, how, shown)
            }
            (Value::Variants(variants), Mono::Adt(item, _)) => {
                let adt = self.adt(mono, at)?;
                let Some(names) = self.printable(*item, at)? else { return Ok(()) };
                self.show_choice(variants, &names, &adt, how, shown)
            }
            (Value::Array(memory), Mono::Array(elem, len)) => {
                let Some(len) = self.extent(len, at)?.known() else {
                    self.unprintable(
                        "an array whose length only the launch knows",
                        "print its elements in a loop",
                        at,
                    );
                    return Ok(());
                };
                if len > warpwise_compiler::message::MAX_VALUES as u64 {
                    let what = format!("{len} elements at once");
                    self.unprintable(&what, "print them in a loop", at);
                    return Ok(());
                }
                let mut parts = Vec::new();
                for index in 0..len {
                    let index = self.bits(index, Scalar::U64, at);
                    let place = self.nth(memory, index, elem, at)?;
                    parts.push(self.load(&place, elem, at)?);
                }
                let types = vec![(**elem).clone(); parts.len()];
                let around = Around { name: "", names: None, brackets: ["[", "]"] };
                self.show_parts(&around, &parts, &types, how, shown)
            }
            _ => {
                let what = format!("what has {} in it", kind(mono));
                self.unprintable(&what, "print its numbers and `bool`s one by one", at);
                Ok(())
            }
        }
    }

    /// What is in a place that is there only if `cond` holds, and anything if not.
    fn get_if(&mut self, cond: InstId, place: &Place, mono: &Mono, at: At) -> Flow<Value> {
        let kept = self.room(mono, "", at)?;
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin(at, op, ir::Ty::Unit)?;
        let done = self.get(place, mono, at).and_then(|value| self.set(&kept, value, mono, at));
        self.build.end();
        done?;
        self.get(&kept, mono, at)
    }

    /// Reports what cannot be printed. What else is wrong is to be reported, too.
    fn unprintable(&mut self, what: &str, help: &str, at: At) {
        self.errors.advise(self.range(at), format_args!("kernel code cannot print {what}"), help);
    }

    /// One of the texts of an enum's variants.
    fn show_choice(
        &mut self,
        variants: &Variants,
        names: &[(String, bool)],
        adt: &Adt,
        how: How<'_>,
        shown: &mut Shown,
    ) -> Flow<()> {
        let Some(tag) = adt.tag else { return Err(self.bug(how.at)) };
        let arg = shown.args.len();
        shown.args.push(variants.tag);
        let mut cases = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            let parts = match variants.parts.get(index) {
                Some(Some(parts)) => parts.as_slice(),
                _ if adt.variants[index].is_empty() => &[],
                _ => continue,
            };
            let how = if self.have_references(&adt.variants[index], how.at)? {
                let this = self.int(adt.discriminants[index], tag, how.at);
                let is = self.compare(CompareOp::Eq, variants.tag, this, how.at);
                let both = how
                    .only_if
                    .map(|outer| self.binary_op(BinaryOp::And, outer, is, Scalar::Bool, how.at));
                How { only_if: Some(both.unwrap_or(is)), ..how }
            } else {
                how
            };
            let before = std::mem::take(&mut shown.pieces);
            self.show_variant(name, index, adt, parts, how, shown)?;
            let pieces = std::mem::replace(&mut shown.pieces, before);
            let unused = 64 - tag.bits().unwrap_or(1);
            let bits = (adt.discriminants[index] as u64) << unused >> unused;
            cases.push((bits, Format { pieces }));
        }
        shown.pieces.push(Piece::Choice(Choice { arg, cases }));
        Ok(())
    }

    /// A struct, or a variant: its name, whether its fields have names, and its parts.
    fn show_variant(
        &mut self,
        (name, named): &(String, bool),
        index: usize,
        adt: &Adt,
        parts: &[Value],
        how: How<'_>,
        shown: &mut Shown,
    ) -> Flow<()> {
        if parts.is_empty() {
            shown.text(name);
            return Ok(());
        }
        let brackets = if *named { [" {", "}"] } else { ["(", ")"] };
        let names = named.then(|| adt.fields[index].as_slice());
        let around = Around { name, names, brackets };
        self.show_parts(&around, parts, &adt.variants[index], how, shown)
    }

    fn show_parts(
        &mut self,
        around: &Around<'_>,
        parts: &[Value],
        types: &[Mono],
        how: How<'_>,
        shown: &mut Shown,
    ) -> Flow<()> {
        let Around { name, names, brackets: [open, close] } = *around;
        shown.text(name);
        shown.text(open);
        let pretty = how.like.alternate && !parts.is_empty();
        let inner = How { indent: how.indent + 4, ..how };
        for (index, (part, ty)) in parts.iter().zip(types).enumerate() {
            match (pretty, index, names) {
                (true, ..) => shown.text(&format!("\n{}", " ".repeat(inner.indent))),
                (false, 0, None) => {}
                (false, 0, Some(_)) => shown.text(" "),
                (false, ..) => shown.text(", "),
            }
            if let Some(names) = names {
                shown.text(&format!("{}: ", names[index]));
            }
            self.show(part, ty, inner, shown)?;
            if pretty {
                shown.text(",");
            }
        }
        if pretty {
            shown.text(&format!("\n{}", " ".repeat(how.indent)));
        } else if names.is_some() {
            shown.text(" ");
        } else if name.is_empty() && open == "(" && parts.len() == 1 {
            shown.text(",");
        }
        shown.text(close);
        Ok(())
    }

    /// The names of a type's variants, and whether their fields have names; of a struct, its own.
    /// `None` if it does not derive `Debug`: what a hand-written one prints, only the host can.
    fn printable(&mut self, item: usize, at: At) -> Flow<Option<Vec<(String, bool)>>> {
        let named = |ident: &syn::Ident, fields: &Fields| {
            (ident.unraw().to_string(), matches!(fields, Fields::Named(_)))
        };
        let names = match self.program.item(item) {
            Some(Item::Struct(of)) => vec![named(&of.ident, &of.fields)],
            Some(Item::Enum(of)) => {
                of.variants.iter().map(|of| named(&of.ident, &of.fields)).collect()
            }
            _ => return Err(self.bug(at)),
        };
        if self.program.derives_debug(item) {
            return Ok(Some(names));
        }
        let name = self.program.names[item].clone();
        let what = format!("a `{name}`, which does not derive `Debug`");
        self.unprintable(&what, &format!("write `#[derive(Debug)]` on `{name}`"), at);
        Ok(None)
    }
}

/// What cannot be printed.
const fn kind(mono: &Mono) -> &'static str {
    match mono {
        Mono::Ref { .. } | Mono::Slice(_) => "a slice",
        Mono::Atomic(_) => "an atomic",
        Mono::Closure(_) => "a closure",
        Mono::Pointer(_) => "a function pointer",
        Mono::Iter(..) => "a range or iterator",
        Mono::Unit
        | Mono::Never
        | Mono::Prim(_)
        | Mono::Generic(_)
        | Mono::Array(..)
        | Mono::Tuple(_)
        | Mono::Adt(..) => "such a value",
    }
}
