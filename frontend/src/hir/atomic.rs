//! Methods of atomics, and their orderings.
use crate::hir::Expr;
use warpwise_compiler::ir::{AtomicOp, Order};

/// A method of an atomic.
#[derive(Debug)]
pub(crate) struct Atomic {
    /// The method.
    pub(crate) method: AtomicMethod,
    /// A place of atomic type.
    pub(crate) place: Expr,
    /// Arguments other than orderings.
    pub(crate) args: Vec<Expr>,
    /// The name of the method.
    pub(crate) name: String,
    /// The orderings. Of two, the second is that of the read on failure.
    pub(crate) orders: Vec<OrderingArg>,
}

/// The method of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicMethod {
    /// `load`
    Load,
    /// `store`
    Store,
    /// `swap` and `fetch_*`, except `fetch_nand`.
    Update(AtomicOp),
    /// `fetch_nand`
    Nand,
    /// `compare_exchange`, weak or strong.
    CompareExchange,
    /// `fetch_update`, with the closure as its only argument.
    FetchUpdate,
}

/// An ordering.
#[derive(Debug)]
pub(crate) enum OrderingArg {
    /// An ordering by its name.
    Known(Order),
    /// An ordering by its value, known once functions are inlined.
    Value(Expr),
}

/// The help for the ordering of a load.
const LOAD_ORDERINGS: &str = "\n= help: use `Relaxed`, `Acquire` or `SeqCst`";

impl AtomicMethod {
    /// Returns the error for orderings with which std's method `name` panics.
    pub(crate) fn ordering_error(self, name: &str, orders: &[Order]) -> Option<String> {
        if let [_, failure] = orders
            && matches!(failure, Order::Release | Order::AcqRel)
        {
            return Some(format!(
                "where `{name}` fails it only loads, which cannot be `{failure:?}`{LOAD_ORDERINGS}"
            ));
        }
        let order = orders.iter().copied().reduce(stronger_ordering)?;
        let (wrong, help) = match self {
            Self::Load => (matches!(order, Order::Release | Order::AcqRel), LOAD_ORDERINGS),
            Self::Store => (
                matches!(order, Order::Acquire | Order::AcqRel),
                "\n= help: use `Relaxed`, `Release` or `SeqCst`",
            ),
            Self::Update(_) | Self::Nand | Self::CompareExchange | Self::FetchUpdate => (false, ""),
        };
        wrong.then(|| format!("`{name}` cannot be `{order:?}`{help}"))
    }
}

/// Returns the weakest ordering that is at least as strong as both.
pub(crate) fn stronger_ordering(a: Order, b: Order) -> Order {
    use Order::{AcqRel, Acquire, Relaxed, Release, SeqCst};
    match (a, b) {
        (SeqCst, _) | (_, SeqCst) => SeqCst,
        (AcqRel, _) | (_, AcqRel) | (Acquire, Release) | (Release, Acquire) => AcqRel,
        (Acquire, _) | (_, Acquire) => Acquire,
        (Release, _) | (_, Release) => Release,
        (Relaxed, Relaxed) => Relaxed,
    }
}
