//! Iterators as values, and their static properties.
use crate::{
    hir::{Expr, ExprKind},
    lower::Value,
    types::{
        iterator::{Adapter, IterKind},
        mono::Mono,
    },
};
use warpwise_compiler::ir::{BinaryOp, InstId};

/// Iterator as a value: its kind, and its parts with their types.
#[derive(Clone, Debug)]
pub(crate) struct Iter {
    pub(crate) chain: IterKind,
    /// Type of the items.
    pub(crate) item: Mono,
    pub(crate) parts: Vec<(Value, Mono)>,
}

impl Iter {
    /// Returns the inner iterator, or the other one of `zip`.
    pub(crate) fn inner_iter(&self, index: usize) -> Option<Self> {
        let (value, mono) = self.parts.get(index)?;
        Self::from_value(value, mono)
    }

    /// Returns the iterator as a value, with its type.
    pub(crate) fn to_value(&self) -> (Value, Mono) {
        let (values, types): (Vec<Value>, Vec<Mono>) = self.parts.iter().cloned().unzip();
        let types = [self.item.clone()].into_iter().chain(types).collect();
        (Value::Parts(values.into()), Mono::Iter(self.chain, types))
    }

    /// Returns the iterator that a value of this type represents.
    pub(crate) fn from_value(value: &Value, mono: &Mono) -> Option<Self> {
        let (Value::Parts(values), Mono::Iter(chain, types)) = (value, mono) else { return None };
        let (item, types) = types.split_first()?;
        let parts = values.iter().cloned().zip(types.iter().cloned()).collect();
        Some(Self { chain: *chain, item: item.clone(), parts })
    }

    /// Returns the iterator over a value that is iterated.
    ///
    /// The elements of an array are taken from the first on: see [`IterKind::Array`].
    pub(crate) fn over_value(value: Value, mono: &Mono) -> Option<Self> {
        let (chain, item) = match mono {
            Mono::Array(elem, _) => (IterKind::Array, (**elem).clone()),
            Mono::Ref { mutable, to } => {
                let (Mono::Slice(elem) | Mono::Array(elem, _)) = &**to else { return None };
                (IterKind::Slice, Mono::Ref { mutable: *mutable, to: elem.clone() })
            }
            _ => return Self::from_value(&value, mono),
        };
        Some(Self { chain, item, parts: vec![(value, mono.clone())] })
    }

    /// Returns a part that is a number.
    pub(crate) fn scalar_part(&self, index: usize) -> Option<InstId> {
        match self.parts.get(index)? {
            (Value::Scalar(inst), _) => Some(*inst),
            _ => None,
        }
    }

    /// Returns true if each item can be computed from its index, as if the items before it had been
    /// computed. Where overflow is `checked`, arithmetic has effects.
    pub(crate) fn is_indexed(&self, checked: bool) -> bool {
        let inner = |index| self.inner_iter(index).is_some_and(|inner| inner.is_indexed(checked));
        let is_pure = |index| self.inner_iter(index).is_some_and(|inner| inner.is_pure(checked));
        match self.chain {
            IterKind::Range
            | IterKind::RangeInclusive
            | IterKind::RangeFrom
            | IterKind::Slice
            | IterKind::Array
            | IterKind::Chunks
            | IterKind::ChunksExact
            | IterKind::Windows => true,
            IterKind::UserDefined => false,
            IterKind::Adapter(adapter) => match adapter {
                Adapter::Enumerate
                | Adapter::Rev
                | Adapter::Take
                | Adapter::Copied
                | Adapter::Map => inner(0),
                Adapter::Chain => inner(0) && inner(1),
                // Rust computes the items that are left out, so their effects must not get lost.
                Adapter::Skip | Adapter::StepBy | Adapter::Cycle => inner(0) && is_pure(0),
                // Rust also computes one item more than the second iterator has, unless std indexes
                // the items.
                Adapter::Zip => inner(0) && inner(1) && (is_pure(0) || self.is_indexed_by_std()),
                Adapter::ByRef
                | Adapter::Peekable
                | Adapter::Filter
                | Adapter::FilterMap
                | Adapter::MapWhile
                | Adapter::TakeWhile
                | Adapter::SkipWhile
                | Adapter::Inspect
                | Adapter::Scan
                | Adapter::Flatten
                | Adapter::Options => false,
            },
        }
    }

