//! Orderings of atomics, as kernel code that is lowered with the kernels that name them.
enum AtomicOrdering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}
