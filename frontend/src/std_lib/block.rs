//! Multi-step collectives of a block, as kernel code that is lowered with its callers.
//!
//! Each warp computes one value, and the first warp combines these. Between a call's two barriers
//! shared memory has only the values that the first warp reads, and only the first warp writes the
//! values that all warps read after the second barrier. The next call, which may follow at once,
//! therefore overwrites nothing that is still to be read.
trait Block {
    fn thread_rank() -> usize {
        (thread_idx_z() * block_dim_y() + thread_idx_y()) * block_dim_x() + thread_idx_x()
    }
    fn size() -> usize {
        block_dim_x() * block_dim_y() * block_dim_z()
    }
    fn reduce<T, F: Fn(T, T) -> T>(value: T, combine: F) -> T {
        warps::reduce(warp::reduce(value, combine), combine)
    }
    fn reduce_add<T>(value: T) -> T {
        warps::reduce(warp::reduce_add(value), |a, b| a + b)
    }
    fn reduce_min<T>(value: T) -> T {
        warps::reduce(warp::reduce_min(value), |a, b| a.min(b))
    }
    fn reduce_max<T>(value: T) -> T {
        warps::reduce(warp::reduce_max(value), |a, b| a.max(b))
    }
    fn inclusive_scan<T, F: Fn(T, T) -> T>(value: T, combine: F) -> T {
        let own = warp::inclusive_scan(value, combine);
        match warps::before(own, combine) {
            Some(before) => combine(before, own),
            None => own,
        }
    }
    fn exclusive_scan<T, F: Fn(T, T) -> T>(value: T, identity: T, combine: F) -> T {
        let here = warp::ballot(true);
        let own = lanes::scan(here, value, combine);
        let previous = lanes::previous(here, own);
        match (warps::before(own, combine), previous) {
            (Some(before), Some(previous)) => combine(before, previous),
            (Some(before), None) => before,
            (None, Some(previous)) => previous,
            (None, None) => identity,
        }
    }
    fn inclusive_sum<T>(value: T) -> T {
        block::inclusive_scan(value, |a, b| a + b)
    }
    fn exclusive_sum<T>(value: T) -> T {
        block::exclusive_scan(value, T::default(), |a, b| a + b)
    }
}

trait Warps {
    /// Returns the number of warps in the block.
    fn count() -> usize {
        (block::size() + 31) / 32
    }
    /// Combines the values of the warps to one for the block.
    fn reduce<T, F: Fn(T, T) -> T>(of_warp: T, combine: F) -> T {
        let of_warps = shared!([T; 32]);
        let of_block = shared!([T; 1]);
        let (lane, warp) = (warp::lane_id(), warp::warp_id());
        if lane == 0 {
            of_warps[warp] = of_warp;
        }
        sync_threads();
        if warp == 0 {
            let of_lane = if lane < warps::count() { of_warps[lane] } else { of_warp };
            let pairs = warps::join(of_lane, 1, combine);
            let fours = warps::join(pairs, 2, combine);
            let eights = warps::join(fours, 4, combine);
            let all = warps::join(warps::join(eights, 8, combine), 16, combine);
            if lane == 0 {
                of_block[0] = all;
            }
        }
        sync_threads();
        of_block[0]
    }
    /// Combines, in the first warp, whose lanes have a value of each warp, two halves of this many
    /// lanes; the first lane of both has the result.
    fn join<T, F: Fn(T, T) -> T>(value: T, half: usize, combine: F) -> T {
        if half < warps::count() {
            let lane = warp::lane_id();
            let upper = warp::shfl_down(value, half);
            let first = lane % (2 * half) == 0 && lane + half < warps::count();
            if first { combine(value, upper) } else { value }
        } else {
            value
        }
    }
    /// Returns the combined value of the warps before this one, if there are any; each lane passes
    /// the value inside its own warp.
    fn before<T, F: Fn(T, T) -> T>(scanned: T, combine: F) -> Option<T> {
        let of_warps = shared!([T; 32]);
        let up_to = shared!([T; 32]);
        let (lane, warp) = (warp::lane_id(), warp::warp_id());
        if lane == 31 || block::thread_rank() == block::size() - 1 {
            of_warps[warp] = scanned;
        }
        sync_threads();
        if warp == 0 {
            let of_lane = if lane < warps::count() { of_warps[lane] } else { scanned };
            let pairs = warps::upper(of_lane, 1, combine);
            let fours = warps::upper(pairs, 2, combine);
            let eights = warps::upper(fours, 4, combine);
            let all = warps::upper(warps::upper(eights, 8, combine), 16, combine);
            if lane < warps::count() {
                up_to[lane] = all;
            }
        }
        sync_threads();
        if warp == 0 { None } else { Some(up_to[warp - 1]) }
    }
    /// Returns, in the first warp, the combined value of the lower half to the lanes of the upper
    /// half.
    fn upper<T, F: Fn(T, T) -> T>(value: T, half: usize, combine: F) -> T {
        if half < warps::count() {
            let lane = warp::lane_id();
            let other = warp::shfl(value, lane & !half | (half - 1));
            if lane & half == 0 { value } else { combine(other, value) }
        } else {
            value
        }
    }
}
