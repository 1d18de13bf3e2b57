//! Orderings of atomics, as kernel code: not compiled, but lowered with the kernels that name them.
enum AtomicOrdering {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}
