//! Shared memory and barriers: the parts of a block's cooperation that are instructions.
//!
//! On the host all of it panics: see [`host`](crate::host).
use crate::host::only_in_a_kernel;

/// Memory that the threads of a block share: `shared!([[f32; 33]; 32])` is a
/// `&mut [[f32; 33]; 32]`, undefined when the block starts.
///
/// The same memory each time control passes it, and another one for each place in the source.
#[macro_export]
macro_rules! shared {
    ($ty:ty) => {
        $crate::__private::shared::<$ty>()
    };
}

/// Stands in for [`shared!`] on the host.
///
/// # Panics
/// Always.
#[track_caller]
pub fn shared<'a, T: 'a>() -> &'a mut T {
    only_in_a_kernel("`shared!`")
}

/// Memory that the threads of a block share, of a length that the launcher computes:
/// `shared_dyn!(f32, 2 * n)` is a `&mut [f32]`, undefined when the block starts.
///
/// The length is made of constants, scalar parameters, the lengths of slice parameters, and the
/// numbers of threads in a block and of blocks in the grid, with arithmetic and casts. A launch for
/// which it overflows, or takes more memory than a block has, is refused.
///
/// The same memory each time control passes it, and another one for each place in the source.
#[macro_export]
macro_rules! shared_dyn {
    ($ty:ty, $len:expr $(,)?) => {
        $crate::__private::shared_dyn::<$ty>($len)
    };
}

/// Stands in for [`shared_dyn!`] on the host.
///
/// # Panics
/// Always.
#[track_caller]
pub fn shared_dyn<'a, T: 'a>(_len: usize) -> &'a mut [T] {
    only_in_a_kernel("`shared_dyn!`")
}

/// Waits until every thread of the block has reached the call, and orders their accesses to shared
/// and global memory.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_threads() {
    only_in_a_kernel("`sync_threads`")
}

/// Does the same as [`sync_threads`], and returns the number of threads that pass `true`.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_threads_count(_predicate: bool) -> usize {
    only_in_a_kernel("`sync_threads_count`")
}

/// Does the same as [`sync_threads`], and returns true if all threads pass `true`.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_threads_and(_predicate: bool) -> bool {
    only_in_a_kernel("`sync_threads_and`")
}

/// Does the same as [`sync_threads`], and returns true if any of the threads passes `true`.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn sync_threads_or(_predicate: bool) -> bool {
    only_in_a_kernel("`sync_threads_or`")
}

#[cfg(test)]
mod tests {
    #[test]
    #[should_panic(expected = "`shared!` needs the other threads of a launch")]
    fn shared_memory_panics_on_the_host() {
        let _tile: &mut [f32; 4] = crate::shared!([f32; 4]);
    }

    #[test]
    #[should_panic(expected = "`shared_dyn!` needs the other threads of a launch")]
    fn sized_shared_memory_panics_on_the_host() {
        let _tile: &mut [f32] = crate::shared_dyn!(f32, 2 * 4);
    }

    #[test]
    #[should_panic(expected = "`sync_threads` needs the other threads of a launch")]
    fn barriers_panic_on_the_host() {
        super::sync_threads();
    }
}
