//! Memory orderings of atomics by their names in std.
use warpwise_compiler::ir::Order;

/// The orderings, in the order of the variants of the library's `AtomicOrdering`.
pub(crate) const ORDERS: [(&str, Order); 5] = [
    ("Relaxed", Order::Relaxed),
    ("Acquire", Order::Acquire),
    ("Release", Order::Release),
    ("AcqRel", Order::AcqRel),
    ("SeqCst", Order::SeqCst),
];

/// Returns true if a path is the plain name of an ordering, as after `use Ordering::Relaxed`.
pub(crate) fn is_ordering(path: &syn::Path) -> bool {
    path.get_ident().is_some_and(|name| ORDERS.iter().any(|(known, _)| name == known))
}
