//! Asynchronous copies by all threads of a block, as kernel code that is lowered with its callers.
trait AsyncCopy {
    fn block_copy<T>(to: &mut [T], from: &[T]) {
        if to.len() != from.len() {
            panic!("block_copy: source slice length ({}) does not match destination slice length ({})", from.len(), to.len());
        }
        for i in (block::thread_rank()..to.len()).step_by(block::size()) {
            async_copy::copy(&mut to[i], &from[i]);
        }
    }
}