    /// Returns true if the number of items may exceed `u64`.
    pub(crate) fn is_endless(&self) -> bool {
        let mut inner = (0..self.parts.len()).filter_map(|index| self.inner_iter(index));
        matches!(self.chain, IterKind::RangeFrom | IterKind::Adapter(Adapter::Cycle))
            || inner.any(|inner| inner.is_endless())
    }

    /// Returns true if std computes the items by index: those of its `TrustedRandomAccess`.
    fn is_indexed_by_std(&self) -> bool {
        let inner = |index| self.inner_iter(index).is_some_and(|inner| inner.is_indexed_by_std());
        match self.chain {
            IterKind::Range
            | IterKind::Slice
            | IterKind::Array
            | IterKind::Chunks
            | IterKind::ChunksExact
            | IterKind::Windows => true,
            IterKind::Adapter(Adapter::Enumerate | Adapter::Copied | Adapter::Map) => inner(0),
            IterKind::Adapter(Adapter::Zip) => inner(0) && inner(1),
            IterKind::RangeInclusive
            | IterKind::RangeFrom
            | IterKind::UserDefined
            | IterKind::Adapter(
                Adapter::Chain
                | Adapter::Rev
                | Adapter::Skip
                | Adapter::Take
                | Adapter::StepBy
                | Adapter::ByRef
                | Adapter::Peekable
                | Adapter::Filter
                | Adapter::FilterMap
                | Adapter::MapWhile
                | Adapter::TakeWhile
                | Adapter::SkipWhile
                | Adapter::Inspect
                | Adapter::Scan
                | Adapter::Flatten
                | Adapter::Options
                | Adapter::Cycle,
            ) => false,
        }
    }

    /// Returns true if the number of calls of its closures is not observable.
    pub(crate) fn is_pure(&self, checked: bool) -> bool {
        // Such iterators remove items that others see, or run arbitrary code.
        if let IterKind::Adapter(Adapter::ByRef) | IterKind::UserDefined = self.chain {
            return false;
        }
        self.parts.iter().all(|(value, mono)| match value {
            Value::Closure(closure) => is_pure_expr(&closure.closure.body, checked),
            _ => Self::from_value(value, mono).is_none_or(|inner| inner.is_pure(checked)),
        })
    }
}

/// Returns true if an expression only computes a value, and always succeeds.
fn is_pure_expr(expr: &Expr, checked: bool) -> bool {
    let all = |exprs: &[&Expr]| exprs.iter().all(|expr| is_pure_expr(expr, checked));
    match &expr.kind {
        ExprKind::Unit
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Constant(_)
        | ExprKind::ConstParam(_)
        | ExprKind::Var(_) => true,
        ExprKind::Deref(value)
        | ExprKind::Borrow(value)
        | ExprKind::Cast(value)
        | ExprKind::DeclaredConstant(value)
        | ExprKind::Field { base: value, .. }
        | ExprKind::Length(value) => all(&[value]),
        ExprKind::Unary { value, .. } => !checked && all(&[value]),
        ExprKind::Binary { op: BinaryOp::Div | BinaryOp::Rem, lhs, rhs } => {
            matches!(rhs.kind, ExprKind::Int(1..) | ExprKind::Float(_)) && all(&[lhs])
        }
        ExprKind::Binary { lhs, rhs, .. } => !checked && all(&[lhs, rhs]),
        ExprKind::Compare { lhs, rhs, .. } | ExprKind::Lazy { lhs, rhs, .. } => all(&[lhs, rhs]),
        ExprKind::Block { label: None, block } if block.stmts.is_empty() => {
            block.tail.as_ref().is_none_or(|tail| is_pure_expr(tail, checked))
        }
        ExprKind::Aggregate { fields, base: None, .. } => {
            fields.iter().all(|(_, field)| is_pure_expr(field, checked))
        }
        _ => false,
    }
}
