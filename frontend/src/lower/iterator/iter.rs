//! An iterator as a value, and what can be told of it.
use crate::{
    hir::{Expr, ExprKind},
    lower::Value,
    types::{
        chain::{Adapter, IterKind},
        mono::Mono,
    },
};
use warpwise_compiler::ir::{BinaryOp, InstId};

/// An iterator as a value: what it is, and its parts with their types.
#[derive(Clone, Debug)]
pub(crate) struct Iter {
    pub(crate) chain: IterKind,
    /// Type of its items.
    pub(crate) item: Mono,
    pub(crate) parts: Vec<(Value, Mono)>,
}

impl Iter {
    /// The iterator that it is made of, or the other one of `zip`.
    pub(crate) fn inner(&self, index: usize) -> Option<Self> {
        let (value, mono) = self.parts.get(index)?;
        Self::of(value, mono)
    }

    /// The value that it is, and its type.
    pub(crate) fn value(&self) -> (Value, Mono) {
        let (values, types): (Vec<Value>, Vec<Mono>) = self.parts.iter().cloned().unzip();
        let types = [self.item.clone()].into_iter().chain(types).collect();
        (Value::Parts(values.into()), Mono::Iter(self.chain, types))
    }

    /// The iterator that a value of this type is.
    pub(crate) fn of(value: &Value, mono: &Mono) -> Option<Self> {
        let (Value::Parts(values), Mono::Iter(chain, types)) = (value, mono) else { return None };
        let (item, types) = types.split_first()?;
        let parts = values.iter().cloned().zip(types.iter().cloned()).collect();
        Some(Self { chain: *chain, item: item.clone(), parts })
    }

    /// What a value that is iterated over gives.
    ///
    /// The elements of an array are taken from the first on: see [`IterKind::Array`].
    pub(crate) fn over(value: Value, mono: &Mono) -> Option<Self> {
        let (chain, item) = match mono {
            Mono::Array(elem, _) => (IterKind::Array, (**elem).clone()),
            Mono::Ref { mutable, to } => {
                let (Mono::Slice(elem) | Mono::Array(elem, _)) = &**to else { return None };
                (IterKind::Slice, Mono::Ref { mutable: *mutable, to: elem.clone() })
            }
            _ => return Self::of(&value, mono),
        };
        Some(Self { chain, item, parts: vec![(value, mono.clone())] })
    }

    /// The number that a part is.
    pub(crate) fn number(&self, index: usize) -> Option<InstId> {
        match self.parts.get(index)? {
            (Value::Scalar(inst), _) => Some(*inst),
            _ => None,
        }
    }

    /// Whether each item can be computed from its number, as if those before it had been.
    /// Where overflow is `checked`, arithmetic has effects.
    pub(crate) fn is_indexed(&self, checked: bool) -> bool {
        let inner = |index| self.inner(index).is_some_and(|inner| inner.is_indexed(checked));
        let is_pure = |index| self.inner(index).is_some_and(|inner| inner.is_pure(checked));
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
                // Items that are left out are computed in Rust, which can be told apart.
                Adapter::Skip | Adapter::StepBy | Adapter::Cycle => inner(0) && is_pure(0),
                // So is an item more than the second has, unless std looks items up, too.
                Adapter::Zip => inner(0) && inner(1) && (is_pure(0) || self.is_looked_up()),
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

    /// Whether it may have more items than can be counted.
    pub(crate) fn is_endless(&self) -> bool {
        let mut inner = (0..self.parts.len()).filter_map(|index| self.inner(index));
        matches!(self.chain, IterKind::RangeFrom | IterKind::Adapter(Adapter::Cycle))
            || inner.any(|inner| inner.is_endless())
    }

    /// Whether std computes its items from their number: those of its `TrustedRandomAccess`.
    fn is_looked_up(&self) -> bool {
        let inner = |index| self.inner(index).is_some_and(|inner| inner.is_looked_up());
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

    /// Whether nobody can tell how often its closures are called.
    pub(crate) fn is_pure(&self, checked: bool) -> bool {
        // Items are taken away from what others see, or by code that does anything.
        if let IterKind::Adapter(Adapter::ByRef) | IterKind::UserDefined = self.chain {
            return false;
        }
        self.parts.iter().all(|(value, mono)| match value {
            Value::Closure(closure) => computes(&closure.closure.body, checked),
            _ => Self::of(value, mono).is_none_or(|inner| inner.is_pure(checked)),
        })
    }
}

/// Whether an expression does nothing but compute a value, and always succeeds.
fn computes(expr: &Expr, checked: bool) -> bool {
    let all = |exprs: &[&Expr]| exprs.iter().all(|expr| computes(expr, checked));
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
        | ExprKind::Field { base: value, .. }
        | ExprKind::Length(value) => all(&[value]),
        ExprKind::Unary { value, .. } => !checked && all(&[value]),
        ExprKind::Binary { op: BinaryOp::Div | BinaryOp::Rem, lhs, rhs } => {
            matches!(rhs.kind, ExprKind::Int(1..) | ExprKind::Float(_)) && all(&[lhs])
        }
        ExprKind::Binary { lhs, rhs, .. } => !checked && all(&[lhs, rhs]),
        ExprKind::Compare { lhs, rhs, .. } | ExprKind::Lazy { lhs, rhs, .. } => all(&[lhs, rhs]),
        ExprKind::Block { label: None, block } if block.stmts.is_empty() => {
            block.tail.as_ref().is_none_or(|tail| computes(tail, checked))
        }
        ExprKind::Aggregate { fields, base: None, .. } => {
            fields.iter().all(|(_, field)| computes(field, checked))
        }
        _ => false,
    }
}
