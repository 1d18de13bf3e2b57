//! Expected types from patterns, for values that convert to the expected type: `let Point { x, y }
//! = pair.into()`.
use crate::{
    infer::Infer,
    types::{Ty, Type},
};
use syn::{Expr, Pat};
use warpwise_compiler::ir::Extent;

impl Infer<'_> {
    /// Returns the type that a pattern implies for a value, if the value depends on its expected
    /// type.
    pub(crate) fn hint_from_pattern(&mut self, pat: &Pat, value: &Expr) -> Option<Ty> {
        let decides = depends_on_expected(value) || is_collected(value);
        if decides { self.pattern_type(pat) } else { None }
    }

    fn pattern_type(&mut self, pat: &Pat) -> Option<Ty> {
        match pat {
            Pat::Paren(pat) => self.pattern_type(&pat.pat),
            Pat::Guard(pat) => self.pattern_type(&pat.pat),
            Pat::Or(pat) => pat.cases.iter().find_map(|case| self.pattern_type(case)),
            Pat::Ident(pat) if let Some((_, part)) = &pat.subpat => self.pattern_type(part),
            Pat::Ident(pat) => Some(self.resolve_shape(&pat.ident.clone().into())?.0),
            Pat::Path(path) => Some(self.resolve_shape(&path.path)?.0),
            Pat::Struct(pat) => Some(self.resolve_shape(&pat.path)?.0),
            Pat::TupleStruct(pat) => {
                let (ty, shape) = self.resolve_shape(&pat.path)?;
                let fields = self.field_types(ty, &shape);
                let has_rest = pat.elems.iter().any(|part| matches!(part, Pat::Rest(_)));
                for (part, field) in pat.elems.iter().zip(fields).filter(|_| !has_rest) {
                    if let Some(said) = self.pattern_type(part) {
                        // The pattern itself reports a mismatch.
                        let _ = self.types.unify(field, said);
                    }
                }
                Some(ty)
            }
            Pat::Tuple(pat) if !pat.elems.iter().any(|part| matches!(part, Pat::Rest(_))) => {
                let parts = pat.elems.iter();
                let parts =
                    parts.map(|part| self.pattern_type(part).unwrap_or_else(|| self.unknown()));
                let parts = parts.collect();
                Some(self.types.tuple(parts))
            }
            Pat::Slice(pat) if !pat.elems.iter().any(crate::infer::pattern::is_rest) => {
                let said = pat.elems.iter().find_map(|part| self.pattern_type(part));
                let elem = said.unwrap_or_else(|| self.unknown());
                let len = self.types.len(Extent::Const(pat.elems.len() as u64));
                Some(self.types.add(Type::Array(elem, len)))
            }
            _ => None,
        }
    }
}

/// Returns true if a value's type depends on the expected type.
pub(crate) fn depends_on_expected(value: &Expr) -> bool {
    match value {
        Expr::Paren(value) => depends_on_expected(&value.expr),
        Expr::Group(value) => depends_on_expected(&value.expr),
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "into" | "try_into" => call.args.is_empty(),
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" | "ok" => {
                depends_on_expected(&call.receiver)
            }
            _ => false,
        },
        Expr::Call(call) => match &*call.func {
            Expr::Path(func) => func.path.segments.last().is_some_and(|last| {
                ["default", "from", "into", "try_from", "try_into"]
                    .iter()
                    .any(|it| last.ident == it)
            }),
            _ => false,
        },
        _ => false,
    }
}

/// Returns true for `x.sum()`, `x.product()` and `x.collect()` without a written type.
fn is_collected(value: &Expr) -> bool {
    match value {
        Expr::Paren(value) => is_collected(&value.expr),
        Expr::Group(value) => is_collected(&value.expr),
        Expr::MethodCall(call) => {
            let is_collecting =
                ["sum", "product", "collect"].iter().any(|name| call.method == name);
            is_collecting && call.turbofish.is_none() && call.args.is_empty()
        }
        _ => false,
    }
}
