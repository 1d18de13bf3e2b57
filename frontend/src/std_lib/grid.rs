//! The rank of a thread in its grid, as kernel code that is lowered with its callers.
trait Grid {
    fn thread_rank() -> usize {
        let block = (block_idx_z() * grid_dim_y() + block_idx_y()) * grid_dim_x() + block_idx_x();
        block * block::size() + block::thread_rank()
    }
    fn size() -> usize {
        grid_dim_x() * grid_dim_y() * grid_dim_z() * block::size()
    }
}
