//! Multi-step collectives of a warp, as kernel code that is lowered with its callers.
//!
//! Lanes are combined in a balanced tree by their numbers: first pairs, then pairs of pairs, always
//! with the lower lanes on the left, so that the operation need not be commutative. Absent lanes
//! are left out; `here` has the lanes that are present.
trait Warp {
    fn leader() -> usize {
        warp::ballot(true).trailing_zeros() as usize
    }
    fn leader_mask(mask: u32) -> usize {
        warp::ballot_mask(mask, true).trailing_zeros() as usize
    }
    fn match_all_lanes<T>(value: T) -> u32 {
        warp::ballot(warp::match_all(value))
    }
    fn match_all_lanes_mask<T>(mask: u32, value: T) -> u32 {
        warp::ballot_mask(mask, warp::match_all_mask(mask, value))
    }
    fn reduce<T, F: Fn(T, T) -> T>(value: T, combine: F) -> T {
        lanes::reduce(warp::ballot(true), value, combine)
    }
    fn reduce_mask<T, F: Fn(T, T) -> T>(mask: u32, value: T, combine: F) -> T {
        lanes::reduce(warp::ballot_mask(mask, true), value, combine)
    }
    fn inclusive_scan<T, F: Fn(T, T) -> T>(value: T, combine: F) -> T {
        lanes::scan(warp::ballot(true), value, combine)
    }
    fn inclusive_scan_mask<T, F: Fn(T, T) -> T>(mask: u32, value: T, combine: F) -> T {
        lanes::scan(warp::ballot_mask(mask, true), value, combine)
    }
    fn exclusive_scan<T, F: Fn(T, T) -> T>(value: T, identity: T, combine: F) -> T {
        let here = warp::ballot(true);
        lanes::previous(here, lanes::scan(here, value, combine)).unwrap_or(identity)
    }
    fn exclusive_scan_mask<T, F: Fn(T, T) -> T>(
        mask: u32,
        value: T,
        identity: T,
        combine: F,
    ) -> T {
        let here = warp::ballot_mask(mask, true);
        lanes::previous(here, lanes::scan(here, value, combine)).unwrap_or(identity)
    }
    fn inclusive_sum<T>(value: T) -> T {
        lanes::scan(warp::ballot(true), value, |a, b| a + b)
    }
    fn inclusive_sum_mask<T>(mask: u32, value: T) -> T {
        lanes::scan(warp::ballot_mask(mask, true), value, |a, b| a + b)
    }
    fn exclusive_sum<T>(value: T) -> T {
        let here = warp::ballot(true);
        lanes::previous(here, lanes::scan(here, value, |a, b| a + b)).unwrap_or(T::default())
    }
    fn exclusive_sum_mask<T>(mask: u32, value: T) -> T {
        let here = warp::ballot_mask(mask, true);
        lanes::previous(here, lanes::scan(here, value, |a, b| a + b)).unwrap_or(T::default())
    }
}

trait Lanes {
    /// Combines the values of all lanes.
    fn reduce<T, F: Fn(T, T) -> T>(here: u32, value: T, combine: F) -> T {
        if here == u32::MAX {
            let pairs = lanes::pair(value, 1, combine);
            let fours = lanes::pair(pairs, 2, combine);
            let eights = lanes::pair(fours, 4, combine);
            lanes::pair(lanes::pair(eights, 8, combine), 16, combine)
        } else {
            let lane = warp::lane_id() as u32;
            let mut reduced = value;
            let mut half: u32 = 1;
            while half < 32 {
                // The lowest of the lanes that were combined into the other half.
                let first = (lane ^ half) & !(half - 1);
                let others = here >> first & ((1 << half) - 1);
                let from = if others == 0 { lane } else { first + others.trailing_zeros() };
                let other = warp::shfl_mask(here, reduced, from as usize);
                if others != 0 {
                    reduced = lanes::ordered(reduced, other, half, combine);
                }
                half *= 2;
            }
            reduced
        }
    }
    /// Combines two halves of this many lanes, all of which are present.
    fn pair<T, F: Fn(T, T) -> T>(value: T, half: u32, combine: F) -> T {
        let other = warp::shfl_xor_mask(u32::MAX, value, half as usize);
        lanes::ordered(value, other, half, combine)
    }
    /// Combines two values, with the lower half on the left.
    fn ordered<T, F: Fn(T, T) -> T>(own: T, other: T, half: u32, combine: F) -> T {
        let lower = warp::lane_id() as u32 & half == 0;
        let (left, right) = if lower { (own, other) } else { (other, own) };
        combine(left, right)
    }
    /// Combines the values of the lanes up to this one.
    fn scan<T, F: Fn(T, T) -> T>(here: u32, value: T, combine: F) -> T {
        if here == u32::MAX {
            let pairs = lanes::upper(value, 1, combine);
            let fours = lanes::upper(pairs, 2, combine);
            let eights = lanes::upper(fours, 4, combine);
            lanes::upper(lanes::upper(eights, 8, combine), 16, combine)
        } else {
            let lane = warp::lane_id() as u32;
            let mut scanned = value;
            let mut half: u32 = 1;
            while half < 32 {
                // The highest lane of the lower half, for the lanes of the upper one.
                let first = lane & !(2 * half - 1);
                let before = if lane & half == 0 { 0 } else { here >> first & ((1 << half) - 1) };
                let from = if before == 0 { lane } else { first + 31 - before.leading_zeros() };
                let other = warp::shfl_mask(here, scanned, from as usize);
                if before != 0 {
                    scanned = combine(other, scanned);
                }
                half *= 2;
            }
            scanned
        }
    }
    /// Returns the combined value of the lower half to the upper one, of this many lanes each, all
    /// of which are present.
    fn upper<T, F: Fn(T, T) -> T>(value: T, half: u32, combine: F) -> T {
        let lane = warp::lane_id() as u32;
        let other = warp::shfl_mask(u32::MAX, value, (lane & !half | (half - 1)) as usize);
        if lane & half == 0 { value } else { combine(other, value) }
    }
    /// Returns the value of the lane before this one, if there is one.
    fn previous<T>(here: u32, value: T) -> Option<T> {
        let lane = warp::lane_id() as u32;
        let before = here & ((1 << lane) - 1);
        let from = if before == 0 { lane } else { 31 - before.leading_zeros() };
        let other = warp::shfl_mask(here, value, from as usize);
        if before == 0 { None } else { Some(other) }
    }
}
