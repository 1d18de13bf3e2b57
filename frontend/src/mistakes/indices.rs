//! Indices of threads as other languages write them: `threadIdx.x`, `cuda.blockIdx.x`, and the sums
//! and products of several.
use crate::{
    mistakes::{Finder, dictionary},
    syntax::span::SpanRange,
};
use std::fmt;
use syn::{BinOp, Expr, ExprBinary, ExprField, ExprPath, Ident, Member};

/// A field of a vector of indices.
pub(super) struct IndexField<'e> {
    /// The name of the vector.
    pub(super) name: &'e Ident,
    /// The function of Warpwise, without its axis.
    function: &'static str,
    axis: char,
    /// The language that has the field; `None` for a name of Warpwise.
    language: Option<&'static str>,
}

impl<'e> IndexField<'e> {
    /// Returns `threadIdx.x`, `thread_idx.x`, `thread_idx().x` or that of another language.
    pub(super) fn new(ExprField { base, member, .. }: &'e ExprField) -> Option<Self> {
        let (base, is_call) = match &**base {
            Expr::Call(call) if call.args.is_empty() => (&*call.func, true),
            base => (base, false),
        };
        let Member::Named(axis) = member else { return None };
        let axis = ['x', 'y', 'z'].into_iter().find(|known| axis == &known.to_string())?;
        // `cuda.threadIdx.x` is Numba.
        let name = match base {
            Expr::Path(ExprPath { qself: None, path, .. }) => path.get_ident()?,
            Expr::Field(ExprField { base, member: Member::Named(name), .. }) => {
                matches!(&**base, Expr::Path(base) if base.path.is_ident("cuda")).then_some(name)?
            }
            _ => return None,
        };
        let (language, function) = match name.to_string().as_str() {
            "threadIdx" => (Some("CUDA C++"), "thread_idx"),
            "blockIdx" => (Some("CUDA C++"), "block_idx"),
            "blockDim" => (Some("CUDA C++"), "block_dim"),
            "gridDim" => (Some("CUDA C++"), "grid_dim"),
            "thread_idx" => (None, "thread_idx"),
            "block_idx" => (None, "block_idx"),
            "block_dim" => (None, "block_dim"),
            "grid_dim" => (None, "grid_dim"),
            "global_idx" => (None, "global_idx"),
            // These are variables: a function of that name is the user's.
            of_others if !is_call => {
                let (language, function) = dictionary::foreign_index(of_others)?;
                (Some(language), function)
            }
            _ => return None,
        };
        Some(Self { name, function, axis, language })
    }

    /// Returns such a field in parentheses or under casts.
    fn inside(expr: &'e Expr) -> Option<Self> {
        match expr {
            Expr::Field(field) => Self::new(field),
            Expr::Paren(inner) => Self::inside(&inner.expr),
            Expr::Cast(inner) => Self::inside(&inner.expr),
            _ => None,
        }
    }

    /// Returns the call in Warpwise.
    fn call(&self) -> String {
        format!("{}_{}()", self.function, self.axis)
    }

    /// Returns the fact about `code` with the field.
    fn fact(&self, code: &str) -> String {
        match self.language {
            Some(language) => format!("`{code}` is {language}"),
            None => format!("cannot find `{}` in this scope", self.name),
        }
    }

    /// Returns the message for the field alone.
    pub(super) fn text(&self) -> (String, String) {
        (self.fact(&self.to_string()), format!("write `{}`", self.call()))
    }
}

impl fmt::Display for IndexField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.name, self.axis)
    }
}

/// Returns the message for `blockIdx.x * blockDim.x + threadIdx.x` with these terms, in any order,
/// and the field that it is about.
pub(super) fn global_index<'e>(terms: [&'e Expr; 2]) -> Option<(IndexField<'e>, (String, String))> {
    let [first, second] = terms;
    let (start, thread) = match IndexField::inside(second) {
        Some(thread) => (first, thread),
        None => (second, IndexField::inside(first)?),
    };
    let (one, other) = factors(start)?;
    let functions = [one.function, other.function];
    let is_start =
        functions == ["block_idx", "block_dim"] || functions == ["block_dim", "block_idx"];
    let is_of_axis = one.axis == thread.axis && other.axis == thread.axis;
    if !is_start || !is_of_axis || thread.function != "thread_idx" {
        return None;
    }
    let fact = thread.fact(&format!("{one} * {other} + {thread}"));
    let help = format!("write `global_idx_{}()`", thread.axis);
    Some((thread, (fact, help)))
}

/// Returns the message for a product of two fields, `gridDim.x * blockDim.x`, and the field that it
/// is about.
pub(super) fn index_product(binary: &ExprBinary) -> Option<(IndexField<'_>, (String, String))> {
    let (one, other) = product_factors(binary)?;
    let fact = one.fact(&format!("{one} * {other}"));
    let help = format!("write `{} * {}`", one.call(), other.call());
    Some((one, (fact, help)))
}

/// Returns the fields that an expression multiplies.
fn factors(expr: &Expr) -> Option<(IndexField<'_>, IndexField<'_>)> {
    match expr {
        Expr::Binary(binary) => product_factors(binary),
        Expr::Paren(inner) => factors(&inner.expr),
        Expr::Cast(inner) => factors(&inner.expr),
        _ => None,
    }
}

fn product_factors(binary: &ExprBinary) -> Option<(IndexField<'_>, IndexField<'_>)> {
    let ExprBinary { left, op: BinOp::Mul(_), right, .. } = binary else { return None };
    Some((IndexField::inside(left)?, IndexField::inside(right)?))
}

impl Finder {
    /// Adds a field of indices, or a sum or product of several; returns false if there is none.
    pub(super) fn add_index(
        &mut self,
        at: SpanRange,
        found: Option<(IndexField<'_>, (String, String))>,
    ) -> bool {
        let Some((field, text)) = found else { return false };
        let is_common = !dictionary::is_unmistakable(&field.name.to_string());
        self.add(at, text, Some((field.name, is_common)), |_| {});
        true
    }
}
