//! Methods of atomics, and their orderings.
use crate::hir::Expr;
use warpwise_compiler::ir::{AtomicOp, Order};

/// A method of an atomic.
#[derive(Debug)]
pub(crate) struct Atomic {
    /// Which.
    pub(crate) method: AtomicMethod,
    /// A place of atomic type.
    pub(crate) place: Expr,
    /// Arguments other than orderings.
    pub(crate) args: Vec<Expr>,
    /// What it is called.
    pub(crate) name: String,
    /// Its orderings: where there are two, that of what is read if nothing is set comes last.
    pub(crate) orders: Vec<OrderOf>,
}

/// What a method of an atomic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicMethod {
    /// `load`
    Load,
    /// `store`
    Store,
    /// `swap` and `fetch_*`, but for `fetch_nand`.
    Update(AtomicOp),
    /// `fetch_nand`
    Nand,
    /// `compare_exchange`, weak or not.
    CompareExchange,
    /// `fetch_update`, of which the closure is the only argument.
    FetchUpdate,
}

/// An ordering.
#[derive(Debug)]
pub(crate) enum OrderOf {
    /// That of a name.
    Known(Order),
    /// That of a value, which is known once functions are inlined.
    Value(Expr),
}

impl AtomicMethod {
    /// What is wrong with orderings with which std's method, which is called so, panics.
    pub(crate) fn refused(self, name: &str, orders: &[Order]) -> Option<String> {
        if let [_, failure] = orders
            && matches!(failure, Order::Release | Order::AcqRel)
        {
            return Some(format!(
                "where `{name}` fails it only loads, which cannot be `{failure:?}`"
            ));
        }
        let order = orders.iter().copied().reduce(stronger)?;
        let wrong = match self {
            Self::Load => matches!(order, Order::Release | Order::AcqRel),
            Self::Store => matches!(order, Order::Acquire | Order::AcqRel),
            Self::Update(_) | Self::Nand | Self::CompareExchange | Self::FetchUpdate => false,
        };
        wrong.then(|| format!("`{name}` cannot be `{order:?}`"))
    }
}

/// The weakest ordering that is at least both.
pub(crate) fn stronger(a: Order, b: Order) -> Order {
    use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    match (a, b) {
        (SeqCst, _) | (_, SeqCst) => SeqCst,
        (AcqRel, _) | (_, AcqRel) | (Acquire, Release) | (Release, Acquire) => AcqRel,
        (Acquire, _) | (_, Acquire) => Acquire,
        (Release, _) | (_, Release) => Release,
        (Relaxed, Relaxed) => Relaxed,
    }
}
