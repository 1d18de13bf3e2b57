//! Formatting of composite values by `{:?}`, as derives print them.
//!
//! The arguments of a message are numbers and `bool`s; the text around them is part of the message.
//! For an enum, the discriminant chooses one of several texts.
//!
//! ```text
//! println!("{:?}", (n, Some(Point { x, y })))     "({0}, {1?0=None|1=Some(Point {{ x: {2:?}, y: {3:?} }})|})"
//! ```
use crate::{
    hir::{MessageExpr, SpanId},
    infer::program::Adt,
    lower::{EnumValue, Flow, Lowerer, Place, Value, memory::layout::scalar_of_mono},
    resolve::source_map,
    types::mono::{Mono, type_args},
};
use syn::{Fields, Item, ext::IdentExt};
use warpwise_compiler::{
    ir::{self, BinaryOp, Body, CompareOp, InstId, Op, Scalar},
    message::{ArgumentRef, Choice, Format, Piece, Placeholder},
};

/// Message whose arguments are numbers and `bool`s.
#[derive(Default)]
pub(crate) struct FlatMessage {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) args: Vec<InstId>,
}

impl FlatMessage {
    fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.push_str(text),
            Some(Piece::Value(_) | Piece::Choice(_)) | None => {
                self.pieces.push(Piece::Text(text.to_owned()));
            }
        }
    }
}

/// Formatting state of one value.
#[derive(Clone, Copy)]
struct Style<'p> {
    /// Placeholder of the value: derives pass it on to every part.
    placeholder: &'p Placeholder,
    /// Indentation of lines under `{:#?}`.
    indent: usize,
    /// Condition under which referents exist, unless they always do.
    valid_if: Option<InstId>,
    at: SpanId,
}

/// Text around the parts of a value.
struct Delimiters<'a> {
    /// Name of a struct or variant.
    name: &'a str,
    /// Names of the parts, if they have any.
    names: Option<&'a [String]>,
    brackets: [&'a str; 2],
}

