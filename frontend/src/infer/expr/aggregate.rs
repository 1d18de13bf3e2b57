//! Tuples, structs, enums and arrays: construction and field access.
use crate::{
    hir::{Expr, ExprKind},
    infer::{Infer, Obligation, items::Shape},
    syntax::span::SpanRange,
    types::{Ty, Type, iterator::IterKind},
};
use syn::{
    ExprArray, ExprField, ExprRepeat, ExprStruct, ExprTuple, Member, punctuated::Punctuated,
};
use warpwise_compiler::ir::Extent;

impl<'a> Infer<'a> {
    pub(crate) fn infer_tuple(&mut self, expr: &ExprTuple, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.paren_token.span.open())
            .to(SpanRange::token(expr.paren_token.span.close()));
        let hints = match hint.map(|hint| self.types.get(hint)) {
            Some(Type::Tuple(list)) => self.types.parts(list),
            _ => Vec::new(),
        };
        let mut fields = Vec::with_capacity(expr.elems.len());
        for (index, elem) in expr.elems.iter().enumerate() {
            let value = match hints.get(index) {
                Some(hint) => self.infer_expr_coerce(elem, *hint),
                None => self.infer_expr(elem, None),
            };
            fields.push((index, value));
        }
        let ty = self.types.tuple(fields.iter().map(|(_, field)| field.ty).collect());
        self.make_expr(ExprKind::Aggregate { variant: None, fields, base: None }, ty, at)
    }

    pub(crate) fn infer_array(&mut self, expr: &ExprArray, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.bracket_token.span.open())
            .to(SpanRange::token(expr.bracket_token.span.close()));
        let elem = match hint.map(|hint| self.types.get(hint)) {
            Some(Type::Array(elem, _) | Type::Slice(elem)) => elem,
            _ => self.unknown(),
        };
        let values: Vec<Expr> =
            expr.elems.iter().map(|value| self.infer_element(value, elem)).collect();
        let len = self.types.len(Extent::Const(values.len() as u64));
        let ty = self.types.add(Type::Array(elem, len));
        self.oblige(at, Obligation::Element(elem));
        self.make_expr(ExprKind::Array(values), ty, at)
    }

    pub(crate) fn infer_repeat(&mut self, expr: &ExprRepeat, hint: Option<Ty>) -> Expr {
        let at = SpanRange::token(expr.bracket_token.span.open())
            .to(SpanRange::token(expr.bracket_token.span.close()));
        let elem = match hint.map(|hint| self.types.get(hint)) {
            Some(Type::Array(elem, _)) => elem,
            _ => self.unknown(),
        };
        let value = Box::new(self.infer_element(&expr.expr, elem));
        let env = self.env.clone();
        let len = self.eval_len(&expr.len, &env);
        let ty = self.types.add(Type::Array(elem, len));
        self.oblige(at, Obligation::Element(elem));
        self.make_expr(ExprKind::Repeat(value), ty, at)
    }

    /// Infers `Point { x, y }`, `Shape::Circle { radius }`, `Self { .. }`.
    pub(crate) fn infer_struct(&mut self, expr: &ExprStruct, hint: Option<Ty>) -> Expr {
        let at = SpanRange::path(&expr.path).to(SpanRange::token(expr.brace_token.span.close()));
        let braced = self.resolve_braced(&expr.path, |this, ty| this.unify_hint(ty, hint));
        let Some(BracedShape { ty, variant, fields: known }) = braced else {
            for field in &expr.fields {
                self.infer_expr(&field.expr, None);
            }
            return self.report_no_shape(&expr.path, at);
        };
        let (mut indices, mut written) = (Vec::new(), Vec::new());
        for field in &expr.fields {
            let name = member_name(&field.member);
            match known.iter().position(|(known, _)| *known == name) {
                Some(index) => {
                    indices.push(index);
                    written.push(&field.expr);
                }
                None => {
                    self.infer_expr(&field.expr, None);
                    self.errors.mistyped(
                        SpanRange::tokens(&field.member),
                        format_args!("there is no field `{name}`"),
                    );
                }
            }
        }
        let types: Vec<Ty> = indices.iter().map(|index| known[*index].1).collect();
        let values = self.infer_fields(ty, &written, &types);
        let fields: Vec<(usize, Expr)> = indices.into_iter().zip(values).collect();
        let base = expr.rest.as_ref().map(|base| Box::new(self.infer_expr_coerce(base, ty)));
        if base.is_none() && fields.len() < known.len() {
            self.errors.mistyped(at, "fields are missing");
        }
        self.make_expr(ExprKind::Aggregate { variant, fields, base }, ty, at)
    }

    /// Resolves the path before braces. `learn` receives its type before the field types are
    /// computed, and may unify it.
    pub(crate) fn resolve_braced(
        &mut self,
        path: &syn::Path,
        learn: impl FnOnce(&mut Self, Ty),
    ) -> Option<BracedShape> {
        if let Some((ty, shape)) = self.resolve_shape(path) {
            learn(self, ty);
            let types = self.field_types(ty, &shape);
            let fields = field_names(&shape).into_iter().zip(types).collect();
            return Some(BracedShape { ty, variant: shape.variant, fields });
        }
        let names = match IterKind::range_from_name(&path.segments.last()?.ident.to_string())? {
            IterKind::Range => ["start", "end"].as_slice(),
            IterKind::RangeFrom => &["start"],
            _ => return None,
        };
        let env = self.env.clone();
        let range = syn::TypePath { attrs: Vec::new(), qself: None, path: path.clone() };
        let ty = self.resolve_type_in(&syn::Type::Path(range), &env);
        learn(self, ty);
        let (_, item) = self.as_iterator(ty)?;
        let fields = names.iter().map(|name| ((*name).to_owned(), item)).collect();
        Some(BracedShape { ty, variant: None, fields })
    }

    /// Unifies a type with the expected type, if they can be equal.
    pub(crate) fn unify_hint(&mut self, ty: Ty, hint: Option<Ty>) {
        if let Some(hint) = hint
            && self.types.could_unify(ty, hint)
        {
            let _ = self.types.unify(ty, hint);
        }
    }

    /// Infers `Point(x, y)`, `Shape::Circle(radius)`, `Some(x)`: the construction of a tuple struct
    /// or variant.
    pub(crate) fn infer_shape_call(
        &mut self,
        ty: Ty,
        shape: &Shape<'a>,
        args: &Punctuated<syn::Expr, syn::Token![,]>,
        hint: Option<Ty>,
        at: SpanRange,
    ) -> Expr {
        self.unify_hint(ty, hint);
        let types = self.field_types(ty, shape);
        if !self.check_arg_count(types.len(), args, at) {
            return self.make_expr(ExprKind::Reported, ty, at);
        }
        let args: Vec<&syn::Expr> = args.iter().collect();
        let fields = self.infer_fields(ty, &args, &types).into_iter().enumerate().collect();
        self.make_expr(ExprKind::Aggregate { variant: shape.variant, fields, base: None }, ty, at)
    }

    fn report_no_shape(&mut self, path: &syn::Path, at: SpanRange) -> Expr {
        let name = path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
        let reported = self.errors.advise(
            at,
            format_args!("kernel code does not know the struct `{name}`"),
            "mark its definition `#[device]`",
        );
        self.make_reported(reported, at)
    }

    pub(crate) fn infer_field(&mut self, expr: &ExprField) -> Expr {
        let at = SpanRange::expr(&expr.base).to(SpanRange::tokens(&expr.member));
        let base = self.infer_expr(&expr.base, None);
        self.resolve_field(base, &member_name(&expr.member), at)
    }

    fn resolve_field(&mut self, base: Expr, name: &str, at: SpanRange) -> Expr {
        let base = self.autoderef(base);
        let found = match self.types.get(base.ty) {
            Type::Reported(proof) => return self.make_reported(proof, at),
            Type::Tuple(list) => {
                let index = name.parse::<usize>().ok();
                index.and_then(|index| Some((index, *self.types.parts(list).get(index)?)))
            }
            Type::Iter(chain, list) => {
                let index = match (chain, name) {
                    (IterKind::Range | IterKind::RangeInclusive | IterKind::RangeFrom, "start") => {
                        Some(0)
                    }
                    (IterKind::Range | IterKind::RangeInclusive, "end") => Some(1),
                    (_, "of") if self.is_in_std_lib() => Some(0),
                    (_, "with") if self.is_in_std_lib() => Some(1),
                    (_, "state") if self.is_in_std_lib() => Some(2),
                    _ => None,
                };
                index.and_then(|index| Some((index, *self.types.parts(list).get(index + 1)?)))
            }
            Type::Adt(..) => self.type_shape(base.ty, None).and_then(|(ty, shape)| {
                let index = field_names(&shape).iter().position(|known| *known == name)?;
                Some((index, *self.field_types(ty, &shape).get(index)?))
            }),
            _ => None,
        };
        let base = match found {
            Some((index, ty)) => {
                return self.make_expr(ExprKind::Field { base: Box::new(base), index }, ty, at);
            }
            None => self.try_deref(base, at),
        };
        match base {
            Ok(place) => self.with_deref_depth(|this| this.resolve_field(place, name, at)),
            Err(base) => {
                let shown = self.types.show(base.ty);
                let fact = format_args!("there is no field `{name}` on type `{shown}`");
                let reported = self.errors.mistyped(at, fact);
                self.make_reported(reported, at)
            }
        }
    }

    /// Returns the field types of a struct, or of each variant of an enum.
    pub(crate) fn variant_field_types(&mut self, ty: Ty) -> Vec<Vec<Ty>> {
        let Type::Adt(item, _) = self.types.get(ty) else { return Vec::new() };
        let shapes: Vec<Shape<'a>> = match self.program().item(item) {
            Some(syn::Item::Struct(defined)) => {
                vec![Shape { variant: None, fields: &defined.fields }]
            }
            Some(syn::Item::Enum(defined)) => defined
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
pub(crate) struct BracedShape {
    pub(crate) ty: Ty,
    pub(crate) variant: Option<usize>,
    pub(crate) fields: Vec<(String, Ty)>,
}

/// Returns the names of fields; tuple structs have numbers.
pub(crate) fn field_names(shape: &Shape<'_>) -> Vec<String> {
    let fields = shape.fields.iter().enumerate();
    fields
        .map(|(index, field)| match &field.ident {
            Some(ident) => plain_name(ident),
            None => index.to_string(),
        })
        .collect()
}

pub(crate) fn member_name(member: &Member) -> String {
    match member {
        Member::Named(ident) => plain_name(ident),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

fn plain_name(ident: &syn::Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}
