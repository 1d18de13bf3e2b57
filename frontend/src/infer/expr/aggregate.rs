//! Tuples, structs, enums and arrays: construction and field access.
use crate::{
    hir::{Expr, Kind},
    infer::{Infer, Obligation, items::Shape},
    syntax::span::SpanRange,
    types::{Ty, Type, chain::Chain},
};
use syn::{
    ExprArray, ExprField, ExprRepeat, ExprStruct, ExprTuple, Member, punctuated::Punctuated,
};
use warpwise_compiler::ir::Extent;

impl<'a> Infer<'a> {
    pub(crate) fn tuple(&mut self, expr: &ExprTuple, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.paren_token.span.open())
            .to(SpanRange::token(expr.paren_token.span.close()));
        let hints = match hint.map(|hint| self.types.get(hint)) {
            Some(Type::Tuple(list)) => self.types.parts(list),
            _ => Vec::new(),
        };
        let mut fields = Vec::with_capacity(expr.elems.len());
        for (index, elem) in expr.elems.iter().enumerate() {
            let value = match hints.get(index) {
                Some(hint) => self.expect(elem, *hint),
                None => self.expr(elem, None),
            };
            fields.push((index, value));
        }
        let ty = self.types.tuple(fields.iter().map(|(_, field)| field.ty).collect());
        self.make(Kind::Aggregate { variant: None, fields, base: None }, ty, at)
    }

    pub(crate) fn array(&mut self, expr: &ExprArray, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.bracket_token.span.open())
            .to(SpanRange::token(expr.bracket_token.span.close()));
        let elem = match hint.map(|hint| self.types.get(hint)) {
            Some(Type::Array(elem, _) | Type::Slice(elem)) => elem,
            _ => self.unknown(),
        };
        let values: Vec<Expr> =
            expr.elems.iter().map(|value| self.expect_chosen(value, elem)).collect();
        let len = self.types.len(Extent::Const(values.len() as u64));
        let ty = self.types.add(Type::Array(elem, len));
        self.oblige(at, Obligation::Element(elem));
        self.make(Kind::Array(values), ty, at)
    }

    pub(crate) fn repeat(&mut self, expr: &ExprRepeat, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.bracket_token.span.open())
            .to(SpanRange::token(expr.bracket_token.span.close()));
        let elem = match hint.map(|hint| self.types.get(hint)) {
            Some(Type::Array(elem, _)) => elem,
            _ => self.unknown(),
        };
        let value = Box::new(self.expect_chosen(&expr.expr, elem));
        let env = self.env.clone();
        let len = self.len_in(&expr.len, &env);
        let ty = self.types.add(Type::Array(elem, len));
        self.oblige(at, Obligation::Element(elem));
        self.make(Kind::Repeat(value), ty, at)
    }

    /// Infers `Point { x, y }`, `Shape::Circle { radius }`, `Self { .. }`.
    pub(crate) fn struct_expr(&mut self, expr: &ExprStruct, hint: Option<Ty>) -> Expr {
        let at = SpanRange::path(&expr.path).to(SpanRange::token(expr.brace_token.span.close()));
        let braced = self.braced(&expr.path, |this, ty| this.hint(ty, hint));
        let Some(Braced { ty, variant, fields: known }) = braced else {
            for field in &expr.fields {
                self.expr(&field.expr, None);
            }
            return self.no_shape(&expr.path, at);
        };
        let mut fields = Vec::with_capacity(expr.fields.len());
        for field in &expr.fields {
            let name = member_name(&field.member);
            match known.iter().position(|(known, _)| *known == name) {
                Some(index) => fields.push((index, self.expect(&field.expr, known[index].1))),
                None => {
                    self.expr(&field.expr, None);
                    self.errors.mistyped(
                        SpanRange::tokens(&field.member),
                        format_args!("there is no field `{name}`"),
                    );
                }
            }
        }
        let base = expr.rest.as_ref().map(|base| Box::new(self.expect(base, ty)));
        if base.is_none() && fields.len() < known.len() {
            self.errors.mistyped(at, "fields are missing");
        }
        self.make(Kind::Aggregate { variant, fields, base }, ty, at)
    }

    /// Resolves the path before braces. `learn` receives its type before the field types are
    /// computed, and may unify it.
    pub(crate) fn braced(
        &mut self,
        path: &syn::Path,
        learn: impl FnOnce(&mut Self, Ty),
    ) -> Option<Braced> {
        if let Some((ty, shape)) = self.shape(path) {
            learn(self, ty);
            let types = self.field_types(ty, &shape);
            let fields = field_names(&shape).into_iter().zip(types).collect();
            return Some(Braced { ty, variant: shape.variant, fields });
        }
        let names = match Chain::range_named(&path.segments.last()?.ident.to_string())? {
            Chain::Range => ["start", "end"].as_slice(),
            Chain::From => &["start"],
            _ => return None,
        };
        let env = self.env.clone();
        let range = syn::TypePath { attrs: Vec::new(), qself: None, path: path.clone() };
        let ty = self.type_in(&syn::Type::Path(range), &env);
        learn(self, ty);
        let (_, item) = self.as_chain(ty)?;
        let fields = names.iter().map(|name| ((*name).to_owned(), item)).collect();
        Some(Braced { ty, variant: None, fields })
    }

    /// Unifies a type with the expected type, if they can be equal.
    pub(crate) fn hint(&mut self, ty: Ty, hint: Option<Ty>) {
        if let Some(hint) = hint
            && self.types.could_unify(ty, hint)
        {
            let _ = self.types.unify(ty, hint);
        }
    }

    /// Infers `Point(x, y)`, `Shape::Circle(radius)`, `Some(x)`: the construction of a tuple struct
    /// or variant.
    pub(crate) fn shape_call(
        &mut self,
        ty: Ty,
        shape: &Shape<'a>,
        args: &Punctuated<syn::Expr, syn::Token![,]>,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        self.hint(ty, hint);
        let types = self.field_types(ty, shape);
        if !self.count(types.len(), args, at) {
            return self.make(Kind::Reported, ty, at);
        }
        let args = args.iter().zip(types).enumerate();
        let fields = args.map(|(index, (arg, ty))| (index, self.expect(arg, ty))).collect();
        self.make(Kind::Aggregate { variant: shape.variant, fields, base: None }, ty, at)
    }

    fn no_shape(&mut self, path: &syn::Path, at: SpanRange) -> Expr {
        let name = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        let reported = self.errors.advise(
            at,
            format_args!("kernel code does not know the struct `{name}`"),
            "mark its definition `#[device]`",
        );
        self.reported(reported, at)
    }

    pub(crate) fn field(&mut self, expr: &ExprField) -> Expr {
        let at = SpanRange::expr(&expr.base).to(SpanRange::tokens(&expr.member));
        let base = self.expr(&expr.base, None);
        self.field_of(base, &member_name(&expr.member), at)
    }

    fn field_of(&mut self, base: Expr, name: &str, at: SpanRange) -> Expr {
        let base = self.autoderef(base);
        let found = match self.types.get(base.ty) {
            Type::Reported(proof) => return self.reported(proof, at),
            Type::Tuple(list) => {
                let index = name.parse::<usize>().ok();
                index.and_then(|index| Some((index, *self.types.parts(list).get(index)?)))
            }
            Type::Iter(chain, list) => {
                let index = match (chain, name) {
                    (Chain::Range | Chain::RangeInclusive | Chain::From, "start") => Some(0),
                    (Chain::Range | Chain::RangeInclusive, "end") => Some(1),
                    (_, "of") if self.is_in_prelude() => Some(0),
                    (_, "with") if self.is_in_prelude() => Some(1),
                    (_, "state") if self.is_in_prelude() => Some(2),
                    _ => None,
                };
                index.and_then(|index| Some((index, *self.types.parts(list).get(index + 1)?)))
            }
            Type::Adt(..) => self.shape_of(base.ty, None).and_then(|(ty, shape)| {
                let index = field_names(&shape).iter().position(|known| *known == name)?;
                Some((index, *self.field_types(ty, &shape).get(index)?))
            }),
            _ => None,
        };
        let base = match found {
            Some((index, ty)) => {
                return self.make(Kind::Field { base: Box::new(base), index }, ty, at);
            }
            None => self.referred(base, at),
        };
        match base {
            Ok(place) => self.behind_reference(|this| this.field_of(place, name, at)),
            Err(base) => {
                let shown = self.types.show(base.ty);
                let fact = format_args!("there is no field `{name}` on type `{shown}`");
                let reported = self.errors.mistyped(at, fact);
                self.reported(reported, at)
            }
        }
    }

    /// Returns the field types of a struct, or of each variant of an enum.
    pub(crate) fn shapes(&mut self, ty: Ty) -> Vec<Vec<Ty>> {
        let Type::Adt(item, _) = self.types.get(ty) else { return Vec::new() };
        let shapes: Vec<Shape<'a>> = match self.program().item(item) {
            Some(syn::Item::Struct(of)) => vec![Shape { variant: None, fields: &of.fields }],
            Some(syn::Item::Enum(of)) => of
                .variants
                .iter()
                .enumerate()
                .map(|(index, variant)| Shape { variant: Some(index), fields: &variant.fields })
                .collect(),
            _ => Vec::new(),
        };
        shapes.iter().map(|shape| self.field_types(ty, shape)).collect()
    }
}

/// A struct or variant resolved from its path, with the names and types of its fields.
pub(crate) struct Braced {
    pub(crate) ty: Ty,
    pub(crate) variant: Option<usize>,
    pub(crate) fields: Vec<(String, Ty)>,
}

/// Returns the names of fields; tuple structs have numbers.
pub(crate) fn field_names(shape: &Shape<'_>) -> Vec<String> {
    let fields = shape.fields.iter().enumerate();
    fields
        .map(|(index, field)| match &field.ident {
            Some(ident) => plain(ident),
            None => index.to_string(),
        })
        .collect()
}

pub(crate) fn member_name(member: &Member) -> String {
    match member {
        Member::Named(ident) => plain(ident),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

fn plain(ident: &syn::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}