impl Lowerer<'_> {
    /// Lowers a message with the formatted values of all arguments.
    pub(crate) fn flatten_message(&mut self, say: &MessageExpr) -> Flow<FlatMessage> {
        let mut message = FlatMessage::default();
        let mut values = Vec::with_capacity(say.args.len());
        for arg in &say.args {
            let (mono, value) = (self.mono_type(arg.ty, arg.at)?, self.lower_value(arg)?);
            let number = message.args.len();
            if let Value::Scalar(id) = value {
                message.args.push(id);
            }
            values.push((mono, value, number, arg.at));
        }
        let number = |index: usize| values.get(index).map_or(index, |(_, _, number, _)| *number);
        for piece in &say.format.pieces {
            match piece {
                Piece::Text(text) => message.push_text(text),
                Piece::Choice(_) => {}
                Piece::Value(placeholder) => {
                    let mut like = placeholder.clone();
                    like.renumber(number);
                    let ArgumentRef::Index(index) = placeholder.arg else { continue };
                    let Some((mono, value, _, at)) = values.get(index) else { continue };
                    if let Value::Scalar(_) = value {
                        message.pieces.push(Piece::Value(like));
                    } else {
                        let style =
                            Style { placeholder: &like, indent: 0, valid_if: None, at: *at };
                        self.show_value(value, mono, style, &mut message)?;
                    }
                }
            }
        }
        Ok(message)
    }

    fn show_value(
        &mut self,
        value: &Value,
        mono: &Mono,
        style: Style<'_>,
        message: &mut FlatMessage,
    ) -> Flow<()> {
        let at = style.at;
        match (value, mono) {
            (Value::Scalar(id), _) if scalar_of_mono(mono).is_some() => {
                let arg = ArgumentRef::Index(message.args.len());
                message.pieces.push(Piece::Value(Placeholder { arg, ..style.placeholder.clone() }));
                message.args.push(*id);
                Ok(())
            }
            (Value::Unit, Mono::Unit) => {
                message.push_text("()");
                Ok(())
            }
            (Value::Ref(place), Mono::Ref { to, .. }) if !matches!(**to, Mono::Slice(_)) => {
                let value = match style.valid_if {
                    Some(cond) => self.read_place_if(cond, place, to, at)?,
                    None => self.read_place(place, to, at)?,
                };
                self.show_value(&value, to, style, message)
            }
            (Value::Parts(parts), Mono::Tuple(args)) => {
                let delimiters = Delimiters { name: "", names: None, brackets: ["(", ")"] };
                self.show_parts(&delimiters, parts, &type_args(args), style, message)
            }
            (Value::Parts(parts), Mono::Adt(item, _)) => {
                let adt = self.adt_of(mono, at)?;
                let Some(names) = self.debug_names(*item, at)? else { return Ok(()) };
                self.show_variant(&names[0], 0, &adt, parts, style, message)
            }
            (Value::Variants(variants), Mono::Adt(item, _)) => {
                let adt = self.adt_of(mono, at)?;
                let Some(names) = self.debug_names(*item, at)? else { return Ok(()) };
                self.show_choice(variants, &names, &adt, style, message)
            }
            (Value::Array(memory), Mono::Array(elem, len)) => {
                let Some(len) = self.simplify_extent(len, at)?.known() else {
                    self.report_unprintable(
                        "an array whose length only the launch knows",
                        "print its elements in a loop",
                        at,
                    );
                    return Ok(());
                };
                if len > warpwise_compiler::message::MAX_VALUES as u64 {
                    let what = format!("{len} elements at once");
                    self.report_unprintable(&what, "print them in a loop", at);
                    return Ok(());
                }
                let mut parts = Vec::new();
                for index in 0..len {
                    let index = self.push_bits(index, Scalar::U64, at);
                    let place = self.element_at(memory, index, elem, at)?;
                    parts.push(self.load(&place, elem, at)?);
                }
                let types = vec![(**elem).clone(); parts.len()];
                let delimiters = Delimiters { name: "", names: None, brackets: ["[", "]"] };
                self.show_parts(&delimiters, &parts, &types, style, message)
            }
            _ => {
                let what = format!("what has {} in it", unprintable_kind(mono));
                self.report_unprintable(&what, "print its numbers and `bool`s one by one", at);
                Ok(())
            }
        }
    }

    /// Reads a place that exists only if `cond` holds; the value is arbitrary otherwise.
    fn read_place_if(
        &mut self,
        cond: InstId,
        place: &Place,
        mono: &Mono,
        at: SpanId,
    ) -> Flow<Value> {
        let kept = self.allocate(mono, "", at)?;
        let op = Op::If { cond, then: Body::default(), other: Body::default() };
        self.begin_body(at, op, ir::Ty::Unit)?;
        let done = self
            .read_place(place, mono, at)
            .and_then(|value| self.write_place(&kept, value, mono, at));
        self.build.end();
        done?;
        self.read_place(&kept, mono, at)
    }

    /// Reports a value that cannot be printed. Lowering continues, so that later errors are
    /// reported, too.
    fn report_unprintable(&mut self, what: &str, help: &str, at: SpanId) {
        self.errors.advise(
            self.source_range(at),
            format_args!("kernel code cannot print {what}"),
            help,
        );
    }

    /// Appends the text of an enum: one alternative for each variant.
    fn show_choice(
        &mut self,
        variants: &EnumValue,
        names: &[(String, bool)],
        adt: &Adt,
        style: Style<'_>,
        message: &mut FlatMessage,
    ) -> Flow<()> {
        let Some(tag) = adt.tag else { return Err(self.report_bug(style.at)) };
        let arg = message.args.len();
        message.args.push(variants.tag);
        let mut cases = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            let parts = match variants.parts.get(index) {
                Some(Some(parts)) => parts.as_slice(),
                _ if adt.variants[index].is_empty() => &[],
                _ => continue,
            };
            let style = if self.contain_references(&adt.variants[index], style.at)? {
                let this = self.push_int(adt.discriminants[index], tag, style.at);
                let is = self.push_compare(CompareOp::Eq, variants.tag, this, style.at);
                let both = style.valid_if.map(|outer| {
                    self.push_binary(BinaryOp::And, outer, is, Scalar::Bool, style.at)
                });
                Style { valid_if: Some(both.unwrap_or(is)), ..style }
            } else {
                style
            };
            let before = std::mem::take(&mut message.pieces);
            self.show_variant(name, index, adt, parts, style, message)?;
            let pieces = std::mem::replace(&mut message.pieces, before);
            // The reader of a message sees the discriminant truncated to its width.
            let unused = 64 - tag.bits().unwrap_or(1);
            let bits = (adt.discriminants[index] as u64) << unused >> unused;
            cases.push((bits, Format { pieces }));
        }
        message.pieces.push(Piece::Choice(Choice { arg, cases }));
        Ok(())
    }

    /// Appends a struct or variant: its name, and its parts with or without names.
    fn show_variant(
        &mut self,
        (name, named): &(String, bool),
        index: usize,
        adt: &Adt,
        parts: &[Value],
        style: Style<'_>,
        message: &mut FlatMessage,
    ) -> Flow<()> {
        if parts.is_empty() {
            message.push_text(name);
            return Ok(());
        }
        let brackets = if *named { [" {", "}"] } else { ["(", ")"] };
        let names = named.then(|| adt.fields[index].as_slice());
        let delimiters = Delimiters { name, names, brackets };
        self.show_parts(&delimiters, parts, &adt.variants[index], style, message)
    }

    fn show_parts(
        &mut self,
        delimiters: &Delimiters<'_>,
        parts: &[Value],
        types: &[Mono],
        style: Style<'_>,
        message: &mut FlatMessage,
    ) -> Flow<()> {
        let Delimiters { name, names, brackets: [open, close] } = *delimiters;
        message.push_text(name);
        message.push_text(open);
        let pretty = style.placeholder.alternate && !parts.is_empty();
        let inner = Style { indent: style.indent + 4, ..style };
        // In `{:#?}` each part is on a line of its own; otherwise the separators depend on the
        // brackets.
        for (index, (part, ty)) in parts.iter().zip(types).enumerate() {
            match (pretty, index, names) {
                (true, ..) => message.push_text(&format!("\n{}", " ".repeat(inner.indent))),
                (false, 0, None) => {}
                (false, 0, Some(_)) => message.push_text(" "),
                (false, ..) => message.push_text(", "),
            }
            if let Some(names) = names {
                message.push_text(&format!("{}: ", names[index]));
            }
            self.show_value(part, ty, inner, message)?;
            if pretty {
                message.push_text(",");
            }
        }
        if pretty {
            message.push_text(&format!("\n{}", " ".repeat(style.indent)));
        } else if names.is_some() {
            message.push_text(" ");
        } else if name.is_empty() && open == "(" && parts.len() == 1 {
            message.push_text(",");
        }
        message.push_text(close);
        Ok(())
    }

    /// Returns the names of a type's variants, or of a struct, each with true if its fields have
    /// names. `None` if the type does not derive `Debug`: only the host can run a hand-written
    /// implementation.
    fn debug_names(&mut self, item: usize, at: SpanId) -> Flow<Option<Vec<(String, bool)>>> {
        let named = |ident: &syn::Ident, fields: &Fields| {
            (ident.unraw().to_string(), matches!(fields, Fields::Named(_)))
        };
        let names = match self.program.item(item) {
            Some(Item::Struct(definition)) => vec![named(&definition.ident, &definition.fields)],
            Some(Item::Enum(definition)) => definition
                .variants
                .iter()
                .map(|variant| named(&variant.ident, &variant.fields))
                .collect(),
            _ => return Err(self.report_bug(at)),
        };
        if self.program.derives_debug(item) {
            return Ok(Some(names));
        }
        let name = self.program.names[item].clone();
        let what = format!("a `{name}`, which does not derive `Debug`");
        let blocks = source_map::host_blocks_with(self.source_range(at).first, "fmt", &name);
        let help = match blocks.iter().find(|block| block.contains("Debug for ")) {
            Some(block) => format!("write `#[derive(Debug)]` on `{name}`, in place of {block}"),
            None => format!("write `#[derive(Debug)]` on `{name}`"),
        };
        self.report_unprintable(&what, &help, at);
        Ok(None)
    }
}

/// Describes the part of a value that cannot be printed.
const fn unprintable_kind(mono: &Mono) -> &'static str {
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
